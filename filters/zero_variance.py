"""Turns away what teaches nothing: items that a policy hardly ever fails, or hardly ever solves.

What it hardly ever solves is not unsolvable: at a true pass rate of 0.1, eight replies show no
success 43% of the time. It is certified, so it goes to the frontier.
"""

from dataclasses import dataclass

from puzzlemill.core.rows import FRONTIER
from puzzlemill.filters import Row, Rule


@dataclass(frozen=True, slots=True)
class Settings:
    """The band of pass rates between which an item teaches; the likelier side decides."""

    low: float
    high: float


def reason(row: Row, settings: Settings) -> str | None:
    if not row["trials"] or row["within"] >= 0.5:
        return None
    hard = row["mean"] < (settings.low + settings.high) / 2
    return FRONTIER if hard else f"too easy: over {settings.high:g} solved"


FILTER = Rule("after", reason, ("trials", "mean", "within"), Settings, version=2)
