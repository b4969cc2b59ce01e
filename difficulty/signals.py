"""Cheap signals of an item's difficulty: what one pass of the policy's own model tells of it.

None of them is believed as it stands. Scoring weighs, family by family, how well a signal foretells
the replies, and what it tells only shifts where an item is looked for around its level.
"""

import json
from collections.abc import Mapping, Sequence
from math import asinh, expm1, log
from typing import Any

from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.difficulty.policies.policy import Policy, is_local
from puzzlemill.difficulty.settings import Signal


def signals(policy: Policy, rows: Sequence[Mapping[str, Any]], which: Signal) -> list[float | None]:
    """One value a row, the higher the easier; None where the model is not at hand, the text is
    longer than it reads, or there are pictures."""
    if which == "none" or not is_local(policy):
        return [None] * len(rows)

    from puzzlemill.difficulty.policies.reading import angles, continued

    texts = [
        (policy.tokens.ids(row["prompt"]), policy.tokens.behind(_foretold(row, which)))
        for row in rows
    ]
    most = policy.model.shape.positions
    read = [
        place
        for place, (first, second) in enumerate(texts)
        if len(first + second) <= most and not rows[place].get("images")
    ]
    if which == "angle":  # GAIN-RL
        told = angles(policy.model, [texts[place][0] for place in read])
    else:
        read_texts = [texts[place] for place in read]
        told = [_chances(float(each.sum())) for each in continued(policy.model, read_texts)]
    found: list[float | None] = [None] * len(rows)
    for place, value in zip(read, told, strict=True):
        found[place] = value
    return found


def rate_before(history: str | None) -> float | None:
    """The logit of the pass rate that an item had when it was last scored."""
    if not history:
        return None
    mean: float = json.loads(history)[-1]["mean"]
    return log(mean / (1 - mean)) if 0 < mean < 1 else None


def _chances(logp: float) -> float:
    """The logit of a probability, drawn together far from 0: a solution worded unlike the policy's
    own is the less likely the longer it is, and that says little of the item."""
    logp = min(logp, -1e-9)
    return asinh((logp - log(-expm1(logp))) / 2)


def _foretold(row: Mapping[str, Any], which: Signal) -> str:
    """The answer (RLPR), or the worked solution that ends in it; of the prompt alone, nothing."""
    if which == "angle":
        return ""
    if which == "answer":
        return f"<answer>{row['answer']}</answer>"
    found = family(row["family"])
    return worked(found, thaw(found.puzzle, row["puzzle"]), row["answer"])
