"""In a Ray cluster: a task a shard, and actors that keep the policy for those that ask it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from puzzlemill.core.errors import UserError, need
from puzzlemill.core.storage import pool
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.pipelines.dispatch import make_shard
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.runners import TRIES, Runner
from puzzlemill.pipelines.shards import Done
from puzzlemill.pipelines.steps import asks


@contextmanager
def cluster(recipe: Recipe) -> Iterator[Runner]:
    """A runner in the cluster that RAY_ADDRESS names, or in one of this machine."""
    need('runner = "ray"', "ray", extra="ray", remedy='set runner to "processes"')
    import ray

    begun = not ray.is_initialized()
    if begun:
        ray.init(
            include_dashboard=False,
            log_to_driver=False,
            num_cpus=None if os.environ.get("RAY_ADDRESS") else recipe.workers or None,
        )
    try:
        yield _runner(recipe)
    finally:
        if begun:
            ray.shutdown()


def _runner(recipe: Recipe) -> Runner:
    import ray

    here = {"env_vars": {pool.CORES: "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
    known = ray.cluster_resources()
    workers = recipe.workers or max(1, int(known["CPU"]))
    replicas = min(recipe.replicas, workers)
    # A lost worker is replaced by Ray itself, which then runs what it was at again.
    task = ray.remote(num_cpus=1, max_retries=TRIES - 1, runtime_env=here)(_made)
    asker = ray.remote(
        num_cpus=0,  # while they ask nothing else runs, and else they wait
        num_gpus=1 if known.get("GPU") else 0,
        max_restarts=-1,
        max_task_retries=TRIES - 1,
        runtime_env=here,
    )(_Asker)
    free: SimpleQueue[Any] = SimpleQueue()
    for _ in range(replicas if kind_of(recipe.policy).samples else 0):
        free.put(asker.remote(Path.cwd()))

    def run_there(folder: Path, step: str, number: int) -> Done:
        if not asks(step):
            return _found(task.remote(Path.cwd(), folder, step, number))
        replica = free.get()
        try:
            return _found(replica.make.remote(folder, step, number))
        finally:
            free.put(replica)

    return Runner(run_there, workers, replicas)


def _made(place: Path, folder: Path, step: str, number: int) -> Done:
    os.chdir(place)  # a recipe's paths are as seen from where the build was begun
    return make_shard(folder, step, number)


class _Asker:
    """A process that keeps the policy loaded from one shard to the next."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def make(self, folder: Path, step: str, number: int) -> Done:
        return _made(self.place, folder, step, number)


def _found(reference: Any) -> Done:
    """What came of a task; what a user got wrong is told as it would be here."""
    import ray

    try:
        found: Done = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, UserError | OSError):
            raise error.cause from None
        raise
    return found


RUNNER = cluster
