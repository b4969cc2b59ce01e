"""A program as an answer: functions in a small part of Python, read and never run here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from textwrap import dedent

from puzzlemill.core.answers.form import layers
from puzzlemill.core.answers.program.parser import parsed
from puzzlemill.core.answers.program.tokens import Refused
from puzzlemill.core.answers.program.tree import INDENT, Block, Expression, lines
from puzzlemill.core.answers.wrappers import seen

_FENCE = re.compile(r"\A\s*(?:```|~~~)(?:python3?|py)?[ \t]*\n([\s\S]*?)\n?[ \t]*(?:```|~~~)\s*\Z")
_DISPLAY = re.compile(r"\\displaystyle(?![A-Za-z])\s{0,9}")
_ESCAPED = re.compile(r"\\([_%#&{}])")
_SAME = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2012\u2013", "-"))
_CHANGED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
            "%": "//", "//": "%", "and": "or", "or": "and"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """A function of that name, perhaps with others that it calls."""

    name: str
    arguments: tuple[str, ...]

    @property
    def form(self) -> str:
        return f"the complete function {self.name}({', '.join(self.arguments)}), in Python"

    def read(self, text: str) -> Block | None:
        """The first layer of the text that is a program."""
        text = _ESCAPED.sub(r"\1", _DISPLAY.sub("", seen(text))).translate(_SAME)
        fenced = _FENCE.match(text)
        for layer in [fenced[1]] if fenced else [text.strip("\n"), *layers(text)]:
            try:
                program = parsed(dedent(layer.removesuffix(".")))
            except Refused:
                continue
            arities = {name: len(names) for _, name, names, _ in program}
            if len(arities) == len(program) and arities.get(self.name) == len(self.arguments):
                return program
        return None

    def write(self, answer: Block) -> str:
        return "\n".join(lines(answer))

    def ways(self, answer: Block) -> list[str]:
        text = self.write(answer)
        commented = text.replace(":\n", ":  # see above\n", 1)
        return [
            f"```python\n{text}\n```",
            f"```\n{text}\n```",
            text.replace(INDENT, "  "),
            text.replace(INDENT, "\t"),
            f"# The function.\n{commented}",
            text.replace(":\n", f':\n{INDENT}"""What it does."""\n', 1),
            text.replace("):\n", ") -> list[int]:\n", 1),
        ]

    def near(self, answer: Block, rng: Random) -> Block:
        """One number or one sign is another."""
        places = [*_places(answer)]
        if not places:
            return self.guess(answer, rng)
        changed: Block = _with_changed(answer, rng.choice(places), rng)
        return changed

    def guess(self, answer: Block, rng: Random) -> Block:
        first = self.arguments[0]
        values: list[Expression] = [
            first, ("call", "len", first), ("call", "sum", first), ("call", "sorted", first),
            rng.randint(-9, 9), ("list",), ("slice", first, rng.randint(0, 3), ""),
        ]  # fmt: skip
        return (("def", self.name, self.arguments, (("return", rng.choice(values)),)),)


def _places(tree: Expression, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Where the numbers and signs of a tree are that may be others."""
    if isinstance(tree, int) or (isinstance(tree, str) and path[-1:] == (0,) and tree in _CHANGED):
        yield path
    elif isinstance(tree, tuple):
        for at, part in enumerate(tree):
            yield from _places(part, (*path, at))


def _with_changed(tree: Expression, path: tuple[int, ...], rng: Random) -> Expression:
    if not path:
        return tree + rng.choice([-1, 1]) if isinstance(tree, int) else _CHANGED[tree]
    at, *rest = path
    return (*tree[:at], _with_changed(tree[at], tuple(rest), rng), *tree[at + 1 :])
