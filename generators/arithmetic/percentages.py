"""Percentages: an amount that rises and falls by percent, told forwards, backwards or with a gap.

`solve` multiplies all factors into one ratio of whole numbers and divides once; `verify` starts
from the answer and goes from change to change, the other way round wherever that is possible.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._decimals import Exact, decimal, places_of, shown

Change: TypeAlias = tuple[str, int, int]  # up, down or keep; percent; how many times in a row


@dataclass(frozen=True, slots=True)
class Knobs:
    changes: int  # of the amount, one after another
    step: Literal["tens", "fives", "ones"]  # of what the percentages are multiples
    repeats: int  # times that one change comes in a row, at most
    # the amount after the changes, or before them; all: a missing change or the whole one too
    asked: Literal["after", "before", "all"]


@dataclass(frozen=True, slots=True)
class Story:
    theme: int
    before: tuple[int, int]  # units and decimal places
    changes: tuple[Change, ...]
    after: tuple[int, int]
    asked: Literal["after", "before", "overall", "gap"]
    gap: int  # which change is not told, from 0; -1: none


def generate(rng: Random, knobs: Knobs) -> Story | None:
    asked: Literal["after", "before", "overall", "gap"] = "after"
    if knobs.asked == "before":
        asked = rng.choice(("after", "before", "before"))
    elif knobs.asked == "all":
        asked = rng.choice(("before", "gap", "overall")) if knobs.changes > 1 else "before"
    count = knobs.changes
    changes = tuple(
        (rng.choice(("up", "up", "down", "down", "keep")), 0, rng.randint(1, knobs.repeats))
        for _ in range(count)
    )
    gap = rng.randrange(count) if asked == "gap" else -1
    if gap >= 0:
        sign = rng.choice(("up", "down"))
        changes = (*changes[:gap], (sign, 0, 1), *changes[gap + 1 :])
    shape = Story(rng.randrange(len(THEMES)), (0, 0), changes, (0, 0), asked, gap)
    return twin(rng, knobs, shape)


def twin(rng: Random, knobs: Knobs, story: Story) -> Story | None:
    """Other numbers; with whole ones in the story where its theme counts heads."""
    unit = {"tens": 10, "fives": 5, "ones": 1}[knobs.step]
    for _ in range(60):
        changes = tuple(
            (kind, unit * rng.randint(max(3 // unit, 1), MOST // unit), times)
            for kind, _, times in story.changes
        )
        before = Fraction(rng.randint(2, 99) * rng.choice((10, 20, 50, 100, 200, 400)))
        after = before * _ratio(changes)
        places = places_of(after)
        if places is None or places > PLACES or not 1 < after < 10**7:
            continue
        if any(one[:2] == other[:2] for one, other in pairwise(changes)):
            continue
        return replace(
            story,
            before=(int(before), 0),
            changes=changes,
            after=(int(after * 10**places), places),
        )
    return None


def renamed(rng: Random, knobs: Knobs, story: Story) -> Story:
    return replace(story, theme=rng.randrange(len(THEMES)))


def solve(story: Story) -> Fraction | None:
    """All factors as one ratio: (100 + p) over 100 for each rise, and so on."""
    if any(
        not 0 < times <= LONGEST or (kind != "up" and percent >= 100)
        for kind, percent, times in story.changes
    ):
        return None
    before, after = Fraction(*_over(story.before)), Fraction(*_over(story.after))
    match story.asked:
        case "after":
            return before * _ratio(story.changes)
        case "before":
            return after / _ratio(story.changes)
        case "overall":
            return abs(_ratio(story.changes) * 100 - 100)
        case _:
            others = story.changes[: story.gap] + story.changes[story.gap + 1 :]
            found = abs(after / before / _ratio(others) - 1) * 100
            kind = story.changes[story.gap][0]
            rises = after > before * _ratio(others)
            return found if found and rises == (kind == "up") else None


def verify(story: Story, answer: Fraction) -> float:
    if answer <= 0 or max(answer.numerator, answer.denominator).bit_length() > 2000:
        return 0.0
    before, after = Fraction(*_over(story.before)), Fraction(*_over(story.after))
    match story.asked:
        case "after":
            for kind, percent, times in reversed(story.changes):
                for _ in range(times):
                    answer = _undone(kind, percent, answer)
            return float(answer == before)
        case "before":
            for kind, percent, times in story.changes:
                for _ in range(times):
                    answer = _done(kind, Fraction(percent), answer)
            return float(answer == after)
        case "overall":
            amount = Fraction(100)
            for kind, percent, times in story.changes:
                for _ in range(times):
                    amount = _done(kind, Fraction(percent), amount)
            return float(amount in (100 + answer, 100 - answer))
        case _:
            amount = before
            for place, (kind, percent, times) in enumerate(story.changes):
                for _ in range(times):
                    share = answer if place == story.gap else Fraction(percent)
                    amount = _done(kind, share, amount)
            return float(amount == after)


def render(story: Story, style: Style) -> Prompt:
    thing, unit = THEMES[story.theme]
    told = []
    for place, (kind, percent, times) in enumerate(story.changes):
        share = "an unknown percentage" if place == story.gap else f"{percent}%"
        row = "" if times == 1 else f" ({times} times in a row)"
        told.append(CHANGES[kind].format(share) + row)
    first = f"{thing} is {shown(*story.before)} {unit} at first"
    last = f"at the end it is {shown(*story.after)} {unit}"
    changes = _listed(told)
    note = "Every percentage refers to the amount just before that change."
    match story.asked:
        case "after":
            said = f"{first}. It {changes}."
            asked = f"How many {unit} is it at the end?"
        case "before":
            said = f"{thing} {changes}; {last}."
            asked = f"How many {unit} was it at first?"
        case "overall":
            said = f"{thing} {changes}."
            way = "larger" if _ratio(story.changes) > 1 else "smaller"
            asked = f"By how many percent is it {way} at the end than at first?"
        case _:
            said = f"{first}. It {changes}; {last}."
            asked = "What is the unknown percentage?"
    question = style.pick(
        f"{said} {asked} {note}",
        f"{said} {note}\n\n{asked}",
        f"{note}\n\n{said}\n\n{asked}",
    )
    form = "the exact number without rounding, as a decimal number or a fraction, such as 12.5"
    return Prompt(question, form=form)


def steps(story: Story) -> list[str]:
    lines = []
    for place, (kind, percent, times) in enumerate(story.changes):
        if place != story.gap:
            factor = _done(kind, Fraction(percent), Fraction(1))
            power = "" if times == 1 else f", {times} times: {decimal(factor**times)}"
            lines.append(f"{CHANGES[kind].format(f'{percent}%')}: times {decimal(factor)}{power}")
    found = solve(story)
    assert found is not None, "every puzzle has an answer"
    told = story.changes if story.gap < 0 else (
        story.changes[: story.gap] + story.changes[story.gap + 1 :]
    )  # fmt: skip
    lines.append(f"All of these together: times {decimal(_ratio(told))}")
    before, after = shown(*story.before), shown(*story.after)
    match story.asked:
        case "after":
            lines.append(f"{before} * {decimal(_ratio(told))} = {decimal(found)}")
        case "before":
            lines.append(f"{after} / {decimal(_ratio(told))} = {decimal(found)}")
        case "overall":
            lines.append(f"That is a change by {decimal(found)} percent")
        case _:
            without = Fraction(*_over(story.before)) * _ratio(told)
            lines.append(f"Without the unknown change: {decimal(without)} instead of {after}")
            lines.append(f"The unknown percentage is {decimal(found)}")
    return lines


def progress(story: Story, lines: Lines) -> float:
    return results_derived(FAMILY, story, lines)


def hardness(story: Story) -> float:
    """Multiplications, and how crooked the percentages are; backwards counts double."""
    work = sum(
        times + (2 if percent % 10 == 0 else 3 if percent % 5 == 0 else 4)
        for _, percent, times in story.changes
    )
    return work * {"after": 1, "before": 2, "overall": 1.5, "gap": 2}[story.asked]


def canon(story: Story) -> tuple[tuple[int, int], list[Change], tuple[int, int], str, int]:
    """The theme does not matter, nor the order of the changes."""
    others = [change for place, change in enumerate(story.changes) if place != story.gap]
    ends = {"after": (story.before, (0, 0)), "before": ((0, 0), story.after)}
    before, after = ends.get(story.asked, (story.before, story.after))
    if story.asked == "overall":
        before = after = (0, 0)
    return before, sorted(others), after, story.asked, min(story.gap, 0)


def _ratio(changes: tuple[Change, ...]) -> Fraction:
    above = below = 1
    for kind, percent, times in changes:
        part = {"up": 100 + percent, "down": 100 - percent}.get(kind, percent)
        above, below = above * part**times, below * 100**times
    return Fraction(above, below)


def _done(kind: str, percent: Fraction, amount: Fraction) -> Fraction:
    share = amount * percent / 100
    return {"up": amount + share, "down": amount - share}.get(kind, share)


def _undone(kind: str, percent: int, amount: Fraction) -> Fraction:
    return amount * 100 / {"up": 100 + percent, "down": 100 - percent}.get(kind, percent)


def _over(number: tuple[int, int]) -> tuple[int, int]:
    return number[0], 10 ** number[1]


def _listed(told: list[str]) -> str:
    if len(told) == 1:
        return told[0]
    return ", then ".join(told[:-1]) + f" and finally {told[-1]}"


PLACES = 7  # of an amount, at most
MOST = 80  # the largest percentage
LONGEST = 40  # times in a row
CHANGES = {
    "up": "rises by {}",
    "down": "falls by {}",
    "keep": "shrinks to {} of its previous value",
}
THEMES = (
    ("The price of a carpet", "euros"),
    ("The weight of a heap of sand", "kilograms"),
    ("The length of a rope", "centimetres"),
    ("The amount of water in a tank", "litres"),
    ("The area of a lake", "hectares"),
    ("The value of a painting", "dollars"),
    ("The salary of a clerk", "pounds"),
    ("The output of a mine", "tonnes"),
)
LADDER = (
    Knobs(1, "tens", 1, "after"),
    Knobs(2, "fives", 1, "before"),
    Knobs(3, "ones", 1, "before"),
    Knobs(4, "fives", 2, "all"),
    Knobs(6, "fives", 2, "all"),
)
FAMILY = Family(
    Story,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Exact(),
    hardness=hardness,
    proof="unique",
    solver="one ratio of whole numbers",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("changes",),
    twin=twin,
    renamed=renamed,
    skills=("rates", "decimals", "calculation"),
    peers=("mathematics_dataset/mul_div_multiple",),
    version=3,
)
