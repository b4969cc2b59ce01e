"""The viewer: a build's pages, with their gold. `puzzlemill view` opens this door, and no other."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from puzzlemill.outputs.viewer.addresses import HEADERS, plain, shown
from puzzlemill.serving.calls import Call
from puzzlemill.serving.doors import Door


async def look(call: Call) -> Response:
    return await _given(call, None)


async def check(call: Call) -> Response:
    """An answer to check, from a page of this server: browsers say whose a page is, and no page can
    forge it."""
    if call.headers.get("origin") != f"http://{call.headers.get('host', '')}":
        return await _given(call, None, "answers are taken from this server's own pages only")
    form = dict(parse_qsl(call.raw.decode("utf-8", "replace"), keep_blank_values=True))
    text = form.get("text", "").replace("\r\n", "\n")
    return await _given(
        call, {"text": text, "as": form.get("as", "answer"), "mark": form.get("mark", "")}
    )


async def _given(call: Call, said: Mapping[str, str] | None, refusal: str = "") -> Response:
    assert call.server.site, "the viewer's door is open where there is a build to look at"
    if refusal:
        response = plain(403, refusal)
    else:  # reading a build takes a while
        response = await run_in_threadpool(shown, call.server.site, call.target, said)
    headers = {**HEADERS, "Content-Security-Policy": response.policy, **dict(response.headers)}
    return Response(response.body, response.status, headers, response.kind)


DOOR = Door(
    {("GET", "/{rest:path}"): look, ("POST", "/{rest:path}"): check},
    reads_body=True,
    shows_gold=True,
)
