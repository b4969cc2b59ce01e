"""The command line: puts the commands together, and says in one line what went wrong."""

import signal
import sys
import warnings
from types import TracebackType
from typing import Annotated, NoReturn

import typer

from puzzlemill.commands import commands
from puzzlemill.commands._terminal import fail, plain
from puzzlemill.core.errors import FamilyWarning, UserError

app = typer.Typer(
    name="puzzlemill",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in commands():
    app.command()(command)


def _say_version(wanted: bool) -> None:
    if wanted:
        from puzzlemill import __version__

        typer.echo(f"puzzlemill {__version__}")
        raise typer.Exit


@app.callback()
def puzzlemill(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Say which version this is, and stop.",
            is_eager=True,
            callback=_say_version,
        ),
    ] = False,
) -> None:
    """Reasoning problems that are exactly as hard as a model can use."""


def main() -> None:
    """Run a command; what a user or a file got wrong is told in one line."""
    for each in _STOPS:
        signal.signal(each, _stop)
    warnings.formatwarning = _warned
    sys.excepthook = _bug
    try:
        app()
    except UserError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or 'input/output'}: {error.strerror or error}")
    except _Stopped as stopped:
        typer.echo("puzzlemill: stopped; run the same command again to go on", err=True)
        sys.exit(128 + stopped.number)


_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Stopped(BaseException):
    """Somebody wants this process to end. Nothing between there and `main` may catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stop(number: int, _frame: object) -> NoReturn:
    for each in _STOPS:
        signal.signal(each, signal.SIG_IGN)  # the end itself is not to be broken off
    raise _Stopped(number)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """In a line, where somebody's family is left out; who reads it did not write our code."""
    if issubclass(category, FamilyWarning):
        return f"puzzlemill: {plain(str(message))}\n"
    return _format_warning(message, category, filename, lineno, line)


_format_warning = warnings.formatwarning


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What nobody foresaw: with all there is to know of it, and whose fault it is."""
    sys.__excepthook__(kind, error, trace)
    typer.echo("puzzlemill: this is a bug in Puzzlemill: please report what stands above", err=True)


if __name__ == "__main__":
    main()
