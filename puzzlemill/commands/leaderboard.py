"""The command `leaderboard`."""

from pathlib import Path
from typing import Annotated

import typer


def leaderboard(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="EVALUATION...", help="Folders of `eval`, or their result.json."),
    ],
    out: Annotated[Path, typer.Option(help="The page; with several, JSON beside it.")] = Path(
        "leaderboard.html"
    ),
) -> None:
    """Compare evaluations on one page."""
    from puzzlemill.outputs.leaderboard import write_leaderboard

    write_leaderboard(folders, out)
    typer.echo(str(out))
