"""The command line: thin, each command imports its room inside."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from puzzlemill.core.errors import UserError

app = typer.Typer(
    name="puzzlemill",
    help="Reasoning problems that are exactly as hard as a model can use.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Level = Annotated[float, typer.Option(help="0 is the easiest rung of the ladder, 1 the hardest.")]
Builds = Annotated[Path, typer.Option(help="The folder that builds are written to.")]
Plain = Annotated[bool, typer.Option("--plain", help="Run without Prefect.")]
RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, such as demo.toml.")]
BuildFolder = Annotated[Path, typer.Argument(metavar="BUILD", help="A build's folder.")]
Checkpoint = Annotated[
    Path | None, typer.Option(help="Score under this checkpoint, not under the build's policy.")
]


@app.command()
def families(
    category: Annotated[str | None, typer.Argument(help="Only those of one category.")] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As the page docs/families.md.")
    ] = False,
    variants: Annotated[
        bool, typer.Option("--variants", help="The variants of each, as docs/variants.md.")
    ] = False,
) -> None:
    """List the families, by category."""
    from puzzlemill.outputs.listing import listing, matrix, page

    if variants:
        typer.echo(matrix(), nl=False)
    else:
        typer.echo(page() if markdown else listing(category), nl=False)


@app.command()
def preview(
    family: Annotated[str, typer.Argument(metavar="FAMILY")],
    level: Level = 0.5,
    seed: Annotated[int, typer.Option()] = 0,
    count: Annotated[int, typer.Option("-n", help="How many items.")] = 1,
    pictures: Annotated[Path, typer.Option(help="Where pictures are saved.")] = Path("preview"),
    sheet: Annotated[
        Path | None, typer.Option(help="Write one PNG instead: four items at each of three levels.")
    ] = None,
) -> None:
    """Show items of a family as a policy sees them, with their answers."""
    from puzzlemill.outputs.listing import shown

    if sheet:
        from puzzlemill.outputs.contact import write_sheet

        write_sheet(family, seed, sheet)
        return

    for text in shown(family, level, seed, count, pictures):
        typer.echo(text)


@app.command()
def audit(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FAMILY]...", help="Families, categories, or variants: gcd+*."),
    ] = None,
    items: Annotated[int, typer.Option("-n", "--items", help="How many items a rung.")] = 5,
    file: Annotated[Path | None, typer.Option("--json", help="Where the figures go.")] = None,
) -> None:
    """Try to break families and their verifiers, and say what is wrong with them."""
    from rich.console import Console

    from puzzlemill.core import registry
    from puzzlemill.core.files import write_json
    from puzzlemill.outputs.truth import table
    from puzzlemill.pipelines.auditing import audited
    from puzzlemill.pipelines.progress import counting

    chosen = registry.names()
    if names:
        chosen = list(dict.fromkeys(name for each in names for name in registry.matching(each)))
    with counting("families", len(chosen)) as tell:
        found = audited(chosen, items, tell)
    Console().print(table(found))
    if file:
        write_json(file, {"items a rung": items, "families": found})
    faults = [f"{name}: {fault}" for name in chosen for fault in found[name]["faults"]]
    if faults:
        _fail("\n".join(faults))


@app.command()
def build(
    recipe: RecipeFile,
    builds: Builds = Path("builds"),
    plain: Plain = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made, and stop.")
    ] = False,
) -> None:
    """Generate, certify, score, filter, order and write a dataset."""
    from puzzlemill import pipelines
    from puzzlemill.core.recipe import read_recipe
    from puzzlemill.outputs.summary import say_build

    read = read_recipe(recipe)  # what is wrong with it is told before anything starts
    if dry_run:
        from puzzlemill.pipelines.plan import described

        typer.echo(described(read), nl=False)
        return
    if plain:
        folder = _with_bars(pipelines.build, recipe, builds)
    else:
        folder = _flow("build", str(recipe), str(builds))
    say_build(folder)


@app.command()
def fetch(
    url: Annotated[str, typer.Argument(metavar="URL", help="As s3://bucket/builds/demo.")],
    builds: Builds = Path("builds"),
) -> None:
    """Bring a finished build here from the store that its recipe put it into."""
    from puzzlemill.outputs.summary import say_build
    from puzzlemill.pipelines.storing import fetch as run

    say_build(run(url, builds))


@app.command()
def rescore(
    folder: BuildFolder,
    checkpoint: Checkpoint = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Only what this policy has not scored.")
    ] = False,
    upcoming: Annotated[
        int, typer.Option(help="Only so many items that training comes to next.")
    ] = 0,
    builds: Builds = Path("builds"),
    plain: Plain = False,
) -> None:
    """Score a build's items again, under a newer policy."""
    from puzzlemill import pipelines
    from puzzlemill.core.recipe import Again, recipe_of
    from puzzlemill.outputs.summary import say_build
    from puzzlemill.pipelines.rescore import next_block, under

    recipe_of(folder)  # says what is wrong before anything starts
    policy = under(folder, checkpoint) if checkpoint else None
    if plain:
        which = Again(stale, next_block(folder, upcoming) if upcoming else ())
        again = _with_bars(pipelines.rescore, folder, policy, which, builds)
    else:
        names = str(folder), str(checkpoint or ""), str(builds)
        again = _flow("rescore", *names, stale, upcoming)
    say_build(again)


