"""Paper folding: a sheet is folded, turned over and punched; where its holes are once it is open.

`solve` undoes everything from the last act back: a hole that lies on a fold's flap has a twin where
the flap came from. `verify` follows each square of the sheet forwards instead, through every fold,
and sees whether a punch falls on it.
"""

from dataclasses import dataclass
from itertools import pairwise
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import Cell, cells

SIDES = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
MOST = 90  # holes; a longer answer would test patience

# ("left", 3, 0): the three leftmost columns of the packet are folded over to the right.
# ("flip", 0, 0): turned over like a page, left and right changing places; ("flip", 1, 0): top and
# bottom. ("punch", 4, 2): through the square of row 4 and column 2, both from 1.
Act = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # of the sheet, or one less or more
    folds: int  # of the sheet
    punches: int  # through the folded sheet
    flips: int  # times that the packet is turned over


@dataclass(frozen=True, slots=True)
class Sheet:
    rows: int
    columns: int
    acts: tuple[Act, ...]


def generate(rng: Random, knobs: Knobs) -> Sheet | None:
    rows = knobs.side + rng.randrange(-1, 2) * (knobs.side > 4)
    columns = knobs.side + rng.randrange(-1, 2) * (knobs.side > 4)
    folding = ["fold"] * knobs.folds
    for _ in range(knobs.flips):
        folding.insert(rng.randrange(1, len(folding) + 1), "flip")
    # The last act is a punch; the others come anywhere after the first fold.
    for _ in range(knobs.punches - 1):
        folding.insert(rng.randrange(1, len(folding) + 1), "punch")
    acts: list[Act] = []
    box = (0, rows, 0, columns)
    for what in [*folding, "punch"]:
        act = _act(rng, what, box)
        if act is None:
            return None
        acts.append(act)
        box = _smaller(box, act)
    sheet = Sheet(rows, columns, tuple(acts))
    holes = len(solve(sheet))
    useless = any(
        len(solve(Sheet(rows, columns, (*acts[:place], *acts[place + 1 :])))) == holes
        for place, act in enumerate(acts)
        if act[0] == "punch"
    )
    idle = any(a[0] == b[0] == "flip" and a[1] == b[1] for a, b in pairwise(acts))
    return None if useless or idle or holes > MOST else sheet


def solve(sheet: Sheet) -> tuple[Cell, ...]:
    """Undoes everything from the end."""
    boxes = [(0, sheet.rows, 0, sheet.columns)]
    for act in sheet.acts:
        boxes.append(_smaller(boxes[-1], act))
    holes: set[Cell] = set()
    for (what, count, other), (top, bottom, left, right) in zip(
        reversed(sheet.acts), reversed(boxes[:-1])
    ):
        match what:
            case "punch":
                holes.add((count - 1, other - 1))
            case "flip":
                holes = {
                    (top + bottom - 1 - row, column) if count else (row, left + right - 1 - column)
                    for row, column in holes
                }
            case "left":
                line = left + count
                holes |= {(row, 2 * line - 1 - c) for row, c in holes if c < line + count}
            case "right":
                line = right - count
                holes |= {(row, 2 * line - 1 - c) for row, c in holes if c >= line - count}
            case "top":
                line = top + count
                holes |= {(2 * line - 1 - r, column) for r, column in holes if r < line + count}
            case "bottom":
                line = bottom - count
                holes |= {(2 * line - 1 - r, column) for r, column in holes if r >= line - count}
    return tuple(sorted((row + 1, column + 1) for row, column in holes))


def verify(sheet: Sheet, holes: tuple[Cell, ...]) -> float:
    said = set(holes)
    if len(said) != len(holes):
        return 0.0
    lies = {cell: cell for cell in cells(sheet.rows, sheet.columns)}
    punched = set()
    for what, count, other in sheet.acts:
        places = set(lies.values())
        rows, columns = {row for row, _ in places}, {column for _, column in places}
        if what == "punch":
            punched |= {cell for cell, place in lies.items() if place == (count - 1, other - 1)}
            continue
        # A fold or a flip mirrors the squares of a few rows or columns.
        axis, line = (1, columns) if what in ("left", "right") else (0, rows)
        if what == "flip":
            axis, line = (0, rows) if count else (1, columns)
        order = sorted(line)
        moved = set(order)
        if what in ("left", "top"):
            order, moved = order[: 2 * count], set(order[:count])
        elif what in ("right", "bottom"):
            order, moved = order[-2 * count :], set(order[-count:])
        mirror = {place: order[-1] + order[0] - place for place in moved}
        for cell, place in lies.items():
            if place[axis] in mirror:
                to = mirror[place[axis]]
                lies[cell] = (to, place[1]) if axis == 0 else (place[0], to)
    return float(said == {(row + 1, column + 1) for row, column in punched})


def render(sheet: Sheet, style: Style) -> Prompt:
    acts = "\n".join(f"{n}. {_told(act, style)}" for n, act in enumerate(sheet.acts, start=1))
    flips = any(act[0] == "flip" for act in sheet.acts)
    size = style.pick(
        f"{sheet.rows} rows and {sheet.columns} columns of squares",
        f"squares, in {sheet.rows} rows and {sheet.columns} columns",
    )
    counted = (
        "Row 1 is the top row and column 1 the leftmost column of the open sheet. These numbers"
        " belong to places on the table: they stay where they are while paper is folded over them"
    )
    turned = (
        " (turning the packet over leaves it on the same squares of the table)" if flips else ""
    )
    return Prompt(
        style.pick(
            f"A sheet of paper is divided into {size}. It lies on a table. {counted}{turned}.\n"
            f"{acts}\nA punch goes through all layers that lie on that square at that time. Now"
            " everything is unfolded, and the sheet lies as at the start. Which of its squares have"
            " a hole?",
            f"Take a sheet with {size}, lying flat. {counted}{turned}. Each hole is punched"
            f" through every layer of paper that there is at its place.\n{acts}\nFinally the sheet"
            " is opened again and put back as it was. Name all squares with a hole.",
            f"Folding and punching: the paper is ruled into {size}. {counted}{turned}.\nWhat is"
            f" done:\n{acts}\nThe punch cuts all layers at once. Undo all the folds"
            f"{' and turns' if flips else ''}, so that the sheet lies as in the beginning: where"
            " are the holes?",
        ),
        form="all squares with a hole as (row, column) pairs in any order, such as (20, 31),"
        " (42, 17)",
    )


