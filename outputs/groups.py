"""Rows in groups: by family or another column, and by levels that a chart has room for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError

MOST = 8  # levels that a chart shows side by side; where there are more, quarters stand for them

Row = TypeVar("Row", bound=Mapping[str, Any])


def group_by(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def level_columns(levels: Iterable[float]) -> tuple[list[float], bool]:
    """The levels that head a chart's columns, and whether they stand for others near them."""
    distinct = sorted(set(levels))
    return (distinct, False) if len(distinct) <= MOST else ([0, 0.25, 0.5, 0.75, 1], True)


def nearest(level: float, columns: Sequence[float]) -> float:
    return min(columns, key=lambda column: (abs(column - level), column))


def by_level(rows: Iterable[Row], columns: Sequence[float]) -> list[list[Row]]:
    """For each column, the rows whose level is nearest to it."""
    cells: dict[float, list[Row]] = {column: [] for column in columns}
    for row in rows:
        cells[nearest(row["level"], columns)].append(row)
    return list(cells.values())


def guess_rate(name: str) -> float:
    """What a blind guess of the right form scores at best; 0 for a family that is not installed."""
    try:
        return registry.family(name).guess_rate
    except UserError:
        return 0.0
