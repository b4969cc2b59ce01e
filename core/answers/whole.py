"""Integers of any size."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import plain, unnamed

DIGITS = 4000  # Python refuses to read more than 4300

_WHOLE = re.compile(r"([+-]?)\s*(\d{1,3}(?:(?:,|\{,\}|_| )\d{3})+|\d+)(?:\.0+)?", re.ASCII)
_UNIT = re.compile(r"(?:\s*%)|(?:\s+[A-Za-z]+){1,3}", re.ASCII)
# Words after a number that change what it says.
_NOT_UNITS = frozenset(
    "or and to than times plus minus dozen dozens hundred hundreds thousand thousands million "  # noqa: SIM905
    "millions billion half halves third thirds quarter quarters not percent over by mod e x".split()
)


@dataclass(frozen=True, slots=True)
class Integer:
    """One whole number. A unit behind it is taken off ("5 apples") unless it changes the value."""

    form: str = "an integer"
    units: bool = True

    def read(self, text: str) -> int | None:
        text = unnamed(plain(text)).removeprefix("\\$").removeprefix("$").removeprefix("€").strip()
        found = _WHOLE.match(text)
        if not found or len(found[2]) > DIGITS:
            return None
        if rest := text[found.end() :]:
            words = rest.lower().split()
            if not self.units or not _UNIT.fullmatch(rest) or _NOT_UNITS.intersection(words):
                return None
            if "%" in rest:
                return None
        return int(found[1] + re.sub(r"\D", "", found[2]))

    def write(self, answer: int) -> str:
        return str(answer)

    def near(self, answer: int, rng: Random) -> int:
        return rng.choice([answer + 1, answer - 1, -answer, answer * 10, answer + 10, answer // 2])

    def guess(self, answer: int, rng: Random) -> int:
        size = 10 ** max(1, len(str(abs(answer))))
        return rng.randrange(-size if answer < 0 else 0, size)


def read_whole(text: str) -> int | None:
    """A bare integer without units or separators: an item of a list, a cell of a grid."""
    return int(text) if re.fullmatch(r"[+-]?\d{1,4000}", text, re.ASCII) else None
