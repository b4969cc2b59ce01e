"""Verdicts on replies: which of a build's rows have which, where replies are kept."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from puzzlemill.outputs.reply_files import (
    STATUSES,
    ReplyShards,
    replies_to,
    reply_shards,
    verdict_bits,
)
from puzzlemill.outputs.viewer.catalogue import Catalogue, Mask


@lru_cache(maxsize=4)
def shards_of(catalogue: Catalogue) -> ReplyShards | None:
    return reply_shards(catalogue.folder, catalogue.manifest)


def replies_in(catalogue: Catalogue, uid: str) -> list[dict[str, Any]]:
    """The policy's replies to an item; none where they are not kept."""
    shards = shards_of(catalogue)
    return replies_to(shards, uid) if shards else []


def with_verdict(catalogue: Catalogue, status: str) -> Mask:
    """Which rows have a reply with this verdict."""
    if status not in STATUSES:
        return np.zeros(catalogue.count, np.bool_)
    mask: Mask = _bits(catalogue) & (1 << STATUSES.index(status)) > 0
    return mask


def verdict_counts(catalogue: Catalogue) -> Mapping[str, int]:
    """How many rows have a reply with each verdict; nothing where replies are not kept."""
    if shards_of(catalogue) is None:
        return {}
    return {status: int(with_verdict(catalogue, status).sum()) for status in STATUSES}


@lru_cache(maxsize=4)
def _bits(catalogue: Catalogue) -> NDArray[np.uint8]:
    bits = np.zeros(catalogue.count, np.uint8)
    shards = shards_of(catalogue)
    if shards:
        places = pc.index_in(shards.uids.combine_chunks(), catalogue.uids.combine_chunks())
        present = places.is_valid().to_numpy(zero_copy_only=False)
        bits[places.drop_null().to_numpy()] = verdict_bits(shards)[present]
    return bits
