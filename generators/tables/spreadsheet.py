"""Spreadsheet: formulas look at other cells, and some were copied; what does a cell show?

`solve` goes from the cell down to what it depends on; `verify` works all cells out from the numbers
up, by putting values into the formulas.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.tables import _formulas
from puzzlemill.generators.tables._formulas import name, place

LARGEST = 20_000  # of the values
SIGNS = ("<", ">", "<=", ">=")


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the sheet
    columns: int  # of the sheet
    numbers: int  # columns of numbers
    copied: float  # share of columns of formulas that are copies of their first cell


@dataclass(frozen=True, slots=True)
class Sheet:
    cells: tuple[tuple[str, ...], ...]  # numbers, formulas, or ~ and the cell that was copied
    asked: str


def generate(rng: Random, knobs: Knobs) -> Sheet | None:
    """Formulas look to the left and up."""
    rows, columns = knobs.rows, knobs.columns
    cells = [[str(rng.randint(1, 20)) for _ in range(columns)] for _ in range(rows)]
    for column in range(knobs.numbers, columns):
        copied = rng.random() < knobs.copied
        for row in range(rows):
            first = name(0, column)
            cells[row][column] = (
                f"~{first}" if copied and row else _formula(rng, row, column, rows, copied)
            )
    known = {
        name(row, column): cells[row][column] for row in range(rows) for column in range(columns)
    }
    found = _formulas.values(known)
    if not found or max(map(abs, found.values())) > LARGEST:
        return None
    depth = _depths(known)
    plain = [cell for cell in known if "COUNTIF" not in _formulas.formula_of(known, cell)]
    deepest = max(depth[cell] for cell in plain)
    asked = rng.choice([cell for cell in plain if depth[cell] == deepest])
    return Sheet(tuple(map(tuple, cells)), asked)


def solve(sheet: Sheet) -> int:
    return _formulas.value(_named(sheet), sheet.asked)


def verify(sheet: Sheet, shown: int) -> float:
    return float(_formulas.values(_named(sheet)).get(sheet.asked) == shown)


def render(sheet: Sheet, style: Style) -> Prompt:
    columns = [chr(ord("A") + at) for at in range(len(sheet.cells[0]))]
    copies = any(text.startswith("~") for row in sheet.cells for text in row)
    shown = [[_shown(text) for text in row] for row in sheet.cells]
    grid = "\n".join(
        ["| | " + " | ".join(columns) + " |", "|" + "---|" * (len(columns) + 1)]
        + [f"| {at} | {' | '.join(row)} |" for at, row in enumerate(shown, 1)]
    )
    listed = "\n".join(f"{cell}: {_shown(text)}" for cell, text in _named(sheet).items())
    moved = (
        ' "copy of D1" means that the formula of D1 was copied into the cell: its references move'
        " along by as many columns and rows as the copy is away from D1, except a column letter or"
        " row number with a $ before it."
        if copies
        else ""
    )
    rules = (
        "Formulas begin with =. A1:B3 is the range of all cells from A1 to B3, COUNTIF counts the"
        " cells of a range that meet a condition, and IF(condition, a, b) is a if the condition is"
        f" true and else b.{moved}"
    )
    return Prompt(
        style.pick(
            f"A spreadsheet:\n\n{grid}\n\n{rules} Which number does cell {sheet.asked} show?",
            f"The cells of a spreadsheet hold the following.\n\n{listed}\n\n{rules} What is the"
            f" value of {sheet.asked}?",
            f"Work out cell {sheet.asked} of this spreadsheet.\n\n{grid}\n\n{rules}",
        ),
        form="an integer",
    )


def steps(sheet: Sheet) -> list[str]:
    """The cells that the asked one depends on, from the numbers up."""
    known, found = _named(sheet), _formulas.values(_named(sheet))
    depth, needed = _depths(known), {sheet.asked}
    waiting = [sheet.asked]
    while waiting:
        fresh = set(_formulas.inputs_of(_formulas.formula_of(known, waiting.pop()))) - needed
        needed |= fresh
        waiting += sorted(fresh)
    order = sorted((cell for cell in needed if depth[cell]), key=lambda cell: (depth[cell], cell))
    return [f"{cell} {_formulas.formula_of(known, cell)}: {found[cell]}" for cell in order]


def hardness(sheet: Sheet) -> float:
    """Formulas on the way, and the cells that they look at."""
    known = _named(sheet)
    return sum(len(_formulas.inputs_of(_formulas.formula_of(known, cell))) for cell in known)


def _named(sheet: Sheet) -> dict[str, str]:
    return {
        name(row, column): text
        for row, line in enumerate(sheet.cells)
        for column, text in enumerate(line)
    }


def _shown(text: str) -> str:
    if text.startswith("~"):
        return f"copy of {text[1:]}"
    return text.replace(",", ", ")


def _depths(known: dict[str, str]) -> dict[str, int]:
    """How many formulas stand on top of one another below each cell."""
    found: dict[str, int] = {}
    for cell in sorted(known, key=lambda cell: (place(cell)[1], place(cell)[0])):
        inputs = _formulas.inputs_of(_formulas.formula_of(known, cell))
        found[cell] = 1 + max(found[each] for each in inputs) if inputs else 0
    return found


def _formula(rng: Random, row: int, column: int, rows: int, copied: bool) -> str:
    def cells(count: int) -> list[str]:
        """To the left, all different; of a formula that is copied down some rows stay."""
        found: dict[str, str] = {}
        while len(found) < count:
            across, at = chr(ord("A") + rng.randrange(column)), rng.randint(1, rows)
            held = copied and rng.random() < 0.3
            at = at if held or not copied else row + 1
            found.setdefault(f"{across}{at}", f"{across}{'$' * held}{at}")
        return list(found.values())

    def area() -> str:
        left = rng.randrange(column)
        if copied:
            if rng.random() < 0.5:
                return f"{chr(ord('A') + left)}$1:{chr(ord('A') + left)}{row + 1}"
            return f"{chr(ord('A') + left)}{row + 1}:{chr(ord('A') + column - 1)}{row + 1}"
        top = rng.randrange(rows)
        bottom, right = rng.randrange(top, rows), rng.randrange(left, column)
        return f"{name(top, left)}:{name(bottom, right)}"

    number = rng.randint(2, 9)
    one, two, three = cells(3)
    compared = f"{one}{rng.choice(SIGNS)}{two}"
    return "=" + rng.choice(
        (
            f"{one}+{two}-{three}",
            f"{one}*{number}-{two}",
            f"{one}-{number}*{two}",
            f"{one}+{two}*{rng.randint(2, 3)}",
            f"{rng.choice(('SUM', 'MIN', 'MAX'))}({area()})",
            f'COUNTIF({area()},"{rng.choice(SIGNS)}{rng.randint(4, 16)}")',
            f"IF({compared},{rng.choice((one, two))},{three}+{number})",
        )
    )


LADDER = (
    Knobs(3, 3, 2, 0.0),
    Knobs(3, 4, 2, 0.3),
    Knobs(4, 5, 2, 0.4),
    Knobs(5, 6, 2, 0.5),
    Knobs(6, 8, 2, 0.6),
)
FAMILY = Family(
    Sheet,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="recursion from the asked cell",
    guess_rate=0.12,
    steps=steps,
    skills=("tables", "arithmetic", "tracking"),
)
