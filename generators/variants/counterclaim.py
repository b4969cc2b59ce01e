"""Counterclaim: the other form of a claim, falsified where it is right and right where it is false.

With `+paraphrase`, which says the claim in other words, the forms of one claim are a group: whoever
says yes to all of them, or no, is not right about all.
"""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core.family import AnyFamily, Origin, Start, parts
from puzzlemill.core.variants import Operator, drawn_by
from puzzlemill.generators.variants._mistakes import mistakes
from puzzlemill.generators.variants.claim import Claim


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Claim | None:
    claim = start.puzzle
    right = parent.solve(claim)
    about = parent.origin.family if parent.origin else parent
    puzzle = about.puzzle(*claim.parent)
    gold = about.solve(puzzle)
    if right is None or gold is None:
        return None
    if right:
        wrong = mistakes(about, knobs, puzzle, gold, 1, rng)
        return Claim(claim.parent, about.written(puzzle, wrong[0])) if wrong else None
    return Claim(claim.parent, about.written(puzzle, gold))


def of(parent: AnyFamily) -> AnyFamily:
    how = partial(vary, parent)
    origin = Origin(parent, how, partial(parts, parent), _said)
    return replace(parent, generate=drawn_by(parent, how), origin=origin, peers=(), version=1)


def _said(claim: Claim) -> tuple[str, ...]:
    return (claim.said,)


def _lack(family: AnyFamily) -> str:
    return "" if family.puzzle is Claim else "makes no claim"


OPERATOR = Operator(of, _lack, version=5)
