"""The course of a run: its items, and what its curriculum knows of them so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

from puzzlemill.difficulty.curricula import Curriculum, Pool, Seen, State, curriculum

Row = Mapping[str, Any]

UNKNOWN = 0.5  # the pass rate of an item that was never scored


@dataclass
class Course:
    rows: Sequence[Row]  # by rank
    name: str  # of the curriculum
    state: State = field(default_factory=dict)
    pool: Pool = field(init=False)
    curriculum: Curriculum = field(init=False)

    def __post_init__(self) -> None:
        cells = [(row["family"], row["level"]) for row in self.rows]
        means = [UNKNOWN if row["mean"] is None else row["mean"] for row in self.rows]
        self.pool, self.curriculum = Pool(cells, means), curriculum(self.name)
        self.state = self.state or self.curriculum.start(self.pool)

    def pick(self, count: int, done: float, purpose: str) -> list[int]:
        """The places of the items to ask next; the purpose fixes what is drawn."""
        source = Random(purpose)
        places, self.state = self.curriculum.pick(self.pool, self.state, count, done, source)
        return places

    def tell(self, seen: Sequence[tuple[int, Sequence[float]]]) -> None:
        """What replies to items were worth."""
        groups = [Seen(place, fmean(scores), _spread(scores)) for place, scores in seen]
        self.state = self.curriculum.told(self.pool, self.state, groups)


def _spread(scores: Sequence[float]) -> float:
    mean = fmean(scores)
    return fmean(abs(score - mean) for score in scores)
