"""Scoring: a policy is sampled in rounds, its replies are judged, and pass rates are estimated.

Adaptive stopping biases successes over trials: use the posterior, never the ratio.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import compress
from time import perf_counter
from typing import Any

from puzzlemill.core.counters import count
from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.replies import answer_text
from puzzlemill.core.storage import pool
from puzzlemill.core.verdict import Verdict, check
from puzzlemill.difficulty.budget import Tally, allocate, estimate, probes
from puzzlemill.difficulty.gate import first_counts, gated
from puzzlemill.difficulty.knob_model import WIDE_PRIOR, Covariates, LevelPrior, z_scores
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply, check_policy, refusal
from puzzlemill.difficulty.posterior import Posterior, summaries
from puzzlemill.difficulty.predictor import covariates_by_regression
from puzzlemill.difficulty.prompt_styles import in_style
from puzzlemill.difficulty.settings import Score

DEFAULT = Score()

Judge = Callable[[Sequence[Mapping[str, Any]], Sequence[str]], list[Verdict]]
OnGroup = Callable[[int, Sequence[Reply], Sequence[Verdict]], None]  # of the row at a place


def judge_in_workers(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    """Verdicts from worker processes: a verifier that hangs costs its own answer only. Replies to
    one row that say the same answer are judged once."""
    calls: dict[tuple[Any, ...], tuple[dict[str, Any], str]] = {}
    keys = []
    for row, reply in zip(rows, replies, strict=True):
        judged = {name: row[name] for name in ("uid", "family", "version", "puzzle")}
        keys.append((*judged.values(), answer_text(reply)))
        calls.setdefault(keys[-1], (judged, reply))
    results = pool.run("puzzlemill.core.verdict:check", [*calls.values()], seconds=20)
    verdicts = {
        key: Verdict(0.0, False, "error", each.reason) if isinstance(each, Failure) else each
        for key, each in zip(calls, results, strict=True)
    }
    return [verdicts[key] for key in keys]


def judge_here(rows: Sequence[Mapping[str, Any]], replies: Sequence[str]) -> list[Verdict]:
    return [check(row, reply) for row, reply in zip(rows, replies, strict=True)]


def score(
    rows: Sequence[Mapping[str, Any]],
    policy: Policy,
    settings: Score,
    band: tuple[float, float],
    group: int,
    judge: Judge = judge_in_workers,
) -> list[Posterior]:
    """A posterior for each row, in rounds over all rows."""
    tallies = [(0, 0)] * len(rows)
    for number in range(1, rounds_of(settings) + 1):
        if number == 1:
            counts = first_counts((row["uid"] for row in rows), settings)
        else:
            covariates = covariates_of(rows, tallies, settings)
            counts = allocation(number, covariates, tallies, settings, band)
        tallies = ask(rows, counts, tallies, policy, number, judge)
    return posteriors(covariates_of(rows, tallies, settings), tallies, band, group)


def rounds_of(settings: Score) -> int:
    """The most rounds there can be, the probe of what was never solved among them."""
    return settings.rounds + bool(settings.probe)


def allocation(
    number: int,
    covariates: Sequence[Covariates],
    tallies: Sequence[Tally],
    settings: Score,
    band: tuple[float, float],
    prior: LevelPrior = WIDE_PRIOR,
) -> list[int]:
    """How many replies each item gets in the round of this number, after the first."""
    if number > settings.rounds:
        return probes(tallies, settings)
    if settings.gate:
        return gated(covariates, tallies, settings, band, prior)
    return allocate(covariates, tallies, settings, band, prior)


def score_taken(
    rows: Sequence[Mapping[str, Any]],
    policy: Policy,
    replies: int | None,
    most: int,
    band: tuple[float, float],
    group: int,
) -> list[Posterior | None]:
    """A posterior for each row that the policy takes, None for the others: from `replies` replies
    each, or, without that number, from up to `most`, until its side of the band is clear."""
    check_policy(policy)
    if min(most, group, most if replies is None else replies) < 1:
        raise UserError(f"replies = {replies}, most = {most}, group = {group}: each is 1 or more")
    if not 0 <= band[0] < band[1] <= 1:
        raise UserError(f"band is two pass rates from 0 to 1, the lower one first, not {band}")
    settings = Score(most=most)
    if replies is not None:
        settings = Score(until="budget", first=replies, most=replies, rounds=1)
    if sampling := getattr(policy, "sampling", None):
        rows = [in_style(row, sampling.style, sampling.system) for row in rows]
    taken = [refusal(policy, question_of(row, "score")) is None for row in rows]
    scored = iter(score(list(compress(rows, taken)), policy, settings, band, group))
    return [next(scored) if each else None for each in taken]


def covariates_of(
    rows: Sequence[Mapping[str, Any]],
    tallies: Sequence[Tally] = (),
    settings: Score = DEFAULT,
) -> list[Covariates]:
    """Family, level and signal of each row; in the place of the signal what a regression says that
    is fitted to the replies so far, if the settings say so."""
    if settings.covariate == "regression":
        return covariates_by_regression(rows, tallies)
    levels = [(row["family"], row["level"]) for row in rows]
    signals = z_scores(levels, [row["signal"] for row in rows])
    return [(*level, signal) for level, signal in zip(levels, signals, strict=True)]


def posteriors(
    covariates: Sequence[Covariates],
    tallies: Sequence[Tally],
    band: tuple[float, float],
    group: int,
    prior: LevelPrior = WIDE_PRIOR,
) -> list[Posterior]:
    """The posterior of each item, by the replies to all of them."""
    if not tallies:
        return []
    estimates = estimate(covariates, tallies, prior)
    return summaries(tallies, estimates.densities[estimates.index], band, group)


def ask(
    rows: Sequence[Mapping[str, Any]],
    counts: Sequence[int],
    tallies: Sequence[Tally],
    policy: Policy,
    number: int,
    judge: Judge = judge_in_workers,
    on_group: OnGroup | None = None,
) -> list[Tally]:
    """The tallies after `counts` more replies to the rows, in the round of this number.

    `on_group` gets each row's replies with their verdicts.
    """
    updated = list(tallies)
    # The rows that get equally many replies are sampled in one call.
    for n in sorted(set(counts) - {0}):
        chosen = [place for place, count in enumerate(counts) if count == n]
        questions = [question_of(rows[place], f"score {number}") for place in chosen]
        groups = sample(policy, questions, n)
        verdicts = judge_groups([rows[place] for place in chosen], groups, judge)
        for place, replies, group in zip(chosen, groups, verdicts, strict=True):
            if on_group:
                on_group(place, replies, group)
            # A verifier's error says nothing of the policy, but counts as a trial all the same. A
            # reply that was lost on the way is none.
            trials, successes = updated[place]
            right = sum(verdict.correct for verdict in group)
            updated[place] = trials + received(replies), successes + right
    return updated


def sample(policy: Policy, questions: Sequence[Question], n: int) -> list[list[Reply]]:
    """The policy's n replies to each question; time, tokens and losses go to the build's counts."""
    start = perf_counter()
    groups = policy.sample(questions, n)
    seconds = perf_counter() - start
    count("policy_seconds", seconds)
    count("gpu_seconds", seconds * getattr(policy, "gpus", 0))  # an endpoint's are unknown
    count("replies", sum(map(received, groups)))
    count("lost_replies", sum(len(group) - received(group) for group in groups))
    count("tokens", sum(len(reply.tokens) for group in groups for reply in group))
    return groups


def received(replies: Sequence[Reply]) -> int:
    """How many came without an error."""
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
    """The row as a question; its seed follows from the uid and the purpose."""
    seed = blake2b(f"{purpose}\0{row['uid']}".encode(), digest_size=7).digest()
    return Question(
        tuple(row["prompt"]),
        int.from_bytes(seed),
        tuple(image["bytes"] for image in row["images"] or ()),
    )
