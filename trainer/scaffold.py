"""Scaffolds (RuscaRL): a part of the solution in the prompts of a group, less from reply to reply,
and less from step to step."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import tanh

from puzzlemill.difficulty.hints import hinted
from puzzlemill.trainer.rollouts import Prompt, Rollouts
from puzzlemill.trainer.schedule import Row
from puzzlemill.trainer.settings.teaching import Scaffold


def scaffold_shares(group: int, done: float, settings: Scaffold) -> list[float]:
    """Of the solution, for each reply of a group, where this share of the run is over: a line down
    to 0 within the group, a sigmoid over the run."""
    left = (1 - tanh(settings.steepness * (done - settings.middle) / 2)) / 2
    return [settings.share * left * (group - 1 - at) / (group - 1) for at in range(group)]


def sample_with_scaffold(
    sample: Callable[[Sequence[Prompt], str, int], Rollouts],
    prompts: Sequence[Prompt],
    purpose: str,
    group: int,
    done: float,
    settings: Scaffold,
    takes: Callable[[Row], bool],
) -> Rollouts:
    """A group of replies to each prompt, each of which was told another share of the solution, but
    where the prompt leaves no room for it."""
    asked, told = list[Prompt](), list[float]()
    for prompt in prompts:
        for at, share in enumerate(scaffold_shares(group, done, settings)):
            row = hinted(prompt.row, share)
            helped = None if isinstance(row, str) or not takes(row) else row
            told.append(share if helped else 0.0)
            found = helped or prompt.row
            # The seed follows from the uid: replies to the same prompt are to differ.
            asked.append(replace(prompt, row={**found, "uid": f"{found['uid']} {at}"}))
    sampled = sample(asked, purpose, 1)
    conversations = [
        replace(each, hint_share=share)
        for (each,), share in zip(sampled.conversations, told, strict=True)
    ]
    groups = [conversations[start : start + group] for start in range(0, len(told), group)]
    return Rollouts([*prompts], groups, sampled.scores_PG.view(len(prompts), group))
