"""One shard of one step: made unless it is there, and what a step needs to know of all shards."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from puzzlemill.core.counters import counted
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.parquet import read_table, try_sealed
from puzzlemill.core.storage.stage import run_once
from puzzlemill.pipelines.folder import Build, Step

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one shard of one step."""

    step: str
    shard: int
    rows: int
    dropped: int
    made: bool  # False: it was there already
    seconds: float
    path: str
    counts: Mapping[str, float] = field(default_factory=dict)  # what else happened


@dataclass(frozen=True, slots=True)
class Part:
    """How far a shard is that is being made: of its rows, or of what is made of them."""

    step: str
    shard: int
    shards: int  # that the step has
    done: int
    of: int


Watch: TypeAlias = Callable[[Part], None]
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched_by(watch: Watch) -> Iterator[None]:
    """The shards made in this process, in this block, say how far they are."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def _telling(build: Build, step: str, shard: int) -> AbstractContextManager[None]:
    watch = _watch.get()
    if watch is None:
        return nullcontext()
    return pool.heard_by(lambda done, of: watch(Part(step, shard, build.shards, done, of)))


def run_shard(build: Build, name: str, shard: int) -> Done:
    """Make one shard of one step, unless it is there."""
    start, step = perf_counter(), build.step(name)
    path = build.path(step, shard)
    with counted() as counts, _telling(build, name, shard):
        rows, new = run_once(
            path, lambda: step.run(build, shard, _input(build, step, shard)), build.store
        )
    dropped = rows.num_rows - rows["dropped"].null_count
    seconds = perf_counter() - start
    return Done(name, shard, rows.num_rows, dropped, new, seconds, str(path), dict(counts))


def _input(build: Build, step: Step, shard: int) -> pa.Table:
    if before := build.input_of(step):
        return table(build, before, shard)
    return build.source.rows(build.sources[shard])


def table(build: Build, step: Step, shard: int, columns: list[str] | None = None) -> pa.Table:
    """A shard's rows; one that is missing or damaged is made again first."""
    path = build.path(step, shard)
    rows = try_sealed(path, columns)
    if rows is None:
        run_shard(build, step.name, shard)
        rows = read_table(path, columns)
    return rows


def prepare(build: Build, step: Step) -> None:
    """Work out what a step goes by that is known only from all shards, before they are spread."""
    if step.facts:
        _facts(build, step)


def facts_of(build: Build, step: Step, shard: int) -> dict[int, Row]:
    """What a step goes by that is known only from all shards, of one of them, by row."""
    facts = _facts(build, step)
    shards = facts["shard"].combine_chunks().to_numpy()
    first, last = np.searchsorted(shards, [shard, shard + 1])
    return {row["row"]: row for row in facts.slice(first, last - first).to_pylist()}


def _facts(build: Build, step: Step) -> pa.Table:
    """The facts of all shards, worked out once for all of them."""
    held: tuple[Step, pa.Table] | None = build.cache.get(("facts",))
    if held is None or held[0] != step:  # those of earlier steps are not needed again
        make = step.facts
        assert make, f"{step.name} goes by nothing but its input"
        rows, _ = run_once(build.path_of_facts(step), lambda: make(build), build.store)
        build.cache["facts",] = held = step, rows
    return held[1]
