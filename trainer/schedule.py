"""A run's schedule: the source of its items, and the curriculum that picks the next ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean, pstdev
from typing import Any, Protocol

from puzzlemill.difficulty.curricula import Choice, Curriculum, Outcome, Pool, State, chosen

Row = Mapping[str, Any]

PICKS = 8  # of a curriculum, until its places that are saturated are replaced at random
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
    prune: float = 0.0  # the mean score from which an item is not picked again; 0: none is left out
    pruned: set[int] = field(default_factory=set)  # places
    rescored_items: int = 0  # so far
    curriculum: Curriculum = field(init=False)

    def __post_init__(self) -> None:
        self.curriculum: Curriculum = chosen(self.choice, "[train] curriculum")
        self.curriculum_state = self.curriculum_state or self.curriculum.start(self.source.pool)

    def pick(self, count: int, done: float, purpose: str) -> list[Ticket]:
        """The next items; `done` is the share of the run that is over, the purpose a seed."""
        pool, source, places = self.source.pool, Random(purpose), list[int]()
        for _ in range(PICKS if self.pruned else 1):
            some, self.curriculum_state = self.curriculum.pick(
                pool, self.curriculum_state, count - len(places), done, source
            )
            places += [place for place in some if place not in self.pruned]
            if len(places) == count:
                break
        if len(places) < count:  # a curriculum that goes on picking what is saturated
            standing = [place for place in range(len(pool)) if place not in self.pruned]
            places += source.choices(standing, k=count - len(places))
        return self.source.tickets(places)

    def due(self, count: int) -> tuple[list[Ticket], int]:
        """The items that the curriculum wants scored before so many are picked, and the replies
        that each is to get."""
        places, replies = self.curriculum.due(self.source.pool, self.curriculum_state, count)
        return self.source.tickets(places), replies

    def rescored(self, scores: Sequence[tuple[Ticket, Sequence[float]]]) -> None:
        """Take in the scores of what was due."""
        means = {ticket.place: fmean(each) for ticket, each in scores}
        state = self.curriculum_state
        self.curriculum_state = self.curriculum.rescored(self.source.pool, state, means)
        self.rescored_items += len(means)

    def update(self, outcomes: Sequence[tuple[Ticket, Sequence[float]]]) -> None:
        """Take in the scores of the replies to items."""
        groups = [
            Outcome(ticket.place, fmean(scores), _spread(scores), pstdev(scores))
            for ticket, scores in outcomes
        ]
        state = self.curriculum_state
        self.curriculum_state = self.curriculum.update(self.source.pool, state, groups)
        if self.prune:
            self.pruned |= {each.place for each in groups if each.mean >= self.prune}
            if len(self.pruned) == len(self.source.pool):
                self.pruned.clear()  # nothing would be left to train on

    def metrics(self) -> dict[str, float]:
        pruned = {"pruned": float(len(self.pruned))} if self.prune else {}
        return pruned | ({"rescored": float(self.rescored_items)} if self.rescored_items else {})

    def state(self) -> State:
        return {
            "curriculum": self.curriculum_state,
            "source": self.source.state(),
            "pruned": sorted(self.pruned),
            "rescored": self.rescored_items,
        }

    def restore(self, state: State) -> None:
        self.curriculum_state = state["curriculum"]
        self.source.restore(state["source"])
        self.pruned = set(state.get("pruned", ()))
        self.rescored_items = state.get("rescored", 0)


def _spread(scores: Sequence[float]) -> float:
    mean = fmean(scores)
    return fmean(abs(score - mean) for score in scores)
