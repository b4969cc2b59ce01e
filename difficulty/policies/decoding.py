"""The decode step: one more token of every sequence, in as few operations as can be.

With so few tokens in a forward pass, launching an operation costs more than what it computes: so
weights are merged and transposed once, and masks and indices are shared by all layers.

Attention reads two KV caches. The prompts' has a row for each prompt, read by its whole group of
sequences in one matrix product (shared-prefix attention); the replies' are split into buckets by
length, with a row for each sequence. One softmax runs over both. On a GPU one kernel does all of
this, in decode_kernel.py.

Suffixes as in transformer.py, and N all heads but the values', M every key-value head of every
sequence, Z every member of every group, for each key-value head.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.kept_activations import NOWHERE, Rows
from puzzlemill.difficulty.policies.packed_attention import causal_attention
from puzzlemill.difficulty.policies.padding import padding_of
from puzzlemill.difficulty.policies.transformer import Block, Rotation, Transformer, rotation_at

# Bytes of weights up to which they are transposed on a CPU: products are faster then, but it takes
# memory for a copy.
TRANSPOSED = 1 << 30

Matrix = tuple[Tensor, Tensor | None]  # weight, transposed: columns x rows; and bias


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer's weights."""

    norm: Tensor | None  # None: it is part of the matrix behind it
    qkv: Matrix  # queries, keys and values in one product
    head_norm_NE: Tensor | None
    out: Matrix
    second_norm: Tensor | None
    gate: Matrix
    up: Matrix
    down: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A model's weights as they are now, laid out for decoding; large ones are not copied."""

    model: Transformer
    layers: list[Layer]
    least: Tensor  # size that a norm divides by, if norms are folded
    last_norm: Tensor | None  # of the last norm, times the root of the width, if norms are folded
    output: Matrix
    rotation: Rotation  # at every position

    def logits(self, hidden_BD: Tensor) -> Tensor:
        return _product(hidden_BD, self.output)


def weights_of(model: Transformer, positions: int) -> Weights:
    """For texts of up to `positions` tokens."""
    size = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    transpose = model.device.type == "cpu" and size <= TRANSPOSED
    # Of fewer bits, a product of two weights would be rounded once more.
    fold = transpose and model.dtype == torch.float32
    position_T = torch.arange(positions, device=model.device)
    rotation = rotation_at(model.shape, position_T, model.dtype)
    output = model.model.embed_tokens if model.shape.tied else model.lm_head
    layers = [_layer(block, transpose, fold) for block in model.model.blocks()]
    least = torch.tensor((model.shape.norm_eps * model.shape.hidden) ** 0.5, device=model.device)
    last_norm = model.model.norm.weight * model.shape.hidden**0.5 if fold else None
    matrix = _matrix(output.weight, None, transpose)
    return Weights(model, layers, least, last_norm, matrix, rotation)


def _layer(block: Block, transpose: bool, fold: bool) -> Layer:
    attention, mlp = block.self_attn, block.mlp
    parts = (attention.q_proj, attention.k_proj, attention.v_proj)
    bias = None if parts[0].bias is None else torch.cat([part.bias for part in parts])
    norm_NE = None
    if attention.head_norm:
        heads = len(parts[0].weight) // attention.head_dim
        norms = ((attention.q_norm.weight, heads), (attention.k_norm.weight, attention.kv_heads))
        norm_NE = torch.cat([norm.expand(count, -1) for norm, count in norms])
    norm, second_norm = block.input_layernorm.weight, block.post_attention_layernorm.weight
    inner = second_norm if fold else None
    return Layer(
        norm=None if fold else norm,
        qkv=_matrix(
            torch.cat([part.weight for part in parts]), bias, transpose, norm if fold else None
        ),
        head_norm_NE=norm_NE,
        out=_matrix(attention.o_proj.weight, attention.o_proj.bias, transpose),
        second_norm=None if fold else second_norm,
        gate=_matrix(mlp.gate_proj.weight, mlp.gate_proj.bias, transpose, inner),
        up=_matrix(mlp.up_proj.weight, mlp.up_proj.bias, transpose, inner),
        down=_matrix(mlp.down_proj.weight, mlp.down_proj.bias, transpose),
    )


def _matrix(
    weight: Tensor, bias: Tensor | None, transpose: bool, norm: Tensor | None = None
) -> Matrix:
    """With the weight of the norm before it, if that is folded in: see `_normed`."""
    if norm is not None:
        return torch.mul(weight.t(), norm[:, None] * len(norm) ** 0.5).contiguous(), bias
    return (weight.t().contiguous() if transpose else weight.t()), bias


