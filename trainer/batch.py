"""From replies to tensors: texts of like length side by side, padded on the right.

Suffixes: B rows, T tokens, N tokens of replies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Text:
    """One reply to learn from: its prompt, its tokens, and how they came about."""

    prompt: tuple[int, ...]
    reply: tuple[int, ...]
    logps: tuple[float, ...]
    advantage: float
    weight: float = 1.0  # of each of its tokens in the loss

    def __len__(self) -> int:
        return len(self.prompt) + len(self.reply)


@dataclass(frozen=True, slots=True)
class Batch:
    tokens_BT: Tensor
    asked_BT: Tensor  # True where the next token is one of the reply
    targets_N: Tensor  # those next tokens
    old_logp_N: Tensor
    advantage_N: Tensor
    weight_N: Tensor
    reply_N: Tensor  # which of the batch's texts each token belongs to


def batches(texts: Sequence[Text], most: int, device: torch.device) -> Iterator[Batch]:
    """Batches of at most `most` tokens, padding included (or one text, if it is longer)."""
    some: list[Text] = []
    for text in sorted(texts, key=len):
        if some and (len(some) + 1) * len(text) > most:
            yield batch_of(some, device)
            some = []
        some.append(text)
    if some:
        yield batch_of(some, device)


def batch_of(texts: Sequence[Text], device: torch.device) -> Batch:
    longest = max(map(len, texts))
    tokens_BT = torch.zeros((len(texts), longest), dtype=torch.long)
    asked_BT = torch.zeros((len(texts), longest), dtype=torch.bool)
    for row, text in enumerate(texts):
        tokens_BT[row, : len(text)] = torch.tensor(text.prompt + text.reply)
        asked_BT[row, len(text.prompt) - 1 : len(text) - 1] = True
    return Batch(
        tokens_BT.to(device),
        asked_BT.to(device),
        torch.tensor([token for text in texts for token in text.reply], device=device),
        torch.tensor([logp for text in texts for logp in text.logps], device=device),
        torch.tensor([text.advantage for text in texts for _ in text.reply], device=device),
        torch.tensor([text.weight for text in texts for _ in text.reply], device=device),
        torch.tensor([row for row, text in enumerate(texts) for _ in text.reply], device=device),
    )
