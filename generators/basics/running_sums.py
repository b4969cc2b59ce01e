"""Running sums: the remainder of the sum so far, after each number.

`solve` carries the remainder along; `verify` sums every beginning of the row anew.
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
    modulus: int  # of the remainders


@dataclass(frozen=True, slots=True)
class Row:
    digits: tuple[int, ...]
    modulus: int


def generate(rng: Random, knobs: Knobs) -> Row:
    return Row(tuple(rng.randint(0, 9) for _ in range(knobs.length)), knobs.modulus)


def solve(row: Row) -> tuple[int, ...]:
    rest, found = 0, []
    for digit in row.digits:
        rest = (rest + digit) % row.modulus
        found.append(rest)
    return tuple(found)


def verify(row: Row, rests: tuple[int, ...]) -> float:
    return float(
        len(rests) == len(row.digits)
        and all(sum(row.digits[: at + 1]) % row.modulus == said for at, said in enumerate(rests))
    )


def render(row: Row, style: Style) -> Prompt:
    digits, modulus = "\n".join(marked(map(str, row.digits))), row.modulus
    return Prompt(
        style.pick(
            f"Add these up. What is the sum so far mod {modulus}, line by line?\n{digits}",
            f"After each line, what is the sum so far mod {modulus}?\n{digits}",
            f"Give the sum so far, line after line, mod {modulus}:\n{digits}",
        ),
        form="a remainder for each line, separated by spaces",
    )


def steps(row: Row) -> list[str]:
    before = (0, *solve(row))
    return marked(
        f"{rest}+{digit}={after}"
        for rest, digit, after in zip(before, row.digits, before[1:], strict=False)
    )


def progress(row: Row, lines: Lines) -> float:
    return results_derived(FAMILY, row, lines)


LADDER = (Knobs(2, 4), Knobs(5, 5), Knobs(7, 6), Knobs(9, 7), Knobs(12, 9))
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" "),
    hardness=lambda row: len(row.digits) * row.modulus,
    proof="unique",
    solver="a remainder carried along",
    guess_rate=0.13,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("arithmetic", "tracking"),
    theme="running_totals",
)
