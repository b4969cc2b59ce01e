"""The command `audit`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from puzzlemill.commands._checks import at_least
from puzzlemill.commands._completion import families_and_categories
from puzzlemill.commands._terminal import fail


def audit(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FAMILY]...",
            help="Families, categories, or variants: gcd+*.",
            autocompletion=families_and_categories,
        ),
    ] = None,
    items: Annotated[int, typer.Option("-n", "--items", help="How many items a rung.")] = 5,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--json", help="A folder for the figures: a file a category, such as docs/audit."
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Audit families too whose figures in the folder are of so many items already.",
        ),
    ] = False,
) -> None:
    """Try to break families and their verifiers. Says what is wrong with them.

    With a folder, figures are written family by family, and a run that was ended goes on.
    """
    from rich.console import Console

    from puzzlemill.core import registry
    from puzzlemill.outputs.truth import audited, table, write_audit
    from puzzlemill.pipelines.parallel_audit import audit_all
    from puzzlemill.pipelines.progress import counting

    at_least(1, "-n", items)
    chosen = registry.names()
    if names:
        chosen = list(dict.fromkeys(name for each in names for name in registry.matching(each)))
    if folder:
        write_audit(folder, {})  # a fault of the folder is told before the hours
    done = audited(folder, chosen, items) if folder and not again else {}
    if done:
        typer.echo(
            f"{len(done):,} of {len(chosen):,} have their figures in {folder} already, of {items}"
            " items a rung or more: --again audits them too"
        )
        chosen = [name for name in chosen if name not in done]

    def keep(name: str, record: dict[str, Any]) -> None:
        if folder:
            write_audit(folder, {name: record})

    with counting("families", len(chosen)) as tell:
        records = audit_all(chosen, items, tell, keep)
    if records:
        Console().print(table(records))
    faults = [f"{name}: {fault}" for name in chosen for fault in records[name]["faults"]]
    if faults:
        fail("\n".join(faults))
