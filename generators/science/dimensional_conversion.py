"""Dimensional conversion: write a quantity with a compound unit in other units, exactly.

`solve` multiplies the sizes of the units in SI, from a table; `verify` replaces unit by unit by its
definition, as the prompt tells it, until only metres, kilograms and seconds are left.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import EXACT, shown

Unit: TypeAlias = tuple[tuple[str, int], ...]  # names and exponents


@dataclass(frozen=True, slots=True)
class Knobs:
    units: int  # in the quantity
    power: int  # the largest exponent
    derived: int  # how many of them are made of others, such as the joule


@dataclass(frozen=True, slots=True)
class Conversion:
    number: int
    tenths: int  # the quantity is number / tenths: 1, 10 or 100
    source: Unit
    target: Unit


def generate(rng: Random, knobs: Knobs) -> Conversion | None:
    derived = rng.sample(sorted(DERIVED), min(knobs.derived, knobs.units))
    kinds = rng.sample(sorted(PLAIN), min(knobs.units - len(derived), len(PLAIN)))
    names = derived + [rng.choice(PLAIN[kind]) for kind in kinds]
    powers = [rng.randint(1, 1 if name in DERIVED else knobs.power) for name in names]
    signs = [1, *(rng.choice((1, -1, -1)) for _ in names[1:])]
    source = tuple((name, power * sign) for name, power, sign in zip(names, powers, signs))
    wanted: list[tuple[str, int]] = []
    for kind, power in zip(PLAIN, _dimension(source)):
        used = [name for name in PLAIN[kind] if name not in names]
        wanted += [(rng.choice(used), power)] if power else []
    target = tuple(wanted)
    made = Conversion(rng.randint(2, 999), rng.choice((1, 10, 100)), source, target)
    answer = solve(made)
    if answer is None or max(answer.numerator, answer.denominator) > 10**9:
        return None
    far = abs(max(power for _, power in target)) > 4 or answer == Fraction(made.number, made.tenths)
    return None if far else made


def solve(conversion: Conversion) -> Fraction | None:
    """The ratio of the two units' sizes in SI."""
    if not conversion.target:
        return None
    ratio = _size(conversion.source) / _size(conversion.target)
    return Fraction(conversion.number, conversion.tenths) * ratio


def verify(conversion: Conversion, answer: Fraction) -> float:
    left = _in_base(Fraction(conversion.number, conversion.tenths), conversion.source)
    return float(left == _in_base(answer, conversion.target))


def render(conversion: Conversion, style: Style) -> Prompt:
    number = shown(Fraction(conversion.number, conversion.tenths))
    given = f"{number} {_text(conversion.source)}"
    wanted = _text(conversion.target)
    facts = "; ".join(_facts(conversion))
    question = style.pick(
        f"Convert {given} to {wanted}. The units are defined by: {facts}.",
        f"How many {wanted} are {given}? Use these definitions: {facts}.",
        f"A quantity was measured as {given}. Express it in {wanted}. ({facts}.)",
    )
    return Prompt(question, form=f"the number of {wanted} alone, {EXACT}")


def steps(conversion: Conversion) -> list[str]:
    value = Fraction(conversion.number, conversion.tenths)
    lines = []
    for name, power in (*conversion.source, *conversion.target):
        size = shown(SIZES[name][0])
        if SIZES[name][0] != 1:
            lines.append(f"1 {name} is {size} in SI base units; here its exponent is {power}")
    lines.append(f"In SI base units that is {shown(value * _size(conversion.source))}")
    lines.append(f"One {_text(conversion.target)} is {shown(_size(conversion.target))} of them")
    return [*lines, f"The answer is {solve(conversion)}"]


def hardness(conversion: Conversion) -> float:
    """Definitions to be used, and exponents."""
    powers = [abs(power) for _, power in (*conversion.source, *conversion.target)]
    return 2 * len(_facts(conversion)) + sum(powers)


def _size(unit: Unit) -> Fraction:
    size = Fraction(1)
    for name, power in unit:
        size *= SIZES[name][0] ** power
    return size


def _dimension(unit: Unit) -> tuple[int, ...]:
    """Exponents of length, mass and time."""
    return tuple(sum(SIZES[name][1][at] * power for name, power in unit) for at in range(3))


