"""A sampler: vLLM's engines, on the trainer's own devices or on others of the same host.

On its own devices they sleep while a step is learned from, and wake once, so that each has the
memory in turn; with `max_staleness` they sample at the same time, and both have to have room.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.engine_environment import environment_of_engine
from puzzlemill.difficulty.policies.hugging_face import as_in_checkpoint, sees
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, all_received
from puzzlemill.difficulty.policies.weight_clients import EngineClient
from puzzlemill.difficulty.policies.weight_transfer import (
    Transfer,
    Way,
    check_handover,
    connect,
    way_to,
)
from puzzlemill.trainer import distributed
from puzzlemill.trainer.heap import release_device_memory
from puzzlemill.trainer.placement import Places, engine_places
from puzzlemill.trainer.settings import Train, Training

if TYPE_CHECKING:
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

ALL = ("weights", "kv_cache")  # as vLLM calls what wakes
SHARE = 0.5  # of a GPU's memory, while an engine is awake beside the trainer


@dataclass(slots=True)
class Memory:
    """What engines have on their devices: one for all who hold them."""

    sleeps: bool
    awake: tuple[str, ...] = ALL


@dataclass(frozen=True, slots=True)
class VllmSampler:
    """This rank's engines: one, none, or all there are."""

    engines: tuple["VllmPolicy", ...]
    policy: LocalPolicy  # whose model they have
    memory: Memory
    transfer: Transfer | None = None  # None: weights go through a file
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(32, "engines"))

    @property
    def id(self) -> str:
        return f"{self.policy.id} by vLLM"

    def takes(self, question: Question) -> bool:
        """As every rank says, with engines or without."""
        return self.policy.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        assert "weights" in self.memory.awake, "what they slept without is given by an update"
        self._wake(ALL)
        count = max(len(self.engines), 1)
        parts = [questions[place::count] for place in range(count)]
        groups: list[list[Reply]] = [[] for _ in questions]
        found = self._each(lambda engine, place: engine.sample(parts[place], n))
        for place, part in enumerate(found):
            groups[place::count] = part
        return all_received(groups)

    def at_most(self, max_tokens: int) -> "VllmSampler":
        return replace(self, engines=tuple(each.at_most(max_tokens) for each in self.engines))

    @property
    def weights_dtype(self) -> torch.dtype | None:
        """An engine of several devices reads the memory of ranks that have none."""
        if self.engines:
            return self.engines[0].dtype
        return self.transfer.stream.dtype if self.transfer is not None else None

    def update(self, weights: Mapping[str, Tensor]) -> None:
        """The cache is left asleep until something is sampled: there is room for two weights."""
        if self.weights_dtype is None:
            return
        self._wake(("weights",))
        named = as_in_checkpoint(self.policy.model, weights)
        if self.transfer is None:
            self._each(lambda engine, _: engine.update(named))
            return
        self.transfer.send(named)
        self._each(lambda engine, _: engine.renew(named))

    def rest(self) -> None:
        """Leave the device to learning, until the next weights come: those it has are dropped."""
        if self.memory.sleeps and self.memory.awake:
            self._each(lambda engine, _: engine.sleep(level=2))
            self.memory.awake = ()

    def _wake(self, parts: Sequence[str]) -> None:
        missing = [each for each in parts if each not in self.memory.awake]
        if missing:
            # The trainer's allocator keeps what it has freed, and an engine is another process.
            release_device_memory()
            self._each(lambda engine, _: engine.wake(*missing))
            self.memory.awake += tuple(missing)

    def _each(self, do: Callable[["VllmPolicy", int], Any]) -> list[Any]:
        """At once; each in a thread of its own where there are several."""
        if len(self.engines) < 2:
            return [do(engine, place) for place, engine in enumerate(self.engines)]
        return [*self.threads.map(do, self.engines, range(len(self.engines)))]


def vllm_sampler(
    policy: LocalPolicy, merged: LocalPolicy, settings: Training, folder: Path
) -> VllmSampler:
    """Engines for a policy's model, which is written into a folder for it to be read from. Every
    rank has to call it."""
    ahead = isinstance(settings, Train) and settings.max_staleness > 0
    places = engine_places(settings.placement, ahead)
    if distributed.rank() == 0:
        checkpoint.save(merged.model, folder, merged.tokens)
    distributed.barrier()
    device = policy.model.device
    check_handover(settings.handover, device)
    way: Way = "file" if settings.handover == "file" else way_to(device, places.apart)
    sleeps = device.type == "cuda" and not places.apart and not ahead
    engines = tuple(
        _engine(merged, folder, devices, places, _settings(device, places, way, sleeps))
        for devices in places.mine
    )
    transfer = None
    # By IPC each rank gives its own part; by NCCL the first one alone sends.
    if way == "ipc" or (way == "nccl" and engines):
        clients = [EngineClient(each.llm) for each in engines]
        dtype = engines[0].dtype if engines else torch.bfloat16
        transfer = connect(way, clients, [places.parallel] * len(clients), dtype, device)
    return VllmSampler(engines, policy, Memory(sleeps), transfer)


def _settings(device: torch.device, places: Places, way: Way, sleeps: bool) -> dict[str, Any]:
    """Further arguments of vllm.LLM."""
    found: dict[str, Any] = {"dtype": "float32", "enforce_eager": True}
    if device.type == "cuda":
        found = {"dtype": "bfloat16", "enable_sleep_mode": sleeps}
        if not places.apart:
            found["gpu_memory_utilization"] = SHARE
    if places.parallel > 1:
        found["tensor_parallel_size"] = places.parallel
    if way != "file":
        found["weight_transfer_config"] = {"backend": way}
    return found


def _engine(
    policy: LocalPolicy,
    folder: Path,
    devices: Sequence[int],
    places: Places,
    settings: Mapping[str, Any],
) -> "VllmPolicy":
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

    # A handle of the trainer's memory, and on a CPU a function, go to the engine's processes,
    # which are children of this one.
    os.environ["VLLM_ALLOW_INSECURE_SERIALIZATION"] = "1"
    with environment_of_engine(devices):
        return VllmPolicy(folder, policy.sampling, sees=sees(policy.model), engine=settings)
