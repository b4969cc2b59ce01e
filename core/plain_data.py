"""Puzzles as plain data: to JSON and back, without loss."""

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

P = TypeVar("P")

# One text for one value: sorted keys, no spaces, ASCII, no NaN.
canonical_json = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass."""
    return _names(kind)


def freeze(plain: Any) -> str:
    """A puzzle or knobs as JSON: their fields are numbers, strings, bools and tuples of them."""
    return canonical_json({name: getattr(plain, name) for name in names(type(plain))})


def thaw(kind: type[P], text: str) -> P:
    """The puzzle that `freeze` wrote."""
    return record(kind, json.loads(text))


def record(kind: type[P], values: Mapping[str, Any]) -> P:
    """A dataclass of values as JSON has them: its lists are tuples."""
    return kind(**{name: _tuples(value) for name, value in values.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
