"""How a command says what it did: tables for people, JSON for scripts, or nothing."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from puzzlemill.commands._terminal import allowed_empty

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress and no result.")]


def hush(quiet: bool, as_json: bool) -> None:
    """Before a command starts: whether progress is shown."""
    from puzzlemill.core.quiet import be_quiet

    if quiet or as_json:
        be_quiet()


def say_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=1))


def say_result(folder: Path, allow_empty: bool, quiet: bool = False, as_json: bool = False) -> None:
    """What became of a build's items. One that kept nothing fails, in any case."""
    from puzzlemill.outputs.summary import say_build, summary

    if as_json:
        say_json(summary(folder))
    elif not quiet:
        say_build(folder)
    allowed_empty(folder, allow_empty)
