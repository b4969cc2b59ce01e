"""Checkpoints of a run: weights in the Hugging Face layout, and all else that going on needs.

Everything is safetensors and JSON: no pickle is written or read.
"""

import json
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.trainer import ranks
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.adapters import adapted, adapter_weights, restore_adapters, write_adapters
from puzzlemill.trainer.settings import Training
from puzzlemill.trainer.weights import Ready, give, given, weights_in, whole


def save_run(
    folder: Path,
    record: dict[str, Any],
    trained: Ready,
    optimizer: Optimizer,
    settings: Training,
) -> Path:
    """Write checkpoint-<step> whole, then let go of the one before it.

    It is a policy by itself, whatever it was made with; adapters lie in it once more.
    """
    final = folder / f"checkpoint-{record['step']:06d}"
    model, own = trained.policy.model, trained.own_reference
    weights, tensors, adapters = whole(model), _tensors(optimizer), adapter_weights(model)
    reference = whole(own) if own is not None else {}
    if ranks.number() == 0:
        beside = folder / f".{final.name}"
        shutil.rmtree(beside, ignore_errors=True)
        checkpoint.save(given(trained.bare, weights), beside, trained.policy.tokens)
        save_file(tensors, beside / "optimizer.safetensors")
        if reference:
            save_file(_apart(reference), beside / "reference.safetensors")
        if adapters:
            write_adapters(model, adapters, beside / "adapters")
        write_json(beside / "run.json", record | {"settings": asdict(settings)})
        _exchange(beside, final, folder)
    ranks.agreed(True)  # the others wait for it
    return final


def restore(folder: Path, trained: Ready, optimizer: Optimizer) -> None:
    """Weights, optimizer and reference, as they were."""
    model = trained.policy.model
    if adapted(model):
        restore_adapters(model, folder / "adapters")
    else:
        give(model, weights_in(folder, model))
    if trained.own_reference is not None:
        give(trained.own_reference, load_file(folder / "reference.safetensors"))
    restore_optimizer(optimizer, folder / "optimizer.safetensors")


def _exchange(beside: Path, final: Path, folder: Path) -> None:
    if not final.exists():
        beside.rename(final)
    shutil.rmtree(beside, ignore_errors=True)
    for older in saved(folder):
        if older != final:
            shutil.rmtree(older)


def saved(folder: Path) -> list[Path]:
    """The checkpoints in a run's folder, the oldest first."""
    found = (path for path in folder.glob("checkpoint-*") if (path / "run.json").is_file())
    return sorted(path for path in found if re.fullmatch(r"checkpoint-\d+", path.name))


def check_same(folder: Path, data: str, settings: Training) -> dict[str, Any]:
    """What run.json says, if it is the same run; going on with other data would not be."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    if run["data"] != data:
        raise UserError(
            f"{folder}: this run was begun on other data; move its folder {folder.parent} away to"
            " train anew, or restore the dataset"
        )
    now = json.loads(json.dumps(asdict(settings)))  # as it was written: with lists
    changed = [
        name
        for name, value in run["settings"].items()
        if name not in _FREE and now.get(name, value) != value
    ]
    if changed:
        raise UserError(
            f"{folder}: this run was begun with other settings ({', '.join(changed)}); move its"
            f" folder {folder.parent} away to train anew, or set them back"
        )
    return run


# What may change while a run goes on.
_FREE = ("steps", "save_every", "heldout", "measure_every", "keep_replies", "track", "server")


def restore_optimizer(optimizer: Optimizer, path: Path) -> None:
    tensors = load_file(path)
    for place, weight in enumerate(_weights(optimizer)):
        optimizer.state[weight] = {
            name.partition(".")[2]: ranks.spread(tensor, weight)
            for name, tensor in tensors.items()
            if name.partition(".")[0] == str(place)
        }


def _tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    return {
        f"{place}.{name}": ranks.full(tensor).contiguous()
        for place, weight in enumerate(_weights(optimizer))
        for name, tensor in optimizer.state[weight].items()
    }


def _apart(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """No two of them in one place, as a file of safetensors wants it."""
    return {name: weight.clone() for name, weight in weights.items()}


def _weights(optimizer: Optimizer) -> list[Tensor]:
    return [weight for group in optimizer.param_groups for weight in group["params"]]
