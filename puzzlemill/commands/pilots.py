"""The command `pilots`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import at_least, checked_recipe, need_torch
from puzzlemill.commands._options import Builds, RecipeFile


def pilots(
    recipe: RecipeFile,
    runs: Annotated[int, typer.Option(help="How many mixtures are tried.")] = 7,
    count: Annotated[int, typer.Option(help="How many items each pilot makes.")] = 1000,
    builds: Builds = Path("builds"),
) -> None:
    """Train pilots on mixtures of a recipe's families. `mix` fits them."""
    from puzzlemill._pilots import run_pilots
    from puzzlemill.pipelines.recipe import check_trainable

    need_torch("a pilot")
    check_trainable(checked_recipe(recipe))
    number = at_least(2, "--runs", runs)
    file = run_pilots(recipe, builds, number, at_least(1, "--count", count), bars=True)
    typer.echo(f"pilots: {file}")
