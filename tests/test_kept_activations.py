"""Activations of decoding kept for learning: their gradient is that of a forward pass."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from puzzlemill.difficulty.policies.kept_activations import Keeper
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question
from puzzlemill.difficulty.policies.transformer import Shape, fresh
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.keeping import keeper_of, keeping
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import MicroBatch, Sample, micro_batches
from puzzlemill.trainer.policy_update import update_policy
from puzzlemill.trainer.settings import Train

# Sums of a few hundred float32 numbers, rounded otherwise, through layers that amplify it.
ROUNDING = 1e-4
QUESTIONS = [
    Question(({"role": "user", "content": f"What is {n} + {7**n}? " + "Say it. " * n},), n)
    for n in range(4)
]
SMALL = Shape(
    hidden=16, layers=2, heads=4, kv_heads=2, head_dim=8, intermediate=24, vocab=502, positions=256
)


def tiny(**changes: Any) -> Any:
    """The bundled policy, whose norms and biases are not what a fresh model has."""
    return in_disorder(new_policy(PolicySettings(max_tokens=24)), **changes)


def small(**changes: Any) -> Any:
    """A random model of another shape."""
    some: Any = new_policy(PolicySettings(max_tokens=24))
    return in_disorder(replace(some, model=fresh(replace(SMALL, **changes), 3).eval()))


def in_disorder(policy: Any, most: int = 8192) -> Any:
    source = torch.Generator().manual_seed(2)
    for weight in policy.model.float().requires_grad_(True).parameters():
        if weight.dim() == 1:
            weight.data += 0.1 * torch.randn(weight.shape, generator=source)
    policy.model.keeper = Keeper(most, is_on=True)
    return policy


def sampled(policy: Any, questions: Sequence[Question] = QUESTIONS, n: int = 5) -> list[Sample]:
    return [
        Sample(tuple(policy.tokens.prompt(question)), reply.tokens, reply.logps, 1.0)
        for question, group in zip(questions, policy.sample(questions, n), strict=True)
        for reply in group
    ]


def batch_of(samples: Sequence[Sample]) -> MicroBatch:
    (batch,) = micro_batches(samples, 1 << 16, torch.device("cpu"))
    return batch


def is_kept(policy: Any, samples: Sequence[Sample]) -> bool:
    batch = batch_of(samples)
    texts = (batch.prompts_QP, batch.length_Q, batch.replies_BT, batch.question_B, batch.mask_BT)
    return policy.model.keeper.find(*texts) is not None


def gradients(policy: Any, samples: Sequence[Sample], keeps: bool) -> tuple[Tensor, list[Tensor]]:
    """Log-probabilities, and the gradient of their sum with random weights."""
    model, keeper = policy.model, policy.model.keeper
    assert not keeps or is_kept(policy, samples)
    model.keeper = keeper if keeps else None
    model.zero_grad()
    logp_N, _ = logps(model, batch_of(samples), 1.0, with_gradient=False)
    (logp_N * torch.linspace(-1, 2, len(logp_N))).sum().backward()
    model.keeper = keeper
    return logp_N.detach(), [weight.grad.clone() for weight in model.parameters()]


def assert_alike(policy: Any, samples: Sequence[Sample]) -> None:
    (plain_N, plain), (kept_N, kept) = (gradients(policy, samples, each) for each in (False, True))
    assert (plain_N - kept_N).abs().max() < 1e-3
    for one, other in zip(plain, kept, strict=True):
        assert (one - other).norm() < ROUNDING * one.norm()


def test_the_gradient_is_that_of_a_forward_pass() -> None:
    policy = tiny()
    samples = sampled(policy)
    assert len({len(each.reply) for each in samples}) > 2, "replies of one length show little"
    assert_alike(policy, samples)


def test_so_is_that_of_some_replies_in_another_order_and_of_alike_ones() -> None:
    policy = tiny()
    samples = sampled(policy)
    assert_alike(policy, samples[::-2])
    assert_alike(policy, [*samples[:7], samples[0], samples[0]])


def test_replies_of_several_calls_are_learned_from_together() -> None:
    policy = tiny()
    samples = [*sampled(policy, QUESTIONS[:2]), *sampled(policy, QUESTIONS[2:], 3)]
    assert_alike(policy, samples)


@pytest.mark.parametrize(
    "changes",
    [
        {"tied": False, "output_bias": True, "mlp_bias": True},
        {"qkv_bias": False, "kv_heads": 4},
        {"kv_heads": 1, "head_dim": 6},
    ],
    ids=str,
)
def test_every_weight_of_other_shapes_has_its_gradient(changes: dict[str, Any]) -> None:
    policy = small(**changes)
    assert_alike(policy, sampled(policy))


def test_replies_of_one_token_have_the_gradient_of_their_prompts() -> None:
    policy = tiny()
    short = replace(policy, sampling=replace(policy.sampling, max_tokens=1))
    assert_alike(policy, sampled(short))


def test_replies_that_go_on_one_after_the_other_are_kept() -> None:
    """With little room in the KV cache, prompts are admitted in turns and rows change places."""
    policy = tiny()
    narrow = replace(policy, cache_tokens=500)
    assert_alike(policy, sampled(narrow, QUESTIONS, 6))


def test_heads_with_norms_of_their_own_have_a_forward_pass() -> None:
    policy = small(head_norm=True)
    assert not is_kept(policy, sampled(policy))


def test_nothing_is_found_once_a_weight_has_changed() -> None:
    policy = tiny()
    samples = sampled(policy)
    assert is_kept(policy, samples)
    weight = policy.model.model.layers[1].mlp.up_proj.weight
    weight.grad = torch.ones_like(weight)
    AdamW([weight], 1e-6).step()  # a fused kernel: torch does not count it as a change
    assert not is_kept(policy, samples)
    samples = sampled(policy)
    assert is_kept(policy, samples)
    weight.data[3, 4] += 1e-6
    assert not is_kept(policy, samples)


def test_no_more_tokens_are_kept_than_a_micro_batch_has() -> None:
    whole = tiny()
    samples = sampled(whole)
    policy = tiny(most=whole.model.keeper.used // 2)
    assert [each.reply for each in sampled(policy)] == [each.reply for each in samples]
    assert policy.model.keeper.used <= policy.model.keeper.most
    kept = [is_kept(policy, [each]) for each in samples]
    assert any(kept), "some replies had ended"
    assert not all(kept)
    assert not is_kept(policy, samples)
    assert_alike(policy, [each for each, found in zip(samples, kept, strict=True) if found])


def test_replies_are_the_same_whether_activations_are_kept_or_not() -> None:
    policy = tiny()
    kept = [each.reply for each in sampled(policy)]
    policy.model.keeper = None
    assert [each.reply for each in sampled(policy)] == kept


def test_a_run_keeps_what_it_samples_and_forgets_what_it_has_learned() -> None:
    """Gradient checkpointing asks for little memory: such a run has a forward pass of its own."""
    weights = []
    for recompute in (False, True):
        policy = new_policy(PolicySettings(max_tokens=24))
        settings = Train(recompute=recompute, epochs=2)
        policy.model.float().requires_grad_(True)
        policy.model.recompute = recompute
        optimizer = torch.optim.SGD(policy.model.parameters(), 0.01)
        with keeper_of(policy, settings, None) as keeper:
            assert (keeper is None) == recompute
            with keeping(keeper):
                samples = sampled(policy)
            assert recompute or is_kept(policy, samples)
            count = sum(len(each.reply) for each in samples)
            samples = [
                replace(each, weight=1 / count, advantage=(-1.0) ** number)
                for number, each in enumerate(samples)
            ]
            update_policy(policy, optimizer, samples, settings, settings.loss)
            assert recompute or not is_kept(policy, samples)
        assert policy.model.keeper is None
        weights.append(torch.cat([each.detach().flatten() for each in policy.model.parameters()]))
    moved = (weights[0] - new_weights()).norm()
    assert moved > 0
    assert (weights[0] - weights[1]).norm() < 10 * ROUNDING * moved


def new_weights() -> Tensor:
    model = new_policy(PolicySettings()).model
    return torch.cat([each.detach().float().flatten() for each in model.parameters()])
