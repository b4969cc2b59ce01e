"""Plain data in a file of safetensors: long lists of numbers as tensors, all else as JSON.

Rollouts are mostly tokens and log-probabilities, which JSON would write in three times the bytes.
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from puzzlemill.core.errors import UserError

SHORT = 8  # numbers; a list of fewer stays JSON
KINDS = {int: ("#whole", torch.int64), float: ("#real", torch.float64)}  # exact


def write_plain_data(data: Any, path: Path) -> None:
    numbers: dict[str, list[Any]] = {name: [] for name, _ in KINDS.values()}
    rest = json.dumps(_taken_out(data, numbers)).encode()
    tensors = {name: torch.tensor(numbers[name], dtype=dtype) for name, dtype in KINDS.values()}
    save_file(tensors | {"json": torch.tensor([*rest], dtype=torch.uint8)}, path)


def read_plain_data(path: Path) -> Any:
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    rest = json.loads(tensors.pop("json").numpy().tobytes())
    return _put_back(rest, tensors)


def _taken_out(data: Any, numbers: dict[str, list[Any]]) -> Any:
    if isinstance(data, dict):
        return {name: _taken_out(value, numbers) for name, value in data.items()}
    if not isinstance(data, list | tuple):
        return data
    kinds = {type(value) for value in data}
    if len(data) < SHORT or len(kinds) > 1 or not kinds <= KINDS.keys():
        return [_taken_out(value, numbers) for value in data]
    name, _ = KINDS[kinds.pop()]
    start = len(numbers[name])
    numbers[name].extend(data)
    return {name: [start, len(numbers[name])]}


def _put_back(data: Any, numbers: dict[str, Tensor]) -> Any:
    if isinstance(data, list):
        return [_put_back(value, numbers) for value in data]
    if not isinstance(data, dict):
        return data
    for name, places in data.items():
        if name in numbers:
            return numbers[name][slice(*places)].tolist()
    return {name: _put_back(value, numbers) for name, value in data.items()}
