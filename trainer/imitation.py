"""Imitation (supervised fine-tuning, SFT): a model learns to reply as a demonstration does.

Only the reply's tokens are learned; the prompt is what they follow.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor
from torch.nn import functional
from torch.optim import AdamW, Optimizer

from puzzlemill.difficulty.policies.model import Model
from puzzlemill.difficulty.policies.tokens import PicturePrompt
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import MicroBatch, Sample, micro_batches
from puzzlemill.trainer.muon import Muon


@dataclass(frozen=True, slots=True)
class Example:
    prompt: tuple[int, ...]  # tokens
    reply: tuple[int, ...]  # with the token that ends it
    shown: PicturePrompt | None = None  # its prompt, where it has pictures

    @property
    def length(self) -> int:
        return len(self.prompt) + len(self.reply)


@dataclass(frozen=True, slots=True)
class ExampleBatch:
    tokens_BT: Tensor  # padded on the right
    mask_BT: Tensor  # True where a token is the reply's


@dataclass(frozen=True, slots=True)
class LearningRates:
    """At their peak."""

    matrices: float = 0.01  # Muon
    others: float = 3e-3  # AdamW: embeddings, norms, biases


def imitate(
    model: Model,
    batches: Iterable[ExampleBatch | MicroBatch],
    optimizers: Sequence[Optimizer],
    clip: float = 1.0,
) -> Iterator[float]:
    """Take a step on each batch; yields the loss, before the step, a token. The caller stops it."""
    for batch in batches:
        loss = cross_entropy(model, batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        yield loss.item()


def cross_entropy(model: Model, batch: ExampleBatch | MicroBatch) -> Tensor:
    """The mean negative logp of the replies' tokens."""
    if isinstance(batch, MicroBatch):
        logp_N, _ = logps(model, batch, 1.0, with_gradient=False)
        return -logp_N.mean()
    tokens_BT = batch.tokens_BT.to(model.device)
    next_BT = batch.mask_BT[:, 1:].to(model.device)
    rounded = model.compute_dtype != torch.float32
    with torch.autocast(model.device.type, model.compute_dtype, enabled=rounded):
        logits_NV = model.logits(model(tokens_BT[:, :-1])[next_BT])
    return functional.cross_entropy(logits_NV.float(), tokens_BT[:, 1:][next_BT])


def optimizers_for(model: Model, rates: LearningRates = LearningRates()) -> list[Optimizer]:
    """Muon for the blocks' matrices, AdamW for all else."""
    matrices: list[Tensor] = []
    others: list[Tensor] = []
    for name, weight in model.named_parameters():
        inside = weight.dim() == 2 and ".layers." in name
        (matrices if inside else others).append(weight)
    return [
        Muon(matrices, lr=rates.matrices),
        AdamW(others, lr=rates.others, betas=(0.9, 0.95), weight_decay=0.0),
    ]


def scale_rates(optimizers: Sequence[Optimizer], share: float) -> None:
    """Set every rate to a share of what it was at first."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group.setdefault("initial_lr", group["lr"]) * share


def example_batches(examples: Sequence[Example], tokens: int, rng: Random) -> list[ExampleBatch]:
    """Batches of about so many tokens, of rows about equally long, in random order."""
    ordered = sorted(examples, key=lambda example: example.length)
    batches, rows = [], list[Example]()
    for example in ordered:
        if rows and example.length * (len(rows) + 1) > tokens:
            batches.append(padded(rows))
            rows = []
        rows.append(example)
    if rows:
        batches.append(padded(rows))
    rng.shuffle(batches)
    return batches


def picture_batches(
    examples: Sequence[Example], tokens: int, device: torch.device, rng: Random
) -> list[MicroBatch]:
    """Batches of examples with pictures, in random order."""
    samples = [
        Sample(each.prompt, each.reply, (0.0,) * len(each.reply), 1.0, shown=each.shown)
        for each in examples
    ]
    batches = [*micro_batches(samples, tokens, device, once=False)]
    rng.shuffle(batches)
    return batches


def padded(rows: Sequence[Example]) -> ExampleBatch:
    width = max(row.length for row in rows)
    tokens_BT = torch.zeros((len(rows), width), dtype=torch.long)
    mask_BT = torch.zeros((len(rows), width), dtype=torch.bool)
    for at, row in enumerate(rows):
        tokens_BT[at, : row.length] = torch.tensor(row.prompt + row.reply)
        mask_BT[at, len(row.prompt) : row.length] = True
    return ExampleBatch(tokens_BT, mask_BT)
