"""The command `build`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlemill.commands._checks import announce_replacement, at_least, checked_recipe
from puzzlemill.commands._options import AllowEmpty, Builds, Flow, RecipeFile, Replace
from puzzlemill.commands._output import Json, Quiet, hush, say_json, say_result
from puzzlemill.commands._prefect import as_flow, run_flow
from puzzlemill.commands._terminal import with_bars

if TYPE_CHECKING:
    from puzzlemill.pipelines.recipe import Recipe


def build(
    recipe: RecipeFile,
    builds: Builds = Path("builds"),
    flow: Flow = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made and what it takes, and stop.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(
            help="Show so many of the items that would be made, and stop.", show_default=False
        ),
    ] = None,
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make a dataset from a recipe. Its steps: generate, certify, score, filter, order, write."""
    from puzzlemill import pipelines

    hush(quiet, as_json)
    settings = checked_recipe(recipe)
    pipelines.check_sources(settings)
    if sample is not None:
        _show_items(settings, at_least(1, "--sample", sample), as_json)
    if dry_run:
        _say_plan(settings, as_json)
    if dry_run or sample is not None:
        return
    announce_replacement(settings, builds, replace)
    if as_flow(flow):
        folder = run_flow("build", str(recipe), str(builds), replace, allow_empty)
    else:
        folder = with_bars(pipelines.build, recipe, builds, replace=replace)
    say_result(folder, allow_empty, quiet, as_json)


def _say_plan(recipe: "Recipe", as_json: bool) -> None:
    from puzzlemill.pipelines.estimate import estimate
    from puzzlemill.pipelines.plan import plan_text

    if not as_json:
        typer.echo(plan_text(recipe), nl=False)
    guess = estimate(recipe)
    if as_json:
        say_json(guess and asdict(guess) | {"minutes": round(guess.minutes, 3)})
    elif guess:
        typer.echo(guess.text, nl=False)


def _show_items(recipe: "Recipe", count: int, as_json: bool) -> None:
    from puzzlemill.outputs.listing import item_text
    from puzzlemill.pipelines.sample import sample

    items = sample(recipe, count)
    if as_json:
        wanted = ("uid", "family", "level", "prompt", "answer", "certificate")
        say_json([{name: getattr(item, name) for name in wanted} for item in items])
        return
    for item in items:
        typer.echo(item_text(item, Path("preview"), named=True))
