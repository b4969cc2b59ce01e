"""Integers of any size."""

import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core.answers.congruence import congruence_ways, congruent
from puzzlemill.core.answers.doubts import NO_NAME
from puzzlemill.core.answers.form import concluded, plain, said_of, unnamed
from puzzlemill.core.answers.numerals import counted, spelled
from puzzlemill.core.answers.units import NO_UNIT, only_units

DIGITS = 4000  # Python refuses to read more than 4300
LONGEST = 10_000  # characters of a number with its separators and unit
EXPONENT = 300

_SIGN = (
    r"(?P<sign>[+-]?)\s{0,9}(?:(?:(?:US)?\\?[$\u20ac\u00a3\u00a5\u20b9]|USD|EUR|GBP|Rs\.?)\s{0,9})?"
    r"(?P<late>[+-]?)"
)
_GROUPED = (
    r"[1-9]\d{0,2}(?:(?P<mark>,|\{,\}|_|'|[ ])\d{3})(?:(?P=mark)\d{3})*"
    r"|[1-9]\d{0,2}(?:\.\d{3}){2,}"
)
_WHOLE = re.compile(rf"{_SIGN}(?P<digits>(?:{_GROUPED})(?!\d)|\d+)(?:\.0*(?!\d))?", re.ASCII)
_SCIENTIFIC = re.compile(
    r"([+-]?)\s{0,9}(?:(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]\+?(\d{1,3})(?!\d)"
    r"|\s{0,9}(?:\*|\\times|\\cdot|x)\s{0,9}(?=10)))?"
    r"(?(4)|10\s{0,9}(?:\^|\*\*)\s{0,9}(?:\{\s{0,9}\+?(\d{1,3})\s{0,9}\}|\+?(\d{1,3})(?!\d)))",
    re.ASCII,
)
_BARE = re.compile(r"-?[0-9]{1,400}")
_RAISED = re.compile("(?<=10)[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,3}")
_LOWERED = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789"
)
_MINUS = re.compile(r"(?:minus|negative)\s{1,9}(?=[\da-z])", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[A-Za-z])-(?=[A-Za-z])")
_ORDINAL = re.compile(r"(\d{1,20})(st|nd|rd|th)", re.ASCII)
_MARKED = re.compile(r"(\*\*|\$|`)([^*$`]{1,9000})\1|\\\(([^()]{1,9000})\\\)")
_STRONG_UNIT = re.compile(r"(?<=\s)\*\*([^*]{1,60})\*\*$")
_STATED = re.compile(
    r"(?:the\s)?((?:[a-z]{1,20}\s){0,3}(?:total|sum|number|count|value|product|difference|length"
    r"|remainder|maximum|minimum|cost|distance|age|price|area)(?:\s[a-z]{1,20}){0,8}?)"
    r"(?:\sis|\sare|:)\s{1,9}(?=[\d+$\\-])",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\([^()]{0,200}\)")
_WORKING = re.compile(
    r"(?=[^\d]{0,99}\d)(?:[-+*/^()|!,.{}\s\d]|\\?(?:[dt]?frac|times|cdot|div|gcd|lcm|min|max"
    r"|b?mod|sqrt|det|binom|log)(?![A-Za-z])){1,2000}",
    re.ASCII,
)
_LETTER = re.compile(r"\s*\\?[A-Za-z](?:_\d)?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Integer:
    """One whole number. A unit behind it is taken off ("5 apples") unless it changes the value."""

    form: str = "an integer"
    units: bool = True
    called: tuple[str, ...] = ()  # what has the number: "panel 2" and "#2" are 2
    modulus: int = 0  # up to which the number is asked for

    def read(self, text: str) -> int | None:
        if _BARE.fullmatch(text):
            return int(text)
        text = plain(text)
        if len(text) > LONGEST:
            return None
        if self.called:
            text = uncalled(text, self.called)
        if self.modulus:
            text = congruent(text, self.modulus)
        text = plain(_right_side(unnamed(_stated(concluded(text)))))
        if len(text) > 2 and text[0] + text[-1] in ("()", "[]"):
            text = text[1:-1].strip()
        elif text.startswith("\\{") and text.endswith("\\}"):
            text = text[2:-2].strip()
        text = _STRONG_UNIT.sub(r"\1", text)
        if match := _MARKED.match(text):  # **5** apples
            rest = text[match.end() :]
            if rest and not (self.units and only_units(rest)):
                return None
            text = (match[2] or match[3]).strip()
        sign = 1
        if match := _MINUS.match(text):
            sign, text = -1, text[match.end() :]
        number = _number(text, self.units)
        return None if number is None or (sign < 0 and text[:1] in "+-") else sign * number

    def write(self, answer: int) -> str:
        return str(answer)

    def ways(self, answer: int) -> list[str]:
        size, minus = abs(answer), "-" if answer < 0 else ""
        grouped = f"{size:,}"
        ways = [
            f"x = {answer}",
            f"= {answer}",
            f"{answer}.0",
            f"({answer})",
            f"\\text{{{answer}}}",
        ]
        ways += [f'{{"answer": {answer}}}', f"x = \\boxed{{{answer}}}"]
        if size >= 1000:
            ways += [minus + grouped.replace(",", mark) for mark in (",", "{,}", "\\,", " ")]
        if size < 1000:
            ways.append(f"{'negative ' if minus else ''}{spelled(size)}")
        if minus:
            ways += [f"\u2212{size}", f"- {size}"]
        if self.called and answer > 0:
            noun = self.called[0]
            ways += [f"{noun} {answer}", f"{noun.title()} {answer}", f"#{answer}"]
            ways += [f"The answer is {noun} {answer}", f"{noun} number {answer}"]
        if self.modulus:
            ways += congruence_ways(answer, self.modulus)
        ways += [f"The number is {answer}", f"f(g(-7)) = {answer}"]
        if self.units:
            ways += [f"{answer} units", f"{answer} \\text{{ units}}"]
        return ways

    def near(self, answer: int, rng: Random) -> int:
        return rng.choice([answer + 1, answer - 1, -answer, answer * 10, answer + 10, answer // 2])

    def guess(self, answer: int, rng: Random) -> int:
        size = 10 ** max(1, len(str(abs(answer))))
        return rng.randrange(-size if answer < 0 else 0, size)


def read_whole(text: str) -> int | None:
    """A bare integer without units or separators: an item of a list, a cell of a grid."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,4000}", text, re.ASCII) else None


def uncalled(text: str, nouns: tuple[str, ...]) -> str:
    """The number of "panel 2", "Tile #4" or "#1"; the list of "items 2, 3"."""
    match = _calling(nouns).match(text)
    return text[match.end() :] if match else text


@lru_cache(maxsize=200)
def _calling(nouns: tuple[str, ...]) -> re.Pattern[str]:
    noun = rf"(?:(?:the )?(?:{'|'.join(map(re.escape, nouns))})s?(?: is| are)?:?\s?)?"
    return re.compile(rf"{noun}(?:(?:numbers?|no\.?|nr\.?)\s?|#\s?)?(?=\d)", re.IGNORECASE)


def _stated(text: str) -> str:
    """What follows "the number of ways is"."""
    match = _STATED.match(text)
    doubted = match and NO_NAME.intersection(match[1].lower().split())
    return text[match.end() :] if match and not doubted else said_of(text)


def _right_side(text: str) -> str:
    """The result of "3 * 4 = 12", unless another number stands alone before it."""
    working, equals, result = text.rpartition("=")
    if not equals or "==" in text or "!=" in text:
        return text
    parts = [part.strip() for part in working.split("=") if not _LETTER.fullmatch(part)]
    outside = _BRACKETED.sub("", working)
    if "," in outside or not all(map(_WORKING.fullmatch, parts)):
        return text
    alone = {_number(part, False) for part in parts} - {None}
    return result.strip() if not alone or alone == {_number(result.strip(), True)} else text


def _number(text: str, units: bool) -> int | None:
    """Digits, a power of ten or number words, with no more than a unit behind."""
    scientific = _SCIENTIFIC.match(_RAISED.sub(lambda up: f"^{up[0].translate(_LOWERED)}", text))
    if scientific:
        number = _scaled(scientific)
        rest = scientific.string[scientific.end() :]
    elif match := _WHOLE.match(text):
        if len(match["digits"]) > LONGEST or (match["sign"] and match["late"]):
            return None
        digits = re.sub(r"\D", "", match["digits"])
        number = int(match["sign"] + match["late"] + digits) if len(digits) <= DIGITS else None
        rest = text[match.end() :]
        if (ordinal := _ORDINAL.fullmatch(text)) and ordinal[2] == _ending(int(ordinal[1])):
            rest = ""
    else:
        words = _HYPHEN.sub(" ", text[:300]).replace("thousand,", "thousand").split()
        number, used = counted([word.lower() for word in words])
        rest = " " + " ".join(words[used:]) if words[used:] else ""
        if not used or len(text) > 300 or rest.startswith(" of "):
            return None
        if NO_UNIT.intersection(word.lower() for word in words[used : used + 2]):
            return None
    return number if not rest or (units and only_units(rest)) else None


def _scaled(found: re.Match[str]) -> int | None:
    """1.5e3 as 1500; None where that is no whole number."""
    power = int(found[4] or found[5] or found[6])
    decimals = (found[3] or "").rstrip("0")
    if power > EXPONENT or len(decimals) > power:
        return None
    whole: int = int((found[2] or "1") + decimals) * 10 ** (power - len(decimals))
    return -whole if found[1] == "-" else whole


def _ending(number: int) -> str:
    """The letters of an ordinal: 1st, 2nd, 3rd, 11th."""
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
