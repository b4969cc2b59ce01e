"""vLLM replies for the model that is being trained, in the same process and on the same device.

It sleeps while weights are learned, so that each has the device's memory in turn; with a lag it
replies in the meantime, and both have to have room.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hugging_face import as_in_checkpoint, sees
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, all_received

SHARE = 0.5  # of a GPU's memory, while it is awake


@dataclass(frozen=True, slots=True)
class Colocated:
    engine: Any  # a VllmPolicy
    sleeps: bool
    model: Any  # that is trained

    @property
    def id(self) -> str:
        found: str = self.engine.id
        return found

    def takes(self, question: Question) -> bool:
        found: bool = self.engine.takes(question)
        return found

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        if self.sleeps:
            self.engine.wake()
        found: list[list[Reply]] = self.engine.sample(questions, n)
        if self.sleeps:
            self.engine.sleep()
        return all_received(found)

    def update(self, weights: Mapping[str, Tensor]) -> None:
        if self.sleeps:
            self.engine.wake()
        self.engine.update(as_in_checkpoint(self.model, weights))
        if self.sleeps:
            self.engine.sleep()


def colocated(policy: LocalPolicy, folder: Path, lag: int) -> Colocated:
    """An engine for a policy's model, which is written into a folder for it to be read from."""
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

    checkpoint.save(policy.model, folder, policy.tokens)
    settings: dict[str, Any] = {"dtype": "float32", "enforce_eager": True}
    if torch.cuda.is_available():
        sleep = {"enable_sleep_mode": not lag}
        settings = {"dtype": "bfloat16", "gpu_memory_utilization": SHARE, **sleep}
    engine = VllmPolicy(folder, policy.sampling, sees=sees(policy.model), engine=settings)
    sleeps = torch.cuda.is_available() and not lag
    found = Colocated(engine, sleeps, policy.model)
    if found.sleeps:
        engine.sleep()
    return found
