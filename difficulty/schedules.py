"""Schedules: an order over items, the same for an export and for the trainer.

Ties are broken by the level, then by the uid's digest.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from puzzlemill.core.address import digest

Name = Literal["easy_to_hard", "informative", "as_made"]
Floats = npt.NDArray[np.float64]


def ranked(rows: Sequence[Mapping[str, Any]], schedule: Name) -> list[int]:
    """The places of the rows in the order of the schedule."""
    columns = {name: [row.get(name) for row in rows] for name in ("mean", "informs", "level")}
    values: dict[str, npt.NDArray[Any]] = {
        name: np.array(column, float) for name, column in columns.items()
    }
    places: list[int] = in_order(
        schedule, **values, ties=ties([row["uid"] for row in rows])
    ).tolist()
    return places


def in_order(
    schedule: Name, mean: Floats, informs: Floats, level: Floats, ties: npt.NDArray[np.uint64]
) -> npt.NDArray[np.intp]:
    """The same from columns; what is not known is not a number."""
    if schedule == "as_made":
        return np.arange(len(level))
    first = np.nan_to_num(mean if schedule == "easy_to_hard" else informs)
    return np.lexsort((ties, level, -first))


def ties(uids: Iterable[str]) -> npt.NDArray[np.uint64]:
    """What decides between items that are alike in all else."""
    return np.fromiter((int(digest(uid), 16) for uid in uids), np.uint64)


def stage_of(rank: int, count: int, stages: int) -> str:
    """The band of an ordered dataset that a rank falls into: stage-1 is the first."""
    return f"stage-{1 + rank * stages // max(count, 1)}"
