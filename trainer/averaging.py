"""Averages of checkpoints' weights: a model of their own (Goedel-Prover, SALSA's soup)."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.checkpoint import save_weights
from puzzlemill.difficulty.policies.weight_files import weight_files

OF_A_RUN = ("run.json", "adapters")  # what a run's checkpoint has, and its average has not


def average_checkpoints(folders: Sequence[Path], target: Path) -> None:
    """Write the mean of some checkpoints of one model as a checkpoint, whole or not at all. All but
    its weights is the first one's."""
    if target.exists():
        raise UserError(f"{target}: is there already; name a folder that is not")
    if len(folders) < 2:
        raise UserError("an average is of two checkpoints or more: name them")
    weights = averaged(folders, [_weights(folder) for folder in folders])
    beside = target.with_name(f"{target.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    shutil.copytree(folders[0], beside, ignore=_left_out)
    save_weights(weights, beside)
    beside.rename(target)


def _left_out(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if ".safetensors" in name or name in OF_A_RUN}


def _weights(folder: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    weights: dict[str, Tensor] = {}
    for file in weight_files(folder):
        try:
            weights |= load_file(file)
        except (SafetensorError, OSError) as error:
            raise UserError(f"{file}: cannot be read: {error}") from None
    return weights


def averaged(folders: Sequence[Path], weights: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each weight, computed in float32; folders are what errors name."""
    first = weights[0]
    for folder, other in zip(folders, weights, strict=True):
        for name in sorted(first.keys() | other.keys()):
            if name not in first or name not in other or first[name].shape != other[name].shape:
                raise UserError(
                    f"{folder}: the weight {name} is not as in {folders[0]}: the average is of"
                    " checkpoints of one model"
                )
            if not other[name].isfinite().all():
                raise UserError(f"{folder}: the weight {name} holds NaN or infinity")
    return {name: _mean([each[name] for each in weights]) for name in first}


def _mean(parts: Sequence[Tensor]) -> Tensor:
    if len(parts) == 1 or not parts[0].is_floating_point():
        return parts[0]
    total = parts[0].to(torch.float32, copy=True)
    for part in parts[1:]:
        total += part
    return (total / len(parts)).to(parts[0].dtype)
