"""The command `schema`."""

import typer


def schema() -> None:
    """Print the JSON schema of recipes, by which editors check and complete them."""
    from puzzlemill.pipelines.first_recipe import schema_text

    typer.echo(schema_text(), nl=False)
