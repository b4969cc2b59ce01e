"""What is checked and announced before a command starts anything."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from puzzlemill.core.errors import UserError, need

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def at_least(least: int, option: str, value: int) -> int:
    if value < least:
        raise UserError(f"{option} is {value}; it is {least} or more")
    return value


def checked_port(port: int) -> int:
    if not 0 <= port < 1 << 16:
        raise UserError(f"port {port} is outside 0..65535")
    return port


def need_torch(what: str) -> None:
    need(what, "torch", "transformers", "safetensors", extra="train")


def checked_recipe(path: Path) -> "Recipe":
    """A recipe; what is wrong with it, or has no effect, is reported before anything starts."""
    from puzzlemill.pipelines.packaged_recipes import packaged_recipe
    from puzzlemill.pipelines.recipe import read_recipe
    from puzzlemill.trainer.settings import without_effect

    recipe = read_recipe(path)
    if not path.exists():
        typer.echo(f"{path}: the package's own, {packaged_recipe(path)}", err=True)
    for note in without_effect(recipe.train):
        typer.echo(f"puzzlemill: {note}", err=True)
    return recipe


def announce_replacement(recipe: "Recipe", builds: Path, replace: bool) -> None:
    """Say what a build of another recipe under this name means, before anything starts."""
    from puzzlemill.pipelines.name_conflict import paths_replaced, refuse

    folder = builds / recipe.name
    if not replace:
        refuse(folder, recipe)
    elif paths := paths_replaced(folder, recipe):
        names = ", ".join(path.name for path in paths)
        typer.echo(f"{folder}: replacing a build of another recipe: {names}", err=True)
