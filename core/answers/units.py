"""What may stand behind a number without changing it: "apples", "cm^2", "degrees"."""

import re

from puzzlemill.core.answers.doubts import CHANGES, HEDGES
from puzzlemill.core.answers.numerals import NUMBER_WORDS

_POWER = r"(?:\^\{?-?[1-9]\}?|[\u00b2\u00b3])?"
_WORDS = re.compile(
    rf"[A-Za-z\u00b5\u03bc]{{1,20}}{_POWER}"
    rf"(?:(?:\s{{1,9}}|\s?/\s?|\s?\*\s?)[A-Za-z]{{1,20}}{_POWER}){{0,5}}"
)
_SIGNS = re.compile(
    r"\s{0,9}(?:(?:\u00b0|\^\s?\{?\s?\\circ\s?\}?)\s?[CFcf]?|\\?[$\u20ac\u00a3\u00a5\u20b9\u00a2])"
)
_GLUED = re.compile(
    r"(?:[kcm]m|k?g|mg|m?[lL]|min|mins|sec|hr|hrs|[hs]|px|pts?|km/h|mph|USD|EUR)"
    r"(?:\^\{?[23]\}?|[\u00b2\u00b3])?"
)
_DOLLARS = re.compile(r"\$(\^\{?-?[1-9]\}?)\$")  # 5 cm$^2$
_LETTERS = frozenset("mgshlL")  # any other letter may be an unknown, or a thousand

# Behind "one" they are the words of a form: whoever says "one integer" has not said which.
NO_UNIT = frozenset(
    "only integer number whole exact digit decimal fraction value letter word natural real".split()  # noqa: SIM905
)

_REFUSED = CHANGES | HEDGES | NUMBER_WORDS


def only_units(text: str) -> bool:
    """Whether a text that follows a number's last digit names units and nothing else."""
    if not text or _SIGNS.fullmatch(text) or _GLUED.fullmatch(text):
        return True
    text = _DOLLARS.sub(r"\1", text)
    bare = text.strip()
    if bare == text or "\n" in text or not _WORDS.fullmatch(bare):
        return False
    words = re.findall(r"[A-Za-z\u00b5\u03bc]+", bare)
    return not any(
        word.lower() in _REFUSED or word == "MM" or (len(word) == 1 and word not in _LETTERS)
        for word in words
    )
