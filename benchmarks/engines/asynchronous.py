"""Measures asynchronous training: wall time at staleness 0 and 2, and what is handed over.

    python -m benchmarks.engines.asynchronous [--seeds 3] [--out benchmarks/engines/result.json]

Two processes on a CPU: a trainer, and a server that stands in for vLLM's on a device of its own
(stand_in_server.py). It holds an answer back for `--token-ms` a token of its longest reply: as many
milliseconds as that device would take for a decoding step. Replies are of unequal lengths. The
trainer computes, and holds nothing back. Asynchrony gains the most, a factor of two at most, where
sampling takes as long as learning: `--token-ms` is to be chosen so. Runs at staleness 0 and 2 take
turns, seed by seed; wall time is that of the steps, without start and evaluation.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median, stdev
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.engines.stand_in_server import StandIn, serving

ROOT = Path(__file__).parents[2]
STALENESS = (0, 2)
GATHERED = 0.02  # seconds, in which the requests of a batch come
MAX_TOKENS = 128
RECIPE = """name = "run"
seed = SEED
[[make]]
families = ["sums", "maxima", "reversal", "sorting"]
levels = [0.25, 0.75]
[policy]
kind = "tiny"
max_tokens = 128
[train]
source = "endless"
sampler = "server"
server = "URL"
max_staleness = STALENESS
steps = STEPS
prompts = 12
group = 8
epochs = EPOCHS
heldout = HELDOUT
save_every = 1000
dtype = "DTYPE"
learning_rate = 3e-4
[train.loss]
correction = "tis"
"""


def serve(token_seconds: float) -> None:
    """Until standard input ends; then tells how long replies were."""
    from puzzlemill.difficulty.policies.policy import Sampling
    from puzzlemill.difficulty.policies.tiny_policy import tiny

    policy = tiny(Sampling(max_tokens=MAX_TOKENS))
    with serving(StandIn(policy, GATHERED, token_seconds)) as state:
        print(state.url, flush=True)
        sys.stdin.read()
    print(json.dumps(state.lengths))


@contextmanager
def server(token_ms: float, lengths: list[int]) -> Iterator[str]:
    """A server's address, while it runs; at its end, the lengths of its replies are told."""
    command = [sys.executable, "-m", "benchmarks.engines.asynchronous"]
    command += ["--serve", "--token-ms", str(token_ms)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        said, _ = process.communicate()
        lengths += sorted(json.loads(said))


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "no_proxy": "*"}


@dataclass(frozen=True, slots=True)
class Size:
    """Of a run."""

    steps: int
    epochs: int
    heldout: int  # items of a family and level
    token_ms: float


def run(staleness: int, seed: int, size: Size, dtype: str = "float32") -> dict[str, Any]:
    """One run of training, by a trainer and a server of its own."""
    from safetensors.torch import load_file

    lengths: list[int] = []
    text = RECIPE
    with TemporaryDirectory() as name, server(size.token_ms, lengths) as url:
        for word, value in {
            "SEED": seed,
            "URL": url,
            "STALENESS": staleness,
            "STEPS": size.steps,
            "EPOCHS": size.epochs,
            "HELDOUT": size.heldout,
            "DTYPE": dtype,
        }.items():
            text = text.replace(word, str(value))
        (Path(name) / "run.toml").write_text(text)
        command = [sys.executable, "-m", "puzzlemill", "train", "run.toml", "--plain"]
        subprocess.run(command, cwd=name, env=environment(), check=True, capture_output=True)
        build = Path(name) / "builds" / "run"
        log = (build / "training" / "metrics.jsonl").read_text()
        steps = [json.loads(line) for line in log.splitlines()]
        cells = json.loads((build / "training.json").read_text())["cells"]
        weights = load_file(build / "training" / "sampler" / "model.safetensors").values()
    return {
        "seconds": sum(step["seconds"] for step in steps),
        "before": share(cells, "before"),
        "after": share(cells, "after"),
        "trials": sum(cell["after"]["trials"] for cell in cells),
        "lengths": [lengths[len(lengths) * at // 100] for at in (5, 50, 95)],
        "bytes": sum(each.numel() * each.element_size() for each in weights),
    }


def share(cells: Any, when: str) -> float:
    """Of held-out replies that are right."""
    counts = [cell[when] for cell in cells]
    return sum(each["successes"] for each in counts) / sum(each["trials"] for each in counts)


def measure(seeds: int, size: Size) -> dict[str, Any]:
    found: dict[int, list[dict[str, Any]]] = {staleness: [] for staleness in STALENESS}
    for seed in range(1, seeds + 1):
        for staleness in STALENESS if seed % 2 else reversed(STALENESS):
            found[staleness].append(run(staleness, seed, size))
            print(seed, staleness, found[staleness][-1], file=sys.stderr, flush=True)
    now, ahead = (found[staleness] for staleness in STALENESS)
    speedups = [one["seconds"] / two["seconds"] for one, two in zip(now, ahead, strict=True)]
    gaps = [two["after"] - one["after"] for one, two in zip(now, ahead, strict=True)]
    short = Size(1, 1, 1, 0.0)
    handed = {dtype: run(0, 1, short, dtype)["bytes"] for dtype in ("float32", "bfloat16")}
    return {
        "asynchronous": {
            **asdict(size),
            "seeds": seeds,
            "load_average": round(os.getloadavg()[0], 1),
            "tokens_of_a_reply_5_50_95_percent": now[0]["lengths"],
            **{
                f"staleness_{staleness}": {
                    "seconds": [round(each["seconds"], 1) for each in runs],
                    "heldout_before": [round(each["before"], 4) for each in runs],
                    "heldout_after": [round(each["after"], 4) for each in runs],
                }
                for staleness, runs in found.items()
            },
            "heldout_replies": now[0]["trials"],
            "heldout_gap": round(fmean(gaps), 4),
            "heldout_gap_error": round(stdev(gaps) / len(gaps) ** 0.5, 4),
            "speedups": [round(each, 2) for each in speedups],
        },
        "async_speedup": round(median(speedups), 2),
        "handover_bytes": handed,
        "handover_bytes_share": round(handed["bfloat16"] / handed["float32"], 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--heldout", type=int, default=10)
    parser.add_argument("--token-ms", type=float, default=9.0, help="of a decoding step")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("result.json"))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.token_ms / 1000)
    size = Size(options.steps, options.epochs, options.heldout, options.token_ms)
    result = measure(options.seeds, size)
    earlier = json.loads(options.out.read_text()) if options.out.is_file() else {}
    options.out.write_text(json.dumps(earlier | result, indent=2) + "\n")
    print(json.dumps(result, indent=2))
    return None


if __name__ == "__main__":
    main()
