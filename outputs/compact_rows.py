"""Many rows in little memory: columns of plain numbers, and rows that look into them."""

from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

import pyarrow as pa

At = Callable[[int], Any]  # from a row's place to a value


def few(column: pa.ChunkedArray) -> At:
    """A column of few different values: each is kept once."""
    encoded = column.dictionary_encode("encode").combine_chunks()
    codes, distinct = _array("i", encoded.indices), encoded.dictionary.to_pylist()
    return lambda place: distinct[codes[place]]


def floats(column: pa.ChunkedArray) -> At:
    numbers = _array("d", column.combine_chunks().fill_null(nan))

    def at(place: int) -> float | None:
        value = numbers[place]
        return None if isnan(value) else value

    return at


def counts(column: pa.ChunkedArray) -> At:
    """A column of numbers that are never below 0, or not known."""
    numbers = _array("q", column.cast(pa.int64()).combine_chunks().fill_null(-1))

    def at(place: int) -> int | None:
        value = numbers[place]
        return None if value < 0 else value

    return at


def _array(kind: str, numbers: pa.Array) -> "array[Any]":
    """Arrow's own take several times as long to read one number of."""
    return array(kind, numbers.to_numpy(zero_copy_only=False).tobytes())


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
