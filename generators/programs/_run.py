"""A run of a program that stands in a reply: its steps counted, and everything bounded."""

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

Table: TypeAlias = dict[str, Any]
Left: TypeAlias = tuple[str, Any]  # how a block was left before its end, and what it gives
Code: TypeAlias = Callable[["Run", Table], Any]

STEPS = 20_000  # expressions and items of lists, a call
LARGEST, LONGEST, DEEPEST = 10**15, 1000, 40  # numbers, lists, calls inside one another

CONSTANTS = {"True": True, "False": False, "None": None}
JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "%": operator.mod, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "**": operator.pow,
}  # fmt: skip
_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "abs": abs, "int": int, "bool": bool, "divmod": lambda a, b: list(divmod(a, b)),
}  # fmt: skip
OF_LISTS: dict[str, Callable[..., Any]] = {
    "len": len, "sum": sum, "max": max, "min": min, "any": any, "all": all, "sorted": sorted,
    "reversed": lambda values: values[::-1], "list": list, "set": set, "dict": dict,
    "enumerate": lambda *values, **named: [list(pair) for pair in enumerate(*values, **named)],
}  # fmt: skip
MISTAKES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
             ValueError)  # fmt: skip


class Failed(Exception):
    """A program that makes a mistake, runs too long, or makes something too large."""


class Run:
    def __init__(self, functions: dict[str, tuple[tuple[str, ...], Code]]) -> None:
        self.functions = functions
        self.steps = self.depth = 0

    def count(self, steps: int) -> None:
        self.steps += steps
        if self.steps > STEPS:
            raise Failed("runs too long")

    def joined(self, sign: str, left: Any, right: Any) -> Any:
        sizes = [len(each) for each in (left, right) if isinstance(each, list)]
        if sign == "*" and sizes:
            other = right if isinstance(left, list) else left
            if not isinstance(other, int) or sizes[0] * max(other, 0) > LONGEST:
                raise Failed("too long a list")
        if sign == "**" and not (isinstance(right, int) and 0 <= right <= 60):
            raise Failed("too high a power")
        self.count(sum(sizes))
        return self.bounded(JOIN[sign](left, right))

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
        names, body = self.functions[name]
        self.depth += 1
        if len(values) != len(names) or named or self.depth > DEEPEST:
            raise Failed(f"{name} is called with other arguments, or too deep")
        left: Left | None = body(self, dict(zip(names, values)))
        self.depth -= 1
        if left is None:
            return None
        if left[0] != "return":
            raise Failed(f"{left[0]} outside of a loop")
        return left[1]

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


def _built_in(run: Run, name: str, values: list[Any], named: dict[str, Any]) -> Any:
    if name == "range":
        found = range(*values)
        if named or len(found) > LONGEST:
            raise Failed("too long a range")
        return list(found)
    if name in _OF_NUMBERS or (name in ("max", "min") and len(values) > 1):
        if named or not all(isinstance(value, int) for value in values):
            raise Failed(f"{name} of something else than numbers")
        return (_OF_NUMBERS.get(name) or OF_LISTS[name])(*values)
    if name == "zip":
        return [list(pair) for pair in zip(*map(run.items, values), **named)]
    if name not in OF_LISTS:
        raise Failed(f"no function {name}")
    first, *others = values or [[]]
    whole = run.items(first)
    run.count(2 * len(whole))
    return OF_LISTS[name](whole, *others, **named)
