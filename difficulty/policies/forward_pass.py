"""One forward pass of a model over given texts: log-probabilities, certainty, and angles and
effective ranks of hidden states.

Without gradients, but not in inference mode: sharded weights that are gathered in that mode could
not be used outside of it.

Suffixes: B rows, T tokens, D hidden.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.model import Reader

Ids: TypeAlias = Sequence[int]

ROUNDING = 1e-6  # of singular values, beside the norm of all states
BATCH_TOKENS = 8192  # padding included


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure a model is at each token of a completion."""

    divergence: tuple[float, ...]  # KL(uniform || its distribution there): self-certainty
    logit: tuple[float, ...]  # of the token itself


@torch.no_grad()
def completion_logps(
    model: Reader, texts: Sequence[tuple[Ids, Ids]], temperature: float = 1.0
) -> list[Tensor]:
    """The log-probability of each token of a completion, given its prompt."""
    logps: dict[int, Tensor] = {}
    for place, logits_TV, token_T1 in _completion_logits(model, texts, temperature):
        logps[place] = (logits_TV.gather(1, token_T1)[:, 0] - logits_TV.logsumexp(1)).cpu()
    return [logps[place] for place in range(len(texts))]


@torch.no_grad()
def completion_certainty(
    model: Reader, texts: Sequence[tuple[Ids, Ids]], temperature: float = 1.0
) -> list[Certainty]:
    """Of each completion, given its prompt."""
    certainty: dict[int, Certainty] = {}
    for place, logits_TV, token_T1 in _completion_logits(model, texts, temperature):
        mean_logp_T = logits_TV.mean(1) - logits_TV.logsumexp(1)
        divergence_T = -mean_logp_T - log(logits_TV.shape[1])
        logit_T = logits_TV.gather(1, token_T1)[:, 0]
        certainty[place] = Certainty(tuple(divergence_T.tolist()), tuple(logit_T.tolist()))
    return [certainty[place] for place in range(len(texts))]


@torch.no_grad()
def completion_ranks(
    model: Reader, texts: Sequence[tuple[Ids, Ids]], stride: int
) -> list[list[float]]:
    """Of each completion, given its prompt: the effective rank of its last hidden states up to
    every `stride` tokens, and up to its end."""
    ranks: dict[int, list[float]] = {}
    for places, hidden_BTD in _hidden(
        model, [[*prompt, *completion] for prompt, completion in texts]
    ):
        for place, hidden_TD in zip(places, hidden_BTD, strict=True):
            prompt, completion = texts[place]
            own_TD = hidden_TD[len(prompt) : len(prompt) + len(completion)].float()
            ends = [*range(stride, len(completion), stride), len(completion)]
            ranks[place] = [effective_rank(own_TD[:end]) for end in ends]
    return [ranks[place] for place in range(len(texts))]


def effective_rank(states_TD: Tensor) -> float:
    """The exponential of the entropy of the shares of singular values, once the states are
    centred; 1 where they do not differ."""
    centred_TD = states_TD - states_TD.mean(0)
    values = torch.linalg.svdvals(centred_TD)
    if not len(values) or values[0] <= ROUNDING * states_TD.norm():
        return 1.0
    return float(torch.special.entr(values / values.sum()).sum().exp())


@torch.no_grad()
def completion_entropies(
    model: Reader, texts: Sequence[tuple[Ids, Ids]], temperature: float = 1.0
) -> list[Tensor]:
    """The entropy of the distribution that each token of a completion comes from, in nats."""
    entropies: dict[int, Tensor] = {}
    for place, logits_TV, _ in _completion_logits(model, texts, temperature):
        logps_TV = logits_TV.log_softmax(1)
        entropies[place] = -(logps_TV.exp() * logps_TV).sum(1).cpu()
    return [entropies[place] for place in range(len(texts))]


@torch.no_grad()
def angles(model: Reader, texts: Sequence[Ids]) -> list[float]:
    """Of each text the mean cosine between the last hidden states of two of its tokens."""
    cosines: dict[int, float] = {}
    for places, hidden_BTD in _hidden(model, texts):
        for place, hidden_TD in zip(places, hidden_BTD, strict=True):
            count = len(texts[place])
            # All pairs at once: the square of a sum holds each pair twice, and each with itself.
            total = functional.normalize(hidden_TD[:count].float(), dim=-1).sum(0).square().sum()
            cosines[place] = (total.item() - count) / max(count * (count - 1), 1)
    return [cosines[place] for place in range(len(texts))]


def _completion_logits(
    model: Reader, texts: Sequence[tuple[Ids, Ids]], temperature: float
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Of one text after the other: its place, the logits at each token of its completion, and
    these tokens."""
    for places, hidden_BTD in _hidden(
        model, [[*prompt, *completion] for prompt, completion in texts]
    ):
        for place, hidden_TD in zip(places, hidden_BTD, strict=True):
            prompt, completion = texts[place]
            predictors = slice(len(prompt) - 1, len(prompt) + len(completion) - 1)
            logits_TV = model.logits(hidden_TD[predictors]).float() / temperature
            yield place, logits_TV, _column(completion, model)


def _column(tokens: Ids, model: Reader) -> Tensor:
    return torch.tensor(tokens, dtype=torch.long, device=model.device)[:, None]


def _hidden(model: Reader, texts: Sequence[Ids]) -> Iterator[tuple[list[int], Tensor]]:
    """Batches of texts of like length: which texts, and their hidden states."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    while order:
        count = 1
        while count < len(order) and (count + 1) * len(texts[order[count]]) <= BATCH_TOKENS:
            count += 1
        batch, order = order[:count], order[count:]
        longest = len(texts[batch[-1]])
        padded = [[*texts[each], *[0] * (longest - len(texts[each]))] for each in batch]
        mixed = model.compute_dtype != torch.float32
        with torch.autocast(model.device.type, model.compute_dtype, enabled=mixed):
            hidden_BTD = model(torch.tensor(padded, device=model.device))
        yield batch, hidden_BTD
