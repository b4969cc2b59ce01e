"""A pretended device: what a GPU would be asked, with real values, on a machine without one.

Torch's own fake tensors cannot stand for a GPU where torch is built without CUDA, and have no
values, so that sampling cannot run on them. Here a tensor says that it is on the device `meta`,
which our code treats as any device but a CPU, and keeps its values beside. An operation on tensors
of both devices is refused, as on a GPU.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from puzzlemill.difficulty.policies.transformer import frequencies

AWAY = torch.device("meta")
CROSSING = ("aten::_to_copy", "aten::copy_", "aten::_local_scalar_dense")


class AwayTensor(Tensor):
    held: Tensor

    @staticmethod
    def __new__(cls, real: Tensor) -> "AwayTensor":
        tensor: AwayTensor = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            real.shape,
            strides=real.stride(),
            storage_offset=real.storage_offset(),
            dtype=real.dtype,
            device=AWAY,
        )
        tensor.held = real
        return tensor

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        return dispatched(func, args, kwargs or {})


def dispatched(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Run it on the real values; refused if they are on two devices."""
    name, given = func._schema.name, dict(kwargs)
    tensors = [each for each in tree_leaves((args, given)) if isinstance(each, Tensor)]
    away = [each for each in tensors if isinstance(each, AwayTensor)]
    home = [each for each in tensors if not isinstance(each, AwayTensor) and each.dim()]
    if away and home and name not in CROSSING and not _indexed_by(name, args):
        raise RuntimeError(f"{name}: tensors on two devices, {[*map(_told, tensors)]}")
    device = given.get("device")
    goes_away = bool(away) if device is None else torch.device(device) == AWAY
    if name == "aten::copy_":
        goes_away = isinstance(args[0], AwayTensor)
    if device is not None:
        given["device"] = torch.device("cpu")
    plain = tree_map_only(AwayTensor, lambda each: each.held, (args, given))
    out = func(*plain[0], **plain[1])
    if not goes_away:
        return out
    known = {id(each.held): each for each in away}
    return tree_map_only(
        Tensor, lambda each: known[id(each)] if id(each) in known else AwayTensor(each), out
    )


def _indexed_by(name: str, args: Sequence[Any]) -> bool:
    """A GPU's tensor takes an index that is on the CPU."""
    return name in ("aten::index", "aten::index_put", "aten::index_put_") and isinstance(
        args[0], AwayTensor
    )


def _told(tensor: Tensor) -> str:
    return f"{tuple(tensor.shape)} on {'another' if isinstance(tensor, AwayTensor) else 'the CPU'}"


class _Operations(TorchDispatchMode):
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        return dispatched(func, args, kwargs or {})


class _Lists(TorchFunctionMode):
    """Lists become tensors, and tensors lists, without an operation that could be seen."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        if func is Tensor.tolist and isinstance(args[0], AwayTensor):
            return args[0].held.tolist()
        if func is torch.tensor and kwargs and kwargs.get("device") is not None:
            away = torch.device(kwargs["device"]) == AWAY
            made = torch.tensor(*args, **{**kwargs, "device": None})
            return made.to(AWAY) if away else made
        return func(*args, **(kwargs or {}))


@contextmanager
def another_device() -> Iterator[torch.device]:
    """Tensors of this device are there, with values, until the end of the block."""
    frequencies.cache_clear()
    # Views of wrapped tensors cannot be made in inference mode, which is faster and no other; and
    # the device `meta` has no autocast.
    patches = {
        "inference_mode": lambda mode=True: torch.no_grad() if mode else nullcontext(),
        "autocast": _no_autocast,
        "is_autocast_enabled": lambda device: False,
    }
    with _Lists(), _Operations(), patch.multiple(torch, **patches):
        yield AWAY
    frequencies.cache_clear()


@contextmanager
def _no_autocast(device: str, dtype: torch.dtype, enabled: bool) -> Iterator[None]:
    assert not enabled, "a pretended device has no autocast"
    yield
