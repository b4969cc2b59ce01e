"""G1's four tiers of tasks by measured pass rate."""

from math import isnan, nan
from typing import Any

import numpy as np
import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.ranking import ranked
from puzzlemill.difficulty.tiers import task_rates, tier_of
from puzzlemill.outputs.sections import tiers


def row(uid: int, family: str, mean: float | None, level: float = 0.5) -> dict[str, Any]:
    return {"uid": str(uid), "family": family, "mean": mean, "level": level}


ROWS = [
    row(0, "max_flow", 0.0),
    row(1, "degree", 0.9, 0.75),
    row(2, "degree", 0.2, 0.25),  # a hard item of an easy task
    row(3, "bridges", 0.2),
    row(4, "max_flow", 0.16),
    row(5, "density", 0.4),
    row(6, "radius", None),
]


def test_the_papers_means_by_tier_are_in_their_tiers() -> None:
    assert [tier_of(rate) for rate in (0.5716, 0.4255, 0.1887, 0.0329)] == [
        "easy", "medium", "hard", "challenging"
    ]  # fmt: skip


def test_a_task_is_as_hard_as_its_scored_items_are_on_average() -> None:
    rates = task_rates(["a", "b", "a", "c"], np.array([0.5, nan, nan, 0.25]))
    assert rates[[0, 2, 3]].tolist() == [0.5, 0.5, 0.25]
    assert isnan(rates[1])


def test_items_come_in_the_order_of_their_tasks_tiers_and_unscored_tasks_last() -> None:
    places = ranked(ROWS, "by_tier")
    assert [ROWS[place]["family"] for place in places] == [
        "degree", "degree", "density", "bridges", "max_flow", "max_flow", "radius"
    ]  # fmt: skip
    assert places[:2] == [2, 1], "in a tier by the level"
    with pytest.raises(UserError, match="no item was scored"):
        ranked(ROWS[6:], "by_tier")


def test_the_report_names_the_families_of_each_tier() -> None:
    class Build:
        scored = ROWS[:6]

    figures = tiers.tiers(Build())  # type: ignore[arg-type]
    assert figures is not None
    assert [each["families"] for each in figures["rows"]] == [
        ["degree"], ["density"], ["bridges"], ["max_flow"]
    ]  # fmt: skip
    assert [each["items"] for each in figures["rows"]] == [2, 1, 1, 2]
    assert figures["rows"][3]["mean"] == pytest.approx(0.08)
