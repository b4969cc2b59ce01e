"""The scheduler of the native engine: continuous batching over its KV caches.

A prompt is prefilled once for all replies to it; a sequence that ends is evicted, and waiting
prompts are admitted when there is room, so that a few long replies do not hold the others up.

    slot     a sequence's index into the scheduler's arrays, from admission to the end
    row      its index in the KV cache of a bucket (kv_cache.py), which changes by compaction
    group    the sequences of one prompt; they share the prompt's keys and values

Suffixes as in transformer.py: B sequences, Q prompts under way, V vocabulary.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from puzzlemill.difficulty.policies.cuda_graphs import DecodeGraphs, decodes_by_graphs
from puzzlemill.difficulty.policies.decoding import (
    Layout,
    by_products,
    prefill,
    step,
    weights_of,
)
from puzzlemill.difficulty.policies.kv_cache import (
    Bucket,
    Ints,
    bucket_lengths,
    capacity,
    compaction,
    groups_held,
)
from puzzlemill.difficulty.policies.policy import Reply, Sampling, stop_end
from puzzlemill.difficulty.policies.token_draw import draw
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Transformer

ADMISSION = 8  # prompts are admitted when one slot in so many is free
PREFILL_TOKENS = 1 << 14  # of prompts, in one forward pass


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be sampled."""

    model: Transformer
    tokens: Tokens
    sampling: Sampling
    prompts: list[list[int]]
    seeds: list[int]  # of the prompts
    n: int  # replies to each
    cache_tokens: int | None = None  # size of the KV cache: sequences x length


@dataclass(frozen=True, slots=True)
class Group:
    """Sequences of one prompt that are admitted together: all of its samples, or as many as the KV
    cache can hold."""

    prompt: int
    samples: range


