"""Knobs: a ladder's interpolation, ranges, and reading from what a user wrote."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.plain_data import names

K = TypeVar("K")

WORDING = "phrasings"  # stands beside knobs set by hand, in an address too, and is none of them


@dataclass(frozen=True, slots=True)
class Open:
    """Annotates a text knob that takes more than its known values: `read` says what to keep of
    another one, or raises UserError."""

    known: tuple[str, ...]
    read: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Within:
    """Annotates a number knob that may go further than the ladder does."""

    least: float
    most: float

    @property
    def known(self) -> tuple[float, float]:
        return self.least, self.most


def at(ladder: tuple[K, ...], level: float) -> K:
    """Walk a ladder: numbers are interpolated, everything else stays that of the rung below."""
    if not 0 <= level <= 1:
        raise UserError(f"level {level} is outside 0..1")
    place = level * (len(ladder) - 1)
    low = min(int(place), max(len(ladder) - 2, 0))
    high = min(low + 1, len(ladder) - 1)
    share = place - low
    values = {}
    for name in names(type(ladder[0])):
        below, above = getattr(ladder[low], name), getattr(ladder[high], name)
        if isinstance(below, bool) or not isinstance(below, int | float):
            values[name] = above if share == 1 else below
        else:
            value = below + (above - below) * share
            values[name] = round(value, 6) if isinstance(below, float) else int(value + 0.5)
    return type(ladder[0])(**values)


def turned(knobs: K, ladder: tuple[K, ...], changes: Mapping[str, Any], place: str = "") -> K:
    """Knobs with some of them set by hand; each must be one that the ladder reaches."""
    kind: Callable[..., K] = type(knobs)
    values = {name: getattr(knobs, name) for name in names(kind)}
    for name, value in changes.items():
        if name == WORDING:
            continue  # of the prompt alone: `family.wording` reads it
        if name not in values:
            raise unknown("knob", name, values, place)
        allowed, hint = choices(ladder, name), _hints(kind)[name]
        note = hint.__metadata__[0] if get_origin(hint) is Annotated else None
        if isinstance(note, Open) and isinstance(value, str) and value not in allowed:
            values[name] = note.read(value)
        else:
            values[name] = _in_range(name, value, allowed, place)
    return kind(**values)


def choices(ladder: tuple[K, ...], name: str) -> tuple[Any, ...]:
    """What a knob may be: (least, most) for a number, all values for anything else."""
    kind: Any = type(ladder[0])
    hint = _hints(kind)[name]
    if get_origin(hint) is Annotated:
        return tuple(hint.__metadata__[0].known)
    if get_origin(hint) is Literal:
        return get_args(hint)
    if hint is bool:
        return (False, True)
    values = [getattr(rung, name) for rung in ladder]
    if hint in (int, float):
        return (min(values), max(values))
    return tuple(dict.fromkeys(values))


def axes(ladder: tuple[K, ...]) -> dict[str, tuple[float, float]]:
    """The numeric knobs that differ between the ladder's ends: the first rung's value and the
    last's."""
    found = {}
    for name in names(type(ladder[0])):
        first, last = getattr(ladder[0], name), getattr(ladder[-1], name)
        if isinstance(first, int | float) and not isinstance(first, bool) and first != last:
            found[name] = (first, last)
    return found


def point_of(ladder: tuple[K, ...], knobs: Mapping[str, Any]) -> tuple[float, ...]:
    """Where knobs lie on each axis: 0 is the ladder's first rung, 1 its last."""
    return tuple(
        min(max((knobs[name] - first) / (last - first), 0.0), 1.0)
        for name, (first, last) in axes(ladder).items()
    )


def knobs_at(ladder: tuple[K, ...], point: tuple[float, ...]) -> dict[str, Any]:
    """The numeric knobs at a point."""
    values: dict[str, Any] = {}
    for (name, (first, last)), share in zip(axes(ladder).items(), point, strict=True):
        value = first + (last - first) * share
        values[name] = round(value, 6) if isinstance(first, float) else int(value + 0.5)
    return values


def corners(ladder: tuple[K, ...]) -> list[K]:
    """The middle rung with one knob at a time at each of its extremes, and all at once."""
    middle = ladder[len(ladder) // 2]
    settings = []
    for name in names(type(middle)):
        settings += [turned(middle, ladder, {name: value}) for value in choices(ladder, name)]
    for end in (0, -1):
        extreme = {name: choices(ladder, name)[end] for name in names(type(middle))}
        settings.append(turned(middle, ladder, extreme))
    return list(dict.fromkeys(settings))


def _in_range(name: str, value: Any, allowed: tuple[Any, ...], place: str) -> Any:
    where = f"{place}: " if place else ""
    first = allowed[0]
    if isinstance(first, int | float) and not isinstance(first, bool):
        wanted = float if isinstance(first, float) else int
        if isinstance(value, bool) or not isinstance(value, wanted | int):
            raise UserError(
                f"{where}knob {name!r} is a number of type {wanted.__name__}, not {value!r}"
            )
        if not min(allowed) <= value <= max(allowed):
            raise UserError(
                f"{where}knob {name!r} = {value} is outside {min(allowed)}..{max(allowed)},"
                " the range that the family has"
            )
        return wanted(value)
    if value not in allowed:
        raise UserError(
            f"{where}knob {name!r} = {value!r}; there are: {', '.join(map(repr, allowed))}"
        )
    return value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)
