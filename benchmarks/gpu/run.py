"""What a device does with our engine and trainer, in pieces of minutes: for a first run on a GPU.

    python benchmarks/gpu/run.py [--device cuda] [--tiny] [--pieces sampling learning] [--again]

It needs torch, transformers, peft, numpy and pyarrow alone. The model has the shape of Qwen2.5-0.5B
and random weights, `--tiny` a small one. Each piece writes its JSON when it is done. A piece that
is there is said to be, and is measured with `--again` alone. `rates.json` is for `puzzlemill train
--plan`. Seconds are of the clock.
"""

import argparse
import json
import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from benchmarks.gpu.learning import adapters, learning, long_replies, sharded, timed
from benchmarks.gpu.sampling import drawn, generate, kernels, sampling
from puzzlemill.difficulty.policies.transformer import Rope, Shape, Transformer, fresh
from puzzlemill.trainer.execution_plan import Rates

SHAPES = {
    False: Shape(896, 24, 14, 2, 64, 4864, 151_936, positions=8192, rope=Rope(1e6)),
    True: Shape(64, 2, 4, 2, 16, 128, 500, positions=512),
}
Piece = Callable[[Transformer, bool], dict[str, Any]]


@torch.inference_mode()
def agreement(model: Transformer, tiny: bool) -> dict[str, Any]:
    """How far bfloat16 is from float32, in the log-probability of a token."""
    tokens = drawn(model, 2, 16 if tiny else 512)
    logps = []
    for dtype in (torch.float32, torch.bfloat16):
        model.to(dtype)
        all_logps = model.logits(model(tokens)[:, :-1]).float().log_softmax(-1)
        logps.append(all_logps.gather(-1, tokens[:, 1:, None]))
    apart = (logps[0] - logps[1]).abs()
    return {"mean": apart.mean().item(), "largest": apart.max().item()}


PIECES: tuple[Piece, ...] = (
    agreement,
    sampling,
    kernels,
    generate,
    learning,
    long_replies,
    adapters,
    sharded,
)
NAMES = tuple(piece.__name__ for piece in PIECES)


def measured(
    device: torch.device,
    tiny: bool,
    out: Path,
    names: Sequence[str] = NAMES,
    again: bool = False,
) -> None:
    """Each of these pieces that is not there yet, or all of them; and the rates of the device."""
    out.mkdir(parents=True, exist_ok=True)
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    whole = fresh(SHAPES[tiny], seed=0).to(device, dtype)
    for piece in PIECES:
        file = out / f"{piece.__name__}.json"
        if piece.__name__ not in names:
            continue
        if file.exists() and not again:
            print(f"{file} is there: --again measures it anew", flush=True)
        else:
            about = {"tiny": tiny, "torch": torch.__version__, "device": name_of(device)}
            write(file, piece(deepcopy(whole), tiny) | about)
            print(file.stem, file.read_text(), flush=True)
    files = [out / f"{each}.json" for each in ("sampling", "learning")]
    made_on = [json.loads(each.read_text())["device"] for each in files if each.exists()]
    if made_on == [name_of(device)] * 2:  # rates are of one device
        write(out / "rates.json", asdict(rates_of(device, tiny, out)))


def name_of(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


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
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a small model: for a test")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--pieces", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--again", action="store_true", help="measure what is there, too")
    options = parser.parse_args()
    device = torch.device(options.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        parser.error("torch sees no GPU: take --device cpu --tiny to try the script")
    out = options.out or Path(__file__).parent / device.type
    measured(device, options.tiny, out, options.pieces, options.again)


if __name__ == "__main__":
    main()
