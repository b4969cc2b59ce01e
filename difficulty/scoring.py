"""Measuring how often a policy solves items, spending replies where they are needed.

An item stops being sampled once both outcomes have been seen and its interval is narrow enough,
else at the cap. Stopping early biases the share of successes: use the posterior, never the ratio.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from puzzlemill.core import pool
from puzzlemill.core.checking import Verdict, check
from puzzlemill.core.guard import Failure
from puzzlemill.core.recipe import Score
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply
from puzzlemill.difficulty.posterior import Belief

Judge = Callable[[Sequence[Mapping[str, Any]], Sequence[str]], list[Verdict]]


def judge_in_workers(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    """Verdicts from worker processes: a verifier that hangs costs its own reply only."""
    calls = [
        ({name: row[name] for name in ("uid", "family", "version", "puzzle")}, reply)
        for row, reply in zip(rows, replies, strict=True)
    ]
    found = pool.run("puzzlemill.core.checking:check", calls, seconds=20)
    return [
        Verdict(0.0, False, "error", each.reason) if isinstance(each, Failure) else each
        for each in found
    ]


def judge_here(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    return [check(row, reply) for row, reply in zip(rows, replies, strict=True)]


def score(
    rows: Sequence[Mapping[str, Any]],
    policy: Policy,
    settings: Score,
    judge: Judge = judge_in_workers,
) -> list[Belief]:
    """A belief for each row, in rounds over all rows that are not settled yet."""
    beliefs = [Belief(0, 0) for _ in rows]
    rounds = 0
    while open_ := [n for n, belief in enumerate(beliefs) if not settled(belief, settings)]:
        questions = [question_of(rows[n], f"score {rounds}") for n in open_]
        some = min(settings.least, settings.most - beliefs[open_[0]].trials)
        groups = policy.sample(questions, some)
        verdicts = judge_groups([rows[n] for n in open_], groups, judge)
        for n, group in zip(open_, verdicts, strict=True):
            # A verifier that fails says nothing of the policy, but costs a trial all the same.
            beliefs[n] = beliefs[n].with_more(some, sum(verdict.correct for verdict in group))
        rounds += 1
    return beliefs


def settled(belief: Belief, settings: Score) -> bool:
    if belief.trials >= settings.most:
        return True
    return belief.mixed and belief.high - belief.low <= settings.width


def judge_groups(
    rows: Sequence[Mapping[str, Any]], groups: Sequence[Sequence[Reply]], judge: Judge
) -> list[list[Verdict]]:
    """Verdicts on several replies to each row."""
    flat_rows = [row for row, group in zip(rows, groups, strict=True) for _ in group]
    verdicts = iter(judge(flat_rows, [reply.text for group in groups for reply in group]))
    return [[next(verdicts) for _ in group] for group in groups]


def question_of(row: Mapping[str, Any], purpose: str) -> Question:
    """The row as a question, with a seed of its own for each purpose."""
    seed = blake2b(f"{purpose}\0{row['uid']}".encode(), digest_size=7).digest()
    return Question(
        tuple(row["prompt"]),
        int.from_bytes(seed),
        tuple(image["bytes"] for image in row["images"] or ()),
    )
