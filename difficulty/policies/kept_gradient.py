"""The gradient of kept activations: backwards through the layers without a forward pass.

It is written by hand, in blocks of rows, so that what lies between two products stays in the CPU's
cache. It is of the matrices that decoding uses, whose norms are folded in: of such a matrix
`W.T * (norm * sqrt(D))`, both the weight's and the norm's gradient follow.

Suffixes as in kept_activations.py; M every key-value head of every text, R rows of its queries,
S positions of its keys.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from puzzlemill.difficulty.policies.decoding import Layer, Matrix
from puzzlemill.difficulty.policies.kept_activations import Keeper, KeptTexts, LayerRows, chosen
from puzzlemill.difficulty.policies.matmul import LARGE_BLOCK, block_product
from puzzlemill.difficulty.policies.model import Reader
from puzzlemill.difficulty.policies.padding import Padding
from puzzlemill.difficulty.policies.transformer import Block, rotated, rotation_at

SCORES = 1 << 20  # in memory at once, unless a single text has more


def kept_states(model: Reader, *texts: Tensor) -> Tensor | None:
    """As the model's `reply_states` of these texts, if their activations are kept."""
    keeper: Keeper | None = getattr(model, "keeper", None)
    found = None if keeper is None else keeper.find(*texts)
    return None if found is None else _states(found)


def _states(texts: KeptTexts) -> Tensor:
    parameters = [*texts.weights.model.model.parameters()]
    out: Tensor = _KeptStates.apply(texts, *parameters)  # type: ignore[no-untyped-call]
    return out


class _KeptStates(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, texts: KeptTexts, *parameters: Tensor) -> Tensor:
        ctx.texts, ctx.parameters = texts, parameters
        assert texts.weights.last_norm is not None, "activations are kept of folded norms alone"
        unit_ND = chosen(texts.buffers.unit, texts.rows)
        return unit_ND.index_select(0, texts.predictor_N) * texts.weights.last_norm

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        found = gradients(ctx.texts, gradient)
        return None, *(found.get(id(each)) for each in ctx.parameters)


def gradients(texts: KeptTexts, gradient: Tensor) -> dict[int, Tensor]:
    """Of each parameter, by its id: from that of the hidden states which predict tokens."""
    trunk, buffers, last_norm = texts.weights.model.model, texts.buffers, texts.weights.last_norm
    assert last_norm is not None, "activations are kept of folded norms alone"
    unit_ND = chosen(buffers.unit, texts.rows)
    own, root = unit_ND.index_select(0, texts.predictor_N), unit_ND.shape[1] ** 0.5
    found = {id(trunk.norm.weight): own.mul_(gradient).sum(0).mul_(root)}
    x_ND = torch.zeros_like(unit_ND).index_add_(0, texts.predictor_N, gradient * last_norm)
    _norm_gradient(x_ND, unit_ND, chosen(buffers.size, texts.rows))
    attention = AttentionGradient(texts)
    layers = [*zip(trunk.blocks(), texts.weights.layers, buffers.layers, strict=True)]
    for block, layer, every in reversed(layers):
        found |= _layer_gradient(block, layer, every.at(texts.rows), attention, x_ND)
    embedding, tokens_N = trunk.embed_tokens.weight, chosen(buffers.tokens_N, texts.rows)
    found[id(embedding)] = torch.zeros_like(embedding).index_add_(0, tokens_N, x_ND)
    return found


def _layer_gradient(
    block: Block, layer: Layer, kept: LayerRows, attention: "AttentionGradient", x_ND: Tensor
) -> dict[int, Tensor]:
    """Of each parameter; and in place from the gradient of a layer's output to its input's."""
    inner, outer = block.post_attention_layernorm.weight, block.input_layernorm.weight
    after = MatrixGradients(
        (layer.gate, [block.mlp.gate_proj], inner),
        (layer.up, [block.mlp.up_proj], inner),
        (layer.down, [block.mlp.down_proj], None),
        (layer.out, [block.self_attn.o_proj], None),
    )
    attended_ND = kept.attended.new_zeros((len(x_ND) + 1, kept.attended.shape[1]))
    for part in _parts(len(x_ND)):
        _mlp_gradient(after, x_ND[part], kept.at(part), attended_ND[part])
    qkv_NHE = attention(attended_ND, kept)
    projections = [block.self_attn.q_proj, block.self_attn.k_proj, block.self_attn.v_proj]
    before = MatrixGradients((layer.qkv, projections, outer))
    for part in _parts(len(x_ND)):
        inward = before.add(0, kept.unit[part], qkv_NHE[part].flatten(1))
        x_ND[part] += _norm_gradient(inward, kept.unit[part], kept.size[part])
    return after.found() | before.found()


def _parts(rows: int) -> Iterator[slice]:
    for first in range(0, rows, LARGE_BLOCK):
        yield slice(first, min(first + LARGE_BLOCK, rows))


