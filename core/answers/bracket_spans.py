"""Brackets of any style: what stands in them, and what between them."""

import re
from itertools import pairwise

DEPTH = 8

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
# The braces behind a LaTeX command belong to it.
_TOKEN = re.compile(r"\\[A-Za-z]+(?: ?\{[^{}]*\})*|[(\[{<)\]}>]|[^\\(\[{<)\]}>]+|\\")


def spans(text: str) -> list[tuple[int, int]] | None:
    """Where each outermost bracket opens and closes; None where they do not match."""
    found: list[tuple[int, int]] = []
    wanted: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in _CLOSING:
            if not wanted:
                start = token.start()
            wanted.append(_CLOSING[sign])
            if len(wanted) > DEPTH:
                return None
        elif len(sign) == 1 and sign in ")]}>":
            if not wanted or wanted.pop() != sign:
                return None
            if not wanted:
                found.append((start, token.end()))
    return None if wanted else found


def inside(text: str) -> str | None:
    """What stands in the one pair of brackets around the whole text."""
    if not text or text[0] not in _CLOSING or text[-1] != _CLOSING[text[0]]:
        return None
    return text[1:-1].strip() if spans(text) == [(0, len(text))] else None


def groups(text: str) -> tuple[list[str], str] | None:
    """The bracketed groups that a text consists of, brackets and all, and what parts them.

    They must all be parted alike, by nothing, a comma, a semicolon or a line; "and" may come
    before the last. None where anything else stands between.
    """
    found = spans(text)
    if not found or found[0][0] != 0 or text[found[-1][1] :].strip() not in ("", ","):
        return None
    gaps = [_gap(text[left[1] : right[0]]) for left, right in pairwise(found)]
    last = gaps.pop() if gaps and "and" in gaps[-1] else None
    if len(set(gaps)) > 1 or not set(gaps) <= {"", ",", ";", "\n"}:
        return None
    if last not in (None, "and", ",and") or (last and gaps not in ([], [","] * len(gaps))):
        return None
    pieces = [text[start:end] for start, end in found]
    return pieces, "and" if last else gaps[0] if gaps else ""


def _gap(text: str) -> str:
    bare = text.replace(" ", "").replace("&", "and")
    return bare if bare == "\n" else bare.replace("\n", "")
