"""Placement and hand-over with the real vLLM on a CPU: engines of torchrun's ranks, engines apart,
one engine of two ranks, and its weight transfer.

    tools/set-up-vllm.sh && .venv-vllm/bin/python -m pytest -W ignore tests/real/vllm_placement.py

The transfer's way of bytes, CUDA IPC or NCCL, needs GPUs: here another one stands in, which hands
over the tensors themselves. All else is vLLM's.
"""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from vllm.distributed.weight_transfer.base import (
    TrainerWeightTransferEngine,
    WeightTransferEngine,
    WeightTransferInitInfo,
    WeightTransferUpdateInfo,
)
from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory
from vllm.model_executor.model_loader import reload
from vllm_on_cpu import ENGINE, SAMPLING, TINY, questions, shift, told, trained, untied

from puzzlemill.difficulty.policies.checkpoint import save_weights
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question
from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy
from puzzlemill.difficulty.policies.weight_clients import AllClients, EngineClient
from puzzlemill.difficulty.policies.weight_transfer import Transfer, WeightStream
from puzzlemill.trainer.vllm_sampler import Memory, VllmSampler

__all__ = ["questions"]  # a fixture
TORCHRUN = ("torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m")
SENT: dict[str, torch.Tensor] = {}  # on their way


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its output matrix is a weight of its own: vLLM on a CPU keeps a packed copy of a tied one."""
    folder = tmp_path_factory.mktemp("placed") / "policy"
    shutil.copytree(TINY, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
    save_weights(untied(load_file(folder / "model.safetensors")), folder)
    return folder


@dataclass
class Init(WeightTransferInitInfo):  # type: ignore[misc]
    packed: bool = False


@dataclass
class Update(WeightTransferUpdateInfo):  # type: ignore[misc]
    names: list[str] = field(default_factory=list)
    dtype_names: list[str] = field(default_factory=list)
    shapes: list[list[int]] = field(default_factory=list)


class Received(WeightTransferEngine[Init, Update]):  # type: ignore[misc]
    """The engine's side, as that of NCCL: weights in a checkpoint's form, layer by layer."""

    init_info_cls = Init
    update_info_cls = Update

    def init_transfer_engine(self, init_info: Init) -> None:
        assert init_info.packed

    def start_weight_update(self) -> None:
        reload.initialize_layerwise_reload(self.model)

    def finish_weight_update(self) -> None:
        reload.finalize_layerwise_reload(self.model, self.model_config)

    def receive_weights(self, update_info: Update) -> None:
        for name, dtype, shape in zip(
            update_info.names, update_info.dtype_names, update_info.shapes, strict=True
        ):
            weight = SENT[name]
            assert (str(weight.dtype), [*weight.shape]) == (f"torch.{dtype}", shape)
            self.model.load_weights([(name, weight)])

    def shutdown(self) -> None:
        pass


class Sender(TrainerWeightTransferEngine[Any]):  # type: ignore[misc]
    """The trainer's side, as that of NCCL: it is told what comes while it is being sent."""

    @classmethod
    def trainer_init(cls, init_info: Any, *, client: Any, source: Any = None) -> "Sender":
        client.init_weight_transfer_engine({"packed": True})
        return cls(client=client, source=source)

    def send_weights(self) -> None:
        source: Any = self.source
        meta = source.metadata()
        info = Update(
            [each.name for each in meta],
            [str(each.dtype).removeprefix("torch.") for each in meta],
            [[*each.shape] for each in meta],
        )
        self.client.start_weight_update()
        SENT.update(source)
        with ThreadPoolExecutor(1) as thread:
            thread.submit(self.client.update_weights, asdict(info)).result()
        self.client.finish_weight_update()


def test_weights_come_by_vllms_own_transfer(checkpoint: Path, questions: list[Question]) -> None:
    WeightTransferEngineFactory.register_engine("held", Received)
    settings = {**ENGINE, "weight_transfer_config": {"backend": "held"}}
    engine = VllmPolicy(checkpoint, SAMPLING, engine=settings)
    native = NativePolicy.load(checkpoint, SAMPLING)
    stream = WeightStream(engine.dtype)
    client = AllClients([EngineClient(engine.llm)], (1,))
    transfer = Transfer(
        Sender.trainer_init(None, client=client, source=stream), stream, torch.device("cpu")
    )
    sampler = VllmSampler((engine,), native, Memory(sleeps=False), transfer)
    known = engine.weights
    for _ in range(2):
        shift(native)
        sampler.update(native.model.state_dict())
        assert engine.weights != known
        known, worst = engine.weights, 0.0
        for question, replies in zip(questions, sampler.sample(questions, 3), strict=True):
            for reply in replies:
                wanted = told(native, question, reply)
                worst = max(worst, *(abs(a - b) for a, b in zip(reply.logps, wanted, strict=True)))
        print(f"\nlargest difference of a log-probability after a transfer: {worst:.1e}")
        assert worst < 1e-3
    assert not stream.weights, "they would stay in memory until the next step"


RATE = "learning_rate = 1e-3"
PLACEMENTS = {
    "an engine for each rank": ('sampler = "vllm"', TORCHRUN),
    "an engine of both ranks": ('sampler = "vllm"\nplacement = {parallel = 2}', TORCHRUN),
    "two engines apart": ('sampler = "vllm"\nplacement = {engines = 2}', ()),
    "ranks and an engine apart": ('sampler = "vllm"\nplacement = {engines = 1}', TORCHRUN),
}


@pytest.mark.parametrize("name", PLACEMENTS)
def test_a_model_is_trained_wherever_engines_are(
    name: str, checkpoint: Path, tmp_path: Path
) -> None:
    """Replies have the log-probabilities that the trainer's weights give them, step by step."""
    more, launcher = PLACEMENTS[name]
    steps = trained(tmp_path, checkpoint, f"{more}\n{RATE}", launcher, rate="")
    assert any(each["gradient"] > 0 for each in steps[:2]), "weights change"
