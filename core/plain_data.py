"""Puzzles as plain data: to JSON and back, without loss."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from json import encoder
from operator import attrgetter
from typing import Any, TypeVar

P = TypeVar("P")

_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)


def _encoder() -> Callable[[Any], str]:
    """`_ENCODER.encode`, which makes its inner encoder anew for each text: here it is made once."""
    compiled = getattr(encoder, "c_make_encoder", None)
    if compiled is None:  # an interpreter other than CPython
        return _ENCODER.encode
    chunks = compiled(
        None, _ENCODER.default, encoder.encode_basestring_ascii, None, ":", ",", True, False, False
    )
    return lambda value: "".join(chunks(value, 0))


# One text for one value: sorted keys, no spaces, ASCII, no NaN.
canonical_json = _encoder()


def names(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass."""
    return _names(kind)


def freeze(plain: Any) -> str:
    """A puzzle or knobs as JSON: their fields are numbers, strings, bools and tuples of them."""
    kind: Any = type(plain)
    return canonical_json(_reader(kind)(plain))


def thaw(kind: type[P], text: str) -> P:
    """The puzzle that `freeze` wrote."""
    return record(kind, json.loads(text))


def record(kind: type[P], values: Mapping[str, Any]) -> P:
    """A dataclass of values as JSON has them: its lists are tuples."""
    return kind(
        **{name: _tuples(value) if type(value) is list else value for name, value in values.items()}
    )


def _tuples(values: list[Any]) -> tuple[Any, ...]:
    # A call for each list and none for each value takes half the time.
    return tuple([_tuples(each) if type(each) is list else each for each in values])


@cache
def _reader(kind: Any) -> Callable[[Any], dict[str, Any]]:
    """What tells the fields of a dataclass by name, in the order of the names."""
    ordered = tuple(sorted(names(kind)))
    if len(ordered) < 2:  # attrgetter gives no tuple of one
        return lambda plain: {name: getattr(plain, name) for name in ordered}
    read = attrgetter(*ordered)
    return lambda plain: dict(zip(ordered, read(plain), strict=True))


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
