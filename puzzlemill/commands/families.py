"""The command `families`."""

from typing import Annotated

import typer

from puzzlemill.commands._completion import categories


def families(
    category: Annotated[
        str | None, typer.Argument(help="Only those of one category.", autocompletion=categories)
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As a page of the documents.")
    ] = False,
    variants: Annotated[
        bool, typer.Option("--variants", help="Which variants each has, as such a page.")
    ] = False,
) -> None:
    """List the families, by category."""
    from puzzlemill.outputs import listing

    if variants:
        text = listing.variants_page(category) if category else listing.variants_index()
    elif markdown:
        text = listing.families_page(category) if category else listing.families_index()
    else:
        text = listing.listing(category)
    typer.echo(text, nl=False)
