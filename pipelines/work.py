"""What worker processes do with one item: draw and word it, or certify it."""

import json

from puzzlemill.core.item import Item, certified, draft
from puzzlemill.core.knobs import turned
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family


def draw(name: str, level: float, knobs: str, split: str, seed: int, index: int) -> Item:
    found = family(name)
    return draft(
        found, turned(found.at(level), found.ladder, json.loads(knobs)), split, seed, index, level
    )


def gold(name: str, puzzle: str) -> tuple[str, str, str]:
    """Answer, certificate and solver; all empty where the item is not sound."""
    found = family(name)
    answer = certified(found, thaw(found.puzzle, puzzle))
    return (answer, found.proof, found.solver) if answer else ("", "", "")
