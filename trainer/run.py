"""A training run on a finished build: measure, train, measure again, and go on where it stopped."""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import write_json, write_text
from puzzlemill.core.parquet import read_table
from puzzlemill.core.recipe import Recipe, Train, recipe_of
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.trainer.checkpoint import (
    check_same,
    restore_optimizer,
    restore_reference,
    save_run,
    saved,
)
from puzzlemill.trainer.course import Course
from puzzlemill.trainer.grpo import Step, grpo
from puzzlemill.trainer.heldout import (
    Cell,
    Solved,
    by_cell,
    expansion,
    heldout_rows,
    measure,
    pass_at,
)

REPLIES = 8  # to each held-out item

Tell = Callable[[Step, int], None]  # a step is done, and how many there will be


def quietly(step: Step, steps: int) -> None:
    """Tell nobody."""


def train(folder: Path, tell: Tell = quietly, settings: Train | None = None) -> Path:
    """Train the build's policy on its kept items; the folder of the last checkpoint."""
    recipe = recipe_of(folder)
    settings = settings or recipe.train
    rows, data = training_rows(folder)
    heldout = heldout_rows(_cells(recipe, rows), settings.heldout, recipe.seed)
    run = folder / "training"
    policy = _policy(recipe)
    reference, course = _reference(policy, settings), Course(rows, settings.curriculum)
    before = _once(run / "before.json", lambda: measure(policy, heldout, REPLIES))
    optimizer = torch.optim.AdamW(
        policy.model.parameters(),
        lr=settings.learning_rate,
        weight_decay=settings.decay,
        fused=True,
    )
    for step in steps(run, policy, optimizer, course, data, settings, reference):
        tell(step, settings.steps)
    last = saved(run)[-1]
    trained = replace(policy, version=f"{folder.name}-{last.name}-{checkpoint.digest(last)}")
    after = measure(trained, heldout, REPLIES)
    told = summary(heldout, before, after) | {
        "policy_before": policy.id,
        "policy_after": trained.id,
        **spent(run),
    }
    write_json(folder / "training.json", told)
    return last


def steps(
    run: Path,
    policy: NativePolicy,
    optimizer: torch.optim.Optimizer,
    course: Course,
    data: str,
    settings: Train,
    reference: Transformer | None = None,
) -> Iterator[Step]:
    """The steps that are still to do, logged and with checkpoints."""
    log = run / "metrics.jsonl"
    first = 0
    if found := saved(run):
        begun = check_same(found[-1], data, settings)
        first, course.state = begun["step"], begun["course"]
        weights, _ = checkpoint.load(found[-1], device=str(policy.model.device))
        policy.model.load_state_dict(weights.state_dict())
        restore_optimizer(optimizer, found[-1] / "optimizer.safetensors")
        restore_reference(reference, found[-1] / "reference.safetensors")
    lines = log.read_text().splitlines()[:first] if log.is_file() else []
    write_text(log, "".join(line + "\n" for line in lines))  # later steps will be done again
    with log.open("a", encoding="utf-8") as file:
        for step in grpo(policy, optimizer, course, settings, first, reference=reference):
            file.write(json.dumps(asdict(step)) + "\n")
            file.flush()
            done = step.step + 1
            if done % settings.save_every == 0 or done == settings.steps:
                record = {"step": done, "data": data, "course": course.state}
                save_run(run, record, policy, optimizer, settings, reference)
            yield step


def training_rows(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The kept training rows in rank order, and the fingerprint of them all."""
    files = sorted((folder / "dataset" / "data").glob("train-*.parquet"))
    if not files:
        raise UserError(f"{folder}: no kept training items (dataset/data/train-*.parquet)")
    columns = ["uid", "family", "version", "level", "prompt", "images", "puzzle", "answer", "mean"]
    rows = [row for file in files for row in read_table(file, columns).to_pylist()]
    return rows, sha256("".join(row["uid"] for row in rows).encode()).hexdigest()


def spent(run: Path) -> dict[str, Any]:
    """What the run took."""
    log = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return {
        "steps": len(log),
        "seconds": round(sum(line["seconds"] for line in log), 1),
        "replies": sum(line["replies"] for line in log),
    }


def summary(rows: Sequence[dict[str, Any]], before: Solved, after: Solved) -> dict[str, Any]:
    """What the run did to held-out items, for the report."""
    first, second = (by_cell(rows, solved, REPLIES) for solved in (before, after))
    tries = [2**power for power in range(REPLIES.bit_length()) if 2**power <= REPLIES]
    return {
        "cells": [
            {
                "family": family,
                "level": level,
                "before": asdict(first[family, level]),
                "after": asdict(tally),
            }
            for (family, level), tally in sorted(second.items())
        ],
        "pass_at": [
            {
                "k": k,
                "before": round(pass_at(k, before.values(), REPLIES), 4),
                "after": round(pass_at(k, after.values(), REPLIES), 4),
            }
            for k in tries
        ],
        "expansion": round(expansion(before, after), 4),
    }


def _policy(recipe: Recipe) -> NativePolicy:
    policy = new_policy(recipe.policy)
    if not isinstance(policy, NativePolicy):
        raise UserError(
            f"training needs a policy of kind tiny or native, not {recipe.policy.kind}:"
            " its weights must be here"
        )
    return policy


def _reference(policy: NativePolicy, settings: Train) -> Transformer | None:
    """The policy as it is at the beginning, if the loss asks how far it has gone from there."""
    if not settings.loss.kl:
        return None
    return deepcopy(policy.model).eval().requires_grad_(requires_grad=False)


def _cells(recipe: Recipe, rows: Sequence[dict[str, Any]]) -> list[Cell]:
    """Every level that the recipe asks for, of the families that teach something."""
    teaching = {row["family"] for row in rows}
    asked = {level for make in recipe.make for level in make.levels}
    levels = asked or {row["level"] for row in rows}
    return [(family, level) for family in sorted(teaching) for level in sorted(levels)]


def _once(path: Path, call: Callable[[], Solved]) -> Solved:
    """Measured when the run begins, and read when it goes on."""
    if not path.is_file():
        write_json(path, call())
    found: Solved = json.loads(path.read_text())
    return found
