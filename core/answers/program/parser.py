"""Reads a small part of Python: functions over whole numbers and lists. Nothing is carried out.

A text of a reply becomes a tree (`tree.py`). What is not in this grammar is refused whole: strings,
floats, imports, classes, lambdas, attributes other than the methods that `expressions.py` names.
"""

from collections.abc import Sequence

from puzzlemill.core.answers.program.expressions import as_target, expression, several, targets
from puzzlemill.core.answers.program.tokens import (
    DEEPEST,
    LONGEST,
    Line,
    Refused,
    Tokens,
    logical_lines,
)
from puzzlemill.core.answers.program.tree import Block, Expression, Statement


def parsed(text: str) -> Block:
    """The functions that a text defines; raises `Refused`."""
    if len(text) > LONGEST:
        raise Refused("too long")
    lines = _Lines(logical_lines(text))
    block = lines.block(0, 0)
    if lines.left or not all(statement[0] == "def" for statement in block):
        raise Refused("not only functions")
    return block


class _Lines:
    """The lines that are still to be read, as blocks of statements."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.left = list(lines)

    def block(self, indent: int, depth: int) -> Block:
        statements = list[Statement]()
        if depth > DEEPEST:
            raise Refused("too deep")
        while self.left and self.left[0].indent == indent:
            if self.left[0].tokens[0] in ("elif", "else"):
                break
            statements.append(self.statement(depth))
        if self.left and self.left[0].indent > indent:
            raise Refused("indentation")
        if not statements:
            raise Refused("empty block")
        return tuple(statements)

    def statement(self, depth: int) -> Statement:
        line = self.left.pop(0)
        tokens = Tokens(line.tokens)
        match tokens.next:
            case "def":
                tokens.take("def")
                name, names = tokens.name(), _parameters(tokens)
                return "def", name, names, self.suite(tokens, line.indent, depth)
            case "if" | "elif":
                return self.choice(tokens, line.indent, depth)
            case "while":
                tokens.take("while")
                condition = expression(tokens)
                return "while", condition, self.suite(tokens, line.indent, depth)
            case "for":
                tokens.take("for")
                target = targets(tokens)
                tokens.take("in")
                values = several(tokens)
                return "for", target, values, self.suite(tokens, line.indent, depth)
        statement = _simple(tokens)
        tokens.end()
        return statement

    def choice(self, tokens: Tokens, indent: int, depth: int) -> Statement:
        tokens.take(tokens.next)
        condition = expression(tokens)
        body, other = self.suite(tokens, indent, depth), Block()
        if self.left and self.left[0].indent == indent:
            if self.left[0].tokens[0] == "elif":
                if depth > DEEPEST:
                    raise Refused("too deep")
                other = (self.choice(Tokens(self.left.pop(0).tokens), indent, depth + 1),)
            elif self.left[0].tokens[0] == "else":
                after = Tokens(self.left.pop(0).tokens)
                after.take("else")
                other = self.suite(after, indent, depth)
        return "if", condition, body, other

    def suite(self, tokens: Tokens, indent: int, depth: int) -> Block:
        tokens.take(":")
        if tokens.next:
            statement = _simple(tokens)
            tokens.end()
            return (statement,)
        if not self.left or self.left[0].indent <= indent:
            raise Refused("empty block")
        return self.block(self.left[0].indent, depth + 1)


def _parameters(tokens: Tokens) -> tuple[str, ...]:
    names = list[str]()
    tokens.take("(")
    while tokens.next != ")":
        names.append(tokens.name())
        if tokens.taken(":"):
            _annotation(tokens)
        if not tokens.taken(","):
            break
    tokens.take(")")
    if tokens.taken("->"):
        _annotation(tokens)
    return tuple(names)


def _annotation(tokens: Tokens) -> None:
    """A type, or several with | between them."""
    while True:
        tokens.name()
        if tokens.taken("["):
            _annotation(tokens)
            while tokens.taken(","):
                _annotation(tokens)
            tokens.take("]")
        if not tokens.taken("|"):
            return


def _simple(tokens: Tokens) -> Statement:
    if tokens.next in ("break", "continue", "pass"):
        word = tokens.next
        tokens.at += 1
        return (word,)
    if tokens.taken("return"):
        return "return", several(tokens) if tokens.next else "None"
    if tokens.taken("del"):
        return "del", _deleted(several(tokens))
    value = several(tokens)
    if tokens.next == ":" and isinstance(value, str):
        tokens.at += 1
        _annotation(tokens)
    if (tokens.next[1:] == "=" and tokens.next[0] in "+-*%") or tokens.next == "//=":
        sign = tokens.next[:-1]
        tokens.at += 1
        return "update", sign, as_target(value), expression(tokens)
    if tokens.taken("="):
        return _assignment(tokens, as_target(value))
    if isinstance(value, tuple) and value[0] in ("method", "call"):
        return "do", value
    raise Refused("no statement")


def _assignment(tokens: Tokens, target: Expression) -> Statement:
    """a = b = 0 gives one value to each target, from the left."""
    given, value = [target], several(tokens)
    while tokens.taken("="):
        given.append(as_target(value))
        value = several(tokens)
    return "=", given[0] if len(given) == 1 else ("same", *given), value


def _deleted(value: Expression) -> Expression:
    """What can be deleted: names, items of lists or dictionaries, and slices."""
    listed = isinstance(value, tuple) and value[0] == "list"
    for part in value[1:] if listed else (value,):
        if not isinstance(part, tuple) or part[0] != "slice":
            as_target(part)
    return value
