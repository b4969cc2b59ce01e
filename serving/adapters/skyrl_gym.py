"""SkyRL-Gym: an environment, as `skyrl-gym` 0.4.0 makes one for each row of its data.

skyrl_gym.register(id="puzzlemill", entry_point="puzzlemill.serving.adapters.skyrl_gym:Env")

The data has the columns `prompt`, `env_class` and `task`: `rows` beside this file makes them.
"""

from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from puzzlemill.core.errors import UserError
from puzzlemill.serving.adapters.in_process import opened, replied, server_with, task_in, wait
from puzzlemill.serving.sessions import Episode

Messages = list[dict[str, str]]


class Env(BaseTextEnv):  # type: ignore[misc]
    """The item or game of a row. `env_config` holds settings of the server, such as `tries`."""

    def __init__(
        self,
        env_config: Mapping[str, Any] | None = None,
        extras: Mapping[str, Any] | None = None,
    ):
        super().__init__()
        if "task" not in (extras or {}):
            raise UserError("a row of SkyRL's data has the column `task`; rows() makes it")
        self.server = server_with({str(name): value for name, value in (env_config or {}).items()})
        self.task = task_in((extras or {})["task"])
        self.episode: Episode | None = None
        self.facts: dict[str, Any] = {}

    def init(self, prompt: Messages) -> tuple[Messages, dict[str, Any]]:
        self.episode = wait(opened(self.server, self.task))
        own = {"role": "user", "content": self.episode.prompt}
        return [*prompt[:-1], own], {}  # what stands before it is the trainer's: a system message

    def step(self, action: str) -> BaseTextEnvStepOutput:
        if self.episode is None:
            raise UserError("init the environment before the first step")
        turn = wait(replied(self.server, self.episode, action))
        self.turns += 1
        self.facts = dict(turn.facts)
        said = [] if turn.done else [{"role": "user", "content": turn.text}]
        return BaseTextEnvStepOutput(
            observations=said, reward=turn.reward, done=turn.done, metadata=self.facts
        )

    def get_metrics(self) -> dict[str, Any]:
        status = self.facts.get("status")
        shares = {name: float(status == name) for name in ("correct", "unparsed", "error")}
        return {**shares, "turns": self.turns} if status else {"turns": self.turns}
