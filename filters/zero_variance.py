"""Turns away what teaches nothing: items that a policy hardly ever fails, or hardly ever solves.

What it hardly ever solves is not unsolvable: at a true pass rate of 0.1, eight replies show no
success 43% of the time. It is certified, so it goes to the frontier.
"""

from collections.abc import Mapping
from typing import Any

from puzzlemill.core.rows import FRONTIER
from puzzlemill.core.stage import Filter


def zero_variance(low: float, high: float) -> Filter:
    """The band of pass rates between which an item teaches; the likelier side decides."""

    def reason(row: Mapping[str, Any]) -> str | None:
        if not row["trials"] or row["within"] >= 0.5:
            return None
        return FRONTIER if row["mean"] < (low + high) / 2 else f"too easy: over {high:g} solved"

    band = {"low": low, "high": high}
    return Filter("zero_variance", 2, band, ("trials", "mean", "within"), reason)
