"""The command `view`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import checked_port
from puzzlemill.commands._options import BuildFolder
from puzzlemill.commands._terminal import until_interrupted


def view(
    folder: BuildFolder,
    other: Annotated[
        Path | None,
        typer.Argument(metavar="OTHER", help="A later build, to compare with the first."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; anything but this machine lets others in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Look at a build's items in a browser. Filter, search, check answers, compare builds."""
    from puzzlemill.outputs.viewer.addresses import site_of
    from puzzlemill.serving.gate import LOOPBACK
    from puzzlemill.serving.listening import listen
    from puzzlemill.serving.start import viewer_of

    checked_port(port)

    def tell(address: str) -> None:
        typer.echo(f"{address}  (Ctrl-C ends it)")
        if browser:
            typer.launch(address)

    server = viewer_of(site_of(folder, other))
    if host not in LOOPBACK:
        typer.echo("anyone who reaches this machine can read this build and check answers")
    with until_interrupted():
        listen(server, host, port, "", tell)
