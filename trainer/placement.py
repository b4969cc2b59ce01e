"""Where vLLM's engines are: which rank has them, and which devices each of them has.

The trainer's processes have the first devices of their host. Engines are on these, one for so many
ranks that follow each other, or on the devices behind them, all of them held by the first rank: one
process controls the run.
"""

import os
from dataclasses import dataclass

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.trainer import distributed
from puzzlemill.trainer.settings import Training
from puzzlemill.trainer.settings.placement import Placement


@dataclass(frozen=True, slots=True)
class Places:
    mine: tuple[tuple[int, ...], ...]  # the devices of each engine that this rank has
    parallel: int  # devices of an engine
    apart: bool  # whether they are others than the trainer's


def engine_places(placement: Placement, ahead: bool) -> Places:
    """Of this rank; `ahead`: sampling goes on while the trainer learns."""
    ranks, rank = distributed.world_size(), distributed.rank()
    each = placement.parallel
    here = int(os.environ.get("LOCAL_WORLD_SIZE", "1")) if ranks > 1 else 1
    local = int(os.environ.get("LOCAL_RANK", "0")) if ranks > 1 else 0
    if placement.engines:
        check_devices(here + placement.engines * each, here, placement)
        behind = range(here, here + placement.engines * each, each)
        found = tuple(tuple(range(first, first + each)) for first in behind)
        return Places(found if rank == 0 else (), each, apart=True)
    if here % each:
        raise UserError(
            f"[train.placement] parallel = {each}: the devices of {here} processes on this host"
            f" make no whole engines: start torchrun with --nproc-per-node a multiple of {each}, or"
            " set engines to have them on other devices"
        )
    if ahead and ranks > 1:
        raise UserError(
            "[train] max_staleness: several processes whose engines are on their own devices sample"
            " and learn by turns: set [train.placement] engines to have them on other devices, or"
            " max_staleness = 0"
        )
    own = tuple(range(local, local + each))
    return Places((own,) if local % each == 0 else (), each, apart=False)


def check_devices(wanted: int, learning: int, placement: Placement) -> None:
    """A CPU has as many devices as it is asked for."""
    there = torch.cuda.device_count() if torch.cuda.is_available() else wanted
    if wanted > there:
        raise UserError(
            f"[train.placement]: {learning} devices that learn and {placement.engines} engines of"
            f" {placement.parallel} are {wanted} devices, and this host has {there}: start fewer"
        )


def ranks_of_an_engine(settings: Training) -> int:
    """How many ranks, one after the other, have their replies from one of them."""
    if settings.sampler != "vllm":
        return 1
    ranks = distributed.world_size()
    return ranks if settings.placement.engines else min(settings.placement.parallel, ranks)