def _mlp_gradient(
    matrices: "MatrixGradients", x_BD: Tensor, kept: LayerRows, attended_BD: Tensor
) -> None:
    """From that of a layer's output, in place to that between attention and MLP, and that of what
    was attended to."""
    opened = functional.silu(kept.gate)
    inward = matrices.add(2, opened * kept.up, x_BD)
    to_up = opened.mul_(inward)
    to_gate = inward.mul_(kept.up)
    torch.ops.aten.silu_backward.grad_input(to_gate, kept.gate, grad_input=to_gate)
    inward = matrices.add(0, kept.second_unit, to_gate)
    inward += matrices.add(1, kept.second_unit, to_up)
    x_BD += _norm_gradient(inward, kept.second_unit, kept.second_size)
    attended_BD.copy_(matrices.add(3, kept.attended, x_BD))


def _norm_gradient(gradient: Tensor, unit: Tensor, size: Tensor) -> Tensor:
    """In place, from that of `unit` to that of `unit * size`."""
    along = torch.linalg.vecdot(gradient, unit)[:, None]
    return gradient.addcmul_(unit, along, value=-1.0).div_(size)


class MatrixGradients:
    """The gradients of some matrices, as they come in blocks of rows."""

    def __init__(self, *matrices: tuple[Matrix, list[Any], Tensor | None]) -> None:
        self.matrices = matrices  # as decoding has it, the layers it is made of, the norm before it
        self.weights = [torch.zeros_like(weight.t()) for (weight, _), _, _ in matrices]
        self.biases = [
            None if bias is None else torch.zeros_like(bias) for (_, bias), _, _ in matrices
        ]

    def add(self, number: int, inputs: Tensor, outputs: Tensor) -> Tensor:
        """From a product's inputs and the gradient of its outputs; that of the inputs."""
        self.weights[number].addmm_(outputs.t(), inputs)
        bias = self.biases[number]
        if bias is not None:
            bias += outputs.sum(0)
        return block_product(outputs, self.matrices[number][0][0])

    def found(self) -> dict[int, Tensor]:
        """Of each parameter, by its id."""
        found: dict[int, Tensor] = {}
        for (_, layers, norm), whole, bias in zip(
            self.matrices, self.weights, self.biases, strict=True
        ):
            sizes = [len(each.weight) for each in layers]
            for layer, part in zip(layers, torch.split(whole, sizes), strict=True):
                if norm is not None:
                    root = len(norm) ** 0.5
                    to_norm = torch.linalg.vecdot(part, layer.weight, dim=0).mul_(root)
                    found[id(norm)] = found[id(norm)] + to_norm if id(norm) in found else to_norm
                    part *= norm * root
                found[id(layer.weight)] = part
            if bias is not None:
                for layer, own in zip(layers, torch.split(bias, sizes), strict=True):
                    found[id(layer.bias)] = own
        return found


class Rectangle:
    """Texts of attention, padded: where the heads of packed rows go in MRE, a group of heads after
    the other. Padding is some token's, or, where it counts, an empty row behind all others."""

    def __init__(self, padding: Padding, first: int, rows: int, heads: Sequence[int]) -> None:
        index_N, (q_heads, kv_heads, _) = padding.index_N, heads
        assert index_N is not None, "kept texts say where each row belongs"
        row_BT = torch.full((padding.texts * padding.length,), -1)
        row_BT[index_N] = torch.arange(first, first + len(index_N))
        row_B11T = row_BT.view(padding.texts, 1, 1, padding.length)

        def places(start: int, count: int, of: int) -> tuple[Tensor, Tensor]:
            """Of `count` heads from `start` on, where a row has `of`: to read, and to write."""
            head_KG1 = torch.arange(start, start + count).view(kv_heads, -1, 1)
            place = row_B11T * of + head_KG1
            read = torch.where(row_B11T < 0, 0, place).flatten()
            return read, torch.where(row_B11T < 0, rows * of, place).flatten()

        every = sum(heads)
        self.of_qkv = [
            places(0, q_heads, every),
            places(q_heads, kv_heads, every),
            places(q_heads + kv_heads, kv_heads, every),
        ]
        self.of_attended = places(0, q_heads, q_heads)[1]
        self.shape = padding.texts * kv_heads, -1
        self.length = padding.length

    def qkv(self, x_NHE: Tensor) -> list[Tensor]:
        """Queries, keys and values."""
        flat = x_NHE.view(-1, x_NHE.shape[-1])
        some = [flat.index_select(0, read) for read, _ in self.of_qkv]
        return [each.view(*self.shape, flat.shape[1]) for each in some]

    def attended(self, x_NHX: Tensor) -> Tensor:
        """Of rows with an empty one behind them."""
        flat = x_NHX.view(-1, x_NHX.shape[-1])
        return flat.index_select(0, self.of_attended).view(*self.shape, flat.shape[1])

    def put(self, qkv: Sequence[Tensor], to_NHE: Tensor) -> None:
        """Into rows with one for padding behind them."""
        flat = to_NHE.view(-1, to_NHE.shape[-1])
        for each, (_, write) in zip(qkv, self.of_qkv, strict=True):
            flat.index_copy_(0, write, each.reshape(-1, flat.shape[1]))


