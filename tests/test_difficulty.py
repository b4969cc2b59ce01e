"""Posteriors, scoring and the knob model, against values known from elsewhere."""

import json
import tomllib
from collections.abc import Sequence
from itertools import combinations
from math import asinh, exp, expm1, log
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage import pool
from puzzlemill.difficulty.budget import allocate, dars_replies
from puzzlemill.difficulty.knob_model import RATES, Covariates, fit, z_scores
from puzzlemill.difficulty.mixtures import fitted, quotas, recipe_tables
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Reply
from puzzlemill.difficulty.posterior import beta_cdf, beta_quantile, jeffreys, quantiles
from puzzlemill.difficulty.ranking import ranked, stage_of
from puzzlemill.difficulty.scoring import judge_here, judge_in_workers, posteriors, score
from puzzlemill.difficulty.settings import PolicySettings, Score
from puzzlemill.difficulty.signals import signals

BAND = (0.05, 0.95)


def test_the_incomplete_beta_function_is_that_of_the_tables() -> None:
    # I_x(2, 5) = 1 - (1-x)^5 (1 + 5x); I_x(1, b) = 1 - (1-x)^b
    assert beta_cdf(0.3, 2, 5) == pytest.approx(1 - 0.7**5 * (1 + 5 * 0.3))
    assert beta_cdf(0.2, 1, 7) == pytest.approx(1 - 0.8**7)
    assert beta_cdf(0.5, 0.5, 0.5) == pytest.approx(0.5)
    assert beta_quantile(0.25, 0.5, 0.5) == pytest.approx(0.146446609)  # sin²(π/8)


def test_an_interval_is_honest_about_few_replies() -> None:
    nothing, all_wrong, even = jeffreys(0, 0), jeffreys(8, 0), jeffreys(16, 8)
    assert nothing[1] - nothing[0] > 0.95
    assert all_wrong[1] > 0.2
    assert even[0] < 0.5 < even[1]


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


def rows_of(rates: Sequence[float], level: float = 0.5) -> list[dict[str, Any]]:
    return [
        {
            "uid": f"item-{level}-{place}",
            "family": "sorting",
            "level": level,
            "signal": None,
            "puzzle": '{"numbers":[2,1]}',
            "prompt": [{"role": "user", "content": str(rate)}],
            "images": [],
        }
        for place, rate in enumerate(rates)
    ]


def test_replies_are_spent_where_the_verdict_is_open() -> None:
    policy = Coin()
    rows = [
        row
        for level, rate in ((0.0, 1.0), (0.5, 0.4), (0.9, 0.05), (1.0, 0.0))
        for row in rows_of([rate] * 20, level)
    ]
    found = score(rows, policy, Score(error=0.08), BAND, 8, judge_here)
    assert policy.asked == sum(each.trials for each in found) < 16 / 3 * len(rows)
    asked = [fmean(each.trials for each in found[place : place + 20]) for place in (0, 20, 40)]
    assert asked[2] > 1.5 * asked[1]
    assert [each.within >= 0.5 for each in found[:40]] == [False] * 20 + [True] * 20


@pytest.mark.parametrize(
    ("settings", "spent"),
    [
        (Score(until="budget", budget=3, rounds=50), lambda each: sum(each) == 3 * len(each)),
        (Score(until="precision", width=0.5), lambda each: 16 >= max(each) > min(each)),
        (Score(until="hardness", first=8, most=32), lambda each: set(each) == {8, 9, 11, 19, 32}),
    ],
)
def test_other_rules_spend_otherwise(settings: Score, spent: Any) -> None:
    found = score(
        rows_of([place / 59 for place in range(60)]), Coin(), settings, BAND, 8, judge_here
    )
    assert spent([each.trials for each in found])


def test_what_was_never_solved_is_probed_further() -> None:
    found = score(rows_of([0.0, 0.5] * 9), Coin(), Score(probe=50), BAND, 8, judge_here)
    assert all(each.trials > 50 for each in found[::2])
    solved = [each for each in found[1::2] if each.trials <= 16]
    assert len(solved) >= 8, "few of them are not solved before the probe"
    assert all(each.successes for each in solved)
    assert found[1].informs > 0.6 > 0.3 > found[0].informs


