"""What worker processes do with items: draw and word them, certify them, probe their verifiers.

Here and not in `pipelines`, whose imports would take a worker ten times as long to start.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlemill.core.item import Item, address_at, canon_of, certified, draft
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.proof.probing import Probes, probe
from puzzlemill.core.registry import family


def draw(name: str, level: float, knobs: str, split: str, seed: int, index: int) -> Item:
    found, by_hand = family(name), json.loads(knobs)
    address = address_at(found, level, by_hand, split=split, seed=seed, index=index)
    return draft(found, address, level)


def gold(name: str, puzzle: str) -> tuple[str, str, str]:
    """Answer, certificate and solver; all empty where the item is not sound."""
    found = family(name)
    answer = certified(found, thaw(found.puzzle, puzzle))
    return (answer, found.proof, found.solver) if answer else ("", "", "")


def canon(name: str, puzzle: str) -> str:
    """The canonical form of a puzzle that somebody else's file tells."""
    found = family(name)
    return canon_of(found, thaw(found.puzzle, puzzle))


@dataclass(frozen=True, slots=True)
class _Case:
    uid: str
    prompt: str
    puzzle: Any
    answer: str


def probes_of(name: str, rows: Sequence[Mapping[str, Any]]) -> Probes:
    found = family(name)
    return probe(
        found,
        [
            _Case(
                row["uid"],
                "\n".join(message["content"] for message in row["prompt"]),
                thaw(found.puzzle, row["puzzle"]),
                row["answer"],
            )
            for row in rows
        ],
    )
