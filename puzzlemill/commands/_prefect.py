"""Whether a command runs as a Prefect flow, and how: Prefect is imported when one is first run."""

from pathlib import Path
from typing import Any

from puzzlemill.core.errors import need


def as_flow(flow: bool | None) -> bool:
    """As the flag says; without one, as a flow where a Prefect server is there to show it."""
    from puzzlemill.flows.server import server_configured

    return server_configured() if flow is None else flow


def run_flow(name: str, *arguments: Any) -> Path:
    """The folder that a flow has made. One that kept nothing fails the flow; who called it tells
    what it is."""
    from puzzlemill.core.errors import NothingKept

    try:
        return Path(prefect_flow(name)(*arguments))
    except NothingKept as error:
        return error.folder


def prefect_flow(name: str) -> Any:
    need("a Prefect flow", "prefect", extra="flows", remedy="--plain")
    from puzzlemill.flows import quiet

    quiet()
    from puzzlemill.flows import mill

    return getattr(mill, name)
