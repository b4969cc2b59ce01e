"""Rules on the cells of a board: drawn, judged on a whole board, and worded.

A rule is a tuple: its kind, then areas, symbols ("A", "B", ...) and numbers. An area is ("row", 1),
("column", 0), ("region", "r2"), ("beside", 1, 2), ("around", 1, 2) or ("board",). "if" and "one of"
join two shorter rules.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from puzzlemill.generators import _cells

Rule = tuple[Any, ...]
Layout = tuple[tuple[int, ...], ...]  # the region of each cell
Filled = Mapping[_cells.Cell, str]

SYMMETRIC = frozenset(("one of", "alike"))
COUNTS = ("count", "count", "least", "most", "parity", "more", "alike", "fewer")
LINES = ("first", "run")
GENERAL = ("apart", "loose", "joined", "joined", "block", "three", "has", "each", "every", "after")
WAYS = {"left": ("row", 1), "right": ("row", -1), "top": ("column", 1), "bottom": ("column", -1)}
NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def general(rng: Random, symbols: str, board: Filled) -> Rule:
    """A rule on the whole board, with numbers that fit it; it may not hold."""
    kind = rng.choice(GENERAL)
    symbol, other = rng.sample(symbols, 2)
    match kind:
        case "has":
            return kind, symbol, other
        case "each":
            cell = rng.choice([it for it in board if board[it] == symbol] or [(0, 0)])
            other = rng.choice(symbols)
            return kind, symbol, other, sum(board.get(it) == other for it in _near(cell, board))
        case "every":
            line = rng.choice(("row", "column", "region"))
            return kind, line, symbol, sum(at == 0 and board[at, it] == symbol for at, it in board)
        case "after":
            return kind, symbol, rng.choice(symbols), rng.choice(("right", "below"))
        case _:
            return kind, symbol


def local(rng: Random, symbols: str, board: Filled, layout: Layout, joined: float) -> Rule:
    """A rule on a part of the board, which holds."""
    while True:
        if rng.random() < joined:
            parts = [_part(rng, symbols, board, layout, rng.random() < 0.5) for _ in "ab"]
            rule: Rule = (rng.choice(("if", "one of")), *parts)
            if parts[0][1:3] == parts[1][1:3]:
                continue
        else:
            rule = _part(rng, symbols, board, layout, True)
        if holds(rule, board, layout):
            return rule


def _part(rng: Random, symbols: str, board: Filled, layout: Layout, true: bool) -> Rule:
    """A rule that is not joined of others; its numbers are those of the board, or any."""
    kind = rng.choice((*COUNTS, *LINES))
    symbol, other = rng.sample(symbols, 2)
    if kind in LINES:
        way = rng.choice(list(WAYS)) if kind == "first" else rng.choice(("row", "column"))
        at = rng.randrange(len(layout))
        if kind == "run":
            return kind, (way, at), symbol
        line = _line(way, at, len(layout))
        places = [place for place, cell in enumerate(line) if board[cell] == symbol]
        return kind, way, at, symbol, places[0] if places and true else rng.randrange(1, len(line))
    area, second = _area(rng, layout), _area(rng, layout)
    has = sum(board[cell] == symbol for cell in cells_of(area, layout))
    number = has if true else rng.randint(0, len(cells_of(area, layout)))
    match kind:
        case "count":
            return kind, area, symbol, number
        case "least":
            return kind, area, symbol, max(1, number - rng.randrange(2))
        case "most":
            return kind, area, symbol, number + rng.randrange(2)
        case "parity":
            return kind, area, symbol, number % 2
        case "more":
            return kind, area, symbol, other
        case _:
            first, then = sorted((area, second)) if kind == "alike" else (area, second)
            return kind, first, then, symbol


def _area(rng: Random, layout: Layout) -> Rule:
    kind = rng.choice(("row", "column", "region", "region", "around", "beside", "board"))
    side = len(layout)
    if kind == "board":
        return (kind,)
    if kind == "region":
        return kind, f"r{rng.randrange(1 + max(map(max, layout)))}"
    if kind in ("row", "column"):
        return kind, rng.randrange(side)
    return kind, rng.randrange(side), rng.randrange(side)


def sensible(rule: Rule, layout: Layout) -> bool:
    """Whether the areas of a rule are apart, and its numbers leave something open."""
    kind, *rest = rule
    if kind in ("if", "one of"):
        return all(sensible(part, layout) for part in rest)
    if kind in ("alike", "fewer"):
        first, second = (set(cells_of(area, layout)) for area in rest[:2])
        return not first & second and ("board",) not in rest
    if kind in ("least", "most", "more"):
        least = int(kind == "least")
        room, number = len(cells_of(rest[0], layout)), int(rest[2]) if kind != "more" else least
        return least <= number < room + least
    return True


def holds(rule: Rule, board: Filled, layout: Layout) -> bool:
    """The interpreter: whether a rule holds on a board that is filled."""
    kind, *rest = rule
    if kind in ("if", "one of"):
        first, second = (holds(part, board, layout) for part in rest)
        return (not first or second) if kind == "if" else first != second
    if kind in COUNTS:
        return _counts(kind, rest, board, layout)
    if kind in LINES:
        return _lines(kind, rest, board, layout)
    return _holds_all_over(kind, rest, board, layout)


def _counts(kind: str, rest: Sequence[Any], board: Filled, layout: Layout) -> bool:
    there = [board[cell] for cell in cells_of(rest[0], layout)]
    if kind in ("alike", "fewer"):
        symbol = str(rest[2])
        others = [board[cell] for cell in cells_of(rest[1], layout)]
        mine, their = there.count(symbol), others.count(symbol)
        return mine == their if kind == "alike" else mine < their
    number = there.count(str(rest[1]))
    if kind == "more":
        return number > there.count(rest[2])
    if kind == "parity":
        return number % 2 == int(rest[2])
    told = int(rest[2])
    return {"count": number == told, "least": number >= told, "most": number <= told}[kind]


def _lines(kind: str, rest: Sequence[Any], board: Filled, layout: Layout) -> bool:
    if kind == "first":
        way, at, symbol, place = rest
        row = "".join(board[cell] for cell in _line(way, at, len(layout)))
        return row.find(symbol) == int(place)
    row = "".join(board[cell] for cell in cells_of(rest[0], layout))
    symbol = str(rest[1])
    return row.count(symbol) > 1 and symbol * row.count(symbol) in row


def _holds_all_over(kind: str, rest: Sequence[Any], board: Filled, layout: Layout) -> bool:
    side = len(layout)
    if kind == "every":
        line, symbol, number = rest
        areas = [(line, f"r{it}" if line == "region" else it) for it in range(_many(line, layout))]
        return all(
            sum(board[cell] == symbol for cell in cells_of(area, layout)) == number
            for area in areas
        )
    symbol = rest[0]
    mine = [cell for cell in board if board[cell] == symbol]
    if kind == "joined":
        return len(_cells.pieces(mine)) < 2
    if kind == "after":
        down, right = (0, 1) if rest[2] == "right" else (1, 0)
        return not any(board.get((row + down, column + right)) == rest[1] for row, column in mine)
    if kind == "block":
        return not any(
            all(board.get((row + down, column + right)) == symbol for down in (0, 1)
                for right in (0, 1))
            for row, column in mine
        )  # fmt: skip
    if kind == "three":
        return not any(
            all(board.get((row + down * step, column + (1 - down) * step)) == symbol
                for step in range(3))
            for row, column in mine for down in (0, 1)
        )  # fmt: skip
    near = _cells.around if kind == "loose" else _cells.beside
    beside = [[board[it] for it in near(cell, side, side)] for cell in mine]
    if kind in ("apart", "loose"):
        return not any(symbol in each for each in beside)
    if kind == "has":
        return all(rest[1] in each for each in beside)
    return all(each.count(rest[1]) == rest[2] for each in beside)


def cells_of(area: Rule, layout: Layout) -> Sequence[_cells.Cell]:
    return _region(area[1], layout) if area[0] == "region" else _cells_at(area, len(layout))


@lru_cache(maxsize=64)  # a board's regions are asked for again and again
def _region(name: str, layout: Layout) -> tuple[_cells.Cell, ...]:
    return tuple(
        cell
        for cell in _cells.cells(len(layout), len(layout))
        if name == f"r{layout[cell[0]][cell[1]]}"
    )


@lru_cache(maxsize=1024)
def _cells_at(area: Rule, side: int) -> tuple[_cells.Cell, ...]:
    """The cells of an area that is the same on all boards of a size."""
    whole = _cells.cells(side, side)
    match area:
        case ("row", at):
            return tuple(cell for cell in whole if cell[0] == at)
        case ("column", at):
            return tuple(cell for cell in whole if cell[1] == at)
        case ("beside", row, column):
            return tuple(_cells.beside((row, column), side, side))
        case ("around", row, column):
            return tuple(_cells.around((row, column), side, side))
        case _:
            return tuple(whole)


def _line(way: str, at: int, side: int) -> list[_cells.Cell]:
    """The cells of a row or column as they are met from one end."""
    line, step = WAYS[way]
    cells = [(at, it) if line == "row" else (it, at) for it in range(side)]
    return cells[::step]


def _near(cell: _cells.Cell, board: Filled) -> list[_cells.Cell]:
    return [it for it in _cells.beside(cell, 9, 9) if it in board]


def _many(line: str, layout: Layout) -> int:
    return 1 + max(map(max, layout)) if line == "region" else len(layout)


def worded(rule: Rule, nouns: Mapping[str, tuple[str, str]]) -> str:
    """A clause without a capital or a stop; `nouns` has one and many of each symbol."""
    kind, *rest = rule
    if kind == "if":
        return f"if {worded(rest[0], nouns)}, then {worded(rest[1], nouns)}"
    if kind == "one of":
        first, second = (worded(part, nouns) for part in rest)
        return f"either {first}, or {second}, but not both"
    if kind in COUNTS:
        return _counts_worded(kind, rest, nouns)
    if kind in LINES:
        one, many = nouns[rest[-1] if kind == "run" else rest[2]]
        if kind == "run":
            line, at = rest[0]
            return (f"{line} {at + 1} contains at least two {many}, which stand together without a"
                    " gap")  # fmt: skip
        way, at, _, place = rest
        return f"in {WAYS[way][0]} {at + 1}, counted from the {way}, the first {one} is in the" \
               f" {NTH[place]} cell"  # fmt: skip
    one, many = nouns[rest[1] if kind == "every" else rest[0]]
    other, others = nouns.get(rest[1], ("", "")) if len(rest) > 1 else ("", "")
    return {
        "apart": f"no two {many} share a side",
        "loose": f"no two {many} share a side or a corner",
        "joined": f"all {many} are connected: any {one} can be reached from any other by steps"
        f" from {one} to {one} across shared sides",
        "block": f"no block of two by two cells is filled with {many} only",
        "three": f"no three {many} follow one another directly in a row or in a column",
        "has": f"each {one} shares a side with at least one {other}",
        "each": f"each {one} shares a side with {_exactly(rest[-1], other, others)}",
        "every": f"every {rest[0]} contains {_exactly(rest[-1], one, many)}",
        "after": f"no {one} has {'another' if one == other else 'a'} {other} directly"
        f" {'to its right' if rest[-1] == 'right' else 'below it'}",
    }[kind]


def _counts_worded(kind: str, rest: Sequence[Any], nouns: Mapping[str, tuple[str, str]]) -> str:
    where = _where(rest[0])
    one, many = nouns[rest[2] if kind in ("alike", "fewer") else rest[1]]
    if kind == "alike":
        return f"there are exactly as many {many} {where} as {_where(rest[1])}"
    if kind == "fewer":
        return f"there are fewer {many} {where} than {_where(rest[1])}"
    if kind == "more":
        return f"there are more {many} than {nouns[rest[2]][1]} {where}"
    if kind == "parity":
        return f"the number of {many} {where} is {('even', 'odd')[rest[2]]}"
    number = rest[2]
    verb = "is" if number == 1 or (kind == "count" and not number) else "are"
    amount = {"least": f"at least {number}", "most": f"at most {number}"}
    if kind == "count":
        return f"there {verb} {_exactly(number, one, many)} {where}"
    return f"there {verb} {amount[kind]} {one if number == 1 else many} {where}"


def _exactly(number: int, one: str, many: str) -> str:
    return f"exactly {number} {one if number == 1 else many}" if number else f"no {one}"


def _where(area: Rule) -> str:
    match area:
        case ("row" | "column" as line, at):
            return f"in {line} {at + 1}"
        case ("region", name):
            return f"in region {int(name[1:]) + 1}"
        case ("beside", row, column):
            return f"among the cells that share a side with row {row + 1}, column {column + 1}"
        case ("around", row, column):
            return f"among the cells that share a side or a corner with row {row + 1}," \
                   f" column {column + 1}"  # fmt: skip
        case _:
            return "on the whole board"
