"""Values of unknowns: x = 3, y = -1/2."""

import re
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from puzzlemill.core.answers.arithmetic import Number
from puzzlemill.core.answers.form import plain

MOST = 1000  # unknowns

Values = tuple[tuple[str, Fraction], ...]

_VALUE = (
    r"[+-]?\s*(?:\\[dt]?frac\s*\{\s*[+-]?\d{1,400}\s*\}\s*\{\s*\d{1,400}\s*\}"
    r"|\(\s*[+-]?\d{1,400}\s*/\s*\d{1,400}\s*\)|\d{1,400}\s*/\s*\d{1,400}"
    r"|\d{0,400}\.\d{1,400}|\d{1,400})(?![\w/^*(\\])(?!\.\d)"
)
_PAIR = re.compile(rf"([A-Za-z]\w{{0,15}})\s*(?:=|:|\bis\b|\bequals\b)\s*({_VALUE})", re.ASCII)
_TUPLE = re.compile(r"\(?([^()=]{1,2000})\)?\s*=\s*([^=]{1,20000})", re.ASCII)
_BREAK = re.compile(r"[,;\n]|\\\\|\band\b")
_FRAME = re.compile(r"\\(?:begin|end)\{[a-z]{1,16}\*?\}|[\"'`$&]|\*\*")
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(?=[A-Za-z])", re.MULTILINE)
_SHORT = re.compile(r"(\\[dt]?frac)\s*(\d)\s*(\d)(?!\d)", re.ASCII)  # \frac12
_SUBSCRIPT = re.compile(r"([A-Za-z])_\{(\w{1,8})\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Each unknown with its exact value, sorted by name: pairs in any order, or (x, y) = (3, 4).

    A value may be an integer, a fraction or a decimal that is exactly it.
    """

    form: str = "the value of each unknown, such as x = 3, y = -1/2"

    def read(self, text: str) -> Values | None:
        text = _BULLET.sub("", _FRAME.sub(" ", plain(text))).strip()
        text = _SHORT.sub(r"\1{\2}{\3}", _SUBSCRIPT.sub(r"\1_\2", text))
        if text.startswith("{") and text.endswith("}"):
            text = text[1:-1]
        pairs = _side_by_side(text) or _one_by_one(text)
        if not pairs or len(pairs) > MOST:
            return None
        found: dict[str, Fraction] = {}
        for name, written in pairs:
            value = Number().read(written)
            if value is None or found.setdefault(name.lower(), value) != value:
                return None  # not a number, or said twice and differently
        return tuple(sorted(found.items()))

    def write(self, answer: Values) -> str:
        return ", ".join(f"{name} = {value}" for name, value in answer)

    def near(self, answer: Values, rng: Random) -> Values:
        changed = dict(answer)
        name, value = rng.choice(answer)
        other, swapped = rng.choice(answer)
        match rng.randrange(4):
            case 0:
                changed[name], changed[other] = swapped, value
            case 1 if len(changed) > 1:
                del changed[name]
            case _:
                changed[name] = Number().near(value, rng)
        return tuple(sorted(changed.items()))

    def guess(self, answer: Values, rng: Random) -> Values:
        return tuple((name, Number().guess(value, rng)) for name, value in answer)


def _one_by_one(text: str) -> list[tuple[str, str]] | None:
    """x = 3, y = 4: nothing but pairs and what stands between them."""
    pairs: list[tuple[str, str]] = []
    for part in _BREAK.split(text):
        place = 0
        part = part.strip(" \t.")
        while place < len(part):
            found = _PAIR.match(part, place)
            if not found:
                return None
            pairs.append((found[1], found[2]))
            place = found.end()
            while place < len(part) and part[place].isspace():
                place += 1
    return pairs


def _side_by_side(text: str) -> list[tuple[str, str]] | None:
    """(x, y) = (3, 4)."""
    found = _TUPLE.fullmatch(text)
    if not found or "," not in found[1]:
        return None
    left, right = found[1].strip(" ()"), found[2].strip()
    if right.startswith("(") and right.endswith(")"):
        right = right[1:-1]
    names, values = (
        [part.strip() for part in re.split("[,;]", side.strip())] for side in (left, right)
    )
    sound = len(names) == len(values) and all(
        re.fullmatch(_VALUE, value, re.ASCII) for value in values
    )
    named = all(re.fullmatch(r"[A-Za-z]\w{0,15}", name, re.ASCII) for name in names)
    return list(zip(names, values, strict=True)) if sound and named else None
