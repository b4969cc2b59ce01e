"""Papers' rewards and advantages, each with numbers worked by hand."""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import exp, gamma, isnan, log, nan, pi, tanh
from pathlib import Path
from typing import Any

import pytest
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.matches import Ply, Transcript
from puzzlemill.difficulty.policies.forward_pass import (
    Certainty,
    completion_ranks,
    effective_rank,
)
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.difficulty.votes import Vote, majority
from puzzlemill.outputs.sections.votes import Poll, audit
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.advantages import (
    ADVANTAGES,
    advantages,
    conversation_advantages,
    useful_groups,
)
from puzzlemill.trainer.advantages.tempo import branch_values
from puzzlemill.trainer.advantages.ucas import token_advantages
from puzzlemill.trainer.advantages.verl_hidden_state import dynamics, with_bonus
from puzzlemill.trainer.appeals import AppealQueue
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.rollouts import Prompt, Rollouts
from puzzlemill.trainer.schedule import Ticket
from puzzlemill.trainer.selfplay import Match, PlayedGame, anchor_advantages, samples_of
from puzzlemill.trainer.settings import Appeal, Train, TrainGames
from puzzlemill.trainer.settings.games import Play
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Shaping
from puzzlemill.trainer.shapings import Groups, Rewards, rewards, share_left_out, updated_memory
from puzzlemill.trainer.shapings._groups import answers
from puzzlemill.trainer.shapings.denoised import RATES
from puzzlemill.trainer.shapings.ngram_repetition import repetition
from puzzlemill.trainer.shapings.observe_r1 import shortest
from puzzlemill.trainer.shapings.pf_ppo import best, best_random, best_worst, r_squared
from puzzlemill.trainer.train_samples import certainty_of_conversations

BONUS: dict[str, Any] = {"shortest_bonus": 1.0, "shortest_above": 5}
KL_IN_REWARD = Loss(advantage="bnpo", decompose=True, kl=0.1, kl_in="reward")
SUMS = row_of(generate("sums", level=0.0, seed=1, n=1)[0])


def said(score: float, tokens: int | Sequence[int] = 1, text: str = "") -> Conversation:
    numbers = (0,) * tokens if isinstance(tokens, int) else tuple(tokens)
    reply = Reply(text, tokens=numbers, logps=(-0.5,) * len(numbers))
    status = "correct" if score == 1 else "wrong"
    return Conversation((Attempt((), reply),), Verdict(float(score), score == 1, status))  # type: ignore[arg-type]


def shaped(*groups: list[Conversation], rows: Any = None, **settings: Any) -> list[list[float]]:
    found: list[list[float]] = rewards(seen(*groups, rows=rows, **settings)).replies_PG.tolist()
    return found


def seen(*groups: list[Conversation], rows: Any = None, **settings: Any) -> Groups:
    scores_PG = torch.tensor([[float(each.verdict) for each in group] for group in groups])
    train = Train(reward=Shaping(**settings))
    return Groups(rows or [SUMS] * len(groups), groups, scores_PG, train, 100, 0)


def sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x))


def test_grpo_lambda_charges_length_only_where_groups_are_right_most_often() -> None:
    sure = [said(1, 10), said(1, 20), said(1, 30), said(1, 20)]
    torn = [said(1, 10), said(1, 90), said(0, 50), said(0, 5)]
    # The mean of 10, 20, 30 and 20 is 20, the deviation the root of 50.
    far = 10 / 50**0.5
    costs = [0.5 * sigmoid(-far), 0.25, 0.5 * sigmoid(far), 0.25]
    found = shaped(sure, torn, grpo_lambda=0.5, lambda_share=0.5)
    assert found[0] == pytest.approx([1 - cost for cost in costs])
    assert found[1] == [1, 1, 0, 0]
    both = shaped(sure, torn, grpo_lambda=0.5, lambda_share=1.0)
    assert both[1] == pytest.approx([1 - 0.5 * sigmoid(-1), 1 - 0.5 * sigmoid(1), 0, 0])
    assert shaped(torn, grpo_lambda=0.5, lambda_share=0.0) == [[1, 1, 0, 0]]


def test_kimi_s_length_reward_praises_only_what_is_right() -> None:
    group = [said(1, 10), said(1, 30), said(0, 50), said(0, 20), said(1, 70)]
    # One half less the way from the shortest: 1/2, 1/6, -1/6, 1/3 and -1/2.
    assert shaped(group, kimi_length=0.6) == [pytest.approx([1 + 0.3, 1 + 0.1, -0.1, 0.0, 1 - 0.3])]
    assert shaped([said(1, 7), said(0, 7)], kimi_length=1.0) == [[1, 0]]


