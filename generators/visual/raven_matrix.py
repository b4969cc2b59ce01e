"""Raven matrix: nine panels in rows that follow rules, and the last one is to be chosen.

A panel shows some shapes, all alike. Its four attributes are form, colour, size and number. The
prompt lists the rules that an attribute may follow, and an option is right if with it every
attribute follows one of them in all three rows; exactly one option is. `verify` holds the rules
against the attributes that the puzzle lists; `solve` reads the attributes from the drawn panels and
looks which options keep a rule that it has inferred from the first two rows.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._drawing import area, blank, write
from puzzlemill.generators.visual._looks import LEAST, MOST, PANEL, RADII, RANGE, Look, panel, read
from puzzlemill.generators.visual._picture import GUTTER, Pixels, drawn_once, panels, png, sheet
from puzzlemill.generators.visual._scene import PALETTE

BETWEEN = 6  # pixels of gutter between panels of the matrix
MISSING = 8  # the place of the missing panel


@dataclass(frozen=True, slots=True)
class Knobs:
    moving: int  # attributes that are not the same in all of a row
    hard: float  # how often a size or a number that moves goes up or down or is a sum
    options: int  # panels to choose from


@dataclass(frozen=True, slots=True)
class Matrix:
    shown: tuple[Look, ...]  # the eight panels
    options: tuple[Look, ...]


def generate(rng: Random, knobs: Knobs) -> Matrix | None:
    moving = rng.sample(range(4), knobs.moving)
    columns = []
    for attribute in range(4):
        rule = "same"
        if attribute in moving:
            ordered = ["step"] if attribute == 2 else ["step", "sum"] if attribute == 3 else []
            rule = rng.choice(ordered) if ordered and rng.random() < knobs.hard else "three"
        cells = None
        while cells is None:
            cells = _cells(rng, attribute, rule)
        columns.append(cells)
    panels: list[Look] = [(a, b, c, d) for a, b, c, d in zip(*columns)]
    options = [panels[MISSING]]
    for _ in range(200):
        if len(options) == knobs.options:
            break
        # Any option may be the model of a wrong one, lest the right one be most like all others.
        model, attribute = list(rng.choice(options)), rng.choice([*moving, *range(4)])
        model[attribute] = rng.randrange(RANGE[attribute]) + LEAST[attribute]
        other = (model[0], model[1], model[2], model[3])
        if other not in options and not verify(Matrix(tuple(panels[:MISSING]), (other,)), 1):
            options.append(other)
    rng.shuffle(options)
    matrix = Matrix(tuple(panels[:MISSING]), tuple(options))
    enough = len(options) == knobs.options
    return matrix if enough and solve(matrix) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(matrix: Matrix) -> int | None:
    """Read the panels, find the rules of the first two rows, and try the options in the third."""
    page, choice = _drawn(matrix), _page(matrix)
    shown = []
    for place in range(MISSING):
        row, column = divmod(place, 3)
        top, left = (BETWEEN + step * (PANEL + BETWEEN) for step in (row, column))
        shown.append(read(page[top : top + PANEL, left : left + PANEL]))
    count = len(matrix.options)
    options = [read(each) for each in panels(choice, count, _columns(matrix), PANEL, PANEL)]
    fitting = []
    for place, option in enumerate(options, start=1):
        looks = [*shown, option]
        if all(_rules([look[attribute] if look else -1 for look in looks], attribute)
               for attribute in range(4)) and None not in looks:  # fmt: skip
            fitting.append(place)
    return fitting[0] if len(fitting) == 1 and None not in shown else None


def verify(matrix: Matrix, number: int) -> float:
    if not 1 <= number <= len(matrix.options):
        return 0.0
    columns = list(zip(*matrix.shown, matrix.options[number - 1]))
    for attribute, cells in enumerate(columns):
        rows = [cells[start : start + 3] for start in (0, 3, 6)]
        steps = {(b - a, c - b) for a, b, c in rows}
        same = steps == {(0, 0)}
        even = attribute > 1 and len(steps) == 1 and len(set(steps.pop())) == 1
        three = len(set(rows[0])) == 3 and {frozenset(row) for row in rows} == {frozenset(rows[0])}
        total = attribute == 3 and all(a + b == c for a, b, c in rows)
        rest = attribute == 3 and all(a - b == c for a, b, c in rows)
        if not (same or even or three or total or rest):
            return 0.0
    return 1.0


def render(matrix: Matrix, style: Style) -> Prompt:
    count = len(matrix.options)
    rules = (
        "Form, colour, size and number each follow one of these rules, the same rule in all three"
        " rows: (1) it is the same in the three panels of a row; (2) for size and number: it goes"
        " up from panel to panel, or down, always by the same step, which is the same in all rows"
        f" (there are {len(RADII)} sizes, one step apart); (3) for number: the number in"
        " the third panel is that in the first plus that in the second, or minus it;"
        " (4) the same three different values appear in every row, in any order."
    )
    return Prompt(
        style.pick(
            f"<image>\nEach panel of this matrix shows shapes of one form, colour and size. {rules}"
            f" Which of the {count} panels below belongs in the place with the question mark, so"
            " that all rules hold? Only one does. The number of each stands above it.\n<image>",
            f"The matrix: <image>\nThe options: <image>\n{rules} Where the matrix is empty, one of"
            f" the {count} numbered options makes every attribute follow a rule. Which one is it?",
            f"A matrix of three rows with three panels each has lost its last panel.\n<image>\n"
            f"{rules}\nExactly one of these {count} panels completes it:\n<image>\nWhat is its"
            " number?",
        ),
        form="the number of the panel, as one integer",
        images=(png(_drawn(matrix), PALETTE), png(_page(matrix), PALETTE)),
    )


def hardness(matrix: Matrix) -> float:
    moving = sum(len(set(cells[:3])) > 1 for cells in zip(*matrix.shown))
    sums = sum(len(set(cells[:3])) == 3 for cells in list(zip(*matrix.shown))[2:])
    return moving * 4 + len(matrix.options) + sums


def _cells(rng: Random, attribute: int, rule: str) -> list[int] | None:
    """The nine values of an attribute that follows a rule."""
    least, count = LEAST[attribute], RANGE[attribute]
    values = range(least, least + count)
    match rule:
        case "same":
            return [value for value in (rng.choice(values) for _ in range(3)) for _ in range(3)]
        case "step":
            step = rng.choice([-1, 1] if count < 5 else [-3, -2, -1, 1, 2, 3])
            starts = [rng.choice(values) for _ in range(3)]
            cells = [start + step * place for start in starts for place in range(3)]
        case "sum":
            cells = []
            sign = rng.choice([1, -1])
            for _ in range(3):
                a, b = rng.randint(1, MOST), rng.randint(1, MOST)
                cells += [a, b, a + sign * b]
        case _:
            three = rng.sample(values, 3)
            cells = [value for _ in range(3) for value in rng.sample(three, 3)]
    return cells if all(value in values for value in cells) else None


def _rules(cells: list[int], attribute: int) -> list[str]:
    """The rules that all rows keep."""
    kept = []
    first, second, third = zip(*[iter(cells)] * 3)
    rows = (first, second, third)
    if all(row[0] == row[1] == row[2] for row in rows):
        kept.append("same")
    if attribute >= 2:
        step = first[1] - first[0]
        if all(row[1] == row[0] + step and row[2] == row[1] + step for row in rows):
            kept.append("step")
    if attribute == 3 and all(row[2] == row[0] + row[1] for row in rows):
        kept.append("sum")
    if attribute == 3 and all(row[0] == row[1] + row[2] for row in rows):
        kept.append("less")
    if sorted(first) == sorted(second) == sorted(third) and len({*first}) == 3:
        kept.append("three")
    return kept


@drawn_once
def _drawn(matrix: Matrix) -> Pixels:
    side = 3 * (PANEL + BETWEEN) + BETWEEN
    page = blank(side, side, GUTTER)
    for place in range(9):
        row, column = divmod(place, 3)
        top, left = (BETWEEN + step * (PANEL + BETWEEN) for step in (row, column))
        if place < MISSING:
            page[top : top + PANEL, left : left + PANEL] = panel(matrix.shown[place])
        else:
            area(page, left, top, left + PANEL, top + PANEL, 0)
            _question_mark(page, left + PANEL // 2, top + PANEL // 2)
    return page


def _question_mark(page: Pixels, x: int, y: int) -> None:
    """A 2 without its foot, over a dot."""
    write(page, "2", x, y, 6)
    area(page, x - 15, y + 9, x + 15, y + 22, 0)
    area(page, x - 3, y + 3, x + 3, y + 9)
    area(page, x - 3, y + 15, x + 3, y + 21)


def _columns(matrix: Matrix) -> int:
    return min(len(matrix.options), 4)


@drawn_once
def _page(matrix: Matrix) -> Pixels:
    return sheet([panel(option) for option in matrix.options], _columns(matrix))


LADDER = (
    Knobs(1, 0.3, 4),
    Knobs(2, 0.5, 6),
    Knobs(3, 0.6, 6),
    Knobs(3, 0.8, 8),
    Knobs(4, 1.0, 8),
)
FAMILY = Family(
    Matrix,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("panel",)),
    hardness=hardness,
    proof="unique",
    solver="rules found in the attributes that are read from pixels",
    guess_rate=0.3,
    redraws=True,
    skills=("vision", "induction"),
    version=4,
)
