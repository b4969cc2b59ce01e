"""The command `sheet`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import at_least
from puzzlemill.commands._completion import families as names
from puzzlemill.commands._options import LEVELS


def sheet(
    families: Annotated[list[str], typer.Argument(metavar="FAMILY...", autocompletion=names)],
    count: Annotated[int, typer.Option("--count", "-n", help="Puzzles of each family.")] = 3,
    level: Annotated[float, typer.Option(help=LEVELS)] = 0.5,
    seed: Annotated[int, typer.Option()] = 0,
    per_page: Annotated[int, typer.Option(help="Puzzles on a printed page.")] = 1,
    out: Annotated[Path, typer.Option(help="An HTML file, or a PDF.")] = Path("sheet.html"),
) -> None:
    """Write puzzles for people to print. The answers stand at the end."""
    from puzzlemill.outputs.sheet import write_puzzles

    count, per_page = at_least(1, "--count", count), at_least(1, "--per-page", per_page)
    write_puzzles(families, level, seed, count, out, per_page)
    typer.echo(str(out))
