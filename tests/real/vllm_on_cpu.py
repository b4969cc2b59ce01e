"""The vLLM and endpoint policies against the real engine, on the CPU. Not part of the plain run:

    tools/set-up-vllm.sh && .venv-vllm/bin/python -m pytest -W ignore tests/real/vllm_on_cpu.py

Takes a few minutes. The policy is the tiny one that ships; where it is not there, a random one.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from threading import Thread, Timer
from time import monotonic, sleep
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
import torch
from safetensors.torch import load_file

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.policies.checkpoint import save, save_weights
from puzzlemill.difficulty.policies.endpoint import EndpointPolicy
from puzzlemill.difficulty.policies.event_loop import run
from puzzlemill.difficulty.policies.http_client import Retries, post
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.openai_answer import replies_in
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply, Sampling
from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GiB
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "HF_HUB_OFFLINE": "1",
    "DO_NOT_TRACK": "1",
    "no_proxy": "*",
}
os.environ.update({**ENVIRONMENT, "VLLM_ENABLE_V1_MULTIPROCESSING": "0"})
torch.set_num_threads(1)

TINY = Path(__file__).parents[2] / "difficulty" / "policies" / "tiny"
ENGINE = {"dtype": "float32", "enforce_eager": True, "max_model_len": 1024}
NAME = "the-model"
STARTING = 900  # seconds, at most
SAMPLING = Sampling(max_tokens=120)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its generation_config would change what is drawn, if a policy let it."""
    folder = tmp_path_factory.mktemp("checkpoints") / "policy"
    if (TINY / "config.json").is_file():
        shutil.copytree(TINY, folder)
    else:
        random_checkpoint(folder)
    file = folder / "generation_config.json"
    settings = json.loads(file.read_text()) if file.is_file() else {}
    settings |= {"top_k": 1, "temperature": 0.3, "repetition_penalty": 1.5}
    file.write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    items = generate("sorting", level=0.25, seed=3, n=6)
    return [Question(tuple(item.messages), seed) for seed, item in enumerate(items, start=100)]


@pytest.fixture(scope="module")
def engine(checkpoint: Path) -> VllmPolicy:
    start = monotonic()
    found = VllmPolicy(checkpoint, SAMPLING, engine=ENGINE)
    print(f"\nengine ready in {monotonic() - start:.0f} s: {found.id}")
    return found


@dataclass
class Served:
    url: str
    folder: Path
    process: "subprocess.Popen[bytes]"

    def policy(self, sampling: Sampling = SAMPLING, **settings: Any) -> EndpointPolicy:
        retries = Retries(tries=3, pause=0.1, timeout=120)
        return EndpointPolicy(self.url, NAME, sampling, **{"retries": retries, **settings})


@pytest.fixture(scope="module")
def served(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Its output matrix is a weight of its own: a tied one is not reloaded by a server on a CPU."""
    folder = tmp_path_factory.mktemp("served") / "policy"
    shutil.copytree(checkpoint, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
    save_weights(untied(load_file(folder / "model.safetensors")), folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = Served(f"http://127.0.0.1:{port}/v1", folder, start(folder, port))
    try:
        ready(found)
        yield found
    finally:
        end(found.process)


def untied(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {**weights, "lm_head.weight": weights["model.embed_tokens.weight"].clone()}


def start(folder: Path, port: int) -> "subprocess.Popen[bytes]":
    options = ["--dtype", "float32", "--enforce-eager", "--max-model-len", "1024"]
    options += ["--model", str(folder), "--served-model-name", NAME, str(folder)]
    options += ["--host", "127.0.0.1", "--port", str(port), "--no-enable-chunked-prefill"]
    environment = {**os.environ, **ENVIRONMENT, "VLLM_SERVER_DEV_MODE": "1"}
    del environment["VLLM_ENABLE_V1_MULTIPROCESSING"]
    with folder.with_name("log").open("ab") as sink:
        return subprocess.Popen(
            [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *options],
            stdout=sink,
            stderr=sink,
            env=environment,
            start_new_session=True,
        )


def ready(served: Served) -> None:
    begun = monotonic()
    log = served.folder.with_name("log")
    while not healthy(served.url.replace("/v1", "/health")):
        assert served.process.poll() is None, f"the server ended: {log.read_text()[-3000:]}"
        assert monotonic() - begun < STARTING, f"not healthy: {log.read_text()[-3000:]}"
        sleep(0.5)
    print(f"\nserver healthy in {monotonic() - begun:.0f} s")


def healthy(url: str) -> bool:
    try:
        with urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


def end(process: "subprocess.Popen[bytes]") -> None:
    """The server and its engine: it was started as the leader of a process group of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)