def _in_base(value: Fraction, unit: Unit) -> tuple[Fraction, dict[str, int]]:
    powers = Counter(dict(unit))
    while left := next((name for name in powers if name in DEFINED and powers[name]), None):
        power = powers.pop(left)
        factor, parts = DEFINED[left]
        value *= Fraction(factor) ** power
        for name, inner in parts:
            powers[name] += inner * power
    return value, {name: power for name, power in powers.items() if power}


def _facts(conversion: Conversion) -> list[str]:
    """The definitions of all units that occur, and of those in them."""
    waiting = [name for name, _ in (*conversion.source, *conversion.target)]
    told: dict[str, str] = {}
    while waiting:
        name = waiting.pop(0)
        if name in DEFINED and name not in told:
            factor, parts = DEFINED[name]
            told[name] = f"1 {name} = {factor} {_text(parts)}"
            waiting += [part for part, _ in parts]
    return list(told.values())


def _text(unit: Unit) -> str:
    above = [_raised(name, power) for name, power in unit if power > 0]
    below = [_raised(name, -power) for name, power in unit if power < 0]
    beneath = below[0] if len(below) == 1 else f"({'·'.join(below)})"
    return ("·".join(above) or "1") + (f"/{beneath}" if below else "")


def _raised(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


PLAIN = {
    "length": ("mm", "cm", "m", "km", "in", "ft"),
    "mass": ("mg", "g", "kg", "t"),
    "time": ("s", "min", "h", "day"),
}
DERIVED = ("N", "J", "kJ", "W", "kW", "Pa", "kPa", "bar", "L", "mL")
# Sizes in metres, kilograms and seconds, and the exponents of length, mass and time.
SIZES = {
    name: (Fraction(size), powers)
    for name, size, powers in (
        ("mm", "0.001", (1, 0, 0)), ("cm", "0.01", (1, 0, 0)), ("m", "1", (1, 0, 0)),
        ("km", "1000", (1, 0, 0)), ("in", "0.0254", (1, 0, 0)), ("ft", "0.3048", (1, 0, 0)),
        ("mg", "0.000001", (0, 1, 0)), ("g", "0.001", (0, 1, 0)), ("kg", "1", (0, 1, 0)),
        ("t", "1000", (0, 1, 0)), ("s", "1", (0, 0, 1)), ("min", "60", (0, 0, 1)),
        ("h", "3600", (0, 0, 1)), ("day", "86400", (0, 0, 1)), ("N", "1", (1, 1, -2)),
        ("J", "1", (2, 1, -2)), ("kJ", "1000", (2, 1, -2)), ("W", "1", (2, 1, -3)),
        ("kW", "1000", (2, 1, -3)), ("Pa", "1", (-1, 1, -2)), ("kPa", "1000", (-1, 1, -2)),
        ("bar", "100000", (-1, 1, -2)), ("L", "0.001", (3, 0, 0)), ("mL", "0.000001", (3, 0, 0)),
    )
}  # fmt: skip
DEFINED: dict[str, tuple[str, Unit]] = {
    "mm": ("0.1", (("cm", 1),)), "cm": ("0.01", (("m", 1),)), "km": ("1000", (("m", 1),)),
    "in": ("2.54", (("cm", 1),)), "ft": ("12", (("in", 1),)), "mg": ("0.001", (("g", 1),)),
    "g": ("0.001", (("kg", 1),)), "t": ("1000", (("kg", 1),)), "min": ("60", (("s", 1),)),
    "h": ("60", (("min", 1),)), "day": ("24", (("h", 1),)),
    "N": ("1", (("kg", 1), ("m", 1), ("s", -2))), "J": ("1", (("N", 1), ("m", 1))),
    "kJ": ("1000", (("J", 1),)), "W": ("1", (("J", 1), ("s", -1))), "kW": ("1000", (("W", 1),)),
    "Pa": ("1", (("N", 1), ("m", -2))), "kPa": ("1000", (("Pa", 1),)),
    "bar": ("100", (("kPa", 1),)), "L": ("1000", (("cm", 3),)), "mL": ("1", (("cm", 3),)),
}  # fmt: skip
LADDER = (Knobs(1, 1, 0), Knobs(2, 1, 0), Knobs(2, 3, 0), Knobs(3, 2, 1), Knobs(4, 3, 2))
FAMILY = Family(
    Conversion,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="sizes of units in SI",
    guess_rate=0.05,
    steps=steps,
    inputs=(),
    redraws=True,
    skills=("units", "fractions", "physics"),
    peers=("Guru/science",),
    version=2,
)
