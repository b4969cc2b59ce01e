"""The command `verify-build`."""

from typing import Annotated

import typer

from puzzlemill.commands._options import BuildFolder
from puzzlemill.commands._terminal import fail


def verify_build(
    folder: BuildFolder,
    sample: Annotated[int, typer.Option("-n", help="How many rows are made again.")] = 200,
    every: Annotated[bool, typer.Option("--all", help="Make every row again.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="Which rows are made again; others each time if not given.")
    ] = None,
) -> None:
    """Check a build: files by checksum, rows by their addresses."""
    from puzzlemill.pipelines.integrity import verify
    from puzzlemill.pipelines.progress import counting

    with counting("rows made again") as tell:
        result = verify(folder, None if every else sample, seed, tell)
    if result.faults:
        fail("\n".join(result.faults))
    seed_note = "" if every else f" (--seed {result.seed})"
    typer.echo(
        f"{folder}: all files are as the manifest says, {result.rows} rows as their"
        f" addresses{seed_note}"
    )
