"""A warm start: imitation of worked solutions, or of the policy's own right replies.

The latter is rejection sampling, as in STaR.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import worked
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.trainer.imitation import (
    Example,
    ExampleBatch,
    example_batches,
    imitate,
    picture_batches,
)
from puzzlemill.trainer.micro_batch import MicroBatch
from puzzlemill.trainer.schedule import Row
from puzzlemill.trainer.settings.teaching import Warm


def warm_up(
    policy: LocalPolicy, rows: Sequence[Row], settings: Warm, judge: Judge = judge_in_workers
) -> Iterator[float]:
    """Take the steps; yields each one's loss, a token, before it."""
    if settings.source == "solutions":
        examples = [solution(policy, row) for row in rows]
    else:
        examples = own_right_replies(policy, rows, settings.tries, judge)
    if not examples:
        raise UserError(
            f"[train.warm]: none of {len(rows)} items was solved in {settings.tries} tries, so"
            ' there is nothing to imitate; set source = "solutions"'
        )
    optimizer = torch.optim.AdamW(
        policy.model.parameters(), lr=settings.learning_rate, weight_decay=0.0
    )
    endless = chain.from_iterable(epochs(examples, settings.tokens, policy.model.device))
    steps = (batch for batch, _ in zip(endless, range(settings.steps), strict=False))
    yield from imitate(policy.model, steps, [optimizer])


def epochs(
    examples: Sequence[Example], tokens: int, device: torch.device
) -> Iterator[list[ExampleBatch | MicroBatch]]:
    """Those of text alone go before those with pictures, which no batch has together."""
    source = Random("warm")
    plain = [each for each in examples if each.shown is None]
    pictured = [each for each in examples if each.shown is not None]
    while True:
        yield [
            *example_batches(plain, tokens, source),
            *picture_batches(pictured, tokens, device, source),
        ]


def solution(policy: LocalPolicy, row: Row) -> Example:
    """The family's own steps, if it has any, and the gold answer."""
    its_family = family(row["family"])
    text = worked(its_family, thaw(its_family.puzzle, row["puzzle"]), row["answer"])
    return example(policy, row, policy.tokens.continuation(text))


def own_right_replies(
    policy: LocalPolicy, rows: Sequence[Row], tries: int, judge: Judge
) -> list[Example]:
    groups = policy.sample([question_of(row, "warm") for row in rows], tries)
    verdicts = judge_groups(rows, groups, judge)
    return [
        example(policy, row, reply.tokens)
        for row, replies, group_verdicts in zip(rows, groups, verdicts, strict=True)
        for reply, verdict in zip(replies, group_verdicts, strict=True)
        if verdict.correct and reply.finished
    ]


def example(policy: LocalPolicy, row: Row, reply: Sequence[int]) -> Example:
    """With a token that ends the reply, where it has none."""
    ends = sorted(policy.tokens.ends)[:1]
    closed = [*reply] if not ends or reply[-1] in policy.tokens.ends else [*reply, *ends]
    question = question_of(row, "")
    shown = policy.tokens.shown(question)
    prompt = policy.tokens.prompt(question) if shown else policy.tokens.ids(row["prompt"])
    return Example(tuple(prompt), tuple(closed), shown)
