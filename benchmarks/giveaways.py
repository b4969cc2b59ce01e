"""Giveaways at scale: can the answers that variants show be told apart without the problem?

    python benchmarks/giveaways.py [FAMILY ...] [--items 1000] [--seconds 3600]

Draws items of every variant that shows answers, over five levels, and lets a reader of their words,
sizes and forms learn what right ones look like (`core/proof/giveaways.py`). Results are kept in
giveaways/, a file for each category, after every family, so that it may be ended and run again; a
variant of another version starts anew, and one with fewer items than are asked for is done again.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_at, draft
from puzzlemill.core.proof.giveaways import Shown, reading, shown
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import write_json

FOLDER = Path(__file__).with_suffix("")
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
CPU = 120.0  # seconds for one variant; it is read on what was made until then


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("families", nargs="*", default=registry.names())
    parser.add_argument("--items", type=int, default=1000, help="of each variant")
    parser.add_argument("--seconds", type=float, default=3600, help="stop after so long")
    parser.add_argument("--workers", type=int, default=pool.cores())
    asked = parser.parse_args()
    ends = time.monotonic() + asked.seconds
    waiting = [
        name
        for family in asked.families
        for name in registry.variants(family)
        if _shows(name) and not _done(name, asked.items)
    ]
    width = asked.workers * 2
    while waiting and time.monotonic() < ends:
        chosen, waiting = waiting[:width], waiting[width:]
        calls = [(name, asked.items) for name in chosen]
        records = pool.run("giveaways:read", calls, asked.workers, seconds=900, chunk=1)
        for name, each in zip(chosen, records, strict=True):
            _keep(name, {"fault": each.reason} if isinstance(each, Failure) else each)
    results = [_of(name) for name in _variants(asked.families)]
    faults = sum(bool(each.get("fault")) for each in results if each)
    print(f"{sum(map(bool, results))} of {len(results)} variants, {faults} with a fault: {FOLDER}")


def _variants(families: list[str]) -> list[str]:
    return [name for each in families for name in registry.variants(each) if _shows(name)]


def _shows(name: str) -> bool:
    origin = registry.family(name).origin
    return origin is not None and origin.shown is not None


def _done(name: str, items: int) -> bool:
    record = _of(name)
    return (
        bool(record)
        and record["version"] == registry.family(name).version
        and (record["wanted"] >= items)
    )


def _file(name: str) -> Path:
    return FOLDER / f"{registry.family(name).category}.json"


def _of(name: str) -> dict[str, Any]:
    path = _file(name)
    record: dict[str, Any] = json.loads(path.read_text()).get(name, {}) if path.is_file() else {}
    return record


def _keep(name: str, record: dict[str, Any]) -> None:
    path = _file(name)
    records = json.loads(path.read_text()) if path.is_file() else {}
    path.parent.mkdir(exist_ok=True)
    write_json(path, dict(sorted((records | {name: record}).items())))


def read(name: str, count: int) -> dict[str, Any]:
    """A variant's items and what a reader makes of them, in a worker process."""
    family = registry.family(name)
    start, items, without = time.process_time(), list[Shown](), 0
    for index in range(count):
        level = LEVELS[index % len(LEVELS)]
        try:
            item = draft(family, address_at(family, level, split="train", index=index), level)
        except NoPuzzle:
            without += 1
            continue
        if seen := shown(family, item.puzzle):
            items.append(seen)
        if time.process_time() - start > CPU:
            break
    made = time.process_time() - start
    result = reading(family, items)
    return {
        "version": family.version,
        "wanted": count,
        "items": result.items,
        "without": without,  # puzzles of which there is no such variant
        "rate": round(result.rate, 4),
        "declared": round(result.declared, 4),
        "strange": result.strange,
        "fault": result.fault,
        "seconds": round(made, 2),
    }


if __name__ == "__main__":
    main()
