"""Turns away what teaches nothing: items that a policy always solves.

An item that it never solved is not unsolvable: at a true pass rate of 0.1, eight replies show no
success 43% of the time. It is certified, so it goes to the frontier.
"""

from collections.abc import Mapping
from typing import Any

from puzzlemill.core.rows import FRONTIER
from puzzlemill.core.stage import Filter


def zero_variance(too_easy: float) -> Filter:
    def reason(row: Mapping[str, Any]) -> str | None:
        if not row["trials"]:
            return None
        if row["successes"] == 0:
            return FRONTIER
        if row["successes"] >= too_easy * row["trials"]:
            return "too easy: always solved" if too_easy == 1 else f"too easy: {too_easy:g} solved"
        return None

    return Filter("zero_variance", 1, {"too_easy": too_easy}, ("trials", "successes"), reason)
