"""The trainer's maths: every choice against its closed form, worked by hand."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from math import exp, gamma, log, pi, sqrt
from statistics import fmean
from typing import Any

import pytest
import torch

from puzzlemill.core.choices import Choices
from puzzlemill.core.errors import UserError
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.trainer.advantages import ADVANTAGES, advantages, mixed_groups, useful_groups
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.corrections import CORRECTIONS, mismatch_weight
from puzzlemill.trainer.credits import CREDITS
from puzzlemill.trainer.evaluation import consolidation, expansion, pass_at, preservation, shrinkage
from puzzlemill.trainer.kl import kl_divergence
from puzzlemill.trainer.learning_rates import RATE_SCHEDULES
from puzzlemill.trainer.means import MEANS, weights
from puzzlemill.trainer.ratios import RATIOS, Tokens, clipped_share, policy_loss
from puzzlemill.trainer.settings import Train, without_effect
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Shaping
from puzzlemill.trainer.settings.teaching import SelfImitation
from puzzlemill.trainer.shapings import SHAPINGS, Groups, applied, rewards
from puzzlemill.trainer.shapings.brevity import brevity
from puzzlemill.trainer.shapings.denoised import denoised
from puzzlemill.trainer.shapings.overlong import overlong
from puzzlemill.trainer.token_weights import TOKEN_WEIGHTS

TWO = torch.tensor([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
ABOVE = torch.tensor([[0.75, -0.25, -0.25, -0.25], [0.25, 0.25, 0.25, -0.75]])
STD = sqrt(3 / 16)  # of either group, and of both together, around the groups' means


def advantage(choice: str, rewards_PG: torch.Tensor, k: int = 4) -> torch.Tensor:
    return advantages(rewards_PG, Loss(advantage=choice, k=k))


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        ("batch_std", ABOVE / STD),
        ("grpo", ABOVE / 0.5),  # 3/4 · 4/3 over three: one half, with Bessel's correction
        ("dr_grpo", ABOVE),
        ("rloo", ABOVE * 4 / 3),
        ("reinforce", ABOVE / sqrt(8 * 3 / 16 / 7)),
        ("maxrl", ABOVE / torch.tensor([[0.25], [0.75]])),
        ("hardness", ABOVE / STD * torch.tensor([[1.384], [1.128]])),
        ("raw", 2 * TWO - 1),
        ("observe_r1", ABOVE / 0.5 * 4 * 1.8 * 3 / 16),
        ("tempo", ABOVE / 0.5),
    ],
)
def test_an_advantage_is_what_its_formula_says(choice: str, wanted: torch.Tensor) -> None:
    assert torch.allclose(advantage(choice, TWO), wanted, atol=1e-4)


def test_a_group_of_one_has_no_advantage() -> None:
    for choice in ADVANTAGES.names():
        if ADVANTAGES.load(choice).one_sided:
            continue
        assert advantage(choice, torch.ones(1, 1)).item() == 0.0


def test_bnpo_divides_by_the_beta_density_of_the_batch() -> None:
    # Means .25 and .75: centre .5, variance 1/16, size 3, so a = b = 1.5 before, 1.5 / 3 + 1 after.
    def density(p: float) -> float:
        return 8 / 3.141592653589793 * sqrt(p * (1 - p))  # Beta(1.5, 1.5)

    wanted = ABOVE / torch.tensor([[density(0.25)], [density(0.75)]])
    assert torch.allclose(advantage("bnpo", TWO), wanted, atol=1e-4)
    assert torch.isfinite(advantage("bnpo", torch.ones(3, 4))).all()


def test_bnpo_of_groups_with_one_mean_is_not_scaled_away() -> None:
    """Of four replies each, equal pass rates would give means of this spread: c is 3."""
    half, quarter = torch.tensor([[1.0, 1.0, 0.0, 0.0]]), TWO[:1]
    density = 8 / pi * 0.5  # Beta(1.5, 1.5) at one half
    wanted = torch.tensor([[0.5, 0.5, -0.5, -0.5]]) / density
    assert torch.allclose(advantage("bnpo", half), wanted, atol=1e-4), "one mixed group"
    assert torch.allclose(advantage("bnpo", half.repeat(3, 1)), wanted.repeat(3, 1), atol=1e-4)
    # Beta(1.25, 1.75) at one quarter.
    density = gamma(3) / gamma(1.25) / gamma(1.75) * 0.25**0.25 * 0.75**0.75
    assert torch.allclose(advantage("bnpo", quarter), ABOVE[:1] / density, atol=1e-4)


def test_shaped_rewards_are_brought_between_0_and_1_where_a_formula_wants_it() -> None:
    shaped = torch.tensor([[1.5, 0.5, 0.5, -0.5], [-0.5, -0.5, -0.5, 1.5]])
    inside = torch.tensor([[1.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]])
    assert torch.allclose(
        advantage("maxrl", shaped), torch.tensor([[1.0, 0, 0, -1], [-1, -1, -1, 3]])
    )
    assert torch.allclose(advantage("bnpo", shaped), advantage("bnpo", inside))
    # Means 1/2 and 1/4: centre 3/8, variance 1/64, so c = 14, and at most 3: Beta(11/8, 13/8).
    whole = gamma(3) / gamma(11 / 8) / gamma(13 / 8)
    weights = [1 / (whole * p ** (3 / 8) * (1 - p) ** (5 / 8)) for p in (0.5, 0.25)]
    above = torch.tensor([[0.5, 0, 0, -0.5], [-0.25, -0.25, -0.25, 0.75]])
    assert torch.allclose(
        advantage("bnpo", shaped), above * torch.tensor(weights)[:, None], atol=1e-4
    )
    assert torch.allclose(advantage("maxrl", TWO / 2), advantage("maxrl", TWO)), (
        "what is inside is not stretched"
    )
    for rewards_PG in ([[1.3, -0.5, -1.0, 0.0], [1.0, -1.0, -1.0, -1.0]], [[1.0, -0.99, 0.0, 0.0]]):
        for choice in ("bnpo", "maxrl"):
            found = advantage(choice, torch.tensor(rewards_PG))
            assert found.abs().max() < 4, "a group of four"
            assert found.sum(dim=1).abs().max() < 1e-5


@pytest.mark.parametrize("choice", ADVANTAGES.names())
def test_no_groups_have_no_advantages(choice: Any) -> None:
    assert advantage(choice, torch.zeros(0, 4)).shape == (0, 4)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_passk_is_the_mean_of_the_best_over_all_groups_of_k(k: int) -> None:
    scores = [0.3, 1.0, 0.0, 0.3]
    with_it = [
        sum(max(scores[n] for n in some) for some in combinations(range(4), k) if each in some)
        / sum(each in some for some in combinations(range(4), k))
        for each in range(4)
    ]
    wanted = torch.tensor([with_it]) - sum(with_it) / 4
    assert torch.allclose(advantage("passk", torch.tensor([scores]), k), wanted, atol=1e-6)


def test_one_sided_groups_are_told_exactly() -> None:
    scores_PG = torch.tensor([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    assert mixed_groups(scores_PG).tolist() == [False, False, True]
    assert mixed_groups(torch.full((1, 8), 0.1)).tolist() == [False]


def test_copo_judges_groups_whose_answers_agree_by_the_batch() -> None:
    scores_PG = torch.tensor([[1.0] * 4, [0.0] * 4, [1.0, 0, 0, 0], [1.0, 1, 1, 0]])
    # Of the means 1, 0, 1/4 and 3/4 the deviation is .4564: 1.0954 for the first two groups. The
    # others' entropy, .8113 bits, leaves sigmoid(20 (.5 - .8113)) = .0020 of the batch's judgement.
    deviation, agreed = sqrt(5 / 8 / 3), 1 / (1 + exp(20 * (0.8112781 - 0.5)))
    found = advantage("copo", scores_PG)
    assert found[0].tolist() == pytest.approx([0.5 / deviation] * 4, abs=1e-4)
    assert found[1].tolist() == pytest.approx([-0.5 / deviation] * 4, abs=1e-4)
    for row, batch in ((2, -0.25 / deviation), (3, 0.25 / deviation)):
        wanted = (1 - agreed) * ABOVE[row - 2] / 0.5 + agreed * batch
        assert found[row].tolist() == pytest.approx(wanted.tolist(), abs=1e-4)
    gentle = advantages(scores_PG, Loss(advantage="copo", copo_slope=0.0))
    assert gentle[2, 0].item() == pytest.approx(0.5 * 1.5 + 0.5 * -0.25 / deviation, abs=1e-4)
    assert gentle[0, 0].item() == pytest.approx(0.5 / deviation, abs=1e-4), "GRPO's is 0 there"


def test_copo_reads_what_replies_answer() -> None:
    from puzzlemill.trainer.advantages.copo import blended, entropy

    assert entropy(["1", "1", "2", "3"]) == 1.5
    settings = Loss(advantage="copo", copo_consistent=True)
    scores_PG = torch.tensor([[1.0, 0, 0, 0], [1.0, 1, 1, 0]])
    # lambda = (1 - 1/4) / 2 bits = 3/8: the means are 1/4 (1 - 9/16) and 3/4 (1 - 3/8), the spread
    # of two numbers is their difference over the root of 2, and w = sigmoid(20) or sigmoid(10).
    found = blended(scores_PG, torch.tensor([1.5, 1.0]), replace(settings, copo_slope=1e9))
    assert torch.allclose(found, ABOVE / 0.5, atol=1e-4)
    found = blended(scores_PG, torch.tensor([1.5, 1.0]), replace(settings, copo_middle=9.0))
    assert found[:, 0].tolist() == pytest.approx([-sqrt(0.5), sqrt(0.5)], abs=1e-4)
    third = torch.cat((scores_PG, torch.zeros(1, 4)))
    found = blended(third, torch.tensor([1.5, 1.0, 0.0]), replace(settings, copo_middle=9.0))
    means = torch.tensor([0.25 * 7 / 16, 0.75 * 5 / 8, 0.0])
    assert torch.allclose(found[:, 0], (means - means.mean()) / means.std(), atol=1e-4)


LOGP = torch.log(torch.tensor([0.5, 0.5, 0.1, 0.3, 0.9]))
OLD = torch.log(torch.tensor([0.25, 0.25, 0.2, 0.3, 0.1]))
ADVANTAGE = torch.tensor([1.0, -1.0, -1.0, 2.0, -1.0])
REPLY = torch.tensor([0, 1, 1, 2, 3])


TOKENS = Tokens(LOGP, OLD, ADVANTAGE, REPLY)


def loss(**choices: object) -> list[float]:
    found: list[float] = policy_loss(TOKENS, Loss(**choices)).tolist()  # type: ignore[arg-type]
    return found


def test_ratios_by_hand() -> None:
    # ratios 2, 2, .5, 1, 9; up is cut at 1.28, down at .8
    assert loss() == pytest.approx([-1.28, 2.0, 0.8, -2.0, 9.0])
    assert loss(dual=3.0) == pytest.approx([-1.28, 2.0, 0.8, -2.0, 3.0])
    assert loss(ratio="none") == pytest.approx((-LOGP * ADVANTAGE).tolist())
    capped = [1.28, 1.28, 0.5, 1.0, 1.28]
    wanted = -torch.tensor(capped) * ADVANTAGE * LOGP
    assert loss(ratio="cispo") == pytest.approx(wanted.tolist())
    # The second reply has two tokens whose log ratios, log 2 and log .5, cancel each other.
    assert loss(ratio="gspo") == pytest.approx([-1.28, 1.0, 1.0, -2.0, 9.0])
    assert loss(ratio="luspo") == pytest.approx([-1.28, 2.0, 2.0, -2.0, 9.0])
    assert loss(ratio="stable", dual=3.0) == pytest.approx(loss(dual=3.0))
    soft = [(1.0, 2.0), (1.05, 2.0), (1.05, 0.5), (1.0, 1.0), (1.05, 9.0)]
    wanted = [
        -a * 4 / heat / (1 + exp(-heat * (ratio - 1)))
        for a, (heat, ratio) in zip(ADVANTAGE.tolist(), soft)
    ]
    assert loss(ratio="sapo") == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("choices", "share"),
    [
        ({}, 0.4),  # up above 1.28, down below .8
        ({"dual": 3.0}, 0.6),  # and down above 3
        ({"ratio": "gspo"}, 0.2),  # the second reply as a whole is at 1
        ({"ratio": "gspo", "dual": 3.0}, 0.4),
        ({"ratio": "luspo"}, 0.2),
        ({"ratio": "stable"}, 0.4),
        ({"ratio": "cispo"}, 0.0),
        ({"ratio": "sapo"}, 0.0),
        ({"ratio": "none"}, 0.0),
    ],
)
def test_what_is_clipped_is_counted_by_the_ratio_in_use(
    choices: dict[str, Any], share: float
) -> None:
    assert clipped_share(TOKENS, Loss(**choices)) == pytest.approx(share)
    logp_N = LOGP.clone().requires_grad_()
    policy_loss(replace(TOKENS, logp_N=logp_N), Loss(**choices)).sum().backward()
    assert logp_N.grad is not None
    assert (logp_N.grad == 0).float().mean().item() == pytest.approx(share)


def test_a_log_ratio_is_cut_before_it_can_overflow() -> None:
    logp_N = torch.tensor([0.0, 0.0, 0.0, -8.0], requires_grad=True)
    old_N, advantage_N = torch.tensor([-100.0, -8.0, -6.0, 0.0]), torch.tensor([-1.0, -1, -1, 1])
    tokens = Tokens(logp_N, old_N, advantage_N, torch.arange(4))
    found = policy_loss(tokens, Loss(ratio="stable"))
    assert found.tolist() == pytest.approx([1000, 1000, exp(6), -0.001], rel=1e-5)
    found.sum().backward()
    assert logp_N.grad is not None
    assert (logp_N.grad == 0).tolist() == [True, True, False, True]
    assert clipped_share(tokens, Loss(ratio="stable")) == 0.75


def test_under_luspo_every_token_weighs_alike_and_under_gspo_those_of_short_replies_more() -> None:
    lengths = [1, 3]
    reply_N = torch.tensor([0, 1, 1, 1])
    for ratio, wanted in (("gspo", [1 / 2] + [1 / 6] * 3), ("luspo", [1 / 2] * 4)):
        settings = Loss(ratio=ratio, mean="replies")
        logp_N = torch.zeros(4, requires_grad=True)
        tokens = Tokens(logp_N, torch.zeros(4), torch.ones(4), reply_N)
        weight_N = torch.tensor(weights(lengths, settings, 8))[reply_N]
        (weight_N * policy_loss(tokens, settings)).sum().backward()
        assert logp_N.grad is not None
        # A reply's ratio hangs on the mean of its tokens, so each has a share of its gradient.
        assert (-logp_N.grad).tolist() == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (Train(), ""),
        (Train(loss=Loss(ratio="gspo", dual=3.0)), "ratio, dual: without effect"),
        (Train(loss=Loss(clip_high=0.2)), "clip_high: without effect"),
        (Train(loss=Loss(ratio="gspo"), max_staleness=1), ""),
        (Train(loss=Loss(ratio="gspo"), oversample=1.5), ""),
        (Train(loss=Loss(ratio="gspo"), replay=4), ""),
        (Train(loss=Loss(ratio="gspo"), self_imitation=SelfImitation(replies=4)), ""),
        (Train(loss=Loss(ratio="gspo"), epochs=2), ""),
        (Train(loss=Loss(ratio="gspo"), minibatches=2), ""),
        (Train(loss=Loss(ratio="gspo", correction="tis"), epochs=2), ""),
        (Train(loss=Loss(ratio="gspo"), sampler="vllm"), ""),
        (
            Train(loss=Loss(ratio="gspo", correction="tis"), max_staleness=1),
            'correction = "tis" takes',
        ),
    ],
)
def test_a_ratio_that_can_have_no_effect_is_told(settings: Train, names: str) -> None:
    notes = without_effect(settings)
    assert len(notes) == bool(names)
    assert names in "".join(notes)


@pytest.mark.parametrize("ratio", RATIOS.names())
def test_at_ratio_one_every_choice_has_the_gradient_of_the_policy(ratio: str) -> None:
    logp_N = torch.tensor([log(0.3), log(0.6)], requires_grad=True)
    choice = Loss(ratio=ratio)
    advantage_N, reply_N = torch.tensor([1.7, -0.6]), torch.tensor([0, 1])
    tokens = Tokens(logp_N, logp_N.detach(), advantage_N, reply_N)
    policy_loss(tokens, choice).sum().backward()
    assert logp_N.grad is not None
    assert logp_N.grad.tolist() == pytest.approx([-1.7, 0.6], abs=1e-5)


def test_the_divergence_is_never_negative_and_has_the_gradient_of_the_true_one() -> None:
    here = torch.tensor([0.2, 0.5, 0.3])
    there_N = torch.log(torch.tensor([0.5, 0.25, 0.25]))
    logits = torch.log(here).requires_grad_()
    logp_N = logits.log_softmax(dim=0)
    assert (kl_divergence(logp_N.detach(), there_N) >= 0).all()
    (wanted,) = torch.autograd.grad((logp_N.exp() * (logp_N - there_N)).sum(), logits)
    logp_N = logits.log_softmax(dim=0)
    (found,) = torch.autograd.grad((here * kl_divergence(logp_N, there_N)).sum(), logits)
    assert found.tolist() == pytest.approx(wanted.tolist(), abs=1e-6)
    expected = (here * kl_divergence(torch.log(here), there_N)).sum().item()
    assert expected == pytest.approx((here * (torch.log(here) - there_N)).sum().item(), abs=1e-6)


def test_where_engines_differ_tokens_count_less() -> None:
    old, sampled = (
        torch.log(torch.tensor([0.6, 0.2, 0.3])),
        torch.log(torch.tensor([0.2, 0.5, 0.3])),
    )
    reply = torch.tensor([0, 1, 1])

    def found(**choices: object) -> list[float]:
        listed: list[float] = mismatch_weight(old, sampled, reply, Loss(**choices)).tolist()  # type: ignore[arg-type]
        return listed

    assert found() == [1.0, 1.0, 1.0]
    assert found(correction="tis") == pytest.approx([2.0, 0.4, 1.0])
    assert found(correction="icepop") == pytest.approx([0.0, 0.0, 1.0])
    assert found(correction="sequence") == pytest.approx([0.0, 0.4, 0.4])
    lost = torch.tensor([torch.nan])
    assert mismatch_weight(lost, lost, torch.tensor([0]), Loss(correction="tis")).item() == 1.0


def test_tokens_weigh_as_the_mean_is_taken() -> None:
    assert weights([1, 3], Loss(), 8) == [0.25, 0.25]
    assert weights([1, 3], Loss(mean="replies"), 8) == pytest.approx([1 / 2, 1 / 6])
    assert weights([1, 3], Loss(mean="constant"), 8) == [1 / 16, 1 / 16]


@pytest.mark.parametrize("mean", MEANS.names())
def test_where_there_are_no_replies_there_are_no_weights(mean: Any) -> None:
    assert weights([], Loss(mean=mean), 8) == []


def test_pass_at_k_is_unbiased_and_expansion_counts_what_was_never_solved() -> None:
    solved = {"a": 0, "b": 1, "c": 4}
    drawn = [
        fmean(any(n < right for n in some) for some in combinations(range(4), 2))
        for right in solved.values()
    ]
    assert pass_at(2, solved.values(), 4) == pytest.approx(fmean(drawn))
    assert pass_at(1, solved.values(), 4) == pytest.approx(5 / 12)
    assert expansion({"a": 0, "b": 0, "c": 2}, {"a": 1, "b": 0, "c": 0}) == 0.5


def test_the_boundary_of_what_is_solved_is_told_in_four_shares() -> None:
    before, after = (
        {"a": 0, "b": 2, "c": 1, "d": 4, "e": 3},
        {"a": 3, "b": 0, "c": 5, "d": 4, "e": 1},
    )
    # Of b, c, d and e, which were solved: b is not any more, c is solved more often.
    assert preservation(before, after) == 0.75
    assert shrinkage(before, after) == 0.25
    assert consolidation(before, after) == 0.25
    assert expansion(before, after) == 1.0
    assert shrinkage({"a": 0}, {"a": 0}) == preservation({"a": 0}, {"a": 0}) == 0.0


def test_rewards_are_shaped_by_length_and_freed_of_the_verifiers_noise() -> None:
    lengths = torch.tensor([[10.0, 90.0, 95.0, 100.0]])
    assert overlong(lengths, 100, 20).tolist() == [pytest.approx([0.0, -0.5, -0.75, -1.0])]
    scores = torch.tensor([[1.0, 1.0, 0.0, 1.0]])
    assert brevity(scores, lengths, 0.5, 0.5).tolist() == [pytest.approx([0.5, 0.5 / 9, 0.0, 0.0])]
    assert not brevity(scores, lengths, 0.5, 0.9).any(), "too few are right"
    noisy = torch.tensor([[0.9 * 1 + 0.1 * 0, 0.2]])  # of a right and of a wrong reply, on average
    assert denoised(noisy, 0.2, 0.1).tolist() == [pytest.approx([1.0, 0.0])]
    settings = Train(reward=Shaping(overlong=20, brevity=0.5))
    group = [talk(int(length)) for length in lengths[0].tolist()]
    groups = Groups([{}], [group], scores, settings, 100, 0)
    assert rewards(groups).replies_PG.tolist() == [pytest.approx([1.5, 0.5 + 0.5 / 9, -0.75, 0.0])]
    nothing = Groups([], [], torch.zeros(0, 4), settings, 100, 0)
    assert rewards(nothing).replies_PG.shape == (0, 4)


def talk(*lengths: int) -> Conversation:
    turns = [Attempt((), Reply("", tokens=(0,) * length)) for length in lengths]
    return Conversation(tuple(turns), Verdict(1.0, True, "correct"))


def test_a_shaping_is_applied_where_its_setting_is_on_or_it_is_named_and_noise_goes_first() -> None:
    assert applied(Train()) == {}
    reward = Shaping(overlong=8, brevity=0.5, paid_wrong=0.1)
    on = applied(Train(reward=reward, tries=2))
    assert [*on] == ["denoised", "overlong", "brevity", "repeated"]
    assert [*on.values()] == [SHAPINGS.load(name) for name in on]
    named = Train(reward=Shaping(also=("overlong",)))
    assert applied(named) == {"overlong": SHAPINGS.load("overlong")}
    with pytest.raises(UserError, match="unknown shaping 'overlon'; did you mean 'overlong'"):
        applied(Train(reward=Shaping(also=("overlon",))))


def test_what_an_advantage_can_use_is_what_it_declares() -> None:
    scores_PG = torch.tensor([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    for name in ADVANTAGES.names():
        useful = useful_groups(scores_PG, Loss(advantage=name))
        found = advantage(name, scores_PG, k=1).abs().sum(dim=1) > 0
        assert useful.tolist() == found.tolist(), name


def test_choices_are_listed_without_torch() -> None:
    folders = "advantages corrections credits learning_rates means ratios shapings token_weights"
    code = (
        "import sys; from importlib import import_module\n"
        f"for name in {folders.split()}: import_module(f'puzzlemill.trainer.{{name}}')\n"
        "print('torch' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    "choices",
    [ADVANTAGES, CORRECTIONS, CREDITS, MEANS, RATE_SCHEDULES, RATIOS, SHAPINGS, TOKEN_WEIGHTS],
)
def test_every_file_of_a_folder_is_a_choice_and_says_what_it_is(choices: Choices) -> None:
    for name in choices.names():
        choices.load(name)
        assert choices.about(name).endswith("."), name
