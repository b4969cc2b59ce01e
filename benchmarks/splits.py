"""Are splits and seeds apart? Draws items of every family and looks for a puzzle in two splits.

    python benchmarks/splits.py [FAMILY]... [--items 10000] [--seconds 2] [--variants 0]

Of each family it draws so many items, or as many as so many CPU seconds allow, over three levels,
two seeds and the three splits in proportion, and counts

- `shared`: what is in two splits: a canonical puzzle, a prompt with its pictures, or what decides
  the split of its kind (`kin`). There may be none;
- `between` and `within`: pairs of items that are one puzzle, of two seeds or of the same one. Two
  seeds draw from the same puzzles, so in a small family they meet, but no more often than a seed
  meets itself.

Progress is kept in splits.json beside this file after every few families, so that it may be ended
and run again: a family of the same version is not drawn again for as many items and seconds.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import SPLITS, digest
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.family import parts
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_at, canon_of, draft, kin_of
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import write_json

RESULT = Path(__file__).with_suffix(".json")
LEVELS = (0.0, 0.5, 1.0)
SEEDS = (0, 1)
PART = 16  # families between two writes of the result
FRUITLESS = 3  # draws without a puzzle, after which a level has none for a split

Cell = tuple[float, int, str]  # level, seed, split


def splits_of(name: str, count: int, seconds: float) -> dict[str, Any]:
    """What is told of a family, and two examples of what is shared."""
    family, ends = registry.family(name), time.process_time() + seconds
    where: dict[str, set[str]] = {}
    met: dict[tuple[float, str, str], Counter[int]] = {}  # level, split, puzzle → items by seed
    fruitless: Counter[Cell] = Counter()
    items = 0
    for (level, seed, split), index in _cells():
        if items >= count or time.process_time() >= ends:
            break
        cell = level, seed, split
        if fruitless[cell] >= FRUITLESS:
            continue
        try:
            item = draft(
                family, address_at(family, level, split=split, seed=seed, index=index), level
            )
        except NoPuzzle:
            fruitless[cell] += 1
            continue
        items += 1
        met.setdefault((level, split, item.canon), Counter())[seed] += 1
        pictures = "".join(digest(picture.hex()) for picture in item.images)
        keys = {f"puzzle {item.canon}", f"prompt {digest(item.prompt + pictures)}"}
        for each, part in parts(family, item.puzzle):
            keys.add(f"puzzle {canon_of(each, part)}")
            if each.kin:
                keys.add(f"kin {kin_of(each, part)}")
        for key in keys:
            where.setdefault(key, set()).add(split)
    shared = sorted(key for key, splits in where.items() if len(splits) > 1)
    return {
        "version": family.version,
        "items": items,
        "puzzles": len({canon for _, _, canon in met}),
        "none": fruitless.total(),
        "shared": len(shared),
        "between": sum(each[SEEDS[0]] * each[SEEDS[1]] for each in met.values()),
        "within": sum(n * (n - 1) // 2 for each in met.values() for n in each.values()),
        "seconds": round(time.process_time() + seconds - ends, 1),
        "examples": shared[:2],
    }


_CELLS = [(level, seed, split) for level in LEVELS for seed in SEEDS for split in SPLITS]


def _cells() -> Iterator[tuple[Cell, int]]:
    """All cells in turn, each with the next index in it; splits as often as they are large."""
    least = min(SPLITS.values())
    turn = [cell for cell in _CELLS for _ in range(round(SPLITS[cell[2]] / least))]
    following: Counter[Cell] = Counter()
    while True:
        for cell in turn:
            yield cell, following[cell]
            following[cell] += 1


def fault(told: dict[str, Any]) -> str:
    """What is wrong with a family, or nothing."""
    if "failed" in told:
        return str(told["failed"])
    if told["shared"]:
        return f"{told['shared']} in two splits, such as {told['examples']}"
    if told["between"] > 2 * told["within"] + 20:  # far beyond chance, as seeds that overlap are
        return f"two seeds share {told['between']} pairs, one seed only {told['within']}"
    return ""


def some_variants(each: int) -> list[str]:
    """So many variants by each operator, spread over the families."""
    chosen = []
    for name in registry.operators():
        made = [one for one in registry.names() if f"{one}+{name}" in registry.variants(one)]
        chosen += [f"{one}+{name}" for one in sorted(made, key=digest)[:each]]
    return chosen


def main() -> bool:
    """Whether a fault was found."""
    reading = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    reading.add_argument("families", nargs="*", help="families or categories; all if none is named")
    reading.add_argument("--items", type=int, default=10_000, help="of each family")
    reading.add_argument("--seconds", type=float, default=2, help="of a core, for each family")
    reading.add_argument("--variants", type=int, default=0, help="and so many of each operator")
    reading.add_argument("--until", type=float, default=1e9, help="stop after so many seconds")
    reading.add_argument("--workers", type=int, default=pool.cores())
    asked = reading.parse_args()
    chosen = [name for each in asked.families for name in registry.matching(each)]
    chosen = (chosen or registry.names()) + some_variants(asked.variants)
    result = _known()
    ends = time.monotonic() + asked.until
    left = [each for each in chosen if _lacking(each, result.get(each), asked)]
    while left and time.monotonic() < ends:
        calls = [(name, asked.items, asked.seconds) for name in left[:PART]]
        allowed = 60 + 20 * asked.seconds  # in which a busy machine gives those seconds
        found = pool.run("splits:splits_of", calls, asked.workers, allowed, chunk=1)
        drawn = {
            name: {"failed": each.reason} if isinstance(each, Failure) else each
            for name, each in zip(left, found, strict=False)
        }
        result |= drawn
        left = left[PART:]
        write_json(RESULT, _known() | drawn)  # another run may have gone on with others
    faults = {name: fault(result[name]) for name in chosen if name in result}
    for name, told in faults.items():
        if told:
            print(f"{name}: {told}")
    total: Counter[str] = Counter()
    for name in faults:
        kept = {key: value for key, value in result[name].items() if isinstance(value, int)}
        total.update({key: value for key, value in kept.items() if key != "version"})
    print(f"{len(faults)} families, {len(left)} more to come: {dict(total)}; see {RESULT}")
    return any(faults.values())


def _known() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    return found


def _lacking(name: str, told: dict[str, Any] | None, asked: argparse.Namespace) -> bool:
    """Whether a family is to be drawn: never drawn so far, or of another version."""
    if not told or "failed" in told or told["version"] != registry.family(name).version:
        return True
    return bool(told["items"] < asked.items and told["seconds"] < asked.seconds - 1)


if __name__ == "__main__":
    sys.exit(main())
