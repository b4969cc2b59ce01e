"""The command `mix`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import at_least


def mix(
    pilots: Annotated[Path, typer.Argument(metavar="PILOTS", help="A JSON file of pilot runs.")],
    count: Annotated[int, typer.Option(help="How many items the recipe is to make.")] = 10_000,
) -> None:
    """Fit a mixture of families to pilot runs. Writes it as a recipe's tables."""
    from puzzlemill.difficulty.mixtures import recipe_tables

    typer.echo(recipe_tables(pilots, at_least(1, "--count", count)), nl=False)
