"""What the loss of a token has to know of all tokens of an update, on all ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.model import Reader
from puzzlemill.trainer import distributed
from puzzlemill.trainer.corrections import correction
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import MicroBatch
from puzzlemill.trainer.settings.losses import Loss, TokenLoss
from puzzlemill.trainer.token_weights import TokenStats, token_weights

ROUNDING = 1e-5  # of an entropy, at most


@dataclass(frozen=True, slots=True)
class MinibatchStats:
    batches: list[TokenStats]
    whole: TokenStats  # of all ranks

    def weight(self, number: int, settings: TokenLoss) -> Tensor:
        """What each token of a batch counts in the policy's loss."""
        return token_weights(self.batches[number], self.whole, settings)

    def least_entropy(self, settings: TokenLoss) -> float:
        """Of the tokens that are learned from. Those after the same text have the same entropy: all
        of them are, however each is rounded."""
        return lower_bound(self.whole.entropy_N, settings.open_share) - ROUNDING

    def distance_loss(self, entropy_N: Tensor, settings: Loss) -> Tensor:
        """Of some tokens, their part in the distance of the mean entropy from its aim."""
        whole_N, aim = self.whole.entropy_N, settings.entropy_aim
        sign = torch.sign(whole_N.mean() - aim)
        return settings.entropy_distance * sign * (entropy_N - aim).sum() / len(whole_N)


@torch.no_grad()
def stats_of(
    model: Reader, batches: Sequence[MicroBatch], settings: TokenLoss, temperature: float
) -> MinibatchStats | None:
    """None where no setting needs them: they cost a forward pass."""
    distance = isinstance(settings, Loss) and settings.entropy_distance
    if not batches or not (settings.open_share < 1 or settings.token_weights or distance):
        return None
    some, columns = [], []
    for batch in batches:
        logp_N, entropy_N = logps(model, batch, temperature, False)
        old_N = old_logps(batch, trainer_logps(batch, logp_N), settings)
        read = (logp_N, old_N, entropy_N, batch.advantage_N)
        some.append(TokenStats(*read))
        columns.append(torch.stack(read)[:, batch.weight_N > 0].cpu())
    gathered = torch.cat(distributed.all_gather(torch.cat(columns, dim=1)), dim=1)
    return MinibatchStats(some, TokenStats(*gathered.to(model.device)))


def trainer_logps(batch: MicroBatch, logp_N: Tensor) -> Tensor:
    """The trainer's log-probabilities before a step's first update: those of now, if it is the
    only one."""
    return logp_N.detach() if batch.trainer_logp_N is None else batch.trainer_logp_N


def old_logps(batch: MicroBatch, trainer_N: Tensor, settings: TokenLoss) -> Tensor:
    """Those that importance ratios are to: of off-policy texts always those of their sampler, where
    they are known."""
    known_N = ~batch.old_logp_N.isnan()
    if correction(settings).own:
        known_N = known_N & batch.off_policy_N
    return torch.where(known_N, batch.old_logp_N, trainer_N)


def lower_bound(values_N: Tensor, share: float) -> float:
    """The least of the highest values that make up this share: torch.quantile takes no more than
    16.7 million, and kthvalue is quadratic where values are in order or alike."""
    return values_N.sort().values[ceil((1 - share) * (len(values_N) - 1))].item()
