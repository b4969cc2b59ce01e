"""Posteriors, scoring and the knob model, against values known from elsewhere."""

from collections.abc import Sequence
from math import exp
from random import Random
from typing import Any

import pytest

from puzzlemill.core.recipe import Score
from puzzlemill.difficulty.knob_model import fit
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.posterior import Belief, beta_cdf, quantile
from puzzlemill.difficulty.schedules import ranked, stage_of
from puzzlemill.difficulty.scoring import judge_here, score


def test_the_incomplete_beta_function_is_that_of_the_tables() -> None:
    # I_x(2, 5) = 1 - (1-x)^5 (1 + 5x); I_x(1, b) = 1 - (1-x)^b
    assert beta_cdf(0.3, 2, 5) == pytest.approx(1 - 0.7**5 * (1 + 5 * 0.3))
    assert beta_cdf(0.2, 1, 7) == pytest.approx(1 - 0.8**7)
    assert beta_cdf(0.5, 0.5, 0.5) == pytest.approx(0.5)
    assert quantile(0.25, 0.5, 0.5) == pytest.approx(0.146446609)  # sin²(π/8)


def test_a_belief_is_honest_about_few_replies() -> None:
    nothing, all_wrong, even = Belief(0, 0), Belief(8, 0), Belief(16, 8)
    assert nothing.mean == 0.5
    assert nothing.high - nothing.low > 0.95
    assert all_wrong.mean == pytest.approx(0.5 / 9)
    assert all_wrong.high > 0.2
    assert even.low < 0.5 < even.high
    assert even.mean == 0.5


class Coin:
    """A policy that solves an item with the probability that its prompt states."""

    id = "coin"

    def __init__(self) -> None:
        self.asked = 0

    def takes(self, question: Question) -> bool:
        return not question.images

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        self.asked += n * len(questions)
        groups = []
        for question in questions:
            source = Random(question.seed)
            rate = float(question.messages[0]["content"])
            right = [source.random() < rate for _ in range(n)]
            groups.append([Reply(f"<answer>{'1 2' if each else '2 1'}</answer>") for each in right])
        return groups


def rows_of(rates: Sequence[float]) -> list[dict[str, Any]]:
    return [
        {
            "uid": f"item-{place}",
            "family": "sorting",
            "puzzle": '{"numbers":[2,1]}',
            "prompt": [{"role": "user", "content": str(rate)}],
            "images": [],
        }
        for place, rate in enumerate(rates)
    ]


def test_replies_are_spent_where_both_outcomes_are_not_seen_or_the_interval_is_wide() -> None:
    policy = Coin()
    settings = Score(least=4, most=16, width=0.6)
    beliefs = score(rows_of([0.0, 1.0, 0.5]), policy, settings, judge_here)
    assert beliefs[0] == Belief(16, 0)
    assert beliefs[1] == Belief(16, 16)
    assert beliefs[2].mixed
    assert beliefs[2].trials < 16
    assert policy.asked == sum(belief.trials for belief in beliefs)


def test_scoring_again_gives_the_same_beliefs() -> None:
    rows = rows_of([0.3] * 20)
    first = score(rows, Coin(), Score(), judge_here)
    assert first == score(rows, Coin(), Score(), judge_here)
    assert len({belief.successes for belief in first}) > 3


def test_the_knob_model_finds_the_curve_that_made_the_scores() -> None:
    source = Random(1)
    rows = []
    for level in (0.0, 0.25, 0.5, 0.75, 1.0):
        for _ in range(40):
            rate = 1 / (1 + exp(-(4 - 8 * level)))
            solved = sum(source.random() < rate for _ in range(16))
            rows.append({"family": "x", "level": level, "trials": 16, "successes": solved})
    curve = fit(rows)["x"]
    assert curve.at(0.5) == pytest.approx(0.5, abs=0.05)
    assert curve.level_for(0.75) == pytest.approx(0.5 - 1.0986 / 8, abs=0.03)


def test_a_family_that_is_always_or_never_solved_gets_a_flat_curve_not_an_error() -> None:
    rows = [
        {"family": name, "level": level, "trials": 16, "successes": 16 * right}
        for name, right in (("easy", 1), ("hard", 0))
        for level in (0.0, 0.5, 1.0)
        for _ in range(20)
    ]
    curves = fit(rows)
    assert curves["easy"].at(1.0) > 0.9
    assert curves["hard"].at(0.0) < 0.1


def test_a_schedule_orders_from_easy_to_hard() -> None:
    known = ((0.2, 0.0), (0.9, 0.5), (0.5, 1.0), (None, 0.5), (None, 0.0))
    rows = [{"uid": str(n), "mean": mean, "level": level} for n, (mean, level) in enumerate(known)]
    assert ranked(rows, "easy_to_hard") == [1, 2, 0, 4, 3]
    assert ranked(rows, "as_made") == [0, 1, 2, 3, 4]
    assert [stage_of(rank, 8, 4) for rank in range(8)] == [f"stage-{1 + n // 2}" for n in range(8)]
