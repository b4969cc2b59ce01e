"""Turns away what is solved without reasoning, more often than the family's blind guess allows."""

from math import comb

from puzzlemill.core import registry
from puzzlemill.filters import Row, Rule

SURE = 0.05  # the chance of so many right guesses below which they are no accident
LEAST = 0.02  # what a blind guess may always be right by


def reason(row: Row, settings: None) -> str | None:
    tries, right = row["guesses"], row["guessed"]
    if not tries or not right:
        return None
    rate = max(registry.family(row["family"]).guess_rate, LEAST)
    if _at_least(right, tries, rate) > SURE:
        return None
    return f"guessable: {right} of {tries} are right without reasoning"


def _at_least(right: int, tries: int, rate: float) -> float:
    """The chance of so many right guesses or more."""
    return sum(
        comb(tries, each) * rate**each * (1 - rate) ** (tries - each)
        for each in range(right, tries + 1)
    )


FILTER = Rule("apart", reason, ("family", "guesses", "guessed"))
