"""Object rules: grids in, grids out, and nothing but examples to tell the rule (as in ARC).

The rule is drawn from a vocabulary of actions and of objects that they are about, which the prompt
does not name. `solve` goes through all rules of the vocabulary up to a size, and answers only if
those that fit all examples agree; `verify` goes the other way round: from the new grid to the
answer by any rule, and asks whether it fits the examples.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _cells
from puzzlemill.generators.induction import _programs
from puzzlemill.generators.induction._objects import COLOURS, KINDS, Lines, possible

SPARE = 5  # examples in store
PLACES = 30  # that are tried for an object
CUT, HOLLOW = 0.25, 0.3  # the chance that an object loses a corner, or is a ring

Grid = _cells.Board[int]  # 0 is an empty cell


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the grids, at most
    objects: int  # in a grid, at most
    steps: int  # in the rule
    examples: int  # or more, where fewer leave a doubt


@dataclass(frozen=True, slots=True)
class Task:
    longest: int  # steps
    examples: tuple[tuple[Grid, Grid], ...]
    case: Grid

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(KINDS)


def generate(rng: Random, knobs: Knobs) -> Task | None:
    values = [_drawn(rng, knobs) for _ in range(1 + knobs.examples + SPARE)]
    kinds = tuple(KINDS)
    found = _programs.posed(rng, LANGUAGE, kinds, knobs.steps, values, knobs.examples)
    task = Task(knobs.steps, *found) if found else None
    # A grid that comes out empty is no answer, and one that an example showed is no question.
    gold = solve(task) if task else None
    if task is None or gold is None or not any(map(any, gold)):
        return None
    return None if gold in [then for _, then in task.examples] else task


def solve(task: Task) -> Grid | None:
    found = _programs.settled(LANGUAGE, task)
    return found[0] if found else None


def verify(task: Task, answer: Grid) -> float:
    if any(cell not in (0, *COLOURS) for row in answer for cell in row):
        return 0.0
    return float(_programs.explained(LANGUAGE, task, answer))


def render(task: Task, style: Style) -> Prompt:
    shown = "\n\n".join(
        f"Input {number}:\n{_cells.drawn(given)}\nOutput {number}:\n{_cells.drawn(then)}"
        for number, (given, then) in enumerate(task.examples, 1)
    )
    case = _cells.drawn(task.case)
    cells = (
        "0 is an empty cell, and the other numbers are colours; cells of one colour that share"
        " sides make up an object"
    )
    return Prompt(
        style.pick(
            f"One rule makes each of these outputs from its input ({cells}).\n\n{shown}\n\nFind"
            f" the simplest rule, and give the output for this input:\n{case}",
            f"Here are grids before and after the same change. In them {cells}.\n\n{shown}\n\nWhat"
            f" does the change make of the grid below?\n\n{case}",
            f"Look for what all these pairs of grids have in common. {cells[0].upper()}{cells[1:]}."
            f"\n\n{shown}\n\nInput {len(task.examples) + 1}:\n{case}\n\nWhich output belongs to the"
            " last input? Every simple rule that fits the pairs gives the same one.",
        ),
        form="the output grid, a line for each row, numbers separated by spaces",
    )


def steps(task: Task) -> list[str]:
    """A rule that fits, and what its steps make of the grid; a bar between rows."""
    return _programs.worked(LANGUAGE, task, _barred)


def canon(task: Task) -> object:
    return [task.longest, sorted(task.examples), task.case]


def hardness(task: Task) -> float:
    """Rules to choose from, by order of magnitude, and the cells to look at."""
    return _programs.to_choose_from(LANGUAGE, task) + len(task.case) * len(task.case[0]) / 10


def _barred(grid: Grid) -> str:
    return " | ".join(" ".join(map(str, row)) for row in grid)


def _drawn(rng: Random, knobs: Knobs) -> Grid:
    """Rectangles, rings and rectangles without a corner, which do not touch one another.

    Cells are bytes of an integer; between rows is one that stays empty.
    """
    high, wide = (rng.randint(max(4, knobs.side - 2), knobs.side) for _ in range(2))
    line = wide + 1
    grid = near = 0  # near: the cells of objects and those around them
    for _ in range(rng.randint(2, knobs.objects)):
        rows, columns, shape = _shape(rng, min(high, wide) // 2, line)
        below, right = high - rows + 1, wide - columns + 1
        for _ in range(PLACES):
            start = 8 * (rng.randrange(below) * line + rng.randrange(right))
            if not near >> start & shape:
                grid |= rng.choice(COLOURS) * shape << start
                near |= _grown(shape << start, line)
                break
    cells = grid.to_bytes(high * line, "little")
    return tuple(tuple(cells[start : start + wide]) for start in range(0, high * line, line))


def _shape(rng: Random, most: int, line: int) -> tuple[int, int, int]:
    """How many rows and columns, and the cells, with so many in a row of the grid."""
    rows, columns = rng.randint(1, most), rng.randint(1, most)
    cells = _rectangle(rows, columns, line)
    if min(rows, columns) > 2 and rng.random() < HOLLOW:
        cells -= _rectangle(rows - 2, columns - 2, line) << 8 * (line + 1)
    elif min(rows, columns) > 1 and rng.random() < CUT:
        right, below = columns - 1, (rows - 1) * line
        cells -= 1 << 8 * rng.choice((0, right, below, below + right))
    return rows, columns, cells


@lru_cache(maxsize=256)
def _rectangle(rows: int, columns: int, line: int) -> int:
    return int.from_bytes((b"\1" * columns).ljust(line, b"\0") * rows, "little")


def _grown(cells: int, line: int) -> int:
    """Some cells and those around them."""
    across = cells | cells << 8 | cells >> 8
    return across | across << 8 * line | across >> 8 * line


def _packed(grid: Grid) -> Lines:
    return tuple(map(bytes, grid))


def _plain(lines: Lines) -> Grid:
    return tuple(map(tuple, lines))


LANGUAGE: _programs.Language[Grid] = _programs.Language(
    KINDS, _packed, _plain, possible, _programs.unlike
)
LADDER = (
    Knobs(5, 3, 1, 3),
    Knobs(7, 4, 1, 3),
    Knobs(9, 6, 1, 3),
    Knobs(8, 5, 2, 3),
    Knobs(10, 6, 2, 3),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Grid(digits=True),
    hardness=hardness,
    proof="unique",
    solver="all rules of the vocabulary up to their size",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("induction", "grids", "spatial"),
    peers=("reasoning-gym/arc_agi", "reasoning-gym/rearc", "Enigmata/arc_agi"),
)
