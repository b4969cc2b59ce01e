"""The endpoint policy against a small real server on this machine."""

import base64
import json
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from math import log2
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from struct import pack
from threading import Barrier, Event, Lock, Thread
from time import monotonic, sleep, time
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pyarrow.parquet as pq
import pytest

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.endpoint import EndpointPolicy, conversation, first_seed
from puzzlemill.difficulty.policies.event_loop import THREAD
from puzzlemill.difficulty.policies.http_client import Retries, backoff
from puzzlemill.difficulty.policies.http_errors import TransientError, seconds_of
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling, all_received
from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy
from puzzlemill.pipelines.journal import totals_of
from puzzlemill.pipelines.recipe import read_recipe

QUICK = Retries(tries=3, pause=0.001, timeout=2.0)
KEY = "PUZZLEMILL_TEST_KEY"
PICTURE = b"\x89PNG\r\n\x1a\n not really"
ASKED = Question(({"role": "user", "content": "2 + 3?"},), seed=7)


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes


@dataclass
class Answer:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None  # as the header claims
    late: bool = False
    reset: bool = False  # the connection is broken off
    byte_by_byte: bool = False


@dataclass
class Server:
    """Answers as the script says, one entry a request, and then as a model would."""

    script: list[Answer] = field(default_factory=list)
    model: Callable[[Request], Answer] = field(default=lambda request: said(request))
    requests: list[Request] = field(default_factory=list)
    busiest: int = 0  # requests at one time
    busy: int = 0
    connections: int = 0
    lock: Lock = field(default_factory=Lock)
    over: Event = field(default_factory=Event)
    url: str = ""


def said(request: Request, **changes: Any) -> Answer:
    """n choices, each of which tells its seed, last one first."""
    chat = request.path.endswith("/chat/completions")
    choices = []
    for index in reversed(range(request.body["n"])):
        text = f"<answer>{request.body['seed'] + index}</answer>"
        words = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        choices.append({"index": index, "finish_reason": "stop", **words, **changes})
    return Answer(json.dumps({"choices": choices}).encode())


def one(**choice: Any) -> Answer:
    return Answer(
        json.dumps({"choices": [{"index": 0, "finish_reason": "stop", **choice}]}).encode()
    )


def content(text: str | None, **more: Any) -> Answer:
    return one(message={"role": "assistant", "content": text}, **more)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv(KEY, raising=False)
    with running() as state:
        yield state


@pytest.fixture
def second(server: Server) -> Iterator[Server]:
    with running() as state:
        yield state


@contextmanager
def running(port: int = 0, protocol: str = "HTTP/1.0") -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = protocol
        timeout = 10  # seconds without a request on a connection that is kept

        def setup(self) -> None:
            super().setup()
            with state.lock:
                state.connections += 1

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            request = Request(self.path, dict(self.headers), json.loads(raw), raw)
            with state.lock:
                state.requests.append(request)
                state.busy += 1
                state.busiest = max(state.busiest, state.busy)
                answer = state.script.pop(0) if state.script else None
            answer = answer or state.model(request)
            if answer.late:
                state.over.wait(3)
            with state.lock:
                state.busy -= 1
            if answer.reset:
                self.close_connection = True
                self.connection.setsockopt(SOL_SOCKET, SO_LINGER, pack("ii", 1, 0))
                self.connection.close()
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            length = len(answer.body) if answer.length is None else answer.length
            self.send_header("Content-Length", str(length))
            self.end_headers()
            for start in range(len(answer.body) if answer.byte_by_byte else 0):
                self.wfile.write(answer.body[start : start + 1])
                state.over.wait(0.05)
            if not answer.byte_by_byte:
                self.wfile.write(answer.body)

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 128  # of 5, requests that come together are reset on a busy machine

        def handle_error(self, *_: Any) -> None:
            """A client that did not wait is no news."""

    with Quiet(("127.0.0.1", port), Handler) as http:
        thread = Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        state.url = f"http://127.0.0.1:{http.server_port}/v1"
        yield state
        state.over.set()
        http.shutdown()
        thread.join(3)


def policy(server: Server, sampling: Sampling = Sampling(), **settings: Any) -> EndpointPolicy:  # noqa: B008
    return EndpointPolicy(
        server.url, "some/model", sampling, **{"retries": QUICK, "key_variable": KEY, **settings}
    )


def test_a_chat_request_says_exactly_what_was_set(server: Server) -> None:
    sampling = Sampling(0.75, 0.9, 33, ("</answer>", "###"))
    policy(server, sampling).sample([ASKED], 4)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Content-Type"] == "application/json"
    wanted = {
        "model": "some/model",
        "n": 4,
        "seed": first_seed(ASKED),
        "temperature": 0.75,
        "top_p": 0.9,
        "max_tokens": 33,
        "messages": [{"role": "user", "content": "2 + 3?"}],
        "stop": ["</answer>", "###"],
        "include_stop_str_in_output": True,
        "return_token_ids": False,
        "top_k": -1,
        "min_p": 0.0,
        "repetition_penalty": 1.0,
    }
    assert request.raw == json.dumps(wanted).encode()


def test_a_chat_request_sets_the_template_s_switch_by_the_prompt_style(server: Server) -> None:
    policy(server, Sampling(style="no-think")).sample([ASKED], 1)
    policy(server, Sampling(style="no-think"), api="completions").sample([ASKED], 1)
    chat, completions = server.requests
    assert chat.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "chat_template_kwargs" not in completions.body


