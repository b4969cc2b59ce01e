"""A training task: what a run's loop trains on. There are two, items and games."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from puzzlemill.difficulty.curricula import State
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy, Reply
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.evaluation import Cell, PassCount
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rollouts import Buffers
from puzzlemill.trainer.schedule import Row
from puzzlemill.trainer.settings import Train, TrainGames


@dataclass(frozen=True, slots=True)
class TrainBatch:
    """What a step trains on, and what its record says of it."""

    samples: list[Sample]
    replies: Sequence[Reply]  # all that were sampled
    reward: float
    mixed: float
    asked: dict[str, list[float]] = field(default_factory=dict)
    discarded: dict[str, int] = field(default_factory=dict)
    also: dict[str, float] = field(default_factory=dict)


class TrainTask(Protocol):
    """Rollouts and measurements are of the task's own types: `collect` returns what `batch` takes,
    `measure` what `cells` and `summary` take."""

    buffers: Buffers

    @property
    def settings(self) -> Train | TrainGames: ...

    @property
    def fingerprint(self) -> str:
        """Of its data: a run does not go on with other data."""

    def collect(self, policy: Policy, judge: Judge, max_tokens: int, step: int) -> Any:
        """Sample the rollouts of a step, in another thread where `max_staleness` allows it."""

    def batch(
        self, rollouts: Any, policy: LocalPolicy, reference: Reader | None, step: int
    ) -> TrainBatch:
        """The training samples of these rollouts; the policy is the one that is trained."""

    def examples(self) -> list[Row]:
        """Items to imitate before the first step."""

    def state(self) -> State:
        """Plain data for a checkpoint, that `restore` goes on from."""

    def restore(self, state: State) -> None:
        """Go on after `step` of them."""

    def write_log(self) -> None:
        """Write what the steps so far have logged, before a checkpoint."""

    def measure(self, policy: Policy, judge: Judge) -> Any:
        """Evaluate the policy, as plain data."""

    def cells(self, measured: Any) -> Mapping[Cell, PassCount]:
        """An evaluation by family, or game, and level."""

    def summary(self, before: Any, after: Any) -> dict[str, Any]:
        """Two evaluations compared, for the report."""
