"""The functions of the grammar: sin^2 x, log_2(8), sqrt[3]{x}, and what they are applied to."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from puzzlemill.core.answers.algebra import tree as trees
from puzzlemill.core.answers.algebra.tree import E, Tree, divide, multiply, power

if TYPE_CHECKING:
    from puzzlemill.core.answers.algebra.grammar import Reader
    from puzzlemill.core.answers.algebra.tokens import Token

DEPTH = 40  # brackets, roots, exponents within each other
LETTERS = frozenset(("name", "constant"))

_CLOSING = {"{": "}", "(": ")"}
_INVERTED = {
    "sin": "asin", "cos": "acos", "tan": "atan", "sinh": "asinh", "cosh": "acosh", "tanh": "atanh"
}  # fmt: skip
_RECIPROCAL = {"sec": "cos", "csc": "sin", "cot": "tan", "asec": "acos", "acsc": "asin"}


def applied(reader: Reader, token: Token, depth: int) -> Tree:
    if token.text in ("sqrt", "cbrt", "root"):
        return _rooted(reader, token, depth)
    base = _log_base(reader, depth) if token.text == "log" else None
    exponent = _power_of(reader, token.text)
    argument = _argument(reader, depth)
    if exponent == -1:
        return trees.apply(_INVERTED[token.text], argument)
    tree = _of(token.text, argument)
    if base is not None:
        tree = divide(tree, trees.apply("ln", base))
    return tree if exponent is None else power(tree, Fraction(exponent))


def _rooted(reader: Reader, token: Token, depth: int) -> Tree:
    if token.text == "root":  # root(x, 3), our own way of writing it
        if not reader.take("("):
            reader.refuse()
        bar, reader.bar = reader.bar, False
        inside = reader.sum(depth)
        index = reader.take("number") if reader.take(",") else None
        if index is None or not reader.take(")"):
            reader.refuse()
        reader.bar, reader.end = bar, ""
        return trees.root(inside, _index(reader, index))
    if not token.latex:
        if opening := reader.take("["):
            return trees.root(reader.closed(opening.kind, depth), 2)
        return trees.root(reader.radicand(depth), 3 if token.text == "cbrt" else 2)
    degree = 2
    if reader.take("["):
        index = reader.take("number")
        if index is None or not reader.take("]"):
            reader.refuse()
        degree = _index(reader, index)
    elif reader.take("("):
        return trees.root(reader.closed("(", depth), 2)
    return trees.root(reader.latex_argument(depth), degree)


def _index(reader: Reader, token: Token) -> int:
    if not token.text.isdigit() or not 2 <= int(token.text) <= 100:
        reader.refuse()
    return int(token.text)


def _log_base(reader: Reader, depth: int) -> Tree | None:
    if not reader.take("_"):
        return None
    if reader.take("{"):
        return reader.closed("{", depth)
    return reader.single()


def _power_of(reader: Reader, function: str) -> int | None:
    """The exponent between a function and its argument: sin^2 x; sin^{-1} is the inverse."""
    if raised := reader.take("raised"):
        text = raised.text
    elif reader.take("^"):
        braced = reader.take("{", "(")
        minus = reader.take("-")
        number = reader.take("number")
        if number is None or (braced and not reader.take(_CLOSING[braced.kind])):
            reader.refuse()
        text = ("-" if minus else "") + number.text
    else:
        return None
    if text == "-1" and function in _INVERTED:
        return -1
    if not text.isdigit() or not 2 <= int(text) <= 20:
        reader.refuse()
    return int(text)


def _argument(reader: Reader, depth: int) -> Tree:
    """What a function is applied to: brackets, or as much as everyone takes to belong to it."""
    if opening := reader.take("(", "[", "\\{"):
        return reader.closed(opening.kind, depth)
    if reader.take("{"):
        start = reader.place
        tree = reader.closed("{", depth)
        if (
            reader.tokens[start].kind not in ("(", "[")
            or len(reader.tokens[start : reader.place]) < 3
        ):
            reader.end = "bare"  # LaTeX shows no brackets here
        return tree
    if not reader.bar and reader.take("|"):
        return reader.absolute(depth)
    tree = _bare_argument(reader, depth)
    reader.end = "bare"
    return tree


def _bare_argument(reader: Reader, depth: int) -> Tree:
    if depth > DEPTH:
        reader.refuse()
    if reader.peek("function", "frac", "root"):
        return reader.atom(depth)
    tree = _simply_raised(reader, reader.single(), depth)
    while (token := reader.peek(*LETTERS)) and token.tight and token.text != "e":
        tree = multiply(tree, _simply_raised(reader, reader.single(), depth))
    return tree


def _simply_raised(reader: Reader, base: Tree, depth: int) -> Tree:
    if raised := reader.take("raised"):
        return power(base, reader.raised(raised))
    if not reader.take("^"):
        return base
    exponent, _ = reader.exponent(depth + 1)
    return power(base, exponent)


def _of(function: str, argument: Tree) -> Tree:
    match function:
        case "exp":
            return power(E, argument)
        case "log":
            return trees.apply("ln", argument)
        case "sec" | "csc" | "cot":
            return divide(trees.ONE, trees.apply(_RECIPROCAL[function], argument))
        case "asec" | "acsc":
            return trees.apply(_RECIPROCAL[function], divide(trees.ONE, argument))
        case _:
            return trees.apply(function, argument)
