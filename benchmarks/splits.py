"""Are the splits apart? Draws items of every family and looks for a puzzle in two splits.

    python benchmarks/splits.py [FAMILY]... [-n ITEMS] [--json FILE]

Of each family it draws ITEMS in all, evenly over levels, two seeds and the three splits, and looks
for a canonical puzzle, or what decides the split of its kind (`kin`), that is in two of them.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from puzzlemill.core import pool, registry
from puzzlemill.core.address import SPLITS
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.family import parts
from puzzlemill.core.files import write_json
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import canon_of, draft, kin_of
from puzzlemill.pipelines.plan import shares

LEVELS = (0.0, 0.5, 1.0)
SEEDS = (0, 1)
PART = 16  # families at once


def splits_of(name: str, count: int) -> dict[str, int]:
    """Of a family: items drawn, distinct puzzles, draws without one, and puzzles in two splits."""
    found = registry.family(name)
    where: dict[str, set[str]] = {}
    told = Counter[str](items=0, puzzles=0, none=0, shared=0)
    cells = [(level, seed, split) for level in LEVELS for seed in SEEDS for split in SPLITS]
    for (level, seed, split), many in zip(cells, shares(count, len(cells)), strict=True):
        for index in range(many):
            try:
                item = draft(found, found.at(level), split, seed, index, level)
            except NoPuzzle:
                told["none"] += 1
                continue
            told["items"] += 1
            keys = {f"canon {item.canon}"}
            for each, part in parts(found, item.puzzle):
                keys.add(f"canon {canon_of(each, part)}")
                if each.kin:
                    keys.add(f"kin {kin_of(each, part)}")
            for key in keys:
                where.setdefault(key, set()).add(split)
    told["puzzles"] = sum(key.startswith("canon") for key in where)
    told["shared"] = sum(len(splits) > 1 for splits in where.values())
    return dict(told)


def splits_at(names: list[str], count: int) -> dict[str, Any]:
    calls = [(name, count) for name in names]
    found = pool.run("splits:splits_of", calls, seconds=600, chunk=1)
    return {
        name: {"failed": each.reason} if isinstance(each, Failure) else each
        for name, each in zip(names, found, strict=True)
    }


def main() -> bool:
    """Whether a fault was found. The figures are written after every few families."""
    reading = argparse.ArgumentParser(description="Are the splits apart?")
    reading.add_argument("families", nargs="*", help="families or categories; all if none is named")
    reading.add_argument("-n", type=int, default=180, help="items of each family")
    reading.add_argument("--json", type=Path, help="where the figures go")
    asked = reading.parse_args()
    chosen = [name for each in asked.families for name in registry.matching(each)]
    left, figures = chosen or registry.names(), dict[str, Any]()
    while left:
        figures |= (part := splits_at(left[:PART], asked.n))
        left = left[PART:]
        for name, each in part.items():
            if each.get("shared") or "failed" in each:
                print(f"{name}: {each}", flush=True)
        if asked.json:
            write_json(asked.json, figures)
    total = Counter[str]()
    for each in figures.values():
        total.update({key: value for key, value in each.items() if key != "failed"})
    bad = sum(bool(each.get("shared")) or "failed" in each for each in figures.values())
    print(f"{len(figures)} families, {bad} with a fault: {dict(total)}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
