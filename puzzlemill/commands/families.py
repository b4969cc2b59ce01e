"""The command `families`."""

from typing import Annotated

import typer

from puzzlemill.commands._completion import families_and_categories


def families(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="A category, or a family to be told of.",
            autocompletion=families_and_categories,
        ),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As a page of the documents.")
    ] = False,
    variants: Annotated[
        bool, typer.Option("--variants", help="Which variants each has, as such a page.")
    ] = False,
) -> None:
    """List the families by category, or show one with a sample."""
    from puzzlemill.core import registry
    from puzzlemill.outputs import listing

    if variants:
        text = listing.variants_page(name) if name else listing.variants_index()
    elif markdown:
        text = listing.families_page(name) if name else listing.families_index()
    elif name is None or name in registry.categories():
        text = listing.listing(name)
    else:
        text = listing.family_page(name)
    typer.echo(text, nl=False)
