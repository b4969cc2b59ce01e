"""Evaluation sets as files: their prompts, pictures and puzzles, row by row."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from puzzlemill.core.errors import UserError, unknown
from puzzlemill.core.storage import pool
from puzzlemill.filters._words import text_of

# Where a prompt is looked for, in this order.
COLUMNS = ("prompt", "question", "problem", "query", "instruction", "input", "messages", "text")
KINDS = (".jsonl", ".parquet")
_PICTURES = ("images", "image")
_WANTED = (*_PICTURES, "canon", "puzzle", "family")
_BATCH = 1000  # rows that are read at once


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """A row of an evaluation set."""

    file: str
    row: int  # from 1
    text: str
    pictures: tuple[str, ...] | None  # their digests; None where they cannot be told
    canon: str  # empty where it is not known


def files_of(against: Sequence[str]) -> list[Path]:
    """The files that are named, and those in the folders that are."""
    files = []
    for name in against:
        path = Path(name)
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.suffix in KINDS)
            if not inside:
                raise UserError(f"decontaminate: {name} has no {' or '.join(KINDS)} file in it")
            files += inside
        elif not path.is_file():
            raise UserError(f"decontaminate: no file or folder {name!r}")
        elif path.suffix not in KINDS:
            raise UserError(f"decontaminate: {name} is no {' or '.join(KINDS)} file")
        else:
            files.append(path)
    return files


def rows_in(path: Path, column: str) -> Iterator[EvaluationRow]:
    """The rows of a file, a few in memory at a time."""
    rows = _lines(path) if path.suffix == ".jsonl" else _records(path, column)
    file = path.name if path.is_absolute() else str(path)  # where it lies is nobody's business
    name, number = "", 0
    while some := list(islice(rows, _BATCH)):
        for row, canon in zip(some, _canons(some), strict=True):
            number += 1
            if not (name and name in row):
                name = _column(path, row, column)
            yield EvaluationRow(file, number, text_of(row[name]), pictures_of(row), canon)


def _column(path: Path, names: Mapping[str, Any] | Sequence[str], column: str) -> str:
    if column and column not in names:
        raise unknown("column of decontaminate", column, names, str(path))
    chosen = column or next((name for name in COLUMNS if name in names), "")
    if not chosen:
        raise UserError(
            f"{path}: no column {', '.join(COLUMNS)}; name the one of its prompts in"
            f" [decontaminate] column; there are: {', '.join(names)}"
        )
    return chosen


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                row = json.loads(line) if line.strip() else {}
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise UserError(f"{path}:{number}: not a JSON object")
            if row:
                yield row


def _records(path: Path, column: str) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            wanted = {_column(path, names, column), *_WANTED} & set(names)
            for batch in file.iter_batches(_BATCH, columns=sorted(wanted)):
                yield from batch.to_pylist()
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise UserError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None


def pictures_of(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The digests of a row's pictures."""
    pictures = next((row[name] for name in _PICTURES if row.get(name)), ())
    each = pictures if isinstance(pictures, list | tuple) else [pictures]
    data = [one.get("bytes") if isinstance(one, Mapping) else one for one in each]
    digests = tuple(sha256(one).hexdigest() for one in data if isinstance(one, bytes))
    return digests if len(digests) == len(data) else None


def _canons(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What rows say of their puzzles' canonical forms, else what follows from the puzzles.

    Families are asked in worker processes: nobody knows what such a file holds.
    """
    canons = [row["canon"] if isinstance(row.get("canon"), str) else "" for row in rows]
    places = [
        place
        for place, row in enumerate(rows)
        if not canons[place]
        and all(isinstance(row.get(name), str) for name in ("family", "puzzle"))
    ]
    calls = [(rows[place]["family"], rows[place]["puzzle"]) for place in places]
    results = pool.run("puzzlemill.core.proof.jobs:canon", calls, seconds=10)
    for place, canon in zip(places, results, strict=True):
        canons[place] = canon if isinstance(canon, str) else ""  # columns that are not ours
    return canons
