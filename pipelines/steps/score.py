"""Score: what all replies tell of each row that the policy was asked."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from puzzlemill.core.plain_data import names
from puzzlemill.core.rows import NO_REPLY, SCHEMA, with_columns
from puzzlemill.difficulty.posterior import Posterior
from puzzlemill.difficulty.scoring import posteriors
from puzzlemill.pipelines.folder import Build, Step
from puzzlemill.pipelines.shards import facts_of, table
from puzzlemill.pipelines.steps._tallies import apart, in_order, level_prior, tallied
from puzzlemill.pipelines.steps.ask import ROUNDS, rounds


def settings(build: Build) -> Mapping[str, Any]:
    recipe = build.recipe
    return {"policy": build.policy, "band": recipe.filters.band, "group": recipe.items.group}


def facts(build: Build) -> pa.Table:
    """The posterior of each row that the policy gave any reply."""
    recipe = build.recipe
    whole = tallied(build, build.before(SCORE)).filter(pc.field("trials") > 0)
    scored = posteriors(*apart(whole), recipe.filters.band, recipe.items.group, level_prior(build))
    columns = whole.select(["shard", "row"])
    for name in names(Posterior):
        column = pa.array([getattr(each, name) for each in scored], SCHEMA.field(name).type)
        columns = columns.append_column(name, column)
    return in_order(columns)


def score(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    """Fill the difficulty columns of the rows that the policy was asked; the others get the reason
    why it was not, which the first round knows."""
    columns = ["policy", *names(Posterior)]
    known = rows.select(columns).to_pylist()
    for place, numbers in facts_of(build, SCORE, shard).items():
        known[place] = {name: numbers.get(name, build.policy) for name in columns}
    reasons = table(build, ROUNDS[0], shard, ["dropped"])["dropped"].to_pylist()
    for place, row in enumerate(known):
        if reasons[place] is None and row["trials"] is None:
            reasons[place] = NO_REPLY
    scores = {name: [row[name] for row in known] for name in columns}
    return with_columns(rows, scores | {"dropped": reasons})


SCORE = Step(
    "score",
    version=3,
    wanted=lambda recipe: bool(rounds(recipe)),
    settings=settings,
    facts=facts,
    across=True,
    run=score,
)
