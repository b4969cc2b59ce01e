"""Where an item comes from: the address that fixes it byte for byte, and all randomness."""

import json
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random

from puzzlemill.core.errors import UserError

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
        parts = [self.family, self.version, self.knobs, self.split, self.seed, self.index]
        object.__setattr__(self, "key", json.dumps(parts))

    @property
    def uid(self) -> str:
        return f"{self.family}-{digest(self.key)}"


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


def check_split(split: str) -> None:
    if split not in SPLITS:
        raise UserError(f"unknown split {split!r}; there are: {', '.join(SPLITS)}")
