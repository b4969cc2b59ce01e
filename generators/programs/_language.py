"""A small language that is printed as Python, and two ways to run it.

A program is nested tuples (core/answers/program/tree.py), so that it is plain data. `walked` goes
through the tree with a table of variables; `compiled` turns it into nested functions first. Both
give up on what runs too long or grows too large.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, TypeAlias

from puzzlemill.core.answers.program.tree import (
    NESTED,
    Block,
    Expression,
    Statement,
    height,
    lines,
)

Table: TypeAlias = dict[str, Any]

STEPS, LARGEST, LONGEST = 4000, 10**7, 40  # statements carried out, numbers, items of a list
DEEPEST = 25  # calls inside one another
ERRORS = (ZeroDivisionError, IndexError, KeyError, ValueError)

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "%": operator.mod, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_JOINS = {*_BINARY, "and", "or"}
_BUILT_IN: dict[str, Callable[..., Any]] = {
    "len": len, "sum": sum, "max": max, "min": min, "abs": abs, "sorted": sorted,
    "range": lambda *ends: list(range(*ends)),
}  # fmt: skip
_METHODS: dict[str, Callable[..., Any]] = {
    "append": list.append, "pop": list.pop, "remove": list.remove, "index": list.index,
}  # fmt: skip


class Endless(Exception):
    """A program that runs too long, or makes something too large."""


class Raised(Exception):
    """An exception of the program, and the line of the statement that raised it."""

    def __init__(self, kind: str, line: int) -> None:
        super().__init__(kind, line)
        self.kind, self.line = kind, line


@lru_cache(maxsize=4)  # shown in a puzzle's prompt, and part of its canonical form
def listing(program: Block) -> str:
    return "\n".join(lines(program))


# Walking


class _Walk:
    def __init__(self, most: int = STEPS) -> None:
        self.most = most  # steps
        self.steps = self.depth = 0
        self.printed: list[Any] = []
        self.functions: dict[str, tuple[Sequence[str], Block, int]] = {}
        self.numbered: dict[tuple[int, int], list[tuple[int, Statement]]] = {}

    def statements(self, block: Block, line: int) -> list[tuple[int, Statement]]:
        """Each with its line. A loop asks for those of the same block again and again."""
        key = id(block), line
        if key not in self.numbered:
            heights = (height((statement,)) for statement in block)
            self.numbered[key] = [*zip(accumulate(heights, initial=line), block)]
        return self.numbered[key]

    def block(self, block: Block, start: int, table: Table) -> tuple[str, Any] | None:
        """Carries statements out; says how they were left, if it was before the end."""
        for line, statement in self.statements(block, start):
            self.steps += 1
            if self.steps > self.most:
                raise Endless
            try:
                left = self.statement(statement, line, table)
            except ERRORS as error:
                raise Raised(type(error).__name__, line) from None
            if left:
                return left
        return None

    def statement(self, statement: Statement, line: int, table: Table) -> tuple[str, Any] | None:
        match statement:
            case ("=", target, value):
                self.store(target, self.value(value, table), table)
            case ("update", sign, target, value):
                old = self.value(target, table)
                self.store(target, _BINARY[sign](old, self.value(value, table)), table)
            case ("do", value):
                self.value(value, table)
            case ("print", *values):
                self.printed += self.value(("list", *values), table)
            case ("if", condition, body, other):
                if self.value(condition, table):
                    return self.block(body, line + 1, table)
                return self.block(other, line + 2 + height(body), table)
            case ("for", name, values, body):
                for item in self.value(values, table):
                    table[name] = item
                    left = self.block(body, line + 1, table)
                    if left and left[0] == "break":
                        break
                    if left and left[0] == "return":
                        return left
            case ("while", condition, body):
                while self.value(condition, table):
                    left = self.block(body, line + 1, table)
                    if left and left[0] == "break":
                        break
                    if left and left[0] == "return":
                        return left
            case ("def", name, names, body):
                self.functions[name] = (names, body, line + 1)
            case ("try", body, kind, handler):
                depth = self.depth
                try:
                    return self.block(body, line + 1, table)
                except Raised as raised:
                    if raised.kind not in _caught(kind):
                        raise
                    self.depth = depth
                return self.block(handler, line + 2 + height(body), table)
            case ("return", value):
                return "return", self.value(value, table)
            case ("raise", name):
                raise Raised(name, line)
            case (word,):
                return (word, None) if word != "pass" else None
        return None

    def store(self, target: Expression, value: Any, table: Table) -> None:
        _check(value)
        if isinstance(target, str):
            table[target] = value
        else:
            _, whole, place = target
            self.value(whole, table)[self.value(place, table)] = value

    def value(self, expression: Expression, table: Table) -> Any:
        if isinstance(expression, str):
            return table[expression]
        if isinstance(expression, int):
            return expression
        # Most expressions are of these three; to match a pattern takes long.
        if join := _BINARY.get(kind := expression[0]):
            _, left, right = expression
            one = table[left] if type(left) is str else self.value(left, table)
            return join(one, right if type(right) is int else self.value(right, table))
        if kind == "at":
            _, whole, place = expression
            return self.value(whole, table)[self.value(place, table)]
        if kind == "call":
            _, name, *values = expression
            return self.call(name, [self.value(value, table) for value in values])
        match expression:
            case ("list", *items):
                found = []
                for item in items:
                    match item:
                        case ("star", whole):
                            found += self.value(whole, table)
                        case _:
                            found.append(self.value(item, table))
                return found
            case ("dict", *items):
                known = [self.value(item, table) for item in items]
                return dict(zip(known[::2], known[1::2]))
            case ("slice", whole, start, end):
                ends = [None if at == "" else self.value(at, table) for at in (start, end)]
                return self.value(whole, table)[ends[0] : ends[1]]
            case ("method", whole, name, *values):
                owner = self.value(whole, table)
                return _METHODS[name](owner, *(self.value(value, table) for value in values))
            case ("each", value, name, values, condition):
                found, inner = [], dict(table)
                for item in self.value(values, table):
                    inner[name] = item
                    if condition == "" or self.value(condition, inner):
                        found.append(self.value(value, inner))
                return found
            case ("not", value):
                return not self.value(value, table)
            case ("and", left, right):
                return self.value(left, table) and self.value(right, table)
            case ("or", left, right):
                return self.value(left, table) or self.value(right, table)
        raise AssertionError(f"no expression: {expression}")

    def call(self, name: str, values: list[Any]) -> Any:
        if name in _BUILT_IN:
            return _BUILT_IN[name](*values)
        names, body, line = self.functions[name]
        self.depth += 1
        if self.depth > DEEPEST:
            raise Endless
        left = self.block(body, line, dict(zip(names, values, strict=True)))
        self.depth -= 1
        return left[1] if left else 0


def walked(program: Block, most: int = STEPS) -> tuple[list[Any], int]:
    """What a program prints, and how many statements it carries out."""
    walk = _Walk(most)
    walk.block(program, 1, {})
    return walk.printed, walk.steps


def walked_call(program: Block, name: str, values: Iterable[Any]) -> Any:
    """What a function gives, or the exception it raises."""
    walk = _Walk()
    walk.block(program, 1, {})
    try:
        return walk.call(name, list(values))
    except Raised as raised:
        return raised


# Compiling

_Code: TypeAlias = Callable[[Table], Any]
# What the code of a statement gives: nothing, or the loop or function that it leaves.
_Left: TypeAlias = "tuple[str, Any] | None"
_Statement: TypeAlias = Callable[[Table], _Left]


class Compiled:
    """A program as nested functions, to be called as often as one likes."""

    def __init__(self, program: Block) -> None:
        self._functions: dict[str, Callable[..., Any]] = dict(_BUILT_IN)
        self._printed: list[Any] = []
        self.steps = 0  # statements carried out in the last call
        self._depth = 0  # calls inside one another
        self._main = self._block(program, 1)

    def printed(self) -> list[Any]:
        self._printed, self.steps = [], 0
        self._main({})
        return self._printed

    def call(self, name: str, values: Iterable[Any]) -> Any:
        """What a function gives, or the exception it raises."""
        if name not in self._functions:
            self._main({})
        self.steps = 0
        try:
            return self._functions[name](*values)
        except Raised as raised:
            return raised

    def _block(self, block: Block, line: int) -> _Statement:
        codes = []
        for statement in block:
            codes.append((line, self._statement(statement, line)))
            line += height((statement,)) if statement[0] in NESTED else 1
        count = len(codes)

        def run(table: Table) -> _Left:
            self.steps += count
            if self.steps > 4 * STEPS:
                raise Endless
            place = 0
            try:
                for place, code in codes:  # noqa: B007 - the handler tells it
                    if left := code(table):
                        return left
            except ERRORS as error:
                raise Raised(type(error).__name__, place) from None
            return None

        return run

    def _statement(self, statement: Statement, line: int) -> _Statement:
        match statement:
            case ("=", target, value):
                return self._stored(target, self._value(value))
            case ("update", sign, target, value):
                return self._stored(target, self._value((sign, target, value)))
            case ("do", value):
                return self._done(self._value(value))
            case ("print", *values):
                whole = self._value(("list", *values))
                return lambda table: self._printed.extend(whole(table))
            case ("if", condition, body, other):
                test, first = self._value(condition), self._block(body, line + 1)
                second = self._block(other, line + 2 + height(body))
                return lambda table: first(table) if test(table) else second(table)
            case ("for" | "while", *_):
                return self._loop(statement, line)
            case ("def", name, names, body):
                return self._definition(name, names, self._block(body, line + 1))
            case ("try", body, kind, handler):
                tried = self._block(body, line + 1)
                after = self._block(handler, line + 2 + height(body))
                return self._guarded(tried, _caught(kind), after)
            case ("return", value):
                result = self._value(value)
                return lambda table: ("return", result(table))
            case ("raise", name):
                return self._raising(name, line)
            case ("pass",):
                return lambda table: None
            case (word,):
                left = (word, None)
                return lambda table: left
        raise AssertionError(f"no statement: {statement}")

    def _done(self, value: _Code) -> _Statement:
        def do(table: Table) -> None:
            value(table)

        return do

    def _stored(self, target: Expression, value: _Code) -> _Statement:
        if isinstance(target, str):

            def store(table: Table) -> None:
                found = value(table)
                if type(found) is not int or not -LARGEST <= found <= LARGEST:
                    _check(found)
                table[target] = found

            return store
        whole, place = self._value(target[1]), self._value(target[2])

        def put(table: Table) -> None:
            _check(found := value(table))
            whole(table)[place(table)] = found

        return put

    def _loop(self, statement: Statement, line: int) -> _Statement:
        body = self._block(statement[-1], line + 1)

        if statement[0] == "for":
            name, values = statement[1], self._value(statement[2])

            def run(table: Table) -> _Left:
                for item in values(table):
                    table[name] = item
                    if (left := body(table)) and left[0] != "continue":
                        return None if left[0] == "break" else left
                return None
        else:
            condition = self._value(statement[1])

            def run(table: Table) -> _Left:
                while condition(table):
                    if (left := body(table)) and left[0] != "continue":
                        return None if left[0] == "break" else left
                return None

        return run

    def _definition(self, name: str, names: Sequence[str], body: _Statement) -> _Statement:
        def function(*values: Any) -> Any:
            if self._depth > DEEPEST:
                raise Endless
            self._depth += 1
            try:
                left = body(dict(zip(names, values, strict=True)))
            finally:
                self._depth -= 1
            return left[1] if left else 0

        def define(table: Table) -> None:
            self._functions[name] = function

        return define

    def _guarded(self, tried: _Statement, kinds: Sequence[str], after: _Statement) -> _Statement:
        def run(table: Table) -> _Left:
            try:
                return tried(table)
            except Raised as raised:
                if raised.kind not in kinds:
                    raise
                return after(table)

        return run

    def _raising(self, name: str, line: int) -> _Statement:
        def throw(table: Table) -> None:
            raise Raised(name, line)

        return throw

    def _value(self, expression: Expression) -> _Code:
        if isinstance(expression, str):
            return operator.itemgetter(expression)
        if isinstance(expression, int):
            return lambda table: expression
        if expression[0] in _JOINS:  # most expressions; to match a pattern takes long
            return self._joined(*expression)
        match expression:
            case ("list", *items):
                return self._listed(items)
            case ("dict", *items):
                keys, values = self._listed(items[::2]), self._listed(items[1::2])
                return lambda table: dict(zip(keys(table), values(table)))
            case ("at", whole, place):
                owner, where = self._value(whole), self._value(place)
                return lambda table: owner(table)[where(table)]
            case ("slice", whole, start, end):
                owner = self._value(whole)
                first = self._value(start) if start != "" else lambda table: None
                last = self._value(end) if end != "" else lambda table: None
                return lambda table: owner(table)[first(table) : last(table)]
            case ("call", name, *values):
                given = self._listed(values)
                return lambda table: self._functions[name](*given(table))
            case ("method", whole, name, *values):
                given = self._listed([whole, *values])
                return lambda table: _METHODS[name](*given(table))
            case ("each", value, name, values, condition):
                kept = self._value(condition if condition != "" else 1)
                made, source = self._value(value), self._value(values)
                return lambda table: [
                    made(inner)
                    for inner in ({**table, name: item} for item in source(table))
                    if kept(inner)
                ]
            case ("not", value):
                truth = self._value(value)
                return lambda table: not truth(table)
        raise AssertionError(f"no expression: {expression}")

    def _joined(self, sign: str, left: Expression, right: Expression) -> _Code:
        if sign in ("and", "or"):
            first, second = self._value(left), self._value(right)
            if sign == "and":
                return lambda table: first(table) and second(table)
            return lambda table: first(table) or second(table)
        join = _BINARY[sign]
        # Variables and numbers, which most are, without a call of their own.
        if isinstance(left, str):
            if isinstance(right, int):
                return lambda table: join(table[left], right)
            if isinstance(right, str):
                return lambda table: join(table[left], table[right])
        first = self._value(left)
        if isinstance(right, int):
            return lambda table: join(first(table), right)
        second = self._value(right)
        return lambda table: join(first(table), second(table))

    def _listed(self, items: Sequence[Expression]) -> _Code:
        if all(isinstance(item, int) for item in items):
            return lambda table: [*items]
        codes = [
            (item[0] == "star", self._value(item[1] if item[0] == "star" else item))
            if isinstance(item, tuple)
            else (False, self._value(item))
            for item in items
        ]
        if not any(spread for spread, _ in codes):
            plain = [code for _, code in codes]
            if len(plain) == 1:
                only = plain[0]
                return lambda table: [only(table)]
            return lambda table: [code(table) for code in plain]

        def build(table: Table) -> list[Any]:
            found: list[Any] = []
            for spread, code in codes:
                value = code(table)
                found += value if spread else [value]
            return found

        return build


def _caught(kind: str) -> tuple[str, ...]:
    return ("IndexError", "KeyError") if kind == "LookupError" else (kind,)


def _check(value: Any) -> None:
    if isinstance(value, int) and abs(value) > LARGEST:
        raise Endless
    if isinstance(value, list) and len(value) > LONGEST:
        raise Endless
