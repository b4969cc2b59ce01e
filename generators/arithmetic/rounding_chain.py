"""Rounding chain: a calculation in which every result is rounded before it is used again.

Ties are frequent, so that the rule for halves matters. `solve` uses Python's decimal module;
`verify` rounds exact fractions by comparing what is cut off with a half.
"""

from dataclasses import dataclass
from decimal import (
    ROUND_DOWN,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Context,
    Decimal,
)
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._decimals import Exact, decimal, places_of, shown

# sign, units and places of the number, then "places" or "figures" and how many.
Step: TypeAlias = tuple[str, int, int, str, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # of the calculation, each of them rounded
    digits: int  # of one number, at most
    places: int  # decimal places kept, at most
    signs: Literal["+-", "+-*", "+-*/"]  # operations that may occur
    rules: Literal["half up", "all"]  # for halves: rounded up, or any of several rules
    figures: bool  # whether significant figures are asked for too


@dataclass(frozen=True, slots=True)
class Chain:
    start: tuple[int, int]  # units and decimal places
    steps: tuple[Step, ...]
    rule: str


def generate(rng: Random, knobs: Knobs) -> Chain | None:
    rule = "half up" if knobs.rules == "half up" else rng.choice(tuple(RULES))
    steps: list[Step] = []
    for place in range(knobs.steps):
        sign = rng.choice(knobs.signs if place else knobs.signs.replace("/", ""))
        measure, kept = "places", rng.randint(0, knobs.places)
        if knobs.figures and rng.random() < 0.45:
            measure, kept = "figures", rng.randint(2, 4)
        steps.append((sign, 0, 0, measure, kept))
    return twin(rng, knobs, Chain((0, 0), tuple(steps), rule))


def twin(rng: Random, knobs: Knobs, chain: Chain) -> Chain | None:
    """Other numbers; every second sum or so comes out just between two roundings."""
    places = rng.randint(1, knobs.places + 1)
    start = (_units(rng, knobs.digits), places)
    value = Fraction(start[0], 10**places)
    steps: list[Step] = []
    for sign, _, _, measure, kept in chain.steps:
        if abs(value) > 10**6 or not value:
            return None
        units, places = _operand(rng, knobs, sign, measure, kept, value)
        steps.append((sign, units, places, measure, kept))
        value = _rounded(_joined(sign, value, Fraction(units, 10**places)), steps[-1], chain.rule)
    return Chain(start, tuple(steps), chain.rule) if value else None


def solve(chain: Chain) -> Fraction | None:
    context = Context(prec=60)
    value = Decimal(shown(*chain.start))
    for sign, units, places, measure, kept in chain.steps:
        other = Decimal(shown(units, places))
        match sign:
            case "+":
                value = context.add(value, other)
            case "-":
                value = context.subtract(value, other)
            case "*":
                value = context.multiply(value, other)
            case _:
                value = context.divide(value, other)
        unit = -kept if measure == "places" else value.adjusted() - kept + 1
        value = value.quantize(Decimal((0, (1,), unit)), ROUNDINGS[chain.rule], context)
    return Fraction(value)


def verify(chain: Chain, answer: Fraction) -> float:
    value = Fraction(chain.start[0], 10 ** chain.start[1])
    for step in chain.steps:
        value = _joined(step[0], value, Fraction(step[1], 10 ** step[2]))
        value = _rounded(value, step, chain.rule)
    return float(value == answer)


def render(chain: Chain, style: Style) -> Prompt:
    start = shown(*chain.start)
    rows = []
    for place, (sign, units, places, measure, kept) in enumerate(chain.steps, 1):
        work = WORK[sign].format(shown(units, places))
        rows.append(f"{place}. {work}, then round the result to {_kept(measure, kept)}.")
    steps = "\n".join(rows)
    question = style.pick(
        f"Start with {start}. Then go through these steps, each with the rounded result of the one"
        f" before it:\n\n{steps}\n\n{RULES[chain.rule]}\n\nWhat is the final result?",
        f"A calculator rounds after every operation. {RULES[chain.rule]}\n\nIt is given {start} and"
        f" does the following, continuing each time with the rounded number:\n\n{steps}\n\nWhat"
        " does it show at the end?",
        f"{RULES[chain.rule]}\n\nBegin with the number {start}.\n\n{steps}\n\nEvery step goes on"
        " with the rounded number from the step before. Find the last rounded number.",
    )
    return Prompt(question, form="the rounded number as a decimal number, such as 12.5")


def steps(chain: Chain) -> list[str]:
    value = Fraction(chain.start[0], 10 ** chain.start[1])
    lines = []
    for step in chain.steps:
        sign, units, places, measure, kept = step
        exact = _joined(sign, value, Fraction(units, 10**places))
        rounded = _rounded(exact, step, chain.rule)
        equals = decimal(exact) if places_of(exact) is not None else f"{float(exact):.9g}..."
        lines.append(
            f"{decimal(value)} {sign} {shown(units, places)} = {equals},"
            f" to {_kept(measure, kept)}: {decimal(rounded)}"
        )
        value = rounded
    return lines


def progress(chain: Chain, lines: Lines) -> float:
    return results_derived(FAMILY, chain, lines)


def hardness(chain: Chain) -> float:
    """The digits that are worked with; products count more, and an unusual rule."""
    digits = len(str(chain.start[0]))
    work = sum((len(str(step[1])) + 2) * (3 if step[0] in "*/" else 1) for step in chain.steps)
    return (digits + work) * (1 if chain.rule == "half up" else 1.3)


def _units(rng: Random, digits: int) -> int:
    units = rng.randint(10 ** (digits - 1) + 1, 10**digits - 1)
    return units + (units % 10 == 0)


def _operand(
    rng: Random, knobs: Knobs, sign: str, measure: str, kept: int, value: Fraction
) -> tuple[int, int]:
    """A number for a step, for sums often one that leads to a tie."""
    if sign == "/":
        return rng.randint(3, 99), rng.choice((0, 1))
    if sign == "*":
        return _units(rng, max(knobs.digits - 1, 1)), rng.randint(1, 2)
    if measure == "places" and rng.random() < 0.5:
        half = Fraction(1, 2 * 10**kept)
        whole = int(abs(value) * 10**kept) + rng.randint(10, 10**knobs.digits)
        other = whole * 2 * half + half - (value if sign == "+" else -value)
        places = places_of(other)
        if other > 0 and places is not None and places <= kept + 3:
            return int(other * 10**places), places
    return _units(rng, knobs.digits), rng.randint(1, knobs.places + 1)


def _joined(sign: str, left: Fraction, right: Fraction) -> Fraction:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right


def _rounded(value: Fraction, step: Step, rule: str) -> Fraction:
    """By what is cut off: less than a half, a half or more of the last unit that is kept."""
    measure, kept = step[3], step[4]
    size, unit = abs(value), Fraction(1, 10**kept)
    if measure == "figures":
        unit = Fraction(1)
        while unit * 10 <= size:
            unit *= 10
        while unit > size > 0:
            unit /= 10
        unit /= 10 ** (kept - 1)
    whole, cut = divmod(size / unit, 1)
    match rule:
        case "half up":
            up = cut >= Fraction(1, 2)
        case "half down":
            up = cut > Fraction(1, 2)
        case "half even":
            up = cut > Fraction(1, 2) or (cut == Fraction(1, 2) and whole % 2 == 1)
        case "down":
            up = False
        case _:
            up = cut > 0
    found = (whole + up) * unit
    return found if value >= 0 else -found


def _kept(measure: str, kept: int) -> str:
    if measure == "figures":
        return f"{kept} significant figures"
    if not kept:
        return "a whole number"
    return f"{kept} decimal place{'s' if kept > 1 else ''}"


ROUNDINGS = {
    "half up": ROUND_HALF_UP,
    "half even": ROUND_HALF_EVEN,
    "half down": ROUND_HALF_DOWN,
    "down": ROUND_DOWN,
    "up": ROUND_UP,
}
NEAREST = (
    "Every rounding gives the nearest number of the required precision; where two are equally near,"
    " it gives the one"
)
RULES = {
    "half up": f"{NEAREST} further from zero (2.5 becomes 3, and -2.5 becomes -3).",
    "half even": f"{NEAREST} whose last kept digit is even (2.5 becomes 2, 3.5 becomes 4).",
    "half down": f"{NEAREST} nearer to zero (2.5 becomes 2, and -2.5 becomes -2).",
    "down": "Every rounding is towards zero: digits that are not kept are cut off (2.9 becomes 2,"
    " and -2.9 becomes -2).",
    "up": "Every rounding is away from zero whenever anything but zeros is cut off (2.1 becomes 3,"
    " and -2.1 becomes -3).",
}
WORK = {"+": "Add {}", "-": "Subtract {}", "*": "Multiply by {}", "/": "Divide by {}"}
LADDER = (
    Knobs(1, 2, 1, "+-", "half up", False),
    Knobs(2, 3, 2, "+-*", "half up", False),
    Knobs(4, 3, 2, "+-*", "all", True),
    Knobs(7, 4, 3, "+-*/", "all", True),
    Knobs(12, 5, 3, "+-*/", "all", True),
)
FAMILY = Family(
    Chain,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Exact(),
    hardness=hardness,
    proof="unique",
    solver="Python's decimal module",
    guess_rate=0.08,
    steps=steps,
    progress=progress,
    twin=twin,
    skills=("decimals", "digits", "calculation"),
    peers=("mathematics_dataset/round_number", "reasoning-gym/decimal_chain_sum"),
    version=2,
)