def test_the_engine_gives_n_replies_and_a_seed_repeats_them(
    engine: VllmPolicy, questions: list[Question]
) -> None:
    first = engine.sample(questions, 5)
    assert [len(replies) for replies in first] == [5] * len(questions)
    assert texts(engine.sample(questions, 5)) == texts(first)
    assert texts(engine.sample(questions[2:3], 5)) == texts(first[2:3]), "the batch shows"
    again = [replace(question, seed=question.seed + 1000) for question in questions]
    assert texts(engine.sample(again, 5)) != texts(first)
    assert len({reply.text for replies in first for reply in replies}) > len(questions)


def test_the_native_policy_sees_the_same_prompt_and_the_same_probabilities(
    engine: VllmPolicy, checkpoint: Path, questions: list[Question]
) -> None:
    native = NativePolicy.load(checkpoint, SAMPLING)
    assert native.id == engine.id
    worst = 0.0
    for question, replies in zip(questions, engine.sample(questions, 3), strict=True):
        for reply in replies:
            wanted = told(native, question, reply)
            worst = max(worst, *(abs(a - b) for a, b in zip(reply.logps, wanted, strict=True)))
    print(f"\nlargest difference of a log-probability from the native policy's: {worst:.1e}")
    assert worst < 1e-3


@pytest.mark.parametrize(
    "sampling", [SAMPLING, Sampling(0.7, 0.9, 120), Sampling(1.3, 1.0, 120)], ids=str
)
def test_log_probabilities_are_those_of_the_distribution_drawn_from(
    engine: VllmPolicy, checkpoint: Path, questions: list[Question], sampling: Sampling
) -> None:
    policy = resampled(engine, sampling)
    worst = 0.0
    for question, replies in zip(questions, policy.sample(questions, 3), strict=True):
        for reply in replies:
            wanted = forced(checkpoint, question, reply, sampling)
            assert len(reply.logps) == len(reply.tokens) == len(wanted)
            worst = max(worst, *(abs(a - b) for a, b in zip(reply.logps, wanted, strict=True)))
    print(f"\nlargest difference of a log-probability at {sampling}: {worst:.1e}")
    assert worst < 1e-3


def test_the_likeliest_tokens_are_the_likeliest(
    engine: VllmPolicy, checkpoint: Path, questions: list[Question]
) -> None:
    policy = resampled(engine, replace(SAMPLING, temperature=0.0, max_tokens=20))
    for question, [reply, second] in zip(questions, policy.sample(questions, 2), strict=True):
        assert reply == second
        logps = forward(checkpoint, question, reply)
        assert tuple(logps.argmax(-1).tolist()) == reply.tokens
        assert set(reply.logps) == {0.0}


def test_a_question_that_is_too_long_is_refused_and_the_engine_lives(
    engine: VllmPolicy, questions: list[Question]
) -> None:
    long = replace(questions[0], messages=({"role": "user", "content": "1 2 " * 1000},))
    with pytest.raises(UserError, match=r"vLLM refused a question: .*context length"):
        engine.sample([*questions, long], 2)
    assert len(engine.sample(questions, 2)) == len(questions)


