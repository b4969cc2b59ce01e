"""Rectangle count: lines drawn with - | and +; how many rectangles of any size they form.

What counts is what can be seen: four + as corners, joined by sides without a gap. So overlaps are
no riddle, and the number follows from the picture alone. `solve` goes out from each corner;
`verify` takes two rows at a time and counts the pairs of uprights that stand between them.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import turns

TRIES = 40  # pictures drawn afresh until one has as many rectangles as it should
DENSE = bytes.maketrans(b".-|+", bytes(range(4)))
SWAPPED = bytes.maketrans(bytes((1, 2)), bytes((2, 1)))
GAP = 0.3  # how often a line is broken, for each rectangle drawn


@dataclass(frozen=True, slots=True)
class Knobs:
    lines: int  # rows and columns of the picture in which corners may lie
    most: int  # rectangles to be seen; at least a third of them


@dataclass(frozen=True, slots=True)
class Canvas:
    rows: tuple[str, ...]  # + - | and . for nothing


def generate(rng: Random, knobs: Knobs) -> Canvas | None:
    least = 1 + (knobs.most > 8)  # one rectangle, or two, are no riddle
    target = rng.randrange(max(knobs.most // 3, 2), knobs.most + 1)
    for _ in range(TRIES):
        across, down = (_places(rng, knobs.lines, widest) for widest in (4, 2))
        sides, posts = [0] * knobs.lines, [0] * knobs.lines  # a bit for each piece of a line
        for drawn in range(1, knobs.lines * 3):
            _draw(rng, knobs.lines, sides, posts)
            if drawn > 1 and rng.random() < GAP:
                for pieces in (sides, posts):
                    row, column = rng.choice(_placed(pieces))
                    pieces[row] ^= 1 << column
            count = _formed(sides, posts)
            if count == target and drawn > least:
                return Canvas(_pictured(across, down, _placed(sides), _placed(posts)))
            if count > target:
                break
    return None


def solve(canvas: Canvas) -> int:
    """From each corner at the top left, along the top and down from each of its crossings."""
    rows, count = canvas.rows, 0
    for top, line in enumerate(rows[:-1]):
        for left in range(len(line)):
            if line[left] != "+" or rows[top + 1][left] not in "|+":
                continue
            for right in range(left + 1, len(line)):
                if line[right] not in "-+":
                    break
                if line[right] == "+":
                    count += _closed(rows, top, left, right)
    return count


def verify(canvas: Canvas, count: int) -> float:
    runs = []  # for each row, the columns of its +, and which unbroken run each belongs to
    for line in canvas.rows:
        run, marks = 0, {}
        for column, sign in enumerate(line):
            run += sign not in "-+"
            if sign == "+":
                marks[column] = run
        runs.append(marks)
    total = 0
    for top, bottom in combinations([row for row, marks in enumerate(runs) if marks], 2):
        between = canvas.rows[top + 1 : bottom]
        stand: Counter[tuple[int, int]] = Counter(
            (runs[top][column], runs[bottom][column])
            for column in runs[top].keys() & runs[bottom].keys()
            if all(line[column] in "|+" for line in between)
        )
        total += sum(many * (many - 1) // 2 for many in stand.values())
    return float(count == total)


def render(canvas: Canvas, style: Style) -> Prompt:
    picture = "\n".join(canvas.rows)
    rule = style.pick(
        "A rectangle has a + at each of its four corners; its upper and lower sides are unbroken"
        " runs of - and +, its left and right sides unbroken runs of | and +. Lines may cross it or"
        " lie inside it, and one that is made up of smaller ones counts as well.",
        "What counts as a rectangle: four + signs as corners, joined above and below by nothing but"
        " - and +, and left and right by nothing but | and +. It does not matter what is inside it,"
        " and two rectangles may share corners and sides.",
    )
    return Prompt(
        style.pick(
            f"Count the rectangles of every size in this drawing (a dot is an empty place):"
            f"\n\n{picture}\n\n{rule} How many are there?",
            f"{picture}\n\nThe characters - | + draw lines; dots are blank. {rule} How many"
            " rectangles, large and small, can be found in the picture?",
            f"How many different rectangles do these lines form? {rule} Dots are background."
            f"\n\n{picture}",
        ),
        form="one integer",
    )


def steps(canvas: Canvas) -> list[str]:
    """The rectangles, by the row and the column of their corner at the top left."""
    lines, total = [], 0
    for top, line in enumerate(canvas.rows):
        for left in range(len(line)):
            found = [
                (bottom, right)
                for right in range(left + 1, len(line))
                if line[left] == line[right] == "+" and set(line[left : right + 1]) <= {"-", "+"}
                for bottom in _floors(canvas.rows, top, left, right)
            ]
            if found:
                total += len(found)
                ends = ", ".join(f"({bottom + 1}, {right + 1})" for bottom, right in found)
                lines.append(f"from ({top + 1}, {left + 1}) to {ends}: {total} so far")
    return lines


def canon(canvas: Canvas) -> object:
    """Turned and reflected, and whatever the distances."""
    board = [line.encode().translate(DENSE) for line in canvas.rows]
    for _ in range(2):
        kept = [row for row, before in zip(board, [b"", *board]) if row != before]
        board = [bytes(column) for column in zip(*kept)]
    forms = []
    for place, turned in enumerate(turns(board)):
        rows = list(map(bytes, turned))
        aside = place // 2 % 2 == 0  # a quarter turn makes flat lines of upright ones
        forms.append([row.translate(SWAPPED) for row in rows] if aside else rows)
    return tuple(map(tuple, min(forms)))


def hardness(canvas: Canvas) -> float:
    return solve(canvas)


def _places(rng: Random, count: int, widest: int) -> list[int]:
    """Where the lines may lie; never side by side."""
    at = [0]
    for _ in range(count - 1):
        at.append(at[-1] + rng.randrange(2, 3 + widest // 2))
    return at


def _draw(rng: Random, lines: int, sides: list[int], posts: list[int]) -> None:
    """A rectangle more.

    Side bit c of a row is the piece from place c to the next one in it, post bit c the one from it
    down to the next row.
    """
    top, bottom = sorted(rng.sample(range(lines), 2))
    left, right = sorted(rng.sample(range(lines), 2))
    span = (1 << right) - (1 << left)
    sides[top] |= span
    sides[bottom] |= span
    for row in range(top, bottom):
        posts[row] |= 1 << left | 1 << right


def _placed(pieces: list[int]) -> list[tuple[int, int]]:
    """Row and column of each piece, in order."""
    return [(row, column) for row, bits in enumerate(pieces) for column in _columns(bits)]


@lru_cache(maxsize=1024)
def _columns(bits: int) -> list[int]:
    return [column for column in range(bits.bit_length()) if bits >> column & 1]


def _formed(sides: list[int], posts: list[int]) -> int:
    """The rectangles that pieces of lines form."""
    total = 0
    for top in range(len(sides) - 1):
        standing = posts[top]
        for bottom in range(top + 1, len(sides)):
            if not standing & (standing - 1):
                break  # fewer than two
            total += _between(sides[top] & sides[bottom], standing)
            standing &= posts[bottom]
    return total


@lru_cache(maxsize=4096)
def _between(closed: int, standing: int) -> int:
    """The pairs of standing posts between which every column is closed above and below."""
    total = before = 0
    while standing:
        total += before * (standing & 1)
        before = (before + (standing & 1)) * (closed & 1)
        closed, standing = closed >> 1, standing >> 1
    return total


def _pictured(
    across: list[int],
    down: list[int],
    flat: list[tuple[int, int]],
    upright: list[tuple[int, int]],
) -> tuple[str, ...]:
    board = [["."] * (across[-1] + 1) for _ in range(down[-1] + 1)]
    for row, column in flat:
        for place in range(across[column], across[column + 1] + 1):
            board[down[row]][place] = "-"
    for row, column in upright:
        for place in range(down[row], down[row + 1] + 1):
            sign = board[place][across[column]]
            board[place][across[column]] = "+" if sign in "-+" else "|"
    used = [row for row, line in enumerate(board) if set(line) != {"."}]
    columns = [column for column, line in enumerate(zip(*board)) if set(line) != {"."}]
    return tuple(
        "".join(line[columns[0] : columns[-1] + 1]) for line in board[used[0] : used[-1] + 1]
    )


def _closed(rows: tuple[str, ...], top: int, left: int, right: int) -> int:
    return len(_floors(rows, top, left, right))


def _floors(rows: tuple[str, ...], top: int, left: int, right: int) -> list[int]:
    """The rows that close a rectangle hung from a top side."""
    found = []
    for bottom in range(top + 1, len(rows)):
        line = rows[bottom]
        if line[left] not in "|+" or line[right] not in "|+":
            break
        if line[left] == line[right] == "+" and not set(line[left:right]) - {"-", "+"}:
            found.append(bottom)
    return found


LADDER = (
    Knobs(5, 5),
    Knobs(7, 18),
    Knobs(8, 35),
    Knobs(9, 65),
    Knobs(10, 120),
)
FAMILY = Family(
    Canvas,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="going out from every corner",
    guess_rate=0.3,
    steps=steps,
    canon=canon,
    skills=("spatial", "counting"),
    peers=("reasoning-gym/rectangle_count",),
)