def test_hard_items_are_asked_as_often_as_dars_asks() -> None:
    assert [dars_replies(8, right, 32) for right in range(9)] == [24, 11, 3, 1, 0, 0, 0, 0, 0]
    assert [dars_replies(8, right, 64, hard=True) for right in range(9)] == [
        56,
        24,
        8,
        3,
        0,
        0,
        0,
        0,
        0,
    ]


def test_scoring_again_gives_the_same_posteriors() -> None:
    rows = rows_of([0.3] * 20)
    first = score(rows, Coin(), Score(), BAND, 8, judge_here)
    assert first == score(rows, Coin(), Score(), BAND, 8, judge_here)


def cells_drawn(source: np.random.Generator) -> tuple[list[Covariates], list[float]]:
    """A skewed pool: families that start and fall differently, most items hard."""
    places, rates = [], []
    for family in "abcdef":
        start, slope, scatter = source.normal(1, 2), source.gamma(5, 1.5), source.uniform(0.3, 1.2)
        for level in np.linspace(0, 1, 6):
            for logit in source.normal(start - slope * level, scatter, 12):
                places.append((family, float(level), 0.0))
                rates.append(float(1 / (1 + np.exp(-logit))))
    return places, rates


def test_stopping_early_does_not_spoil_the_intervals() -> None:
    covered, claimed, right = [], [], []
    for seed in range(8):
        source = np.random.default_rng(seed)
        places, rates = cells_drawn(source)
        tallies = [(0, 0)] * len(rates)
        for _ in range(12):
            asked = allocate(places, tallies, Score(error=0.08), BAND)
            more = source.binomial(asked, rates).tolist()
            tallies = [(a + n, b + m) for (a, b), n, m in zip(tallies, asked, more, strict=True)]
        for each, rate in zip(posteriors(places, tallies, BAND, 8), rates, strict=True):
            covered.append(each.low <= rate <= each.high)
            claimed.append(max(each.within, 1 - each.within))
            right.append((each.within >= 0.5) == (BAND[0] < rate < BAND[1]))
    assert 0.87 < fmean(covered) < 0.95
    assert abs(fmean(claimed) - fmean(right)) < 0.03


def test_the_knob_model_finds_the_curve_that_made_the_scores() -> None:
    source = Random(1)
    scores = []
    for level in (0.0, 0.25, 0.5, 0.75, 1.0):
        for _ in range(40):
            rate = 1 / (1 + exp(-(4 - 8 * level)))
            scores.append(("x", level, 0.0, 16, sum(source.random() < rate for _ in range(16))))
    model = fit(scores, [("x", 0.36), ("y", 0.5)])
    assert model.predictive("x", 0.5) @ RATES == pytest.approx(0.5, abs=0.06)
    assert model.predictive("x", 0.36) @ RATES == pytest.approx(0.75, abs=0.08)
    unknown = model.posterior([("y", 0.5, 0.0, 0, 0)])
    assert quantiles(unknown, 0.95)[0] - quantiles(unknown, 0.05)[0] > 0.9, "nothing is known of y"


