"""What a GPU does in decoding, done by a CPU: graphs that are run again, and attention in torch.

A graph is replayed by doing its step anew from the memory that it was recorded with: so padding,
copies and the sizes of rows are those of a GPU.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import torch
from torch import Tensor

from puzzlemill.difficulty.policies import kv_cache, scheduler
from puzzlemill.difficulty.policies.cuda_graphs import DecodeGraphs, Recorded


def attention(
    qkv_BNE: Tensor,
    prompt_2QKPE: Tensor,
    reply_2BKSE: Tensor,
    prompt_B: Tensor,
    length_B: Tensor,
    position_B: Tensor,
) -> Tensor:
    """What the kernel of decode_kernel.py says, row by row."""
    kv_heads, wide = prompt_2QKPE.shape[2], qkv_BNE.shape[2]
    heads = qkv_BNE.shape[1] - 2 * kv_heads
    rows = []
    for row, (prompt, length, position) in enumerate(
        zip(prompt_B.tolist(), length_B.tolist(), position_B.tolist(), strict=True)
    ):
        reply_2BKSE[0, row, :, position] = qkv_BNE[row, heads : heads + kv_heads]
        reply_2BKSE[1, row, :, position] = qkv_BNE[row, heads + kv_heads :]
        keys_KSE, values_KSE = (
            torch.cat(
                (prompt_2QKPE[part, prompt, :, :length], reply_2BKSE[part, row, :, : position + 1]),
                1,
            ).float()
            for part in (0, 1)
        )
        q_KGE = qkv_BNE[row, :heads].float().view(kv_heads, -1, wide)
        weights_KGS = (q_KGE @ keys_KSE.transpose(1, 2) * wide**-0.5).softmax(-1)
        rows.append((weights_KGS @ values_KSE).reshape(-1))
    return torch.stack(rows).to(qkv_BNE.dtype)


@dataclass
class Again:
    """A graph."""

    work: Callable[[Tensor], Tensor]
    inputs: Tensor
    out: Tensor
    replays: int = 0

    def replay(self) -> None:
        self.replays += 1
        self.out.copy_(self.work(self.inputs))


@contextmanager
def decoding_as_on_a_gpu() -> Iterator[list[Again]]:
    """The native engine decodes by graphs, of which a list is kept; reply caches are reserved at
    the beginning, one for all lengths."""
    graphs: list[Again] = []

    def record(self: DecodeGraphs, inputs: Tensor) -> Recorded:
        self.work(inputs)  # as a GPU does it twice
        graphs.append(Again(self.work, inputs, self.work(inputs)))
        return Recorded(graphs[-1], inputs, graphs[-1].out)

    with (
        patch.object(DecodeGraphs, "_record", record),
        patch.object(scheduler, "decodes_by_graphs", lambda device, head_dim: True),
        patch.object(scheduler, "bucket_lengths", lambda model, most: [most]),
        patch.object(kv_cache, "FIRST_ROWS", 1 << 20),
    ):
        yield graphs
