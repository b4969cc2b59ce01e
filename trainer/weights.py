"""Weights of a model that is trained, as a plain model has them: unsharded, adapters merged."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hugging_face import HuggingFaceModel, load
from puzzlemill.difficulty.policies.model import Model
from puzzlemill.trainer import distributed
from puzzlemill.trainer.adapters import adapted_layers, weight_delta


def meta_copy(model: Model) -> Model:
    """The same model on the meta device: it has no weights yet, and takes no memory."""
    memo: dict[int, Any] = {
        id(weight): nn.Parameter(torch.empty_like(weight, device="meta"), requires_grad=False)
        for weight in model.parameters()
    }
    copied: Model = deepcopy(model, memo).eval()
    return copied


@torch.no_grad()
def full_state_dict(
    model: Model, dtype: torch.dtype | None = None, kept: bool = True
) -> dict[str, Tensor]:
    """All weights, unsharded and with adapters merged, rounded to a type one by one; none where
    they are not kept. Each is the model's own tensor where nothing had to be done to it. Every rank
    has to call it."""
    layers = adapted_layers(model)
    weights = {}
    for name, value in model.state_dict().items():
        layer, _, last = name.rpartition(".")
        layer = layer.removesuffix(".base_layer")
        if ".lora_" in name:
            continue
        weight = distributed.full_tensor(value)
        if layer in layers and last == "weight":
            weight = weight.float() + weight_delta(layers[layer])
        if kept:
            rounds = dtype is not None and weight.is_floating_point()
            weights[f"{layer}.{last}"] = weight.to(dtype) if rounds else weight
    return weights


def with_weights(
    meta_model: Model, weights: Mapping[str, Tensor], dtype: torch.dtype = torch.float32
) -> Model:
    """A model with these weights; they share memory where they are of that dtype already."""
    model = deepcopy(meta_model)
    model.load_state_dict(checkpoint.rounded(weights, dtype), assign=True)
    if isinstance(model, HuggingFaceModel):
        model.inner.tie_weights()
    frozen: Model = model.requires_grad_(requires_grad=False)
    return frozen


@torch.no_grad()
def load_full_state_dict(model: Model, weights: Mapping[str, Tensor]) -> None:
    """Put full weights into a model, sharded or not."""
    for name, weight in model.state_dict().items():
        weight.copy_(distributed.shard_like(weights[name], weight))


def checkpoint_weights(folder: Path, model: Model) -> dict[str, Tensor]:
    """The weights of a checkpoint, by the names of a model like this."""
    if isinstance(model, HuggingFaceModel):
        return dict(load(folder, "float32").state_dict())
    return dict(checkpoint.load(folder, "float32")[0].state_dict())
