"""The state that training changes: the policy, and its reference and sampler.

Weights are float32 while they are trained, whatever a checkpoint holds: small optimizer steps would
be lost in the rounding of anything less.
"""

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.model import LocalPolicy, Model
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import Judge, judge_in_workers
from puzzlemill.trainer.adapters import Unadapted, adapted_layers, add_adapters
from puzzlemill.trainer.averaging import averaged
from puzzlemill.trainer.distributed import shard_model, world_size
from puzzlemill.trainer.placement import ranks_of_an_engine
from puzzlemill.trainer.sampler import Sampler, over_ranks, sampler_for
from puzzlemill.trainer.settings import Training
from puzzlemill.trainer.weights import checkpoint_weights, load_full_state_dict, meta_copy

Reference: TypeAlias = Model | Unadapted


@dataclass(frozen=True, slots=True)
class TrainState:
    policy: LocalPolicy  # its model may have adapters, and be sharded
    reference: Reference | None  # the policy before the first step, or checkpoints
    sampler: Sampler | None  # gets the weights of each step; None: the policy samples itself
    judge: Judge
    meta_model: Model  # the policy's model before adapters, without weights

    @property
    def sampled(self) -> Policy:
        """The policy that gives the rollouts."""
        return self.sampler or self.policy

    @property
    def reference_model(self) -> Model | None:
        """The reference, if it has weights of its own."""
        return None if isinstance(self.reference, Unadapted) else self.reference

    @property
    def trainable(self) -> list[Tensor]:
        return [weight for weight in self.policy.model.parameters() if weight.requires_grad]


def prepare(policy: LocalPolicy, settings: Training, run: Path, served_as: str = "") -> TrainState:
    """Make a policy ready to be trained as the recipe says, in a run's folder."""
    model, low = policy.model, settings.dtype == "bfloat16"
    model.float().requires_grad_(True)
    meta_model = meta_copy(model)
    reference: Reference | None = None
    if settings.loss.kl and (settings.loss.reference or not settings.lora.rank):
        own: Model = deepcopy(model).eval().requires_grad_(requires_grad=False)
        if settings.loss.reference:
            load_reference(own, settings.loss.reference)
        reference = own
    model.recompute = settings.recompute
    if low:
        model.compute_dtype = torch.bfloat16
    if settings.lora.rank:
        add_adapters(model, settings.lora)
        if settings.loss.kl and reference is None:
            reference = Unadapted(model)
        if low and world_size() == 1:  # shards are of one dtype
            _round_frozen(model)
    if world_size() > 1:
        shard_model(model)
        if reference is not None and not isinstance(reference, Unadapted):
            shard_model(reference)
    judge: Judge = judge_in_workers
    sampler = sampler_for(policy, settings, meta_model, run, served_as)
    if sampler is not None:
        sampler, judge = over_ranks(sampler, each=ranks_of_an_engine(settings))
    return TrainState(policy, reference, sampler, judge, meta_model)


def load_reference(reference: Model, named: str | tuple[str, ...]) -> None:
    """Put the weights of a checkpoint, or the average of several, into the reference."""
    folders = [Path(name) for name in ([named] if isinstance(named, str) else named)]
    own = dict(reference.state_dict())
    weights = averaged(folders, [checkpoint_weights(folder, reference) for folder in folders])
    for name in sorted(own.keys() | weights.keys()):
        known = name in own and name in weights
        if not known or own[name].shape != weights[name].shape:
            raise UserError(
                f"[train.loss] reference: {folders[0]} is not of the policy's architecture: the"
                f" weight {name} differs"
            )
    load_full_state_dict(reference, weights)


def _round_frozen(model: Model) -> None:
    """Frozen weights need no more precision than the arithmetic has."""
    for module in adapted_layers(model).values():
        module.get_base_layer().to(torch.bfloat16)
