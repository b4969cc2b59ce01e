"""Students: small models of five sizes, warmed from nothing on worked solutions.

All have one tokenizer. A student's folder is named for its size, its steps and the digest of its
weights. Warming goes on where it was killed.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean
from time import perf_counter

import torch
from tokenizers import Tokenizer
from torch.optim import Optimizer

from benchmarks.learning.solutions import WORDINGS, Families, solution
from puzzlemill.core.storage.files import whole
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.transformer import Rope, Shape, Transformer, fresh
from puzzlemill.difficulty.policies.weight_files import digest
from puzzlemill.trainer.imitation import (
    Example,
    ExampleBatch,
    example_batches,
    imitate,
    optimizers_for,
    scale_rates,
)
from puzzlemill.trainer.tiny import encoded, give_a_head_start, rate_share
from puzzlemill.trainer.tiny_tokens import POSITIONS, TinyTokens, build_tokens

VOCABULARY = 2048
TOKENS = 2048  # a step
EACH = 8  # solutions of each family in a pool, which is then sorted by length
AHEAD = 8  # pools that worker processes make ahead of time
EVERY = 50  # steps between two states to go on from


@dataclass(frozen=True, slots=True)
class Size:
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    intermediate: int


SIZES = {
    "0.5m": Size(128, 2, 4, 2, 288),
    "2m": Size(192, 4, 6, 2, 512),
    "8m": Size(384, 5, 12, 4, 896),
    # For a GPU: few layers, since every kernel of a decode step has its price.
    "30m": Size(640, 6, 10, 5, 1728),
    "120m": Size(1152, 9, 18, 6, 3072),
}


@dataclass(frozen=True, slots=True)
class Warmth:
    """What a student is warmed with, beside its size."""

    steps: int
    tokens: int = 0  # a step; 0: TOKENS
    seconds: float = 0.0  # after which it ends, with fewer steps; 0: all steps are taken
    # On the source families too, so that RL finds what it can sharpen, and in some wordings only.
    broad: bool = False
    processes: int = 0  # that make solutions; 0: this one
    device: str = "cpu"

    @property
    def stem(self) -> str:
        return f"{'broad-' if self.broad else ''}{self.steps}"

    @property
    def every(self) -> int:
        """Steps between two states; to write one takes as long as many steps of a GPU."""
        return EVERY if self.device == "cpu" else 20 * EVERY

    def names(self, families: Families) -> list[str]:
        return [*families.base, *(families.sources if self.broad else ())]


@dataclass(frozen=True, slots=True)
class Student:
    name: str  # with the digest of the weights
    model: Transformer
    tokens: TinyTokens

    def examples(self, names: Sequence[str], split: str, indices: Sequence[int]) -> list[Example]:
        return encoded(
            self.tokens, [solution(name, split, index) for name in names for index in indices]
        )


def student(folder: Path, name: str, size: Size, families: Families, warmth: Warmth) -> Student:
    """The one that is in the folder, or else one that is warmed now."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name}-{warmth.stem}"
    path = next(folder.glob(f"{stem}-????????"), None)
    if path is None:
        tokens = tokens_of(families)
        model = unwarmed(size, tokens).to(warmth.device)
        state = folder / f"{stem}.state"
        start, losses = perf_counter(), list[float]()
        for step, loss in warm(model, tokens, warmth.names(families), warmth, state):
            losses.append(loss)
            if step % EVERY == 0:
                passed, recent = perf_counter() - start, fmean(losses[-EVERY:])
                print(f"{stem}: step {step}, {passed:.0f} s, loss {recent:.3f}", flush=True)
        checkpoint.save(model, folder / stem, tokens)
        path = (folder / stem).rename(folder / f"{stem}-{digest(folder / stem)}")
        state.unlink(missing_ok=True)
        del model
        if warmth.device != "cpu":
            torch.cuda.empty_cache()  # the runs that follow need it
    return load(path)


def load(path: Path) -> Student:
    model, _ = checkpoint.load(path)
    return Student(path.name, model, TinyTokens(Tokenizer.from_file(str(path / "tokenizer.json"))))


