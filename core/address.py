"""Where an item comes from: the address that fixes it byte for byte, and all randomness."""

import json
from dataclasses import dataclass, field, fields
from functools import lru_cache
from hashlib import blake2b
from operator import index as integer
from random import Random
from typing import Any

from puzzlemill.core.errors import UserError, shown, unknown
from puzzlemill.core.random_source import seeded

# A puzzle belongs to the split in which the hash of its canonical form falls, so that no seed can
# put the same puzzle into two splits.
SPLITS = {"train": 0.8, "validation": 0.1, "test": 0.1}


@dataclass(frozen=True, slots=True)
class Address:
    family: str
    version: int
    knobs: str  # canonical JSON
    split: str
    seed: int
    index: int
    key: str = field(init=False)  # as one string: what everything random is derived from

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", key_at(key_start(self), self.index))

    @property
    def uid(self) -> str:
        return uid_of(self.family, self.key)


def key_at(start: str, index: int) -> str:
    """The key of the address whose key starts so, at an index."""
    return f"{start}, {index if type(index) is int else json.dumps(index)}]"


def key_start(address: Address) -> str:
    """An address as JSON, up to its index: most addresses differ by that alone."""
    return _key_start(address.family, address.version, address.knobs, address.split, address.seed)


def uid_of(family: str, key: str) -> str:
    return f"{family}-{digest(key)}"


@lru_cache(maxsize=1000, typed=True)  # 1 and True are equal, and written otherwise
def _key_start(*parts: Any) -> str:
    return json.dumps(parts)[:-1]


def at_index(first: Address, index: int) -> Address:
    """The address of another index, sooner than `replace`."""
    return Address(first.family, first.version, first.knobs, first.split, first.seed, index)


# The names of what an address is made of.
PARTS = tuple(part.name for part in fields(Address) if part.init)


def whole_number(name: str, value: Any) -> int:
    """A whole number, numpy's too."""
    try:
        return integer(value)
    except TypeError:
        raise UserError(f"{name} is a whole number, not {shown(value)}") from None


def rng(address: Address, purpose: str) -> Random:
    """The randomness of an address for one purpose.

    Hashing, never seed + index: neighbouring seeds would share all items but one.
    """
    return rng_of(address.key, purpose)


def rng_of(key: str, purpose: str) -> Random:
    """The randomness of the address that has the key."""
    return seeded(int.from_bytes(blake2b(f"{purpose}\0{key}".encode()).digest()))


def digest(text: str) -> str:
    """A short, stable fingerprint of a text: 16 hexadecimal digits."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def split_of(canon: str) -> str:
    """The split that a canonical digest falls into."""
    place = int(canon[:8], 16) / 2**32
    for name, share in SPLITS.items():
        if place < share:
            return name
        place -= share
    return next(reversed(SPLITS))  # the last crumb of floating point


def check_split(split: Any, place: str = "") -> None:
    if split not in list(SPLITS):  # whatever it is: a list has no hash
        raise unknown("split", split, SPLITS, place)
