"""Giveaways: can the answers that a variant shows be told apart without working on the problem?

A reader sees the shown answers and of the prompt its words, its numbers and the answer's form. It
learns from some of the items what right answers look like, and is tried on the rest: `reading` says
how often it is right, which `make giveaways` tests against chance. One sign is
forbidden outright: a word that is not in the problem, where gold has none such (`strange`).
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any

from puzzlemill.core.address import digest
from puzzlemill.core.family import AnyFamily, Style

if TYPE_CHECKING:
    import numpy as np

FOLDS = 5
FREQUENT = 8  # answers that are known by heart
RIDGE = 3.0
STEPS = 12  # of Newton's method, at most
SMALL = 1e-5  # a step that changes no answer
STYLE = Style()  # whose words a reader sees

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_ATOM = re.compile(r"[^\s,;()\[\]{}=]+")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reader sees of an item, and what it is to tell."""

    prompt: str  # the problem alone, with the answer's form
    answers: tuple[str, ...]
    right: tuple[bool, ...]
    gold: str  # of the problem itself


@dataclass(frozen=True, slots=True)
class Reading:
    items: int
    right: int  # items on which the reader is right
    strange: int  # wrong answers with a word of their own

    @property
    def rate(self) -> float:
        return self.right / max(self.items, 1)


def words_of(text: str) -> set[str]:
    """The words of a text, and the letters of those that nobody can say: they are strings."""
    words = {word.lower() for word in _WORD.findall(text)}
    return words.union(*(word for word in words if not set(word) & set("aeiouy")))


def strange(answer: str, prompt: str) -> set[str]:
    """The words of an answer that are not in the problem."""
    return words_of(answer) - words_of(prompt)


def shown(family: AnyFamily, puzzle: Any, style: Style = STYLE) -> Shown | None:
    """What an item of a variant shows; None where it shows no answers."""
    if family.origin is None or family.origin.shown is None:
        return None
    parent, inner = family.origin.family, family.origin.family.puzzle(*puzzle.parent)
    asked = parent.render(inner, style)
    answers, truth = family.origin.shown(puzzle), family.solve(puzzle)
    if isinstance(truth, bool):
        right: tuple[bool, ...] = (truth,)
    else:
        right = tuple(letter == truth for letter in "ABCDEFGH"[: len(answers)])
    gold = parent.written(inner, parent.solve(inner))
    return Shown(f"{asked.question}\n{asked.form}", answers, right, gold)


def given_away(item: Shown) -> list[str]:
    """The wrong answers that hold a word of their own, where gold holds none."""
    if strange(item.gold, item.prompt):
        return []
    wrong = (answer for answer, right in zip(item.answers, item.right, strict=True) if not right)
    return [answer for answer in wrong if strange(answer, item.prompt)]


def reading(items: Sequence[Shown]) -> Reading:
    """How well the reader does."""
    lost = sum(len(given_away(item)) for item in items)
    return Reading(len(items), _hits(items), lost)


def _hits(items: Sequence[Shown]) -> int:
    """By cross-validation: each item is judged by what was learned from other folds."""
    import numpy as np

    tables = [signs_of(item) for item in items]
    folds = np.array([int(digest(f"{at}"), 16) % FOLDS for at in range(len(items))])
    hits = 0
    for fold in range(FOLDS):
        taught = [at for at in range(len(items)) if folds[at] != fold]
        if not taught:
            continue
        known = [text for text, _ in _frequent(items[at] for at in taught)]
        rows = [
            [*signs, *(float(text == each) for each in known)]
            for at in taught
            for signs, text in zip(tables[at], items[at].answers, strict=True)
        ]
        right = [float(each) for at in taught for each in items[at].right]
        judge = fitted(np.array(rows), np.array(right))
        for at in np.flatnonzero(folds == fold).tolist():
            item = items[at]
            scores = judge(
                np.array(
                    [
                        [*signs, *(float(text == each) for each in known)]
                        for signs, text in zip(tables[at], item.answers, strict=True)
                    ]
                )
            )
            if len(item.answers) == 1:
                hits += bool(scores[0] > 0) == item.right[0]
            else:
                hits += item.right[int(np.argmax(scores))]
    return hits


def _frequent(items: Iterator[Shown] | Any) -> list[tuple[str, int]]:
    return Counter(text for item in items for text in item.answers).most_common(FREQUENT)


def fitted(rows: "np.ndarray[Any, Any]", right: "np.ndarray[Any, Any]") -> Any:
    """Logistic regression with a penalty, by Newton's method."""
    import numpy as np

    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9

    def scaled(table: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        plain = np.clip((table - mean) / spread, -5, 5)
        return np.hstack([np.ones((len(table), 1)), plain, np.abs(plain)])

    signs = scaled(rows)
    weights = np.zeros(signs.shape[1])
    penalty = np.full(signs.shape[1], RIDGE)
    penalty[0] = 1e-6
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(signs @ weights, -30, 30)))
        slope = signs.T @ (right - chance) - penalty * weights
        bend = (signs * (chance * (1 - chance) + 1e-6)[:, None]).T @ signs + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights += step
        if np.abs(step).max() < SMALL:
            break
    return lambda table: scaled(table) @ weights


