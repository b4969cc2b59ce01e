"""The command `preview`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import at_least
from puzzlemill.commands._completion import families
from puzzlemill.commands._options import LEVELS
from puzzlemill.core.errors import UserError


def preview(
    family: Annotated[str, typer.Argument(metavar="FAMILY", autocompletion=families)],
    level: Annotated[
        float | None, typer.Option(help=f"{LEVELS} [default: 0.5]", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option()] = 0,
    count: Annotated[
        int | None, typer.Option("-n", help="How many items. [default: 1]", show_default=False)
    ] = None,
    pictures: Annotated[Path, typer.Option(help="Where pictures are saved.")] = Path("preview"),
    overview: Annotated[
        Path | None, typer.Option(help="Write one PNG instead: four items at each of three levels.")
    ] = None,
) -> None:
    """Show items of a family as a policy sees them. Each has its answer."""
    from puzzlemill.outputs.listing import item_texts

    if overview:
        from puzzlemill.outputs.overview import write_overview

        if level is not None or count is not None:
            raise UserError(
                "--overview is four items at each of three levels: leave out -n, --level"
            )
        write_overview(family, seed, overview)
        return

    count = 1 if count is None else at_least(1, "-n", count)
    for text in item_texts(family, 0.5 if level is None else level, seed, count, pictures):
        typer.echo(text)
