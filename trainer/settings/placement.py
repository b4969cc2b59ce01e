"""[train.placement]: on which devices vLLM samples in a run that torchrun or one process trains."""

from dataclasses import dataclass
from typing import Annotated

from puzzlemill.core.settings import Range


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the engines of sampler = "vllm" are. The trainer has a device for each of its
    processes."""

    # Engines on devices of their own, after those of the trainer; 0: as many as its devices hold,
    # which sample and learn by turns.
    engines: Annotated[int, Range(0, 1024)] = 0
    # Devices that hold the weights of an engine together (tensor parallelism).
    parallel: Annotated[int, Range(1, 1024)] = 1
