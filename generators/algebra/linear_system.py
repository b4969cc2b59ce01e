"""Linear system: as many equations as unknowns, with exactly one solution.

`solve` eliminates and so proves that there is no second solution; `verify` puts the values into the
equations, which is all that being a solution means.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.unknowns import Values
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction

Row = tuple[int, ...]  # a coefficient for each unknown, then the right side


@dataclass(frozen=True, slots=True)
class Knobs:
    unknowns: int  # and as many equations
    coefficient: int  # the largest, before fractions are cleared
    value: int  # the largest numerator in the solution
    denominator: int  # the largest in the solution; 1: whole numbers only


@dataclass(frozen=True, slots=True)
class System:
    unknowns: tuple[str, ...]
    equations: tuple[Row, ...]


def generate(rng: Random, knobs: Knobs) -> System | None:
    letters = rng.choice([word for word in ALPHABETS if len(word) >= knobs.unknowns])
    below = rng.randint(2, knobs.denominator) if knobs.denominator > 1 else 1
    values = [_drawn(rng, knobs.value) / rng.choice((1, below)) for _ in range(knobs.unknowns)]
    rows = []
    for _ in values:
        row = [_drawn(rng, knobs.coefficient) * (rng.random() < FILLED) for _ in values]
        right = sum(factor * value for factor, value in zip(row, values))
        rows.append(tuple(int(number * right.denominator) for number in (*row, right)))
    system = System(tuple(letters[: knobs.unknowns]), tuple(rows))
    return system if _triangle(system) else None


def solve(system: System) -> Values | None:
    """Elimination in whole numbers, then values from the last row upwards; None if not unique."""
    triangle = _triangle(system)
    if triangle is None:
        return None
    values: list[Fraction] = []
    for row, _ in reversed(triangle):
        place = len(row) - 2 - len(values)
        known = sum(factor * value for factor, value in zip(row[place + 1 : -1], values))
        values.insert(0, (row[-1] - known) / Fraction(row[place]))
    return tuple(sorted(zip(system.unknowns, values)))


def verify(system: System, answer: Values) -> float:
    values = dict(answer)
    if sorted(values) != sorted(system.unknowns):
        return 0.0
    solution = [values[name] for name in system.unknowns]
    return float(
        all(
            sum(factor * value for factor, value in zip(row, solution)) == row[-1]
            for row in system.equations
        )
    )


def render(system: System, style: Style) -> Prompt:
    equations = "\n".join(_text(row, system.unknowns) for row in system.equations)
    names = f"{', '.join(system.unknowns[:-1])} and {system.unknowns[-1]}"
    example = ", ".join(f"{name} = ..." for name in system.unknowns)
    return Prompt(
        style.pick(
            f"Solve this system of equations for {names}:\n\n{equations}",
            f"The numbers {names} satisfy all of these equations:\n\n{equations}\n\n"
            "There is exactly one solution. What is it?",
            f"Find {names}:\n\n{equations}",
        ),
        form=f"the value of every unknown, written as {example} (each value an integer or an exact"
        " fraction such as -3/2)",
    )


def steps(system: System) -> list[str]:
    """Each new equation of the elimination, then the values from the last to the first."""
    names = system.unknowns
    triangle = _triangle(system) or []
    solution = dict(solve(system) or ())
    lines = [line for _, working in triangle for line in working]
    for (row, _), name in zip(reversed(triangle), reversed(names)):
        lines.append(f"{_text(row, names)}, so {name} = {solution[name]}")
    return lines


def hardness(system: System) -> float:
    digits = sum(len(str(abs(number))) for row in system.equations for number in row)
    return len(system.unknowns) * digits


def canon(system: System) -> list[Row]:
    """Unknowns and equations in an order of their own, equations in lowest terms, names gone."""
    rows = [_lowest(row) for row in system.equations]
    rows = [max(row, _negated(row), key=lambda row: (row[-1], sorted(row[:-1]))) for row in rows]

    def looks(column: int) -> list[tuple[int, Row]]:
        return sorted((row[column], (row[-1], *sorted(row[:-1]))) for row in rows)

    order = sorted(range(len(rows)), key=looks)
    return sorted((*(row[column] for column in order), row[-1]) for row in rows)


def _drawn(rng: Random, most: int) -> Fraction:
    return Fraction(rng.choice((-1, 1)) * rng.randint(1, most))


@lru_cache(maxsize=2)
def _triangle(system: System) -> list[tuple[Row, list[str]]] | None:
    """Rows whose nth is the first to lack the unknowns before n, each with the working that it
    gave rise to; None where there is no such triangle, and so no single solution."""
    rows = list(system.equations)
    found = []
    for column, name in enumerate(system.unknowns):
        able = [row for row in rows if row[column]]
        if not able:
            return None
        pivot = min(able, key=lambda row: (abs(row[column]), rows.index(row)))
        rows.remove(pivot)
        working = []
        for place, row in enumerate(rows):
            if row[column]:
                rows[place] = _without(column, row, pivot)
                before, after = (_text(line, system.unknowns) for line in (row, rows[place]))
                working.append(f"{before} without {name}: {after}")
        if working:
            working.insert(0, f"Take {name} from {_text(pivot, system.unknowns)}")
        found.append((pivot, working))
    return found


def _without(column: int, row: Row, pivot: Row) -> Row:
    """The row plus a multiple of the pivot that cancels the column, in whole numbers."""
    shared = lcm(row[column], pivot[column])
    up, down = shared // row[column], shared // pivot[column]
    return _lowest(tuple(up * mine - down * other for mine, other in zip(row, pivot)))


def _lowest(row: Row) -> Row:
    divisor = gcd(*row) or 1
    return tuple(number // divisor for number in row)


def _negated(row: Row) -> Row:
    return tuple(-number for number in row)


def _text(row: Row, names: tuple[str, ...]) -> str:
    """2x - y = 7"""
    parts = [
        f"{'-' if factor < 0 else '+'} {abs(factor) if abs(factor) > 1 else ''}{name}"
        for factor, name in zip(row, names)
        if factor
    ]
    left = " ".join(parts).removeprefix("+ ") or "0"
    return f"{'-' + left[2:] if left.startswith('- ') else left} = {row[-1]}"


ALPHABETS = ("xyz", "xyzw", "abcd", "pqrstuvw", "abcdfghk")  # without e, i, l and o
FILLED = 0.85  # the share of coefficients that are not zero
LADDER = (
    Knobs(2, 3, 6, 1),
    Knobs(2, 9, 15, 1),
    Knobs(3, 9, 20, 2),
    Knobs(5, 12, 30, 4),
    Knobs(7, 20, 50, 7),
)
FAMILY = Family(
    System,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Unknowns(),
    hardness=hardness,
    proof="unique",
    solver="elimination in whole numbers",
    guess_rate=0.06,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("equations", "calculation"),
    peers=(
        "reasoning-core/equation_system",
        "RLVE/gaussian_elimination",
        "mathematics_dataset/linear_2d",
    ),
)
