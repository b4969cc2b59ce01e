"""An optimizer step: from training samples to a loss, its gradient, and new weights."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.model import LocalPolicy, Model, Reader
from puzzlemill.trainer import distributed
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.corrections import correction, mismatch_weight
from puzzlemill.trainer.kl import kl_divergence
from puzzlemill.trainer.micro_batch import MicroBatch, Sample, micro_batches
from puzzlemill.trainer.ratios import Tokens, clipped_share, policy_loss
from puzzlemill.trainer.settings import Loss, TokenLoss

TOKENS = 8192  # of a micro-batch, padding included
SLICE = 2048  # tokens whose logits are in memory at once
ROUNDING = 1e-5  # of an entropy, at most


def optimizer_step(
    policy: LocalPolicy,
    optimizer: Optimizer,
    samples: Sequence[Sample],
    settings: TokenLoss,
    max_norm: float,
    reference: Reader | None = None,
) -> dict[str, float]:
    """Accumulate the gradient of all samples, and take one step; the metrics. How the samples are
    divided into micro-batches makes no difference."""
    model, temperature = policy.model, policy.sampling.temperature
    total = sum(len(sample.reply) for sample in samples)
    batches = micro_batches_of_rank(model, samples)
    sums = dict.fromkeys(("loss", "clipped", "entropy", "divergence", "mismatch"), 0.0)
    largest_mismatch, threshold = 0.0, _entropy_threshold(model, batches, settings, temperature)
    optimizer.zero_grad(set_to_none=True)
    for batch in batches:
        logp_N, entropy_N = logps(model, batch, temperature, bool(settings.entropy))
        detached_N = logp_N.detach()
        mismatch_N = (detached_N - batch.old_logp_N).nan_to_num(nan=0.0)
        # There is one optimizer step to a batch: the trainer's own old log-probabilities are those
        # of now.
        unknown_N = batch.old_logp_N.isnan()
        own = correction(settings).own
        old_N = detached_N if own else torch.where(unknown_N, detached_N, batch.old_logp_N)
        weight_N = batch.weight_N * mismatch_weight(
            detached_N, batch.old_logp_N, batch.reply_N, settings
        ) * (entropy_N.detach() >= threshold)  # fmt: skip
        tokens = Tokens(logp_N, old_N, batch.advantage_N, batch.reply_N)
        loss_N = torch.where(
            batch.imitated_N, -batch.advantage_N * logp_N, policy_loss(tokens, settings)
        )
        if settings.entropy:
            loss_N = loss_N - settings.entropy * entropy_N
        if reference is not None:
            with torch.no_grad():
                reference_N, _ = logps(reference, batch, temperature, False)
            kl_N = kl_divergence(logp_N, reference_N)
            sums["divergence"] += kl_N[batch.weight_N > 0].sum().item() / total
            if not isinstance(settings, Loss) or settings.kl_in == "loss":
                loss_N = loss_N + settings.kl * kl_N
        loss = (weight_N * loss_N).sum()
        # FSDP averages gradients over the ranks; they are to be summed.
        (loss * distributed.world_size()).backward()  # type: ignore[no-untyped-call]
        share = (batch.weight_N > 0).sum().item() / total
        sums["loss"] += loss.item()
        sums["clipped"] += clipped_share(tokens, settings) * share
        sums["entropy"] += entropy_N.detach().mean().item() * share
        sums["mismatch"] += mismatch_N.abs().mean().item() * share
        largest_mismatch = max(largest_mismatch, mismatch_N.abs().max().item())
    metrics, norm = distributed.all_reduce_sum(sums), 0.0
    if samples:
        clipped = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        norm = distributed.full_tensor(clipped).item()
    skipped = not (isfinite(metrics["loss"]) and isfinite(norm))
    if samples and not skipped:
        apply_gradient(model, optimizer)
    largest_mismatch = max(distributed.all_gather(largest_mismatch))
    more = {"gradient": norm, "skipped": float(skipped), "mismatch_most": largest_mismatch}
    return metrics | more


def apply_gradient(model: Model, optimizer: Optimizer) -> None:
    """Update the weights; an error before anything is sampled from weights that are not finite."""
    optimizer.step()
    norm = torch.nn.utils.get_total_norm([*model.parameters()])
    if not isfinite(distributed.full_tensor(norm).item()):
        raise UserError(
            f"an update at learning rate {optimizer.param_groups[0]['lr']:g} made weights that are"
            " not finite: set a lower [train] learning_rate, and move the folder `training` away"
            " to train anew"
        )


def micro_batches_of_rank(model: Reader, samples: Sequence[Sample]) -> list[MicroBatch]:
    """The micro-batches of this rank's shard of the prompts."""
    if not samples:
        return []
    once = model.shares_prompts
    prompts = sorted({each.prompt for each in samples}, key=lambda prompt: (len(prompt), prompt))
    mine = {*distributed.shard(prompts)}
    own = [each for each in samples if each.prompt in mine]
    batches = [*micro_batches(own, TOKENS, model.device, once)]
    (padding,) = micro_batches([replace(samples[0], weight=0.0)], TOKENS, model.device, once)
    return distributed.pad_to_longest(batches, padding)


