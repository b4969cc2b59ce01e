"""Open Reward Standard: tools over sessions, as `openreward` 0.1.167 speaks it.

Where a task takes one reply, `submit` is a terminal tool: the first plain message of the policy is
its argument and ends the rollout. With several tries, in games, and with the setting `tool`, the
policy calls it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse

import puzzlemill
from puzzlemill.core.errors import UserError
from puzzlemill.serving.calls import Call, Handler, Malformed, NotThere, blocks_of
from puzzlemill.serving.doors import Door
from puzzlemill.serving.doors.task_api import environment_in
from puzzlemill.serving.episodes import (
    Server,
    begin,
    facts_about,
    reply_to,
    words_of,
)
from puzzlemill.serving.judging import Broken
from puzzlemill.serving.sessions import Episode, Finished, new_id
from puzzlemill.serving.tasks import Environment, environment_of

TOOL = "submit"
ABOUT = "Submit a reply, with the answer between <answer> and </answer>."
ARGUMENT = "reply"
SOON = 0.1  # seconds for which a verdict is waited for before a stream begins
PING = 10.0  # seconds between signs of life while a reply is judged
CHUNK = 4096  # characters of an event
_EVENTS = "text/event-stream"
_STREAM = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_CREATE = ("env_name", "task_spec", "split", "index", "toolset_name")


async def version(call: Call) -> dict[str, Any]:
    return {"version": puzzlemill.__version__, "build_sha": None}


async def ping(call: Call) -> dict[str, str]:
    session_of(call)
    return {"status": "ok"}


async def tools(call: Call) -> dict[str, Any]:
    return _tools(call.server, environment_in(call))


async def task_tools(call: Call) -> dict[str, Any]:
    episode = session_of(call)
    return _tools(call.server, environment_of(call.server.environments, episode.environment))


async def create_session(call: Call) -> Response:
    text = _event("task_id", new_id()) + _event("end", "")
    return Response(text, headers=_STREAM, media_type=_EVENTS)


async def create(call: Call) -> dict[str, str]:
    name, body = session_name(call), call.body
    if unknown := set(body) - set(_CREATE):
        raise Malformed(f"unknown key {min(unknown)!r}; there are: {', '.join(_CREATE)}")
    by_index = body.get("split") is not None and body.get("index") is not None
    if by_index == (body.get("task_spec") is not None):
        raise Malformed("say either task_spec, or split and index")
    if body.get("toolset_name") is not None:
        raise UserError("there are no toolsets here: leave toolset_name out")
    if name in call.server.sessions.episodes:
        raise UserError("the session exists already")
    environment = _named(call.server, body.get("env_name"))
    if by_index:
        task = call.server.task(environment, body["split"], body["index"])
    else:
        task = body["task_spec"]
        if not isinstance(task, Mapping):
            raise Malformed("task_spec is an object: an address with its level")
    await begin(call.server, environment, task, name)
    return {"sid": name}


async def prompt(call: Call) -> list[dict[str, Any]]:
    episode = session_of(call)
    return blocks_of(episode.prompt, episode.images)


async def messages(call: Call) -> list[dict[str, Any]]:
    return [{"role": "user", "blocks": await prompt(call), "detail": None}]


async def call_tool(call: Call) -> Response:
    """Calls a tool; a `task_id` from before gives that call's result again."""
    episode, body = session_of(call), call.body
    if not isinstance(body.get("name"), str) or not isinstance(body.get("input"), Mapping):
        raise Malformed("a call has the tool's `name`, and its `input`, an object")
    call_id = body.get("task_id")
    if call_id is None:
        call.server.judges.check_room(1)
        call_id = new_id()
        called = _called(call.server, episode, body["name"], body["input"])
        episode.calls[call_id] = asyncio.ensure_future(called)
    elif not isinstance(call_id, str) or call_id not in episode.calls:
        return Response(_event("error", "unknown task_id"), headers=_STREAM, media_type=_EVENTS)
    work = episode.calls[call_id]
    await asyncio.wait([work], timeout=SOON)
    if work.done():  # most are: a stream costs more than a verdict
        return Response(_event("task_id", call_id) + _outcome(work), 200, _STREAM, _EVENTS)
    return StreamingResponse(_progress(call_id, work), headers=_STREAM, media_type=_EVENTS)


