"""A sampler: vLLM in the trainer's process and on its device (colocated).

It sleeps while a step is learned from, and wakes once, so that each has the device's memory in
turn; with `max_staleness` it samples at the same time, and both have to have room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hugging_face import as_in_checkpoint, sees
from puzzlemill.difficulty.policies.model import LocalPolicy, Model
from puzzlemill.difficulty.policies.policy import Question, Reply, all_received
from puzzlemill.trainer.heap import release_device_memory

if TYPE_CHECKING:
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

ALL = ("weights", "kv_cache")  # as vLLM calls what wakes
SHARE = 0.5  # of a GPU's memory, while it is awake


@dataclass(slots=True)
class VllmSampler:
    engine: "VllmPolicy"
    sleeps: bool
    model: Model  # of the names that weights come under
    awake: tuple[str, ...] = ALL  # what it has on the device

    @property
    def id(self) -> str:
        return self.engine.id

    def takes(self, question: Question) -> bool:
        return self.engine.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        assert "weights" in self.awake, "what it slept without is given by an update"
        self._wake(ALL)
        return all_received(self.engine.sample(questions, n))

    def at_most(self, max_tokens: int) -> "VllmSampler":
        self._wake(ALL)  # once, for all who hold the engine
        return replace(self, engine=self.engine.at_most(max_tokens))

    def update(self, weights: Mapping[str, Tensor]) -> None:
        """The cache is left asleep until something is sampled: there is room for two weights."""
        self._wake(("weights",))
        self.engine.update(as_in_checkpoint(self.model, weights))

    def rest(self) -> None:
        """Leave the device to learning, until the next weights come: those it has are dropped."""
        if self.sleeps and self.awake:
            self.engine.sleep(level=2)
            self.awake = ()

    def _wake(self, parts: Sequence[str]) -> None:
        missing = [each for each in parts if each not in self.awake]
        if missing:
            # The trainer's allocator keeps what it has freed, and the engine is another process.
            release_device_memory()
            self.engine.wake(*missing)
            self.awake += tuple(missing)


def vllm_sampler(policy: LocalPolicy, folder: Path, sleeps: bool) -> VllmSampler:
    """An engine for a policy's model, which is written into a folder for it to be read from."""
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

    checkpoint.save(policy.model, folder, policy.tokens)
    settings: dict[str, Any] = {"dtype": "float32", "enforce_eager": True}
    if torch.cuda.is_available():
        sleep = {"enable_sleep_mode": sleeps}
        settings = {"dtype": "bfloat16", "gpu_memory_utilization": SHARE, **sleep}
    engine = VllmPolicy(folder, policy.sampling, sees=sees(policy.model), engine=settings)
    sleeps = torch.cuda.is_available() and sleeps
    return VllmSampler(engine, sleeps, policy.model)
