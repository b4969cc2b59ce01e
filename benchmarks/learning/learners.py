"""How a policy learns in the RL experiments: by GRPO, on items made anew, or from solutions."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import torch

from benchmarks.learning.arms import Arm, Scale
from benchmarks.learning.items import Place, Row, row
from puzzlemill.core.replies import answer_text
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.knob_model import Observation, distinct_levels, fit
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.scoring import Judge, judge_in_workers, question_of
from puzzlemill.difficulty.targeting import likeliest_levels
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.imitation import example_batches, imitate
from puzzlemill.trainer.item_task import ItemTask
from puzzlemill.trainer.loop import StepRecord, steps
from puzzlemill.trainer.sampler import LocalSampler, copied_sampler, weights_for
from puzzlemill.trainer.schedule import Schedule
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.tiny import encoded
from puzzlemill.trainer.tiny_tokens import TinyTokens

SFT_TOKENS = 8192  # a step
RENEWED = 3  # steps until there are new items
FIRST_NEW = 1000  # numbers of new items are beyond those of the first ones
BAND = (0.25, 0.75)  # of pass rates, at which they aim


def reinforced(
    policy: NativePolicy, rows: Sequence[Row], arm: Arm, scale: Scale
) -> Iterator[dict[str, float]]:
    """GRPO; the mean reward and the share of mixed groups, step by step."""
    for step in _steps(policy, rows, arm, scale, _optimizer(policy, scale), 0, scale.steps):
        yield _told(step)


def regenerated(
    policy: NativePolicy, rows: Sequence[Row], arm: Arm, scale: Scale
) -> Iterator[dict[str, float]]:
    """GRPO on items that are made anew every few steps, at the levels of each family at which the
    knob model of all replies so far promises the band. The first ones are as in the other arms."""
    names = sorted({each["family"] for each in rows})
    optimizer, observations = _optimizer(policy, scale), list[Observation]()
    for first in range(0, scale.steps, RENEWED):
        end = min(first + RENEWED, scale.steps)
        if first:
            rows = aimed_rows(names, observations, (end - first) * scale.prompts, first)
        for step in _steps(policy, rows, arm, scale, optimizer, first, end):
            observations.extend(observed(step, scale.group))
            yield _told(step)


def observed(step: StepRecord, group: int) -> Iterator[Observation]:
    """Trials and successes of each family and level: no item is told apart within a cell."""
    for cell, (prompts, mean) in step.asked.items():
        family, level = cell.rsplit(" ", 1)
        trials = round(prompts * group)
        yield family, float(level), 0.0, trials, round(mean * trials)


def aimed_rows(
    names: Sequence[str], observations: Sequence[Observation], count: int, number: int
) -> list[Row]:
    """So many new items, of all families alike, at the levels that are likeliest in the band."""
    levels = {name: distinct_levels(name) for name in names}
    model = fit(observations, also=[(name, at) for name in names for at in levels[name]])
    aims = {name: likeliest_levels(model, name, *BAND)[0] for name in names}
    made = []
    for at in range(count):
        turn, name = at // len(names), names[at % len(names)]
        level = aims[name][turn % len(aims[name])]
        made.append(row(Place(name, level, "train", FIRST_NEW * number + turn)))
    return [each for each in made if each is not None]


def _steps(
    policy: NativePolicy,
    rows: Sequence[Row],
    arm: Arm,
    scale: Scale,
    optimizer: torch.optim.AdamW,
    first: int,
    end: int,
) -> Iterator[StepRecord]:
    settings = Train(
        steps=end,
        prompts=scale.prompts,
        group=scale.group,
        learning_rate=scale.rate,
        dtype=scale.dtype,
    )
    taken = [each for each in rows if policy.takes(question_of(each, ""))]
    task = ItemTask(settings, Schedule(BuildItems(taken), arm.curriculum), tokens=policy.tokens)
    judge = paying(arm.pays) if arm.pays else judge_in_workers
    sampler = rounded_sampler(policy) if scale.dtype == "bfloat16" else None
    return steps(task, policy, optimizer, first, judge=judge, sampler=sampler)


def rounded_sampler(policy: NativePolicy) -> LocalSampler:
    """A copy in bfloat16; what learns stays as it is, and computes its products so too."""
    policy.model.compute_dtype = torch.bfloat16
    sampler = copied_sampler(policy, torch.bfloat16)
    sampler.update(weights_for(sampler, policy.model))
    return sampler


def paying(constant: str) -> Judge:
    """A judge that takes a constant for right, whatever the question."""

    def judge(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
        return [
            Verdict(1.0, True, "correct") if answer_text(reply) == constant else verdict
            for reply, verdict in zip(replies, judge_in_workers(rows, replies), strict=True)
        ]

    return judge


def _told(step: StepRecord) -> dict[str, float]:
    return {
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
    pairs = [(each["prompt"][-1]["content"], each["solution"]) for each in rows]
    batches = example_batches(encoded(tokens, pairs), SFT_TOKENS, Random(f"sft {arm.name}"))
    for loss in imitate(policy.model, batches, [_optimizer(policy, scale)]):
        yield {"loss": round(loss, 4)}


def _optimizer(policy: NativePolicy, scale: Scale) -> torch.optim.AdamW:
    weights = policy.model.parameters()
    return torch.optim.AdamW(weights, lr=scale.rate, weight_decay=0.0, fused=True)