async def score_group(call: Call) -> dict[str, Any]:
    raise NotThere("rewards are of one reply each: score_group is not there")


async def delete(call: Call) -> dict[str, str]:
    name = session_name(call)
    call.server.sessions.drop(name)
    return {"sid": name}


async def _called(server: Server, episode: Episode, name: str, arguments: Mapping[str, Any]) -> Any:
    """The outcome of a tool's call, as it is sent."""
    if name != TOOL:
        return _refused(f"there is no tool {name!r}, only {TOOL}", "not_found")
    try:
        turn = await reply_to(server, episode, words_of(arguments))
    except UserError as error:
        return _refused(str(error), "input_validation")
    except Finished as error:
        return _refused(str(error), "episode_finished")
    return {
        "ok": True,
        "output": {
            "blocks": blocks_of(turn.text, turn.images),
            "metadata": facts_about(server, episode) | dict(turn.facts),
            "reward": turn.reward,
            "finished": turn.done,
        },
    }


def _refused(error: str, reason: str) -> dict[str, Any]:
    return {"ok": False, "error": error, "reason": reason}


def _tools(server: Server, environment: Environment) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {ARGUMENT: {"type": "string", "description": ABOUT}},
        "required": [ARGUMENT],
    }
    settings = server.settings
    once = not environment.is_game and settings.tries == 1 and not settings.tool
    terminal = {"name": TOOL, "arg": ARGUMENT, "description": ABOUT}
    return {
        "tools": [] if once else [{"name": TOOL, "description": ABOUT, "input_schema": schema}],
        "terminal_tool": terminal if once else None,
        "supports_score_group": False,
        "message_block_types": ["text", "image"],
    }


def _named(server: Server, name: Any) -> Environment:
    try:
        return environment_of(server.environments, name)
    except (UserError, AttributeError):
        raise NotThere(f"there is no environment {name!r}") from None


def session_name(call: Call) -> str:
    if not (name := call.headers.get("x-session-id", "").strip()):
        raise HTTPException(400, "X-Session-ID header is required")
    return name


def session_of(call: Call) -> Episode:
    return call.server.sessions.get(session_name(call))


def _event(event: str, data: str) -> str:
    return f"event: {event}\r\ndata: {data}\r\n\r\n"


async def _progress(name: str, work: "asyncio.Future[Any]") -> AsyncIterator[str]:
    """The call's name, signs of life, and its result in chunks."""
    yield _event("task_id", name)
    while not (await asyncio.wait([work], timeout=PING))[0]:
        yield ": ping\r\n\r\n"
    yield _outcome(work)


def _outcome(work: "asyncio.Future[Any]") -> str:
    if error := work.exception():
        why = "the verifier failed: call again" if isinstance(error, Broken) else str(error)
        return _event("error", why)
    text = json.dumps(work.result())
    *chunks, end = (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
    return "".join(_event("chunk", chunk) for chunk in chunks) + _event("end", end)


_OF_ONE: dict[tuple[str, str], Handler] = {
    ("GET", "prompt"): prompt,
    ("GET", "messages"): messages,
    ("GET", "task_tools"): task_tools,
    ("GET", "tools"): tools,
    ("POST", "call"): call_tool,
    ("POST", "score_group"): score_group,
}
_ROUTES: dict[tuple[str, str], Handler] = {
    ("GET", "/version"): version,
    ("POST", "/ping"): ping,
    ("POST", "/create_session"): create_session,
    ("POST", "/create"): create,
    ("POST", "/delete"): delete,
    ("POST", "/delete_session"): delete,
}
_ROUTES |= {(method, f"/{name}"): handler for (method, name), handler in _OF_ONE.items()}
_ROUTES |= {
    (method, f"/{{environment}}/{name}"): handler for (method, name), handler in _OF_ONE.items()
}
DOOR = Door(_ROUTES)
