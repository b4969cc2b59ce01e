"""A sampler: vLLM in the trainer's process and on its device (colocated).

It sleeps during the optimizer step, so that each has the device's memory in turn; with
`max_staleness` it samples at the same time, and both have to have room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hugging_face import as_in_checkpoint, sees
from puzzlemill.difficulty.policies.model import LocalPolicy, Model
from puzzlemill.difficulty.policies.policy import Question, Reply, all_received

if TYPE_CHECKING:
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

SHARE = 0.5  # of a GPU's memory, while it is awake


@dataclass(frozen=True, slots=True)
class VllmSampler:
    engine: "VllmPolicy"
    sleeps: bool
    model: Model  # of the names that weights come under

    @property
    def id(self) -> str:
        return self.engine.id

    def takes(self, question: Question) -> bool:
        return self.engine.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        if self.sleeps:
            self.engine.wake()
        groups = self.engine.sample(questions, n)
        if self.sleeps:
            self.engine.sleep()
        return all_received(groups)

    def update(self, weights: Mapping[str, Tensor]) -> None:
        if self.sleeps:
            self.engine.wake()
        self.engine.update(as_in_checkpoint(self.model, weights))
        if self.sleeps:
            self.engine.sleep()


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
    if sleeps:
        engine.sleep()
    return VllmSampler(engine, sleeps, policy.model)
