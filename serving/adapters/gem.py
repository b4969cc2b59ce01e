"""GEM: an environment, as `gem-llm` 0.1.0 makes them by name.

gem.register("puzzlemill", "puzzlemill.serving.adapters.gem:Env")
gem.make("puzzlemill", tasks="logic play_nim")
"""

from typing import Any

import gem
from gem.utils.constants import TERMINAL_STATE

from puzzlemill.core.errors import UserError
from puzzlemill.serving.adapters.in_process import copied, opened, replied, source, wait
from puzzlemill.serving.sessions import Episode

NO_ANSWER = "<answer></answer>"


class Env(gem.Env):  # type: ignore[misc]
    """An item with its tries, or a game, after each reset.

    `reset(seed)` begins the task at that index; without a seed, tasks are drawn by the `seed` that
    the constructor is given, as `make_vec` does.
    """

    def __init__(self, tasks: str = "", split: str = "train", seed: int = 0, **options: Any):
        self.settings = {"tasks": tasks, "split": split, "seed": seed, **options}
        self.source, self.split, self.seed = source(tasks, **options), split, seed
        self.begun = 0
        self.episode: Episode | None = None

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        # Theirs sets the seeds of random, NumPy and torch: here nothing draws from those.
        if seed is None:
            task = self.source.drawn(self.split, self.seed, self.begun)
            self.begun += 1
        else:
            task = self.source.task(self.split, seed)
        self.episode = wait(opened(self.source.server, task))
        return self.episode.prompt, {"task": dict(self.episode.task)}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        if self.episode is None:
            raise UserError("reset the environment before the first step")
        turn = wait(replied(self.source.server, self.episode, action))
        # What our verifier failed on is cut off, not lost.
        failed = turn.facts.get("status") == "error"
        text = TERMINAL_STATE if turn.done else turn.text
        return text, turn.reward, turn.done and not failed, failed, dict(turn.facts)

    def sample_random_action(self) -> str:
        return NO_ANSWER

    def spawn(self, same_state: bool = False, **kwargs: Any) -> "Env":
        child = Env(**{**self.settings, **kwargs})
        if same_state:
            child.begun = self.begun
            child.episode = copied(self.episode) if self.episode else None
        return child
