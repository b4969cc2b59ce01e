"""A finished build as it lies on disk: its manifest, its rows, and what they add up to."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from statistics import fmean, variance
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.rows import SCHEMA, SCHEMA_VERSION, Fate, fate
from puzzlemill.core.storage.parquet import opened, reading
from puzzlemill.difficulty.posterior import jeffreys
from puzzlemill.outputs.compact_rows import At, CompactRow, counts, few, floats, texts
from puzzlemill.outputs.manifest import REMEDY, DataFile, damage, read_manifest, sound_files
from puzzlemill.outputs.records import record_at
from puzzlemill.outputs.row_rules import faults, rules_of

# Of few different values each.
_FEW = (
    *("family", "version", "category", "level", "split", "certificate", "stage", "pictures"),
    "policy",
)

_COLUMNS = [
    *("uid", "family", "version", "category", "level", "split", "certificate", "dropped"),
    *("trials", "successes", "mean", "low", "high", "history", "rank", "stage", "parent"),
    "policy",
    "images.list.element.path",  # enough to count pictures without reading them
]

_SCORED = [
    *("uid", "family", "version", "knobs", "level", "split", "seed", "index", "dropped", "policy"),
    *("trials", "successes", "mean", "informs", "history"),
]

Row = Mapping[str, Any]
Place = tuple[DataFile, int]  # a file, and the number of a row in it


class Cell(NamedTuple):
    """What many items of a build have in common."""

    family: str
    version: int
    category: str
    level: float
    split: str
    fate: Fate
    kind: str
    pictures: int


@dataclass(frozen=True)
class FinishedBuild:
    folder: Path
    manifest: dict[str, Any]
    files: tuple[DataFile, ...]
    columns: Mapping[str, At]  # of the rows
    rows: Sequence[Row]  # of every fate, without what is long; `at` is its place
    timed: bool = True  # whether to tell of seconds, which are those of one run on one machine

    def of(self, *fates: Fate) -> list[Row]:
        return [row for row in self.rows if row["fate"] in fates]

    @cached_property
    def cells(self) -> Counter[Cell]:
        """How many items each cell has, in the order of its first item."""
        columns = [self.columns[name] for name in Cell._fields]
        places = range(len(self.rows))
        counts = Counter(zip(*(map(column, places) for column in columns), strict=True))
        return Counter({Cell(*values): count for values, count in counts.items()})

    def tally(self, *names: str, fate: Fate | None = None) -> Counter[Any]:
        """How many items, of a fate or of all, have which value of a cell's field, or values of
        some."""
        of, found = attrgetter(*names), Counter[Any]()
        for cell, count in self.cells.items():
            if fate in (None, cell.fate):
                found[of(cell)] += count
        return found

    @cached_property
    def scored(self) -> list[Row]:
        return [row for row in self.rows if row["trials"]]

    def record(self, name: str) -> Any:
        """What was written beside the dataset, or None where it is absent."""
        return record_at(self.folder / name)


def read_build(folder: Path) -> FinishedBuild:
    manifest = read_manifest(folder)
    files = sound_files(folder, manifest)
    tables = [_without_pictures(read_rows(file, _COLUMNS)) for file in files]
    starts = [0, *accumulate(table.num_rows for table in tables)]

    def at(place: int) -> Place:
        number = bisect_right(starts, place) - 1
        return files[number], place - starts[number]

    rows = pa.concat_tables(tables or [_without_pictures(SCHEMA.empty_table())])
    columns: dict[str, At] = {"at": at}
    columns |= {name: few(rows[name]) for name in _FEW}
    columns |= {name: floats(rows[name]) for name in ("mean", "low", "high")}
    columns |= {name: counts(rows[name]) for name in ("trials", "successes", "rank")}
    columns |= {name: texts(rows[name]) for name in ("uid", "parent", "history", "dropped")}
    reasons, trials = rows["dropped"].to_pylist(), rows["trials"].to_pylist()
    kinds = [kind_of(reason or "") for reason in reasons]
    fates = [fate({"dropped": why, "trials": count}) for why, count in zip(reasons, trials)]
    columns["kind"] = few(pa.chunked_array([kinds], pa.string()))
    columns["fate"] = few(pa.chunked_array([fates], pa.string()))
    compact = [CompactRow(columns, place) for place in range(starts[-1])]
    return FinishedBuild(folder, manifest, tuple(files), columns, compact)


def _without_pictures(rows: pa.Table) -> pa.Table:
    """How many pictures each row has, in the place of their names."""
    pictures = pc.fill_null(pc.list_value_length(rows["images"]), 0)
    return rows.drop_columns("images").append_column("pictures", pictures)


def scored_rows(folder: Path) -> list[dict[str, Any]]:
    """Every row of a build that was scored, kept or not; without the long columns."""
    files = sound_files(folder, read_manifest(folder))
    rows = (row for file in files for row in read_rows(file, _SCORED).to_pylist())
    return [row for row in rows if row["trials"]]


def read_sound(file: DataFile) -> pa.Table:
    """A data file's rows, once its checksum is as the manifest says."""
    if fault := damage(file):
        raise UserError(f"{fault}; {REMEDY}")
    return read_rows(file)


