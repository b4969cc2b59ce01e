"""The loop of training: from a step's replies to new weights, and to its record.

It is a generator that yields a step's record: logging, checkpoints, evaluation and stopping belong
to the caller. Everything random is fixed by the step's number, so a run that is begun again at step
n goes on as if it had never stopped. What is asked and learned from, items or games, is the task's.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import torch

from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.scoring import Judge, judge_in_workers
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.heap import keep_what_is_freed
from puzzlemill.trainer.ranks import Sampler
from puzzlemill.trainer.settings import Loss, TokenLoss, Train, without_effect
from puzzlemill.trainer.task import Task
from puzzlemill.trainer.update import learn
from puzzlemill.trainer.weights import twin_of, whole


@dataclass(frozen=True, slots=True)
class Step:
    """What is known of a step when it is done."""

    step: int
    reward: float  # mean score of the replies to what was picked first, without hints
    mixed: float  # share of those groups that say anything
    loss: float
    clipped: float  # share of tokens whose gradient the ratio cuts off
    surprise: float  # -log probability of the tokens sampled: an estimate of the entropy
    entropy: float  # of the tokens learned from
    divergence: float  # from the reference policy, a token
    mismatch: float  # mean distance of log-probabilities between sampler and trainer
    mismatch_most: float
    gradient: float  # norm, before clipping
    skipped: float  # 1 where loss or gradient was not finite, so that there was no update
    length: float  # mean tokens of a reply
    replies: int
    tokens: int
    asked: dict[str, list[float]]  # by family and level: the prompts, and their replies' mean score
    discarded: dict[str, int]  # prompts that nothing is learned from, by family and level
    seconds: float
    notes: list[str]  # on the run's settings, in its first step
    also: dict[str, float] = field(default_factory=dict)  # what only runs of one kind have to tell


def steps(
    task: Task,
    policy: LocalPolicy,
    optimizer: Optimizer,
    first: int = 0,
    judge: Judge = judge_in_workers,
    reference: Any = None,
    sampler: Sampler | None = None,
) -> Iterator[Step]:
    """Train the policy's model in place, step by step, from `first` on.

    The sampler replies, if it is another than the policy: it is told the weights after each step.
    With a lag, the next step's replies are sampled while this one's are learned from.
    """
    keep_what_is_freed()
    settings, memory, most = task.settings, task.memory, policy.sampling.max_tokens
    if memory.entropy is None:
        memory.entropy = settings.loss.entropy
    lag = isinstance(settings, Train) and settings.lag
    if sampler is None and lag:
        sampler = twin_of(policy)
    if sampler is not None:
        sampler.update(whole(policy.model))
    asked = sampler or policy
    with ThreadPoolExecutor(1, "replies") as thread:
        for step in range(first, settings.steps):
            start = perf_counter()
            gathered = memory.ahead or task.gather(asked, judge, most, step)
            more = lag and step + 1 < settings.steps
            coming = thread.submit(task.gather, asked, judge, most, step + 1) if more else None
            lesson = task.lesson(gathered, policy, reference, step)
            loss = replace(settings.loss, entropy=memory.entropy)
            learned = learn(policy, optimizer, lesson.texts, loss, settings.gradient, reference)
            if isinstance(loss, Loss) and loss.entropy_aim and not learned["skipped"]:
                memory.entropy = fitted(memory.entropy, learned["entropy"], loss)
            if reference is not None:
                follow(reference, policy.model, loss, step + 1)
            memory.ahead = coming.result() if coming else None
            if sampler is not None:
                sampler.update(whole(policy.model))
            logps = [logp for reply in lesson.replies for logp in reply.logps]
            yield Step(
                step=step,
                reward=lesson.reward,
                mixed=lesson.mixed,
                **learned,
                surprise=-sum(logps) / max(len(logps), 1),
                length=len(logps) / max(len(lesson.replies), 1),
                replies=len(lesson.replies),
                tokens=len(logps),
                asked=lesson.asked,
                discarded=lesson.discarded,
                seconds=perf_counter() - start,
                notes=without_effect(settings) if step == 0 else [],
                also=lesson.also,
            )


def fitted(weight: float, entropy: float, settings: Loss) -> float:
    """The bonus's weight for the next step: more where there is less entropy than is aimed at."""
    step = settings.entropy_step if entropy < settings.entropy_aim else -settings.entropy_step
    return max(weight + step, 0.0)


@torch.no_grad()
def follow(reference: Any, model: Any, settings: TokenLoss, done: int) -> None:
    """Let the reference follow the policy, all at once now and then or a little at each step."""
    if settings.reference_every and done % settings.reference_every == 0:
        reference.load_state_dict(model.state_dict())
    if settings.reference_kept < 1:
        for old, new in zip(reference.parameters(), model.parameters(), strict=True):
            old.lerp_(new, 1 - settings.reference_kept)
