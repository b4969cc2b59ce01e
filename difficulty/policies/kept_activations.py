"""Activations of decoding that are kept, so that learning needs no forward pass of its own.

The weights that sampled a reply are those that learn from it, at a step's first update on its own
replies. Decoding has computed what the gradient needs then: the input of each norm and product. So
the decode step writes it into buffers, a row for each token, and `kept_gradient` goes backwards
from there. Kept are as many tokens as a micro-batch has at most, so that it takes no more memory
than a forward pass would.

A prompt's or reply's rows are found by its tokens, and only while no weight has been changed.

Suffixes: N tokens of all texts, prompts first, L layers, D hidden, E numbers a head.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from puzzlemill.difficulty.policies.padding import Padding

if TYPE_CHECKING:
    from puzzlemill.difficulty.policies.decoding import Weights

Ints = NDArray[np.int64]
Text = tuple[int, ...]
Chosen: TypeAlias = slice | Tensor  # rows
MOST_SCORES = 1 << 24  # of attention, of one text and key-value head
NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class LayerRows:
    """What the gradient of one layer needs, a row for each token: buffers, or what is in them."""

    unit: Tensor  # the input of attention, normalised; its weight is part of the next matrix
    size: Tensor  # by which it was divided
    qkv: Tensor  # heads of queries and keys, rotated, and of values
    attended: Tensor
    second_unit: Tensor  # as those of attention, of the MLP
    second_size: Tensor
    gate: Tensor
    up: Tensor

    def at(self, rows: Chosen) -> "LayerRows":
        return LayerRows(*(chosen(getattr(self, name), rows) for name in self.__slots__))


NOWHERE: Any = SimpleNamespace(**dict.fromkeys(LayerRows.__slots__))  # nothing is kept


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The buffers of all layers."""

    tokens_N: Tensor
    position_N: Tensor
    layers: list[LayerRows]
    unit: Tensor  # of the last norm
    size: Tensor

    @classmethod
    def empty(cls, weights: "Weights", most: int) -> "Rows":
        """Memory is taken as rows are written."""
        shape = weights.model.shape
        heads, wide = shape.heads + 2 * shape.kv_heads, shape.heads * shape.head_dim

        def buffer(*size: int) -> Tensor:
            return torch.empty((most, *size), dtype=torch.float32)

        def norm() -> tuple[Tensor, Tensor]:
            return buffer(shape.hidden), buffer(1)

        layers = [
            LayerRows(
                *norm(),
                buffer(heads, shape.head_dim),
                buffer(wide),
                *norm(),
                buffer(shape.intermediate),
                buffer(shape.intermediate),
            )
            for _ in weights.layers
        ]
        tokens_N, position_N = torch.empty((2, most), dtype=torch.int64)
        return cls(tokens_N, position_N, layers, *norm())

    def at(self, rows: slice) -> "Rows":
        layers = [each.at(rows) for each in self.layers]
        first = self.tokens_N[rows], self.position_N[rows]
        return Rows(*first, layers, self.unit[rows], self.size[rows])


def chosen(x: Tensor, rows: Chosen) -> Tensor:
    return x[rows] if isinstance(rows, slice) else x.index_select(0, rows)


@dataclass(frozen=True, slots=True, eq=False)
class KeptTexts:
    """Prompts and replies of a micro-batch whose activations are kept."""

    weights: "Weights"
    buffers: Rows
    rows: Chosen  # in the buffers: of prompts, then of replies
    prompts: Padding
    replies: Padding  # the last token of each reply left out
    prompt_B: Tensor  # of each reply
    prompt_mask_QP: Tensor  # True where there is a token
    predictor_N: Tensor  # for every reply token, the row of the token before it


