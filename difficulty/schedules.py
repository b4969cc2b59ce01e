"""Schedules: an order over items, the same for an export and for the trainer."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from puzzlemill.core.address import digest

Name = Literal["easy_to_hard", "as_made"]


def ranked(rows: Sequence[Mapping[str, Any]], schedule: Name) -> list[int]:
    """The places of the rows in the order of the schedule. Ties are broken by the uid's digest."""
    if schedule == "as_made":
        return list(range(len(rows)))
    return sorted(
        range(len(rows)), key=lambda n: (-(rows[n]["mean"] or 0.0), digest(rows[n]["uid"]))
    )


def stage_of(rank: int, count: int, stages: int) -> str:
    """The band of an ordered dataset that a rank falls into: stage-1 is the first."""
    return f"stage-{1 + rank * stages // max(count, 1)}"
