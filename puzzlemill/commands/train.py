"""The command `train`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import checked_recipe, need_torch
from puzzlemill.commands._options import Builds, Plain
from puzzlemill.commands._prefect import run_flow
from puzzlemill.core.errors import UserError


def train(
    what: Annotated[Path, typer.Argument(metavar="BUILD", help="A build's folder, or a recipe.")],
    builds: Builds = Path("builds"),
    plain: Plain = False,
) -> None:
    """Train a build's policy on its kept items, or go on where a run stopped.

    Of a recipe, the build is made first; one with [train] source = "endless", or one that plays
    games, needs none.
    On several devices: torchrun --nproc-per-node N -m puzzlemill train BUILD --plain
    """
    from puzzlemill._training import train_from
    from puzzlemill.outputs.summary import say_training
    from puzzlemill.pipelines.recipe import check_trainable, recipe_of

    need_torch("training")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not plain:  # torchrun says so
        raise UserError("several processes train without Prefect: add --plain")
    check_trainable(checked_recipe(what) if what.suffix == ".toml" else recipe_of(what))
    if plain:
        checkpoint = train_from(what, builds, bars=True)
    else:
        checkpoint = run_flow("train", str(what), str(builds))
    if int(os.environ.get("RANK", "0")):  # the first process speaks for all
        return
    folder = checkpoint.parents[1]
    say_training(folder)
    typer.echo(f"  report: {folder / 'report.html'}")
