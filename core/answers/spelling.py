"""One spelling for what collections are written with: brackets, arrows, row breaks, labels."""

import re
from functools import lru_cache

from puzzlemill.core.answers.doubts import NO_NAME
from puzzlemill.core.answers.form import plain

# Only a true minus sign may stand apart from its number: "- 5" may be an item behind a bullet.
_SPACED_MINUS = re.compile("\u2212[ \u00a0\u2009]{1,3}(?=[0-9])")
_ROW_BREAK = re.compile(r"\\\\(?:\[\d{1,3}(?:\.\d{1,3})?(?:pt|em|ex|mm|cm)\])?", re.ASCII)

_KIND = (
    "the|an?|one|this|that|my|our|its|your|here|is|final|correct|possible|valid|best|shortest"
    "|longest|sorted|ordered|reversed|complete|completed|full|whole|resulting|required|requested"
    "|optimal|spanning|minimum|maximum|hamiltonian|eulerian|such|ascending|descending|increasing"
    "|decreasing"
)
_THING = (
    "answer|result|solution|list|sequence|order|ordering|path|route|walk|tour|cycle|permutation"
    "|arrangement|set|subset|multiset|numbers|integers|values|words|letters|nodes|vertices|edges"
    "|pairs|groups|partition|moves|grid|board|matrix|vector|output|items|elements|matching|tree"
    "|sorted|reversed|row|names"
)
_LABEL = re.compile(
    rf"\*{{0,3}}(?:(?:so|thus|hence|therefore),? )?(?:(?:{_KIND}) ){{0,6}}(?:{_THING})"
    r"(?: (?:in|from|of|for|between) [\w ]{1,40}?)?"
    r"(?:(?: is| are)?\*{0,3} ?[:=](?!=)\*{0,3}\s?|\*{0,3} (?:is|are)\s(?=\S))",
    re.IGNORECASE | re.ASCII,
)
_NAMED = re.compile(
    r"(?:\\(?:vec|mathbf|mathcal|bm|hat)\s?\{)?\\?[A-Za-z\u0391-\u03c9]\w{0,15}(?:\{\w{1,8}\})?\}?\s?:?=(?![=>])\s?",
    re.ASCII,
)

_INNER = re.compile(r"\\(?:text|math|emph|mbox|operatorname)[a-z]{0,6}\s?\{([^{}]*)\}", re.ASCII)
_NOTHING = re.compile(
    r"\\(?:left|right|displaystyle|[bB]igg?[lrm]?)(?![A-Za-z])|(?<=[0-9])\{,\}(?=[0-9]{3})"
)
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sign)
    for pattern, sign in (
        (r"<-{1,2}>|<=>|\\(?:long|Long)?[lL]eftrightarrow(?![A-Za-z])", "\u2194"),
        (r"-{1,3}>|={1,2}>|\\(?:(?:long|Long)?[rR]ightarrow|to|mapsto|implies)(?![A-Za-z])",
         "\u2192"),
        (r"\\\{|\\lbrace(?![A-Za-z])", "{"),
        (r"\\\}|\\rbrace(?![A-Za-z])", "}"),
        (r"\\lbrack(?![A-Za-z])", "["),
        (r"\\rbrack(?![A-Za-z])", "]"),
        (r"\\langle(?![A-Za-z])", "<"),
        (r"\\rangle(?![A-Za-z])", ">"),
        (r"\\q?quad(?![A-Za-z])", " "),
        (r"\\([_&#])", r"\1"),
        (r" ?\^ ?(?:\\circ(?![A-Za-z])|\{ ?\\circ ?\})", "\u00b0"),
    )
)  # fmt: skip
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u27f6\u21d2\u27f9\u2794\u279c\u279d\u279e\u21a6\u2b95", "\u2192"),
        **dict.fromkeys("\u27f7\u21d4", "\u2194"),
        **dict.fromkeys("\u2014\u2015", "--"),
        **dict.fromkeys("\u27e8\u3008\u2329", "<"),
        **dict.fromkeys("\u27e9\u3009\u232a", ">"),
        "\u3001": ",",
    }
)
_SPACES = re.compile(r"[ \t\f\v]{2,}|[\t\f\v]")
_LINE_END = re.compile(r" ?\n[ \n]*")

