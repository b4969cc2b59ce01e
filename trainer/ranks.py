"""Several processes, started by torchrun, that train one model: each samples and learns its part.

The weights are sharded over them by FSDP2. Every process picks the same prompts and knows all
replies and scores, so that advantages and curriculum are the same everywhere; the first one alone
writes files. Without torchrun there is one process, and nothing here does anything.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.model import Model
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.scoring import Judge, judge_in_workers

T = TypeVar("T")


def count() -> int:
    return dist.get_world_size() if dist.is_initialized() else 1


def number() -> int:
    return dist.get_rank() if dist.is_initialized() else 0


def started() -> bool:
    """Whether torchrun started this process as one of several."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


@contextmanager
def joined() -> Iterator[None]:
    """With the other processes, if there are any."""
    if not started() or dist.is_initialized():
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def gathered(mine: T, group: Any = None) -> list[T]:
    """What each process has, in their order."""
    if count() == 1:
        return [mine]
    found: list[Any] = [None] * count()
    dist.all_gather_object(found, mine, group=group)
    return found


def agreed(value: T) -> T:
    """What the first process says: the disk may have changed before another one looked."""
    return gathered(value)[0]


def dealt(items: Sequence[T]) -> list[T]:
    """Those that fall to this process."""
    return list(items[number() :: count()])


def collected(mine: Sequence[T], group: Any = None) -> list[T]:
    """What was dealt, again in order."""
    parts = gathered(list(mine), group)
    found: list[Any] = [None] * sum(map(len, parts))
    for place, part in enumerate(parts):
        found[place :: len(parts)] = part
    return found


def summed(mine: Mapping[str, float]) -> dict[str, float]:
    parts = gathered(dict(mine))
    return {name: sum(part[name] for part in parts) for name in mine}


def even(batches: Sequence[T], idle: T) -> list[T]:
    """As many batches in each process: where one has fewer, it goes on with what counts nothing,
    since weights are gathered by all at once."""
    most = max(gathered(len(batches)))
    return [*batches, *[idle] * (most - len(batches))]


def sharded(model: Model) -> None:
    """Let each process hold a part of every weight, gradient and optimizer state."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

    mesh = init_device_mesh(model.device.type, (count(),))
    for block in model.blocks():
        fully_shard(block, mesh=mesh)
        if hasattr(
            block, "forward_packed"
        ):  # of our own models: called in place of the block itself
            register_fsdp_forward_method(block, "forward_packed")
    assert isinstance(model, torch.nn.Module)
    fully_shard(model, mesh=mesh)
    register_fsdp_forward_method(model, "reply_states")


def full(weight: Tensor) -> Tensor:
    """The whole of a weight that may be sharded; every process has to ask for it."""
    weight = weight.detach()
    if count() == 1:
        return weight
    from torch.distributed.tensor import DTensor  # large, and of no use to one process

    return weight.full_tensor() if isinstance(weight, DTensor) else weight


def spread(whole: Tensor, like: Tensor) -> Tensor:
    """This process's part of a tensor, if that is how the other one lies."""
    whole = whole.to(like.device)
    if count() == 1:
        return whole
    from torch.distributed.tensor import DTensor, distribute_tensor

    if not isinstance(like, DTensor) or not whole.dim():
        return whole
    return distribute_tensor(whole, like.device_mesh, like.placements)


class Sampler(Protocol):
    """A policy that replies with the weights it was last told."""

    @property
    def id(self) -> str: ...

    def takes(self, question: Question) -> bool: ...

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]: ...

    def update(self, weights: Mapping[str, Tensor]) -> None: ...


@dataclass(frozen=True, slots=True)
class Shared:
    """A sampler in every process: each asks its own of a part of the questions."""

    sampler: Any
    # Of their own: replies may be sampled while weights are learned in another thread.
    group: Any = field(default_factory=lambda: dist.new_group(backend="gloo"))

    @property
    def id(self) -> str:
        found: str = self.sampler.id
        return found

    def takes(self, question: Question) -> bool:
        found: bool = self.sampler.takes(question)
        return found

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return collected(self.sampler.sample(dealt(questions), n), self.group)

    def update(self, weights: Mapping[str, Tensor]) -> None:
        self.sampler.update(weights)


def judged_together(judge: Judge, group: Any) -> Judge:
    """Each process judges a part of the replies, and knows the verdicts on all."""

    def judge_part(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
        return collected(judge(dealt(rows), dealt(replies)), group)

    return judge_part


class Together(NamedTuple):
    """Who replies and who judges, each process a part."""

    sampler: Any
    judge: Judge


def together(policy: Any, judge: Judge = judge_in_workers) -> Together:
    if count() == 1:
        return Together(policy, judge)
    shared = Shared(policy)
    return Together(shared, judged_together(judge, shared.group))
