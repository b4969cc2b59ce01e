"""Runs of the RL experiments: an arm with a seed, and the pass rates that come of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, time
from typing import Any

import torch

from benchmarks.learning.arms import Arm, Scale
from benchmarks.learning.items import Row, with_wrong_golds
from benchmarks.learning.learners import imitated, regenerated, reinforced, rounded_sampler
from puzzlemill.core import registry
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Policy, Sampling
from puzzlemill.difficulty.scoring import question_of
from puzzlemill.trainer.evaluation import measure

MAX_TOKENS = 160  # of a reply


@dataclass(frozen=True, slots=True)
class Job:
    """A run in a process of its own."""

    key: str
    arm: Arm | None  # None: the student as it is
    seed: int
    rows: list[Row]
    measured: dict[str, list[Row]]  # by set
    student: Path
    scale: Scale
    device: str
    until: float  # seconds since the epoch at which it gives up


def awake(device: str) -> None:
    """Be ready: a process takes some seconds to load what runs need."""
    torch.zeros(1, device=device)
    for name in registry.names():
        registry.family(name)


def run(job: Job) -> dict[str, Any] | None:
    """What it came to; None where there was no time for it."""
    start = perf_counter()
    torch.set_num_threads(1)
    if job.device != "cpu":
        torch.set_float32_matmul_precision("high")
    sampling = Sampling(max_tokens=MAX_TOKENS)
    policy = NativePolicy.load(job.student, sampling, device=job.device, dtype="float32")
    policy.model.requires_grad_(requires_grad=True)
    curve: list[dict[str, float]] = []
    if job.arm is not None:
        rows = with_wrong_golds(job.rows, job.arm.wrong, job.seed)
        learn = imitated if job.arm.imitates else reinforced
        if job.arm.regenerates:
            learn = regenerated
        for record in learn(policy, rows, job.arm, job.scale):
            curve.append(record)
            if time() > job.until:
                return None
    learned = perf_counter() - start
    sampler = rounded_sampler(policy) if job.scale.dtype == "bfloat16" else policy
    rates = {name: pass_rates(sampler, rows, job.scale) for name, rows in job.measured.items()}
    seconds = {"learning": round(learned, 1), "all": round(perf_counter() - start, 1)}
    return {"rates": rates, "curve": curve, "seconds": seconds}


def pass_rates(policy: Policy, rows: Sequence[Row], scale: Scale) -> dict[str, list[int]]:
    taken = [row for row in rows if policy.takes(question_of(row, ""))]
    solved = measure(policy, taken, scale.replies)
    found: dict[str, list[int]] = {}
    for row in taken:
        right, replies = found.get(row["family"], [0, 0])
        found[row["family"]] = [right + solved[row["uid"]], replies + scale.replies]
    return found
