"""The command `loop`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import announce_replacement, at_least, checked_recipe, need_torch
from puzzlemill.commands._options import Builds, RecipeFile, Replace
from puzzlemill.commands._prefect import prefect_flow


def loop(
    recipe: RecipeFile,
    rounds: Annotated[int, typer.Option(help="How often to train and regenerate.")] = 1,
    builds: Builds = Path("builds"),
    replace: Replace = False,
) -> None:
    """Build, train, score again and regenerate, round after round."""
    from puzzlemill.outputs.summary import say_loop
    from puzzlemill.pipelines.recipe import check_trainable

    at_least(1, "--rounds", rounds)
    need_torch("training")
    settings = checked_recipe(recipe)
    check_trainable(settings)
    announce_replacement(settings, builds, replace)
    folders = prefect_flow("loop")(str(recipe), rounds, str(builds), replace)
    say_loop([Path(folder) for folder in folders])
