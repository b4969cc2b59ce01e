"""Builds that nobody watches: a numbered series of a recipe, new items when the old ones no longer
teach, and an end for old builds.

A series is told by the numbers in its folders' names, `demo-0007`, never by their dates: a clock
that jumps changes nothing.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.shapes import fields, text
from puzzlemill.core.storage.files import alone_in, read_json
from puzzlemill.outputs.finished_build import scored_rows
from puzzlemill.pipelines.build import BUILDS, Each, Tell, build, in_turn, quietly
from puzzlemill.pipelines.name_conflict import KEEP, attached
from puzzlemill.pipelines.recipe import Recipe, recipe_of
from puzzlemill.pipelines.regenerate import regenerate, share_in_band
from puzzlemill.pipelines.rescore import checkpoint_policy, rescore, rescore_recipe

PUBLISHED = "published.json"  # keeps a build's folder for good, as a file `keep` does


def next_build(
    recipe: Recipe,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
) -> Path:
    """The series' next build; one that was begun and not finished is gone on with."""
    return build(next_recipe(recipe, Path(builds)), builds, each, tell)


def next_recipe(recipe: Recipe, builds: Path) -> Recipe:
    """The recipe of the next build: other items, by another seed."""
    numbers = [number for number, folder in _series(builds, recipe.name) if _plain(folder)]
    last = max(numbers, default=0)
    number = last + 1 if not last or _finished(builds / _name(recipe.name, last)) else last
    # Addresses are hashed: nothing is shared with the seed before.
    return replace(recipe, name=_name(recipe.name, number), seed=recipe.seed + number)


def newest(name: str, builds: Path) -> Path:
    """The finished build with the highest number."""
    found = [
        (number, folder)
        for number, folder in _series(builds, name)
        if _plain(folder) and _finished(folder)
    ]
    if not found:
        raise UserError(f"{builds}: no finished build {name}-0001 or later; run `nightly` first")
    return max(found)[1]


def current_checkpoint(name: str, builds: Path) -> Path | None:
    """The last checkpoint of the series: of its last build that was trained on."""
    found = [
        (number, checkpoint)
        for number, folder in _series(builds, name)
        for checkpoint in folder.glob("training/checkpoint-*")
        if (checkpoint / "run.json").is_file()
    ]
    return max(found)[1] if found else None


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What came of scoring a build again."""

    rescored: Path
    share: float  # of its scored items that lie in the band
    regenerated: Path | None


def refresh(
    name: str,
    least: float,
    checkpoint: Path | None = None,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
) -> Refreshed:
    """Score the newest build under the current checkpoint, and make new items where too few of its
    items still lie in the band to regenerate in."""
    folder = newest(name, Path(builds))
    policy = checkpoint_policy(folder, checkpoint or current_checkpoint(name, Path(builds)))
    builds = Path(builds)
    unused = _unused(builds / rescore_recipe(folder, policy).name)  # under an earlier checkpoint
    rescored = rescore(folder, policy, builds=builds, each=each, tell=tell, replace=unused)
    share = share_in_band(scored_rows(rescored), *recipe_of(rescored).regenerate.band)
    if share >= least:
        return Refreshed(rescored, share, None)
    unused = _unused(builds / f"{rescored.name}-again")
    return Refreshed(rescored, share, regenerate(rescored, builds, each, tell, replace=unused))


def _unused(folder: Path) -> bool:
    """Whether nothing was made from a build, so that a later one may take its place unasked."""
    return not attached(folder) and not any((folder / name).exists() for name in (KEEP, PUBLISHED))


def tidy(name: str, keep: int, builds: Path) -> list[Path]:
    """Remove the series' old builds; their folders.

    What stays: the newest `keep` numbers with all that was made from them, what holds a file `keep`
    or was published, what one of these was made from, and what is under way.
    """
    if keep < 1:
        raise UserError(f"keep = {keep}: keep 1 build or more")
    series = list(_series(builds, name))
    finished = sorted({number for number, folder in series if _plain(folder) and _finished(folder)})
    recent = set(finished[-keep:])
    first = min(recent, default=0)
    staying = {
        folder.resolve()
        for number, folder in series
        if number >= first or (folder / KEEP).exists() or (folder / PUBLISHED).exists()
    }
    waiting = list(staying)
    while waiting:
        for parent in _made_from(waiting.pop()):
            if parent not in staying:
                staying.add(parent)
                waiting.append(parent)
    removed = []
    for _, folder in series:
        if folder.resolve() not in staying and _remove(folder):
            removed.append(folder)
    return removed


def _remove(folder: Path) -> bool:
    """Remove a build, unless somebody is at work in it."""
    try:
        with alone_in(folder, "tidying up"):
            # Out of sight first: half a build is not to be taken for a whole one.
            beside = folder.with_name(f".{folder.name}.old")
            shutil.rmtree(beside, ignore_errors=True)
            folder.rename(beside)
    except UserError:
        return False
    shutil.rmtree(beside)
    return True


def _made_from(folder: Path) -> list[Path]:
    """The builds that a build's recipe names."""
    path = folder / "recipe.json"
    if not path.is_file():
        return []
    recipe = read_json(path)
    if fault := _ANCESTORS(recipe, ""):
        raise UserError(f"{path}: {fault}")
    named = (recipe.get("parent"), recipe.get("score", {}).get("earlier"))
    return [Path(each).resolve() for each in named if each]


_ANCESTORS = fields({}, {"parent": text(), "score": fields({}, {"earlier": text()})})


def _series(builds: Path, name: str) -> Iterator[tuple[int, Path]]:
    """The folders of a series with their numbers, and those of what was made from its builds."""
    pattern = re.compile(rf"{re.escape(name)}-(\d{{4,}})(-(again|rescored))*")
    for folder in sorted(builds.glob(f"{name}-*")):
        found = pattern.fullmatch(folder.name)
        if found and folder.is_dir() and not folder.is_symlink():
            yield int(found[1]), folder


def _name(name: str, number: int) -> str:
    return f"{name}-{number:04d}"


def _plain(folder: Path) -> bool:
    """Whether it is a build of the series itself, not one made from another."""
    return folder.name.rpartition("-")[2].isdigit()


def _finished(folder: Path) -> bool:
    return (folder / "manifest.json").is_file() and (folder / "report.html").is_file()
