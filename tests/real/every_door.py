"""Every family and every game behind every door of the server. Not part of the plain run:

    .venv-doors/bin/python -m pytest -W ignore tests/real/every_door.py

Takes some minutes. In one process and without sockets, so that ten thousand requests are cheap; the
protocols' own clients come in doors.py, to a server with workers.
"""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.item import Item
from puzzlemill.core.plain_data import thaw
from puzzlemill.serving.app import app_of
from puzzlemill.serving.episodes import Server, begin
from puzzlemill.serving.judging import run_here
from puzzlemill.serving.start import server_of

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "serving"))
from asgi import _scope, http
from every_route import _bytes, _of_blocks, _of_content, _response

NOTHING = "I do not know."
GAMES = [f"play_{name}" for name in registry.games()]
PICTURED = "play_spy_pictures"
LEVEL = 0.25
MOVES = 400  # of a game, at most

# A reply's reward, and whether that was the end.
Say = Callable[[str], Awaitable[tuple[float, bool]]]
# What is asked, as bytes; how to reply; and the session, where there is one.
Begun = tuple[bytes, Say, str]


class Caller:
    """Calls of one server."""

    def __init__(self, server: Server) -> None:
        self.server, self.app = server, app_of(server)

    async def text(self, path: str, body: Any = None, **headers: str) -> str:
        raw = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        method = "GET" if body is None else "POST"
        status, told, text = await http(self.app, method, path, raw, names)
        assert status == 200, (path, text)
        self.cookie = told.get("set-cookie", "").partition(";")[0]
        return text

    async def json(self, path: str, body: Any = None, **headers: str) -> Any:
        return json.loads(await self.text(path, body, **headers))


