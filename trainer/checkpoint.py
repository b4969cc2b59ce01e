"""Checkpoints of a run: weights in the Hugging Face layout, and all else that going on needs.

Everything is safetensors and JSON: no pickle is written or read.
"""

import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import write_json
from puzzlemill.core.recipe import Train
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.transformer import Transformer


def save_run(
    folder: Path,
    record: dict[str, Any],
    policy: NativePolicy,
    optimizer: torch.optim.Optimizer,
    settings: Train,
    reference: Transformer | None = None,
) -> Path:
    """Write checkpoint-<step> whole, then let go of the one before it."""
    step = record["step"]
    final = folder / f"checkpoint-{step:06d}"
    beside = folder / f".checkpoint-{step:06d}"
    shutil.rmtree(beside, ignore_errors=True)
    checkpoint.save(policy.model, beside, policy.tokens)
    save_file(_tensors(optimizer), beside / "optimizer.safetensors")
    if reference is not None:
        weights = {name: weight.contiguous() for name, weight in reference.state_dict().items()}
        save_file(weights, beside / "reference.safetensors")
    write_json(beside / "run.json", record | {"settings": asdict(settings)})
    if not final.exists():
        beside.rename(final)
    shutil.rmtree(beside, ignore_errors=True)
    for older in saved(folder):
        if older != final:
            shutil.rmtree(older)
    return final


def saved(folder: Path) -> list[Path]:
    """The checkpoints in a run's folder, the oldest first."""
    found = (path for path in folder.glob("checkpoint-*") if (path / "run.json").is_file())
    return sorted(path for path in found if re.fullmatch(r"checkpoint-\d+", path.name))


def check_same(folder: Path, data: str, settings: Train) -> dict[str, Any]:
    """What run.json says, if it is the same run; going on with other data would not be."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    if run["data"] != data:
        raise UserError(
            f"{folder}: this run was begun on other data; move its folder {folder.parent} away to"
            " train anew, or restore the dataset"
        )
    now = json.loads(json.dumps(asdict(settings)))  # as it was written: with lists
    changed = [
        name for name, value in run["settings"].items() if name not in _FREE and now[name] != value
    ]
    if changed:
        raise UserError(
            f"{folder}: this run was begun with other settings ({', '.join(changed)}); move its"
            f" folder {folder.parent} away to train anew, or set them back"
        )
    return run


# What may change while a run goes on.
_FREE = ("steps", "save_every", "heldout", "measure_every", "keep_replies", "track")


def restore_optimizer(optimizer: torch.optim.Optimizer, path: Path) -> None:
    tensors = load_file(path)
    for place, weight in enumerate(_weights(optimizer)):
        optimizer.state[weight] = {
            name.partition(".")[2]: tensor.to(weight.device) if tensor.dim() else tensor
            for name, tensor in tensors.items()
            if name.partition(".")[0] == str(place)
        }


def restore_reference(reference: Transformer | None, path: Path) -> None:
    """As it was: it may have been set anew since the run began."""
    if reference is not None:
        reference.load_state_dict(load_file(path))


def _tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    return {
        f"{place}.{name}": tensor.contiguous()
        for place, weight in enumerate(_weights(optimizer))
        for name, tensor in optimizer.state[weight].items()
    }


def _weights(optimizer: torch.optim.Optimizer) -> list[Tensor]:
    return [weight for group in optimizer.param_groups for weight in group["params"]]
