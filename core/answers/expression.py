"""Expressions and exact closed-form numbers, compared by what they say."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from random import Random

from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.finished import collected
from puzzlemill.core.answers.algebra.numeric import Realm
from puzzlemill.core.answers.algebra.printer import CODE, to_latex, to_text
from puzzlemill.core.answers.algebra.statement import (
    ALL_CONSTANTS,
    ALL_FUNCTIONS,
    Words,
    bare,
    read_statement,
    read_tokens,
    unitless,
)
from puzzlemill.core.answers.algebra.tree import (
    ONE,
    ZERO,
    Node,
    Tree,
    add,
    multiply,
    names_in,
    rebuilt,
    replaced,
)
from puzzlemill.core.fraction import Fraction

TRIES = 60  # to change an expression into another that can be read

_NOTHING_IMAGINARY = re.compile(r"(?<=\d)\s?[+-]\s?0\s?\*?\s?i$")  # 3 + 0i
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_PARTNERS = {
    "sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh", "asin": "acos", "acos": "asin"
}  # fmt: skip
_CONSTANTS = ("C", "c", "K", "k", "C_1", "C_0", "const", "constant")

# "2e + 2" without its blanks is read as a number by others, and as nothing here.
_LIKE_A_POWER_OF_TEN = re.compile(r"\de [+-] \d")


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression in some names, or with none a closed-form number; equal means equal in value.

    The realm says what the names stand for and which values there are. With a constant such as
    "C", it is an antiderivative in the first name: "+ C" may be there or not. A number that is to
    be evaluated is read only where nothing in it is left to be worked out.
    """

    names: tuple[str, ...] = ("x",)
    functions: tuple[str, ...] = ALL_FUNCTIONS
    realm: Realm = "real"
    constant: str = ""
    evaluated: bool = False

    @property
    def form(self) -> str:
        if self.constant:
            name = self.names[0]
            return (
                f"an antiderivative in {name}, such as {name}^3/3 + 1/(2{name})"
                f" (+ {self.constant} may be left out)"
            )
        if not self.names:
            complex_one = "3 - 2i" if self.realm == "complex" else "pi/4"
            return f"an exact number, such as 7/2, 2sqrt(3) or {complex_one}"
        name = self.names[0]
        examples = [f"3{name}^2 + 1/(2{name})"]
        if "sqrt" in self.functions:
            examples.append(f"sqrt({name})/2" if self.realm != "whole" else f"5*2^{name}")
        return f"an expression in {', '.join(self.names)}, such as {' or '.join(examples)}"

    def read(self, text: str) -> Expr | None:
        found = self._stated(text)
        return None if found is None or not self._may_be(found) else found

    def _stated(self, text: str) -> Expr | None:
        """What a text says, be it an answer or not."""
        text = bare(text)
        if not self.names:
            text = unitless(text)
        if self.realm == "complex":
            text = _NOTHING_IMAGINARY.sub("", text)
        tree = read_statement(text, self._words(), self.realm)
        if tree is None:
            return None
        return self._without_constant(tree) if self.constant else self.expr(tree)

    def _may_be(self, found: Expr) -> bool:
        return _may_be(self, found.tree)

    def expr(self, tree: Tree) -> Expr:
        """A tree as an answer of this kind."""
        return Expr(tree, self.realm, self.names[0] if self.constant else "")

    def write(self, answer: Expr) -> str:
        return to_text(answer.tree)

    def ways(self, answer: Expr) -> list[str]:
        tree, text, latex = answer.tree, to_text(answer.tree), to_latex(answer.tree)
        label = next(name for name in "yzwfgquvs" if name not in self.names)
        ways = [latex, to_text(tree, CODE), f"{label} = {text}", f"${label} = {latex}$"]
        ways += [
            f"\\[ {latex} \\]",
            f"= {text}",
            latex.replace("\\frac", "\\dfrac"),
            _with_raised(text),
        ]
        ways += [text.replace("sqrt(", "√("), text.replace("pi", "π"), text.replace("*", "·")]
        if not _LIKE_A_POWER_OF_TEN.search(text):
            ways += [text.replace(" + ", "+").replace(" - ", "-")]
        ways += [latex.replace("\\left", "").replace("\\right", "")]
        if self.constant:
            ways += [f"{text} + {self.constant}", f"{latex} + {self.constant}"]
        return [way for way in dict.fromkeys(ways) if way != text]

    def near(self, answer: Expr, rng: Random) -> Expr:
        changes = list(_changes(answer.tree, rng))
        rng.shuffle(changes)
        return self._first_apart(answer, changes)

    def guess(self, answer: Expr, rng: Random) -> Expr:
        drawn = [_redrawn(answer.tree, rng) for _ in range(8)]
        return self._first_apart(answer, drawn)

    def among(self, known: Sequence[str]) -> "Expression":
        """In the names that a prompt asks for; where it asks for none, evaluated."""
        return replace(self, names=tuple(known), evaluated=not known)

    def _first_apart(self, answer: Expr, trees: list[Tree]) -> Expr:
        """The first of some trees that is another answer and cannot be joined into this one."""
        steps = (self._stepped(answer.tree, Fraction(number)) for number in range(2, 9))
        for tree in chain(trees[:TRIES], steps):
            other = self.expr(tree)
            apart = other.defined() and other != answer and not self._joins(answer, other)
            if apart and self.read(self.write(other)) == other:
                return other
        return other

    def _stepped(self, tree: Tree, number: Fraction) -> Tree:
        """Another answer, with something added to it."""
        if self.constant:
            return add([tree, multiply(number, self.names[0])])
        return collected(add([tree, number])) if self.evaluated else add([tree, number])

    def _joins(self, answer: Expr, other: Expr) -> bool:
        """Whether "6 / 2" or "6 (2)" says one of the two answers 6 and 2, read as one."""
        one, two = self.write(answer), self.write(other)
        joined = (f"{one} / {two}", f"{two} / {one}", f"{one} ({two})", f"{two} ({one})")
        said = map(self._stated, joined)  # unequal, most of them: that is found sooner
        return any(each == answer and self._may_be(each) for each in said if each is not None)

    def _words(self) -> Words:
        names = self.names
        if self.constant:
            taken = {name.lower() for name in names}
            extra = dict.fromkeys((self.constant, *_CONSTANTS))
            names += tuple(name for name in extra if name.lower() not in taken)
        constants = (*ALL_CONSTANTS, "i") if self.realm == "complex" else ALL_CONSTANTS
        return Words(names, self.functions, constants, self.evaluated)

    def _without_constant(self, tree: Tree) -> Expr | None:
        """The antiderivative for one value of its constant, which must be no more than added."""
        letters = names_in(tree) - set(self.names)
        if not letters:
            return self.expr(tree)
        found = [_valued(tree, letters, number) for number in (ONE, Fraction(5, 3), Fraction(4))]
        if any(self.expr(other) != self.expr(found[0]) for other in found[1:]):
            return None
        zero = self.expr(_valued(tree, letters, ZERO))
        return zero if zero.defined() and zero == self.expr(found[0]) else self.expr(found[0])


