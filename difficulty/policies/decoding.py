"""One more token of every reply under way: a transformer in as few operations as can be.

For so few tokens it is the operations that cost, more than what they compute.

Suffixes as in transformer.py, and N all heads but the values', M rows of each key-value head, Z the
seats of each key-value head of each question.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.transformer import Block, Rotation, Transformer, rotation_at

TURNED = 1 << 30  # bytes of weights up to which a CPU gets them turned: it needs room for a copy

Matrix = tuple[Tensor, Tensor | None]  # of as many rows as what it is multiplied by has columns


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer's weights."""

    norm: Tensor
    heads: Matrix  # for queries, keys and values together
    head_norm_NE: Tensor | None
    out: Matrix
    second_norm: Tensor
    gate: Matrix
    up: Matrix
    down: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What decoding needs of a model as it is now; copies, but for what is large."""

    model: Transformer
    layers: list[Layer]
    output: Matrix
    rotation: Rotation  # at every position

    def logits(self, hidden_BD: Tensor) -> Tensor:
        return _product(hidden_BD, self.output)


def weights_of(model: Transformer, positions: int) -> Weights:
    """For texts of so many tokens."""
    size = sum(weight.numel() * weight.element_size() for weight in model.parameters())
    turn = model.device.type == "cpu" and size <= TURNED
    places = torch.arange(positions, device=model.device)
    rotation = rotation_at(model.shape, places, model.dtype)
    output = model.model.embed_tokens if model.shape.tied else model.lm_head
    layers = [_layer(block, turn) for block in model.model.blocks()]
    return Weights(model, layers, _matrix(output.weight, None, turn), rotation)


def _layer(block: Block, turn: bool) -> Layer:
    attention, mlp = block.self_attn, block.mlp
    parts = (attention.q_proj, attention.k_proj, attention.v_proj)
    bias = None if parts[0].bias is None else torch.cat([part.bias for part in parts])
    norm_NE = None
    if attention.head_norm:
        heads = len(parts[0].weight) // attention.head_dim
        norms = ((attention.q_norm.weight, heads), (attention.k_norm.weight, attention.kv_heads))
        norm_NE = torch.cat([norm.expand(count, -1) for norm, count in norms])
    others = (attention.o_proj, mlp.gate_proj, mlp.up_proj, mlp.down_proj)
    out, gate, up, down = (_matrix(each.weight, each.bias, turn) for each in others)
    return Layer(
        norm=block.input_layernorm.weight,
        heads=_matrix(torch.cat([part.weight for part in parts]), bias, turn),
        head_norm_NE=norm_NE,
        out=out,
        second_norm=block.post_attention_layernorm.weight,
        gate=gate,
        up=up,
        down=down,
    )


def _matrix(weight: Tensor, bias: Tensor | None, turn: bool) -> Matrix:
    return (weight.t().contiguous() if turn else weight.t()), bias


def _product(x: Tensor, matrix: Matrix) -> Tensor:
    weight, bias = matrix
    return x @ weight if bias is None else torch.addmm(bias, x, weight)


def _add_product(x: Tensor, y: Tensor, matrix: Matrix) -> None:
    """To x, in place."""
    weight, bias = matrix
    x.addmm_(y, weight)
    if bias is not None:
        x += bias


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Rows that follow each other, whose replies are of like length and have a cache together."""

    rows: slice
    parts: slice  # the same, of each key-value head
    at_B2K: Tensor  # where a reply's keys and values begin, of all places in the cache


