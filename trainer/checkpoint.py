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
from puzzlemill.trainer import distributed
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.adapters import (
    adapted_layers,
    adapter_weights,
    restore_adapters,
    write_adapters,
)
from puzzlemill.trainer.metrics_log import solved_shares
from puzzlemill.trainer.numbers_file import read_plain_data, write_plain_data
from puzzlemill.trainer.settings import Training
from puzzlemill.trainer.train_state import TrainState
from puzzlemill.trainer.weights import (
    checkpoint_weights,
    full_state_dict,
    load_full_state_dict,
    with_weights,
)

MEMORY = "memory.safetensors"  # of rollouts: what a run carries over


def save_run(
    folder: Path,
    record: dict[str, Any],
    state: TrainState,
    optimizer: Optimizer,
    settings: Training,
) -> Path:
    """Write checkpoint-<step> whole, then let go of older ones, but for those that are to be kept.

    It is a policy by itself, whatever it was made with; adapters lie in it once more.
    """
    final = folder / f"checkpoint-{record['step']:06d}"
    model, reference_model = state.policy.model, state.reference_model
    weights, tensors = full_state_dict(model), _tensors(optimizer)
    adapters = adapter_weights(model)
    reference = full_state_dict(reference_model) if reference_model is not None else {}
    if distributed.rank() == 0:
        beside = folder / f".{final.name}"
        shutil.rmtree(beside, ignore_errors=True)
        checkpoint.save(with_weights(state.meta_model, weights), beside, state.policy.tokens)
        save_file(tensors, beside / "optimizer.safetensors")
        if reference:
            save_file(_cloned(reference), beside / "reference.safetensors")
        if adapters:
            write_adapters(model, adapters, beside / "adapters")
        rest = {name: value for name, value in record.items() if name != "memory"}
        write_plain_data(record["memory"], beside / MEMORY)
        write_json(beside / "run.json", rest | {"settings": asdict(settings)})
        if not final.exists():
            beside.rename(final)
        shutil.rmtree(beside, ignore_errors=True)
        _remove_older(folder, settings)
    distributed.barrier()
    return final


def restore(folder: Path, state: TrainState, optimizer: Optimizer) -> None:
    """Weights, optimizer and reference, as they were."""
    model, reference_model = state.policy.model, state.reference_model
    if adapted_layers(model):
        restore_adapters(model, folder / "adapters")
    else:
        load_full_state_dict(model, checkpoint_weights(folder, model))
    if reference_model is not None:
        load_full_state_dict(reference_model, load_file(folder / "reference.safetensors"))
    restore_optimizer(optimizer, folder / "optimizer.safetensors")


def _remove_older(folder: Path, settings: Training) -> None:
    kept = best_checkpoint(folder) if settings.keep_best else None
    for older in checkpoints_in(folder)[: -settings.keep]:
        if older != kept:
            shutil.rmtree(older)


def best_checkpoint(folder: Path) -> Path | None:
    """Of the checkpoints in a run's folder, the one that was best on held-out items; the first of
    several that were."""
    shares = solved_shares(folder / "heldout.jsonl")
    measured = [
        (shares[step], path) for path in checkpoints_in(folder) if (step := _step(path)) in shares
    ]
    return max(measured, key=lambda pair: pair[0])[1] if measured else None


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def checkpoints_in(folder: Path) -> list[Path]:
    """The checkpoints in a run's folder, the oldest first."""
    whole = (path for path in folder.glob("checkpoint-*") if (path / "run.json").is_file())
    return sorted(path for path in whole if re.fullmatch(r"checkpoint-\d+", path.name))


def check_same(folder: Path, data: str, settings: Training) -> dict[str, Any]:
    """What run.json says, if it is the same run; going on with other data would not be."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    run["memory"] = read_plain_data(folder / MEMORY)
    if run["data"] != data:
        raise UserError(
            f"{folder}: this run was begun on other data; move its folder {folder.parent} away to"
            " train anew, or restore the dataset"
        )
    now = json.loads(json.dumps(asdict(settings)))  # as it was written: with lists
    changed = [
        name
        for name, value in run["settings"].items()
        if name not in _CHANGEABLE and now.get(name, value) != value
    ]
    if changed:
        raise UserError(
            f"{folder}: this run was begun with other settings ({', '.join(changed)}); move its"
            f" folder {folder.parent} away to train anew, or set them back"
        )
    return run


# What may change while a run goes on.
_CHANGEABLE = (
    *("steps", "save_every", "keep", "keep_best", "heldout", "measure_every", "keep_replies"),
    *("track", "server", "micro_batch"),
)


def restore_optimizer(optimizer: Optimizer, path: Path) -> None:
    tensors = load_file(path)
    for place, weight in enumerate(_weights(optimizer)):
        optimizer.state[weight] = {
            name.partition(".")[2]: distributed.shard_like(tensor, weight)
            for name, tensor in tensors.items()
            if name.partition(".")[0] == str(place)
        }


def _tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    return {
        f"{place}.{name}": distributed.full_tensor(tensor).contiguous()
        for place, weight in enumerate(_weights(optimizer))
        for name, tensor in optimizer.state[weight].items()
    }


def _cloned(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """No two of them in one place, as a file of safetensors wants it."""
    return {name: weight.clone() for name, weight in weights.items()}


def _weights(optimizer: Optimizer) -> list[Tensor]:
    return [weight for group in optimizer.param_groups for weight in group["params"]]
