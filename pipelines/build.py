"""Building: a recipe through every step to a finished folder. Kill it anywhere and run it again."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from puzzlemill.core import pool
from puzzlemill.core.errors import UserError
from puzzlemill.core.files import alone_in, sweep, write_json
from puzzlemill.core.recipe import Recipe, read_recipe, recipe_of
from puzzlemill.outputs.card import write_card
from puzzlemill.outputs.finished import finished
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.arranging import ARRANGE, WRITE, arrangement_at
from puzzlemill.pipelines.finish import finish, keep
from puzzlemill.pipelines.journal import journal
from puzzlemill.pipelines.runners import Runner, running
from puzzlemill.pipelines.steps import POLICY, Done, build_at, prepare

BUILDS = Path("builds")

Tell = Callable[[Done, int], None]  # a shard is done, and how many its step has


class Each(Protocol):
    """Runs one step on all shards, in any way, and returns when all are done."""

    def __call__(
        self, folder: Path, step: str, shards: int, tell: Tell, runner: Runner
    ) -> Sequence[Done]: ...


def in_turn(folder: Path, step: str, shards: int, tell: Tell, runner: Runner) -> Sequence[Done]:
    """One shard after the other, as many at once as the runner has workers."""
    done = []
    if runner.at_once(step) == 1:
        for shard in range(shards):
            done.append(runner.run(folder, step, shard))
            tell(done[-1], shards)
        return done
    threads = ThreadPoolExecutor(runner.at_once(step))
    try:
        with pool.leaving_together():
            futures = [
                threads.submit(copy_context().run, runner.run, folder, step, shard)
                for shard in range(shards)
            ]
            for future in as_completed(futures):
                done.append(future.result())
                tell(done[-1], shards)
    finally:
        # Nothing here may be at work any more when the folder is let go.
        threads.shutdown(wait=runner.here, cancel_futures=True)
    return sorted(done, key=lambda each: each.shard)


def quietly(done: Done, shards: int) -> None:
    """Tell nobody."""


def build(
    recipe: str | Path | Recipe,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
) -> Path:
    """Run a recipe through every step; the finished folder, builds/<name>."""
    found = recipe if isinstance(recipe, Recipe) else read_recipe(Path(recipe))
    folder = Path(builds) / found.name
    with alone_in(folder), journal(folder) as book:

        def told(done: Done, shards: int) -> None:
            book.tell(done, shards)
            tell(done, shards)

        sweep(folder)
        write_json(folder / "recipe.json", asdict(found))
        made = build_at(folder)
        assert made.started, "it is noted down before anything is made"
        done: list[Done] = []
        with running(found) as runner:
            if found.policy.kind != "none":
                runner.run(folder, POLICY, 0)
            for step in made.steps:
                prepare(made, step)
                done += each(folder, step, made.shards, told, runner)
            where = arrangement_at(made)
            if where.missing:
                done += each(folder, ARRANGE, made.shards, told, runner)
            done += each(folder, WRITE, len(where.files), told, runner)
        told(finish(made, where, done), 1)
        ready = finished(folder)
        write_card(folder, ready)
        write_report(folder, ready)
        keep(made)
    return folder


def ready_to_train(
    recipe: Path, builds: str | Path = BUILDS, each: Each = in_turn, tell: Tell = quietly
) -> Path:
    """The folder to train in: the recipe's build, finished, or where it trains on fresh items or
    plays games, the recipe alone."""
    found = read_recipe(recipe)
    if found.train.source == "build" and not found.train.play.games:
        return build(found, builds, each, tell)
    folder, known = Path(builds) / found.name, Path(builds) / found.name / "recipe.json"
    if (folder / "manifest.json").is_file() and recipe_of(folder) != found:
        raise UserError(f"{folder}: a build of another recipe is here; give this one another name")
    if (folder / "training").is_dir() and recipe_of(folder).policy != found.policy:
        raise UserError(
            f"{folder}: a run was begun here with another [policy]; move the folder away to train"
            " anew, or set it back"
        )
    write_json(known, asdict(found))
    return folder
