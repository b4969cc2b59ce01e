"""The tokens of a program's lines: names, whole numbers and signs. All else is refused."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 6000  # characters
DEEPEST = 24  # brackets and blocks inside one another
KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "and as assert async await break class continue def del elif else except finally for from"
        " global if import in is lambda nonlocal not or pass raise return try while with yield",
    )
)

_TEXT = re.compile(  # a docstring
    r'(?m)^[ \t]*(?:"""(?:(?!""")[\s\S]){0,2000}"""'
    r"|'{3}(?:(?!'{3})[\s\S]){0,2000}'{3}|\"[^\"\n]*\"|'[^'\n]*')[ \t]*$"
)
_COMMENT = re.compile(r"#[^\n]*")
_TOKEN = re.compile(
    r" *(?:(?P<number>\d{1,12}(?![\w.]))|(?P<name>[A-Za-z_]\w{0,40})"
    r"|(?P<sign>->|\*\*|//=?|[-+*%<>=!]=|[-+*%<>=()\[\]{}:,.|]))",
    re.ASCII,
)
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


class Refused(Exception):
    """A text that is not in the grammar."""


@dataclass(frozen=True, slots=True)
class Line:
    indent: int
    tokens: tuple[str, ...]


def logical_lines(text: str) -> list[Line]:
    """Logical lines: brackets go on over line ends; comments and docstrings are left out."""
    text = _COMMENT.sub("", _TEXT.sub("", text.expandtabs(4)))
    lines, tokens, open_brackets, indent = list[Line](), list[str](), 0, 0
    for line in text.split("\n"):
        bare = line.strip()
        if not bare or (not tokens and re.fullmatch(r"from typing import [\w, ]{1,80}", bare)):
            continue
        if not tokens:
            indent = len(line) - len(line.lstrip())
        at = 0
        line = line.rstrip()
        while at < len(line):
            match = _TOKEN.match(line, at)
            if match is None:
                raise Refused(f"no token at {line[at : at + 10]!r}")
            token = match["number"] or match["name"] or match["sign"]
            open_brackets += (token in _OPENING) - (token in _CLOSING)
            if not 0 <= open_brackets <= DEEPEST:
                raise Refused("brackets")
            tokens.append(token)
            at = match.end()
        if not open_brackets:
            lines.append(Line(indent, tuple(tokens)))
            tokens = []
    if tokens:
        raise Refused("open brackets")
    return lines


class Tokens:
    """The tokens of one line that are still to be read."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at, self.depth = [*tokens, "", "", ""], 0, 0

    @property
    def next(self) -> str:
        return self.tokens[self.at]

    def take(self, token: str) -> None:
        if self.next != token or not token:
            raise Refused(f"{token!r} expected")
        self.at += 1

    def taken(self, token: str) -> bool:
        if self.next == token:
            self.at += 1
            return True
        return False

    def end(self) -> None:
        if self.next:
            raise Refused(f"{self.next!r} is left")

    def name(self) -> str:
        name = self.next
        if not name.isidentifier() or name in KEYWORDS:
            raise Refused("a name expected")
        self.at += 1
        return name

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused("too deep")
