"""NeMo Gym: a resources server, as `nemo-gym` 0.4.0 speaks to it.

`/verify` is stateless: the row holds the task. `/reset` and `/step` play games and several tries;
the session is in a cookie, which each response sets again, as its agents expect.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median, stdev
from typing import Any

from starlette.responses import Response

from puzzlemill.core.errors import UserError
from puzzlemill.outputs.rewards import FIELDS
from puzzlemill.serving.calls import Call, Malformed, json_response, pictures_of
from puzzlemill.serving.doors import Door
from puzzlemill.serving.doors.batch import fields_to_judge
from puzzlemill.serving.doors.task_api import environment_in
from puzzlemill.serving.episodes import (
    begin,
    environment_and_task,
    facts_about,
    facts_of,
    item_of,
    judge,
    reply_to,
)
from puzzlemill.serving.sessions import new_id
from puzzlemill.serving.tasks import check_item_task

COOKIE = "puzzlemill_session"
TASK, ROLLOUT = "_ng_task_index", "_ng_rollout_index"  # which reply of which row a verdict is of
PARAMETERS = "responses_create_params"
ROWS = 1000  # that one request may make
STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "max": max,
    "min": min,
    "median": median,
    "std": lambda values: stdev(values) if len(values) > 1 else 0.0,
}


async def verify(call: Call) -> dict[str, Any]:
    body = call.body
    if isinstance(body.get("task"), Mapping):
        check_item_task(body["task"])
        source = body["task"]
    elif all(name in body for name in FIELDS):
        source = {name: body[name] for name in FIELDS}
    else:
        raise Malformed(f"a row has `task`, or {', '.join(FIELDS)}")
    fields = await fields_to_judge(call.server, source)
    verdict = await judge(call.server, fields, reply_in(body.get("response")))
    facts = facts_of(verdict)
    return {**body, **facts, "reward": verdict.score, "uid": fields["uid"]}


async def reverify_mode(call: Call) -> Response:
    return json_response("stateless")


async def seed_session(call: Call) -> Response:
    return _with_cookie({}, call.cookies.get(COOKIE) or new_id())


async def reset(call: Call) -> Response:
    """The task that the row names; its prompt is the observation, unless the row has it."""
    environment, task = environment_and_task(call.server, call.body)
    name = call.cookies.get(COOKIE) or new_id()
    episode = await begin(call.server, environment, task, name)
    parameters = call.body.get(PARAMETERS)
    has_input = isinstance(parameters, Mapping) and bool(parameters.get("input"))
    observation = None if has_input and not environment.is_game else episode.prompt
    if observation and episode.images:
        call.server.sessions.drop(name)
        raise UserError(f"{environment.name} shows pictures, and an observation here is a text")
    facts = facts_about(call.server, episode)
    return _with_cookie({"observation": observation, "info": facts}, name)


async def step(call: Call) -> Response:
    name = call.cookies.get(COOKIE, "")
    episode = call.server.sessions.get(name)
    turn = await reply_to(call.server, episode, reply_in(call.body.get("response")))
    if turn.done:
        call.server.sessions.drop(name)
    answer = {
        "observation": None if turn.done else turn.text,
        "reward": turn.reward,
        "terminated": turn.done,
        "truncated": False,
        "info": dict(turn.facts),
    }
    return _with_cookie(answer, name)


async def aggregate_metrics(call: Call) -> dict[str, Any]:
    """Statistics of each number in the verdicts, by task and of all."""
    verdicts = call.body.get("verify_responses")
    if not isinstance(verdicts, list) or not all(isinstance(each, dict) for each in verdicts):
        raise Malformed("`verify_responses` is a list of objects")
    groups: dict[int, list[Mapping[str, Any]]] = {}
    for each in verdicts:
        place = each.get(TASK, 0)
        if type(place) is not int:
            raise Malformed(f"{TASK} is a whole number")
        groups.setdefault(place, []).append(each)
    overall = statistics(verdicts)
    by_task = [{TASK: place} | statistics(group) for place, group in sorted(groups.items())]
    key = {name: value for name, value in overall.items() if name.startswith("mean/")}
    return {"group_level_metrics": by_task, "agent_metrics": overall, "key_metrics": key}


async def rows(call: Call) -> Response:
    """Rows of a data file, a line each: `start` up to `stop` of a split."""
    environment, body = environment_in(call), call.body
    split, start, stop = body.get("split", "train"), body.get("start", 0), body.get("stop")
    if type(start) is not int or type(stop) is not int or not 0 <= stop - start <= ROWS:
        raise Malformed(f"`start` and `stop` are whole numbers, {ROWS:,} apart at most")
    lines = []
    for index in range(start, stop):
        task = call.server.task(environment, split, index)
        row: dict[str, Any] = {"environment": environment.name, "task": dict(task)}
        if environment.is_game:
            messages: list[dict[str, Any]] = []
        else:
            item = await item_of(call.server, task)
            messages = [{"role": "user", "content": content_of(item.prompt, item.images)}]
        lines.append(json.dumps({PARAMETERS: {"input": messages}} | row))
    return Response("".join(f"{line}\n" for line in lines), media_type="application/jsonl")


def content_of(prompt: str, images: Sequence[bytes]) -> str | list[dict[str, Any]]:
    if not images:
        return prompt
    pictures = [
        {
            "type": "input_image",
            "image_url": f"data:image/png;base64,{each['data']}",
            "detail": "auto",
        }
        for each in pictures_of(images)
    ]
    return [{"type": "input_text", "text": prompt}, *pictures]


def reply_in(response: Any) -> str:
    """What a model said, of an object of the Responses API."""
    output = response.get("output") if isinstance(response, Mapping) else None
    if not isinstance(output, list):
        raise Malformed("`response` is an object of the Responses API, with its output")
    texts = []
    for item in output:
        if isinstance(item, Mapping) and item.get("type") == "message":
            content = item.get("content")
            parts = content if isinstance(content, list) else [content]
            texts += [_text(part) for part in parts]
    return "".join(texts)


def _text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type") == "output_text":
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def statistics(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Of each number that every one of the verdicts has."""
    shared = set.intersection(*(set(each) for each in verdicts)) if verdicts else set[str]()
    names = sorted(
        name
        for name in shared - {TASK, ROLLOUT}
        if all(isinstance(each[name], int | float) for each in verdicts)
    )
    return {
        f"{word}/{name}": float(function([float(each[name]) for each in verdicts]))
        for name in names
        for word, function in STATISTICS.items()
    }


def _with_cookie(answer: Mapping[str, Any], name: str) -> Response:
    response = json_response(answer)
    response.set_cookie(COOKIE, name, httponly=True, samesite="strict")
    return response


def claims(body: Mapping[str, Any]) -> bool:
    return PARAMETERS in body


DOOR = Door(
    {
        ("POST", "/verify"): verify,
        ("GET", "/reverify_mode"): reverify_mode,
        ("POST", "/seed_session"): seed_session,
        ("POST", "/reset"): reset,
        ("POST", "/step"): step,
        ("POST", "/aggregate_metrics"): aggregate_metrics,
        ("POST", "/rows"): rows,
        ("POST", "/{environment}/rows"): rows,
    },
    claims=claims,
)
