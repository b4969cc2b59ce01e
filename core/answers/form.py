"""Leniency about form, the same for every kind: what a model wraps an answer in is taken off."""

import re

_ODD: dict[str | int, str] = {
    **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d", "-"),  # minus signs, dashes
    **dict.fromkeys("\u00a0\u2007\u2009\u200a\u202f\u3000", " "),  # spaces that do not break
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),  # spaces without width
    **{0xFF01 + step: chr(0x21 + step) for step in range(94)},  # full-width ASCII
    "\u00d7": "*",
    "\u22c5": "*",
    "\u00b7": "*",
    "\u00f7": "/",
    "\u2215": "/",
    "\u2044": "/",
}
_SAME = str.maketrans(_ODD)
_FENCE = re.compile(r"^```[A-Za-z]*[ \t]*\n?(.*?)\n?```$", re.DOTALL)
_WRAPS = (
    ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"),
    ("***", "***"), ("**", "**"), ("__", "__"), ("*", "*"), ("`", "`"), ('"', '"'), ("'", "'"),
)  # fmt: skip
_COMMAND = re.compile(
    r"^\\(?:boxed|text|textbf|mathrm|mathbf|mathit|operatorname)\s*\{(.*)\}$", re.DOTALL
)
_INNER = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mathit)\s*\{([^{}]*)\}")
_NOISE = re.compile(r"\\(?:left|right|displaystyle|[,;:!> ])(?![A-Za-z])|\\quad(?![A-Za-z])")
_LEAD = re.compile(
    r"^(?:so\s+|thus\s+|therefore,?\s+)?(?:the\s+)?(?:final\s+|correct\s+)?(?:answer|result|solution)"
    r"(?:\s+is)?\s*[:=]?\s+(?=\S)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"^\\?[A-Za-z][A-Za-z0-9_]{0,15}\s*=(?!=)\s*")


def plain(text: str) -> str:
    """The bare content: no fences, markdown, LaTeX wrappers, odd spaces, lead-in or full stop."""
    text = text.translate(_SAME).strip()
    for _ in range(6):  # wrappers nest, but never deeply
        before = text
        if fence := _FENCE.match(text):
            text = fence[1]
        text = _INNER.sub(r"\1", _NOISE.sub(" ", text)).strip()
        if command := _COMMAND.match(text):
            text = command[1]
        for left, right in _WRAPS:
            inside = text[len(left) : len(text) - len(right)]
            if text.startswith(left) and text.endswith(right) and inside and right not in inside:
                text = inside.strip()
        text = _LEAD.sub("", text.strip())
        if text.endswith(".") and not text.endswith(".."):
            text = text[:-1].rstrip()
        if text == before:
            break
    return text


def unnamed(text: str) -> str:
    """The right side of "x = 5"."""
    return _NAMED.sub("", text, count=1)


def items(text: str) -> list[str]:
    """The items of a list: brackets of any style off, split at commas, else at arrows or spaces."""
    text = unnamed(plain(text))
    text = (
        text.replace("\\{", "{")
        .replace("\\}", "}")
        .replace("\\langle", "(")
        .replace("\\rangle", ")")
    )
    if len(text) > 1 and (text[0], text[-1]) in (("[", "]"), ("(", ")"), ("{", "}"), ("<", ">")):
        text = text[1:-1]
    text = re.sub(r"\s*(?:->|→|\\to\b|\\rightarrow\b|=>)\s*", ",", text)
    text = re.sub(r",?\s+and\s+", ",", text) if "," in text else text
    parts = re.split(r"\s*[,;]\s*" if re.search("[,;]", text) else r"\s+", text.strip())
    if parts and not parts[-1]:
        parts.pop()  # a comma at the end
    return [part.strip(" \t\n\"'`") for part in parts]
