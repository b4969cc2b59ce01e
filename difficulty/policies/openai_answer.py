"""Replies out of an OpenAI-compatible answer, which may be malformed in any way."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from puzzlemill.difficulty.policies.http_errors import TransientError
from puzzlemill.difficulty.policies.policy import Reply, checked_logps
from puzzlemill.difficulty.policies.redaction import SHORT, one_line, redacted

ABORTED = ("abort", "error")  # finish reasons of an engine that gave up

# What reading an answer raises where it is JSON, but of another form.
_WRONG = (AttributeError, KeyError, TypeError, ValueError, RecursionError)


def replies_in(answer: Any, stops: Sequence[str], logps: bool, key: str) -> list[Reply]:
    """One reply a choice, without the key. A malformed choice raises a TransientError: another try
    may give a better answer; if none does, the other choices are used."""
    try:
        choices = sorted(answer["choices"], key=lambda choice: choice.get("index", 0))
    except _WRONG as error:
        raise _not_openai(error) from None
    if not choices:
        raise TransientError("no choices", "see the server's log")
    replies: list[Reply] = []
    failures: list[TransientError] = []
    counted, prompt_tokens = _counts(answer, len(choices))
    for choice in choices:
        try:
            reply = _reply(choice, stops, logps, key)
            replies.append(replace(reply, counted=counted, prompt_tokens=prompt_tokens))
        except TransientError as failure:
            failures.append(failure)
            replies.append(Reply("", False, error=one_line(str(failure), key)))
    if failures:
        first = failures[0]
        usable = replies if len(failures) < len(replies) else None
        raise TransientError(str(first), first.remedy, usable=usable)
    return replies


def _reply(choice: Any, stops: Sequence[str], logps: bool, key: str) -> Reply:
    try:
        reason = choice["finish_reason"]
        if reason in ABORTED:
            raise TransientError(f"the server gave up on a reply ({reason})", "see its log")
        text = _with_stop(_text(choice), choice, stops)
        measures = _tokens_and_logps(choice) if logps else ((), ())
    except _WRONG as error:
        raise _not_openai(error) from None
    return Reply(redacted(text, key) if len(key) >= SHORT else text, reason != "length", *measures)


def _counts(answer: Any, choices: int) -> tuple[int, int]:
    """Tokens of each choice and of the prompt, as the server counts them; 0 where it does not."""
    usage = answer.get("usage")
    if not isinstance(usage, Mapping):
        return 0, 0
    told = [usage.get(name) for name in ("completion_tokens", "prompt_tokens")]
    all_replies, prompt = (each if type(each) is int and each > 0 else 0 for each in told)
    return all_replies // choices, prompt


def _not_openai(error: Exception) -> TransientError:
    return TransientError(
        f"not in the OpenAI form ({type(error).__name__}: {error})",
        "is this an OpenAI-compatible server's /v1?",
    )


def _text(choice: Any) -> str:
    """The text, with the thinking that some servers split off."""
    message = choice.get("message")
    if message is None:  # of the completions API
        content, thought = choice["text"], ""
    else:
        content = message["content"]
        thought = message.get("reasoning") or message.get("reasoning_content") or ""
    if not isinstance(thought, str) or not isinstance(content, str | None if thought else str):
        raise TypeError(
            f"the text is {type(content).__name__}, thought as {type(thought).__name__}"
        )
    if not thought:
        return str(content)
    return f"<think>{thought}" if content is None else f"<think>{thought}</think>{content}"


def _with_stop(text: str, choice: Any, stops: Sequence[str]) -> str:
    """The text with the stop string that ended it, where the server cut it off."""
    if choice["finish_reason"] != "stop":
        return text
    if "stop_reason" in choice:  # vLLM says what it was; an end-of-text token is no string
        stop = choice["stop_reason"]
        return text + stop if isinstance(stop, str) and not text.endswith(stop) else text
    for stop in stops:
        opening = stop.replace("</", "<", 1)
        if opening != stop and text.rfind(opening) > text.rfind(stop):
            return text + stop
    return text


def _tokens_and_logps(choice: Any) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The tokens and their log-probabilities; nothing where the server does not give both."""
    given = choice.get("logprobs") or {}
    logps = given.get("token_logprobs") or [
        token["logprob"] for token in given.get("content") or []
    ]
    tokens = choice.get("token_ids") or []
    if len(tokens) != len(logps):
        return (), ()
    return checked_logps(tokens, logps)
