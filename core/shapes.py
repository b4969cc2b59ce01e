"""Shapes of plain data: what a JSON file of somebody else's must look like before it is used.

A shape is a function of a value and its place, such as `files."data/x".rows`, that says what is
wrong with it, or nothing.
"""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

Shape = Callable[[Any, str], str]

LARGEST = 2**63 - 1
SHOWN = 60  # characters of a value that does not fit


def whole(least: int = 0, most: int = LARGEST) -> Shape:
    def fault(value: Any, place: str) -> str:
        fits = type(value) is int and least <= value <= most
        return "" if fits else f"{place} is a whole number from {least} to {most}, {_not(value)}"

    return fault


def number(least: float, most: float, above: bool = False) -> Shape:
    """A finite number in a range; `above`: the least is not part of it."""

    def fault(value: Any, place: str) -> str:
        fits = type(value) in (int, float) and isfinite(value) and least <= value <= most
        if fits and not (above and value == least):
            return ""
        begin = "above" if above else "from"
        return f"{place} is a number {begin} {least:g} to {most:g}, {_not(value)}"

    return fault


def text(pattern: str = "", what: str = "a text") -> Shape:
    def fault(value: Any, place: str) -> str:
        fits = isinstance(value, str) and (not pattern or re.fullmatch(pattern, value))
        return "" if fits else f"{place} is {what}, {_not(value)}"

    return fault


def anything(value: Any, place: str) -> str:
    return ""


def maybe(shape: Shape) -> Shape:
    """That shape, or null."""
    return lambda value, place: "" if value is None else shape(value, place)


def listed(shape: Shape, least: int = 0) -> Shape:
    def fault(value: Any, place: str) -> str:
        if not isinstance(value, list) or len(value) < least:
            return f"{place} is a list{f' of {least} or more' if least else ''}, {_not(value)}"
        each = (shape(inner, f"{place}[{number}]") for number, inner in enumerate(value))
        return next(filter(None, each), "")

    return fault


def named(shape: Shape, names: Shape = anything) -> Shape:
    """An object of any names, each value of that shape."""

    def fault(value: Any, place: str) -> str:
        if not isinstance(value, dict):
            return f"{place} is an object, {_not(value)}"
        each = (
            names(name, f"a name in {place}") or shape(inner, f"{place}.{name}")
            for name, inner in value.items()
        )
        return next(filter(None, each), "")

    return fault


def fields(needed: Mapping[str, Shape], more: Mapping[str, Shape] | None = None) -> Shape:
    """An object that has these fields, and perhaps more; what else it has is not looked at."""

    def fault(value: Any, place: str) -> str:
        if not isinstance(value, dict):
            return f"{place or 'it'} is an object, {_not(value)}"
        front = f"{place}." if place else ""
        for name in needed:
            if name not in value:
                return f"{front}{name} is missing"
        shapes = {**needed, **(more or {})}
        each = (shapes[name](value[name], f"{front}{name}") for name in shapes if name in value)
        return next(filter(None, each), "")

    return fault


def _not(value: Any) -> str:
    shown = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return f"not {shown if len(shown) <= SHOWN else shown[:SHOWN] + '…'}"
