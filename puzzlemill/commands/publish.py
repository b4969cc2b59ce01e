"""The command `publish`."""

from typing import Annotated

import typer

from puzzlemill.commands._options import BuildFolder


def publish(
    folder: BuildFolder,
    repo: Annotated[str, typer.Argument(metavar="REPO", help="On the Hub: OWNER/NAME.")],
    private: Annotated[bool, typer.Option("--private", help="Only its owner sees it.")] = False,
    gated: Annotated[bool, typer.Option("--gated", help="Only who asks gets it.")] = False,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Only offer it, as a pull request.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where the repo holds another build.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent, and stop.")
    ] = False,
) -> None:
    """Publish a build on the Hugging Face Hub. What is there already is not sent again."""
    from puzzlemill.outputs import hub_upload
    from puzzlemill.outputs.summary import say_parcel, say_published

    if dry_run:
        say_parcel(hub_upload.parcel(folder, repo))
        return
    say_published(hub_upload.publish(folder, repo, private, gated, create_pr, replace))
