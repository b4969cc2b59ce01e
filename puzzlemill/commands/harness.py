"""The command `harness`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.core.errors import unknown

HARNESSES = ("lm-eval", "hub")


def harness(
    name: Annotated[
        str, typer.Argument(metavar="HARNESS", help="lm-eval, or hub: a dataset with eval.yaml.")
    ],
    families: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FAMILY]...", help="Families or categories; all if none."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder that is written.")] = Path("tasks"),
) -> None:
    """Write tasks for lm-eval, or a benchmark for the Hub."""
    from puzzlemill.core import registry
    from puzzlemill.pipelines.evaluation.hub_tasks import write_dataset
    from puzzlemill.pipelines.evaluation.lm_eval_tasks import write_tasks

    if name not in HARNESSES:
        raise unknown("harness", name, HARNESSES)
    chosen = registry.families_of(families or registry.categories())
    if name == "hub":
        count = write_dataset(out, chosen)
        typer.echo(f"{out}: {count} families; hf upload OWNER/NAME {out} . --repo-type dataset")
        return
    count = write_tasks(out, chosen)
    typer.echo(f"{out}: {count} tasks; lm_eval --include_path {out} --tasks puzzlemill_{chosen[0]}")
