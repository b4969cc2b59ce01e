"""An update of a policy: from texts to a loss, its gradient, and new weights."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.model import LocalPolicy, Model, Reader
from puzzlemill.trainer import ranks
from puzzlemill.trainer.adamw import Optimizer
from puzzlemill.trainer.batch import Batch, Text, batches
from puzzlemill.trainer.corrections import correction, mismatch_weight
from puzzlemill.trainer.loss import divergence
from puzzlemill.trainer.ratios import Tokens, clipped_share, policy_loss
from puzzlemill.trainer.settings import Loss, TokenLoss

TOKENS = 8192  # of a micro-batch, padding included
SLICE = 2048  # tokens whose logits are in memory at once
ROUNDING = 1e-5  # of an entropy, at most


def learn(
    policy: LocalPolicy,
    optimizer: Optimizer,
    texts: Sequence[Text],
    settings: TokenLoss,
    steepest: float,
    reference: Any = None,
) -> dict[str, float]:
    """One update from all texts; how they are batched makes no difference to it."""
    model, temperature = policy.model, policy.sampling.temperature
    total = sum(len(text.reply) for text in texts)
    parts = parts_of(model, texts)
    told = dict.fromkeys(("loss", "clipped", "entropy", "divergence", "mismatch"), 0.0)
    most, least_open = 0.0, _least_open(model, parts, settings, temperature)
    optimizer.zero_grad(set_to_none=True)
    for batch in parts:
        logp_N, entropy_N = logps(model, batch, temperature, bool(settings.entropy))
        now_N = logp_N.detach()
        apart_N = (now_N - batch.old_logp_N).nan_to_num(nan=0.0)
        # The step is one update: what the trainer's own engine says now is what it said then.
        unknown_N = batch.old_logp_N.isnan()
        own = correction(settings).own
        old_N = now_N if own else torch.where(unknown_N, now_N, batch.old_logp_N)
        counts_N = batch.weight_N * mismatch_weight(
            now_N, batch.old_logp_N, batch.reply_N, settings
        ) * (entropy_N.detach() >= least_open)  # fmt: skip
        tokens = Tokens(logp_N, old_N, batch.advantage_N, batch.reply_N)
        loss_N = policy_loss(tokens, settings)
        if settings.entropy:
            loss_N = loss_N - settings.entropy * entropy_N
        if reference is not None:
            with torch.no_grad():
                reference_N, _ = logps(reference, batch, temperature, False)
            apart = divergence(logp_N, reference_N)
            told["divergence"] += apart[batch.weight_N > 0].sum().item() / total
            if not isinstance(settings, Loss) or settings.kl_in == "loss":
                loss_N = loss_N + settings.kl * apart
        part = (counts_N * loss_N).sum()
        # Over several processes the gradient is the mean, and is to be the sum.
        (part * ranks.count()).backward()  # type: ignore[no-untyped-call]
        share = (batch.weight_N > 0).sum().item() / total
        told["loss"] += part.item()
        told["clipped"] += clipped_share(tokens, settings) * share
        told["entropy"] += entropy_N.detach().mean().item() * share
        told["mismatch"] += apart_N.abs().mean().item() * share
        most = max(most, apart_N.abs().max().item())
    told, gradient = ranks.summed(told), 0.0
    if texts:
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), steepest)
        gradient = ranks.full(norm).item()
    skipped = not (isfinite(told["loss"]) and isfinite(gradient))
    if texts and not skipped:
        update(model, optimizer)
    most = max(ranks.gathered(most))
    found = {"gradient": gradient, "skipped": float(skipped), "mismatch_most": most}
    return told | found


def update(model: Model, optimizer: Optimizer) -> None:
    """One step, by the gradients there are; what it breaks is told before anybody is asked."""
    optimizer.step()
    norm = torch.nn.utils.get_total_norm([*model.parameters()])
    if not isfinite(ranks.full(norm).item()):
        raise UserError(
            f"an update at learning rate {optimizer.param_groups[0]['lr']:g} made weights that are"
            " not finite: set a lower [train] learning_rate, and move the folder `training` away"
            " to train anew"
        )


def parts_of(model: Reader, texts: Sequence[Text]) -> list[Batch]:
    """The batches that fall to this process."""
    if not texts:
        return []
    once = model.shares_prompts
    asked = sorted({text.prompt for text in texts}, key=lambda prompt: (len(prompt), prompt))
    mine = {*ranks.dealt(asked)}
    own = [text for text in texts if text.prompt in mine]
    found = [*batches(own, TOKENS, model.device, once)]
    (idle,) = batches([replace(texts[0], weight=0.0)], TOKENS, model.device, once)
    return ranks.even(found, idle)


def logps(model: Reader, batch: Batch, temperature: float, learned: bool) -> tuple[Tensor, Tensor]:
    """The log-probability of each reply token, and the entropy of what might have stood there.

    Logits are made where they are needed, and a slice of tokens at a time; made again for the
    gradient, so that those of a whole batch are never in memory.
    """
    texts = (
        batch.prompts_QP,
        batch.length_Q,
        batch.replies_BT,
        batch.question_B,
        batch.said_BT,
    )
    rounded = model.compute_dtype != torch.float32
    with torch.autocast(model.device.type, model.compute_dtype, enabled=rounded):
        hidden_ND = model.reply_states(*texts, batch.shown_Q)
        parts = [
            _kept_small(
                model, hidden_ND[start:stop], batch.targets_N[start:stop], temperature, learned
            )
            for start in range(0, len(hidden_ND), SLICE)
            for stop in [start + SLICE]
        ]
    logp_N, entropy_N = (torch.cat(each) for each in zip(*parts, strict=True))
    return logp_N, entropy_N


def _kept_small(*given: Any) -> tuple[Tensor, Tensor]:
    """Without its logits being kept for the gradient, where there are many."""
    if not torch.is_grad_enabled() or len(given[1]) < SLICE:
        return _told(*given)
    found: tuple[Tensor, Tensor] = checkpoint(_told, *given, use_reentrant=False)
    return found


def _told(
    model: Reader, hidden_ND: Tensor, targets_N: Tensor, temperature: float, learned: bool
) -> tuple[Tensor, Tensor]:
    logits_NV = model.logits(hidden_ND).float()
    if temperature != 1:
        logits_NV = logits_NV / temperature
    all_NV = logits_NV.log_softmax(dim=1)
    with torch.set_grad_enabled(learned and torch.is_grad_enabled()):
        entropy_N = -(all_NV.exp() * all_NV).sum(dim=1)
    return all_NV.gather(1, targets_N[:, None])[:, 0], entropy_N


def _least_open(
    model: Reader, parts: Sequence[Batch], settings: TokenLoss, temperature: float
) -> float:
    """The entropy that the most open share of all tokens has at least. Replies that begin alike
    have tokens that are open alike: these are in together, however each is rounded."""
    if settings.open_share == 1 or not parts:
        return -1.0
    with torch.no_grad():
        found = [logps(model, batch, temperature, False)[1][batch.weight_N > 0] for batch in parts]
    all_N = torch.cat(ranks.gathered(torch.cat(found).cpu()))
    return all_N.quantile(1 - settings.open_share).item() - ROUNDING
