"""The taskset and its environment in the hands of verifiers itself. Not part of the plain run:

    .venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_verifiers.py

`make loaders` makes the environment and runs it. Takes some minutes and needs a package index, from
which verifiers gets its chat program's packages. verifiers' own loop plays, with a model that is a
server on the loopback, and its own `validate` looks at every family.
"""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "DO_NOT_TRACK": "1"}
os.environ |= {"OUR_KEY": "none"}

import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.serving.adapters.hub_package import ID, write_package
from puzzlemill.serving.settings import Serve

LEVELS = Serve().levels
GAMES = [f"play_{name}" for name in registry.games() if name != "spy_pictures"]  # has pictures


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("hub") / "package"
    write_package(folder)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def model() -> Iterator[Any]:
    """A server that speaks OpenAI's chat completions; set `reply` to what it is to say."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = server.reply(body["messages"])  # type: ignore[attr-defined]
            said = {"role": "assistant", "content": text}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "ours"}
            choice = {"index": 0, "delta": said, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            events = [chunk | {"choices": [choice]}, chunk | {"choices": [], "usage": usage}]
            assert body["stream"]
            data = "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(data.encode())))
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def episodes(model: Any, reply: Callable[[Any], str], tasks: int, **taskset: Any) -> list[Any]:
    return episodes_of(model, reply, tasks, {"taskset": {"id": f"miller/{ID}", **taskset}})


def episodes_of(
    model: Any, reply: Callable[[Any], str], tasks: int, environment: dict[str, Any]
) -> list[Any]:
    """What verifiers' own loop makes of the first tasks."""
    from verifiers.v1.clients import EvalClientConfig, ModelContext
    from verifiers.v1.types import SamplingConfig
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    model.reply = reply
    config = resolve_env_config(environment)
    address = f"http://127.0.0.1:{model.server_port}/v1"
    client = EvalClientConfig(base_url=address, api_key_var="OUR_KEY")

    async def run() -> list[Any]:
        environment = load_environment(config)
        context = ModelContext(client=client, model="ours", sampling=SamplingConfig())
        chosen = list(environment.taskset.take(tasks))
        async with environment.serving():
            return [await environment.run_episode(task, context) for task in chosen]

    found = asyncio.run(run())
    assert not [error for episode in found for error in episode.errors]
    return found


def gold_by_prompt(**taskset: Any) -> dict[str, str]:
    from verifiers.v1.utils.loaders import load_taskset, resolve_env_config

    config = resolve_env_config({"taskset": {"id": ID, **taskset}})
    tasks = list(load_taskset(config.taskset).take(3))
    return {task.data.prompt_text: pm.item(task.data.task).answer for task in tasks}


def asked(messages: Any) -> str:
    """The text of the first prompt."""
    content = next(each["content"] for each in messages if each["role"] == "user")
    if isinstance(content, str):
        return content
    return "\n\n".join(each["text"] for each in content if each["type"] == "text")


def test_one_reply_is_judged(model: Any) -> None:
    taskset = {"what": ["sums", "sorting"], "levels": [0.0]}
    gold = gold_by_prompt(**taskset)
    right = episodes(model, lambda said: f"<answer>{gold[asked(said)]}</answer>", 3, **taskset)
    assert [trace.reward for each in right for trace in each.traces] == [1.0] * 3
    wrong = episodes(model, lambda said: "I cannot say.", 3, **taskset)
    assert [trace.reward for each in wrong for trace in each.traces] == [0.0] * 3
    assert all(trace.metrics["unparsed"] == 1 for each in wrong for trace in each.traces)


def test_a_problem_is_tried_again_until_it_is_right(model: Any) -> None:
    taskset = {"what": ["sums"], "levels": [0.0], "tries": 3}
    gold = gold_by_prompt(**taskset)

    def second(messages: Any) -> str:
        tried = sum(each["role"] == "assistant" for each in messages)
        return f"<answer>{gold[asked(messages)] if tried else 'no'}</answer>"

    for episode in episodes(model, second, 2, **taskset):
        (trace,) = episode.traces
        assert trace.reward == 1.0
        assert trace.num_turns == 2
    (episode,) = episodes(model, lambda said: "<answer>no</answer>", 1, **taskset)
    assert (episode.traces[0].reward, episode.traces[0].num_turns) == (0.0, 3)


