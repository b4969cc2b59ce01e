"""Weight transfer: which way weights go, what is said of them, and who hears it.

vLLM's side is stand-ins here; `make vllm` has its own.
"""

from dataclasses import dataclass, field
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.weight_clients import AllClients, EngineClient
from puzzlemill.difficulty.policies.weight_transfer import Transfer, WeightStream, way_to


@pytest.mark.parametrize(
    ("device", "apart", "way"),
    [
        ("cpu", False, "file"),
        ("cpu", True, "file"),
        ("cuda", False, "ipc"),
        ("cuda:1", True, "nccl"),
    ],
)
def test_the_way_of_weights_goes_by_devices(device: str, apart: bool, way: str) -> None:
    assert way_to(torch.device(device), apart) == way


def test_what_is_said_of_weights_is_what_comes_each_time() -> None:
    """vLLM makes room by what is said, and a difference would be loaded as garbage."""
    stream = WeightStream(torch.bfloat16)
    for weights in ({"one": torch.ones(2, 3), "count": torch.arange(4)}, {"two": torch.zeros(5)}):
        stream.weights = weights
        for _ in range(2):
            come = [(name, value.dtype, tuple(value.shape)) for name, value in stream]
            assert come == [tuple(each) for each in stream.metadata()]
    assert [each.dtype for each in stream.metadata()] == [torch.bfloat16]
    stream.weights = {"count": torch.arange(4)}
    assert [each.dtype for each in stream.metadata()] == [torch.int64]


@dataclass
class Told:
    """A client that goes on only when all have been called."""

    barrier: Barrier
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def init_weight_transfer_engine(self, init_info: dict[str, Any]) -> None:
        self._note("init", init_info)

    def start_weight_update(self) -> None:
        self._note("start", None)

    def update_weights(self, update_info: dict[str, Any]) -> None:
        self._note("update", update_info)

    def finish_weight_update(self, weight_version: str | None = None) -> None:
        self._note("finish", weight_version)

    def _note(self, name: str, value: Any) -> None:
        self.barrier.wait(20)
        self.calls.append((name, value))


def test_engines_are_told_at_once_and_have_ranks_of_their_own() -> None:
    barrier = Barrier(3)
    clients = [Told(barrier) for _ in range(3)]
    every = AllClients(clients, (2, 1, 4))
    every.init_weight_transfer_engine({"rank_offset": 1, "world_size": 8})
    every.start_weight_update()
    every.update_weights({"names": ["one"]})
    every.finish_weight_update()
    offsets = [client.calls[0][1]["rank_offset"] for client in clients]
    assert offsets == [1, 3, 4], "behind the trainer and the devices of those before"
    for client in clients:
        assert [name for name, _ in client.calls] == ["init", "start", "update", "finish"]
    every.init_weight_transfer_engine({"packed": True})  # by IPC there are no ranks
    assert clients[1].calls[-1] == ("init", {"packed": True})


def test_an_engine_that_fails_is_heard() -> None:
    def fails(request: Any) -> None:
        raise RuntimeError(f"no {request['update_info']['names']}")

    every = AllClients([EngineClient(SimpleNamespace(update_weights=fails))], (1,))
    with pytest.raises(RuntimeError, match="no one"):
        every.update_weights({"names": "one"})


def test_weights_that_do_not_arrive_are_told_in_one_line_and_not_kept() -> None:
    stream = WeightStream(torch.float32)

    def send_weights() -> None:
        assert [*stream]
        raise RuntimeError("NCCL error:\n unhandled system error")

    transfer = Transfer(SimpleNamespace(send_weights=send_weights), stream, torch.device("cpu"))
    with pytest.raises(UserError, match=r'unhandled system error.*handover = "file"') as failed:
        transfer.send({"one": torch.ones(2)})
    assert "\n" not in str(failed.value)
    assert not stream.weights
