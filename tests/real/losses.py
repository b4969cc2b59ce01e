"""Our losses and advantages beside TRL's and verl's own functions: values and gradients.

Run by `make loaders`, in the environment where those trainers are.
"""

from types import MethodType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from trl import GRPOTrainer
from trl.rewards import get_repetition_penalty_reward, get_soft_overlong_punishment
from verl.trainer.ppo import core_algos as verl
from verl.workers.config import ActorConfig

from puzzlemill.trainer.advantages import advantages
from puzzlemill.trainer.corrections import mismatch_weight
from puzzlemill.trainer.kl import kl_divergence
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.minibatch_stats import lower_bound
from puzzlemill.trainer.ratios import Tokens, policy_loss
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.shapings.ngram_repetition import repetition
from puzzlemill.trainer.shapings.overlong import overlong
from puzzlemill.trainer.token_weights import TokenStats
from puzzlemill.trainer.token_weights.clip_cov import weight as clip_cov

# Losses of verl that we have no choice for; bypass_mode is another of them, by its settings.
WITHOUT = {"dppo_tv", "dppo_kl", "kl_cov", "geo_mean", "dro", "bypass_mode"}
ROWS, MOST = 6, 9
LENGTHS = [9, 4, 7, 1, 8, 3]


@pytest.fixture
def texts() -> Any:
    torch.manual_seed(3)
    logp = -torch.rand(ROWS, MOST, dtype=torch.float64) * 2
    mask = torch.arange(MOST) < torch.tensor(LENGTHS)[:, None]
    return SimpleNamespace(
        logp=logp,
        old=logp + 0.4 * torch.randn(ROWS, MOST, dtype=torch.float64),
        reference=logp + 0.3 * torch.randn(ROWS, MOST, dtype=torch.float64),
        advantage=torch.tensor([1.5, -0.5, 0.25, -2.0, 0.0, 1.0], dtype=torch.float64),
        entropy=torch.rand(ROWS, MOST, dtype=torch.float64),
        mask=mask,
        reply=torch.arange(ROWS)[:, None].expand(ROWS, MOST)[mask],
    )


def ours(texts: Any, settings: Loss, counts_N: Any = 1.0) -> tuple[float, Tensor]:
    """The loss, and its gradient at every token; what each token counts besides."""
    logp = texts.logp.clone().requires_grad_()
    mask, reply = texts.mask, texts.reply
    tokens = Tokens(logp[mask], texts.old[mask], texts.advantage[reply], reply)
    each = policy_loss(tokens, settings)
    weight = torch.tensor(weights(LENGTHS, settings, MOST), dtype=torch.float64)[texts.reply]
    loss = (each * weight * counts_N).sum()
    loss.backward()
    assert logp.grad is not None
    return loss.item(), logp.grad


def of_trl(texts: Any, **settings: Any) -> tuple[float, Tensor]:
    logp = texts.logp.clone().requires_grad_()
    args = {
        "delta": settings.pop("delta", None),
        "use_bias_correction_kl": False,
        "sapo_temperature_pos": 1.0,
        "sapo_temperature_neg": 1.05,
        "steps_per_generation": 1,
    }
    fields = {
        "epsilon_low": 0.2,
        "epsilon_high": 0.28,
        "importance_sampling_level": "token",
        "aux_loss_enabled": False,
        "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None,
        "beta": 0.0,
        "use_vllm": False,
        "vllm_importance_sampling_correction": False,
        "current_gradient_accumulation_steps": 1,
        "max_completion_length": MOST,
        "_entropy_bonus_enabled": False,
        "model": SimpleNamespace(training=True),
    } | settings
    trainer = Stand(args=SimpleNamespace(**args), **fields)
    entropies = texts.entropy
    trainer._get_per_token_logps_and_entropies = lambda *given, **named: (logp, entropies, None)
    trainer.get_high_entropy_mask = MethodType(GRPOTrainer.get_high_entropy_mask, trainer)
    inputs = {
        "prompt_ids": torch.zeros((ROWS, 1), dtype=torch.long),
        "prompt_mask": torch.ones((ROWS, 1), dtype=torch.long),
        "completion_ids": torch.zeros((ROWS, MOST), dtype=torch.long),
        "completion_mask": texts.mask.long(),
        "advantages": texts.advantage,
        "old_per_token_logps": texts.old,
        "ref_per_token_logps": texts.reference,
        "num_items_in_batch": texts.mask.sum(),
    }
    loss = GRPOTrainer._compute_loss(trainer, None, inputs)
    loss.backward()
    assert logp.grad is not None
    return loss.item(), logp.grad


