"""Jobs of worker processes: items are drawn and worded, certified, and their verifiers probed.

Here and not in `pipelines`, whose imports would take a worker ten times as long to start.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from time import process_time
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import Address, at_index
from puzzlemill.core.item import Item, address_at, canon_of, certified, draft, make
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.proof.probes import Probes, probe


def draw(name: str, level: float, knobs: str, split: str, seed: int, index: int) -> Item:
    first = _first(name, level, knobs, split, seed)
    return draft(registry.family(name), at_index(first, index), level)


def row(name: str, level: float, knobs: str, split: str, seed: int, index: int) -> dict[str, Any]:
    """An item as the values of its columns: whoever takes them need not import the family."""
    return draw(name, level, knobs, split, seed, index).row()


@lru_cache(maxsize=1000, typed=True)
def _first(name: str, level: float, knobs: str, split: str, seed: int) -> Address:
    """The address of index 0: a worker draws many items of each."""
    return address_at(registry.family(name), level, json.loads(knobs), split=split, seed=seed)


def made(
    name: str, level: float, knobs: str, split: str, seed: int, indices: Sequence[int]
) -> tuple[list[Item], float]:
    """Items as a build makes them, and the CPU seconds of one. What the first one loads is not
    counted, unless it is the only one."""
    family, first = registry.family(name), _first(name, level, knobs, split, seed)
    items, seconds = [], []
    for index in indices:
        start = process_time()
        items.append(make(family, at_index(first, index), level))
        seconds.append(process_time() - start)
    return items, fmean(seconds[1:] or seconds)


def gold(name: str, puzzle: str) -> tuple[str, str, str]:
    """Answer, certificate and solver; all empty where the item is not sound."""
    family = registry.family(name)
    answer = certified(family, thaw(family.puzzle, puzzle))
    return (answer, family.proof, family.solver) if answer else ("", "", "")


def canon(name: str, puzzle: str) -> str:
    """The canonical form of a puzzle that somebody else's file tells."""
    family = registry.family(name)
    return canon_of(family, thaw(family.puzzle, puzzle))


@dataclass(frozen=True, slots=True)
class _Case:
    uid: str
    prompt: str
    puzzle: Any
    answer: str


def probes_of(name: str, rows: Sequence[Mapping[str, Any]]) -> Probes:
    family = registry.family(name)
    return probe(
        family,
        [
            _Case(
                row["uid"],
                "\n".join(message["content"] for message in row["prompt"]),
                thaw(family.puzzle, row["puzzle"]),
                row["answer"],
            )
            for row in rows
        ],
    )
