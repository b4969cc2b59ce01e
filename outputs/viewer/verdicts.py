"""Which of a build's rows have a reply with which verdict, where replies are kept."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from puzzlemill.outputs.rollouts import STATUSES, Asked, kept, replies_to, verdict_bits
from puzzlemill.outputs.viewer.shelf import Mask, Shelf


@lru_cache(maxsize=4)
def asked_of(shelf: Shelf) -> Asked | None:
    return kept(shelf.folder, shelf.manifest)


def replies_in(shelf: Shelf, uid: str) -> list[dict[str, Any]]:
    """What the policy said to an item; nothing where that is not kept."""
    asked = asked_of(shelf)
    return replies_to(asked, uid) if asked else []


def with_verdict(shelf: Shelf, status: str) -> Mask:
    """Which rows have a reply with this verdict."""
    if status not in STATUSES:
        return np.zeros(shelf.count, np.bool_)
    found: Mask = _bits(shelf) & (1 << STATUSES.index(status)) > 0
    return found


def verdict_counts(shelf: Shelf) -> Mapping[str, int]:
    """How many rows have a reply with each verdict; nothing where replies are not kept."""
    if asked_of(shelf) is None:
        return {}
    return {status: int(with_verdict(shelf, status).sum()) for status in STATUSES}


@lru_cache(maxsize=4)
def _bits(shelf: Shelf) -> NDArray[np.uint8]:
    told = np.zeros(shelf.count, np.uint8)
    asked = asked_of(shelf)
    if asked:
        places = pc.index_in(asked.uids.combine_chunks(), shelf.uids.combine_chunks())
        there = places.is_valid().to_numpy(zero_copy_only=False)
        told[places.drop_null().to_numpy()] = verdict_bits(asked)[there]
    return told
