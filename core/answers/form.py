"""Leniency about form, the same for every kind: what a model wraps an answer in is taken off.

`plain` serves most kinds. `verbatim` and `layers` serve those whose content may hold the marks that
`plain` takes for dressing: boards of dots, brackets, exact texts.
"""

import re
from functools import lru_cache

from puzzlemill.core.answers.doubts import HEDGES as HEDGES
from puzzlemill.core.answers.doubts import NO_NAME, UNDOING
from puzzlemill.core.answers.numerals import NUMBER_WORDS
from puzzlemill.core.answers.wrappers import LAYERS, json_text, seen, unwrapped

_ODD: dict[str | int, str] = {
    **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d", "-"),  # minus signs, dashes
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **{0xFF01 + step: chr(0x21 + step) for step in range(94)},  # full-width ASCII
    **dict.fromkeys("\u00d7\u22c5\u00b7\u2217", "*"),
    **dict.fromkeys("\u00f7\u2215\u2044", "/"),
    "\u2236": ":",
    "\u3001": ",",
}
_SAME = str.maketrans(_ODD)
_ENTITIES = {
    "nbsp": " ", "minus": "-", "ndash": "-", "times": "*", "middot": "*", "divide": "/", "lt": "<",
    "gt": ">", "le": "\u2264", "ge": "\u2265", "ne": "\u2260", "amp": "&", "quot": '"', "apos": "'",
    "#39": "'", "#x27": "'", "deg": "\u00b0", "pi": "\u03c0", "infin": "\u221e", "rarr": "\u2192",
}  # fmt: skip
_ENTITY = re.compile(f"&({'|'.join(_ENTITIES)});")
_RAISED = re.compile(r"<(sup|sub)>([^<>]{1,40})</\1>")
_BREAK = re.compile(r"<br\s?/?>")

_INNER = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf|normal)?|math(?:rm|bf|it|tt|sf)|operatorname\*?|mbox|emph"
    r"|underline|boldsymbol|bm)\s{0,9}\{([^{}]*)\}"
)
_GLUED_WORD = re.compile(r"(?<=\d)(?=\\text\s{0,9}\{[A-Za-z]{3})")  # 5\text{apples}
_ONLY_BOX = re.compile(r"\\boxed\s{0,9}\{([^{}]*)\}")
_NOISE = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|q?quad)(?![A-Za-z])"
    r"|(?<!\\)\\[,;:> ]"  # in "\\ " the backslashes end a line
    r"|(?<=[\w}])~(?=[\\A-Za-z])"  # elsewhere it says "about"
)
_NARROW = re.compile(r"(?<!\\)\\!")


def _loose(pattern: str) -> re.Pattern[str]:
    """A pattern in which a space is any white space, but not so much that it could be slow."""
    pattern = pattern.replace(" ?", r"\s{0,9}").replace(" ", r"\s{1,9}")
    return re.compile(pattern, re.IGNORECASE)


_SO = r"(?:(?:so|thus|hence|therefore|finally|and|now|in conclusion) ?,? )?"
_WHAT = (
    rf"{_SO}(?:(?:the|my|our|your) )?"
    r"(?:(?:final|correct|right|only|unique|complete|full|required|requested|numerical|exact) )"
    r"{0,2}(?:answer|result|solution)s?"
    r"(?: (?:to|of|for) (?:the|this|your) (?:given )?"
    r"(?:question|problem|puzzle|task|riddle|equation|expression|system))?"
)
_SAYS = (
    r" (?:is|are|was|equals|(?:must|should|would|will|has to) be|comes (?:out )?to)"
    r"(?: (?:therefore|thus|then|hence|simply|just|indeed|clearly))?"
)
_MORE = r" ?(?=\S)(?!\.(?:\s|\Z))"
_IT_IS = r"(?:it(?: is| was|['\u2019]s)|(?:this|that)(?: is|['\u2019]s))"
_UNDONE = rf" ?(?:{'|'.join(sorted(UNDOING))})\b(?! ?,)"  # before a comma, a name in a list
# Arrows that come before an answer; before other arrows or a comma they are moves.
_TOWARDS = (
    r"(?:-{1,2}>|={1,2}>|[\u2192\u21d2\u27f6\u27f9\u2794\u279c-\u279e\u27a1]"
    r"|\\(?:to|implies|(?:long)?rightarrow)(?![A-Za-z]))"
    r"(?! ?(?:[,;\u2190-\u2193\u2b05-\u2b07\u27a1]|-{1,2}>|\\(?:up|down|left|right)arrow))"
)
_LEADS = (
    _loose(rf"(?:#{{1,6}} )?(\*{{1,3}}|_{{1,3}}) ?{_WHAT}(?:{_SAYS})? ?[:=]? ?\1 ?[:=]?{_MORE}"),
    _loose(rf"#{{1,6}} (?:{_WHAT}[\x20\t]{{0,9}}[:=]?[\x20\t]{{0,9}}\n ?)?{_MORE}"),
    _loose(rf"{_WHAT}(?:{_SAYS}(?: ?[:=](?!=)|,?(?=\s))| ?[:=](?!=)){_MORE}"),
    _loose(rf"final answer[\x20\t]{{0,9}}\n{_MORE}"),
    _loose(rf"{_SO}{_IT_IS}(?: ?:|(?=\s))(?!{_UNDONE}){_MORE}"),
    _loose(
        rf"(?:{_TOWARDS}|=(?![=>])|\u2234|\\therefore(?![A-Za-z])"
        rf"|[\u2705\u2713\u2714\u2611\U0001f449]){_MORE}"
    ),
    _loose(r"\u2022 ?(?=[^\n]+\Z)"),  # the only item of a list
)
_TICKS = frozenset("\u2705\u2713\u2714\u2611\U0001f389")
_CHECKED = re.compile(rf"(?<=\S)\s{{0,9}}[{''.join(sorted(_TICKS))}]$")
_CONCLUDED = _loose(
    r"(?:(?:so|thus|hence|therefore|then|finally|overall|altogether|clearly"
    r"|in (?:conclusion|total|all)) ?[,:]? )?"
    r"(?:(?:it equals|that makes|this gives"
    r"|there (?:is|are|were|will be)|we (?:get|have|find|obtain)|i (?:get|find|found)) )?"
    r"(?:(?:exactly|only|just|precisely|equal to|a total of) )?"
)
_PLAIN = r"[\w, +/-]"  # within the brackets of f(g(-7))
_NAME = re.compile(
    r"\\?[A-Za-z\u00e0-\u00f6\u0370-\u03ff]\w{0,30}'{0,2}(?: [A-Za-z0-9]{1,20}){0,6}"
    r"(?:_\{[\w, ]{1,12}\})?"
    rf"(?:\s?\((?:{_PLAIN}|[A-Za-z]\w{{0,9}}\s?\((?:{_PLAIN}|[A-Za-z]\({_PLAIN}{{0,20}}\)){{0,20}}\))"
    r"{0,30}\))?"
    r"|\([A-Za-z](?:\s?(?:\u2218|\\circ)\s?[A-Za-z]){1,3}\)\s?\([\w, +/-]{1,20}\)"
    r"|\|\w{1,20}\|"
)


