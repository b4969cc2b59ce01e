"""Decoding by graphs, without a GPU: rows that are padded, enter and end, on one device and on
another. The kernel itself is tried in tests/real/decode_kernel.py, by Triton's interpreter."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
import torch
from away import another_device
from decode_stand_ins import Again, attention, decoding_as_on_a_gpu
from test_devices import moved

from puzzlemill.difficulty.policies import scheduler
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny

QUESTIONS = [
    Question(({"role": "user", "content": "Sort: " + " ".join("73914"[: 2 + place % 4])},), place)
    for place in range(14)
]


@pytest.fixture(scope="module")
def policy() -> NativePolicy:
    return replace(
        tiny(Sampling(max_tokens=32)), cache_tokens=20 * 80
    )  # replies enter as others end


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Again]]:
    stand_in = SimpleNamespace(attention=attention)
    name = "puzzlemill.difficulty.policies.decode_kernel"
    monkeypatch.setitem(sys.modules, name, stand_in)  # type: ignore[misc]
    parent: Any = sys.modules["puzzlemill.difficulty.policies"]
    monkeypatch.setattr(parent, "decode_kernel", stand_in, raising=False)
    with decoding_as_on_a_gpu() as found:
        yield found


def tokens_of(replies: list[list[Reply]]) -> list[tuple[int, ...]]:
    return [each.tokens for group in replies for each in group]


@pytest.mark.parametrize("changes", [{}, {"top_p": 0.9}], ids=str)
def test_graphs_give_the_replies_of_plain_decoding(
    policy: NativePolicy, graphs: list[Again], changes: dict[str, Any]
) -> None:
    changed = replace(policy, sampling=replace(policy.sampling, **changes))
    found = changed.sample(QUESTIONS, 3)
    assert len({graph.inputs.shape[1] for graph in graphs}) > 1, "rows end, and few are left"
    assert sum(graph.replays for graph in graphs) > 20
    with patch.object(scheduler, "decodes_by_graphs", lambda device, head_dim: False):
        wanted = changed.sample(QUESTIONS, 3)
    assert tokens_of(found) == tokens_of(wanted)
    for one, other in zip(found, wanted, strict=True):
        for first, second in zip(one, other, strict=True):
            assert first.logps == pytest.approx(second.logps, abs=1e-4)


def test_a_graphs_step_stays_on_its_device(policy: NativePolicy, graphs: list[Again]) -> None:
    """Inputs are made on the CPU, and copied to where the graph reads them."""
    wanted = policy.sample(QUESTIONS[:6], 2)
    with another_device() as device:
        away = replace(moved(policy, device), cache_tokens=policy.cache_tokens)
        graphs.clear()
        found = away.sample(QUESTIONS[:6], 2)
        assert {graph.inputs.device for graph in graphs} == {device}
        assert {graph.out.device for graph in graphs} == {device}
    assert tokens_of(found) == tokens_of(wanted)


def test_a_step_that_mixes_devices_is_noticed(policy: NativePolicy, graphs: list[Again]) -> None:
    """Or the test above could not fail."""
    with another_device() as device:
        away = moved(policy, device)
        norm = torch.nn.Parameter(torch.ones(away.model.shape.hidden))
        away.model.model.norm.weight = norm
        with pytest.raises(RuntimeError, match="two devices"):
            away.sample(QUESTIONS[:2], 1)
