"""Ranking of items by a schedule: the same for an export and for the trainer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlemill.core.address import digest
from puzzlemill.difficulty.schedules import SCHEDULES, Columns, Schedule
from puzzlemill.difficulty.tiers import task_rates

NUMBERS = (
    "mean",
    "informs",
    "signal",
    "searched",
    "level",
)  # the columns of rows that schedules see


def ranked(rows: Sequence[Mapping[str, Any]], schedule: str) -> list[int]:
    """The places of the rows in the order of the schedule."""
    mean, informs, signal, searched, level = (
        np.array([row.get(name) for row in rows], float) for name in NUMBERS
    )
    task = task_rates([row.get("family", "") for row in rows], mean)
    uids = ties([row["uid"] for row in rows])
    columns = Columns(mean, informs, signal, searched, level, task, uids)
    places: list[int] = in_order(schedule, columns).tolist()
    return places


def in_order(schedule: str, columns: Columns) -> npt.NDArray[np.intp]:
    """The same from columns."""
    order: Schedule = SCHEDULES.load(schedule)
    return order(columns)


def ties(uids: Iterable[str]) -> npt.NDArray[np.uint64]:
    """Digests of uids, which break ties."""
    return np.fromiter((int(digest(uid), 16) for uid in uids), np.uint64)


def stage_of(rank: int, count: int, stages: int) -> str:
    """The band of an ordered dataset that a rank falls into: stage-1 is the first."""
    return f"stage-{1 + rank * stages // max(count, 1)}"
