"""The form of a puzzle that forgets what its things are called."""

from collections.abc import Callable, Container, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from puzzlemill.core.address import digest

ROUNDS = 3

Colours: TypeAlias = dict[str, str]  # by name
Reading: TypeAlias = Callable[[Colours], str]  # a fact with colours in place of its names


def unnamed(
    facts: Iterable[Any], names: Sequence[str], symmetric: Container[str] = ()
) -> list[str]:
    """Facts (nested tuples) under which a renaming, and any order of the facts, make no difference.

    Nor does the order inside a tuple that begins with a symmetric word. Colour refinement: a name
    becomes a digest of the facts it stands in, seen from its place in them. Puzzles that differ
    meet only where their names look alike from everywhere.
    """
    colours = dict.fromkeys(names, "")
    inside: dict[str, list[Reading]] = {name: [] for name in names}
    alone: dict[str, list[str]] = {name: [] for name in names}  # facts without another name
    readings = []
    for fact in facts:
        found: set[str] = set()
        readings.append(reading := _reading(fact, inside, symmetric, found))
        if len(found) == 1:
            (name,) = found
            alone[name].append(reading({name: "*"}))
        else:
            for name in found:
                inside[name].append(reading)
    same = {
        name: digest(repr(sorted(texts)))
        for name, texts in alone.items()
        if texts and not inside[name]
    }
    inside = {name: where for name, where in inside.items() if where}  # no other is ever read
    for _ in range(ROUNDS):
        seen = same.copy()
        for name, where in inside.items():
            own, colours[name] = colours[name], "*"
            texts = [*alone[name], *[reading(colours) for reading in where]]
            seen[name] = digest(repr(sorted(texts)))
            colours[name] = own
        colours = seen
    return sorted([reading(colours) for reading in readings])


def _reading(
    fact: Any, names: Container[str], symmetric: Container[str], found: set[str]
) -> Reading:
    """How a fact is read; the names in it are added to those found."""
    slots: list[str] = []
    text = _template(fact, names, symmetric, slots)
    found.update(slots)
    if text is None:
        return _joined(fact, names, symmetric, found)
    if not slots:
        whole = text % ()
        return lambda colours: whole
    read, pattern = itemgetter(*slots), text
    return lambda colours: pattern % read(colours)


def _template(
    fact: Any, names: Container[str], symmetric: Container[str], slots: list[str]
) -> str | None:
    """A fact with %s where each of its names stands; None where parts of it have no order."""
    if fact[0] in symmetric:
        return None
    parts = []
    for part in fact:
        if isinstance(part, tuple):
            inner = _template(part, names, symmetric, slots)
            if inner is None:
                return None
            parts.append(inner)
        elif part in names:
            slots.append(part)
            parts.append("%s")
        else:
            parts.append(str(part).replace("%", "%%"))
    return f"({' '.join(parts)})"


def _joined(
    fact: Any, names: Container[str], symmetric: Container[str], found: set[str]
) -> Reading:
    """The same, part by part."""
    readings: list[Reading] = []
    for part in fact:
        if isinstance(part, tuple):
            readings.append(_reading(part, names, symmetric, found))
        elif part in names:
            found.add(part)
            readings.append(itemgetter(part))
        else:
            readings.append(lambda colours, text=str(part): text)  # type: ignore[misc]
    if fact[0] in symmetric:
        return lambda colours: f"({' '.join(sorted([reading(colours) for reading in readings]))})"
    return lambda colours: f"({' '.join([reading(colours) for reading in readings])})"
