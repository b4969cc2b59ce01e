"""Claim: an answer is claimed; is it right? True half of the time.

A false claim is a plausible answer that is proved wrong, by the proof that there is only one answer
or by the family's recheck.
"""

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import AnyFamily, Prompt, Start, Style
from puzzlemill.core.proof.probes import is_wrong
from puzzlemill.core.variants import Operator, around, pack
from puzzlemill.generators.variants._guess_rates import declared
from puzzlemill.generators.variants._mistakes import mistakes, seen_at_once


@dataclass(frozen=True, slots=True)
class Claim:
    parent: tuple[Any, ...]
    said: str  # the claimed answer


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Claim | None:
    puzzle = start.puzzle
    gold = parent.solve(puzzle)
    if gold is None:
        return None
    # Made in any case: a puzzle of which there is no mistake must not be claimed about at all.
    wrong = mistakes(parent, knobs, puzzle, gold, 1, rng)
    if wrong is None:
        return None
    said = gold if rng.random() < 0.5 else wrong[0]
    return Claim(pack(puzzle), parent.written(puzzle, said))


def solve(parent: AnyFamily, claim: Claim) -> bool | None:
    puzzle = parent.puzzle(*claim.parent)
    gold, said = parent.solve(puzzle), parent.answer.read(claim.said)
    if gold is None or said is None:
        return None
    return bool(said == gold or is_wrong(parent, puzzle, gold, said) is False)


def verify(parent: AnyFamily, claim: Claim, answer: bool) -> float:
    said = parent.answer.read(claim.said)
    right = parent.verify(parent.puzzle(*claim.parent), said) == 1
    return float(right == answer)


def render(parent: AnyFamily, claim: Claim, style: Style) -> Prompt:
    asked = parent.render(parent.puzzle(*claim.parent), Style(style.phrasing // 3))
    said = f"\n\n{claim.said}\n\n" if "\n" in claim.said else f" {claim.said} "
    told = f"{asked.question}\n\nThe answer should be {asked.form}."
    question = style.pick(
        f"{told}\n\nSomeone answers:{said}".rstrip() + "\n\nIs this answer right?",
        f"Here is a problem and an answer to it. Is the answer correct?\n\n{told}\n\n"
        f"Answer given:{said}".rstrip(),
        f"Check the answer to this problem.\n\n{told}\n\nProposed answer:{said}".rstrip()
        + "\n\nIs it right?",
    )
    return Prompt(question, form="yes or no", images=asked.images)


def of(parent: AnyFamily) -> AnyFamily:
    return around(
        parent,
        Claim,
        partial(vary, parent),
        partial(render, parent),
        shown=lambda claim: (claim.said,),
        answer=answers.YesNo(),
        solve=partial(solve, parent),
        verify=partial(verify, parent),
        recheck=None,
        steps=None,
        known=None,
        proof="unique",
        guess_rate=declared("claim", parent),
        canon=None,
        version=parent.slips_version,
    )


def _lack(family: AnyFamily) -> str:
    already = isinstance(family.answer, answers.YesNo)
    return "asks for yes or no already" if already else seen_at_once(family)


OPERATOR = Operator(of, _lack, version=9)
