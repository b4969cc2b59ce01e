"""Schedules: an order over items, the same for an export and for the trainer."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from puzzlemill.core.address import digest

Name = Literal["easy_to_hard", "informative", "as_made"]


def ranked(rows: Sequence[Mapping[str, Any]], schedule: Name) -> list[int]:
    """The places of the rows in the order of the schedule.

    Ties are broken by the level, then by the uid's digest.
    """
    if schedule == "as_made":
        return list(range(len(rows)))

    by = "mean" if schedule == "easy_to_hard" else "informs"

    def place(n: int) -> tuple[float, float, str]:
        return -(rows[n][by] or 0.0), rows[n]["level"], digest(rows[n]["uid"])

    return sorted(range(len(rows)), key=place)


def stage_of(rank: int, count: int, stages: int) -> str:
    """The band of an ordered dataset that a rank falls into: stage-1 is the first."""
    return f"stage-{1 + rank * stages // max(count, 1)}"
