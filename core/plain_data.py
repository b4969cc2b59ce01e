"""Puzzles as plain data: to JSON and back, without loss."""

import json
from dataclasses import fields
from typing import Any, TypeVar

P = TypeVar("P")


def canonical_json(value: Any) -> str:
    """One text for one value: sorted keys, no spaces, ASCII, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def freeze(puzzle: Any) -> str:
    """A puzzle as JSON. Its fields are numbers, strings, bools, None and tuples of them."""
    return canonical_json({field.name: getattr(puzzle, field.name) for field in fields(puzzle)})


def thaw(kind: type[P], text: str) -> P:
    """The puzzle that `freeze` wrote."""
    return kind(**{name: _tuples(value) for name, value in json.loads(text).items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
