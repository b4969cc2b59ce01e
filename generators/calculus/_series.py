"""Expressions as power series in a small t, exactly: from the pole's order upwards.

A series is (order, coefficients): the first coefficient belongs to t^order, and as many are known
as there are. t is positive, so that roots and absolute values have one sign.
"""

from collections.abc import Callable
from typing import TypeAlias

from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.tree import Node, Tree
from puzzlemill.core.fraction import Fraction

Series: TypeAlias = tuple[int, list[Fraction]]


class NoSeries(Exception):
    """The expression has no power series with rational coefficients here."""


def expanded(tree: Tree, letter: Series, terms: int) -> Series | None:
    """The series of an expression in one letter, whose own series is given."""
    try:
        return _expanded(tree, letter, terms)
    except NoSeries:
        return None


def near(point: Fraction, terms: int, sign: int = 1) -> Series:
    """The letter at a point: point + t, or point - t."""
    return 0, [point, Fraction(sign), *[Fraction(0)] * (terms - 2)]


def far(terms: int, sign: int = 1) -> Series:
    """The letter on its way to infinity: 1/t, or -1/t."""
    return -1, [Fraction(sign), *[Fraction(0)] * (terms - 1)]


def coefficient(series: Series, power: int) -> Fraction | None:
    """The coefficient of a power of t; None where it is not known."""
    order, found = series
    if power < order:
        return Fraction(0)
    return found[power - order] if power - order < len(found) else None


def _expanded(tree: Tree, letter: Series, terms: int) -> Series:
    if isinstance(tree, Fraction):
        return 0, [tree, *[Fraction(0)] * (terms - 1)]
    if isinstance(tree, str):
        return letter
    if tree.sign == "^":
        return _raised(tree, letter, terms)
    if tree.sign == "root":
        index = tree.parts[1]
        assert isinstance(index, Fraction), "an index is a number"
        return _rooted(_expanded(tree.parts[0], letter, terms), Fraction(1) / index)
    parts = [_expanded(part, letter, terms) for part in tree.parts]
    match tree.sign:
        case "+":
            found = parts[0]
            for part in parts[1:]:
                found = _sum(found, part)
            return found
        case "*":
            found = parts[0]
            for part in parts[1:]:
                found = _product(found, part)
            return found
        case "/":
            return _quotient(parts[0], parts[1])
        case "abs":
            own = _stripped(parts[0])
            return own if own[1][0] > 0 else (own[0], [-number for number in own[1]])
        case _:
            return _applied(tree.sign, parts[0])


def _raised(tree: Node, letter: Series, terms: int) -> Series:
    base, exponent = tree.parts
    if base == Node("e"):
        return 0, _exponential(_regular(_expanded(exponent, letter, terms)))
    number = evaluate(exponent)
    if number is None:
        raise NoSeries
    own = _expanded(base, letter, terms)
    if number.denominator > 1:
        return _rooted(own, number)
    if number < 0:
        own, number = _quotient((0, [Fraction(1), *[Fraction(0)] * (terms - 1)]), own), -number
    found: Series = (0, [Fraction(1), *[Fraction(0)] * (len(own[1]) - 1)])
    for _ in range(int(number)):
        found = _product(found, own)
    return found


def _sum(one: Series, other: Series) -> Series:
    order = min(one[0], other[0])
    end = min(one[0] + len(one[1]), other[0] + len(other[1]))
    found = [Fraction(0)] * max(end - order, 0)
    for start, numbers in (one, other):
        for place, number in enumerate(numbers[: max(end - start, 0)], start - order):
            found[place] += number
    return order, found


def _product(one: Series, other: Series) -> Series:
    return one[0] + other[0], _times(one[1], other[1])


