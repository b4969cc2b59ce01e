"""OpenEnv: the application of a package that `puzzlemill export --to openenv` wrote."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import read_json
from puzzlemill.core.tables import settings_of
from puzzlemill.serving.episodes import Server
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.tasks import BuildTasks, Task

TASKS = "tasks"


def app_of_export(folder: Path, **options: Any) -> Any:
    """An ASGI application; options are settings of the server."""
    from puzzlemill.serving.app import app_of

    return app_of(server_of_export(folder, **options))


def server_of_export(folder: Path, **options: Any) -> Server:
    record = read_json(folder / "export.json")
    tasks: defaultdict[str, list[Task]] = defaultdict(list)
    for file in sorted((folder / TASKS).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            task = json.loads(line)
            tasks[task["split"]].append(task)
    if not tasks:
        raise UserError(f"{folder / TASKS}: holds no tasks; export the build again")
    families = {task["family"] for each in tasks.values() for task in each}
    build = BuildTasks(str(record["build"]).lower(), dict(tasks), tuple(sorted(families)))
    settings = settings_of({"style": record["style"], **options}, Serve, str(folder))
    return Server(settings, {build.name: build})


def listen_at(folder: Path) -> None:
    """What the package's `server` runs: it takes --host and --port."""
    from argparse import ArgumentParser

    from puzzlemill.serving.listening import listen

    parser = ArgumentParser(description="Serve the tasks of this package.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args()
    listen(server_of_export(folder), given.host, given.port, "", print)
