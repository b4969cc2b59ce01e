"""The command `cascade`."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.commands._options import BuildFolder


def cascade(
    folder: BuildFolder,
    checkpoint: Annotated[
        Path | None, typer.Option(help="The reference policy, in place of the build's own.")
    ] = None,
) -> None:
    """Judge replies by rules, then by a reference policy. It is asked only where the rules read
    no answer."""
    from puzzlemill.pipelines.cascade import RULES, cascade_of_build
    from puzzlemill.pipelines.recipe import recipe_of
    from puzzlemill.pipelines.rescore import checkpoint_policy

    policy = checkpoint_policy(folder, checkpoint) or recipe_of(folder).policy
    judged = cascade_of_build(folder, policy)
    by_rules = sum(each.judge == RULES for each in judged.judgements)
    rest = Counter(each.right for each in judged.judgements if each.judge != RULES)
    typer.echo(
        f"{judged.folder}: {by_rules} replies judged by rules; of {rest.total()} that they could"
        f" not read, the reference policy calls {rest[True]} right and {rest[False]} wrong, and"
        f" cannot tell {rest[None]}; {len(judged.pairs)} pairs of a right and a wrong reply"
    )
