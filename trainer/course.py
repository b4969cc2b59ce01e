"""The course of a run: where its items come from, and which of them come next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from statistics import fmean
from typing import Any, Protocol

from puzzlemill.difficulty.curricula import CURRICULA, Curriculum, Outcome, Pool, State

Row = Mapping[str, Any]

UNKNOWN = 0.5  # the pass rate of an item that was never scored


@dataclass(frozen=True, slots=True)
class Ticket:
    """One item to ask: its place in the pool, and which of those there it is."""

    place: int
    serial: int = 0


class Source(Protocol):
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


@dataclass(frozen=True)
class Stored:
    """The items of a build: one at each place, by rank."""

    rows: Sequence[Row]

    @cached_property
    def pool(self) -> Pool:
        cells = [(row["family"], row["level"]) for row in self.rows]
        means = [UNKNOWN if row["mean"] is None else row["mean"] for row in self.rows]
        return Pool(cells, means)

    def tickets(self, places: Sequence[int]) -> list[Ticket]:
        return [Ticket(place) for place in places]

    def row(self, ticket: Ticket) -> Row:
        return self.rows[ticket.place]

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        assert not state, "what is stored does not change"


@dataclass
class Course:
    """What is picked, and what the curriculum knows of it so far."""

    source: Source
    name: str  # of the curriculum
    known: State = field(default_factory=dict)
    curriculum: Curriculum = field(init=False)

    def __post_init__(self) -> None:
        self.curriculum: Curriculum = CURRICULA.load(self.name, "[train] curriculum")
        self.known = self.known or self.curriculum.start(self.source.pool)

    def pick(self, count: int, done: float, purpose: str) -> list[Ticket]:
        """The items to ask next; the purpose fixes what is drawn."""
        places, self.known = self.curriculum.pick(
            self.source.pool, self.known, count, done, Random(purpose)
        )
        return self.source.tickets(places)

    def tell(self, seen: Sequence[tuple[Ticket, Sequence[float]]]) -> None:
        """What replies to items were worth."""
        groups = [Outcome(ticket.place, fmean(scores), _spread(scores)) for ticket, scores in seen]
        self.known = self.curriculum.update(self.source.pool, self.known, groups)

    def state(self) -> State:
        return {"curriculum": self.known, "source": self.source.state()}

    def restore(self, state: State) -> None:
        self.known = state["curriculum"]
        self.source.restore(state["source"])


def _spread(scores: Sequence[float]) -> float:
    mean = fmean(scores)
    return fmean(abs(score - mean) for score in scores)
