"""What a device does with our engine and trainer, in pieces of minutes: for a first run on a GPU.

    python benchmarks/gpu/run.py [--device cuda] [--tiny] [--out benchmarks/gpu/cuda]

It needs torch, transformers, numpy and pyarrow alone. The model has the shape of Qwen2.5-0.5B and
random weights, `--tiny` a small one. Each piece writes its JSON when it is done, and is not done
again; `rates.json` is for `puzzlemill train --plan`. Seconds are of the clock.
"""

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.decoding import Layout, step, weights_of
from puzzlemill.difficulty.policies.transformer import Rope, Shape, Transformer, fresh
from puzzlemill.trainer.execution_plan import Rates

SHAPES = {
    False: Shape(896, 24, 14, 2, 64, 4864, 151_936, positions=8192, rope=Rope(1e6)),
    True: Shape(64, 2, 4, 2, 16, 128, 500, positions=512),
}
Piece = Callable[[Transformer, bool], dict[str, Any]]


def timed(work: Callable[[], Any], device: torch.device) -> float:
    """Seconds of a second call: the first one warms up."""
    work()
    _wait(device)
    start = perf_counter()
    work()
    _wait(device)
    return perf_counter() - start


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def tokens_of(model: Transformer, rows: int, length: int) -> Tensor:
    source = torch.Generator().manual_seed(1)
    drawn = torch.randint(2, model.shape.vocab, (rows, length), generator=source)
    return drawn.to(model.device)


@torch.inference_mode()
def sampling(model: Transformer, tiny: bool) -> dict[str, Any]:
    """Decoding steps of the native engine, 8 replies to each prompt."""
    prompts, group, length, count = (4, 4, 16, 8) if tiny else (64, 8, 128, 256)
    device, rows = model.device, prompts * group
    lengths = torch.full((prompts,), length, device=device)
    _, caches = model.prefill(tokens_of(model, prompts, length), lengths)
    place = torch.arange(rows, device=device)
    sizes = (prompts, group, length, model.shape.kv_heads)
    layout = Layout(
        place // group, place % group, lengths[place // group], sizes, [(rows, rows, count)]
    )
    laid_out, cache = weights_of(model, length + count), model.cache(rows, count)

    def decode() -> None:
        token = tokens_of(model, rows, 1)[:, 0]
        for position in range(count):
            at = torch.full((rows,), position, device=device)
            hidden = step(laid_out, layout, token, at, [position + 1], caches, [cache])
            token = laid_out.logits(hidden).argmax(1)

    seconds = timed(decode, device)
    return {"rows": rows, "tokens": rows * count, "tokens_a_second": rows * count / seconds}


