"""Verifying a finished build: its files against the manifest, its rows against their addresses."""

import io
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from PIL import Image

from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.proof.jobs import draw, gold
from puzzlemill.core.registry import family
from puzzlemill.core.rows import SCHEMA, SCHEMA_VERSION, row_of
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.parquet import reading
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.ranking import stage_of
from puzzlemill.outputs.card import BESIDE
from puzzlemill.outputs.fates import MEANINGS
from puzzlemill.outputs.finished_build import faults_in, open_data
from puzzlemill.outputs.manifest import (
    DATASET,
    DataFile,
    damages,
    data_files,
    read_manifest,
    strays,
)
from puzzlemill.pipelines.final_files import Tallies, counted
from puzzlemill.pipelines.row_filters import kind_of

MOST = 20  # faults that are told
PART = 500  # rows that are made again at once

Row = Mapping[str, Any]

# What follows from a row's address alone.
_DRAWN = (
    "uid",
    "version",
    "category",
    "tags",
    "knobs",
    "prompt",
    "images",
    "puzzle",
    "canon",
    "variant_group",
)


def file_faults(folder: Path) -> list[str]:
    """What the files are not that the manifest says they are, a line each."""
    manifest = read_manifest(folder)
    faults = list(damages(folder, manifest))
    beside = {folder / DATASET / name for name in BESIDE}
    faults += [
        f"{path}: not in the manifest"
        for path in strays(folder, manifest)
        if path.suffix != ".parquet" and path not in beside
    ]
    seen = RowTotals(manifest)
    for file in data_files(folder, manifest):
        if not faults:
            faults += seen.file(file)
    return (faults or seen.sums(folder))[:MOST]


@dataclass(frozen=True, slots=True)
class Verification:
    """What verifying a build has found."""

    faults: list[str]  # a line each
    rows: int  # that were made again
    seed: int  # by which they were drawn


