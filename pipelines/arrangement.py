"""Order and dataset files, in bounded memory: keys of all rows are looked at first, then rows are
sorted shard by shard and put together file by file."""

import json
from bisect import bisect_right
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from puzzlemill.core.address import SPLITS, digest
from puzzlemill.core.plain_data import canonical_json, names
from puzzlemill.core.rows import FATES, Fate, fate, with_columns
from puzzlemill.core.storage.files import whole
from puzzlemill.core.storage.parquet import try_sealed
from puzzlemill.core.storage.stage import run_once
from puzzlemill.difficulty.ranking import NUMBERS, in_order, stage_of, ties
from puzzlemill.difficulty.schedules import Columns
from puzzlemill.difficulty.tiers import task_rates
from puzzlemill.outputs.manifest import FOLDERS
from puzzlemill.pipelines.folder import Build
from puzzlemill.pipelines.shards import Done, table

FILE_ROWS = 20_000  # of one dataset file
ARRANGE, WRITE = "arrange", "write"

Indices = npt.NDArray[np.int64]
_Keys = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive rows of the whole dataset that share a fate and a split."""

    fate: Fate
    split: str
    start: int
    count: int

    @property
    def files(self) -> int:
        return -(-self.count // FILE_ROWS)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where every row goes: its place in the whole dataset, fate by fate and split by split."""

    build: Build
    started: str
    key: str
    parts: tuple[Part, ...]
    shards: tuple[int, ...]  # the first row of each, and behind them how many there are in all
    places: Indices  # by row, in the order of the shards

    @property
    def files(self) -> list[tuple[str, int, int]]:
        """(name, first place, place after the last) of each dataset file."""
        return [
            (
                f"{FOLDERS[part.fate]}/{part.split}-{n:05d}-of-{part.files:05d}.parquet",
                part.start + n * FILE_ROWS,
                part.start + min((n + 1) * FILE_ROWS, part.count),
            )
            for part in self.parts
            for n in range(part.files)
        ]

    @property
    def missing(self) -> bool:
        """Whether a dataset file has still to be made."""
        return any(not self._has(self.file_path(file)) for file in range(len(self.files)))

    def _has(self, path: Path) -> bool:
        store = self.build.store
        if store and not path.is_file() and store.fetch(path):
            store.fetch(path.with_suffix(".sha256"))
        return try_sealed(path, ["uid"]) is not None

    def of(self, shard: int) -> Indices:
        return self.places[self.shards[shard] : self.shards[shard + 1]]

    def sorted_path(self, shard: int) -> Path:
        """A shard's rows in the order of their places: for a while only."""
        return self.build.folder / "stages" / ARRANGE / f"{shard:05d}-{self.key}.arrow"

    def file_path(self, file: int) -> Path:
        return self.build.folder / "stages" / WRITE / f"{file:05d}-{self.key}.parquet"


def arrangement_at(build: Build) -> Arrangement:
    """The arrangement of a build, worked out once a process."""
    return build.once(("arrangement", build.started), lambda: _arrangement(build, build.started))


def _arrangement(build: Build, started: str) -> Arrangement:
    """Each split's kept rows ranked by the recipe's schedule, the others as they were made."""
    last, order = build.steps[-1], build.recipe.order
    key = digest(canonical_json([1, build.all_of(last), order.schedule, order.stages, started]))
    path = build.folder / "stages" / ARRANGE / f"all-{key}.parquet"
    found, _ = run_once(path, lambda: _arranged(build), build.store)
    known = json.loads(found.schema.metadata[b"arrangement"])
    parts = tuple(Part(*part) for part in known["parts"])
    places = found["place"].combine_chunks().to_numpy()
    return Arrangement(build, started, key, parts, tuple(known["shards"]), places)


def _arranged(build: Build) -> pa.Table:
    order = build.recipe.order.schedule
    keys: list[_Keys] = []
    shards = [0]
    for shard in range(build.shards):
        keys.append(_keys(table(build, build.steps[-1], shard, _COLUMNS)))
        shards.append(shards[-1] + len(keys[-1]["fate"]))
    everything = {name: np.concatenate([each[name] for each in keys]) for name in _NAMES}
    del keys
    everything["task"] = task_rates(everything.pop("family"), everything["mean"])
    parts: list[Part] = []
    places, start = np.zeros(shards[-1], np.int64), 0
    for number, name in enumerate(FATES):
        for split in SPLITS:
            rows = np.flatnonzero(everything["fate"] == number * len(SPLITS) + _SPLIT[split])
            if name == "kept":
                columns = Columns(**{each: everything[each][rows] for each in _RANKED})
                rows = rows[in_order(order, columns)]
            places[rows] = np.arange(start, start + len(rows))
            if len(rows):
                parts.append(Part(name, split, start, len(rows)))
            start += len(rows)
    known = json.dumps({"parts": [list(asdict(part).values()) for part in parts], "shards": shards})
    return pa.table({"place": places}).replace_schema_metadata({"arrangement": known})


