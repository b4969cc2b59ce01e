"""Stages: functions from a shard to a shard, each result kept under a name made from its inputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa

from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.rows import with_columns
from puzzlemill.core.storage.parquet import try_sealed, write_sealed
from puzzlemill.core.storage.store import Store


@dataclass(frozen=True, slots=True)
class Filter:
    """A reason to turn a row away, or None to keep it. Rows are marked, not lost."""

    name: str
    version: int
    settings: Mapping[str, Any]
    columns: tuple[str, ...]
    reason: Callable[[Mapping[str, Any]], str | None]


def marking(filters: Sequence[Filter]) -> Callable[[pa.Table], pa.Table]:
    """Filters, applied in order; the first reason stands."""

    def mark(table: pa.Table) -> pa.Table:
        wanted = sorted({"dropped", *(name for each in filters for name in each.columns)})
        reasons = [
            row["dropped"] or next(filter(None, (each.reason(row) for each in filters)), None)
            for row in table.select(wanted).to_pylist()
        ]
        return with_columns(table, {"dropped": reasons})

    return mark


def key_of(name: str, version: int, settings: Mapping[str, Any], *inputs: str) -> str:
    """The fingerprint of a stage's result for these inputs, known before it is made. Settings are
    plain data: all that the result depends on beside the inputs."""
    facts = canonical_json([name, version, settings, inputs])
    return blake2b(facts.encode(), digest_size=10).hexdigest()


def shard_path(folder: Path, stage: str, number: int, key: str) -> Path:
    return folder / "stages" / stage / f"{number:05d}-{key}.parquet"


def run_once(
    path: Path, make: Callable[[], pa.Table], store: Store | None = None, published: bool = False
) -> tuple[pa.Table, bool]:
    """A shard and whether it had to be made: one that is there and sound, or in the store, is
    read."""
    seal = path.with_suffix(".sha256")
    found = try_sealed(path)
    if found is None and store and store.fetch(path, seal):
        found = try_sealed(path)
    new = found is None
    if found is None:
        found = make()
        write_sealed(path, found, published)
    if store and (new or not store.holds(seal)):
        store.put(path, seal)
    return found, new
