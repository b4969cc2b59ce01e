"""Scaling laws: two systems of one kind; by which factor does a quantity differ?

The laws are told as proportions. `solve` puts the ratios in, one law after the other; `verify`
compares prime factors with exponents doubled, so that it takes no root.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt, prod
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.science._quantities import EXACT


@dataclass(frozen=True, slots=True)
class Knobs:
    laws: int  # how many of them there are to choose from
    most: int  # the largest number in a ratio
    inverse: float  # the share of questions for a quantity on the right of the law
    steps: int  # laws, each of which uses the result of the one before


@dataclass(frozen=True, slots=True)
class Comparison:
    laws: tuple[int, ...]  # places in LAWS
    ratios: tuple[tuple[int, int], ...]  # of all quantities that are told, in order
    asked: tuple[int, ...]  # of each law: -1 for its left side, else a quantity on the right


def generate(rng: Random, knobs: Knobs) -> Comparison | None:
    """Most draws leave a root that is not rational, or find no law that follows."""
    return next((made for _ in range(TRIES) if (made := _drawn(rng, knobs))), None)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(comparison: Comparison) -> Fraction | None:
    """Each law in turn; roots are taken of the whole."""
    known = dict(zip(_told(comparison), (Fraction(*ratio) for ratio in comparison.ratios)))
    if len(known) < len(comparison.ratios) or any(value <= 0 for value in known.values()):
        return None
    value = None
    for at, place in zip(comparison.laws, comparison.asked):
        _, left, right = LAWS[at]
        if place < 0:
            value = _root(_product(known, right), 2)
            name = left
        else:
            name, power = right[place]
            rest = _product(known, tuple(pair for pair in right if pair[0] != name))
            ratio = known[left] ** 2 / rest
            value = _root(ratio if power > 0 else 1 / ratio, abs(power))
        if value is None:
            return None
        known[name] = value
    return value


def verify(comparison: Comparison, answer: Fraction) -> float:
    """Powers of primes on both sides of the laws."""
    if answer <= 0:
        return 0.0
    told = _told(comparison)
    # Exponents of primes in each quantity, as exact fractions.
    known = {name: _primes(*ratio) for name, ratio in zip(told, comparison.ratios)}
    for at, place in zip(comparison.laws, comparison.asked):
        _, left, right = LAWS[at]
        total: dict[int, Fraction] = {}
        for position, (name, power) in enumerate(right):
            if position != place:
                for prime, many in known[name].items():
                    total[prime] = total.get(prime, Fraction(0)) + many * power
        if place < 0:
            known[left] = {prime: many / 2 for prime, many in total.items()}
            last = left
        else:
            last, power = right[place]
            primes = {*total, *known[left]}
            known[last] = {
                prime: Fraction(2 * known[left].get(prime, 0) - total.get(prime, 0), power)
                for prime in primes
            }
    # Multiplied out, since the number in a reply may be too long to factor.
    if any(many.denominator > 1 for many in known[last].values()):
        return 0.0
    factors = (Fraction(prime) ** int(many) for prime, many in known[last].items())
    return float(prod(factors) == answer)


def render(comparison: Comparison, style: Style) -> Prompt:
    laws = [LAWS[at] for at in comparison.laws]
    told = _told(comparison)
    facts = listed(
        f"{_times(above, below)} {name} of X" if above != below else f"the same {name} as X"
        for name, (above, below) in zip(told, comparison.ratios)
    )
    texts = " ".join(f"{capital(text)}." for text, _, _ in laws)
    place = comparison.asked[-1]
    goal = laws[-1][1] if place < 0 else laws[-1][2][place][0]
    question = style.pick(
        f"{texts} Of two systems X and Y, Y has {facts}. By what factor must the {goal} of X be"
        f" multiplied to give that of Y?",
        f"Compare two systems, X and Y. Y has {facts}. {texts} What is the {goal} of Y divided by"
        " that of X?",
        f"Y has {facts}. {texts} Find the ratio of the {goal} of Y to the {goal} of X.",
    )
    return Prompt(question, form=f"the factor, {EXACT}")


def steps(comparison: Comparison) -> list[str]:
    lines = [
        f"{name}: factor {Fraction(*ratio)}"
        for name, ratio in zip(_told(comparison), comparison.ratios)
    ]
    for at, place in zip(comparison.laws, comparison.asked):
        _, left, right = LAWS[at]
        parts = " · ".join(f"({name})^({Fraction(power, 2)})" for name, power in right)
        lines.append(f"({left}) is multiplied by {parts}" if place < 0 else f"{left}: {parts}")
    return [*lines, f"The answer is {solve(comparison)}"]


def hardness(comparison: Comparison) -> float:
    digits = sum(len(f"{above}{below}") for above, below in comparison.ratios)
    powers = sum(
        abs(power) % 2 + (abs(power) > 2) for at in comparison.laws for _, power in LAWS[at][2]
    )
    return 6 * len(comparison.laws) + digits + powers + 3 * (comparison.asked[-1] >= 0)


def _drawn(rng: Random, knobs: Knobs) -> Comparison | None:
    laws = [rng.randrange(knobs.laws)]
    while len(laws) < knobs.steps:
        following = [at for at, law in enumerate(LAWS) if LAWS[laws[-1]][1] in dict(law[2])]
        following = [at for at in following if at not in laws]
        if not following:
            return None
        laws.append(rng.choice(following))
    asked = [-1] * len(laws)
    if rng.random() < knobs.inverse and len(laws) == 1:
        asked[-1] = rng.randrange(len(LAWS[laws[-1]][2]))
    ratios = []
    for _ in range(12):
        one, other = rng.randint(1, knobs.most), rng.choice((1, 1, rng.randint(1, knobs.most)))
        common = Fraction(one, other)
        ratios.append((common.numerator, common.denominator))
    made = Comparison(tuple(laws), (), tuple(asked))
    told = _told(made)
    made = Comparison(made.laws, tuple(ratios[: len(told)]), made.asked)
    answer = solve(made)
    if answer is None or answer == 1 or max(answer.numerator, answer.denominator) > 10**6:
        return None
    return made if sum(one != other for one, other in made.ratios) >= min(2, len(told)) else None


def _told(comparison: Comparison) -> list[str]:
    """The quantities whose ratios are told: those on the right that no law before gives."""
    given, names = set[str](), list[str]()
    for at, place in zip(comparison.laws, comparison.asked):
        _, left, right = LAWS[at]
        names += [name for name, _ in right if name not in given and name not in names]
        if place >= 0:
            names.remove(right[place][0])
            names.append(left)
        given.add(left)
    return names


def _product(known: dict[str, Fraction], right: tuple[tuple[str, int], ...]) -> Fraction:
    """The square of the ratio that a law gives: exponents in LAWS are doubled."""
    value = Fraction(1)
    for name, power in right:
        value *= known[name] ** power
    return value


def _root(value: Fraction, power: int) -> Fraction | None:
    parts = [_whole_root(part, power) for part in (value.numerator, value.denominator)]
    above, below = parts
    return Fraction(above, below) if above and below else None


def _whole_root(value: int, power: int) -> int | None:
    if power == 1:
        return value
    if power % 2 == 0:
        half = isqrt(value)
        return _whole_root(half, power // 2) if half * half == value else None
    low = round(value ** (1 / power))
    return next((n for n in (low - 1, low, low + 1) if n > 0 and n**power == value), None)


def _primes(above: int, below: int) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for number, sign in ((above, 1), (below, -1)):
        prime = 2
        while number > 1:
            if prime * prime > number:
                prime = number
            while number % prime == 0:
                found[prime] = found.get(prime, Fraction(0)) + sign
                number //= prime
            prime += 1
    return {prime: many for prime, many in found.items() if many}


def _times(above: int, below: int) -> str:
    if below == 1:
        return f"{above} times the"
    return f"{above}/{below} of the" if above < below else f"{above}/{below} times the"


# Each law: in words, the quantity on the left, and those on the right with twice their exponents.
LAWS: tuple[tuple[str, str, tuple[tuple[str, int], ...]], ...] = (
    ("kinetic energy is proportional to mass times the square of speed", "kinetic energy",
     (("mass", 2), ("speed", 4))),
    ("the force of gravity at the surface of a planet, for a given body, is proportional to the"
     " planet's mass and inversely proportional to the square of its radius", "surface gravity",
     (("mass", 2), ("radius", -4))),
    ("the resistance of a wire is proportional to its length and inversely proportional to the"
     " square of its diameter", "resistance", (("length", 2), ("diameter", -4))),
    ("the power that a star radiates is proportional to the square of its radius and the fourth"
     " power of its surface temperature", "radiated power",
     (("radius", 4), ("surface temperature", 8))),
    ("the speed of a circular orbit is proportional to the square root of the central mass and"
     " inversely proportional to the square root of the orbit's radius", "orbital speed",
     (("central mass", 1), ("orbital radius", -1))),
    ("the period of an orbit is proportional to its radius to the power 3/2 and inversely"
     " proportional to the square root of the central mass", "orbital period",
     (("orbital radius", 3), ("central mass", -1))),
    ("the escape velocity of a planet is proportional to the square root of its mass and inversely"
     " proportional to the square root of its radius", "escape velocity",
     (("mass", 1), ("radius", -1))),
    ("the period of a pendulum is proportional to the square root of its length and inversely"
     " proportional to the square root of the surface gravity", "pendulum period",
     (("length", 1), ("surface gravity", -1))),
    ("the flow through a narrow pipe is proportional to the pressure difference and to the fourth"
     " power of the radius, and inversely proportional to the length", "flow",
     (("pressure difference", 2), ("radius", 8), ("length", -2))),
    ("the frequency of a string is proportional to the square root of its tension, and inversely"
     " proportional to its length and to the square root of its mass per length", "frequency",
     (("tension", 1), ("length", -2), ("mass per length", -1))),
    ("the mass of a ball is proportional to its density and to the cube of its radius", "mass",
     (("density", 2), ("radius", 6))),
    ("the current through a wire is proportional to the voltage and inversely proportional to the"
     " resistance", "current", (("voltage", 2), ("resistance", -2))),
    ("the heat in a wire per second is proportional to the square of the current and to the"
     " resistance", "heat per second", (("current", 4), ("resistance", 2))),
    ("the brightness of a star in the sky is proportional to the power that it radiates and"
     " inversely proportional to the square of its distance", "brightness",
     (("radiated power", 2), ("distance", -4))),
    ("the force on a body in a circular orbit is proportional to its mass and to the square of its"
     " orbital speed, and inversely proportional to the orbital radius", "centripetal force",
     (("mass", 2), ("orbital speed", 4), ("orbital radius", -2))),
    ("the number of swings in a year is proportional to the length of the year and inversely"
     " proportional to the pendulum period", "number of swings",
     (("length of the year", 2), ("pendulum period", -2))),
    ("the time to fall from a certain height is proportional to the square root of the height and"
     " inversely proportional to the square root of the surface gravity", "falling time",
     (("height", 1), ("surface gravity", -1))),
    ("the speed at impact is proportional to the surface gravity and to the falling time",
     "impact speed", (("surface gravity", 2), ("falling time", 2))),
)  # fmt: skip
TRIES = 80
LADDER = (
    Knobs(3, 9, 0.0, 1),
    Knobs(18, 25, 0.3, 1),
    Knobs(18, 64, 0.6, 1),
    Knobs(18, 64, 0.0, 2),
    Knobs(18, 100, 0.0, 3),
)
FAMILY = Family(
    Comparison,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="ratios, law by law",
    guess_rate=0.08,
    steps=steps,
    redraws=True,
    skills=("physics", "proportions", "powers"),
    peers=("Guru/science",),
    version=2,
)
