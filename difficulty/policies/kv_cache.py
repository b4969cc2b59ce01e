"""The KV caches of the native engine: buckets of replies of like length, and how much there is room
for.

A bucket is a cache for replies up to a length; a sequence that outgrows one moves to the next. A
row is a sequence's index in a bucket's cache, which changes by compaction; its slot does not.

Suffixes as in transformer.py.
"""

from itertools import count, takewhile

import numpy as np
import torch
from numpy.typing import NDArray

from puzzlemill.difficulty.policies.transformer import Transformer

MAX_SEQUENCES = {"cpu": 512, "cuda": 512}  # in a batch, by kind of device
CACHE_TOKENS = 1 << 16  # in the KV cache on a CPU, at least; a GPU: half of the free memory
CACHE_BYTES = 1 << 29  # of the KV cache on a CPU, where that is more tokens
FIRST_BUCKET = 32  # reply tokens in the first bucket; each further one holds twice as many
FIRST_ROWS = 64  # rows of a bucket at first, on a CPU

Ints = NDArray[np.int64]


class Bucket:
    """The KV cache of replies up to `length` tokens, a row for each."""

    def __init__(self, model: Transformer, max_rows: int, length: int) -> None:
        self.length = length
        # A CPU's memory is taken as it is needed; a GPU's is reserved at the beginning.
        self.cache = model.cache(
            max_rows if model.device.type != "cpu" else min(max_rows, FIRST_ROWS), length
        )
        self.slots = np.zeros(0, dtype=np.int64)  # of the sequences, row by row

    def append(self, slots: Ints) -> None:
        self.slots = np.concatenate((self.slots, slots))
        while len(self.slots) > self.cache.shape[2]:
            self.cache = torch.cat((self.cache, torch.zeros_like(self.cache)), dim=2)

    def move_from(self, shorter: "Bucket", rows: Ints) -> None:
        """Copy sequences that have filled a shorter bucket; there, they are yet to be evicted."""
        first = len(self.slots)
        self.append(shorter.slots[rows])
        self.cache[:, :, first : len(self.slots), :, : shorter.length] = shorter.cache[:, :, rows]

    def compact(self, evicted: NDArray[np.bool_], used: int) -> None:
        """Fill evicted rows with rows from the end, of which `used` tokens are copied."""
        free, moved, rows = compaction(evicted)
        self.cache[:, :, free, :, :used] = self.cache[:, :, moved, :, :used]
        self.slots[free] = self.slots[moved]
        self.slots = self.slots[:rows]


def compaction(is_free: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """How to bring the rows in use to the front with the fewest copies: the free rows among the
    first, the rows that move there, and how many are in use."""
    used = int((~is_free).sum())
    return np.flatnonzero(is_free[:used]), used + np.flatnonzero(~is_free[used:]), used


def capacity(
    model: Transformer, cache_tokens: int | None, n: int, longest: int, most: int
) -> tuple[int, int]:
    """How many sequences may be under way, and how many of one prompt, for prompts of up to
    `longest` tokens and replies of up to `most`."""
    if cache_tokens is None:
        cache_tokens = free_tokens(model)
    max_sequences = MAX_SEQUENCES.get(model.device.type, MAX_SEQUENCES["cpu"])
    # All sequences may be in any one bucket at a time, so each has a row's room in every one.
    reply_tokens = sum(bucket_lengths(model, most))
    group_size = max(min(n, max_sequences, (cache_tokens - longest) // reply_tokens), 1)
    prompt_tokens = longest * groups_held(group_size) / group_size  # a sequence's share
    slots = int(cache_tokens / (reply_tokens + prompt_tokens))
    return max(min(slots, max_sequences), group_size), group_size


def bucket_lengths(model: Transformer, most: int) -> list[int]:
    """One bucket on a GPU, where the number of kernels counts; several on a CPU, where the padding
    that is read counts."""
    if model.device.type != "cpu":
        return [most]
    doubled = (FIRST_BUCKET << step for step in count())
    return [*takewhile(lambda length: length < most, doubled), most]


def groups_held(group_size: int) -> int:
    """How many times as many prompts are cached as fill the slots: a group's prompt stays until its
    last sequence ends, while the slots of the others go to new groups."""
    return min(group_size, 4)


def free_tokens(model: Transformer) -> int:
    one = model.cache(1, 1)
    size = one.numel() * one.element_size()
    if model.device.type == "cpu":
        return max(CACHE_TOKENS, CACHE_BYTES // size)
    # What torch's allocator keeps of what was freed is counted as taken, and is free for us.
    kept = torch.cuda.memory_reserved(model.device) - torch.cuda.memory_allocated(model.device)
    return int((torch.cuda.mem_get_info(model.device)[0] + kept) / 2 / size)
