"""Filters: why a row is turned away, one reason a file. Rows are marked, never lost.

A file here is a filter, and so is an entry point of the group puzzlemill.filters: its module sets
FILTER. What a recipe switches on besides ours has reasons that begin with its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from puzzlemill.core.choices import Choices

Row: TypeAlias = Mapping[str, Any]
When: TypeAlias = Literal["before", "after", "apart"]  # scoring; apart: in a step of its own

FILTERS = Choices("filter", __name__, "FILTER", "puzzlemill.filters")


def _nothing(row: Row, settings: Any) -> None:
    """What looks at all rows finds its reasons in its own step."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a filter's file sets."""

    when: When = "before"
    # From a row and the settings: why it is turned away, None if it is not.
    reason: Callable[[Row, Any], str | None] = _nothing
    columns: tuple[str, ...] = ()  # of the row, that the reason needs
    settings: type[Any] | None = None  # a frozen dataclass of them, whose fields have defaults
    version: int = 1  # rises when the same row gets another reason
