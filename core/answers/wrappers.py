"""What may stand around a whole answer, taken off one layer at a time: markdown, LaTeX, quotes."""

import json
import re

LAYERS = 16  # wrappers nest, but never deeply

_SPACES = "\u00a0\u1680\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2066\u2067\u2068\u2069\ufe0e\ufe0f\ufeff"
# An override (U+202E) is left in: it makes a reader see another text than is written.
_SEEN = str.maketrans({**dict.fromkeys(_SPACES, " "), **dict.fromkeys(_UNSEEN)})

_FENCE = re.compile(r"(`{3,}|~{3,})(?:[\w+#.-]{0,20}[ \t]*\n)?", re.ASCII)
_PAIRS = (
    ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"),
    ("***", "***"), ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("``", "``"), ("`", "`"),
    ('""', '""'), ('"', '"'), ("''", "''"), ("'", "'"),
    ("\u201c", "\u201d"), ("\u2018", "\u2019"), ("\u201e", "\u201c"), ("\u00ab", "\u00bb"),
)  # fmt: skip
_COMMAND = re.compile(
    r"\\(?:boxed|text(?:bf|it|rm|tt|sf|normal)?|math(?:rm|bf|it|tt|sf)|operatorname\*?|mbox|emph"
    r"|underline|boldsymbol|bm)\s{0,9}\{"
)
_TAG = re.compile(r"<(b|strong|i|em|u|code|pre|p|span|div|tt|kbd)>", re.IGNORECASE | re.ASCII)
_JSON = re.compile(r"\{\s*[\"'](?:final[_ ])?answer[\"']\s*:", re.IGNORECASE | re.ASCII)
_JSON_BARE = re.compile(r"'[^'\\]*'|[^\"',:\[\]{}]+")
_JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# A JSON string whose escapes are no commands of LaTeX: "1 2\n3 4" and "\\frac{1}{2}", but neither
# "\frac{1}{2}" nor "x \ne 1" nor "1 & 2 \\ 3 & 4".
_JSON_ESCAPED = re.compile(
    r"\"(?:[^\"\\]|\\(?:[\"/]|\\{3}|\\(?=[A-Za-z{}()])|u[0-9A-Fa-f]{4}|[rt](?![A-Za-z])"
    r"|n(?!(?:eq?|eg|ot(?:in)?|i|mid)(?![A-Za-z0-9,=:\\\"]| ?[=:,]))))*\""
)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_CLOSING = {"[": "]", "{": "}"}
_OPENING = frozenset("`~\\<{").union(left[0] for left, _ in _PAIRS)  # of any wrapper


def seen(text: str) -> str:
    """The text as it is seen: no marks without width, one kind of space and of line end."""
    if not text.isascii():
        text = text.translate(_SEEN)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def unwrapped(text: str) -> str | None:
    """What stands inside the outermost wrapper, which must go around the whole; else None."""
    bare = text.strip()
    if bare[:1] not in _OPENING:  # most texts
        return None
    if fence := _FENCE.match(bare):
        mark, inside = fence[1], bare[fence.end() : -len(fence[1])]
        if len(bare) >= fence.end() + len(mark) and bare.endswith(mark) and mark not in inside:
            return _without_blank_lines(inside)
    if command := _COMMAND.match(bare):
        return bare[command.end() : -1].strip() if closes(bare, command.end() - 1) else None
    for left, right in _PAIRS:
        if bare.startswith(left) and bare.endswith(right):
            inside = bare[len(left) : len(bare) - len(right)]
            if inside.strip() and _is_one(inside.strip(), left, right):
                return inside.strip()
    if tag := _TAG.match(bare):
        inside, close, rest = bare[tag.end() :].partition(f"</{tag[1]}>")
        return inside.strip() if close and not rest else None
    if bare.endswith("}") and (key := _JSON.match(bare)):
        return _json_value(bare[key.end() : -1].strip())
    return None


def json_text(text: str) -> str | None:
    """What a JSON string with escapes says; None where a text is none."""
    bare = text.strip()
    if bare[:1] != '"' or "\\" not in bare or not _JSON_ESCAPED.fullmatch(bare):
        return None
    return str(json.loads(bare, strict=False)).strip() or None


def closes(text: str, start: int) -> bool:
    r"""Whether the last character closes the bracket opened at `start`; \{ and \} are text."""
    left = text[start]
    right = _CLOSING[left]
    depth, place = 0, start
    while place < len(text):
        if text[place] == "\\":
            place += 1
        elif text[place] == left:
            depth += 1
        elif text[place] == right:
            depth -= 1
            if depth == 0:
                return place == len(text) - 1
        place += 1
    return False


def _is_one(inside: str, left: str, right: str) -> bool:
    """Whether the marks around it open and close only this: not so in "a" or "b"."""
    quote = inside[0]
    if quote in "\"'" and quote not in left and inside.find(quote, 1) == len(inside) - 1:
        return True
    if left == "**" and inside.startswith("**"):
        return inside.count("**") % 2 == 0
    if left == "***" and inside.startswith("*"):
        return False
    if left == "'":
        inside = _APOSTROPHE.sub("", inside)
    if left == "*":
        inside = inside.replace(" * ", " ")  # a sign, since no emphasis opens before a space
    return left not in inside and right not in inside


def _json_value(value: str) -> str | None:
    """The one value of an object, where it is one: a list or object, a text, a bare word."""
    if value[:1] in _CLOSING:
        return value if closes(value, 0) else None
    if _JSON_TEXT.fullmatch(value):
        try:
            return str(json.loads(value, strict=False)).strip()
        except ValueError:
            return None
    return value if _JSON_BARE.fullmatch(value) else None


def _without_blank_lines(text: str) -> str:
    """Blank lines at either end go; the spaces of the other lines may be content."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines[first:])
