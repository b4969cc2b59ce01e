"""Many architectures, each as a small random checkpoint: sampled, trained, with adapters.

python -m pytest -W ignore tests/real/models.py
"""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
import tiny_models
from test_hosted import SEEN, asked, check_training

from puzzlemill.difficulty.policies.hugging_face import HuggingFaceModel, HuggingFacePolicy
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.trainer.settings import Lora, Train
from puzzlemill.trainer.train_state import prepare
from puzzlemill.trainer.weights import full_state_dict, with_weights

TEXT: dict[str, dict[str, Any]] = {
    "cohere2": {},
    "exaone4": {},
    "falcon": {"num_kv_heads": 2, "num_key_value_heads": None},
    "gemma": {"head_dim": 8},
    "gemma3_text": {"head_dim": 8, "final_logit_softcapping": 5.0},
    "glm4": {"head_dim": 8},
    "gpt_neox": {},
    "gpt_oss": {"head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2},
    "granite": {"logits_scaling": 4.0, "residual_multiplier": 0.5},
    "granitemoe": {"num_local_experts": 4, "num_experts_per_tok": 2},
    "llama": {},
    "ministral": {"head_dim": 8},
    "mixtral": {"num_local_experts": 4},
    "nemotron": {},
    "olmo2": {},
    "olmoe": {"num_experts": 4, "num_experts_per_tok": 2},
    "phi": {},
    "qwen2_moe": {"num_experts": 4, "moe_intermediate_size": 16},
    "qwen3": {"head_dim": 8},
    "qwen3_moe": {
        "head_dim": 8,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 16,
    },
    "smollm3": {},
    "stablelm": {},
    "starcoder2": {},
}


@pytest.mark.parametrize("kind", TEXT)
def test_an_architecture_of_text(kind: str, tmp_path: Path) -> None:
    given_ = {name: value for name, value in TEXT[kind].items() if value is not None}
    folder = tiny_models.text_model(tmp_path / kind, kind, **given_)
    policy = HuggingFacePolicy.load(folder, SEEN)
    questions = [asked("one", 1), asked("another one", 2)]
    check_training(policy, questions, lambda model, ids, _: model(input_ids=ids))
    check_adapters(HuggingFacePolicy.load(folder, SEEN))


def check_adapters(policy: HuggingFacePolicy) -> None:
    """What is taken out of a model with adapters says what the model itself says."""
    prepared = prepare(policy, Train(lora=Lora(rank=2), recompute=True), Path())
    ids = torch.tensor([[13, 14, 15, 16]])
    before = policy.model.logits(policy.model(ids))
    before.square().sum().backward()
    with torch.no_grad():
        for weight in prepared.trainable:
            assert weight.grad is not None
            weight.add_(torch.ones_like(weight), alpha=0.01)
        after = policy.model.logits(policy.model(ids))
        plain = with_weights(prepared.meta_model, full_state_dict(policy.model))
        assert torch.allclose(plain.logits(plain(ids)), after, atol=1e-3)
        assert not torch.allclose(after, before, atol=1e-3)


def gemma3(folder: Path) -> Path:
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessorPil,
        Gemma3Processor,
    )

    named = {"boi_token": "<image>", "image_token": "<other>", "eoi_token": "<end>"}
    words = tiny_models.bytewise(tiny_models.SEEING, **named)
    config = Gemma3Config(
        text_config=tiny_models.SMALL | {"head_dim": 8},
        vision_config=VISION,
        mm_tokens_per_image=4,
        image_token_index=tiny_models.WORDS.index("<other>"),
        boi_token_index=tiny_models.WORDS.index("<image>"),
    )
    Gemma3ForConditionalGeneration(config).save_pretrained(folder)
    pictures = Gemma3ImageProcessorPil(size={"height": 32, "width": 32})
    Gemma3Processor(pictures, words, tiny_models.SEEING, image_seq_length=4).save_pretrained(folder)
    return folder


class QwenProcessor:
    """Stands in for Qwen's, which needs torchvision: its pictures, and as many marks as patches."""

    chat_template = tiny_models.SEEING

    def __init__(self) -> None:
        from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import (
            Qwen2VLImageProcessorPil,
        )

        self.tokenizer = tiny_models.bytewise(tiny_models.SEEING)
        self.pictures = Qwen2VLImageProcessorPil()

    def apply_chat_template(self, messages: Any, **settings: Any) -> Any:
        return self.tokenizer.apply_chat_template(messages, **settings)

    def __call__(self, text: list[str], images: Any, padding_side: str, **_: Any) -> Any:
        told = self.pictures([each for row in images for each in row], return_tensors="pt")
        counts = iter((told["image_grid_thw"].prod(dim=1) // 4).tolist())
        longer = []
        for row in text:
            first, *others = row.split("<image>")
            longer.append(first + "".join("<image>" * next(counts) + each for each in others))
        self.tokenizer.padding_side = padding_side
        found = self.tokenizer(longer, add_special_tokens=False, padding=True, return_tensors="pt")
        picture = tiny_models.WORDS.index("<image>")
        kinds = {"mm_token_type_ids": (found["input_ids"] == picture).long()}
        return dict(found) | dict(told) | kinds


def qwen2_vl(folder: Path) -> HuggingFacePolicy:
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration

    rope = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10_000.0}
    other = tiny_models.WORDS.index("<other>")
    config = Qwen2VLConfig(
        text_config=tiny_models.SMALL | {"rope_parameters": rope},
        vision_config={
            "depth": 1,
            "embed_dim": 32,
            "hidden_size": 32,
            "num_heads": 2,
            "mlp_ratio": 2,
            "patch_size": 14,
        },
        image_token_id=tiny_models.WORDS.index("<image>"),
        video_token_id=other,
        vision_start_token_id=other,
        vision_end_token_id=other,
    )
    processor = QwenProcessor()
    tokens = Tokens(processor.tokenizer, frozenset([1]), processor)
    model = HuggingFaceModel(Qwen2VLForConditionalGeneration(config), tokens).eval()
    return HuggingFacePolicy(model, tokens, SEEN, "qwen2_vl")


VISION = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 32,
    "patch_size": 8,
}


@pytest.mark.parametrize("make", [gemma3, qwen2_vl, tiny_models.seeing_model])
def test_an_architecture_that_sees(make: Any, tmp_path: Path) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        made = make(tmp_path / "model")
    policy = made if isinstance(made, HuggingFacePolicy) else HuggingFacePolicy.load(made, SEEN)
    questions = [
        asked("what <image> is", 1, "red"),
        asked("what <image> is", 2, "blue"),
        asked("no picture", 4),
    ]

    def plain(model: Any, ids: Any, question: Any) -> Any:
        if not question.images:
            return model(input_ids=ids)
        shown = policy.tokens.shown(question)
        assert shown is not None
        told = dict(policy.tokens.processed([shown]))
        longer = ids.shape[1] - told["input_ids"].shape[1]
        aligned = {
            name: torch.nn.functional.pad(value, (0, longer))
            for name, value in told.items()
            if value.shape == told["input_ids"].shape
        }
        told |= aligned | {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        return model(**told)

    check_training(policy, questions, plain)
    check_adapters(policy)
