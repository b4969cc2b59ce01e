"""The step `score` of a build without a policy: the rows that stand are kept with 0 trials."""

import pyarrow as pa

from puzzlemill.core.rows import with_columns
from puzzlemill.pipelines.folder import Build, Step
from puzzlemill.pipelines.steps.ask import rounds


def score_without_policy(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    zeros = [0 if dropped is None else None for dropped in rows["dropped"].to_pylist()]
    return with_columns(rows, {"trials": zeros, "successes": zeros})


SCORE_WITHOUT_POLICY = Step(
    "score",
    version=1,
    wanted=lambda recipe: not rounds(recipe),
    settings=lambda build: {"policy": None},
    across=True,
    run=score_without_policy,
)
