"""Training from a build or from a recipe, in one process or in several."""

from contextlib import nullcontext
from pathlib import Path


def train_from(path: Path, builds: str | Path, bars: bool = False) -> Path:
    """The last checkpoint's folder. Of a recipe, the build is made first, by the first process."""
    from puzzlemill.outputs.report import write_report
    from puzzlemill.pipelines import ready_to_train
    from puzzlemill.pipelines.build import quietly
    from puzzlemill.pipelines.progress import progress
    from puzzlemill.trainer import distributed
    from puzzlemill.trainer.progress import training_progress
    from puzzlemill.trainer.run import train

    folder = path
    with distributed.process_group():
        first = distributed.rank() == 0
        if folder.suffix == ".toml" and first:
            with progress() if bars else nullcontext(quietly) as tell:
                folder = ready_to_train(folder, builds, tell=tell)
        folder = distributed.broadcast(folder)
        if bars:
            with training_progress() as tell_step:
                checkpoint = train(folder, tell_step)
        else:
            checkpoint = train(folder)
    if first:
        write_report(folder)
    return checkpoint