def test_an_update_of_weights_is_that_of_a_fresh_engine(
    engine: VllmPolicy, checkpoint: Path, questions: list[Question], tmp_path: Path
) -> None:
    native = NativePolicy.load(checkpoint, SAMPLING)
    old = {name: value.clone() for name, value in native.model.state_dict().items()}
    identity, before = engine.id, engine.sample(questions, 4)
    shift(native)
    engine.update(native.model.state_dict())
    after = engine.sample(questions, 4)
    assert texts(after) != texts(before)
    assert engine.id != identity
    worst = 0.0
    for question, replies in zip(questions, after, strict=True):
        for reply in replies:
            wanted = told(native, question, reply)
            worst = max(worst, *(abs(a - b) for a, b in zip(reply.logps, wanted, strict=True)))
    print(f"\nlargest difference of a log-probability after an update: {worst:.1e}")
    assert worst < 1e-3

    save(native.model, tmp_path / "policy", native.tokens)
    asked = json.dumps([[list(question.messages), question.seed] for question in questions])
    fresh = subprocess.run(
        [sys.executable, "-c", FRESH, str(tmp_path / "policy"), asked],
        capture_output=True,
        text=True,
        timeout=STARTING,
    )
    assert fresh.returncode == 0, fresh.stderr[-3000:]
    theirs = json.loads(fresh.stdout.splitlines()[-1])
    assert theirs["texts"] == texts(after)
    for mine, logps in zip(flat(after), theirs["logps"], strict=True):
        assert mine.logps == pytest.approx(logps, abs=1e-5)

    updated = engine.id
    engine.update(old)
    assert texts(engine.sample(questions, 4)) == texts(before)
    assert len({engine.id, updated, theirs["id"]}) == 3
    # Not by the bytes of a file, which is what a fresh engine goes by: of 8B weights, that is long.
    engine.update(native.model.state_dict())
    assert engine.id == updated, "the same weights have the same id"
    engine.update(old)


def test_an_engine_that_slept_replies_as_before(
    engine: VllmPolicy, questions: list[Question]
) -> None:
    before = engine.sample(questions, 2)
    engine.sleep()
    engine.wake()
    assert texts(engine.sample(questions, 2)) == texts(before)


def test_several_copies_in_one_process_are_refused(checkpoint: Path) -> None:
    with pytest.raises(UserError, match="data-parallel-size"):
        VllmPolicy(checkpoint, SAMPLING, engine={"data_parallel_size": 2})


ENDLESS = """name = "run"
[[make]]
families = ["sums", "sorting"]
levels = [0.25]
[policy]
kind = "native"
model = "MODEL"
max_tokens = 64
[train]
source = "endless"
SAMPLER
steps = 3
prompts = 4
group = 4
heldout = 2
"""


def test_a_model_is_trained_on_replies_with_the_weights_of_each_step(
    checkpoint: Path, tmp_path: Path
) -> None:
    trained(tmp_path, checkpoint, 'sampler = "vllm"')


def test_a_model_is_trained_on_the_replies_of_a_server(served: Served, tmp_path: Path) -> None:
    trained(tmp_path, served.folder, by_server(served))
    served.policy().reload(served.folder)


