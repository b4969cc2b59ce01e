"""The command `regenerate`."""

from pathlib import Path

from puzzlemill.commands._checks import announce_replacement
from puzzlemill.commands._options import AllowEmpty, BuildFolder, Builds, Plain, Replace
from puzzlemill.commands._prefect import run_flow
from puzzlemill.commands._terminal import say_result, with_bars


def regenerate(
    folder: BuildFolder,
    builds: Builds = Path("builds"),
    plain: Plain = False,
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
) -> None:
    """Make new items in the band of pass rates that the build's recipe names."""
    from puzzlemill import pipelines
    from puzzlemill.outputs.summary import say_regeneration
    from puzzlemill.pipelines.regenerate import regeneration_recipe

    recipe = regeneration_recipe(folder)  # checked before anything starts
    announce_replacement(recipe, builds, replace)
    if plain:
        again = with_bars(pipelines.regenerate, folder, builds, replace=replace)
    else:
        again = run_flow("regenerate", str(folder), str(builds), replace, allow_empty)
    say_regeneration(folder)
    say_result(again, allow_empty)
