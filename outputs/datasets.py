"""Hugging Face datasets of items and of builds, with the columns that a trainer wants."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from puzzlemill.core.errors import UserError, need, unknown
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.mixture import Mixture
from puzzlemill.core.rows import FATES, ITEM_SCHEMA, SCHEMA, Fate, row_of, schema_of
from puzzlemill.outputs.exports import EXPORTS, Export
from puzzlemill.outputs.finished_build import read_rows
from puzzlemill.outputs.manifest import read_manifest, sound_files
from puzzlemill.outputs.trainer_files.keys import check_versions
from puzzlemill.outputs.trainer_files.writer import prompts_of, read_export

if TYPE_CHECKING:
    from datasets import Dataset

ROWS = "rows"  # the columns of a build; any other name is an export's
ONE_KIND = "prompts with pictures and without have other columns: make a dataset of each"

Row: TypeAlias = dict[str, Any]


def of_items(mixture: Mixture, columns: str) -> "Dataset":
    """Items as a dataset, in order."""
    _check_columns(columns)
    rows = [_made(mixture, place) for place in range(len(mixture))]
    if columns == ROWS:
        return _dataset(pa.Table.from_pylist([_item_columns(row) for row in rows], ITEM_SCHEMA))
    return _dataset(_exported(rows, columns, lambda row: row))


def of_build(folder: Path, split: str, columns: str, fate: Fate) -> "Dataset":
    """A finished build's rows of one fate and split, in the order of their ranks."""
    if fate not in FATES:
        raise unknown("fate", fate, FATES)
    manifest = read_manifest(folder)
    _check_columns(columns)
    files = [file for file in sound_files(folder, manifest, fate) if file.split == split]
    if not sum(file.rows for file in files):
        raise UserError(f"{folder}: no {fate} rows in the split {split!r}: {_there(folder)}")
    table = pa.concat_tables(read_rows(file) for file in files)
    if columns == ROWS:
        return _dataset(table.replace_schema_metadata(SCHEMA.metadata))
    rows = table.to_pylist()
    check_versions(folder, rows)
    return _dataset(_exported(rows, columns, prompts_of(manifest, columns).of))


def _there(folder: Path) -> str:
    files = sound_files(folder, read_manifest(folder))
    listed = [f"{file.rows:,} {file.fate} in {file.split}" for file in files if file.rows]
    return f"it has {', '.join(listed) or 'none at all'}"


def _check_columns(columns: str) -> None:
    need("a dataset", "datasets", extra="hub")
    if columns != ROWS:
        if str(columns).partition(":")[0] not in EXPORTS.names():
            raise unknown("columns", columns, [ROWS, *EXPORTS.names()])
        read_export(columns)


def _made(mixture: Mixture, place: int) -> Row:
    """The row at a place; a family that fails on it is told of in a line."""
    row = guarded(_row_or_error, mixture, place)
    if isinstance(row, UserError):
        raise row
    if isinstance(row, Failure):
        raise UserError(f"item {place} cannot be made: {' '.join(row.reason.split())}")
    return row | {"rank": place}


def _row_or_error(mixture: Mixture, place: int) -> Row | UserError:
    try:
        return row_of(mixture[place])
    except UserError as error:
        return error


def _item_columns(row: Row) -> Row:
    return {name: row[name] for name in ITEM_SCHEMA.names}


def _exported(rows: Sequence[Row], to: str, worded: Callable[[Row], Row]) -> pa.Table:
    """Rows as an export writes them, all of one kind."""
    exporter, settings = read_export(to)
    pictured = {bool(row["images"]) for row in rows}
    if len(pictured) > 1:
        raise UserError(f"columns {to!r}: {ONE_KIND}")
    form = exporter.pictures if True in pictured else exporter.texts
    if form is None:
        raise UserError(f"columns {to!r}: this trainer takes no pictures; leave those families out")
    made = [form.row(worded(row)) for row in _prepared(rows, exporter, settings)]
    # JSON lines have no types: what a column of theirs holds is seen from the rows.
    schema = schema_of(form.columns) if exporter.suffix == "parquet" else None
    return pa.Table.from_pylist(made, schema=schema)


def _prepared(rows: Sequence[Row], exporter: Export, settings: tuple[Any, ...]) -> Iterator[Row]:
    """The rows as the export wants them; one that it would leave out is refused, for a dataset has
    as many rows as were asked for."""
    if not exporter.prepare:
        yield from rows
        return
    module, _, name = exporter.prepare.partition(":")
    prepare = getattr(import_module(module), name)
    for row in rows:
        prepared = guarded(partial(prepare, row, *settings))
        if isinstance(prepared, str | Failure):
            why = prepared if isinstance(prepared, str) else prepared.reason
            raise UserError(f"{row['uid']}: {why}; leave {row['family']} out")
        yield prepared


def _dataset(table: pa.Table) -> "Dataset":
    from datasets import Dataset
    from datasets.table import InMemoryTable

    return Dataset(InMemoryTable(table))
