"""Polynomials that are multiplied out."""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.algebra.printer import CODE, to_latex, to_text
from puzzlemill.core.answers.algebra.statement import Words, bare, read_statement
from puzzlemill.core.answers.algebra.tree import (
    Tree,
    add,
    multiply,
    power,
    raised,
    scaled,
    terms_of,
)
from puzzlemill.core.fraction import Fraction

DEGREE = 1000  # largest exponent

Powers: TypeAlias = tuple[int, ...]  # of each name
Terms: TypeAlias = tuple[tuple[Powers, Fraction], ...]  # without zeros, the highest first


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of terms c·x^k·y^m, each power once; a product of sums is none."""

    names: tuple[str, ...] = ("x",)

    @property
    def form(self) -> str:
        name = self.names[0]
        several = f" in {' and '.join(self.names)}" if len(self.names) > 1 else ""
        return (
            f"a polynomial{several}, multiplied out and with like terms collected,"
            f" such as 3{name}^2 - {name}/2 + 1"
        )

    def read(self, text: str) -> Terms | None:
        tree = read_statement(bare(text), Words(self.names, (), ()), "real")
        return None if tree is None else terms(tree, self.names)

    def write(self, answer: Terms) -> str:
        return to_text(tree_of(answer, self.names))

    def ways(self, answer: Terms) -> list[str]:
        tree = tree_of(answer, self.names)
        text, latex = to_text(tree), to_latex(tree)
        upwards = tree_of(tuple(reversed(answer)), self.names)
        label = "f" if "f" not in self.names else "q"
        ways = [latex, to_text(tree, CODE), to_text(upwards), f"${latex}$", f"({text})"]
        ways += [f"{label}({', '.join(self.names)}) = {text}", text.replace(" ", "")]
        ways += [f"= {text}", f"\\[{latex}\\]"]
        return [way for way in dict.fromkeys(ways) if way != text]

    def near(self, answer: Terms, rng: Random) -> Terms:
        changed = dict(answer) or {(0,) * len(self.names): Fraction(0)}
        powers = rng.choice(list(changed))
        number = changed[powers]
        match rng.randrange(4):
            case 0:
                changed[powers] = -number
            case 1:
                place = rng.randrange(len(powers))
                del changed[powers]
                moved = (*powers[:place], powers[place] + 1, *powers[place + 1 :])
                changed[moved] = changed.get(moved, Fraction(0)) + number
            case _:
                changed[powers] = number + rng.choice([-1, 1, 2])
        return sorted_terms(changed)

    def guess(self, answer: Terms, rng: Random) -> Terms:
        drawn = {}
        for powers, number in answer:
            top = max(2, 2 * abs(number.numerator))
            drawn[powers] = Fraction(rng.choice([-1, 1]) * rng.randint(1, top), number.denominator)
        return sorted_terms(drawn)


def sorted_terms(found: dict[Powers, Fraction]) -> Terms:
    ordered = sorted(found.items(), key=lambda term: (-sum(term[0]), [-one for one in term[0]]))
    return tuple((powers, number) for powers, number in ordered if number)


def terms(tree: Tree, names: tuple[str, ...]) -> Terms | None:
    """The terms of a tree that is a sum of them already; None where any work is left to do."""
    found: dict[Powers, Fraction] = {}
    for part in terms_of(tree):
        term = _term(part, names)
        if term is None or term[0] in found:
            return None
        found[term[0]] = term[1]
    return sorted_terms(found)


def _term(tree: Tree, names: tuple[str, ...]) -> tuple[Powers, Fraction] | None:
    number, factors = scaled(tree)
    powers = dict.fromkeys(names, 0)
    for factor in factors:
        base, exponent = raised(factor)
        if not isinstance(base, str) or powers.get(base, 1) or not isinstance(exponent, Fraction):
            return None
        if exponent.denominator != 1 or not 0 < exponent <= DEGREE:
            return None
        powers[base] = int(exponent)
    return tuple(powers.values()), number


def tree_of(found: Terms, names: tuple[str, ...]) -> Tree:
    parts: list[Tree] = []
    for powers, number in found:
        factors: list[Tree] = [number]
        for name, exponent in zip(names, powers, strict=True):
            if exponent:
                factors.append(name if exponent == 1 else power(name, Fraction(exponent)))
        parts.append(multiply(*factors))
    return add(parts)


def product(one: Terms, other: Terms) -> Terms:
    """The product of two polynomials, multiplied out."""
    found: dict[Powers, Fraction] = {}
    for left, number in one:
        for right, factor in other:
            powers = tuple(a + b for a, b in zip(left, right, strict=True))
            found[powers] = found.get(powers, Fraction(0)) + number * factor
    return sorted_terms(found)
