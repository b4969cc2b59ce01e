"""The native engine beside `transformers.generate`: the bundled policy, the same prompts, in turns.

    python benchmarks/sampling/run.py [--turns 3] [--items 8]

Both draw at temperature 1 from the whole distribution, in this process, on one thread, in float32.
A reply ends at the same tokens for both. `generate` gets batches of prompts of like length, padded
on the left; both of its caches are tried, with as many replies in a batch as the native engine has
under way at most, with half and with a quarter as many, and the fastest of the six takes part. A
batch of its waits for its longest reply, which is part of what is measured: `mean_length`,
`longest` and `padding` say how unequal the lengths are. Only tokens of replies count, up to where
each ends. The figures go to result.json beside this file.
"""

import argparse
import json
import os
from importlib.resources import files
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM

from puzzlemill.core.item import generate
from puzzlemill.core.registry import names
from puzzlemill.difficulty.policies import kv_cache
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny

RESULT = Path(__file__).with_name("result.json")
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
SAMPLES = 8
SAMPLING = Sampling(max_tokens=256)
COMPARED = 200  # replies whose log-probabilities are held against a forward pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--items", type=int, default=8, help="of each family at each level")
    parser.add_argument(
        "--settled",
        action="store_true",
        help="generate's static cache and half our rows, untried",
    )
    asked = parser.parse_args()
    torch.set_num_threads(1)
    policy = tiny(SAMPLING)
    questions = asked_of(asked.items)
    prompts = sorted((policy.tokens.prompt(question) for question in questions), key=len)
    folder = str(files("puzzlemill.difficulty.policies") / "tiny")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    room = kv_cache.MAX_SEQUENCES["cpu"]
    policy.sample(questions[:4], 2)
    trial = prompts[:: max(len(prompts) * SAMPLES // room, 1)]
    settings: list[tuple[str | None, int]] = [
        (cache, rows) for cache in ("static", None) for rows in (room, room // 2, room // 4)
    ]
    if asked.settled:
        settings = [("static", room // 2)]
    tried = {
        (cache, rows): 0.0 if asked.settled else rate(timed_peer(model, trial, policy, rows, cache))
        for cache, rows in settings
    }
    cache, rows = max(tried, key=lambda each: tried[each])
    ours, theirs = [], []
    for _ in range(asked.turns):
        ours.append(timed(policy, questions))
        theirs.append(timed_peer(model, prompts, policy, rows, cache))
    found = policy.sample(questions[:: max(len(questions) * SAMPLES // COMPARED, 1)], SAMPLES)
    lengths = theirs[0][2]
    ratios = [rate(us) / rate(them) for us, them in zip(ours, theirs, strict=True)]
    told = {
        "sampling_ratio_transformers": round(median(ratios), 2),
        "ratio_of_each_turn": [round(ratio, 2) for ratio in ratios],
        "tokens_a_cpu_second_ours": round(median(map(rate, ours))),
        "tokens_a_cpu_second_transformers": round(median(map(rate, theirs))),
        "cpu_seconds_ours": [round(seconds, 2) for _, seconds, _ in ours],
        "cpu_seconds_transformers": [round(seconds, 2) for _, seconds, _ in theirs],
        "tokens_ours": ours[0][0],
        "tokens_transformers": theirs[0][0],
        **logp_differences(policy, model, questions, found),
        "cache_of_transformers": cache or "dynamic",
        "replies_in_a_batch_ours": room,
        "replies_in_a_batch_transformers": rows,
        "tried_of_transformers": ""
        if asked.settled
        else ", ".join(
            f"{cache or 'dynamic'} cache, {rows} replies: {found:.0f} tokens a CPU second"
            for (cache, rows), found in tried.items()
        ),
        "mean_length": round(fmean(lengths), 1),
        "longest": max(lengths),
        "padding": round(1 - sum(lengths) / padded(lengths, rows), 3),
        "workload": (
            f"{len(questions)} questions of the families in generators/basics at levels"
            f" {LEVELS}, {SAMPLES} replies each of at most {SAMPLING.max_tokens} tokens"
        ),
        "turns": asked.turns,
        "load_of_the_machine": round(os.getloadavg()[0], 1),
        "cores": os.cpu_count(),
    }
    RESULT.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(RESULT.read_text())


def asked_of(items: int) -> list[Question]:
    found = [
        item
        for name in names("basics")
        for level in LEVELS
        for item in generate(name, level=level, seed=3, n=items)
    ]
    return [Question(tuple(item.messages), seed) for seed, item in enumerate(found)]


Timed = tuple[int, float, list[int]]  # tokens, CPU seconds, the replies' lengths


def timed(policy: NativePolicy, questions: list[Question]) -> Timed:
    start = process_time()
    found = policy.sample(questions, SAMPLES)
    seconds = process_time() - start
    lengths = [len(reply.tokens) for replies in found for reply in replies]
    return sum(lengths), seconds, lengths


def timed_peer(
    model: Any, prompts: list[list[int]], policy: NativePolicy, room: int, cache: str | None
) -> Timed:
    """Its replies as token ids: it is spared the making of texts and log-probabilities."""
    torch.manual_seed(0)
    ends = [
        *policy.tokens.ends,
        *policy.tokens.continuation("</answer>"),
    ]  # one token, of this policy
    lengths: list[int] = []
    start = process_time()
    for first in range(0, len(prompts), room // SAMPLES):
        some = prompts[first : first + room // SAMPLES]
        width = max(map(len, some))
        ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in some])
        mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in some])
        with torch.inference_mode():
            said = model.generate(
                ids,
                attention_mask=mask,
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                max_new_tokens=SAMPLING.max_tokens,
                num_return_sequences=SAMPLES,
                eos_token_id=ends,
                pad_token_id=0,
                cache_implementation=cache,
            )[:, width:].numpy()
        over = np.isin(said, ends)
        ended = np.where(over.any(axis=1), over.argmax(axis=1) + 1, said.shape[1])
        lengths += ended.tolist()
    return sum(lengths), process_time() - start, lengths


def rate(run: Timed) -> float:
    return run[0] / run[1]


def padded(lengths: list[int], batch: int) -> int:
    """Tokens, if each batch is as long as its longest reply."""
    parts = [lengths[first : first + batch] for first in range(0, len(lengths), batch)]
    return sum(len(part) * max(part) for part in parts)


def logp_differences(
    policy: NativePolicy, model: Any, questions: list[Question], found: list[list[Reply]]
) -> dict[str, float]:
    """Of what was told when a token was drawn, from a plain forward pass of transformers."""
    step = max(len(questions) * SAMPLES // COMPARED, 1)
    differences: list[float] = []
    for question, replies in zip(questions[::step], found, strict=True):
        prompt = policy.tokens.prompt(question)
        for reply in replies:
            with torch.inference_mode():
                logits = model(torch.tensor([[*prompt, *reply.tokens]])).logits[0]
            logps = logits[len(prompt) - 1 : -1].log_softmax(-1)
            said = torch.tensor(reply.tokens)[:, None]
            told = torch.tensor(reply.logps, dtype=torch.float64)
            differences += (told - logps.gather(-1, said)[:, 0]).abs().tolist()
    return {
        "logps_compared": len(differences),
        "logp_difference_largest": float(f"{max(differences):.1e}"),
        "logp_difference_mean": float(f"{fmean(differences):.1e}"),
    }


if __name__ == "__main__":
    main()
