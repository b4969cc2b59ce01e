"""The flows: build, rescore, regenerate, train, and the loop that chains them."""

from pathlib import Path

from prefect import flow
from prefect.artifacts import create_markdown_artifact

from puzzlemill import pipelines
from puzzlemill.core.recipe import Again
from puzzlemill.flows.shards import in_tasks
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.progress import progress
from puzzlemill.pipelines.rescore import next_block, under
from puzzlemill.trainer.progress import training_progress
from puzzlemill.trainer.run import train as train_on


@flow
def build(recipe: str, builds: str = "builds") -> str:
    """Run a recipe through the whole mill."""
    with progress() as tell:
        return _shown(pipelines.build(recipe, builds, in_tasks, tell))


@flow
def rescore(
    folder: str,
    checkpoint: str = "",
    builds: str = "builds",
    stale: bool = False,
    upcoming: int = 0,
) -> str:
    """Score a build's items again, under a checkpoint or the build's own policy: all of them, what
    that policy has not scored, or so many that training comes to next."""
    build = Path(folder)
    policy = under(build, Path(checkpoint)) if checkpoint else None
    again = Again(stale, next_block(build, upcoming) if upcoming else ())
    with progress() as tell:
        return _shown(pipelines.rescore(build, policy, again, builds, in_tasks, tell))


@flow
def regenerate(folder: str, builds: str = "builds") -> str:
    """Make new items in the band of pass rates that the build's recipe names."""
    with progress() as tell:
        return _shown(pipelines.regenerate(Path(folder), builds, in_tasks, tell))


@flow
def train(what: str, builds: str = "builds") -> str:
    """Train the policy of a build, or of a recipe, whose build is made first if it needs one; the
    checkpoint's folder."""
    folder = Path(what)
    if folder.suffix == ".toml":
        with progress() as tell:
            folder = pipelines.ready_to_train(folder, builds, in_tasks, tell)
    with training_progress() as told:
        checkpoint = train_on(folder, told)
    if (folder / "manifest.json").is_file():
        write_report(folder)
    return str(checkpoint)


@flow
def loop(recipe: str, rounds: int = 1, builds: str = "builds") -> list[str]:
    """Build, train, score again and regenerate, round after round; the builds' folders."""
    folders = [build(recipe, builds)]
    for _ in range(rounds):
        checkpoint = train(folders[-1])
        rescored = rescore(folders[-1], checkpoint, builds)
        folders += [rescored, regenerate(rescored, builds)]
    return folders


def _shown(folder: Path) -> str:
    """The build's folder, after its card was put into Prefect's interface."""
    key = "".join(sign if sign.isalnum() else "-" for sign in f"build-{folder.name}".lower())
    create_markdown_artifact(
        (folder / "dataset" / "README.md").read_text(),
        key=key,
        description=f"Report: {folder / 'report.html'}",
    )
    return str(folder)
