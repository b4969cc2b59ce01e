"""Dedupe: later copies of the same puzzle, and prompts much like an earlier one, are turned away.

Which those are is known from all shards: a pass over keys, and one over the prompts of what is no
copy.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from puzzlemill.core.rows import with_columns
from puzzlemill.filters._words import text_of
from puzzlemill.filters.duplicates import Indices, later_copies
from puzzlemill.filters.similar import later_likes
from puzzlemill.pipelines.folder import Build, Step
from puzzlemill.pipelines.shards import facts_of, table

_AWAY = pa.schema([("shard", pa.int32()), ("row", pa.int32()), ("reason", pa.string())])


def settings(build: Build) -> Mapping[str, Any]:
    similar = build.recipe.filters.similar
    return {"similar": similar} if similar else {}


def facts(build: Build) -> pa.Table:
    """The rows that are turned away, and why."""
    before = build.before(DEDUPE)
    where, canons = _standing(build, before)
    copies, firsts = later_copies(canons)
    uids = _uids(build, before, where[np.unique(firsts)])
    found = [
        (*where[copy].tolist(), f"duplicate of {uids[tuple(where[first].tolist())]}")
        for copy, first in zip(copies, firsts, strict=True)
    ]
    if build.recipe.filters.similar:
        found += _likes(build, before, np.delete(where, copies, axis=0))
        found.sort()
    columns = zip(*found, strict=True) if found else ((), (), ())
    return pa.table(dict(zip(("shard", "row", "reason"), map(list, columns), strict=True)), _AWAY)


def _standing(build: Build, before: Step) -> tuple[Indices, Any]:
    """Where the rows that stand are, in order, and their canons as numbers."""
    canons, places = [], []
    for shard in range(build.shards):
        known = table(build, before, shard, ["canon", "dropped"])
        stands = known["dropped"].is_null().to_numpy()
        standing = known["canon"].filter(pa.array(stands)).to_pylist()
        canons.append(np.array([int(canon, 16) for canon in standing], np.uint64))
        rows = np.flatnonzero(stands)
        places.append(np.stack([np.full(len(rows), shard), rows], axis=1))
    return np.concatenate(places), np.concatenate(canons)


def _likes(build: Build, before: Step, where: Indices) -> Iterator[tuple[Any, ...]]:
    """Those of some rows whose prompt is much like an earlier one, with the reason."""
    texts = partial(_texts, build, before, where)
    likes = list(later_likes(texts, build.recipe.filters.similar, build.folder / "stages"))
    uids = _uids(build, before, where[sorted({first for _, first, _ in likes})])
    for place, first, share in likes:
        like = f"{uids[tuple(where[first].tolist())]}, {share:.0%} alike"
        yield (*where[place].tolist(), f"similar: to {like}")


def _uids(build: Build, step: Step, where: Indices) -> dict[tuple[int, ...], str]:
    """(shard, row) → uid, of some rows in order."""
    found: dict[tuple[int, ...], str] = {}
    for shard, rows in _by_shard(where):
        uids = table(build, step, shard, ["uid"])["uid"].take(rows).to_pylist()
        found |= {(shard, row): uid for row, uid in zip(rows.tolist(), uids, strict=True)}
    return found


def _by_shard(where: Indices) -> Iterator[tuple[int, Indices]]:
    """Each shard that there are places in, with its rows."""
    for shard in np.unique(where[:, 0]).tolist():
        first, last = np.searchsorted(where[:, 0], [shard, shard + 1])
        yield shard, where[first:last, 1]


def _texts(build: Build, step: Step, where: Indices) -> Iterator[str | None]:
    """The prompts of some rows in order; none where pictures may differ."""
    columns = ["prompt", "images.list.element.path"]
    for shard, rows in _by_shard(where):
        for row in table(build, step, shard, columns).take(rows).to_pylist():
            yield None if row["images"] else text_of(row["prompt"])


def dedupe(build: Build, shard: int, rows: pa.Table) -> pa.Table:
    away = facts_of(build, DEDUPE, shard)
    reasons = [
        before or (away[row]["reason"] if row in away else None)
        for row, before in enumerate(rows["dropped"].to_pylist())
    ]
    return with_columns(rows, {"dropped": reasons})


DEDUPE = Step(
    "dedupe",
    version=1,
    wanted=lambda recipe: not recipe.parent,
    settings=settings,
    facts=facts,
    across=True,
    run=dedupe,
)
