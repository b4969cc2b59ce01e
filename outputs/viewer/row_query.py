"""Queries for rows: filters over short columns, and a search in the prompts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from math import isnan
from threading import Lock
from time import monotonic
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puzzlemill.core.storage.parquet import reading
from puzzlemill.outputs.finished_build import open_data
from puzzlemill.outputs.manifest import DataFile
from puzzlemill.outputs.viewer.catalogue import (
    BETWEEN,
    NAMED,
    Catalogue,
    Mask,
    Numbers,
    place_of,
    tagged,
)
from puzzlemill.outputs.viewer.notes import notes_state
from puzzlemill.outputs.viewer.reviewed_rows import with_review
from puzzlemill.outputs.viewer.verdicts import with_verdict

SORTS = {
    "": "as in the dataset",
    "hard": "hardest first",
    "easy": "easiest first",
    "unsure": "least certain first",
}
SECONDS = 4.0  # that one request may search for; the next goes on from there
PROMPT = "prompt.list.element.content"
_TERM = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class RowQuery:
    """What the address of a page asks for; empty: all."""

    family: str = ""
    outcome: str = ""
    split: str = ""
    tag: str = ""
    verdict: str = ""
    review: str = ""
    from_level: str = ""
    to_level: str = ""
    from_rate: str = ""
    to_rate: str = ""
    words: str = ""
    sort: str = ""


def read_query(parameters: Mapping[str, str]) -> RowQuery:
    values = {each.name: parameters.get(each.name, "").strip() for each in fields(RowQuery)}
    return RowQuery(**values)


def query_string(query: RowQuery, **more: object) -> str:
    """The query as the end of an address, with other parameters."""
    values = {each.name: getattr(query, each.name) for each in fields(RowQuery)} | more
    text = urlencode({name: value for name, value in values.items() if value})
    return f"?{text}" if text else ""


@dataclass(frozen=True, slots=True)
class Matches:
    places: Numbers
    whole: bool = True  # False: there may be more, where the search has not been yet
    searched: int = 0  # rows whose prompts were read, where words are looked for


def matches(catalogue: Catalogue, query: RowQuery, enough: int) -> Matches:
    """The rows that match, so many of them at least if they are found in time."""
    if not query.words:
        return Matches(_sorted(catalogue, query, _state(catalogue, query)))
    if (place := place_of(catalogue, query.words)) is not None:
        return Matches(np.array([place], np.int64))
    search = _search_of(catalogue, query, _state(catalogue, query))
    every = bool(query.sort)  # what comes first is known when all were searched
    places = search.run(np.inf if every else enough, SECONDS)
    order = _order(catalogue, query.sort, places)
    return Matches(places[order], search.whole, search.searched)


def counts(catalogue: Catalogue, query: RowQuery) -> dict[str, list[tuple[str, int]]]:
    """For each filter by name, how many rows each of its choices would leave."""
    choices = {}
    for name in NAMED:
        column = catalogue.named[name]
        mask = _mask(catalogue, query, leaving_out="tag" if name == "tags" else name)
        numbers = np.bincount(column.numbers[mask], minlength=len(column.words)).tolist()
        choices[name] = list(zip(column.words, numbers, strict=True))
    choices["tags"] = _each_tag(choices["tags"])
    return {name: sorted(each) for name, each in choices.items()}


def _each_tag(counted: list[tuple[str, int]]) -> list[tuple[str, int]]:
    totals: dict[str, int] = {}
    for words, count in counted:
        for word in filter(None, words.split(BETWEEN)):
            totals[word] = totals.get(word, 0) + count
    return list(totals.items())


def _state(catalogue: Catalogue, query: RowQuery) -> tuple[int, int]:
    """What a query depends on besides the build: the notes, where it asks for them."""
    return notes_state(catalogue.folder) if query.review else (0, 0)


@lru_cache(maxsize=16)
def _sorted(catalogue: Catalogue, query: RowQuery, state: tuple[int, int]) -> Numbers:
    places = np.flatnonzero(_mask(catalogue, query))
    return places[_order(catalogue, query.sort, places)]


def _order(catalogue: Catalogue, sort: str, places: Numbers) -> Numbers:
    """How to turn places in the dataset's order into the one asked for; unknown rates come last."""
    mean, low, high = (catalogue.measured[name][places] for name in ("mean", "low", "high"))
    keys = {"hard": mean, "easy": -mean, "unsure": low - high}
    if sort not in keys:
        return np.arange(len(places))
    return np.argsort(keys[sort], kind="stable")


def _mask(catalogue: Catalogue, query: RowQuery, leaving_out: str = "") -> Mask:
    mask = np.ones(catalogue.count, np.bool_)
    for name in ("family", "split", "outcome"):
        if (word := getattr(query, name)) and name != leaving_out:
            mask &= catalogue.named[name].where(word)
    if query.tag and leaving_out != "tag":
        mask &= tagged(catalogue, query.tag)
    if query.verdict:
        mask &= with_verdict(catalogue, query.verdict)
    if query.review:
        mask &= with_review(catalogue, query.review)
    for name, column, share in (("level", "level", 1.0), ("rate", "mean", 100.0)):
        least, most = (_number(getattr(query, f"{end}_{name}")) for end in ("from", "to"))
        if least is not None:
            mask &= catalogue.measured[column] >= least / share
        if most is not None:
            mask &= catalogue.measured[column] <= most / share
    return mask


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if isnan(number) else number


def terms_of(words: str) -> list[str]:
    """What a prompt must hold: words, and "several words" in quotation marks as they stand."""
    return [quoted or word for quoted, word in _TERM.findall(words)]


@dataclass(slots=True, eq=False)
class PromptSearch:
    """A search in prompts, which goes on where it stopped whenever more is asked of it."""

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

    def run(self, enough: float, seconds: float) -> Numbers:
        """The matching rows, once they are enough or the time is over."""
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
def _search_of(catalogue: Catalogue, query: RowQuery, state: tuple[int, int]) -> PromptSearch:
    mask = _mask(catalogue, query)
    return PromptSearch(terms_of(query.words), list(_groups(catalogue, mask)), mask)


def _groups(catalogue: Catalogue, mask: Mask) -> Iterator[tuple[DataFile, int, int]]:
    """The row groups that hold a row which the filters let through."""
    for file, start in zip(catalogue.files, catalogue.starts.tolist(), strict=False):
        with open_data(file) as held:
            metadata = held.metadata
        for group in range(metadata.num_row_groups):
            count = metadata.row_group(group).num_rows
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
        holds = np.zeros(len(prompts), np.bool_)
        holds[rows[hit.to_numpy(zero_copy_only=False)]] = True
        mask &= holds
    return mask
