"""The command `build`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import announce_replacement, checked_recipe
from puzzlemill.commands._options import AllowEmpty, Builds, Flow, RecipeFile, Replace
from puzzlemill.commands._prefect import as_flow, run_flow
from puzzlemill.commands._terminal import say_result, with_bars


def build(
    recipe: RecipeFile,
    builds: Builds = Path("builds"),
    flow: Flow = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made, and stop.")
    ] = False,
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
) -> None:
    """Generate, certify, score, filter, order and write a dataset."""
    from puzzlemill import pipelines

    settings = checked_recipe(recipe)
    pipelines.check_sources(settings)
    if dry_run:
        from puzzlemill.pipelines.plan import plan_text

        typer.echo(plan_text(settings), nl=False)
        return
    announce_replacement(settings, builds, replace)
    if as_flow(flow):
        folder = run_flow("build", str(recipe), str(builds), replace, allow_empty)
    else:
        folder = with_bars(pipelines.build, recipe, builds, replace=replace)
    say_result(folder, allow_empty)
