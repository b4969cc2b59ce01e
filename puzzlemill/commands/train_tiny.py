"""The command `train-tiny`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import need_torch


def train_tiny(
    folder: Annotated[Path, typer.Argument(help="Where the checkpoint is written.")],
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the bundled tiny policy from scratch. It takes ten minutes on one core."""
    need_torch("training")
    from puzzlemill.trainer.tiny import train_tiny as run

    run(folder, seed=seed)
