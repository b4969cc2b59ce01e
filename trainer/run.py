"""A training run on a finished build: measure, train, measure again, and go on where it stopped."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import alone_in, write_json
from puzzlemill.difficulty.curricula import name_in
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.kinds import kinds_to_train
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import is_local, lacking_for_training
from puzzlemill.difficulty.policies.weight_files import digest
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.recipe import Recipe, check_trainable, recipe_of
from puzzlemill.trainer import distributed
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.balance import is_tuned, tuned
from puzzlemill.trainer.checkpoint import (
    best_checkpoint,
    check_same,
    checkpoints_in,
    restore,
    save_run,
)
from puzzlemill.trainer.frozen_policy import frozen_policies
from puzzlemill.trainer.game_task import GameTask
from puzzlemill.trainer.item_task import ItemTask, item_task
from puzzlemill.trainer.loop import StepRecord, measures, saves, steps
from puzzlemill.trainer.metrics_log import (
    costs,
    log_evaluation,
    log_path,
    solved_share,
    solved_shares,
)
from puzzlemill.trainer.sampler import over_ranks, weights_for
from puzzlemill.trainer.settings import Train, TrainGames
from puzzlemill.trainer.settings.teaching import Warm
from puzzlemill.trainer.teacher import load_teacher
from puzzlemill.trainer.tracking import check_track, tracking
from puzzlemill.trainer.train_state import TrainState, prepare
from puzzlemill.trainer.train_task import TrainTask
from puzzlemill.trainer.warm_start import warm_up
from puzzlemill.trainer.weights import checkpoint_weights, load_full_state_dict

SKIPPED = 8  # steps in a row without an update, until a run stops

Report = Callable[[StepRecord, int], None]  # a step is done, and how many there will be


def no_report(step: StepRecord, steps: int) -> None:
    """Report nothing."""


def train(
    folder: Path, report: Report = no_report, settings: Train | TrainGames | None = None
) -> Path:
    """Train a build's policy on its kept items, on fresh ones or on games; the last checkpoint's
    folder.

    Where torchrun starts this in several processes, they train one model.
    """
    recipe = recipe_of(folder)  # errors of the folder come before it is locked
    check_trainable(recipe)
    recipe = replace(recipe, train=settings or recipe.train)
    with distributed.process_group():
        first_rank = distributed.rank() == 0
        with alone_in(folder, "training") if first_rank else nullcontext():
            return _train(folder, recipe, report if first_rank else no_report)


def _train(folder: Path, recipe: Recipe, report: Report) -> Path:
    settings, run, first_rank = recipe.train, folder / "training", distributed.rank() == 0
    check_track(settings.track)
    policy = policy_to_train(recipe.policy)
    task = _task(folder, recipe, policy)
    if isinstance(task, ItemTask) and is_tuned(task.settings.balance):
        policy = tuned(run, policy, task)
        settings = task.settings
    before = _measured_before(run / "before.json", task, policy)
    if isinstance(settings, Train) and settings.warm.steps:
        _warm_start(run / "warm", policy, task, settings.warm)
    state = prepare(policy, settings, run, recipe.policy.model or recipe.policy.kind)
    if isinstance(task, ItemTask):
        task.teacher = load_teacher(policy, task.settings.teacher)
    with tracking(settings.track if first_rank else "", run, asdict(settings)) as track:
        for step in _logged_steps(run, task, state):
            report(step, settings.steps)
            track(step.step, _numbers(step))
            if measures(settings, step.step + 1):
                track(step.step, {"heldout": _evaluate(run, task, state, step.step + 1)})
    last = distributed.broadcast(checkpoints_in(run))[-1]
    version = f"{folder.name}-{last.name}-{digest(last)}"
    summary = task.summary(before, task.measure(state.sampled, state.judge)) | {
        "curriculum": name_in(settings.curriculum) if isinstance(settings, Train) else "",
        "policy_before": policy.id,
        "policy_after": f"{version}/{policy.sampling}",
        **costs(run / "metrics.jsonl"),
    }
    if settings.keep_best and first_rank:
        best = best_checkpoint(run)
        summary["best"] = best.name if best else ""
    if first_rank:
        write_json(folder / "training.json", summary)
    return last


def _evaluate(run: Path, task: TrainTask, state: TrainState, steps_done: int) -> float:
    """Measure on held-out items, with a line in their log; the share that is solved."""
    cells = task.cells(task.measure(state.sampled, state.judge))
    if distributed.rank() == 0:
        log_evaluation(run / "heldout.jsonl", steps_done, cells)
    return solved_share(cells)


def _evaluate_if_missed(run: Path, task: TrainTask, state: TrainState, steps_done: int) -> None:
    """Where a run was stopped between a checkpoint and its evaluation."""
    known = distributed.broadcast(solved_shares(run / "heldout.jsonl"))
    if measures(task.settings, steps_done) and steps_done not in known:
        if state.sampler is not None:
            state.sampler.update(weights_for(state.sampler, state.policy.model))
        _evaluate(run, task, state, steps_done)


def _task(folder: Path, recipe: Recipe, policy: LocalPolicy) -> TrainTask:
    if isinstance(recipe.train, TrainGames):
        play = recipe.train.play
        frozen = frozen_policies([*play.opponents, *play.against], policy)
        return GameTask(recipe.train, recipe.seed, frozen=frozen)
    return item_task(folder, recipe, policy.tokens)


def policy_to_train(settings: PolicySettings) -> LocalPolicy:
    """With weights in float32, whatever a checkpoint holds."""
    policy = new_policy(settings)
    if not is_local(policy):
        raise UserError(
            "training needs a policy whose weights are in this process, and one of kind"
            f" {settings.kind} has no {', '.join(lacking_for_training(policy))}: set [policy]"
            f" kind to {' or '.join(kinds_to_train())}"
        )
    policy.model.float()
    return policy


def _measured_before(path: Path, task: TrainTask, policy: LocalPolicy) -> Any:
    """The evaluation before the first step: made once, and read when the run goes on."""
    if not distributed.broadcast(path.is_file()):
        sampled, judge = over_ranks(policy)
        measured = task.measure(sampled, judge)
        if distributed.rank() == 0:
            write_json(path, measured)
        distributed.barrier()
    return json.loads(path.read_text())


def _warm_start(folder: Path, policy: LocalPolicy, task: TrainTask, settings: Warm) -> None:
    """Imitation, once: its checkpoint is kept, and read when the run goes on."""
    if distributed.rank() == 0 and not folder.is_dir():
        for _ in warm_up(policy, task.examples(), settings):
            pass
        checkpoint.save(policy.model, folder, policy.tokens)
    distributed.barrier()
    load_full_state_dict(policy.model, checkpoint_weights(folder, policy.model))


def _logged_steps(run: Path, task: TrainTask, state: TrainState) -> Iterator[StepRecord]:
    """The steps that are still to do, each with a line in the log and some with a checkpoint."""
    settings, first, skipped = task.settings, 0, 0
    optimizer = AdamW(state.trainable, settings.learning_rate, settings.decay)
    if checkpoints := distributed.broadcast(checkpoints_in(run)):
        record = check_same(checkpoints[-1], task.fingerprint, settings)
        restore(checkpoints[-1], state, optimizer)
        task.restore(record)
        first = record["step"]
        _evaluate_if_missed(run, task, state, first)
    with log_path(run / "metrics.jsonl", first).open("a", encoding="utf-8") as log:
        for step in steps(
            task, state.policy, optimizer, first, state.judge, state.reference, state.sampler
        ):
            log.write(json.dumps(asdict(step)) + "\n")
            log.flush()
            done = step.step + 1
            if saves(settings, done):
                record = {"step": done, "data": task.fingerprint, **task.state()}
                task.write_log()
                save_run(run, record, state, optimizer, settings)
            yield step
            skipped = skipped + 1 if step.skipped == 1 else 0
            if skipped == SKIPPED:
                raise UserError(
                    f"{run}: the loss or gradient of {SKIPPED} steps in a row was not finite, and"
                    " none was learned from; change [train.loss] or [train.reward], and move this"
                    " folder away to train anew"
                )


def _numbers(step: StepRecord) -> dict[str, float]:
    """What trackers plot of a step."""
    values = asdict(step) | step.also
    return {name: value for name, value in values.items() if isinstance(value, float)}