class AttentionGradient:
    """From the gradient of what was attended to, to that of the inputs of queries, keys and
    values. Scores are computed again."""

    def __init__(self, texts: KeptTexts) -> None:
        shape = texts.weights.model.shape
        position_N = chosen(texts.buffers.position_N, texts.rows)
        heads = (shape.heads, shape.kv_heads, shape.kv_heads)
        self.kinds, self.q_heads, self.qk_heads = sum(heads), heads[0], sum(heads[:2])
        assert texts.prompts.index_N is not None, "kept texts say where each row belongs"
        split, rows = len(texts.prompts.index_N), len(position_N)
        self.prompts = Rectangle(texts.prompts, 0, rows, heads)
        self.replies = Rectangle(texts.replies, split, rows, heads)
        head_K = torch.arange(shape.kv_heads)
        self.row_M = (texts.prompt_B[:, None] * shape.kv_heads + head_K).flatten()
        behind_PP = _behind(texts.prompts.length)
        self.prompt_mask_QPP = behind_PP.expand(texts.prompts.texts, -1, -1)
        behind_TT = _behind(texts.replies.length).expand(len(texts.prompt_B), -1, -1)
        no_token_BTP = torch.where(texts.prompt_mask_QP, 0.0, -torch.inf)[texts.prompt_B][:, None]
        no_token_BTP = no_token_BTP.expand(-1, texts.replies.length, -1)
        self.reply_mask_BTS = torch.cat((no_token_BTP, behind_TT), dim=2)
        cosines, sines = rotation_at(shape, position_N, torch.float32)
        self.back = cosines[:, None], -sines[:, None]

    def __call__(self, gradient_ND: Tensor, kept: LayerRows) -> Tensor:
        """NHE. The gradient has an empty row behind it."""
        rows, wide = len(kept.qkv), kept.qkv.shape[-1]
        gradient_NHE = gradient_ND.view(rows + 1, self.q_heads, wide)
        along_NH1 = gradient_NHE.new_zeros((rows + 1, self.q_heads, 1))
        attended_NHE = kept.attended.view(rows, self.q_heads, wide)
        torch.linalg.vecdot(gradient_NHE[:rows], attended_NHE, out=along_NH1[:rows, :, 0])
        q, k_prompt, v_prompt = self.prompts.qkv(kept.qkv)
        inward = self.prompts.attended(gradient_NHE), self.prompts.attended(along_NH1)
        to_prompt = _attention_gradient(q, *inward, k_prompt, v_prompt, self.prompt_mask_QPP)
        found = kept.qkv.new_empty((rows + 1, self.kinds, wide))
        if len(self.row_M) and self.replies.length:
            q, *own = self.replies.qkv(kept.qkv)
            keys, values = (
                torch.cat((prompt.index_select(0, self.row_M), each), dim=1)
                for prompt, each in zip((k_prompt, v_prompt), own, strict=True)
            )
            inward = self.replies.attended(gradient_NHE), self.replies.attended(along_NH1)
            to_q, *both = _attention_gradient(q, *inward, keys, values, self.reply_mask_BTS)
            longest = self.prompts.length
            for whole, each in zip(to_prompt[1:], both, strict=True):
                whole.index_add_(0, self.row_M, each[:, :longest])
            self.replies.put([to_q, *(each[:, longest:] for each in both)], found)
        self.prompts.put(to_prompt, found)
        found_NHE = found[:rows]
        turned = found_NHE[:, : self.qk_heads]
        turned.copy_(rotated(turned, *self.back))
        return found_NHE


def _attention_gradient(
    q_MRE: Tensor,
    gradient_MRE: Tensor,
    along_MR1: Tensor,
    k_MSE: Tensor,
    v_MSE: Tensor,
    mask_BTS: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Of queries, keys and values, some texts at a time."""
    (count, queries, wide), keys = q_MRE.shape, k_MSE.shape[1]
    scale, texts = wide**-0.5, len(mask_BTS)
    heads = count // texts
    found = torch.empty_like(q_MRE), torch.empty_like(k_MSE), torch.empty_like(v_MSE)
    each = max(SCORES // (queries * keys * heads), 1)
    for first in range(0, texts, each):
        part = slice(first * heads, (first + each) * heads)
        q, k, v, gradient = q_MRE[part], k_MSE[part], v_MSE[part], gradient_MRE[part]
        mask = mask_BTS[first : first + each, None, None]
        scores = torch.bmm(q, k.transpose(1, 2)).mul_(scale)
        by_text = scores.view(len(mask), heads, -1, *mask.shape[3:])
        by_text += mask
        weights = scores.softmax(dim=-1)
        torch.bmm(weights.transpose(1, 2), gradient, out=found[2][part])
        inward = torch.bmm(gradient, v.transpose(1, 2)).sub_(along_MR1[part])
        inward.mul_(weights).mul_(scale)
        torch.bmm(inward, k, out=found[0][part])
        torch.bmm(inward.transpose(1, 2), q, out=found[1][part])
    return found


def _behind(length: int) -> Tensor:
    """Minus infinity where a key is behind the query."""
    return torch.full((length, length), -torch.inf).triu_(1)
