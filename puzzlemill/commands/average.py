"""The command `average`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import need_torch


def average(
    checkpoints: Annotated[
        list[Path], typer.Argument(metavar="CHECKPOINT...", help="Folders, two or more.")
    ],
    to: Annotated[Path, typer.Option(help="The folder that is written.")],
) -> None:
    """Average the weights of checkpoints of one model."""
    need_torch("averaging")
    from puzzlemill.trainer.averaging import average_checkpoints

    average_checkpoints(checkpoints, to)
    typer.echo(f"{to}: the average of {len(checkpoints)} checkpoints")
