"""The command `export`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._options import BuildFolder
from puzzlemill.core.errors import UserError


def export(
    folder: BuildFolder,
    to: Annotated[
        list[str],
        typer.Option(
            help="A trainer's format, such as trl, verl or sft; one --to for each."
            " sft-backtracks:3 goes"
            " back three times in each reply, and sft-backtracks:3:shuffled or :wrong is for"
            " ablations."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where it is written; in the build's folder if not given.")
    ] = None,
    curriculum: Annotated[
        str,
        typer.Option(
            help="ranked, easy-to-hard, formats, domains, frontier, hints, tiny:N, varied:N,"
            " limr:N or ablation:N:DIVERSITY:BAND."
        ),
    ] = "ranked",
    stages: Annotated[
        bool, typer.Option("--stages", help="A file for each stage of the order.")
    ] = False,
    unscored: Annotated[
        bool, typer.Option("--unscored", help="After the others, the items never scored.")
    ] = False,
    replies: Annotated[
        bool, typer.Option("--replies", help="Beside them, what the policy said to each item.")
    ] = False,
) -> None:
    """Write a build for a trainer. Its README says how to use rows and reward."""
    from puzzlemill.outputs.summary import say_export
    from puzzlemill.outputs.trainer_files.writer import export as run
    from puzzlemill.outputs.trainer_files.writer import read_export

    if len(to) > 1 and out:
        raise UserError("--out is the folder of one export: give it one --to")
    for name in to:
        read_export(name)  # says what is wrong with it before any is written
    for name in dict.fromkeys(to):
        written = run(folder, name, out, curriculum, stages, unscored, replies)
        say_export(written.folder, written.files, written.left_out)
