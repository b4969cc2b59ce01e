"""Whether a step's first update learns from the activations of sampling.

It does where the policy samples with the weights that learn: on a CPU, in float32, in one process,
without adapters and with nothing sampled ahead. All else has a forward pass of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from puzzlemill.difficulty.policies.kept_activations import Keeper
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.trainer.sampler import Sampler
from puzzlemill.trainer.settings import Training


def keeps_activations(policy: LocalPolicy, settings: Training, sampler: Sampler | None) -> bool:
    model = policy.model
    return (
        isinstance(model, Transformer)
        and sampler is None
        and model.device.type == "cpu"
        and model.dtype == model.compute_dtype == torch.float32
        and not model.recompute  # who wants it has no memory for activations
    )


@contextmanager
def keeper_of(
    policy: LocalPolicy, settings: Training, sampler: Sampler | None
) -> Iterator[Keeper | None]:
    """What keeps the activations of a run's model, as many tokens as a micro-batch has; off until
    it is turned on."""
    model = policy.model
    if not isinstance(model, Transformer) or not keeps_activations(policy, settings, sampler):
        yield None
        return
    model.keeper = Keeper(settings.micro_batch)
    try:
        yield model.keeper
    finally:
        model.keeper = None


@contextmanager
def keeping(keeper: Keeper | None) -> Iterator[None]:
    """What is sampled in here is kept."""
    if keeper is None:
        yield
        return
    keeper.is_on = True
    try:
        yield
    finally:
        keeper.is_on = False
