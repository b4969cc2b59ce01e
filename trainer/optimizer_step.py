"""An optimizer step: from training samples to a loss, its gradient, and new weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.model import LocalPolicy, Model, Reader
from puzzlemill.trainer import distributed
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.corrections import mismatch_weight
from puzzlemill.trainer.feedback_loss import feedback_loss
from puzzlemill.trainer.kl import kl_divergence
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import MicroBatch, Sample, micro_batches
from puzzlemill.trainer.minibatch_stats import MinibatchStats, old_logps, stats_of, trainer_logps
from puzzlemill.trainer.off_policy import off_policy_loss
from puzzlemill.trainer.ratios import Tokens, clipped_share, policy_loss
from puzzlemill.trainer.self_reward import aim_loss, balanced
from puzzlemill.trainer.settings import MICRO_BATCH
from puzzlemill.trainer.settings.losses import Loss, TokenLoss


@dataclass(frozen=True, slots=True)
class Minibatch:
    """What one update learns from."""

    batches: list[MicroBatch]  # of this rank; as many on every rank
    tokens: int  # of all ranks, padding left out


def optimizer_step(
    policy: LocalPolicy,
    optimizer: Optimizer,
    samples: Sequence[Sample],
    settings: TokenLoss,
    max_norm: float,
    reference: Reader | None = None,
) -> dict[str, float]:
    """One update from all samples; the metrics. How the samples are divided into micro-batches
    makes no difference."""
    minibatch = minibatch_of(policy.model, samples)
    return update(policy, optimizer, minibatch, settings, max_norm, reference)


def minibatch_of(model: Reader, samples: Sequence[Sample], most: int = MICRO_BATCH) -> Minibatch:
    """The samples as micro-batches of at most so many tokens."""
    tokens = sum(sample.learned for sample in samples)
    return Minibatch(micro_batches_of_rank(model, balanced(samples), most), tokens)


def update(
    policy: LocalPolicy,
    optimizer: Optimizer,
    minibatch: Minibatch,
    settings: TokenLoss,
    max_norm: float,
    reference: Reader | None = None,
) -> dict[str, float]:
    """Accumulate the gradient of a minibatch, and change the weights once; the metrics."""
    model, batches = policy.model, minibatch.batches
    optimizer.zero_grad(set_to_none=True)
    sums, largest = add_gradients(policy, minibatch, settings, reference)
    metrics, norm = distributed.all_reduce_sum(sums), 0.0
    if batches:
        clipped = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        norm = distributed.full_tensor(clipped).item()
    skipped = not (isfinite(metrics["loss"]) and isfinite(norm))
    if batches and not skipped:
        apply_gradient(model, optimizer)
    most = {name: max(distributed.all_gather(value)) for name, value in largest.items()}
    return metrics | {"gradient": norm, "skipped": float(skipped)} | most


def add_gradients(
    policy: LocalPolicy, minibatch: Minibatch, settings: TokenLoss, reference: Reader | None
) -> tuple[dict[str, float], dict[str, float]]:
    """Add the gradient of a minibatch's loss to those of the weights; this rank's part of the
    metrics, those that are summed over the ranks and those of which the largest counts."""
    batches = minibatch.batches
    sums = dict.fromkeys(("loss", "clipped", "entropy", "divergence", "mismatch"), 0.0)
    largest = {"mismatch_most": 0.0}
    stats = stats_of(policy.model, batches, settings, policy.sampling.temperature)
    for number, batch in enumerate(batches):
        loss, figures = _loss(policy, batch, number, stats, settings, reference)
        # FSDP averages gradients over the ranks; they are to be summed.
        (loss * distributed.world_size()).backward()  # type: ignore[no-untyped-call]
        sums["loss"] += loss.item()
        live = (batch.weight_N > 0).sum().item()
        for name, value in figures.items():
            if name in largest:
                largest[name] = max(largest[name], value)
            else:
                sums[name] += value * live / minibatch.tokens
    return sums, largest


def _loss(
    policy: LocalPolicy,
    batch: MicroBatch,
    number: int,
    stats: MinibatchStats | None,
    settings: TokenLoss,
    reference: Reader | None,
) -> tuple[Tensor, dict[str, float]]:
    """The loss of a micro-batch, with its gradient, and metrics of its tokens: their means."""
    model, temperature = policy.model, policy.sampling.temperature
    of_items = settings if isinstance(settings, Loss) else None
    pulled = of_items is not None and of_items.entropy_distance > 0
    logp_N, entropy_N = logps(model, batch, temperature, settings.entropy > 0 or pulled)
    trainer_N = trainer_logps(batch, logp_N)
    # Who wrote an off-policy text read another prompt: its distance says nothing of engines.
    sampled_N = batch.old_logp_N.masked_fill(batch.off_policy_N, nan)
    mismatch_N = (trainer_N - sampled_N).nan_to_num(nan=0.0)
    old_N = old_logps(batch, trainer_N, settings)
    weight_N = batch.weight_N * mismatch_weight(trainer_N, sampled_N, batch.reply_N, settings)
    tokens = Tokens(logp_N, old_N, batch.advantage_N, batch.reply_N, batch.rate_N)
    imitation_N = -batch.advantage_N * logp_N
    loss_N = torch.where(batch.imitated_N, imitation_N, policy_loss(tokens, settings))
    for chosen in dict.fromkeys(batch.off_policy_B):
        if chosen is not None:
            off_policy_N = off_policy_loss(tokens, trainer_N, chosen, settings)
            loss_N = torch.where(batch.learned_by(chosen), off_policy_N, loss_N)
    if batch.feedback_N.any():
        loss_N = feedback_loss(tokens, loss_N, batch.feedback_N)
    divergence = 0.0
    if stats is not None and settings.token_weights:
        loss_N = loss_N * stats.weight(number, settings)
    if stats is not None and settings.open_share < 1:
        weight_N = weight_N * (entropy_N.detach() >= stats.least_entropy(settings))
    if settings.entropy:
        loss_N = loss_N - settings.entropy * entropy_N
    live_N = batch.weight_N > 0
    live = max(live_N.sum().item(), 1)
    if reference is not None:
        with torch.no_grad():
            reference_N, _ = logps(reference, batch, temperature, False)
        kl_N = kl_divergence(logp_N, reference_N)
        divergence = kl_N[live_N].sum().item() / live
        if of_items is None or of_items.kl_in == "loss":
            loss_N = loss_N + settings.kl * batch.kl_weight_N * kl_N
    if batch.teacher_weight_N.any():
        teacher_N = torch.where(batch.teacher_weight_N > 0, batch.teacher_logp_N, logp_N.detach())
        loss_N = loss_N + batch.teacher_weight_N * kl_divergence(logp_N, teacher_N)
    loss = (weight_N * loss_N).sum() + aim_loss(logp_N, batch)
    if stats is not None and of_items is not None and pulled:
        loss = loss + stats.distance_loss(entropy_N[live_N], of_items)
    return loss, {
        "clipped": clipped_share(tokens, settings) * len(logp_N) / live,
        "entropy": entropy_N.detach()[live_N].sum().item() / live,
        "divergence": divergence,
        "mismatch": mismatch_N.abs()[live_N].sum().item() / live,
        "mismatch_most": mismatch_N.abs().max().item(),
    }


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


def micro_batches_of_rank(
    model: Reader, samples: Sequence[Sample], most: int = MICRO_BATCH
) -> list[MicroBatch]:
    """The micro-batches of this rank's shard of the prompts."""
    if not samples:
        return []
    once = model.shares_prompts
    prompts = sorted({each.prompt for each in samples}, key=lambda prompt: (len(prompt), prompt))
    mine = {*distributed.shard(prompts)}
    own = [each for each in samples if each.prompt in mine]
    batches = [*micro_batches(own, most, model.device, once)]
    (padding,) = micro_batches([_without_weight(samples[0])], most, model.device, once)
    return distributed.pad_to_longest(batches, padding)


def _without_weight(sample: Sample) -> Sample:
    aim = sample.aim and replace(sample.aim, weight=0.0)
    return replace(sample, weight=0.0, aim=aim)
