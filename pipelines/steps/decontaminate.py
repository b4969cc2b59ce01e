"""Decontaminate: what is in an evaluation set, or too like it, is turned away."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from puzzlemill.core.storage.stage import marking
from puzzlemill.filters.contaminated import contaminated, found_in
from puzzlemill.pipelines.folder import Build, Step

_COLUMNS = ["uid", "family", "prompt", "images", "canon", "dropped"]


def settings(build: Build) -> Mapping[str, Any]:
    return asdict(build.recipe.decontaminate) | {"against": build.evaluations}


def decontaminate(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    wanted = build.recipe.decontaminate
    standing = [row for row in rows.select(_COLUMNS).to_pylist() if row["dropped"] is None]
    found = found_in(standing, build.evaluations, wanted.column, wanted.ngram, wanted.share)
    return marking([contaminated(found)])(rows)


DECONTAMINATE = Step(
    "decontaminate",
    version=1,
    wanted=lambda recipe: bool(recipe.decontaminate.against),
    settings=settings,
    run=decontaminate,
)
