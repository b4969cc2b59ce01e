"""Things that have one value each, in the first lines of a reply: what is stated of them, outside
suppositions, and how well that tells the truth."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from puzzlemill.core.family import AnyFamily, Lines
from puzzlemill.core.partial.answered import gold, prompt_lines

Key = TypeVar("Key", bound=Hashable)

_PAIR = re.compile(r"^([\w']+) ?= ?([\w']+)$")  # of an answer
_OPENS = re.compile(r"\b(?:suppose|assume)\b", re.IGNORECASE)
_DOUBTS = re.compile(r"\b(?:if|perhaps|maybe|try|could|might)\b|\?", re.IGNORECASE)
_CLOSES = re.compile(r"\bcontradiction\b|\bcannot be kept\b|\bdoes not work\b", re.IGNORECASE)


def values_named(
    family: AnyFamily, puzzle: Any, lines: Lines, said: str = r"([\w']+) (?:=|is an?|is) ([\w']+)"
) -> float:
    """How well the names of the answer are given their values, outside suppositions: `informed`.
    `said` finds names and values in a line in lower case. The answer is unique."""
    told = {fact for line in prompt_lines(family, puzzle) for fact in _named(said, line)}
    facts = [(name.lower(), value.lower()) for name, value in gold(family, puzzle)]
    truth = dict(fact for fact in facts if fact not in told)
    stated = [fact for line in certain(lines) for fact in _named(said, line)]
    stated += [fact for line in lines for fact in _PAIR.findall(line.lower())]
    return informed(truth, gathered(fact for fact in stated if fact[0] in truth))


@lru_cache(maxsize=8192)
def _named(said: str, line: str) -> tuple[tuple[str, str], ...]:
    return tuple(re.findall(said, line.lower()))


def informed(truth: Mapping[Key, Any], stated: Mapping[Key, frozenset[Any]]) -> float:
    """How well the stated values tell the true ones, 0 to 1: over the values, the share of their
    things that are found, less twice that of the others that are taken for them.

    Taken once, that is informedness, 0 on average for guesses and for one value everywhere. Luck is
    left nothing: a wrong value also costs what the right one would have earned. Two values of a
    thing are a wrong one, and so is any value of a thing that there is not.
    """
    counts = Counter(truth.values())
    if not truth:
        return 0.0
    total = -len(counts) / len(truth) * len(stated.keys() - truth.keys())
    for key, value in truth.items():
        said = stated.get(key)
        if said == frozenset({value}):
            total += 1 / counts[value]
        elif said:
            wrong = max(2 / max(len(truth) - counts[other], 1) for other in said - {value})
            total -= max(wrong, 1 / counts[value])
    return max(round(total / len(counts), 9), 0.0)  # all right: exactly 1


def certain(lines: Iterable[str]) -> list[str]:
    """The lines outside suppositions that do not doubt what they say, and what follows where a
    supposition is refuted: it goes from the line that makes it to the one that refutes it ("…, so
    …")."""
    kept, depth = [], 0
    for line in lines:
        turn, rest = _turn(line)
        depth = max(depth + turn, 0)
        if not depth and rest:
            kept.append(rest)
    return kept


@lru_cache(maxsize=8192)
def _turn(line: str) -> tuple[int, str]:
    """Whether a line makes a supposition, 1, or refutes it, -1, and what it says behind that."""
    if _CLOSES.search(line):
        return -1, line.rpartition(", so ")[2] if ", so " in line else ""
    return (1, "") if _OPENS.search(line) else (0, "" if _DOUBTS.search(line) else line)


def gathered(statements: Iterable[tuple[Key, Any]]) -> dict[Key, frozenset[Any]]:
    """All values that are stated of each thing."""
    values: dict[Key, set[Any]] = {}
    for key, value in statements:
        values.setdefault(key, set()).add(value)
    return {key: frozenset(said) for key, said in values.items()}
