"""The trainer's maths: every choice against its closed form, worked by hand."""

from itertools import combinations
from math import exp, log, sqrt
from statistics import fmean

import pytest
import torch

from puzzlemill.core.recipe import Loss, Shaping
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.trainer.advantage import CHOICES, advantages, bnpo, mixed_groups, passk
from puzzlemill.trainer.heldout import expansion, pass_at
from puzzlemill.trainer.loss import (
    clipped_share,
    divergence,
    mismatch_weight,
    policy_loss,
    weights,
)
from puzzlemill.trainer.shaping import brevity, denoised, overlong, rewards

TWO = torch.tensor([[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]])
ABOVE = torch.tensor([[0.75, -0.25, -0.25, -0.25], [0.25, 0.25, 0.25, -0.75]])
STD = sqrt(3 / 16)  # of either group, and of both together, around the groups' means


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
        ("copo", ABOVE / STD),
    ],
)
def test_an_advantage_is_what_its_formula_says(choice: str, wanted: torch.Tensor) -> None:
    assert torch.allclose(CHOICES[choice](TWO), wanted, atol=1e-4)


def test_a_group_of_one_has_no_advantage() -> None:
    for choice in set(CHOICES) - {"copo"}:
        assert CHOICES[choice](torch.ones(1, 1)).item() == 0.0


def test_bnpo_divides_by_the_beta_density_of_the_batch() -> None:
    # Means .25 and .75: centre .5, variance 1/16, size 3, so a = b = 1.5 before, 1.5 / 3 + 1 after.
    def density(p: float) -> float:
        return 8 / 3.141592653589793 * sqrt(p * (1 - p))  # Beta(1.5, 1.5)

    wanted = ABOVE / torch.tensor([[density(0.25)], [density(0.75)]])
    assert torch.allclose(bnpo(TWO), wanted, atol=1e-4)
    assert torch.isfinite(bnpo(torch.ones(3, 4))).all()


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_passk_is_the_mean_of_the_best_over_all_groups_of_k(k: int) -> None:
    scores = [0.3, 1.0, 0.0, 0.3]
    with_it = [
        sum(max(scores[n] for n in some) for some in combinations(range(4), k) if each in some)
        / sum(each in some for some in combinations(range(4), k))
        for each in range(4)
    ]
    wanted = torch.tensor([with_it]) - sum(with_it) / 4
    assert torch.allclose(passk(torch.tensor([scores]), k), wanted, atol=1e-6)
    assert torch.allclose(advantages(torch.tensor([scores]), "passk", k), wanted, atol=1e-6)


