"""A training run on a finished build: measure, train, measure again, and go on where it stopped."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import alone_in, write_json, write_text
from puzzlemill.core.parquet import read_table
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.recipe import Recipe, Train, recipe_of, unseen_of
from puzzlemill.core.registry import family
from puzzlemill.difficulty.curricula import Pool
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.hosted import HostedPolicy
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.trainer import ranks
from puzzlemill.trainer.adamw import AdamW, Optimizer
from puzzlemill.trainer.asking import Memory
from puzzlemill.trainer.checkpoint import (
    check_same,
    restore,
    save_run,
    saved,
)
from puzzlemill.trainer.contest import compared, contests, won
from puzzlemill.trainer.course import Course, Source, Stored, Ticket
from puzzlemill.trainer.endless import Endless
from puzzlemill.trainer.grpo import Step, forget, grpo
from puzzlemill.trainer.heldout import (
    Cell,
    Solved,
    Tally,
    by_cell,
    expansion,
    heldout_rows,
    measure,
    pass_at,
)
from puzzlemill.trainer.remembering import memory_as_data, memory_from_data
from puzzlemill.trainer.replies import keep_replies
from puzzlemill.trainer.selfplay import Averages, fingerprint, selfplay
from puzzlemill.trainer.tracking import check_track, tracking
from puzzlemill.trainer.turns import firsts, measure_tries, within
from puzzlemill.trainer.warm import warm_up
from puzzlemill.trainer.weights import Ready, give, ready, weights_in

REPLIES = 8  # to each held-out item
TRIES = (1, 2, 4, 8)
WARM = 2000  # fresh items to imitate, where items are endless

Tell = Callable[[Step, int], None]  # a step is done, and how many there will be


def quietly(step: Step, steps: int) -> None:
    """Tell nobody."""


def train(folder: Path, tell: Tell = quietly, settings: Train | None = None) -> Path:
    """Train a build's policy on its kept items, on fresh ones or on games; the last checkpoint's
    folder.

    Where torchrun starts this in several processes, they do it together.
    """
    recipe = recipe_of(folder)  # what is wrong with the folder is told before it is held
    with ranks.joined():
        first = ranks.number() == 0
        with alone_in(folder / "training", "training run") if first else nullcontext():
            return _train(folder, recipe, tell if first else quietly, settings)


def _train(folder: Path, recipe: Recipe, tell: Tell, settings: Train | None) -> Path:
    settings = settings or recipe.train
    recipe = replace(recipe, train=settings)
    check_track(settings.track)
    run = folder / "training"
    lessons = _of_games(recipe) if settings.play.games else _of_items(folder, recipe)
    policy = _policy(recipe)
    asked, judge = ranks.together(policy)
    before = _once(run / "before.json", lambda: lessons.measure(asked, judge=judge))
    if isinstance(lessons.course, Course):
        _warm(run, policy, lessons.course.source, settings)
    trained = ready(policy, settings, run, recipe.policy.model or recipe.policy.kind)
    optimizer = AdamW(trained.trainable, settings.learning_rate, settings.decay)
    curve, first = run / "heldout.jsonl", ranks.number() == 0
    course, data = lessons.course, lessons.data
    with tracking(settings.track if first else "", run, asdict(settings)) as track:
        for step in steps(run, trained, optimizer, course, data, settings):
            tell(step, settings.steps)
            track(step.step, _numbers(step))
            if settings.measure_every and (step.step + 1) % settings.measure_every == 0:
                cells = lessons.cells(lessons.measure(trained.asked, judge=trained.judge))
                if first:
                    note_down(curve, step.step + 1, cells)
                trials = max(sum(tally.trials for tally in cells.values()), 1)
                rate = sum(tally.successes for tally in cells.values()) / trials
                track(step.step, {"heldout": rate})
    last = ranks.agreed(saved(run))[-1]
    version = f"{folder.name}-{last.name}-{checkpoint.digest(last)}"
    told = lessons.summary(before, lessons.measure(trained.asked, judge=trained.judge)) | {
        "curriculum": settings.curriculum,
        "policy_before": policy.id,
        "policy_after": f"{version}/{policy.sampling}",
        **spent(run),
    }
    if first:
        write_json(folder / "training.json", told)
    return last


@dataclass(frozen=True, slots=True)
class Lessons:
    """What a run learns from, and how what it did is measured on what it did not see."""

    data: str  # a fingerprint: a run does not go on with other data
    course: Course | Averages
    measure: Callable[..., Any]  # of a policy, by a judge
    cells: Callable[[Any], Mapping[Cell, Tally]]  # of what was measured, by family or game
    summary: Callable[[Any, Any], dict[str, Any]]  # before and after


def _of_items(folder: Path, recipe: Recipe) -> Lessons:
    settings = recipe.train
    source, data = source_of(folder, recipe)
    seen, unseen = _cells(recipe, source.pool)
    heldout = heldout_rows([*seen, *unseen], settings.heldout, recipe.seed)
    course = Course(source, settings.curriculum)
    if settings.tries == 1:
        return Lessons(
            data,
            course,
            partial(measure, rows=heldout, replies=REPLIES),
            lambda found: by_cell(heldout, found, REPLIES),
            lambda before, after: summary(heldout, before, after, frozenset(unseen)),
        )
    tries, retry = settings.tries, settings.retry
    return Lessons(
        data,
        course,
        partial(measure_tries, rows=heldout, count=REPLIES, tries=tries, retry=retry),
        lambda found: by_cell(heldout, firsts(found), REPLIES),
        lambda before, after: (
            summary(heldout, firsts(before), firsts(after), frozenset(unseen))
            | {"within": within(before, after, REPLIES)}
        ),
    )


def _of_games(recipe: Recipe) -> Lessons:
    play, starts = recipe.train.play, recipe.train.heldout
    return Lessons(
        fingerprint(play),
        Averages(),
        partial(contests, settings=play, starts=starts, seed=recipe.seed),
        won,
        lambda before, after: {"cells": [], "games": compared(before, after)},
    )


def source_of(folder: Path, recipe: Recipe) -> tuple[Source, str]:
    """Where items come from, and the fingerprint of it."""
    if recipe.train.source == "endless":
        makes = [asdict(make) for make in recipe.make]
        endless = Endless(recipe)
        versions = sorted({(cell[0], family(cell[0]).version) for cell in endless.cells})
        return endless, sha256(canonical_json([makes, versions, recipe.seed]).encode()).hexdigest()
    rows, data = training_rows(folder)
    leave = unseen_of(recipe.train)
    kept = [
        row
        for row in rows
        if row["family"] not in leave and row["level"] not in recipe.train.unseen_levels
    ]
    if not kept:
        raise UserError(f"{folder}: nothing is left to train on: [train] unseen holds all there is")
    return Stored(kept), data


def steps(
    run: Path,
    trained: Ready,
    optimizer: Optimizer,
    course: Course | Averages,
    data: str,
    settings: Train,
) -> Iterator[Step]:
    """The steps that are still to do, logged and with checkpoints."""
    log, memory, first, keep = run / "metrics.jsonl", Memory(), 0, forget
    if found := ranks.agreed(saved(run)):
        begun = check_same(found[-1], data, settings)
        first = begun["step"]
        restore(found[-1], trained, optimizer)
        course.restore(begun["course"])
        if isinstance(course, Course):
            memory = memory_from_data(begun["memory"], course)
    if ranks.number() == 0:
        keep_lines(log, first)
        keep = partial(keep_replies, run / "replies") if settings.keep_replies else forget
    else:
        log = Path(os.devnull)
    learning = (
        partial(grpo, course=course, judge=trained.judge, memory=memory, keep=keep)
        if isinstance(course, Course)
        else partial(selfplay, averages=course)
    )
    with log.open("a", encoding="utf-8") as file:
        for step in learning(
            trained.policy,
            optimizer,
            settings=settings,
            first=first,
            reference=trained.reference,
            sampler=trained.sampler,
        ):
            file.write(json.dumps(asdict(step)) + "\n")
            file.flush()
            done = step.step + 1
            if done % settings.save_every == 0 or done == settings.steps:
                record = {
                    "step": done,
                    "data": data,
                    "course": course.state(),
                    "memory": memory_as_data(memory),
                }
                save_run(run, record, trained, optimizer, settings)
            yield step


def keep_lines(path: Path, done: int) -> None:
    """The lines of the steps that are done: later ones will be done, and written, again."""
    lines = path.read_text().splitlines() if path.is_file() else []
    kept = [line for line in lines if json.loads(line)["step"] < done]
    write_text(path, "".join(line + "\n" for line in kept))


def note_down(curve: Path, done: int, cells: Mapping[Cell, Tally]) -> None:
    """What held-out items gave after so many steps."""
    known = curve.read_text().splitlines() if curve.is_file() else []
    lines = [line for line in known if json.loads(line)["done"] < done]
    told = [[*cell, tally.successes, tally.trials] for cell, tally in sorted(cells.items())]
    lines.append(json.dumps({"done": done, "cells": told}))
    write_text(curve, "".join(line + "\n" for line in lines))


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


def summary(
    rows: Sequence[dict[str, Any]], before: Solved, after: Solved, unseen: frozenset[Cell]
) -> dict[str, Any]:
    """What the run did to held-out items, for the report: of cells it was trained on, and of
    others."""
    first, second = (by_cell(rows, solved, REPLIES) for solved in (before, after))
    parts = {
        where: [row["uid"] for row in rows if ((row["family"], row["level"]) in unseen) == other]
        for where, other in (("seen", False), ("unseen", True))
    }
    told = {
        where: {
            "pass_at": [
                {
                    "k": k,
                    "before": round(pass_at(k, [before[uid] for uid in uids], REPLIES), 4),
                    "after": round(pass_at(k, [after[uid] for uid in uids], REPLIES), 4),
                }
                for k in TRIES
            ],
            "expansion": round(
                expansion({uid: before[uid] for uid in uids}, {uid: after[uid] for uid in uids}), 4
            ),
        }
        for where, uids in parts.items()
        if uids
    }
    return {
        "cells": [
            {
                "family": cell[0],
                "level": cell[1],
                "seen": cell not in unseen,
                "before": asdict(first[cell]),
                "after": asdict(tally),
            }
            for cell, tally in sorted(second.items())
        ],
        **told.get("seen", {}),
        "unseen": told.get("unseen"),
    }


def _policy(recipe: Recipe) -> LocalPolicy:
    """With weights in float32, whatever a checkpoint holds."""
    policy = new_policy(recipe.policy)
    if not isinstance(policy, NativePolicy | HostedPolicy):
        raise UserError(
            "training needs a policy of kind tiny, native or transformers, not"
            f" {recipe.policy.kind}: its weights must be here"
        )
    policy.model.float()
    return policy


def _warm(run: Path, policy: LocalPolicy, source: Source, settings: Train) -> None:
    """Imitation, once: what comes of it is kept, and read when the run goes on."""
    if not settings.warm.steps:
        return
    folder = run / "warm"
    if ranks.number() == 0 and not folder.is_dir():
        places = range(len(source.pool))
        few = -(-WARM // len(places)) if settings.source == "endless" else 1
        rows = [source.row(Ticket(place, serial)) for serial in range(few) for place in places]
        for _ in warm_up(policy, rows, settings.warm):
            pass
        checkpoint.save(policy.model, folder, policy.tokens)
    ranks.agreed(True)  # the others wait for it
    give(policy.model, weights_in(folder, policy.model))


def _cells(recipe: Recipe, pool: Pool) -> tuple[list[Cell], list[Cell]]:
    """Every level that the recipe asks for, of the families that teach something; and the cells
    that the recipe keeps unseen."""
    settings, leave = recipe.train, unseen_of(recipe.train)
    teaching = {family_ for family_, _ in pool.cells}
    levels = {level for make in recipe.make for level in make.levels}
    levels = (levels or {level for _, level in pool.cells}) | {*settings.unseen_levels}
    cells = [(name, level) for name in sorted(teaching | leave) for level in sorted(levels)]
    hidden = {cell for cell in cells if cell[0] in leave or cell[1] in settings.unseen_levels}
    return [cell for cell in cells if cell not in hidden], sorted(hidden)


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
