"""Rules on numbers that stand in a row: drawn, judged one assignment at a time, and worded.

A rule is a tuple: its kind, then capital letters for the things and whole numbers. "if" and "one
of" join two shorter rules.
"""

from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Any

from puzzlemill.core.prose import listed

Rule = tuple[Any, ...]

SYMMETRIC = frozenset(("equal", "unlike", "gap", "far", "sum", "product", "parity", "distinct",
                       "one of"))  # fmt: skip
# Kinds that speak of the row: of neighbours, or of its order.
OF_THE_ROW = frozenset(("peak", "around", "no twins", "rises"))
SHORT = ("is", "even", "odd", "less", "equal", "above")
KINDS = ("less", "equal", "unlike", "gap", "far", "sum", "sum", "product", "plus", "between",
         "parity", "count", "kinds", "distinct", "peak", "around", "no twins", "rises")  # fmt: skip


def drawn(rng: Random, names: str, most: int, values: Mapping[str, int], joined: float) -> Rule:
    """A rule that holds of the values."""
    while True:
        if rng.random() < joined:
            kind = rng.choice(("if", "one of"))
            rule: Rule = (kind, *(_term(rng, rng.choice(SHORT), names, most) for _ in "ab"))
            if rule[1] == rule[2]:
                continue
        else:
            rule = _term(rng, rng.choice(KINDS), names, most, values)
        if holds(rule, values):
            return rule


def _term(
    rng: Random, kind: str, names: str, most: int, values: Mapping[str, int] | None = None
) -> Rule:
    """A term of a kind; with values, its numbers are those that make it hold."""
    few = rng.sample(names, 3)
    a, b, c = (values[each] if values else rng.randint(1, most) for each in few)
    inner = rng.choice(names[1:-1])
    match kind:
        case "is" | "above":
            return kind, few[0], rng.randint(1, most - (kind == "above"))
        case "even" | "odd":
            return kind, few[0]
        case "less":
            return kind, *few[:2]
        case "equal" | "unlike" | "parity":
            return kind, *sorted(few[:2])
        case "gap":
            return kind, max(abs(a - b), 1), *sorted(few[:2])
        case "far":
            return kind, rng.randint(2, max(2, most // 2)), *sorted(few[:2])
        case "sum":
            return (kind, a + b, *sorted(few[:2])) if rng.random() < 0.5 else (
                kind, a + b + c, *sorted(few))  # fmt: skip
        case "product":
            return kind, a * b, *sorted(few[:2])
        case "plus" | "between":
            return kind, few[0], *sorted(few[1:])
        case "distinct":
            return kind, *sorted(few)
        case "count":
            number = rng.randint(1, most)
            return kind, number, sum(each == number for each in (values or {}).values())
        case "kinds":
            return kind, len(set((values or {}).values()))
        case "peak":
            return kind, inner
        case "around":
            at = names.index(inner)
            return kind, inner, sum((values or {}).get(names[at + step], 1) for step in (-1, 1))
        case "rises":
            row = [(values or {})[name] for name in names]
            return kind, sum(left < right for left, right in pairwise(row))
        case _:
            return (kind,)


def holds(rule: Rule, values: Mapping[str, int]) -> bool:
    """The interpreter: whether a rule holds of the things' values, which are in the row's order."""
    kind, *rest = rule
    if kind in ("if", "one of"):
        first, second = (holds(part, values) for part in rest)
        return (not first or second) if kind == "if" else first != second
    row = list(values.values())
    has = [values[each] for each in rest if isinstance(each, str)]
    number: int = next((each for each in rest if isinstance(each, int)), 0)
    match kind:
        case "is":
            return has[0] == number
        case "above":
            return has[0] > number
        case "even":
            return has[0] % 2 == 0
        case "odd":
            return has[0] % 2 == 1
        case "less":
            return has[0] < has[1]
        case "equal":
            return has[0] == has[1]
        case "unlike":
            return has[0] != has[1]
        case "gap":
            return abs(has[0] - has[1]) == number
        case "far":
            return abs(has[0] - has[1]) >= number
        case "sum":
            return sum(has) == number
        case "product":
            return has[0] * has[1] == number
        case "plus":
            return has[0] == has[1] + has[2]
        case "between":
            return min(has[1:]) < has[0] < max(has[1:])
        case "parity":
            return has[0] % 2 == has[1] % 2
        case "distinct":
            return len(set(has)) == len(has)
        case "count":
            return row.count(number) == int(rest[1])
        case "kinds":
            return len(set(row)) == number
        case "no twins":
            return all(left != right for left, right in pairwise(row))
        case "rises":
            return sum(left < right for left, right in pairwise(row)) == number
    at = list(values).index(rest[0])
    if kind == "peak":
        return has[0] > max(row[at - 1], row[at + 1])
    assert kind == "around", rule
    return row[at - 1] + row[at + 1] == number


def worded(rule: Rule, called: Mapping[str, str]) -> str:
    """A clause without a capital or a stop; `called` names the number of each thing."""
    kind, *rest = rule
    if kind == "if":
        return f"if {worded(rest[0], called)}, then {worded(rest[1], called)}"
    if kind == "one of":
        first, second = (worded(part, called) for part in rest)
        return f"either {first} or {second}, but not both"
    has = [called[each] for each in rest if isinstance(each, str)]
    numbers = [each for each in rest if isinstance(each, int)]
    a, b, c = ([*has, "", "", ""])[:3]
    many, times = ([*numbers, 0, 0])[:2]
    return {
        "is": f"{a} is {many}",
        "above": f"{a} is greater than {many}",
        "even": f"{a} is even",
        "odd": f"{a} is odd",
        "less": f"{a} is smaller than {b}",
        "equal": f"{a} equals {b}",
        "unlike": f"{a} does not equal {b}",
        "gap": f"{a} and {b} differ by exactly {many}",
        "far": f"{a} and {b} differ by {many} or more",
        "sum": f"{listed(has)} add up to {many}",
        "product": f"{a} multiplied by {b} gives {many}",
        "plus": f"{a} is the sum of {b} and {c}",
        "between": f"{a} lies strictly between {b} and {c}",
        "parity": f"{a} and {b} are both even or both odd",
        "distinct": f"{a}, {b} and {c} are three different numbers",
        "count": f"the number {many} {_appears(times)} in the whole row",
        "kinds": f"exactly {many} different numbers appear in the whole row"
        if many > 1
        else "all numbers in the row are the same",
        "peak": f"{a} is greater than each of the two numbers next to it in the row",
        "around": f"the two numbers on either side of {a} add up to {many}",
        "no twins": "no two numbers that stand next to each other in the row are equal",
        "rises": f"going along the row, it happens {_times(many)} that a number is larger than the"
        " one before it"
        if many
        else "going along the row, no number is larger than the one before it",
    }[kind]


def _appears(number: int) -> str:
    return f"appears {_times(number)}" if number else "does not appear"


def _times(number: int) -> str:
    """How often, exactly."""
    return ("never", "exactly once", "exactly twice")[number] if number < 3 else (
        f"exactly {number} times")  # fmt: skip
