"""The command `train`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import checked_recipe, need_torch
from puzzlemill.commands._completion import builds_and_recipes
from puzzlemill.commands._options import Builds, Flow
from puzzlemill.commands._prefect import as_flow, run_flow
from puzzlemill.core.errors import UserError


def train(
    what: Annotated[
        Path,
        typer.Argument(
            metavar="BUILD",
            help="A build's folder, or a recipe.",
            autocompletion=builds_and_recipes,
        ),
    ],
    builds: Builds = Path("builds"),
    flow: Flow = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            help="Train nothing: tell where to sample and to learn, with memory and time, from the"
            " rates of a device in this file (`make gpu` measures them).",
        ),
    ] = None,
    devices: Annotated[int, typer.Option(min=1, max=512, help="With --plan: at most.")] = 1,
) -> None:
    """Train a build's policy on its kept items. A run that stopped goes on.

    Of a recipe, the build is made first; one with [train] source = "endless", or one that plays
    games, needs none.
    On several devices: torchrun --nproc-per-node N -m puzzlemill train BUILD
    """
    from puzzlemill._training import train_from
    from puzzlemill.outputs.summary import say_training
    from puzzlemill.pipelines.recipe import check_trainable, recipe_of

    need_torch("training")
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:  # torchrun says so
        if flow:
            raise UserError("several processes train without Prefect: leave out --flow")
        flow = False
    recipe = checked_recipe(what) if what.suffix == ".toml" else recipe_of(what)
    check_trainable(recipe)
    if plan is not None:
        from puzzlemill.trainer.execution_plan import described_plan

        typer.echo(described_plan(recipe, plan, devices))
        return
    if as_flow(flow):
        checkpoint = run_flow("train", str(what), str(builds))
    else:
        checkpoint = train_from(what, builds, bars=True)
    if int(os.environ.get("RANK", "0")):  # the first process speaks for all
        return
    folder = checkpoint.parents[1]
    say_training(folder)
    typer.echo(f"  report: {folder / 'report.html'}")
