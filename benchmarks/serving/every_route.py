"""Every route of the server, called about one task: wrong replies, and what is malformed."""

import base64
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from asgi import http, talk

import puzzlemill as pm

WRONG = (
    "", "I cannot say.", "<answer>no such thing</answer>", "<answer></answer>",
    "<answer>[[[</answer>", "<answer>" + "9" * 400 + "</answer>", "\\boxed{\\boxed{0}}",
    "<answer>__import__('os')</answer>", "\ud800 <answer>\ud800</answer>",
)  # fmt: skip
BROKEN = "CRASH"  # a reply on which the verifier crashes


class Routes:
    """Calls of all routes about one task."""

    def __init__(self, app: Any, name: str, task: Mapping[str, Any], number: int) -> None:
        self.app, self.name, self.task, self.number = app, name, task, number
        self.prompts: dict[str, bytes] = {}  # what each door asks

    async def post(self, path: str, body: Any, **headers: str) -> str:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await http(self.app, "POST", path, raw, names))[2]

    async def get(self, path: str, **headers: str) -> str:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return (await http(self.app, "GET", path, b"", names))[2]

    def reply(self, step: int) -> str:
        return WRONG[(self.number + step) % len(WRONG)]

    async def all(self) -> AsyncIterator[str]:
        for door in (self.openenv, self.socket, self.open_reward, self.mcp, self.nemo_gym):
            async for text in door():
                yield text
        for door in (self.task_api, self.batch, self.page, self.faults):
            async for text in door():
                yield text

    async def openenv(self) -> AsyncIterator[str]:
        body = {"environment": self.name, "task": self.task}
        reset = await self.post("/reset", body)
        yield reset
        said = json.loads(reset)
        observation, session = said["observation"], said["metadata"]["session_id"]
        self.prompts["openenv"] = _bytes(observation["prompt"], observation["images"])
        for reply in (BROKEN, self.reply(0), self.reply(1), self.reply(2)):
            yield await self.post("/step", {"session_id": session, "action": {"reply": reply}})
            yield await self.get("/state", x_session_id=session)

    async def socket(self) -> AsyncIterator[str]:
        reset = {"environment": self.name, "task": self.task}
        messages = [
            {"type": "reset", "data": reset},
            *({"type": "step", "data": {"reply": each}} for each in (BROKEN, self.reply(3))),
            {"type": "step", "data": {"nonsense": 1}},
            "{",
            {"type": "state"},
            {"type": "step", "data": {"answer": "no"}},
            {"type": "step", "data": {"answer": "no"}},
        ]
        answers = await talk(self.app, "/ws", messages)
        observation = json.loads(answers[0])["data"]["observation"]
        self.prompts["websocket"] = _bytes(observation["prompt"], observation["images"])
        for each in answers:
            yield each

    async def open_reward(self) -> AsyncIterator[str]:
        begun = await self.post("/create_session", {})
        match = re.search("data: ([0-9a-f-]{36})", begun)
        assert match, begun
        session = {"x_session_id": match[1]}
        body = {"env_name": self.name, "task_spec": self.task}
        yield await self.post("/create", body, **session)
        prompt = await self.get(f"/{self.name}/prompt", **session)
        yield prompt
        self.prompts["open_reward"] = _of_blocks(json.loads(prompt))
        for path in ("messages", "task_tools", "tools"):
            yield await self.get(f"/{self.name}/{path}", **session)
        for reply in (BROKEN, self.reply(4), self.reply(5), self.reply(6)):
            call = {"name": "submit", "input": {"reply": reply}}
            yield await self.post("/call", call, **session)
        yield await self.post("/call", {"name": "bash", "input": {}}, **session)
        yield await self.post("/score_group", {}, **session)
        yield await self.post("/delete", {}, **session)

    async def mcp(self) -> AsyncIterator[str]:
        def rpc(method: str, **params: Any) -> Any:
            return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

        made = json.loads(await self.post("/mcp", rpc("openenv/session/create")))
        session = made["result"]["session_id"]
        arguments = {"environment": self.name, "task": self.task}
        call = {"name": "new_task", "arguments": arguments, "session_id": session}
        asked = await self.post("/mcp", rpc("tools/call", **call))
        yield asked
        self.prompts["mcp"] = _of_blocks(json.loads(asked)["result"]["content"])
        for reply in (BROKEN, self.reply(7), self.reply(8), self.reply(0)):
            call = {"name": "submit", "arguments": {"reply": reply}, "session_id": session}
            yield await self.post("/mcp", rpc("tools/call", **call))
        yield await self.post("/mcp", rpc("openenv/session/close", session_id=session))

    async def nemo_gym(self) -> AsyncIterator[str]:
        chosen = {"split": self.task["split"], "start": self.number, "stop": self.number + 1}
        line = await self.post(f"/{self.name}/rows", chosen)
        yield line
        row = json.loads(line)
        content = row["responses_create_params"]["input"][0]["content"]
        self.prompts["nemo_gym"] = _of_content(content)
        for reply in (BROKEN, self.reply(1), self.reply(2)):
            yield await self.post("/verify", row | {"response": _response(reply)})
        raw = json.dumps(row).encode()
        status, headers, text = await http(self.app, "POST", "/reset", raw)
        yield text
        assert status == 200, text
        cookie = headers["set-cookie"].partition(";")[0]
        for reply in (BROKEN, self.reply(3), self.reply(4)):
            yield await self.post("/step", row | {"response": _response(reply)}, cookie=cookie)
        verdicts = {"verify_responses": [{"reward": 0.5, "_ng_task_index": 0}]}
        yield await self.post("/aggregate_metrics", verdicts)

    async def task_api(self) -> AsyncIterator[str]:
        split = {"split": self.task["split"]}
        task = await self.post(f"/{self.name}/task", split | {"index": self.number})
        yield task
        item = pm.item(json.loads(task)["task"])
        pictures = [{"data": base64.b64encode(each).decode()} for each in item.images]
        self.prompts["task_api"] = _bytes(item.prompt, pictures)
        ends = {"start": self.number, "stop": self.number + 2}
        yield await self.post(f"/{self.name}/task_range", split | ends)
        yield await self.post(f"/{self.name}/num_tasks", split)
        yield await self.get(f"/{self.name}/splits")

    async def batch(self) -> AsyncIterator[str]:
        for reply in (BROKEN, *WRONG):
            items = [{"task": dict(self.task), "reply": reply}]
            yield await self.post("/verify", {"items": items})

    async def page(self) -> AsyncIterator[str]:
        chosen = {"environment": self.name, "split": self.task["split"], "index": self.number}
        page = await self.get(f"/web?{urlencode(chosen)}")
        yield page
        session = page.partition('name="session_id" value="')[2].partition('"')[0]
        for answer in (BROKEN, "no such answer", "another"):
            form = urlencode({"session_id": session, "answer": answer}).encode()
            yield await self.post("/web", form)

    async def faults(self) -> AsyncIterator[str]:
        task = dict(self.task)
        for wrong in ({"index": "0"}, {"version": 99}, {"knobs": "{}"}, {"level": "high"}):
            body = {"environment": self.name, "task": task | wrong}
            yield await self.post("/reset", body)
            yield await self.post("/verify", {"items": [{"task": task | wrong, "reply": "x"}]})
        yield await self.post("/verify", {"items": [{"task": task}]})
        yield await self.post("/reset", b"{")
        yield await self.post("/step", {"action": {"reply": "x"}, "session_id": "none"})


def _bytes(prompt: str, pictures: Sequence[Mapping[str, str]]) -> bytes:
    return prompt.encode() + b"".join(base64.b64decode(each["data"]) for each in pictures)


def _of_blocks(blocks: Sequence[Mapping[str, str]]) -> bytes:
    text = "".join("<image>" if each["type"] == "image" else each["text"] for each in blocks)
    return _bytes(text, [each for each in blocks if each["type"] == "image"])


def _of_content(content: Any) -> bytes:
    if isinstance(content, str):
        return content.encode()
    urls = [{"data": each["image_url"].partition(",")[2]} for each in content[1:]]
    return _bytes(content[0]["text"], urls)


def _response(reply: str) -> dict[str, Any]:
    return {"output": [{"type": "message", "content": [{"type": "output_text", "text": reply}]}]}
