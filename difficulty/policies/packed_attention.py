"""Attention of packed texts: prompts to themselves, replies to their prompts and themselves.

There are three ways, which differ in rounding alone, and none of them has a matrix of all scores in
memory. torch's kernels that take a mask do on a GPU, in float32.

    masked    padded rectangles and a mask: the fastest on a CPU, whose kernel works in blocks
    unmasked  a reply behind its prompt as one causal text: float32 on a GPU
    varlen    no padding at all, by the Flash kernel: half precision on a GPU

Suffixes as in transformer.py; J texts of the kernel: all prompts, then each reply with its prompt.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.padding import PackedTexts, Spans

Heads = tuple[Tensor, Tensor, Tensor]  # queries NHE, keys and values NKE
Kernel = Callable[..., Any]  # as torch.nn.attention.varlen.varlen_attn
WIDEST = 256  # head that the Flash kernel takes


def packed_attention(heads: Heads, texts: PackedTexts) -> Tensor:
    """NHE, in the packed order of the queries."""
    device = heads[0].device.type
    if texts.spans is None:
        return masked(heads, texts)
    autocast = torch.is_autocast_enabled(device)
    dtype = torch.get_autocast_dtype(device) if autocast else heads[0].dtype
    kernel = None if dtype == torch.float32 else _flash(heads[0])
    if kernel is None:
        return unmasked(heads, texts.spans)
    q, k, v = (each.to(dtype) for each in heads)
    return varlen((q, k, v), texts.spans, kernel)


def _flash(q_NHE: Tensor) -> Kernel | None:
    """The kernel, where this GPU and this torch have it: from Ampere and 2.11 on."""
    if q_NHE.device.type != "cuda" or q_NHE.shape[-1] > WIDEST:
        return None
    if torch.version.hip is None and torch.cuda.get_device_capability(q_NHE.device) < (8, 0):
        return None
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    return varlen_attn if "window_size" in signature(varlen_attn).parameters else None


def masked(heads: Heads, texts: PackedTexts) -> Tensor:
    prompts, replies = zip(*(torch.split(each, texts.counts) for each in heads), strict=True)
    q_QHPE, k_QKPE, v_QKPE = (texts.prompts.padded(each).transpose(1, 2) for each in prompts)
    q_BHTE, k_BKTE, v_BKTE = (texts.replies.padded(each).transpose(1, 2) for each in replies)
    grouped = q_QHPE.shape[1] != k_QKPE.shape[1]
    to_prompt_QHPE = functional.scaled_dot_product_attention(
        q_QHPE, k_QKPE, v_QKPE, is_causal=True, enable_gqa=grouped
    )
    to_both_BHTE = functional.scaled_dot_product_attention(
        q_BHTE,
        torch.cat((k_QKPE[texts.prompt_B], k_BKTE), dim=2),
        torch.cat((v_QKPE[texts.prompt_B], v_BKTE), dim=2),
        attn_mask=texts.mask_B1TS,
        enable_gqa=grouped,
    )
    return torch.cat(
        (
            texts.prompts.unpadded(to_prompt_QHPE.transpose(1, 2)),
            texts.replies.unpadded(to_both_BHTE.transpose(1, 2)),
        )
    )


def unmasked(heads: Heads, spans: Spans) -> Tensor:
    """Padded on the right, texts need no mask but the causal one."""
    # Torch's memory-efficient kernel does not share keys among the heads of a group.
    groups = heads[0].shape[1] // heads[1].shape[1]
    q, k, v = (
        each if each is heads[0] else each.repeat_interleave(groups, dim=1) for each in heads
    )
    padded = spans.rectangle
    q_JHSE, k_JHSE, v_JHSE = (
        padded.padded(each.index_select(0, spans.key_N)).transpose(1, 2) for each in (q, k, v)
    )
    attended_JHSE = functional.scaled_dot_product_attention(q_JHSE, k_JHSE, v_JHSE, is_causal=True)
    return padded.unpadded(attended_JHSE.transpose(1, 2)).index_select(0, spans.own_N)


def varlen(heads: Heads, spans: Spans, kernel: Kernel) -> Tensor:
    """A reply's queries are the last of a text: the kernel's causal mask ends where a text ends."""
    q_NHE, k_NKE, v_NKE = heads
    k_NKE, v_NKE = (each.index_select(0, spans.key_N) for each in (k_NKE, v_NKE))
    groups = q_NHE.shape[1] // k_NKE.shape[1]
    grouped = {"enable_gqa": groups > 1}
    if "enable_gqa" not in signature(kernel).parameters:  # torch 2.11
        k_NKE, v_NKE = (each.repeat_interleave(groups, dim=1) for each in (k_NKE, v_NKE))
        grouped = {}
    attended_NHE: Tensor = kernel(
        q_NHE,
        k_NKE,
        v_NKE,
        spans.query_start_J,
        spans.key_start_J,
        spans.longest_query,
        spans.longest_key,
        window_size=(-1, 0),
        **grouped,
    )
    return attended_NHE


def causal_attention(q_BHTE: Tensor, k_BKTE: Tensor, v_BKTE: Tensor) -> Tensor:
    """Of texts padded on the right to themselves."""
    groups = q_BHTE.shape[1] // k_BKTE.shape[1]
    # In float32 on a GPU, grouped heads fall to the kernel with a matrix of all scores.
    if groups > 1 and q_BHTE.device.type != "cpu" and q_BHTE.dtype == torch.float32:
        k_BKTE, v_BKTE = (each.repeat_interleave(groups, dim=1) for each in (k_BKTE, v_BKTE))
        groups = 1
    return functional.scaled_dot_product_attention(
        q_BHTE, k_BKTE, v_BKTE, is_causal=True, enable_gqa=groups > 1
    )