def _product(x: Tensor, matrix: Matrix, out: Tensor | None = None) -> Tensor:
    weight, bias = matrix
    return torch.mm(x, weight, out=out) if bias is None else torch.addmm(bias, x, weight, out=out)


def _normed(
    x_BD: Tensor,
    norm: Tensor | None,
    weights: Weights,
    out: Tensor | None = None,
    size: Tensor | None = None,
) -> Tensor:
    """RMSNorm. torch's takes nine operations on a CPU; with the norm's weight in the next matrix,
    times the root of the width, these three are left."""
    if norm is not None:
        return functional.rms_norm(x_BD, x_BD.shape[1:], norm, weights.model.shape.norm_eps)
    size_B1: Tensor = torch.linalg.vector_norm(x_BD, 2, -1, True, out=size)
    return torch.div(x_BD, size_B1.hypot_(weights.least), out=out)


def _add_product(x: Tensor, y: Tensor, matrix: Matrix) -> None:
    """To x, in place."""
    weight, bias = matrix
    x.addmm_(y, weight)
    if bias is not None:
        x += bias


@dataclass(frozen=True, slots=True, eq=False)
class BucketRows:
    """The rows of a step whose sequences share a bucket; they follow each other."""

    rows: slice
    kv_rows: slice  # the same rows, each as many times as there are key-value heads
    start_B2K: Tensor  # where a sequence's keys and values begin in the bucket's flattened cache


class Layout:
    """The rows of a step: which prompt and which member of its group each is. It holds until
    sequences are admitted or evicted."""

    def __init__(
        self,
        prompt_B: Tensor,  # row of the prompt in its cache
        member_B: Tensor,  # index in the group
        length_B: Tensor,  # tokens of the prompt
        sizes: tuple[int, int, int, int],  # prompts, group size, longest prompt, key-value heads
        buckets: Sequence[tuple[int, int, int]],  # rows in use, rows of the cache, their length
    ) -> None:
        self.prompts, self.group_size, self.longest, self.kv_heads = sizes
        self.length_B = length_B
        head_K = torch.arange(self.kv_heads, device=length_B.device)
        group_BK = prompt_B[:, None] * self.kv_heads + head_K
        # Where each row goes in the products by group, and which row each place there takes.
        self.place_M = (group_BK * self.group_size + member_B[:, None]).flatten()
        # A member that has ended takes the first row, and its result is never read.
        self.row_Z = length_B.new_zeros(self.prompts * self.kv_heads * self.group_size)
        self.row_Z[self.place_M] = torch.arange(len(self.place_M), device=length_B.device)
        length_Q = length_B.new_zeros(self.prompts)
        length_Q[prompt_B] = length_B
        position_P = torch.arange(self.longest, device=length_B.device)
        padding_QP = position_P >= length_Q[:, None]
        self.padding_QKP = padding_QP.repeat_interleave(self.kv_heads, dim=0)
        self.buckets: list[BucketRows] = []
        first = 0
        for count, cache_rows, length in buckets:
            after = first + count
            row_B = torch.arange(count, device=length_B.device)
            key_or_value_2 = torch.arange(2, device=length_B.device)
            # A bucket's cache of one layer is 2BKSE: this is 2BK as one index, in steps of S.
            pair_B2 = key_or_value_2[:, None] * cache_rows + row_B[:, None, None]
            start_B2K = (pair_B2 * self.kv_heads + head_K).flatten(1) * length
            rows = slice(first, after)
            kv_rows = slice(first * self.kv_heads, after * self.kv_heads)
            self.buckets.append(BucketRows(rows, kv_rows, start_B2K))
            first = after


# Attention of a layer, of that number: from the queries, keys and values of the new tokens, BNE.
Attend = Callable[[Tensor, int], Tensor]


