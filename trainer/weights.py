"""The weights of a model that is trained: made ready for it, and taken out whole again.

They are float32 while they are trained, whatever a checkpoint holds: small steps would be lost in
the rounding of anything less.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hugging_face import HuggingFaceModel, load
from puzzlemill.difficulty.policies.model import LocalPolicy, Model, Reader
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer import ranks
from puzzlemill.trainer.adapters import Unadapted, adapt, adapted, change
from puzzlemill.trainer.colocated import colocated
from puzzlemill.trainer.served import served
from puzzlemill.trainer.settings import Train, Training


@dataclass(frozen=True, slots=True)
class Ready:
    """A policy to train, and what goes with it."""

    policy: LocalPolicy  # its model may have adapters, and be sharded
    reference: Reader | None  # the policy at the beginning
    sampler: ranks.Sampler | None  # which a run tells its weights; None: the policy itself
    judge: Judge
    bare: Any  # its model without any weights

    @property
    def asked(self) -> Policy:
        return self.sampler or self.policy

    @property
    def own_reference(self) -> Any:
        """The reference, if it has weights of its own."""
        return None if isinstance(self.reference, Unadapted) else self.reference

    @property
    def trainable(self) -> list[Tensor]:
        return [weight for weight in self.policy.model.parameters() if weight.requires_grad]


def ready(policy: LocalPolicy, settings: Training, run: Path, served_as: str = "") -> Ready:
    """Make a policy ready to be trained as the recipe says, in a run's folder."""
    model, low = policy.model, settings.dtype == "bfloat16"
    model.float().requires_grad_(True)
    bare = without_weights(model)
    reference: Any = None
    if settings.loss.kl and not settings.lora.rank:
        reference = deepcopy(model).eval().requires_grad_(requires_grad=False)
    model.recompute = settings.recompute
    if low:
        model.compute_dtype = torch.bfloat16
    if settings.lora.rank:
        adapt(model, settings.lora)
        if settings.loss.kl:
            reference = Unadapted(model)
        if low and ranks.count() == 1:  # shards are of one dtype
            _round_frozen(model)
    if ranks.count() > 1:
        ranks.sharded(model)
        if reference is not None and not settings.lora.rank:
            ranks.sharded(reference)
    sampler: Any = None
    if settings.sampler != "itself" and ranks.count() > 1:
        raise UserError(
            f'[train] sampler = "{settings.sampler}" is for one process: leave torchrun out'
        )
    if settings.sampler == "server":
        sampler = served(policy, settings.server, served_as, run / "sampler")
    elif settings.sampler == "vllm":
        own: Any = policy
        plain = replace(own, model=given(bare, whole(model)))
        lag = settings.lag if isinstance(settings, Train) else 0
        sampler = colocated(plain, run / "sampler", lag)
    elif low or settings.lora.rank or ranks.count() > 1:
        sampler = Twin(policy, bare, torch.bfloat16 if low else torch.float32)
    sampler, judge = ranks.together(sampler)
    return Ready(policy, reference, sampler, judge, bare)


def _round_frozen(model: Model) -> None:
    """What is not trained needs no more than the arithmetic does."""
    for module in adapted(model).values():
        base = module.get_base_layer()
        base.to(torch.bfloat16)


def without_weights(model: Model) -> Any:
    """The same model with its weights yet to be given; it takes no memory."""
    assert isinstance(model, nn.Module)
    known: dict[int, Any] = {
        id(weight): nn.Parameter(torch.empty_like(weight, device="meta"), requires_grad=False)
        for weight in model.parameters()
    }
    return deepcopy(model, known).eval()


@torch.no_grad()
def whole(model: Model) -> dict[str, Tensor]:
    """All weights as a plain model has them: unsharded, adapters added. Each is the model's own
    where nothing had to be done to it. Every process has to ask."""
    layers = adapted(model)
    found = {}
    for name, value in model.state_dict().items():
        layer, _, last = name.rpartition(".")
        layer = layer.removesuffix(".base_layer")
        if ".lora_" in name:
            continue
        weight = ranks.full(value)
        if layer in layers and last == "weight":
            weight = weight.float() + change(layers[layer])
        found[f"{layer}.{last}"] = weight
    return found


def given(
    bare: Any, weights: Mapping[str, Tensor], dtype: torch.dtype = torch.float32, own: bool = False
) -> Any:
    """A model with these weights; not its own, where they are of that dtype, unless it is said."""
    model = deepcopy(bare)
    rounded = {
        name: value.to(dtype, copy=own) if value.is_floating_point() else value
        for name, value in weights.items()
    }
    model.load_state_dict(rounded, assign=True)
    if isinstance(model, HuggingFaceModel):
        model.inner.tie_weights()
    return model.requires_grad_(requires_grad=False)


@torch.no_grad()
def give(model: Model, weights: Mapping[str, Tensor]) -> None:
    """Put whole weights into a model, sharded or not."""
    for name, weight in model.state_dict().items():
        weight.copy_(ranks.spread(weights[name], weight))


def weights_in(folder: Path, model: Model) -> dict[str, Tensor]:
    """The weights of a checkpoint, by the names of a model like this."""
    if isinstance(model, HuggingFaceModel):
        return dict(load(folder, "float32").state_dict())
    return dict(checkpoint.load(folder, "float32")[0].state_dict())


@dataclass(slots=True)
class Twin:
    """The policy sampled with plain weights, made of those that are trained."""

    policy: Any
    bare: Any
    dtype: torch.dtype
    own: bool = False  # weights, and not those that are being trained

    @property
    def id(self) -> str:
        found: str = self.policy.id
        return found

    def takes(self, question: Question) -> bool:
        found: bool = self.policy.takes(question)
        return found

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        found: list[list[Reply]] = self.policy.sample(questions, n)
        return found

    def update(self, weights: Mapping[str, Tensor]) -> None:
        self.policy = replace(self.policy, model=given(self.bare, weights, self.dtype, self.own))


def twin_of(policy: LocalPolicy) -> Twin:
    """What is sampled while the policy learns."""
    return Twin(policy, without_weights(policy.model), torch.float32, own=True)
