"""Runs programs that stand in replies: on copies, counted, and with everything bounded.

A tree of the grammar (core/answers/program) is walked; nothing of it is ever Python's to run. What
a program gets wrong, and what runs too long or grows too large, is `Failed`.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from puzzlemill.core.answers.program.tree import Block, Expression, Statement

Table: TypeAlias = dict[str, Any]

STEPS = 20_000  # expressions and items of lists, a call
LARGEST, LONGEST, DEEPEST = 10**15, 1000, 40  # numbers, lists, calls inside one another

_CONSTANTS = {"True": True, "False": False, "None": None}
_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "%": operator.mod, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "**": operator.pow,
}  # fmt: skip
_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "abs": abs, "int": int, "bool": bool, "divmod": lambda a, b: list(divmod(a, b)),
}  # fmt: skip
_OF_LISTS: dict[str, Callable[..., Any]] = {
    "len": len, "sum": sum, "max": max, "min": min, "any": any, "all": all, "sorted": sorted,
    "reversed": lambda values: values[::-1], "list": list, "set": set, "dict": dict,
    "enumerate": lambda *values, **named: [list(pair) for pair in enumerate(*values, **named)],
}  # fmt: skip
_MISTAKES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
             ValueError)  # fmt: skip


class Failed(Exception):
    """A program that makes a mistake, runs too long, or makes something too large."""


class _Left(Exception):
    """A loop or a function that is left."""

    def __init__(self, word: str, value: Any = None) -> None:
        super().__init__(word)
        self.word, self.value = word, value


def result(program: Block, name: str, arguments: Sequence[Any]) -> Any:
    """What a function of a program gives for some arguments, which it may change."""
    run = _Run(program)
    try:
        return run.call(name, list(arguments), {})
    except _MISTAKES as error:
        raise Failed(str(error)) from None


class _Run:
    def __init__(self, program: Block) -> None:
        self.functions = {statement[1]: statement for statement in program}
        self.steps = self.depth = 0

    def count(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > STEPS:
            raise Failed("runs too long")

    def block(self, block: Block, table: Table) -> None:
        for statement in block:
            self.count()
            self.statement(statement, table)

    def statement(self, statement: Statement, table: Table) -> None:
        match statement:
            case ("=", target, value):
                self.store(target, self.value(value, table), table)
            case ("update", sign, target, value):
                old, change = self.value(target, table), self.value(value, table)
                if sign == "+" and isinstance(old, list):
                    old += self.items(change)
                    self.bounded(old)
                else:
                    self.store(target, self.joined(sign, old, change), table)
            case ("do", value):
                self.value(value, table)
            case ("del", target):
                self.delete(target, table)
            case ("if", condition, body, other):
                self.block(body if self.value(condition, table) else other, table)
            case ("for", target, values, body):
                for item in self.items(self.value(values, table)):
                    self.store(target, item, table)
                    if self.ended(body, table):
                        break
            case ("while", condition, body):
                while self.value(condition, table):
                    if self.ended(body, table):
                        break
            case ("return", value):
                raise _Left("return", self.value(value, table))
            case ("break" | "continue" as word,):
                raise _Left(word)
            case ("pass",):
                pass
            case _:
                raise Failed("a function within a function")

    def ended(self, body: Block, table: Table) -> bool:
        """Carries out a round of a loop, and says whether it was the last."""
        try:
            self.block(body, table)
        except _Left as left:
            if left.word == "return":
                raise
            return left.word == "break"
        return False

    def store(self, target: Expression, value: Any, table: Table) -> None:
        match target:
            case str():
                table[target] = value
            case ("list", *targets):
                values = self.items(value)
                if len(values) != len(targets):
                    raise Failed("more or fewer values than names")
                for each, part in zip(targets, values):
                    self.store(each, part, table)
            case ("same", *targets):
                for each in targets:
                    self.store(each, value, table)
            case ("at", whole, place):
                self.value(whole, table)[self.value(place, table)] = value

    def delete(self, target: Expression, table: Table) -> None:
        match target:
            case str():
                del table[target]
            case ("list", *targets):
                for each in targets:
                    self.delete(each, table)
            case ("at", whole, place):
                del self.value(whole, table)[self.value(place, table)]
            case ("slice", whole, *parts):
                del self.value(whole, table)[self.ends(parts, table)]

    def ends(self, parts: Sequence[Expression], table: Table) -> slice:
        """Of a slice."""
        return slice(*(None if at == "" else self.value(at, table) for at in parts))

    def value(self, expression: Expression, table: Table) -> Any:
        self.count()
        match expression:
            case int():
                return expression
            case str():
                return table[expression] if expression in table else _CONSTANTS[expression]
            case ("list", *items):
                return [self.value(item, table) for item in items]
            case ("dict", *items):
                found = [self.value(item, table) for item in items]
                return dict(zip(found[::2], found[1::2]))
            case ("at", whole, place):
                return self.value(whole, table)[self.value(place, table)]
            case ("slice", whole, *parts):
                return self.bounded(self.value(whole, table)[self.ends(parts, table)])
            case ("call", name, *values):
                return self.call(name, *self.given(values, table))
            case ("method", whole, name, *values):
                owner = self.value(whole, table)
                return self.method(owner, name, *self.given(values, table))
            case ("each", value, target, values, condition):
                found, inner = [], dict(table)
                for item in self.items(self.value(values, table)):
                    self.store(target, item, inner)
                    if condition == "" or self.value(condition, inner):
                        found.append(self.value(value, inner))
                return found
            case ("choose", condition, value, other):
                return self.value(value if self.value(condition, table) else other, table)
            case ("not", value):
                return not self.value(value, table)
            case ("and", left, right):
                return self.value(left, table) and self.value(right, table)
            case ("or", left, right):
                return self.value(left, table) or self.value(right, table)
            case ("in", left, right):
                return self.value(left, table) in self.items(self.value(right, table))
            case (sign, left, right):
                return self.joined(sign, self.value(left, table), self.value(right, table))
        raise Failed("no expression")

    def joined(self, sign: str, left: Any, right: Any) -> Any:
        sizes = [len(each) for each in (left, right) if isinstance(each, list)]
        if sign == "*" and sizes:
            other = right if isinstance(left, list) else left
            if not isinstance(other, int) or sizes[0] * max(other, 0) > LONGEST:
                raise Failed("too long a list")
        if sign == "**" and not (isinstance(right, int) and 0 <= right <= 60):
            raise Failed("too high a power")
        self.count(sum(sizes))
        return self.bounded(_JOIN[sign](left, right))

    def bounded(self, value: Any) -> Any:
        if isinstance(value, int) and abs(value) > LARGEST:
            raise Failed("too large a number")
        if isinstance(value, list | dict | set):
            self.count(len(value))
            if len(value) > LONGEST:
                raise Failed("too long a list")
        return value

    def items(self, values: Any) -> list[Any]:
        """What a loop goes over."""
        if not isinstance(values, list | dict | set):
            raise Failed("not a list")
        self.count(len(values))
        return list(values)

    def call(self, name: str, values: list[Any], named: dict[str, Any]) -> Any:
        if name not in self.functions:
            return self.bounded(_built_in(self, name, values, named))
        _, _, names, body = self.functions[name]
        self.depth += 1
        if len(values) != len(names) or named or self.depth > DEEPEST:
            raise Failed(f"{name} is called with other arguments, or too deep")
        try:
            self.block(body, dict(zip(names, values)))
        except _Left as left:
            if left.word != "return":
                raise Failed(f"{left.word} outside of a loop") from None
            return left.value
        finally:
            self.depth -= 1
        return None

    def given(
        self, arguments: Sequence[Expression], table: Table
    ) -> tuple[list[Any], dict[str, Any]]:
        """The values of arguments: those by place, and those by name."""
        plain, named = list[Any](), dict[str, Any]()
        for argument in arguments:
            match argument:
                case ("named", key, inside):
                    named[key] = self.value(inside, table)
                case _:
                    plain.append(self.value(argument, table))
        return plain, named

    def method(self, owner: Any, name: str, values: list[Any], named: dict[str, Any]) -> Any:
        if not isinstance(owner, list | dict | set):
            raise Failed(f"no list: .{name}")
        self.count(len(owner))
        if name == "extend":
            values = [self.items(values[0])]
        if name in ("items", "keys", "values"):
            found = getattr(owner, name)(*values, **named)
            return [list(pair) for pair in found] if name == "items" else list(found)
        found = getattr(owner, name)(*values, **named)
        self.bounded(owner)
        return found


def _built_in(run: _Run, name: str, values: list[Any], named: dict[str, Any]) -> Any:
    if name == "range":
        found = range(*values)
        if named or len(found) > LONGEST:
            raise Failed("too long a range")
        return list(found)
    if name in _OF_NUMBERS or (name in ("max", "min") and len(values) > 1):
        if named or not all(isinstance(value, int) for value in values):
            raise Failed(f"{name} of something else than numbers")
        return (_OF_NUMBERS.get(name) or _OF_LISTS[name])(*values)
    if name == "zip":
        return [list(pair) for pair in zip(*map(run.items, values), **named)]
    if name not in _OF_LISTS:
        raise Failed(f"no function {name}")
    first, *others = values or [[]]
    whole = run.items(first)
    run.count(2 * len(whole))
    return _OF_LISTS[name](whole, *others, **named)
