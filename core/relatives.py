"""Relatives of a puzzle: as hard with other numbers, or easier, or harder, and made from it.

A relative is what the family itself can make, so that it is as sound as any item. Easier and harder
ones come of the same random numbers as their parent, with knobs turned, and share of it what the
knobs leave alone; families that can take a puzzle apart (`without`) have its parts tried, too.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from random import Random
from typing import Any

from puzzlemill.core.family import AnyFamily, Origin, Start, parts
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import canon_of, certified
from puzzlemill.core.knobs import axes, knobs_at, point_of, turned
from puzzlemill.core.plain_data import names
from puzzlemill.core.replay import Replayed
from puzzlemill.core.variants import drawn_by

RUNGS = (1.0, 0.5, 2.0)  # that a relative lies away, in the order in which they are tried
DRAWS = 8  # of puzzles, for one of the same structure; whoever finds none is asked again


def skeleton(puzzle: Any) -> Any:
    """A puzzle's structure: its data with every number forgotten."""
    if isinstance(puzzle, tuple):
        return tuple(map(skeleton, puzzle))
    if isinstance(puzzle, bool | str):
        return puzzle
    if isinstance(puzzle, int | float):
        return 0
    return tuple(skeleton(getattr(puzzle, name)) for name in names(type(puzzle)))


def outline(puzzle: Any) -> Any:
    """The structure of a puzzle whose data are strings: letters and digits are forgotten, too."""
    if isinstance(puzzle, tuple):
        return tuple(map(outline, puzzle))
    if isinstance(puzzle, str):
        return "".join("a" if each.isalnum() else each for each in puzzle)
    if isinstance(puzzle, bool | int | float):
        return skeleton(puzzle)
    return tuple(outline(getattr(puzzle, name)) for name in names(type(puzzle)))


def structure_of(family: AnyFamily) -> Callable[[Any], Any]:
    """What a redrawn twin has in common with its puzzle."""
    return family.redraws if callable(family.redraws) else skeleton


def redrawn(family: AnyFamily, rng: Random, knobs: Any, start: Start) -> Any:
    """A twin: of the puzzle's own random numbers with one to four changed, and the same structure.

    None where none of some tries makes one.
    """
    source = Replayed(start.state)
    family.generate(source, knobs)
    structure_in = structure_of(family)
    structure, canon = structure_in(start.puzzle), canon_of(family, start.puzzle)
    for changed in range(DRAWS):
        places = rng.sample(range(source.drawn), min(source.drawn, 1 + changed % 4))
        other = Replayed(start.state, frozenset(places), rng.getrandbits(64))
        puzzle = guarded(family.generate, other, knobs)
        if puzzle is None or isinstance(puzzle, Failure) or puzzle == start.puzzle:
            continue
        if structure_in(puzzle) != structure or canon_of(family, puzzle) == canon:
            continue
        if certified(family, puzzle):
            return puzzle
    return None


def shared(one: Any, other: Any) -> float:
    """The share of two puzzles' words and numbers that both have, each in its field (Jaccard)."""
    ours, theirs = (Counter(_leaves(puzzle)) for puzzle in (one, other))
    return (ours & theirs).total() / max((ours | theirs).total(), 1)


def relative(family: AnyFamily, knobs: Any, start: Start, way: int) -> Any:
    """An easier relative (way -1) or a harder one (+1): of those that there are about a rung away,
    the one that shares most with the puzzle. None where there is none in its split."""
    before = family.hardness(start.puzzle)
    for candidates in _candidates(family, knobs, start, way):
        best, most = None, -1.0
        for other in candidates:
            if (family.hardness(other) - before) * way <= 0 or not start.fits(family, other):
                continue
            if (share := shared(start.puzzle, other)) > most and certified(family, other):
                best, most = other, share
        if best is not None:
            return best
    return None


def _candidates(family: AnyFamily, knobs: Any, start: Start, way: int) -> Iterator[Iterator[Any]]:
    """Lists of puzzles, the nearest first."""
    if way < 0 and family.without:
        yield iter(family.without(start.puzzle))
    for rungs in RUNGS:
        turned_knobs = _turned(family, knobs, way * rungs)
        drawn = (guarded(family.generate, Replayed(start.state), each) for each in turned_knobs)
        yield (each for each in drawn if each is not None and not isinstance(each, Failure))


def _turned(family: AnyFamily, knobs: Any, rungs: float) -> Iterator[Any]:
    """The knobs with all numbers turned by so many rungs, and with one at a time."""
    ladder = family.ladder
    point = point_of(ladder, {name: getattr(knobs, name) for name in axes(ladder)})
    step = rungs / max(len(ladder) - 1, 1)
    further = knobs_at(ladder, tuple(min(max(each + step, 0.0), 1.0) for each in point))
    for changes in (further, *({name: value} for name, value in further.items())):
        turned_knobs = turned(knobs, ladder, changes)
        if turned_knobs != knobs:
            yield turned_knobs


def _leaves(value: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        for each in value:
            yield from _leaves(each, field)
    elif isinstance(value, bool | str | int | float):
        yield field, value
    else:
        for name in names(type(value)):
            yield from _leaves(getattr(value, name), name)


def varied(parent: AnyFamily, way: int) -> AnyFamily:
    """The family of a family's relatives: each is a puzzle of its own kind, like a twin."""

    @lru_cache(maxsize=1)  # no draw changes it
    def found(knobs: Any, start: Start) -> Any:
        return relative(parent, knobs, start, way)

    def vary(_: Random, knobs: Any, start: Start) -> Any:
        return found(knobs, start)

    origin = Origin(parent, vary, partial(parts, parent))
    return replace(
        parent, generate=drawn_by(parent, vary), origin=origin, peers=(), version=1, redraws=False
    )


def lack(family: AnyFamily) -> str:
    """Why a family has no easier and harder relatives."""
    if family.origin:
        return "is a variant itself"
    return "" if axes(family.ladder) else "has no knob to turn"
