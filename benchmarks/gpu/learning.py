"""How fast a device learns: forward and backward of a prompt and its replies, in bfloat16."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from benchmarks.gpu.sampling import drawn
from puzzlemill.difficulty.policies.model import Model
from puzzlemill.difficulty.policies.transformer import Transformer

TURNS = 3


def learning(model: Transformer, tiny: bool) -> dict[str, Any]:
    """8 replies of 512 tokens; recomputed, and with all activations kept."""
    recomputed = learned(model, *((4, 16) if tiny else (8, 512)))
    kept = learned(model, *((4, 16) if tiny else (8, 512)), recompute=False)
    return recomputed | {"without_recompute": kept}


def long_replies(model: Transformer, tiny: bool) -> dict[str, Any]:
    """Two replies of 7,000 tokens: no matrix of scores is in memory."""
    return learned(model, *((2, 32) if tiny else (2, 7000)))


def adapters(model: Transformer, tiny: bool) -> dict[str, Any]:
    """With LoRA of rank 16; the frozen weights in bfloat16."""
    from puzzlemill.trainer.adapters import adapted_layers, add_adapters
    from puzzlemill.trainer.settings import Lora

    model.float()
    add_adapters(model, Lora(rank=16))
    for module in adapted_layers(model).values():
        module.get_base_layer().to(torch.bfloat16)
    return learned(model, *((4, 16) if tiny else (8, 512)), whole=False)


def sharded(model: Transformer, tiny: bool) -> dict[str, Any]:
    """By FSDP2 with one rank: what its hooks and copies cost, and how far its gradient is off."""
    from puzzlemill.trainer.distributed import shard_model

    size = (4, 16) if tiny else (8, 512)
    plain = learned(model, *size, keep=True)
    wanted = {name: each.grad.clone() for name, each in gradients(model).items()}
    model.zero_grad()
    backend = "nccl" if model.device.type == "cuda" else "gloo"
    store = dist.HashStore()  # type: ignore[attr-defined]
    dist.init_process_group(backend, store=store, rank=0, world_size=1)
    try:
        shard_model(model)
        found = learned(model, *size, keep=True)
        parts = {name: each.grad.full_tensor() for name, each in gradients(model).items()}
    finally:
        dist.destroy_process_group()
    apart = sum((parts[name] - each).square().sum() for name, each in wanted.items())
    size_of = sum(each.square().sum() for each in wanted.values())
    ratio = found["seconds"] / plain["seconds"]
    return found | {"seconds_ratio": ratio, "gradient_apart": float((apart / size_of) ** 0.5)}


def gradients(model: Model) -> dict[str, Any]:
    return {name: each for name, each in model.named_parameters() if each.grad is not None}


def learned(
    model: Transformer,
    replies: int,
    length: int,
    recompute: bool = True,
    whole: bool = True,
    keep: bool = False,
) -> dict[str, Any]:
    """With the gradient of all weights, if `whole`; the last is kept if asked for."""
    device = model.device
    if whole:
        model.float().requires_grad_(True)
    model.compute_dtype, model.recompute = torch.bfloat16, recompute
    prompt, reply = drawn(model, 1, length // 4), drawn(model, replies, length)
    texts = (torch.tensor([length // 4], device=device), reply)
    rest = (torch.zeros(replies, dtype=torch.long, device=device), reply >= 0)

    def learn() -> None:
        model.zero_grad()
        with torch.autocast(device.type, torch.bfloat16):
            states: Tensor = model.reply_states(prompt, *texts, *rest)
        states.float().square().mean().backward()

    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    seconds = timed(learn, device)
    peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
    if not keep:
        model.zero_grad()
    tokens = replies * length
    speed = {"tokens": tokens, "seconds": seconds, "tokens_a_second": tokens / seconds}
    return {**speed, "peak_bytes": peak}


def timed(work: Callable[[], Any], device: torch.device) -> float:
    """Seconds of a call, the fastest of three; the first one warms up."""
    spent = []
    for _ in range(1 + TURNS):
        wait(device)
        start = perf_counter()
        work()
        wait(device)
        spent.append(perf_counter() - start)
    return min(spent[1:])


def wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
