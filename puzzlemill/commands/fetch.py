"""The command `fetch`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._options import Builds


def fetch(
    url: Annotated[str, typer.Argument(metavar="URL", help="As s3://bucket/builds/demo.")],
    builds: Builds = Path("builds"),
) -> None:
    """Bring a finished build here from its store. Its recipe named the store."""
    from puzzlemill.outputs.summary import say_build
    from puzzlemill.pipelines.download import fetch as run

    say_build(run(url, builds))
