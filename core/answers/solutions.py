"""The solutions of an equation in one unknown: a finite set of exact numbers, none, or all."""

import re
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core.answers.algebra.expr import Expr
from puzzlemill.core.answers.algebra.finished import collected
from puzzlemill.core.answers.algebra.numeric import Realm
from puzzlemill.core.answers.algebra.printer import CODE, latex_name, to_latex, to_text
from puzzlemill.core.answers.algebra.statement import (
    ALL_CONSTANTS,
    Words,
    read_statement,
    read_tokens,
    unmixed,
)
from puzzlemill.core.answers.algebra.tokens import spelled_ways
from puzzlemill.core.answers.algebra.tree import Tree, add, negate
from puzzlemill.core.answers.extents import extent, unled
from puzzlemill.core.fraction import Fraction

MOST = 40  # solutions

_FRAME = re.compile(r"\\(?:begin|end)\{[a-z]{1,16}\*?\}|&")
_ORDINAL = re.compile(
    r"^[ \t]*(?:[-*•+]|\(?\d{1,2}[.)])[ \t]+(?=[A-Za-z\\])", re.MULTILINE | re.ASCII
)
_JOIN = re.compile(
    r"(?:[,;\n][ \t]{0,9})?(?:(?<![A-Za-z\\])(?:or|and)(?![A-Za-z])|∨|\\(?:lor|vee)(?![A-Za-z]))"
    r"|\\\\\s{0,9}"
)
_TWICE = re.compile(
    r"\s{0,9}\((?:(?:a )?(?:double|repeated|triple)(?: root| solution)?"
    r"|(?:with )?multiplicity \d|twice)\)"
    r"|,?\s{1,9}(?:with|of) multiplicity (?:\d|one|two|three|four)"
    r"|\s{1,9}\(?(?:double|repeated) root\)?",
    re.IGNORECASE,
)
_PLUS_MINUS = re.compile(r"±|\\pm(?![A-Za-z])|\+/-")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3},\d{3}(?!\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class SolutionSet:
    """Different numbers in ascending order; or every number there is."""

    numbers: tuple[Expr, ...] = ()
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Solutions:
    """A set of exact numbers in any order, "no real solution" or "all real numbers"."""

    name: str = "x"
    realm: Realm = "real"  # or "complex"

    @property
    def form(self) -> str:
        name = self.name
        real = "" if self._complex() else "real "
        example = "1 + 2i" if self._complex() else "sqrt(5)/2"
        return (
            f'all solutions with exact values, such as {name} = -3 or {name} = {example}; or "no '
            f'{real}solution", or "all {real or "complex "}numbers"'
        )

    def read(self, text: str) -> SolutionSet | None:
        text = _TWICE.sub("", _ORDINAL.sub("", _FRAME.sub(" ", unled(text)))).strip()
        if said := extent(text):
            mine = (
                {"none", "all", "all complex"}
                if self._complex()
                else {"none", "no real", "all", "all real"}
            )
            return SolutionSet(everything=said.startswith("all")) if said in mine else None
        found: list[Expr] = []
        for part in self._parts(text):
            numbers = self._numbers(part)
            if not numbers or len(found) > MOST:
                return None
            found += numbers
        return self.collected(found)

    def collected(self, numbers: list[Expr]) -> SolutionSet | None:
        """The numbers as a set; None where there are none or one has no value."""
        if not numbers or len(numbers) > MOST or not all(one.defined() for one in numbers):
            return None
        # What is short as it was read may be too long when it is written out.
        if any(read_tokens(to_text(one.tree), self._words()) is None for one in numbers):
            return None
        different: list[Expr] = []
        for number in sorted(numbers, key=_place):
            if number not in different:
                different.append(number)
        return SolutionSet(tuple(different))

    def _parts(self, text: str) -> list[str]:
        """What stands between commas, "or" and "and", out of the braces of a set."""
        head = re.compile(
            rf"\s*(?:{self._letter()}\s*(?:∈|\\in(?![A-Za-z]))|{self._letter()}\s*=(?=\s*\\?\{{))"
        )
        if named := head.match(text):
            text = text[named.end() :].strip()
        if text.startswith(("[", "{")) and '"' in text:
            text = text.replace('"', "")
        if json := re.fullmatch(rf"\{{\s*{self._letter()}\s*:\s*(.*)\}}", text, re.DOTALL):
            text = json[1].strip()
        inside = _inside(text)
        if inside is None and _THOUSANDS.search(text):
            return []  # "1,234": one number or two
        return _split(inside if inside is not None else text)

    def _complex(self) -> bool:
        return self.realm == "complex"

    def _letter(self) -> str:
        ways = sorted({*spelled_ways(self.name), self.name.upper()}, key=len, reverse=True)
        return f"(?:{'|'.join(map(re.escape, ways))})"

    def _numbers(self, part: str) -> list[Expr]:
        """The number of a part, or the two that ± makes of it."""
        index = r"(?:_\{?\d{1,2}(?:,\s?\d)?\}?|[₀-₉]{1,2}|\d{1,2})?"
        label = re.match(rf"(?:\s*{self._letter()}{index}\s*=)+", part)
        part = part[label.end() :] if label else part
        pieces = _PLUS_MINUS.split(part)
        if len(pieces) > 2:
            return []  # two numbers or four
        halves = [sign.join(pieces) for sign in "+-"] if len(pieces) == 2 else [unmixed(part)]
        # What ± is before may be left standing, (-1 ± 5)/2, as if it were a multiple of pi.
        if self._tree("+ pi*".join(pieces), evaluated=True) is None:
            return []
        trees = [self._tree(half) for half in halves]
        return (
            [] if None in trees else [Expr(tree, self.realm) for tree in trees if tree is not None]
        )

    def _tree(self, text: str, evaluated: bool = False) -> Tree | None:
        words = replace(self._words(), evaluated=evaluated)
        return read_statement(text, words, self.realm, labels=False)

    def _words(self) -> Words:
        return Words((), constants=(*ALL_CONSTANTS, "i") if self._complex() else ALL_CONSTANTS)

    def write(self, answer: SolutionSet) -> str:
        if answer.everything:
            return "all complex numbers" if self._complex() else "all real numbers"
        if not answer.numbers:
            return "no solution" if self._complex() else "no real solution"
        return " or ".join(f"{self.name} = {to_text(number.tree)}" for number in answer.numbers)

    def ways(self, answer: SolutionSet) -> list[str]:
        letter = latex_name(self.name)
        if answer.everything:
            kind, sign = ("complex", "C") if self._complex() else ("real", "R")
            ways = [f"\\mathbb{{{sign}}}", f"{letter} \\in \\mathbb{{{sign}}}", "any number"]
            return [*ways, f"every {kind} number is a solution", "infinitely many solutions"]
        if not answer.numbers:
            ways = ["∅", "\\emptyset", "\\{\\}", "No solutions", "There is no solution"]
            return [*ways, "no solutions exist", "none"]
        texts = [to_text(number.tree) for number in answer.numbers]
        latex = [to_latex(number.tree) for number in answer.numbers]
        marked = [f"{letter}_{place} = {one}" for place, one in enumerate(latex, 1)]
        ways = [f"\\{{{', '.join(latex)}\\}}", f"{{{', '.join(texts)}}}", f"[{', '.join(texts)}]"]
        ways += [f"{letter} \\in \\{{{', '.join(latex)}\\}}", ", ".join(marked)]
        ways += [" \\text{ or } ".join(f"{letter} = {one}" for one in latex)]
        ways += [" and ".join(f"{self.name} = {one}" for one in reversed(texts))]
        ways += [
            "\n".join(f"{self.name} = {to_text(number.tree, CODE)}" for number in answer.numbers)
        ]
        ways += [f"{self.name} = {', '.join(texts)}", ", ".join(latex)]
        first = answer.numbers[0]
        if len(texts) == 2 and answer.numbers[1] == Expr(negate(first.tree), self.realm):
            ways += [f"{letter} = \\pm {latex[1]}"] if not texts[1].startswith("-") else []
        return [way for way in dict.fromkeys(ways) if way != self.write(answer)]

    def near(self, answer: SolutionSet, rng: Random) -> SolutionSet:
        """Never a part of the answer: that and the answer, one after the other, are the answer."""
        if answer.everything or not answer.numbers:
            return SolutionSet((self._number(rng.randint(-9, 9)),))
        numbers = list(answer.numbers)
        place = rng.randrange(len(numbers))
        tree = numbers[place].tree
        match rng.randrange(3):
            case 0:
                numbers[place] = Expr(negate(tree), self.realm)
            case 1:
                numbers[place] = Expr(add_number(tree, rng.choice([-1, 1])), self.realm)
            case _:
                numbers.append(Expr(add_number(tree, rng.choice([-1, 1])), self.realm))
        found = self.collected(numbers)
        if found is None or set_within(found, answer):
            numbers = [*answer.numbers, self._number(rng.randint(100, 999))]
            found = self.collected(numbers) or answer
        return found

    def guess(self, answer: SolutionSet, rng: Random) -> SolutionSet:
        if answer.everything or not answer.numbers:
            return answer
        top = 9 + 2 * max(abs(_leading(number.tree)) for number in answer.numbers)
        drawn = rng.sample(range(-top, top + 1), len(answer.numbers))
        return self.collected([self._number(one) for one in drawn]) or answer

    def _number(self, number: int) -> Expr:
        return Expr(Fraction(number), self.realm)


def add_number(tree: Tree, number: int) -> Tree:
    """The sum, worked out."""
    return collected(add([tree, Fraction(number)]))


def set_within(one: SolutionSet, other: SolutionSet) -> bool:
    return all(number in other.numbers for number in one.numbers)


def _leading(tree: Tree) -> int:
    return int(tree) if isinstance(tree, Fraction) and abs(tree) < 10**6 else 1


def _place(number: Expr) -> tuple[float, float]:
    found = number.number()
    return (round(float(found.real), 10), float(found.imag)) if found is not None else (0.0, 0.0)


_OPENING, _CLOSING = "([{", ")]}"


def _inside(text: str) -> str | None:
    """What stands in the brackets around a whole list or set."""
    if text.startswith("\\{") and text.endswith("\\}"):
        text = text[1:-2] + "}"
    if len(text) < 2 or text[0] + text[-1] not in ("[]", "{}", "()"):
        return None
    depth = 0
    for place, char in enumerate(text):
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth == 0 and place < len(text) - 1:
            return None
    inside = text[1:-1]
    return inside if text[0] == "{" or len(_split(inside)) > 1 else None


def _split(text: str) -> list[str]:
    """The parts of a list that are not in brackets of their own."""
    parts, depth, start = list[str](), 0, 0
    text = _JOIN.sub(",", text.strip().rstrip(",;"))
    for place, char in enumerate(text):
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth == 0 and char in ",;\n":
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]