class Stand(SimpleNamespace):
    """Stands in for a trainer: what it logs goes nowhere."""

    def __getattr__(self, name: str) -> Any:
        if name == "_metrics":
            return {"train": _Nowhere()}
        if name == "accelerator":
            return SimpleNamespace(
                num_processes=1,
                gather=lambda value: value,
                pad_across_processes=lambda value, **named: value,
                reduce=lambda value, reduction: value,
                sync_gradients=True,
            )
        raise AttributeError(name)


class _Nowhere(dict[str, list[float]]):
    def __missing__(self, name: str) -> list[float]:
        return []


def of_verl(
    texts: Any, name: str, how: str, weights: Tensor | None = None, **settings: Any
) -> tuple[float, Tensor]:
    logp = texts.logp.clone().requires_grad_()
    given = {"clip_ratio_low": 0.2, "clip_ratio_high": 0.28, "clip_ratio_c": 1e9} | settings
    config = ActorConfig(strategy="fsdp", rollout_n=1, ppo_micro_batch_size_per_gpu=1, **given)
    config.global_batch_info.clear()
    if how == "seq-mean-token-sum-norm":
        config.global_batch_info["loss_scale_factor"] = MOST
    loss, _ = verl.get_policy_loss_fn(name)(
        old_log_prob=texts.old,
        log_prob=logp,
        advantages=texts.advantage[:, None].expand(ROWS, MOST),
        response_mask=texts.mask.double(),
        loss_agg_mode=how,
        config=config,
        rollout_is_weights=weights,
    )
    loss.backward()
    assert logp.grad is not None
    return loss.item(), logp.grad


def same(one: tuple[float, Tensor], other: tuple[float, Tensor]) -> bool:
    return one[0] == pytest.approx(other[0], rel=1e-6) and torch.allclose(
        one[1], other[1], rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        (Loss(mean="replies"), {"loss_type": "grpo"}),
        (Loss(mean="tokens"), {"loss_type": "dapo"}),
        (Loss(mean="tokens"), {"loss_type": "bnpo"}),
        (Loss(mean="constant"), {"loss_type": "dr_grpo"}),
        (Loss(mean="tokens", ratio="cispo"), {"loss_type": "cispo", "epsilon_high": 1.28}),
        (Loss(mean="replies", ratio="sapo"), {"loss_type": "sapo"}),
        (
            Loss(mean="replies", ratio="gspo", clip_low=3e-4, clip_high=4e-4),
            {
                "loss_type": "grpo",
                "importance_sampling_level": "sequence",
                "epsilon_low": 3e-4,
                "epsilon_high": 4e-4,
            },
        ),
        (
            Loss(mean="replies", ratio="gspo"),
            {"loss_type": "grpo", "importance_sampling_level": "sequence"},
        ),
        (
            Loss(mean="replies", ratio="luspo"),
            {"loss_type": "luspo", "importance_sampling_level": "sequence"},
        ),
        (Loss(mean="replies", dual=1.3), {"loss_type": "grpo", "delta": 1.3}),
    ],
    ids=lambda each: each.ratio if isinstance(each, Loss) else str(each),
)
def test_a_loss_is_that_of_trl(texts: Any, own: Loss, theirs: dict[str, Any]) -> None:
    assert same(ours(texts, own), of_trl(texts, **theirs))


@pytest.mark.parametrize(
    ("own", "name", "how", "theirs"),
    [
        (Loss(mean="tokens"), "vanilla", "token-mean", {}),
        (Loss(mean="replies"), "vanilla", "seq-mean-token-mean", {}),
        (Loss(mean="constant"), "vanilla", "seq-mean-token-sum-norm", {}),
        (Loss(mean="tokens", dual=1.2), "vanilla", "token-mean", {"clip_ratio_c": 1.2}),
        (Loss(mean="tokens", ratio="cispo"), "cispo", "token-mean", {"clip_ratio_low": 1.0}),
        (Loss(mean="replies", ratio="sapo"), "sapo", "seq-mean-token-mean", {}),
        (Loss(mean="replies", ratio="gspo"), "gspo", "seq-mean-token-mean", {}),
        (Loss(mean="tokens", ratio="none"), "gpg", "token-mean", {}),
    ],
    ids=lambda each: each.ratio if isinstance(each, Loss) else str(each),
)
def test_a_loss_is_that_of_verl(
    texts: Any, own: Loss, name: str, how: str, theirs: dict[str, Any]
) -> None:
    assert same(ours(texts, own), of_verl(texts, name, how, **theirs))


def test_tokens_of_high_entropy_are_learned_from_as_in_trl(texts: Any) -> None:
    settings = Loss(mean="tokens", open_share=0.3)
    own = lower_bound(texts.entropy[texts.mask], settings.open_share)
    counts_N = (texts.entropy[texts.mask] >= own).double()
    theirs = of_trl(texts, loss_type="dapo", top_entropy_quantile=0.3)
    assert 0 < counts_N.sum() < 0.4 * len(counts_N)
    assert same(ours(texts, settings, counts_N), theirs)


