"""The native policy: a causal language model sampled in plain torch, on a CPU or a GPU.

A prompt is read once for all replies to it. A reply that ends leaves the batch, and the next
questions enter when there is room, so that a few long replies do not hold the others up.

Suffixes as in transformer.py: B rows (replies under way), Q questions under way, V vocabulary.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.decoding import Seating, step, weights_of
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling, check_sampling
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Transformer

ROWS = {"cpu": 512, "cuda": 512}  # at most in a batch
BUDGET = 1 << 16  # tokens in the caches on a CPU, at least; a GPU: half of what memory is free
CACHES = 1 << 29  # bytes of the caches on a CPU, if so many tokens take less
SHORTEST = 32  # tokens of the replies on the first shelf; twice as many on each further one
FEW = 64  # rows on a shelf at first, on a CPU
ENTRY = 8  # the next questions come in when this part of the rows is free
PREFILL = 1 << 14  # tokens of prompts read at a time
BELOW_ONE = 1 - 2.0**-40  # keeps a draw off the upper end, where rounding would find no token

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NativePolicy:
    """For a model in memory: its weights as they are when `sample` is called."""

    model: Transformer
    tokens: Tokens
    sampling: Sampling
    version: str  # which weights; whoever changes them changes it
    budget: int | None = None  # tokens in the caches: rows x length

    @classmethod
    def load(
        cls,
        path: Path,
        sampling: Sampling,
        *,
        name: str = "",
        device: str | None = None,
        dtype: str | None = None,
        budget: int | None = None,
    ) -> "NativePolicy":
        """From a checkpoint's folder; float32 on a CPU, else as the checkpoint is."""
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = dtype or ("float32" if device == "cpu" else None)
        model, _ = checkpoint.load(path, dtype, device)
        version = f"{name or path.resolve().name}-{checkpoint.digest(path)}"
        return cls(model.eval(), Tokens.load(path), sampling, version, budget)

    @property
    def id(self) -> str:
        return f"{self.version}/{self.sampling}"

    @property
    def gpus(self) -> int:
        return int(self.model.device.type == "cuda")

    def takes(self, question: Question) -> bool:
        """Text alone, with room for a whole reply behind it."""
        if question.images:
            return False
        length, room = self.lengths(question)
        return length <= room

    def lengths(self, question: Question) -> tuple[int, int]:
        room = self.model.shape.positions - self.sampling.max_tokens
        return len(self.tokens.ids(question.messages)), room

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        check_sampling(self.sampling)
        prompts = [self.tokens.prompt(question) for question in questions]
        longest = max(map(len, prompts), default=0)
        if longest >= self.model.shape.positions:
            raise UserError(
                f"a prompt of {longest} tokens leaves no room for a reply in the"
                f" {self.model.shape.positions} positions of {self.version}; drop the longest items"
            )
        if not prompts or n < 1:
            return [[] for _ in questions]
        with torch.inference_mode():
            batch = Batch(self, prompts, [question.seed for question in questions], n)
            found = {(asked, sample): reply for asked, sample, reply in batch.run()}
        return [[found[asked, sample] for sample in range(n)] for asked in range(len(questions))]


@dataclass(frozen=True, slots=True)
class Asked:
    """Some of the replies to one question, enough for one batch."""

    question: int
    samples: range


class Shelf:
    """A cache of replies of like length; a reply that outgrows it moves on to the next."""

    def __init__(self, model: Transformer, room: int, span: int) -> None:
        self.span = span
        # A CPU's memory is taken as it is needed; a GPU's is reckoned with from the beginning.
        self.cache = model.cache(room if model.device.type != "cpu" else min(room, FEW), span)
        self.slots = np.zeros(0, dtype=np.int64)  # of the rows, as they lie in the cache

    def admit(self, slots: Ints) -> None:
        self.slots = np.concatenate((self.slots, slots))
        while len(self.slots) > self.cache.shape[2]:
            self.cache = torch.cat((self.cache, torch.zeros_like(self.cache)), dim=2)

    def take(self, shorter: "Shelf", rows: Ints) -> None:
        """Rows that have filled another shelf."""
        first = len(self.slots)
        self.admit(shorter.slots[rows])
        self.cache[:, :, first : len(self.slots), :, : shorter.span] = shorter.cache[:, :, rows]

    def close_up(self, gone: NDArray[np.bool_], span: int) -> None:
        """Fill up the rows that are gone from behind."""
        holes, movers, count = _moves(gone)
        self.cache[:, :, holes, :, :span] = self.cache[:, :, movers, :, :span]
        self.slots[holes] = self.slots[movers]
        self.slots = self.slots[:count]


