"""What is trained, in which form: adapters, bfloat16, blocks computed again."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny_models
import torch

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint, hugging_face
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Rope, Shape, fresh
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.adapters import (
    adapter_weights,
    adapters_off,
    add_adapters,
    restore_adapters,
    write_adapters,
)
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import Sample, micro_batches
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.sampler import weights_for
from puzzlemill.trainer.settings import Lora, Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.train_state import prepare
from puzzlemill.trainer.weights import full_state_dict, meta_copy, with_weights

KINDS = ("ours", "theirs", "seeing")
SHAPE = Shape(
    32, 2, 4, 2, 8, 48, 300, rope=Rope(100.0), qkv_bias=False, kind="qwen3", head_norm=True
)
ADAPTERS = Lora(rank=4, alpha=16)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    tokens = Tokens(tiny_models.bytewise(), frozenset([1]))
    model = fresh(SHAPE, seed=1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1 if weight.dim() == 1 else 10)  # so that replies differ
    checkpoint.save(model, folder / "ours", tokens)
    tiny_models.text_model(folder / "theirs", "gemma2")
    tiny_models.seeing_model(folder / "seeing")
    return {kind: folder / kind for kind in KINDS}


def policy_of(kind: str, folders: dict[str, Path]) -> Any:
    sampling = Sampling(max_tokens=6)
    engine: Any = NativePolicy if kind == "ours" else hugging_face.HuggingFacePolicy
    return engine.load(folders[kind], sampling, device="cpu")


def texts() -> list[Sample]:
    return [
        Sample(prompt, reply, (-5.0,) * len(reply), 1.0 - 0.3 * len(reply), 0.1)
        for prompt in ((13, 14, 15, 16), (17, 18))
        for reply in ((19, 20, 21), (22,), (23, 24, 25, 26, 27))
    ]


def told(model: Any) -> torch.Tensor:
    found = [
        logps(model, batch, 1.0, False)[0]
        for batch in micro_batches(texts(), 50, model.device, model.shares_prompts)
    ]
    return torch.cat(found)


def gradients(model: Any) -> dict[str, torch.Tensor]:
    model.zero_grad(set_to_none=True)
    told(model).square().sum().backward()
    return {name: each.grad for name, each in model.named_parameters() if each.grad is not None}


def step(policy: Any, rate: float = 0.5) -> None:
    weights = [weight for weight in policy.model.parameters() if weight.requires_grad]
    optimizer_step(policy, torch.optim.SGD(weights, rate), texts(), Loss(ratio="none"), 100.0)


@pytest.mark.parametrize("kind", KINDS)
def test_adapters_alone_are_trained_and_what_is_sampled_has_them(
    kind: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    policy = policy_of(kind, folders)
    before_N = told(policy.model).detach()
    settings = Train(lora=ADAPTERS, loss=Loss(kl=0.1))
    prepared = prepare(policy, settings, Path())
    assert prepared.sampler is not None
    prepared.sampler.update(full_state_dict(policy.model))
    model = policy.model
    assert torch.equal(told(model), before_N), "new adapters change nothing"
    assert {name.rpartition(".lora_")[2][:1] for name in gradients(model)} == {"A", "B"}
    frozen = {name: each.clone() for name, each in model.named_parameters() if "lora" not in name}
    step(policy)
    step(policy)
    for name, weight in model.named_parameters():
        assert name not in frozen or torch.equal(weight, frozen[name])
    after_N = told(model)
    assert not torch.allclose(after_N, before_N, atol=0.01)
    assert prepared.reference is not None
    assert torch.allclose(told(prepared.reference), before_N, atol=1e-6)
    assert torch.equal(told(model), after_N), "and the adapters are on again"

    question = Question(({"role": "user", "content": "hello"},), 5)
    old = prepared.sampler.sample([question], 2)
    prepared.sampler.update(full_state_dict(model))
    plain = with_weights(prepared.meta_model, full_state_dict(model))
    assert torch.allclose(told(plain), after_N, atol=1e-4)
    new = prepared.sampler.sample([question], 2)
    assert new == replace(policy, model=plain).sample([question], 2)
    assert new != old

    checkpoint.save(plain, tmp_path / "merged", policy.tokens)
    assert torch.allclose(
        told(policy_of(kind, {kind: tmp_path / "merged"}).model), after_N, atol=1e-4
    )
    write_adapters(model, adapter_weights(model), tmp_path / "adapters")
    again = policy_of(kind, folders)
    prepare(again, settings, Path())
    restore_adapters(again.model, tmp_path / "adapters")
    assert torch.equal(told(again.model), after_N)


@pytest.mark.filterwarnings("ignore:`is_gradient:FutureWarning")  # peft asks an old name
def test_peft_reads_the_adapters(folders: dict[str, Path], tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    policy = policy_of("theirs", folders)
    add_adapters(policy.model, Lora(rank=3, targets=("q_proj", "down_proj")))
    step(policy)
    write_adapters(policy.model, adapter_weights(policy.model), tmp_path)
    base = AutoModelForCausalLM.from_pretrained(folders["theirs"], dtype="float32")
    theirs = PeftModel.from_pretrained(base, tmp_path).eval()
    ids = torch.tensor([[13, 14, 15, 16]])
    with torch.no_grad():
        wanted = theirs(input_ids=ids).logits
        assert torch.allclose(policy.model.logits(policy.model(ids)), wanted, atol=1e-4)
        with adapters_off(policy.model):
            assert not torch.allclose(policy.model.logits(policy.model(ids)), wanted, atol=1e-2)


def test_a_misspelt_target_is_told() -> None:
    with pytest.raises(UserError, match="did you mean 'q_proj'"):
        add_adapters(fresh(SHAPE, seed=1), Lora(rank=2, targets=("q_porj",)))


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_computed_again_give_the_same_gradient(
    kind: str, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = policy_of(kind, folders)
    wanted = gradients(policy.model)
    saved = kept(policy.model)
    prepare(policy, Train(recompute=True), Path())
    found = gradients(policy.model)
    assert found.keys() == wanted.keys()
    for name, gradient in found.items():
        assert torch.allclose(gradient, wanted[name], rtol=1e-4, atol=1e-4), name
    assert kept(policy.model) < 0.7 * saved, "less is kept for the gradient"
    assert policy.sample([Question(({"role": "user", "content": "hello"},), 5)], 1)[0][0].tokens


def kept(model: Any) -> int:
    """Numbers that are in memory between the forward and the backward pass."""
    sizes: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        sizes[tensor.data_ptr()] = tensor.numel()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        told(model)
    weights = {weight.data_ptr() for weight in model.parameters()}
    return sum(size for place, size in sizes.items() if place not in weights)


@pytest.mark.parametrize("kind", KINDS)
def test_bfloat16_is_in_the_products_and_not_in_the_weights(
    kind: str, folders: dict[str, Path]
) -> None:
    policy = policy_of(kind, folders)
    wanted = torch.cat([each.flatten() for each in gradients(policy.model).values()])
    prepared = prepare(policy, Train(dtype="bfloat16"), Path())
    assert {weight.dtype for weight in policy.model.parameters()} == {torch.float32}
    found = torch.cat([each.flatten() for each in gradients(policy.model).values()])
    near = torch.cosine_similarity(found, wanted, dim=0)
    assert 0.99 < near < 0.999999, "rounded, and no more than that"
    assert prepared.sampler is not None
    sampler: Any = prepared.sampler
    sampler.update(full_state_dict(policy.model))
    assert {weight.dtype for weight in sampler.policy.model.parameters()} == {torch.bfloat16}
    question = Question(({"role": "user", "content": "hello"},), 5)
    (reply,) = sampler.sample([question], 1)[0]
    prompt = tuple(policy.tokens.ids(question.messages))
    (batch,) = micro_batches(
        [Sample(prompt, reply.tokens, reply.logps, 1.0)], 100, policy.model.device
    )
    apart_N = logps(policy.model, batch, 1.0, False)[0] - batch.old_logp_N
    assert apart_N.abs().max() < 0.5, "sampler and trainer agree but for rounding"
    small = {name: each.clone() for name, each in policy.model.named_parameters()}
    step(policy, rate=1e-5)
    moved = [(weight != small[name]).any() for name, weight in policy.model.named_parameters()]
    assert sum(moved) > len(moved) / 3, "steps too small for bfloat16 are not lost"


def test_a_model_is_taken_out_whole_without_a_copy(folders: dict[str, Path]) -> None:
    model = policy_of("ours", folders).model
    plain = with_weights(meta_copy(model), full_state_dict(model))
    for one, other in zip(model.parameters(), plain.parameters(), strict=True):
        assert one.data_ptr() == other.data_ptr()


def test_our_adamw_is_torchs_own() -> None:
    """Bit by bit: gradients that come and go, rates that change, weights that decay."""
    source = torch.Generator().manual_seed(3)
    first = [torch.randn(shape, generator=source) for shape in ((5, 3), (7,), (2, 2))]
    ours, theirs = ([each.clone().requires_grad_() for each in first] for _ in range(2))
    own = AdamW(ours, 0.01, 0.1)
    known = torch.optim.AdamW(theirs, lr=0.01, weight_decay=0.1, fused=True)
    for step in range(5):
        for optimizer in (own, known):
            optimizer.zero_grad()
            optimizer.param_groups[0]["lr"] = 0.01 / (step + 1)
        for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if (step + place) % 3:
                one.grad = torch.randn(one.shape, generator=source)
                other.grad = one.grad.clone()
        own.step()
        known.step()
        for one, other in zip(ours, theirs, strict=True):
            assert torch.equal(one, other)


def test_training_does_not_load_torchs_compiler(tmp_path: Path) -> None:
    code = """