_JSON = re.compile(rf"\{{\s?[\"'](?:{_THING})[\"'] ?:(?=\s?\[)", re.IGNORECASE | re.ASCII)
_LAST = re.compile(r"\]\s?\}$")
_QUOTED = re.compile(r"'.*'|\".*\"", re.DOTALL)
_QUOTED_ITEMS = re.compile(r"[\"'][ ,;\n]|[ ,;\n][\"']")

_TITLE = re.compile(
    r"\*{0,3}[A-Za-z][A-Za-z ]{0,60}:\*{0,3}[ \t]{0,9}\n"
    r"|#{1,6} \*{0,3}[A-Za-z]{2}[A-Za-z ]{0,60}:?\*{0,3}:?[ \t]{0,9}\n\s{0,9}"
)
_WORD = re.compile(r"[a-z]+")
# A list under a title with one of these words is not said to be the answer.
DENIALS = frozenset(
    {"not", "no", "never", "wrong", "false", "incorrect", "invalid", "if", "unless", "maybe",
     "perhaps", "probably", "possibly", "guess", "except", "but", "or", "either", "neither",
     "example", "without", "instead", "unlike", "isn", "aren"}
)  # fmt: skip

_EMPTY = re.compile(
    r"none|nothing|(?:an? |the )?empty(?: (?:list|set|sequence|path|string|walk))?"
    r"|no (?:numbers|words|items|elements|moves|edges|pairs|nodes)"
    r"|\[ ?\]|\( ?\)|\{ ?\}|\u2205|\\emptyset|\\varnothing",
    re.IGNORECASE | re.ASCII,
)


@lru_cache(maxsize=64)
def tidy(text: str, named: bool = True) -> str:
    """The bare content, with one sign for each arrow and bracket, single spaces and line ends.

    `named`: what stands before it may be its name ("path:", "x ="), which is taken off.
    """
    if "\\" in text:
        text = _ROW_BREAK.sub("\n", text)
    if "\u2212" in text:
        text = _SPACED_MINUS.sub("\u2212", text)
    text = _spaced(plain(text))
    if named and (found := _JSON.match(text)) and _LAST.search(text):
        text = text[found.end() : -1].strip()
    if _QUOTED.fullmatch(text) and not _QUOTED_ITEMS.search(text[1:-1]):
        text = text[1:-1].strip()
    for _ in range(2 if named else 0):
        found = _LABEL.match(text)
        refused = DENIALS if found else NO_NAME
        found = found or _NAMED.match(text)
        if not found or found.end() == len(text) or _denies(found[0], refused):
            break
        text = _spaced(plain(text[found.end() :]))
    if "\\" in text or "{,}" in text:
        text = _NOTHING.sub("", _INNER.sub(r"\1", text))
    text = text.translate(_SIGNS)
    if "\\" in text or ">" in text:
        for pattern, sign in _SPELLINGS:
            text = pattern.sub(sign, text)
    return _spaced(text)


def untitled(text: str) -> str:
    """The text without a first line such as "The board:" or "### Answer"."""
    title = _TITLE.match(text)
    return text[title.end() :] if title and not _denies(title[0]) else text


def says_nothing(text: str) -> bool:
    """Whether a text says that there is nothing: "none", "[]", the empty set."""
    return _EMPTY.fullmatch(tidy(text)) is not None


def _denies(label: str, refused: frozenset[str] = DENIALS) -> bool:
    return not refused.isdisjoint(_WORD.findall(label.lower()))


def _spaced(text: str) -> str:
    if "  " in text or "\t" in text or "\f" in text or "\v" in text:
        text = _SPACES.sub(" ", text)
    return (_LINE_END.sub("\n", text) if "\n" in text else text).strip()
