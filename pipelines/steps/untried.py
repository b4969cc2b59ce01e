"""Score, where there is no policy: the rows that stand are kept untried."""

import pyarrow as pa

from puzzlemill.core.rows import with_columns
from puzzlemill.pipelines.folder import Build, Step
from puzzlemill.pipelines.steps.ask import rounds


def untried(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    tried = [0 if dropped is None else None for dropped in rows["dropped"].to_pylist()]
    return with_columns(rows, {"trials": tried, "successes": tried})


UNTRIED = Step(
    "score",
    version=1,
    wanted=lambda recipe: not rounds(recipe),
    settings=lambda build: {"policy": None},
    across=True,
    run=untried,
)
