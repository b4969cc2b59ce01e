"""Whole numbers up to a modulus: "x \u2261 9 (mod 11)" says the same as 9."""

import re
from functools import lru_cache

from puzzlemill.core.answers.form import plain

_LEFT = re.compile(r"[^,;\n\u2261]{0,300}?(?:\u2261|\\equiv(?![A-Za-z]))\s{0,9}")


def congruent(text: str, modulus: int) -> str:
    """What a congruence with this modulus says, or the text where it is none.

    Another modulus says something else, and is left on.
    """
    bare = plain(text)
    left = _LEFT.match(bare)
    start = left.end() if left else 0
    tail = max(start, len(bare) - 60 - len(str(modulus)))
    match = _modulo(modulus).search(bare, tail)
    return bare[start : match.start()] if match and match.end() == len(bare) else bare[start:]


def each_congruent(text: str, modulus: int) -> str:
    """The same for several congruences, whose unknown stays: x = 1 or x = 5."""
    return _modulo(modulus).sub("", plain(text)).replace("\\equiv", "=").replace("\u2261", "=")


@lru_cache(maxsize=2000)
def _modulo(modulus: int) -> re.Pattern[str]:
    word = rf"\\?(?:[pb]?mod|modulo)\s{{0,9}}\{{?\s{{0,9}}{modulus}(?!\d)\s{{0,9}}\}}?"
    return re.compile(rf"(?:[\s,]{{0,9}}\(\s{{0,9}}{word}\)|[\s,]{{0,9}}{word})", re.IGNORECASE)


def congruence_ways(answer: int, modulus: int) -> list[str]:
    """Ways to write a number up to a modulus."""
    return [
        f"{answer} (mod {modulus})",
        f"{answer} mod {modulus}",
        f"x \u2261 {answer} (mod {modulus})",
        f"x \\equiv {answer} \\pmod{{{modulus}}}",
    ]
