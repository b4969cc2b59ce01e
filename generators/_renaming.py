"""The form of a puzzle that forgets what its things are called."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from puzzlemill.core.address import digest

ROUNDS = 3


def unnamed(
    facts: Iterable[Any], names: Sequence[str], symmetric: Container[str] = ()
) -> list[str]:
    """Facts (nested tuples) under which a renaming, and any order of the facts, make no difference.

    Nor does the order inside a tuple that begins with a symmetric word. Colour refinement: a name
    becomes a digest of the facts it stands in, seen from its place in them. Puzzles that differ
    meet only where their names look alike from everywhere.
    """
    facts = list(facts)
    inside: dict[str, list[Any]] = {name: [] for name in names}
    for fact in facts:
        for leaf in set(_leaves(fact)):
            if leaf in inside:
                inside[leaf].append(fact)
    colours = dict.fromkeys(names, "")
    for _ in range(ROUNDS):
        seen = {}
        for name, found in inside.items():
            marked = colours | {name: "*"}
            seen[name] = digest(
                repr(sorted(_recoloured(fact, marked, symmetric) for fact in found))
            )
        colours = seen
    return sorted(_recoloured(fact, colours, symmetric) for fact in facts)


def _leaves(fact: Any) -> Iterator[Any]:
    if isinstance(fact, tuple):
        for part in fact:
            yield from _leaves(part)
    else:
        yield fact


def _recoloured(fact: Any, colours: dict[str, str], symmetric: Container[str]) -> str:
    parts = [
        _recoloured(part, colours, symmetric)
        if isinstance(part, tuple)
        else colours[part]
        if part in colours
        else str(part)
        for part in fact
    ]
    if fact[0] in symmetric:
        parts.sort()
    return f"({' '.join(parts)})"
