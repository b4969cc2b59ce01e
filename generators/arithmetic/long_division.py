"""Long division: a division worked on paper, some of whose digits are lost.

Every line of the working is shown with a question mark for each lost digit, and only one division
fits; the remainder can still be read. `solve` tries every divisor and works upwards from the
remainder, digit by digit, and counts what fits; `verify` carries the division out and lays the
working over what is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived

Mark = tuple[int, int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class Knobs:
    divisor: int  # digits
    quotient: int  # digits
    lost: float  # the share of digits lost at first; some come back until one division fits


@dataclass(frozen=True, slots=True)
class Working:
    dividend: str
    divisor: str
    quotient: str
    # For each digit of the quotient: what it is divided into, the product taken off, what is left.
    lines: tuple[tuple[str, str, str], ...]


def generate(rng: Random, knobs: Knobs) -> Working | None:
    divisor = rng.randint(max(10 ** (knobs.divisor - 1), 2), 10**knobs.divisor - 1)
    quotient = rng.randint(10 ** (knobs.quotient - 1), 10**knobs.quotient - 1)
    dividend = divisor * quotient + rng.choice((0, rng.randrange(divisor)))
    texts = _texts(dividend, divisor)
    places = [(line, place) for line, text in enumerate(texts[:-1]) for place in range(len(text))]
    rng.shuffle(places)
    lost = max(round(knobs.lost * len(places)), 2)
    shown = [list(text) for text in texts]
    for line, place in places[:lost]:
        shown[line][place] = LOST
    rivals = list(_fitting(_working(shown), RIVALS))
    if len(rivals) == RIVALS:
        return None
    others = [_texts(*rival) for rival in rivals if rival != (dividend, divisor)]
    for line, place in places[:lost]:  # a digit comes back if that rules a rival out
        apart = [other for other in others if other[line][place] == texts[line][place]]
        if len(apart) < len(others):
            shown[line][place] = texts[line][place]
            others = apart
    return _working(shown)


def solve(working: Working) -> tuple[int, ...] | None:
    found = list(_fitting(working, 2))
    return found[0] if len(found) == 1 else None


def verify(working: Working, answer: tuple[int, ...]) -> float:
    """The answer's own working must agree with what is shown, digit for digit."""
    if len(answer) != 2 or min(answer) < 1:
        return 0.0
    dividend, divisor = answer
    if dividend >= 10 ** len(working.dividend) or divisor > dividend:
        return 0.0
    own, shown = _texts(dividend, divisor), _flat(working)
    return float(
        len(own) == len(shown)
        and all(len(one) == len(other) for one, other in zip(own, shown))
        and all(mark in (LOST, digit) for one, other in zip(own, shown)
                for digit, mark in zip(one, other))
    )  # fmt: skip


def render(working: Working, style: Style) -> Prompt:
    intro = style.pick(
        "Some digits of this long division can no longer be read. Each ? stands for one digit.",
        "Here is a long division with lost digits, each replaced by a question mark.",
        "In the following long division every ? hides one digit; different ones may hide different"
        " digits.",
    )
    rows = [
        f"dividend: {working.dividend}",
        f"divisor: {working.divisor}",
        f"quotient: {working.quotient}",
    ]
    for place, (part, product, rest) in enumerate(working.lines, 1):
        rows.append(f"step {place}: {part} - {product} = {rest}")
    rules = (
        "Step 1 starts from the fewest leading digits of the dividend that make a number not"
        " smaller than the divisor. In each step, the divisor times the digit of the quotient that"
        " belongs to the step is subtracted, which leaves less than the divisor; the next step"
        " brings the next digit of the dividend down behind what is left. No number but 0 itself"
        " begins with 0; where nothing is left, the next step has just that digit. The last step"
        " leaves the remainder of the division."
    )
    table = "\n".join(rows)
    asked = style.pick(
        "Only one division fits. Which are the dividend and the divisor?",
        "Find the dividend and the divisor; there is exactly one possibility.",
        "Restore the digits: what are the dividend and the divisor? The answer is unique.",
    )
    return Prompt(
        style.pick(
            f"{intro}\n\n{table}\n\n{rules}\n\n{asked}",
            f"{intro} {rules}\n\n{table}\n\n{asked}",
        ),
        form="two integers separated by a comma, the dividend and then the divisor, such as"
        " 1000, 12",
    )