@app.command()
def regenerate(folder: BuildFolder, builds: Builds = Path("builds"), plain: Plain = False) -> None:
    """Make new items in the band of pass rates that the build's recipe names."""
    from puzzlemill import pipelines
    from puzzlemill.outputs.summary import say_build, say_regeneration
    from puzzlemill.pipelines.regenerate import regenerating

    regenerating(folder)  # says what is wrong before anything starts
    if plain:
        again = _with_bars(pipelines.regenerate, folder, builds)
    else:
        again = _flow("regenerate", str(folder), str(builds))
    say_build(again)
    say_regeneration(folder)


@app.command()
def train(
    what: Annotated[Path, typer.Argument(metavar="BUILD", help="A build's folder, or a recipe.")],
    builds: Builds = Path("builds"),
    plain: Plain = False,
) -> None:
    """Train a build's policy on its kept items, or go on where a run stopped.

    Of a recipe, the build is made first; one with [train] source = "endless", or one that plays
    games, needs none.
    On several devices: torchrun --nproc-per-node N -m puzzlemill train BUILD --plain
    """
    from puzzlemill import pipelines
    from puzzlemill.core.recipe import read_recipe, recipe_of
    from puzzlemill.outputs.summary import say_training

    if what.suffix == ".toml":
        read_recipe(what)
    else:
        recipe_of(what)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and not plain:  # torchrun says so
        raise UserError("several processes train without Prefect: add --plain")
    if plain:
        from puzzlemill.outputs.report import write_report
        from puzzlemill.trainer import ranks
        from puzzlemill.trainer.progress import training_progress
        from puzzlemill.trainer.run import train as run

        with ranks.joined():
            folder = what
            if what.suffix == ".toml" and ranks.number() == 0:
                folder = _with_bars(pipelines.ready_to_train, what, builds)
            folder = ranks.agreed(folder)
            with training_progress() as tell:
                run(folder, tell)
            if ranks.number():
                return
        write_report(folder)
    else:
        folder = _flow("train", str(what), str(builds)).parents[1]
    say_training(folder)
    typer.echo(f"  report: {folder / 'report.html'}")


@app.command()
def loop(
    recipe: RecipeFile,
    rounds: Annotated[int, typer.Option(help="How often to train and regenerate.")] = 1,
    builds: Builds = Path("builds"),
) -> None:
    """Build, train, score again and regenerate, round after round."""
    from puzzlemill.core.recipe import read_recipe
    from puzzlemill.outputs.summary import say_loop

    read_recipe(recipe)
    folders = _prefect("loop")(str(recipe), rounds, str(builds))
    say_loop([Path(folder) for folder in folders])


@app.command()
def export(
    folder: BuildFolder,
    to: Annotated[str, typer.Option(help="Which trainer's format, such as trl or verl, or sft.")],
    out: Annotated[
        Path | None, typer.Option(help="Where it is written; in the build's folder if not given.")
    ] = None,
    curriculum: Annotated[
        str,
        typer.Option(
            help="ranked, easy-to-hard, formats, domains, frontier, hints, tiny:N or varied:N."
        ),
    ] = "ranked",
    stages: Annotated[
        bool, typer.Option("--stages", help="A file for each stage of the order.")
    ] = False,
    unscored: Annotated[
        bool, typer.Option("--unscored", help="After the others, the items never scored.")
    ] = False,
    replies: Annotated[
        bool, typer.Option("--replies", help="Beside them, what the policy said to each item.")
    ] = False,
) -> None:
    """Write a build for a trainer: its rows, the reward it plugs in, and how to use them."""
    from puzzlemill.outputs.exports._writing import export as run
    from puzzlemill.outputs.summary import say_export

    written = run(folder, to, out, curriculum, stages, unscored, replies)
    say_export(written.folder, written.files, written.left_out)


