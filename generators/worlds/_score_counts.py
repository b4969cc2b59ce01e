"""What drawn scoring rules are worth: for many choices at once in arrays, or thing by thing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.generators.worlds._scores import KINDS, Rule, Thing

Numbers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Table:
    """Choices, a row for each."""

    kinds: Numbers
    numbers: Numbers
    amounts: Numbers  # of each kind
    kept: dict[tuple[object, ...], Numbers] = field(default_factory=dict)  # what was counted

    def __len__(self) -> int:
        return len(self.kinds)


def table(things: tuple[Thing, ...], chosen: int) -> Table:
    """Every choice."""
    return table_of(np.array(things, np.int64)[[*combinations(range(len(things)), chosen)]])


def table_of(choices: Numbers) -> Table:
    """Of choices as rows of things, each a kind and a number."""
    kinds, numbers = choices[:, :, 0], choices[:, :, 1]
    amounts = np.stack([(kinds == kind).sum(axis=1) for kind in range(KINDS)], axis=1)
    return Table(kinds, numbers, amounts)


def counted(table: Table, rule: Rule) -> Numbers:
    """The points of a rule for each choice."""
    if rule[0] in ("given", "barring"):
        word, kind, inner = rule
        return times(table, (word, kind)) * counted(table, inner)
    what, points = priced(rule)
    return times(table, what) * points


def priced(rule: Rule) -> tuple[tuple[Any, ...], int]:
    """What an unconditional rule pays for, and what it pays for one of it."""
    match rule:
        case ("fine", kind, fine):
            return ("each", kind), -fine
        case ("crowd", fine):
            return ("crowd",), -fine
        case ("sum" | "top", *_):
            return rule, 1
    return rule[:-1], rule[-1]


def times(table: Table, what: tuple[Any, ...]) -> Numbers:
    """How often each choice has what a rule pays for, whatever it pays."""
    if what not in table.kept:
        table.kept[what] = np.asarray(_counted(table, what), np.int64)
    return table.kept[what]


def _counted(table: Table, what: tuple[Any, ...]) -> Any:
    kinds, numbers, amounts = table.kinds, table.numbers, table.amounts
    match what:
        case ("given", kind):
            return amounts[:, kind] > 0
        case ("barring", kind):
            return amounts[:, kind] == 0
        case ("each", kind):
            return amounts[:, kind]
        case ("sum", kind):
            return np.where(kinds == kind, numbers, 0).sum(axis=1)
        case ("pair" | "step" as word,):
            apart = abs(numbers[:, :, None] - numbers[:, None, :])
            found = (apart == (word == "step")).sum(axis=(1, 2))
            return (found - (word == "pair") * numbers.shape[1]) // 2
        case ("variety",):
            return (amounts > 0).sum(axis=1)
        case ("exactly", kind, count):
            return amounts[:, kind] == count
        case ("more", kind, other):
            return amounts[:, kind] > amounts[:, other]
        case ("even",):
            return (numbers % 2 == 0).sum(axis=1)
        case ("light", most):
            return numbers.sum(axis=1) <= most
        case ("top",):
            return numbers.max(axis=1)
        case ("crowd",):
            return (amounts - (amounts > 0)).sum(axis=1)
    raise AssertionError(what)


def worth(rules: tuple[Rule, ...], picked: Sequence[Thing]) -> int:
    """What a choice is worth, counted thing by thing."""
    kinds, numbers = [kind for kind, _ in picked], [number for _, number in picked]
    return sum([_rule_worth(rule, kinds, numbers) for rule in rules])


def _rule_worth(rule: Rule, kinds: list[int], numbers: list[int]) -> int:
    word, *operands = rule
    points: int = operands[-1] if operands else 0
    match word:
        case "given":
            return _rule_worth(operands[1], kinds, numbers) if operands[0] in kinds else 0
        case "barring":
            return 0 if operands[0] in kinds else _rule_worth(operands[1], kinds, numbers)
        case "each":
            return points * kinds.count(operands[0])
        case "fine":
            return -points * kinds.count(operands[0])
        case "sum":
            return sum([number for kind, number in zip(kinds, numbers) if kind == operands[0]])
        case "pair":
            return points * sum([one == other for one, other in combinations(numbers, 2)])
        case "step":
            pairs = combinations(sorted(numbers), 2)
            return points * sum([low + 1 == high for low, high in pairs])
        case "variety":
            return points * len(set(kinds))
        case "exactly":
            return points if kinds.count(operands[0]) == operands[1] else 0
        case "more":
            return points if kinds.count(operands[0]) > kinds.count(operands[1]) else 0
        case "even":
            return points * len([number for number in numbers if number in (2, 4, 6, 8)])
        case "light":
            return points if sum(numbers) <= operands[0] else 0
        case "top":
            return max(numbers)
        case _:
            assert word == "crowd", rule
            return -points * len([at for at, kind in enumerate(kinds) if kind in kinds[:at]])
