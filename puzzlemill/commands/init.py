"""The command `init`."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlemill.core.errors import UserError


def init(
    recipe: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RECIPE]", help="The file to write. [default: recipe.toml]", show_default=False
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="What replies: none, tiny, endpoint, vllm, native or transformers."
            " [default: tiny]",
            show_default=False,
        ),
    ] = None,
    copy: Annotated[
        str,
        typer.Option(
            "--from", help="Copy a recipe of the package instead, such as demo; or prefect.yaml."
        ),
    ] = "",
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Write recipe.schema.json too, by which editors check it."),
    ] = False,
) -> None:
    """Write a first recipe, with comments."""
    from puzzlemill.pipelines.first_recipe import copied_text, recipe_text, write_new, write_schema
    from puzzlemill.pipelines.packaged_recipes import DEPLOYMENTS
    from puzzlemill.pipelines.recipe import check_name

    if copy and policy:
        raise UserError("--from copies a recipe with its policy: leave out --policy")
    path = recipe or Path(DEPLOYMENTS.name if copy == DEPLOYMENTS.name else "recipe.toml")
    if copy:
        text = copied_text(copy, schema)
    else:
        check_name(path.stem, str(path))
        text = recipe_text(policy or "tiny", path, schema)
    write_new(path, text)
    typer.echo(f"recipe: {path}")
    if schema:
        typer.echo(f"schema: {write_schema(path.parent)}")