_SENTENCE = re.compile(
    r"((?:[A-Za-z]{1,20}\s){1,8}?)(?:is|are|was|will\sbe|equals)\s(?:exactly\s)?(?=[\d+$\\(-])"
)


def verbatim(text: str) -> str:
    """The content to the letter: only what goes around the whole is off (fences, $, **, quotes)."""
    text = seen(text).strip()
    for _ in range(LAYERS):
        inside = unwrapped(text)
        if inside is None:
            break
        text = inside
    return text


def layers(text: str) -> list[str]:
    """The text, then what is left of it as wrappers, lead-ins and the full stop go, one by one.

    For kinds whose content may look like dressing: the first layer that makes sense is meant.
    """
    found = [seen(text).strip()]
    while len(found) < LAYERS and (inside := _peeled(found[-1])) is not None:
        found.append(inside)
    return found


@lru_cache(maxsize=64)  # a kind asks for one text several times
def plain(text: str) -> str:
    """The bare content: no fences, markdown, LaTeX wrappers, odd spaces, lead-in or full stop."""
    text = seen(text)
    text = _spelled(text if text.isascii() else text.translate(_SAME))
    if "\\" in text:
        text = _GLUED_WORD.sub(" ", text)
    for _ in range(LAYERS):
        if "\\" in text or "~" in text:
            text = _INNER.sub(r"\1", _NOISE.sub(" ", _NARROW.sub("", text)))
        text = text.strip()
        inside = _peeled(text)
        if inside is None:
            break
        text = inside
    if text.count("\\boxed") == 1:
        text = _ONLY_BOX.sub(r"\1", text).strip()
    return text


def unnamed(text: str) -> str:
    """The right side of "x = 5", "f(3) = 5" or "number of ways = 5"."""
    left, equals, right = text.partition("=")
    name = left.rstrip(": ").strip("$*` ")
    if not equals or right.startswith("=") or len(name) > 80 or not _NAME.fullmatch(name):
        return text
    words = name.lower().split()
    product = len(words) > 1 and (len(words[0]) == 1 or sum(len(word) == 1 for word in words) > 1)
    return text if product or NO_NAME.intersection(words) else right.strip()


def concluded(text: str) -> str:
    """What follows "so we get" or "exactly", for kinds of which no such word is part."""
    match = _CONCLUDED.match(text)
    return text[match.end() :] if match else text


def said_of(text: str) -> str:
    """What follows "the diameter is" or "Vera will be", before a number."""
    match = _SENTENCE.match(text)
    if not match or (NO_NAME | NUMBER_WORDS).intersection(match[1].lower().split()):
        return text
    return text[match.end() :]


def _peeled(text: str) -> str | None:
    """One layer less, or None where there is none to take off."""
    inside = json_text(text)
    if inside is None:
        inside = unwrapped(text)
    if inside is not None:
        return inside
    for lead in () if text[:1].isdecimal() else _LEADS:
        if match := lead.match(text):
            return text[match.end() :]
    if not _TICKS.isdisjoint(text[-2:]) and (match := _CHECKED.search(text)):
        return text[: match.start()]
    if text.endswith((".", "\u3002")) and not text.endswith("..") and len(text) > 1:
        return text[:-1].rstrip()
    return None


def _spelled(text: str) -> str:
    """HTML's names of signs as the signs."""
    if "&" in text:
        text = _ENTITY.sub(lambda match: _ENTITIES[match[1]], text)
    if "<" in text:
        text = _RAISED.sub(lambda match: f"{'^' if match[1] == 'sup' else '_'}{{{match[2]}}}", text)
        text = _BREAK.sub("\n", text)
    return text