def verify(
    folder: Path,
    sample: int | None,
    seed: int | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> Verification:
    """Hold a build's files against its manifest, and where they agree a sample of its rows, None
    for all, against what is made at their addresses."""
    places, seed = sample_rows(folder, sample, seed)
    if faults := file_faults(folder):
        return Verification(faults, 0, seed)
    faults = row_faults(places, lambda done: tell(done, len(places)))
    return Verification(faults, len(places), seed)


@dataclass(frozen=True, slots=True)
class RowTotals:
    """What the rows of a build have added up to, file after file."""

    manifest: Mapping[str, Any]
    uids: set[str] = field(default_factory=set)
    tallies: Tallies = field(default_factory=Tallies)
    policies: dict[str, None] = field(default_factory=dict)  # in the order of the dataset
    ranks: Counter[str] = field(default_factory=Counter)  # by split, the next

    def file(self, file: DataFile) -> list[str]:
        """A file's faults; its rows are added."""
        with reading(file.path), open_data(file) as held:
            here = held.schema_arrow
            if not SCHEMA.metadata.items() <= (here.metadata or {}).items():
                return [f"{file.path}: not the columns of row schema {SCHEMA_VERSION}"]
            faults = []
            for batch in held.iter_batches(PART):
                table = pa.Table.from_batches([batch])
                found = list(faults_in(file, table))
                rows = table.select(_LIGHT).to_pylist()
                found = found or [f"{file.path}: {fault}" for fault in self._rows(file, rows)]
                faults += found
                if len(faults) >= MOST:
                    break
        return faults

    def _rows(self, file: DataFile, rows: Sequence[Row]) -> Iterator[str]:
        kept = self.kept(file.split)
        stages = self.manifest["recipe"]["order"]["stages"]
        for row in rows:
            self.tallies.add(row)
            if row["uid"] in self.uids:
                yield f"{row['uid']} is there twice"
            self.uids.add(row["uid"])
            if row["trials"]:
                self.policies.setdefault(row["policy"])
            if file.fate != "kept":
                continue
            rank = self.ranks[file.split]
            self.ranks[file.split] += 1
            if row["rank"] != rank:
                yield f"{row['uid']} has rank {row['rank']}, and is number {rank} of its split"
            elif row["stage"] != stage_of(rank, kept, stages):
                yield f"{row['uid']} is of {row['stage']}, which does not follow from its rank"

    def kept(self, split: str) -> int:
        """How many kept rows a split has."""
        files = data_files(Path(), self.manifest, "kept")
        return sum(file.rows for file in files if file.split == split)

    def sums(self, folder: Path) -> list[str]:
        """What the rows together are not that the manifest says."""
        manifest, path = self.manifest, folder / "manifest.json"
        faults = [
            f"{path}: {name} is {_shown(manifest[name])}, but the files hold {_shown(found)}"
            for name, found in counted(self.tallies).items()
            if _without_zeros(manifest[name]) != _without_zeros(found)
        ]
        also = manifest["recipe"].get("filters", {}).get("also", ())  # of other packages
        known = {*MEANINGS, *map(kind_of, also)}
        if unknown := sorted(self.tallies.rejected.keys() - known):
            faults.append(f"{folder}: rows are turned away for {unknown[0]!r}, which is no reason")
        told, policies = manifest["policy"], list(self.policies)
        # A build that scores another one again may leave some scores as they were.
        if policies[:1] != ([told] if told else []) or (
            len(policies) > 1 and not manifest["recipe"].get("parent")
        ):
            faults.append(f"{path}: policy is {told!r}, but the files hold {policies[:3]}")
        return faults


def _without_zeros(counts: Any) -> Any:
    if not isinstance(counts, Mapping):
        return counts
    return {name: _without_zeros(each) for name, each in counts.items() if each}


def _shown(counts: Any) -> str:
    told = str(dict(counts) if isinstance(counts, Mapping) else counts)
    return told if len(told) <= 200 else f"{told[:200]} …"


def sample_rows(
    folder: Path, count: int | None, seed: int | None = None
) -> tuple[list[tuple[DataFile, int]], int]:
    """(file, row) of rows to make again, and the seed by which they were drawn; None: all of them.

    Who tampers with rows must not know which will be looked at: without a seed it is a new one.
    """
    if count is not None and count < 0:
        raise UserError(f"-n {count}: make 0 rows or more again")
    seed = secrets.randbits(32) if seed is None else seed
    places = [
        (file, place)
        for file in data_files(folder, read_manifest(folder))
        for place in range(file.rows)
    ]
    if count is not None and count < len(places):
        places = sorted(
            Random(seed).sample(places, count), key=lambda each: (each[0].name, each[1])
        )
    return places, seed


def row_faults(places: Sequence[tuple[DataFile, int]], tell: Callable[[int], None]) -> list[str]:
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


def _read(places: Sequence[tuple[DataFile, int]]) -> Iterator[list[dict[str, Any]]]:
    """The rows, some at a time, a row group in memory."""
    wanted: dict[DataFile, list[int]] = {}
    for file, place in places:
        wanted.setdefault(file, []).append(place)
    for file, chosen in wanted.items():
        with reading(file.path), open_data(file) as held:
            start, left = 0, sorted(chosen)
            for batch in held.iter_batches(PART):
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
        if again[name] != row[name] and not (name == "images" and _alike(again[name], row[name])):
            return f"its {name} does not follow from its address"
    if isinstance(proof, Failure):
        return "" if not row["answer"] else f"its gold cannot be found here: {proof.reason}"
    if proof != (row["answer"], row["certificate"], row["solver"]):
        return f"its gold is {row['answer']!r} by {row['certificate']!r}, found here: {proof}"
    if row["answer"] and not check(row, f"<answer>{row['answer']}</answer>").correct:
        return f"its gold {row['answer']!r} is not taken as right"
    return ""


def _alike(some: Sequence[Row], others: Sequence[Row] | None) -> bool:
    """Whether pictures show the same: the bytes of a PNG depend on the library that packed it."""
    if not others or [each["path"] for each in some] != [each["path"] for each in others]:
        return False
    try:
        return [*map(_pixels, some)] == [*map(_pixels, others)]
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return False


def _pixels(picture: Row) -> tuple[tuple[int, int], bytes]:
    with Image.open(io.BytesIO(picture["bytes"])) as opened:
        return opened.size, opened.convert("RGBA").tobytes()


_LIGHT = [
    *("uid", "family", "level", "split", "dropped", "trials", "policy", "rank", "stage"),
]


def _version(name: str) -> int | None:
    try:
        return family(name).version
    except UserError:  # a family of a package that is not installed here
        return None


def _name(call: Callable[..., Any]) -> str:
    return f"{call.__module__}:{call.__name__}"
