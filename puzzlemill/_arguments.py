"""Arguments of the Python door: those of a wrong kind are refused in a line."""

from collections.abc import Iterable, Mapping
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any

from puzzlemill.core.address import whole_number
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.item import Item
from puzzlemill.core.rows import row_of


def folder(name: str, value: Any) -> Path:
    if isinstance(value, str | PathLike):
        return Path(value)
    raise UserError(f"{name} is the path of a folder, not {shown(value)}")


def text(name: str, value: Any, example: str) -> str:
    if isinstance(value, str):
        return value
    raise UserError(f"{name} is a text, such as {example!r}, not {shown(value)}")


def count(name: str, value: Any) -> int:
    number = whole_number(name, value)
    if number < 0:
        raise UserError(f"{name} is {number}; ask for 0 or more")
    return number


def rows(items: Any) -> list[dict[str, Any]]:
    """Items or rows as rows."""
    if not isinstance(items, Iterable) or isinstance(items, str | Mapping):
        raise UserError(f"items are a list of items or of rows, not {shown(items)}")
    found = []
    for each in list(items):
        if not isinstance(each, Item | Mapping):
            raise UserError(f"an item is an Item or a row with its columns, not {shown(each)}")
        found.append(row_of(each) if isinstance(each, Item) else dict(each))
    return found


def band(value: Any) -> tuple[float, float]:
    try:
        low, high = value
    except (TypeError, ValueError):
        low = high = None
    if not isinstance(low, Real) or not isinstance(high, Real):
        raise UserError(f"band is two pass rates from 0 to 1, not {shown(value)}")
    return float(low), float(high)
