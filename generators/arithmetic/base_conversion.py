"""Base conversion: a number written in one base, to be written in another.

On higher rungs it has digits behind the point, exact or cut off in the other base, or the other
base is negative. `solve` divides and multiplies the row of digits as on paper and never forms the
number; `verify` adds up the places of both writings and compares.
"""

from dataclasses import dataclass
from math import gcd
from random import Random
from typing import Literal

from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.arithmetic._numerals import ALPHABET, Numeral, in_base, value


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # bits of the whole part, at most
    highest: int  # the largest base
    places: int  # digits behind the point, at most
    # whole numbers; also digits behind the point; also negative bases
    tasks: Literal["whole", "point", "all"]


@dataclass(frozen=True, slots=True)
class Numeration:
    digits: str
    source: int
    target: int  # negative, where the places count 1, -2, 4, -8, …
    cut: int  # digits behind the point to be given, the rest cut off; -1: all of them


def generate(rng: Random, knobs: Knobs) -> Numeration | None:
    task = rng.choice(TASKS[knobs.tasks])
    source, target = _bases(rng, knobs, task)
    if source == target or (task == "exact" and gcd(source, target) == 1):
        return None
    whole = rng.randrange(2 ** (knobs.size - 2), 2**knobs.size)
    digits = in_base(whole, source)
    if task == "negative":
        return Numeration(digits, source, -target, -1)
    if task == "whole":
        return Numeration(digits, source, target, -1) if max(source, target) <= whole else None
    places = rng.randint(2, knobs.places)
    if task == "cut":
        part = "".join(rng.choice(ALPHABET[:source]) for _ in range(rng.randint(2, 4)))
        return Numeration(_pointed(digits, part), source, target, places)
    shared = gcd(source, target)
    behind = _expanded(Fraction(rng.randrange(1, shared**places), shared**places), source)
    return Numeration(_pointed(digits, behind), source, target, -1)


def twin(rng: Random, knobs: Knobs, numeration: Numeration) -> Numeration:
    """Other digits, as many, none of them worth more than the largest was."""
    size, top = numeration.digits, max(map(ALPHABET.find, numeration.digits))
    point = len(size) if "." not in size else size.index(".")
    drawn = [ALPHABET[rng.randint(1, max(top, 1))]]
    drawn += [ALPHABET[rng.randint(0, max(top, 1))] for _ in size[1:point]]
    if point == len(size):
        return Numeration("".join(drawn), *_rest(numeration))
    behind = size[point + 1 :]
    if numeration.cut < 0:
        below = gcd(numeration.source, numeration.target) ** len(behind)
        behind = _expanded(Fraction(rng.randrange(1, below), below), numeration.source)
    return Numeration(f"{''.join(drawn)}.{behind}", *_rest(numeration))


def solve(numeration: Numeration) -> str | None:
    """The whole part is divided again and again, the part behind the point multiplied."""
    source, target = numeration.source, numeration.target
    if not 2 <= source <= 36 or not 2 <= abs(target) <= 36:
        return None
    before, _, behind = numeration.digits.partition(".")
    whole, part = [[ALPHABET.index(sign) for sign in text] for text in (before, behind)]
    if any(digit >= source for digit in whole + part):
        return None
    found = _divided(whole, source, target)
    if target < 0 or not part:
        return found
    added, left = _multiplied(part, source, target, numeration.cut)
    if numeration.cut < 0 and left:
        return None  # never ends in this base
    added = added.rstrip("0")
    return f"{found}.{added}" if added else found


def verify(numeration: Numeration, answer: str) -> float:
    truth = value(numeration.digits, numeration.source)
    said = value(answer, numeration.target)
    if truth is None or said is None or (numeration.target < 0 and answer.startswith("-")):
        return 0.0
    if numeration.cut < 0:
        return float(said == truth)
    unit = Fraction(1, numeration.target**numeration.cut)
    return float((said / unit).denominator == 1 and 0 <= truth - said < unit)


def render(numeration: Numeration, style: Style) -> Prompt:
    source, target = numeration.source, numeration.target
    question = style.pick(
        f"Convert {numeration.digits} from base {source} to base {target}.",
        f"The number {numeration.digits} is written in base {source}. Write it in base {target}.",
        f"What is the base {target} form of the base {source} number {numeration.digits}?",
    )
    if abs(target) > 10 or not numeration.digits.replace(".", "").isdigit():
        question += " Digits above 9 are letters: A is worth 10, B is worth 11, and so on."
    if target < 0:
        question += (
            f" In base {target} the places count, from the right, 1, {target}, {target**2},"
            f" {target**3} and so on; each digit is one from 0 to {-target - 1}, and no minus sign"
            " is needed."
        )
    if numeration.cut >= 0:
        question += (
            f" Give exactly {numeration.cut} digits after the point and cut off the rest, without"
            " rounding."
        )
    elif "." in numeration.digits:
        question += " The fractional part ends in both bases: give all of it."
    return Prompt(question, form=f"the digits alone, such as {_example(numeration)}")


