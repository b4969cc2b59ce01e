"""Generate: the puzzle of every address that the recipe asks for."""

import json
from typing import Any

import pyarrow as pa

from puzzlemill.core import registry
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import address_at
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.rows import SCHEMA, table_of
from puzzlemill.core.storage import pool
from puzzlemill.pipelines.folder import Source, Step
from puzzlemill.pipelines.plan import Run, plan


def key(runs: tuple[Run, ...]) -> str:
    return canonical_json([run.describe() for run in runs])


def generated(runs: tuple[Run, ...]) -> pa.Table:
    calls = [
        (run.family, run.level, run.knobs, run.split, run.seed, index)
        for run in runs
        for index in range(run.start, run.start + run.count)
    ]
    rows = pool.run("puzzlemill.core.proof.jobs:row", calls)
    return table_of(
        _failed(call, row.reason) if isinstance(row, Failure) else row
        for call, row in zip(calls, rows, strict=True)
    )


def _failed(call: tuple[str, float, str, str, int, int], reason: str) -> dict[str, Any]:
    """The row of an address that gave no puzzle."""
    name, level, knobs, split, seed, index = call
    family = registry.family(name)
    address = address_at(family, level, json.loads(knobs), split=split, seed=seed, index=index)
    return dict.fromkeys(SCHEMA.names) | {
        "uid": address.uid,
        "family": name,
        "version": family.version,
        "category": family.category,
        "level": level,
        "knobs": address.knobs,
        "split": split,
        "seed": seed,
        "index": index,
        "prompt": [],
        "certificate": "",
        "dropped": f"no puzzle: {reason}",
    }


GENERATE = Step(
    "generate",
    version=3,
    wanted=lambda recipe: not recipe.parent,
    source=Source(plan, key, generated),
    run=lambda build, shard, rows: rows,
)
