"""Worked solutions in the first lines of a reply: their results, and their states in order."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from puzzlemill.core.family import AnyFamily, Lines
from puzzlemill.core.partial.answered import (
    gold,
    is_answered,
    plain,
    prompt_lines,
    worked_lines,
)

_PROSE = re.compile(r"[A-Z][a-z']*(?: [a-z']+){3,}[.:]?")  # says the same of every puzzle
_TOKEN = re.compile(r"\d+(?:[./]\d+)*|[^\W_]+")
_WORD = re.compile(r"[^\s,;:()|]+")
_BEFORE = r"(?<![\w.+\-*/^(])"  # not in the middle of a longer expression
_BEHIND = r"(?![\w+\-*/^%]|[.,]\d)"


def results_derived(
    family: AnyFamily, puzzle: Any, lines: Lines, by: str = "=", bags: bool = False
) -> float:
    """The share of the worked solution's results that are stated, up to the first that is stated
    wrongly; 1 with a right answer.

    `by` stands between what a line is about and its result, "=" or ":", in the worked solution as
    in the reply. An equation may stand anywhere in a line. With `bags`, the words of a result may
    come in any order.
    """
    if is_answered(family, puzzle, lines, _own(family, puzzle)):
        return 1.0
    facts = _facts(family, puzzle, by, bags)
    stated = _stated(facts, lines, by, bags)
    count = 0
    for subject, _ in facts:
        if stated.get(subject) is False:
            break
        count += subject in stated
    return count / (len(facts) + 1)


def states_followed(family: AnyFamily, puzzle: Any, lines: Lines) -> float:
    """The share of the worked solution's lines that the reply has, one after the other, up to the
    first line of that shape that is another; 1 with a right answer. For states that follow from one
    another in one way."""
    states, place = _states(family, puzzle), 0
    if is_answered(family, puzzle, lines, _own(family, puzzle)):
        return 1.0
    for line in lines:
        if place == len(states):
            break
        text = plain(line)
        if text == states[place]:
            place += 1
        elif text not in states[:place] and _shape(text) == _shape(states[place]):
            break
    return place / (len(states) + 1)


Facts = tuple[tuple[str, str], ...]  # what it is about, and the result; both plain


@lru_cache(maxsize=64)
def _facts(family: AnyFamily, puzzle: Any, by: str, bags: bool) -> Facts:
    """The results of the worked solution that the prompt does not tell, nor another line of the
    solution otherwise."""
    worked = _worked(family, puzzle)
    facts = tuple(dict.fromkeys(fact for line in worked if (fact := _cut(line, by))))
    sound = _stated(facts, [*worked, family.written(puzzle, gold(family, puzzle))], by, bags)
    told = _stated(facts, prompt_lines(family, puzzle), by, bags)
    return tuple(fact for fact in facts if sound.get(fact[0]) and not told.get(fact[0]))


@lru_cache(maxsize=64)
def _states(family: AnyFamily, puzzle: Any) -> tuple[str, ...]:
    told = set(map(plain, prompt_lines(family, puzzle)))
    return tuple(state for line in _worked(family, puzzle) if (state := plain(line)) not in told)


@lru_cache(maxsize=64)
def _worked(family: AnyFamily, puzzle: Any) -> tuple[str, ...]:
    lines = worked_lines(family, puzzle)
    return tuple(line for line in lines if not _PROSE.fullmatch(line))


@lru_cache(maxsize=64)
def _own(family: AnyFamily, puzzle: Any) -> frozenset[str]:
    """Lines of the worked solution, of which some look like answers."""
    return frozenset(map(plain, _worked(family, puzzle)))


@lru_cache(maxsize=8192)
def _shape(text: str) -> str:
    return _TOKEN.sub("w", text)


def _cut(line: str, by: str) -> tuple[str, str] | None:
    text = plain(line)
    subject, found, result = text.rpartition(by) if by == "=" else text.partition(by)
    return (subject, result) if found and subject and result else None


def _stated(facts: Facts, lines: Iterable[str], by: str, bags: bool) -> dict[str, bool]:
    """Of what is stated among the facts, whether it is right every time."""
    stated: dict[str, bool] = {}
    for line in lines:
        for subject, right in _said(facts, line, by, bags):
            stated[subject] = right and stated.get(subject, True)
    return stated


@lru_cache(maxsize=16384)
def _said(facts: Facts, line: str, by: str, bags: bool) -> tuple[tuple[str, bool], ...]:
    """What one line says of the facts, rightly or not."""
    if by == "=":
        text = plain(line)
        return tuple(
            (subject, bool(result.match(text, found.end())))
            for subject, about, result in _patterns(facts)
            for found in about.finditer(text)
        )
    cut = _cut(line, by)
    said = [(subject, result) for subject, result in facts if cut and subject == cut[0]]
    same = _bag if bags else plain
    return tuple((subject, same(result) == same(cut[1])) for subject, result in said if cut)


@lru_cache(maxsize=64)
def _patterns(facts: Facts) -> list[tuple[str, re.Pattern[str], re.Pattern[str]]]:
    return [
        (
            subject,
            re.compile(f"{_BEFORE}{re.escape(subject)}="),
            re.compile(f"{re.escape(result)}{_BEHIND}"),
        )
        for subject, result in facts
    ]


def _bag(text: str) -> tuple[str, ...]:
    return tuple(sorted(word for word in _WORD.findall(plain(text)) if word != "and"))
