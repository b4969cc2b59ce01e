"""From replies to tensors: replies to one prompt side by side, and the prompt once, padded on the
right.

Suffixes: Q prompts, P tokens of prompts, B replies, T tokens of replies, N tokens of all replies,
one after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.tokens import PicturePrompt


@dataclass(frozen=True, slots=True)
class Text:
    """One reply to learn from: its prompt, its tokens, and how they came about."""

    prompt: tuple[int, ...]
    reply: tuple[int, ...]
    logps: tuple[float, ...]
    advantage: float
    weight: float = 1.0  # of each of its tokens in the loss
    shown: PicturePrompt | None = None  # its prompt, where it has pictures


@dataclass(frozen=True, slots=True)
class Batch:
    prompts_QP: Tensor
    length_Q: Tensor  # tokens of each prompt
    replies_BT: Tensor
    question_B: Tensor  # whose prompt is each reply's
    said_BT: Tensor  # True where a token is the reply's, and no padding
    targets_N: Tensor  # those tokens
    old_logp_N: Tensor
    advantage_N: Tensor
    weight_N: Tensor
    reply_N: Tensor  # which of the replies each token belongs to
    shown_Q: tuple[PicturePrompt | None, ...] = ()  # the prompts, if they have pictures


def batches(
    texts: Sequence[Text], most: int, device: torch.device, once: bool = True
) -> Iterator[Batch]:
    """Batches of at most `most` tokens, padding included (or one reply, if that is more); replies
    to one prompt stay together while there is room, longer ones go with longer ones. A prompt
    costs its tokens once, or else for every reply; prompts with pictures go by themselves."""
    by_prompt = sorted(texts, key=_asked)
    groups = [
        part
        for _, group in groupby(by_prompt, key=_asked)
        for part in _parts(list(group), most, once)
    ]
    groups.sort(key=lambda group: (_pictured(group), _longest(group), len(group[0].prompt)))
    some: list[list[Text]] = []
    for group in groups:
        apart = some and _pictured(some[0]) != _pictured(group)
        if some and (apart or _room([*some, group], once) > most):
            yield batch_of(some, device)
            some = []
        some.append(group)
    if some:
        yield batch_of(some, device)


def _asked(text: Text) -> tuple[tuple[int, ...], tuple[bytes, ...]]:
    """What tells prompts apart: their tokens do not say what is on a picture."""
    return text.prompt, text.shown.images if text.shown else ()


def _pictured(group: Sequence[Text]) -> bool:
    return group[0].shown is not None


def _parts(group: Sequence[Text], most: int, once: bool) -> Iterator[list[Text]]:
    """The replies to one prompt, cut where they are too many for one batch."""
    some: list[Text] = []
    for text in sorted(group, key=lambda text: len(text.reply)):
        if some and _room([[*some, text]], once) > most:
            yield some
            some = []
        some.append(text)
    yield some


def _longest(group: Sequence[Text]) -> int:
    return max(len(text.reply) for text in group)


def _room(groups: Sequence[Sequence[Text]], once: bool) -> int:
    """Tokens, padding included."""
    rows = sum(map(len, groups))
    prompts = (len(groups) if once else rows) * max(len(group[0].prompt) for group in groups)
    return prompts + rows * max(map(_longest, groups))


def batch_of(groups: Sequence[Sequence[Text]], device: torch.device) -> Batch:
    texts = [text for group in groups for text in group]
    prompts = [group[0].prompt for group in groups]
    said_BT = _padded([[1] * len(text.reply) for text in texts], device).bool()
    rows = [row for row, text in enumerate(texts) for _ in text.reply]
    question = [place for place, group in enumerate(groups) for _ in group]
    return Batch(
        prompts_QP=_padded(prompts, device),
        length_Q=torch.tensor([len(prompt) for prompt in prompts], device=device),
        replies_BT=_padded([text.reply for text in texts], device),
        question_B=torch.tensor(question, device=device),
        said_BT=said_BT,
        targets_N=torch.tensor([token for text in texts for token in text.reply], device=device),
        old_logp_N=torch.tensor([logp for text in texts for logp in text.logps], device=device),
        advantage_N=torch.tensor([texts[row].advantage for row in rows], device=device),
        weight_N=torch.tensor([texts[row].weight for row in rows], device=device),
        reply_N=torch.tensor(rows, device=device),
        shown_Q=tuple(group[0].shown for group in groups) if _pictured(groups[0]) else (),
    )


def _padded(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=device)
