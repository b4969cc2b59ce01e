"""The course of a run: its items, and what its curriculum knows of them so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any

from puzzlemill.difficulty.curricula import Pool, Seen, State, curriculum

Row = Mapping[str, Any]

UNKNOWN = 0.5  # the pass rate of an item that was never scored


@dataclass
class Course:
    rows: Sequence[Row]  # by rank
    name: str  # of the curriculum
    state: State = field(default_factory=dict)
    pool: Pool = field(init=False)

    def __post_init__(self) -> None:
        cells = [(row["family"], row["level"]) for row in self.rows]
        means = [UNKNOWN if row["mean"] is None else row["mean"] for row in self.rows]
        self.pool = Pool(cells, means)
        self.state = self.state or curriculum(self.name).start(self.pool)

    def pick(self, count: int, done: float, purpose: str) -> list[int]:
        """The places of the items to ask next; the purpose fixes what is drawn."""
        chosen = curriculum(self.name).pick(self.pool, self.state, count, done, Random(purpose))
        places, self.state = chosen
        return places

    def tell(self, seen: Sequence[tuple[int, Sequence[float]]]) -> None:
        """What replies to items were worth."""
        groups = [Seen(place, fmean(scores), _spread(scores)) for place, scores in seen]
        self.state = curriculum(self.name).told(self.pool, self.state, groups)


def _spread(scores: Sequence[float]) -> float:
    mean = fmean(scores)
    return fmean(abs(score - mean) for score in scores)