@dataclass
class Keeper:
    """The kept activations of a model, of all calls since they were last forgotten."""

    most: int  # tokens
    is_on: bool = False  # whether what is sampled now is kept
    buffers: Rows | None = None
    used: int = 0  # rows
    weights: "Weights | None" = None
    state: list[int] = field(default_factory=list)  # of the weights
    prompts: dict[Text, int] = field(default_factory=dict)  # the first row of each
    # By prompt and reply, the rows of all its tokens but the last; those of alike ones in turn.
    replies: dict[tuple[Text, Text], list[Ints]] = field(default_factory=dict)

    def forget(self) -> None:
        self.used, self.weights = 0, None
        self.prompts.clear()
        self.replies.clear()

    def call(self, weights: "Weights", slots: int, most: int) -> "Call | None":
        """Of a scheduler with so many slots, for replies of so many tokens at most; None where
        nothing of it is kept."""
        if not self.is_on or weights.last_norm is None:
            return None
        if any(layer.head_norm_NE is not None for layer in weights.layers):
            return None
        state = state_of(weights)
        if self.weights is not None and self.state != state:
            self.forget()
        if self.buffers is None:
            with torch.inference_mode(False):
                self.buffers = Rows.empty(weights, self.most)
        self.weights, self.state = weights, state
        return Call(self, self.buffers, np.full((slots, most), -1, dtype=np.int64))

    def find(
        self,
        prompts_QP: Tensor,
        length_Q: Tensor,
        replies_BT: Tensor,
        prompt_B: Tensor,
        reply_mask_BT: Tensor,
    ) -> KeptTexts | None:
        """The activations of a micro-batch; None where they are not those of these weights, or not
        of all texts."""
        if self.weights is None or self.buffers is None or self.state != state_of(self.weights):
            return None
        shape = self.weights.model.shape
        longest = prompts_QP.shape[1] + replies_BT.shape[1]
        if longest**2 * shape.heads // shape.kv_heads > MOST_SCORES:
            return None
        prompts = _texts(prompts_QP, length_Q)
        replies = _texts(replies_BT, reply_mask_BT.sum(1))
        found = self._rows(prompts, [*zip(prompt_B.tolist(), replies, strict=True)])
        if found is None:
            return None
        prompt_rows, reply_rows = found
        # In the order of the buffers, of which nothing is copied if all of it is learned from.
        prompt_order, order = (np.argsort(each, kind="stable") for each in found)
        rows = np.concatenate((prompt_rows[prompt_order], reply_rows[order]))
        whole = len(rows) == self.used and bool((rows == np.arange(self.used)).all())
        span = replies_BT.shape[1] - 1
        prompt_mask_QP = torch.arange(prompts_QP.shape[1]) < length_Q[:, None]
        prompt_index, prompt_place = _placed(prompt_mask_QP, prompt_order, 0)
        reply_index, place = _placed(reply_mask_BT[:, 1:], order, len(prompt_rows))
        last_B1 = prompt_place.gather(1, length_Q[:, None] - 1)[prompt_B]
        return KeptTexts(
            weights=self.weights,
            buffers=self.buffers,
            rows=slice(0, self.used) if whole else torch.from_numpy(rows),
            prompts=Padding(len(prompts), prompts_QP.shape[1], prompt_index),
            replies=Padding(len(replies), span, reply_index),
            prompt_B=prompt_B,
            prompt_mask_QP=prompt_mask_QP,
            predictor_N=torch.cat((last_B1, place), dim=1)[reply_mask_BT],
        )

    def _rows(
        self, prompts: Sequence[Text], replies: Sequence[tuple[int, Text]]
    ) -> tuple[Ints, Ints] | None:
        """Of the prompts, and of the replies, each with its prompt's index."""
        if not all(prompt in self.prompts for prompt in prompts):
            return None
        starts = [self.prompts[prompt] for prompt in prompts]
        prompt_rows = [
            np.arange(start, start + len(prompt))
            for start, prompt in zip(starts, prompts, strict=True)
        ]
        count, reply_rows = Counter[tuple[Text, Text]](), []
        for index, reply in replies:
            key = prompts[index], reply
            known = self.replies.get(key)
            if known is None:
                return None
            reply_rows.append(known[min(count[key], len(known) - 1)])
            count[key] += 1
        return np.concatenate(prompt_rows), np.concatenate([NONE, *reply_rows])


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """What one scheduler keeps."""

    keeper: Keeper
    buffers: Rows
    rows: Ints  # of each token of the reply in each slot; -1: not kept

    def prompt_rows(self, prompts: Sequence[Sequence[int]]) -> Rows | None:
        """To keep all tokens of these prompts in; None where there is no room."""
        starts = [self.keeper.used]
        for prompt in prompts:
            starts.append(starts[-1] + len(prompt))
        rows = self._next(starts[-1] - starts[0])
        if rows is not None:
            self.keeper.prompts |= dict(zip(map(tuple, prompts), starts[:-1], strict=True))
        return rows

    def token_rows(self, slots: Ints, position: Ints) -> Rows | None:
        """To keep the next token of each of these slots in, which is at this position of its
        reply; None where there is no room."""
        first, rows = self.keeper.used, self._next(len(slots))
        if rows is not None:
            self.rows[slots, position] = np.arange(first, first + len(slots))
        return rows

    def _next(self, count: int) -> Rows | None:
        first, after = self.keeper.used, self.keeper.used + count
        if after > self.keeper.most:
            return None
        self.keeper.used = after
        return self.buffers.at(slice(first, after))

    def begin(self, slots: Ints) -> None:
        self.rows[slots] = -1

    def end(self, slot: int, prompt: Sequence[int], reply: Sequence[int]) -> None:
        rows = self.rows[slot, : len(reply) - 1].copy()
        if (rows >= 0).all():
            self.keeper.replies.setdefault((tuple(prompt), tuple(reply)), []).append(rows)


def state_of(weights: "Weights") -> list[int]:
    """A sum of each weight's bits, in as many bits: that takes a fifth of the time. torch's own
    count of changes leaves out fused optimizers."""
    with torch.no_grad():
        bits = [each.view(torch.int32) for each in weights.model.parameters()]
        return [int(each.sum(dtype=torch.int32).item()) for each in bits]


def _placed(mask: Tensor, order: Ints, first: int) -> tuple[Tensor, Tensor]:
    """Of tokens in this order, which begin at row `first`: each one's index in the flattened
    rectangle, and the row of each place there."""
    index_N = mask.flatten().nonzero()[:, 0][torch.from_numpy(order)]
    place = torch.zeros(mask.numel(), dtype=torch.int64)
    place[index_N] = torch.arange(first, first + len(order))
    return index_N, place.view(mask.shape)


def _texts(tokens: Tensor, lengths: Tensor) -> list[Text]:
    pairs = zip(tokens.tolist(), lengths.tolist(), strict=True)
    return [tuple(row[:length]) for row, length in pairs]
