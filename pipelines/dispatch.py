"""A task: one shard of one step, or one file of the dataset, made in the process that calls."""

from collections.abc import Callable, Mapping
from pathlib import Path

from puzzlemill.pipelines.arrangement import ARRANGE, WRITE, arrangement_at, run_arrange, run_write
from puzzlemill.pipelines.folder import Build
from puzzlemill.pipelines.policy_note import POLICY, note_policy
from puzzlemill.pipelines.shards import Done, run_shard
from puzzlemill.pipelines.steps import build_at

_BESIDE_STEPS: Mapping[str, Callable[[Build, int], Done]] = {
    POLICY: lambda build, _: note_policy(build),
    ARRANGE: lambda build, shard: run_arrange(arrangement_at(build), shard),
    WRITE: lambda build, file: run_write(arrangement_at(build), file),
}


def make_shard(folder: Path, step: str, number: int) -> Done:
    """Only a folder, a step's name and a number are needed, wherever that is done."""
    build = build_at(folder)
    if beside := _BESIDE_STEPS.get(step):
        return beside(build, number)
    return run_shard(build, step, number)
