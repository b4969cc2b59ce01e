"""LoRA by peft: low-rank adapters on a model's matrices, which themselves stay as they are."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from puzzlemill.core.errors import UserError, unknown
from puzzlemill.difficulty.policies.model import Limits, Model
from puzzlemill.trainer.distributed import full_tensor, shard_like
from puzzlemill.trainer.settings import Lora

NAME = "default"  # of the adapter, for peft
INNER = "inner."  # before the names of a model of transformers
LAYOUT = "base_model.model."  # before every name in peft's files
FILE = "adapter_model.safetensors"


def add_adapters(model: Model, settings: Lora, seed: int = 0) -> None:
    """Put adapters in, which change nothing as yet, and freeze all else."""
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise UserError("[train.lora] needs peft: pip install 'puzzlemill[train]'") from error

    last_names = {name: name.rpartition(".")[2] for name in model.lora_targets()}
    for target in settings.targets:
        if target not in last_names.values():
            raise unknown("target", target, sorted({*last_names.values()}), "[train.lora] targets")
    chosen = [name for name, last in last_names.items() if last in (settings.targets or [last])]
    if not chosen:
        raise UserError("[train.lora]: the model has no linear layers that adapters could go to")
    model.requires_grad_(False)
    config = LoraConfig(
        r=settings.rank, lora_alpha=settings.alpha or 2 * settings.rank, target_modules=chosen
    )
    inject_adapter_in_model(config, model)
    source = torch.Generator().manual_seed(seed)  # peft's own first values are anyone's
    with torch.no_grad():
        for module in adapted_layers(model).values():
            weight = module.lora_A[NAME].weight
            drawn = torch.rand(weight.shape, generator=source) * 2 - 1
            weight.copy_(drawn / sqrt(weight.shape[1]))


def adapted_layers(model: Model) -> dict[str, Any]:
    """The layers with adapters, by name."""
    return {
        name: module
        for name, module in model.named_modules()
        if NAME in getattr(module, "lora_A", ())
    }


def weight_delta(module: Any) -> Tensor:
    """What the adapter adds to its layer's matrix: scaling * B @ A."""
    low, high = full_tensor(module.lora_A[NAME].weight), full_tensor(module.lora_B[NAME].weight)
    delta: Tensor = module.scaling[NAME] * (high.float() @ low.float())
    return delta


@contextmanager
def adapters_off(model: Model) -> Iterator[None]:
    """The model as it was before training."""
    layers = adapted_layers(model).values()
    scales = [module.scaling[NAME] for module in layers]
    for module in layers:
        module.scaling[NAME] = 0.0
    try:
        yield
    finally:
        for module, scale in zip(layers, scales, strict=True):
            module.scaling[NAME] = scale


@dataclass(frozen=True, slots=True)
class Unadapted:
    """A model read without its adapters: a reference that takes no memory."""

    model: Model

    @property
    def shape(self) -> Limits:
        return self.model.shape

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def shares_prompts(self) -> bool:
        return self.model.shares_prompts

    @property
    def compute_dtype(self) -> torch.dtype:
        return self.model.compute_dtype

    def __call__(self, tokens_BT: Tensor) -> Tensor:
        with adapters_off(self.model):
            return self.model(tokens_BT)

    def reply_states(self, *texts: Any, **others: Any) -> Tensor:
        with adapters_off(self.model):
            return self.model.reply_states(*texts, **others)

    def logits(self, hidden: Tensor) -> Tensor:
        with adapters_off(self.model):
            return self.model.logits(hidden)


def adapter_weights(model: Model) -> dict[str, Tensor]:
    """All adapters, under the names of peft's files."""
    return {name: full_tensor(weight) for name, weight in _named(model)}


def _named(model: Model) -> Iterator[tuple[str, Tensor]]:
    for name, module in adapted_layers(model).items():
        for part in ("lora_A", "lora_B"):
            weight = getattr(module, part)[NAME].weight
            yield f"{LAYOUT}{name.removeprefix(INNER)}.{part}.weight", weight


def write_adapters(model: Model, weights: Mapping[str, Tensor], folder: Path) -> None:
    """As peft reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    adapted: Any = model  # peft adds an attribute
    config = replace(adapted.peft_config[NAME])
    config.target_modules = {name.removeprefix(INNER) for name in adapted_layers(model)}
    config.save_pretrained(str(folder))
    save_file({name: value.contiguous() for name, value in weights.items()}, folder / FILE)


@torch.no_grad()
def restore_adapters(model: Model, folder: Path) -> None:
    weights = load_file(folder / FILE)
    for name, weight in _named(model):
        weight.copy_(shard_like(weights[name], weight))
