"""Reading the answer out of a reply: the one contract, for training, scoring and exports alike.

The answer is the content of the last complete <answer>…</answer> after any </think>; failing that,
the last \\boxed{…}. Nothing in a reply is ever evaluated.
"""

import re

LONGEST = 20_000  # characters of an answer; a longer one is not read

_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)
_BOXED = "\\boxed{"


def answer_text(reply: str) -> str | None:
    """The text of the answer, or None where there is none."""
    said = reply.rpartition("</think>")[2]
    said = said.partition("<think>")[0]  # still thinking when it was cut off
    found = _last_tagged(said)
    if found is None:
        found = _last_boxed(said)
    return None if found is None or len(found) > LONGEST else found.strip()


def _last_tagged(text: str) -> str | None:
    last, start = None, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            last, start = text[start : tag.start()], None
    return last


def _last_boxed(text: str) -> str | None:
    start = text.rfind(_BOXED)
    if start < 0:
        return None
    depth = 1
    start += len(_BOXED)
    for place in range(start, min(len(text), start + LONGEST)):
        depth += (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start:place]
    return None
