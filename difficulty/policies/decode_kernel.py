"""Attention of a decoding step in one Triton kernel: for a GPU, which alone may import this.

A program has one row and one key-value head, with all query heads that share it. It writes the new
token's key and value, and reads those of the reply and of the prompt as far as they go. Lengths lie
in tensors, so that one graph serves for all of them.

Suffixes as in decoding.py; in the kernel, queries are `Q`, a block of keys `S`, numbers of a head
`E`.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

LEAST_QUERIES = 16  # rows of a matrix unit's first factor
BLOCK_BYTES = 128  # keys that are read at once, times the bytes of a number


def attention(
    qkv_BNE: Tensor,
    prompt_2QKPE: Tensor,
    reply_2BKSE: Tensor,  # a row has the same index as in the step
    prompt_B: Tensor,  # row of the prompt in its cache
    length_B: Tensor,  # tokens of the prompt
    position_B: Tensor,  # of the new token in its reply
) -> Tensor:
    """What the queries of each row attend to: its prompt, its reply, the new token."""
    rows, every, wide = qkv_BNE.shape
    kv_heads = prompt_2QKPE.shape[2]
    heads = every - 2 * kv_heads
    group = heads // kv_heads
    out_BD = qkv_BNE.new_empty((rows, heads * wide))
    _attention[(rows, kv_heads)](
        qkv_BNE,
        prompt_2QKPE,
        reply_2BKSE,
        out_BD,
        prompt_B,
        length_B,
        position_B,
        wide**-0.5,
        *prompt_2QKPE.stride()[:3],
        *reply_2BKSE.stride()[:3],
        HEADS=heads,
        KV_HEADS=kv_heads,
        GROUP=group,
        QUERIES=max(triton.next_power_of_2(group), LEAST_QUERIES),
        WIDE=wide,
        KEYS=BLOCK_BYTES // qkv_BNE.element_size(),
        # By default products in float32 keep 10 bits of the fraction.
        PRECISION="ieee" if qkv_BNE.dtype == torch.float32 else "tf32",
    )
    return out_BD


@triton.jit  # type: ignore[untyped-decorator]
def _attention(  # type: ignore[no-untyped-def]
    qkv,
    prompts,
    replies,
    out,
    prompt_B,
    length_B,
    position_B,
    scale,
    prompt_half,  # from keys to values
    prompt_text,
    prompt_head,
    reply_half,
    reply_text,
    reply_head,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    GROUP: tl.constexpr,
    QUERIES: tl.constexpr,
    WIDE: tl.constexpr,
    KEYS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1).to(tl.int64)
    query_Q, number_E = tl.arange(0, QUERIES), tl.arange(0, WIDE)
    used_Q1 = (query_Q < GROUP)[:, None]
    place_QE = (head * GROUP + query_Q)[:, None] * WIDE + number_E[None, :]
    own = qkv + row * (HEADS + 2 * KV_HEADS) * WIDE
    q_QE = tl.load(own + place_QE, mask=used_Q1, other=0.0)
    k_E = tl.load(own + (HEADS + head) * WIDE + number_E)
    v_E = tl.load(own + (HEADS + KV_HEADS + head) * WIDE + number_E)
    reply = replies + row * reply_text + head * reply_head
    position = tl.load(position_B + row)
    tl.store(reply + position * WIDE + number_E, k_E)
    tl.store(reply + reply_half + position * WIDE + number_E, v_E)
    # The new token itself begins the sums of softmax.
    most_Q = tl.sum(q_QE.to(tl.float32) * k_E.to(tl.float32)[None, :], 1) * scale
    total_Q = tl.full([QUERIES], 1.0, tl.float32)
    mixed_QE = tl.zeros([QUERIES, WIDE], tl.float32) + v_E.to(tl.float32)[None, :]
    most_Q, total_Q, mixed_QE = _read(
        q_QE, reply, reply_half, position, most_Q, total_Q, mixed_QE, scale, WIDE, KEYS, PRECISION
    )
    prompt = prompts + tl.load(prompt_B + row) * prompt_text + head * prompt_head
    length = tl.load(length_B + row)
    most_Q, total_Q, mixed_QE = _read(
        q_QE, prompt, prompt_half, length, most_Q, total_Q, mixed_QE, scale, WIDE, KEYS, PRECISION
    )
    attended_QE = (mixed_QE / total_Q[:, None]).to(out.dtype.element_ty)
    tl.store(out + row * HEADS * WIDE + place_QE, attended_QE, mask=used_Q1)


@triton.jit  # type: ignore[untyped-decorator]
def _read(  # type: ignore[no-untyped-def]
    q_QE,
    keys,
    half,
    count,
    most_Q,
    total_Q,
    mixed_QE,
    scale,
    WIDE: tl.constexpr,
    KEYS: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Go on with a softmax over more keys: the highest score, the sum of shares and the mixture of
    values so far."""
    number_E = tl.arange(0, WIDE)
    for first in range(0, count, KEYS):
        place_S = first + tl.arange(0, KEYS)
        inside_S = place_S < count
        k_ES = tl.load(
            keys + place_S[None, :] * WIDE + number_E[:, None], mask=inside_S[None, :], other=0.0
        )
        scores_QS = tl.dot(q_QE, k_ES, input_precision=PRECISION) * scale
        scores_QS = tl.where(inside_S[None, :], scores_QS, float("-inf"))
        higher_Q = tl.maximum(most_Q, tl.max(scores_QS, 1))
        kept_Q = tl.exp(most_Q - higher_Q)
        shares_QS = tl.exp(scores_QS - higher_Q[:, None])
        v_SE = tl.load(
            keys + half + place_S[:, None] * WIDE + number_E[None, :],
            mask=inside_S[:, None],
            other=0.0,
        )
        read_QE = tl.dot(shares_QS.to(v_SE.dtype), v_SE, input_precision=PRECISION)
        total_Q = total_Q * kept_Q + tl.sum(shares_QS, 1)
        mixed_QE = mixed_QE * kept_Q[:, None] + read_QE
        most_Q = higher_Q
    return most_Q, total_Q, mixed_QE
