"""One device for learning and sampling: who has its memory when, and in which type weights come."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file
from torch import Tensor

from puzzlemill.difficulty.policies import kv_cache
from puzzlemill.difficulty.policies.checkpoint import fingerprint
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy
from puzzlemill.trainer.distributed import shard_model
from puzzlemill.trainer.vllm_sampler import Memory, VllmSampler


@dataclass
class Engine:
    """What vLLM is told, and when memory is handed back to the device."""

    events: list[str] = field(default_factory=list)
    id: str = "engine"
    dtype: torch.dtype = torch.float32

    def wake(self, *tags: str) -> None:
        self.events.append(f"wake {' '.join(tags)}")

    def sleep(self, level: int) -> None:
        self.events.append(f"sleep {level}")

    def update(self, weights: dict[str, Tensor]) -> None:
        self.events.append("update")

    def sample(self, questions: list[Any], n: int) -> list[Any]:
        self.events.append("sample")
        return []


def test_vllm_wakes_once_a_step_after_memory_is_handed_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine: Any = Engine()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: engine.events.append("hand back"))
    sampler = VllmSampler((engine,), tiny(Sampling()), Memory(sleeps=True))
    sampler.rest()
    for _ in range(2):
        sampler.update({})
        for _ in range(3):  # prompts, refills, hints
            sampler.sample([], 1)
        sampler.rest()
    step = ["hand back", "wake weights", "update", "hand back", "wake kv_cache"]
    step += [*["sample"] * 3, "sleep 2"]
    assert engine.events == ["sleep 2", *step, *step]


def test_weights_that_were_dropped_are_not_sampled_with() -> None:
    engine: Any = Engine()
    sampler = VllmSampler((engine,), tiny(Sampling()), Memory(sleeps=True))
    sampler.rest()
    with pytest.raises(AssertionError, match="update"):
        sampler.sample([], 1)


def test_vllm_that_samples_meanwhile_stays_awake() -> None:
    engine: Any = Engine()
    sampler = VllmSampler((engine,), tiny(Sampling()), Memory(sleeps=False))
    sampler.update({})
    sampler.sample([], 1)
    sampler.rest()
    assert engine.events == ["update", "sample"]


def test_vllm_gets_weights_in_its_own_type(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: dict[str, Tensor] = {}

    def reload(method: str, kwargs: dict[str, str]) -> None:
        assert method == "reload_weights"
        taken.update(load_file(Path(kwargs["weights_path"]) / "model.safetensors"))

    config = SimpleNamespace(dtype=torch.bfloat16)
    policy = VllmPolicy.__new__(VllmPolicy)
    policy._llm = SimpleNamespace(
        llm_engine=SimpleNamespace(model_config=config),
        collective_rpc=reload,
        reset_prefix_cache=lambda: True,
    )
    monkeypatch.setattr("puzzlemill.difficulty.policies.vllm_engine._on_cpu", lambda: False)
    model = tiny(Sampling()).model
    policy.update(model.state_dict())
    before = policy.weights
    bytes_of = [
        sum(each.numel() * each.element_size() for each in weights.values())
        for weights in (taken, model.state_dict())
    ]
    assert bytes_of[0] == bytes_of[1] / 2
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.01)
    policy.update(model.state_dict())
    assert policy.weights != before


def test_a_fingerprint_is_of_names_and_numbers() -> None:
    weights = {"one": torch.arange(1000.0), "two": torch.zeros(3)}
    same = {name: value.clone() for name, value in reversed(weights.items())}
    assert fingerprint(weights) == fingerprint(same)
    assert fingerprint(weights) != fingerprint({**weights, "two": torch.ones(3)})
    assert fingerprint(weights) != fingerprint({**weights, "one": torch.arange(1000.0) + 1e-3})


def test_the_native_engine_counts_what_the_allocator_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or its batches would shrink once a step has been learned from."""
    free, reserved, allocated = 1_000_000, 700_000, 200_000
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free, 0))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: reserved)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: allocated)
    one = torch.zeros(10)
    model: Any = SimpleNamespace(device=torch.device("cuda", 0), cache=lambda rows, length: one)
    assert kv_cache.free_tokens(model) == (free + reserved - allocated) // 2 // 40


@pytest.fixture
def alone() -> Iterator[None]:
    """A process group of one, as FSDP wants it."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_shards_are_gathered_in_float32_under_bfloat16_products(alone: None) -> None:
    model = tiny(Sampling()).model
    model.compute_dtype = torch.bfloat16
    shard_model(model)
    seen: list[torch.dtype] = []
    block = next(model.blocks())
    block.mlp.down_proj.register_forward_pre_hook(
        lambda module, _: seen.append(module.weight.dtype)
    )
    tokens = torch.arange(6).view(1, 6)
    with torch.autocast("cpu", torch.bfloat16):
        states = model.reply_states(
            tokens[:, :3], torch.tensor([3]), tokens[:, 3:], torch.tensor([0]), tokens[:, 3:] >= 0
        )
        logits = model.logits(states)
    logits.float().square().mean().backward()
    assert seen == [torch.float32]
    assert states.dtype == torch.float32, "what is added up from block to block keeps its bits"
    weights = [*model.parameters()]
    assert {each.dtype for each in weights} == {torch.float32}
    assert {each.grad.dtype for each in weights if each.grad is not None} == {torch.float32}
