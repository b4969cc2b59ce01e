"""Options: four answers, one of them right.

The wrong ones are plausible answers that are proved wrong, made of the problem's own words.
"""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import AnyFamily, Prompt, Start, Style
from puzzlemill.core.variants import Operator, around, pack
from puzzlemill.generators.variants._guess_rates import declared
from puzzlemill.generators.variants._mistakes import mistakes, seen_at_once

LETTERS = ("A", "B", "C", "D")


@dataclass(frozen=True, slots=True)
class Offer:
    parent: tuple[Any, ...]
    options: tuple[str, ...]


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Offer | None:
    puzzle = start.puzzle
    gold = parent.solve(puzzle)
    if gold is None:
        return None
    wrong = mistakes(parent, knobs, puzzle, gold, len(LETTERS) - 1, rng)
    if wrong is None:
        return None
    written = [parent.written(puzzle, answer) for answer in (gold, *wrong)]
    rng.shuffle(written)
    return Offer(pack(puzzle), tuple(written)) if len(set(written)) == len(LETTERS) else None


def solve(parent: AnyFamily, offer: Offer) -> str | None:
    gold = parent.solve(parent.puzzle(*offer.parent))
    found = [
        letter
        for letter, option in zip(LETTERS, offer.options, strict=True)
        if parent.answer.read(option) == gold
    ]
    return found[0] if len(found) == 1 else None


def verify(parent: AnyFamily, offer: Offer, answer: str) -> float:
    puzzle = parent.puzzle(*offer.parent)
    said = parent.answer.read(offer.options[LETTERS.index(answer)])
    return float(parent.verify(puzzle, said) == 1)


def render(parent: AnyFamily, offer: Offer, style: Style) -> Prompt:
    asked = parent.render(parent.puzzle(*offer.parent), Style(style.phrasing // 3))
    gap = "\n" if any("\n" in option for option in offer.options) else " "
    listed = "\n".join(
        f"{letter}.{gap}{option}" for letter, option in zip(LETTERS, offer.options, strict=True)
    )
    question = style.pick(
        f"{asked.question}\n\nOne of these is right (it is {asked.form}):\n\n{listed}",
        f"{asked.question}\n\nWhich of the following answers, each {asked.form}, is correct?"
        f"\n\n{listed}",
        f"Choose the right answer to this problem.\n\n{asked.question}\n\nThe answer is"
        f" {asked.form}. The choices:\n\n{listed}",
    )
    return Prompt(question, form="the letter A, B, C or D", images=asked.images)


def of(parent: AnyFamily) -> AnyFamily:
    return around(
        parent,
        Offer,
        partial(vary, parent),
        partial(render, parent),
        shown=lambda offer: offer.options,
        answer=answers.Choice(LETTERS),
        solve=partial(solve, parent),
        verify=partial(verify, parent),
        recheck=None,
        steps=None,
        known=lambda offer: offer.options,
        proof="unique",
        guess_rate=declared("options", parent),
        canon=None,
        version=parent.slips_version,
    )


def _lack(family: AnyFamily) -> str:
    chosen = isinstance(family.answer, answers.YesNo | answers.Choice)
    return "offers its answers already" if chosen else seen_at_once(family)


OPERATOR = Operator(of, _lack, version=8)
