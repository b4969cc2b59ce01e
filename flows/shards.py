"""One Prefect task a shard: the way that flows run a step of a build."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.futures import as_completed

from puzzlemill.core import pool
from puzzlemill.core.errors import UserError
from puzzlemill.pipelines.build import Tell
from puzzlemill.pipelines.steps import Done, asks, build_at, run_shard


def _worth_retrying(_task: Any, _run: TaskRun, state: State[Any]) -> bool:
    """What a user got wrong stays wrong."""
    return not isinstance(state.result(raise_on_failure=False), UserError)


# Shards lie under names made from their inputs, so Prefect's own cache would be a second truth.
@task(
    task_run_name="{step}-{shard}",
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=2,
    retry_delay_seconds=[1, 5],
    retry_condition_fn=_worth_retrying,
)
def shard(folder: str, step: str, shard: int) -> dict[str, Any]:
    return asdict(run_shard(build_at(Path(folder)), step, shard))


def in_tasks(folder: Path, step: str, shards: int, tell: Tell) -> Sequence[Done]:
    """Run a step's shards as tasks. Scoring goes one at a time: they share one policy."""
    if asks(step):
        done = []
        for number in range(shards):
            done.append(Done(**shard(str(folder), step, number)))
            tell(done[-1], shards)
        return done
    done = []
    with pool.leaving_together():
        futures = [shard.submit(str(folder), step, number) for number in range(shards)]
        for future in as_completed(futures):
            done.append(Done(**future.result()))
            tell(done[-1], shards)
    return sorted(done, key=lambda each: each.shard)