def test_nim_is_played_to_its_end_and_an_illegal_move_loses(model: Any) -> None:
    taskset = {"what": ["play_nim"], "levels": [0.0]}
    for opponent, seats in (("random", 1), ("agents", 2)):
        found = episodes(model, nim_move, 2, opponent=opponent, **taskset)
        for episode in found:
            assert len(episode.traces) == seats
            results = sorted(trace.reward for trace in episode.traces)
            assert results in ([-1.0], [1.0], [-1.0, 1.0])
            assert not any(trace.metrics["illegal"] for trace in episode.traces)
        (lost,) = episodes(model, lambda said: "I pass.", 1, opponent=opponent, **taskset)
        rewards = {trace.metrics["illegal"]: trace.reward for trace in lost.traces}
        assert rewards[1.0] == -1.0
        assert rewards.get(0.0, 1.0) == 1.0


def nim_move(messages: Any) -> str:
    """A legal move: one object of the first heap that has any."""
    latest = next(each["content"] for each in reversed(messages) if each["role"] == "user")
    heaps = re.findall(r"heap (\d+): (\d+)", latest)
    heap = next(heap for heap, left in heaps if int(left))
    return f"<answer>{heap}, 1</answer>"


def test_validate_of_verifiers_finds_every_family_sound(tmp_path: Path) -> None:
    import verifiers.v1 as vf
    from verifiers.v1.cli.validate import run_validate
    from verifiers.v1.configs.cli.validate import ValidateConfig

    for place, level in enumerate(LEVELS):
        families = pm.families()[place :: len(LEVELS)]
        taskset = {"id": ID, "what": families, "levels": [level], "count": len(families)}
        config = ValidateConfig(
            taskset=taskset, output_dir=tmp_path / str(place), rich=False,
            runtime=vf.SubprocessConfig(), max_concurrent=8,
        )  # fmt: skip
        rows = asyncio.run(run_validate(config))
        assert len(rows) == len(families)
        assert not [row for row in rows if row["reason"] != "valid"]


def test_every_game_is_dealt() -> None:
    from verifiers.v1.utils.loaders import load_taskset, resolve_env_config

    for opponent in ("random", "agents"):
        taskset = {"id": ID, "what": GAMES, "opponent": opponent}
        tasks = list(load_taskset(resolve_env_config({"taskset": taskset}).taskset).take(24))
        assert {f"play_{task.data.task['game']}" for task in tasks} == set(GAMES)
        assert len({task.key for task in tasks}) == 24
        assert all(asyncio.run(task.validate(None)) is None for task in tasks)


def test_all_families_are_asked_unless_some_are_named() -> None:
    from verifiers.v1.utils.loaders import load_taskset, resolve_env_config

    tasks = load_taskset(resolve_env_config({"taskset": {"id": ID}}).taskset)
    assert not tasks.bounded
    assert len({task.data.family for task in tasks.take(20)}) == 20


def test_the_example_of_the_page_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
    section = page.partition("\n## verifiers\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    tasks = list(names["environment"].taskset.take(3))
    assert [bool(task.data.opponent) for task in tasks] == [False, True, False]
    assert tasks[0].data.tries == 2


def test_the_command_of_the_page_validates(package: Path, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text()
    (line,) = re.findall(r"^\$ vf-validate (.*)$", page, re.MULTILINE)
    options = [*shlex.split(line), "--rich", "false", "--output-dir", str(tmp_path)]
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "verifiers.v1.cli.validate", *options],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
    )
    assert ran.returncode == 0, ran.stderr
    assert '"valid": 20' in ran.stdout
