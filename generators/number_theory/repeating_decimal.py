"""Repeating decimals: how a fraction's digits begin to repeat, and a digit far behind the point.

`solve` never divides digit by digit: primes shared with the base give the part before the period,
the order of the base gives its length, and a power of the base gives the digit. `verify` divides by
hand until a remainder returns.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived


@dataclass(frozen=True, slots=True)
class Knobs:
    denominator: int  # the largest
    place: int  # the digit asked for, at most so far behind the point
    base: int  # the largest base; 10 at least


@dataclass(frozen=True, slots=True)
class Ratio:
    numerator: int
    denominator: int
    place: int
    base: int


def generate(rng: Random, knobs: Knobs) -> Ratio | None:
    denominator = rng.randint(max(3, knobs.denominator // 4), knobs.denominator)
    numerator = rng.randint(1, denominator - 1)
    base = 10 if knobs.base == 10 else rng.choice([b for b in range(3, knobs.base + 1) if b != 10])
    place = rng.randint(max(3, knobs.place // 3), knobs.place)
    drawn = Ratio(numerator, denominator, place, base)
    found = solve(drawn)
    if denominator == 6 or not found or not found[1]:  # 1/6 is the prompt's example
        return None
    return None if sum(found[:2]) > LONGEST else drawn


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(ratio: Ratio) -> tuple[int, int, int] | None:
    """The digits before the period, those of the period, and the digit asked for."""
    if not 1 < ratio.base <= 16 or not 0 < ratio.numerator < ratio.denominator <= FAR:
        return None
    if ratio.place < 1 or gcd(ratio.numerator, ratio.denominator) > 1:
        return None
    rest, before = ratio.denominator, 0
    while (shared := gcd(rest, ratio.base)) > 1:
        rest, before = rest // shared, before + 1
    period = 0
    if rest > 1:
        power = ratio.base % rest
        period = 1
        while power != 1:
            power, period = power * ratio.base % rest, period + 1
    remainder = ratio.numerator * pow(ratio.base, ratio.place - 1, ratio.denominator)
    digit = remainder % ratio.denominator * ratio.base // ratio.denominator
    return before, period, digit


def verify(ratio: Ratio, answer: tuple[int, ...]) -> float:
    digits: list[int] = []
    seen: dict[int, int] = {}
    left = ratio.numerator
    while left and left not in seen:
        seen[left] = len(digits)
        digit, after = divmod(left * ratio.base, ratio.denominator)
        digits.append(digit)
        left = after
    before = seen.get(left, len(digits))
    period = len(digits) - before
    if ratio.place <= len(digits):
        digit = digits[ratio.place - 1]
    else:
        digit = digits[before + (ratio.place - 1 - before) % period] if period else 0
    return float(tuple(answer) == (before, period, digit))


def render(ratio: Ratio, style: Style) -> Prompt:
    place = f"{ratio.place}"
    text = f"{ratio.numerator}/{ratio.denominator}"
    decimal = ratio.base == 10
    fraction = "decimal fraction" if decimal else f"fraction in base {ratio.base}"
    where = "" if decimal else " (The fraction itself and all other numbers are given in decimal.)"
    question = style.pick(
        f"The number {text} is written as a {fraction}. How many digits stand between the point"
        " and the beginning of the period, how many digits are in the shortest period, and which"
        f" digit stands at place {place} after the point?{where}",
        f"Write {text} as a {fraction}: some digits (perhaps none) come once, then a block"
        " of digits repeats forever. Find the number of digits after the point that come before"
        " the block, as few as possible; the length of the shortest such block; and the digit at"
        f" place {place} after the point.{where}",
        f"Consider {text}, expanded as a {fraction}. Let a be the least number of digits after the"
        " point before the expansion becomes periodic, b the length of its shortest period, and c"
        f" the digit at place {place} after the point, where place 1 is directly after it."
        f" What are a, b and c?{where}",
    )
    form = "three integers separated by commas: the digits before the period, the length of the"
    if decimal:
        return Prompt(question, form=form + " period, the digit asked for (1/6 has 1, 1, ...)")
    return Prompt(question, form=form + " period, the digit asked for, as a decimal number")


def steps(ratio: Ratio) -> list[str]:
    """What the denominator says of the period, then the digit by a remainder."""
    before, period, digit = solve(ratio) or (0, 0, 0)
    rest = ratio.denominator
    lines = []
    while (shared := gcd(rest, ratio.base)) > 1:
        lines.append(
            f"{rest} and {ratio.base} share {shared}: {rest} / {shared} = {rest // shared}"
        )
        rest //= shared
    lines.append(f"digits before the period: {before}")
    lines.append(f"{ratio.base}^{period} = 1 (mod {rest}), and no smaller power: period {period}")
    left = ratio.numerator * pow(ratio.base, ratio.place - 1, ratio.denominator) % ratio.denominator
    lines.append(
        f"{ratio.numerator} * {ratio.base}^{ratio.place - 1} mod {ratio.denominator} = {left}"
    )
    lines.append(f"{left} * {ratio.base} / {ratio.denominator}, rounded down, is {digit}")
    return lines


def progress(ratio: Ratio, lines: Lines) -> float:
    return results_derived(FAMILY, ratio, lines)


def hardness(ratio: Ratio) -> float:
    """Digits until the division by hand repeats, and the effort of the base."""
    before, period, _ = solve(ratio) or (0, 0, 0)
    return (before + period + 4 * len(str(ratio.place))) * (1 if ratio.base == 10 else 1.5)


def twin(rng: Random, knobs: Knobs, ratio: Ratio) -> Ratio | None:
    drawn = generate(rng, knobs)
    return drawn if drawn and (drawn.base == 10) == (ratio.base == 10) else None


FAR = 50_000  # denominators that are divided out by hand
LONGEST = 700  # digits until the period ends
LADDER = (
    Knobs(15, 12, 10),
    Knobs(60, 120, 10),
    Knobs(150, 300, 10),
    Knobs(300, 2000, 12),
    Knobs(999, 10**9, 12),
)
FAMILY = Family(
    Ratio,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(names=("a", "b", "c")),
    hardness=hardness,
    proof="unique",
    solver="orders modulo the denominator",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    inputs=("numerator", "denominator", "place"),
    twin=twin,
    skills=("decimals", "modular", "bases"),
    peers=(),
    version=2,
)
