"""The flows: build, rescore, regenerate, train, the loop that chains them, and those by night."""

from pathlib import Path
from typing import Any

from prefect import flow
from prefect.artifacts import create_table_artifact

from puzzlemill import pipelines
from puzzlemill.flows.artifacts import ended, show
from puzzlemill.flows.notification import notify
from puzzlemill.flows.shard_tasks import in_tasks
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.progress import progress
from puzzlemill.pipelines.recipe import read_recipe
from puzzlemill.pipelines.rescore import checkpoint_policy, items_to_score
from puzzlemill.pipelines.rounds import run_rounds
from puzzlemill.pipelines.series import next_build, refresh, tidy
from puzzlemill.trainer.progress import training_progress
from puzzlemill.trainer.run import train as train_on

NOTIFYING: Any = {name: [notify] for name in ("on_completion", "on_failure", "on_crashed")}
# What fails by night may pass by itself: a build goes on where it stopped.
UNATTENDED: Any = NOTIFYING | {"retries": 2, "retry_delay_seconds": 60}


@flow
def build(
    recipe: str, builds: str = "builds", replace: bool = False, allow_empty: bool = False
) -> str:
    """Run a recipe through the whole mill; the folder."""
    with progress() as tell:
        folder = pipelines.build(recipe, builds, in_tasks, tell, replace)
    return ended(folder, allow_empty)


@flow
def rescore(
    folder: str,
    checkpoint: str = "",
    builds: str = "builds",
    stale: bool = False,
    upcoming: int = 0,
    replace: bool = False,
    allow_empty: bool = False,
    policy: dict[str, Any] | None = None,
    pair: str = "",
) -> str:
    """Score a build's items again, under a checkpoint, under the build's own policy or with changes
    of its [policy]: all of them, what that policy has not scored, or so many that training comes to
    next; the new build's folder."""
    build = Path(folder)
    measured = checkpoint_policy(build, checkpoint, policy)
    again = items_to_score(build, stale, upcoming, pair)
    with progress() as tell:
        made = pipelines.rescore(build, measured, again, builds, in_tasks, tell, replace)
    return ended(made, allow_empty)


@flow
def regenerate(
    folder: str, builds: str = "builds", replace: bool = False, allow_empty: bool = False
) -> str:
    """Make new items in the band of pass rates that the build's recipe names; their folder."""
    with progress() as tell:
        made = pipelines.regenerate(Path(folder), builds, in_tasks, tell, replace)
    return ended(made, allow_empty)


@flow
def train(what: str, builds: str = "builds") -> str:
    """Train the policy of a build, or of a recipe, whose build is made first if it needs one; the
    checkpoint's folder."""
    folder = Path(what)
    if folder.suffix == ".toml":
        with progress() as tell:
            folder = pipelines.ready_to_train(folder, builds, in_tasks, tell)
    with training_progress() as tell:
        checkpoint = train_on(folder, tell)
    write_report(folder)
    return str(checkpoint)


@flow(**NOTIFYING)
def loop(recipe: str, rounds: int = 1, builds: str = "builds", replace: bool = False) -> list[str]:
    """Build, train, score again and regenerate, round after round; the builds' folders. A round
    that would train on nothing fails."""
    return run_rounds(
        rounds,
        lambda: build(recipe, builds, replace),
        lambda folder: train(folder, builds),
        lambda folder, checkpoint: rescore(
            folder, checkpoint, builds, replace=replace, allow_empty=True
        ),
        lambda folder: regenerate(folder, builds, replace),
    )


@flow(**UNATTENDED)
def nightly(recipe: str, builds: str = "builds", keep: int = 7, allow_empty: bool = False) -> str:
    """The next build of a series, with new items; old ones are removed, unless this one is empty.
    The new build's folder."""
    settings = read_recipe(Path(recipe))
    with progress() as tell:
        folder = next_build(settings, builds, in_tasks, tell)
    end = ended(folder, allow_empty)
    if end == str(folder):
        tidy(settings.name, keep, Path(builds))
    return end


@flow(**UNATTENDED)
def weekly(
    recipe: str,
    builds: str = "builds",
    least: float = 0.4,
    checkpoint: str = "",
    allow_empty: bool = False,
) -> str:
    """Score the series' newest build under the current checkpoint; make new items where fewer than
    the least share of its items still lie in the band. The folder of the last build."""
    name = read_recipe(Path(recipe)).name
    under = Path(checkpoint) if checkpoint else None
    with progress() as tell:
        refreshed = refresh(name, least, under, builds, in_tasks, tell)
    create_table_artifact(
        [
            {
                "share in the band": refreshed.share,
                "least": least,
                "new items": str(refreshed.regenerated),
            }
        ],
        key="refresh",
    )
    if not refreshed.regenerated:
        return ended(refreshed.rescored, allow_empty)
    show(refreshed.rescored)
    return ended(refreshed.regenerated, allow_empty)