def test_observe_r1_pays_the_shortest_right_reply_if_it_is_long_enough() -> None:
    group = [said(1, 40), said(0, 20), said(1, 30), said(1, 30)]
    assert shaped(group, shortest_bonus=0.25, shortest_above=29) == [[1, 0, 1.25, 1]]
    assert shaped(group, shortest_bonus=0.25, shortest_above=30) == [[1, 0, 1, 1]]
    assert not shortest(torch.zeros(1, 3), torch.ones(1, 3), 0).any(), "none is right"


def test_observe_r1_weighs_by_what_the_verifier_says_and_not_by_what_it_earns() -> None:
    groups = seen([said(1, 40), said(0), said(0), said(0)], shortest_bonus=1.0, shortest_above=9)
    loss = Loss(advantage="observe_r1", sigma=2.0)
    found = advantages(rewards(groups).replies_PG, loss, replace(groups, settings=Train(loss=loss)))
    # Rewards 2, 0, 0, 0: 3/2 of a deviation of 1 above; the weight is 8 · 1/4 · 3/4.
    assert found.tolist() == [pytest.approx([1.5 * 1.5, -0.75, -0.75, -0.75], abs=1e-5)]


def test_par_bounds_rewards_around_what_the_item_was_scored() -> None:
    rows = [SUMS | {"mean": 0.75}, SUMS | {"mean": None}]
    group = [said(1), said(0)]
    found = shaped(group, group, rows=rows, par=True)
    assert found[0] == pytest.approx([sigmoid(0.25), sigmoid(-0.75)])
    assert found[1] == pytest.approx([sigmoid(0.5), sigmoid(-0.5)])


def test_darling_multiplies_by_how_few_give_the_same_answer() -> None:
    texts = [
        "<answer>7</answer>",
        "so <answer> 7 </answer>",
        "<answer>+7</answer>",
        "<answer>8</answer>",
    ]
    group = [said(1, text=text) for text in texts[:3]] + [said(0.5, text=texts[3]), said(1)]
    (labels,) = answers(seen(group))
    assert [labels.count(each) for each in labels] == [3, 3, 3, 1, 1]
    assert shaped(group, darling=True) == [pytest.approx([0.5, 0.5, 0.5, 0.5, 1.0])]
    same = [said(1, text=texts[0])] * 4
    assert shaped(same, darling=True) == [pytest.approx([0.1] * 4)], "the floor"


def replies(*numbers: int | str) -> list[Conversation]:
    return [said(0, text=f"<answer>{number}</answer>" if number else "hm") for number in numbers]


def test_a_majority_labels_its_own_group_whatever_gold_says() -> None:
    # MM-UPT: the label is the mode of k answers, the reward is agreement.
    group = replies(7, 7, "", 7, 8)
    assert majority(answers(seen(group))[0]) == Vote(7, 0.6)
    assert shaped(group, vote="own") == [[1, 1, 0, 1, 0]]
    assert shaped(replies(8, 7), vote="own") == [[1, 0]], "of a tie the first"
    left_out = shaped(group, vote="own", vote_share=0.61)
    assert all(isnan(each) for each in left_out[0])
    assert all(isnan(each) for each in shaped(replies("", ""), vote="own")[0])


def test_what_joined_a_group_has_no_vote() -> None:
    first, *others = replies(8, 7, 7)
    told = [replace(each, source="demonstration") for each in others]
    assert shaped([first, *told], vote="own") == [[1, 0, 0]]


def test_variants_label_one_another_by_cross_vote() -> None:
    # Co-Reward: 7 wins among the original's replies and 8 among the rewrite's; each is the label
    # of the other, so that agreement with one's own majority earns nothing.
    original = SUMS | {"uid": "a", "variant_group": None}
    rewrite = original | {"uid": "b", "variant_group": "a"}
    twin = rewrite | {"uid": "c", "answer": "another"}  # its answer says nothing of theirs
    groups = replies(7, 7, 8), replies(8, 8, 7), replies(9, 9, 9)
    found = shaped(*groups, rows=[original, rewrite, twin], vote="partner")
    assert found[:2] == [[0, 0, 1], [0, 0, 1]]
    assert all(isnan(each) for each in found[2])


