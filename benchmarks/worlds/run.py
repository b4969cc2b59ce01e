"""Worlds, families whose rules are drawn: speed of making, number of rule sets, and guesses.

    .venv/bin/python benchmarks/worlds/run.py [FAMILY …]

Results go to result.json beside this file, family by family; one that is there is not measured
again, unless its version has risen. CPU seconds are counted, in one process.
"""

import argparse
import json
import time
from collections import Counter
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.family import AnyFamily, levels
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.storage.files import write_text

RESULT = Path(__file__).with_name("result.json")
SECONDS = 0.5  # of CPU time for each level's rate
LEVELS = (0.0, 0.5, 1.0)
DRAWS, MOST_SECONDS = 2000, 1.0  # of puzzles at a rung, for rule sets; whichever ends first
MANY = 10**9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    worlds = [name for name in pm.families() if registry.family(name).category == "worlds"]
    parser.add_argument("families", nargs="*", default=worlds)
    results = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    for name in parser.parse_args().families:
        family = registry.family(name)
        if results.get(name, {}).get("version") == family.version:
            continue
        results[name] = _measured(family)
        write_text(RESULT, json.dumps(results, indent=1, sort_keys=True) + "\n")
        print(name, results[name], flush=True)


def _measured(family: AnyFamily) -> dict[str, Any]:
    rungs = zip(levels(family), family.ladder, strict=True)
    return {
        "version": family.version,
        "items_per_second": {f"{level:g}": _rate(family.name, level) for level in LEVELS},
        "rungs": {f"{level:g}": _drawn(family, knobs) for level, knobs in rungs},
    }


def _rate(name: str, level: float) -> float:
    items = iter(pm.generate(name, level=level, seed=1, n=MANY))
    next(items)
    made, start = 0, time.process_time()
    while (spent := time.process_time() - start) < SECONDS:
        next(items)
        made += 1
    return round(made / spent, 1)


def _drawn(family: AnyFamily, knobs: Any) -> dict[str, Any]:
    """Rule sets among puzzles, and how often the commonest answer is right.

    n draws of N equally likely rule sets have n(n - 1) / 2N equal pairs on average: the pairs seen
    tell N, or less where some sets are likelier. Without a pair, N is above what one would tell.
    """
    rng, kins, golds = Random(f"rule sets of {family.name}"), Counter[str](), Counter[str]()
    start = time.process_time()
    while kins.total() < DRAWS and time.process_time() - start < MOST_SECONDS:
        if (puzzle := family.generate(rng, knobs)) is not None and family.kin:
            kins[canonical_json(family.kin(puzzle))] += 1
            golds[family.written(puzzle, family.solve(puzzle))] += 1
    draws, pairs = kins.total(), sum(comb(count, 2) for count in kins.values())
    return {
        "draws": draws,
        "distinct_rule_sets": len(kins),
        "equal_pairs": pairs,
        "rule_sets_by_collisions": round(comb(draws, 2) / max(1, pairs)),
        "at_least": pairs == 0,
        "commonest_answer": round(max(golds.values()) / draws, 4) if golds else None,
    }


if __name__ == "__main__":
    main()
