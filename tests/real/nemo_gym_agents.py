"""The server in the hands of NeMo Gym's own agents. Not part of the plain run; needs Python 3.12:

    tools/set-up-gyms.sh && .venv-gyms/bin/python -m pytest -W ignore tests/real/nemo_gym_agents.py

The agents' code is theirs: it calls the server over loopback, and a model that is played by rule.
What comes back is read by their own types.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from doors import started
from nemo_gym.config_types import AggregateMetrics, ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import ServerClient
from responses_api_agents.gymnasium_agent.app import (
    GymnasiumAgent,
    GymnasiumAgentConfig,
    GymnasiumAgentRunRequest,
)
from responses_api_agents.simple_agent.app import (
    SimpleAgent,
    SimpleAgentConfig,
    SimpleAgentRunRequest,
)

import puzzlemill as pm


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    yield from started("--workers", "1")


class Client(ServerClient):  # type: ignore[misc]
    """Calls the server where they call a resources server, and a rule where they call a model."""

    def __init__(self, address: str, model: Any) -> None:
        object.__setattr__(self, "__dict__", {"address": address, "model": model})

    async def post(self, server_name: str, url_path: str, **given: Any) -> Any:
        body = given.get("json") or {}
        body = body.model_dump() if hasattr(body, "model_dump") else body
        address: str = self.__dict__["address"]
        if url_path == "/v1/responses":
            said = json.dumps(response(self.__dict__["model"](texts_of(body)))).encode()
            return Answer(said, {})
        async with aiohttp.ClientSession() as session:
            cookies = given.get("cookies") or {}
            found = {name: getattr(value, "value", value) for name, value in dict(cookies).items()}
            async with session.post(address + url_path, json=body, cookies=found) as answer:
                assert answer.status == 200, await answer.text()
                return Answer(await answer.read(), answer.cookies)


class Answer(SimpleNamespace):
    def __init__(self, raw: bytes, cookies: Any) -> None:
        super().__init__(raw=raw, cookies=cookies, status=200, ok=True)

    async def read(self) -> bytes:
        return bytes(self.raw)

    async def json(self) -> Any:
        return json.loads(self.raw)

    def raise_for_status(self) -> None:
        assert self.ok

    @property
    def content(self) -> "Answer":
        return self


def texts_of(body: Any) -> list[str]:
    return [str(each.get("content", "")) for each in body["input"]]


def response(text: str) -> dict[str, Any]:
    content = [{"annotations": [], "text": text, "type": "output_text"}]
    message = {
        "id": "m", "content": content, "role": "assistant", "status": "completed", "type": "message"
    }  # fmt: skip
    counts = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    counts |= {"input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0}}  # type: ignore[dict-item]
    counts |= {"output_tokens_details": {"reasoning_tokens": 0}}  # type: ignore[dict-item]
    return {
        "id": "r", "created_at": 0.0, "model": "m", "object": "response", "output": [message],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": counts,
    }  # fmt: skip


def settings() -> dict[str, Any]:
    return {
        "host": "", "port": 0, "entrypoint": "", "name": "agent",
        "resources_server": ResourcesServerRef(type="resources_servers", name="puzzlemill"),
        "model_server": ModelServerRef(type="responses_api_models", name="policy_model"),
    }  # fmt: skip


def request() -> Any:
    return SimpleNamespace(cookies={})


async def post(address: str, path: str, body: Any) -> str:
    async with aiohttp.ClientSession() as session, session.post(address + path, json=body) as said:
        return await said.text()


def test_the_simple_agent_has_a_row_verified(server: str) -> None:
    lines = asyncio.run(post(server, "/sums/rows", {"split": "train", "start": 0, "stop": 2}))
    for line, right in zip(lines.splitlines(), (True, False), strict=True):
        row = json.loads(line)
        answer = pm.item(row["task"]).answer if right else "no"
        agent = SimpleAgent.model_construct(config=SimpleAgentConfig(**settings()))
        agent.server_client = Client(server, lambda texts, said=answer: f"<answer>{said}</answer>")
        found = asyncio.run(agent.run(request(), SimpleAgentRunRequest.model_validate(row)))
        assert found.reward == float(right)


def nim(texts: list[str]) -> str:
    heap = re.findall(r"^heap (\d+): \d+", texts[-1], re.MULTILINE)[0]
    return f"<answer>{heap}, 1</answer>"


def test_the_gymnasium_agent_plays_a_game_to_its_end(server: str) -> None:
    body = {"split": "train", "start": 0, "stop": 3}
    lines = asyncio.run(post(server, "/play_nim/rows", body)).splitlines()
    for line in lines:
        agent = GymnasiumAgent.model_construct(
            config=GymnasiumAgentConfig(**settings(), max_steps=60)
        )
        agent.server_client = Client(server, nim)
        asked = GymnasiumAgentRunRequest.model_validate(json.loads(line))
        found = asyncio.run(agent.run(request(), asked))
        assert found.terminated is True
        assert found.reward in (-1.0, 1.0)


def test_their_types_read_the_metrics(server: str) -> None:
    verdicts = [
        {"_ng_task_index": place % 2, "_ng_rollout_index": place // 2, "reward": place / 3}
        for place in range(4)
    ]
    said = asyncio.run(post(server, "/aggregate_metrics", {"verify_responses": verdicts}))
    ours = AggregateMetrics.model_validate_json(said)
    from nemo_gym.reward_profile import compute_aggregate_metrics

    theirs = compute_aggregate_metrics(verdicts)
    for word in ("mean", "max", "min", "median", "std"):
        wanted = theirs.agent_metrics[f"{word}/reward"]
        assert ours.agent_metrics[f"{word}/reward"] == pytest.approx(wanted)
    assert ours.key_metrics["mean/reward"] == pytest.approx(0.5)
