"""Formulas built from whole numbers with + - * / and brackets, kept as they are built."""

import re
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.algebra.statement import unstarred
from puzzlemill.core.answers.form import plain
from puzzlemill.core.fraction import Fraction

TOKENS, DEPTH, DIGITS = 400, 60, 30  # a larger formula is not read
LONGEST = 4000  # characters

# A number, or (sign, left, right). The sign "neg" turns its right side about and has 0 on the left.
Tree: TypeAlias = int | tuple[str, "Tree", "Tree"]

_SIGNS = re.compile(r"\\(times|cdot|ast|div|lbrace|rbrace|lbrack|rbrack|[{}])(?![A-Za-z])")
_MEANT = {"times": "*", "cdot": "*", "ast": "*", "div": "/", "lbrace": "(", "rbrace": ")",
          "lbrack": "(", "rbrack": ")", "{": "(", "}": ")"}  # fmt: skip
_TOKEN = re.compile(r"\s*(\\[dtc]?frac(?![A-Za-z])|\d+|[-+*/()xX]|\S)", re.ASCII)
_RESULT = re.compile(r"\s*([+-]?\d{1,30})\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression such as (3 + 5) * 2, read into a tree by our own grammar; "= 16" may follow."""

    form: str = "an arithmetic expression of numbers, + - * / and brackets, such as (3 + 5) * 2"

    def read(self, text: str) -> Tree | None:
        text = _SIGNS.sub(lambda sign: f" {_MEANT[sign[1]]} ", unstarred(plain(text)))
        if len(text) > LONGEST:
            return None
        left, equals, right = text.partition("=")
        result = _RESULT.fullmatch(right) or _RESULT.fullmatch(left) if equals else None
        if equals and not result:
            return None
        tree = _tree(right if result and result.string == left else left)
        if tree is None or _tree(self.write(tree)) is None:  # deeper with all of its brackets
            return None
        return tree if not result or value(tree) == int(result[1]) else None

    def write(self, answer: Tree) -> str:
        if isinstance(answer, int):
            return str(answer)
        sign, left, right = answer
        if sign == "neg":
            return f"-{self._bracketed(right)}"
        return f"{self._bracketed(left)} {sign} {self._bracketed(right)}"

    def _bracketed(self, tree: Tree) -> str:
        return str(tree) if isinstance(tree, int) else f"({self.write(tree)})"

    def ways(self, answer: Tree) -> list[str]:
        text, latex = self.write(answer), _latex(answer)
        ways = [latex, f"${latex}$", text.replace(" ", ""), sparing(answer), f"({text})"]
        ways += [text.replace("*", "×").replace("/", "÷"), text.replace("*", "\\times")]
        ways += [text.replace("*", "x"), text.replace("(", "[").replace(")", "]")]
        result = value(answer)
        if result is not None and result.denominator == 1:
            ways += [f"{text} = {result}", f"{result} = {text}", f"${latex} = {result}$"]
        return [way for way in dict.fromkeys(ways) if way != text]

    def near(self, answer: Tree, rng: Random) -> Tree:
        if isinstance(answer, int):
            return answer + 1
        sign, left, right = answer
        if sign == "neg":
            return self.near(right, rng)
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
        sign, left, right = answer
        if sign == "neg":
            return self.guess(right, rng)
        return (rng.choice("+-*/"), self.guess(left, rng), self.guess(right, rng))


def value(tree: Tree) -> Fraction | None:
    """What a formula comes to; None where it divides by zero."""
    exact = _exact(tree)
    return None if exact is None else Fraction(exact)


def _exact(tree: Tree) -> Fraction | int | None:
    """The value, as a whole number until something is divided."""
    if isinstance(tree, int):
        return tree
    sign, first, second = tree
    left, right = _exact(first), _exact(second)
    if left is None or right is None:
        return None
    if sign == "+":
        return left + right
    if sign == "*":
        return left * right
    if sign == "/":
        return Fraction(left) / right if right else None
    return left - right


def leaves(tree: Tree) -> list[int]:
    """The numbers of a formula, from left to right."""
    if isinstance(tree, int):
        return [tree]
    return leaves(tree[2]) if tree[0] == "neg" else leaves(tree[1]) + leaves(tree[2])


def _latex(tree: Tree) -> str:
    if isinstance(tree, int):
        return str(tree)
    sign, left, right = tree
    if sign == "/":
        return f"\\frac{{{_latex(left)}}}{{{_latex(right)}}}"
    inner = [
        _latex(part)
        if isinstance(part, int) or part[0] == "/"
        else f"\\left({_latex(part)}\\right)"
        for part in (left, right)
    ]
    if sign == "neg":
        return f"-{inner[1]}"
    times = "\\times" if sign == "*" else sign
    return f"{inner[0]} {times} {inner[1]}"


def sparing(tree: Tree) -> str:
    """With no more brackets than are needed."""
    return "".join(_spared(tree)[0])


def _spared(tree: Tree) -> tuple[str, int]:
    """The text, and how tightly its last operation holds: 1 a sum, 2 a product, 3 a number."""
    if isinstance(tree, int):
        return str(tree), 3
    sign, left, right = tree
    rank = 2 if sign in "*/" else 1
    after, held = _spared(right)
    after = after if held > rank else f"({after})"
    if sign == "neg":
        return f"-{after}", 0
    before, holds = _spared(left)
    return f"{before if holds >= rank else f'({before})'} {sign} {after}", rank


def _tree(text: str) -> Tree | None:
    tokens = [match[1] for match in _TOKEN.finditer(text)]
    if len(tokens) > TOKENS or any(len(token) > DIGITS for token in tokens):
        return None
    reader = _Reader(tokens)
    tree = reader.sum(0)
    return tree if tree is not None and reader.place == len(tokens) else None


class _Reader:
    """Recursive descent over the tokens; every method returns None where the grammar breaks."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place = 0

    def _next(self, *wanted: str) -> str | None:
        if self.place < len(self.tokens) and self.tokens[self.place] in wanted:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def sum(self, depth: int) -> Tree | None:
        minus = self._next("+", "-") == "-"
        tree = self.product(depth)
        if tree is not None and minus:
            tree = ("neg", 0, tree)
        while tree is not None and (sign := self._next("+", "-")):
            right = self.product(depth)
            tree = None if right is None else (sign, tree, right)
        return tree

    def product(self, depth: int) -> Tree | None:
        tree = self.leaf(depth)
        divided = False
        while tree is not None:
            if sign := self._next("*", "x", "X", "/"):
                minus = self._next("-") is not None
                right = self.leaf(depth)
                if right is not None and minus:
                    right = ("neg", 0, right)
                divided = sign == "/"
            elif self._beside():
                sign, right = "*", None if divided else self.leaf(depth)  # 8/2(1+3) is two things
            else:
                return tree
            tree = None if right is None else ("/" if sign == "/" else "*", tree, right)
        return tree

    def _beside(self) -> bool:
        """Whether a bracket follows a factor, or a number a bracket, with no sign between."""
        following = self.tokens[self.place : self.place + 1]
        if not following:
            return False
        return following[0] in "([{" or (
            following[0].isdigit() and self.tokens[self.place - 1] in ")]}"
        )

    def leaf(self, depth: int) -> Tree | None:
        if depth > DEPTH or self.place >= len(self.tokens):
            return None
        for left, right in ("()", "[]", "{}"):
            if self._next(left):
                tree = self.sum(depth + 1)
                return tree if tree is not None and self._next(right) else None
        token = self.tokens[self.place]
        if token.startswith("\\"):
            self.place += 1
            above = self._argument(depth)
            below = None if above is None else self._argument(depth)
            return None if above is None or below is None else ("/", above, below)
        if not token.isascii() or not token.isdigit():
            return None
        self.place += 1
        return int(token)

    def _argument(self, depth: int) -> Tree | None:
        """What stands in the braces of a fraction."""
        if self.tokens[self.place : self.place + 1] != ["{"]:
            return None
        return self.leaf(depth)