class Seating:
    """Which question each row answers, in which of its seats: as it is until rows come or go."""

    def __init__(
        self,
        question_B: Tensor,
        seat_B: Tensor,  # its place among the rows of its question
        length_B: Tensor,  # tokens of its prompt
        sizes: tuple[int, int, int, int],  # questions, seats, longest prompt, heads of a cache
        bands: Sequence[tuple[int, int, int]],  # rows, and of the cache: its rows, their room
    ) -> None:
        self.questions, self.seats, self.longest, self.kv_heads = sizes
        self.length_B = length_B
        head_K = torch.arange(self.kv_heads, device=length_B.device)
        seat_BK = (question_B[:, None] * self.kv_heads + head_K) * self.seats + seat_B[:, None]
        self.seat_M = seat_BK.flatten()
        # An empty seat reads the first row, and nobody reads what comes of it.
        self.part_Z = length_B.new_zeros(self.questions * self.kv_heads * self.seats)
        self.part_Z[self.seat_M] = torch.arange(len(self.seat_M), device=length_B.device)
        length_Q = length_B.new_zeros(self.questions)
        length_Q[question_B] = length_B
        place_P = torch.arange(self.longest, device=length_B.device)
        hidden_QP = place_P >= length_Q[:, None]
        self.hidden_QKP = hidden_QP.repeat_interleave(self.kv_heads, dim=0)
        self.bands: list[Band] = []
        first = 0
        for count, cached, room in bands:
            after = first + count
            row_B = torch.arange(count, device=length_B.device)
            place_2 = torch.arange(2, device=length_B.device)
            at_B2K = ((place_2[:, None] * cached + row_B[:, None, None]) * self.kv_heads) + head_K
            rows, parts = slice(first, after), slice(first * self.kv_heads, after * self.kv_heads)
            self.bands.append(Band(rows, parts, at_B2K.flatten(1) * room))
            first = after


