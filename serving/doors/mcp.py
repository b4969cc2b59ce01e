"""MCP: two tools by JSON-RPC, for OpenEnv's clients and for any other of the protocol.

`new_task` asks something and `submit` takes a reply. A session is named by `params.session_id`, as
OpenEnv does, by the header Mcp-Session-Id, as MCP over HTTP does, or is the WebSocket's own.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

import puzzlemill
from puzzlemill.core.errors import UserError
from puzzlemill.serving.calls import Call, Malformed, blocks_of, json_response, object_of
from puzzlemill.serving.doors import Door
from puzzlemill.serving.episodes import (
    Server,
    begin,
    environment_and_task,
    reply_to,
    words_of,
)
from puzzlemill.serving.judging import Broken, Busy
from puzzlemill.serving.sessions import Episode, Finished, Full, Unknown, new_id

VERSION = "2025-06-18"  # of MCP
PARSE, REQUEST, METHOD, PARAMS, INTERNAL, SERVER = -32700, -32600, -32601, -32602, -32603, -32000
HEADER = "mcp-session-id"
_TEXT = {"type": "string"}
TOOLS = [
    {
        "name": "new_task",
        "description": "Begin a task: a problem or a game. Without arguments, the next one.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "environment": _TEXT,
                "split": {"type": "string", "enum": ["train", "validation", "test"]},
                "index": {"type": "integer", "minimum": 0},
            },
        },
    },
    {
        "name": "submit",
        "description": "Reply to the task, with the answer between <answer> and </answer>.",
        "inputSchema": {"type": "object", "properties": {"reply": _TEXT}, "required": ["reply"]},
    },
]


class _RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


async def answered_rpc(
    server: Server, request: Mapping[str, Any], session: str = ""
) -> dict[str, Any] | None:
    """The response to a JSON-RPC request; None to a notification."""
    name = request.get("id")
    name = name if isinstance(name, str | int) else None
    try:
        if request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
            raise _RpcError(REQUEST, "a request has jsonrpc: '2.0' and a method")
        params = request.get("params") or {}
        if not isinstance(params, Mapping):
            raise _RpcError(PARAMS, "params is an object")
        if request["method"].startswith("notifications/"):
            return None
        result = await _called(server, request["method"], params, session)
    except _RpcError as error:
        return _failed(name, error.code, str(error))
    except (UserError, Unknown) as error:
        return _failed(name, PARAMS, str(error))
    except Full as error:
        return _failed(name, SERVER, str(error))
    except Busy:
        server.metrics.add("refused_total")
        return _failed(name, SERVER, "too many replies wait: call again later")
    except (Broken, Finished) as error:
        return _failed(name, INTERNAL if isinstance(error, Broken) else SERVER, str(error))
    return {"jsonrpc": "2.0", "id": name, "result": result}


async def _called(server: Server, method: str, params: Mapping[str, Any], session: str) -> Any:
    session_id = params.get("session_id", session)
    match method:
        case "initialize":
            about = {"name": "puzzlemill", "version": puzzlemill.__version__}
            wanted = params.get("protocolVersion")
            version = wanted if isinstance(wanted, str) and len(wanted) < 20 else VERSION
            return {
                "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about
            }  # fmt: skip
        case "ping":
            return {}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return await _tool(server, params, session_id)
        case "openenv/session/create":
            return {"session_id": open_session(server)}
        case "openenv/session/close":
            if not isinstance(session_id, str) or not server.sessions.drop(session_id):
                raise _RpcError(PARAMS, f"unknown session_id {session_id!r}")
            return {"session_id": session_id, "closed": True}
    raise _RpcError(METHOD, f"there is no method {method!r}")


async def _tool(server: Server, params: Mapping[str, Any], session: Any) -> dict[str, Any]:
    arguments = params.get("arguments") or {}
    if not isinstance(arguments, Mapping):
        raise _RpcError(PARAMS, "arguments is an object")
    if not isinstance(session, str) or not session:
        raise _RpcError(
            PARAMS, "name a session: openenv/session/create opens one, and so does initialize"
        )
    if params.get("name") == "new_task":
        environment, task = environment_and_task(server, arguments)
        episode = await begin(server, environment, task, session)
        return _content(blocks_of(episode.prompt, episode.images), {"done": episode.done})
    if params.get("name") == "submit":
        turn = await reply_to(server, server.sessions.get(session), words_of(arguments))
        facts = {"reward": turn.reward, "done": turn.done} | dict(turn.facts)
        return _content(blocks_of(turn.text, turn.images), facts)
    raise _RpcError(PARAMS, f"there is no tool {params.get('name')!r}: new_task, submit")


def open_session(server: Server) -> str:
    """A session without a task yet."""
    episode = Episode(new_id(), "", {}, None, None, 0, done=True)
    server.sessions.add(episode)
    return episode.id


def _content(blocks: list[dict[str, Any]], facts: Mapping[str, Any]) -> dict[str, Any]:
    content = [{key: value for key, value in each.items() if key != "detail"} for each in blocks]
    return {"content": content, "structuredContent": dict(facts), "isError": False}


def _failed(name: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": message}}


async def post(call: Call) -> Response:
    """A request by HTTP; the body is read here, since what is wrong with it is told by JSON-RPC."""
    try:
        request = object_of(call.raw)
    except Malformed as error:
        return json_response(_failed(None, PARSE, str(error)))
    session = call.headers.get(HEADER, "")
    headers = {}
    if request.get("method") == "initialize" and not session:
        try:
            headers[HEADER] = open_session(call.server)
        except Full as error:
            return json_response(_failed(request.get("id"), SERVER, str(error)))
    response = await answered_rpc(call.server, request, session)
    if response is None:
        return Response(status_code=202)
    return json_response(response, headers=headers)


async def delete(call: Call) -> Response:
    call.server.sessions.drop(call.headers.get(HEADER, ""))
    return Response(status_code=204)


async def talk(server: Server, socket: WebSocket) -> None:
    """A WebSocket: one session."""
    await socket.accept()
    name = ""
    try:
        name = open_session(server)
        while True:
            try:
                async with asyncio.timeout(server.settings.idle):
                    text = await socket.receive_text()
                request = object_of(text.encode("utf-8", "replace"))
            except Malformed as error:
                await socket.send_text(json.dumps(_failed(None, PARSE, str(error))))
                continue
            if (response := await answered_rpc(server, request, name)) is not None:
                await socket.send_text(json.dumps(response))
    except (Full, TimeoutError) as error:
        why = str(error) or "the session has expired: nothing was heard of it"
        await socket.send_text(json.dumps(_failed(None, SERVER, why)))
        await socket.close()
    except WebSocketDisconnect:
        pass
    finally:
        server.sessions.drop(name)


DOOR = Door({("POST", "/mcp"): post, ("DELETE", "/mcp"): delete}, {"/mcp": talk}, reads_body=True)