def test_the_weight_of_a_signal_is_fitted_to_the_replies() -> None:
    source = np.random.default_rng(3)
    errors: dict[str, float] = {}
    drawn = source.normal(0, 1, 400)
    rates = 1 / (1 + np.exp(-(source.normal(-0.5, 1, 8).repeat(50) + 1.5 * drawn)))
    cells = [("x", place // 50 / 7) for place in range(400)]
    right = source.binomial(2, rates).tolist()
    for name, values in (("informative", drawn), ("empty", source.normal(0, 1, 400))):
        for used in (values.tolist(), [None] * 400):
            places = [(*c, s) for c, s in zip(cells, z_scores(cells, used), strict=True)]
            found = posteriors(places, [(2, each) for each in right], BAND, 8)
            off = np.array([each.mean for each in found]) - rates
            errors[name if used[0] is not None else "none"] = float(np.sqrt(np.mean(off**2)))
    assert errors["informative"] < 0.7 * errors["none"]
    assert errors["empty"] < 1.05 * errors["none"]


def test_a_signal_is_a_z_score_of_its_family() -> None:
    cells = [("x", 0.0)] * 3 + [("x", 1.0)] * 2
    # Level means 2 and -7 around -1.6, in units of sqrt(2 / 5), each part rounded to quarters.
    assert z_scores(cells, [1.0, 2.0, 3.0, -7.0, -7.0]) == [4.25, 5.75, 7.25, -8.5, -8.5]
    assert z_scores(cells, [None] * 5) == [0.0] * 5
    without = z_scores(cells, [1.0, None, 3.0, None, -7.0])
    assert without[1] == (without[0] + without[2]) / 2, "the mean of its level"
    assert without[3] == without[4]
    assert z_scores(cells, [3.0, 3.0, 3.0, -7.0, -7.0]) == [0.0] * 5, "no scale to measure it by"


def test_what_signals_say_of_a_level_is_known_before_it_is_asked() -> None:
    source = np.random.default_rng(4)
    logits = np.array([2.0, 1.5, -3.0, -3.5]).repeat(40) + source.normal(0, 1, 160)
    cells = [("x", place // 40 / 3) for place in range(160)]
    counts = [(2, int(source.binomial(2, 1 / (1 + np.exp(-each))))) for each in logits[:80]]
    tallies = [*counts, *[(0, 0)] * 80]
    signals = z_scores(cells, logits.tolist())
    places = [(*each, signal) for each, signal in zip(cells, signals, strict=True)]
    known = [each.mean for each in posteriors(places, tallies, BAND, 8)[80:]]
    plain = [each.mean for each in posteriors([(*c, 0.0) for c in cells], tallies, BAND, 8)[80:]]
    assert np.mean(known) < 0.15 < np.mean(plain)


def test_an_earlier_policy_s_scores_are_the_prior() -> None:
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)
    earlier = [("x", level, 0.0, 8, 8 if level < 0.6 else 0) for level in levels for _ in range(20)]
    prior = fit(earlier).prior()
    assert prior.mean("x", 0.25) > 2 > -2 > prior.mean("x", 0.9)
    for level, likely in ((0.25, True), (0.9, False)):
        cold, warm = fit([], [("x", level)]), fit([], [("x", level)], prior)
        rate = warm.predictive("x", level) @ RATES
        assert rate > 0.75 if likely else rate < 0.25
        assert 0.2 < cold.predictive("x", level) @ RATES < 0.8


def test_a_mixture_is_fitted_to_pilots() -> None:
    pilots = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]

    def truth(a: float, b: float, c: float) -> float:
        return a + b + 4 * a * b - c

    shares = [[part / sum(pilot) for part in pilot] for pilot in pilots]
    best, promise = fitted(pilots, [truth(*each) for each in shares])
    assert best == pytest.approx([0.5, 0.5, 0.0], abs=0.02)
    assert promise == pytest.approx(2.0, abs=0.05)
    assert quotas(best, 101) in ([51, 50, 0], [50, 51, 0])
    assert quotas([1, 1, 1], 100) == [34, 33, 33]
    with pytest.raises(UserError, match="two pilots or more"):
        fitted([[1, 0]], [0.5])


def test_a_fitted_mixture_is_written_as_a_recipe(tmp_path: Path) -> None:
    pilots = [{"weights": w, "score": s} for w, s in (([1, 0], 0.2), ([0, 1], 0.4), ([1, 1], 0.6))]
    file = tmp_path / "pilots.json"
    file.write_text(json.dumps({"sources": ["basics", "sudoku"], "pilots": pilots}))
    made = tomllib.loads(recipe_tables(file, 900))["make"]
    assert [each["families"] for each in made] == [["basics"], ["sudoku"]]
    assert made[1]["count"] > 4 * made[0]["count"], "there are nine families of basics"
    file.write_text(json.dumps({"sources": ["basics"], "pilots": pilots}))
    with pytest.raises(UserError, match="each pilot needs 1 weights"):
        recipe_tables(file, 900)


def test_a_family_that_is_always_or_never_solved_is_no_error() -> None:
    scores = [
        (name, level, 0.0, 16, 16 * right)
        for name, right in (("easy", 1), ("hard", 0))
        for level in (0.0, 0.5, 1.0)
        for _ in range(20)
    ]
    model = fit(scores)
    assert model.predictive("easy", 1.0) @ RATES > 0.9
    assert model.predictive("hard", 0.0) @ RATES < 0.1


def test_a_schedule_orders_from_easy_to_hard() -> None:
    known = ((0.2, 0.0), (0.9, 0.5), (0.5, 1.0), (None, 0.5), (None, 0.0))
    rows = [{"uid": str(n), "mean": mean, "level": level} for n, (mean, level) in enumerate(known)]
    assert ranked(rows, "easy_to_hard") == [1, 2, 0, 4, 3]
    assert ranked(rows, "as_made") == [0, 1, 2, 3, 4]
    told = [row | {"informs": (row["mean"] or 0) * (1 - (row["mean"] or 0))} for row in rows]
    assert ranked(told, "informative") == [2, 0, 1, 4, 3]
    assert [stage_of(rank, 8, 4) for rank in range(8)] == [f"stage-{1 + n // 2}" for n in range(8)]


def test_the_angle_of_a_prompt_is_the_mean_cosine_of_its_tokens_states() -> None:
    policy: Any = new_policy(PolicySettings())
    rows = [row_of(item) for item in generate("sums", level=0.5, seed=1, n=2)]
    for row, found in zip(rows, signals(policy, rows, "angle"), strict=True):
        states_TD = policy.model(torch.tensor([policy.tokens.ids(row["prompt"])]))[0].detach()
        pairs = combinations(functional.normalize(states_TD, dim=1), 2)
        assert found == pytest.approx(fmean(float(one @ other) for one, other in pairs), abs=1e-4)


def test_the_signal_of_an_answer_rises_with_how_likely_the_policy_finds_it() -> None:
    policy: Any = new_policy(PolicySettings())
    row = row_of(*generate("sums", level=0.5, seed=1, n=1))
    rows = [row | {"answer": answer} for answer in (row["answer"], "7", "x", "1" * 30)]
    likely = []
    for each in rows:
        prompt = policy.tokens.ids(each["prompt"])
        said = policy.tokens.continuation(f"<answer>{each['answer']}</answer>")
        hidden_TD = policy.model(torch.tensor([prompt + said]))[0, len(prompt) - 1 : -1]
        logp_TV = policy.model.logits(hidden_TD).log_softmax(dim=1)
        likely.append(logp_TV.gather(1, torch.tensor(said)[:, None]).sum().item())
    found = signals(policy, rows, "answer")
    order = sorted(range(4), key=likely.__getitem__)
    assert sorted(range(4), key=lambda place: found[place] or 0.0) == order
    for value, logp in zip(found, likely, strict=True):
        odds = logp - log(-expm1(logp))
        assert value == pytest.approx(asinh(odds / 2), abs=1e-3)


def test_replies_to_a_row_that_say_the_same_answer_are_judged_once() -> None:
    one, two = (row_of(item) for item in generate("arithmetic_chain", seed=3, n=2))
    right, shouted = f"<answer>{one['answer']}</answer>", f"SO <ANSWER> {one['answer']} </ANSWER>"
    rows = [one, one, one, two, dict(one), one, one]
    replies = [right, shouted, "no answer", right, f"Thus {right}", "none either", "<answer>1 1"]
    calls: list[int] = []
    with pool.heard_by(lambda _, total: calls.append(total)):
        verdicts = judge_in_workers(rows, replies)
    assert calls[-1] == 3  # one's answer, what has none, and the answer of one to two
    assert verdicts == judge_here(rows, replies)
    assert [verdict.correct for verdict in verdicts] == [
        True,
        True,
        False,
        False,
        True,
        False,
        False,
    ]
