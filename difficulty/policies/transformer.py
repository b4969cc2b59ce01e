"""A causal language model of the Llama and Qwen kind, in plain torch.

Parameters bear the names of the Hugging Face layout, so that a checkpoint loads as it is. Rows are
padded on the right: under the causal mask no real token sees the padding, so none needs a mask.

Suffixes: B rows, T tokens, D hidden, H heads, K key-value heads, G heads to each of those,
E numbers a head, Q questions, P and S places in the caches of prompts and replies, V vocabulary,
L layers.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint as computed_again

Rotation = tuple[Tensor, Tensor]  # cosines and sines, the same for every head
Seen = tuple[Tensor, Tensor]  # whose prompt is each reply's, and what each of its tokens looks at
# Weights, and keys and values of prompts, 2QKPE, and of each band of replies, 2BKSE.
Layer = tuple["Joined", Tensor, Sequence[Tensor]]


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
    """All that the weights do not say of themselves."""

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
    head_norm: bool = False  # queries and keys are normed, head by head
    kind: str = "qwen2"  # as config.json names it: llama, qwen2, qwen3
    dtype: str = "float32"  # of the checkpoint


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.kv_heads, self.head_dim = shape.kv_heads, shape.head_dim
        wide, narrow = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.q_proj = nn.Linear(shape.hidden, wide, bias=shape.qkv_bias)
        self.k_proj = nn.Linear(shape.hidden, narrow, bias=shape.qkv_bias)
        self.v_proj = nn.Linear(shape.hidden, narrow, bias=shape.qkv_bias)
        self.o_proj = nn.Linear(wide, shape.hidden, bias=shape.output_bias)
        if shape.head_norm:
            self.q_norm = nn.RMSNorm(shape.head_dim, shape.norm_eps)
            self.k_norm = nn.RMSNorm(shape.head_dim, shape.norm_eps)
        self.head_norm = shape.head_norm

    def forward(self, x_BTD: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        """Causal attention of a text to itself; and its keys and values, for a cache."""
        q_BHTE, k_BKTE, v_BKTE = (heads.transpose(1, 2) for heads in self._heads(x_BTD, rotation))
        seen_BHTE = functional.scaled_dot_product_attention(
            q_BHTE, k_BKTE, v_BKTE, is_causal=True, enable_gqa=q_BHTE.shape[1] != self.kv_heads
        )
        out_BTD: Tensor = self.o_proj(seen_BHTE.transpose(1, 2).flatten(2))
        return out_BTD, k_BKTE, v_BKTE

    def behind(self, x_BTD: Tensor, rotation: Rotation, prompt: "Prompt") -> Tensor:
        """Attention of replies to their prompts and to themselves."""
        q_BHTE, k_BKTE, v_BKTE = (heads.transpose(1, 2) for heads in self._heads(x_BTD, rotation))
        keys_BKSE = torch.cat((prompt.keys_QKPE[prompt.question_B], k_BKTE), dim=2)
        values_BKSE = torch.cat((prompt.values_QKPE[prompt.question_B], v_BKTE), dim=2)
        seen_BHTE = functional.scaled_dot_product_attention(
            q_BHTE,
            keys_BKSE,
            values_BKSE,
            attn_mask=prompt.seen_B1TS,
            enable_gqa=q_BHTE.shape[1] != self.kv_heads,
        )
        out_BTD: Tensor = self.o_proj(seen_BHTE.transpose(1, 2).flatten(2))
        return out_BTD

    def step(self, x_BD: Tensor, rotation: Rotation, places: "Places", layer: "Layer") -> Tensor:
        """Attention of one new token a row to its prompt and to its reply, in that order.

        The rows of one question read its prompt together, as one matrix product; the replies of
        each band are read as far as the longest of them goes.
        """
        joined, (prompt_keys, prompt_values), replies = layer
        q_BHE, k_BKE, v_BKE = self._joined_heads(x_BD, rotation, joined)
        q_BKGE = (q_BHE * self.head_dim**-0.5).view(len(x_BD), self.kv_heads, -1, self.head_dim)
        to_prompt_BKGP = places.by_question(q_BKGE, prompt_keys.transpose(-1, -2))
        longest = to_prompt_BKGP.shape[-1]
        shares_BKGP, from_reply_BKGE = [], []
        for band, (keys, values) in zip(places.bands, replies, strict=True):
            keys.view(-1, self.head_dim).index_copy_(0, band.at_BK, k_BKE[band.rows].flatten(0, 1))
            values.view(-1, self.head_dim).index_copy_(
                0, band.at_BK, v_BKE[band.rows].flatten(0, 1)
            )
            keys_BKSE, values_BKSE = (each[: band.count, :, : band.span] for each in (keys, values))
            to_reply_BKGS = q_BKGE[band.rows] @ keys_BKSE.transpose(-1, -2)
            scores = torch.cat((to_prompt_BKGP[band.rows], to_reply_BKGS), dim=-1).float()
            shares = scores.add_(band.shade_B11S).softmax(dim=-1).to(q_BKGE.dtype)
            shares_BKGP.append(shares[..., :longest])
            from_reply_BKGE.append(shares[..., longest:] @ values_BKSE)
        from_prompt_BKGE = places.by_question(torch.cat(shares_BKGP), prompt_values)
        seen_BKGE = from_prompt_BKGE + torch.cat(from_reply_BKGE)
        out_BD: Tensor = self.o_proj(seen_BKGE.flatten(1))
        return out_BD

    def joined(self) -> "Joined":
        """The weights of queries, keys and values as one matrix; a copy, as they are now."""
        parts = (self.q_proj, self.k_proj, self.v_proj)
        weight = torch.cat([part.weight for part in parts])
        bias = None if self.q_proj.bias is None else torch.cat([part.bias for part in parts])
        if not self.head_norm:
            return Joined(weight, bias, None)
        heads = len(self.q_proj.weight) // self.head_dim
        norms = (self.q_norm.weight.expand(heads, -1), self.k_norm.weight.expand(self.kv_heads, -1))
        return Joined(weight, bias, torch.cat(norms))

    def _joined_heads(
        self, x_BD: Tensor, rotation: Rotation, joined: "Joined"
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As `_heads`, in half as many operations: for so few tokens it is they that count."""
        all_BNE = functional.linear(x_BD, joined.weight, joined.bias).view(
            len(x_BD), -1, self.head_dim
        )
        v_BKE = all_BNE[:, -self.kv_heads :]
        turned_BNE = all_BNE[:, : -self.kv_heads]
        if joined.norm_NE is not None:
            eps = self.q_norm.eps
            turned_BNE = functional.rms_norm(turned_BNE, (self.head_dim,), eps=eps) * joined.norm_NE
        turned_BNE = rotate(turned_BNE, rotation)
        return turned_BNE[:, : -self.kv_heads], turned_BNE[:, -self.kv_heads :], v_BKE

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
        self.gate_proj = nn.Linear(shape.hidden, shape.intermediate, bias=shape.mlp_bias)
        self.up_proj = nn.Linear(shape.hidden, shape.intermediate, bias=shape.mlp_bias)
        self.down_proj = nn.Linear(shape.intermediate, shape.hidden, bias=shape.mlp_bias)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))
        return out


