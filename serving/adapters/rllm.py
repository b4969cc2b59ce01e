"""rLLM: an environment, as its agent execution engine steps it.

AgentTrainer(env_class=puzzlemill.serving.adapters.rllm.Env, env_args={"options": {"tries": 2}}, …)

The data has the column `task`, as `rows` beside this file makes it.
"""

from collections.abc import Mapping
from typing import Any

from rllm.environments.base.base_env import BaseEnv

from puzzlemill.core.errors import UserError
from puzzlemill.serving.adapters.in_process import opened, replied, server_with, task_in, wait
from puzzlemill.serving.sessions import Episode


class Env(BaseEnv):  # type: ignore[misc]
    """The item or game of a task; `options` are settings of the server."""

    def __init__(self, task: str | Mapping[str, Any], **options: Any):
        self.task, self.server = task_in(task), server_with(options)
        self.episode: Episode | None = None

    def reset(self) -> tuple[dict[str, Any], dict[str, Any]]:
        self.episode = wait(opened(self.server, self.task))
        return {"question": self.episode.prompt}, {"task": dict(self.episode.task)}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, dict[str, Any]]:
        if self.episode is None:
            raise UserError("reset the environment before the first step")
        reply = getattr(action, "action", action)  # agents wrap what they said
        turn = wait(replied(self.server, self.episode, str(reply)))
        said = {} if turn.done else {"question": turn.text}
        return said, turn.reward, turn.done, dict(turn.facts)

    def close(self) -> None:
        self.episode = None

    @staticmethod
    def from_dict(info: dict[str, Any]) -> "Env":
        """Of a row and the trainer's `env_args` in one; a row's other columns are left."""
        return Env(info["task"], **info.get("options", {}))

    @staticmethod
    def is_multithread_safe() -> bool:
        return True