def test_a_claim_pays_only_as_far_as_all_its_forms_are_judged_right() -> None:
    claim = SUMS | {"uid": "a", "family": "sums+claim", "variant_group": "s"}
    same = claim | {"uid": "b", "family": "sums+claim+paraphrase"}
    counter = claim | {"uid": "c", "family": "sums+claim+counterclaim"}
    lonely = claim | {"uid": "d", "variant_group": "other"}
    always_yes = [said(1), said(1)], [said(1), said(1)], [said(0), said(0)]
    rows = [claim, same, counter]
    assert shaped(*always_yes, rows=rows, forms=True) == [[0, 0], [0, 0], [0, 0]]
    torn = [said(1), said(0)], [said(1), said(1)], [said(1), said(0)]
    # Half of the replies to the counterclaim are right, all of those to the paraphrase.
    assert shaped(*torn, rows=rows, forms=True) == [[0.5, 0], [0.25, 0.25], [0.5, 0]]
    mixed = shaped([said(1), said(0)], [said(1), said(0)], rows=[SUMS, lonely], forms=True)
    assert mixed[0] == [1, 0], "no claim"
    assert all(isnan(each) for each in mixed[1]), "its other forms were not asked yet"


def test_the_forms_of_a_claim_are_remembered_from_step_to_step() -> None:
    claim = SUMS | {"uid": "a", "family": "sums+claim", "variant_group": "s"}
    counter = claim | {"uid": "c", "family": "sums+claim+counterclaim"}
    memory = updated_memory(seen([said(1), said(0)], rows=[claim], forms=True))
    later = replace(seen([said(1), said(1)], rows=[counter], forms=True), memory=memory)
    assert rewards(later).replies_PG.tolist() == [[0.5, 0.5]]


def test_forms_need_claims_in_several_forms() -> None:
    table = {
        "name": "a",
        "make": [{"families": ["sums+claim"]}],
        "train": {"reward": {"forms": True}},
    }
    with pytest.raises(UserError, match="none are made"):
        recipe_from(table, {})


def test_votes_of_partners_need_variants() -> None:
    table = {
        "name": "a",
        "make": [{"families": ["sums"]}],
        "train": {"reward": {"vote": "partner"}},
    }
    with pytest.raises(UserError, match="another wording of it, and none is made"):
        recipe_from(table, {})


def test_a_partner_s_vote_is_remembered_from_step_to_step() -> None:
    original = SUMS | {"uid": "a", "variant_group": None}
    rewrite = original | {"uid": "b", "variant_group": "a"}
    memory = updated_memory(seen(replies(7, 7, 8), rows=[original], vote="partner"))
    later = replace(seen(replies(7, 8, 8), rows=[rewrite], vote="partner"), memory=memory)
    assert rewards(later).replies_PG.tolist() == [[1, 0, 0]]


def test_strong_majorities_that_gold_contradicts_are_named() -> None:
    polls = [
        Poll("a", "sums", 0.75, 0.75, True),
        Poll("b", "sums", 0.8, 0.2, False),
        Poll("c", "sums", 0.5, 0.25, False),
    ]
    found = audit(polls)
    assert (found["items"], found["doubted"]) == (3, 1)
    assert found["right"] == pytest.approx(1 / 3)
    assert found["off"] == pytest.approx((0 + 0.6 + 0.25) / 3)
    assert [poll.uid for poll in found["shown"]] == ["b"]


def test_a_reply_costs_what_it_repeats() -> None:
    assert repetition([1, 2, 1, 2, 1], 2) == 0.5, "12 and 21, each twice"
    assert repetition([1, 2, 3], 4) == repetition([1, 2, 3], 2) == 0
    group = [said(1, (1, 2, 1, 2, 1)), said(0, (1, 2, 3))]
    assert shaped(group, ngram_cost=0.5, ngram_size=2) == [[0.75, 0.0]]


def test_form_is_paid_where_an_answer_can_be_read_whether_it_is_right_or_not() -> None:
    unread = Conversation((Attempt((), Reply("no answer")),), Verdict(0.0, False, "unparsed"))
    assert shaped([said(1), said(0), unread], form=0.25) == [[1.25, 0.25, 0.0]]
    assert shaped([said(1), said(0), unread]) == [[1.0, 0.0, 0.0]]


