"""Sharing: an inheritance goes to heirs one after another; one fact fixes the whole sum.

`solve` follows every share as so much of the unknown whole and a number; `verify` does what people
did before letters: it tries two false wholes, and from what they miss by it finds the right one.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.arithmetic._story_words import PEOPLE

Line: TypeAlias = tuple[Fraction, Fraction]  # so much of the whole, and a number
Rule: TypeAlias = tuple[str, str]  # a kind, and the heir that it looks at ("" where none)


@dataclass(frozen=True, slots=True)
class Knobs:
    heirs: int  # one after another
    kinds: int  # of rules that there are
    most: int  # thousands of the whole
    indirect: bool  # the fact may be about two shares


@dataclass(frozen=True, slots=True)
class Estate:
    testator: str
    heirs: tuple[str, ...]
    rules: tuple[Rule, ...]  # one for each heir; the last one gets the rest
    numbers: tuple[tuple[int, ...], ...]  # of each rule
    fact: tuple[str, str, str]  # a kind, and the one or two heirs that it is about
    value: int  # what it says
    asked: str  # an heir, or "" for the whole


def generate(rng: Random, knobs: Knobs) -> Estate | None:
    testator, *heirs = rng.sample(PEOPLE, knobs.heirs + 1)
    rules: list[Rule] = []
    for place in range(knobs.heirs - 1):
        kind = rng.choice(KINDS[: knobs.kinds])
        if not place and kind in (*LOOKING, "left"):
            kind = "part"
        rules.append((kind, rng.choice(heirs[:place]) if kind in LOOKING else ""))
    rules.append(("rest", ""))
    return _filled(rng, knobs, testator, tuple(heirs), tuple(rules))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(estate: Estate) -> Fraction | None:
    """Every share as a part of the whole and a number, then the whole from the fact."""
    shares = _lines(estate)
    if shares is None:
        return None
    kind, one, other = estate.fact
    sign = {"more": -1, "both": 1}.get(kind, 0)
    second = shares[other] if other else (Fraction(0), Fraction(0))
    part, number = (mine + sign * its for mine, its in zip(shares[one], second))
    if not part:
        return None
    whole = (estate.value - number) / part
    values = {heir: share[0] * whole + share[1] for heir, share in shares.items()}
    if whole <= 0 or min(values.values()) <= 0:
        return None
    if any(value.denominator != 1 for value in (whole, *values.values())):
        return None
    return values[estate.asked] if estate.asked else whole


def verify(estate: Estate, answer: Fraction) -> float:
    first, second = Fraction(1000), Fraction(9000)
    wholes = first, second
    misses = [_told_by(estate, _handed_out(estate, whole)) - estate.value for whole in wholes]
    if misses[0] == misses[1]:
        return 0.0
    whole = (second * misses[0] - first * misses[1]) / (misses[0] - misses[1])
    shares = _handed_out(estate, whole)
    return float(answer == (shares[estate.asked] if estate.asked else whole))


def render(estate: Estate, style: Style) -> Prompt:
    who = estate.testator
    told = [
        _told(heir, rule, numbers, Style(style.phrasing + place))
        for place, (heir, rule, numbers) in enumerate(
            zip(estate.heirs, estate.rules, estate.numbers)
        )
    ]
    will, fact = " ".join(told), _fact(estate, style)
    goal = (
        style.pick(
            f"How many dollars did {estate.asked} get?",
            f"Find {estate.asked}'s share.",
            f"What was the amount that {estate.asked} received?",
        )
        if estate.asked
        else style.pick(
            "How many dollars were there in all?",
            "How large was the whole fortune?",
            f"How much money did {who} leave?",
        )
    )
    return Prompt(
        style.pick(
            f"{who} leaves a sum of money, which is handed out in this order. {will} In the end,"
            f" {fact}. {goal}",
            f"The will of {who} says how a fortune is to be handed out, heir by heir. {will} It"
            f" turned out that {fact}. {goal}",
            f"A sum of money from {who} is shared as follows, one heir after the other. {will}"
            f" We know that {fact}. {goal}",
        ),
        form="the number of dollars",
    )


def steps(estate: Estate) -> list[str]:
    lines = ["Let w be the whole."]
    left: Line = Fraction(1), Fraction(0)
    for heir, share in (_lines(estate) or {}).items():
        left = left[0] - share[0], left[1] - share[1]
        lines.append(f"{heir} gets {_line(share)}, and {_line(left)} is left.")
    lines.append(f"We know that {_fact(estate, Style())}.")
    whole = solve(replace(estate, asked=""))
    return [*lines, f"So w = {whole}, and the answer is {solve(estate)}."]


def hardness(estate: Estate) -> float:
    return sum(WORK[kind] for kind, _ in estate.rules) + (4 if estate.fact[2] else 0)


def canon(estate: Estate) -> tuple[object, ...]:
    """Heirs by their places."""
    place = {heir: str(at) for at, heir in enumerate(estate.heirs)} | {"": ""}
    rules = [(kind, place[other]) for kind, other in estate.rules]
    fact = estate.fact[0], place[estate.fact[1]], place[estate.fact[2]]
    return rules, estate.numbers, fact, estate.value, place[estate.asked]


def twin(rng: Random, knobs: Knobs, estate: Estate) -> Estate | None:
    return _filled(
        rng, knobs, estate.testator, estate.heirs, estate.rules, estate.fact, estate.asked
    )


def renamed(rng: Random, knobs: Knobs, estate: Estate) -> Estate:
    testator, *heirs = rng.sample(PEOPLE, len(estate.heirs) + 1)
    new = dict(zip(estate.heirs, heirs)) | {"": ""}
    rules = tuple((kind, new[other]) for kind, other in estate.rules)
    fact = estate.fact[0], new[estate.fact[1]], new[estate.fact[2]]
    return Estate(
        testator, tuple(heirs), rules, estate.numbers, fact, estate.value, new[estate.asked]
    )


def _filled(
    rng: Random,
    knobs: Knobs,
    testator: str,
    heirs: tuple[str, ...],
    rules: tuple[Rule, ...],
    fact: tuple[str, str, str] | None = None,
    asked: str | None = None,
) -> Estate | None:
    """Numbers for which every share is a whole number of dollars."""
    for _ in range(TRIES):
        whole = rng.randint(2, knobs.most) * rng.choice((60, 120, 240, 420, 600))
        left, shares, numbers = whole, dict[str, int](), list[tuple[int, ...]]()
        for heir, (kind, other) in zip(heirs, rules):
            chosen = _numbers(rng, kind, left, whole, shares.get(other, 0))
            if chosen is None:
                break
            numbers.append(chosen[:-1])
            shares[heir] = chosen[-1]
            left -= chosen[-1]
            if left <= 0 and kind != "rest":
                break
        if len(shares) < len(heirs) or min(shares.values()) <= 0 or left:
            continue
        known = fact or _any_fact(rng, knobs, heirs)
        kind, one, two = known
        value = shares[one] + {"more": -1, "both": 1}.get(kind, 0) * shares.get(two, 0)
        made = Estate(testator, heirs, rules, tuple(numbers), known, value, asked or "")
        lines = _lines(made)
        if lines is None:
            continue
        # Of whom nothing is said outright: neither by the fact nor by a fixed sum.
        unsaid = [heir for heir in heirs if heir not in known and lines[heir][0]]
        if asked is None:
            made = replace(made, asked=rng.choice(("", *unsaid)))
        if value > 1 and made.asked in ("", *unsaid) and solve(made):
            return made
    return None


def _any_fact(rng: Random, knobs: Knobs, heirs: tuple[str, ...]) -> tuple[str, str, str]:
    if knobs.indirect and rng.random() < 0.75:
        one, two = rng.sample(heirs, 2)
        return rng.choice(("more", "both")), one, two
    return "has", heirs[-1], ""


def _numbers(rng: Random, kind: str, left: int, whole: int, other: int) -> tuple[int, ...] | None:
    """The numbers of a rule, and then the share."""
    if kind == "rest":
        return (left,)
    if kind == "sum":
        share = rng.randint(1, max(1, left // 20)) * 10
        return (share, share) if share < left else None
    if kind in ("more", "less"):
        number = rng.randint(1, max(1, other // 20)) * 10
        return number, other + number if kind == "more" else other - number
    if kind == "times":
        number = rng.randint(2, 3)
        return number, other * number
    of = whole if kind == "part" else left
    able = [(top, low) for low in range(2, 9) for top in (1, 2, 3) if top < low and of % low == 0]
    able = [(top, low) for top, low in able if top == 1 or low % top]
    if not able:
        return None
    top, low = rng.choice(able)
    if kind == "part_and":
        number = rng.randint(1, 20) * 10
        return 1, low, number, of // low + number
    return top, low, of * top // low


def _lines(estate: Estate) -> dict[str, Line] | None:
    shares: dict[str, Line] = {}
    left: Line = Fraction(1), Fraction(0)
    for heir, (kind, other), numbers in zip(estate.heirs, estate.rules, estate.numbers):
        share = _share(kind, numbers, left, shares.get(other, left))
        if share is None:
            return None
        shares[heir] = share
        left = left[0] - share[0], left[1] - share[1]
    return shares


def _share(kind: str, numbers: tuple[int, ...], left: Line, other: Line) -> Line | None:
    if kind == "rest":
        return left
    if kind == "sum":
        return Fraction(0), Fraction(numbers[0])
    if kind in ("more", "less"):
        return other[0], other[1] + (numbers[0] if kind == "more" else -numbers[0])
    if kind == "times":
        return other[0] * numbers[0], other[1] * numbers[0]
    ratio = Fraction(numbers[0], numbers[1])
    if ratio > 1:
        return None
    if kind == "part":
        return ratio, Fraction(0)
    extra = numbers[2] if kind == "part_and" else 0
    return left[0] * ratio, left[1] * ratio + extra


def _handed_out(estate: Estate, whole: Fraction) -> dict[str, Fraction]:
    """What each would get of a certain sum."""
    purse, got = whole, dict[str, Fraction]()
    for heir, (kind, other), numbers in zip(estate.heirs, estate.rules, estate.numbers):
        first, second, third = (*numbers, 0, 0, 0)[:3]
        match kind:
            case "rest":
                got[heir] = purse
            case "sum":
                got[heir] = Fraction(first)
            case "more":
                got[heir] = got[other] + first
            case "less":
                got[heir] = got[other] - first
            case "times":
                got[heir] = got[other] * first
            case "part":
                got[heir] = whole * first / second
            case _:
                got[heir] = purse * first / second + third
        purse -= got[heir]
    return got


def _told_by(estate: Estate, shares: dict[str, Fraction]) -> Fraction:
    kind, one, two = estate.fact
    if kind == "more":
        return shares[one] - shares[two]
    return shares[one] + shares[two] if kind == "both" else shares[one]


def _fact(estate: Estate, style: Style) -> str:
    kind, one, two = estate.fact
    value = estate.value
    if kind == "more":
        return f"{one} received {value} dollars more than {two}"
    if kind == "both":
        return f"{one} and {two} together received {value} dollars"
    return f"{one} received {value} dollars"


def _told(heir: str, rule: Rule, numbers: tuple[int, ...], style: Style) -> str:
    kind, other = rule
    first, second, third = (*numbers, 0, 0, 0)[:3]
    match kind:
        case "rest":
            return style.pick(f"{heir} gets the rest.", f"All that is left goes to {heir}.")
        case "sum":
            return style.pick(f"{heir} gets {first} dollars.", f"{first} dollars go to {heir}.")
        case "more" | "less":
            return f"{heir} gets {first} dollars {kind} than {other}."
        case "times":
            return f"{heir} gets {first} times as much as {other}."
        case "part":
            return style.pick(
                f"{heir} gets {first}/{second} of the whole sum.",
                f"{first}/{second} of the whole sum goes to {heir}.",
            )
        case "left":
            return style.pick(
                f"{heir} gets {first}/{second} of what is left at that point.",
                f"Of what is left at that point, {heir} gets {first}/{second}.",
            )
        case _:
            return f"{heir} gets {third} dollars and 1/{second} of what was left before that."


def _line(line: Line) -> str:
    part, number = line
    sign = "-" if number < 0 else "+"
    return f"{part} w {sign} {abs(number)}" if number else f"{part} w"


KINDS = ("part", "left", "sum", "times", "more", "less", "part_and")
LOOKING = ("times", "more", "less")
WORK = {"rest": 1, "part": 2, "left": 3, "sum": 1, "times": 2, "more": 2, "less": 2, "part_and": 4}
TRIES = 60
LADDER = (
    Knobs(2, 1, 10, False),
    Knobs(3, 2, 60, False),
    Knobs(4, 4, 60, False),
    Knobs(6, 7, 60, True),
    Knobs(8, 7, 400, True),
)
FAMILY = Family(
    Estate,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="shares as linear expressions in the whole",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    inputs=("numbers", "value"),
    twin=twin,
    renamed=renamed,
    skills=("reading", "fractions", "equations", "money"),
)
