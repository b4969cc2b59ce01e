"""A training run on a finished build: measure, train, measure again, and go on where it stopped."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import alone_in, write_json, write_text
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hugging_face import HuggingFacePolicy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.pipelines.recipe import Recipe, check_trainable, recipe_of
from puzzlemill.trainer import ranks
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.checkpoint import check_same, restore, save_run, saved
from puzzlemill.trainer.games import Games
from puzzlemill.trainer.heldout import Cell, Tally
from puzzlemill.trainer.items import items_of
from puzzlemill.trainer.loop import Step, steps
from puzzlemill.trainer.settings import Train, TrainGames, Warm
from puzzlemill.trainer.task import Task
from puzzlemill.trainer.tracking import check_track, tracking
from puzzlemill.trainer.warm import warm_up
from puzzlemill.trainer.weights import Ready, give, ready, weights_in

SKIPPED = 8  # updates in a row that a run puts up with

Tell = Callable[[Step, int], None]  # a step is done, and how many there will be


def quietly(step: Step, steps: int) -> None:
    """Tell nobody."""


def train(folder: Path, tell: Tell = quietly, settings: Train | TrainGames | None = None) -> Path:
    """Train a build's policy on its kept items, on fresh ones or on games; the last checkpoint's
    folder.

    Where torchrun starts this in several processes, they do it together.
    """
    recipe = recipe_of(folder)  # what is wrong with the folder is told before it is held
    check_trainable(recipe)
    recipe = replace(recipe, train=settings or recipe.train)
    with ranks.joined():
        first = ranks.number() == 0
        with alone_in(folder, "training") if first else nullcontext():
            return _train(folder, recipe, tell if first else quietly)


def _train(folder: Path, recipe: Recipe, tell: Tell) -> Path:
    settings, run, first = recipe.train, folder / "training", ranks.number() == 0
    check_track(settings.track)
    task = _task(folder, recipe)
    policy = _policy(recipe)
    asked, judge = ranks.together(policy)
    before = _once(run / "before.json", lambda: task.measure(asked, judge))
    if isinstance(settings, Train) and settings.warm.steps:
        _warm(run / "warm", policy, task, settings.warm)
    trained = ready(policy, settings, run, recipe.policy.model or recipe.policy.kind)
    with tracking(settings.track if first else "", run, asdict(settings)) as track:
        for step in _logged(run, task, trained):
            tell(step, settings.steps)
            track(step.step, _numbers(step))
            if settings.measure_every and (step.step + 1) % settings.measure_every == 0:
                cells = task.cells(task.measure(trained.asked, trained.judge))
                if first:
                    note_down(run / "heldout.jsonl", step.step + 1, cells)
                track(step.step, {"heldout": _solved(cells)})
    last = ranks.agreed(saved(run))[-1]
    version = f"{folder.name}-{last.name}-{checkpoint.digest(last)}"
    told = task.summary(before, task.measure(trained.asked, trained.judge)) | {
        "curriculum": settings.curriculum if isinstance(settings, Train) else "",
        "policy_before": policy.id,
        "policy_after": f"{version}/{policy.sampling}",
        **spent(run),
    }
    if first:
        write_json(folder / "training.json", told)
    return last


def _logged(run: Path, task: Task, trained: Ready) -> Iterator[Step]:
    """The steps that are still to do, each with a line in the log and some with a checkpoint."""
    settings, first, skipped = task.settings, 0, 0
    optimizer = AdamW(trained.trainable, settings.learning_rate, settings.decay)
    if found := ranks.agreed(saved(run)):
        record = check_same(found[-1], task.fingerprint, settings)
        restore(found[-1], trained, optimizer)
        task.restore(record)
        first = record["step"]
    with _log(run / "metrics.jsonl", first).open("a", encoding="utf-8") as log:
        for step in steps(
            task,
            trained.policy,
            optimizer,
            first,
            trained.judge,
            trained.reference,
            trained.sampler,
        ):
            log.write(json.dumps(asdict(step)) + "\n")
            log.flush()
            done = step.step + 1
            if done % settings.save_every == 0 or done == settings.steps:
                record = {"step": done, "data": task.fingerprint, **task.state()}
                save_run(run, record, trained, optimizer, settings)
            yield step
            skipped = skipped + 1 if step.skipped else 0
            if skipped == SKIPPED:
                raise UserError(
                    f"{run}: the loss or gradient of {SKIPPED} steps in a row was not finite, and"
                    " none was learned from; change [train.loss] or [train.reward], and move this"
                    " folder away to train anew"
                )


def _log(path: Path, done: int) -> Path:
    """Where this process writes: without the lines of steps that will be done, and written, again;
    one process alone keeps a log."""
    if ranks.number() > 0:
        return Path(os.devnull)
    _keep_lines(path, "step", done)
    return path


def note_down(curve: Path, done: int, cells: Mapping[Cell, Tally]) -> None:
    """What held-out items gave after so many steps."""
    told = [[*cell, tally.successes, tally.trials] for cell, tally in sorted(cells.items())]
    line = json.dumps({"done": done, "cells": told})
    _keep_lines(curve, "done", done, line)


def _keep_lines(path: Path, counter: str, done: int, *more: str) -> None:
    """The lines from before so many steps, and some more."""
    lines = path.read_text().splitlines() if path.is_file() else []
    kept = [line for line in lines if json.loads(line)[counter] < done]
    write_text(path, "".join(line + "\n" for line in [*kept, *more]))


def _solved(cells: Mapping[Cell, Tally]) -> float:
    """The share of all replies that were right, or of games that were won."""
    trials = max(sum(tally.trials for tally in cells.values()), 1)
    return sum(tally.successes for tally in cells.values()) / trials


def spent(run: Path) -> dict[str, Any]:
    """What the run took."""
    log = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {
        "steps": len(log),
        "seconds": round(sum(line["seconds"] for line in log), 1),
        "replies": sum(line["replies"] for line in log),
    }


def _policy(recipe: Recipe) -> LocalPolicy:
    """With weights in float32, whatever a checkpoint holds."""
    policy = new_policy(recipe.policy)
    if not isinstance(policy, NativePolicy | HuggingFacePolicy):
        raise UserError(
            "training needs a policy of kind tiny, native or transformers, not"
            f" {recipe.policy.kind}: its weights must be here"
        )
    policy.model.float()
    return policy


def _task(folder: Path, recipe: Recipe) -> Task:
    if isinstance(recipe.train, TrainGames):
        return Games(recipe.train, recipe.seed)
    return items_of(folder, recipe)


def _warm(folder: Path, policy: LocalPolicy, task: Task, settings: Warm) -> None:
    """Imitation, once: what comes of it is kept, and read when the run goes on."""
    if ranks.number() == 0 and not folder.is_dir():
        for _ in warm_up(policy, task.examples(), settings):
            pass
        checkpoint.save(policy.model, folder, policy.tokens)
    ranks.agreed(True)  # the others wait for it
    give(policy.model, weights_in(folder, policy.model))


def _numbers(step: Step) -> dict[str, float]:
    told = asdict(step) | step.also
    return {name: value for name, value in told.items() if isinstance(value, float)}


def _once(path: Path, call: Callable[[], Any]) -> Any:
    """Measured when the run begins, and read when it goes on."""
    if not ranks.agreed(path.is_file()):
        found = call()
        if ranks.number() == 0:
            write_json(path, found)
        ranks.agreed(True)
    return json.loads(path.read_text())