def test_pf_ppo_keeps_the_replies_whose_rewards_can_be_relied_on() -> None:
    from random import Random

    ranked = [3, 1, 0, 2, 4]
    assert best(ranked, 3, Random(0)) == [3, 1, 0]
    assert best_worst(ranked, 3, Random(0)) == [3, 1, 4]
    kept = best_random(ranked, 4, Random(0))
    assert kept[:2] == [3, 1]
    assert {*kept[2:]} < {0, 2, 4}
    group = [said(1, 10), said(0, 30), said(1, 70), said(0, 10)]
    # Kimi's lengths: 1/2, 0, -1/2 and 0 for right, wrong, right, wrong.
    assert shaped(group, kimi_length=1.0) == [pytest.approx([1.5, -1 / 6 * 0, 0.5, 0.0])]
    (row,) = shaped(group, kimi_length=1.0, pf_ppo="best_worst")
    assert [each == each for each in row] == [True, False, False, True]
    (row,) = shaped(group, kimi_length=1.0, pf_ppo="best")
    assert [each == each for each in row] == [True, False, True, False]


def test_pf_ppo_takes_the_filter_whose_rewards_foretell_what_is_right() -> None:
    scores_PG = torch.tensor([[1.0, 1.0, 0.0, 0.0]])
    assert r_squared(scores_PG, scores_PG) == pytest.approx(1.0)
    # Covariance .375 over variances 1.25 and .25, of 0, 1, 2, 3 with 0, 0, 1, 1 twice as much: 0.8.
    assert r_squared(torch.tensor([[2.0, 3.0, 0.0, 1.0]]), scores_PG) == pytest.approx(0.8)
    assert r_squared(torch.tensor([[2.0, 3.0, nan, nan]]), scores_PG) == 0, "all are right"
    group = [said(1, 10), said(1, 30), said(0, 30), said(0, 70)]
    (row,) = shaped(group, kimi_length=1.0, pf_ppo="r2")
    assert row[0] == 1.5
    assert row[3] == -0.5, "the best and the worst: R² of 1, where the best two are both right"


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_rewards_are_freed_of_noise_backward_and_forward(right: float) -> None:
    """Over what the verifier says of a right or of a wrong reply, by each family's own rates."""
    paid_wrong, refused_right = 0.2, 0.1
    paid = 1 - refused_right if right else paid_wrong
    rows = [SUMS | {RATES: (paid_wrong, refused_right)}]
    (found,) = shaped([said(1), said(0)], rows=rows, error_rates="families")
    assert paid * found[0] + (1 - paid) * found[1] == pytest.approx(right, abs=1e-6)
    (found,) = shaped([said(1), said(0)], rows=rows, error_rates="families", noise="forward")
    weights = advantages(torch.tensor([found]), Loss(advantage="raw"))[0].tolist()
    assert weights == pytest.approx([refused_right, refused_right - 1])
    wanted = 0.0 if right else -(1 - paid_wrong - refused_right)
    assert paid * weights[0] + (1 - paid) * weights[1] == pytest.approx(wanted, abs=1e-6)
    (other,) = shaped([said(1)], rows=[SUMS], error_rates="families", paid_wrong=0.2)
    assert other == [pytest.approx(1.0)], "of a family that was not tried, the recipe's"


