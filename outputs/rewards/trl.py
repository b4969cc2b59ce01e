"""TRL: the reward function of GRPOTrainer and its kin."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from puzzlemill.outputs.rewards import FIELDS, score_all


def reward(
    completions: Sequence[Any], log_metric: Callable[[str, float], None] | None = None, **given: Any
) -> list[float | None]:
    """A score for each completion; None where our own code failed, which says nothing about it."""
    columns = [given[name] for name in FIELDS if name in given]
    names = [name for name in FIELDS if name in given]
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    found = score_all(rows or [{}] * len(completions), completions)
    if log_metric is not None and found:
        log_metric("correct", fmean(each["correct"] for each in found))
        for status in ("unparsed", "error"):
            log_metric(status, fmean(each["status"] == status for each in found))
    return [None if each["status"] == "error" else each["score"] for each in found]
