"""Rows made by their families: the puzzle of every address, and its gold with a certificate."""

import json
from typing import Any

import pyarrow as pa

from puzzlemill.core import pool
from puzzlemill.core.address import Address
from puzzlemill.core.family import wording
from puzzlemill.core.guard import Failure
from puzzlemill.core.item import settings_of
from puzzlemill.core.knobs import turned
from puzzlemill.core.registry import family
from puzzlemill.core.rows import SCHEMA, row_of, table_of, with_columns
from puzzlemill.pipelines.plan import Run


def generated(runs: tuple[Run, ...]) -> pa.Table:
    calls = [
        (run.family, run.level, run.knobs, run.split, run.seed, index)
        for run in runs
        for index in range(run.start, run.start + run.count)
    ]
    parents = [run.parent for run in runs for _ in range(run.count)]
    drawn = pool.run("puzzlemill.core.making:draw", calls)
    rows = []
    for call, parent, item in zip(calls, parents, drawn, strict=True):
        row = _failed(call, item.reason) if isinstance(item, Failure) else row_of(item)
        rows.append(row | {"parent": parent or row["parent"]})
    return table_of(rows)


def _failed(call: tuple[str, float, str, str, int, int], reason: str) -> dict[str, Any]:
    """The row of an address that gave no puzzle."""
    name, level, knobs, split, seed, index = call
    found = family(name)
    by_hand = json.loads(knobs)
    turned_knobs = settings_of(turned(found.at(level), found.ladder, by_hand), wording(by_hand))
    address = Address(name, found.version, turned_knobs, split, seed, index)
    return dict.fromkeys(SCHEMA.names) | {
        "uid": address.uid,
        "family": name,
        "version": found.version,
        "category": found.category,
        "level": level,
        "knobs": turned_knobs,
        "split": split,
        "seed": seed,
        "index": index,
        "prompt": [],
        "certificate": "",
        "dropped": f"no puzzle: {reason}",
    }


def certified(rows: pa.Table) -> pa.Table:
    known = rows.select(["family", "puzzle", "dropped"]).to_pylist()
    sound = [n for n, row in enumerate(known) if row["dropped"] is None]
    calls = [(known[n]["family"], known[n]["puzzle"]) for n in sound]
    found = dict(zip(sound, pool.run("puzzlemill.core.making:gold", calls), strict=True))
    nothing = ("", "", "")
    golds = [found.get(n, nothing) for n in range(len(known))]
    answers = [nothing if isinstance(gold, Failure) else gold for gold in golds]
    return with_columns(
        rows,
        {
            "answer": [answer for answer, _, _ in answers],
            "certificate": [certificate for _, certificate, _ in answers],
            "solver": [solver for _, _, solver in answers],
            "dropped": [
                f"unsolvable: {gold.reason}" if isinstance(gold, Failure) else row["dropped"]
                for row, gold in zip(known, golds, strict=True)
            ],
        },
    )
