"""Variants: families made from families, such as `gcd+inverse` from `gcd`.

An operator lies in a file of `generators/variants`. The item of a variant at an address is made
from the item that its origin has there, so that they form a group.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from puzzlemill.core.family import PHRASINGS, AnyFamily, Origin, Prompt, Start, Style, parts
from puzzlemill.core.plain_data import names

Vary = Callable[[Random, Any, Start], Any]

DRAWS = 20  # of a puzzle, and of a variant of it; either may lead nowhere
_LETTERS = "nkmtwupqrsvNKMTWUPQRSV"


@dataclass(frozen=True, slots=True)
class Operator:
    """A way to make a variant of every family that gives what it needs."""

    of: Callable[[AnyFamily], AnyFamily]
    lack: Callable[[AnyFamily], str]  # why it does not apply; empty where it does
    version: int = 1


def pack(puzzle: Any) -> tuple[Any, ...]:
    """A puzzle as a tuple, to be a field of a variant's."""
    return tuple(getattr(puzzle, name) for name in names(type(puzzle)))


def drawn_by(parent: AnyFamily, vary: Vary) -> Callable[[Random, Any], Any]:
    """A variant's `generate`: of a puzzle that is drawn first."""

    def generate(rng: Random, knobs: Any) -> Any:
        puzzle = None
        for _ in range(DRAWS):
            state = rng.getstate()
            puzzle = parent.generate(rng, knobs)
            if puzzle is not None:
                break
        if puzzle is None:
            return None
        style = Style(rng.randrange(PHRASINGS))
        start = Start(puzzle, style, lambda family, part: True, state)
        variants = (vary(rng, knobs, start) for _ in range(DRAWS))
        return next((each for each in variants if each is not None), None)

    return generate


def around(
    parent: AnyFamily,
    puzzle: type,
    vary: Vary,
    render: Callable[[Any, Style], Prompt],
    further: Callable[[Any], list[tuple[AnyFamily, Any]]] = lambda variant: [],
    shown: Callable[[Any], tuple[str, ...]] | None = None,
    **changes: Any,
) -> AnyFamily:
    """A family whose puzzle holds one of the parent's, packed, as its field `parent`.

    What is not changed is asked of the parent: the answer is then the same.
    """

    def inner(variant: Any) -> Any:
        return parent.puzzle(*variant.parent)

    def canon(variant: Any) -> Any:
        return parent.canon(inner(variant)) if parent.canon else variant.parent

    steps, known, recheck, search = parent.steps, parent.known, parent.recheck, parent.search
    notation, progress = parent.notation, parent.progress
    asks_otherwise = {"answer", "solve", "verify"} & changes.keys()
    family = replace(
        parent,
        puzzle=puzzle,
        generate=drawn_by(parent, vary),
        solve=lambda variant: parent.solve(inner(variant)),
        verify=lambda variant, answer: parent.verify(inner(variant), answer),
        render=render,
        hardness=lambda variant: parent.hardness(inner(variant)),
        recheck=recheck and (lambda variant, answer: recheck(inner(variant), answer)),
        steps=steps and (lambda variant: steps(inner(variant))),
        progress=None
        if progress is None or asks_otherwise
        else (lambda variant, lines: progress(inner(variant), lines)),
        search=search and (lambda variant: search(inner(variant))),
        canon=canon,
        kin=None,
        known=known and (lambda variant: known(inner(variant))),
        notation=None
        if notation is None or "answer" in changes
        else (lambda variant: notation(inner(variant))),
        inputs=(),
        twin=None,
        renamed=None,
        redraws=False,
        slips=None,
        slips_version=1,
        origin=Origin(
            parent,
            vary,
            lambda variant: [*parts(parent, inner(variant)), *further(variant)],
            shown,
        ),
        phrasings=3,
        peers=(),
        version=1,
    )
    return replace(family, **changes)


def letters(texts: Iterable[str], count: int) -> list[str]:
    """Letters that stand alone in none of the texts."""
    joined = " ".join(texts)
    free = [
        letter
        for letter in _LETTERS
        if not re.search(rf"(?<![A-Za-z]){letter}(?![A-Za-z])", joined)
    ]
    return free[:count]


def share_of(ladder: tuple[Any, ...], knobs: Any) -> float:
    """About how far up the ladder the knobs are, 0..1."""
    low, high = ladder[0], ladder[-1]
    shares = [
        (getattr(knobs, name) - getattr(low, name)) / (getattr(high, name) - getattr(low, name))
        for name in names(type(low))
        if isinstance(getattr(low, name), int | float) and getattr(low, name) != getattr(high, name)
    ]
    return min(max(sum(shares) / len(shares), 0.0), 1.0) if shares else 0.5
