"""The command line: thin, each command imports its room inside."""

import os
import signal
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, NoReturn

import typer

from puzzlemill.core.errors import FamilyWarning, UserError, need

app = typer.Typer(
    name="puzzlemill",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

LEVELS = "0 is the easiest rung of the ladder, 1 the hardest."
Builds = Annotated[Path, typer.Option(help="The folder that builds are written to.")]
Plain = Annotated[bool, typer.Option("--plain", help="Run without Prefect.")]
RecipeFile = Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe, such as demo.toml.")]
BuildFolder = Annotated[Path, typer.Argument(metavar="BUILD", help="A build's folder.")]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="Where a build of another recipe has this name, remove it."),
]
AllowEmpty = Annotated[
    bool, typer.Option("--allow-empty", help="A build that keeps nothing is no failure.")
]
Checkpoint = Annotated[
    Path | None, typer.Option(help="Score under this checkpoint, not under the build's policy.")
]


def _say_version(wanted: bool) -> None:
    if wanted:
        from puzzlemill import __version__

        typer.echo(f"puzzlemill {__version__}")
        raise typer.Exit


@app.callback()
def puzzlemill(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Say which version this is, and stop.",
            is_eager=True,
            callback=_say_version,
        ),
    ] = False,
) -> None:
    """Reasoning problems that are exactly as hard as a model can use."""


@app.command()
def families(
    category: Annotated[str | None, typer.Argument(help="Only those of one category.")] = None,
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


@app.command()
def preview(
    family: Annotated[str, typer.Argument(metavar="FAMILY")],
    level: Annotated[
        float | None, typer.Option(help=f"{LEVELS} [default: 0.5]", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option()] = 0,
    count: Annotated[
        int | None, typer.Option("-n", help="How many items. [default: 1]", show_default=False)
    ] = None,
    pictures: Annotated[Path, typer.Option(help="Where pictures are saved.")] = Path("preview"),
    sheet: Annotated[
        Path | None, typer.Option(help="Write one PNG instead: four items at each of three levels.")
    ] = None,
) -> None:
    """Show items of a family as a policy sees them, with their answers."""
    from puzzlemill.outputs.listing import shown

    if sheet:
        from puzzlemill.outputs.contact import write_sheet

        if level is not None or count is not None:
            raise UserError("--sheet is four items at each of three levels: leave out -n, --level")
        write_sheet(family, seed, sheet)
        return

    count = 1 if count is None else _at_least(1, "-n", count)
    for text in shown(family, 0.5 if level is None else level, seed, count, pictures):
        typer.echo(text)


@app.command()
def audit(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FAMILY]...", help="Families, categories, or variants: gcd+*."),
    ] = None,
    items: Annotated[int, typer.Option("-n", "--items", help="How many items a rung.")] = 5,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--json", help="A folder for the figures: a file a category, such as docs/audit."
        ),
    ] = None,
) -> None:
    """Try to break families and their verifiers, and say what is wrong with them."""
    from rich.console import Console

    from puzzlemill.core import registry
    from puzzlemill.outputs.truth import table, write_audit
    from puzzlemill.pipelines.parallel_audit import audit_all
    from puzzlemill.pipelines.progress import counting

    _at_least(1, "-n", items)
    chosen = registry.names()
    if names:
        chosen = list(dict.fromkeys(name for each in names for name in registry.matching(each)))
    with counting("families", len(chosen)) as tell:
        found = audit_all(chosen, items, tell)
    Console().print(table(found))
    if folder:
        write_audit(folder, found)
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
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
) -> None:
    """Generate, certify, score, filter, order and write a dataset."""
    from puzzlemill import pipelines

    read = _read(recipe)
    pipelines.check_sources(read)
    if dry_run:
        from puzzlemill.pipelines.plan import plan_text

        typer.echo(plan_text(read), nl=False)
        return
    _make_room(read, builds, replace)
    if plain:
        folder = _with_bars(pipelines.build, recipe, builds, replace=replace)
    else:
        folder = _flow("build", str(recipe), str(builds), replace, allow_empty)
    _say_build(folder, allow_empty)


