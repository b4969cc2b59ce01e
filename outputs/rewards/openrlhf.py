"""OpenRLHF: the reward function that is named by its file."""

from collections.abc import Sequence
from typing import Any

from puzzlemill.outputs.rewards import score_all

TAIL = 80  # characters at a prompt's end by which it is found in a query


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str], **others: Any
) -> dict[str, Any]:
    """Rewards and scores of replies; a label is a row's fields as JSON."""
    import torch

    replies = [reply_of(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    found = score_all(labels, [reply or "" for reply in replies])
    lost = [reply is None for reply in replies]
    scores = torch.tensor([float(each["score"]) for each in found])
    return {
        "rewards": scores,
        "scores": scores,
        "extra_logs": {
            "correct": torch.tensor([float(each["correct"]) for each in found]),
            "unparsed": torch.tensor([float(each["status"] == "unparsed") for each in found]),
            "error": torch.tensor(
                [float(gone or each["status"] == "error") for each, gone in zip(found, lost)]
            ),
        },
    }


def reply_of(query: str, prompt: str) -> str | None:
    """What follows the prompt in a query; None where the prompt is not to be found in it.

    The prompt must go: it says "between <answer> and </answer>", which is an answer of its own. Its
    beginning may differ in a query (pictures stand there as tokens, or it was cut), its end not.
    """
    tail = prompt.rpartition("<image>")[2][-TAIL:]
    if not tail:
        return None
    _, found, reply = query.partition(prompt)
    if not found:
        _, found, reply = query.partition(tail)
    if not found:
        return None
    # A template may have opened the thought: unless the reply closes it, nothing was answered.
    return f"<think>{reply}" if prompt.rstrip().endswith("<think>") else reply
