"""What a model in memory makes of given texts, in one pass and without sampling.

Without gradients, and not in inference mode: what sharded weights are gathered into would be of no
use outside of it.

Suffixes: B rows, T tokens, D hidden.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.model import Reader

Ids: TypeAlias = Sequence[int]

TOKENS = 8192  # of a batch, padding included


@torch.no_grad()
def completion_logps(
    model: Reader, texts: Sequence[tuple[Ids, Ids]], temperature: float = 1.0
) -> list[Tensor]:
    """The log-probability of each token of a text's second part, behind its first."""
    found: dict[int, Tensor] = {}
    for places, hidden_BTD in _read(model, [[*first, *second] for first, second in texts]):
        for place, hidden_TD in zip(places, hidden_BTD, strict=True):
            first, second = texts[place]
            behind = slice(len(first) - 1, len(first) + len(second) - 1)
            logits_TV = model.logits(hidden_TD[behind]).float() / temperature
            said_T1 = torch.tensor(second, device=model.device)[:, None]
            found[place] = (logits_TV.gather(1, said_T1)[:, 0] - logits_TV.logsumexp(1)).cpu()
    return [found[place] for place in range(len(texts))]


@torch.no_grad()
def angles(model: Reader, texts: Sequence[Ids]) -> list[float]:
    """How far the last hidden states of a text's tokens point the same way: the mean cosine of all
    pairs."""
    found: dict[int, float] = {}
    for places, hidden_BTD in _read(model, texts):
        for place, hidden_TD in zip(places, hidden_BTD, strict=True):
            count = len(texts[place])
            # All pairs at once: the square of a sum holds each pair twice, and each with itself.
            total = functional.normalize(hidden_TD[:count].float(), dim=-1).sum(0).square().sum()
            found[place] = (total.item() - count) / max(count * (count - 1), 1)
    return [found[place] for place in range(len(texts))]


def _read(model: Reader, texts: Sequence[Ids]) -> Iterator[tuple[list[int], Tensor]]:
    """Batches of texts of like length: their places, and the hidden states."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    while order:
        count = 1
        while count < len(order) and (count + 1) * len(texts[order[count]]) <= TOKENS:
            count += 1
        some, order = order[:count], order[count:]
        longest = len(texts[some[-1]])
        padded = [[*texts[each], *[0] * (longest - len(texts[each]))] for each in some]
        rounded = model.arithmetic != torch.float32
        with torch.autocast(model.device.type, model.arithmetic, enabled=rounded):
            hidden_BTD = model(torch.tensor(padded, device=model.device))
        yield some, hidden_BTD