def test_the_divergence_in_the_loss_has_the_value_of_trl(texts: Any) -> None:
    """Its gradient is another: that of k3 is biased."""
    (without, _), (theirs, _) = (of_trl(texts, loss_type="dapo", beta=beta) for beta in (0.0, 0.5))
    own = kl_divergence(texts.logp, texts.reference)[texts.mask].mean().item()
    assert theirs - without == pytest.approx(0.5 * own)


def test_costs_of_length_and_repetition_are_those_of_trl() -> None:
    replies = [[1, 2, 1, 2, 1], [1] * 9, [1, 2, 3], [1], [*range(12)]]
    repeated = get_repetition_penalty_reward(ngram_size=2, max_penalty=-1.0)(replies)
    assert [-repetition(each, 2) for each in replies] == pytest.approx(repeated)
    lengths_PG = torch.tensor([[float(len(each)) for each in replies]])
    late = get_soft_overlong_punishment(10, 6)(replies)
    assert overlong(lengths_PG, 10, 6).tolist() == [pytest.approx(late)]


def test_clip_cov_is_that_of_verl(texts: Any) -> None:
    """Where one token lies within the bounds: of several verl draws, and ours are the highest."""
    texts.logp = -1.0 + 0.1 * texts.logp
    texts.advantage[0], texts.logp[0, 2] = 4.0, -0.1
    texts.old = texts.logp.clone()
    mask = texts.mask
    stats = TokenStats(
        texts.logp[mask], texts.old[mask], texts.entropy[mask], texts.advantage[texts.reply]
    )
    counts_N = clip_cov(stats, stats)
    assert (counts_N == 0).sum() == 1
    plain, theirs = (of_verl(texts, name, "token-mean") for name in ("vanilla", "clip_cov"))
    assert same(ours(texts, Loss(token_weights=("clip_cov",)), counts_N), theirs)
    assert not same(plain, theirs)


def test_every_loss_of_verl_is_compared_or_has_no_twin() -> None:
    compared = {"vanilla", "cispo", "sapo", "gspo", "gpg", "clip_cov"}
    assert {*verl.POLICY_LOSS_REGISTRY} == compared | WITHOUT


def test_the_divergence_is_verls_with_the_right_gradient(texts: Any) -> None:
    logp, other = (texts.logp.clone().requires_grad_() for _ in range(2))
    own = kl_divergence(logp, texts.reference)
    theirs = verl.kl_penalty(other, texts.reference, "k3+")
    assert torch.allclose(own, theirs)
    own.sum().backward()
    theirs.sum().backward()
    assert torch.allclose(logp.grad, other.grad)


@pytest.mark.parametrize(
    ("choice", "estimator"),
    [
        ("grpo", verl.compute_grpo_outcome_advantage),
        ("grpo", verl.compute_grpo_vectorized_outcome_advantage),
        ("rloo", verl.compute_rloo_vectorized_outcome_advantage),
        ("dr_grpo", verl.compute_grpo_outcome_advantage),
        ("rloo", verl.compute_rloo_outcome_advantage),
        ("reinforce", verl.compute_reinforce_plus_plus_baseline_outcome_advantage),
    ],
)
def test_an_advantage_is_that_of_verl(choice: Any, estimator: Any) -> None:
    torch.manual_seed(4)
    rewards_PG = torch.rand(5, 6, dtype=torch.float64).round(decimals=1)
    index = np.repeat(np.arange(5), 6)
    named = {"norm_adv_by_std_in_grpo": False} if choice == "dr_grpo" else {}
    theirs, _ = estimator(
        rewards_PG.flatten()[:, None].clone(), torch.ones(30, 1), index=index, **named
    )
    ours_PG = advantages(rewards_PG, Loss(advantage=choice))
    assert torch.allclose(ours_PG.flatten(), theirs[:, 0].double(), atol=1e-5)


@pytest.mark.parametrize(
    ("choice", "threshold"), [("tis", 1.3), ("icepop", "0.7_1.3")], ids=("tis", "icepop")
)
def test_the_samplers_correction_is_that_of_verl(texts: Any, choice: str, threshold: Any) -> None:
    from verl.trainer.ppo.rollout_corr_helper import compute_rollout_correction_weights

    apart, mask = texts.logp - texts.old, texts.mask
    theirs, _ = compute_rollout_correction_weights(
        apart, mask.double(), rollout_is="token", rollout_is_threshold=threshold
    )
    settings = Loss(ratio="none", correction=choice, least=0.7, most=1.3)
    own = mismatch_weight(texts.logp[mask], texts.old[mask], texts.reply, settings)
    assert torch.allclose(own, theirs[mask].double())
    assert (own != apart[mask].exp()).any()
    assert same(ours(texts, settings, own), of_verl(texts, "gpg", "token-mean", theirs))
