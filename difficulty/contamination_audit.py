"""Whether reinforcement learning has seen an item: Self-Critique, and plainer scores beside it.

A policy is asked once, and once more to criticise its answer and to take another path. On an item
that it was trained on, the second answer runs like the first: the entropies of their tokens are
alike. A policy that cannot criticise itself is sampled anew instead, and the entropy and the least
likely tokens of its first answer are baselines. Items that nobody can have seen say what is usual.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.core import registry
from puzzlemill.core.address import Address
from puzzlemill.core.item import make
from puzzlemill.core.rows import row_of
from puzzlemill.difficulty.policies.forward_pass import completion_entropies, completion_logps
from puzzlemill.difficulty.policies.model import LocalPolicy, at_temperature
from puzzlemill.difficulty.policies.policy import Question, Reply, all_received
from puzzlemill.difficulty.scoring import question_of, sample

CRITIQUE = (
    "Criticise your answer: what could be wrong with it? Then answer once more, by another path of"
    " reasoning."
)
SAMPLED = 4  # answers at temperature 1, for `resampled`
LEAST = 0.2  # the share of tokens that are the least likely ones: Min-K%'s
TINY = 1e-6  # a sequence of entropies below this is nothing: the policy has collapsed

Row = Mapping[str, Any]
Scores = Mapping[str, float]  # by name, each high where the item was likely trained on


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its answer, and the entropy of each of its tokens."""

    question: Question
    reply: Reply
    entropies_T: Tensor


def similarity(first_T: Tensor, second_T: Tensor) -> float:
    """The cosine of two sequences of entropies; what one is shorter by counts as 0."""
    longest = max(len(first_T), len(second_T))
    one, other = (functional.pad(each, (0, longest - len(each))) for each in (first_T, second_T))
    if one.norm() < TINY and other.norm() < TINY:
        return 1.0
    return float(functional.cosine_similarity(one, other, dim=0))


def auc(members: Sequence[float], others: Sequence[float]) -> float:
    """How often a member scores higher than another item; a tie counts one half."""
    wins = sum((one > other) + (one == other) / 2 for one in members for other in others)
    return wins / (len(members) * len(others))


def auc_error(share: float, members: int, others: int) -> float:
    """The standard error of an AUC (Hanley and McNeil, 1982)."""
    two_members, two_others = share / (2 - share), 2 * share**2 / (1 + share)
    spread = (
        share * (1 - share)
        + (members - 1) * (two_members - share**2)
        + (others - 1) * (two_others - share**2)
    )
    return sqrt(max(spread, 0.0) / (members * others))


def least_likely(logps_T: Tensor, share: float = LEAST) -> float:
    """The mean log-probability of this share of the tokens, the least likely ones (Min-K%)."""
    count = max(1, int(len(logps_T) * share))
    return float(logps_T.sort().values[:count].mean())


def unseen(row: Row, seed: int) -> dict[str, Any]:
    """A fresh item of the row's family, knobs and index, at a seed that nobody trained on."""
    family = registry.family(row["family"])
    address = Address(family.name, family.version, row["knobs"], "test", seed, row["index"])
    return row_of(make(family, address, row["level"]))


def memory_scores(policy: LocalPolicy, rows: Sequence[Row]) -> list[Scores | None]:
    """How each item scores by a greedy policy; None where the item does not fit."""
    questions = {at: question_of(row, "self-critique") for at, row in enumerate(rows)}
    first = {at: one for at, (one, *_) in _answered(policy, questions, 1).items()}
    second = _answered(policy, {at: _critique(each) for at, each in first.items()}, 1)
    asked = {at: first[at].question for at in second}
    again = _answered(at_temperature(policy, 1.0), asked, SAMPLED)
    places = sorted(second.keys() & again.keys())
    with torch.inference_mode(False):
        logps = completion_logps(policy.model, [_text(policy, first[at]) for at in places])
    scores: list[Scores | None] = [None] * len(rows)
    for at, logps_T in zip(places, logps, strict=True):
        curve_T = first[at].entropies_T
        scores[at] = {
            "self_critique": similarity(curve_T, second[at][0].entropies_T),
            "resampled": fmean(similarity(curve_T, each.entropies_T) for each in again[at]),
            "entropy": -float(curve_T.mean()),
            "min_k": least_likely(logps_T),
        }
    return scores


def _critique(first: Answered) -> Question:
    turns = (
        {"role": "assistant", "content": first.reply.text},
        {"role": "user", "content": CRITIQUE},
    )
    question = first.question
    return Question((*question.messages, *turns), question.seed, question.images)


def _answered(
    policy: LocalPolicy, questions: Mapping[int, Question], number: int
) -> dict[int, list[Answered]]:
    """So many answers to each question that fits; those that say nothing are left out."""
    taken = {at: each for at, each in questions.items() if policy.takes(each)}
    groups = all_received(sample(policy, [*taken.values()], number))
    asked = [
        (at, question, reply)
        for (at, question), replies in zip(taken.items(), groups, strict=True)
        for reply in replies
        if reply.tokens
    ]
    texts = [(policy.tokens.ids(list(each.messages)), reply.tokens) for _, each, reply in asked]
    with torch.inference_mode(False):
        curves = completion_entropies(policy.model, texts)
    answers: dict[int, list[Answered]] = {}
    for (at, question, reply), curve in zip(asked, curves, strict=True):
        answers.setdefault(at, []).append(Answered(question, reply, curve))
    return answers


def _text(policy: LocalPolicy, each: Answered) -> tuple[Sequence[int], Sequence[int]]:
    return policy.tokens.ids(list(each.question.messages)), each.reply.tokens