import sys, torch
from pathlib import Path
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.trainer.adamw import AdamW
import puzzlemill.trainer.run
model, _ = checkpoint.load(Path(sys.argv[1]))
optimizer = AdamW(model.parameters(), 0.1)
model.logits(model(torch.tensor([[1, 2]]))).sum().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
print(*{"torch._dynamo", "sympy", "torch.distributed.tensor", "peft"} & set(sys.modules))
"""
    folder = Path(checkpoint.__file__).parent / "tiny"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True
    )
    assert not done.stdout.strip()


def test_weights_are_gathered_in_the_type_that_a_sampler_takes_or_not_at_all() -> None:
    """A rank whose sampler is elsewhere has no copy of all weights; nor is there one in float32
    beside that in bfloat16."""
    model = fresh(SHAPE, seed=0)
    whole = full_state_dict(model)

    def taken(dtype: torch.dtype | None) -> dict[str, torch.Tensor]:
        sampler: Any = SimpleNamespace(weights_dtype=dtype)
        return weights_for(sampler, model)

    assert taken(None) == {}
    found = taken(torch.bfloat16)
    assert {each.dtype for each in found.values()} == {torch.bfloat16}
    assert all(torch.equal(found[name], whole[name].bfloat16()) for name in whole)
    own = taken(torch.float32)
    assert all(own[name].data_ptr() == whole[name].data_ptr() for name in whole)
