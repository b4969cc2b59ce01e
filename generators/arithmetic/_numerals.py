"""Numbers written in any base up to 36: digits to values and back, and answers that are digits."""

import re
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase, digits

from puzzlemill.core.answers.form import concluded, plain
from puzzlemill.core.fraction import Fraction

ALPHABET = digits + ascii_uppercase
LONGEST = 400  # digits of an answer

_TEX = re.compile(r"\\(?:text|texttt|mathtt|mathsf|mathrm)\s?\{([^{}]*)\}")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_MARK = re.compile(
    r"\s?_\s?\{\s?(-?\d{1,2})\s?\}$|(?<=[0-9A-Za-z)])\s?_\s?(-?\d{1,2})$|([₀-₉]{1,2})$"
    r"|\s\(?(?:in\s)?base[ -](-?\d{1,2})\)?$",
    re.IGNORECASE,
)
_NUMERAL = re.compile(
    r"(?P<minus>-?)\s?(?P<prefix>0[xb]|0o)?(?P<whole>[0-9A-Za-z]{1,400})"
    r"(?:\.(?P<part>[0-9A-Za-z]{1,400}))?",
    re.IGNORECASE | re.ASCII,
)
_GROUPED = re.compile(
    r"-?(?:[0-9A-Za-z]{1,8}(?:[ _][0-9A-Za-z]{3,8})+|[0-9A-Za-z]{1,3}(?:,[0-9A-Za-z]{3})+)",
    re.ASCII,
)
_PREFIXES = {"0x": (16, "0123456789ABCDEF"), "0b": (2, "01"), "0o": (8, "01234567")}
_LABEL = re.compile(r"\s*[A-Za-z]\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Numeral:
    """Digits 0-9 and A-Z in a base that the prompt names; a mark of the base stays: "1A_16"."""

    form: str = "the digits alone, such as 1A7"

    def read(self, text: str) -> str | None:
        text = _TEX.sub(r"\1", plain(_TEX.sub(r"\1", concluded(plain(text)))))
        if len(text) > 2 * LONGEST:
            return None
        *working, last = text.split("=")
        found = _marked(last)
        if found is None:
            return None
        for part in working:
            if not _LABEL.fullmatch(part) and not _equal(_marked(part), found):
                return None
        return found

    def write(self, answer: str) -> str:
        return answer

    def ways(self, answer: str) -> list[str]:
        found = [answer.lower(), f"${answer}$", f"\\text{{{answer}}}", f"`{answer}`"]
        found += [f"\\mathtt{{{answer}}}", f'{{"answer": "{answer}"}}', f"n = {answer}"]
        if answer.isalnum() and len(answer) > 3:
            found += [re.sub(r"\B(?=(?:\w{3})+$)", ",", answer)]
        return [way for way in dict.fromkeys(found) if way != answer]

    def near(self, answer: str, rng: Random) -> str:
        places = [place for place, sign in enumerate(answer) if sign in ALPHABET]
        place, signs = rng.choice(places), _signs(answer)
        changed = answer[:place] + rng.choice(signs) + answer[place + 1 :]
        return _tidy(rng.choice([changed, changed, answer + signs[-1], answer[:place] + "1"]))

    def guess(self, answer: str, rng: Random) -> str:
        signs = _signs(answer)
        drawn = [rng.choice(signs) if sign in ALPHABET else sign for sign in answer]
        return _tidy("".join(drawn))


def value(text: str, base: int) -> Fraction | None:
    """What digits are worth; None for a digit too large, or a mark of another base."""
    body, _, mark = text.partition("_")
    if mark and mark != str(base):
        return None
    size = body.removeprefix("-")
    whole, _, part = size.partition(".")
    total = 0
    for sign in whole + part:
        digit = ALPHABET.find(sign)
        if not 0 <= digit < abs(base):
            return None
        total = total * base + digit
    found = Fraction(total, base ** len(part))
    return -found if body.startswith("-") else found


def in_base(number: int, base: int) -> str:
    """A whole number's digits."""
    size, found = abs(number), ""
    while size:
        size, digit = divmod(size, base)
        found = ALPHABET[digit] + found
    return ("-" if number < 0 else "") + (found or "0")


def _marked(text: str) -> str | None:
    """Digits in their one form, with a mark of the base where there is one."""
    text, mark = text.strip().replace("{,}", ","), ""
    if found := _MARK.search(text):
        mark = next(group for group in found.groups() if group).translate(_LOWERED)
        text = text[: found.start()].strip()
    if text[:1] == "(" and text[-1:] == ")":
        text = text[1:-1].strip()
    if _GROUPED.fullmatch(text):
        first, *groups = re.split("[ _,]", text)
        sizes = {len(group) for group in groups}
        if len(sizes) > 1 or len(first.removeprefix("-")) > min(sizes):
            return None
        text = first + "".join(groups)
    read = _NUMERAL.fullmatch(text)
    if read is None:
        return None
    whole, part = read["whole"].upper(), (read["part"] or "").upper()
    if read["prefix"]:
        base, own = _PREFIXES[read["prefix"].lower()]
        if set(whole + part) <= set(own) and mark in ("", str(base)):
            mark = str(base)
        else:
            whole = read["prefix"].upper() + whole
    return _tidy(f"{read['minus']}{whole}.{part}") + (f"_{mark}" if mark else "")


def _tidy(text: str) -> str:
    """Without zeros that say nothing."""
    size = text.removeprefix("-")
    whole, _, part = size.partition(".")
    whole, part = whole.lstrip("0") or "0", part.rstrip("0")
    size = f"{whole}.{part}" if part else whole
    return f"-{size}" if text.startswith("-") and size != "0" else size


def _equal(one: str | None, other: str) -> bool:
    """Whether both say their base and are worth the same."""
    if one is None or "_" not in one or "_" not in other:
        return False
    bases = [int(text.partition("_")[2]) for text in (one, other)]
    if not all(2 <= abs(base) <= 36 for base in bases):
        return False
    return value(one, bases[0]) == value(other, bases[1]) is not None


def _signs(answer: str) -> str:
    """The digits up to the answer's largest."""
    return ALPHABET[: max([ALPHABET.find(sign) for sign in answer.partition("_")[0]] + [1]) + 1]
