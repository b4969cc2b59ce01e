"""What commands print: progress bars, an error in one line."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from puzzlemill.core.errors import UserError


def allowed_empty(folder: Path, allow_empty: bool) -> None:
    """Refuse a build that kept nothing, unless it may be so."""
    from puzzlemill.core.errors import NothingKept
    from puzzlemill.outputs.advice import expect_kept

    try:
        expect_kept(folder)
    except NothingKept as error:
        if not allow_empty:
            raise UserError(f"{error}; the dataset is whole: --allow-empty takes it so") from None
        typer.echo(f"note: {error}", err=True)


def with_bars(call: Any, *arguments: Any, **named: Any) -> Path:
    from puzzlemill.pipelines.progress import progress

    with progress() as tell:
        folder: Path = call(*arguments, tell=tell, **named)
    return folder


@contextmanager
def until_interrupted() -> Iterator[None]:
    """Ctrl-C, or SIGTERM of a service manager, is how this command ends: no failure, and nothing to
    go on with."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("puzzlemill: the server has ended", err=True)


def fail(text: str) -> NoReturn:
    typer.echo(f"puzzlemill: {plain(text)}", err=True)
    sys.exit(1)


def plain(text: str) -> str:
    """A name out of somebody's file may hold what a terminal would obey."""
    shown = (sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)
    return "".join(shown)
