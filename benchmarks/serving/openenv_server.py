"""OpenEnv's own server with an environment of reasoning-gym, as OpenEnv's repository has one: the
seed chooses an item, the action is an answer, and one step ends the episode."""

import socket
from typing import Any

import reasoning_gym
import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

ITEMS = reasoning_gym.create_dataset("chain_sum", size=64, seed=1)
SESSIONS = 512


class Answer(Action):  # type: ignore[misc]
    answer: str


class Question(Observation):  # type: ignore[misc]
    question: str = ""


class Problems(Environment):  # type: ignore[misc]
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self.entry: Any = None
        self.steps = 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Question:
        self.entry, self.steps = ITEMS[(seed or 0) % len(ITEMS)], 0
        return Question(question=self.entry["question"])

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> Question:
        self.steps += 1
        return Question(done=True, reward=ITEMS.score_answer(action.answer, self.entry))

    @property
    def state(self) -> State:
        return State(step_count=self.steps)


app = create_fastapi_app(Problems, Answer, Question, max_concurrent_envs=SESSIONS)

if __name__ == "__main__":
    sock = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(f"http://127.0.0.1:{sock.getsockname()[1]}/", flush=True)
    config = uvicorn.Config(app, log_level="error", access_log=False, backlog=1024)
    uvicorn.Server(config).run(sockets=[sock])
