"""A catalogue of a build's rows: short columns of all of them, and whole rows on request.

Prompts, pictures and puzzles stay on disk, and are read one row group at a time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from puzzlemill.core.rows import SCHEMA
from puzzlemill.core.storage.parquet import reading
from puzzlemill.outputs import finished_build
from puzzlemill.outputs.finished_build import checked, group_of, kind_of, open_data, read_rows
from puzzlemill.outputs.manifest import MANIFEST, DataFile, read_manifest, sound_files

Numbers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

MEASURED = ("level", "mean", "low", "high")
NAMED = ("family", "split", "outcome", "tags")
BETWEEN = "\x1f"  # the tags of a row
PICTURES = "images.list.element.bytes"
_SHORT = ["uid", "family", "split", "dropped", "tags", *MEASURED]
_WHOLE = [name for name in SCHEMA.names if name != "images"] + ["images.list.element.path"]


@dataclass(frozen=True, slots=True, eq=False)
class WordColumn:
    """A column of few different words: each row has the number of its own."""

    words: tuple[str, ...]
    numbers: NDArray[np.int32]

    def where(self, word: str) -> Mask:
        if word not in self.words:
            return np.zeros(len(self.numbers), np.bool_)
        mask: Mask = self.numbers == self.words.index(word)
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Where the rows of a build lie, with their short columns in memory."""

    folder: Path
    manifest: Mapping[str, Any]
    files: tuple[DataFile, ...]
    starts: Numbers  # the number of each file's first row, and behind the last the count of all
    uids: pa.ChunkedArray
    named: Mapping[str, WordColumn]
    measured: Mapping[str, NDArray[np.float64]]  # not a number where nothing is known

    @property
    def count(self) -> int:
        return int(self.starts[-1])

    @property
    def name(self) -> str:
        return str(self.manifest["name"])


def catalogue_of(folder: Path) -> Catalogue:
    """The catalogue of a build; one that was built again meanwhile is read again."""
    path = folder / MANIFEST
    return _catalogue_of(folder, path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=4)
def _catalogue_of(folder: Path, changed: int) -> Catalogue:
    manifest = read_manifest(folder)
    files = sound_files(folder, manifest)
    starts, uids = [0], list[pa.Array]()
    words: dict[str, dict[str, int]] = {name: {} for name in NAMED}
    named: dict[str, list[NDArray[np.int32]]] = {name: [] for name in NAMED}
    measured: dict[str, list[NDArray[np.float64]]] = {name: [] for name in MEASURED}
    for file in files:
        fate, table = file.fate, read_rows(file, _SHORT).combine_chunks()
        starts.append(starts[-1] + table.num_rows)
        uids += table["uid"].chunks
        turned_away = fate == "rejected"
        texts = {
            "family": table["family"],
            "split": table["split"],
            "outcome": _kinds(table["dropped"]) if turned_away else pa.repeat(fate, table.num_rows),
            "tags": pc.binary_join(table["tags"], BETWEEN),
        }
        for name, column in texts.items():
            named[name].append(_numbered(column, words[name]))
        for name in MEASURED:
            measured[name].append(table[name].cast(pa.float64()).to_numpy())
    return Catalogue(
        folder,
        manifest,
        tuple(files),
        np.array(starts, np.int64),
        pa.chunked_array(uids, pa.string()),
        {name: WordColumn(tuple(words[name]), _joined(named[name], np.int32)) for name in NAMED},
        {name: _joined(measured[name], np.float64) for name in MEASURED},
    )


def _kinds(reasons: pa.ChunkedArray) -> pa.Array:
    coded = pc.fill_null(reasons, "").combine_chunks().dictionary_encode()
    kinds = [kind_of(reason) for reason in coded.dictionary.to_pylist()]
    return pa.array(kinds, pa.string()).take(coded.indices)


def _numbered(column: pa.ChunkedArray, numbers: dict[str, int]) -> NDArray[np.int32]:
    """Each row's number of its word; new words are given the next ones."""
    coded = pc.fill_null(column, "").dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    words = coded.dictionary.to_pylist()
    own = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int32)
    return own[coded.indices.to_numpy()] if words else np.zeros(0, np.int32)


def _joined(pieces: Sequence[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate(pieces) if pieces else np.zeros(0, kind)


def place_of(catalogue: Catalogue, uid: str) -> int | None:
    """The number of a row."""
    place = pc.index(catalogue.uids, pa.scalar(uid, pa.string())).as_py()
    return None if place < 0 else place


def tagged(catalogue: Catalogue, tag: str) -> Mask:
    """Which rows have a tag."""
    tags = catalogue.named["tags"]
    having = np.array([tag in words.split(BETWEEN) for words in tags.words], np.bool_)
    mask: Mask = having[tags.numbers] if len(having) else np.zeros(0, np.bool_)
    return mask


def rows_at(
    catalogue: Catalogue, places: Iterable[int], columns: Sequence[str] | None = _WHOLE
) -> list[dict[str, Any]]:
    """Rows by their numbers, in that order; only their row groups are read. No columns: all."""
    return finished_build.rows_at([_at(catalogue, place) for place in places], columns)


def _at(catalogue: Catalogue, place: int) -> tuple[DataFile, int]:
    number = int(np.searchsorted(catalogue.starts, place, "right")) - 1
    return catalogue.files[number], place - int(catalogue.starts[number])


@lru_cache(maxsize=3)
def _pictures_of(file: DataFile, group: int, changed: int) -> pa.ChunkedArray:
    """The pictures of one row group: a page of the viewer asks for many of them one by one."""
    with reading(file.path), open_data(file) as held:
        return checked(file, held.read_row_group(group, columns=[PICTURES]))["images"]


def picture(catalogue: Catalogue, place: int, which: int) -> bytes | None:
    """A row's picture; None where there is none."""
    file, place = _at(catalogue, place)
    with reading(file.path), open_data(file) as held:
        group, inner = group_of(held, place, file.path)
        pictures = _pictures_of(file, group, file.path.stat().st_mtime_ns)
    images = pictures[inner].as_py() or []
    data: bytes | None = images[which]["bytes"] if 0 <= which < len(images) else None
    return data
