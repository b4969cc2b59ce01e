"""Derivatives of expressions, by the rules."""

from puzzlemill.core.answers.algebra.tree import (
    ONE,
    TWO,
    ZERO,
    Node,
    Tree,
    add,
    apply,
    divide,
    multiply,
    names_in,
    negate,
    power,
    root,
)
from puzzlemill.core.fraction import Fraction


def derivative(tree: Tree, name: str) -> Tree:
    """The derivative with respect to a name, not simplified; of |u| it is u'|u|/u."""
    if isinstance(tree, str):
        return ONE if tree == name else ZERO
    if not isinstance(tree, Node) or name not in names_in(tree):
        return ZERO
    match tree.sign:
        case "+":
            return add([derivative(part, name) for part in tree.parts if name in names_in(part)])
        case "*":
            return _product(tree.parts, name)
        case "/":
            return _quotient(tree.parts[0], tree.parts[1], name)
        case "^":
            return _power(tree.parts[0], tree.parts[1], name)
        case "root":
            inner, index = tree.parts
            assert isinstance(index, Fraction), "an index is a number"
            below = multiply(index, power(root(inner, int(index)), index - 1))
            return divide(derivative(inner, name), below)
        case "!":
            return Node("no derivative")
        case _:
            inner = tree.parts[0]
            if tree.sign == "ln" and isinstance(inner, Node) and inner.sign == "abs":
                inner = inner.parts[0]  # ln|u| changes as ln u does
            return multiply(derivative(inner, name), _outer(tree.sign, inner))


def _product(factors: tuple[Tree, ...], name: str) -> Tree:
    terms = []
    for place, factor in enumerate(factors):
        if name in names_in(factor):
            changed = derivative(factor, name)
            terms.append(multiply(*factors[:place], changed, *factors[place + 1 :]))
    return add(terms)


def _quotient(above: Tree, below: Tree, name: str) -> Tree:
    if name not in names_in(below):
        return divide(derivative(above, name), below)
    over = [negate(multiply(above, derivative(below, name)))]
    if name in names_in(above):
        over.append(multiply(derivative(above, name), below))
    return divide(add(over), power(below, TWO))


def _power(base: Tree, exponent: Tree, name: str) -> Tree:
    whole = power(base, exponent)
    if name not in names_in(exponent):
        less = exponent - 1 if isinstance(exponent, Fraction) else add([exponent, Fraction(-1)])
        return multiply(exponent, power(base, less), derivative(base, name))
    growth = derivative(exponent, name)
    if base != Node("e"):
        growth = multiply(growth, apply("ln", base))
    if name not in names_in(base):
        return multiply(whole, growth)
    inner = divide(multiply(exponent, derivative(base, name)), base)
    return multiply(whole, add([growth, inner]))


def _outer(function: str, inner: Tree) -> Tree:
    """The derivative of a function at what it is applied to."""
    square = power(inner, TWO)
    match function:
        case "sin":
            return apply("cos", inner)
        case "cos":
            return negate(apply("sin", inner))
        case "tan":
            return divide(ONE, power(apply("cos", inner), TWO))
        case "asin":
            return divide(ONE, root(add([ONE, negate(square)]), 2))
        case "acos":
            return negate(divide(ONE, root(add([ONE, negate(square)]), 2)))
        case "atan":
            return divide(ONE, add([ONE, square]))
        case "sinh":
            return apply("cosh", inner)
        case "cosh":
            return apply("sinh", inner)
        case "tanh":
            return divide(ONE, power(apply("cosh", inner), TWO))
        case "asinh":
            return divide(ONE, root(add([ONE, square]), 2))
        case "acosh":
            below = multiply(*(root(add([inner, sign]), 2) for sign in (ONE, -ONE)))
            return divide(ONE, below)
        case "atanh":
            return divide(ONE, add([ONE, negate(square)]))
        case "ln":
            return divide(ONE, inner)
        case _:
            return divide(apply("abs", inner), inner)
