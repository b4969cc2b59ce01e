"""Building: a recipe through every step to a finished folder. Kill it anywhere and run it again."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import alone_in, sweep, write_json, write_text
from puzzlemill.core.recipe import Recipe, read_recipe, recipe_of
from puzzlemill.outputs.card import write_card
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.finish import finish
from puzzlemill.pipelines.journal import journal
from puzzlemill.pipelines.steps import Done, build_at, run_shard

BUILDS = Path("builds")

Tell = Callable[[Done, int], None]  # a shard is done, and how many its step has


class Each(Protocol):
    """Runs one step on all shards, in any way, and returns when all are done."""

    def __call__(self, folder: Path, step: str, shards: int, tell: Tell) -> Sequence[Done]: ...


def in_turn(folder: Path, step: str, shards: int, tell: Tell) -> Sequence[Done]:
    """One shard after the other, here."""
    build = build_at(folder)
    done = []
    for shard in range(shards):
        done.append(run_shard(build, step, shard))
        tell(done[-1], shards)
    return done


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
        started = _started(folder)
        write_json(folder / "recipe.json", asdict(found))
        made = build_at(folder)
        done = [shard for step in made.steps for shard in each(folder, step, made.shards, told)]
        finish(made, done, started)
        write_card(folder)
        write_report(folder)
    return folder


def ready_to_train(
    recipe: Path, builds: str | Path = BUILDS, each: Each = in_turn, tell: Tell = quietly
) -> Path:
    """The folder to train in: the recipe's build, finished, or where it trains on fresh items,
    the recipe alone."""
    found = read_recipe(recipe)
    if found.train.source == "build":
        return build(found, builds, each, tell)
    folder, known = Path(builds) / found.name, Path(builds) / found.name / "recipe.json"
    if (folder / "manifest.json").is_file() and recipe_of(folder) != found:
        raise UserError(f"{folder}: a build of another recipe is here; give this one another name")
    write_json(known, asdict(found))
    return folder


def _started(folder: Path) -> str:
    """When the build was begun: kept, so that going on later gives the same bytes."""
    path = folder / "started.txt"
    if not path.is_file():
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
        write_text(path, moment.strftime("%Y-%m-%dT%H:%M:%SZ\n"))
    started = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", started):
        raise UserError(f"{path}: damaged; remove it, and the build is dated anew")
    return started
