"""A server as the sampler of a training run: what it is sent, and what is learned from it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from benchmarks.engines.stand_in_server import StandIn, serving
from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.run import train

RECIPE = """name = "run"
[[make]]
families = ["sums"]
levels = [0.25]
[policy]
kind = "tiny"
max_tokens = 64
[train]
source = "endless"
sampler = "server"
server = "URL"
steps = 3
prompts = 4
group = 4
heldout = 2
learning_rate = 1e-3
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setenv("no_proxy", "*")
    with serving(StandIn(tiny(Sampling(max_tokens=64)))) as state:
        yield state


def run(server: StandIn, folder: Path) -> Path:
    (folder / "run.toml").write_text(RECIPE.replace("URL", server.url))
    return train(pipelines.ready_to_train(folder / "run.toml", folder))


def test_a_server_replies_with_the_weights_of_each_step(server: StandIn, tmp_path: Path) -> None:
    last = run(server, tmp_path)
    lines = (tmp_path / "run" / "training" / "metrics.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    assert len(steps) == 3
    assert all(step["gradient"] > 0 for step in steps)
    assert max(step["mismatch_most"] for step in steps) < 1e-4
    assert server.reloads == 4  # before the first step, and after each
    assert server.asked >= 3 * 4
    trained = load_file(last / "model.safetensors")
    for name, weight in server.policy.model.state_dict().items():
        assert torch.equal(weight, trained[name])


def test_partial_rollouts_go_on_behind_their_own_tokens(server: StandIn, tmp_path: Path) -> None:
    """Weights all but stay, so that a token's log-probability shows what it stood behind."""
    text = RECIPE.replace("URL", server.url).replace('["sums"]', '["sums", "sorting"]')
    partial = "learning_rate = 1e-12\npartial_rollouts = 8\noversample = 2.0"
    (tmp_path / "run.toml").write_text(text.replace("learning_rate = 1e-3", partial))
    train(pipelines.ready_to_train(tmp_path / "run.toml", tmp_path))
    lines = (tmp_path / "run" / "training" / "metrics.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    assert max(step["also"]["continued"] for step in steps) > 0
    assert max(step["mismatch_most"] for step in steps) < 1e-4
    assert max(server.begun) - min(server.begun) > 8


def test_a_server_that_tells_no_tokens_is_refused(server: StandIn, tmp_path: Path) -> None:
    server.tells_tokens = False
    with pytest.raises(UserError, match="tells no tokens with their log-probabilities"):
        run(server, tmp_path)


@pytest.mark.parametrize("said", [{"sampler": "server"}, {"server": "http://127.0.0.1:1/v1"}])
def test_a_server_and_its_address_go_together(said: dict[str, str]) -> None:
    table = {"name": "x", "make": [{"families": ["sums"]}], "train": said}
    with pytest.raises(UserError, match="go together"):
        recipe_from(table)
