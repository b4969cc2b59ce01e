"""Sampling, learning and handing weights over on another device than the CPU."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from away import another_device

from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.adapters import add_adapters
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.sampler import LocalSampler
from puzzlemill.trainer.settings import Lora
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.weights import full_state_dict, meta_copy

LOSS = Loss(advantage="grpo", kl=0.01, entropy=0.01, correction="tis")
QUESTIONS = [
    Question(({"role": "user", "content": f"What is {number} + 4? <answer>"},), number)
    for number in range(3)
]


def moved(policy: NativePolicy, device: torch.device) -> NativePolicy:
    """Its weights are on the device; `to` would leave a module's own tensors in their place."""
    model = Transformer(policy.model.shape)
    weights = {name: value.to(device) for name, value in policy.model.state_dict().items()}
    model.load_state_dict(weights, assign=True)
    return replace(policy, model=model, cache_tokens=1 << 12)


def samples_of(policy: NativePolicy) -> list[Sample]:
    groups = policy.sample(QUESTIONS, 2)
    return [
        Sample(tuple(policy.tokens.prompt(question)), reply.tokens, reply.logps, 1.0 - 2 * place)
        for question, group in zip(QUESTIONS, groups, strict=True)
        for place, reply in enumerate(group)
    ]


def learned(
    policy: NativePolicy, meta_model: Any, samples: list[Sample]
) -> tuple[dict[str, float], Any]:
    model = policy.model
    sampler = LocalSampler(replace(policy, model=meta_model), meta_model, torch.float32)
    sampler.update({name: value.clone() for name, value in full_state_dict(model).items()})
    trained = [each for each in model.parameters() if each.requires_grad]
    metrics = optimizer_step(
        policy, AdamW(trained, 1e-3, 0.0), samples, LOSS, 1.0, sampler.policy.model
    )
    sampler.update(full_state_dict(model))
    return metrics, sampler


@pytest.mark.parametrize("form", ["plain", "recomputed", "adapters"])
def test_a_step_is_the_same_on_another_device(form: str) -> None:
    home = tiny(Sampling(max_tokens=12))
    with another_device() as device:
        away, meta_model = moved(home, device), meta_copy(home.model)
        for each in (home, away):
            if form == "adapters":
                add_adapters(each.model, Lora(rank=2))
            each.model.recompute = form == "recomputed"
        if form == "adapters":
            for module in away.model.modules():
                assert all(each.device == device for each in module.parameters())
        samples = samples_of(home if form == "adapters" else away)
        if form != "adapters":
            wanted = samples_of(home)
            assert [each.reply for each in samples] == [each.reply for each in wanted]
        metrics, sampler = learned(away, meta_model, samples)
        replies = sampler.sample(QUESTIONS, 1)
    here, at_home = learned(home, meta_model, samples)
    assert metrics == pytest.approx(here, rel=1e-3, abs=1e-4)
    texts = [[reply.text for reply in group] for group in replies]
    assert texts == [[reply.text for reply in group] for group in at_home.sample(QUESTIONS, 1)]


def test_tensors_on_two_devices_are_noticed() -> None:
    """Or the tests above could not fail."""
    with another_device() as device:
        there = torch.ones(3, device=device)
        assert (there + 1).sum().item() == 6
        with pytest.raises(RuntimeError, match="two devices"):
            there + torch.ones(3)
        with pytest.raises(RuntimeError, match="two devices"):
            torch.cat((there, torch.ones(3)))
