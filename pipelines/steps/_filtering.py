"""Steps that are filters, applied in order, and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from puzzlemill.core.storage.stage import Filter, marking
from puzzlemill.pipelines.folder import Build, Step
from puzzlemill.pipelines.recipe import Recipe


def filtering(
    name: str, filters: Callable[[Recipe], Sequence[Filter]], wanted: Callable[[Recipe], bool]
) -> Step:
    """The step of these filters; a filter's version and settings are among the step's."""

    def settings(build: Build) -> Mapping[str, Any]:
        return {each.name: [each.version, dict(each.settings)] for each in filters(build.recipe)}

    def run(build: Build, shard: int, rows: pa.Table) -> pa.Table:
        return marking(filters(build.recipe))(rows)

    return Step(name, version=1, wanted=wanted, settings=settings, run=run)
