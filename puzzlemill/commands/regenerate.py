"""The command `regenerate`."""

from pathlib import Path

from puzzlemill.commands._checks import announce_replacement
from puzzlemill.commands._options import AllowEmpty, BuildFolder, Builds, Flow, Replace
from puzzlemill.commands._output import Json, Quiet, hush, say_result
from puzzlemill.commands._prefect import as_flow, run_flow
from puzzlemill.commands._terminal import with_bars


def regenerate(
    folder: BuildFolder,
    builds: Builds = Path("builds"),
    flow: Flow = None,
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make new items in a build's band of pass rates. Its recipe names the band."""
    hush(quiet, as_json)
    from puzzlemill import pipelines
    from puzzlemill.outputs.summary import say_regeneration
    from puzzlemill.pipelines.regenerate import regeneration_recipe

    recipe = regeneration_recipe(folder)  # checked before anything starts
    announce_replacement(recipe, builds, replace)
    if as_flow(flow):
        again = run_flow("regenerate", str(folder), str(builds), replace, allow_empty)
    else:
        again = with_bars(pipelines.regenerate, folder, builds, replace=replace)
    if not (quiet or as_json):
        say_regeneration(folder)
    say_result(again, allow_empty, quiet, as_json)