def test_a_completions_request_has_the_messages_as_one_prompt(server: Server) -> None:
    question = Question(
        ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "2 + 3?"}), 7
    )
    [[reply]] = policy(server, api="completions", vllm=False).sample([question], 1)
    (request,) = server.requests
    assert request.path == "/v1/completions"
    assert request.body["prompt"] == "system: Be brief.\nuser: 2 + 3?\nassistant:"
    assert "messages" not in request.body
    assert "top_k" not in request.body
    assert reply.text == f"<answer>{first_seed(question)}</answer>"


def test_replies_come_in_the_order_of_questions_and_samples(server: Server) -> None:
    questions = [replace(ASKED, seed=seed) for seed in range(20)]
    found = policy(server, concurrency=5).sample(questions, 3)
    assert [[reply.text for reply in replies] for replies in found] == [
        [f"<answer>{first_seed(question) + i}</answer>" for i in range(3)] for question in questions
    ]


@pytest.mark.parametrize("most_n", [1, 2, 5])
def test_sample_i_has_the_same_seed_however_the_samples_are_spread(
    server: Server, most_n: int
) -> None:
    whole = policy(server).sample([ASKED], 5)
    assert policy(server, most_n=most_n).sample([ASKED], 5) == whole
    assert max(request.body["n"] for request in server.requests[1:]) == most_n


def test_a_server_that_gives_one_reply_at_a_time_is_asked_again(server: Server) -> None:
    whole = policy(server).sample([ASKED], 4)
    server.model = lambda request: said(replace(request, body={**request.body, "n": 1}))
    assert policy(server).sample([ASKED], 4) == whole


def test_seeds_of_neighbouring_questions_are_far_apart() -> None:
    seeds = sorted(first_seed(replace(ASKED, seed=seed)) for seed in range(2000))
    assert 0 <= seeds[0] <= seeds[-1] < 2**31 - 2**16
    assert min(high - low for low, high in pairwise(seeds)) > 0
    assert first_seed(ASKED) == first_seed(Question((), 7, (b"other",)))


def test_the_likeliest_reply_is_asked_for_once(server: Server) -> None:
    [replies] = policy(server, Sampling(temperature=0)).sample([ASKED], 3)
    assert len(replies) == 3
    assert [request.body["n"] for request in server.requests] == [1]


def test_no_more_requests_at_a_time_than_allowed(server: Server) -> None:
    def slow(request: Request) -> Answer:
        for _ in range(500):
            server.over.wait(0.02)
            if server.busiest > 1:  # on a machine that is busy the others come late
                break
        return said(request)

    server.model = slow
    policy(server, concurrency=3).sample([replace(ASKED, seed=seed) for seed in range(12)], 1)
    assert 1 < server.busiest <= 3


def test_pictures_go_where_their_marks_stand(server: Server) -> None:
    words = "Here <image> and here:<image>"
    question = Question(({"role": "user", "content": words},), 1, (PICTURE, b"second"))
    policy(server, sees=True).sample([question], 1)
    link = "data:image/png;base64,"
    assert server.requests[0].body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Here "},
                {
                    "type": "image_url",
                    "image_url": {"url": link + base64.b64encode(PICTURE).decode()},
                },
                {"type": "text", "text": " and here:"},
                {
                    "type": "image_url",
                    "image_url": {"url": link + base64.b64encode(b"second").decode()},
                },
            ],
        }
    ]


def test_pictures_that_cannot_be_shown_are_refused() -> None:
    question = Question(({"role": "user", "content": "<image>"},), 1, (PICTURE,))
    with pytest.raises(UserError, match="sees"):
        conversation(question, sees=False)
    with pytest.raises(UserError, match="2 pictures for 1 marks"):
        conversation(replace(question, images=(PICTURE, PICTURE)), sees=True)


