"""Log-probabilities and entropies of the tokens of a micro-batch, with gradients."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from puzzlemill.difficulty.policies.kept_gradient import kept_states
from puzzlemill.difficulty.policies.model import Reader
from puzzlemill.trainer.micro_batch import MicroBatch

SLICE = 2048  # tokens whose logits are in memory at once


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
        hidden_ND = kept_states(model, *inputs)
        if hidden_ND is None:
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
        mass_NV = all_NV.exp()
        # In place where no gradient needs the mass: each of these is as large as all logits.
        weighted_NV = mass_NV * all_NV if torch.is_grad_enabled() else mass_NV.mul_(all_NV)
        entropy_N = -weighted_NV.sum(dim=1)
    return all_NV.gather(1, targets_N[:, None])[:, 0], entropy_N
