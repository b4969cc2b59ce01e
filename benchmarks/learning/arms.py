"""Arms of the RL experiments: what a student learns from, and the pass rates that it then has.

A run is an arm with a seed, which draws the families. Runs of one seed take the first of one order
of the source families, so that a narrower choice lies within a wider one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter, time
from typing import Any

import torch

from benchmarks.learning.breadth import drawn
from benchmarks.learning.items import (
    HARDER,
    LEVELS,
    OTHER_WORDINGS,
    Place,
    Row,
    places,
    with_wrong_golds,
)
from benchmarks.learning.solutions import Families
from puzzlemill.core import registry
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.scoring import judge_in_workers, question_of
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.evaluation import measure
from puzzlemill.trainer.imitation import example_batches, imitate
from puzzlemill.trainer.item_task import ItemTask
from puzzlemill.trainer.loop import steps
from puzzlemill.trainer.schedule import Schedule
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.tiny import encoded
from puzzlemill.trainer.tiny_tokens import TinyTokens

WIDE = (0.0, 0.1, 0.2, 0.35, 0.5, 0.7)  # levels, where the difficulty is chosen
OWN = 4  # of the families that are learned are measured
MAX_TOKENS = 160  # of a reply
SFT_TOKENS = 8192  # a step
BEFORE = "before"

Rates = dict[str, dict[str, list[int]]]  # by set and family: right replies, and replies


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    families: int
    levels: tuple[float, ...] = LEVELS
    curriculum: str = "uniform"
    wrong: float = 0.0  # the share of items whose gold is wrong
    imitates: bool = False  # one worked solution of each item (SFT), in place of RL


EXPERIMENTS: dict[str, tuple[Arm, ...]] = {
    "breadth": tuple(Arm(f"rl-{count}", count) for count in (1, 4, 16, 64, 256)),
    "wrong": (Arm("wrong-0.11", 64, wrong=0.11),),
    "imitation": tuple(Arm(f"sft-{count}", count, imitates=True) for count in (1, 4, 16, 64, 256)),
    "difficulty": (
        Arm("wide-uniform", 64, WIDE),
        Arm("wide-thompson", 64, WIDE, "thompson"),
        Arm("wide-staged", 64, WIDE, "staged"),  # from easy to hard
    ),
    "very wrong": (Arm("wrong-0.3", 64, wrong=0.3),),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is."""

    steps: int = 40
    prompts: int = 32  # a step
    group: int = 8  # replies to a prompt
    rate: float = 1e-4  # of AdamW
    items: int = 16  # of each held-out family, and of each other one that is measured
    replies: int = 4  # to each

    @property
    def prompted(self) -> int:
        return self.steps * self.prompts


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


def places_of(arm: Arm, seed: int, families: Families, scale: Scale) -> list[Place]:
    """Of the items that it learns from."""
    names = drawn(families, arm.families, seed)
    found = places(names, scale.prompted, "train", arm.levels)
    return sorted(found, key=lambda place: place.level) if arm.curriculum == "staged" else found


def measured_places(families: Families, scale: Scale) -> dict[str, list[Place]]:
    """Families that no student saw, and those that warm it and are never in RL."""
    return {
        "held": places(families.held, len(families.held) * scale.items, "test"),
        "base": places(families.base, len(families.base) * scale.items, "test"),
    }


def own_places(families: Families, seed: int, scale: Scale) -> dict[str, list[Place]]:
    """Of the first families of a seed's order, which all of its runs learn: levels and wordings
    as they are learned, and others."""
    names = drawn(families, OWN, seed)
    count = len(names) * scale.items * 2
    return {
        f"own {seed}": places(names, count, "test"),
        f"levels {seed}": places(names, count, "test", HARDER),
        f"wordings {seed}": places(names, count, "test", phrasings=OTHER_WORDINGS),
    }


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
        for record in learn(policy, rows, job.arm, job.scale):
            curve.append(record)
            if time() > job.until:
                return None
    learned = perf_counter() - start
    rates = {name: pass_rates(policy, rows, job.scale) for name, rows in job.measured.items()}
    seconds = {"learning": round(learned, 1), "all": round(perf_counter() - start, 1)}
    return {"rates": rates, "curve": curve, "seconds": seconds}


def reinforced(
    policy: NativePolicy, rows: Sequence[Row], arm: Arm, scale: Scale
) -> Iterator[dict[str, float]]:
    """GRPO; the mean reward and the share of mixed groups, step by step."""
    settings = Train(
        steps=scale.steps, prompts=scale.prompts, group=scale.group, learning_rate=scale.rate
    )
    taken = [row for row in rows if policy.takes(question_of(row, ""))]
    optimizer = _optimizer(policy, scale)
    task = ItemTask(settings, Schedule(BuildItems(taken), arm.curriculum), tokens=policy.tokens)
    for step in steps(task, policy, optimizer, judge=judge_in_workers):
        yield {
            "reward": round(step.reward, 4),
            "mixed": round(step.mixed, 4),
            "length": round(step.length, 1),
            "seconds": round(step.seconds, 2),
        }


def imitated(
    policy: NativePolicy, rows: Sequence[Row], arm: Arm, scale: Scale
) -> Iterator[dict[str, float]]:
    """SFT on the worked solutions, in one pass; the loss of each step."""
    tokens = TinyTokens(policy.tokens.tokenizer.backend_tokenizer)
    pairs = [(row["prompt"][-1]["content"], row["solution"]) for row in rows]
    batches = example_batches(encoded(tokens, pairs), SFT_TOKENS, Random(f"sft {arm.name}"))
    for loss in imitate(policy.model, batches, [_optimizer(policy, scale)]):
        yield {"loss": round(loss, 4)}


def _optimizer(policy: NativePolicy, scale: Scale) -> torch.optim.AdamW:
    weights = policy.model.parameters()
    return torch.optim.AdamW(weights, lr=scale.rate, weight_decay=0.0, fused=True)


def pass_rates(policy: NativePolicy, rows: Sequence[Row], scale: Scale) -> dict[str, list[int]]:
    taken = [row for row in rows if policy.takes(question_of(row, ""))]
    solved = measure(policy, taken, scale.replies)
    found: dict[str, list[int]] = {}
    for row in taken:
        right, replies = found.get(row["family"], [0, 0])
        found[row["family"]] = [right + solved[row["uid"]], replies + scale.replies]
    return found