class Scheduler:
    """The sequences under way, the prompts that wait, and what goes into each forward pass."""

    def __init__(self, work: Work) -> None:
        self.model, self.tokens, self.sampling = work.model, work.tokens, work.sampling
        prompts, n = self.prompts, self.n = work.prompts, work.n
        self.seeds = work.seeds
        longest, most = max(map(len, prompts)), self.sampling.max_tokens
        slots, self.group_size = capacity(self.model, work.cache_tokens, n, longest, most)
        self.slots = min(slots, n * len(prompts))
        self.weights = weights_of(self.model, longest + most)
        keeper = self.model.keeper
        self.kept = None if keeper is None else keeper.call(self.weights, self.slots, most)
        lengths = bucket_lengths(self.model, most)
        self.buckets = [Bucket(self.model, self.slots, length) for length in lengths]
        self.may_close = self.tokens.may_close(self.sampling.stop, self.model.shape.vocab)
        self.is_end = np.zeros(self.model.shape.vocab, dtype=np.bool_)
        self.is_end[[end for end in self.tokens.ends if end < len(self.is_end)]] = True
        # Longest first: prompts of like length are prefilled together, with little padding.
        order = sorted(range(len(prompts)), key=lambda prompt: -len(prompts[prompt]))
        self.waiting = deque(
            Group(prompt, range(first, min(first + self.group_size, n)))
            for prompt in order
            for first in range(0, n, self.group_size)
        )
        # Prefill costs a forward pass however few prompts it has, so free slots are collected.
        self.admission = max(self.slots // ADMISSION, self.group_size)
        full = -(-self.slots // self.group_size)  # groups that fill all slots
        self.max_groups = min(full * groups_held(self.group_size), len(self.waiting))
        self.prompt_cache = self.model.cache(self.max_groups, longest)
        self.running: list[Group] = []  # in the order of their rows in the prompt cache
        self.free_slots = list(range(self.slots))
        self.layout: Layout | None = None  # of the rows; None when they have changed
        self.graphs: DecodeGraphs | None = None
        if decodes_by_graphs(self.model.device, self.model.shape.head_dim):
            self.graphs = DecodeGraphs(self._step, self.model.device, self.slots)
        # Of the sequence in each slot:
        self.group = np.zeros(self.slots, dtype=np.int64)  # its index in `running`
        self.member = np.zeros(self.slots, dtype=np.int64)  # its index in the group
        self.prompt_length = np.zeros(self.slots, dtype=np.int64)
        self.reply_length = np.zeros(self.slots, dtype=np.int64)  # tokens so far
        self.last_token = np.zeros(self.slots, dtype=np.int64)
        self.reply = np.zeros((self.slots, most), dtype=np.int64)
        self.logps = np.zeros((self.slots, most))
        self.uniforms = np.zeros((self.slots, most))

    def run(self) -> Iterator[tuple[int, int, Reply]]:
        """Prompt, sample and reply, as they end."""
        try:
            while self.waiting or self.running:
                has_room = len(self.running) < self.max_groups
                if self.waiting and has_room and len(self.free_slots) >= self.admission:
                    self._admit()
                else:
                    self._decode()
                yield from self._finish()
        finally:
            self.graphs = None  # they and this one hold each other, and a GPU's memory

    def _admit(self) -> None:
        """Prefill waiting prompts, and sample the first token of each reply."""
        admitted: list[Group] = []
        slots, groups = len(self.free_slots), self.max_groups - len(self.running)
        while self.waiting and groups and slots >= len(self.waiting[0].samples):
            admitted.append(self.waiting.popleft())
            slots, groups = slots - len(admitted[-1].samples), groups - 1
        while admitted:
            longest = len(self.prompts[admitted[0].prompt])  # the first is the longest
            batch = max(PREFILL_TOKENS // longest, 1)
            self._prefill(admitted[:batch], longest)
            admitted = admitted[batch:]

    def _prefill(self, groups: list[Group], longest: int) -> None:
        prompts = [self.prompts[group.prompt] for group in groups]
        padded = np.zeros((len(prompts), longest), dtype=np.int64)
        for row, prompt in enumerate(prompts):
            padded[row, : len(prompt)] = prompt
        lengths = self._to_device(np.array([len(prompt) for prompt in prompts]))
        rows = None if self.kept is None else self.kept.prompt_rows(prompts)
        if rows is None:
            hidden_QD, cached_L2QKPE = self.model.prefill(self._to_device(padded), lengths)
        else:
            hidden_QD, cached_L2QKPE = prefill(self.weights, self._to_device(padded), lengths, rows)
        first = len(self.running)
        self.prompt_cache[:, :, first : first + len(groups), :, :longest] = cached_L2QKPE
        admitted: list[int] = []
        for index, group in enumerate(groups, start=first):
            slots = [self.free_slots.pop() for _ in group.samples]
            self.group[slots] = index
            self.member[slots] = range(len(slots))
            self.prompt_length[slots] = len(prompts[index - first])
            self.reply_length[slots] = 0
            self.uniforms[slots] = self._uniforms(group)
            admitted += slots
        self.running += groups
        self.layout = None
        new = np.array(admitted)
        if self.kept is not None:
            self.kept.begin(new)
        self.buckets[0].append(new)
        logits_QV = self.weights.logits(hidden_QD)
        self._sample(logits_QV[self._to_device(self.group[new] - first)], new)

    def _decode(self) -> None:
        """One more token of every sequence."""
        used = [bucket for bucket in self.buckets if len(bucket.slots)]
        slots = np.concatenate([bucket.slots for bucket in used])
        if self.graphs is not None:
            self._keep(slots, self.graphs(self._inputs(slots)).cpu().numpy())
            return
        if self.layout is None:
            self.layout = self._laid_out(slots, used)
        positions, tokens_B = self._to_device(
            np.stack((self.reply_length[slots] - 1, self.last_token[slots]))
        )
        spans = [int(self.reply_length[bucket.slots].max()) for bucket in used]
        caches = [bucket.cache for bucket in used]
        attend = by_products(self.layout, positions, spans, self.prompt_cache, caches)
        place = self.reply_length[slots] - 1
        rows = None if self.kept is None else self.kept.token_rows(slots, place)
        hidden_BD = step(self.weights, attend, tokens_B, self.layout.length_B + positions, rows)
        self._sample(self.weights.logits(hidden_BD), slots)

    def _inputs(self, slots: Ints) -> Tensor:
        """What `_step` takes, a column for each sequence."""
        uniforms = self.uniforms[slots, self.reply_length[slots]]
        arrays = (self.group, self.prompt_length, self.reply_length, self.last_token)
        inputs = np.stack([*(array[slots] for array in arrays), uniforms.view(np.int64)])
        inputs[2] -= 1
        return torch.from_numpy(inputs)

    def _step(self, inputs: Tensor) -> Tensor:
        """One more token a row and its log-probability, 2B. Nothing in it waits for the device, and
        a row of zeros does no harm."""
        from puzzlemill.difficulty.policies import decode_kernel  # for a GPU alone

        prompt_B, length_B, position_B, token_B, uniform_B = inputs
        (bucket,) = self.buckets
        caches = [*zip(self.prompt_cache, bucket.cache, strict=True)]

        def attend(qkv_BNE: Tensor, number: int) -> Tensor:
            return decode_kernel.attention(qkv_BNE, *caches[number], prompt_B, length_B, position_B)

        hidden_BD = step(self.weights, attend, token_B, length_B + position_B)
        logits_BV = self.weights.logits(hidden_BD)
        return draw(logits_BV, uniform_B.view(torch.float64), self.sampling)

    def _laid_out(self, slots: Ints, used: list[Bucket]) -> Layout:
        arrays = (self.group, self.member, self.prompt_length)
        group, member, length = self._to_device(np.stack([array[slots] for array in arrays]))
        longest = int(self.prompt_length[slots].max())
        sizes = (len(self.running), self.group_size, longest, self.model.shape.kv_heads)
        buckets = [(len(each.slots), each.cache.shape[2], each.length) for each in used]
        return Layout(group, member, length, sizes, buckets)

    def _sample(self, logits_BV: Tensor, slots: Ints) -> None:
        """The next token of the sequences in these slots."""
        uniforms_B = self._to_device(self.uniforms[slots, self.reply_length[slots]])
        self._keep(slots, draw(logits_BV, uniforms_B, self.sampling).cpu().numpy())

    def _keep(self, slots: Ints, drawn: NDArray[np.float64]) -> None:
        now, (token_B, logp_B) = self.reply_length[slots], drawn
        self.last_token[slots] = self.reply[slots, now] = token_B
        self.logps[slots, now] = logp_B
        self.reply_length[slots] += 1

    def _finish(self) -> Iterator[tuple[int, int, Reply]]:
        """The replies that have ended; their sequences are evicted."""
        slots = np.concatenate([bucket.slots for bucket in self.buckets])
        last, length = self.last_token[slots], self.reply_length[slots]
        context_left = self.model.shape.positions - self.prompt_length[slots]
        ended = self.is_end[last] | (length >= np.minimum(self.sampling.max_tokens, context_left))
        # Text is decoded only where the last token can close a stop string: decoding every reply at
        # every token would cost more than the model does.
        for at in np.flatnonzero(self.may_close[last] & ~ended).tolist():
            text = self.tokens.text(self._reply_tokens(slots[at]))
            ended[at] = stop_end(text, self.sampling.stop) is not None
        for slot in slots[ended].tolist():
            group = self.running[self.group[slot]]
            yield group.prompt, group.samples[self.member[slot]], self._reply(slot)
        self._evict(slots[ended])

    def _evict(self, ended: Ints) -> None:
        self.free_slots += ended.tolist()
        is_over = np.zeros(self.slots, dtype=np.bool_)
        is_over[ended] = True
        # From the shortest bucket on: what moves up is kept by the next bucket's own pass, since a
        # sequence has outgrown one bucket at most.
        for bucket, longer in zip(self.buckets, [*self.buckets[1:], None], strict=True):
            gone = is_over[bucket.slots]
            if longer is not None:
                outgrown = ~gone & (self.reply_length[bucket.slots] > bucket.length)
                if outgrown.any():
                    longer.move_from(bucket, np.flatnonzero(outgrown))
                    gone |= outgrown
            if gone.any():
                self.layout = None
                bucket.compact(gone, int(self.reply_length[bucket.slots].max()))
        if len(ended):
            self._compact_prompts()

    def _compact_prompts(self) -> None:
        """Drop the groups without sequences from the prompt cache."""
        slots = np.concatenate([bucket.slots for bucket in self.buckets])
        members = np.bincount(self.group[slots], minlength=len(self.running))
        free, moved, groups = compaction(members == 0)
        if groups < len(self.running):
            new_index = np.arange(len(self.running))
            new_index[moved] = free
            self.group[slots] = new_index[self.group[slots]]
            for to, source in zip(free, moved, strict=True):
                self.running[to] = self.running[source]
            self.prompt_cache[:, :, free] = self.prompt_cache[:, :, moved]
            del self.running[groups:]

    def _reply(self, slot: int) -> Reply:
        tokens = self._reply_tokens(slot)
        if self.kept is not None:
            self.kept.end(slot, self.prompts[self.running[self.group[slot]].prompt], tokens)
        has_end = bool(self.is_end[tokens[-1]])
        text = self.tokens.text(tokens[:-1] if has_end else tokens)
        stop = stop_end(text, self.sampling.stop)
        return Reply(
            text[:stop],
            finished=has_end or stop is not None,
            tokens=tuple(tokens),
            logps=tuple(self.logps[slot, : len(tokens)].tolist()),
        )

    def _reply_tokens(self, slot: int) -> list[int]:
        tokens: list[int] = self.reply[slot, : self.reply_length[slot]].tolist()
        return tokens

    def _uniforms(self, group: Group) -> NDArray[np.float64]:
        """The random numbers of these samples: from the question's seed alone, whatever else is in
        the batch, so that a reply does not depend on the schedule."""
        generator = np.random.Generator(np.random.Philox(self.seeds[group.prompt]))
        uniforms = generator.random((self.n, self.sampling.max_tokens))
        return uniforms[group.samples.start : group.samples.stop]

    def _to_device(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self.model.device)
