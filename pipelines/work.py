"""What worker processes do with one item: draw and word it, or certify it."""

import json

from puzzlemill.core.family import wording
from puzzlemill.core.item import Item, certified, draft
from puzzlemill.core.knobs import turned
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family


def draw(name: str, level: float, knobs: str, split: str, seed: int, index: int) -> Item:
    found, by_hand = family(name), json.loads(knobs)
    settings = turned(found.at(level), found.ladder, by_hand)
    return draft(found, settings, split, seed, index, level, wording(by_hand))


def gold(name: str, puzzle: str) -> tuple[str, str, str]:
    """Answer, certificate and solver; all empty where the item is not sound."""
    found = family(name)
    answer = certified(found, thaw(found.puzzle, puzzle))
    return (answer, found.proof, found.solver) if answer else ("", "", "")
