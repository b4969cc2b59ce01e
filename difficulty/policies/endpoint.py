"""A policy behind an OpenAI-compatible endpoint: vLLM's server, another's, or a hosted one."""

import base64
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from puzzlemill.core.endpoints import checked_url, checked_variable
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.event_loop import run, run_all
from puzzlemill.difficulty.policies.http_client import (
    BASE_BYTES,
    RETRIES,
    Retries,
    check_connection,
    key_of,
    post,
)
from puzzlemill.difficulty.policies.http_errors import RequestFailed, TransientError
from puzzlemill.difficulty.policies.openai_answer import replies_in
from puzzlemill.difficulty.policies.policy import IMAGE, Question, Reply, Sampling
from puzzlemill.difficulty.policies.replicas import Replicas
from puzzlemill.difficulty.prompt_styles import template_switches

# Bytes of an answer for each token, at most; with log-probabilities.
TOKEN_BYTES, LOGP_BYTES = 128, 1024
CHECK_TIMEOUT = 30.0  # seconds

Part = tuple[Question, int, int]  # of one request: a question, its first sample, how many


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
    concurrency: int = 16  # requests in flight at each server
    retries: Retries = RETRIES
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
        if min(self.most_n, self.concurrency, self.retries.tries) < 1:
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
        # Greedy decoding gives the same reply every time: one is enough.
        distinct = n if self.sampling.temperature > 0 else min(n, 1)
        parts = [
            (place, first, min(self.most_n, distinct - first))
            for place in range(len(questions))
            for first in range(0, distinct, self.most_n)
        ]
        requests = [(questions[place], first, count) for place, first, count in parts]
        replies: list[list[Reply]] = [[] for _ in questions]
        for (place, _, _), some in zip(parts, run(self._gathered(requests)), strict=True):
            replies[place] += some
        return [some * n if n > distinct else some for some in replies]

    def at_most(self, max_tokens: int) -> "EndpointPolicy":
        """With replies of so many tokens at most, from the same servers."""
        limited = copy(self)  # with the connections, which another one would open anew
        object.__setattr__(limited, "sampling", replace(self.sampling, max_tokens=max_tokens))
        return limited

    def check_connection(self) -> None:
        """Ask for one token: a wrong address, key or model is reported before work is done."""
        hello = Question(({"role": "user", "content": "1 + 1?"},), 0)
        body = self._body(hello, 0, 1) | {"max_tokens": 1}
        timeout = min(self.retries.timeout, CHECK_TIMEOUT)
        run(check_connection(self._replicas, self._path(hello), body, self.key_variable, timeout))

    async def _gathered(self, requests: Sequence[Part]) -> list[list[Reply]]:
        """The replies to each request. One that fails alone is an error on its replies; a failure
        that concerns all is raised, and cancels the others."""
        replies: list[list[Reply]] = [[] for _ in requests]
        lost: list[RequestFailed] = []
        pending = iter(enumerate(requests))  # of which each worker takes the next

        async def work() -> None:
            for place, request in pending:
                try:
                    replies[place] = await self._request(*request)
                except RequestFailed as error:
                    lost.append(error)
                    if self._replicas.count_lost(error.refused):
                        raise
                    replies[place] = _failed(error, request[2])
                else:
                    self._replicas.count_reply()

        try:
            workers = min(self.concurrency * len(self._replicas.urls), len(requests))
            await run_all(work() for _ in range(workers))
            if lost and not self._replicas.has_replied:
                raise lost[0]
        except BaseException:
            self._replicas.reset()
            raise
        return replies

    def reload(self, checkpoint: Path) -> None:
        """Load a checkpoint's weights into each of vLLM's servers. They must see its folder, and
        have been started with VLLM_SERVER_DEV_MODE=1."""
        if not self.vllm:
            raise UserError("only vLLM's server takes new weights: start it anew, or set vllm")
        arguments = {"weights_path": str(checkpoint.resolve())}
        call = {"method": "reload_weights", "kwargs": arguments}
        for url in self._replicas.urls:
            server = Replicas((url.removesuffix("/v1"),), 1)
            key, retries = self.key_variable, self.retries
            run(post(server, "collective_rpc", call, _reloaded, key, retries))
        self.reset_cache()

    def reset_cache(self) -> None:
        """Drop what vLLM's servers know of earlier weights."""
        for url in self._replicas.urls:
            server = Replicas((url.removesuffix("/v1"),), 1)
            run(
                post(
                    server, "reset_prefix_cache", {}, _cache_reset, self.key_variable, self.retries
                )
            )

    def _chats(self, question: Question) -> bool:
        return self.api == "chat" and not question.tokens  # which only completions take

    def _path(self, question: Question) -> str:
        return "chat/completions" if self._chats(question) else "completions"

    async def _request(self, question: Question, first: int, count: int) -> list[Reply]:
        """Samples first … first + count - 1. A server that ignores n is asked again for others."""
        replies: list[Reply] = []
        key = key_of(self.key_variable)
        read = partial(replies_in, stops=self.sampling.stop, logps=self.logps, key=key)
        while (left := count - len(replies)) > 0:
            body = self._body(question, first + len(replies), left)
            token_bytes = LOGP_BYTES if self.logps else TOKEN_BYTES
            max_bytes = BASE_BYTES + left * self.sampling.max_tokens * token_bytes
            try:
                some = await post(
                    self._replicas,
                    self._path(question),
                    body,
                    read,
                    self.key_variable,
                    self.retries,
                    max_bytes,
                )
            except RequestFailed as error:
                if not replies:
                    raise
                some = _failed(error, left)
            replies += some
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
        chats = self._chats(question)
        if chats:
            body["messages"] = conversation(question, self.sees)
        else:
            body["prompt"] = [*question.tokens] or plain_prompt(question)
        if self.sampling.stop:
            body["stop"] = list(self.sampling.stop)
        if self.logps:
            body["logprobs"] = True if chats else 0
        if self.vllm:
            # A checkpoint's generation_config would otherwise set the last three.
            body |= {"include_stop_str_in_output": True, "return_token_ids": self.logps}
            body |= {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
            switches = template_switches(self.sampling.style)
            if switches and chats:
                body["chat_template_kwargs"] = switches
        return body


def _failed(error: RequestFailed, count: int) -> list[Reply]:
    return [Reply("", False, error=error.reason)] * count


def first_seed(question: Question) -> int:
    """The seed of a question's first sample; sample i has this + i, as vLLM counts.

    Hashed, so that neighbouring questions share no samples; 31 bits, because some servers take no
    more.
    """
    hashed = blake2b(str(question.seed).encode(), digest_size=8, person=b"replies").digest()
    return int.from_bytes(hashed) % (2**31 - 2**16)


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
        content = _text_part(before)
        for text in others:
            data = base64.b64encode(next(images)).decode()
            content.append(
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
            )
            content += _text_part(text)
        messages.append({**message, "content": content})
    return messages


def plain_prompt(question: Question) -> str:
    """The messages for a model without a chat template, as the native policy writes them."""
    if question.images:
        raise UserError("pictures need the chat API: set api to chat")
    turns = "".join(f"{message['role']}: {message['content']}\n" for message in question.messages)
    return f"{turns}assistant:"


def _reloaded(answer: Any) -> bool:
    if not isinstance(answer, dict) or "results" not in answer:
        raise TransientError(
            "the weights were not taken", "is this vLLM's server in development mode?"
        )
    return True


def _cache_reset(answer: Any) -> bool:
    if not isinstance(answer, dict) or answer.get("success") is not True:
        raise TransientError(
            "the cache of prompts was not emptied", "wait until nothing is asked of it"
        )
    return True


def _text_part(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text else []
