"""A causal language model of the Llama and Qwen kind, in plain torch.

Parameters bear the names of the Hugging Face layout, so that a checkpoint loads as it is. Rows are
padded on the right: under the causal mask no real token sees the padding, so none needs a mask.

Suffixes: B rows, T tokens, D hidden, H heads, K key-value heads, G heads to each of those,
E numbers a head, Q prompts, P and S positions in the KV caches of prompts and replies, N tokens of
all texts packed into one row, V vocabulary, L layers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint as gradient_checkpoint

from puzzlemill.difficulty.policies.kept_activations import Keeper
from puzzlemill.difficulty.policies.matmul import Linear, gated_linear, linear
from puzzlemill.difficulty.policies.packed_attention import causal_attention, packed_attention
from puzzlemill.difficulty.policies.padding import PackedTexts, packed

Rotation = tuple[Tensor, Tensor]  # cosines, and sines with the signs for swapped halves


@dataclass(frozen=True, slots=True)
class Rope:
    """How positions become angles. A factor above 1 stretches them over a longer context."""

    theta: float = 10_000.0
    kind: str = "default"  # or linear, llama3
    factor: float = 1.0
    low: float = 1.0  # llama3: turns in `context` up to which a frequency is divided in full,
    high: float = 4.0  # and from which on it is left alone
    context: int = 8192  # llama3: positions that the model was first trained on


@dataclass(frozen=True, slots=True)
class Shape:
    """The architecture: what config.json says and the weights do not."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocab: int
    positions: int = 4096  # the longest text it is meant for
    rope: Rope = Rope()
    norm_eps: float = 1e-6
    tied: bool = True  # the output matrix is the embedding
    qkv_bias: bool = True
    output_bias: bool = False  # of attention
    mlp_bias: bool = False
    head_norm: bool = False  # queries and keys are normalised, head by head
    kind: str = "qwen2"  # as config.json names it: llama, qwen2, qwen3
    dtype: str = "float32"  # of the checkpoint


class Norm(nn.RMSNorm):
    """RMSNorm whose CPU gradient takes half as many passes over memory as torch's dozen."""

    def forward(self, x: Tensor) -> Tensor:
        if x.device.type != "cpu" or x.dtype != torch.float32 or not torch.is_grad_enabled():
            return functional.rms_norm(x, x.shape[-1:], self.weight, self.eps)
        out: Tensor = _Normed.apply(x, self.weight, self.eps)  # type: ignore[no-untyped-call]
        return out