def step(
    weights: Weights,
    seating: Seating,
    tokens_B: Tensor,
    drawn_B: Tensor,  # tokens of each reply before the new one
    spans: Sequence[int],  # of each band, tokens of its longest reply with the new one
    prompts: Tensor,
    replies: Sequence[Tensor],
) -> Tensor:
    """The hidden state of one new token a row, which is put down in the caches of replies.

    The caches are as `Transformer.cache` makes them: of the prompts, one for all rows of a
    question, and of the replies, one a row, band by band. Each may hold more behind what is in use.
    """
    model, shape = weights.model, weights.model.shape
    x_BD: Tensor = model.model.embed_tokens(tokens_B)
    position_B = seating.length_B + drawn_B
    cosines, sines = (each.index_select(0, position_B)[:, None] for each in weights.rotation)
    places = _places(seating, drawn_B, spans, x_BD.dtype)
    prompts = prompts[:, :, : seating.questions, :, : seating.longest].flatten(2, 3)
    for layer, prompt, *bands in zip(weights.layers, prompts, *replies, strict=True):
        normed_BD = functional.rms_norm(x_BD, x_BD.shape[1:], layer.norm, shape.norm_eps)
        all_BNE = _product(normed_BD, layer.heads).view(len(x_BD), -1, shape.head_dim)
        turned_BNE = all_BNE[:, : -shape.kv_heads]
        if layer.head_norm_NE is not None:
            own = functional.rms_norm(turned_BNE, turned_BNE.shape[2:], eps=shape.norm_eps)
            torch.mul(own, layer.head_norm_NE, out=turned_BNE)
        first, second = turned_BNE.chunk(2, dim=-1)
        other_BNE = torch.cat((second, first), dim=-1)
        turned_BNE.mul_(cosines).addcmul_(other_BNE, sines)
        seen_BD = _attention(all_BNE, seating, places, prompt, bands)
        _add_product(x_BD, seen_BD, layer.out)
        normed_BD = functional.rms_norm(x_BD, x_BD.shape[1:], layer.second_norm, shape.norm_eps)
        gate = functional.silu(_product(normed_BD, layer.gate), inplace=True)
        _add_product(x_BD, gate.mul_(_product(normed_BD, layer.up)), layer.down)
    hidden_BD: Tensor = model.model.norm(x_BD)
    return hidden_BD


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Of a band: where the new keys and values go, and minus infinity at places not yet said."""

    span: int
    at: Tensor
    shade_M1S: Tensor


def _places(
    seating: Seating, drawn_B: Tensor, spans: Sequence[int], dtype: torch.dtype
) -> tuple[Tensor, list[Place]]:
    """What all layers share; first the shade over prompts."""
    none = torch.zeros((), dtype=dtype, device=drawn_B.device)
    prompt_shade = torch.where(seating.hidden_QKP, -math.inf, none)[:, None]
    found = []
    for band, span in zip(seating.bands, spans, strict=True):
        drawn_B1 = drawn_B[band.rows, None]
        place_S = torch.arange(span, device=drawn_B.device)
        shade_BS = torch.where(place_S > drawn_B1, -math.inf, none)
        shade_MS = shade_BS.repeat_interleave(seating.kv_heads, dim=0)
        found.append(Place(span, (band.at_B2K + drawn_B1).flatten(), shade_MS[:, None]))
    return prompt_shade, found


def _attention(
    all_BNE: Tensor,
    seating: Seating,
    places: tuple[Tensor, list[Place]],
    prompt: Tensor,
    replies: Sequence[Tensor],
) -> Tensor:
    """Of one new token a row to its prompt and to its reply, in that order.

    The rows of one question read its prompt together, as one matrix product; the replies of each
    band are read as far as the longest of them goes.
    """
    kv_heads, wide = seating.kv_heads, all_BNE.shape[-1]
    scale, longest = wide**-0.5, seating.longest
    prompt_shade, spots = places
    q_MGE = all_BNE[:, : -2 * kv_heads].reshape(len(seating.seat_M), -1, wide)
    new_BKE = all_BNE[:, -2 * kv_heads :]
    seated = _seated(q_MGE, seating)
    to_seat = torch.baddbmm(prompt_shade, seated, prompt[0].transpose(1, 2), alpha=scale)
    to_prompt_MGP = _unseated(to_seat, q_MGE.shape[1], seating)
    shares_MGP, from_reply_MGE = [], []
    for band, place, cache in zip(seating.bands, spots, replies, strict=True):
        cache.view(-1, wide).index_copy_(0, place.at, new_BKE[band.rows].flatten(0, 1))
        keys_MSE, values_MSE = cache.flatten(1, 2)[
            :, : band.parts.stop - band.parts.start, : place.span
        ]
        to_reply_MGS = torch.baddbmm(
            place.shade_M1S, q_MGE[band.parts], keys_MSE.transpose(1, 2), alpha=scale
        )
        scores = torch.cat((to_prompt_MGP[band.parts], to_reply_MGS), dim=-1)
        shares = scores.softmax(dim=-1, dtype=torch.float32).to(q_MGE.dtype)
        shares_MGP.append(shares[..., :longest])
        from_reply_MGE.append(torch.bmm(shares[..., longest:], values_MSE))
    shares = shares_MGP[0] if len(shares_MGP) == 1 else torch.cat(shares_MGP)
    seen = from_reply_MGE[0] if len(from_reply_MGE) == 1 else torch.cat(from_reply_MGE)
    from_seat = torch.bmm(_seated(shares, seating), prompt[1])
    seen += _unseated(from_seat, q_MGE.shape[1], seating)
    return seen.view(len(all_BNE), -1)


def _seated(x_MGX: Tensor, seating: Seating) -> Tensor:
    """By question and key-value head: what its rows have, seat by seat."""
    parts, _, wide = x_MGX.shape
    seated = x_MGX.reshape(parts, -1).index_select(0, seating.part_Z)
    return seated.view(seating.questions * seating.kv_heads, -1, wide)


def _unseated(product: Tensor, group: int, seating: Seating) -> Tensor:
    wide = product.shape[-1]
    by_seat = product.view(len(seating.part_Z), -1)
    return by_seat.index_select(0, seating.seat_M).view(-1, group, wide)
