"""Assignments: who is what, which value each unknown has."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core.answers.bracket_spans import groups, inside
from puzzlemill.core.answers.bullets import unmarked
from puzzlemill.core.answers.names import HEDGES, agreed, bare, integral, misspelt, titled
from puzzlemill.core.answers.spelling import tidy, untitled

MOST = 1000  # pairs
LONGEST = 60  # characters of a name or a value

Pairs = tuple[tuple[str, str], ...]
NOUNS = ("node", "vertex", "house", "colour", "color", "number")

_SIGN = "0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff_"
_TERM = re.compile(rf"[+-]?[{_SIGN}]+(?:(?:['./+-]|'? )[{_SIGN}]+)*'?")
_JOINT = re.compile(
    r" ?(?:\u2192|:=|=|:) ?| (?:is|are|lives|belongs|gets|has)(?: (?:in|at|to|an?|the))? ",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\(?([0-9]{1,4})[.)] (?=[^ ])", re.ASCII)  # 1. chest
_ARTICLE = re.compile(r"(?:the|an?) (?=[^ ])")
_AND = re.compile(r",? and ", re.IGNORECASE)
_SENTENCE = re.compile(r"\. (?=[A-Z])")
_BRACED = re.compile(r"_\{(\w{1,8})\}", re.ASCII)
_SPACED = re.compile(rf"[{_SIGN}'-]+[=:][{_SIGN}./+-]+(?: [{_SIGN}'-]+[=:][{_SIGN}./+-]+)+")
_LEADS = frozenset(("answer", "result", "solution", "final answer"))  # "answer = 5" names nothing
_RULE = re.compile(r"\|?[ :|-]*-[ :|-]*\|?")


@dataclass(frozen=True, slots=True)
class Mapping:
    """Name = value pairs in any order, by comma or line; JSON objects and tables too.

    Names and values are in lower case, with single spaces and without articles; `nouns` are left
    out before a number: "node 3" is 3. The answer is sorted.
    """

    form: str = "one name = value pair a line"
    nouns: tuple[str, ...] = NOUNS
    same: tuple[tuple[str, str], ...] = ()  # other words for a value: ("t", "true")
    idle: tuple[str, ...] = ()  # what may be said before a value's number: "at line"

    def read(self, text: str) -> Pairs | None:
        body = untitled(_BRACED.sub(r"_\1", tidy(text, named=False)))
        if self.idle:
            body = _idle(self.idle).sub(lambda said: f" {said[1] or said[2]}", body)
        return agreed(self._sorted(found) for found in _readings(body))

    def _sorted(self, found: list[tuple[str, str]] | None) -> Pairs | None:
        """The pairs, in lower case; None where one is said twice, or is no pair."""
        if not found or len(found) > MOST:
            return None
        pairs: dict[str, str] = {}
        for left, right in found:
            name, value = self._term(left), self._term(right)
            if value is not None:
                value = dict(self.same).get(value, value)
            if name is None or value is None or name in pairs or name in _LEADS:
                return None
            pairs[name] = value
        return tuple(sorted(pairs.items()))

    def _term(self, text: str) -> str | None:
        """A name or value as it is compared."""
        term = integral(bare(text).lower())
        term = term[led.end() :] if (led := _ARTICLE.match(term)) else term
        term = term.removeprefix("#").replace(" #", " ")
        if (
            not term
            or len(term) > LONGEST
            or not _TERM.fullmatch(term)
            or _JOINT.search(f" {term} ")
        ):
            return None
        first, *rest = term.split(" ")
        if HEDGES.intersection([first, *rest]):
            return None
        return rest[0] if first in self.nouns and len(rest) == 1 and rest[0].isdecimal() else term

    def write(self, answer: Pairs) -> str:
        return "\n".join(f"{name} = {value}" for name, value in answer)

    def ways(self, answer: Pairs) -> list[str]:
        titles = [(titled(name), value) for name, value in answer]
        table = [f"| {name} | {value} |" for name, value in titles]
        ways = [
            ", ".join(f"{name} = {value}" for name, value in answer),
            "; ".join(f"{name}: {value}" for name, value in titles),
            "\n".join(f"{name}: {value}" for name, value in reversed(titles)),
            "\n".join(f"{name} -> {value}" for name, value in titles),
            "\n".join(f"{name} \u2192 {value}" for name, value in titles),
            "\n".join(f"{name} is {value}" for name, value in titles),
            "\n".join(["| Name | Value |", "|---|---|", *table]),
            json.dumps(dict(answer), ensure_ascii=False),
            json.dumps(dict(titles), ensure_ascii=False, indent=2),
            "{" + ", ".join(f"{name}={value}" for name, value in answer) + "}",
        ]
        other = {word: other for other, word in self.same}
        if any(value in other for _, value in answer):
            said = [(name, other.get(value, value)) for name, value in answer]
            ways.append(", ".join(f"{name}: {value.upper()}" for name, value in said))
        if len(answer) > 1 and [name for name, _ in answer] == _counted(len(answer)):
            ways.append("\n".join(f"{name}. {value}" for name, value in answer))
            ways.append("\n".join(f"{name}) {value}" for name, value in answer))
        if all(value.isdecimal() for _, value in answer):
            ways.append("\n".join(f"{name} = {value}.0" for name, value in answer))
        if len(answer) > 1:
            ways.append("\n".join(f"- {name}: {value}" for name, value in titles))
            ways.append(
                "\n".join(f"{at}. {name} = {value}" for at, (name, value) in enumerate(titles, 1))
            )
        return ways

    def near(self, answer: Pairs, rng: Random) -> Pairs:
        """Two values swapped, one changed, or a pair left out."""
        (name, value), (other, swapped) = rng.choice(answer), rng.choice(answer)
        values = sorted({value for _, value in answer} - {value})
        changed = dict(answer)
        match rng.randrange(4):
            case 0 if len(changed) > 1:
                del changed[name]
            case 1 if value != swapped:
                changed[name], changed[other] = swapped, value
            case _ if values:
                changed[name] = rng.choice(values)
            case _:
                changed[name] = misspelt(value, rng)
        return tuple(sorted(changed.items()))

    def guess(self, answer: Pairs, rng: Random) -> Pairs:
        values = sorted({value for _, value in answer})
        if len(values) == 1:
            values += [misspelt(values[0], rng)]
        return tuple((name, rng.choice(values)) for name, _ in answer)


@lru_cache(maxsize=200)
def _idle(words: tuple[str, ...]) -> re.Pattern[str]:
    """Words before a number, perhaps after a comma or in brackets."""
    said = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?i:(?:,? | ?\()(?:{said}) (?:([0-9]{{1,9}})\)|([0-9]{{1,9}})))")


def _counted(count: int) -> list[str]:
    """The names 1, 2 and so on, in the order of words."""
    return sorted(str(number) for number in range(1, count + 1))


_Found = list[tuple[str, str]] | None


def _readings(body: str) -> Iterator[_Found]:
    lines = body.split("\n")
    if "|" in body:
        yield _table(lines)
        return
    inner = inside(body) or body
    if (grouped := groups(inner)) is not None and grouped[1] != "and":
        yield _tuples(grouped[0])
    lines = inner.split("\n")
    for texts in {tuple(lines), tuple(unmarked(lines))}:
        if len(texts) == 1:
            texts = (texts[0].removeprefix("- ").removeprefix("\u2022 "),)
        parts = [part for text in texts for part in _parts(text)]
        yield _pairs(parts) if len(parts) <= MOST else None


def _parts(line: str) -> list[str]:
    if _SPACED.fullmatch(line):
        line = line.replace(" ", ",")
    counted = _COUNTED.match(line)
    start = counted.end() if counted else 0
    parts = re.split("[,;]", _SENTENCE.sub(";", line[start:]).removesuffix("."))
    parts[0] = line[:start] + parts[0]
    return [part.strip() for part in (parts[:-1] if not parts[-1].strip() else parts)]


def _pairs(parts: list[str]) -> _Found:
    found: list[tuple[str, str]] = []
    for part in parts:
        for text in _AND.split(part.removeprefix("and ")):
            pair = _pair(text)
            if pair is None:
                return None
            found.append(pair)
    return found


def _pair(text: str) -> tuple[str, str] | None:
    """Name and value, if exactly one thing joins them."""
    for mark in ("**", '"', "`"):
        inner = text[len(mark) : -len(mark)]
        if text == f"{mark}{inner}{mark}" and mark not in inner:
            text = inner
    joints = list(_JOINT.finditer(text))
    if not joints and (counted := _COUNTED.match(text)):
        return counted[1], text[counted.end() :]
    if not joints and text.count(" - ") == 1:
        left, _, right = text.partition(" - ")
        return left, right
    if len(joints) != 1:
        return None
    left, right = text[: joints[0].start()], text[joints[0].end() :]
    emphasised = left.startswith("**") and right.startswith("**")  # **Anna:** knight
    return (left.removeprefix("**"), right.removeprefix("**")) if emphasised else (left, right)


def _tuples(pieces: list[str]) -> _Found:
    """(Anna, knight), (Ben, knave)."""
    parts = [(inside(piece) or "").split(",") for piece in pieces]
    return [(part[0], part[1]) for part in parts] if {len(part) for part in parts} == {2} else None


def _table(lines: list[str]) -> _Found:
    """A table of two columns; the row above a rule is its heading."""
    rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(line)]
    if rules not in ([], [1]):
        return None
    cells = [line.strip().removeprefix("|").removesuffix("|").split("|") for line in lines]
    rows = cells[2:] if rules else cells
    if any(len(row) != 2 for row in rows):
        return None
    return [(row[0].strip(), row[1].strip()) for row in rows]