class Batch:
    """The replies under way. Each has a slot, where it stays, in every array; and a row, which
    moves, in the cache of a shelf."""

    def __init__(
        self, policy: NativePolicy, prompts: list[list[int]], seeds: list[int], n: int
    ) -> None:
        self.model, self.tokens, self.sampling = policy.model, policy.tokens, policy.sampling
        self.prompts, self.seeds, self.n = prompts, seeds, n
        longest, most = max(map(len, prompts)), self.sampling.max_tokens
        room, self.seats = _room(self.model, policy.budget, n, longest, most)
        self.room = min(room, n * len(prompts))
        self.weights = weights_of(self.model, longest + most)
        self.shelves = [Shelf(self.model, self.room, span) for span in _spans(self.model, most)]
        self.may_close = self.tokens.may_close(self.sampling.stop, self.model.shape.vocab)
        self.ends = np.zeros(self.model.shape.vocab, dtype=np.bool_)
        self.ends[[end for end in self.tokens.ends if end < len(self.ends)]] = True
        order = sorted(range(len(prompts)), key=lambda question: -len(prompts[question]))
        self.entry = max(self.room // ENTRY, self.seats)  # free rows at which the next are let in
        self.waiting = deque(
            Asked(question, range(first, min(first + self.seats, n)))
            for question in order
            for first in range(0, n, self.seats)
        )
        held = -(-self.room // self.seats) * _prompts_held(self.seats)
        self.places = min(held, len(self.waiting))
        self.prompt_cache = self.model.cache(self.places, longest)
        self.asked: list[Asked] = []  # under way, as they lie in the cache of prompts
        self.free = list(range(self.room))
        self.seating: Seating | None = None  # until rows come or go
        self.place = np.zeros(self.room, dtype=np.int64)  # of the row's question in `asked`
        self.length = np.zeros(self.room, dtype=np.int64)  # of the prompt
        self.seat = np.zeros(self.room, dtype=np.int64)
        self.drawn = np.zeros(self.room, dtype=np.int64)  # tokens so far
        self.last = np.zeros(self.room, dtype=np.int64)  # the newest of them
        self.said = np.zeros((self.room, most), dtype=np.int64)
        self.logps = np.zeros((self.room, most))
        self.uniforms = np.zeros((self.room, most))

    def run(self) -> Iterator[tuple[int, int, Reply]]:
        """Question, sample and reply, as they end."""
        while self.waiting or self.asked:
            if self.waiting and len(self.asked) < self.places and len(self.free) >= self.entry:
                self._admit()
            else:
                self._step()
            yield from self._let_go()

    def _admit(self) -> None:
        """Read the next questions' prompts, and draw the first token of each reply."""
        entering: list[Asked] = []
        free, places = len(self.free), self.places - len(self.asked)
        while self.waiting and places and free >= len(self.waiting[0].samples):
            entering.append(self.waiting.popleft())
            free, places = free - len(entering[-1].samples), places - 1
        while entering:
            longest = len(self.prompts[entering[0].question])  # they come longest first
            count = max(PREFILL // longest, 1)
            self._read(entering[:count], longest)
            entering = entering[count:]

    def _read(self, entering: list[Asked], longest: int) -> None:
        prompts = [self.prompts[asked.question] for asked in entering]
        padded = np.zeros((len(prompts), longest), dtype=np.int64)
        for place, prompt in enumerate(prompts):
            padded[place, : len(prompt)] = prompt
        lengths = self._there(np.array([len(prompt) for prompt in prompts]))
        hidden_QD, stored_L2QKPE = self.model.prefill(self._there(padded), lengths)
        first = len(self.asked)
        self.prompt_cache[:, :, first : first + len(entering), :, :longest] = stored_L2QKPE
        entered: list[int] = []
        for place, asked in enumerate(entering, start=first):
            slots = [self.free.pop() for _ in asked.samples]
            self.place[slots] = place
            self.length[slots] = len(prompts[place - first])
            self.seat[slots] = range(len(slots))
            self.drawn[slots] = 0
            self.uniforms[slots] = self._uniforms(asked)
            entered += slots
        self.asked += entering
        self.seating = None
        new = np.array(entered)
        self.shelves[0].admit(new)
        logits_QV = self.weights.logits(hidden_QD)
        self._draw(logits_QV[self._there(self.place[new] - first)], new)

    def _step(self) -> None:
        """One more token of every reply."""
        used = [shelf for shelf in self.shelves if len(shelf.slots)]
        slots = np.concatenate([shelf.slots for shelf in used])
        if self.seating is None:
            self.seating = self._seating(slots, used)
        drawn, tokens_B = self._there(np.stack((self.drawn[slots] - 1, self.last[slots])))
        spans = [int(self.drawn[shelf.slots].max()) for shelf in used]
        caches = [shelf.cache for shelf in used]
        hidden_BD = step(
            self.weights, self.seating, tokens_B, drawn, spans, self.prompt_cache, caches
        )
        self._draw(self.weights.logits(hidden_BD), slots)

    def _seating(self, slots: Ints, used: list[Shelf]) -> Seating:
        arrays = (self.place, self.seat, self.length)
        place, seat, length = self._there(np.stack([array[slots] for array in arrays]))
        longest = int(self.length[slots].max())
        sizes = (len(self.asked), self.seats, longest, self.model.shape.kv_heads)
        bands = [(len(shelf.slots), shelf.cache.shape[2], shelf.span) for shelf in used]
        return Seating(place, seat, length, sizes, bands)

    def _draw(self, logits_BV: Tensor, slots: Ints) -> None:
        """The next token of the replies in these slots."""
        now = self.drawn[slots]
        drawn = draw(logits_BV, self._there(self.uniforms[slots, now]), self.sampling).cpu().numpy()
        self.last[slots] = self.said[slots, now] = drawn[0]
        self.logps[slots, now] = drawn[1]
        self.drawn[slots] += 1

    def _let_go(self) -> Iterator[tuple[int, int, Reply]]:
        """The replies that have ended; their rows are filled up from behind."""
        slots = np.concatenate([shelf.slots for shelf in self.shelves])
        last, drawn = self.last[slots], self.drawn[slots]
        most = np.minimum(self.sampling.max_tokens, self.model.shape.positions - self.length[slots])
        over = self.ends[last] | (drawn >= most)
        for at in np.flatnonzero(self.may_close[last] & ~over).tolist():
            text = self.tokens.text(self._said(slots[at]))
            over[at] = _stop(text, self.sampling.stop) is not None
        ended = slots[over]
        for slot in ended.tolist():
            asked = self.asked[self.place[slot]]
            yield asked.question, asked.samples[self.seat[slot]], self._reply(slot)
        self._close_up(ended)

    def _close_up(self, ended: Ints) -> None:
        self.free += ended.tolist()
        over = np.zeros(self.room, dtype=np.bool_)
        over[ended] = True
        for shelf, longer in zip(self.shelves, [*self.shelves[1:], None], strict=True):
            gone = over[shelf.slots]
            if longer is not None:
                full = ~gone & (self.drawn[shelf.slots] > shelf.span)
                if full.any():
                    longer.take(shelf, np.flatnonzero(full))
                    gone |= full
            if gone.any():
                self.seating = None
                shelf.close_up(gone, int(self.drawn[shelf.slots].max()))
        if len(ended):
            self._close_up_prompts()

    def _close_up_prompts(self) -> None:
        slots = np.concatenate([shelf.slots for shelf in self.shelves])
        left = np.bincount(self.place[slots], minlength=len(self.asked))
        holes, movers, count = _moves(left == 0)
        if count < len(self.asked):
            moved = np.arange(len(self.asked))
            moved[movers] = holes
            self.place[slots] = moved[self.place[slots]]
            for hole, mover in zip(holes, movers, strict=True):
                self.asked[hole] = self.asked[mover]
            self.prompt_cache[:, :, holes] = self.prompt_cache[:, :, movers]
            del self.asked[count:]

    def _reply(self, slot: int) -> Reply:
        said = self._said(slot)
        ended = bool(self.ends[said[-1]])
        text = self.tokens.text(said[:-1] if ended else said)
        end = _stop(text, self.sampling.stop)
        return Reply(
            text[:end],
            finished=ended or end is not None,
            tokens=tuple(said),
            logps=tuple(self.logps[slot, : len(said)].tolist()),
        )

    def _said(self, slot: int) -> list[int]:
        said: list[int] = self.said[slot, : self.drawn[slot]].tolist()
        return said

    def _uniforms(self, asked: Asked) -> NDArray[np.float64]:
        """The draws of these replies: from the question's seed, whatever else is in the batch."""
        source = np.random.Generator(np.random.Philox(self.seeds[asked.question]))
        drawn = source.random((self.n, self.sampling.max_tokens))
        return drawn[asked.samples.start : asked.samples.stop]

    def _there(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self.model.device)


def draw(logits_BV: Tensor, uniform_B: Tensor, sampling: Sampling) -> Tensor:
    """A token a row and its log-probability, 2B: the inverse of the distribution function."""
    if sampling.temperature == 0:
        token_B = logits_BV.argmax(dim=-1)
        return torch.stack((token_B, torch.zeros_like(token_B))).double()
    scores_BV = logits_BV.float()
    if sampling.temperature != 1:
        scores_BV = scores_BV / sampling.temperature
    if sampling.top_p < 1:
        scores_BV = _nucleus(scores_BV, sampling.top_p)
    scores_BV = scores_BV - scores_BV.amax(dim=-1, keepdim=True)
    below_BV = scores_BV.exp().cumsum(dim=-1, dtype=torch.float64)
    total_B1 = below_BV[:, -1:]
    token_B1 = torch.searchsorted(below_BV, uniform_B[:, None] * total_B1 * BELOW_ONE, right=True)
    logp_B1 = scores_BV.gather(-1, token_B1) - total_B1.log()
    return torch.stack((token_B1, logp_B1))[..., 0]


def _nucleus(scores_BV: Tensor, top_p: float) -> Tensor:
    """The scores of the fewest tokens that hold `top_p` of the distribution."""
    sorted_BV, order_BV = scores_BV.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before_BV = sorted_BV.cumsum(dim=-1, dtype=torch.float64) - sorted_BV
    cut_BV = torch.zeros_like(scores_BV, dtype=torch.bool)
    cut_BV.scatter_(-1, order_BV, before_BV >= top_p)
    return scores_BV.masked_fill(cut_BV, -torch.inf)


def _stop(text: str, stop: tuple[str, ...]) -> int | None:
    """Where the first stop string ends."""
    ends = [text.find(string) + len(string) for string in stop if string in text]
    return min(ends, default=None)


def _moves(empty: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """What to move where so that the full ones lie in front; and how many these are."""
    count = int((~empty).sum())
    return np.flatnonzero(empty[:count]), count + np.flatnonzero(~empty[count:]), count


def _room(
    model: Transformer, budget: int | None, n: int, longest: int, most: int
) -> tuple[int, int]:
    """How many replies may be under way, and how many of one question."""
    if budget is None:
        budget = _free_tokens(model)
    most_rows = ROWS.get(model.device.type, ROWS["cpu"])
    spans = sum(_spans(model, most))
    seats = max(min(n, most_rows, (budget - longest) // spans), 1)
    rows = int(budget / (spans + longest * _prompts_held(seats) / seats))
    return max(min(rows, most_rows), seats), seats


def _spans(model: Transformer, most: int) -> list[int]:
    """How long the replies on each shelf may get. A GPU has one: there the steps' number counts."""
    if model.device.type != "cpu":
        return [most]
    return [*takewhile(lambda span: span < most, (SHORTEST << step for step in count())), most]


def _prompts_held(seats: int) -> int:
    """How many times as many prompts as fill the rows: each is held until its last reply ends."""
    return min(seats, 4)


def _free_tokens(model: Transformer) -> int:
    one = model.cache(1, 1)
    size = one.numel() * one.element_size()
    if model.device.type == "cpu":
        return max(BUDGET, CACHES // size)
    return int(torch.cuda.mem_get_info(model.device)[0] / 2 / size)