class Block(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(shape.hidden, shape.norm_eps)
        self.self_attn = Attention(shape)
        self.post_attention_layernorm = nn.RMSNorm(shape.hidden, shape.norm_eps)
        self.mlp = MLP(shape)

    def forward(self, x_BTD: Tensor, rotation: Rotation) -> tuple[Tensor, Tensor, Tensor]:
        seen_BTD, k_BKTE, v_BKTE = self.self_attn(self.input_layernorm(x_BTD), rotation)
        x_BTD = x_BTD + seen_BTD
        return x_BTD + self.mlp(self.post_attention_layernorm(x_BTD)), k_BKTE, v_BKTE

    def foretell(
        self, x_QPD: Tensor, rotation: Rotation, x_BTD: Tensor, turned: Rotation, seen: "Seen"
    ) -> tuple[Tensor, Tensor]:
        """Prompts, and the replies that look back at them."""
        # No call of itself: what shards a block would let go of its weights behind it.
        x_QPD, k_QKPE, v_QKPE = self.forward(x_QPD, rotation)
        prompt = Prompt(k_QKPE, v_QKPE, *seen)
        x_BTD = x_BTD + self.self_attn.behind(self.input_layernorm(x_BTD), turned, prompt)
        return x_QPD, x_BTD + self.mlp(self.post_attention_layernorm(x_BTD))

    def step(self, x_BD: Tensor, rotation: Rotation, places: "Places", layer: "Layer") -> Tensor:
        x_BD = x_BD + self.self_attn.step(self.input_layernorm(x_BD), rotation, places, layer)
        out_BD: Tensor = x_BD + self.mlp(self.post_attention_layernorm(x_BD))
        return out_BD


class Trunk(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        # With first values of its own it would draw them, for which torch loads eighty megabytes
        # of modules where the device is meta.
        empty = torch.empty((shape.vocab, shape.hidden))
        self.embed_tokens = nn.Embedding(shape.vocab, shape.hidden, _weight=empty)
        self.layers = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.hidden, shape.norm_eps)

    def blocks(self) -> Iterator[Block]:
        for block in self.layers:
            assert isinstance(block, Block)
            yield block


class Transformer(nn.Module):
    """Train with `logits(model(tokens))`; decode with `prefill`, then `step` after `step`."""

    reads_prompts_once = True
    arithmetic = torch.float32
    recompute = False

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = Trunk(shape)
        if not shape.tied:
            self.lm_head = nn.Linear(shape.hidden, shape.vocab, bias=False)

    @property
    def device(self) -> torch.device:
        return self.model.embed_tokens.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.model.embed_tokens.weight.dtype

    def forward(self, tokens_BT: Tensor) -> Tensor:
        """The hidden state at every token of texts padded on the right."""
        x_BTD, rotation = self._enter(tokens_BT)
        for block in self.model.blocks():
            x_BTD = block(x_BTD, rotation)[0]
        hidden_BTD: Tensor = self.model.norm(x_BTD)
        return hidden_BTD

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores of every next token; of a whole batch they are large, so ask for what you need."""
        output = self.model.embed_tokens if self.shape.tied else self.lm_head
        return functional.linear(hidden, output.weight)

    def foretelling(
        self,
        prompts_QP: Tensor,
        length_Q: Tensor,
        replies_BT: Tensor,
        question_B: Tensor,
        shown_Q: Sequence[object] = (),
    ) -> Tensor:
        """The hidden state before every token of replies, each behind its prompt: a prompt is read
        once for all replies to it. All is padded on the right; there are no pictures."""
        x_QPD, rotation = self._enter(prompts_QP)
        x_BTD: Tensor = self.model.embed_tokens(replies_BT[:, :-1])
        longest, span = prompts_QP.shape[1], replies_BT.shape[1] - 1
        at_BT = length_Q[question_B][:, None] + torch.arange(span, device=x_QPD.device)
        angles = rotation_at(self.shape, at_BT.flatten(), x_BTD.dtype)
        turned = tuple(each.view(len(question_B), span, 1, -1) for each in angles)
        told_BP = torch.arange(longest, device=x_QPD.device) < length_Q[question_B][:, None]
        before_TT = torch.ones((span, span), dtype=torch.bool, device=x_QPD.device).tril()
        seen_BTS = torch.cat(
            (
                told_BP[:, None].expand(-1, span, -1),
                before_TT[None].expand(len(question_B), -1, -1),
            ),
            dim=2,
        )
        around = (turned[0], turned[1]), (question_B, seen_BTS[:, None])
        for block in self.blocks():
            if self.recompute and torch.is_grad_enabled():
                x_QPD, x_BTD = computed_again(
                    block.foretell, x_QPD, rotation, x_BTD, *around, use_reentrant=False
                )
            else:
                x_QPD, x_BTD = block.foretell(x_QPD, rotation, x_BTD, *around)
        last_QD = x_QPD[torch.arange(len(x_QPD), device=x_QPD.device), length_Q - 1]
        all_BTD = torch.cat((last_QD[question_B][:, None], x_BTD), dim=1)
        hidden_BTD: Tensor = self.model.norm(all_BTD)
        return hidden_BTD

    def blocks(self) -> Iterator[Block]:
        return self.model.blocks()

    def adaptable(self) -> list[str]:
        """The matrices of the blocks."""
        return [
            name
            for name, module in self.named_modules()
            if ".layers." in name and isinstance(module, nn.Linear)
        ]

    def prefill(self, tokens_BT: Tensor, lengths_B: Tensor) -> tuple[Tensor, Tensor]:
        """The hidden state of each text's last token, and every layer's keys and values."""
        x_BTD, rotation = self._enter(tokens_BT)
        stored = []
        for block in self.model.blocks():
            x_BTD, k_BKTE, v_BKTE = block(x_BTD, rotation)
            stored.append(torch.stack((k_BKTE, v_BKTE)))
        last_BD = x_BTD[torch.arange(len(x_BTD), device=x_BTD.device), lengths_B - 1]
        hidden_BD: Tensor = self.model.norm(last_BD)
        return hidden_BD, torch.stack(stored)

    def step(
        self,
        tokens_B: Tensor,
        places: "Places",
        joined: Sequence["Joined"],
        prompts: Tensor,
        replies: Sequence[Tensor],
    ) -> Tensor:
        """The hidden state of one new token a row, which is put down in the caches of replies.

        `joined` is what the method of that name gave. The caches are as `cache` makes them: of the
        prompts, one for all rows of a question, and
        of the replies, one a row, in the bands of `places`. Each may hold more behind what is in
        use.
        """
        x_BD: Tensor = self.model.embed_tokens(tokens_B)
        cosines, sines = rotation_at(self.shape, places.position_B, x_BD.dtype)
        rotation = cosines[:, None], sines[:, None]
        prompts = prompts[:, :, : places.questions, :, : places.longest]
        layers = zip(self.model.blocks(), joined, prompts, *replies, strict=True)
        for block, weights, prompt, *bands in layers:
            x_BD = block.step(x_BD, rotation, places, (weights, prompt, bands))
        hidden_BD: Tensor = self.model.norm(x_BD)
        return hidden_BD

    def joined(self) -> list["Joined"]:
        """What `step` needs of the weights as they are now."""
        return [block.self_attn.joined() for block in self.model.blocks()]

    def cache(self, rows: int, span: int) -> Tensor:
        """Room for the keys and values of so many texts of so many tokens: L2BKSE."""
        shape = self.shape
        size = (shape.layers, 2, rows, shape.kv_heads, span, shape.head_dim)
        return torch.zeros(size, dtype=self.dtype, device=self.device)

    def _enter(self, tokens_BT: Tensor) -> tuple[Tensor, Rotation]:
        x_BTD: Tensor = self.model.embed_tokens(tokens_BT)
        place_T = torch.arange(tokens_BT.shape[1], device=x_BTD.device)
        cosines, sines = rotation_at(self.shape, place_T, x_BTD.dtype)
        return x_BTD, (cosines[:, None], sines[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """What replies see: one layer's keys and values of each prompt, whose prompt is whose, and
    which places of prompt and reply each token looks at."""

    keys_QKPE: Tensor
    values_QKPE: Tensor
    question_B: Tensor
    seen_B1TS: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """One layer's weights for queries, keys and values together; N is all heads but the values'."""

    weight: Tensor
    bias: Tensor | None
    norm_NE: Tensor | None


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Rows that follow each other, whose replies are of like length and have a cache together."""

    rows: slice
    count: int
    span: int  # tokens of the longest of the replies, with the new one
    at_BK: Tensor  # where the new token's keys and values go, of all places in the cache
    shade_B11S: Tensor  # minus infinity at places of prompt and reply that a row does not see


class Places:
    """Which question each row answers, in which of its seats, and how far it has come."""

    def __init__(
        self,
        question_B: Tensor,
        seat_B: Tensor,  # its place among the rows of its question
        drawn_B: Tensor,  # tokens of the reply before the new one
        length_B: Tensor,  # tokens of its prompt
        sizes: tuple[int, int, int, int],  # questions, seats, longest prompt, heads of a cache
        bands: Sequence[tuple[int, int, int]],  # rows, longest reply with the new token, room
    ) -> None:
        self.questions, self.seats, self.longest, self.kv_heads = sizes
        self.position_B = length_B + drawn_B
        head_K = torch.arange(self.kv_heads, device=drawn_B.device)
        seat_BK = (question_B[:, None] * self.kv_heads + head_K) * self.seats + seat_B[:, None]
        self.seat_BK = seat_BK.flatten()
        # An empty seat reads the first row, and nobody reads what comes of it.
        self.row_QKS = drawn_B.new_zeros(self.questions * self.kv_heads * self.seats)
        self.row_QKS[self.seat_BK] = torch.arange(len(self.seat_BK), device=drawn_B.device)
        place_P = torch.arange(self.longest, device=drawn_B.device)
        behind_prompt_BP = place_P >= length_B[:, None]
        self.bands: list[Band] = []
        first = 0
        for count, span, room in bands:
            rows = slice(first, first + count)
            place_S = torch.arange(span, device=drawn_B.device)
            row_B = torch.arange(count, device=drawn_B.device)
            hidden_BS = torch.cat(
                (behind_prompt_BP[rows], place_S > drawn_B[rows][:, None]), dim=-1
            )
            shade_BS = torch.zeros(hidden_BS.shape, device=drawn_B.device)
            shade_BS.masked_fill_(hidden_BS, -math.inf)
            at_BK = (row_B[:, None] * self.kv_heads + head_K) * room + drawn_B[rows][:, None]
            self.bands.append(Band(rows, count, span, at_BK.flatten(), shade_BS[:, None, None]))
            first += count

    def by_question(self, x_BKGX: Tensor, matrix_QKXY: Tensor) -> Tensor:
        """Each row times its question's matrix."""
        rows, kv_heads, group, wide = x_BKGX.shape
        seated = x_BKGX.reshape(rows * kv_heads, -1).index_select(0, self.row_QKS)
        product_QKXY = seated.view(self.questions, kv_heads, -1, wide) @ matrix_QKXY
        by_seat = product_QKXY.view(len(self.row_QKS), -1)
        return by_seat.index_select(0, self.seat_BK).view(rows, kv_heads, group, -1)


def fresh(shape: Shape, seed: int) -> Transformer:
    """A model to train from scratch; the seed fixes its weights."""
    with torch.device("meta"):  # the layers' own first values come from the global generator
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
    """Turn each head: its first half against its second."""
    cosines, sines = rotation
    first, second = x.chunk(2, dim=-1)
    turned = (
        torch.addcmul(first * cosines, second, sines, value=-1),
        torch.addcmul(second * cosines, first, sines),
    )
    return torch.cat(turned, dim=-1)


def rotation_at(shape: Shape, places: Tensor, dtype: torch.dtype) -> Rotation:
    angles = places.float()[:, None] * frequencies(shape.rope, shape.head_dim, places.device)
    return angles.cos().to(dtype), angles.sin().to(dtype)


@lru_cache(maxsize=16)
def frequencies(rope: Rope, head_dim: int, device: torch.device) -> Tensor:
    """Radians a position. Always float32, whence no buffer: a model's `.to` would round it."""
    with torch.inference_mode(False):  # it is kept, and training may meet it next
        exponents = torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim
        plain = 1.0 / rope.theta**exponents
        if rope.kind == "linear":
            plain = plain / rope.factor
        elif rope.kind == "llama3":
            turns = rope.context * plain / (2 * math.pi)
            kept = ((turns - rope.low) / (rope.high - rope.low)).clamp(0.0, 1.0)
            plain = (1 - kept) * plain / rope.factor + kept * plain
        return plain.to(device)
