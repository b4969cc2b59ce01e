"""Prompts as words, and runs of them as numbers that can be compared."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]

_WORD = re.compile(r"\w+|[^\w\s]+")  # numbers are words, and so are signs
_STEP = np.uint64(0x9E3779B97F4A7C15)  # odd: no factor of it is lost modulo 2**64


def text_of(prompt: Any) -> str:
    """A prompt that is text, or messages: what is said by who is neither system nor model."""
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, Iterable) and not isinstance(prompt, Mapping):
        return "\n".join(filter(None, map(_message_text, prompt)))
    return ""


def _message_text(message: Any) -> str:
    if isinstance(message, str):
        return message
    if not isinstance(message, Mapping) or message.get("role") in ("system", "assistant"):
        return ""
    content = message.get("content", message.get("text"))
    return text_of(content)


def normal(text: str) -> str:
    """A text without what does not tell texts apart: letters' case and forms, white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words_of(text: str) -> list[str]:
    return _WORD.findall(normal(text))


def runs(words: list[str], count: int) -> Numbers:
    """A number for each run of so many words, in order; the same everywhere."""
    if len(words) < count:
        return np.empty(0, np.uint64)
    digests = {word: blake2b(word.encode(), digest_size=8).digest() for word in set(words)}
    each = np.frombuffer(b"".join(digests[word] for word in words), "<u8").astype(np.uint64)
    total = np.zeros(len(words) - count + 1, np.uint64)
    for place in range(count):
        total = total * _STEP + each[place : place + len(total)]
    return total