def steps(working: Working) -> list[str]:
    """The working with all of its digits."""
    found = solve(working)
    if found is None:
        return []
    full = _working([list(text) for text in _texts(*found)])
    lines = [f"divisor {full.divisor}, quotient {full.quotient}"]
    for digit, (part, product, rest) in zip(full.quotient, full.lines):
        lines.append(f"{digit} * {full.divisor} = {product}, and {part} - {product} = {rest}")
    return [*lines, f"the dividend is {full.dividend}"]


def progress(working: Working, lines: Lines) -> float:
    return results_derived(FAMILY, working, lines)


def hardness(working: Working) -> float:
    """Lost digits, and how long the divisor is that must be found."""
    return sum(text.count(LOST) for text in _flat(working)) * len(working.divisor)


def _texts(dividend: int, divisor: int) -> list[str]:
    """Dividend, divisor and quotient, then part, product and rest of every step."""
    quotient = str(dividend // divisor)
    lines, digits = [], str(dividend)
    begun = len(digits) - len(quotient)
    rest = int(digits[:begun] or 0)
    for place, digit in enumerate(quotient):
        part = rest * 10 + int(digits[begun + place])
        product = divisor * int(digit)
        rest = part - product
        lines += [str(part), str(product), str(rest)]
    return [digits, str(divisor), quotient, *lines]


def _working(shown: list[list[str]]) -> Working:
    dividend, divisor, quotient, *rows = ["".join(text) for text in shown]
    lines = tuple((rows[i], rows[i + 1], rows[i + 2]) for i in range(0, len(rows), 3))
    return Working(dividend, divisor, quotient, lines)


def _flat(working: Working) -> list[str]:
    rows = [text for line in working.lines for text in line]
    return [working.dividend, working.divisor, working.quotient, *rows]


def _fitting(working: Working, most: int) -> Iterator[tuple[int, int]]:
    """Dividends and divisors whose working fits, at most so many."""
    marks = [tuple(map(_mark, line)) for line in working.lines]
    remainder = int(working.lines[-1][2])
    choices = [
        range(place == 0, 10) if mark == LOST else (int(mark),)
        for place, mark in enumerate(working.quotient)
    ]
    divisors = _mark(working.divisor)
    for divisor in range(max(divisors[0], remainder + 1), divisors[1]):
        if not _meets(divisor, divisors):
            continue
        products = [
            [digit * divisor for digit in digits if _meets(digit * divisor, line[1])]
            for digits, line in zip(choices, marks)
        ]
        if not all(products):
            continue
        for dividend in _upwards(working, marks, products, len(products) - 1, remainder, ""):
            yield dividend, divisor
            most -= 1
            if not most:
                return


def _upwards(
    working: Working,
    marks: list[tuple[Mark, ...]],
    products: list[list[int]],
    step: int,
    rest: int,
    tail: str,
) -> Iterator[int]:
    """Dividends, from what a step leaves and the digits that come after it."""
    mark = working.dividend[-1 - len(tail)]
    for product in products[step]:
        part = product + rest
        if not _meets(part, marks[step][0]):
            continue
        if not step:
            if _meets(int(f"{part}{tail}"), _mark(working.dividend)):
                yield int(f"{part}{tail}")
        elif mark in (LOST, str(part % 10)) and _meets(part // 10, marks[step - 1][2]):
            yield from _upwards(
                working, marks, products, step - 1, part // 10, f"{part % 10}{tail}"
            )


def _mark(pattern: str) -> Mark:
    """The least and the least too large number of a length, and the digits that are known."""
    size = len(pattern)
    known = [(10 ** (size - 1 - n), int(d)) for n, d in enumerate(pattern) if d != LOST]
    return 10 ** (size - 1) if size > 1 else 0, 10**size, tuple(known)


def _meets(number: int, mark: Mark) -> bool:
    least, above, known = mark
    if not least <= number < above:
        return False
    for power, digit in known:  # noqa: SIM110 (all() takes twice the time here)
        if number // power % 10 != digit:
            return False
    return True


LOST = "?"
RIVALS = 400  # fitting divisions among which digits are brought back; with more, draw again
LADDER = (
    Knobs(1, 2, 0.2),
    Knobs(1, 3, 0.5),
    Knobs(2, 3, 0.7),
    Knobs(2, 4, 0.8),
    Knobs(3, 5, 0.85),
)
FAMILY = Family(
    Working,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(names=("dividend", "divisor"), notations=("ratio",)),
    hardness=hardness,
    proof="unique",
    solver="every divisor, from the last remainder upwards",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    skills=("digits", "divisibility", "calculation"),
    peers=("mathematics_dataset/div",),
    version=3,
)
