"""Turns away what is in an evaluation set, or too like it.

Three ways, the surest first: the same puzzle (the column `canon`, or what follows from `family` and
`puzzle`), the same prompt with the same pictures, and runs of words in common. For the last, a word
of an evaluation prompt counts as shared where it stands in a run of so many words that is in ours
too, and so much of it shared is too much (Tulu 3, section 3.2, with its 8 words and a half). Runs
tell nothing of pictures, so items with pictures are not compared by them.

An evaluation set larger than a block is read anew for every shard, block by block, so that no more
than one block of it is in memory.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from puzzlemill.core.storage.files import checksum
from puzzlemill.core.storage.stage import Filter
from puzzlemill.filters import Rule
from puzzlemill.filters._evaluation import EvaluationRow, files_of, pictures_of, rows_in
from puzzlemill.filters._words import Numbers, normal, runs, text_of, words_of

BLOCK = 4_000_000  # words of an evaluation set that are in memory at once: some 100 MB

Row = Mapping[str, Any]
Sums = tuple[tuple[str, str], ...]


def contaminated(found: Mapping[str, str]) -> Filter:
    """From uid → where and how it was found."""

    def reason(row: Row) -> str | None:
        where = found.get(row["uid"])
        return f"contaminated: {where}" if where else None

    return Filter("contaminated", 1, {}, ("uid",), reason)


def file_and_way(reason: str) -> tuple[str, str]:
    """The evaluation file that a reason names, and how the item was found to be in it."""
    file, _, told = reason.removeprefix("contaminated: ").rpartition(": ")
    return file, told.rpartition(" of row ")[0]


def sums_of(against: Sequence[str]) -> Sums:
    """The files of evaluation sets, each with its checksum."""
    return tuple((str(path), checksum(path)) for path in files_of(against))


def found_in(
    rows: Sequence[Row], files: Sums, column: str, count: int, share: float
) -> dict[str, str]:
    """uid → where and how, of the rows that are in the sets. `count`: of words in a run."""
    found: dict[str, tuple[int, str]] = {}
    texts = {row["uid"]: text_of(row["prompt"]) for row in rows}
    for block in _blocks(files, column, count):
        for row in rows:
            met = _met(row, texts[row["uid"]], block, count, share)
            if met and met[0] < found.get(row["uid"], (len(_WAYS),))[0]:
                found[row["uid"]] = met
    return {uid: where for uid, (_, where) in found.items()}


_WAYS = ("the same puzzle", "the same prompt", "runs of words in common")


@dataclass(frozen=True, slots=True)
class _Block:
    """A part of the evaluation sets: what to meet it by, and where each prompt stands."""

    places: list[tuple[str, int]]  # file and row
    puzzles: dict[str, int]
    prompts: dict[bytes, int]
    runs: Numbers  # sorted
    at: npt.NDArray[np.int64]  # the word, counted over all prompts, at which each run begins
    starts: npt.NDArray[np.int64]  # the first word of each prompt, and the end of the last


def _met(row: Row, text: str, block: _Block, count: int, share: float) -> tuple[int, str] | None:
    """(way, where) of the surest way in which a row is in a block."""
    way, place = 0, block.puzzles.get(row["canon"])
    pictures = pictures_of(row)
    if place is None and pictures is not None:
        way, place = 1, block.prompts.get(_key(text, pictures))
    if place is None and count and not pictures:
        way, place = 2, _nearest(block, runs(words_of(text), count), count, share)
    if place is None:
        return None
    file, number = block.places[place]
    return way, f"{file}: {_WAYS[way]} of row {number}"


def _nearest(block: _Block, ours: Numbers, count: int, share: float) -> int | None:
    """The evaluation prompt of which most is shared, if that is too much."""
    ours = np.unique(ours)
    first, last = (np.searchsorted(block.runs, ours, side) for side in ("left", "right"))
    where = [block.at[low:high] for low, high in zip(first, last, strict=True) if low < high]
    if not where:
        return None
    begins, total = np.concatenate(where), int(block.starts[-1])
    if len(begins) * count < total / 16:
        words = np.unique(begins[:, None] + np.arange(count))
        owners, shared = np.unique(_owners(block, words), return_counts=True)
    else:  # a template that many of them share: all words are gone through instead
        covered = np.zeros(total, np.bool_)
        for step in range(count):
            covered[begins + step] = True
        owners = np.flatnonzero(np.diff(block.starts))
        shared = np.add.reduceat(covered, block.starts[owners], dtype=np.int64)
    shares = shared / np.diff(block.starts)[owners]
    most = int(np.argmax(shares))
    return int(owners[most]) if shares[most] > share else None


def _owners(block: _Block, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.searchsorted(block.starts, words, "right") - 1


def _key(text: str, pictures: Iterable[str]) -> bytes:
    return blake2b("\0".join([normal(text), *pictures]).encode(), digest_size=16).digest()


def _blocks(files: Sums, column: str, count: int) -> Iterable[_Block]:
    """All of the sets; a set that is one block is kept for the next shard."""
    return _small(files, column, count) or _read(files, column, count)


@lru_cache(maxsize=1)
def _small(files: Sums, column: str, count: int) -> tuple[_Block, ...]:
    """The only block; nothing where there are more."""
    blocks: list[_Block] = []
    for block in _read(files, column, count):
        if blocks:
            return ()
        blocks.append(block)
    return tuple(blocks)


def _read(files: Sums, column: str, count: int) -> Iterator[_Block]:
    some: list[_Prompt] = []
    size = 0
    for name, _ in files:
        for row in rows_in(Path(name), column):
            some.append(_prompt_of(row, count))
            size += some[-1].words + 1
            if size >= BLOCK:
                yield _block(some)
                some, size = [], 0
    if some:
        yield _block(some)


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What is kept of an evaluation prompt."""

    place: tuple[str, int]
    canon: str
    key: bytes  # empty where there is nothing to go by
    words: int
    runs: Numbers


def _prompt_of(row: EvaluationRow, count: int) -> _Prompt:
    words = words_of(row.text)
    comparable = row.pictures is not None and bool(words)
    key = _key(row.text, row.pictures or ()) if comparable else b""
    compared = runs(words, count) if count and row.pictures == () else np.empty(0, np.uint64)
    return _Prompt((row.file, row.row), row.canon, key, len(words), compared)


def _block(some: Sequence[_Prompt]) -> _Block:
    starts = np.concatenate([[0], np.cumsum([each.words for each in some])])
    numbers = np.concatenate([each.runs for each in some])
    begins = np.concatenate(
        [start + np.arange(len(each.runs)) for start, each in zip(starts, some, strict=False)]
    )
    order = np.argsort(numbers, kind="stable")
    last_first = list(enumerate(some))[::-1]  # so that the first of equal ones stands
    return _Block(
        [each.place for each in some],
        {each.canon: place for place, each in last_first if each.canon},
        {each.key: place for place, each in last_first if each.key},
        numbers[order],
        begins[order].astype(np.int64),
        starts.astype(np.int64),
    )


FILTER = Rule("apart")
