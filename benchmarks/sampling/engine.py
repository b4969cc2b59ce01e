"""One engine on one checkpoint: tokens a second, and how far its log-probabilities are from those
of a plain forward pass. Made for a GPU; runs on a CPU as well.

    python benchmarks/sampling/engine.py --kind vllm --model FOLDER [--items 64] [--samples 8]

Prints one JSON object. Seconds are of the clock: the machine should have nothing else to do.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from time import perf_counter

from puzzlemill.core.item import generate
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.policies.forward_pass import completion_logps
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.settings import PolicySettings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kind", choices=["tiny", "native", "vllm"], required=True)
    parser.add_argument("--model", default="", help="a checkpoint's folder; none for tiny")
    parser.add_argument("--families", nargs="+", default=["sums", "sorting", "modular_chain"])
    parser.add_argument("--items", type=int, default=64, help="of each family")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=512, help="of a reply at most")
    parser.add_argument("--compared", type=int, default=64, help="replies read by a forward pass")
    asked = parser.parse_args()
    settings = PolicySettings(kind=asked.kind, model=asked.model, max_tokens=asked.tokens)
    policy = new_policy(settings)
    items = [
        item for name in asked.families for item in generate(name, seed=3, n=asked.items, level=0.3)
    ]
    questions = [Question(tuple(item.messages), seed) for seed, item in enumerate(items)]
    policy.sample(questions[:2], 1)
    start = perf_counter()
    found = policy.sample(questions, asked.samples)
    seconds = perf_counter() - start
    flat = [
        (item, question, reply)
        for item, question, replies in zip(items, questions, found, strict=True)
        for reply in replies
    ]
    count = sum(len(reply.tokens) for _, _, reply in flat)
    plain = reader(policy, asked.model)
    some = flat[:: max(len(flat) // asked.compared, 1)]
    texts = [(plain.tokens.prompt(question), reply.tokens) for _, question, reply in some]
    differences = [
        abs(mine - theirs)
        for (_, _, reply), logps in zip(some, completion_logps(plain.model, texts), strict=True)
        for mine, theirs in zip(reply.logps, logps.tolist(), strict=True)
    ]
    told = {
        "engine": asked.kind,
        "policy": policy.id,
        "tokens_a_second": round(count / seconds),
        "seconds": round(seconds, 2),
        "tokens": count,
        "replies": len(flat),
        "right": round(fmean(check(item, reply.text).correct for item, _, reply in flat), 4),
        "logp_difference_mean": float(f"{fmean(differences):.1e}"),
        "logp_difference_largest": float(f"{max(differences):.1e}"),
        "logps_compared": len(differences),
        "settings": asdict(settings),
    }
    print(json.dumps(told, indent=2))


def reader(policy: object, folder: str) -> NativePolicy:
    """The checkpoint in our own model, which `completion_logps` reads texts with."""
    if isinstance(policy, NativePolicy):
        return policy
    return NativePolicy.load(Path(folder), Sampling())


if __name__ == "__main__":
    main()
