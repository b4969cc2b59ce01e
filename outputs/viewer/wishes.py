"""Which rows are to be seen: filters over short columns, and a search in the prompts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from threading import Lock
from time import monotonic
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puzzlemill.core.storage.parquet import reading
from puzzlemill.outputs.finished import open_data
from puzzlemill.outputs.manifest import DataFile
from puzzlemill.outputs.viewer.shelf import BETWEEN, NAMED, Mask, Numbers, Shelf, place_of, tagged
from puzzlemill.outputs.viewer.verdicts import with_verdict

SORTS = {
    "": "as in the dataset",
    "hard": "hardest first",
    "easy": "easiest first",
    "unsure": "least certain first",
}
SECONDS = 4.0  # that one look may search for; the next goes on from there
PROMPT = "prompt.list.element.content"
_TERM = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Wish:
    """What the address of a page asks for; empty: all."""

    family: str = ""
    outcome: str = ""
    split: str = ""
    tag: str = ""
    verdict: str = ""
    from_level: str = ""
    to_level: str = ""
    from_rate: str = ""
    to_rate: str = ""
    words: str = ""
    sort: str = ""


def wish_of(query: Mapping[str, str]) -> Wish:
    return Wish(**{each.name: query.get(each.name, "").strip() for each in fields(Wish)})


def told(wish: Wish, **more: object) -> str:
    """The wish as the query of an address."""
    asked = {each.name: getattr(wish, each.name) for each in fields(Wish)} | more
    found = urlencode({name: value for name, value in asked.items() if value})
    return f"?{found}" if found else ""


@dataclass(frozen=True, slots=True)
class Found:
    places: Numbers
    whole: bool = True  # False: there may be more, where the search has not been yet
    searched: int = 0  # rows whose prompts were read, where words are looked for


def found(shelf: Shelf, wish: Wish, enough: int) -> Found:
    """The rows that are wished for, so many of them at least if they are found in time."""
    if not wish.words:
        return Found(_sorted(shelf, wish))
    if (place := place_of(shelf, wish.words)) is not None:
        return Found(np.array([place], np.int64))
    hunt = _hunt_of(shelf, wish)
    every = bool(wish.sort)  # what comes first is known when all was seen
    places = hunt.go(np.inf if every else enough, SECONDS)
    order = _order(shelf, wish.sort, places)
    return Found(places[order], hunt.whole, hunt.searched)


def counts(shelf: Shelf, wish: Wish) -> dict[str, list[tuple[str, int]]]:
    """For each filter by name, how many rows each of its choices would leave."""
    told = {}
    for name in NAMED:
        column = shelf.named[name]
        mask = _mask(shelf, wish, leaving_out="tag" if name == "tags" else name)
        numbers = np.bincount(column.numbers[mask], minlength=len(column.words)).tolist()
        told[name] = list(zip(column.words, numbers, strict=True))
    told["tags"] = _each_tag(told["tags"])
    return {name: sorted(each) for name, each in told.items()}


def _each_tag(counted: list[tuple[str, int]]) -> list[tuple[str, int]]:
    totals: dict[str, int] = {}
    for words, count in counted:
        for word in filter(None, words.split(BETWEEN)):
            totals[word] = totals.get(word, 0) + count
    return list(totals.items())


@lru_cache(maxsize=16)
def _sorted(shelf: Shelf, wish: Wish) -> Numbers:
    places = np.flatnonzero(_mask(shelf, wish))
    return places[_order(shelf, wish.sort, places)]


def _order(shelf: Shelf, sort: str, places: Numbers) -> Numbers:
    """How to turn places in the dataset's order into the one asked for; unknown rates come last."""
    mean, low, high = (shelf.measured[name][places] for name in ("mean", "low", "high"))
    keys = {"hard": mean, "easy": -mean, "unsure": low - high}
    if sort not in keys:
        return np.arange(len(places))
    return np.argsort(keys[sort], kind="stable")


def _mask(shelf: Shelf, wish: Wish, leaving_out: str = "") -> Mask:
    mask = np.ones(shelf.count, np.bool_)
    for name in ("family", "split", "outcome"):
        if (word := getattr(wish, name)) and name != leaving_out:
            mask &= shelf.named[name].where(word)
    if wish.tag and leaving_out != "tag":
        mask &= tagged(shelf, wish.tag)
    if wish.verdict:
        mask &= with_verdict(shelf, wish.verdict)
    for name, column, share in (("level", "level", 1.0), ("rate", "mean", 100.0)):
        least, most = (_number(getattr(wish, f"{end}_{name}")) for end in ("from", "to"))
        if least is not None:
            mask &= shelf.measured[column] >= least / share
        if most is not None:
            mask &= shelf.measured[column] <= most / share
    return mask


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def terms_of(words: str) -> list[str]:
    """What a prompt must hold: words, and "several words" in quotation marks as they stand."""
    return [quoted or word for quoted, word in _TERM.findall(words)]


@dataclass(slots=True, eq=False)
class Hunt:
    """A search that is gone on with whenever more is asked of it."""

    terms: list[str]
    groups: list[tuple[DataFile, int, int]]  # file, row group and the number of its first row
    mask: Mask
    lock: Lock = field(default_factory=Lock)
    places: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    done: int = 0  # groups
    searched: int = 0  # rows
    open: tuple[DataFile, pq.ParquetFile] | None = (
        None  # opening one takes longer than reading a group
    )

    @property
    def whole(self) -> bool:
        return self.done == len(self.groups)

    def go(self, enough: float, seconds: float) -> Numbers:
        """What was found, once it is enough or the time is over."""
        until = monotonic() + seconds
        with self.lock:
            while not self.whole and len(self.places) < enough and monotonic() < until:
                file, group, start = self.groups[self.done]
                with reading(file.path):
                    if self.open is None or self.open[0] != file:
                        self.open = file, open_data(file)
                    column = self.open[1].read_row_group(group, columns=[PROMPT])
                    column.validate(full=True)
                prompts = column["prompt"].combine_chunks()
                inside = _holding(prompts, self.terms) & self.mask[start : start + len(prompts)]
                self.places = np.concatenate([self.places, start + np.flatnonzero(inside)])
                self.searched += len(prompts)
                self.done += 1
            return self.places


@lru_cache(maxsize=16)
def _hunt_of(shelf: Shelf, wish: Wish) -> Hunt:
    mask = _mask(shelf, wish)
    return Hunt(terms_of(wish.words), list(_groups(shelf, mask)), mask)


def _groups(shelf: Shelf, mask: Mask) -> Iterator[tuple[DataFile, int, int]]:
    """The row groups in which a row is still wished for."""
    for file, start in zip(shelf.files, shelf.starts.tolist(), strict=False):
        with open_data(file) as held:
            known = held.metadata
        for group in range(known.num_row_groups):
            count = known.row_group(group).num_rows
            if mask[start : start + count].any():
                yield file, group, start
            start += count


def _holding(prompts: pa.ListArray, terms: list[str]) -> Mask:
    """Which prompts hold all of the terms, in whatever letters' case."""
    rows = pc.list_parent_indices(prompts).to_numpy()
    texts = pc.struct_field(prompts.flatten(), "content")
    mask = np.ones(len(prompts), np.bool_)
    for term in terms:
        hit = pc.fill_null(pc.match_substring(texts, term, ignore_case=True), False)
        here = np.zeros(len(prompts), np.bool_)
        here[rows[hit.to_numpy(zero_copy_only=False)]] = True
        mask &= here
    return mask
