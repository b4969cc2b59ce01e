"""Calls: what a door's handler gets of a request, and what it may answer."""

import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from puzzlemill.core.errors import UserError
from puzzlemill.serving.episodes import Server

IMAGE = "<image>"  # where a picture stands in a prompt


class Malformed(UserError):
    """A request that is not of the form that its route takes."""


class NotThere(UserError):
    """A name that stands for nothing."""


@dataclass(frozen=True, slots=True)
class Call:
    server: Server
    request: Request
    headers: Mapping[str, str]  # by their names in small letters
    path: Mapping[str, str]  # what the path names
    raw: bytes
    body: Mapping[str, Any] = field(default_factory=dict)  # the JSON object that was sent

    @property
    def query(self) -> Mapping[str, str]:
        return self.request.query_params

    @property
    def cookies(self) -> Mapping[str, str]:
        return self.request.cookies

    @property
    def target(self) -> str:
        """Path and query, as they were sent."""
        path, query = self.request.scope["raw_path"], self.request.scope["query_string"]
        return str((path + b"?" + query if query else path).decode("latin-1"))

    def text(self, name: str, default: str | None = None) -> str:
        """A text of the body."""
        value = self.body.get(name, default)
        if not isinstance(value, str):
            raise Malformed(f"{name!r} is missing, or is no text")
        return value


Answer: TypeAlias = Response | Mapping[str, Any] | Sequence[Any]
Handler: TypeAlias = Callable[[Call], Awaitable[Answer]]


def object_of(raw: bytes) -> dict[str, Any]:
    """A JSON object; no body is an empty one."""
    if not raw:
        return {}
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        raise Malformed("the body is no JSON") from None
    if not isinstance(value, dict):
        raise Malformed("the body is no JSON object")
    return value


def headers_of(scope: Scope) -> dict[str, str]:
    """By name, the first of each: Starlette looks through all at each question."""
    return {
        name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"][::-1]
    }


def answered(answer: Answer) -> Response:
    return answer if isinstance(answer, Response) else json_response(answer)


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """In ASCII: what was sent may hold half a surrogate pair, and is sent back."""
    return Response(json.dumps(value), status, headers, "application/json")


def blocks_of(prompt: str, images: Sequence[bytes]) -> list[dict[str, Any]]:
    """The prompt in blocks, each picture in its place."""
    texts = prompt.split(IMAGE) if images else [prompt]
    assert len(texts) == len(images) + 1 or not images, "as many pictures as marks"
    blocks = list[dict[str, Any]]()
    for place, text in enumerate(texts):
        if text:
            blocks.append({"text": text, "detail": None, "type": "text"})
        if place < len(images):
            data = base64.b64encode(images[place]).decode()
            picture = {"data": data, "mimeType": "image/png", "detail": None, "type": "image"}
            blocks.append(picture)
    return blocks


def pictures_of(images: Sequence[bytes]) -> list[dict[str, str]]:
    """Pictures beside a prompt that marks their places."""
    return [{"mimeType": "image/png", "data": base64.b64encode(image).decode()} for image in images]


def fault(status: int, detail: Any, headers: Mapping[str, str] | None = None) -> Response:
    return json_response({"detail": detail}, status, headers)
