"""Artifacts: a finished build in Prefect's interface, and the state that its flow ends in."""

import base64
from pathlib import Path
from typing import cast

from prefect.artifacts import (
    create_image_artifact,
    create_markdown_artifact,
    create_table_artifact,
)
from prefect.client.schemas.objects import State, StateType

from puzzlemill.core.errors import NothingKept
from puzzlemill.outputs.advice import expect_kept, next_steps
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.hub_upload import series_of
from puzzlemill.outputs.plots import plots
from puzzlemill.pipelines.journal import totals_of


def show(folder: Path) -> str:
    """Put a build into Prefect's interface: card, tables, plots, the report; its folder."""
    report = folder / "report.html"
    create_markdown_artifact(
        (folder / "dataset" / "README.md").read_text(encoding="utf-8"),
        key=_key("build", folder),
        description=f"Report: {report}",
    )
    build = read_build(folder)
    steps = "".join(f"- {step}\n" for step in next_steps(build))
    # A browser follows no link from a server's page to a file: the viewer serves the report.
    create_markdown_artifact(
        f"`puzzlemill view {folder}` serves the report at `/0/report`.\n\n{steps}",
        key=_key("report", folder),
        description=f"Report of {folder.name}",
    )
    families = [{"family": name, **counts} for name, counts in build.manifest["families"].items()]
    create_table_artifact(
        families, key=_key("families", folder), description=f"Items by fate, {folder.name}"
    )
    figures = [
        {"figure": name, "value": round(value, 4)}
        for name, value in totals_of(folder).rates().items()
    ]
    create_table_artifact(
        figures, key=_key("figures", folder), description=f"Speed and share kept, {folder.name}"
    )
    for name, plot in plots(build).items():
        encoded = base64.b64encode(plot).decode()
        key = _key(f"{Path(name).stem}-plot", folder)
        create_image_artifact(
            f"data:image/png;base64,{encoded}", key=key, description=f"Plot of {folder.name}"
        )
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
            state = State(
                type=StateType.CRASHED, name="NothingKept", message=str(error), data=error
            )
            return cast(str, state)  # Prefect takes either
    return shown


def _key(what: str, folder: Path) -> str:
    """Letters, digits and dashes, as Prefect wants it; the same in a whole series, so that Prefect
    shows its history."""
    return "".join(
        sign if sign.isalnum() and sign.isascii() else "-"
        for sign in f"{what}-{series_of(folder.name)}".lower()
    )
