"""What stands in for vLLM's server: the bundled policy, with the weights that it is told.

It gathers the requests of a moment, samples them with the native engine, and holds an answer back
for so long a token of its longest reply: as a device would take for a decoding step.
"""

import json
import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from puzzlemill.difficulty.policies.model import at_most
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Reply

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
Body = dict[str, Any]


@dataclass
class StandIn:
    policy: NativePolicy
    gathered: float = 0.0  # seconds, in which the requests of a batch come
    token_seconds: float = 0.0
    tells_tokens: bool = True
    reloads: int = 0
    asked: int = 0
    begun: list[int] = field(default_factory=list)  # tokens that replies went on behind
    lengths: list[int] = field(default_factory=list)  # of the replies
    url: str = ""
    waiting: "queue.Queue[tuple[str, Body, Future[list[Reply]]]]" = field(
        default_factory=queue.Queue
    )
    device: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def answer(self, path: str, body: Body) -> Body:
        due = time.perf_counter()
        if path == "/collective_rpc":
            assert body["method"] == "reload_weights"
            folder = Path(body["kwargs"]["weights_path"])
            self.policy.model.load_state_dict(load_file(folder / "model.safetensors"))
            self.reloads += 1
            return {"results": [None]}
        if path == "/reset_prefix_cache":
            return {"success": True}
        assert path in (CHAT, COMPLETIONS), path
        future: Future[list[Reply]] = Future()
        self.waiting.put((path, body, future))
        batch = self.device.submit(self._sample)  # or it is in one that has begun
        either: list[Future[Any]] = [future, batch]
        wait(either, return_when=FIRST_COMPLETED)
        if not future.done():
            batch.result()  # why it is not there
        replies = future.result(timeout=0)
        due += self.token_seconds * max(len(each.tokens) for each in replies)
        time.sleep(max(due - time.perf_counter(), 0.0))
        return {"choices": [self._choice(path, *each) for each in enumerate(replies)]}

    def _sample(self) -> None:
        """All that is waiting by then."""
        if self.waiting.empty():
            return
        time.sleep(self.gathered)
        batch = []
        while not self.waiting.empty():
            batch.append(self.waiting.get())
        self.asked += len(batch)
        for kind in dict.fromkeys(_kind(body) for _, body, _ in batch):
            self._sample_alike([each for each in batch if _kind(each[1]) == kind], *kind)

    def _sample_alike(self, batch: list[Any], n: int, max_tokens: int) -> None:
        questions = [self._question(path, body) for path, body, _ in batch]
        groups = at_most(self.policy, max_tokens).sample(questions, n)
        self.lengths += [len(reply.tokens) for group in groups for reply in group]
        for (_, _, future), group in zip(batch, groups, strict=True):
            future.set_result(group)

    def _question(self, path: str, body: Body) -> Question:
        if path == CHAT:
            return Question(tuple(body["messages"]), body["seed"])
        self.begun.append(len(body["prompt"]))
        return Question((), body["seed"], tokens=tuple(body["prompt"]))

    def _choice(self, path: str, place: int, reply: Reply) -> Body:
        logps: Body = {"content": [{"logprob": logp} for logp in reply.logps]}
        said: Body = {"message": {"role": "assistant", "content": reply.text}}
        if path == COMPLETIONS:
            logps, said = {"token_logprobs": list(reply.logps)}, {"text": reply.text}
        return said | {
            "index": place,
            "finish_reason": "stop" if reply.finished else "length",
            "stop_reason": None,
            "token_ids": list(reply.tokens) if self.tells_tokens else None,
            "logprobs": logps,
        }


def _kind(body: Body) -> tuple[int, int]:
    """Requests alike are sampled in one call."""
    return body["n"], body["max_tokens"]


@contextmanager
def serving(state: StandIn) -> Iterator[StandIn]:
    """With its address, on this host alone, until the end of the block."""

    class Post(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
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
        thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{http.server_port}/v1"
        yield state
        http.shutdown()
        thread.join(3)
        state.device.shutdown()
