"""The command `eval`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from puzzlemill.commands._options import KeyVariable, Kind, Model, Url
from puzzlemill.core.errors import UserError

DEFAULT_FOLDER = Path("builds/evaluations")


def eval(  # noqa: A001 - the command's name
    families: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FAMILY]...", help="Families, categories, or like:Enigmata."),
    ] = None,
    url: Url = "",
    model: Model = "",
    kind: Kind = "",
    key_variable: KeyVariable = "",
    build: Annotated[
        Path | None,
        typer.Option(help="A finished build whose rows are asked, instead of new items."),
    ] = None,
    items: Annotated[
        str,
        typer.Option(help="adaptive: ask what tells most; fixed: the same items for everybody."),
    ] = "adaptive",
    most: Annotated[int, typer.Option(help="Items, at most.")] = 200,
    within: Annotated[
        float, typer.Option(help="Half of a 90% interval that is narrow enough to stop; 0: never.")
    ] = 0.05,
    per: Annotated[
        str, typer.Option(help="What is to be that narrow: all (one level), category or family.")
    ] = "all",
    tries: Annotated[int, typer.Option(help="Replies to an item, for pass@k.")] = 1,
    again: Annotated[
        list[str] | None,
        typer.Option(help="Ask each item again: wording, twin, paraphrase, claim."),
    ] = None,
    game: Annotated[list[str] | None, typer.Option(help="Play it, too; '*': all games.")] = None,
    matches: Annotated[int, typer.Option(help="Of each game.")] = 8,
    depth: Annotated[int, typer.Option(help="Of the minimax that games are played against.")] = 2,
    seed: Annotated[
        int | None,
        typer.Option(
            help="A public seed, to compare policies on the same items; without it a"
            " private one is drawn that is never used again."
        ),
    ] = None,
    temperature: Annotated[float, typer.Option(help="Of sampling.")] = 0.6,
    top_p: Annotated[float, typer.Option(help="Of sampling.")] = 1.0,
    max_tokens: Annotated[int, typer.Option(help="Of a reply.")] = 4096,
    style: Annotated[str, typer.Option(help="How the policy is told to reason.")] = "plain",
    system: Annotated[str, typer.Option(help="A system message.")] = "",
    concurrency: Annotated[int, typer.Option(help="Requests under way at the server.")] = 16,
    input_price: Annotated[
        float, typer.Option(help="Dollars for a million tokens of prompts, to tell the cost.")
    ] = 0.0,
    output_price: Annotated[float, typer.Option(help="The same, of replies.")] = 0.0,
    name: Annotated[str, typer.Option(help="Of the evaluation; the model's if not given.")] = "",
    folder: Annotated[
        Path, typer.Option(help="The folder that evaluations are written to.")
    ] = DEFAULT_FOLDER,
    replace: Annotated[
        bool, typer.Option("--replace", help="Where an evaluation has this name, remove it.")
    ] = False,
) -> None:
    """Measure a model's level from few replies. Writes intervals as JSON and as a page."""
    from puzzlemill.difficulty.settings import PolicySettings
    from puzzlemill.outputs.leaderboard import write_leaderboard
    from puzzlemill.pipelines.evaluation import Evaluation, evaluate

    if not families and not build:
        raise UserError("name what is asked: families, categories or like:SUITE, or --build FOLDER")
    policy = PolicySettings(
        kind=kind or _kind_of(url, model), model=model, url=url, key_variable=key_variable,
        temperature=temperature, top_p=top_p, max_tokens=max_tokens, style=style, system=system,
        concurrency=concurrency,
    )  # fmt: skip
    options: dict[str, Any] = {
        "items": items, "most": most, "within": within, "per": per, "tries": tries,
        "again": tuple(again or ()), "games": tuple(game or ()), "matches": matches,
        "depth": depth, "seed": seed, "build": str(build or ""),
        "prices": (input_price, output_price),
    }  # fmt: skip
    settings = Evaluation(tuple(families or ()), policy, **options)
    home = folder / (name or _name_of(policy.model or policy.kind))
    result = evaluate(settings, home, replace=replace, tell=lambda line: typer.echo(line, err=True))
    write_leaderboard([home], home / "page.html")
    typer.echo(f"{_summary(result)}; {home / 'page.html'}")


def _kind_of(url: str, model: str) -> str:
    """Of a policy whose kind is not said."""
    return "endpoint" if url else "native" if model else "tiny"


def _summary(result: dict[str, Any]) -> str:
    level, replies = result["level"], result["replies"]
    dollars = replies["dollars"]
    spent = "" if dollars is None else f", ${dollars:,.2f}"
    return (
        f"{result['policy']}: level {level['mean']:.2f} ({level['low']:.2f} to {level['high']:.2f})"
        f" from {replies['items']:,} items{spent}"
    )


def _name_of(model: str) -> str:
    """A folder's name from a model's."""
    return "".join(sign if sign.isalnum() or sign in "-._" else "-" for sign in model).strip("-.")