@lru_cache(maxsize=64)  # one tree is read from several texts
def _may_be(kind: Expression, tree: Tree) -> bool:
    """Whether it has values, and is not too long: what was short as read may be so written."""
    found = kind.expr(tree)
    return found.defined() and read_tokens(kind.write(found), kind._words()) is not None


def _valued(tree: Tree, letters: frozenset[str], number: Fraction) -> Tree:
    for letter in letters:
        tree = replaced(tree, letter, number)
    return tree


def _with_raised(text: str) -> str:
    """x² for x^2."""
    found = ""
    place = 0
    while place < len(text):
        char = text[place]
        end = place + 1
        if char == "^":
            while end < len(text) and text[end].isdigit():
                end += 1
        found += text[place + 1 : end].translate(_RAISED) if end > place + 1 else char
        place = end
    return found


def _changes(tree: Tree, rng: Random) -> Iterator[Tree]:
    """Trees that differ from one in a single place."""
    if isinstance(tree, Fraction):
        yield from (tree + step for step in (1, -1, 2) if tree + step not in (0, 1))
        if tree:
            yield -tree
        return
    if isinstance(tree, str):
        return
    if tree.sign in _PARTNERS:
        yield Node(_PARTNERS[tree.sign], tree.parts)
    if tree.sign == "+":
        place = rng.randrange(len(tree.parts))
        flipped = rebuilt("*", [Fraction(-1), tree.parts[place]])
        yield rebuilt("+", [*tree.parts[:place], flipped, *tree.parts[place + 1 :]])
    for place, part in enumerate(tree.parts):
        if tree.sign == "root" and place:
            yield Node("root", (tree.parts[0], Fraction(rng.choice([2, 3, 4]))))
            continue
        for changed in _changes(part, rng):
            yield rebuilt(tree.sign, [*tree.parts[:place], changed, *tree.parts[place + 1 :]])


def _redrawn(tree: Tree, rng: Random) -> Tree:
    """The same shape with other numbers and functions."""
    if isinstance(tree, Fraction):
        top = max(9, abs(tree.numerator) * 2)
        number = Fraction(rng.randint(2, top), rng.randint(1, max(1, tree.denominator)))
        return -number if tree < 0 or rng.random() < 0.2 else number
    if isinstance(tree, str) or not tree.parts:
        return tree
    if tree.sign == "root":
        return Node("root", (_redrawn(tree.parts[0], rng), tree.parts[1]))
    return rebuilt(tree.sign, [_redrawn(part, rng) for part in tree.parts])
