"""Where shards are made: here, in processes of this machine, or in a Ray cluster.

A shard's bytes follow from its inputs alone, so they are the same wherever it is made.
"""

from pathlib import Path

from puzzlemill.pipelines.arranging import ARRANGE, WRITE, arrangement_at, run_arrange, run_write
from puzzlemill.pipelines.steps import Done, build_at, run_shard


def run(folder: Path, step: str, number: int) -> Done:
    """Make one shard of one step, or one file of the dataset."""
    build = build_at(folder)
    if step == ARRANGE:
        return run_arrange(arrangement_at(build), number)
    if step == WRITE:
        return run_write(arrangement_at(build), number)
    return run_shard(build, step, number)
