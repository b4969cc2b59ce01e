"""The native policy: a causal language model sampled in plain torch, on a CPU or a GPU.

A prompt is read once for all replies to it. A reply that ends leaves the batch, and when there is
room the next questions come in, so that a few long replies do not hold the others up.

Suffixes as in transformer.py: B rows (replies under way), Q questions under way, V vocabulary.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Cohort, Moves, Transformer

ROWS = {"cpu": 256, "cuda": 512}  # at most in a batch; more are no faster
WAVES = 4  # at most under way; more would hold less each
# Tokens in the caches, on a CPU; a GPU gets a quarter of what memory is free. What has ended is not
# given back at once: the caches hold up to twice as much.
BUDGET = 1 << 16
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

    def takes(self, question: Question) -> bool:
        """Text alone, with room for a whole reply behind it."""
        if question.images:
            return False
        room = self.model.shape.positions - self.sampling.max_tokens
        return len(self.tokens.ids(question.messages)) <= room

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        if self.sampling.max_tokens < 1:
            raise UserError(f"max_tokens is {self.sampling.max_tokens}; allow 1 token or more")
        if "" in self.sampling.stop:
            raise UserError("a stop string is empty; leave it out")
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


@dataclass(slots=True, eq=False)
class Wave:
    """Questions that came in together: their replies are equally long, until they end."""

    cohort: Cohort
    asked: list[Asked]
    place: Ints  # of each row's question in `asked`
    seat: Ints
    said: Ints  # rows x tokens
    logps: NDArray[np.float64]
    uniforms: NDArray[np.float64]
    drawn: int = 0  # tokens so far

    def put_down(self, tokens: Ints, logps: NDArray[np.float64]) -> None:
        self.said[:, self.drawn], self.logps[:, self.drawn] = tokens, logps
        self.drawn += 1


class Batch:
    """The replies under way, in waves."""

    def __init__(
        self, policy: NativePolicy, prompts: list[list[int]], seeds: list[int], n: int
    ) -> None:
        self.model, self.tokens, self.sampling = policy.model, policy.tokens, policy.sampling
        self.prompts, self.seeds, self.n = prompts, seeds, n
        longest, most = max(map(len, prompts)), self.sampling.max_tokens
        self.room, self.seats = _room(self.model, policy.budget, n, longest, most)
        self.entry = max(self.room // WAVES, self.seats)  # free rows at which a wave comes in
        self.may_close = self.tokens.may_close(self.sampling.stop, self.model.shape.vocab)
        self.ends = np.zeros(self.model.shape.vocab, dtype=np.bool_)
        self.ends[[end for end in self.tokens.ends if end < len(self.ends)]] = True
        order = sorted(range(len(prompts)), key=lambda question: -len(prompts[question]))
        self.waiting = deque(
            Asked(question, range(first, min(first + self.seats, n)))
            for question in order
            for first in range(0, n, self.seats)
        )
        self.waves: list[Wave] = []

    def run(self) -> Iterator[tuple[int, int, Reply]]:
        """Question, sample and reply, as they end."""
        while self.waiting or self.waves:
            free = self.room - sum(len(wave.place) for wave in self.waves)
            if self.waiting and len(self.waves) < WAVES and free >= self.entry:
                self.waves.append(self._admit(free))
            else:
                self._step()
            for wave in self.waves:
                yield from self._let_go(wave)
            self.waves = [wave for wave in self.waves if wave.asked]

    def _admit(self, free: int) -> Wave:
        """Read the next questions' prompts, and draw the first token of each reply."""
        asked: list[Asked] = []
        while self.waiting and free >= len(self.waiting[0].samples):
            asked.append(self.waiting.popleft())
            free -= len(asked[-1].samples)
        prompts, last_QD, lengths = self._read([self.prompts[one.question] for one in asked])
        place = np.repeat(np.arange(len(asked)), [len(one.samples) for one in asked])
        seat = np.concatenate([np.arange(len(one.samples)) for one in asked])
        rows, most = len(place), self.sampling.max_tokens
        at, seated = self._there(np.stack((place, seat)))
        replies = self.model.cache(rows, most)
        wave = Wave(
            cohort=Cohort(prompts, replies, lengths, at, seated, self.seats),
            asked=asked,
            place=place,
            seat=seat,
            said=np.zeros((rows, most), dtype=np.int64),
            logps=np.zeros((rows, most)),
            uniforms=np.concatenate([self._uniforms(one) for one in asked]),
        )
        self._draw(self.model.logits(last_QD)[at], [wave])
        return wave

    def _read(self, prompts: list[list[int]]) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values of the prompts, their last hidden states, their lengths."""
        lengths = [len(prompt) for prompt in prompts]
        padded = np.zeros((len(prompts), max(lengths)), dtype=np.int64)
        for place, prompt in enumerate(prompts):
            padded[place, : len(prompt)] = prompt
        padded_QP, length_Q = self._there(padded), self._there(np.array(lengths))
        cache = self.model.cache(*padded.shape)
        last = []
        count = max(PREFILL // padded.shape[1], 1)
        for first in range(0, len(prompts), count):
            part = slice(first, first + count)
            hidden_QD, cache[:, :, part] = self.model.prefill(padded_QP[part], length_Q[part])
            last.append(hidden_QD)
        return cache, torch.cat(last), length_Q

    def _step(self) -> None:
        """One more token of every reply."""
        last = np.concatenate([wave.said[:, wave.drawn - 1] for wave in self.waves])
        hidden_BD = self.model.step(self._there(last), [wave.cohort for wave in self.waves])
        self._draw(self.model.logits(hidden_BD), self.waves)

    def _draw(self, logits_BV: Tensor, waves: list[Wave]) -> None:
        uniforms = np.concatenate([wave.uniforms[:, wave.drawn] for wave in waves])
        drawn = draw(logits_BV, self._there(uniforms), self.sampling).cpu().numpy()
        start = 0
        for wave in waves:
            rows = slice(start, start := start + len(wave.place))
            wave.put_down(drawn[0, rows].astype(np.int64), drawn[1, rows])

    def _let_go(self, wave: Wave) -> Iterator[tuple[int, int, Reply]]:
        """The replies that have ended."""
        last = wave.said[:, wave.drawn - 1]
        most = self.model.shape.positions - wave.drawn  # of the prompt, for one more token
        full = np.array([len(self.prompts[asked.question]) >= most for asked in wave.asked])
        over = self.ends[last] | full[wave.place] | (wave.drawn == self.sampling.max_tokens)
        for row in np.flatnonzero(self.may_close[last] & ~over).tolist():
            text = self.tokens.text(wave.said[row, : wave.drawn].tolist())
            over[row] = _stop(text, self.sampling.stop) is not None
        for row in np.flatnonzero(over).tolist():
            asked = wave.asked[wave.place[row]]
            yield asked.question, asked.samples[wave.seat[row]], self._reply(wave, row)
        if over.any():
            self._close_up(wave, over)

    def _close_up(self, wave: Wave, over: NDArray[np.bool_]) -> None:
        """Fill the rows that are over from behind, and so the questions."""
        rows = holes, movers, count = _moves(over)
        for name in ("place", "seat", "said", "logps", "uniforms"):
            array = getattr(wave, name)
            array[holes] = array[movers]
            setattr(wave, name, array[:count])
        left = np.bincount(wave.place, minlength=len(wave.asked))
        questions = holes, movers, count = _moves(left == 0)
        renamed = np.arange(len(wave.asked))
        renamed[movers] = holes
        wave.place = renamed[wave.place]
        for hole, mover in zip(holes, movers, strict=True):
            wave.asked[hole] = wave.asked[mover]
        del wave.asked[count:]
        if count:
            wave.cohort.move(rows, questions, *self._there(np.stack((wave.place, wave.seat))))

    def _reply(self, wave: Wave, row: int) -> Reply:
        said: list[int] = wave.said[row, : wave.drawn].tolist()
        ended = bool(self.ends[said[-1]])
        text = self.tokens.text(said[:-1] if ended else said)
        end = _stop(text, self.sampling.stop)
        return Reply(
            text[:end],
            finished=ended or end is not None,
            tokens=tuple(said),
            logps=tuple(wave.logps[row, : wave.drawn].tolist()),
        )

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
    logp_BV = (logits_BV.float() / sampling.temperature).log_softmax(dim=-1)
    if sampling.top_p < 1:
        logp_BV = _nucleus(logp_BV, sampling.top_p)
    below_BV = logp_BV.exp().cumsum(dim=-1, dtype=torch.float64)
    at_B1 = uniform_B[:, None] * below_BV[:, -1:] * BELOW_ONE
    token_B1 = torch.searchsorted(below_BV, at_B1, right=True)
    return torch.stack((token_B1, logp_BV.gather(-1, token_B1)))[..., 0].double()


def _nucleus(logp_BV: Tensor, top_p: float) -> Tensor:
    """The distribution over the fewest tokens that hold `top_p` of it."""
    sorted_BV, order_BV = logp_BV.sort(dim=-1, descending=True, stable=True)
    before_BV = sorted_BV.exp().cumsum(dim=-1, dtype=torch.float64) - sorted_BV.exp()
    cut_BV = torch.zeros_like(logp_BV, dtype=torch.bool)
    cut_BV.scatter_(-1, order_BV, before_BV >= top_p)
    return logp_BV.masked_fill(cut_BV, -torch.inf).log_softmax(dim=-1)


def _stop(text: str, stop: tuple[str, ...]) -> int | None:
    """Where the first stop string ends."""
    ends = [text.find(string) + len(string) for string in stop if string in text]
    return min(ends, default=None)


def _moves(over: NDArray[np.bool_]) -> Moves:
    """What to move where so that those that go on lie in front."""
    count = int((~over).sum())
    holes, movers = np.flatnonzero(over[:count]), count + np.flatnonzero(~over[count:])
    return holes.tolist(), movers.tolist(), count


def _room(
    model: Transformer, budget: int | None, n: int, longest: int, most: int
) -> tuple[int, int]:
    """How many replies may be under way, and how many to one question."""
    if budget is None:
        budget = BUDGET if model.device.type == "cpu" else _free_tokens(model)
    most_rows = ROWS.get(model.device.type, ROWS["cpu"])
    seats = max(min(n, most_rows, (budget - longest) // most), 1)
    rows = int(budget / (most + longest / seats))
    return max(min(rows, most_rows), seats), seats


def _free_tokens(model: Transformer) -> int:
    one = model.cache(1, 1)
    return int(torch.cuda.mem_get_info(model.device)[0] / 4 / (one.numel() * one.element_size()))
