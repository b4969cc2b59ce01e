"""Tables: rows under headings, with columns as wide as what they hold."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture
from puzzlemill.core.fraction import Fraction

LETTER, HIGH = 9.2, 22  # of a letter, and of a row
MOST = 60  # rows
WIDEST = 1400

Rows = Sequence[Sequence[Any]]


def table(heads: Sequence[Any], rows: Rows, title: str = "") -> Picture | None:
    """A ruled table; None of one that no page holds. No headings: no line for them."""
    lines = [[str(each) for each in row] for row in ([heads] if heads else []) + list(rows)]
    longest = [max(map(len, column)) for column in zip_longest(*lines, fillvalue="")]
    wides = [LETTER * max(count, 2) + 12 for count in longest]
    if len(lines) > MOST or sum(wides) > WIDEST:
        return None
    edges = [2 + sum(wides[:place]) for place in range(len(wides) + 1)]
    bottom, parts = 2 + HIGH * len(lines), list[str]()
    for number, row in enumerate(lines):
        for place, each in enumerate(row):
            x, y = edges[place] + wides[place] / 2, 2 + HIGH * (number + 0.5)
            parts += [svg.text(x, y, each, 13)] if each else []
        parts.append(svg.line(2, 2 + HIGH * number, edges[-1], 2 + HIGH * number, 0.5))
    parts += [svg.line(x, 2, x, bottom, 0.5) for x in edges]
    parts.append(svg.line(2, bottom, edges[-1], bottom, 0.5))
    if heads:
        parts.append(svg.line(2, 2 + HIGH, edges[-1], 2 + HIGH, 2))
    picture = Picture(edges[-1] + 2, bottom + 2, parts)
    return svg.titled(title, picture) if title else picture


def _stacked(tables: Sequence[Picture | None]) -> Picture | None:
    drawn = [each for each in tables if each]
    return svg.stacked(drawn) if len(drawn) == len(tables) else None


def _records(puzzle: Any) -> Picture | None:
    return table(puzzle.columns, puzzle.rows)


def _copies(puzzle: Any) -> Picture | None:
    first = table(puzzle.columns, puzzle.rows, "first copy")
    return _stacked([first, table(puzzle.other_columns, puzzle.other_rows, "second copy")])


def _shop(puzzle: Any) -> Picture | None:
    return _stacked(
        [
            table(("order", "customer", "product", "quantity"), puzzle.orders, "orders"),
            table(("product", "category", "price"), puzzle.products, "products"),
            table(("customer", "city"), puzzle.customers, "customers"),
        ]
    )


def _extremes(puzzle: Any) -> Picture | None:
    rows = zip(puzzle.rows, puzzle.numbers, strict=True)
    return table(("name", *puzzle.columns), [(name, *numbers) for name, numbers in rows])


def _spreadsheet(puzzle: Any) -> Picture | None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(puzzle.cells[0])]
    rows = [
        (number, *(f"copy of {each[1:]}" if each.startswith("~") else each for each in row))
        for number, row in enumerate(puzzle.cells, 1)
    ]
    return table(("", *letters), rows)


def _knapsack(puzzle: Any) -> Picture | None:
    rows = [(place, *thing) for place, thing in enumerate(puzzle.things, 1)]
    title = f"the knapsack carries {puzzle.capacity}"
    return table(("item", "weight", "value"), rows, title)


def _negotiation(puzzle: Any) -> Picture | None:
    rows = [("to share", *puzzle.counts)]
    rows += [
        (f"worth to {name}", *worths)
        for name, worths in zip(puzzle.names, puzzle.worths, strict=True)
    ]
    return table(("", *puzzle.things), rows)


def _poker(puzzle: Any) -> Picture | None:
    """How often each card makes a player bet or call."""
    told = (
        ("Anna bets", puzzle.bets),
        ("Anna calls", puzzle.calls),
        ("Ben bets after a check", puzzle.bets_after),
        ("Ben calls", puzzle.calls_after),
    )
    rows = [
        (what, *(Fraction(share, puzzle.parts) for share in shares))
        for what, shares in told
        if shares
    ]
    return table(("card", *range(1, puzzle.cards + 1)), rows)


def _trials(puzzle: Any) -> Picture | None:
    """Objects on the detector, trial by trial."""
    rows = [
        [
            *("●" if place in chosen else "" for place in range(len(puzzle.objects))),
            "lights up" if lit else "stays dark",
        ]
        for chosen, lit in puzzle.trials
    ]
    return table((*puzzle.objects, "detector"), rows)


def _street(puzzle: Any) -> Picture | None:
    """Houses with nothing in them yet."""
    houses = [f"house {number}" for number in range(1, puzzle.houses + 1)]
    return table(("", *houses), [(name, *[""] * puzzle.houses) for name, _ in puzzle.categories])


def _key(puzzle: Any) -> Picture | None:
    """Letters of the ciphertext over those that they are known to stand for."""
    if not puzzle.table:
        return None
    codes, plains = zip(*puzzle.table, strict=True)
    rows = [("ciphertext", *map(str.upper, codes)), ("plaintext", *map(str.upper, plains))]
    return table((), rows)


def _barred(puzzle: Any) -> Picture | None:
    """Who must not get what."""
    things = puzzle.things or [f"{name}'s" for name in puzzle.people]
    rows = [
        (name, *("×" if (person, thing) in puzzle.barred else "" for thing in range(len(things))))
        for person, name in enumerate(puzzle.people)
    ]
    return table(("", *things), rows)


def _boxes(puzzle: Any) -> Picture | None:
    """What each box may hold."""
    rows = [(f"box {place}", *amounts) for place, amounts in enumerate(puzzle.boxes, 1)]
    return table((), rows)


def _lines(puzzle: Any) -> Picture | None:
    rows = zip("abcdefghijklmnopqrstuvwxyz", puzzle.lines)
    return table((), [(name, *numbers) for name, numbers in rows])


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "blickets": _trials,
    "derangements": _barred,
    "knapsack": _knapsack,
    "kuhn_poker": _poker,
    "maxima": _lines,
    "negotiation": _negotiation,
    "optimal_stopping": _boxes,
    "pivot_table": _records,
    "spreadsheet": _spreadsheet,
    "substitution": _key,
    "table_difference": _copies,
    "table_extremes": _extremes,
    "table_lookup_join": _shop,
    "table_query": _records,
    "table_repair": _records,
    "zebra": _street,
}