def test_one_sided_groups_are_told_exactly_and_judged_by_the_batch_under_copo() -> None:
    scores_PG = torch.tensor([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    assert mixed_groups(scores_PG).tolist() == [False, False, True]
    assert mixed_groups(torch.full((1, 8), 0.1)).tolist() == [False]
    found = CHOICES["copo"](scores_PG)
    deviation = torch.tensor([1.0, 1, 0, 0, 1, 0]).std().item()
    assert found[0].tolist() == pytest.approx([0.5 / deviation] * 2, abs=1e-4)
    assert found[1].tolist() == pytest.approx([-0.5 / deviation] * 2, abs=1e-4)
    assert found[2, 0] == -found[2, 1] > 0


LOGP = torch.log(torch.tensor([0.5, 0.5, 0.1, 0.3, 0.9]))
OLD = torch.log(torch.tensor([0.25, 0.25, 0.2, 0.3, 0.1]))
ADVANTAGE = torch.tensor([1.0, -1.0, -1.0, 2.0, -1.0])
REPLY = torch.tensor([0, 1, 1, 2, 3])


def loss(**choices: object) -> list[float]:
    found: list[float] = policy_loss(LOGP, OLD, ADVANTAGE, REPLY, Loss(**choices)).tolist()  # type: ignore[arg-type]
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
    soft = [(1.0, 2.0), (1.05, 2.0), (1.05, 0.5), (1.0, 1.0), (1.05, 9.0)]
    wanted = [
        -a * 4 / heat / (1 + exp(-heat * (ratio - 1)))
        for a, (heat, ratio) in zip(ADVANTAGE.tolist(), soft)
    ]
    assert loss(ratio="sapo") == pytest.approx(wanted)
    assert clipped_share(LOGP - OLD, ADVANTAGE, 0.2, 0.28).item() == pytest.approx(0.4)


@pytest.mark.parametrize("ratio", ["clip", "gspo", "cispo", "sapo", "none"])
def test_at_ratio_one_every_choice_has_the_gradient_of_the_policy(ratio: str) -> None:
    logp_N = torch.tensor([log(0.3), log(0.6)], requires_grad=True)
    choice = Loss(ratio=ratio)  # type: ignore[arg-type]
    advantage_N, reply_N = torch.tensor([1.7, -0.6]), torch.tensor([0, 1])
    policy_loss(logp_N, logp_N.detach(), advantage_N, reply_N, choice).sum().backward()
    assert logp_N.grad is not None
    assert logp_N.grad.tolist() == pytest.approx([-1.7, 0.6], abs=1e-5)


def test_the_divergence_is_never_negative_and_has_the_gradient_of_the_true_one() -> None:
    here = torch.tensor([0.2, 0.5, 0.3])
    there_N = torch.log(torch.tensor([0.5, 0.25, 0.25]))
    logits = torch.log(here).requires_grad_()
    logp_N = logits.log_softmax(dim=0)
    assert (divergence(logp_N.detach(), there_N) >= 0).all()
    (wanted,) = torch.autograd.grad((logp_N.exp() * (logp_N - there_N)).sum(), logits)
    logp_N = logits.log_softmax(dim=0)
    (found,) = torch.autograd.grad((here * divergence(logp_N, there_N)).sum(), logits)
    assert found.tolist() == pytest.approx(wanted.tolist(), abs=1e-6)
    expected = (here * divergence(torch.log(here), there_N)).sum().item()
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


def test_pass_at_k_is_unbiased_and_expansion_counts_what_was_never_solved() -> None:
    solved = {"a": 0, "b": 1, "c": 4}
    drawn = [
        fmean(any(n < right for n in some) for some in combinations(range(4), 2))
        for right in solved.values()
    ]
    assert pass_at(2, solved.values(), 4) == pytest.approx(fmean(drawn))
    assert pass_at(1, solved.values(), 4) == pytest.approx(5 / 12)
    assert expansion({"a": 0, "b": 0, "c": 2}, {"a": 1, "b": 0, "c": 0}) == 0.5


def test_rewards_are_shaped_by_length_and_freed_of_the_verifiers_noise() -> None:
    lengths = torch.tensor([[10.0, 90.0, 95.0, 100.0]])
    assert overlong(lengths, 100, 20).tolist() == [pytest.approx([0.0, -0.5, -0.75, -1.0])]
    scores = torch.tensor([[1.0, 1.0, 0.0, 1.0]])
    assert brevity(scores, lengths, 0.5, 0.5).tolist() == [pytest.approx([0.5, 0.5 / 9, 0.0, 0.0])]
    assert not brevity(scores, lengths, 0.5, 0.9).any(), "too few are right"
    noisy = torch.tensor([[0.9 * 1 + 0.1 * 0, 0.2]])  # of a right and of a wrong reply, on average
    assert denoised(noisy, 0.2, 0.1).tolist() == [pytest.approx([1.0, 0.0])]
    group = [Reply("", tokens=(0,) * int(length)) for length in lengths[0].tolist()]
    found = rewards(scores, [group], Shaping(overlong=20, brevity=0.5), 100)
    assert found.tolist() == [pytest.approx([1.5, 0.5 + 0.5 / 9, -0.75, 0.0])]
    assert rewards(torch.zeros(0, 4), [], Shaping(overlong=20, brevity=0.5), 100).shape == (0, 4)
