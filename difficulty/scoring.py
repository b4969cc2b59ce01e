"""Measuring how often a policy solves items: asking it, and judging its replies.

Stopping early biases the share of successes: use the posterior, never the ratio.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import compress
from time import perf_counter
from typing import Any

from puzzlemill.core.counters import count
from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.storage import pool
from puzzlemill.core.verdict import Verdict, check
from puzzlemill.difficulty.budget import Tally, never_solved, seen, wanted
from puzzlemill.difficulty.knob_model import UNTOLD, Course, Place, deviations
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply, check_policy, refusal
from puzzlemill.difficulty.posterior import Belief, beliefs
from puzzlemill.difficulty.settings import Score

Judge = Callable[[Sequence[Mapping[str, Any]], Sequence[str]], list[Verdict]]
Hear = Callable[[int, Sequence[Reply], Sequence[Verdict]], None]  # of the row at a place


def judge_in_workers(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    """Verdicts from worker processes: a verifier that hangs costs its own reply only."""
    calls = [
        ({name: row[name] for name in ("uid", "family", "version", "puzzle")}, reply)
        for row, reply in zip(rows, replies, strict=True)
    ]
    found = pool.run("puzzlemill.core.verdict:check", calls, seconds=20)
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
    band: tuple[float, float],
    group: int,
    judge: Judge = judge_in_workers,
) -> list[Belief]:
    """A belief for each row, in rounds over all rows."""
    places = places_of(rows)
    tallies = [(0, 0)] * len(rows)
    for number in range(1, rounds_of(settings) + 1):
        asked = asked_in(number, places, tallies, settings, band)
        tallies = ask(rows, asked, tallies, policy, number, judge)
    return believed(places, tallies, band, group)


def rounds_of(settings: Score) -> int:
    """How often the policy is asked at most, with the probe of what it never solved."""
    return settings.rounds + bool(settings.probe)


def asked_in(
    number: int,
    places: Sequence[Place],
    tallies: Sequence[Tally],
    settings: Score,
    band: tuple[float, float],
    course: Course = UNTOLD,
) -> list[int]:
    """How many replies to ask of each item in a round of this number."""
    if number > settings.rounds:
        return never_solved(tallies, settings)
    return wanted(places, tallies, settings, band, course)


def score_taken(
    rows: Sequence[Mapping[str, Any]],
    policy: Policy,
    replies: int | None,
    most: int,
    band: tuple[float, float],
    group: int,
) -> list[Belief | None]:
    """A belief for each row that the policy takes, and None for the others: of so many `replies`
    each, or of as many, `most` at most, as tell on which side of the band it is."""
    check_policy(policy)
    if min(most, group, most if replies is None else replies) < 1:
        raise UserError(f"replies = {replies}, most = {most}, group = {group}: each is 1 or more")
    if not 0 <= band[0] < band[1] <= 1:
        raise UserError(f"band is two pass rates from 0 to 1, the lower one first, not {band}")
    settings = Score(most=most)
    if replies is not None:
        settings = Score(until="budget", first=replies, most=replies, rounds=1)
    taken = [refusal(policy, question_of(row, "score")) is None for row in rows]
    beliefs = iter(score(list(compress(rows, taken)), policy, settings, band, group))
    return [next(beliefs) if each else None for each in taken]


def places_of(rows: Sequence[Mapping[str, Any]]) -> list[Place]:
    """Where each row is looked for: at its level, and above or below it as its signal says."""
    levels = [(row["family"], row["level"]) for row in rows]
    signals = deviations(levels, [row["signal"] for row in rows])
    return [(*level, signal) for level, signal in zip(levels, signals, strict=True)]


def believed(
    places: Sequence[Place],
    tallies: Sequence[Tally],
    band: tuple[float, float],
    group: int,
    course: Course = UNTOLD,
) -> list[Belief]:
    """What the replies to all items tell of each."""
    if not tallies:
        return []
    view = seen(places, tallies, course)
    return beliefs(tallies, view.told[view.kinds], band, group)


def ask(
    rows: Sequence[Mapping[str, Any]],
    asked: Sequence[int],
    tallies: Sequence[Tally],
    policy: Policy,
    number: int,
    judge: Judge = judge_in_workers,
    hear: Hear | None = None,
) -> list[Tally]:
    """The tallies with so many more replies to each row, of a round of this number.

    `hear` is told of the replies and what became of them.
    """
    found = list(tallies)
    for some in sorted(set(asked) - {0}):
        chosen = [place for place, count in enumerate(asked) if count == some]
        questions = [question_of(rows[place], f"score {number}") for place in chosen]
        groups = sampled(policy, questions, some)
        verdicts = judge_groups([rows[place] for place in chosen], groups, judge)
        for place, replies, group in zip(chosen, groups, verdicts, strict=True):
            if hear:
                hear(place, replies, group)
            # A verifier that fails says nothing of the policy, but costs a trial all the same. A
            # reply that could not be had costs none.
            trials, successes = found[place]
            right = sum(verdict.correct for verdict in group)
            found[place] = trials + given(replies), successes + right
    return found


def sampled(policy: Policy, questions: Sequence[Question], n: int) -> list[list[Reply]]:
    """n replies to each question, counted."""
    start = perf_counter()
    groups = policy.sample(questions, n)
    seconds = perf_counter() - start
    count("policy_seconds", seconds)
    count("gpu_seconds", seconds * getattr(policy, "gpus", 0))  # of an endpoint's nothing is known
    count("replies", sum(map(given, groups)))
    count("lost_replies", sum(len(group) - given(group) for group in groups))
    count("tokens", sum(len(reply.tokens) for group in groups for reply in group))
    return groups


def given(replies: Sequence[Reply]) -> int:
    """How many of them could be had."""
    return sum(not reply.error for reply in replies)


def judge_groups(
    rows: Sequence[Mapping[str, Any]], groups: Sequence[Sequence[Reply]], judge: Judge
) -> list[list[Verdict]]:
    """Verdicts on several replies to each row."""
    flat = [
        (row, reply.text)
        for row, group in zip(rows, groups, strict=True)
        for reply in group
        if not reply.error
    ]
    judged = judge([row for row, _ in flat], [text for _, text in flat])
    count("verifier_errors", sum(verdict.status == "error" for verdict in judged))
    verdicts = iter(judged)
    return [
        [
            Verdict(0.0, False, "error", reply.error) if reply.error else next(verdicts)
            for reply in group
        ]
        for group in groups
    ]


def question_of(row: Mapping[str, Any], purpose: str) -> Question:
    """The row as a question, with a seed of its own for each purpose."""
    seed = blake2b(f"{purpose}\0{row['uid']}".encode(), digest_size=7).digest()
    return Question(
        tuple(row["prompt"]),
        int.from_bytes(seed),
        tuple(image["bytes"] for image in row["images"] or ()),
    )
