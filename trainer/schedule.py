"""A run's schedule: the source of its items, and the curriculum that picks the next ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean, pstdev
from typing import Any, Protocol

from puzzlemill.difficulty.curricula import Choice, Curriculum, Outcome, Pool, State, chosen

Row = Mapping[str, Any]

UNKNOWN = 0.5  # the pass rate of an item that was never scored


@dataclass(frozen=True, slots=True)
class Ticket:
    """An item to prompt with: its place in the pool, and its number among the items there."""

    place: int
    serial: int = 0


class ItemSource(Protocol):
    """What a curriculum picks from."""

    @property
    def pool(self) -> Pool: ...

    def tickets(self, places: Sequence[int]) -> list[Ticket]:
        """The next item at each place."""

    def row(self, ticket: Ticket) -> Row:
        """The same for ever."""

    def state(self) -> State:
        """Plain data that `restore` goes on from."""

    def restore(self, state: State) -> None: ...


@dataclass
class Schedule:
    """A source, a curriculum, and the curriculum's state so far."""

    source: ItemSource
    choice: Choice  # the curriculum, by name or by a table of its settings
    curriculum_state: State = field(default_factory=dict)
    curriculum: Curriculum = field(init=False)

    def __post_init__(self) -> None:
        self.curriculum: Curriculum = chosen(self.choice, "[train] curriculum")
        self.curriculum_state = self.curriculum_state or self.curriculum.start(self.source.pool)

    def pick(self, count: int, done: float, purpose: str) -> list[Ticket]:
        """The next items; `done` is the share of the run that is over, the purpose a seed."""
        places, self.curriculum_state = self.curriculum.pick(
            self.source.pool, self.curriculum_state, count, done, Random(purpose)
        )
        return self.source.tickets(places)

    def update(self, outcomes: Sequence[tuple[Ticket, Sequence[float]]]) -> None:
        """Take in the scores of the replies to items."""
        groups = [
            Outcome(ticket.place, fmean(scores), _spread(scores), pstdev(scores))
            for ticket, scores in outcomes
        ]
        state = self.curriculum_state
        self.curriculum_state = self.curriculum.update(self.source.pool, state, groups)

    def state(self) -> State:
        return {"curriculum": self.curriculum_state, "source": self.source.state()}

    def restore(self, state: State) -> None:
        self.curriculum_state = state["curriculum"]
        self.source.restore(state["source"])


def _spread(scores: Sequence[float]) -> float:
    mean = fmean(scores)
    return fmean(abs(score - mean) for score in scores)
