"""The kernel of a decoding step by Triton's interpreter, without a GPU: alone, and in the engine.

    .venv-vllm/bin/python -m pytest -W ignore tests/real/decode_kernel.py

In float32: the interpreter's products of bfloat16 are wrong.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

os.environ["TRITON_INTERPRET"] = "1"  # read when the kernel is imported
sys.path.append(str(Path(__file__).parents[1]))

import decode_stand_ins
import pytest
import torch
from torch import Tensor

from puzzlemill.difficulty.policies import decode_kernel
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny


@pytest.mark.parametrize(("heads", "kv_heads", "wide"), [(14, 2, 64), (4, 4, 16), (32, 1, 128)])
def test_the_kernel_attends_as_torch_does(heads: int, kv_heads: int, wide: int) -> None:
    """Behind prompts and replies that end within a block, at its end, or have no token."""
    source = torch.Generator().manual_seed(6)

    def normal(*size: int) -> Tensor:
        return torch.randn(size, generator=source)

    qkv = normal(5, heads + 2 * kv_heads, wide)
    prompts, replies = normal(2, 3, kv_heads, 150, wide), normal(2, 5, kv_heads, 90, wide)
    rows = torch.tensor([[0, 2, 2, 1, 0], [150, 1, 70, 64, 0], [0, 89, 63, 64, 0]])
    written = replies.clone()
    wanted = decode_stand_ins.attention(qkv, prompts, written, *rows)
    found = decode_kernel.attention(qkv, prompts, replies, *rows)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    assert torch.equal(replies, written), "the new keys and values, and nothing else"


def test_the_engine_gives_the_replies_of_plain_decoding() -> None:
    policy = replace(tiny(Sampling(max_tokens=16)), cache_tokens=20 * 60)
    questions = [
        Question(({"role": "user", "content": "Sort: 7 3 9"[: 7 + place % 5]},), place)
        for place in range(5)
    ]
    wanted = policy.sample(questions, 2)
    with decode_stand_ins.decoding_as_on_a_gpu() as graphs:
        found = policy.sample(questions, 2)
    assert graphs
    for one, other in zip(found, wanted, strict=True):
        for first, second in zip(one, other, strict=True):
            assert first.tokens == second.tokens
            assert first.logps == pytest.approx(second.logps, abs=1e-4)
