"""The command `schema`."""

import typer


def schema() -> None:
    """Print the JSON schema of recipes. Editors check and complete recipes by it."""
    from puzzlemill.pipelines.first_recipe import schema_text

    typer.echo(schema_text(), nl=False)