def steps(sheet: Sheet) -> list[str]:
    """The holes, as one act after another is undone."""
    lines = []
    for place in range(len(sheet.acts) - 1, -1, -1):
        what, count, other = sheet.acts[place]
        before = _held(sheet, place)
        told = ", ".join(f"({row}, {column})" for row, column in before)
        name = f"{what} {count} {other}" if what == "punch" else f"{what} {count}"
        lines.append(f"before {name}: {told}")
    return lines


def canon(sheet: Sheet) -> object:
    """A sheet may be looked at in a mirror, or turned on its side."""
    return min(
        repr(_laid(sheet, across, down, aside))
        for across in (False, True)
        for down in (False, True)
        for aside in (False, True)
    )


def hardness(sheet: Sheet) -> float:
    return len(solve(sheet)) + len(sheet.acts)


def _act(rng: Random, what: str, box: tuple[int, int, int, int]) -> Act | None:
    top, bottom, left, right = box
    if what == "punch":
        return "punch", rng.randrange(top, bottom) + 1, rng.randrange(left, right) + 1
    if what == "flip":
        return "flip", rng.randrange(2), 0
    ways = [side for side in SIDES if _breadth(box, side) > 1]
    if not ways:
        return None
    side = rng.choice(ways)
    return side, rng.randrange(1, _breadth(box, side) // 2 + 1), 0


def _breadth(box: tuple[int, int, int, int], side: str) -> int:
    top, bottom, left, right = box
    return right - left if side in ("left", "right") else bottom - top


def _smaller(box: tuple[int, int, int, int], act: Act) -> tuple[int, int, int, int]:
    """What the packet covers after an act: rows from, up to, columns from, up to."""
    top, bottom, left, right = box
    match act[0]:
        case "left":
            return top, bottom, left + act[1], right
        case "right":
            return top, bottom, left, right - act[1]
        case "top":
            return top + act[1], bottom, left, right
        case "bottom":
            return top, bottom - act[1], left, right
    return box


def _held(sheet: Sheet, place: int) -> tuple[Cell, ...]:
    """The holes that the acts from a place on make, on the packet as it lies before them."""
    top, bottom, left, right = 0, sheet.rows, 0, sheet.columns
    for act in sheet.acts[:place]:
        top, bottom, left, right = _smaller((top, bottom, left, right), act)
    acts = tuple(
        (what, a - top, b - left) if what == "punch" else (what, a, b)
        for what, a, b in sheet.acts[place:]
    )
    return tuple(
        (row + top, column + left) for row, column in solve(Sheet(bottom - top, right - left, acts))
    )


def _laid(sheet: Sheet, across: bool, down: bool, aside: bool) -> tuple[int, int, list[Act]]:
    acts = []
    for what, a, b in sheet.acts:
        act = (what, a, b)
        if what == "punch":
            act = (
                what,
                sheet.rows + 1 - a if down else a,
                sheet.columns + 1 - b if across else b,
            )
        elif (across and what in ("left", "right")) or (down and what in ("top", "bottom")):
            act = (SIDES[what], a, b)
        what, a, b = act
        if aside:
            leaned = {"left": "top", "top": "left", "right": "bottom", "bottom": "right"}
            act = (leaned.get(what, what), *((b, a) if what == "punch" else (a, b)))
            act = ("flip", 1 - a, 0) if what == "flip" else act
        acts.append(act)
    rows, columns = (sheet.columns, sheet.rows) if aside else (sheet.rows, sheet.columns)
    return rows, columns, acts


def _told(act: Act, style: Style) -> str:
    what, a, b = act
    if what == "punch":
        return style.pick(
            f"A hole is punched at row {a}, column {b}.",
            f"Punch through the square in row {a}, column {b}.",
        )
    if what == "flip":
        way = "top edge and the bottom edge" if a else "left edge and the right edge"
        return style.pick(
            f"The packet is turned over as a whole, so that the {way} change places.",
            f"Turn the packet over so that the {way} are swapped.",
        )
    lines = "row" if what in ("top", "bottom") else "column"
    end = {"left": "leftmost", "right": "rightmost"}.get(what, what)
    many = f"{end} {lines}" if a == 1 else f"{a} {end} {lines}s"
    to = {"left": "to the right", "right": "to the left", "top": "downwards",
          "bottom": "upwards"}[what]  # fmt: skip
    return style.pick(
        f"The {many} of the packet {'is' if a == 1 else 'are'} folded over {to}, onto the rest.",
        f"Fold the {many} of what lies there over {to}.",
        f"The {many} (of the paper as it now lies): folded over {to}.",
    )


LADDER = (
    Knobs(6, 1, 1, 0),
    Knobs(8, 2, 2, 0),
    Knobs(10, 3, 3, 1),
    Knobs(12, 5, 4, 2),
    Knobs(15, 7, 5, 3),
)
FAMILY = Family(
    Sheet,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(ordered=False),
    hardness=hardness,
    proof="unique",
    solver="undoing the folds",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("spatial", "symmetry"),
    peers=("reasoning-core/spatial_folding",),
    version=2,
)
