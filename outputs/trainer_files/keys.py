"""Keys of a finished build's rows, by which rows are read in any order, a few at a time."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import pstdev
from typing import Any

import pyarrow.parquet as pq

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import Fate
from puzzlemill.difficulty.item_history import deviation, limr_scores, training_accuracies
from puzzlemill.outputs.finished_build import read_rows, rows_at
from puzzlemill.outputs.manifest import sound_files
from puzzlemill.outputs.row_rules import history_of

AT_ONCE = 5000  # rows that are held with all their columns; the more, the less is read twice
PICTURE = 20  # rows that weigh as much as a picture

_COLUMNS = [
    *("uid", "family", "version", "category", "level", "mean", "informs", "history", "split"),
    *("rank", "stage", "tags"),
    "images.list.element.path",  # enough to count pictures without reading them
]

_OVERRIDING = {"uid", "rank", "stage", "hint_share"}  # what a curriculum decides

Key = dict[str, Any]  # a row without its long columns; `at` is where the rest lies


def keys_of(folder: Path, manifest: Mapping[str, Any], *fates: Fate) -> list[Key]:
    """The keys of rows of these fates, in the order in which they lie: that of their rank."""
    keys, parent = [], manifest["recipe"].get("parent", "")
    trained = training_accuracies(folder, parent)
    limr = limr_scores(trained)
    for file in sound_files(folder, manifest, *fates):
        for place, row in enumerate(read_rows(file, _COLUMNS).to_pylist()):
            row["pictures"] = len(row.pop("images") or ())
            scored = _varied(row["mean"], row.pop("history"))
            row["varied"] = deviation(trained.get(row["uid"], ())) if trained else scored
            row["limr"] = limr.get(row["uid"])
            keys.append(row | {"fate": file.fate, "at": (file, place)})
    check_versions(folder, keys)
    return keys


def check_versions(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse rows of families that have another version here."""
    for name, version in sorted({(row["family"], row["version"]) for row in rows}):
        if (installed := registry.family(name).version) != version:
            raise UserError(
                f"{folder}: {name} is of version {version} there and {installed} here,"
                " so its replies could not be judged; build it again"
            )


def _varied(mean: float | None, history: str | None) -> float | None:
    """How much a pass rate has varied from scoring to scoring; None where it was scored once."""
    means = [each["mean"] for each in history_of(history)] + [mean]
    scored = [each for each in means if each is not None]
    return pstdev(scored) if len(scored) > 1 else None


def whole_rows(keys: Sequence[Key]) -> Iterator[list[dict[str, Any]]]:
    """The rows of the keys, in their order, some at a time; what a key says overrides the row."""
    held: dict[Path, pq.ParquetFile] = {}
    for some in _batches(keys):
        rows = rows_at([key["at"] for key in some], held=held)
        yield [
            row | {name: key[name] for name in _OVERRIDING & key.keys()}
            for key, row in zip(some, rows, strict=True)
        ]


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