@torch.inference_mode()
def generate(model: Transformer, tiny: bool) -> dict[str, Any]:
    """The same by `generate` of transformers, which has the prompts' keys for every reply."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    prompts, group, length, count = (4, 4, 16, 8) if tiny else (64, 8, 128, 256)
    shape = model.shape
    config = Qwen2Config(
        vocab_size=shape.vocab,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        max_position_embeddings=shape.positions,
        tie_word_embeddings=True,
    )
    theirs = Qwen2ForCausalLM(config).to(model.device, model.dtype).eval()
    tokens = tokens_of(model, prompts, length).repeat_interleave(group, dim=0)
    settings = {"max_new_tokens": count, "min_new_tokens": count, "do_sample": False}
    mask = torch.ones_like(tokens)
    seconds = timed(
        lambda: theirs.generate(tokens, attention_mask=mask, pad_token_id=0, **settings),
        model.device,
    )
    made = len(tokens) * count
    return {"rows": len(tokens), "tokens": made, "tokens_a_second": made / seconds}


def learning(model: Transformer, tiny: bool, replies: int = 8, length: int = 512) -> dict[str, Any]:
    """Forward and backward of a prompt and its replies in bfloat16; and the memory it takes."""
    replies, length = (4, 16) if tiny else (replies, length)
    device = model.device
    model.float().requires_grad_(True)
    model.compute_dtype, model.recompute = torch.bfloat16, True
    prompt, reply = tokens_of(model, 1, length // 4), tokens_of(model, replies, length)
    texts = (torch.tensor([length // 4], device=device), reply)
    rest = (torch.zeros(replies, dtype=torch.long, device=device), reply >= 0)

    def learn() -> None:
        with torch.autocast(device.type, torch.bfloat16):
            states = model.reply_states(prompt, *texts, *rest)
        states.float().square().mean().backward()
        model.zero_grad()

    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    seconds = timed(learn, device)
    peak = torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
    tokens = replies * length
    figures = {"tokens": tokens, "seconds": seconds, "tokens_a_second": tokens / seconds}
    return {**figures, "peak_bytes": peak}


def long_replies(model: Transformer, tiny: bool) -> dict[str, Any]:
    """Two replies of 7,000 tokens: no matrix of scores is in memory."""
    return learning(model, tiny, replies=2, length=7000)


@torch.inference_mode()
def agreement(model: Transformer, tiny: bool) -> dict[str, Any]:
    """How far bfloat16 is from float32, in the log-probability of a token."""
    tokens = tokens_of(model, 2, 16 if tiny else 512)
    logps = []
    for dtype in (torch.float32, torch.bfloat16):
        model.to(dtype)
        all_logps = model.logits(model(tokens)[:, :-1]).float().log_softmax(-1)
        logps.append(all_logps.gather(-1, tokens[:, 1:, None]))
    apart = (logps[0] - logps[1]).abs()
    return {"mean": apart.mean().item(), "largest": apart.max().item()}


PIECES: tuple[Piece, ...] = (agreement, sampling, generate, learning, long_replies)


def measured(device: torch.device, tiny: bool, out: Path, names: list[str]) -> None:
    """Each of these pieces that is not there yet; and the rates of the device."""
    out.mkdir(parents=True, exist_ok=True)
    for piece in PIECES:
        if piece.__name__ not in names:
            continue
        file = out / f"{piece.__name__}.json"
        if file.exists():
            continue
        model = fresh(SHAPES[tiny], seed=0).to(device)
        if device.type == "cuda":
            model = model.to(torch.bfloat16)
        write(file, piece(model, tiny) | {"tiny": tiny, "torch": torch.__version__})
    if all((out / f"{name}.json").exists() for name in ("sampling", "learning")):
        write(out / "rates.json", asdict(rates_of(device, tiny, out)))


def rates_of(device: torch.device, tiny: bool, out: Path) -> Rates:
    sampled, learned = (
        json.loads((out / f"{name}.json").read_text())["tokens_a_second"]
        for name in ("sampling", "learning")
    )
    block = torch.ones(1 << (20 if tiny else 28), dtype=torch.uint8, device=device)
    # To this machine's memory and back: slower than a link between devices.
    seconds = timed(lambda: block.cpu().clone().to(device), device) / 2
    if device.type == "cuda":
        memory = float(torch.cuda.get_device_properties(device).total_memory)
    else:
        memory = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with torch.device("meta"):
        weights = sum(each.numel() for each in Transformer(SHAPES[tiny]).parameters())
    return Rates(weights, sampled, learned, len(block) / seconds, memory)


def write(file: Path, figures: dict[str, Any]) -> None:
    """Whole or absent."""
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps(figures, indent=2) + "\n")
    beside.rename(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a small model: for a test")
    parser.add_argument("--out", type=Path)
    names = [piece.__name__ for piece in PIECES]
    parser.add_argument("--pieces", nargs="+", choices=names, default=names)
    options = parser.parse_args()
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no GPU: take --device cpu --tiny to try the script")
    out = options.out or Path(__file__).parent / device.type
    measured(device, options.tiny, out, options.pieces)
    for file in sorted(out.glob("*.json")):
        print(file.stem, file.read_text())


if __name__ == "__main__":
    main()
