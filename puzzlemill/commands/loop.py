"""The command `loop`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import announce_replacement, at_least, checked_recipe, need_torch
from puzzlemill.commands._options import Builds, Flow, RecipeFile, Replace
from puzzlemill.commands._prefect import as_flow, prefect_flow
from puzzlemill.commands._terminal import with_bars


def loop(
    recipe: RecipeFile,
    rounds: Annotated[int, typer.Option(help="How often to train and regenerate.")] = 1,
    builds: Builds = Path("builds"),
    flow: Flow = None,
    replace: Replace = False,
) -> None:
    """Build, train, score again and regenerate, in rounds."""
    from puzzlemill.outputs.summary import say_loop
    from puzzlemill.pipelines.recipe import check_trainable

    at_least(1, "--rounds", rounds)
    need_torch("training")
    settings = checked_recipe(recipe)
    check_trainable(settings)
    announce_replacement(settings, builds, replace)
    if as_flow(flow):
        names = prefect_flow("loop")(str(recipe), rounds, str(builds), replace)
        folders = [Path(name) for name in names]
    else:
        folders = _plain_rounds(recipe, rounds, builds, replace)
    say_loop(folders)


def _plain_rounds(recipe: Path, rounds: int, builds: Path, replace: bool) -> list[Path]:
    from puzzlemill import pipelines
    from puzzlemill._training import train_from
    from puzzlemill.outputs.advice import expect_kept
    from puzzlemill.pipelines.rescore import checkpoint_policy
    from puzzlemill.pipelines.rounds import run_rounds

    def build() -> Path:
        return expect_kept(with_bars(pipelines.build, recipe, builds, replace=replace))

    def train(folder: Path) -> Path:
        return train_from(folder, builds, bars=True)

    def rescore(folder: Path, checkpoint: Path) -> Path:
        policy = checkpoint_policy(folder, checkpoint)
        return with_bars(pipelines.rescore, folder, policy, builds=builds, replace=replace)

    def regenerate(folder: Path) -> Path:
        return expect_kept(with_bars(pipelines.regenerate, folder, builds, replace=replace))

    return run_rounds(rounds, build, train, rescore, regenerate)