def signs_of(item: Shown) -> list[list[float]]:
    """For each shown answer what can be seen of it, and of it beside the others."""
    sight = sight_of(item.prompt, item.answers)
    alone = len(item.answers) == 1
    table = sight.alone if alone else beside(sight, [range(len(item.answers))])[0]
    return [[float(sign) for sign in signs] for signs in table]


@dataclass(frozen=True, slots=True)
class Sight:
    """What can be seen of some answers to one prompt, of which any may be shown together."""

    alone: "np.ndarray[Any, Any]"  # the signs of each
    shared: "np.ndarray[Any, Any]"  # the atoms that two of them have in common
    differing: "np.ndarray[Any, Any]"  # the places in which two of them differ


def sight_of(prompt: str, answers: Sequence[str]) -> Sight:
    import numpy as np

    told = _told(prompt)
    atoms = [Counter(_ATOM.findall(answer)) for answer in answers]
    shared = [[sum((one & other).values()) for other in atoms] for one in atoms]
    differing = [[_differing(one, other) for other in answers] for one in answers]
    alone = [_looks(answer, told) for answer in answers]
    return Sight(np.array(alone), np.array(shared, float), np.array(differing, float))


def _differing(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other))


def beside(sight: Sight, sets: Sequence[Sequence[int]]) -> "np.ndarray[Any, Any]":
    """The signs of the answers of each set: a table for each set, with a row for each answer."""
    import numpy as np

    chosen = np.array(sets)
    mine, count = sight.alone[chosen], chosen.shape[1]
    others = (mine.sum(axis=1, keepdims=True) - mine) / (count - 1)
    pairs = chosen[:, :, None], chosen[:, None, :]
    shared, differing = sight.shared[pairs], sight.differing[pairs]
    likest = shared.sum(axis=2) - shared[:, range(count), range(count)]
    sizes = mine[:, :, _SIZE]
    place = (sizes[:, None, :] < sizes[:, :, None]).sum(axis=2)
    middle = (place > 0) & (place < count - 1)
    together = [likest, middle, place, np.log1p(differing.sum(axis=2))]
    return np.concatenate([mine, mine - others, np.stack(together, axis=2)], axis=2)


_SIZE = 0  # of what `_looks` lists, the size of the first number


@dataclass(frozen=True, slots=True)
class _Told:
    """What a prompt holds, computed once for all answers to it."""

    text: str
    words: frozenset[str]
    numbers: frozenset[float]
    largest: float  # logarithms of the largest and of the sum
    total: float
    mean: float  # of their logarithms


def _told(prompt: str) -> _Told:
    numbers = [float(each) for each in _NUMBER.findall(prompt)[:400]]
    return _Told(
        prompt,
        frozenset(words_of(prompt)),
        frozenset(numbers),
        log(1 + max(numbers, default=0.0)),
        log(1 + sum(numbers)),
        sum(log(1 + each) for each in numbers) / max(len(numbers), 1),
    )


def _looks(answer: str, told: _Told) -> list[float]:
    words = [word.lower() for word in _WORD.findall(answer)]
    texts = [each for each in _NUMBER.findall(answer) if len(each) < 100]
    numbers, atoms = [float(each) for each in texts], _ATOM.findall(answer)
    whole = [int(each.replace(".", "")) for each in texts]
    sizes = [log(1 + each) for each in numbers]
    first = (-1 if answer.startswith("-") else 1) * (sizes[0] if sizes else 0.0)
    most, mean = (max(sizes), sum(sizes) / len(sizes)) if sizes else (0.0, 0.0)
    total = max(len(whole), 1)
    signs = Counter(answer)
    return [
        first,
        most,
        mean,
        most - told.largest,
        most - told.total,
        mean - told.mean,
        float(len(words)),
        float(sum(word not in told.words for word in words)),
        float(len(answer)),
        float(len(atoms)),
        float(len(set(atoms))) / max(len(atoms), 1),
        float(sum(one == other for one, other in pairwise(atoms))),
        sum(one <= other for one, other in pairwise(numbers)) / max(len(numbers) - 1, 1),
        float(len(numbers)),
        sum(each in told.numbers for each in numbers) / total,
        sum(each % 2 == 0 for each in whole) / total,
        sum(each % 3 == 0 for each in whole) / total,
        sum(each % 5 == 0 for each in whole) / total,
        sum(each % 10 == 0 for each in whole) / total,
        sum(each % 10 for each in whole) / total,
        float(sum(len(each) for each in texts)) / total,
        float(sum(each == 0 for each in whole)),
        float(sum(each == 1 for each in whole)),
        float(max((len(each.partition(".")[2]) for each in texts), default=0)),
        float(signs["-"]),
        float(signs["/"]),
        float(signs["("]),
        float(len(signs)),
        float(max(signs.values(), default=0)) / max(len(answer), 1),
        sum(one == other for one, other in pairwise(answer)) / max(len(answer), 1),
        float(answer == "impossible"),
        float(answer in told.text),
    ]
