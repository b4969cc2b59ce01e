"""The page: tasks in a browser, to try one by hand."""

import base64
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from jinja2 import Environment, StrictUndefined, Template
from starlette.responses import HTMLResponse, RedirectResponse, Response

from puzzlemill.core.address import SPLITS
from puzzlemill.core.errors import UserError
from puzzlemill.serving.calls import Call
from puzzlemill.serving.doors import Door
from puzzlemill.serving.episodes import as_reply, begin, reply_to
from puzzlemill.serving.judging import Broken
from puzzlemill.serving.sessions import Episode, Finished, Unknown
from puzzlemill.serving.tasks import environment_of

PATH = "/web"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'"
_HEADERS = {
    "Content-Security-Policy": f"{_POLICY}; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


async def home(call: Call) -> Response:
    return RedirectResponse(PATH, 302)


async def show(call: Call) -> Response:
    """A task, once one is chosen."""
    chosen = call.query
    if "index" not in chosen:
        return _page(call)
    try:
        index = chosen["index"].strip()
        number = int(index) if re.fullmatch("[0-9]{1,18}", index) else index or None
        environment = environment_of(call.server.environments, chosen.get("environment") or None)
        split = chosen.get("split", next(iter(SPLITS)))
        task = call.server.task(environment, split, number)
        episode = await begin(call.server, environment, task)
    except (UserError, Finished) as error:
        return _page(call, fault=str(error))
    return _page(call, episode)


async def take(call: Call) -> Response:
    """An answer to a task."""
    form = dict(parse_qsl(call.raw.decode("utf-8", "replace"), keep_blank_values=True))
    answer = form.get("answer", "").replace("\r\n", "\n").strip()
    try:
        episode = call.server.sessions.get(form.get("session_id", ""))
        turn = await reply_to(call.server, episode, as_reply(answer))
    except (Unknown, Finished, Broken) as error:
        return _page(call, fault=str(error))
    reason = turn.facts.get("reason")
    feedback = f"{turn.text} ({reason})" if reason else turn.text
    if turn.text == episode.prompt:  # of a game: it is shown anyway
        feedback = "The game is over." if turn.done else ""
    feedback = f"{feedback} Reward {turn.reward:g}." if turn.done else feedback
    return _page(call, episode, feedback=feedback)


def _page(
    call: Call, episode: Episode | None = None, feedback: str = "", fault: str = ""
) -> Response:
    environments, chosen = list(call.server.environments), call.query
    if episode and not chosen:
        chosen = {"environment": episode.environment, "split": episode.task["split"]}
    values: dict[str, Any] = {
        "action": PATH,
        "environments": environments,
        "environment": chosen.get("environment", environments[0]),
        "splits": list(SPLITS),
        "split": chosen.get("split", next(iter(SPLITS))),
        "index": chosen.get("index", "0"),
        "prompt": episode.prompt if episode else "",
        "images": [base64.b64encode(each).decode() for each in episode.images] if episode else [],
        "feedback": feedback,
        "fault": fault,
        "session": episode.id if episode else "",
        "done": episode is None or episode.done,
    }
    return HTMLResponse(_template().render(values), headers=_HEADERS)


@cache
def _template() -> Template:
    text = (Path(__file__).parents[1] / "page.jinja").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(text)


DOOR = Door({("GET", "/"): home, ("GET", PATH): show, ("POST", PATH): take}, reads_body=True)
