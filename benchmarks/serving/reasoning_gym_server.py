"""The scoring of reasoning-gym's own server, which its wheel lacks: FastAPI, and answers that are
scored by their entries' names, which makes each entry again. Without its check of a key."""

import socket

import uvicorn
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
from reasoning_gym.coaching.experiment import Experiment
from reasoning_gym.composite import CompositeConfig, CompositeDataset, DatasetSpec
from reasoning_gym.version_manager import DatasetVersionManager

SIZE = 64
NAME = "sums"


class Answered(BaseModel):  # type: ignore[misc]
    entry_id: str
    answer: str


class Request(BaseModel):  # type: ignore[misc]
    answers: list[Answered]


class Scores(BaseModel):  # type: ignore[misc]
    scores: list[float]
    entry_ids: list[str]


def experiment() -> Experiment:
    spec = DatasetSpec(name="chain_sum", weight=1.0, config={})
    config = CompositeConfig(size=SIZE, seed=1, datasets=[spec])
    return Experiment(NAME, CompositeDataset(config, version_manager=DatasetVersionManager()))


app = FastAPI()
experiments = {NAME: experiment()}


@app.post("/experiments/{name}/score", response_model=Scores)  # type: ignore[misc]
async def score(name: str, request: Request) -> Scores:
    if name not in experiments:
        raise HTTPException(404, f"there is no experiment {name!r}")
    weigh = experiments[name].composite.score_answer_with_id
    scores = [weigh(each.answer, each.entry_id) for each in request.answers]
    return Scores(scores=scores, entry_ids=[each.entry_id for each in request.answers])


if __name__ == "__main__":
    sock = socket.create_server(("127.0.0.1", 0), backlog=1024)
    print(f"http://127.0.0.1:{sock.getsockname()[1]}/", flush=True)
    config = uvicorn.Config(app, log_level="error", access_log=False, backlog=1024)
    uvicorn.Server(config).run(sockets=[sock])
