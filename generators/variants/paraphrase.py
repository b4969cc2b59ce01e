"""Paraphrase: the same problem in other words, with other names where the family has them."""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core.family import PHRASINGS, AnyFamily, Prompt, Start, Style
from puzzlemill.core.variants import Operator, around, pack


@dataclass(frozen=True, slots=True)
class Reworded:
    parent: tuple[Any, ...]
    phrasing: int  # the one that is not used again


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Reworded | None:
    puzzle = start.puzzle
    other = parent.renamed(rng, knobs, puzzle) if parent.renamed else puzzle
    return Reworded(pack(other), start.style.phrasing) if other is not None else None


def render(parent: AnyFamily, reworded: Reworded, style: Style) -> Prompt:
    puzzle = parent.puzzle(*reworded.parent)
    before = parent.render(puzzle, Style(reworded.phrasing))
    others = (parent.render(puzzle, Style(style.phrasing + shift)) for shift in range(PHRASINGS))
    return next((prompt for prompt in others if prompt.question != before.question), before)


def of(parent: AnyFamily) -> AnyFamily:
    words = parent.phrasings - 1
    return around(parent, Reworded, partial(vary, parent), partial(render, parent), phrasings=words)


OPERATOR = Operator(of, lambda family: "")
