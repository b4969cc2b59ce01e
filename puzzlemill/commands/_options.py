"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._completion import builds, recipes

LEVELS = "0 is the easiest rung of the ladder, 1 the hardest."
Builds = Annotated[Path, typer.Option(help="The folder that builds are written to.")]
Flow = Annotated[
    bool | None,
    typer.Option(
        "--flow/--plain",
        help="As a Prefect flow, or without Prefect. [default: as a flow where a Prefect server is"
        " configured]",
        show_default=False,
    ),
]
RecipeFile = Annotated[
    Path,
    typer.Argument(metavar="RECIPE", help="A recipe, such as demo.toml.", autocompletion=recipes),
]
BuildFolder = Annotated[
    Path, typer.Argument(metavar="BUILD", help="A build's folder.", autocompletion=builds)
]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="Where a build of another recipe has this name, remove it."),
]
AllowEmpty = Annotated[
    bool, typer.Option("--allow-empty", help="A build that keeps nothing is no failure.")
]
Url = Annotated[str, typer.Option(help="Of an OpenAI-compatible server, up to /v1.")]
Model = Annotated[str, typer.Option(help="Its name at the server, or a checkpoint's folder.")]
Kind = Annotated[
    str,
    typer.Option(help="vllm, transformers, native, tiny, or endpoint, as with --url."),
]
KeyVariable = Annotated[
    str, typer.Option(help="The environment variable that holds the server's key.")
]
Checkpoint = Annotated[
    Path | None, typer.Option(help="Score under this checkpoint, not under the build's policy.")
]