@pytest.mark.parametrize(
    ("train", "told"),
    [
        ({"reward": {"noise": "forward", "refused_right": 0.1}}, 'advantage = "raw"'),
        ({"source": "endless", "reward": {"error_rates": "families"}}, 'source = "build"'),
        ({"reward": {"error_rates": "families"}}, "verifier_probes above 0"),
    ],
)
def test_noise_that_cannot_be_corrected_is_told(train: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        recipe_from({"name": "x", "parent": "y", "train": train, "verifier_probes": 0})


def test_what_many_replies_agree_on_and_the_verifier_refuses_is_appealed(tmp_path: Path) -> None:
    seven, eight = "<answer>7</answer>", "<answer> 8 </answer>"
    agreed = [said(0, text=seven), said(0, text=f"so {seven}"), said(0, text=eight), said(0)]
    paid = [said(1, text=seven)] * 4
    crashed = [replace(said(0, text=seven), verdict=Verdict(0.0, False, "error")) for _ in range(4)]
    rows = [SUMS | {"mean": 0.75, "uid": name} for name in ("a", "b", "c")]
    groups = seen(agreed, paid, crashed, rows=rows)
    path = tmp_path / "appeals.jsonl"
    queue = AppealQueue(Appeal(share=0.5), path, {"sums": (0.0, 0.1)})
    assert queue.add(0, groups) == queue.add(3, groups) == {"appeals": 1.0}
    queue.write()
    (appeal,) = map(json.loads, path.read_text().splitlines())
    # Of 3 in 4 that are right the verifier refuses 0.1 at most: .075 beside .25 that are wrong.
    assert appeal["doubt"] == pytest.approx(0.075 / 0.325, abs=1e-5)
    told = [appeal[name] for name in ("uid", "steps", "votes", "answer", "gold", "verdict")]
    assert told == ["a", [0, 3], 0.5, "7", SUMS["answer"], "wrong"]
    assert appeal["confidence"] == pytest.approx(exp(-0.5), abs=1e-4)
    again = AppealQueue(Appeal(share=0.5), path)
    again.restore(2)
    assert again.appeals["a", "7"]["steps"] == [0], "step 3 is done again"
    for settings in (Appeal(share=0.75), Appeal(share=0.5, confidence=0.7), Appeal()):
        assert not AppealQueue(settings).add(0, groups).get("appeals")
    unknown = AppealQueue(Appeal(share=0.5), path)
    unknown.add(0, groups)
    unknown.write()
    assert json.loads(path.read_text())["doubt"] is None, "of a family that was not tried"


def test_tempo_credits_the_tokens_where_replies_part() -> None:
    """Four replies: 1 2 3 right; 1 2 4 wrong; 1 5 right; 6 wrong."""
    paths = [[1, 2, 3], [1, 2, 4], [1, 5], [6]]
    # V of nothing is 1/2, of 1 is 2/3, of 1 2 is 1/2; those of single replies are their rewards.
    assert branch_values(paths, [1.0, 0.0, 1.0, 0.0]) == [
        pytest.approx([1 / 6, -1 / 6, 1 / 2]),
        pytest.approx([1 / 6, -1 / 6, -1 / 2]),
        pytest.approx([1 / 6, 1 / 3]),
        pytest.approx([-1 / 2]),
    ]
    assert branch_values(paths[:2], [1.0, nan]) == [[0, 0, 0], [0, 0, 0]], "one alone has no branch"
    (group,) = conversation_advantages(
        Rewards(torch.tensor([[1.0, 0.0]])),
        replace(
            seen([said(1, (1, 2)), said(0, (1, 3))]),
            settings=Train(loss=Loss(advantage="tempo", positives=2.0)),
        ),
    )
    grpo = 0.5**0.5  # one half, over a deviation of the root of one half
    assert group[0] == pytest.approx((2 * grpo, 2 * (grpo + 0.5)), abs=1e-5)
    assert group[1] == pytest.approx((-grpo, -grpo - 0.5), abs=1e-5)


def test_tempo_counts_tries_as_one_conversation() -> None:
    first, second = (Attempt((), Reply("", tokens=tokens)) for tokens in ((1,), (2, 3)))
    talks = [Conversation((first, second), Verdict(1.0, True, "correct")), said(0, (1, 2, 3))]
    loss = Loss(advantage="tempo")
    groups = replace(seen(talks), settings=Train(loss=loss, tries=2))
    tried, alone = conversation_advantages(Rewards(torch.tensor([[1.0, 0.0]])), groups)[0]
    grpo = 0.5**0.5
    # They part where one goes on, and the other tries again: no token of the second try is blamed.
    assert tried == pytest.approx(grpo, abs=1e-5)
    assert alone == pytest.approx((-grpo, -grpo - 0.5, -grpo), abs=1e-5)


def test_a_build_s_own_error_rates_go_with_its_rows(tmp_path: Path) -> None:
    from puzzlemill import pipelines
    from puzzlemill.trainer.build_items import most_errors, training_rows, with_error_rates

    (tmp_path / "r.toml").write_text(
        'name = "r"\n[[make]]\nfamilies = ["sums"]\ncount = 4\n[policy]\nkind = "none"\n'
    )
    folder = pipelines.build(tmp_path / "r.toml", tmp_path / "builds")
    rows = with_error_rates(training_rows(folder)[0], folder)
    assert rows
    assert all(row[RATES] == (0.0, 0.0) for row in rows)
    (most,) = most_errors(folder).values()
    assert all(0 < rate < 0.5 for rate in most), "no error in a few tries"


def game(result: float, *states: str) -> PlayedGame:
    """A game in which the policy alone saw these states."""
    turns = tuple(
        Ply(0, "x", ({"role": "user", "content": state},), Reply("", tokens=(1,), logps=(-1.0,)))
        for state in states
    )
    ended = Transcript("quest", 1, 0.0, 0, ("me",), turns, (result,), "finished")
    return PlayedGame(Match("quest", 0.0, "alone"), ended, "me")


def test_ucas_praises_the_unsure_and_blames_the_sure() -> None:
    group = [said(1, (1, 2)), said(0, (3,)), said(1, (4,)), said(0, ())]
    # Self-certainties 2, 3, 1 and, of no tokens, 0: of mean 3/2 and deviation sqrt(5/3).
    sure = [
        Certainty((1.0, 3.0), (-4.0, 6.0)),
        Certainty((3.0,), (5.0,)),
        Certainty((1.0,), (7.0,)),
        Certainty((), ()),
    ]
    loss = Loss(advantage="ucas", positives=2.0)
    groups = replace(seen(group), settings=Train(loss=loss), certainty=[sure])
    c = [0.5 / (5 / 3) ** 0.5, 1.5 / (5 / 3) ** 0.5, -0.5 / (5 / 3) ** 0.5]
    grpo = 0.5 / (1 / 3) ** 0.5
    right = grpo * exp(-0.25 * c[0])
    (found,) = conversation_advantages(Rewards(groups.scores_PG), groups)
    assert found[0] == pytest.approx((2 * right, 2 * (right - 0.05)), abs=1e-4)
    assert found[1] == pytest.approx((-grpo * exp(0.35 * c[1]),), abs=1e-4)
    assert found[2] == pytest.approx((2 * grpo * exp(-0.25 * c[2]),), abs=1e-4)
    assert token_advantages(0.02, 0.0, (0.0, 1.0)) == [0.02, 0.0], "what is above 0 stays so"
    assert token_advantages(0.0, 1.0, (0.0, 1.0, 0.5)) == [0.0, -0.05, -0.025]
    # A reply that is left out is not compared with: of two, each is sqrt(1/2) off.
    left = Rewards(torch.tensor([[1.0, 0.0, nan, nan]]))
    (found,) = conversation_advantages(left, groups)
    half = 0.5**0.5
    assert found[0][0] == pytest.approx(2 * half * exp(0.25 * half), abs=1e-4)  # type: ignore[index]
    assert found[2] != found[2]


def test_ucas_takes_no_rounding_for_certainty() -> None:
    """Of six replies alike one is paid more: the z-scores of their certainty are 0, not those of
    the rounding of its mean."""
    sure = Certainty((13.1,), (1.0,))
    group = [said(1, (1,)) for _ in range(6)]
    groups = replace(
        seen(group), settings=Train(loss=Loss(advantage="ucas")), certainty=[[sure] * 6]
    )
    mean = torch.full((1, 6), 13.1)
    assert (mean - mean.nanmean(dim=1, keepdim=True)).any(), "the case has no rounding"
    paid = Rewards(torch.tensor([[1.2, 1.0, 1.0, 1.0, 1.0, 1.0]]))
    (found,) = conversation_advantages(paid, groups)
    (plain,) = advantages(paid.replies_PG, Loss(advantage="grpo")).tolist()
    assert found == pytest.approx(plain, rel=1e-6)


@pytest.mark.parametrize("name", ADVANTAGES.names())
def test_every_advantage_takes_a_step_that_keeps_no_group(name: str) -> None:
    groups = replace(
        seen([said(1, (1,))]),
        rows=[],
        conversations=[],
        scores_PG=torch.zeros(0, 0),
        settings=Train(loss=Loss(advantage=name)),
    )
    assert conversation_advantages(Rewards(groups.scores_PG), groups) == []


def test_equal_replies_are_equally_certain() -> None:
    """Read side by side in batches of other shapes, they would differ by rounding."""
    policy: Any = new_policy(PolicySettings())
    row = SUMS | {"images": []}
    talks = [
        Conversation(
            (Attempt(tuple(row["prompt"]), Reply("", tokens=tokens)),),
            Verdict(1.0, True, "correct"),
        )
        for tokens in ((5, 6), (7,) * 40, (5, 6), (7,) * 40, (5, 6), (8, 9, 10))
    ]
    kept = Rollouts([Prompt(Ticket(0), row)], [talks], torch.ones(1, 6))
    (sure,) = certainty_of_conversations(policy, kept)
    assert sure[0] == sure[2] == sure[4] != sure[5]
    assert sure[1] == sure[3]


def test_certainty_is_read_from_the_policy_s_logits() -> None:
    policy: Any = new_policy(PolicySettings())
    row = SUMS | {"images": []}
    tries = [Attempt(tuple(row["prompt"]), Reply("", tokens=each)) for each in ((5, 6), (7,))]
    talk = Conversation(tuple(tries), Verdict(1.0, True, "correct"))
    kept = Rollouts([Prompt(Ticket(0), row)], [[talk]], torch.ones(1, 1))
    ((sure,),) = certainty_of_conversations(policy, kept)
    ids = [*policy.tokens.ids(row["prompt"])]
    with torch.no_grad():
        hidden_TD = policy.model(torch.tensor([[*ids, 5, 6]]))[0, len(ids) - 1 :]
        logits_TV = policy.model.logits(hidden_TD) / policy.sampling.temperature
    logp_TV = logits_TV.log_softmax(1)
    uniform = 1 / logp_TV.shape[1]
    kl_T = (uniform * (log(uniform) - logp_TV)).sum(1)
    assert sure.divergence == pytest.approx((kl_T[0].item(), kl_T[1].item(), kl_T[0].item()), 1e-4)
    wanted = (logits_TV[0, 5].item(), logits_TV[1, 6].item(), logits_TV[0, 7].item())
    assert sure.logit == pytest.approx(wanted, abs=1e-4)
    seeing = replace(kept, prompts=[Prompt(Ticket(0), row | {"images": [b"x"]})])
    with pytest.raises(UserError, match="not for items with pictures"):
        certainty_of_conversations(policy, seeing)


def test_verl_adds_a_bonus_for_hidden_states_that_spread() -> None:
    # Velocities 2 - 1 and 4 - 3/2, which change by 3/2.
    assert dynamics([1.0, 2.0, 4.0]) == (4.0, 1.75, 1.5)
    assert dynamics([3.0]) == (3.0, 0.0, 0.0)
    group = [said(1, 3), said(0, 3)]
    loss = Loss(advantage="verl_hidden_state")
    groups = replace(seen(group), settings=Train(loss=loss), ranks=[[[1.0, 2.0, 4.0], [1.0, 2.0]]])
    # The means are 3, 11/8 and 3/4, so d is 1/3, 3/11 and 1 for the right reply.
    b = sigmoid(2.0)
    more = b * tanh(1 / 3) + (1 - b) * tanh(3 / 11)
    grpo = 0.5**0.5
    (found,) = advantages(groups.scores_PG, loss, groups).tolist()
    assert found == [
        pytest.approx(grpo + min(more, grpo / 2), abs=1e-4),
        pytest.approx(-grpo, abs=1e-4),
    ]
    assert with_bonus(groups.scores_PG, torch.full((1, 2), 9.0), loss)[0].tolist() == pytest.approx(
        [1.5 * grpo, -0.5 * grpo], abs=1e-4
    ), "one half of the advantage at most"


def test_the_effective_rank_is_the_exponential_of_the_entropy_of_singular_values() -> None:
    corners = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    assert effective_rank(corners) == pytest.approx(2.0)
    assert effective_rank(corners[:2]) == pytest.approx(1.0), "all on a line"
    # Of 3 and 1: shares of 3/4 and 1/4.
    wide = corners * torch.tensor([3.0, 1.0])
    assert effective_rank(wide) == pytest.approx(exp(-0.75 * log(0.75) - 0.25 * log(0.25)))
    assert effective_rank(torch.ones(3, 2)) == effective_rank(torch.zeros(0, 2)) == 1.0
    policy: Any = new_policy(PolicySettings())
    ((short, long)) = completion_ranks(policy.model, [((3,), (5,)), ((3,), (5, 6, 7, 8, 9))], 2)
    assert short == [1.0]
    hidden_TD = policy.model(torch.tensor([[3, 5, 6, 7, 8, 9]]))[0, 1:].detach()
    assert long == pytest.approx([effective_rank(hidden_TD[:end]) for end in (2, 4, 5)], rel=1e-3)


def test_gigpo_compares_turns_in_the_same_state() -> None:
    games = [
        game(1.0, "start", "door"),
        game(0.0, "start", "well"),
        game(1.0, "start", "door", "key"),
    ]
    # The last turn first. Of start: 1/2, 0 and 1/4, whose mean is 1/4; of door: 1 and 1/2.
    wanted = [0.25, 0.25, 0.0, -0.25, 0.0, -0.25, 0.0]
    assert anchor_advantages(games, 0.5) == wanted
    other = replace(games[0], match=Match("quest", 0.5, "alone"))
    assert anchor_advantages([games[1], other], 1.0) == [0, 0, 0, 0], "another level"
    policy: Any = new_policy(PolicySettings())
    settings = TrainGames(play=Play(games=("quest",), discount=0.5, anchor=2.0))
    found = [each.advantage for each in samples_of(policy, games, {}, settings)]
    returns = [1.0, 0.5, 0.0, 0.0, 1.0, 0.5, 0.25]
    assert found == [one + 2 * more for one, more in zip(returns, wanted)]


def test_bnpo_normalises_several_rewards_apart() -> None:
    """Of four replies two are right, in both groups, and the first is the shortest of these."""
    loss = Loss(advantage="bnpo", decompose=True)
    both = [[said(1, 10), said(1, 30), said(0, 30), said(0, 70)]] * 2
    groups = replace(seen(*both), settings=Train(loss=loss, reward=Shaping(**BONUS)))
    shaped_PG = rewards(groups).replies_PG
    assert shaped_PG[0].tolist() == [2, 1, 0, 0]
    # Scores: Beta(3/2, 3/2) at 1/2, 4/pi. The bonus: Beta(5/4, 7/4) at 1/4.
    score = 0.5 / (4 / pi)
    density = gamma(3) / gamma(1.25) / gamma(1.75) * 0.25**0.25 * 0.75**0.75
    other = 0.25 / density
    wanted = [score + 3 * other, score - other, -score - other, -score - other]
    assert advantages(shaped_PG, loss, groups).tolist() == [pytest.approx(wanted, abs=1e-4)] * 2
    # A KL divergence in the reward is a further part: nothing where it is alike for all.
    in_reward = replace(groups, settings=replace(groups.settings, loss=KL_IN_REWARD))
    assert advantages(shaped_PG - 1, KL_IN_REWARD, in_reward)[0].tolist() == pytest.approx(
        wanted, abs=1e-4
    )
    whole = replace(groups, settings=Train(loss=Loss(advantage="bnpo")))
    together = advantages(shaped_PG, whole.settings.loss, whole)
    assert together[0, 0] - together[0, 1] == pytest.approx(together[0, 1] - together[0, 2].item())


def test_bnpo_normalises_apart_what_is_left_of_each_group() -> None:
    loss = Loss(advantage="bnpo", decompose=True)
    reward = Shaping(**BONUS, pf_ppo="best_worst", pf_ppo_share=0.5)
    group = [said(1, 10), said(1, 30), said(0, 30), said(0, 70)]
    groups = replace(seen(group), settings=Train(loss=loss, reward=reward))
    shaped = rewards(groups)
    assert share_left_out(groups, shaped) == {"left out": 0.5}
    found = advantages(shaped.replies_PG, loss, groups)[0].tolist()
    # Two are left, one right and with the bonus: of each Beta(4/3 or less) at 1/2.
    density = gamma(2 + 1 / 3) / gamma(7 / 6) ** 2 * 0.5 ** (1 / 3)
    assert found == pytest.approx([1 / density, nan, nan, -1 / density], abs=1e-4, nan_ok=True)


def test_where_nothing_was_kept_nothing_is_shaped() -> None:
    lengths = {"brevity": 0.5, "grpo_lambda": 0.5, "kimi_length": 1.0, "shortest_bonus": 0.2}
    reward = Shaping(**lengths, darling=True, par=True, pf_ppo="r2", ngram_cost=1.0)
    nothing = Groups([], [], torch.zeros(0, 0), Train(reward=reward), 100, 0)
    assert rewards(nothing).replies_PG.shape == (0, 0)


def test_negative_reinforcement_weighs_right_replies_by_lambda() -> None:
    """Right replies count 0.1 and wrong ones -1, in groups that are all wrong too."""
    groups = replace(
        seen([said(1), said(0), said(0)], [said(0)] * 3),
        settings=Train(loss=Loss(advantage="raw", positives=0.1)),
    )
    found = conversation_advantages(rewards(groups), groups)
    assert found == [[pytest.approx(0.1), -1, -1], [-1, -1, -1]]
    assert useful_groups(groups.scores_PG, groups.settings.loss).all()
    only_wrong = replace(groups, settings=Train(loss=Loss(advantage="raw", positives=0.0)))
    assert conversation_advantages(rewards(only_wrong), only_wrong)[0] == [0, -1, -1], "NSR"


def test_loop_is_the_leave_one_out_baseline_with_clipped_ratios() -> None:
    rewards_PG = torch.tensor([[1.0, 0.0, 0.5]])
    # Above the means of the other two: 1 - 1/4, 0 - 3/4, 1/2 - 1/2.
    assert advantages(rewards_PG, Loss(advantage="rloo", ratio="clip")).tolist() == [
        pytest.approx([0.75, -0.75, 0.0])
    ]
