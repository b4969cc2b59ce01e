"""The command `rejudge`."""

from pathlib import Path

import typer

from puzzlemill.commands._checks import announce_replacement
from puzzlemill.commands._options import AllowEmpty, BuildFolder, Builds, Replace
from puzzlemill.commands._output import Json, Quiet, hush, say_result
from puzzlemill.commands._terminal import with_bars


def rejudge(
    folder: BuildFolder,
    builds: Builds = Path("builds"),
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Judge a build's kept replies again by today's verifiers. No model is asked."""
    hush(quiet, as_json)
    from puzzlemill import pipelines
    from puzzlemill.pipelines.kept_replies import changed, rejudge_recipe

    announce_replacement(rejudge_recipe(folder), builds, replace)
    again = with_bars(pipelines.rejudge, folder, builds, replace=replace)
    if not (quiet or as_json):
        items, differ = changed(again)
        typer.echo(f"{items} items judged again; {differ} have another number of right replies")
    say_result(again, allow_empty, quiet, as_json)