def _keys(rows: pa.Table) -> _Keys:
    """What the order goes by, of a shard's rows."""
    names, places = np.unique(rows["family"].to_pylist(), return_inverse=True)
    return {
        "family": ties(names.tolist())[places],
        "fate": np.array(
            [
                FATES.index(fate(row)) * len(SPLITS) + _SPLIT[row["split"]]
                for row in rows.select(["dropped", "trials", "split"]).to_pylist()
            ],
            np.int8,
        ),
        "ties": ties(rows["uid"].to_pylist()),
        **{name: rows[name].to_numpy().astype(np.float64) for name in NUMBERS},
    }


def arrange(where: Arrangement, shard: int) -> pa.Table:
    """A shard's rows with rank and stage, sorted by their places."""
    build, places = where.build, where.of(shard)
    rows = table(build, build.steps[-1], shard)
    ranks: list[int | None] = []
    stages: list[str | None] = []
    starts = [part.start for part in where.parts]
    for place in places.tolist():
        part = where.parts[bisect_right(starts, place) - 1]
        rank = place - part.start if part.fate == "kept" else None
        ranks.append(rank)
        stages.append(
            None if rank is None else stage_of(rank, part.count, build.recipe.order.stages)
        )
    scored_at = [
        before or (where.started if trials else None)
        for before, trials in zip(*(rows[name].to_pylist() for name in ("scored_at", "trials")))
    ]
    columns: dict[str, list[Any]] = {"rank": ranks, "stage": stages, "scored_at": scored_at}
    return with_columns(rows, columns).take(np.argsort(places)).combine_chunks()


def run_arrange(where: Arrangement, shard: int) -> Done:
    """Sort a shard's rows into a file of which parts can be read, unless it is there."""
    start, path = perf_counter(), where.sorted_path(shard)
    new = not path.is_file()
    if new:
        rows = arrange(where, shard)
        with (
            whole(path) as beside,
            pa.OSFile(str(beside), "wb") as file,
            pa.ipc.new_file(file, rows.schema) as writer,
        ):
            writer.write_table(rows)
    count = len(where.of(shard))
    return Done(ARRANGE, shard, count, 0, new, perf_counter() - start, str(path))


def run_write(where: Arrangement, file: int) -> Done:
    """Put a dataset file together from the sorted shards, unless it is there."""
    start, path = perf_counter(), where.file_path(file)
    made, new = run_once(path, lambda: _rows_of(where, file), where.build.store, published=True)
    dropped = made.num_rows - made["dropped"].null_count
    return Done(WRITE, file, made.num_rows, dropped, new, perf_counter() - start, str(path))


def _rows_of(where: Arrangement, file: int) -> pa.Table:
    _, first, last = where.files[file]
    found, places = [], []
    for shard in range(where.build.shards):
        here = np.sort(where.of(shard))
        low, high = np.searchsorted(here, [first, last])
        if low < high:
            found.append(_sorted_rows(where, shard, low, high))
            places.append(here[low:high])
    # Strings of many pieces are put together before rows are taken, or each take would do it.
    together = pa.concat_tables(found).combine_chunks()
    return together.take(np.argsort(np.concatenate(places))).combine_chunks()


def _sorted_rows(where: Arrangement, shard: int, low: int, high: int) -> pa.Table:
    """Some rows of a sorted shard, copied: of files that stay mapped, what the system reads around
    them would count as this process's memory."""
    run_arrange(where, shard)
    with pa.memory_map(str(where.sorted_path(shard))) as file:
        return pa.ipc.open_file(file).read_all().take(np.arange(low, high))


_RANKED = names(Columns)
_NAMES = ("fate", "family", *(name for name in _RANKED if name != "task"))
_COLUMNS = ["uid", "family", *NUMBERS, "dropped", "trials", "split"]
_SPLIT = {split: number for number, split in enumerate(SPLITS)}
