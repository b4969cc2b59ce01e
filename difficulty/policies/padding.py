"""Packed texts: prompts and the replies to them in one row, and how they map to rectangles.

Suffixes as in transformer.py; J texts of attention: all prompts, then each reply with its prompt.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Padding:
    """How packed texts map to a padded rectangle."""

    texts: int
    length: int
    index_N: Tensor | None  # of each packed token in the flattened rectangle; None: no padding

    def padded(self, x: Tensor) -> Tensor:
        if self.index_N is not None:
            empty = x.new_zeros((self.texts * self.length, *x.shape[1:]))
            x = empty.index_copy(0, self.index_N, x)
        return x.view(self.texts, self.length, *x.shape[1:])

    def unpadded(self, x: Tensor) -> Tensor:
        x = x.flatten(0, 1)
        return x if self.index_N is None else x.index_select(0, self.index_N)


@dataclass(frozen=True, slots=True, eq=False)
class PackedTexts:
    """Prompts and the replies to them, packed: all tokens in one row, N, those of prompts first.
    The last token of each reply is left out, since it predicts nothing."""

    prompts: Padding
    replies: Padding
    counts: list[int]  # tokens of prompts, and of replies
    position_N: Tensor
    predictor_N: Tensor  # for every reply token, the index of the token before it
    prompt_B: Tensor  # of each reply
    # The positions of prompt and reply that each reply token attends to, if there is a mask.
    mask_B1TS: Tensor | None
    spans: "Spans | None"  # if there is none


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """The texts of attention, J, one after the other: what is read of the packed tokens for their
    keys, and where their queries lie in that."""

    key_N: Tensor  # the index of each key among the packed tokens
    own_N: Tensor  # the index of each packed token among the keys: its own
    query_start_J: Tensor  # and where the last text ends; int32, for the kernel
    key_start_J: Tensor
    longest_query: int
    longest_key: int
    rectangle: Padding  # of the keys


def packed(
    prompts_QP: Tensor,
    length_Q: Tensor,
    prompt_B: Tensor,
    reply_mask_BT: Tensor,
    with_mask: bool | None = None,
) -> PackedTexts:
    """With what attention needs: on a CPU a mask, unless told otherwise."""
    device, (rows, longest) = length_Q.device, prompts_QP.shape
    span = reply_mask_BT.shape[1] - 1
    with_mask = device.type == "cpu" if with_mask is None else with_mask
    position_P, position_T = (torch.arange(size, device=device) for size in (longest, span))
    # Of a reply all but the last token is input, and predicts the next one: hence the shift by one.
    prompt_mask_QP, input_mask_BT = position_P < length_Q[:, None], reply_mask_BT[:, 1:]
    prompts, replies = padding_of(prompt_mask_QP), padding_of(input_mask_BT)
    position_BT = length_Q[prompt_B][:, None] + position_T
    position_N = torch.cat(
        (prompts.unpadded(position_P.expand(rows, -1)), replies.unpadded(position_BT))
    )
    count = int(length_Q.sum())
    last_Q = length_Q.cumsum(0) - 1
    # The first token of a reply is predicted by the last of its prompt, others by the one before.
    own_BT = count - 1 + input_mask_BT.flatten().cumsum(0).view_as(input_mask_BT)
    predictor_N = torch.cat((last_Q[prompt_B][:, None], own_BT), dim=1)[reply_mask_BT]
    return PackedTexts(
        prompts=prompts,
        replies=replies,
        counts=[count, len(position_N) - count],
        position_N=position_N,
        predictor_N=predictor_N,
        prompt_B=prompt_B,
        mask_B1TS=_mask(prompt_mask_QP[prompt_B], span) if with_mask else None,
        spans=None if with_mask else _spans(length_Q, prompt_B, input_mask_BT.sum(1)),
    )


def padding_of(mask: Tensor) -> Padding:
    texts, length = mask.shape
    index_N = mask.flatten().nonzero()[:, 0]
    return Padding(texts, length, None if len(index_N) == mask.numel() else index_N)


def _mask(prompt_mask_BP: Tensor, span: int) -> Tensor:
    causal_TT = torch.ones((span, span), dtype=torch.bool, device=prompt_mask_BP.device).tril()
    to_prompt = prompt_mask_BP[:, None].expand(-1, span, -1)
    own = causal_TT.expand(len(prompt_mask_BP), -1, -1)
    return torch.cat((to_prompt, own), dim=2)[:, None]


def _spans(length_Q: Tensor, prompt_B: Tensor, length_B: Tensor) -> Spans:
    """From the tokens of each prompt, and those of each reply that are input."""
    device = length_Q.device
    query_J = torch.cat((length_Q, length_B))
    key_J = torch.cat((length_Q, length_Q[prompt_B] + length_B))
    prompt_J = torch.cat((torch.arange(len(length_Q), device=device), prompt_B))
    query_start_J, key_start_J = _starts(query_J), _starts(key_J)
    text_N = torch.repeat_interleave(torch.arange(len(key_J), device=device), key_J)
    place_N = torch.arange(len(text_N), device=device) - key_start_J[text_N]
    # A text's keys are its prompt, and behind that its own tokens, which are its queries too.
    before_N = (key_J - query_J)[text_N]
    from_prompt_N = query_start_J[prompt_J[text_N]] + place_N
    own_N = query_start_J[text_N] + place_N - before_N
    longest_query, longest_key = torch.stack((query_J.max(), key_J.max())).tolist()
    is_own_N = place_N >= before_N
    position_S = torch.arange(longest_key, device=device)
    return Spans(
        key_N=torch.where(is_own_N, own_N, from_prompt_N),
        own_N=is_own_N.nonzero()[:, 0],
        query_start_J=query_start_J.int(),
        key_start_J=key_start_J.int(),
        longest_query=longest_query,
        longest_key=longest_key,
        rectangle=padding_of(position_S < key_J[:, None]),
    )


def _starts(length_J: Tensor) -> Tensor:
    return torch.nn.functional.pad(length_J.cumsum(0), (1, 0))
