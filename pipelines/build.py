"""Building: a recipe through every step to a finished folder. Kill it anywhere and run it again."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import alone_in, sweep, write_json
from puzzlemill.core.storage.store import store_at
from puzzlemill.filters._evaluation import files_of
from puzzlemill.outputs.card import write_card
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.manifest import data_files, read_manifest
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.arrangement import ARRANGE, WRITE, arrangement_at
from puzzlemill.pipelines.final_files import finish, upload
from puzzlemill.pipelines.journal import journal
from puzzlemill.pipelines.name_conflict import clear_begun, make_room
from puzzlemill.pipelines.policy_note import POLICY
from puzzlemill.pipelines.recipe import Recipe, read_recipe, recipe_from, recipe_of
from puzzlemill.pipelines.runners import Runner, running
from puzzlemill.pipelines.shards import Done, prepare
from puzzlemill.pipelines.steps import asks, build_at, build_of
from puzzlemill.trainer.settings import Train

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
    if runner.at_once(asks(step)) == 1:
        for shard in range(shards):
            done.append(runner.run(folder, step, shard))
            tell(done[-1], shards)
        return done
    threads = ThreadPoolExecutor(runner.at_once(asks(step)))
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
    replace: bool = False,
) -> Path:
    """Run a recipe through every step; the finished folder, builds/<name>.

    Where that holds a build of another recipe, it is refused, or takes its place.
    """
    recipe = _checked(recipe)
    check_sources(recipe)
    folder = Path(builds) / recipe.name
    try:
        with alone_in(folder, "a build"):
            if make_room(folder, recipe, replace):
                build_of(folder, recipe).begin()
            _run(recipe, folder, each, tell)
    except BaseException:
        clear_begun(folder)  # so that a build that cannot start leaves nothing behind
        raise
    return folder


def _checked(recipe: str | Path | Recipe) -> Recipe:
    if isinstance(recipe, Recipe):
        return recipe_from(asdict(recipe))  # it may be anybody's, made by hand
    if isinstance(recipe, str | Path):
        return read_recipe(Path(recipe))
    raise UserError(f"a recipe is the path of a TOML file, not {shown(recipe)}")


def _run(recipe: Recipe, folder: Path, each: Each, tell: Tell) -> None:
    """Every step of a recipe, in a folder that nobody else is at work in."""
    with journal(folder) as book:

        def record(done: Done, shards: int) -> None:
            book.tell(done, shards)
            tell(done, shards)

        sweep(folder)
        write_json(folder / "recipe.json", asdict(recipe))
        build = build_at(folder)
        assert build.started, "it is noted down before anything is made"
        done: list[Done] = []
        with running(recipe) as runner:
            if any(step.asks for step in build.steps):
                runner.run(folder, POLICY, 0)
                build = build_at(folder)
            for step in build.steps:
                prepare(build, step)
                done += each(folder, step.name, build.shards, record, runner)
            arrangement = arrangement_at(build)
            if arrangement.missing:
                done += each(folder, ARRANGE, build.shards, record, runner)
            done += each(folder, WRITE, len(arrangement.files), record, runner)
        record(finish(build, arrangement, done), 1)
        data = read_build(folder)
        write_card(folder, data)
        write_report(folder, data)
        upload(build)


def check_sources(recipe: Recipe) -> None:
    """Refuse a recipe that names what is not there, before its folder is begun."""
    pool.cores()  # which the environment may say wrongly
    files_of(recipe.decontaminate.against)
    for name in filter(None, (recipe.parent, recipe.score.earlier)):
        data_files(Path(name), read_manifest(Path(name)))
    if recipe.store:
        store_at(recipe.store, Path(recipe.name))


def ready_to_train(
    recipe: Path, builds: str | Path = BUILDS, each: Each = in_turn, tell: Tell = quietly
) -> Path:
    """The folder to train in: the recipe's build, finished, or where it trains on fresh items or
    plays games, the recipe alone."""
    to_train = read_recipe(recipe)
    if isinstance(to_train.train, Train) and to_train.train.source == "build":
        return build(to_train, builds, each, tell)
    folder = Path(builds) / to_train.name
    with alone_in(folder, "a build"):
        _begin_run(folder, to_train)
    return folder


def _begin_run(folder: Path, recipe: Recipe) -> None:
    """Note down the recipe of a run that needs no build."""
    if (folder / "manifest.json").is_file() and recipe_of(folder) != recipe:
        raise UserError(f"{folder}: a build of another recipe is here; give this one another name")
    if (folder / "training").is_dir() and recipe_of(folder).policy != recipe.policy:
        raise UserError(
            f"{folder}: a run was begun here with another [policy]; move the folder away to train"
            " anew, or set it back"
        )
    write_json(folder / "recipe.json", asdict(recipe))
