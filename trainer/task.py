"""A task: what a run learns from, as its loop knows it. There are two, items and games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from puzzlemill.difficulty.curricula import State
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy, Reply
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.asking import Memory
from puzzlemill.trainer.batch import Text
from puzzlemill.trainer.course import Row
from puzzlemill.trainer.heldout import Cell, Tally
from puzzlemill.trainer.settings import Train, TrainGames


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a step learns from, and what its record says of it."""

    texts: list[Text]
    replies: Sequence[Reply]  # all that the policy gave
    reward: float
    mixed: float
    asked: dict[str, list[float]] = field(default_factory=dict)
    discarded: dict[str, int] = field(default_factory=dict)
    also: dict[str, float] = field(default_factory=dict)


class Task(Protocol):
    """What `gather` and `measure` return is the task's own."""

    memory: Memory

    @property
    def settings(self) -> Train | TrainGames: ...

    @property
    def fingerprint(self) -> str:
        """Of its data: a run does not go on with other data."""

    def gather(self, policy: Policy, judge: Judge, most: int, step: int) -> Any:
        """Ask the policy for replies of at most so many tokens, in another thread where a step is
        gathered ahead."""

    def lesson(
        self, gathered: Any, policy: LocalPolicy, reference: Reader | None, step: int
    ) -> Lesson:
        """What is learned from that; the policy is the one that learns."""

    def examples(self) -> list[Row]:
        """Items to imitate before the first step."""

    def state(self) -> State:
        """Plain data for a checkpoint, that `restore` goes on from."""

    def restore(self, state: State) -> None: ...

    def measure(self, policy: Policy, judge: Judge) -> Any:
        """What a policy does where it does not learn, as plain data."""

    def cells(self, measured: Any) -> Mapping[Cell, Tally]:
        """The same by family, or game, and level."""

    def summary(self, before: Any, after: Any) -> dict[str, Any]:
        """What became of it, for the report."""
