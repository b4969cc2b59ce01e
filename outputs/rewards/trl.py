"""TRL: the reward function of GRPOTrainer and its kin."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from puzzlemill.outputs.rewards import FIELDS, score_all


def reward(
    completions: Sequence[Any], log_metric: Callable[[str, float], None] | None = None, **given: Any
) -> list[float | None]:
    """A score for each completion; None where our own code failed, which says nothing about it."""
    return _rewards(completions, log_metric, given, thinking=False)


def thinking_reward(
    completions: Sequence[Any], log_metric: Callable[[str, float], None] | None = None, **given: Any
) -> list[float | None]:
    """The same where the chat template ends a prompt with an open <think>."""
    return _rewards(completions, log_metric, given, thinking=True)


def _rewards(
    completions: Sequence[Any],
    log_metric: Callable[[str, float], None] | None,
    given: Mapping[str, Any],
    thinking: bool,
) -> list[float | None]:
    names = [name for name in FIELDS if name in given]
    columns = zip(*(given[name] for name in names), strict=True)
    rows = [dict(zip(names, values, strict=True)) for values in columns]
    found = score_all(rows or [{}] * len(completions), completions, thinking)
    if log_metric is not None and found:
        log_metric("correct", fmean(each["correct"] for each in found))
        for status in ("unparsed", "error"):
            log_metric(status, fmean(each["status"] == status for each in found))
    return [None if each["status"] == "error" else each["score"] for each in found]
