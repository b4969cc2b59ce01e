"""Partitions: names divided into groups that have nothing in common."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.bracket_spans import groups, inside, spans
from puzzlemill.core.answers.bullets import unmarked
from puzzlemill.core.answers.flat_list import MOST, parted
from puzzlemill.core.answers.names import (
    Items,
    Name,
    agreed,
    another,
    complete,
    in_order,
    read_names,
)
from puzzlemill.core.answers.spelling import tidy

Partition: TypeAlias = tuple[tuple[Name, ...], ...]

# "Team A: 1, 2" and "S_1 = {1, 2}": what a group is called says nothing about who is in it.
_LABEL = re.compile(
    r"[\"'*]{0,2}[A-Za-z][\w ]{0,30}(?:\{\w{1,8}\})?[\"'*]{0,2} ?[:=][*]{0,2} ?", re.ASCII
)
_INNER_LABEL = re.compile(
    r"(?<![\w\"'])[\"']?\w[\w ]{0,30}(?:\{\w{1,8}\})?[\"']? ?[:=] ?(?=[\[({<])", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of names; no order matters. Sorted groups, sorted. A name stands in one group only.

    "{1, 2}, {3}", "[[1, 2], [3]]", "1, 2; 3", "1 2 | 3", one group a line, with labels or without.
    """

    items: Items = "ints"
    form: str = "the groups, one line each, the members of a group separated by commas"

    def read(self, text: str) -> Partition | None:
        found = agreed(
            _partition(found) for found in _readings(tidy(text, named=False), self.items)
        )
        return found or agreed(_partition(found) for found in _readings(tidy(text), self.items))

    def write(self, answer: Partition) -> str:
        return "\n".join(", ".join(map(str, group)) for group in answer)

    def ways(self, answer: Partition) -> list[str]:
        commas = [", ".join(map(str, group)) for group in answer]
        braces = ", ".join(f"\\{{{group}\\}}" for group in commas)
        ways = [
            "[" + ", ".join(f"[{group}]" for group in commas) + "]",
            ", ".join(f"{{{group}}}" for group in reversed(commas)),
            braces,
            f"\\{{{braces}\\}}",
            " ".join(f"({group})" for group in commas),
            "\n".join(f"{{{group}}}" for group in commas),
            "; ".join(commas),
            "\n".join(f"Group {count}: {{{group}}}" for count, group in enumerate(commas, 1)),
            ", ".join(f"S_{count} = \\{{{group}\\}}" for count, group in enumerate(commas, 1)),
            json.dumps(answer, ensure_ascii=False),
            json.dumps({f"g{at}": group for at, group in enumerate(answer)}, ensure_ascii=False),
        ]
        if len(answer) > 1:
            ways += [
                "\n".join(f"{count}. {group}" for count, group in enumerate(commas, 1)),
                "\n".join(f"Team {count}: {group}" for count, group in enumerate(commas, 1)),
                "\n".join(f"- {group}" for group in commas),
            ]
            if any(len(group) > 1 for group in answer):
                ways.append(" | ".join(commas))
        return ways

    def near(self, answer: Partition, rng: Random) -> Partition:
        """One name in another group, or in one of its own."""
        changed = [list(group) for group in answer]
        if len(answer) == 1 == len(answer[0]):
            return ((another(answer[0][0], [], rng),),)
        source = rng.choice(changed)
        name = source.pop(rng.randrange(len(source)))
        others = [group for group in changed if group is not source]
        if others and (not source or rng.random() < 0.7):
            rng.choice(others).append(name)
        else:
            changed.append([name])
        return _sorted(group for group in changed if group)

    def guess(self, answer: Partition, rng: Random) -> Partition:
        """Groups of the same sizes."""
        names = [name for group in answer for name in group]
        rng.shuffle(names)
        return _sorted([names.pop() for _ in group] for group in answer)


_Found: TypeAlias = Partition | None


def _readings(body: str, items: Items) -> Iterator[_Found]:
    """The groups in each way in which the text may hold some."""
    for text in dict.fromkeys([body, inside(body) or body]):
        lines = text.split("\n")
        for texts in dict.fromkeys([tuple(lines), tuple(unmarked(lines))]):
            bare = _INNER_LABEL.sub("", "\n".join(texts))
            if (grouped := groups(bare)) is not None:
                flat = all(spans(inside(piece) or "(") == [] for piece in grouped[0])
                yield _members(grouped[0], items) if flat else None
            elif spans(bare) == []:
                yield _members(_parts(texts), items)


def _parts(lines: Sequence[str]) -> list[str]:
    """The texts of the groups where there are no brackets; labels go where each group has one."""
    parts = [line.removesuffix(",").removesuffix(";") for line in lines]
    if len(parts) == 1:
        parts = parts[0].split(";" if ";" in parts[0] else "|")
        runs = [part.strip() for part in parts]
        if "|" in lines[0] and all(map(str.isdecimal, runs)) and max(map(len, runs)) > 1:
            return []  # 12|3 is {12}, {3} or {1, 2}, {3}
    labels = [_LABEL.match(part.strip()) for part in parts]
    bare = [part.strip()[found.end() :] for part, found in zip(parts, labels) if found]
    return bare if len(bare) == len(parts) > 1 else parts


def _members(texts: Sequence[str], items: Items) -> _Found:
    found: list[tuple[Name, ...] | None] = []
    for text in texts:
        listing = parted(text.strip(), items)
        taken = listing is not None and listing.between not in (";", "\u2192")
        found.append(read_names(listing.items, items) if listing and taken else None)
        if found[-1] is None:
            return None
    return complete(found)


def _partition(found: Sequence[Sequence[Name]] | None) -> Partition | None:
    if not found or not all(found):
        return None
    names = [name for group in found for name in group]
    return _sorted(found) if len(set(names)) == len(names) <= MOST else None


def _sorted(found: Iterable[Iterable[Name]]) -> Partition:
    return in_order(in_order(group) for group in found)
