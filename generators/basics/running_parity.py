"""Running parity: whether the sum so far is even or odd, after each number.

One parity could be guessed; a whole row of them cannot. `solve` carries the parity along; `verify`
sums every beginning of the row anew.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.basics._lines import marked


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # how many digits


@dataclass(frozen=True, slots=True)
class Row:
    digits: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Row:
    return Row(tuple(rng.randint(0, 9) for _ in range(knobs.length)))


def solve(row: Row) -> tuple[int, ...]:
    parity, found = 0, []
    for digit in row.digits:
        parity ^= digit % 2
        found.append(parity)
    return tuple(found)


def verify(row: Row, parities: tuple[int, ...]) -> float:
    return float(
        len(parities) == len(row.digits)
        and all(sum(row.digits[: at + 1]) % 2 == said for at, said in enumerate(parities))
    )


def render(row: Row, style: Style) -> Prompt:
    digits = "\n".join(marked(map(str, row.digits)))
    return Prompt(
        style.pick(
            f"Add these up. Is the sum so far even (0) or odd (1), line by line?\n{digits}",
            f"After each line, is the sum so far even (0) or odd (1)?\n{digits}",
            f"Sum so far, line after line: even (0) or odd (1)?\n{digits}",
        ),
        form="a 0 or 1 for each line, separated by spaces",
    )


def steps(row: Row) -> list[str]:
    before = (0, *solve(row))
    return marked(
        f"{parity}+{digit}={after}"
        for parity, digit, after in zip(before, row.digits, before[1:], strict=False)
    )


def progress(row: Row, lines: Lines) -> float:
    return results_derived(FAMILY, row, lines)


LADDER = (Knobs(3), Knobs(5), Knobs(8), Knobs(12), Knobs(16))
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" ", notations=("digits",)),
    hardness=lambda row: len(row.digits),
    proof="unique",
    solver="a parity carried along",
    guess_rate=0.13,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("arithmetic", "tracking"),
    theme="running_totals",
)
