"""NeMo Gym: the resources server of an export's rows."""

import asyncio
from typing import Any, ClassVar

from nemo_gym import base_resources_server
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)

from puzzlemill.outputs.rewards import score

MODES: Any = getattr(base_resources_server, "ReverifyMode", None)  # of newer versions


class Request(BaseVerifyRequest):  # type: ignore[misc]
    uid: str
    family: str
    version: int
    puzzle: str


class Response(BaseVerifyResponse):  # type: ignore[misc]
    uid: str
    family: str
    score: float
    correct: bool
    status: str
    reason: str


class Puzzles(SimpleResourcesServer):  # type: ignore[misc]
    """Stateless: the row holds all that judging needs."""

    REVERIFY_MODE: ClassVar[Any] = MODES.STATELESS if MODES else None
    config: BaseResourcesServerConfig

    async def verify(self, body: Request) -> Response:
        row = body.model_dump()
        verdict = await asyncio.to_thread(score, row, text_of(row["response"]))
        if verdict["status"] == "error":
            raise RuntimeError(f"the verifier failed on {body.uid}: {verdict['reason']}")
        return Response(**row, **verdict, reward=verdict["score"])


def text_of(response: dict[str, Any]) -> str:
    """What the model said in its messages."""
    parts = [
        part
        for item in response["output"]
        if item.get("type") == "message"
        for part in (
            item["content"]
            if isinstance(item["content"], list)
            else [{"type": "output_text", "text": item["content"]}]
        )
    ]
    return "".join(str(part.get("text")) for part in parts if part.get("type") == "output_text")
