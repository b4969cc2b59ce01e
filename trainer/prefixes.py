"""Prefixes (ReST-RL): the first lines of a good reply, from which new replies go on.

They are the beginning of the assistant's turn. A reply is judged together with its prefix, and only
what comes after the prefix is learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from puzzlemill.difficulty.curricula import sample_distinct
from puzzlemill.difficulty.policies.policy import IMAGE, Policy
from puzzlemill.difficulty.scoring import Judge, question_of
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.rollouts import Prompt, Rollouts, no_rollouts, padded_with_nan
from puzzlemill.trainer.settings.teaching import Prefixes


def begun(row: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The row with the beginning of a reply."""
    return {**row, "prompt": [*row["prompt"], {"role": "assistant", "content": prefix}]}


def prefix_prompts(groups: Rollouts, settings: Prefixes, purpose: str) -> list[Prompt]:
    """Of each group of a plain prompt whose best reply is good enough: prefixes of that reply."""
    prompts = []
    for prompt, group, scores in zip(
        groups.prompts, groups.conversations, groups.scores(), strict=True
    ):
        best = max(range(len(group)), key=scores.__getitem__)
        text = group[best].last.text
        whole = prompt.plain and not group[best].hint_share and len(group[best].attempts) == 1
        if not whole or scores[best] < settings.best or IMAGE in text:
            continue
        rng = Random(f"{purpose} {prompt.row['uid']}")
        for prefix in drawn_prefixes(text, settings, rng):
            row = begun(prompt.row, prefix)
            prompts.append(replace(prompt, row=row, prefix=prefix, source="prefix"))
    return prompts


def drawn_prefixes(text: str, settings: Prefixes, rng: Random) -> list[str]:
    """A share of a text's beginnings that end with a line, shorter ones more often."""
    lines = text.splitlines(keepends=True)
    weights = [settings.decay**place for place in range(len(lines) - 1)]
    count = round(settings.share * len(weights))
    places = sorted(sample_distinct(weights, count, rng))
    return ["".join(lines[: place + 1]) for place in places]


def sample_from_prefixes(
    policy: Policy, prompts: Sequence[Prompt], purpose: str, replies: int, judge: Judge
) -> Rollouts:
    """Replies that go on from the prefixes; those are left out that the policy cannot read."""
    asked = [(each, question_of(each.row, f"{purpose} {len(each.prefix)}")) for each in prompts]
    taken = [(prompt, question) for prompt, question in asked if policy.takes(question)]
    if not taken:
        return no_rollouts()
    groups = policy.sample([question for _, question in taken], replies)
    rows = [prompt.row for prompt, _ in taken for _ in range(replies)]
    attempts = [
        Attempt(question.messages, reply)
        for (_, question), group in zip(taken, groups, strict=True)
        for reply in group
    ]
    texts = [f"{each.messages[-1]['content']}{each.reply.text}" for each in attempts]
    judged = [
        Conversation((attempt,), verdict)
        for attempt, verdict in zip(attempts, judge(rows, texts), strict=True)
    ]
    parts = [judged[start : start + replies] for start in range(0, len(judged), replies)]
    scores = [[each.verdict.score for each in part] for part in parts]
    return Rollouts([prompt for prompt, _ in taken], parts, padded_with_nan(scores))
