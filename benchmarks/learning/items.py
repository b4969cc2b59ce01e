"""Items of RL: those that a student learns from, and those on which its pass rate is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.learning.solutions import WORDINGS
from puzzlemill.core import registry
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_at, make, worked
from puzzlemill.core.knobs import WORDING
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage import pool
from puzzlemill.core.verdict import check

LEVELS = (0.0, 0.1, 0.2)  # as students are warmed
HARDER = (0.35, 0.5)
OTHER_WORDINGS = (2,)
TRIES = 8  # seeds, until an item has a certificate
SECONDS = 20.0  # for an item

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """What fixes an item."""

    family: str
    level: float
    split: str
    number: int
    phrasings: tuple[int, ...] = WORDINGS


def places(
    names: Sequence[str],
    count: int,
    split: str,
    levels: Sequence[float] = LEVELS,
    phrasings: tuple[int, ...] = WORDINGS,
) -> list[Place]:
    """So many, of all families and levels alike; a longer list begins with the shorter one."""
    cells = [(name, level) for name in names for level in levels]
    order = Random(f"cells {split}").sample(cells, len(cells))
    return [
        Place(*order[at % len(order)], split, at // len(order), phrasings) for at in range(count)
    ]


def rows_at(wanted: Sequence[Place]) -> dict[Place, Row]:
    """Certified items as rows, with a worked solution; what cannot be made is missing."""
    calls = [(place,) for place in wanted]
    made = pool.run("benchmarks.learning.items:row", calls, seconds=SECONDS, chunk=32)
    rows = zip(wanted, made, strict=True)
    return {place: row for place, row in rows if row is not None and not isinstance(row, Failure)}


def row(place: Place) -> Row | None:
    family, rng = registry.family(place.family), Random(f"rl {place}")
    for _ in range(TRIES):
        address = address_at(
            family,
            place.level,
            {WORDING: list(place.phrasings)},
            split=place.split,
            seed=rng.getrandbits(60),
        )
        item = make(family, address, place.level)
        if item.certificate and not item.images:
            solution = worked(family, item.puzzle, item.answer)
            return row_of(item) | {"mean": None, "solution": solution}
    return None


def with_wrong_golds(rows: Sequence[Row], share: float, seed: int) -> list[Row]:
    """A share of the rows have the puzzle of another item of the family behind their prompt, so
    that the right answer is not paid. Rows that are wrong at one share are so at a larger one."""
    order = Random(f"wrong golds {seed}").sample(range(len(rows)), len(rows))
    changed, left = list(rows), round(share * len(rows))
    for at in order:
        if not left:
            break
        own = rows[at]
        for other in rows:
            alike = other["family"] == own["family"] and other["uid"] != own["uid"]
            if alike and not check(other, own["solution"]).correct:
                changed[at] = own | {"puzzle": other["puzzle"]}
                left -= 1
                break
    return changed
