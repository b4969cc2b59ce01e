"""Scoring a finished build's items again, under the policy of today."""

import json
from dataclasses import replace
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import ALL, Again, PolicySettings, Recipe, recipe_of
from puzzlemill.pipelines.build import BUILDS, Each, Tell, build, in_turn, quietly


def rescore(
    folder: Path,
    policy: PolicySettings | None = None,
    again: Again = ALL,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
) -> Path:
    """Score a build's items again into a build of its own; they move between kept and frontier."""
    return build(rescoring(folder, policy, again), builds, each, tell)


def rescoring(folder: Path, policy: PolicySettings | None, again: Again = ALL) -> Recipe:
    """The recipe of a build that adopts another's items; their old scores become history."""
    recipe = recipe_of(folder)
    asked = policy or recipe.policy
    if asked.kind == "none":
        raise UserError(f"{folder}: its recipe asks no policy; name one whose pass rate to measure")
    score = replace(recipe.score, earlier=str(folder))  # where to look for each level
    return replace(
        recipe,
        name=f"{recipe.name}-rescored",
        make=(),
        parent=str(folder),
        again=again,
        policy=asked,
        score=score,
    )


def next_block(folder: Path, count: int) -> tuple[int, int]:
    """The ranks of the items that training on a build comes to next."""
    steps = [
        json.loads(path.read_text())["step"]
        for path in (folder / "training").glob("checkpoint-*/run.json")
    ]
    first = max(steps, default=0) * recipe_of(folder).train.prompts
    kept = json.loads((folder / "manifest.json").read_text())["counts"].get("kept", 0)
    return first % max(kept, 1), first % max(kept, 1) + count


def under(folder: Path, checkpoint: Path) -> PolicySettings:
    """The build's own sampling settings, with a checkpoint's weights."""
    asked = recipe_of(folder).policy
    if asked.kind != "transformers":
        asked = replace(asked, kind="native")
    return replace(asked, model=str(checkpoint))