def steps(numeration: Numeration) -> list[str]:
    """The value of the places, then a division for each digit; behind the point, products."""
    source, target = numeration.source, numeration.target
    truth = value(numeration.digits, source)
    assert truth is not None, "the digits are those of the base"
    whole, part = int(truth), truth - int(truth)
    lines = [f"{numeration.digits} in base {source} is {truth} in base ten"]
    while whole:
        rest = whole % abs(target)
        lines.append(f"{whole} = {(whole - rest) // target} * {target} + {rest}")
        whole = (whole - rest) // target
    places = numeration.cut if numeration.cut >= 0 else 40
    while part and places and target > 0:
        lines.append(f"{part} * {target} = {int(part * target)} + {part * target % 1}")
        part, places = part * target % 1, places - 1
    return [*lines, f"The digits: {solve(numeration)}"]


def progress(numeration: Numeration, lines: Lines) -> float:
    return results_derived(FAMILY, numeration, lines)


def hardness(numeration: Numeration) -> float:
    """The digits on both sides, and how strange the bases are."""
    strange = sum(base not in (2, 8, 10, 16) for base in (numeration.source, numeration.target))
    written = len(numeration.digits) + len(solve(numeration) or "")
    return written * (2 + strange + 2 * ("." in numeration.digits) + (numeration.target < 0))


def _bases(rng: Random, knobs: Knobs, task: str) -> tuple[int, int]:
    if knobs.highest <= 10:
        return rng.choice(((2, 10), (10, 2), (3, 10), (10, 3), (5, 10), (10, 5), (8, 10), (10, 8)))
    bases = [rng.randint(2, knobs.highest) for _ in range(2)]
    if knobs.highest <= 16:
        bases = [rng.choice((bases[0], 10, 16)), rng.choice((bases[1], 2, 8))]
        rng.shuffle(bases)
    if task == "exact" and gcd(*bases) == 1:
        shared = rng.choice((2, 3, 4, 5, 6))
        bases = [shared * rng.randint(1, knobs.highest // shared) for _ in range(2)]
    return bases[0], bases[1]


def _pointed(whole: str, part: str) -> str:
    part = part.rstrip("0") or "1"
    return f"{whole}.{part}"


def _expanded(part: Fraction, base: int) -> str:
    """The digits behind the point, which must come to an end."""
    found = ""
    while part:
        part *= base
        found += ALPHABET[int(part)]
        part -= int(part)
    return found


def _rest(numeration: Numeration) -> tuple[int, int, int]:
    return numeration.source, numeration.target, numeration.cut


def _divided(row: list[int], source: int, target: int) -> str:
    """Long division of a row of digits by the other base; every remainder is a digit.

    By a negative base: the quotient's sign changes every time, and a remainder below zero borrows
    one of the divisor.
    """
    found, negative, size = "", False, abs(target)
    while any(row):
        rest, quotient = 0, []
        for digit in row:
            rest = rest * source + digit
            quotient.append(rest // size)
            rest %= size
        if negative and rest:
            rest = size - rest
            _increase(quotient, source)
        found = ALPHABET[rest] + found
        row = quotient
        if target < 0:
            negative = not negative
    return found or "0"


def _increase(row: list[int], base: int) -> None:
    place = len(row) - 1
    while place >= 0 and row[place] == base - 1:
        row[place] = 0
        place -= 1
    if place < 0:
        row.insert(0, 1)
    else:
        row[place] += 1


def _multiplied(row: list[int], source: int, target: int, most: int) -> tuple[str, bool]:
    """What flows over when the part behind the point is multiplied, and whether any is left."""
    row, found = list(row), ""
    for _ in range(most if most >= 0 else LONGEST):
        carry = 0
        for place in reversed(range(len(row))):
            carry, row[place] = divmod(row[place] * target + carry, source)
        found += ALPHABET[carry]
        if not any(row):
            break
    return found, any(row)


def _example(numeration: Numeration) -> str:
    whole = "1A7" if abs(numeration.target) > 10 else "101"
    return f"{whole}.01" if "." in numeration.digits else whole


LONGEST = 60  # digits behind the point
TASKS = {"whole": ("whole",), "point": ("exact",), "all": ("exact", "cut", "negative")}
LADDER = (
    Knobs(5, 10, 2, "whole"),
    Knobs(12, 16, 2, "whole"),
    Knobs(18, 36, 3, "whole"),
    Knobs(24, 36, 4, "point"),
    Knobs(36, 36, 6, "all"),
)
FAMILY = Family(
    Numeration,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=Numeral(),
    hardness=hardness,
    proof="unique",
    solver="long division of the row of digits",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    twin=twin,
    inputs=("source",),
    skills=("bases", "digits", "calculation"),
    peers=(
        "reasoning-gym/base_conversion",
        "mathematics_dataset/base_conversion",
        "RLVE/negative_base",
    ),
    version=2,
)
