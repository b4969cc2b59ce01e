"""Table extremes: in which row, or in which column, of a table something is greatest or least.

Several questions at once, so that the names cannot be guessed; none has two answers. `solve` works
with lists of exact numbers; `verify` checks that no other name would do better, by differences
of whole numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from statistics import median, pvariance
from string import ascii_lowercase
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.tables._table import SAID, Layout, Row, shown
from puzzlemill.generators.words._pool import pool

Question: TypeAlias = tuple[str, str, str]  # row or column, measure, end
Numbers: TypeAlias = tuple[int, ...]

LAYOUTS: tuple[Layout, ...] = ("markdown", "csv", "json", "html")
MEASURES: dict[str, tuple[str, Callable[[Numbers], Fraction]]] = {
    "sum": ("sum", lambda numbers: Fraction(sum(numbers))),
    "spread": (
        "difference between its greatest and its least number",
        lambda numbers: Fraction(max(numbers) - min(numbers)),
    ),
    "peak": ("largest number", lambda numbers: Fraction(max(numbers))),
    "median": (
        "median (the middle number in order of size, or the mean of the two middle ones)",
        lambda numbers: Fraction(median(map(Fraction, numbers))),
    ),
    "variance": (
        "variance (the mean of the squared distances from the mean)",
        lambda numbers: Fraction(pvariance(map(Fraction, numbers))),
    ),
}


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the table
    columns: int  # of the table
    digits: int  # of the largest numbers
    questions: int  # asked at once
    measures: int  # of those there are, how many may come


@dataclass(frozen=True, slots=True)
class Sheet:
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[Numbers, ...]
    layout: Layout
    questions: tuple[Question, ...]


def generate(rng: Random, knobs: Knobs) -> Sheet | None:
    rows = tuple(rng.sample(pool(4, 6), knobs.rows))
    columns = tuple(rng.sample(ascii_lowercase[1:8] + ascii_lowercase[9:], knobs.columns))
    most = 10**knobs.digits - 1
    numbers = tuple(tuple(rng.randint(1, most) for _ in columns) for _ in rows)
    everything = [
        (side, measure, end)
        for side in ("row", "column")
        for measure in tuple(MEASURES)[: knobs.measures]
        for end in ("greatest", "least")
    ]
    questions = rng.sample(everything, min(knobs.questions, len(everything)))
    sheet = Sheet(rows, columns, numbers, rng.choice(LAYOUTS), tuple(questions))
    return sheet if solve(sheet) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(sheet: Sheet) -> tuple[str, ...] | None:
    found = []
    for side, measure, end in sheet.questions:
        values = {
            name: MEASURES[measure][1](numbers) for name, numbers in _named(sheet, side).items()
        }
        best = max(values.values()) if end == "greatest" else min(values.values())
        names = [name for name, value in values.items() if value == best]
        if len(names) != 1:
            return None
        found.append(names[0])
    return tuple(found)


def verify(sheet: Sheet, names: tuple[str, ...]) -> float:
    if len(names) != len(sheet.questions):
        return 0.0
    for (side, measure, end), name in zip(sheet.questions, names, strict=True):
        of = sheet.rows if side == "row" else sheet.columns
        if name not in of:
            return 0.0
        lines = sheet.numbers if side == "row" else tuple(zip(*sheet.numbers))
        own = _whole(measure, lines[of.index(name)])
        sign = 1 if end == "greatest" else -1
        others = [_whole(measure, line) for other, line in zip(of, lines) if other != name]
        if any(sign * (own - value) <= 0 for value in others):
            return 0.0
    return 1.0


def render(sheet: Sheet, style: Style) -> Prompt:
    lines: list[Row] = [
        (name, *numbers) for name, numbers in zip(sheet.rows, sheet.numbers, strict=True)
    ]
    table = shown(("name", *sheet.columns), lines, sheet.layout)
    asked = "\n".join(
        f"{number}. Which {side} has the {end} {MEASURES[measure][0]}?"
        for number, (side, measure, end) in enumerate(sheet.questions, 1)
    )
    about = 'A row is named by its word under "name", a column by its letter'
    return Prompt(
        style.pick(
            f"{table}\n\n{asked}\n\n{about}.",
            f"Table ({SAID[sheet.layout]}):\n\n{table}\n\nAnswer these questions about the"
            f" numbers:\n{asked}\n\n{about}, and no question has two right answers.",
            f"{about}. Find out from the table below:\n{asked}\n\n{table}",
        ),
        form=(
            f"the {len(sheet.questions)} names in the order of the questions, separated by spaces"
            if len(sheet.questions) > 1
            else "one name"
        ),
    )


def steps(sheet: Sheet) -> list[str]:
    lines = []
    for number, (side, measure, end) in enumerate(sheet.questions, 1):
        values = ", ".join(
            f"{name} {MEASURES[measure][1](numbers)}"
            for name, numbers in _named(sheet, side).items()
        )
        lines.append(f"{number}. {measure} of each {side}: {values}; the {end} is asked for")
    return lines


def hardness(sheet: Sheet) -> float:
    """Numbers to go through, for each question."""
    return len(sheet.rows) * len(sheet.columns) * len(sheet.questions)


def _named(sheet: Sheet, side: str) -> dict[str, Numbers]:
    if side == "row":
        return dict(zip(sheet.rows, sheet.numbers, strict=True))
    return dict(zip(sheet.columns, zip(*sheet.numbers), strict=True))


def _whole(measure: str, line: Numbers) -> int:
    """A whole number that grows with the measure, for lines of the same length."""
    ordered, count = sorted(line), len(line)
    match measure:
        case "sum":
            return sum(line)
        case "spread":
            return ordered[-1] - ordered[0]
        case "peak":
            return ordered[-1]
        case "median":
            return ordered[count // 2] + ordered[(count - 1) // 2]
        case _:
            return count * sum(number * number for number in line) - sum(line) ** 2


LADDER = (
    Knobs(3, 3, 1, 3, 1),
    Knobs(5, 4, 2, 4, 3),
    Knobs(8, 6, 2, 5, 4),
    Knobs(12, 8, 3, 6, 5),
    Knobs(18, 12, 3, 7, 5),
)
FAMILY = Family(
    Sheet,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    hardness=hardness,
    proof="unique",
    solver="the measure of each row or column",
    guess_rate=0.12,
    steps=steps,
    redraws=True,
    skills=("calculation", "comparison"),
    peers=("reasoning-core/table_statistics",),
    version=2,
)
