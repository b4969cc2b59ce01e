"""The command `contamination`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._checks import need_torch
from puzzlemill.commands._options import BuildFolder, Checkpoint


def contamination(
    folder: BuildFolder,
    checkpoint: Checkpoint = None,
    beside: Annotated[
        Path | None,
        typer.Option(
            help="A build of the same recipe and another seed, which nobody trained on; without"
            " it, fresh items of the same knobs."
        ),
    ] = None,
) -> None:
    """Estimate whether a checkpoint has seen a build's items. The test is Self-Critique.

    With a checkpoint, the build's own policy is scored, too: it is the policy before training.
    """
    need_torch("reading entropies")
    from puzzlemill.pipelines.contamination import contamination as audit
    from puzzlemill.pipelines.recipe import recipe_of
    from puzzlemill.pipelines.rescore import checkpoint_policy

    own, trained = recipe_of(folder).policy, checkpoint_policy(folder, checkpoint)
    record = audit(folder, trained or own, own if trained else None, beside)
    typer.echo(
        f"{folder}: of {record['items']} kept items and {record['others']} {record['beside']}, a"
        " kept one scores higher (50%: no sign of training on them)"
    )
    for name, each in record["scores"].items():
        line = (
            f"  {name:13} {each['auc']:4.0%}, 95% interval {each['low']:.0%} to {each['high']:.0%}"
        )
        if trained:
            line += f"; before training {record['before']['scores'][name]['auc']:.0%}"
        typer.echo(line)
