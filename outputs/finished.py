"""A finished build as it lies on disk: its manifest, its rows, and what they add up to."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from statistics import fmean, variance
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puzzlemill.core.address import SPLITS
from puzzlemill.core.errors import UserError
from puzzlemill.core.files import checksum, read_json
from puzzlemill.core.parquet import read_table
from puzzlemill.core.rows import FATES, SCHEMA, Fate, fate
from puzzlemill.difficulty.posterior import jeffreys
from puzzlemill.outputs.compact import At, CompactRow, counts, few, floats, texts, values

# Where the rows of each fate lie: kept ones under `data`, as the Hub's loaders expect.
FOLDERS: dict[Fate, str] = {name: "data" if name == "kept" else name for name in FATES}

# Of few different values each.
_FEW = ("family", "version", "category", "level", "split", "certificate", "stage", "pictures")

_COLUMNS = [
    *("uid", "family", "version", "category", "level", "split", "certificate", "dropped"),
    *("trials", "successes", "mean", "low", "high", "history", "rank", "stage", "parent"),
    "images.list.element.path",  # enough to count pictures without reading them
]

_SCORED = [
    *("uid", "family", "version", "knobs", "level", "split", "seed", "index", "dropped", "policy"),
    *("trials", "successes", "mean", "informs", "history"),
]

_OURS = re.compile(rf"({'|'.join(FOLDERS.values())})/({'|'.join(SPLITS)})-\d+-of-\d+\.parquet")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Finished:
    folder: Path
    manifest: dict[str, Any]
    rows: Sequence[Row]  # of every fate, without what is long; each knows where it lies

    def of(self, *fates: Fate) -> list[Row]:
        return [row for row in self.rows if row["fate"] in fates]

    @cached_property
    def scored(self) -> list[Row]:
        return [row for row in self.rows if row["trials"]]

    def beside(self, name: str) -> Any:
        """A JSON file of the build's folder, or None where it is absent."""
        path = self.folder / name
        return read_json(path) if path.is_file() else None


def finished(folder: Path) -> Finished:
    manifest = read_json(folder / "manifest.json")
    paths = [path for _, _, path in parts(folder)]
    tables = [_without_pictures(read_table(path, _COLUMNS)) for path in paths]
    starts = [0, *accumulate(table.num_rows for table in tables)]

    def at(place: int) -> tuple[Path, int]:
        file = bisect_right(starts, place) - 1
        return paths[file], place - starts[file]

    rows = pa.concat_tables(tables) if tables else SCHEMA.empty_table()
    columns: dict[str, At] = {"at": at}
    columns |= {name: few(values(tables, name)) for name in _FEW}
    columns |= {name: floats(values(tables, name)) for name in ("mean", "low", "high")}
    columns |= {name: counts(values(tables, name)) for name in ("trials", "successes", "rank")}
    columns |= {name: texts(rows[name]) for name in ("uid", "parent", "history", "dropped")}
    reasons = values(tables, "dropped")
    columns["kind"] = few(kind_of(reason or "") for reason in reasons)
    known = ("dropped", "trials")
    fates = (fate(dict(zip(known, each))) for each in zip(*(values(tables, n) for n in known)))
    columns["fate"] = few(fates)
    return Finished(folder, manifest, [CompactRow(columns, place) for place in range(starts[-1])])


def _without_pictures(rows: pa.Table) -> pa.Table:
    """How many pictures each row has, in the place of their names."""
    pictures = pc.fill_null(pc.list_value_length(rows["images"]), 0)
    return rows.drop_columns("images").append_column("pictures", pictures)


def damaged(folder: Path) -> list[str]:
    """What is wrong with the files of a finished build, a line each."""
    if not (folder / "manifest.json").is_file():
        raise UserError(f"{folder}: no finished build (no manifest.json); build it first")
    files = read_json(folder / "manifest.json")["files"]
    faults = []
    for name, known in sorted(files.items()):
        path = folder / "dataset" / name
        if not _OURS.fullmatch(name) or path.is_symlink():  # it may lead anywhere
            faults.append(f"{folder}: the manifest names {name!r}, which is no file of a dataset")
        elif not path.is_file():
            faults.append(f"{path}: missing")
        elif checksum(path) != known["sha256"]:
            faults.append(f"{path}: not the bytes that the manifest names")
    return faults


def scored_rows(folder: Path) -> list[dict[str, Any]]:
    """Every row of a build that a policy was asked, whatever became of it; without what is long."""
    files = sorted((folder / "dataset").rglob("*.parquet"))
    if not files:
        raise UserError(f"{folder}: no finished build (no dataset/*.parquet); build it first")
    rows = (row for file in files for row in read_table(file, _SCORED).to_pylist())
    return [row for row in rows if row["trials"]]


def parts(folder: Path) -> Iterator[tuple[Fate, str, Path]]:
    """(fate, split, file) of a dataset's files, in order."""
    for name, inner in FOLDERS.items():
        for split in SPLITS:
            for path in sorted((folder / "dataset" / inner).glob(f"{split}-*.parquet")):
                yield name, split, path


def kind_of(reason: str) -> str:
    """The kind of a reason: what stands before the particulars."""
    return "duplicate" if reason.startswith("duplicate") else reason.partition(":")[0]


def whole_row(row: Row) -> dict[str, Any]:
    """A row with all of its columns; only its row group is read."""
    path, place = row["at"]
    file = pq.ParquetFile(path, page_checksum_verification=True)
    group, place = group_of(file, place)
    found: dict[str, Any] = file.read_row_group(group).slice(place, 1).to_pylist()[0]
    return found | {"fate": row["fate"]}


def group_of(file: pq.ParquetFile, place: int) -> tuple[int, int]:
    """The row group that a row lies in, and its place there."""
    for group in range(file.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if place < size:
            return group, place
        place -= size
    raise AssertionError("the file has no such row")


@dataclass(frozen=True, slots=True)
class Rate:
    """The pass rate of some items together."""

    mean: float
    low: float
    high: float
    items: int = 0
    replies: int = 0


def rate_of(rows: Sequence[Row]) -> Rate:
    """The mean pass rate of scored items, each counting once, with its 90% interval.

    Replies to one item resemble each other. So the interval is that of as many independent replies
    as the spread between the items is worth: no fewer than items, no more than replies.
    """
    shares = [row["mean"] for row in rows]  # not successes / trials: stopping early biases that
    mean, items, replies = fmean(shares), len(shares), sum(row["trials"] for row in rows)
    worth: float = items
    if items > 1 and 0 < mean < 1:  # where all agree, their spread cannot be known from them
        spread = max(variance(shares) / items, 1e-9)
        worth = min(max(mean * (1 - mean) / spread, items), replies)
    return interval(mean, worth, items, replies)


def interval(mean: float, worth: float, items: int = 0, replies: int = 0) -> Rate:
    """A share of so many independent outcomes, with its 90% interval."""
    low, high = jeffreys(worth, mean * worth)
    return Rate(mean, min(low, mean), max(high, mean), items, replies)
