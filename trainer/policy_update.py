"""A step's updates of the policy: epochs over its samples, in minibatches.

Importance ratios are to the policy before the first update, so `ratio` and its clipping act from
the second on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

import torch

from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.optimizer_step import Minibatch, minibatch_of, update
from puzzlemill.trainer.settings import Training
from puzzlemill.trainer.settings.losses import TokenLoss

LARGEST = ("mismatch_most",)  # metrics of which a step has the largest, and not the mean


def update_policy(
    policy: LocalPolicy,
    optimizer: Optimizer,
    samples: Sequence[Sample],
    settings: Training,
    loss: TokenLoss,
    reference: Reader | None = None,
) -> dict[str, float]:
    """The metrics of a step's updates: their means. The loss may differ from the settings' own in
    what changes from step to step."""
    most, temperature = policy.sampling.max_tokens, policy.sampling.temperature
    minibatches = [
        minibatch_of(policy.model, part, settings.micro_batch)
        for part in divided(samples, settings.minibatches, loss, most)
    ] or [Minibatch([], 0)]
    if settings.epochs * len(minibatches) > 1:
        minibatches = [_with_trainer_logps(policy, each, temperature) for each in minibatches]
    metrics = [
        update(policy, optimizer, minibatch, loss, settings.gradient, reference)
        for _ in range(settings.epochs)
        for minibatch in minibatches
    ]
    return {
        name: (max if name in LARGEST else fmean)([each[name] for each in metrics])
        for name in metrics[0]
    }


def divided(
    samples: Sequence[Sample], parts: int, loss: TokenLoss, most: int
) -> Iterator[list[Sample]]:
    """Minibatches of about as many prompts, short and long ones in each; fewer of them where there
    are fewer prompts. The loss of each is a mean of its own."""
    if parts == 1:
        yield from [[*samples]] if samples else []
        return
    prompts = sorted({each.prompt for each in samples}, key=lambda prompt: (len(prompt), prompt))
    whole = dict(zip(map(id, samples), weights(_lengths(samples), loss, most), strict=True))
    for place in range(min(parts, len(prompts))):
        chosen = {*prompts[place::parts]}
        part = [each for each in samples if each.prompt in chosen]
        shares = weights(_lengths(part), loss, most)
        yield [
            replace(each, weight=each.weight * share / whole[id(each)])
            for each, share in zip(part, shares, strict=True)
        ]


def _lengths(samples: Sequence[Sample]) -> list[int]:
    return [each.learned for each in samples]


@torch.no_grad()
def _with_trainer_logps(policy: LocalPolicy, minibatch: Minibatch, temperature: float) -> Minibatch:
    read = [
        replace(batch, trainer_logp_N=logps(policy.model, batch, temperature, False)[0])
        for batch in minibatch.batches
    ]
    return replace(minibatch, batches=read)
