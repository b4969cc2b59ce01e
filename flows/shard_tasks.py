"""One Prefect task a shard: the way that flows run a step of a build."""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import asdict
from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.futures import PrefectFuture, as_completed
from prefect.task_runners import ThreadPoolTaskRunner

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage import pool
from puzzlemill.pipelines.build import Tell
from puzzlemill.pipelines.runners import Runner
from puzzlemill.pipelines.shards import Done
from puzzlemill.pipelines.steps import asks


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
    return asdict(_runner.get().run(Path(folder), step, shard))


# What a task is given must be plain; it runs in a copy of the context that it was submitted in.
_runner: ContextVar[Runner] = ContextVar("runner")


def in_tasks(folder: Path, step: str, shards: int, tell: Tell, runner: Runner) -> Sequence[Done]:
    """Run a step's shards as tasks, as many at once as the runner has workers."""
    _runner.set(runner)
    at_once = runner.at_once(asks(step))
    if at_once == 1:
        done = []
        for number in range(shards):
            done.append(Done(**shard(str(folder), step, number)))
            tell(done[-1], shards)
        return done
    done = []
    threads: ThreadPoolTaskRunner[Any] = ThreadPoolTaskRunner(max_workers=at_once)
    with threads, pool.leaving_together():
        futures: list[PrefectFuture[Any]] = [
            threads.submit(shard, {"folder": str(folder), "step": step, "shard": number})
            for number in range(shards)
        ]
        for future in as_completed(futures):
            done.append(Done(**future.result()))
            tell(done[-1], shards)
    return sorted(done, key=lambda each: each.shard)
