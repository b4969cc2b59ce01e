"""Where an item comes from: the address that fixes it byte for byte, and all randomness."""

import json
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from operator import index as integer
from random import Random
from typing import Any

from puzzlemill.core.errors import UserError, shown, unknown

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
        object.__setattr__(self, "key", json.dumps([getattr(self, part) for part in PARTS]))

    @property
    def uid(self) -> str:
        return f"{self.family}-{digest(self.key)}"


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
    return Random(int.from_bytes(blake2b(f"{purpose}\0{address.key}".encode()).digest()))


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