def read_rows(file: DataFile, columns: Sequence[str] | None = None) -> pa.Table:
    """A data file's rows, which are as the manifest and the rules for rows say."""
    with reading(file.path), open_data(file) as held:
        return checked(file, held.read(columns=columns and list(columns)))


def open_data(file: DataFile) -> pq.ParquetFile:
    """A data file of which parts are read; `checked` has to see them."""
    held = opened(file.path)
    if not held.schema_arrow.equals(SCHEMA):
        raise UserError(
            f"{file.path}: not the columns of a build of this Puzzlemill (row schema"
            f" {SCHEMA_VERSION}); build it again"
        )
    if held.metadata.num_rows != file.rows:
        raise UserError(
            f"{file.path}: {held.metadata.num_rows} rows, but the manifest says {file.rows};"
            " build it again"
        )
    return held


def checked(file: DataFile, table: pa.Table) -> pa.Table:
    """Some rows of a data file, if they break no rule."""
    for fault in faults_in(file, table):
        raise UserError(f"{fault}; build it again")
    return table


def faults_in(file: DataFile, table: pa.Table) -> Iterator[str]:
    """The first row of a data file that breaks each rule, and how."""
    table.validate(full=True)
    for place, fault in faults(table, *rules_of(file.fate, file.split)):
        uid = table["uid"][place].as_py() if "uid" in table.column_names else None
        who = uid[:100] if uid and uid.isprintable() else f"row {place}"
        yield f"{file.path}: {who}: {fault}"


def rows_at(
    places: Iterable[Place],
    columns: Sequence[str] | None = None,
    held: dict[Path, pq.ParquetFile] | None = None,
) -> list[dict[str, Any]]:
    """Rows by where they lie, in that order; only their row groups are read.

    `held`: files that stay open from call to call.
    """
    held = {} if held is None else held
    wanted: dict[tuple[DataFile, int], list[tuple[int, int]]] = defaultdict(list)
    for number, (file, place) in enumerate(places):
        if file.path not in held:
            held[file.path] = open_data(file)
        group, inner = group_of(held[file.path], place, file.path)
        wanted[file, group].append((number, inner))
    rows_by_number: dict[int, dict[str, Any]] = {}
    for (file, group), members in wanted.items():
        with reading(file.path):
            table = held[file.path].read_row_group(group, columns=columns and list(columns))
            chosen = checked(file, table.take([inner for _, inner in members]))
        rows = chosen.to_pylist()
        rows_by_number |= {number: row for (number, _), row in zip(members, rows, strict=True)}
    return [rows_by_number[number] for number in sorted(rows_by_number)]


def row_of_uid(folder: Path, uid: str) -> dict[str, Any]:
    """A build's row by its uid, whatever became of it."""
    for row in read_build(folder).rows:
        if row["uid"] == uid:
            return whole_row(row)
    raise UserError(f"{folder}: no row has the uid {shown(uid)}")


def whole_row(row: Row) -> dict[str, Any]:
    """A row with all of its columns."""
    return rows_at([row["at"]])[0] | {"fate": row["fate"]}


def group_of(file: pq.ParquetFile, place: int, path: Path) -> tuple[int, int]:
    """The row group that a row lies in, and its place there."""
    for group in range(file.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if place < size:
            return group, place
        place -= size
    raise UserError(f"{path}: has changed since it was opened; run the same command again")


def kind_of(reason: str) -> str:
    """The kind of a reason: what stands before the particulars."""
    return "duplicate" if reason.startswith("duplicate") else reason.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Rate:
    """The pass rate of some items together."""

    mean: float
    low: float
    high: float
    items: int = 0
    replies: int = 0
    solved: bool = True  # whether any reply was right


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
    solved = any(row["successes"] for row in rows)
    return replace(interval(mean, worth, items, replies), solved=solved)


def item_rate(row: Mapping[str, Any]) -> Rate | None:
    """A row's own pass rate; None where it was not scored."""
    if not row["trials"]:
        return None
    rate = row["mean"], row["low"], row["high"]
    return Rate(*rate, items=1, replies=row["trials"], solved=bool(row["successes"]))


def interval(mean: float, worth: float, items: int = 0, replies: int = 0) -> Rate:
    """A share of so many independent outcomes, with its 90% interval."""
    low, high = jeffreys(worth, mean * worth)
    return Rate(mean, min(low, mean), max(high, mean), items, replies)
