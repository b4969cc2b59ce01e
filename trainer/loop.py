"""The training loop: rollouts, advantages, optimizer step, new weights for the sampler.

It is a generator that yields a step's record: logging, checkpoints, evaluation and stopping belong
to the caller. Everything random is fixed by the step's number, so a run that is begun again at step
n goes on as if it had never stopped. The task says what the rollouts are, of items or of games.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import cast

import torch

from puzzlemill.difficulty.policies.model import LocalPolicy, Model, Reader
from puzzlemill.difficulty.scoring import Judge, judge_in_workers
from puzzlemill.trainer import distributed
from puzzlemill.trainer.adamw import Optimizer, reset
from puzzlemill.trainer.adapters import Unadapted
from puzzlemill.trainer.heap import keep_freed_memory
from puzzlemill.trainer.keeping import keeper_of, keeping
from puzzlemill.trainer.learning_rates import learning_rate
from puzzlemill.trainer.policy_update import update_policy
from puzzlemill.trainer.rollout_queue import RolloutQueue
from puzzlemill.trainer.sampler import Sampler, copied_sampler
from puzzlemill.trainer.settings import Train, Training, without_effect
from puzzlemill.trainer.settings.losses import Loss, TokenLoss
from puzzlemill.trainer.train_task import TrainTask


@dataclass(frozen=True, slots=True)
class StepRecord:
    step: int
    reward: float  # mean score of the replies to the prompts picked first, without hints
    mixed: float  # share of those groups whose rewards differ
    loss: float
    clipped: float  # share of tokens without a gradient, since their importance ratio is clipped
    surprise: float  # mean negative log-probability of the sampled tokens: it estimates entropy
    entropy: float  # mean over the tokens trained on
    divergence: float  # KL divergence from the reference policy, a token
    mismatch: float  # mean absolute difference of log-probabilities, sampler to trainer
    mismatch_most: float  # the largest
    gradient: float  # norm, before clipping
    skipped: float  # share of updates not made, since loss or gradient was not finite
    learning_rate: float
    length: float  # mean tokens of a reply
    replies: int
    tokens: int
    asked: dict[str, list[float]]  # by family and level: prompts, and mean score of their replies
    discarded: dict[str, int]  # prompts that are not trained on, by family and level
    seconds: float
    notes: list[str]  # on the run's settings, in its first step
    also: dict[str, float] = field(default_factory=dict)  # metrics of one task only


def steps(
    task: TrainTask,
    policy: LocalPolicy,
    optimizer: Optimizer,
    first: int = 0,
    judge: Judge = judge_in_workers,
    reference: Model | Unadapted | None = None,
    sampler: Sampler | None = None,
) -> Iterator[StepRecord]:
    """Train the policy's model in place, step by step, from `first` on.

    The sampler gives the rollouts, if it is another than the policy: it gets the weights of each
    step. With `max_staleness`, later steps' rollouts are sampled while a step is trained on. Then
    the task's state is whole, and the sampler has the last weights, only after steps at which the
    settings ask for a checkpoint or a measurement.
    """
    keep_freed_memory()
    settings, buffers = task.settings, task.buffers
    if buffers.entropy_weight is None:
        buffers.entropy_weight = settings.loss.entropy
    staleness = settings.max_staleness if isinstance(settings, Train) else 0
    if sampler is None and staleness:
        sampler = copied_sampler(policy)
    reader = cast("Reader | None", reference)  # mypy does not take Unadapted for one
    with (
        closing(RolloutQueue(task, policy, sampler, judge, staleness)) as queue,
        keeper_of(policy, settings, sampler) as keeper,
    ):
        queue.settle(first)
        for step in range(first, settings.steps):
            start = perf_counter()
            with keeping(keeper):
                rollouts = queue.take(step)
            batch = task.batch(rollouts, policy, reader, step)
            loss = replace(settings.loss, entropy=buffers.entropy_weight)
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(settings, step)
            metrics = update_policy(policy, optimizer, batch.samples, settings, loss, reader)
            if keeper is not None:
                keeper.forget()
            if isinstance(loss, Loss) and follows_aim(loss) and not metrics["skipped"]:
                buffers.entropy_weight = next_entropy_weight(
                    buffers.entropy_weight, metrics["entropy"], loss
                )
            if reference is not None and not isinstance(reference, Unadapted):
                update_reference(reference, policy.model, loss, step + 1)
            if loss.reset_optimizer and due(loss, step + 1):
                reset(optimizer)
            if not staleness or saves(settings, step + 1) or measures(settings, step + 1):
                queue.settle(step + 1)
            logps = [logp for reply in batch.replies for logp in reply.logps]
            yield StepRecord(
                step=step,
                reward=batch.reward,
                mixed=batch.mixed,
                **metrics,
                learning_rate=learning_rate(settings, step),
                surprise=-sum(logps) / max(len(logps), 1),
                length=len(logps) / max(len(batch.replies), 1),
                replies=len(batch.replies),
                tokens=len(logps),
                asked=batch.asked,
                discarded=batch.discarded,
                seconds=perf_counter() - start,
                notes=without_effect(settings) if step == 0 else [],
                also=batch.also,
            )


def saves(settings: Training, steps_done: int) -> bool:
    """Whether a checkpoint is written after so many steps."""
    due = [settings.save_every] + [settings.measure_every] * settings.keep_best
    return steps_done == settings.steps or not all(steps_done % each for each in due)


def measures(settings: Training, steps_done: int) -> bool:
    """Whether held-out items are measured after so many steps."""
    return settings.measure_every > 0 and steps_done % settings.measure_every == 0


def follows_aim(settings: Loss) -> bool:
    """Whether the entropy bonus's weight changes from step to step."""
    return settings.entropy_aim > 0 and not settings.entropy_distance


def next_entropy_weight(weight: float, entropy: float, settings: Loss) -> float:
    """The entropy bonus's weight grows below the aim, and shrinks above."""
    step = settings.entropy_step if entropy < settings.entropy_aim else -settings.entropy_step
    return max(weight + step, 0.0)


def due(settings: TokenLoss, steps_done: int) -> bool:
    """Whether the policy becomes its own reference."""
    return bool(settings.reference_every) and steps_done % settings.reference_every == 0


@torch.no_grad()
def update_reference(reference: Model, model: Model, settings: TokenLoss, steps_done: int) -> None:
    """Let the reference follow the policy: a hard reset now and then, or an exponential moving
    average."""
    distributed.reshard(reference)
    if due(settings, steps_done):
        reference.load_state_dict(model.state_dict())
    if settings.reference_kept < 1:
        for old, new in zip(reference.parameters(), model.parameters(), strict=True):
            old.lerp_(new, 1 - settings.reference_kept)
