"""What torchrun starts in each of the two processes of `test_together.py`: one run after another.

Most of a process's time goes into its imports, so the two are started once for all runs.

An engine stands in for vLLM's: the bundled policy, with the weights that it was given last. It
notes which rank had it, on which devices, what it was asked, and what it was told.
"""

import json
import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from puzzlemill.__main__ import app
from puzzlemill.difficulty.policies import vllm_engine
from puzzlemill.difficulty.policies.engine_environment import OF_TORCHRUN, VISIBLE
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.trainer import distributed

NOTES: list[dict[str, Any]] = []


@dataclass(slots=True)
class Engine:
    """As VllmPolicy is called."""

    model: Path
    sampling: Any
    sees: bool = False
    engine: dict[str, Any] = field(default_factory=dict)
    policy: NativePolicy = field(init=False)
    notes: dict[str, Any] = field(init=False)
    dtype: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        self.policy = tiny(self.sampling)
        self.notes = {
            "rank": distributed.rank(),
            "devices": os.environ[VISIBLE],
            "left": [name for name in OF_TORCHRUN if name in os.environ],
            "engine": self.engine,
            "asked": 0,
            "updates": 0,
        }
        NOTES.append(self.notes)

    def sample(self, questions: Any, n: int) -> Any:
        self.notes["asked"] += len(questions)
        return self.policy.sample(questions, n)

    def at_most(self, max_tokens: int) -> "Engine":
        limited = object.__new__(Engine)
        for name in Engine.__slots__:
            setattr(limited, name, getattr(self, name))
        limited.policy = replace(
            self.policy, sampling=replace(self.sampling, max_tokens=max_tokens)
        )
        return limited

    def update(self, weights: Any) -> None:
        self.notes["updates"] += 1
        self.policy.model.load_state_dict(weights)


if __name__ == "__main__":
    vars(vllm_engine)["VllmPolicy"] = Engine
    with distributed.process_group():
        for folder in sys.argv[1:]:
            NOTES.clear()
            app(["train", folder, "--plain"], standalone_mode=False)
            text = json.dumps(NOTES)
            Path(folder, f"engines of rank {distributed.rank()}").write_text(text)
