"""Collectives of torch.distributed for a run that torchrun started as several processes.

Every rank picks the same prompts and holds all replies and scores, so that advantages and
curriculum are the same everywhere; it samples and learns from its shard. The weights are sharded by
FSDP2. Rank 0 alone writes files. Without torchrun the world size is 1, and nothing here does
anything.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from puzzlemill.difficulty.policies.model import Model

T = TypeVar("T")


def world_size() -> int:
    return dist.get_world_size() if dist.is_initialized() else 1


def rank() -> int:
    return dist.get_rank() if dist.is_initialized() else 0


def started_by_torchrun() -> bool:
    """Whether this process is one of several."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


@contextmanager
def process_group() -> Iterator[None]:
    """The default process group, if torchrun started several processes."""
    if not started_by_torchrun() or dist.is_initialized():
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def all_gather(value: T, group: dist.ProcessGroup | None = None) -> list[T]:
    """The value of each rank, in their order."""
    if world_size() == 1:
        return [value]
    values: list[Any] = [None] * world_size()
    dist.all_gather_object(values, value, group=group)
    return values


def broadcast(value: T) -> T:
    """Rank 0's value: the disk may have changed before another rank looked."""
    return all_gather(value)[0]


def barrier() -> None:
    """Wait for all ranks."""
    all_gather(None)


def shard(items: Sequence[T], each: int = 1) -> list[T]:
    """This rank's share of the items: of so many ranks that follow each other, the first has all
    of their share."""
    return [] if rank() % each else list(items[rank() // each :: world_size() // each])


def gather_shards(
    mine: Sequence[T], group: dist.ProcessGroup | None = None, each: int = 1
) -> list[T]:
    """What `shard` divided, again in order."""
    shards = all_gather(list(mine), group)[::each]
    items: list[Any] = [None] * sum(map(len, shards))
    for place, part in enumerate(shards):
        items[place :: len(shards)] = part
    return items


def all_reduce_sum(values: Mapping[str, float]) -> dict[str, float]:
    parts = all_gather(dict(values))
    return {name: sum(part[name] for part in parts) for name in values}


def pad_to_longest(batches: Sequence[T], padding: T) -> list[T]:
    """As many batches on each rank, since FSDP gathers weights on all ranks at once: a rank with
    fewer goes on with a batch that counts nothing."""
    most = max(all_gather(len(batches)))
    return [*batches, *[padding] * (most - len(batches))]


def shard_model(model: Model) -> None:
    """Let each rank hold a shard of every weight, gradient and optimizer state (FSDP2). Weights are
    gathered and gradients summed in float32: in bfloat16 the norms' weights lose what a step adds
    to them, and two processes learn otherwise than one."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

    mesh = init_device_mesh(model.device.type, (world_size(),))
    for block in model.blocks():
        fully_shard(block, mesh=mesh)
        if hasattr(block, "forward_packed"):  # of our own: called in place of the block itself
            register_fsdp_forward_method(block, "forward_packed")
    assert isinstance(model, torch.nn.Module)
    fully_shard(model, mesh=mesh)
    register_fsdp_forward_method(model, "reply_states")


def reshard(model: Model) -> None:
    """Let each rank hold its shards alone: a forward pass without a backward pass leaves the whole
    of some weights behind, and what is written into those is lost."""
    if world_size() > 1:
        from torch.distributed.fsdp import FSDPModule

        for _, module in model.named_modules():
            if isinstance(module, FSDPModule):
                module.reshard()


def full_tensor(weight: Tensor) -> Tensor:
    """The whole of a weight that may be sharded; every rank has to call it."""
    weight = weight.detach()
    if world_size() == 1:
        return weight
    from torch.distributed.tensor import DTensor  # large, and of no use to one process

    return weight.full_tensor() if isinstance(weight, DTensor) else weight


def shard_like(whole: Tensor, like: Tensor) -> Tensor:
    """This rank's shard of a tensor, if the other one is sharded."""
    whole = whole.to(like.device)
    if world_size() == 1:
        return whole
    from torch.distributed.tensor import DTensor, distribute_tensor

    if not isinstance(like, DTensor) or not whole.dim():
        return whole
    return distribute_tensor(whole, like.device_mesh, like.placements)
