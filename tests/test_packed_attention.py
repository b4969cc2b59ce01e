"""Attention of packed texts on a GPU gives what it gives on a CPU, with no matrix of all scores."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies import packed_attention
from puzzlemill.difficulty.policies.padding import PackedTexts, packed

HEADS, KV_HEADS, WIDE = 4, 2, 8
PROMPTS = [[1, 2, 3], [4], [5, 6, 7, 8, 9]]
REPLIES = [(0, 5), (0, 1), (1, 3), (2, 4), (2, 2), (0, 7)]  # the prompt, and tokens


def texts_of(with_mask: bool) -> PackedTexts:
    longest = max(map(len, PROMPTS))
    most = max(length for _, length in REPLIES)
    return packed(
        torch.tensor([[*each, *[0] * (longest - len(each))] for each in PROMPTS]),
        torch.tensor([len(each) for each in PROMPTS]),
        torch.tensor([prompt for prompt, _ in REPLIES]),
        torch.arange(most) < torch.tensor([length for _, length in REPLIES])[:, None],
        with_mask,
    )


def heads_of(texts: PackedTexts) -> tuple[Tensor, Tensor, Tensor]:
    source = torch.Generator().manual_seed(3)
    q, k, v = (
        torch.randn((sum(texts.counts), count, WIDE), generator=source).requires_grad_(True)
        for count in (HEADS, KV_HEADS, KV_HEADS)
    )
    return q, k, v


def varlen_reference(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    query_J: Tensor,
    key_J: Tensor,
    *longest: int,
    window_size: tuple[int, int],
    enable_gqa: bool,
) -> Tensor:
    """What torch's document says of its kernel, which runs on a GPU alone: text by text, and the
    last query sees the last key."""
    assert window_size == (-1, 0)
    assert enable_gqa == (q.shape[1] != k.shape[1])
    assert (query_J.dtype, key_J.dtype) == (torch.int32, torch.int32)
    assert longest == (int(query_J.diff().max()), int(key_J.diff().max()))
    attended = []
    for text in range(len(query_J) - 1):
        own_q = q[query_J[text] : query_J[text + 1]]
        own_k, own_v = (each[key_J[text] : key_J[text + 1]] for each in (k, v))
        mask = torch.ones((len(own_q), len(own_k)), dtype=torch.bool)
        mask = mask.tril(len(own_k) - len(own_q))
        heads = (each.transpose(0, 1)[None] for each in (own_q, own_k, own_v))
        seen = functional.scaled_dot_product_attention(*heads, attn_mask=mask, enable_gqa=True)
        attended.append(seen[0].transpose(0, 1))
    return torch.cat(attended)


def varlen_of_torch_2_11(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    query_J: Tensor,
    key_J: Tensor,
    *longest: int,
    window_size: tuple[int, int],
) -> Tensor:
    """It takes as many heads of keys as of queries."""
    assert q.shape[1] == k.shape[1]
    return varlen_reference(
        q, k, v, query_J, key_J, *longest, window_size=window_size, enable_gqa=False
    )


KERNELS = {"varlen": varlen_reference, "varlen of torch 2.11": varlen_of_torch_2_11}


@pytest.mark.parametrize("way", ["unmasked", *KERNELS])
def test_the_ways_of_a_gpu_give_outputs_and_gradients_of_the_masked_one(way: str) -> None:
    def run(which: str) -> list[Tensor]:
        texts = texts_of(which == "masked")
        heads = heads_of(texts)
        if which == "masked":
            out = packed_attention.masked(heads, texts)
        elif texts.spans is not None and which == "unmasked":
            out = packed_attention.unmasked(heads, texts.spans)
        else:
            assert texts.spans is not None
            out = packed_attention.varlen(heads, texts.spans, KERNELS[which])
        weights = torch.arange(out.numel(), dtype=torch.float32).view_as(out).sin()
        (out * weights).sum().backward()
        return [out.detach(), *(each.grad for each in heads if each.grad is not None)]

    for ours, wanted in zip(run(way), run("masked"), strict=True):
        torch.testing.assert_close(ours, wanted, rtol=1e-5, atol=1e-6)


def test_a_gpu_is_given_no_mask_and_a_cpu_no_spans() -> None:
    assert texts_of(with_mask=False).mask_B1TS is None
    assert texts_of(with_mask=True).spans is None
