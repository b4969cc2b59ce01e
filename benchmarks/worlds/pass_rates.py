"""Pass rates of the bundled policy, which knows the basics alone, on families of worlds."""

from statistics import fmean
from typing import Any

import puzzlemill as pm
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.verdict import judge
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny

LEVELS = (0.0, 0.25, 0.5)
ITEMS, REPLIES = 16, 1  # of a level, and to each item
TOKENS = 96  # of a reply: the policy's own solutions are shorter


def pass_rates(family: AnyFamily) -> dict[str, Any]:
    """By level; None where a prompt is longer than the policy reads."""
    policy, rates = tiny(Sampling(max_tokens=TOKENS)), dict[str, float | None]()
    for level in LEVELS:
        items = [*pm.generate(family.name, level=level, seed=1, n=ITEMS)]
        questions = [
            Question(({"role": "user", "content": item.prompt},), seed)
            for seed, item in enumerate(items)
        ]
        room = policy.model.shape.positions - TOKENS
        if max(len(policy.tokens.prompt(each)) for each in questions) > room:
            rates[f"{level:g}"] = None
            continue
        replies = policy.sample(questions, REPLIES)
        pairs = [(item, reply) for item, group in zip(items, replies) for reply in group]
        right = [judge(family, item.puzzle, reply.text).correct for item, reply in pairs]
        rates[f"{level:g}"] = round(fmean(right), 3)
    return rates