def step(
    weights: Weights,
    attend: Attend,
    tokens_B: Tensor,
    position_B: Tensor,
    kept: Rows | None = None,
) -> Tensor:
    """The hidden state of one token a row, at its position in prompt and reply. What the gradient
    needs is written to the rows of `kept`."""
    model, shape = weights.model, weights.model.shape
    x_BD: Tensor = model.model.embed_tokens(tokens_B)
    cosines, sines = (each.index_select(0, position_B)[:, None] for each in weights.rotation)
    if kept is not None:
        kept.tokens_N.copy_(tokens_B)
        kept.position_N.copy_(position_B)
    for number, layer in enumerate(weights.layers):
        to = NOWHERE if kept is None else kept.layers[number]
        normed_BD = _normed(x_BD, layer.norm, weights, to.unit, to.size)
        to_qkv = None if to.qkv is None else to.qkv.view(len(x_BD), -1)
        qkv_BNE = _product(normed_BD, layer.qkv, to_qkv).view(len(x_BD), -1, shape.head_dim)
        qk_BNE = qkv_BNE[:, : -shape.kv_heads]  # a view: rotated in place below
        if layer.head_norm_NE is not None:
            unscaled = functional.rms_norm(qk_BNE, qk_BNE.shape[2:], eps=shape.norm_eps)
            torch.mul(unscaled, layer.head_norm_NE, out=qk_BNE)
        first, second = qk_BNE.chunk(2, dim=-1)
        swapped_BNE = torch.cat((second, first), dim=-1)
        qk_BNE.mul_(cosines).addcmul_(swapped_BNE, sines)
        attended_BD = attend(qkv_BNE, number)
        if to.attended is not None:
            to.attended.copy_(attended_BD)
        _add_product(x_BD, attended_BD, layer.out)
        normed_BD = _normed(x_BD, layer.second_norm, weights, to.second_unit, to.second_size)
        gate_BF = _product(normed_BD, layer.gate, to.gate)
        opened_BF = functional.silu(gate_BF, inplace=to.gate is None)
        _add_product(x_BD, opened_BF.mul_(_product(normed_BD, layer.up, to.up)), layer.down)
    if kept is None or weights.last_norm is None:
        hidden_BD: Tensor = model.model.norm(x_BD)
        return hidden_BD
    return _normed(x_BD, None, weights, kept.unit, kept.size) * weights.last_norm


def prefill(
    weights: Weights, prompts_QP: Tensor, length_Q: Tensor, kept: Rows
) -> tuple[Tensor, Tensor]:
    """As the model's own, by the matrices of decoding; what the gradient needs is kept of each
    prompt's tokens, one prompt after the other."""
    shape, caches = weights.model.shape, list[Tensor]()
    position_QP = torch.arange(prompts_QP.shape[1]).expand_as(prompts_QP)
    prompts = padding_of(position_QP < length_Q[:, None])

    def attend(qkv_NHE: Tensor, number: int) -> Tensor:
        heads = [shape.heads, shape.kv_heads, shape.kv_heads]
        qkv_QHPE = prompts.padded(qkv_NHE).transpose(1, 2)
        q_QHPE, k_QKPE, v_QKPE = torch.split(qkv_QHPE, heads, dim=1)
        caches.append(torch.stack((k_QKPE, v_QKPE)))
        attended_QHPE = causal_attention(q_QHPE, k_QKPE, v_QKPE)
        return prompts.unpadded(attended_QHPE.transpose(1, 2)).flatten(1)

    tokens_N, position_N = (prompts.unpadded(each) for each in (prompts_QP, position_QP))
    hidden_ND = step(weights, attend, tokens_N, position_N, kept)
    return hidden_ND[length_Q.cumsum(0) - 1], torch.stack(caches)


def by_products(
    layout: Layout,
    reply_position_B: Tensor,  # of the token in its reply
    spans: Sequence[int],  # tokens of the longest reply in each bucket, this one included
    prompt_cache: Tensor,
    reply_caches: Sequence[Tensor],
) -> Attend:
    """Attention by matrix products; keys and values are written to the reply caches.

    Caches are as `Transformer.cache` makes them, and may be larger than what is in use.
    """
    masks = _masks(layout, reply_position_B, spans, prompt_cache.dtype)
    caches = _views(layout, spans, prompt_cache, reply_caches)

    def attend(qkv_BNE: Tensor, number: int) -> Tensor:
        prompt, *replies = caches[number]
        return _attention(qkv_BNE, layout, masks, prompt, replies)

    return attend


@dataclass(frozen=True, slots=True, eq=False)
class CacheViews:
    """One layer's part of a cache as products read it, and as new tokens are written to it."""

    keys: Tensor  # transposed
    values: Tensor
    flat: Tensor


