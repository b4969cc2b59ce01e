"""Verifying a finished build: its files against the manifest, its rows against their addresses."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq

from puzzlemill.core import pool
from puzzlemill.core.checking import check
from puzzlemill.core.errors import UserError
from puzzlemill.core.files import read_json
from puzzlemill.core.guard import Failure
from puzzlemill.core.making import draw, gold
from puzzlemill.core.registry import family
from puzzlemill.core.rows import SCHEMA, SCHEMA_VERSION, fate, row_of
from puzzlemill.outputs.finished import FOLDERS, damaged, parts

MOST = 20  # faults that are told
PART = 500  # rows that are made again at once

Row = Mapping[str, Any]

_LIGHT = ["uid", "family", "version", "split", "dropped", "trials"]
# What follows from a row's address alone.
_DRAWN = ("uid", "version", "category", "tags", "knobs", "prompt", "images", "puzzle", "canon")


def differences(folder: Path) -> list[str]:
    """What the files are not that the manifest says they are, a line each."""
    faults = damaged(folder)
    manifest = read_json(folder / "manifest.json")
    if manifest["schema"] != SCHEMA_VERSION:
        return [
            f"{folder}: row schema {manifest['schema']}, but this Puzzlemill has {SCHEMA_VERSION}:"
            f" verify it with Puzzlemill {manifest['puzzlemill']}"
        ]
    held = {str(path.relative_to(folder / "dataset")): path for _, _, path in parts(folder)}
    faults += [
        f"{path}: not in the manifest"
        for name, path in held.items()
        if name not in manifest["files"]
    ]
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    for name in sorted(manifest["files"]):
        if name in held and not faults:
            faults += _file(held[name], name, manifest["files"][name]["rows"], counts, seen)
    told = {name: count for name, count in manifest["counts"].items() if count}
    if not faults and told != dict(counts):
        faults.append(f"{folder}: the manifest counts {told}, but the files hold {dict(counts)}")
    return faults[:MOST]


def _file(path: Path, name: str, rows: int, counts: Counter[str], seen: set[str]) -> list[str]:
    """A file's faults; its rows join the counts."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        here = file.schema_arrow
        if not here.equals(SCHEMA) or not SCHEMA.metadata.items() <= (here.metadata or {}).items():
            return [f"{path}: not the columns of row schema {SCHEMA_VERSION}"]
        if file.metadata.num_rows != rows:
            return [f"{path}: {file.metadata.num_rows} rows, not {rows}"]
        faults = []
        for batch in file.iter_batches(columns=_LIGHT):
            for row in batch.to_pylist():
                counts.update(("made", fate(row)))
                if not name.startswith(f"{FOLDERS[fate(row)]}/{row['split']}-"):
                    faults.append(f"{path}: {row['uid']} is {fate(row)} and of {row['split']}")
                if row["uid"] in seen:
                    faults.append(f"{path}: {row['uid']} is there twice")
                seen.add(row["uid"])
    return faults


def picked(folder: Path, count: int | None) -> list[tuple[Path, int]]:
    """(file, row) of rows to make again, the same ones each time; None: all of them."""
    places = [
        (path, place)
        for _, _, path in parts(folder)
        for place in range(pq.read_metadata(path).num_rows)
    ]
    if count is None or count >= len(places):
        return places
    return sorted(Random(f"verify {folder.name}").sample(places, count))


def unsound(places: Sequence[tuple[Path, int]], tell: Callable[[int], None]) -> list[str]:
    """What does not follow from the rows' addresses, a line each."""
    faults: list[str] = []
    done = 0
    for rows in _read(places):
        faults += _unsound(rows)
        done += len(rows)
        tell(done)
        if len(faults) >= MOST:
            return [*faults[:MOST], "there may be more; no further row was looked at"]
    return faults


def _read(places: Sequence[tuple[Path, int]]) -> Iterator[list[dict[str, Any]]]:
    """The rows, some at a time, a row group in memory."""
    wanted: dict[Path, list[int]] = {}
    for path, place in places:
        wanted.setdefault(path, []).append(place)
    for path, chosen in wanted.items():
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            start, left = 0, sorted(chosen)
            for batch in file.iter_batches(PART):
                here = [place - start for place in left if place < start + batch.num_rows]
                left, start = left[len(here) :], start + batch.num_rows
                if here:
                    yield batch.take(here).to_pylist()


def _unsound(rows: Sequence[Row]) -> list[str]:
    other = {
        row["uid"]: f"made by version {row['version']} of {row['family']}, not the one that is here"
        for row in rows
        if _version(row["family"]) != row["version"]
    }
    here = [row for row in rows if row["uid"] not in other]
    address = ("family", "level", "knobs", "split", "seed", "index")
    drawn = pool.run(_name(draw), [tuple(row[name] for name in address) for row in here])
    golds = pool.run(_name(gold), [(row["family"], row["puzzle"]) for row in here if row["puzzle"]])
    proofs = iter(golds)
    for row, item in zip(here, drawn, strict=True):
        proof = next(proofs) if row["puzzle"] else ("", "", "")
        if said := _fault(row, item, proof):
            other[row["uid"]] = said
    return [f"{row['uid']}: {other[row['uid']]}" for row in rows if row["uid"] in other]


def _fault(row: Row, item: Any, proof: Any) -> str:
    """What is wrong with a row beside what was made at its address; empty where nothing is."""
    if isinstance(item, Failure):
        return "" if not row["puzzle"] else f"its address gives no puzzle here: {item.reason}"
    if not row["puzzle"]:
        return "its address gives a puzzle, but the row has none"
    again = row_of(item)
    for name in _DRAWN:
        if again[name] != row[name]:
            return f"its {name} does not follow from its address"
    if isinstance(proof, Failure):
        return "" if not row["answer"] else f"its gold cannot be found here: {proof.reason}"
    if proof != (row["answer"], row["certificate"], row["solver"]):
        return f"its gold is {row['answer']!r} by {row['certificate']!r}, found here: {proof}"
    if row["answer"] and not check(row, f"<answer>{row['answer']}</answer>").correct:
        return f"its gold {row['answer']!r} is not taken as right"
    return ""


def _version(name: str) -> int | None:
    try:
        return family(name).version
    except UserError:  # a family of a package that is not installed here
        return None


def _name(call: Callable[..., Any]) -> str:
    return f"{call.__module__}:{call.__name__}"
