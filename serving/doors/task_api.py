"""Task lists, which Open Reward Standard and OpenEnv have in common."""

from typing import Any

from starlette.exceptions import HTTPException

from puzzlemill.core.address import check_split
from puzzlemill.core.errors import UserError
from puzzlemill.serving.calls import Call, Handler, Malformed, NotThere
from puzzlemill.serving.doors import Door
from puzzlemill.serving.tasks import Environment, Task, environment_of
from puzzlemill.serving.tasks import splits as all_splits

LISTED = 10_000  # tasks that one request may list


async def environments(call: Call) -> list[str]:
    return list(call.server.environments)


async def splits(call: Call) -> list[dict[str, str]]:
    environment = environment_in(call)
    return [each for each in all_splits() if environment.count(each["name"])]


async def tasks(call: Call) -> dict[str, Any]:
    environment, split = environment_in(call), _split(call)
    count = environment.count(split)
    if count > LISTED:
        raise HTTPException(501, f"there are {count:,} tasks: take num_tasks, task and task_range")
    return _listed(environment, _range(environment, split, 0, count))


async def num_tasks(call: Call) -> dict[str, int]:
    return {"num_tasks": environment_in(call).count(_split(call))}


async def task(call: Call) -> dict[str, Any]:
    environment, split = environment_in(call), _split(call)
    one = call.server.task(environment, split, _index(call, "index"))
    return {"task": dict(one), "env_name": environment.name}


async def task_range(call: Call) -> dict[str, Any]:
    environment, split = environment_in(call), _split(call)
    count = environment.count(split)
    start = 0 if call.body.get("start") is None else _index(call, "start")
    stop = count if call.body.get("stop") is None else _index(call, "stop")
    if not 0 <= start <= stop <= count:
        raise UserError(f"the tasks of {split} go from 0 to {count:,}")
    if stop - start > LISTED:
        raise UserError(f"{stop - start:,} tasks at once; take {LISTED:,} at most")
    return _listed(environment, _range(environment, split, start, stop))


def environment_in(call: Call) -> Environment:
    """What the path names, or else the default environment."""
    try:
        return environment_of(call.server.environments, call.path.get("environment"))
    except UserError as error:
        raise NotThere(str(error)) from None


def _split(call: Call) -> str:
    split = call.text("split")
    check_split(split)
    return split


def _index(call: Call, name: str) -> int:
    value = call.body.get(name)
    if type(value) is not int:
        raise Malformed(f"{name!r} is missing, or is no whole number")
    return value


def _range(environment: Environment, split: str, start: int, stop: int) -> list[Task]:
    return [environment.task(split, index) for index in range(start, stop)]


def _listed(environment: Environment, tasks: list[Task]) -> dict[str, Any]:
    return {"tasks": [dict(each) for each in tasks], "env_name": environment.name}


_OF_ONE: dict[tuple[str, str], Handler] = {
    ("GET", "splits"): splits,
    ("POST", "tasks"): tasks,
    ("POST", "num_tasks"): num_tasks,
    ("POST", "task"): task,
    ("POST", "task_range"): task_range,
}
DOOR = Door(
    {("GET", "/list_environments"): environments}
    | {(method, f"/{name}"): handler for (method, name), handler in _OF_ONE.items()}
    | {(method, f"/{{environment}}/{name}"): handler for (method, name), handler in _OF_ONE.items()}
)