@app.command()
def fetch(
    url: Annotated[str, typer.Argument(metavar="URL", help="As s3://bucket/builds/demo.")],
    builds: Builds = Path("builds"),
) -> None:
    """Bring a finished build here from the store that its recipe put it into."""
    from puzzlemill.outputs.summary import say_build
    from puzzlemill.pipelines.download import fetch as run

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
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
) -> None:
    """Score a build's items again, under a newer policy."""
    from puzzlemill import pipelines
    from puzzlemill.pipelines.rescore import checkpoint_policy, next_block, rescore_recipe
    from puzzlemill.pipelines.settings import Again

    _at_least(0, "--upcoming", upcoming)
    policy = checkpoint_policy(folder, checkpoint) if checkpoint else None
    which = Again(stale, next_block(folder, upcoming) if upcoming else ())
    _make_room(rescore_recipe(folder, policy, which), builds, replace)
    if plain:
        again = _with_bars(pipelines.rescore, folder, policy, which, builds, replace=replace)
    else:
        names = str(folder), str(checkpoint or ""), str(builds)
        again = _flow("rescore", *names, stale, upcoming, replace, allow_empty)
    _say_build(again, allow_empty)


@app.command()
def regenerate(
    folder: BuildFolder,
    builds: Builds = Path("builds"),
    plain: Plain = False,
    replace: Replace = False,
    allow_empty: AllowEmpty = False,
) -> None:
    """Make new items in the band of pass rates that the build's recipe names."""
    from puzzlemill import pipelines
    from puzzlemill.outputs.summary import say_regeneration
    from puzzlemill.pipelines.regenerate import regeneration_recipe

    _make_room(regeneration_recipe(folder), builds, replace)  # checked before anything starts
    if plain:
        again = _with_bars(pipelines.regenerate, folder, builds, replace=replace)
    else:
        again = _flow("regenerate", str(folder), str(builds), replace, allow_empty)
    say_regeneration(folder)
    _say_build(again, allow_empty)


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
    from puzzlemill.outputs.summary import say_training
    from puzzlemill.pipelines.recipe import check_trainable, recipe_of

    _need_torch("training")
    check_trainable(_read(what) if what.suffix == ".toml" else recipe_of(what))
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
    replace: Replace = False,
) -> None:
    """Build, train, score again and regenerate, round after round."""
    from puzzlemill.outputs.summary import say_loop
    from puzzlemill.pipelines.recipe import check_trainable

    _at_least(1, "--rounds", rounds)
    read = _read(recipe)
    check_trainable(read)
    _need_torch("training")
    _make_room(read, builds, replace)
    folders = _prefect("loop")(str(recipe), rounds, str(builds), replace)
    say_loop([Path(folder) for folder in folders])


