"""What drawn scoring rules are worth: for many choices at once in arrays, or thing by thing."""

from dataclasses import dataclass
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
    kinds, numbers, amounts = table.kinds, table.numbers, table.amounts
    total: Any
    match rule:
        case ("given", kind, inner):
            total = np.where(amounts[:, kind] > 0, counted(table, inner), 0)
        case ("barring", kind, inner):
            total = np.where(amounts[:, kind] == 0, counted(table, inner), 0)
        case ("each", kind, points):
            total = amounts[:, kind] * points
        case ("fine", kind, points):
            total = -amounts[:, kind] * points
        case ("sum", kind):
            total = np.where(kinds == kind, numbers, 0).sum(axis=1)
        case ("pair" | "step" as word, points):
            apart = abs(numbers[:, :, None] - numbers[:, None, :])
            found = (apart == (word == "step")).sum(axis=(1, 2))
            total = (found - (word == "pair") * numbers.shape[1]) // 2 * points
        case ("variety", points):
            total = (amounts > 0).sum(axis=1) * points
        case ("exactly", kind, count, points):
            total = (amounts[:, kind] == count) * points
        case ("more", kind, other, points):
            total = (amounts[:, kind] > amounts[:, other]) * points
        case ("even", points):
            total = (numbers % 2 == 0).sum(axis=1) * points
        case ("light", most, points):
            total = (numbers.sum(axis=1) <= most) * points
        case ("top",):
            total = numbers.max(axis=1)
        case ("crowd", points):
            total = -(amounts - (amounts > 0)).sum(axis=1) * points
        case _:
            raise AssertionError(rule)
    return np.asarray(total, np.int64)


def worth(rules: tuple[Rule, ...], picked: list[Thing]) -> int:
    """What a choice is worth, counted thing by thing."""
    return sum(_rule_worth(rule, picked) for rule in rules)


def _rule_worth(rule: Rule, picked: list[Thing]) -> int:
    word, *operands = rule
    kinds = [kind for kind, _ in picked]
    numbers = [number for _, number in picked]
    points = operands[-1] if operands else 0
    match word:
        case "given":
            return _rule_worth(operands[1], picked) if operands[0] in kinds else 0
        case "barring":
            return 0 if operands[0] in kinds else _rule_worth(operands[1], picked)
        case "each" | "fine":
            return sum(points if word == "each" else -points for k in kinds if k == operands[0])
        case "sum":
            return sum(number for kind, number in picked if kind == operands[0])
        case "pair":
            return sum(points for one, other in combinations(numbers, 2) if one == other)
        case "step":
            pairs = combinations(sorted(numbers), 2)
            return sum(points for low, high in pairs if low + 1 == high)
        case "variety":
            return points * len(set(kinds))
        case "exactly":
            return points if kinds.count(operands[0]) == operands[1] else 0
        case "more":
            return points if kinds.count(operands[0]) > kinds.count(operands[1]) else 0
        case "even":
            return sum(points for number in numbers if number in (2, 4, 6, 8))
        case "light":
            return points if sum(numbers) <= operands[0] else 0
        case "top":
            return next(n for n in range(9, 0, -1) if n in numbers)
        case _:
            assert word == "crowd", rule
            return -sum(points for at, kind in enumerate(kinds) if kind in kinds[:at])
