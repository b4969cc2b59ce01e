"""The command `serve`."""

import os
from typing import Annotated, Any

import typer

from puzzlemill.commands._checks import checked_port
from puzzlemill.commands._terminal import until_interrupted
from puzzlemill.core.errors import UserError, need


def serve(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WHAT]...",
            help="Families, categories, variants such as gcd+twin, games as play_nim or play (all),"
            " or builds' folders. Without any: all families and games.",
        ),
    ] = None,
    level: Annotated[
        list[float] | None,
        typer.Option(help="Of difficulty; one --level for each. 0, 0.25, 0.5, 0.75 and 1 if none."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the items.")] = 0,
    tasks: Annotated[
        int, typer.Option(help="Tasks of each environment and split; made when asked for.")
    ] = 1_000_000,
    curriculum: Annotated[
        str, typer.Option(help="The order of a build's items, as `export` has it.")
    ] = "ranked",
    band: Annotated[
        str,
        typer.Option(
            help="Two pass rates, such as 0.2:0.8: the environment live_band, which is then the"
            " default, aims fresh items between them by the replies that this server sees."
        ),
    ] = "",
    tries: Annotated[int, typer.Option(help="Replies to a task, until one is right.")] = 1,
    tool: Annotated[
        bool,
        typer.Option(
            "--tool",
            help="Open Reward Standard: offer `submit` as a tool that the policy calls, for clients"
            " without terminal tools, such as TRL 1.16.",
        ),
    ] = False,
    style: Annotated[
        str, typer.Option(help="How a policy is told to reason; a build's own if not given.")
    ] = "",
    hint: Annotated[
        float, typer.Option(help="The share of the solution that a prompt tells.")
    ] = 0.0,
    opponent: Annotated[
        str,
        typer.Option(
            help="In games: random, minimax-1 to minimax-9, or session: sessions that ask for the"
            " same deal play each other."
        ),
    ] = "random",
    wait: Annotated[
        float, typer.Option(help="Seconds that a session waits for another's move.")
    ] = 60.0,
    host: Annotated[
        str, typer.Option(help="Where to listen; anything but this machine lets others in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any that is free.")] = 8000,
    key_env: Annotated[
        str, typer.Option(help="The environment variable with the key that clients have to tell.")
    ] = "",
    workers: Annotated[
        int, typer.Option(help="Processes that judge, and as many that make items; 0: all cores.")
    ] = 0,
    seconds: Annotated[float, typer.Option(help="That judging one reply may take.")] = 20.0,
    queue: Annotated[int, typer.Option(help="Replies that wait; more are refused (503).")] = 4096,
    sessions: Annotated[int, typer.Option(help="At once; more are refused (503).")] = 4096,
    idle: Annotated[float, typer.Option(help="Seconds of silence that end a session.")] = 900.0,
) -> None:
    """Serve tasks and verdicts over HTTP. Protocols: Open Reward Standard, OpenEnv, MCP, NeMo
    Gym, batches."""
    need("serving", "websockets", extra="serve")
    from puzzlemill.serving.listening import listen
    from puzzlemill.serving.start import server_of

    checked_port(port)
    key = _key(key_env)
    settings: dict[str, Any] = {
        "seed": seed, "tasks": tasks, "tries": tries, "tool": tool, "hint": hint,
        "opponent": opponent, "wait": wait, "workers": workers, "seconds": seconds, "queue": queue,
        "sessions": sessions, "idle": idle,
    }  # fmt: skip
    settings |= {"levels": level} if level else {}
    settings |= {"style": style} if style else {}
    server = server_of(what or [], settings, band, curriculum)
    _warn_of_open_door(host, key)
    with until_interrupted():
        listen(server, host, port, key, lambda address: typer.echo(f"{address}  (Ctrl-C ends it)"))


def _key(variable: str) -> str:
    """That clients have to tell; empty if none is asked for."""
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise UserError(f"--key-env {variable}: that variable is empty or not set")
    return key


def _warn_of_open_door(host: str, key: str) -> None:
    from puzzlemill.serving.gate import LOOPBACK

    if host not in LOOPBACK and not key:
        typer.echo("anyone who reaches this machine can use this server: --key-env asks for a key")