def test_two_ranks_are_trained_on_the_replies_of_a_server(served: Served, tmp_path: Path) -> None:
    """The trainer is sharded over two processes on gloo, and vLLM replies to both."""
    torchrun = ["torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    steps = trained(tmp_path, served.folder, by_server(served), [*torchrun, "-m"])
    served.policy().reload(served.folder)
    (tmp_path / "alone").mkdir()
    alone = trained(tmp_path / "alone", served.folder, by_server(served))
    served.policy().reload(served.folder)
    assert [each["tokens"] for each in steps[:1]] == [each["tokens"] for each in alone[:1]]
    assert steps[0]["gradient"] == pytest.approx(alone[0]["gradient"], rel=1e-3)


PARTIAL = "partial_rollouts = 8\noversample = 2.0\nlearning_rate = 1e-12"


def test_vllm_goes_on_from_tokens(served: Served, checkpoint: Path, tmp_path: Path) -> None:
    """Weights all but stay, so that a mismatch would show what a part was sampled behind."""
    for name, sampler in (("server", by_server(served)), ("engine", 'sampler = "vllm"')):
        (tmp_path / name).mkdir()
        folder = served.folder if name == "server" else checkpoint
        steps = trained(tmp_path / name, folder, f"{sampler}\n{PARTIAL}", rate="")
        assert any(step["also"]["continued"] for step in steps)
    served.policy().reload(served.folder)


def by_server(served: Served) -> str:
    return f'sampler = "server"\nserver = "{served.url}"'


def trained(
    tmp_path: Path,
    checkpoint: Path,
    sampler: str,
    launcher: Sequence[str] = (),
    rate: str = "learning_rate = 1e-3",
) -> list[dict[str, Any]]:
    """The steps of a run, of which each has learned something if there is a rate."""
    text = ENDLESS.replace("MODEL", str(checkpoint)).replace("SAMPLER", f"{sampler}\n{rate}")
    (tmp_path / "recipe.toml").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", *launcher, "puzzlemill", "train", "recipe.toml", "--plain"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=2 * STARTING,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    log = (tmp_path / "builds" / "run" / "training" / "metrics.jsonl").read_text()
    steps: list[dict[str, Any]] = [json.loads(line) for line in log.splitlines()]
    assert len(steps) == 3
    if rate:
        assert all(step["gradient"] > 0 for step in steps), "weights change from step to step"
    print(f"\nlargest mismatch of a step: {max(step['mismatch_most'] for step in steps):.1e}")
    assert all(step["mismatch_most"] < 1e-3 for step in steps)
    return steps


def test_server_and_engine_say_the_same(
    engine: VllmPolicy, served: Served, questions: list[Question]
) -> None:
    here = engine.sample(questions, 4)
    there = served.policy(logps=True).sample(questions, 4)
    assert texts(there) == texts(here)
    for mine, theirs in zip(flat(here), flat(there), strict=True):
        assert mine.tokens == theirs.tokens
        assert mine.finished == theirs.finished
        assert theirs.logps == pytest.approx(mine.logps, abs=1e-3)
    assert texts(served.policy(most_n=1).sample(questions, 4)) == texts(here), (
        "spread over requests"
    )
    assert texts(served.policy(most_n=3).sample(questions, 4)) == texts(here)


def test_completions_give_n_replies_and_a_seed_repeats_them(
    served: Served, questions: list[Question]
) -> None:
    policy = served.policy(api="completions", logps=True)
    first = policy.sample(questions, 4)
    assert [len(replies) for replies in first] == [4] * len(questions)
    assert all(len(reply.tokens) == len(reply.logps) > 0 for reply in flat(first))
    assert texts(policy.sample(questions, 4)) == texts(first)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_reply_ends_behind_its_stop_string(
    engine: VllmPolicy, served: Served, questions: list[Question], api: Any
) -> None:
    sampling = replace(SAMPLING, stop=("1", "e"))
    found = served.policy(sampling, api=api).sample(questions, 8)
    ended = 0
    for reply in flat(found):
        assert not {"1", "e"} & set(reply.text[:-1])
        ended += reply.text.endswith(("1", "e"))
    assert ended > 10
    if api == "chat":
        assert texts(resampled(engine, sampling).sample(questions, 8)) == texts(found)


def test_a_stop_string_that_the_server_cuts_off_is_put_back(
    served: Served, questions: list[Question]
) -> None:
    policy = served.policy(replace(SAMPLING, stop=("1", "e")))
    body = policy._body(questions[0], 0, 16)
    read = partial(replies_in, stops=policy.sampling.stop, logps=policy.logps, key="")
    whole = run(post(policy._replicas, "chat/completions", body, read))
    del body["include_stop_str_in_output"]
    assert run(post(policy._replicas, "chat/completions", body, read)) == whole


def test_pass_rates_in_this_process_are_those_of_the_native_policy(
    engine: VllmPolicy, checkpoint: Path
) -> None:
    alike(engine, checkpoint)


def test_pass_rates_of_a_server_are_those_of_the_native_policy(
    served: Served, checkpoint: Path
) -> None:
    alike(served.policy(), checkpoint)


def alike(policy: Policy, checkpoint: Path) -> None:
    """Rates of the right ones, and of those that ended, differ by no more than chance."""
    items = generate("sorting", level=0.25, seed=9, n=40)
    asked = [Question(tuple(item.messages), 500 + place) for place, item in enumerate(items)]

    def rates(found: list[list[Reply]]) -> tuple[float, float]:
        right = [
            check(item, reply.text).correct
            for item, replies in zip(items, found, strict=True)
            for reply in replies
        ]
        return fmean(right), fmean(reply.finished for reply in flat(found))

    found = rates(policy.sample(asked, 8))
    native = rates(NativePolicy.load(checkpoint, SAMPLING).sample(asked, 8))
    print(f"\nright, ended, of {40 * 8} each: {found}, native {native}")
    for mine, theirs in zip(found, native, strict=True):
        error = (mine * (1 - mine) + theirs * (1 - theirs)) / (40 * 8)  # a variance
        assert abs(mine - theirs) <= 3 * error**0.5


def test_a_server_replies_with_the_weights_of_a_checkpoint(
    served: Served, questions: list[Question], tmp_path: Path
) -> None:
    policy = served.policy(logps=True)
    before = policy.sample(questions, 4)
    native = NativePolicy.load(served.folder, SAMPLING)
    shift(native)
    save(native.model, tmp_path / "new")
    policy.reload(tmp_path / "new")
    after = policy.sample(questions, 4)
    assert texts(after) != texts(before)
    for question, replies in zip(questions, after, strict=True):
        for reply in replies:
            assert reply.logps == pytest.approx(told(native, question, reply), abs=1e-3)
    policy.reload(served.folder)
    assert texts(policy.sample(questions, 4)) == texts(before)


def test_a_server_killed_and_started_again_loses_and_doubles_nothing(served: Served) -> None:
    items = generate("sorting", level=0.25, seed=9, n=60)
    asked = [Question(tuple(item.messages), 900 + place) for place, item in enumerate(items)]
    patient = Retries(tries=40, pause=0.5, timeout=120)
    policy = served.policy(retries=patient, most_n=2, concurrency=4)
    whole = policy.sample(asked, 8)
    port = int(served.url.rsplit(":", 1)[1].removesuffix("/v1"))
    killed: list[float] = []

    def restart() -> None:
        sleep(1)
        end(served.process)
        killed.append(monotonic())
        sleep(2)
        served.process = start(served.folder, port)

    begun = monotonic()
    thread = Thread(target=restart)
    thread.start()
    again = policy.sample(asked, 8)
    thread.join()
    assert begun < killed[0] < monotonic()
    assert [len(replies) for replies in again] == [8] * 60
    assert texts(again) == texts(whole)
    print(f"\n{monotonic() - begun:.0f} s with a restart; nothing lost or doubled")


def test_a_wrong_model_is_told_in_one_line(served: Served, questions: list[Question]) -> None:
    wrong = replace(served.policy(), model="another")
    with pytest.raises(UserError, match=r"status 404: .*another.*; check url") as failed:
        wrong.sample(questions, 1)
    assert "\n" not in str(failed.value)


def test_a_killed_server_gives_one_clear_error(served: Served, questions: list[Question]) -> None:
    """The last test: it ends the server in the middle of a batch."""
    many = [replace(questions[0], seed=seed) for seed in range(400)]
    policy = served.policy(Sampling(max_tokens=900, stop=()))
    killing = Timer(3, end, [served.process])
    killing.daemon = True
    killing.start()
    begun = monotonic()
    with pytest.raises(UserError, match=r"no usable answer after . of 3 tries; ") as failed:
        policy.sample(many, 8)
    print(f"\n{monotonic() - begun:.1f} s, 3 of them before the kill: {failed.value}")
    with pytest.raises(UserError, match="nobody answers"):
        policy.sample(many, 8)


def flat(found: list[list[Reply]]) -> Iterator[Reply]:
    return chain.from_iterable(found)


def texts(found: list[list[Reply]]) -> list[list[str]]:
    return [[reply.text for reply in replies] for replies in found]


def resampled(engine: VllmPolicy, sampling: Sampling) -> VllmPolicy:
    """The same engine under other sampling settings; a second engine would not fit beside it."""
    other = object.__new__(VllmPolicy)
    for name in VllmPolicy.__slots__:
        setattr(other, name, getattr(engine, name))
    other.sampling = sampling
    return other


FRESH = f"""
import json, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from vllm_on_cpu import ENGINE, SAMPLING, Question, VllmPolicy

policy = VllmPolicy(Path(sys.argv[1]), SAMPLING, engine=ENGINE)
questions = [Question(tuple(messages), seed) for messages, seed in json.loads(sys.argv[2])]
found = policy.sample(questions, 4)
texts = [[reply.text for reply in replies] for replies in found]
logps = [reply.logps for replies in found for reply in replies]
print(json.dumps({{"texts": texts, "logps": logps, "id": policy.id}}))
"""


def shift(native: NativePolicy) -> None:
    """Other weights, near enough for replies that make sense."""
    source = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for weight in native.model.parameters():
            noise = torch.randn(weight.shape, generator=source)
            weight.add_(0.1 * weight.std(unbiased=False) * noise)


def told(native: NativePolicy, question: Question, reply: Reply) -> list[float]:
    """The log-probability of each token of a reply, by a forward pass of our own model."""
    prompt = native.tokens.prompt(question)
    with torch.no_grad():
        hidden = native.model(torch.tensor([[*prompt, *reply.tokens]]))[0, len(prompt) - 1 : -1]
        logps = native.model.logits(hidden).log_softmax(-1)
    return logps.gather(-1, torch.tensor(reply.tokens)[:, None])[:, 0].tolist()


@cache
def reference(checkpoint: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    return AutoTokenizer.from_pretrained(checkpoint), model


def forward(checkpoint: Path, question: Question, reply: Reply) -> torch.Tensor:
    """Logits at each token of a reply, by transformers."""
    tokenizer, model = reference(checkpoint)
    talk = [dict(message) for message in question.messages]
    if tokenizer.chat_template:
        prompt = tokenizer.apply_chat_template(talk, add_generation_prompt=True, tokenize=False)
        before = tokenizer.encode(prompt, add_special_tokens=False)
    else:
        before = tokenizer.encode(f"user: {talk[0]['content']}\nassistant:")
    with torch.no_grad():
        logits = model(torch.tensor([[*before, *reply.tokens]])).logits[0]
    return logits[len(before) - 1 : -1].float()


def forced(checkpoint: Path, question: Question, reply: Reply, sampling: Sampling) -> list[float]:
    """The log-probability of each token of a reply, after temperature and top_p."""
    logps = (forward(checkpoint, question, reply) / sampling.temperature).log_softmax(-1)
    ordered, places = logps.sort(-1, descending=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    kept = torch.zeros_like(logps).scatter(-1, places, (before < sampling.top_p).float())
    logps = logps.masked_fill(kept == 0, -torch.inf).log_softmax(-1)
    drawn = torch.tensor(reply.tokens)[:, None]
    return logps.gather(-1, drawn)[:, 0].tolist()


def random_checkpoint(folder: Path) -> None:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    ends = "<|endoftext|>"
    vocabulary = {letter: place for place, letter in enumerate([*letters, ends])}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=ends, pad_token=ends)
    fast.chat_template = "{% for message in messages %}{{ message.content }}\n{% endfor %}"
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(vocabulary),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        initializer_range=0.3,  # far from uniform, so that log-probabilities tell something
        eos_token_id=vocabulary[ends],
        bos_token_id=None,
        tie_word_embeddings=True,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