def logps(
    model: Reader, batch: MicroBatch, temperature: float, with_gradient: bool
) -> tuple[Tensor, Tensor]:
    """The log-probability of each reply token, and the entropy of the distribution there;
    `with_gradient` is of the entropy.

    Logits are computed where they are needed, and a slice of tokens at a time; once more for the
    gradient, so that those of a whole batch are never in memory.
    """
    inputs = (
        batch.prompts_QP,
        batch.length_Q,
        batch.replies_BT,
        batch.question_B,
        batch.mask_BT,
    )
    rounded = model.compute_dtype != torch.float32
    with torch.autocast(model.device.type, model.compute_dtype, enabled=rounded):
        hidden_ND = model.reply_states(*inputs, batch.shown_Q)
        slices = [
            _checkpointed_logps(
                model,
                hidden_ND[start : start + SLICE],
                batch.targets_N[start : start + SLICE],
                temperature,
                with_gradient,
            )
            for start in range(0, len(hidden_ND), SLICE)
        ]
    logp_N, entropy_N = (torch.cat(each) for each in zip(*slices, strict=True))
    return logp_N, entropy_N


def _checkpointed_logps(
    model: Reader, hidden_ND: Tensor, targets_N: Tensor, temperature: float, with_gradient: bool
) -> tuple[Tensor, Tensor]:
    """Activation checkpointing where there are many tokens: logits are computed again."""
    inputs = (model, hidden_ND, targets_N, temperature, with_gradient)
    if not torch.is_grad_enabled() or len(targets_N) < SLICE:
        return _logps(*inputs)
    recomputed: tuple[Tensor, Tensor] = checkpoint(_logps, *inputs, use_reentrant=False)
    return recomputed


def _logps(
    model: Reader, hidden_ND: Tensor, targets_N: Tensor, temperature: float, with_gradient: bool
) -> tuple[Tensor, Tensor]:
    logits_NV = model.logits(hidden_ND).float()
    if temperature != 1:
        logits_NV = logits_NV / temperature
    all_NV = logits_NV.log_softmax(dim=1)
    with torch.set_grad_enabled(with_gradient and torch.is_grad_enabled()):
        entropy_N = -(all_NV.exp() * all_NV).sum(dim=1)
    return all_NV.gather(1, targets_N[:, None])[:, 0], entropy_N


def _entropy_threshold(
    model: Reader, batches: Sequence[MicroBatch], settings: TokenLoss, temperature: float
) -> float:
    """The least entropy of the share `open_share` of all tokens, those of highest entropy. Tokens
    after the same text have the same entropy: all of them are in, however each is rounded."""
    if settings.open_share == 1 or not batches:
        return -1.0
    with torch.no_grad():
        entropies = [
            logps(model, batch, temperature, False)[1][batch.weight_N > 0] for batch in batches
        ]
    all_N = torch.cat(distributed.all_gather(torch.cat(entropies).cpu()))
    return all_N.quantile(1 - settings.open_share).item() - ROUNDING
