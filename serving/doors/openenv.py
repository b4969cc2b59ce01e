"""OpenEnv: HTTP and WebSocket sessions, as `openenv` 0.10.0 speaks them.

A session of the original's HTTP routes is a fresh environment a call. Here POST /reset opens a
session and says its name, by which POST /step goes on; on a WebSocket the connection is the
session.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

import puzzlemill
from puzzlemill.core.errors import UserError
from puzzlemill.serving.calls import Call, Malformed, json_response, object_of, pictures_of
from puzzlemill.serving.doors import Door
from puzzlemill.serving.doors.mcp import answered_rpc
from puzzlemill.serving.episodes import (
    Server,
    begin,
    environment_and_task,
    facts_about,
    reply_to,
    words_of,
)
from puzzlemill.serving.judging import Broken, Busy
from puzzlemill.serving.sessions import Episode, Finished, Full, Unknown, new_id

ABOUT = "Reasoning problems with verified answers, and games, of any difficulty."
_TEXT = {"type": "string"}
_METADATA = {"type": "object", "additionalProperties": True}
ACTION = {
    "title": "Reply",
    "type": "object",
    "properties": {
        "reply": {
            **_TEXT,
            "description": "What the policy says, with the answer between <answer> and </answer>.",
        },
        "answer": {**_TEXT, "description": "In place of it: the answer alone."},
        "metadata": _METADATA,
    },
    "required": ["reply"],
    "additionalProperties": False,
}
OBSERVATION = {
    "title": "Observation",
    "type": "object",
    "properties": {
        "done": {"type": "boolean", "default": False},
        "reward": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
        "prompt": {**_TEXT, "description": "What is asked, or what is said to the last reply."},
        "images": {"type": "array", "items": {"type": "object"}, "default": []},
        "metadata": _METADATA,
    },
    "required": ["prompt"],
    "additionalProperties": False,
}
STATE = {
    "title": "State",
    "type": "object",
    "properties": {
        "episode_id": {"anyOf": [_TEXT, {"type": "null"}], "default": None},
        "step_count": {"type": "integer", "minimum": 0, "default": 0},
    },
    "additionalProperties": True,
}


async def health(call: Call) -> dict[str, str]:
    return {"status": "healthy"}


async def metadata(call: Call) -> dict[str, Any]:
    return {
        "name": "puzzlemill",
        "description": ABOUT,
        "readme_content": None,
        "version": puzzlemill.__version__,
        "author": None,
        "documentation_url": None,
    }


async def schema(call: Call) -> dict[str, Any]:
    shapes = {"action": ACTION, "observation": OBSERVATION, "state": STATE}
    return shapes | {"reset_observation": OBSERVATION}


async def openapi(call: Call) -> dict[str, Any]:
    """The paths, by which `openenv validate` sees what is spoken here."""
    paths: dict[str, dict[str, Any]] = {
        path: {method.lower(): {"responses": {"200": {"description": "OK"}}}}
        for method, path in DOOR.routes
    }
    paths["/mcp"] = {"post": {"responses": {"200": {"description": "OK"}}}}
    info = {"title": "Puzzlemill", "version": puzzlemill.__version__, "description": ABOUT}
    return {"openapi": "3.1.0", "info": info, "paths": paths}


async def reset(call: Call) -> Response:
    episode = await begun(call.server, call.body)
    return json_response(first_of(call.server, episode), headers={"X-Session-ID": episode.id})


async def step(call: Call) -> dict[str, Any]:
    action, name = call.body.get("action"), _name(call)
    if not isinstance(action, Mapping):
        raise Malformed("`action` is an object, such as {'reply': '… <answer>7</answer>'}")
    if not name:
        raise UserError(
            "POST /step goes on with a session: say its session_id, which POST /reset gave, or open"
            " the WebSocket /ws"
        )
    return await stepped(call.server, call.server.sessions.get(name), action)


async def state(call: Call) -> dict[str, Any]:
    name = _name(call)
    return state_of(call.server.sessions.get(name) if name else None)


def _name(call: Call) -> str:
    name = call.headers.get("x-session-id") or call.query.get("session_id")
    return name or call.text("session_id", "")


async def begun(server: Server, request: Mapping[str, Any], name: str = "") -> Episode:
    environment, task = environment_and_task(server, request)
    return await begin(server, environment, task, name)


def first_of(server: Server, episode: Episode) -> dict[str, Any]:
    facts = facts_about(server, episode)
    pictures = pictures_of(episode.images)
    observation = {"prompt": episode.prompt, "images": pictures, "metadata": facts}
    return {"observation": observation, "reward": None, "done": episode.done, "metadata": facts}


async def stepped(server: Server, episode: Episode, action: Mapping[str, Any]) -> dict[str, Any]:
    turn = await reply_to(server, episode, words_of(action))
    facts = facts_about(server, episode) | dict(turn.facts)
    observation = {"prompt": turn.text, "images": pictures_of(turn.images), "metadata": facts}
    return {
        "observation": observation, "reward": turn.reward, "done": turn.done, "metadata": facts
    }  # fmt: skip


def state_of(episode: Episode | None) -> dict[str, Any]:
    if episode is None:
        return {"episode_id": None, "step_count": 0}
    return {
        "episode_id": episode.id,
        "step_count": episode.steps,
        "environment": episode.environment,
        "task": dict(episode.task),
        "done": episode.done,
    }


async def talk(server: Server, socket: WebSocket) -> None:
    """A WebSocket: one session, one message after the other."""
    await socket.accept()
    name = socket.query_params.get("session_id") or new_id()
    episode: Episode | None = None
    try:
        if "session_id" in socket.query_params:
            episode = server.sessions.get(name)
        while True:
            message: dict[str, Any] = {}
            try:
                async with asyncio.timeout(server.settings.idle):
                    text = await socket.receive_text()
                message = object_of(text.encode("utf-8", "replace"))
                data = message.get("data", {})
                if not isinstance(data, Mapping):
                    raise UserError("`data` is an object")
                match message.get("type"):
                    case "reset":
                        episode = await begun(server, data, name)
                        response = _of("observation", first_of(server, episode))
                    case "step" if episode:
                        response = _of("observation", await stepped(server, episode, data))
                    case "step":
                        response = _error("EXECUTION_ERROR", "reset first: there is no episode")
                    case "state":
                        response = _of("state", state_of(episode))
                    case "mcp":
                        response = _of("mcp", await answered_rpc(server, data, name) or {})
                        episode = server.sessions.find(name) or episode
                    case "close":
                        break
                    case other:
                        response = _error("UNKNOWN_TYPE", f"unknown message type {other!r}")
            except Malformed as error:
                response = _error("INVALID_JSON", str(error))
            except UserError as error:
                response = _error("VALIDATION_ERROR", str(error))
            except Full as error:
                response = _error("CAPACITY_REACHED", str(error))
            except Busy:
                server.metrics.add("refused_total")
                response = _error("EXECUTION_ERROR", "too many replies wait: send it again later")
            except (Broken, Finished) as error:
                response = _error("EXECUTION_ERROR", str(error))
            await socket.send_text(json.dumps(response))
        await socket.close()
    except (Unknown, TimeoutError) as error:
        why = str(error) or "the session has expired: nothing was heard of it"
        await socket.send_text(json.dumps(_error("SESSION_ERROR", why)))
        await socket.close()
    except WebSocketDisconnect:
        pass
    finally:
        server.sessions.drop(name)


def _of(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": kind, "data": data}


def _error(code: str, message: str) -> dict[str, Any]:
    return _of("error", {"message": message, "code": code})


DOOR = Door(
    {
        ("GET", "/health"): health,
        ("GET", "/metadata"): metadata,
        ("GET", "/schema"): schema,
        ("GET", "/openapi.json"): openapi,
        ("POST", "/reset"): reset,
        ("POST", "/step"): step,
        ("GET", "/state"): state,
    },
    {"/ws": talk},
)
