"""Formulas of a spreadsheet as text, copied and evaluated in two ways.

A formula is "=" and a sum, difference or product of cells and whole numbers, or one of SUM, MIN and
MAX of a range, COUNTIF of a range, or IF with a comparison. A copy is "~" and the cell that it was
copied from.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

REFERENCE = re.compile(r"(\$?)([A-Z])(\$?)(\d+)")
_COMPARED = re.compile(r"(<=|>=|<>|<|>|=)")
_OF_RANGE: dict[str, Callable[[list[int]], int]] = {"SUM": sum, "MIN": min, "MAX": max}
_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, ">": lambda a, b: a > b, "=": lambda a, b: a == b,
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "<>": lambda a, b: a != b,
}  # fmt: skip

Sheet = Mapping[str, str]


def name(row: int, column: int) -> str:
    return f"{chr(ord('A') + column)}{row + 1}"


def place(cell: str) -> tuple[int, int]:
    return int(cell[1:]) - 1, ord(cell[0]) - ord("A")


def formula_of(sheet: Sheet, cell: str) -> str:
    """What stands in a cell, with a copy written out: references move along unless $ holds them."""
    text = sheet[cell]
    if not text.startswith("~"):
        return text
    (row, column), (first_row, first_column) = place(cell), place(text[1:])

    def moved(match: re.Match[str]) -> str:
        held_column, letter, held_row, number = match.groups()
        across = 0 if held_column else column - first_column
        down = 0 if held_row else row - first_row
        return f"{held_column}{chr(ord(letter) + across)}{held_row}{int(number) + down}"

    return REFERENCE.sub(moved, sheet[text[1:]])


def cells_of(area: str) -> list[str]:
    """The cells of a range: A1:B2."""
    (top, left), (bottom, right) = map(place, area.split(":"))
    return [name(row, column) for row in range(top, bottom + 1)
            for column in range(left, right + 1)]  # fmt: skip


@lru_cache(maxsize=1000)
def inputs_of(formula: str) -> list[str]:
    """The cells that a formula looks at."""
    plain = formula.replace("$", "")
    found = [cell for area in re.findall(r"[A-Z]\d+:[A-Z]\d+", plain) for cell in cells_of(area)]
    rest = re.sub(r"[A-Z]\d+:[A-Z]\d+", "", plain)
    return found + re.findall(r"[A-Z]\d+", rest)


def value(sheet: Sheet, cell: str) -> int:
    """From the cell down to what it depends on."""

    @cache
    def of_cell(cell: str) -> int:
        text = formula_of(sheet, cell).replace("$", "")
        return of(text[1:]) if text.startswith("=") else int(text)

    def of(text: str) -> int:
        if match := re.fullmatch(r"(\w+)\((.*)\)", text):
            kind, inside = match.groups()
            if kind in _OF_RANGE:
                return _OF_RANGE[kind]([of_cell(each) for each in cells_of(inside)])
            if kind == "COUNTIF":
                area, _, test = inside.partition(",")
                sign, number = _test(test)
                return sum(_SIGNS[sign](of_cell(each), number) for each in cells_of(area))
            test, then, other = inside.split(",")
            left, sign, right = _COMPARED.split(test)
            return of(then if _SIGNS[sign](of(left), of(right)) else other)
        for sign in "+-":  # the last one is done last
            before, found, after = text.rpartition(sign)
            if found and before and not any(each in after for each in "+-"):
                return of(before) + (of(after) if sign == "+" else -of(after))
        before, found, after = text.rpartition("*")
        if found:
            return of(before) * of(after)
        return of_cell(text) if text[0].isalpha() else int(text)

    return of_cell(cell)


def values(sheet: Sheet) -> dict[str, int]:
    """All cells, from the numbers up: a formula is worked out once all that it looks at is."""
    left = {cell: formula_of(sheet, cell).replace("$", "") for cell in sheet}
    found: dict[str, int] = {}
    while left:
        ready = [cell for cell, text in left.items() if all(it in found for it in inputs_of(text))]
        if not ready:
            return {}
        for cell in ready:
            found[cell] = _worked_out(left.pop(cell).removeprefix("="), found)
    return found


def _worked_out(text: str, known: Mapping[str, int]) -> int:
    """With the cells' values put in, and then from the inside out, by rewriting."""
    for area in re.findall(r"[A-Z]\d+:[A-Z]\d+", text):
        text = text.replace(area, ";".join(str(known[cell]) for cell in cells_of(area)))
    text = re.sub(r"\b[A-Z]\d+\b", lambda match: str(known[match[0]]), text)
    kind, _, inside = text.partition("(")
    if not inside:
        return _summed(text)
    parts = inside.removesuffix(")").split(",")
    numbers = [int(each) for each in parts[0].split(";")] if kind != "IF" else []
    match kind:
        case "SUM":
            return sum(numbers)
        case "MIN":
            return next(each for each in numbers if all(each <= other for other in numbers))
        case "MAX":
            return next(each for each in numbers if all(each >= other for other in numbers))
        case "COUNTIF":
            sign, number = _test(parts[1])
            return [_SIGNS[sign](each, number) for each in numbers].count(True)
    left, sign, right = _COMPARED.split(parts[0])
    return _summed(parts[1] if _SIGNS[sign](_summed(left), _summed(right)) else parts[2])


def _summed(text: str) -> int:
    """A sum of products of numbers that may be negative: 3*-2+5."""
    signed = re.findall(r"([+-]?)((?:-?\d+\*)*-?\d+)", text)
    total = 0
    for sign, product in signed:
        size = 1
        for factor in product.split("*"):
            size *= int(factor)
        total += -size if sign == "-" else size
    return total


def _test(text: str) -> tuple[str, int]:
    _, sign, number = _COMPARED.split(text.strip('"'))
    return sign, int(number)