def _times(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    size = min(len(one), len(other))
    found = [Fraction(0)] * size
    for place, left in enumerate(one[:size]):
        if left:
            for shift in range(size - place):
                if other[shift]:
                    found[place + shift] += left * other[shift]
    return found


def _stripped(series: Series) -> Series:
    """Without zeros in front."""
    order, numbers = series
    first = next((place for place, number in enumerate(numbers) if number), None)
    if first is None:
        raise NoSeries
    return order + first, numbers[first:]


def _quotient(above: Series, below: Series) -> Series:
    order, divisor = _stripped(below)
    found: list[Fraction] = []
    for place, number in enumerate(above[1][: len(divisor)]):
        taken = sum(
            divisor[place - at] * each
            for at, each in enumerate(found)
            if each and divisor[place - at]
        )
        found.append((number - taken) / divisor[0])
    return above[0] - order, found


def _rooted(series: Series, exponent: Fraction) -> Series:
    """u^a from u y' = a u' y; the leading coefficient must have a rational power."""
    order, numbers = _stripped(series)
    first = evaluate(Node("^", (numbers[0], exponent)))
    if first is None or (order * exponent).denominator > 1:
        raise NoSeries
    found, above, below = [first], exponent.numerator, exponent.denominator
    for place in range(1, len(numbers)):
        total = sum(
            (
                (above * (place - at) - below * at) * numbers[place - at] * each
                for at, each in enumerate(found)
                if each and numbers[place - at]
            ),
            Fraction(0),
        )
        found.append(total / (below * place * numbers[0]))
    return int(order * exponent), found


def _regular(series: Series) -> list[Fraction]:
    """The coefficients from the constant on, of a series without a pole."""
    order, numbers = series
    if any(numbers[: max(-order, 0)]) or order + len(numbers) < 1:
        raise NoSeries
    return [Fraction(0)] * max(order, 0) + numbers[max(-order, 0) :]


def _applied(function: str, inner: Series) -> Series:
    numbers = _regular(inner)
    if function == "ln":
        return 0, _from_slope(_quotient((0, _slope(numbers)), (0, numbers[:-1])), numbers[0] == 1)
    if numbers[0]:
        raise NoSeries
    if function in ("sin", "cos", "tan"):
        sine, cosine = _waves(numbers)
        if function == "tan":
            return _quotient((0, sine), (0, cosine))
        return 0, sine if function == "sin" else cosine
    if function in ("sinh", "cosh"):
        up, down = _exponential(numbers), _exponential([-number for number in numbers])
        sign = -1 if function == "sinh" else 1
        return 0, [(left + sign * right) / 2 for left, right in zip(up, down)]
    square = _times(numbers, numbers)
    below = {
        "atan": lambda: [1 + square[0], *square[1:]],
        "asin": lambda: _rooted((0, _one_minus(square)), Fraction(1, 2))[1],
        "atanh": lambda: _one_minus(square),
    }.get(function)
    if below is None:
        raise NoSeries
    return 0, _over(numbers, below)


def _over(numbers: list[Fraction], below: Callable[[], list[Fraction]]) -> list[Fraction]:
    return _from_slope(_quotient((0, _slope(numbers)), (0, below()[: len(numbers) - 1])), True)


def _one_minus(square: list[Fraction]) -> list[Fraction]:
    return [1 - square[0], *(-number for number in square[1:])]


def _slope(numbers: list[Fraction]) -> list[Fraction]:
    return [place * number for place, number in enumerate(numbers)][1:]


def _from_slope(slope: Series, allowed: bool) -> list[Fraction]:
    """The series that is 0 at t = 0 and has this derivative."""
    if not allowed or slope[0]:
        raise NoSeries
    return [Fraction(0), *(number / place for place, number in enumerate(slope[1], 1))]


def _exponential(numbers: list[Fraction]) -> list[Fraction]:
    if numbers[0]:
        raise NoSeries
    found = [Fraction(1)]
    for place in range(1, len(numbers)):
        total = sum(
            (place - at) * numbers[place - at] * each
            for at, each in enumerate(found)
            if each and numbers[place - at]
        )
        found.append(Fraction(total) / place)
    return found


def _waves(numbers: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    sine, cosine = [Fraction(0)], [Fraction(1)]
    for place in range(1, len(numbers)):
        weights = [(place - at) * numbers[place - at] for at in range(place)]
        up = sum(weight * each for weight, each in zip(weights, cosine) if weight and each)
        down = sum(weight * each for weight, each in zip(weights, sine) if weight and each)
        sine.append(Fraction(up) / place)
        cosine.append(-Fraction(down) / place)
    return sine, cosine
