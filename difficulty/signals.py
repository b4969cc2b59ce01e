"""Signals: cheap covariates of pass rates, from one forward pass of the policy's own model.

Scoring fits a signal's weight to observed replies, family by family: an uninformative signal gets
weight 0 and has no effect.
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

    from puzzlemill.difficulty.policies.forward_pass import angles, completion_logps
    from puzzlemill.difficulty.policies.reward_token import reward_token

    behind = [reward_token(policy.tokens)] if which == "self_reward" else []
    texts = [
        (policy.tokens.ids(row["prompt"]), policy.tokens.continuation(_target(row, which)) + behind)
        for row in rows
    ]
    most = policy.model.shape.positions
    readable = [
        place
        for place, (first, second) in enumerate(texts)
        if len(first + second) <= most and not rows[place].get("images")
    ]
    if which == "angle":  # GAIN-RL
        read = angles(policy.model, [texts[place][0] for place in readable])
    else:
        logps = completion_logps(policy.model, [texts[place] for place in readable])
        if which == "self_reward":  # LaSeR's, but for a constant and a factor
            read = [float(each[-1]) for each in logps]
        else:
            read = [_compressed_logit(float(each.sum())) for each in logps]
    values: list[float | None] = [None] * len(rows)
    for place, value in zip(readable, read, strict=True):
        values[place] = value
    return values


def earlier_logit(history: str | None) -> float | None:
    """The logit of the pass rate that an item had when it was last scored."""
    if not history:
        return None
    mean: float = json.loads(history)[-1]["mean"]
    return log(mean / (1 - mean)) if 0 < mean < 1 else None


def _compressed_logit(logp: float) -> float:
    """The logit of a probability, on a log scale far from 0: a long solution that is worded unlike
    the policy's own is very unlikely, and that says little of the item."""
    logp = min(logp, -1e-9)
    return asinh((logp - log(-expm1(logp))) / 2)


def _target(row: Mapping[str, Any], which: Signal) -> str:
    """The text whose likelihood is the signal: the answer (RLPR), or the worked solution that ends
    in it; empty where the signal is read off the prompt."""
    if which == "angle":
        return ""
    if which == "answer":
        return f"<answer>{row['answer']}</answer>"
    own = family(row["family"])
    return worked(own, thaw(own.puzzle, row["puzzle"]), row["answer"])