async def openenv(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    first = await caller.json("/reset", {"environment": name, "task": task})
    session = first["metadata"]["session_id"]

    async def say(reply: str) -> tuple[float, bool]:
        body = {"session_id": session, "action": {"reply": reply}}
        said = await caller.json("/step", body)
        return said["reward"], said["done"]

    observation = first["observation"]
    return _bytes(observation["prompt"], observation["images"]), say, session


async def websocket(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    sent, got = asyncio.Queue[Any](), asyncio.Queue[Any]()
    scope = _scope("websocket", "/ws", {}) | {"subprotocols": []}
    talk = asyncio.ensure_future(caller.app(scope, sent.get, got.put))  # type: ignore[arg-type]
    sent.put_nowait({"type": "websocket.connect"})
    await got.get()

    async def ask(kind: str, **data: Any) -> Any:
        text = json.dumps({"type": kind, "data": data})
        sent.put_nowait({"type": "websocket.receive", "text": text})
        return json.loads((await got.get())["text"])["data"]

    async def say(reply: str) -> tuple[float, bool]:
        said = await ask("step", reply=reply)
        if said["done"]:
            sent.put_nowait({"type": "websocket.disconnect", "code": 1000})
            await talk
        return said["reward"], said["done"]

    first = await ask("reset", environment=name, task=task)
    observation = first["observation"]
    prompt = _bytes(observation["prompt"], observation["images"])
    return prompt, say, first["metadata"]["session_id"]


async def open_reward(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    begun = await caller.text("/create_session", {})
    (session,) = re.findall(r"data: (\S{36})", begun)
    headers = {"x_session_id": session}
    await caller.json("/create", {"env_name": name, "task_spec": task}, **headers)
    prompt = _of_blocks(await caller.json(f"/{name}/prompt", **headers))

    async def say(reply: str) -> tuple[float, bool]:
        body = {"name": "submit", "input": {"reply": reply}}
        events = await caller.text(f"/{name}/call", body, **headers)
        pieces = re.findall(r"^data: (.*)\r$", events, re.MULTILINE)
        output = json.loads("".join(pieces[1:]))["output"]
        return output["reward"], output["finished"]

    return prompt, say, session


async def mcp(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    async def called(method: str, **params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return (await caller.json("/mcp", body))["result"]

    async def tool(name: str, **arguments: Any) -> Any:
        return await called("tools/call", name=name, arguments=arguments, session_id=session)

    async def say(reply: str) -> tuple[float, bool]:
        said = (await tool("submit", reply=reply))["structuredContent"]
        return said["reward"], said["done"]

    session = (await called("openenv/session/create"))["session_id"]
    asked = await tool("new_task", environment=name, task=task)
    return _of_blocks(asked["content"]), say, session


async def nemo_gym(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    """As its gymnasium_agent comes."""
    row = await caller.json(f"/{name}/rows", {"start": index, "stop": index + 1})
    reset = await caller.json("/reset", row)
    cookie = caller.cookie

    async def say(reply: str) -> tuple[float, bool]:
        body = row | {"response": _response(reply)}
        said = await caller.json("/step", body, cookie=cookie)
        return said["reward"], said["terminated"]

    messages = row["responses_create_params"]["input"]
    prompt = _of_content(messages[0]["content"]) if messages else reset["observation"].encode()
    return prompt, say, cookie.partition("=")[2]


async def stateless(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    """As NeMo Gym's simple_agent comes."""
    row = await caller.json(f"/{name}/rows", {"start": index, "stop": index + 1})

    async def say(reply: str) -> tuple[float, bool]:
        return (await caller.json("/verify", row | {"response": _response(reply)}))["reward"], True

    return _of_content(row["responses_create_params"]["input"][0]["content"]), say, ""


async def batch(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    """Who has the task in Python makes the item of it."""
    told = (await caller.json(f"/{name}/task", {"split": "train", "index": index}))["task"]

    async def say(reply: str) -> tuple[float, bool]:
        said = await caller.json("/verify", {"items": [{"task": told, "reply": reply}]})
        return said["verdicts"][0]["score"], True

    return shown(pm.item(told)), say, ""


async def page(caller: Caller, name: str, task: Mapping[str, Any], index: int) -> Begun:
    chosen = urlencode({"environment": name, "split": "train", "index": index})
    text = await caller.text(f"/web?{chosen}")
    (session,) = re.findall(r'name="session_id" value="([^"]*)"', text)
    (prompt,) = re.findall("<pre>(.*?)</pre>", text, re.DOTALL)
    pictures = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", text)

    async def say(reply: str) -> tuple[float, bool]:
        form = urlencode({"session_id": session, "answer": reply}).encode()
        reward = re.search(r"Reward ([-\d.e]+)\.", await caller.text("/web", form))
        return (float(reward[1]), True) if reward else (0.0, False)

    return _bytes(unescape(prompt), [{"data": each} for each in pictures]), say, session


EPISODES = (openenv, websocket, open_reward, mcp, nemo_gym, page)
DOORS = (*EPISODES, stateless, batch)


def shown(item: Item) -> bytes:
    return item.prompt.encode() + b"".join(item.images)


def first_item(server: Server, name: str) -> tuple[int, Mapping[str, Any], Item]:
    """The first index that has a certified item."""
    for index in range(8):
        task = server.environments[name].task("train", index)
        try:
            item = pm.item(dict(task))
        except NoPuzzle:
            continue
        if item.certificate:
            return index, task, item
    raise AssertionError(f"{name} has no item")


def test_every_family_asks_the_same_and_pays_for_gold_alone_behind_every_door() -> None:
    server = server_of(pm.families(), {"levels": [LEVEL]}, run=run_here)

    async def wrong() -> list[str]:
        caller, found = Caller(server), list[str]()
        for name in pm.families():
            index, task, item = first_item(server, name)
            for door in DOORS:
                for reply, is_gold in ((f"<answer>{item.answer}</answer>", True), (NOTHING, False)):
                    prompt, say, _ = await door(caller, name, task, index)
                    reward, done = await say(reply)
                    if prompt != shown(item) or (reward == 1.0) != is_gold or not done:
                        found.append(f"{name}, {door.__name__}: {reward} for {reply[:60]!r}")
        return found

    assert asyncio.run(wrong()) == []


def legal(server: Server, session: str) -> str:
    """The first legal move: only this process sees the position."""
    episode = server.sessions.get(session)
    assert episode.position is not None
    game = registry.game(episode.task["game"])
    moves = game.legal(thaw(game.state, episode.position.state))
    return f"<answer>{game.write(moves[0])}</answer>"


async def open_deal(server: Server, name: str) -> int:
    """The first index whose deal the opponent's first move does not end."""
    environment = server.environments[name]
    for index in range(8):
        if not (await begin(server, environment, environment.task("train", index))).done:
            return index
    raise AssertionError(f"{name} has no deal")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_played_to_its_end_and_lost_by_nonsense_behind_every_door(name: str) -> None:
    server = server_of([name], {"levels": [0.0]}, run=run_here)

    async def results() -> dict[str, set[Any]]:
        caller, found = Caller(server), dict[str, set[Any]]()
        index = await open_deal(server, name)
        task = server.environments[name].task("train", index)
        for door in EPISODES:
            if name == PICTURED and door is nemo_gym:  # its observations are texts
                with pytest.raises(AssertionError, match="shows pictures"):
                    await door(caller, name, task, index)
                continue
            prompt, say, session = await door(caller, name, task, index)
            found.setdefault("prompts", set()).add(prompt)
            found.setdefault("nonsense", set()).add(await say(NOTHING))
            _, say, session = await door(caller, name, task, index)
            for _ in range(MOVES):
                reward, done = await say(legal(server, session))
                if done:
                    break
            found.setdefault("results", set()).add((round(reward, 6), done))
        return found

    found = asyncio.run(results())
    assert len(found["prompts"]) == 1
    assert found["nonsense"] == {(-1.0, True)}
    ((reward, done),) = found["results"]  # the same moves against the same opponent
    assert -1 <= reward <= 1
    assert done