def _views(
    layout: Layout, spans: Sequence[int], prompt_cache: Tensor, reply_caches: Sequence[Tensor]
) -> list[tuple[CacheViews, ...]]:
    """For each layer, those of the prompts' cache and of each bucket's. All layers' at once: a view
    takes as long as a small product."""
    counts = [layout.prompts, *(each.rows.stop - each.rows.start for each in layout.buckets)]
    lengths, views = [layout.longest, *spans], []
    for cache, count, length in zip((prompt_cache, *reply_caches), counts, lengths, strict=True):
        used = cache[:, :, :count, :, :length].flatten(2, 3)
        keys, values = used[:, 0].transpose(2, 3).unbind(), used[:, 1].unbind()
        flat = cache.flatten(1, 4).unbind()
        views.append([*map(CacheViews, keys, values, flat)])
    return [*zip(*views, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class BucketMask:
    """Where the new keys and values of a bucket are written, and its mask: minus infinity behind a
    sequence's last token."""

    write_at: Tensor
    mask_M1S: Tensor


def _masks(
    layout: Layout, reply_position_B: Tensor, spans: Sequence[int], dtype: torch.dtype
) -> tuple[Tensor, list[BucketMask]]:
    """What all layers share: the mask over prompts, and those over buckets."""
    zero, masks = torch.zeros((), dtype=dtype, device=reply_position_B.device), []
    for bucket, span in zip(layout.buckets, spans, strict=True):
        last_B1 = reply_position_B[bucket.rows, None]
        position_S = torch.arange(span, device=reply_position_B.device)
        mask_BS = torch.where(position_S > last_B1, -math.inf, zero)
        mask_MS = mask_BS.repeat_interleave(layout.kv_heads, dim=0)
        masks.append(BucketMask((bucket.start_B2K + last_B1).flatten(), mask_MS[:, None]))
    return torch.where(layout.padding_QKP, -math.inf, zero)[:, None], masks


def _attention(
    qkv_BNE: Tensor,
    layout: Layout,
    masks: tuple[Tensor, list[BucketMask]],
    prompt: CacheViews,
    replies: Sequence[CacheViews],
) -> Tensor:
    """Of one new token a row to its prompt and to its reply, in that order.

    The members of a group read their prompt in one matrix product; a bucket is read as far as its
    longest reply goes.
    """
    kv_heads, wide = layout.kv_heads, qkv_BNE.shape[-1]
    scale, longest = wide**-0.5, layout.longest
    prompt_mask, bucket_masks = masks
    q_MGE = qkv_BNE[:, : -2 * kv_heads].reshape(len(layout.place_M), -1, wide)
    kv_BKE = qkv_BNE[:, -2 * kv_heads :]
    by_group = torch.baddbmm(prompt_mask, _by_group(q_MGE, layout), prompt.keys, alpha=scale)
    prompt_scores_MGP = _by_row(by_group, q_MGE.shape[1], layout)
    prompt_weights_MGP, from_reply_MGE = [], []
    for bucket, mask, cache in zip(layout.buckets, bucket_masks, replies, strict=True):
        new = kv_BKE[bucket.rows].reshape(-1, wide)
        cache.flat.view(-1, wide).index_copy_(0, mask.write_at, new)
        reply_scores_MGS = torch.baddbmm(
            mask.mask_M1S, q_MGE[bucket.kv_rows], cache.keys, alpha=scale
        )
        scores = torch.cat((prompt_scores_MGP[bucket.kv_rows], reply_scores_MGS), dim=-1)
        weights = scores.softmax(dim=-1, dtype=torch.float32).to(q_MGE.dtype)
        prompt_weights_MGP.append(weights[..., :longest])
        from_reply_MGE.append(torch.bmm(weights[..., longest:], cache.values))
    # A concatenation of one would be a copy for nothing.
    one = len(layout.buckets) == 1
    weights = prompt_weights_MGP[0] if one else torch.cat(prompt_weights_MGP)
    attended = from_reply_MGE[0] if one else torch.cat(from_reply_MGE)
    from_prompt = torch.bmm(_by_group(weights, layout), prompt.values)
    attended += _by_row(from_prompt, q_MGE.shape[1], layout)
    return attended.view(len(qkv_BNE), -1)


def _by_group(x_MGX: Tensor, layout: Layout) -> Tensor:
    """The rows of a group under each other, for each prompt and key-value head."""
    rows, _, wide = x_MGX.shape
    gathered = x_MGX.reshape(rows, -1).index_select(0, layout.row_Z)
    return gathered.view(layout.prompts * layout.kv_heads, -1, wide)


def _by_row(product: Tensor, heads: int, layout: Layout) -> Tensor:
    """Back from groups to rows, of G = `heads` queries each."""
    wide = product.shape[-1]
    members = product.view(len(layout.row_Z), -1)
    return members.index_select(0, layout.place_M).view(-1, heads, wide)
