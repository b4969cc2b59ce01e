"""The server in the hands of the protocols' own clients. Not part of the plain run:

    tools/set-up-doors.sh && .venv-doors/bin/python -m pytest -W ignore tests/real/doors.py

Takes a minute or two. The server is a process of its own with its workers. `openreward`, `openenv`,
TRL's adapter and an MCP client come to it over loopback as their users do, and OpenEnv's own
`validate` looks at it.
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import puzzlemill as pm

FAMILIES = ("sums", "sorting", "jigsaw_grid", "linear_system")
WHAT = (*FAMILIES, "play_nim", "play_tic_tac_toe")
WRONG = "I cannot say. <answer>no</answer>"


def started(*options: str, key: str = "", what: Sequence[str] = WHAT) -> Iterator[str]:
    """A server's address, while it runs."""
    command = [sys.executable, "-m", "puzzlemill", "serve", *what, "--port", "0", *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "DOORS_KEY": key, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = re.match(r"(http://\S+?)/ ", line)
        assert address, line
        yield address[1]
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    yield from started("--workers", "2")


@pytest.fixture(scope="module")
def with_tool() -> Iterator[str]:
    yield from started("--workers", "1", "--tool")


@pytest.fixture(scope="module")
def locked() -> Iterator[str]:
    yield from started("--workers", "1", "--tries", "2", "--key-env", "DOORS_KEY", key="secret")


async def rewards_by_openreward(
    address: str, name: str, key: str, replies: Any
) -> tuple[list[Any], list[Any]]:
    """What each reply to the first tasks earns, and the prompts that came."""
    from openreward.api.environments.client import AsyncEnvironmentsAPI

    api = AsyncEnvironmentsAPI(address, key)
    environment = api.get(name, variant=name)
    earned, prompts = [], []
    try:
        assert await environment.list_splits() == ["train", "validation", "test"]
        assert await environment.num_tasks("train") == 1_000_000
        for index in range(4):
            task = await environment.get_task("train", index)
            async with environment.session(task) as session:
                prompt = await session.get_prompt()
                prompts.append((task.task_spec, prompt))
                for reply in replies(task.task_spec):
                    output = await session.call_tool("submit", {"reply": reply})
                    earned.append((output.reward, output.finished))
    finally:
        await api.aclose()
    return earned, prompts


def gold(task: Any) -> str:
    return f"So it is <answer>{pm.item(task).answer}</answer>"


@pytest.mark.parametrize("name", FAMILIES)
def test_openreward_plays_tasks_by_index(server: str, name: str) -> None:
    earned, prompts = asyncio.run(
        rewards_by_openreward(server, name, "any", lambda task: [gold(task)])
    )
    assert earned == [(1.0, True)] * 4
    for task, prompt in prompts:
        item = pm.item(task)
        text = "".join(block.text if block.type == "text" else "<image>" for block in prompt)
        assert text == item.prompt
        assert sum(block.type == "image" for block in prompt) == len(item.images)


def test_openreward_tries_again_with_a_key(locked: str) -> None:
    earned, _ = asyncio.run(
        rewards_by_openreward(locked, "sums", "secret", lambda task: [WRONG, gold(task)])
    )
    assert earned == [(0.0, False), (1.0, True)] * 4


def test_openreward_knows_the_terminal_tool(server: str) -> None:
    from openreward.api.environments.client import AsyncEnvironmentsAPI

    async def grade() -> Any:
        api = AsyncEnvironmentsAPI(server, "any")
        try:
            environment = api.get("sums", variant="sums")
            async with environment.session(split="train", index=3) as session:
                task = await environment.get_task("train", 3)
                tool = await session.terminal_tool()
                output = await session.call_terminal_tool(gold(task.task_spec))
                return tool.arg, output.reward, output.finished
        finally:
            await api.aclose()

    assert asyncio.run(grade()) == ("reply", 1.0, True)


def test_openenv_holds_an_episode(server: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=server).sync() as client:
        for seed in range(4):
            first = client.reset(seed=seed)
            assert first.done is False
            task = first.observation["metadata"]["task"]
            item = pm.item(task)
            assert first.observation["prompt"] == item.prompt
            assert len(first.observation["images"]) == len(item.images)
            done = client.step({"reply": gold(task)})
            assert (done.reward, done.done) == (1.0, True)
            assert client.state()["step_count"] == 1
        first = client.reset(seed=1)
        assert client.step({"answer": "no"}).reward == 0.0


def test_openenv_plays_a_game(server: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=server).sync() as client:
        said = client.reset(environment="play_nim", seed=0)
        while not said.done:
            lines = said.observation["prompt"].splitlines()
            heap = next(line for line in lines if line.startswith("heap "))
            said = client.step({"answer": f"{heap.split()[1].rstrip(':')}, 1"})
        assert said.reward in (-1.0, 1.0)


def test_openenv_speaks_of_tools(server: str) -> None:
    from openenv.core.mcp_client import MCPToolClient

    async def tools() -> list[str]:
        async with MCPToolClient(base_url=server, mode="production") as client:
            return [tool.name for tool in await client.list_tools()]

    assert asyncio.run(tools()) == ["new_task", "submit"]


def test_openenv_validates_the_running_server(server: str) -> None:
    command = [os.path.join(os.path.dirname(sys.executable), "openenv"), "validate", server]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Verdict: PASS" in done.stdout


def test_openenv_comes_in_by_its_header(locked: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    headers = {"Authorization": "Bearer secret"}
    with GenericEnvClient(base_url=locked, headers=headers).sync() as client:
        assert client.reset(seed=0).done is False
    without = GenericEnvClient(base_url=locked).sync()
    with pytest.raises(Exception, match="HTTP 403"), without as client:
        client.reset(seed=0)


def test_the_python_in_the_docs_runs(capsys: pytest.CaptureFixture[str]) -> None:
    doors = sorted((Path(__file__).parents[2] / "docs" / "doors").glob("*.md"))
    page = "".join(path.read_text() for path in doors)
    codes = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    runs = [code for code in codes if "…</answer>" in code]
    assert len(runs) == len(codes) - 1  # TRL's names a model
    for address in started("--workers", "1", what=("sudoku",)):
        for code in runs:
            code = code.replace("http://127.0.0.1:8000", address)
            exec(compile(code, "docs/doors", "exec"), {"__name__": "page"})
            assert "0.0" in capsys.readouterr().out  # the reward of no answer


def test_trl_trains_on_tasks_by_url(with_tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without it the SDK looks for the host sessions.127.0.0.1.
    monkeypatch.setenv("OPENREWARD_SESSION_URL", with_tool)
    from trl.experimental.openreward import OpenRewardSpec

    spec = OpenRewardSpec(with_tool, num_tasks=4)
    rows = spec.train_dataset
    assert len(rows) == 4
    environment = spec.environment_factory()
    for row in rows:
        task = {name: row[name] for name in row if name not in ("prompt", "task_index")}
        prompt = environment.reset(**row)
        if "<image>" not in (wanted := pm.item(task).prompt):
            assert prompt == wanted
        environment.submit(reply=gold(task))
        assert environment.reward == 1.0
    assert spec.reward_funcs([environment]) == [1.0]


def test_an_mcp_client_asks_and_submits(server: str) -> None:
    from fastmcp import Client

    async def played() -> Any:
        async with Client(f"{server}/mcp") as client:
            names = [tool.name for tool in await client.list_tools()]
            asked = await client.call_tool("new_task", {"environment": "sums", "index": 2})
            task = pm.generate("sums", level=0.5)[0]
            said = await client.call_tool("submit", {"reply": f"<answer>{task.answer}</answer>"})
            return names, asked.content[0].text == task.prompt, said.structured_content["reward"]

    assert asyncio.run(played()) == (["new_task", "submit"], True, 1.0)
