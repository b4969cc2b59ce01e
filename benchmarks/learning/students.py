"""Students: small models of three sizes, warmed from nothing on worked solutions.

All have one tokenizer. A student's folder is named for its size, its steps and the digest of its
weights. Warming goes on where it was killed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer

from benchmarks.learning.solutions import Families, solution
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
}


@dataclass(frozen=True, slots=True)
class Student:
    name: str  # with the digest of the weights
    model: Transformer
    tokens: TinyTokens

    def examples(self, names: Sequence[str], split: str, indices: Sequence[int]) -> list[Example]:
        return encoded(
            self.tokens, [solution(name, split, index) for name in names for index in indices]
        )


def student(folder: Path, name: str, size: Size, families: Families, steps: int) -> Student:
    """The one that is in the folder, or else one that is warmed now."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{name}-{steps}"
    path = next(folder.glob(f"{stem}-????????"), None)
    if path is None:
        tokens = tokens_of(families)
        model = unwarmed(size, tokens)
        state = folder / f"{stem}.state"
        for step, loss in warm(model, tokens, families.base, steps, state):
            if step % EVERY == 0:
                print(f"{stem}: step {step}, loss {loss:.3f}", flush=True)
        checkpoint.save(model, folder / stem, tokens)
        path = (folder / stem).rename(folder / f"{stem}-{digest(folder / stem)}")
        state.unlink(missing_ok=True)
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
    model: Transformer, tokens: TinyTokens, names: Sequence[str], steps: int, state: Path
) -> Iterator[tuple[int, float]]:
    """Step and loss, from the state's step on; a killed one goes on to the same weights."""
    optimizers, done = optimizers_for(model), 0
    if state.is_file():
        saved = torch.load(state, weights_only=True)
        model.load_state_dict(saved["model"])
        for optimizer, own in zip(optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(own)
        done = saved["step"]
    scale_rates(optimizers, rate_share(done / steps))
    losses = imitate(model, islice(_batches(tokens, names), done, steps), optimizers)
    for step, loss in enumerate(losses, start=done + 1):
        scale_rates(optimizers, rate_share(step / steps))
        if step % EVERY == 0:
            kept = [optimizer.state_dict() for optimizer in optimizers]
            with whole(state) as beside:
                torch.save({"model": model.state_dict(), "optimizers": kept, "step": step}, beside)
        yield step, loss


def _batches(tokens: TinyTokens, names: Sequence[str]) -> Iterator[ExampleBatch]:
    rng = Random("warm")
    for pool in count():
        indices = range(pool * EACH, (pool + 1) * EACH)
        pairs = [solution(name, "train", index) for name in names for index in indices]
        yield from example_batches(encoded(tokens, pairs), TOKENS, rng)
