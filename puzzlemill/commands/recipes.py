"""The command `recipes`."""

import typer


def recipes() -> None:
    """List the recipes of the package. `build` takes their names, and `init --from` copies them."""
    from puzzlemill.pipelines.packaged_recipes import about_recipe, packaged_names

    for name in packaged_names():
        typer.echo(f"{name:<40} {about_recipe(name)}")
