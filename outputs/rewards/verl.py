"""verl: the custom reward function."""

from collections.abc import Mapping
from typing import Any

from puzzlemill.outputs.rewards import score


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    thinking: bool = False,
    **others: Any,
) -> dict[str, float]:
    """The score and what is logged beside it: always the same keys, all of them numbers.

    The row comes in `extra_info`; `ground_truth` is one right answer, and others may be right.
    """
    found = score(extra_info or {}, solution_str, thinking)
    return {
        "score": found["score"],
        "acc": float(found["correct"]),
        "unparsed": float(found["status"] == "unparsed"),
        "error": float(found["status"] == "error"),
    }
