"""A server as the sampler of a training run: what it is sent, and what is learned from it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.model import at_most
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
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


@dataclass
class Served:
    """What stands in for vLLM's server: the bundled policy, with the weights that it is told."""

    policy: NativePolicy = field(default_factory=lambda: tiny(Sampling(max_tokens=64)))
    tells_tokens: bool = True
    reloads: int = 0
    asked: int = 0
    begun: list[int] = field(default_factory=list)  # tokens that replies went on behind
    lock: Lock = field(default_factory=Lock)
    url: str = ""

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/collective_rpc":
            assert body["method"] == "reload_weights"
            folder = Path(body["kwargs"]["weights_path"])
            self.policy.model.load_state_dict(load_file(folder / "model.safetensors"))
            self.reloads += 1
            return {"results": [None]}
        if path == "/reset_prefix_cache":
            return {"success": True}
        self.asked += 1
        if path == "/v1/completions":
            self.begun.append(len(body["prompt"]))
            question = Question((), body["seed"], tokens=tuple(body["prompt"]))
        else:
            assert path == "/v1/chat/completions"
            question = Question(tuple(body["messages"]), body["seed"])
        policy = at_most(self.policy, body["max_tokens"])
        (replies,) = policy.sample([question], body["n"])
        return {"choices": [self.choice(path, *each) for each in enumerate(replies)]}

    def choice(self, path: str, place: int, reply: Reply) -> dict[str, Any]:
        logps: dict[str, Any] = {"content": [{"logprob": logp} for logp in reply.logps]}
        said: dict[str, Any] = {"message": {"role": "assistant", "content": reply.text}}
        if path == "/v1/completions":
            logps, said = {"token_logprobs": list(reply.logps)}, {"text": reply.text}
        return said | {
            "index": place,
            "finish_reason": "stop" if reply.finished else "length",
            "stop_reason": None,
            "token_ids": list(reply.tokens) if self.tells_tokens else None,
            "logprobs": logps,
        }


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("no_proxy", "*")
    state = Served()

    class Post(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                text = json.dumps(state.answer(self.path, body)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Post) as http:
        thread = Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{http.server_port}/v1"
        yield state
        http.shutdown()
        thread.join(3)


def run(server: Served, folder: Path) -> Path:
    (folder / "run.toml").write_text(RECIPE.replace("URL", server.url))
    return train(pipelines.ready_to_train(folder / "run.toml", folder))


def test_a_server_replies_with_the_weights_of_each_step(server: Served, tmp_path: Path) -> None:
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


def test_partial_rollouts_go_on_behind_their_own_tokens(server: Served, tmp_path: Path) -> None:
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


def test_two_processes_share_servers_which_get_each_steps_weights_once(
    server: Served, tmp_path: Path
) -> None:
    """The trainer is sharded over ranks, and sampling is elsewhere."""
    (tmp_path / "run.toml").write_text(RECIPE.replace("URL", server.url))
    folder = pipelines.ready_to_train(tmp_path / "run.toml", tmp_path)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", "2", str(Path(__file__).with_name("pair.py")), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert server.reloads == 4
    lines = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    steps = [json.loads(line) for line in lines]
    assert len(steps) == 3
    assert max(step["mismatch_most"] for step in steps) < 1e-4, "replies are of the step's weights"


def test_a_server_that_tells_no_tokens_is_refused(server: Served, tmp_path: Path) -> None:
    server.tells_tokens = False
    with pytest.raises(UserError, match="tells no tokens with their log-probabilities"):
        run(server, tmp_path)


@pytest.mark.parametrize("said", [{"sampler": "server"}, {"server": "http://127.0.0.1:1/v1"}])
def test_a_server_and_its_address_go_together(said: dict[str, str]) -> None:
    table = {"name": "x", "make": [{"families": ["sums"]}], "train": said}
    with pytest.raises(UserError, match="go together"):
        recipe_from(table)
