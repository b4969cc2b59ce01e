"""What an item of each text family costs at each level, in CPU seconds; to costs.json.

    python benchmarks/pipeline/cells.py

A cell is a family at a level; its cost is the mean over some items, from address to gold.
"""

import json
import time
from pathlib import Path

from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_of, make
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import write_json

COSTS = Path(__file__).with_name("costs.json")
LEVELS = (0.25, 0.5, 0.75)
ITEMS = 12


def cost(name: str, level: float) -> float | None:
    """CPU seconds an item; None for pictures, and where the level has hardly any puzzles."""
    family = registry.family(name)
    knobs = family.at(level)
    try:
        if make(family, address_of(family, knobs, seed=7), level).images:
            return None
        start = time.process_time()
        items = [
            make(family, address_of(family, knobs, seed=7, index=index), level)
            for index in range(1, ITEMS + 1)
        ]
    except NoPuzzle:
        return None
    seconds = (time.process_time() - start) / ITEMS
    return seconds if len({item.canon for item in items}) > 0.9 * ITEMS else None


def main() -> None:
    calls = [(name, level) for name in registry.names() for level in LEVELS]
    found = pool.run("cells:cost", calls, workers=1, seconds=120, chunk=1)
    costs: dict[str, dict[str, float]] = {}
    for (name, level), seconds in zip(calls, found, strict=True):
        if seconds is not None and not isinstance(seconds, Failure):
            costs.setdefault(name, {})[str(level)] = round(seconds, 6)
    write_json(COSTS, costs)
    print(json.dumps({"families": len(costs), "cells": sum(map(len, costs.values()))}))


if __name__ == "__main__":
    main()
