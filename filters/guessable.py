"""Turns away what is solved without reasoning, more often than the family's blind guess allows."""

from collections.abc import Mapping
from math import comb
from typing import Any

from puzzlemill.core.registry import family
from puzzlemill.core.stage import Filter

SURE = 0.05  # the chance of so many right guesses below which they are no accident
LEAST = 0.02  # what a blind guess may always be right by


def guessable() -> Filter:
    def reason(row: Mapping[str, Any]) -> str | None:
        tries, right = row["guesses"], row["guessed"]
        if not tries or not right:
            return None
        rate = max(family(row["family"]).guess_rate, LEAST)
        if _at_least(right, tries, rate) > SURE:
            return None
        return f"guessable: {right} of {tries} are right without reasoning"

    return Filter("guessable", 1, {}, ("family", "guesses", "guessed"), reason)


def _at_least(right: int, tries: int, rate: float) -> float:
    """The chance of so many right guesses or more."""
    return sum(
        comb(tries, each) * rate**each * (1 - rate) ** (tries - each)
        for each in range(right, tries + 1)
    )