def test_the_key_is_sent_only_when_its_variable_is_set(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = policy(server)
    asking.sample([ASKED], 1)
    monkeypatch.setenv(KEY, "sk-secret\n")
    asking.sample([ASKED], 1)
    policy(server, key_variable="").sample([ASKED], 1)
    keys = [request.headers.get("Authorization") for request in server.requests]
    assert keys == [None, "Bearer sk-secret", None]
    assert "sk-secret" not in repr(asking) + asking.id
    assert all(b"sk-secret" not in request.raw for request in server.requests)


def test_the_key_never_shows_in_an_error(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    body = b'{"error": {"message": "Incorrect key: sk-secret."}}'
    server.script = [Answer(body, 401), Answer(b"", 302, {"Location": "http://elsewhere/v1"})]
    with pytest.raises(UserError) as refused:
        policy(server).sample([ASKED], 1)
    assert str(refused.value) == (
        f"{server.url}/chat/completions: status 401: Incorrect key: …; put a valid key into the"
        f" environment variable {KEY}"
    )
    with pytest.raises(UserError, match="moved to http://elsewhere/v1"):
        policy(server).sample([ASKED], 1)
    monkeypatch.setenv(KEY, "sk-\nsecret")
    with pytest.raises(UserError, match="holds no valid key") as broken:
        policy(server).sample([ASKED], 1)
    assert "secret" not in str(broken.value)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "failure",
    [
        Answer(b"slow down", 429),
        Answer(b"oops", 500),
        Answer(b"", 503, {"Retry-After": "0.01"}),
        Answer(b'{"choices": [', length=200),
        Answer(b"", length=50),
        Answer(b"", reset=True),
        Answer(b"<html>Welcome</html>"),
        Answer(b"\xff\xfe\x00"),
        Answer(b"[]"),
        Answer(b"null"),
        Answer(b'{"choices": []}'),
        Answer(b'{"choices": [{"finish_reason": "stop"}]}'),
        content(None),
        content("half", finish_reason="abort"),
    ],
    ids=lambda answer: f"{answer.status} {answer.body[:24]!r}",
)
def test_what_may_pass_is_tried_again(server: Server, failure: Answer) -> None:
    server.script = [failure, failure]
    [[reply]] = policy(server).sample([ASKED], 1)
    assert reply.text == f"<answer>{first_seed(ASKED)}</answer>"
    assert len(server.requests) == 3
    assert len({request.raw for request in server.requests}) == 1


def test_a_request_that_hangs_is_tried_again(server: Server) -> None:
    server.script = [Answer(b"", late=True)]
    retries = replace(QUICK, timeout=1.0)
    [[reply]] = policy(server, retries=retries).sample([ASKED], 1)
    assert reply.finished
    assert len(server.requests) == 2


def test_an_answer_byte_by_byte_has_no_more_time_than_another(server: Server) -> None:
    policy(server).sample([ASKED], 1)  # imports what is imported with the first request
    server.script = [replace(content("so " * 40), byte_by_byte=True)]
    retries = replace(QUICK, tries=1, timeout=0.4)
    start = monotonic()
    with pytest.raises(UserError, match=r"no answer in 0.4 s; raise timeout"):
        policy(server, retries=retries).sample([ASKED], 1)
    assert monotonic() - start < 5  # all of it takes ten


@pytest.fixture
def keeping(server: Server) -> Iterator[Server]:
    """A server that keeps connections open."""
    with running(protocol="HTTP/1.1") as state:
        yield state


def test_connections_are_kept_from_request_to_request_and_batch_to_batch(keeping: Server) -> None:
    asking = policy(keeping, concurrency=3)
    assert right(asking.sample(MANY, 1))
    assert right(asking.sample(MANY[:20], 1))
    assert keeping.connections <= 3
    assert len(keeping.requests) == 60


def test_a_kept_connection_that_the_server_closes_meanwhile_is_no_failure(
    keeping: Server, caplog: pytest.LogCaptureFixture
) -> None:
    asking = policy(keeping, retries=replace(QUICK, tries=1))
    assert right(asking.sample(MANY[:1], 1))
    keeping.script = [Answer(b"", reset=True)]  # as it closes one just when a request comes
    assert right(asking.sample(MANY[:1], 1))
    assert (len(keeping.requests), keeping.connections) == (3, 2)
    keeping.script = [Answer(b"", reset=True)] * 2
    with pytest.raises(UserError, match="of 1 tries; the last: the answer broke off"):
        asking.sample(MANY[:1], 1)
    assert caplog.messages == [
        f"{keeping.url[7:-3]} is left out for now: the answer broke off (ConnectionResetError)"
    ]


def test_requests_in_flight_have_no_thread_each(server: Server) -> None:
    clients: set[str] = set()
    before = {thread.name for thread in threading.enumerate()}

    def slow(request: Request) -> Answer:
        for _ in range(500):
            if server.busiest == 32:
                break
            server.over.wait(0.02)
        others = {thread.name for thread in threading.enumerate()} - before
        clients.update(name for name in others if "process_request_thread" not in name)
        return said(request)

    server.model = slow
    assert right(policy(server, concurrency=32).sample(MANY, 1))
    assert server.busiest == 32
    assert clients <= {THREAD}


def test_batches_of_several_threads_share_the_servers(server: Server, second: Server) -> None:
    both = replace(policy(server), url=(server.url, second.url), concurrency=2)
    second.script = [Answer(b"", 503)]
    with ThreadPoolExecutor(4) as pool:
        assert all(right(found) for found in pool.map(lambda _: both.sample(MANY, 1), range(4)))
    assert max(server.busiest, second.busiest) <= 2


def test_an_interrupt_cancels_what_is_in_flight(server: Server) -> None:
    asking, main = policy(server, concurrency=4), threading.get_ident()

    def interrupted(request: Request) -> Answer:
        if server.busiest == 4 and len(server.requests) == 4:
            signal.pthread_kill(main, signal.SIGINT)
        server.over.wait(20)
        return said(request)

    server.model = interrupted
    # A process that a script started in the background ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            asking.sample(MANY, 1)
    finally:
        signal.signal(signal.SIGINT, before)
    server.model = said
    assert right(asking.sample(MANY, 1))
    assert len(server.requests) == 4 + len(MANY)


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_a_proxy_of_the_environment_is_used(
    server: Server, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "elsewhere")
    monkeypatch.setenv("http_proxy", scheme + server.url[7:-3])
    far = replace(policy(server), url="http://far.invalid/v1")
    assert right(far.sample(MANY[:2], 1))
    assert {asked.path for asked in server.requests} == {"http://far.invalid/v1/chat/completions"}
    monkeypatch.setenv("http_proxy", "gopher://me:secret@there")
    with pytest.raises(UserError, match="the environment variable http_proxy cannot be") as failed:
        replace(far, model="other").sample(MANY[:2], 1)
    assert "secret" not in str(failed.value)


def test_the_server_is_given_the_time_that_it_asks_for(server: Server) -> None:
    server.script = [Answer(b"", 429, {"Retry-After": "0.4"})]
    start = monotonic()
    policy(server).sample([ASKED], 1)
    assert monotonic() - start >= 0.4
    assert seconds_of("17") == 17
    now = time()
    left = seconds_of(formatdate(now + 30, usegmt=True))  # in whole seconds
    assert 29 - (time() - now) < left <= 30
    assert [seconds_of(odd) for odd in ("", "soon", "-3", "nan", "1e9")] == [0, 0, 0, 0, 600]


def test_pauses_double_are_jittered_and_bounded() -> None:
    retries = Retries(pause=1.0)
    for turn, longest in ((0, 1), (1, 2), (4, 16), (50, 60)):
        pauses = [backoff(TransientError("", ""), turn, retries) for _ in range(50)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest
    assert backoff(TransientError("", "", wait=30), 0, retries) > 30


def test_after_the_last_try_one_line_names_the_url_and_the_remedy(server: Server) -> None:
    server.script = [Answer(b'{"error": {"message": "out of\\nmemory"}}', 500)] * 3
    with pytest.raises(UserError) as failed:
        policy(server).sample([ASKED], 1)
    assert str(failed.value) == (
        f"{server.url}/chat/completions: no usable answer after 3 of 3 tries; the last: status 500:"
        " out of memory; see the server's log"
    )


def test_a_request_that_is_wrong_is_not_tried_again(server: Server) -> None:
    server.model = lambda _: Answer(b'{"message": "no such model", "code": 404}', 404)
    questions = [replace(ASKED, seed=seed) for seed in range(200)]
    with pytest.raises(UserError, match="status 404: no such model; check url"):
        policy(server, concurrency=2).sample(questions, 1)
    assert len(server.requests) < 20  # the other questions are given up


def test_one_failure_ends_the_pauses_of_the_others(server: Server) -> None:
    """One request is told to wait a minute, and another, under way at the same time, is refused."""
    met = Barrier(2)
    answers = [Answer(b"no such model", 404), Answer(b"", 429, {"Retry-After": "60"})]

    def both(_: Request) -> Answer:
        met.wait(10)
        with server.lock:
            answer = answers.pop()
        if answer.status == 404:
            server.over.wait(0.2)  # the other is waiting by then
        return answer

    server.model = both
    start = monotonic()
    with pytest.raises(UserError, match="no such model"):
        policy(server, concurrency=2).sample([ASKED, ASKED], 1)
    assert monotonic() - start < 20


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


MANY = [replace(ASKED, seed=seed) for seed in range(40)]


def right(found: list[list[Reply]]) -> bool:
    """Every question has its own reply, once."""
    return [[reply.text for reply in replies] for replies in found] == [
        [f"<answer>{first_seed(question)}</answer>"] for question in MANY[: len(found)]
    ]


def test_the_least_busy_server_is_asked_and_none_more_than_allowed(
    server: Server, second: Server
) -> None:
    def slow(request: Request) -> Answer:
        second.over.wait(0.1)
        return said(request)

    second.model = slow
    both = replace(policy(server), url=(server.url, second.url), concurrency=2)
    assert right(both.sample(MANY, 1))
    assert len(server.requests) + len(second.requests) == len(MANY)
    assert 2 <= len(second.requests) < len(server.requests)
    assert max(server.busiest, second.busiest) == 2


@pytest.mark.parametrize(
    "away",
    [Answer(b"", 503), Answer(b"", 429), Answer(b"", reset=True), Answer(b"{", length=9)],
    ids=lambda answer: f"{answer.status} {answer.reset} {answer.length}",
)
def test_a_server_that_fails_is_left_out_until_it_answers_again(
    server: Server, second: Server, away: Answer
) -> None:
    def slow(request: Request) -> Answer:
        server.over.wait(0.01)
        return said(request)

    server.model = slow
    second.model = lambda _: away
    retries = Retries(tries=20, pause=0.05, timeout=2)
    both = replace(policy(server), url=(server.url, second.url), concurrency=4, retries=retries)
    start = monotonic()
    assert right(both.sample(MANY, 1))
    failed, took = len(second.requests), monotonic() - start
    # Those under way together, and then one at a time, after pauses that double.
    assert 1 <= failed <= 4 + log2(took / (retries.pause / 2) + 1)
    second.model = said
    sleep(2 * took + 2 * retries.pause)  # longer than the last pause can be
    assert right(both.sample(MANY, 1))
    assert len(second.requests) > failed + 4


def test_an_address_where_nobody_answers_is_no_matter_beside_one_that_does(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    both = replace(policy(server), url=(nobody, server.url))
    assert right(both.sample(MANY, 1))
    assert caplog.messages == [
        f"{nobody[7:-3]} is left out for now: nobody answers (Connection refused)"
    ]


def test_a_server_that_is_started_anew_between_two_batches_is_waited_for(
    server: Server,
) -> None:
    retries = Retries(tries=12, pause=0.05, timeout=2)
    port = free_port()
    with running(port) as first:
        asking = replace(policy(first), retries=retries)
        assert right(asking.sample(MANY[:3], 1))

    def later() -> None:
        sleep(0.5)
        with running(port):
            done.wait(10)

    done = Event()
    thread = Thread(target=later)
    thread.start()
    found = asking.sample(MANY, 1)
    done.set()
    thread.join()
    assert right(found)


def test_a_server_that_stays_away_is_told_and_the_next_batch_waits_no_more() -> None:
    with running() as first:
        asking = policy(first, concurrency=3)
        assert right(asking.sample(MANY[:3], 1))
    with pytest.raises(UserError, match="of 3 tries; the last: nobody answers"):
        asking.sample(MANY, 1)
    with pytest.raises(UserError, match="completions: nobody answers"):  # after one try
        asking.sample(MANY, 1)


def test_a_key_is_nowhere_in_errors_logs_and_builds(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    """Though the server repeats it wherever it can."""
    caplog.set_level("DEBUG")
    monkeypatch.setenv(KEY, "sk-secret")
    echo = b'{"error": {"message": "busy, sk-secret"}}'
    told = [
        Answer(echo, 503),
        Answer(b"sk-secret is no JSON"),
        Answer(b'{"choices": [{"finish_reason": "stop", "message": {"content": ["sk-secret"]}}]}'),
        Answer(b"", 301, {"Location": "http://there/sk-secret"}),
    ]
    for answer in told:
        server.script = [answer] * 3
        with pytest.raises(UserError) as failed:
            policy(server).sample([ASKED], 1)
        assert "sk-secret" not in str(failed.value)
    server.script = []
    recipe = tmp_path / "asked.toml"
    recipe.write_text(
        f"""name = "asked"
        [[make]]
        families = ["sums"]
        count = 4
        [policy]
        kind = "endpoint"
        model = "some/model"
        url = ["{server.url}"]
        key_variable = "{KEY}"
        concurrency = 2
        [score]
        most = 2
        """
    )
    asking = new_policy(read_recipe(recipe).policy)
    assert isinstance(asking, EndpointPolicy)
    assert (asking.url, asking.concurrency) == ((server.url,), 2)
    before = len(server.requests)
    folder = pipelines.build(recipe, tmp_path)
    assert len(server.requests) > before
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert any(file.name == "manifest.json" for file in files)
    assert not [file for file in files if b"sk-secret" in file.read_bytes()]
    assert "sk-secret" not in caplog.text
    assert "is left out for now" in caplog.text


def test_an_address_where_nobody_answers_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    port = free_port()
    nobody = EndpointPolicy(f"http://127.0.0.1:{port}/v1", "m", Sampling())
    start = monotonic()
    with pytest.raises(UserError) as failed:
        nobody.sample([replace(ASKED, seed=seed) for seed in range(50)], 2)
    assert monotonic() - start < 20  # all tries of one request take minutes
    assert str(failed.value) == (
        f"http://127.0.0.1:{port}/v1/chat/completions: nobody answers (Connection refused); start"
        " the server, or correct url"
    )


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (content("So <answer>5"), "So <answer>5</answer>"),
        (content("So <answer>5</answer>"), "So <answer>5</answer>"),
        (content("So 5"), "So 5"),
        (content("<answer>4</answer> no, <answer>5"), "<answer>4</answer> no, <answer>5</answer>"),
        (content("So <answer>5", finish_reason="length"), "So <answer>5"),
        (content("So <answer>5", stop_reason=None), "So <answer>5"),
        (content("So <answer>5", stop_reason=2), "So <answer>5"),
        (content("So 5", stop_reason="</answer>"), "So 5</answer>"),
        (content("So <answer>5</answer>", stop_reason="</answer>"), "So <answer>5</answer>"),
    ],
    ids=str,
)
def test_a_stop_string_that_the_server_cut_off_is_put_back(
    server: Server, answer: Answer, text: str
) -> None:
    server.script = [answer]
    [[reply]] = policy(server).sample([ASKED], 1)
    assert reply.text == text
    assert reply.finished == (b"length" not in answer.body)


def test_thinking_that_the_server_split_off_is_part_of_the_reply(server: Server) -> None:
    server.script = [
        one(message={"content": "<answer>5</answer>", "reasoning_content": "2, 3"}),
        one(message={"content": None, "reasoning": "2, 3, "}, finish_reason="length"),
    ]
    asking = policy(server, concurrency=1)
    texts = [reply.text for [reply] in asking.sample([ASKED, ASKED], 1)]
    assert texts == ["<think>2, 3</think><answer>5</answer>", "<think>2, 3, "]


def test_log_probabilities_come_with_their_tokens_or_not_at_all(server: Server) -> None:
    measured = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1}]}
    server.script = [
        content("ab", logprobs=measured, token_ids=[4, 9]),
        content("ab", logprobs=measured),
        one(text="ab", logprobs={"token_logprobs": [-0.5, -1]}, token_ids=[4, 9]),
        one(text="ab", logprobs=None),
    ]
    chat = policy(server, logps=True, concurrency=1).sample([ASKED, ASKED], 1)
    plain = policy(server, logps=True, concurrency=1, api="completions").sample([ASKED, ASKED], 1)
    for found in (chat, plain):
        assert [(reply.tokens, reply.logps) for [reply] in found] == [
            ((4, 9), (-0.5, -1.0)),
            ((), ()),
        ]
    asked = [request.body["logprobs"] for request in server.requests]
    assert asked == [True, True, 0, 0]


