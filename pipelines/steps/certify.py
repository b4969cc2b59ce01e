"""Certify: the gold of every puzzle, with its certificate; a puzzle without one does not stand."""

import pyarrow as pa

from puzzlemill.core.guard import Failure
from puzzlemill.core.rows import with_columns
from puzzlemill.core.storage import pool
from puzzlemill.pipelines.folder import Build, Step


def certify(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    known = rows.select(["family", "puzzle", "dropped"]).to_pylist()
    sound = [n for n, row in enumerate(known) if row["dropped"] is None]
    calls = [(known[n]["family"], known[n]["puzzle"]) for n in sound]
    found = dict(zip(sound, pool.run("puzzlemill.core.proof.jobs:gold", calls), strict=True))
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


CERTIFY = Step("certify", version=1, wanted=lambda recipe: not recipe.parent, run=certify)
