"""Many rows in little memory: columns of plain numbers, and rows that look into them."""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isnan, nan
from typing import Any

import pyarrow as pa

At = Callable[[int], Any]  # from a row's place to a value


def few(values: Iterable[Hashable]) -> At:
    """A column of few different values: each is kept once."""
    numbers: dict[Hashable, int] = {}
    codes = array("i", (numbers.setdefault(value, len(numbers)) for value in values))
    distinct = list(numbers)
    return lambda place: distinct[codes[place]]


def floats(values: Iterable[float | None]) -> At:
    numbers = array("d", (nan if value is None else value for value in values))

    def at(place: int) -> float | None:
        value = numbers[place]
        return None if isnan(value) else value

    return at


def counts(values: Iterable[int | None]) -> At:
    """A column of numbers that are never below 0, or not known."""
    numbers = array("q", (-1 if value is None else value for value in values))

    def at(place: int) -> int | None:
        value = numbers[place]
        return None if value < 0 else value

    return at


def texts(column: pa.ChunkedArray) -> At:
    strings = column.cast(pa.large_string()).combine_chunks()
    return lambda place: strings[place].as_py()


@dataclass(slots=True)  # a frozen one takes three times as long to make
class CompactRow(Mapping[str, Any]):
    columns: Mapping[str, At]
    place: int

    def __getitem__(self, name: str) -> Any:
        return self.columns[name](self.place)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def values(tables: Sequence[pa.Table], name: str) -> Iterator[Any]:
    """A column's values, one chunk of them in memory at a time."""
    chunks = (chunk for table in tables for chunk in table[name].chunks)
    return chain.from_iterable(chunk.to_pylist() for chunk in chunks)
