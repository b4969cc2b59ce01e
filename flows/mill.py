"""The flows: build, rescore, regenerate, train, the loop that chains them, and those by night."""

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.artifacts import create_table_artifact

from puzzlemill import pipelines
from puzzlemill.core.recipe import Again, read_recipe
from puzzlemill.flows.shards import in_tasks
from puzzlemill.flows.telling import notify, show
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.progress import progress
from puzzlemill.pipelines.rescore import next_block, under
from puzzlemill.pipelines.unattended import next_build, refresh, tidy
from puzzlemill.trainer.progress import training_progress
from puzzlemill.trainer.run import train as train_on

TOLD: Any = {name: [notify] for name in ("on_completion", "on_failure", "on_crashed")}
# What fails by night may pass by itself: a build goes on where it stopped.
UNATTENDED: Any = TOLD | {"retries": 2, "retry_delay_seconds": 60}


@flow
def build(recipe: str, builds: str = "builds") -> str:
    """Run a recipe through the whole mill."""
    with progress() as tell:
        return show(pipelines.build(recipe, builds, in_tasks, tell))


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
        return show(pipelines.rescore(build, policy, again, builds, in_tasks, tell))


@flow
def regenerate(folder: str, builds: str = "builds") -> str:
    """Make new items in the band of pass rates that the build's recipe names."""
    with progress() as tell:
        return show(pipelines.regenerate(Path(folder), builds, in_tasks, tell))


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
    write_report(folder)
    return str(checkpoint)


@flow(**TOLD)
def loop(recipe: str, rounds: int = 1, builds: str = "builds") -> list[str]:
    """Build, train, score again and regenerate, round after round; the builds' folders."""
    folders = [build(recipe, builds)]
    for _ in range(rounds):
        checkpoint = train(folders[-1])
        rescored = rescore(folders[-1], checkpoint, builds)
        folders += [rescored, regenerate(rescored, builds)]
    return folders


@flow(**UNATTENDED)
def nightly(recipe: str, builds: str = "builds", keep: int = 7) -> str:
    """The next build of a series, with new items; old ones are removed."""
    read = read_recipe(Path(recipe))
    with progress() as tell:
        folder = next_build(read, builds, in_tasks, tell)
    tidy(read.name, keep, Path(builds))
    return show(folder)


@flow(**UNATTENDED)
def weekly(recipe: str, builds: str = "builds", least: float = 0.4, checkpoint: str = "") -> str:
    """Score the series' newest build under the current checkpoint; make new items where fewer than
    the least share of its items still lie in the band."""
    name = read_recipe(Path(recipe)).name
    now = Path(checkpoint) if checkpoint else None
    with progress() as tell:
        found = refresh(name, least, now, builds, in_tasks, tell)
    create_table_artifact(
        [{"share in the band": found.share, "least": least, "new items": str(found.regenerated)}],
        key="refresh",
    )
    show(found.rescored)
    return show(found.regenerated) if found.regenerated else str(found.rescored)