def test_the_id_names_the_model_and_the_sampling() -> None:
    found = EndpointPolicy("https://host/v1", "some/model", Sampling(0.5, 0.9, 64))
    assert found.id == "endpoint-some/model/t0.5-p0.9-m64"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"url": "host:8000/v1"}, "looks like http"),
        ({"url": "http://host:port/v1"}, "looks like http"),
        ({"url": "http://host/v1 "}, "looks like http"),
        ({"url": "http://me:secret@host/v1"}, "more than an address"),
        ({"url": "http://host/v1?key=secret"}, "more than an address"),
        ({"url": ()}, "one or more"),
        ({"url": ("http://host/v1", "http://me:secret@host/v1")}, "more than an address"),
        ({"url": ("http://host/v1", "http://host/v1/")}, "that differ"),
        ({"model": ""}, "set model"),
        ({"api": "completions", "sees": True}, "takes no pictures"),
        ({"most_n": 0}, "1 or more"),
        ({"logps": True, "sampling": Sampling(0.5)}, "before temperature"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_told_at_once(changes: dict[str, Any], complaint: str) -> None:
    right = {"url": "http://host/v1", "model": "m", "sampling": Sampling()}
    with pytest.raises(UserError, match=complaint) as failed:
        EndpointPolicy(**{**right, **changes})
    assert "secret" not in str(failed.value)


def test_half_a_surrogate_pair_is_replaced_in_every_reply() -> None:
    whole = "\ud83d\ude00"  # as a server sends it in two pieces
    for said, text in (
        ("\ud800 <answer>1</answer>", "\ufffd <answer>1</answer>"),
        ("a\udfff", "a\ufffd"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        (whole, "\U0001f600"),
        ("ä 漢 \U0001f600", "ä 漢 \U0001f600"),
        ("plain", "plain"),
    ):
        assert Reply(said).text == text


TORN = (
    r'{"choices": [{"finish_reason": "stop", "message": {"content": "\ud800 <answer>1</answer>"}}]}'
)


def asking(server: Server, folder: Path, more: str = "", count: int = 4) -> Path:
    """A recipe that asks the server."""
    recipe = folder / "asked.toml"
    recipe.write_text(
        f"""name = "asked"
        [[make]]
        families = ["sums"]
        count = {count}
        [policy]
        kind = "endpoint"
        model = "some/model"
        url = "{server.url}"
        key_variable = "{KEY}"
        [score]
        most = 2
        keep_replies = true
        {more}
        """
    )
    return recipe


def kept_replies(folder: Path) -> list[dict[str, Any]]:
    """All replies that a build has kept, with their verdicts."""
    return [
        reply
        for shard in sorted(folder.glob("stages/ask-*/0*.parquet"))
        for replies in pq.read_table(shard)["replies"].to_pylist()
        for reply in replies or ()
    ]


def test_a_reply_with_half_a_surrogate_pair_stops_no_build(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    server.model = lambda _: Answer(TORN.encode())
    folder = pipelines.build(asking(server, tmp_path), tmp_path)
    texts = {reply["text"] for reply in kept_replies(folder)}
    assert texts == {"\ufffd <answer>1</answer>"}


def test_what_the_servers_cannot_answer_is_an_error_on_the_row_and_no_trial(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One prompt is always refused, and the other items are scored as if it were not there."""
    monkeypatch.setenv(KEY, "sk-secret")
    refused: list[str] = []

    def picky(request: Request) -> Answer:
        with server.lock:
            prompt = request.body["messages"][0]["content"]
            if not refused and request.body["max_tokens"] > 1:
                refused.append(prompt)
        if prompt in refused:
            return Answer(b'{"error": {"message": "not \x1b[31mthis\x1b[0m one"}}', 400)
        return said(request)

    server.model = picky
    folder = pipelines.build(asking(server, tmp_path), tmp_path)
    rows = {row["prompt"][0]["content"]: row for row in scored_or_not(folder)}
    lost = rows.pop(refused[0])
    assert (lost["trials"], lost["mean"]) == (None, None)
    assert lost["dropped"] == "no reply could be had"
    assert all(row["trials"] for row in rows.values())
    errors = [reply for reply in kept_replies(folder) if reply["status"] == "error"]
    assert {reply["reason"] for reply in errors} == {"status 400: not this one"}
    assert {reply["text"] for reply in errors} == {""}
    counts = totals_of(folder).counts
    assert counts["lost_replies"] == len(errors)
    assert counts["verifier_errors"] == 0
    assert counts["replies"] == sum(row["trials"] for row in rows.values())
    assert server.url not in json.dumps(errors)


def scored_or_not(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "dataset").rglob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


ODD = {
    "a message that is no text": one(message={"content": 3}),
    "no text": content(None),
    "given up": content("half", finish_reason="error"),
    "no message": one(message=None),
    "thought that is no text": one(message={"content": "5", "reasoning": {"a": [1]}}),
    "a choice that is none": Answer(b'{"choices": [7]}'),
    "choices that are none": Answer(b'{"choices": {"a": 1}}'),
    "choices that cannot be sorted": Answer(b'{"choices": [{"index": "a"}, {"index": 1}]}'),
    "deep lists": Answer(b"[" * 200_000),
    "deep tables": Answer(b'{"a":' * 200_000),
    "deep text": one(message={"content": json.loads("[" * 900 + "]" * 900)}),
    "a number of thousands of digits": Answer(b'{"choices": ' + b"9" * 6000 + b"}"),
    "bad escapes": Answer(rb'{"choices": "\x"}'),
    "not UTF-8": Answer(b'{"choices": "\xff"}'),
    "nothing": Answer(b""),
    "bad escapes in an error": Answer(rb'{"message":"bad \x escape"}', 500),
    "an error that breaks off": Answer(b'{"message": "so', 500, length=999),
    "half a surrogate pair in an error": Answer(rb'{"message": "\ud800"}', 500),
    "a weekday in the year 10,000": Answer(
        b"", 429, {"Retry-After": "Mon, 01 Jan 9999999999999999 00:00:00 GMT"}
    ),
    "an hour that is none": Answer(b"", 500, {"Retry-After": "Mon, 01 Jan 2026 99:00:00 GMT"}),
    "a wait that is no number": Answer(b"", 500, {"Retry-After": "nan"}),
    "a wait into the past": Answer(b"", 500, {"Retry-After": "-1e999"}),
    "a length of thousands of digits": Answer(b"{}", 200, {"Content-Length": "9" * 5000}),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_tried_again_and_then_told_in_one_line(server: Server, name: str) -> None:
    server.script = [ODD[name]]
    [[reply]] = policy(server).sample([ASKED], 1)
    assert reply.text == f"<answer>{first_seed(ASKED)}</answer>"
    server.model = lambda _: ODD[name]
    with pytest.raises(UserError) as failed:
        EndpointPolicy(server.url, "m", Sampling(), retries=QUICK).sample([ASKED], 1)
    told = str(failed.value)
    assert told.isprintable()
    assert len(told) < 800


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_among_good_ones_is_an_error_on_its_reply(server: Server, name: str) -> None:
    odd = first_seed(MANY[3])
    server.model = lambda asked: ODD[name] if asked.body["seed"] == odd else said(asked)
    found = policy(server, concurrency=2).sample(MANY[:9], 1)
    errors = [place for place, [reply] in enumerate(found) if reply.error]
    assert errors == [3]
    assert found[3][0].text == ""
    assert not found[3][0].finished
    assert right(
        [found[place] if place != 3 else [Reply(f"<answer>{odd}</answer>")] for place in range(9)]
    )


def test_of_several_choices_only_the_odd_one_is_an_error(server: Server) -> None:
    def model(request: Request) -> Answer:
        told = json.loads(said(request).body)
        told["choices"][1]["message"]["content"] = None
        return Answer(json.dumps(told).encode())

    server.model = model
    [replies] = policy(server).sample([ASKED], 4)
    assert [bool(reply.error) for reply in replies] == [False, False, True, False]
    assert "the text is NoneType" in replies[2].error
    assert len(server.requests) == QUICK.tries


def test_a_server_that_answers_nothing_any_more_is_told(server: Server) -> None:
    """Though it did before: its failures are not put down one by one to all that is left."""
    asking = policy(server, concurrency=4)
    assert right(asking.sample(MANY, 1))
    server.model = lambda _: Answer(b'{"message": "engine is dead"}', 500)
    before = len(server.requests)
    with pytest.raises(UserError, match="after 3 of 3 tries; the last: status 500: engine is dead"):
        asking.sample(MANY * 10, 1)
    assert len(server.requests) - before < 100


def test_what_is_refused_for_good_is_an_error_however_often_it_is(server: Server) -> None:
    asking = policy(server, concurrency=4)
    assert right(asking.sample(MANY, 1))
    server.model = lambda _: Answer(b'{"message": "too long"}', 422)
    found = asking.sample(MANY, 1)
    assert {reply.error for [reply] in found} == {"status 422: too long"}
    server.model = said
    assert right(asking.sample(MANY, 1))


def test_a_policy_all_of_whose_requests_are_refused_is_told(server: Server) -> None:
    server.model = lambda _: Answer(b'{"message": "unknown field top_k"}', 400)
    with pytest.raises(UserError, match=r"completions: status 400: unknown field top_k; see what"):
        policy(server, concurrency=2).sample(MANY * 10, 1)
    assert len(server.requests) < 60


def test_an_answer_is_read_within_a_bound(server: Server) -> None:
    small = Sampling(max_tokens=5)
    endless = Answer(b" " * 6_000_000)
    server.model = lambda _: endless
    with pytest.raises(UserError, match=r"longer than 4,194,944 bytes; does the server go by max_"):
        policy(server, small).sample([ASKED], 1)
    long = "x" * 5_000_000
    server.model = lambda asked: said(asked, message={"content": long})
    [[reply]] = policy(server, Sampling(max_tokens=10_000)).sample([ASKED], 1)
    assert reply.text == long


MEASURES = {
    "infinite tokens": ([-1, -1], "[1e999, 2]"),
    "no number of a token": ([-1, -1], "[NaN, 2]"),
    "tokens with fractions": ([-1, -1], "[1.0, 2]"),
    "negative tokens": ([-1, -1], "[-1, 2]"),
    "giant tokens": ([-1, -1], f"[{10**3999}, 2]"),
    "tokens of 32 bits": ([-1, -1], f"[{2**31}, 2]"),
    "tokens that are words": ([-1, -1], '["1", 2]'),
    "a text of tokens": ([-1, -1], '"12"'),
    "truth for a token": ([-1, -1], "[true, 2]"),
    "impossible": ([-1, float("-inf")], "[1, 2]"),
    "impossible, as vLLM writes it": ([-1, -9999.0], "[1, 2]"),
    "not a number": ([-1, float("nan")], "[1, 2]"),
    "more than certain": ([-1, 3], "[1, 2]"),
    "infinitely likely": ([-1, float("inf")], "[1, 2]"),
    "giant": ([-1, -(10**400)], "[1, 2]"),
    "none": ([-1, None], "[1, 2]"),
    "words": ([-1, "-1"], "[1, 2]"),
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("api", ["chat", "completions"])
def test_odd_tokens_and_log_probabilities_are_an_error_on_their_reply(
    server: Server, name: str, api: Any
) -> None:
    logps, tokens = MEASURES[name]
    told = {"content": [{"logprob": each} for each in logps]}
    told |= {"token_logprobs": logps if api == "completions" else None}
    text = json.dumps({"logprobs": told, "token_ids": "TOKENS"}).replace('"TOKENS"', tokens)

    def model(request: Request) -> Answer:
        measures = {"logprobs": {"content": [{"logprob": -1}] * 2}, "token_ids": [1, 2]}
        good = said(request, **measures)
        if request.body["seed"] != first_seed(MANY[1]):
            return good
        return Answer(good.body.replace(json.dumps(measures)[1:-1].encode(), text[1:-1].encode()))

    server.model = model
    found = policy(server, logps=True, api=api).sample(MANY[:3], 1)
    assert [bool(reply.error) for [reply] in found] == [False, True, False]
    assert (found[1][0].tokens, found[1][0].logps) == ((), ())
    with pytest.raises(UserError, match="a reply could not be had"):
        all_received(found)


SECRET = "sk-very/secret+0123456789?"
ECHOES = {
    "as it is": SECRET,
    "percent-encoded": quote(SECRET, safe=""),
    "all of it percent-encoded": "".join(f"%{ord(sign):02x}" for sign in SECRET),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 of the header": base64.b64encode(f"Bearer {SECRET}".encode()).decode(),
    "base64 within more": base64.b64encode(f"I say {SECRET}!".encode()).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "broken by blanks": " ".join(SECRET),
    "broken by a line": SECRET[:9] + "\n" + SECRET[9:],
    "broken by what is not seen": SECRET[:9] + "\u200b\x00" + SECRET[9:],
}


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", ECHOES)
def test_a_key_that_a_server_repeats_is_in_no_reply_error_log_or_build(
    server: Server,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    echo = ECHOES[name]
    pieces = [bare(echo)[start : start + 12] for start in range(0, len(bare(echo)) - 12, 3)]
    server.model = lambda asked: said(
        asked, message={"content": f"It is {echo}, <answer>5</answer>"}
    )
    [[reply]] = policy(server).sample([ASKED], 1)
    assert reply.text.startswith("It is ")
    assert reply.text.endswith(", <answer>5</answer>")
    told = [reply.text]
    for answer in (
        Answer(json.dumps({"message": f"no {echo}"}).encode(), 401),
        Answer(json.dumps({"message": f"no {echo}"}).encode(), 503),
        Answer(f"<p>{echo}</p>".encode()),
        one(message={"content": [echo]}),
        one(**{echo: 1}),
        Answer(
            b"", 302, {"Location": f"http://there/{bare(echo).encode('ascii', 'ignore').decode()}"}
        ),
    ):
        server.model = lambda _, answer=answer: answer
        with pytest.raises(UserError) as failed:
            policy(server).sample([ASKED], 1)
        told.append(str(failed.value))
    for text in (*told, caplog.text):
        assert not [piece for piece in pieces if piece in bare(text)]


def test_a_short_key_is_left_in_replies_and_struck_out_of_errors(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "EMPTY")
    server.model = lambda asked: said(asked, message={"content": "<answer>EMPTY</answer>"})
    [[reply]] = policy(server).sample([ASKED], 1)
    assert reply.text == "<answer>EMPTY</answer>"
    server.model = lambda _: Answer(b"wrong key EMPTY", 401)
    with pytest.raises(UserError, match="wrong key …;"):
        policy(server).sample([ASKED], 1)


def test_what_a_terminal_would_obey_is_in_no_error(server: Server) -> None:
    words = "\x1b[31mred\x1b[0m \x1b]0;title\x07and\x1b(B \x9b2J\x00\u202ebad\r\nnews\x7f"
    server.model = lambda _: Answer(json.dumps({"message": words}).encode(), 401)
    with pytest.raises(UserError) as failed:
        policy(server).sample([ASKED], 1)
    assert "status 401: red and 2Jbad news; " in str(failed.value)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (None, f"{KEY} is not set: put the endpoint's key into that environment variable, or"),
        (Answer(b'{"message": "wrong key"}', 401), "status 401: wrong key; put a valid key"),
        (Answer(b'{"message": "no such model"}', 404), "status 404: no such model; check url"),
        ("nobody", "nobody answers"),
    ],
    ids=["no key", "wrong key", "wrong model", "nobody"],
)
def test_a_policy_that_cannot_be_asked_is_told_before_anything_is_made(
    server: Server, answer: Any, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if answer is not None:
        monkeypatch.setenv(KEY, "sk-secret")
    if answer == "nobody":
        server.url = f"http://127.0.0.1:{free_port()}/v1"
    server.model = lambda asked: answer or said(asked)
    recipe = asking(server, tmp_path)
    with pytest.raises(UserError, match=told):
        pipelines.build(recipe, tmp_path)
    assert not (tmp_path / "asked" / "stages").exists()
    assert len(server.requests) == (isinstance(answer, Answer))


def test_what_may_pass_by_the_time_that_items_are_made_stops_no_build(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    server.script = [Answer(b"loading the model", 503)]
    recipe = asking(server, tmp_path)
    pipelines.build(recipe, tmp_path)
    assert server.requests[0].body["max_tokens"] == 1
    before = len(server.requests)
    server.model = lambda _: Answer(b"", 401)
    pipelines.build(recipe, tmp_path)  # all is there: nobody is asked, not even whether he is there
    assert len(server.requests) == before


def test_a_build_all_of_whose_requests_are_refused_is_told_in_one_line(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(KEY, "sk-secret")
    server.model = lambda _: Answer(b'{"message": "unknown field top_k"}', 400)
    with pytest.raises(UserError, match="completions: status 400: unknown field top_k; see what"):
        pipelines.build(asking(server, tmp_path), tmp_path)


@pytest.mark.parametrize(
    ("reason", "logp", "told"),
    [
        ("abort", -1.0, "vLLM gave up on it (abort)"),
        ("stop", float("nan"), "a log-probability is nan"),
        ("stop", float("-inf"), "a log-probability is -inf"),
    ],
)
def test_a_reply_that_vllm_makes_nothing_of_is_an_error(
    reason: str, logp: float, told: str
) -> None:
    choice = SimpleNamespace(
        finish_reason=reason,
        text="<answer>5</answer>",
        token_ids=[4],
        logprobs=[{4: SimpleNamespace(logprob=logp)}],
    )
    policy: Any = SimpleNamespace(sampling=Sampling())
    assert VllmPolicy._reply(policy, choice) == Reply("", False, error=told)
    choice.finish_reason, choice.logprobs[0][4].logprob = "stop", -1.0
    assert VllmPolicy._reply(policy, choice) == Reply("<answer>5</answer>", True, (4,), (-1.0,))
