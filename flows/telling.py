"""What flows tell: artifacts in Prefect's interface, and a message when a flow has ended.

The variable PUZZLEMILL_NOTIFY names whom to tell: an address that takes JSON by POST, or a command
that gets the same JSON on its standard input. It comes from the environment alone, never from a
recipe.
"""

import base64
import json
import logging
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from prefect.artifacts import (
    create_image_artifact,
    create_link_artifact,
    create_markdown_artifact,
    create_table_artifact,
)
from prefect.client.schemas.objects import State, StateType

from puzzlemill.core.errors import NothingKept
from puzzlemill.outputs.advice import expect_kept
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.plots import plots
from puzzlemill.pipelines.journal import totals_of

VARIABLE = "PUZZLEMILL_NOTIFY"
SECONDS = 30  # that telling may take

log = logging.getLogger(__name__)


def show(folder: Path) -> str:
    """Put a build into Prefect's interface: card, tables, plots, the report; its folder."""
    report = folder / "report.html"
    create_markdown_artifact(
        (folder / "dataset" / "README.md").read_text(encoding="utf-8"),
        key=_key("build", folder),
        description=f"Report: {report}",
    )
    create_link_artifact(report.resolve().as_uri(), "report", key=_key("report", folder))
    found = read_build(folder)
    families = [{"family": name, **counts} for name, counts in found.manifest["families"].items()]
    create_table_artifact(families, key=_key("families", folder), description="Items by fate")
    figures = [
        {"figure": name, "value": round(value, 4)}
        for name, value in totals_of(folder).rates().items()
    ]
    create_table_artifact(figures, key=_key("figures", folder), description="Speed and share kept")
    for name, plot in plots(found).items():
        held = base64.b64encode(plot).decode()
        key = _key(f"{Path(name).stem}-plot", folder)
        create_image_artifact(f"data:image/png;base64,{held}", key=key)
    return str(folder)


def ended(folder: Path, allow_empty: bool) -> str:
    """Show a build, and how its flow ends: with its folder, or badly where it kept nothing.

    Not as failed, which a server tries again: a series would go on to its next number, which is
    likely to be as empty.
    """
    shown = show(folder)
    try:
        expect_kept(folder)
    except NothingKept as error:
        if not allow_empty:
            found = State(
                type=StateType.CRASHED, name="NothingKept", message=str(error), data=error
            )
            return cast(str, found)  # Prefect takes either
    return shown


def _key(what: str, folder: Path) -> str:
    """Letters, digits and dashes, as Prefect wants it."""
    return "".join(
        sign if sign.isalnum() and sign.isascii() else "-"
        for sign in f"{what}-{folder.name}".lower()
    )


def notify(flow: Any, run: Any, state: Any) -> None:
    """Tell whoever is named in the environment; a message that cannot be sent fails nothing."""
    whom = os.environ.get(VARIABLE, "").strip()
    if not whom:
        return
    told = {"flow": flow.name, "run": run.name, "state": state.name, "message": state.message or ""}
    try:
        _tell(whom, json.dumps(told).encode())
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        # An address may hold a secret: it is not repeated.
        log.warning("%s: nobody was told: %s", VARIABLE, type(error).__name__)


def _tell(whom: str, told: bytes) -> None:
    if urlsplit(whom).scheme in ("http", "https"):
        request = Request(whom, told, {"Content-Type": "application/json"}, method="POST")
        with urlopen(request, timeout=SECONDS):
            return
    subprocess.run(shlex.split(whom), input=told, check=True, timeout=SECONDS)
