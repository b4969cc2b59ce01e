"""Reading the answer out of a reply: the one contract, for training, scoring and exports alike.

The answer is the content of the last complete <answer>…</answer> after any </think>; failing that,
the last \\boxed{…}. The tag may be in any letter case, but holds nothing besides its name: a space,
an attribute or another letter in it makes it another tag. Nothing in a reply is ever evaluated.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

AnyReply: TypeAlias = (
    str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
)  # text, message, messages

LONGEST = 20_000  # characters of an answer; a longer one is not read

_OPEN, _CLOSE = b"<answer>", b"</answer>"
_BOXED = "\\boxed{"
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)  # what a backslash precedes is no brace


def reply_text(reply: Any) -> str | None:
    """The text of a reply: a text, a message, or messages, of which the last of the assistant. None
    for what is none of them."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, Mapping):
        return _content(reply.get("content"))
    if not isinstance(reply, Sequence) or isinstance(reply, bytes | bytearray):
        return None
    messages = [each for each in reply if isinstance(each, Mapping)]
    if reply and not messages:
        return None
    own = [each for each in messages if each.get("role", "assistant") == "assistant"]
    return _content(own[-1].get("content")) if own else ""


def _content(content: Any) -> str:
    """A message's content, which may come in blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, Sequence) else ()
    texts = (block.get("text") for block in blocks if isinstance(block, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def answer_text(reply: str) -> str | None:
    """The text of the answer, or None where there is none."""
    text = reply.rpartition("</think>")[2]
    text = text.partition("<think>")[0]  # still thinking when it was cut off
    answer = _last_tagged(text)
    if answer is None:
        answer = _last_boxed(text)
    return None if answer is None or len(answer) > LONGEST else answer.strip()


def _last_tagged(text: str) -> str | None:
    """From the last opening tag that a closing one follows, to the first that does."""
    if text.rfind("</") < 0:  # most of what is very long; to copy it below takes its time
        return None
    whole = text.encode("utf-8", "surrogatepass")
    small = whole.lower()  # of bytes: no letter outside ASCII changes, and no length
    start = small.rfind(_OPEN, 0, max(small.rfind(_CLOSE), 0))
    if start < 0:
        return None
    start += len(_OPEN)
    return whole[start : small.find(_CLOSE, start)].decode("utf-8", "surrogatepass")


def _last_boxed(text: str) -> str | None:
    start = text.rfind(_BOXED)
    if start < 0:
        return None
    depth = 1
    start += len(_BOXED)
    for brace in _BRACE.finditer(text, start, start + LONGEST):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : brace.start()]
    return None
