"""Expressions made shorter: what is 0 or 1 goes, numbers and equal powers and terms are joined."""

from collections.abc import Mapping
from functools import lru_cache

from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.tree import (
    ONE,
    ZERO,
    Node,
    Tree,
    add,
    divide,
    multiply,
    power,
    raised,
    scaled,
)
from puzzlemill.core.fraction import Fraction

_NOTHING: Mapping[str, Fraction] = {}
_AT_ZERO = {"sin": ZERO, "tan": ZERO, "atan": ZERO, "asin": ZERO, "cos": ONE}


def simplified(tree: Tree, values: Mapping[str, Fraction] = _NOTHING) -> Tree:
    """The expression, with values put in for names, in a shorter form."""
    if isinstance(tree, str):
        return values.get(tree, tree)
    if not isinstance(tree, Node) or not tree.parts:
        return tree
    if not values:
        return _shortened(tree)
    return _joined(tree.sign, [simplified(part, values) for part in tree.parts])


@lru_cache(maxsize=1024)  # a derivative has the same parts in many places
def _shortened(tree: Node) -> Tree:
    return _joined(tree.sign, [simplified(part) for part in tree.parts])


def _joined(sign: str, parts: list[Tree]) -> Tree:
    match sign:
        case "+":
            return _sum(parts)
        case "*":
            return _product(parts)
        case "/":
            return _quotient(*parts)
        case "^":
            return _power(*parts)
        case _:
            return _applied(sign, parts)


def _sum(parts: list[Tree]) -> Tree:
    counted: dict[Tree, Fraction] = {}
    flat = [
        term
        for part in parts
        for term in (part.parts if isinstance(part, Node) and part.sign == "+" else (part,))
    ]
    for part in flat:
        number, rest = scaled(part)
        key = multiply(*rest) if rest else ONE
        counted[key] = counted.get(key, ZERO) + number
    constant = counted.pop(ONE, ZERO)
    terms = [multiply(number, key) for key, number in counted.items() if number]
    return add([*terms, constant])


def _product(parts: list[Tree]) -> Tree:
    number, powers = ONE, dict[Tree, list[Tree]]()
    below: list[Tree] = []
    flat: list[Tree] = []
    for part in parts:
        own, rest = scaled(part)
        number *= own
        flat += rest
    if not number:
        return ZERO
    for factor in flat:
        if isinstance(factor, Node) and factor.sign == "/":
            over, under = factor.parts
            own, rest = scaled(over)
            number *= own
            below.append(under)
        else:
            rest = (factor,)
        for each in rest:
            base, exponent = raised(each)
            powers.setdefault(base, []).append(exponent)
    above = multiply(number, *(_power(base, _sum(ups)) for base, ups in powers.items()))
    return _quotient(above, _product(below)) if below else above


def _quotient(above: Tree, below: Tree) -> Tree:
    if above == ZERO and below != ZERO:
        return ZERO
    if isinstance(below, Node) and below.sign == "/":
        return _quotient(_product([above, below.parts[1]]), below.parts[0])
    if isinstance(above, Node) and above.sign == "/":
        return _quotient(above.parts[0], _product([above.parts[1], below]))
    left, right = scaled(above), scaled(below)
    if not right[0]:
        return divide(above, below)
    over, under = _powers(left[1]), _powers(right[1])
    for base, exponent in list(under.items()):
        if isinstance(exponent, Fraction) and isinstance(over.get(base), Fraction):
            left_over = over.pop(base)
            assert isinstance(left_over, Fraction)
            rest = left_over - exponent
            del under[base]
            if rest:
                (over if rest > 0 else under)[base] = abs(rest)
    top = multiply(*(_power(base, up) for base, up in over.items()))
    bottom = multiply(*(_power(base, up) for base, up in under.items()))
    return multiply(left[0] / right[0], divide(top, bottom))


def _powers(factors: tuple[Tree, ...]) -> dict[Tree, Tree]:
    found: dict[Tree, Tree] = {}
    for factor in factors:
        base, exponent = raised(factor)
        found[base] = _sum([found[base], exponent]) if base in found else exponent
    return found


def _power(base: Tree, exponent: Tree) -> Tree:
    if exponent == ZERO:
        return ONE
    if exponent == ONE or base == ONE:
        return base
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        found = evaluate(power(base, exponent))
        if found is not None:
            return found
    if isinstance(exponent, Fraction) and exponent < 0 and exponent.denominator == 1:
        return divide(ONE, _power(base, -exponent))
    if isinstance(base, Node) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        inner, up = raised(base)
        if isinstance(up, Fraction) and up.denominator == 1:
            return power(inner, up * exponent)
        if base.sign == "root" and base.parts[1] == exponent:
            return base.parts[0]
    return power(base, exponent)


def _applied(function: str, parts: list[Tree]) -> Tree:
    first = parts[0]
    if first == ZERO and function in _AT_ZERO:
        return _AT_ZERO[function]
    if first == ONE and function == "ln":
        return ZERO
    if function in ("root", "abs") and isinstance(first, Fraction):
        found = evaluate(Node(function, tuple(parts)))
        if found is not None:
            return found
    return Node(function, tuple(parts))
