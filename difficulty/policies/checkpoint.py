"""Checkpoints: folders with config.json and safetensors, in the Hugging Face layout."""

import json
import shutil
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from puzzlemill.core.errors import UserError
from puzzlemill.core.shapes import fields, maybe, number, text, whole
from puzzlemill.core.storage.files import read_json
from puzzlemill.difficulty.policies.transformer import Rope, Shape, Transformer
from puzzlemill.difficulty.policies.weight_files import no_checkpoint, weight_files

CLASSES = {
    "llama": "LlamaForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}
DTYPES = ("float32", "bfloat16", "float16")
SAMPLED = 256  # numbers of a weight that tell it from another


class Saves(Protocol):
    def save(self, folder: Path) -> None: ...


def load(path: Path, dtype: str | None = None, device: str = "cpu") -> tuple[Transformer, Shape]:
    """The model of a folder, in the checkpoint's own dtype if none is given."""
    shape = read_shape(path)
    if dtype not in (None, *DTYPES):
        raise UserError(f"unknown dtype {dtype!r}; there are: {', '.join(DTYPES)}")
    with torch.device("meta"):  # no memory for weights that are replaced at once
        model = Transformer(shape)
    weights = _read_weights(path, getattr(torch, dtype or shape.dtype), device)
    if shape.tied:
        weights.pop("lm_head.weight", None)
    _match(weights, model.state_dict(), path)
    model.load_state_dict(weights, assign=True)
    return model, shape


def save(model: Any, path: Path, tokens: Saves | None = None) -> None:
    """Write a folder that `load`, transformers and vLLM read, by renaming: whole or absent."""
    for name, weight in model.state_dict().items():
        if not weight.isfinite().all():
            raise UserError(f"{path}: not written, since the weight {name} is not finite")
    fresh, old = path.with_name(path.name + ".part"), path.with_name(path.name + ".old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir(parents=True)
    if tokens is not None:
        tokens.save(fresh)
    if isinstance(model, Transformer):
        save_weights(model.state_dict(), fresh)
        config = write_config(model.shape, str(model.dtype).removeprefix("torch."))
        (fresh / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    else:
        model.write(fresh)  # of transformers: it knows itself
        for file in fresh.glob("*.safetensors"):
            file.chmod(0o644)  # it is made for its owner alone
    if path.exists():
        path.rename(old)  # a folder cannot take the place of one that is not empty
    fresh.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def save_weights(weights: Mapping[str, Tensor], folder: Path) -> None:
    from safetensors.torch import save_file

    whole = {name: value.detach().contiguous() for name, value in weights.items()}
    save_file(whole, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # it is made for its owner alone


def rounded(weights: Mapping[str, Tensor], dtype: torch.dtype) -> dict[str, Tensor]:
    """The weights in the type that an engine computes in."""
    return {
        name: value.to(dtype) if value.is_floating_point() else value
        for name, value in weights.items()
    }


def fingerprint(weights: Mapping[str, Tensor]) -> str:
    """A short hash of some of each weight's numbers: a step of training changes nearly all."""
    summary = blake2b(digest_size=4)
    for name, value in sorted(weights.items()):
        some = value.detach().flatten()[:: max(value.numel() // SAMPLED, 1)]
        summary.update(name.encode() + some.double().cpu().numpy().tobytes())
    return summary.hexdigest()


def read_shape(path: Path) -> Shape:
    file = path / "config.json"
    if not file.is_file():
        raise no_checkpoint(path, file.name)
    config: Any = read_json(file)
    if not isinstance(config, dict):
        raise UserError(f"{file}: not a configuration")
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in CLASSES:
        raise UserError(
            f"{file}: cannot run architecture {kind!r}; can: {', '.join(CLASSES)}; a policy of"
            ' kind "transformers" runs all that transformers can load'
        )
    _refuse_the_unusual(config, file)
    if fault := _CONFIG(config, ""):
        raise UserError(f"{file}: {fault}")
    bias = bool(config.get("attention_bias", False))  # Qwen2 has its own, whatever this says
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    dtype = config.get("dtype") or config.get("torch_dtype") or "float32"
    if dtype not in DTYPES:
        raise UserError(f"{file}: unknown dtype {dtype!r}; there are: {', '.join(DTYPES)}")
    return Shape(
        hidden=hidden,
        layers=config["num_hidden_layers"],
        heads=heads,
        kv_heads=config.get("num_key_value_heads") or heads,
        head_dim=config.get("head_dim") or (128 if kind == "qwen3" else hidden // heads),
        intermediate=config["intermediate_size"],
        vocab=config["vocab_size"],
        positions=config.get("max_position_embeddings") or 4096,
        rope=_read_rope(config, file),
        norm_eps=config.get("rms_norm_eps", 1e-6),
        tied=bool(config.get("tie_word_embeddings", False)),
        qkv_bias=kind == "qwen2" or bias,
        output_bias=kind != "qwen2" and bias,
        mlp_bias=kind == "llama" and bool(config.get("mlp_bias", False)),
        head_norm=kind == "qwen3",
        kind=kind,
        dtype=dtype,
    )


def write_config(shape: Shape, dtype: str) -> dict[str, Any]:
    """What `read_shape` reads, in the words of transformers."""
    rope: dict[str, Any] = {"rope_theta": shape.rope.theta, "rope_type": shape.rope.kind}
    if shape.rope.kind != "default":
        rope["factor"] = shape.rope.factor
    if shape.rope.kind == "llama3":
        rope["low_freq_factor"] = shape.rope.low
        rope["high_freq_factor"] = shape.rope.high
        rope["original_max_position_embeddings"] = shape.rope.context
    config = {
        "architectures": [CLASSES[shape.kind]],
        "model_type": shape.kind,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "intermediate_size": shape.intermediate,
        "vocab_size": shape.vocab,
        "max_position_embeddings": shape.positions,
        "rope_theta": shape.rope.theta,  # here for transformers 4, in rope_parameters for 5
        "rope_parameters": rope,
        "rms_norm_eps": shape.norm_eps,
        "hidden_act": "silu",
        "tie_word_embeddings": shape.tied,
        "dtype": dtype,
        "torch_dtype": dtype,
    }
    if shape.rope.kind != "default":
        config["rope_scaling"] = rope
    if shape.kind == "llama":
        config["mlp_bias"] = shape.mlp_bias
    if shape.kind != "qwen2":
        config["attention_bias"] = shape.output_bias
    return config


def _read_rope(config: Mapping[str, Any], file: Path) -> Rope:
    rope = {**(config.get("rope_scaling") or {}), **(config.get("rope_parameters") or {})}
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind not in ("default", "linear", "llama3"):
        raise UserError(f"{file}: cannot run rope type {kind!r}; can: default, linear, llama3")
    return Rope(
        theta=float(rope.get("rope_theta") or config.get("rope_theta") or 10_000.0),
        kind=kind,
        factor=float(rope.get("factor", 1.0)),
        low=float(rope.get("low_freq_factor", 1.0)),
        high=float(rope.get("high_freq_factor", 4.0)),
        context=int(rope.get("original_max_position_embeddings", 8192)),
    )


def _refuse_the_unusual(config: Mapping[str, Any], file: Path) -> None:
    """Settings that would silently give other logits."""
    unusual = {
        "hidden_act": config.get("hidden_act", "silu") != "silu",
        "use_sliding_window": bool(config.get("use_sliding_window", False)),
        "quantization_config": config.get("quantization_config") is not None,
    }
    for name, present in unusual.items():
        if present:
            raise UserError(f"{file}: cannot run a model with {name} = {config[name]!r}")


# Beyond what any model has: memory is taken by these sizes before weights can contradict them.
_ROPE = {
    "rope_theta": maybe(number(1, 1e12)),
    "factor": number(0, 1e6, above=True),
    "low_freq_factor": number(0, 1e6, above=True),
    "high_freq_factor": number(0, 1e6, above=True),
    "original_max_position_embeddings": whole(1, 1 << 26),
    "rope_type": text(),
    "type": text(),
}
_CONFIG = fields(
    {
        "hidden_size": whole(1, 1 << 17),
        "num_hidden_layers": whole(1, 1 << 10),
        "num_attention_heads": whole(1, 1 << 12),
        "intermediate_size": whole(1, 1 << 20),
        "vocab_size": whole(1, 1 << 23),
    },
    {
        "num_key_value_heads": maybe(whole(1, 1 << 12)),
        "head_dim": maybe(whole(1, 1 << 14)),
        "max_position_embeddings": maybe(whole(1, 1 << 26)),
        "rms_norm_eps": number(0, 1),
        "rope_theta": maybe(number(1, 1e12)),
        "rope_scaling": maybe(fields({}, _ROPE)),
        "rope_parameters": maybe(fields({}, _ROPE)),
    },
)


def _read_weights(path: Path, dtype: torch.dtype, device: str) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    weights: dict[str, Tensor] = {}
    for file in weight_files(path):
        try:
            loaded = load_file(file, device=device)
        except (SafetensorError, OSError) as error:
            raise UserError(f"{file}: cannot be read: {error}") from None
        for name, value in loaded.items():
            # A copy: the file is memory-mapped, and a change of it would change the weights.
            weights[name] = value.to(dtype, copy=True)
            if not _finite(weights[name]):
                raise UserError(f"{file}: the weight {name} holds NaN or infinity in {dtype}")
    return weights


def _finite(weight: Tensor) -> bool:
    """Whether all of it is: its least and greatest are then, and NaN is both."""
    if not weight.numel() or not weight.is_floating_point():
        return True
    return all(each.isfinite().item() for each in weight.aminmax())


def _match(weights: Mapping[str, Tensor], wanted: Mapping[str, Tensor], path: Path) -> None:
    for name in sorted(wanted.keys() | weights.keys()):
        if name not in weights or name not in wanted:
            fault = "is missing" if name not in weights else "is not part of the model"
            raise UserError(f"{path}: the weight {name} {fault}, by config.json")
        if weights[name].shape != wanted[name].shape:
            stored, expected = tuple(weights[name].shape), tuple(wanted[name].shape)
            raise UserError(f"{path}: the weight {name} is {stored}; config.json says {expected}")
