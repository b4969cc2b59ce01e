"""Weights from a trainer to vLLM's engines, from device to device, by vLLM's own protocol.

vLLM's trainer side gathers what is to be sent and drives the engines through a client of four
methods (weight_clients.py); here is what is sent, and how. CUDA IPC is for engines on the trainer's
own devices, which read the trainer's memory; NCCL for engines on others, which all get one
broadcast.
"""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.weight_clients import AllClients, Client

Way = Literal["file", "ipc", "nccl"]


def check_handover(handover: str, device: torch.device) -> None:
    if handover == "direct" and device.type != "cuda":
        raise UserError(
            '[train] handover = "direct": the trainer has no GPU to send weights from: leave'
            " handover out, for a file"
        )


def way_to(device: torch.device, apart: bool) -> Way:
    """How weights get from a trainer's device to engines there or elsewhere; a file where there is
    no GPU."""
    if device.type != "cuda":
        return "file"
    return "nccl" if apart else "ipc"


class Described(NamedTuple):
    """A weight that is to come."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]


@dataclass(slots=True)
class WeightStream:
    """What vLLM's trainer side reads, once for each update: weights in the engine's own type, of
    which one at a time is rounded."""

    dtype: torch.dtype
    weights: Mapping[str, Tensor] = field(default_factory=dict)  # of the update that is due

    def metadata(self) -> list[Described]:
        return [
            Described(name, self._type(value), tuple(value.shape))
            for name, value in self.weights.items()
        ]

    def __iter__(self) -> Iterator[tuple[str, Tensor]]:
        for name, value in self.weights.items():
            yield name, value.detach().to(self._type(value))

    def _type(self, value: Tensor) -> torch.dtype:
        return self.dtype if value.is_floating_point() else value.dtype


@dataclass(slots=True)
class Transfer:
    """The way to some engines that update their weights together."""

    sender: Any  # vLLM's TrainerWeightTransferEngine
    stream: WeightStream
    device: torch.device  # of the trainer

    def send(self, weights: Mapping[str, Tensor]) -> None:
        self.stream.weights = weights
        try:
            with _on(self.device), _failure_told():
                if self.device.type == "cuda":  # the sender has streams of its own
                    torch.cuda.current_stream(self.device).synchronize()
                self.sender.send_weights()
        finally:
            self.stream.weights = {}  # or they would stay in memory until the next step


def connect(
    way: Way,
    clients: Sequence[Client],
    workers: Sequence[int],
    dtype: torch.dtype,
    device: torch.device,
    host: str = "127.0.0.1",
) -> Transfer:
    """Meet with engines of so many devices. By IPC every rank of the trainer has to call it,
    those without an engine, too: an engine of several devices reads the memory of several ranks."""
    from vllm.distributed.weight_transfer.factory import WeightTransferTrainerFactory

    stream = WeightStream(dtype)
    info: Any
    with _on(device), _failure_told():
        if way == "ipc":
            from vllm.distributed.weight_transfer.ipc_engine import IPCTrainerInitInfo

            info = IPCTrainerInitInfo(rank=0 if clients else 1, packed=True)
        else:
            from vllm.distributed.weight_transfer.nccl_engine import NCCLTrainerInitInfo

            info = NCCLTrainerInitInfo(host, free_port(host), 1 + sum(workers), rank=0)
        sender = WeightTransferTrainerFactory.trainer_init(
            info, client=AllClients(clients, workers), source=stream
        )
    return Transfer(sender, stream, device)


def _on(device: torch.device) -> Any:
    """In a thread of its own the device would be the first."""
    return torch.accelerator.device_index(device.index)


@contextmanager
def _failure_told() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError) as error:  # of NCCL, CUDA, and what vLLM refuses
        said = " ".join(str(error).split())[:300]
        raise UserError(
            f'weights could not be handed to vLLM ({said}): [train] handover = "file" hands them'
            " over by a file"
        ) from error


def free_port(host: str) -> int:
    with socket.socket() as free:
        free.bind((host, 0))
        port: int = free.getsockname()[1]
    return port


def own_address(url: str) -> str:
    """This host's, as a server sees it."""
    parts = urlsplit(url)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect((parts.hostname, parts.port or 80))  # nothing is sent
        except OSError as error:
            raise UserError(f"{url}: no way to this server ({error}); correct server") from None
        address: str = way.getsockname()[0]
    return address
