"""Scoring a finished build's items again, under the policy of today."""

from dataclasses import replace
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import PolicySettings, Recipe, recipe_of
from puzzlemill.pipelines.build import BUILDS, Each, Tell, build, in_turn, quietly


def rescore(
    folder: Path,
    policy: PolicySettings | None = None,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
) -> Path:
    """Score a build's items again into a build of its own; they move between kept and frontier."""
    return build(rescoring(folder, policy), builds, each, tell)


def rescoring(folder: Path, policy: PolicySettings | None) -> Recipe:
    """The recipe of a build that adopts another's items; their old scores become history."""
    recipe = recipe_of(folder)
    asked = policy or recipe.policy
    if asked.kind == "none":
        raise UserError(f"{folder}: its recipe asks no policy; name one whose pass rate to measure")
    name = f"{recipe.name}-rescored"
    return replace(recipe, name=name, make=(), parent=str(folder), policy=asked)


def under(folder: Path, checkpoint: Path) -> PolicySettings:
    """The build's own sampling settings, with a checkpoint's weights."""
    return replace(recipe_of(folder).policy, kind="native", model=str(checkpoint))
