"""Exact numbers, and formulas built from whole numbers with + - * / and brackets."""

import re
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.form import plain, unnamed
from puzzlemill.core.answers.whole import Integer

TOKENS, DEPTH, DIGITS = 400, 60, 30  # a larger formula is not read

Tree: TypeAlias = int | tuple[str, "Tree", "Tree"]

_FRACTION = re.compile(
    r"([+-]?)\\[dt]?frac\s*\{\s*([+-]?\d{1,400})\s*\}\s*\{\s*(\d{1,400})\s*\}", re.ASCII
)
_RATIO = re.compile(r"([+-]?)\(?\s*([+-]?\d{1,400})\s*/\s*(\d{1,400})\s*\)?", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d{1,400}\.\d{0,400}|\.\d{1,400})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Number:
    """One rational number: an integer, a fraction, or a decimal that is exactly it."""

    form: str = "a number (an integer or a fraction in lowest terms)"

    def read(self, text: str) -> Fraction | None:
        bare = unnamed(plain(text)).replace(" ", " ").strip()
        for pattern in (_FRACTION, _RATIO):
            if found := pattern.fullmatch(bare):
                below = int(found[3])
                return (
                    Fraction(int(found[2]), below) * (-1 if found[1] == "-" else 1)
                    if below
                    else None
                )
        if _DECIMAL.fullmatch(bare):
            return Fraction(bare)
        whole = Integer().read(bare)
        return None if whole is None else Fraction(whole)

    def write(self, answer: Fraction) -> str:
        return str(answer)

    def near(self, answer: Fraction, rng: Random) -> Fraction:
        return rng.choice([answer + 1, -answer, answer * 2, answer + Fraction(1, 2), 1 - answer])

    def guess(self, answer: Fraction, rng: Random) -> Fraction:
        top = 10 ** max(1, len(str(abs(answer.numerator))))
        return Fraction(rng.randrange(-top if answer < 0 else 0, top), answer.denominator)


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression such as (3 + 5) * 2, read into a tree by our own grammar; "= 16" may follow."""

    form: str = "an arithmetic expression"

    def read(self, text: str) -> Tree | None:
        text = plain(text).replace("\\times", "*").replace("\\cdot", "*").replace("\\div", "/")
        text = re.sub(r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))", text)
        text = re.sub(r"[\[{]", "(", re.sub(r"[\]}]", ")", text)).replace("x", "*")
        body, equals, _ = text.partition("=")
        if equals and not re.fullmatch(r"\s*[+-]?\d{1,30}\s*", text.rpartition("=")[2], re.ASCII):
            return None
        tokens = re.findall(r"\d+|[-+*/()]|\S", body, re.ASCII)
        if len(tokens) > TOKENS or any(len(token) > DIGITS for token in tokens):
            return None
        reader = _Reader(tokens)
        tree = reader.sum(0)
        return tree if tree is not None and reader.place == len(tokens) else None

    def write(self, answer: Tree) -> str:
        if isinstance(answer, int):
            return str(answer)
        sign, left, right = answer
        return f"{self._bracketed(left)} {sign} {self._bracketed(right)}"

    def _bracketed(self, tree: Tree) -> str:
        return str(tree) if isinstance(tree, int) else f"({self.write(tree)})"

    def near(self, answer: Tree, rng: Random) -> Tree:
        if isinstance(answer, int):
            return answer + 1
        sign, left, right = answer
        match rng.randrange(3):
            case 0:
                return (rng.choice([other for other in "+-*/" if other != sign]), left, right)
            case 1:
                return (sign, self.near(left, rng), right)
            case _:
                return (sign, left, self.near(right, rng))

    def guess(self, answer: Tree, rng: Random) -> Tree:
        if isinstance(answer, int):
            return answer
        _, left, right = answer
        return (rng.choice("+-*/"), self.guess(left, rng), self.guess(right, rng))


def value(tree: Tree) -> Fraction | None:
    """What a formula comes to; None where it divides by zero."""
    if isinstance(tree, int):
        return Fraction(tree)
    left, right = value(tree[1]), value(tree[2])
    if left is None or right is None:
        return None
    match tree[0]:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case _:
            return left / right if right else None


def leaves(tree: Tree) -> list[int]:
    """The numbers of a formula, from left to right."""
    return [tree] if isinstance(tree, int) else leaves(tree[1]) + leaves(tree[2])


class _Reader:
    """Recursive descent over the tokens; every method returns None where the grammar breaks."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place = 0

    def _next(self, wanted: str) -> str | None:
        if self.place < len(self.tokens) and self.tokens[self.place] in wanted:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def sum(self, depth: int) -> Tree | None:
        tree = self.product(depth)
        while tree is not None and (sign := self._next("+-")):
            right = self.product(depth)
            tree = None if right is None else (sign, tree, right)
        return tree

    def product(self, depth: int) -> Tree | None:
        tree = self.leaf(depth)
        while tree is not None and (sign := self._next("*/")):
            right = self.leaf(depth)
            tree = None if right is None else (sign, tree, right)
        return tree

    def leaf(self, depth: int) -> Tree | None:
        if depth > DEPTH or self.place >= len(self.tokens):
            return None
        if self._next("("):
            tree = self.sum(depth + 1)
            return tree if tree is not None and self._next(")") else None
        token = self.tokens[self.place]
        if not token.isascii() or not token.isdigit():
            return None
        self.place += 1
        return int(token)