@app.command()
def mix(
    pilots: Annotated[Path, typer.Argument(metavar="PILOTS", help="A JSON file of pilot runs.")],
    count: Annotated[int, typer.Option(help="How many items the recipe is to make.")] = 10_000,
) -> None:
    """Fit a mixture of families to pilot runs, and write it as a recipe's tables."""
    from puzzlemill.difficulty.mixtures import recipe_tables

    typer.echo(recipe_tables(pilots, count), nl=False)


@app.command()
def publish(
    folder: BuildFolder,
    repo: Annotated[str, typer.Argument(metavar="REPO", help="On the Hub: OWNER/NAME.")],
    private: Annotated[bool, typer.Option("--private", help="Only its owner sees it.")] = False,
    gated: Annotated[bool, typer.Option("--gated", help="Only who asks gets it.")] = False,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Only offer it, as a pull request.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be sent, and stop.")
    ] = False,
) -> None:
    """Publish a build on the Hugging Face Hub; what is there already is not sent again."""
    from puzzlemill.outputs import publishing
    from puzzlemill.outputs.summary import say_parcel, say_published

    if dry_run:
        say_parcel(publishing.parcel(folder, repo))
        return
    say_published(publishing.publish(folder, repo, private, gated, create_pr))


@app.command()
def verify_build(
    folder: BuildFolder,
    sample: Annotated[int, typer.Option("-n", help="How many rows are made again.")] = 200,
    every: Annotated[bool, typer.Option("--all", help="Make every row again.")] = False,
) -> None:
    """Check a build: its files by checksum, its rows by what follows from their addresses."""
    from puzzlemill.pipelines.progress import counting
    from puzzlemill.pipelines.verifying import differences, picked, unsound

    faults = differences(folder)
    rows = [] if faults else picked(folder, None if every else sample)
    with counting("rows made again", len(rows)) as tell:
        faults += unsound(rows, tell)
    if faults:
        _fail("\n".join(faults))
    typer.echo(f"{folder}: all files are as the manifest says, {len(rows)} rows as their addresses")


@app.command()
def view(
    folder: BuildFolder,
    other: Annotated[
        Path | None,
        typer.Argument(metavar="OTHER", help="A later build, to compare with the first."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; anything but this machine lets others in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0: any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
) -> None:
    """Look at a build's items in a browser: filter, search, check answers, compare two builds."""
    from puzzlemill.outputs.viewer import server

    with server.viewing(server.site_of(folder, other), host, port) as serving:
        here = server.address(serving)
        if host != server.LOOPBACK:
            typer.echo("anyone who reaches this machine can read this build and check answers")
        typer.echo(f"{here}  (Ctrl-C ends it)")
        if browser:
            typer.launch(here)
        with suppress(KeyboardInterrupt):
            serving.serve_forever()


@app.command()
def train_tiny(
    folder: Annotated[Path, typer.Argument(help="Where the checkpoint is written.")],
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the bundled tiny policy from scratch: about ten minutes on one core."""
    from puzzlemill.trainer.tiny import train_tiny as run

    run(folder, seed=seed)


def main() -> None:
    """Run a command; what a user or a file got wrong is told in one line."""
    for each in _STOPS:
        signal.signal(each, _stop)
    try:
        app()
    except UserError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or 'input/output'}: {error.strerror or error}")
    except _Stopped as stopped:
        typer.echo("puzzlemill: stopped; run the same command again to go on", err=True)
        sys.exit(128 + stopped.number)


_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Stopped(BaseException):
    """Somebody wants this process to end. Nothing between there and `main` may catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _stop(number: int, _frame: object) -> NoReturn:
    for each in _STOPS:
        signal.signal(each, signal.SIG_IGN)  # the end itself is not to be broken off
    raise _Stopped(number)


def _with_bars(call: Any, *arguments: Any) -> Path:
    from puzzlemill.pipelines.progress import progress

    with progress() as tell:
        folder: Path = call(*arguments, tell=tell)
    return folder


def _flow(name: str, *arguments: Any) -> Path:
    return Path(_prefect(name)(*arguments))


def _prefect(name: str) -> Any:
    from importlib.util import find_spec

    if find_spec("prefect") is None:
        raise UserError("this runs as a Prefect flow: pip install 'puzzlemill[flows]', or --plain")
    from puzzlemill.flows import quiet

    quiet()
    from puzzlemill.flows import mill

    return getattr(mill, name)


def _fail(text: str) -> NoReturn:
    # A name out of somebody's file may hold what a terminal would obey.
    shown = (sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)
    plain = "".join(shown)
    typer.echo(f"puzzlemill: {plain}", err=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