class _Normed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float) -> Tensor:
        size = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        scale = size.square_().div_(x.shape[-1]).add_(eps).rsqrt_()
        unit: Tensor = x * scale
        ctx.save_for_backward(unit, scale, weight)
        return unit * weight

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        unit, scale, weight = ctx.saved_tensors
        each = (gradient * unit).flatten(0, -2)
        along = (each @ weight).view_as(scale).div_(-len(weight))
        inward = torch.mul(gradient, weight).addcmul_(unit, along).mul_(scale)
        return inward, each.sum(0), None


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.kv_heads, self.head_dim = shape.kv_heads, shape.head_dim
        wide, narrow = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.q_proj = Linear(shape.hidden, wide, bias=shape.qkv_bias)
        self.k_proj = Linear(shape.hidden, narrow, bias=shape.qkv_bias)
        self.v_proj = Linear(shape.hidden, narrow, bias=shape.qkv_bias)
        self.o_proj = Linear(wide, shape.hidden, bias=shape.output_bias)
        if shape.head_norm:
            self.q_norm = Norm(shape.head_dim, shape.norm_eps)
            self.k_norm = Norm(shape.head_dim, shape.norm_eps)
        self.head_norm = shape.head_norm

    def forward(self, x_BTD: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        """Causal attention of a text to itself; and its keys and values, for a cache."""
        q_BHTE, k_BKTE, v_BKTE = (heads.transpose(1, 2) for heads in self._heads(x_BTD, rotation))
        attended_BHTE = causal_attention(q_BHTE, k_BKTE, v_BKTE)
        out_BTD: Tensor = self.o_proj(attended_BHTE.transpose(1, 2).flatten(2))
        return out_BTD, k_BKTE, v_BKTE

    def forward_packed(self, x_ND: Tensor, rotation: Rotation, texts: PackedTexts) -> Tensor:
        """Attention of prompts to themselves, and of replies to their prompts and themselves."""
        # Projections run on packed tokens, whatever attention makes of them.
        attended_NHE = packed_attention(self._heads(x_ND, rotation), texts)
        out_ND: Tensor = self.o_proj(attended_NHE.flatten(1))
        return out_ND

    def _heads(self, x: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        heads = (*x.shape[:-1], -1, self.head_dim)
        q: Tensor = self.q_proj(x).view(heads)
        k: Tensor = self.k_proj(x).view(heads)
        v: Tensor = self.v_proj(x).view(heads)
        if self.head_norm:
            weight = self.q_norm.weight  # a product may be of fewer bits than it
            q, k = self.q_norm(q.to(weight.dtype)), self.k_norm(k.to(weight.dtype))
        return rotate(q, rotation), rotate(k, rotation), v


class MLP(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = Linear(shape.hidden, shape.intermediate, bias=shape.mlp_bias)
        self.up_proj = Linear(shape.hidden, shape.intermediate, bias=shape.mlp_bias)
        self.down_proj = Linear(shape.intermediate, shape.hidden, bias=shape.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        return gated_linear(self.gate_proj(x), self.up_proj(x), self.down_proj)


class Block(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = Norm(shape.hidden, shape.norm_eps)
        self.self_attn = Attention(shape)
        self.post_attention_layernorm = Norm(shape.hidden, shape.norm_eps)
        self.mlp = MLP(shape)

    def forward(self, x_BTD: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        attended_BTD, k_BKTE, v_BKTE = self.self_attn(self.input_layernorm(x_BTD), rotation)
        x_BTD = x_BTD + attended_BTD
        return x_BTD + self.mlp(self.post_attention_layernorm(x_BTD)), k_BKTE, v_BKTE

    def forward_packed(self, x_ND: Tensor, rotation: Rotation, texts: PackedTexts) -> Tensor:
        """Prompts, and replies that attend to them."""
        x_ND = x_ND + self.self_attn.forward_packed(self.input_layernorm(x_ND), rotation, texts)
        out_ND: Tensor = x_ND + self.mlp(self.post_attention_layernorm(x_ND))
        return out_ND


class Trunk(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        # Given a weight, torch draws no initial values: on the device `meta` it would load eighty
        # megabytes of modules for that.
        empty = torch.empty((shape.vocab, shape.hidden))
        self.embed_tokens = nn.Embedding(shape.vocab, shape.hidden, _weight=empty)
        self.layers = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = Norm(shape.hidden, shape.norm_eps)

    def blocks(self) -> Iterator[Block]:
        for block in self.layers:
            assert isinstance(block, Block)
            yield block


class Transformer(nn.Module):
    """Train with `logits(model(tokens))`; decode with `prefill`, then as in decoding.py."""

    shares_prompts = True
    compute_dtype = torch.float32
    recompute = False
    keeper: Keeper | None = None  # of what decoding computes and learning needs

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = Trunk(shape)
        if not shape.tied:
            self.lm_head = Linear(shape.hidden, shape.vocab, bias=False)

    @property
    def device(self) -> torch.device:
        return self.model.embed_tokens.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.model.embed_tokens.weight.dtype

    def forward(self, tokens_BT: Tensor) -> Tensor:
        """The hidden state at every token of texts padded on the right."""
        x_BTD, rotation = self._embedded(tokens_BT)
        for block in self.model.blocks():
            x_BTD = block(x_BTD, rotation)[0]
        hidden_BTD: Tensor = self.model.norm(x_BTD)
        return hidden_BTD

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores of every next token; of a whole batch they are large, so ask for what you need."""
        output = self.model.embed_tokens if self.shape.tied else self.lm_head
        return linear(hidden, output.weight)

    def reply_states(
        self,
        prompts_QP: Tensor,
        length_Q: Tensor,
        replies_BT: Tensor,
        prompt_B: Tensor,
        reply_mask_BT: Tensor,
        shown_Q: Sequence[object] = (),
    ) -> Tensor:
        """The hidden state that predicts each reply token. A prompt is computed once for all its
        replies, and padding not at all. There are no pictures."""
        texts = packed(prompts_QP, length_Q, prompt_B, reply_mask_BT)
        tokens_N = torch.cat(
            (texts.prompts.unpadded(prompts_QP), texts.replies.unpadded(replies_BT[:, :-1]))
        )
        x_ND: Tensor = self.model.embed_tokens(tokens_N)
        cosines, sines = rotation_at(self.shape, texts.position_N, x_ND.dtype)
        rest = (cosines[:, None], sines[:, None]), texts
        for block in self.blocks():
            if self.recompute and torch.is_grad_enabled():
                x_ND = gradient_checkpoint(block.forward_packed, x_ND, *rest, use_reentrant=False)
            else:
                x_ND = block.forward_packed(x_ND, *rest)
        hidden_ND: Tensor = self.model.norm(x_ND[texts.predictor_N])
        return hidden_ND

    def blocks(self) -> Iterator[Block]:
        return self.model.blocks()

    def lora_targets(self) -> list[str]:
        """The matrices of the blocks."""
        return [
            name
            for name, module in self.named_modules()
            if ".layers." in name and isinstance(module, nn.Linear)
        ]

    def prefill(self, tokens_BT: Tensor, lengths_B: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden state of each text's last token, and every layer's keys and values."""
        x_BTD, rotation = self._embedded(tokens_BT)
        caches = []
        for block in self.model.blocks():
            x_BTD, k_BKTE, v_BKTE = block(x_BTD, rotation)
            caches.append(torch.stack((k_BKTE, v_BKTE)))
        last_BD = x_BTD[torch.arange(len(x_BTD), device=x_BTD.device), lengths_B - 1]
        hidden_BD: Tensor = self.model.norm(last_BD)
        return hidden_BD, torch.stack(caches)

    def cache(self, rows: int, length: int) -> Tensor:
        """An empty KV cache for so many texts of so many tokens: L2BKSE."""
        shape = self.shape
        size = (shape.layers, 2, rows, shape.kv_heads, length, shape.head_dim)
        return torch.zeros(size, dtype=self.dtype, device=self.device)

    def _embedded(self, tokens_BT: Tensor) -> tuple[Tensor, Rotation]:
        x_BTD: Tensor = self.model.embed_tokens(tokens_BT)
        position_T = torch.arange(tokens_BT.shape[1], device=x_BTD.device)
        cosines, sines = rotation_at(self.shape, position_T, x_BTD.dtype)
        return x_BTD, (cosines[:, None], sines[:, None])


def fresh(shape: Shape, seed: int) -> Transformer:
    """A model to train from scratch; the seed fixes its weights."""
    with torch.device("meta"):  # the layers' own initial values come from the global generator
        model = Transformer(shape)
    model = model.to_empty(device="cpu").to(getattr(torch, shape.dtype))
    source = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("bias"):
                weight.zero_()
            elif weight.dim() == 1:
                weight.fill_(1.0)
            else:
                weight.normal_(0.0, 0.02, generator=source)
    return model


def rotate(x: Tensor, rotation: Rotation) -> Tensor:
    """Rotary position embedding: each head's first half against its second."""
    out: Tensor = _Rotated.apply(x, *rotation)  # type: ignore[no-untyped-call]
    return out


class _Rotated(torch.autograd.Function):
    """The gradient of a rotation is the rotation back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        ctx.save_for_backward(cosines, sines)
        return rotated(x, cosines, sines)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        cosines, sines = ctx.saved_tensors
        return rotated(gradient, cosines, -sines), None, None


def rotated(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return (x * cosines).addcmul_(torch.cat((second, first), dim=-1), sines)


def rotation_at(shape: Shape, positions: Tensor, dtype: torch.dtype) -> Rotation:
    angles = positions.float()[:, None] * frequencies(shape.rope, shape.head_dim, positions.device)
    cosines, sines = angles.cos().to(dtype), angles.sin().to(dtype)
    return torch.cat((cosines, cosines), dim=-1), torch.cat((-sines, sines), dim=-1)


@lru_cache(maxsize=16)
def frequencies(rope: Rope, head_dim: int, device: torch.device) -> Tensor:
    """Radians a position, always in float32: no buffer, because a model's `.to` would round it."""
    with torch.inference_mode(False):  # cached: training may use it next
        exponents = torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim
        plain = 1.0 / rope.theta**exponents
        if rope.kind == "linear":
            plain = plain / rope.factor
        elif rope.kind == "llama3":
            turns = rope.context * plain / (2 * math.pi)
            kept = ((turns - rope.low) / (rope.high - rope.low)).clamp(0.0, 1.0)
            plain = (1 - kept) * plain / rope.factor + kept * plain
        return plain.to(device)
