"""Redaction of a server's text: without our key, and without terminal control codes."""

import re
from base64 import b64encode
from collections.abc import Iterator

SHORT = 8  # characters: a shorter key may stand in a reply by chance, and is left there
LONGEST = 500  # characters of a message

# Control codes of terminals: ESC [ … letter, ESC ] … BEL, and the like.
_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_BLANKS = r"[\s\x00-\x1f\x7f\u200b-\u200f\u2060\ufeff]*"


def redacted(text: str, key: str) -> str:
    """The text without a key: as it stands, percent-encoded, in base64, or broken by blanks."""
    return re.sub("|".join(_forms(key)), "…", text) if key else text


def one_line(text: str, key: str, longest: int = LONGEST) -> str:
    """A server's text on one line, safe to show and to log."""
    plain = " ".join(_CODES.sub("", text).split())
    return redacted("".join(filter(str.isprintable, plain)), key)[:longest]


def _forms(key: str) -> Iterator[str]:
    """Patterns of a key."""
    signs = "".join(key.split())
    yield _BLANKS.join(f"(?:{re.escape(sign)}|(?i:%(?:25)*{ord(sign):02x}))" for sign in signs)
    for before in range(3):  # bytes, of what stands before it in the text that is encoded
        whole = b64encode(b"\0" * before + key.encode()).decode()
        sure = whole[-(-8 * before // 6) : 8 * (before + len(key)) // 6]  # by the key alone
        if len(sure) >= SHORT:
            either = {"+": "[-+]", "/": "[/_]"}  # as addresses have it, too
            yield _BLANKS.join(either.get(sign, sign) for sign in sure)
