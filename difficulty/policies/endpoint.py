"""A policy behind an OpenAI-compatible endpoint: vLLM's server, another's, or a hosted one."""

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any, Literal

from puzzlemill.core.endpoints import checked_url, checked_variable
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.http_client import (
    PATIENCE,
    PLAIN,
    Patience,
    Setback,
    Unanswered,
    key_of,
    knock,
    post,
)
from puzzlemill.difficulty.policies.openai_answer import replies_in
from puzzlemill.difficulty.policies.policy import IMAGE, Question, Reply, Sampling
from puzzlemill.difficulty.policies.replicas import Replicas

TOKEN, MEASURED = 128, 1024  # bytes of an answer for a token at most, and with what it measures
KNOCKING = 30.0  # seconds

Part = tuple[Question, int, int]  # a question, the first of its samples that are asked, how many


@dataclass(frozen=True, slots=True)
class EndpointPolicy:
    url: str | tuple[str, ...]  # up to and with /v1; of several servers of the model, if it is
    model: str
    sampling: Sampling
    api: Literal["chat", "completions"] = "chat"
    key_variable: str = ""  # names the environment variable that holds the key
    sees: bool = False
    logps: bool = False  # ask for the tokens and their log-probabilities
    vllm: bool = True  # send what only vLLM knows; some hosted servers refuse it
    most_n: int = 64  # samples asked for in one request; 1 where a server gives only one
    concurrency: int = 16  # requests under way at each server
    patience: Patience = PATIENCE
    _replicas: Replicas = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        urls = (self.url,) if isinstance(self.url, str) else tuple(self.url)
        if not urls or len({url.rstrip("/") for url in urls}) < len(urls):
            raise UserError("url is an address, or a list of one or more that differ; correct url")
        for url in urls:
            checked_url(url)
        checked_variable(self.key_variable)
        object.__setattr__(self, "_replicas", Replicas(urls, self.concurrency))
        if not self.model:
            raise UserError(f"{urls[0]}: set model to one of the names under {urls[0]}/models")
        if self.sees and self.api == "completions":
            raise UserError("the completions API takes no pictures: set api to chat or sees to no")
        if min(self.most_n, self.concurrency, self.patience.tries) < 1:
            raise UserError("most_n, concurrency and tries are 1 or more")
        if self.logps and (self.sampling.temperature, self.sampling.top_p) != (1.0, 1.0):
            raise UserError(
                "servers give log-probabilities before temperature and top_p: set both to 1, or"
                " ask for none"
            )

    @property
    def id(self) -> str:
        return f"endpoint-{self.model}/{self.sampling}"

    def takes(self, question: Question) -> bool:
        return self.sees or not question.images

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        """Each request asks for at most `most_n` replies; sample i always has the same seed."""
        drawn = (
            n if self.sampling.temperature > 0 else min(n, 1)
        )  # likeliest tokens: no two replies
        parts = [
            (place, first, min(self.most_n, drawn - first))
            for place in range(len(questions))
            for first in range(0, drawn, self.most_n)
        ]
        asked = [(questions[place], first, count) for place, first, count in parts]
        replies: list[list[Reply]] = [[] for _ in questions]
        for (place, _, _), found in zip(parts, self._all(asked), strict=True):
            replies[place] += found
        return [found * n if n > drawn else found for found in replies]

    def knock(self) -> None:
        """Ask for one token, so that a wrong address, key or model is told before work is done."""
        hello = Question(({"role": "user", "content": "1 + 1?"},), 0)
        body = self._body(hello, 0, 1) | {"max_tokens": 1}
        timeout = min(self.patience.timeout, KNOCKING)
        knock(self._replicas, self._path, body, self.key_variable, timeout)

    def _all(self, asked: Sequence[Part]) -> list[list[Reply]]:
        """The replies to each part. What the servers cannot answer is an error on these replies;
        what goes wrong for all of them is raised."""
        over = Event()
        replies: list[list[Reply]] = [[] for _ in asked]
        lost: list[Unanswered] = []
        try:
            for place, found in self._ended(asked, over):
                if isinstance(found, Unanswered):
                    lost.append(found)
                    if self._replicas.has_lost(found.refused):
                        raise found
                    replies[place] = _missing(found, asked[place][2])
                elif isinstance(found, BaseException):
                    raise found
                else:
                    self._replicas.has_gained()
                    replies[place] = found
            if lost and not self._replicas.useful:
                raise lost[0]
        except BaseException:
            self._replicas.forget()
            raise
        finally:
            over.set()
            self._replicas.wake()
        return replies

    def _ended(
        self, asked: Sequence[Part], over: Event
    ) -> Iterator[tuple[int, list[Reply] | BaseException]]:
        """What comes of each part, some requests at a time, as they end.

        Threads of our own: those of an executor would keep the process until a server that takes
        minutes has answered, when somebody wants it to end.
        """
        waiting: SimpleQueue[int] = SimpleQueue()
        ended: SimpleQueue[tuple[int, list[Reply] | BaseException]] = SimpleQueue()
        for place in range(len(asked)):
            waiting.put(place)

        def work() -> None:
            while not over.is_set():
                try:
                    place = waiting.get_nowait()
                except Empty:
                    return
                try:
                    ended.put((place, self._part(*asked[place], over)))
                except BaseException as error:  # noqa: BLE001  (raised again by whoever asked)
                    ended.put((place, error))

        for _ in range(min(self.concurrency * len(self._replicas.urls), len(asked))):
            Thread(target=work, daemon=True).start()
        for _ in asked:
            yield ended.get()

    def reload(self, checkpoint: Path) -> None:
        """Have each of vLLM's servers reply with a checkpoint's weights from now on. It is a folder
        that the servers see too, and they were started with VLLM_SERVER_DEV_MODE=1."""
        if not self.vllm:
            raise UserError("only vLLM's server takes new weights: start it anew, or set vllm")
        named = {"weights_path": str(checkpoint.resolve())}
        asked = {"method": "reload_weights", "kwargs": named}
        for url in self._replicas.urls:
            server = Replicas((url.removesuffix("/v1"),), 1)
            post(server, "collective_rpc", asked, _taken, self.key_variable, self.patience)
            post(server, "reset_prefix_cache", {}, _emptied, self.key_variable, self.patience)

    @property
    def _path(self) -> str:
        return "chat/completions" if self.api == "chat" else "completions"

    def _part(self, question: Question, first: int, count: int, over: Event) -> list[Reply]:
        """Samples first … first + count - 1. A server that does not take n is asked again."""
        replies: list[Reply] = []
        key = key_of(self.key_variable)
        read = partial(replies_in, stops=self.sampling.stop, logps=self.logps, key=key)
        while (left := count - len(replies)) > 0:
            body = self._body(question, first + len(replies), left)
            token = MEASURED if self.logps else TOKEN
            most = PLAIN + left * self.sampling.max_tokens * token
            try:
                found = post(
                    self._replicas,
                    self._path,
                    body,
                    read,
                    self.key_variable,
                    self.patience,
                    over,
                    most,
                )
            except Unanswered as error:
                if not replies:
                    raise
                found = _missing(error, left)
            if found is None:
                break
            replies += found
        return replies[:count]

    def _body(self, question: Question, first: int, count: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "n": count,
            "seed": first_seed(question) + first,
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.top_p,
            "max_tokens": self.sampling.max_tokens,
        }
        if self.api == "chat":
            body["messages"] = conversation(question, self.sees)
        else:
            body["prompt"] = plain_prompt(question)
        if self.sampling.stop:
            body["stop"] = list(self.sampling.stop)
        if self.logps:
            body["logprobs"] = True if self.api == "chat" else 0
        if self.vllm:
            # A checkpoint's generation_config would otherwise set the last three.
            body |= {"include_stop_str_in_output": True, "return_token_ids": self.logps}
            body |= {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
        return body


def _missing(error: Unanswered, count: int) -> list[Reply]:
    return [Reply("", False, error=error.reason)] * count


def first_seed(question: Question) -> int:
    """The seed of a question's first sample; sample i has this + i, as vLLM counts.

    Hashed, so that neighbouring questions share no samples; 31 bits, because some servers take no
    more.
    """
    found = blake2b(str(question.seed).encode(), digest_size=8, person=b"replies").digest()
    return int.from_bytes(found) % (2**31 - 2**16)


def conversation(question: Question, sees: bool) -> list[dict[str, Any]]:
    """The messages in the OpenAI form, each picture as a data URL where its mark stands."""
    if not question.images:
        return [dict(message) for message in question.messages]
    if not sees:
        raise UserError("the question has pictures and the policy takes none: set sees to yes")
    marks = sum(message["content"].count(IMAGE) for message in question.messages)
    if marks != len(question.images):
        raise UserError(f"{len(question.images)} pictures for {marks} marks {IMAGE} in a question")
    images = iter(question.images)
    messages: list[dict[str, Any]] = []
    for message in question.messages:
        before, *others = message["content"].split(IMAGE)
        content = _written(before)
        for text in others:
            data = base64.b64encode(next(images)).decode()
            content.append(
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
            )
            content += _written(text)
        messages.append({**message, "content": content})
    return messages


def plain_prompt(question: Question) -> str:
    """The messages for a model without a chat template, as the native policy writes them."""
    if question.images:
        raise UserError("pictures need the chat API: set api to chat")
    said = "".join(f"{message['role']}: {message['content']}\n" for message in question.messages)
    return f"{said}assistant:"


def _taken(answer: Any) -> bool:
    if not isinstance(answer, dict) or "results" not in answer:
        raise Setback("the weights were not taken", "is this vLLM's server in development mode?")
    return True


def _emptied(answer: Any) -> bool:
    if not isinstance(answer, dict) or answer.get("success") is not True:
        raise Setback("the cache of prompts was not emptied", "wait until nothing is asked of it")
    return True


def _written(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text else []
