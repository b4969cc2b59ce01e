"""Polynomials as products of factors."""

from dataclasses import dataclass
from math import gcd, lcm
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.algebra.printer import CODE, to_latex, to_text
from puzzlemill.core.answers.algebra.statement import Words, bare, read_statement
from puzzlemill.core.answers.algebra.tree import Node, Tree, multiply, nodes, power, raised, scaled
from puzzlemill.core.answers.polynomial import Terms, product, sorted_terms, terms, tree_of
from puzzlemill.core.fraction import Fraction

DEGREE, BITS = 1000, 199  # of exponents; of the constant, which has to be written in 60 digits

# The constant, and each primitive factor with its exponent, sorted.
Product: TypeAlias = tuple[Fraction, tuple[tuple[Terms, int], ...]]


@dataclass(frozen=True, slots=True)
class Factored:
    """A constant times powers of polynomials with whole coprime coefficients, the first positive.

    The factors stay as they are written: x^2 - 1 is not (x - 1)(x + 1), although it is equal.
    """

    names: tuple[str, ...] = ("x",)
    whole: bool = False  # whether a fraction may stand nowhere, neither as a factor nor within one

    @property
    def form(self) -> str:
        name = self.names[0]
        return f"a product of factors, such as -2{name}({name} - 1)^2(3{name} + 5)"

    def read(self, text: str) -> Product | None:
        tree = read_statement(bare(text), Words(self.names, (), ()), "real")
        if tree is None or (self.whole and not _is_whole(tree)):
            return None
        return factors(tree, self.names)

    def write(self, answer: Product) -> str:
        return to_text(self._tree(answer)).replace("*", "")

    def ways(self, answer: Product) -> list[str]:
        tree, text = self._tree(answer), self.write(answer)
        latex = to_latex(tree)
        ways = [
            latex,
            to_text(tree, CODE),
            to_text(tree),
            f"${latex}$",
            text.replace(" ", ""),
            f"= {text}",
            f"\\[{latex}\\]",
        ]
        ways += [latex.replace("\\left", "").replace("\\right", "")]
        label = "f" if "f" not in self.names else "q"
        ways += [f"{label}({', '.join(self.names)}) = {text}"]
        number, parts = answer
        backwards = self._tree((number, tuple(reversed(parts))))
        ways += [to_text(backwards), to_latex(backwards).replace(") \\left(", ") \\cdot \\left(")]
        return [way for way in dict.fromkeys(ways) if way != text]

    def _tree(self, answer: Product) -> Tree:
        number, parts = answer
        single = [(tree_of(part, self.names), exponent) for part, exponent in parts]
        return multiply(
            number,
            *(
                tree if exponent == 1 else power(tree, Fraction(exponent))
                for tree, exponent in single
            ),
        )

    def near(self, answer: Product, rng: Random) -> Product:
        number, parts = answer
        if not parts:
            return number + rng.choice([1, 2]), ()
        place = rng.randrange(len(parts))
        part, exponent = parts[place]
        rest = (*parts[:place], *parts[place + 1 :])
        match rng.randrange(4):
            case 0:
                return -number, parts
            case 1:
                return merged(number, (*rest, (part, exponent + 1)))
            case 2 if len(part) > 1 and rest:
                other, times = rest[0]
                left = tuple((one, two - 1) for one, two in ((part, exponent), (other, times)))
                kept = tuple(item for item in left if item[1])
                return merged(number, (*rest[1:], *kept, (product(part, other), 1)))
            case _:
                changed = dict(part)
                changed[rng.choice(list(changed))] += rng.choice([1, 2])
                changed.setdefault((0,) * len(self.names), Fraction(1))
                scale, primitive = _primitive(sorted_terms(changed))
                powers = ((one, times * exponent) for one, times in _split(primitive))
                return merged(number * scale**exponent, (*rest, *powers))

    def guess(self, answer: Product, rng: Random) -> Product:
        number, parts = answer
        drawn: list[tuple[Terms, int]] = []
        for part, exponent in parts:
            new = {
                powers: Fraction(rng.randint(1, 2 * abs(int(own)) + 1) * rng.choice([-1, 1]))
                for powers, own in part
            }
            scale, primitive = _primitive(sorted_terms(new))
            number *= scale / abs(scale)
            drawn += [(one, two * exponent) for one, two in _split(primitive)]
        return merged(number, tuple(drawn))


def _is_whole(tree: Tree) -> bool:
    """Whether no number in a tree is a fraction."""
    return all(
        node.denominator == 1 for node in nodes(tree) if isinstance(node, Fraction)
    ) and not any(isinstance(node, Node) and node.sign == "/" for node in nodes(tree))


def factors(tree: Tree, names: tuple[str, ...]) -> Product | None:
    """The factors of a tree that is a product, each of them multiplied out."""
    number, parts = scaled(tree)
    found: list[tuple[Terms, int]] = []
    for part in parts:
        base, exponent = raised(part)
        if (
            not isinstance(exponent, Fraction)
            or exponent.denominator != 1
            or not 0 < exponent <= DEGREE
        ):
            return None
        inner = _factors_of(base, names)
        if inner is None or (abs(inner[0]) != 1 and _bits(inner[0]) * exponent > BITS):
            return None
        number *= inner[0] ** int(exponent)
        found += [(factor, times * int(exponent)) for factor, times in inner[1]]
    whole = merged(number, tuple(found))
    too_long = _bits(number) > BITS or any(times > DEGREE for _, times in whole[1])
    return None if too_long else whole


def _factors_of(tree: Tree, names: tuple[str, ...]) -> Product | None:
    """A factor that is a product, a power or a number of its own, or else a polynomial."""
    if isinstance(tree, Fraction):
        return tree, ()
    if isinstance(tree, Node) and tree.sign in ("*", "^"):
        return factors(tree, names)
    found = terms(tree, names)
    if found is None:
        return None
    if not found:
        return Fraction(0), ()
    scale, primitive = _primitive(found)
    return scale, _split(primitive)


def _primitive(found: Terms) -> tuple[Fraction, Terms]:
    """The content, with the sign of the first term, and the polynomial without it."""
    if not found:
        return Fraction(0), ()
    above = gcd(*(number.numerator for _, number in found))
    below = lcm(*(number.denominator for _, number in found))
    scale = Fraction(above, below) * (1 if found[0][1] > 0 else -1)
    return scale, tuple((powers, number / scale) for powers, number in found)


def _split(found: Terms) -> tuple[tuple[Terms, int], ...]:
    """A single term as the powers of its names; anything else as it is."""
    if len(found) != 1:
        return ((found, 1),) if found else ()
    powers = found[0][0]
    return tuple(
        ((((*(0,) * place, 1, *(0,) * (len(powers) - place - 1)), Fraction(1)),), exponent)
        for place, exponent in enumerate(powers)
        if exponent
    )


def merged(number: Fraction, parts: tuple[tuple[Terms, int], ...]) -> Product:
    """The product with equal factors put together, sorted: short factors first."""
    if not number:
        return number, ()
    found: dict[Terms, int] = {}
    for part, exponent in parts:
        found[part] = found.get(part, 0) + exponent
    return number, tuple(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))


def multiplied_out(answer: Product, names: int = 1) -> Terms | None:
    """The polynomial that a product is, unless its degree is high."""
    number, parts = answer
    if sum(times * max(sum(powers) for powers, _ in part) for part, times in parts) > 60:
        return None
    found: Terms = (((0,) * names, number),) if number else ()
    for part, exponent in parts:
        for _ in range(exponent):
            found = product(found, part)
    return found


def _bits(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())
