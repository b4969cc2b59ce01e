"""Reading a finished build's rows in any order, only a few of them at a time."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import pstdev
from typing import Any

import pyarrow.parquet as pq

from puzzlemill.core.errors import UserError
from puzzlemill.core.parquet import read_table
from puzzlemill.core.registry import family
from puzzlemill.core.rows import Fate
from puzzlemill.outputs.finished import group_of, parts

AT_ONCE = 5000  # rows that are held with all their columns; the more, the less is read twice
PICTURE = 20  # rows that weigh as much as a picture

_COLUMNS = [
    *("uid", "family", "version", "category", "level", "mean", "informs", "history", "split"),
    *("rank", "stage", "tags"),
    "images.list.element.path",  # enough to count pictures without reading them
]

_OVERRIDING = {"uid", "rank", "stage", "told"}  # what a curriculum decides

Key = dict[str, Any]  # a row without what is long; it knows where the rest lies


def manifest_of(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    if not path.is_file():
        raise UserError(
            f"{folder}: not a finished build (no manifest.json); run `puzzlemill build` to its end"
        )
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def keys_of(folder: Path, *fates: Fate) -> list[Key]:
    """The keys of rows of these fates, in the order in which they lie: that of their rank."""
    found = []
    for fate, _, path in parts(folder):
        if fate in fates:
            for place, row in enumerate(read_table(path, _COLUMNS).to_pylist()):
                row["pictures"] = len(row.pop("images") or ())
                row["varied"] = _varied(row["mean"], row.pop("history"))
                found.append(row | {"fate": fate, "at": (path, place)})
    for name, version in sorted({(key["family"], key["version"]) for key in found}):
        if family(name).version != version:
            raise UserError(
                f"{folder}: {name} is of version {version} there and {family(name).version} here,"
                " so its replies could not be judged; build it again"
            )
    return found


def _varied(mean: float | None, history: str | None) -> float | None:
    """How much a pass rate has varied from scoring to scoring; None where it was scored once."""
    means = [each["mean"] for each in json.loads(history or "[]")]
    means += [] if mean is None else [mean]
    return pstdev(means) if len(means) > 1 else None


def whole_rows(keys: Sequence[Key]) -> Iterator[list[dict[str, Any]]]:
    """The rows of the keys, in their order, some at a time; what a key says overrides the row."""
    files: dict[Path, pq.ParquetFile] = {}
    for some in _batches(keys):
        wanted: dict[tuple[Path, int], list[tuple[int, int]]] = defaultdict(list)
        for number, key in enumerate(some):
            path, place = key["at"]
            if path not in files:
                files[path] = pq.ParquetFile(path, page_checksum_verification=True)
            group, inner = group_of(files[path], place)
            wanted[path, group].append((number, inner))
        rows: list[dict[str, Any]] = [{}] * len(some)
        for (path, group), members in wanted.items():
            table = files[path].read_row_group(group)
            chosen = table.take([inner for _, inner in members]).to_pylist()
            for (number, _), row in zip(members, chosen, strict=True):
                known = {name: some[number][name] for name in _OVERRIDING & some[number].keys()}
                rows[number] = row | known
        yield rows


def _batches(keys: Sequence[Key]) -> Iterator[list[Key]]:
    weight, some = 0, list[Key]()
    for key in keys:
        weight += 1 + PICTURE * key["pictures"]
        some.append(key)
        if weight >= AT_ONCE:
            yield some
            weight, some = 0, []
    if some:
        yield some
