"""The command `rescore`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import announce_replacement, at_least
from puzzlemill.commands._options import (
    AllowEmpty,
    BuildFolder,
    Builds,
    Checkpoint,
    Flow,
    KeyVariable,
    Kind,
    Model,
    Replace,
    Url,
)
from puzzlemill.commands._output import Json, Quiet, hush, say_result
from puzzlemill.commands._prefect import as_flow, run_flow
from puzzlemill.commands._terminal import with_bars


def rescore(
    folder: BuildFolder,
    checkpoint: Checkpoint = None,
    url: Url = "",
    model: Model = "",
    kind: Kind = "",
    key_variable: KeyVariable = "",
    stale: Annotated[
        bool, typer.Option("--stale", help="Only what this policy has not scored.")
    ] = False,
    upcoming: Annotated[
        int, typer.Option(help="Only so many items that training comes to next.")
    ] = 0,
    style: Annotated[
        str, typer.Option(help="Another prompt style than that of the build, such as think.")
    ] = "",
    system: Annotated[str, typer.Option(help="Another system message.")] = "",
    max_tokens: Annotated[
        int, typer.Option(help="Another limit of a reply's tokens; 0: the build's own.")
    ] = 0,
    pair: Annotated[
        str,
        typer.Option("--as", help="Of two policies, the new one: weak or strong (Guru)."),
    ] = "",
    builds: Builds = Path("builds"),
    flow: Flow = None,
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Score a build's items again under another policy. A newer checkpoint is one."""
    hush(quiet, as_json)
    from puzzlemill import pipelines
    from puzzlemill.pipelines.rescore import checkpoint_policy, items_to_score, rescore_recipe

    at_least(0, "--upcoming", upcoming)
    at_least(0, "--max-tokens", max_tokens)
    given = {
        "url": url, "model": model, "kind": kind, "key_variable": key_variable,
        "style": style, "system": system, "max_tokens": max_tokens,
    }  # fmt: skip
    changes = {key: value for key, value in given.items() if value}
    policy = checkpoint_policy(folder, checkpoint, changes)
    items = items_to_score(folder, stale, upcoming, pair)
    announce_replacement(rescore_recipe(folder, policy, items), builds, replace)
    if as_flow(flow):
        names = str(folder), str(checkpoint or ""), str(builds)
        options = stale, upcoming, replace, allow_empty, changes, pair
        again = run_flow("rescore", *names, *options)
    else:
        again = with_bars(pipelines.rescore, folder, policy, items, builds, replace=replace)
    say_result(again, allow_empty, quiet, as_json)
