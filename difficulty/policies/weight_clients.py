"""Clients of vLLM's weight transfer: the engines as its trainer side talks to them."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.event_loop import run
from puzzlemill.difficulty.policies.http_client import Retries, key_of, post
from puzzlemill.difficulty.policies.replicas import Replicas

ONCE = Retries(tries=1, timeout=600)  # a part of the protocol that is said twice is an error


class Client(Protocol):
    """What vLLM's trainer side calls; an engine's part of the protocol."""

    def init_weight_transfer_engine(self, init_info: dict[str, Any]) -> None: ...

    def start_weight_update(self) -> None: ...

    def update_weights(self, update_info: dict[str, Any]) -> None: ...

    def finish_weight_update(self, weight_version: str | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class EngineClient:
    """Of an engine in this process."""

    llm: Any  # vllm.LLM

    def init_weight_transfer_engine(self, init_info: dict[str, Any]) -> None:
        self.llm.init_weight_transfer_engine({"init_info": init_info})

    def start_weight_update(self) -> None:
        self.llm.start_weight_update()

    def update_weights(self, update_info: dict[str, Any]) -> None:
        self.llm.update_weights({"update_info": update_info})

    def finish_weight_update(self, weight_version: str | None = None) -> None:
        self.llm.finish_weight_update()


@dataclass(frozen=True, slots=True)
class ServerClient:
    """Of vLLM's server, which runs with VLLM_SERVER_DEV_MODE=1 and a --weight-transfer-config."""

    url: str  # up to /v1
    key_variable: str = ""

    def init_weight_transfer_engine(self, init_info: dict[str, Any]) -> None:
        self._say("init_weight_transfer_engine", {"init_info": init_info})

    def start_weight_update(self) -> None:
        self._say("start_weight_update", {})

    def update_weights(self, update_info: dict[str, Any]) -> None:
        self._say("update_weights", {"update_info": update_info})

    def finish_weight_update(self, weight_version: str | None = None) -> None:
        self._say("finish_weight_update", {})

    def workers(self) -> int:
        """How many devices it has."""
        import httpx

        url = f"{self.url.removesuffix('/v1')}/get_world_size"
        key = key_of(self.key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = httpx.get(url, headers=headers, timeout=ONCE.timeout)
            found = answer.raise_for_status().json()["world_size"]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"{url}: it does not tell its devices ({type(error).__name__}); is this vLLM's"
                " server, with VLLM_SERVER_DEV_MODE=1?"
            ) from None
        return int(found)

    def _say(self, path: str, body: dict[str, Any]) -> None:
        server = Replicas((self.url.removesuffix("/v1"),), 1)
        run(post(server, path, body, bool, self.key_variable, ONCE))


@dataclass(frozen=True, slots=True)
class AllClients:
    """Several engines as one: all are told at once, since each waits for the others."""

    clients: Sequence[Client]
    workers: Sequence[int]  # devices of each

    def init_weight_transfer_engine(self, init_info: dict[str, Any]) -> None:
        """Of NCCL's ranks, those of an engine come after those of the engines before it."""
        infos = [
            init_info | {"rank_offset": init_info["rank_offset"] + sum(self.workers[:place])}
            if "rank_offset" in init_info
            else init_info
            for place in range(len(self.clients))
        ]
        self._all(lambda client, place: client.init_weight_transfer_engine(infos[place]))

    def start_weight_update(self) -> None:
        self._all(lambda client, _: client.start_weight_update())

    def update_weights(self, update_info: dict[str, Any]) -> None:
        self._all(lambda client, _: client.update_weights(update_info))

    def finish_weight_update(self, weight_version: str | None = None) -> None:
        self._all(lambda client, _: client.finish_weight_update())

    def _all(self, tell: Callable[[Client, int], None]) -> None:
        with ThreadPoolExecutor(max(len(self.clients), 1)) as threads:
            [*threads.map(tell, self.clients, range(len(self.clients)))]
