"""Several updates a step: epochs, minibatches, and what each update learns from."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, log
from typing import Any

import pytest
import torch

from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.trainer.learning_rates import learning_rate
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import Sample, micro_batches
from puzzlemill.trainer.minibatch_stats import lower_bound
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.policy_update import divided, update_policy
from puzzlemill.trainer.ratios import RATIOS
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.token_weights import TOKEN_WEIGHTS, TokenStats
from puzzlemill.trainer.weights import full_state_dict

PLAIN = Train()
RATE = 0.1  # of plain gradient descent: AdamW turns the rounding of small gradients into steps


def policy() -> Any:
    return new_policy(PolicySettings())


def samples_of(some: Any, *advantages: float) -> list[Sample]:
    """Replies of one token or two to prompts of their own, as the policy itself samples them."""
    bare = [
        Sample((3, 4 + number), (5, 6)[: 1 + number % 2], (0.0,) * (1 + number % 2), advantage)
        for number, advantage in enumerate(advantages)
    ]
    said = [replace(each, logps=logps_of(some, each)) for each in bare]
    tokens = sum(len(each.reply) for each in said)
    return [replace(each, weight=1 / tokens) for each in said]


def logps_of(some: Any, sample: Sample) -> tuple[float, ...]:
    (batch,) = micro_batches([sample], 100, torch.device("cpu"))
    with torch.no_grad():
        return tuple(logps(some.model, batch, 1.0, False)[0].tolist())


def learned(settings: Train, samples: Sequence[Sample] = (), rate: float = RATE) -> Any:
    """The metrics, and the weights after a step."""
    some = policy()
    told = update_policy(
        some,
        torch.optim.SGD(some.model.parameters(), rate),
        samples or samples_of(some, 1.0, -1.0, 2.0, -0.5),
        settings,
        settings.loss,
    )
    return told, torch.cat([each.flatten() for each in full_state_dict(some.model).values()])


def test_ratios_act_from_the_second_update_on_without_any_lag() -> None:
    mixed = samples_of(policy(), 1.0, -1.0, 2.0, -0.5)
    for ratio in sorted({*RATIOS.names()} - {"none"}):
        # LUSPO weighs by length.
        short = mixed[::2] if ratio == "luspo" else mixed
        loss = Loss(ratio=ratio, clip_high=0.01, clip_low=0.01)
        once, other = (
            learned(replace(PLAIN, loss=each), short)[1] for each in (loss, Loss(ratio="none"))
        )
        assert torch.allclose(once, other, atol=1e-5), "one update: every ratio is 1"
        told, twice = learned(replace(PLAIN, loss=loss, epochs=2), short)
        _, other = learned(replace(PLAIN, loss=Loss(ratio="none"), epochs=2), short)
        assert (twice - other).abs().max() > 1e-4, ratio
        assert bool(told["clipped"]) == (RATIOS.load(ratio).clipped is not None)


@pytest.mark.parametrize("correction", ["off", "tis"])
def test_every_update_of_a_step_has_the_log_probabilities_of_before_the_first(
    correction: str,
) -> None:
    """As two steps have that are given them. A correction weighs by the sampler's, whatever the
    updates have changed: here it found every token 1.5 times as likely."""
    loss = Loss(correction=correction, clip_low=0.01, clip_high=0.01)
    some = policy()
    right = samples_of(some, 1.0, -1.0, 2.0, -0.5)
    wide = [
        replace(each, logps=tuple(logp + log(1.5) for logp in each.logps)) for each in right
    ] if correction == "tis" else right  # fmt: skip
    _, found = learned(replace(PLAIN, loss=loss, epochs=2), wide)
    scaled = [replace(each, weight=each.weight / 1.5) for each in right]
    optimizer = torch.optim.SGD(some.model.parameters(), RATE)
    for _ in range(2):
        given = scaled if correction == "tis" else right
        optimizer_step(some, optimizer, given, replace(loss, correction="off"), 1.0)
    wanted = torch.cat([each.flatten() for each in full_state_dict(some.model).values()])
    assert torch.allclose(found, wanted, atol=1e-6)
    assert (found - learned(replace(PLAIN, loss=loss), wide)[1]).abs().max() > 1e-4


def test_stale_replies_are_weighed_by_their_ratio_up_to_a_bound() -> None:
    """AIPO: the gradient of a token is min(ratio, 4) A ∇log p, whichever sign A has."""
    now = samples_of(policy(), 1.0, -1.0, 2.0, -0.5)
    ratios = (2.0, 0.5, 8.0, 16.0)  # of the policy to the weights that sampled
    stale = [
        replace(each, logps=tuple(logp - log(ratio) for logp in each.logps))
        for each, ratio in zip(now, ratios, strict=True)
    ]
    weighed = [
        replace(each, advantage=each.advantages[0] * most)
        for each, most in zip(now, (2.0, 0.5, 4.0, 4.0), strict=True)
    ]
    found = learned(replace(PLAIN, loss=Loss(ratio="cispo", clip_high=3.0)), stale)[1]
    wanted = learned(replace(PLAIN, loss=Loss(ratio="none")), weighed)[1]
    assert torch.allclose(found, wanted, atol=1e-6)
    assert (found - learned(replace(PLAIN, loss=Loss(ratio="none")), now)[1]).abs().max() > 1e-4


def test_the_mismatch_is_that_of_sampler_and_trainer_and_not_of_two_updates() -> None:
    told, _ = learned(replace(PLAIN, epochs=3, minibatches=2), rate=1.0)
    assert told["mismatch_most"] < 1e-4


def test_minibatches_hold_whole_prompts_once_and_each_is_a_mean_of_its_own() -> None:
    samples = [
        Sample((1,) * length, (2,) * replies, (0.0,) * replies, 1.0, weight=weight)
        for length in (3, 1, 2)
        for replies, weight in ((1, 0.25 / 3), (3, 0.25 / 3))
    ]
    one, two = divided(samples, 2, Loss(), 8)
    assert sorted({each.prompt for each in one}) == [(1,), (1, 1, 1)]
    assert {each.prompt for each in two} == {(1, 1)}
    for part in (one, two):
        assert sum(len(each.reply) * each.weight for each in part) == pytest.approx(1)
        assert len({each.weight for each in part}) == 1, "a mean over tokens"
    replies = [replace(each, weight=1 / 6 / len(each.reply)) for each in samples]
    (_, part) = divided(replies, 2, Loss(mean="replies"), 8)
    assert [each.weight for each in part] == pytest.approx([1 / 2, 1 / 6])
    assert len([*divided(samples, 9, Loss(), 8)]) == 3, "no more than prompts"
    assert [*divided([], 2, Loss(), 8)] == [*divided([], 1, Loss(), 8)] == []
    # What else a sample weighs stays its own.
    half = [replace(samples[0], weight=0.5 * 0.25 / 3), *samples[1:]]
    (part, _) = divided(half, 2, Loss(), 8)
    assert part[0].weight == pytest.approx(0.5 * part[1].weight)


def test_an_update_that_is_not_finite_is_skipped_alone() -> None:
    some = policy()
    good, bad = samples_of(some, 1.0, inf)
    before = torch.cat([each.flatten() for each in full_state_dict(policy().model).values()])
    told, after = learned(replace(PLAIN, minibatches=2, epochs=2), [good, bad])
    assert told["skipped"] == 0.5
    assert after.isfinite().all()
    assert (after != before).any(), "the other minibatch was learned from"
    told, after = learned(replace(PLAIN, epochs=2), [good, bad])
    assert told["skipped"] == 1
    assert torch.equal(after, before)


def test_nothing_to_learn_from_changes_nothing() -> None:
    some = policy()
    told = update_policy(some, torch.optim.SGD(some.model.parameters(), 1.0), [], PLAIN, Loss())
    assert not any(told.values())


@pytest.mark.parametrize(
    ("schedule", "wanted"),
    [
        ("constant", [0.5, 1, 1, 1, 1, 1, 1]),
        ("linear", [0.5, 1, 1, 0.8, 0.6, 0.4, 0.2]),
        ("cosine", [0.5, 1, 1, 0.9045, 0.6545, 0.3455, 0.0955]),
        ("stable_decay", [0.5, 1, 1, 1, 1, 1, 1]),
    ],
)
def test_the_learning_rate_warms_up_and_falls_as_the_schedule_says(
    schedule: str, wanted: list[float]
) -> None:
    settings = Train(steps=7, learning_rate=1e-3, learning_rate_schedule=schedule, warmup_steps=2)
    found = [learning_rate(settings, step) * 1000 for step in range(7)]
    assert found == pytest.approx(wanted, abs=1e-4)
    assert learning_rate(Train(steps=1, learning_rate_schedule=schedule), 0) == 3e-4
    assert learning_rate(Train(steps=2, warmup_steps=4), 1) == pytest.approx(1.5e-4)


def test_a_stable_rate_decays_over_the_last_fifth() -> None:
    settings = Train(steps=10, learning_rate=1.0, learning_rate_schedule="stable_decay")
    found = [learning_rate(settings, step) for step in (0, 8, 9)]
    assert found == pytest.approx([1.0, 1.0, 0.5])


def weights_after(samples: Sequence[Sample], loss: Loss) -> Any:
    return learned(replace(PLAIN, loss=loss), samples)[1]


def test_the_share_of_highest_entropy_is_found_by_hand() -> None:
    entropy_N = torch.tensor([0.1, 0.9, 0.5, 0.3, 0.7])
    found = [round(lower_bound(entropy_N, share), 1) for share in (1.0, 0.8, 0.5, 0.4, 0.2, 1e-9)]
    assert found == [0.1, 0.3, 0.5, 0.7, 0.9, 0.9]
    many_N = torch.arange(2**24 + 2, dtype=torch.float32).flip(0)  # more than torch.quantile takes
    assert lower_bound(many_N, 0.25) == 3 * 2**22 + 1


def test_only_tokens_of_high_entropy_are_learned_from() -> None:
    some = policy()
    samples = [each for each in samples_of(some, *[1.0, -1.0] * 5) if len(each.reply) == 1]
    entropies = [
        logps(some.model, batch, 1.0, False)[1].item()
        for each in samples
        for batch in micro_batches([each], 100, torch.device("cpu"))
    ]
    first = max(range(len(samples)), key=entropies.__getitem__)
    assert len(samples) == 5
    found = weights_after(samples, Loss(open_share=0.2))
    assert torch.allclose(found, weights_after([samples[first]], Loss()), atol=1e-6)
    assert not torch.allclose(found, weights_after(samples, Loss()), atol=1e-4)


@pytest.mark.parametrize("side", [-1, 1])
def test_entropy_is_drawn_to_its_aim_from_both_sides(side: int) -> None:
    """TER: the loss of rewards that are all alike is the distance alone."""
    some = policy()
    samples = samples_of(some, 0.0, 0.0, 0.0)
    entropy = learned(PLAIN, samples)[0]["entropy"]
    aim = entropy + 0.1 * side
    loss = Loss(entropy_aim=aim, entropy_distance=2.0)
    told, _ = learned(replace(PLAIN, loss=loss), samples)
    assert told["loss"] == pytest.approx(2 * abs(entropy - aim), rel=1e-4)
    later, _ = learned(replace(PLAIN, loss=loss, epochs=2), samples, 0.01)
    assert abs(later["entropy"] - aim) < abs(entropy - aim)
    # However the samples are divided.
    small, _ = learned(replace(PLAIN, loss=loss, micro_batch=1), samples)
    assert small["gradient"] == pytest.approx(told["gradient"], rel=1e-4)


def stats(logp: Sequence[float], advantage: Sequence[float], **more: Any) -> TokenStats:
    logp_N = torch.tensor(logp).log()
    parts = {"old_logp_N": logp_N, "entropy_N": torch.zeros_like(logp_N)} | more
    return TokenStats(logp_N, advantage_N=torch.tensor(advantage), **parts)


def weights_by(name: str, tokens: TokenStats) -> list[float]:
    found: list[float] = TOKEN_WEIGHTS.load(name)(tokens, tokens).tolist()
    return found


def test_steer_weighs_tokens_by_the_change_of_entropy() -> None:
    # A pi / old (1 - pi) (ln pi + H): of the second half of the first.
    probabilities, entropy_N = [0.5, 0.5, 1.0], torch.tensor([1.0, 1.0, 0.0])
    some = stats(probabilities, [1.0, -0.5, 3.0], entropy_N=entropy_N)
    assert weights_by("steer", some) == pytest.approx([0.8, 0.8**0.5, 1.0])
    # Twice as likely as when it was sampled, so it counts as much as the first.
    old_N = torch.tensor([0.5, 0.25, 1.0]).log()
    some = stats(probabilities, [1.0, -0.5, 3.0], entropy_N=entropy_N, old_logp_N=old_N)
    assert weights_by("steer", some) == pytest.approx([0.8, 0.8, 1.0])
    # (ln .5 + .7) is next to nothing, and so is the change: it is not blown up.
    little = stats([0.5], [1.0], entropy_N=torch.tensor([0.7]))
    change = 0.5 * (log(0.5) + 0.7)
    assert weights_by("steer", little) == pytest.approx([0.8 ** (change / 0.02)])


def test_clip_cov_leaves_out_the_token_of_highest_covariance_within_the_bounds() -> None:
    # Above their means by -2, 0, 1, 1 and by -3, 1, 1, 1.
    logp_N = torch.tensor([-3.0, -1.0, 0.0, 0.0])
    advantage = torch.tensor([-3.0, 1.0, 1.0, 1.0])
    some = TokenStats(logp_N, logp_N, logp_N, advantage)
    assert weights_by("clip_cov", some) == [1, 1, 1, 1], "6 is beyond the bound, 1 is on it"
    some = replace(some, advantage_N=advantage / 2)
    assert weights_by("clip_cov", some) == [0, 1, 1, 1]
    some = replace(some, advantage_N=advantage / 100)
    assert weights_by("clip_cov", some) == [1, 1, 1, 1]


def test_clip_cov_leaves_out_tokens_alike_however_they_are_rounded() -> None:
    """Two ranks round the same token otherwise than one does."""
    advantage_N = torch.tensor([-1.5, -1.5, 1.5, 1.5])
    for low in (-3.0, -3.00001):
        logp_N = torch.tensor([-3.0, low, 0.0, 0.0])
        some = TokenStats(logp_N, logp_N, logp_N, advantage_N)
        assert weights_by("clip_cov", some) == [0, 0, 0, 0]


def test_advantages_beyond_three_sigma_are_left_out() -> None:
    some = stats([0.5] * 20, [0.0] * 19 + [1.0])
    assert weights_by("three_sigma", some) == [1.0] * 19 + [0.0]
    some = stats([0.5] * 8, [0.0] * 7 + [1.0])
    assert weights_by("three_sigma", some) == [1.0] * 8, "1 is 2.6 deviations from the mean"
    assert weights_by("three_sigma", stats([0.5] * 3, [0.1] * 3)) == [1.0] * 3


def test_token_weights_stand_before_the_policy_s_loss_and_are_of_all_micro_batches() -> None:
    some = policy()
    samples = samples_of(some, *[0.1, -0.4] * 9, 0.1, 5.0)
    loss = Loss(token_weights=("three_sigma",))
    found = weights_after(samples, loss)
    assert torch.allclose(found, weights_after(samples[:19], Loss()), atol=1e-6)
    assert not torch.allclose(found, weights_after(samples, Loss()), atol=1e-4)
    _, small = learned(replace(PLAIN, loss=loss, micro_batch=1), samples)
    assert torch.allclose(found, small, atol=1e-6)
    both = Loss(token_weights=("three_sigma", "steer"))
    assert (weights_after(samples, both) - found).abs().max() > 1e-6