@app.command()
def export(
    folder: BuildFolder,
    to: Annotated[
        list[str],
        typer.Option(help="A trainer's format, such as trl, verl or sft; one --to for each."),
    ],
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
    from puzzlemill.outputs.exports import EXPORTS
    from puzzlemill.outputs.summary import say_export
    from puzzlemill.outputs.trainer_files.writer import export as run

    if len(to) > 1 and out:
        raise UserError("--out is the folder of one export: give it one --to")
    for name in to:
        EXPORTS.load(name, "--to")  # says what is wrong with it before any is written
    for name in dict.fromkeys(to):
        written = run(folder, name, out, curriculum, stages, unscored, replies)
        say_export(written.folder, written.files, written.left_out)


@app.command()
def mix(
    pilots: Annotated[Path, typer.Argument(metavar="PILOTS", help="A JSON file of pilot runs.")],
    count: Annotated[int, typer.Option(help="How many items the recipe is to make.")] = 10_000,
) -> None:
    """Fit a mixture of families to pilot runs, and write it as a recipe's tables."""
    from puzzlemill.difficulty.mixtures import recipe_tables

    typer.echo(recipe_tables(pilots, _at_least(1, "--count", count)), nl=False)


@app.command()
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
    """Publish a build on the Hugging Face Hub; what is there already is not sent again."""
    from puzzlemill.outputs import publishing
    from puzzlemill.outputs.summary import say_parcel, say_published

    if dry_run:
        say_parcel(publishing.parcel(folder, repo))
        return
    say_published(publishing.publish(folder, repo, private, gated, create_pr, replace))


@app.command()
def verify_build(
    folder: BuildFolder,
    sample: Annotated[int, typer.Option("-n", help="How many rows are made again.")] = 200,
    every: Annotated[bool, typer.Option("--all", help="Make every row again.")] = False,
    seed: Annotated[
        int | None, typer.Option(help="Which rows are made again; others each time if not given.")
    ] = None,
) -> None:
    """Check a build: its files by checksum, its rows by what follows from their addresses."""
    from puzzlemill.pipelines.integrity import file_faults, row_faults, sample_rows
    from puzzlemill.pipelines.progress import counting

    rows, chosen = sample_rows(folder, None if every else sample, seed)
    faults = file_faults(folder)
    rows = [] if faults else rows
    with counting("rows made again", len(rows)) as tell:
        faults += row_faults(rows, tell)
    if faults:
        _fail("\n".join(faults))
    which = "" if every else f" (--seed {chosen})"
    told = f"all files are as the manifest says, {len(rows)} rows as their addresses{which}"
    typer.echo(f"{folder}: {told}")


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
    _need_torch("training")
    from puzzlemill.trainer.tiny import train_tiny as run

    run(folder, seed=seed)


def main() -> None:
    """Run a command; what a user or a file got wrong is told in one line."""
    for each in _STOPS:
        signal.signal(each, _stop)
    warnings.formatwarning = _warned
    sys.excepthook = _bug
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


def _at_least(least: int, option: str, value: int) -> int:
    if value < least:
        raise UserError(f"{option} is {value}; it is {least} or more")
    return value


def _need_torch(what: str) -> None:
    need(what, "torch", "transformers", "safetensors", extra="train")


def _read(recipe: Path) -> Any:
    """A recipe; what is wrong with it, or has no effect, is told before anything starts."""
    from puzzlemill.pipelines.recipe import read_recipe
    from puzzlemill.trainer.settings import without_effect

    read = read_recipe(recipe)
    for note in without_effect(read.train):
        typer.echo(f"puzzlemill: {note}", err=True)
    return read


def _make_room(recipe: Any, builds: Path, replace: bool) -> None:
    """Say what a build of another recipe under this name means, before anything starts."""
    from puzzlemill.pipelines.name_conflict import paths_replaced, refuse

    folder = builds / recipe.name
    if not replace:
        refuse(folder, recipe)
    elif gone := paths_replaced(folder, recipe):
        names = ", ".join(path.name for path in gone)
        typer.echo(f"{folder}: replacing a build of another recipe: {names}", err=True)


def _say_build(folder: Path, allow_empty: bool) -> None:
    from puzzlemill.core.errors import NothingKept
    from puzzlemill.outputs.advice import expect_kept
    from puzzlemill.outputs.summary import say_build

    say_build(folder)
    try:
        expect_kept(folder)
    except NothingKept as error:
        if not allow_empty:
            raise UserError(f"{error}; the dataset is whole: --allow-empty takes it so") from None
        typer.echo(f"note: {error}", err=True)


def _with_bars(call: Any, *arguments: Any, **named: Any) -> Path:
    from puzzlemill.pipelines.progress import progress

    with progress() as tell:
        folder: Path = call(*arguments, tell=tell, **named)
    return folder


def _flow(name: str, *arguments: Any) -> Path:
    """The folder that a flow has made. One that kept nothing fails the flow; who called it tells
    what it is."""
    from puzzlemill.core.errors import NothingKept

    try:
        return Path(_prefect(name)(*arguments))
    except NothingKept as error:
        return error.folder


def _prefect(name: str) -> Any:
    need("a Prefect flow", "prefect", extra="flows", remedy="--plain")
    from puzzlemill.flows import quiet

    quiet()
    from puzzlemill.flows import mill

    return getattr(mill, name)


def _fail(text: str) -> NoReturn:
    typer.echo(f"puzzlemill: {_plain(text)}", err=True)
    sys.exit(1)


def _plain(text: str) -> str:
    """A name out of somebody's file may hold what a terminal would obey."""
    shown = (sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)
    return "".join(shown)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    line: str | None = None,
) -> str:
    """In a line, where somebody's family is left out; who reads it did not write our code."""
    if issubclass(category, FamilyWarning):
        return f"puzzlemill: {_plain(str(message))}\n"
    return _format_warning(message, category, filename, lineno, line)


_format_warning = warnings.formatwarning


def _bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What nobody foresaw: with all there is to know of it, and whose fault it is."""
    sys.__excepthook__(kind, error, trace)
    typer.echo("puzzlemill: this is a bug in Puzzlemill: please report what stands above", err=True)


if __name__ == "__main__":
    main()