def unwarmed(size: Size, tokens: TinyTokens) -> Transformer:
    model = fresh(shape(size, tokens), seed=0)
    give_a_head_start(model)
    return model


def shape(size: Size, tokens: TinyTokens) -> Shape:
    return Shape(
        hidden=size.hidden,
        layers=size.layers,
        heads=size.heads,
        kv_heads=size.kv_heads,
        head_dim=size.hidden // size.heads,
        intermediate=size.intermediate,
        vocab=tokens.count,
        positions=POSITIONS,
        rope=Rope(theta=100.0),  # as the bundled policy: no text is long
    )


def tokens_of(families: Families) -> TinyTokens:
    """From prompts of all families but those that are measured."""
    names = sorted([*families.base, *families.sources])
    return build_tokens((solution(name, "train", 0)[0] for name in names), VOCABULARY)


def warm(
    model: Transformer, tokens: TinyTokens, names: Sequence[str], warmth: Warmth, state: Path
) -> Iterator[tuple[int, float]]:
    """Step and loss, from the state's step on; a killed one goes on to the same weights."""
    steps, start = warmth.steps, 0.0

    def share(step: int) -> float:
        """Of the warming that is over."""
        by_time = (perf_counter() - start) / warmth.seconds if warmth.seconds and start else 0.0
        return min(max(step / steps, by_time), 1.0)

    if model.device.type != "cpu":
        model.compute_dtype = torch.bfloat16
    batches = islice(_batches(tokens, names, warmth), steps)
    losses = resumed_imitation(
        model,
        batches,
        optimizers_for(model),
        lambda step: rate_share(share(step)),
        state,
        warmth.every,
    )
    for step, loss in losses:
        start = start or perf_counter()  # worker processes take a while to come up
        yield step, loss
        if share(step) >= 1:
            return


def resumed_imitation(
    model: Transformer,
    batches: Iterator[ExampleBatch],
    optimizers: Sequence[Optimizer],
    rate: Callable[[int], float],
    state: Path,
    every: int,
) -> Iterator[tuple[int, float]]:
    """Step and loss of imitation that is written down every few steps, and goes on from there.

    `rate` says of a step which share of their rates the optimizers have after it.
    """
    done = 0
    if state.is_file():
        saved = torch.load(state, weights_only=True, map_location=model.device)
        model.load_state_dict(saved["model"])
        for optimizer, own in zip(optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(own)
        done = saved["step"]
    scale_rates(optimizers, rate(done))
    losses = imitate(model, islice(batches, done, None), optimizers)
    for step, loss in enumerate(losses, start=done + 1):
        scale_rates(optimizers, rate(step))
        if step % every == 0:
            kept = [optimizer.state_dict() for optimizer in optimizers]
            with whole(state) as beside:
                torch.save({"model": model.state_dict(), "optimizers": kept, "step": step}, beside)
        yield step, loss


def _batches(tokens: TinyTokens, names: Sequence[str], warmth: Warmth) -> Iterator[ExampleBatch]:
    """The same, however many processes make them."""
    rng = Random("warm")
    for examples in _pools(tokens, names, warmth):
        yield from example_batches(examples, warmth.tokens or TOKENS, rng)


def _pools(tokens: TinyTokens, names: Sequence[str], warmth: Warmth) -> Iterator[list[Example]]:
    text, phrasings = tokens.tokenizer.to_str(), WORDINGS if warmth.broad else ()
    if not warmth.processes:
        for number in count():
            yield _pool(text, names, number, phrasings)
    with ProcessPoolExecutor(warmth.processes, get_context("spawn")) as workers:
        coming = deque[Future[list[Example]]]()
        try:
            for number in count():
                coming.append(workers.submit(_pool, text, names, number, phrasings))
                if len(coming) > AHEAD:
                    yield coming.popleft().result()
        finally:
            workers.shutdown(cancel_futures=True)


def _pool(
    tokenizer: str, names: Sequence[str], number: int, phrasings: tuple[int, ...]
) -> list[Example]:
    indices = range(number * EACH, (number + 1) * EACH)
    pairs = [solution(name, "train", index, phrasings) for name in names for index in indices]
    return encoded(TinyTokens(Tokenizer.from_str(tokenizer)), pairs)
