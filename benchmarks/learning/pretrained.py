"""RL of a pretrained model on 1, 4 or 16 families: pass rates of families that it never saw.

    python -m benchmarks.learning.smollm2 builds/smollm2
    nice python -m benchmarks.learning.pretrained builds/smollm2 [--seeds 3] [--arms rl-4 rl-16]

The model is an instruction-tuned checkpoint, such as SmolLM2 of 135M weights. The families are
those with the shortest texts, three of a category at most: `held` ones are never learned, `base`
and `sources` are in a short SFT that teaches the form of worked solutions, and RL learns from some
sources. All runs have as many replies. Runs go to pretrained.json beside this file, one by one,
figures to result.json. What is recorded is not done again; SFT goes on where it was killed.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import fmean
from time import process_time
from typing import Any

import torch

from benchmarks.learning import arms, rates, runner
from benchmarks.learning.arms import BEFORE, Arm, Scale
from benchmarks.learning.breadth import drawn
from benchmarks.learning.items import Place, Row, places, row
from benchmarks.learning.run import FOLDER, HERE, RESULT
from benchmarks.learning.runner import MAX_TOKENS, Job
from benchmarks.learning.solutions import WORDINGS, Families, solution
from benchmarks.learning.students import resumed_imitation
from puzzlemill.core import registry
from puzzlemill.core.errors import NoPuzzle
from puzzlemill.core.storage.files import alone_in, read_json, write_json
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.weight_files import digest, version_of
from puzzlemill.trainer.imitation import (
    Example,
    ExampleBatch,
    example_batches,
)

FILE = HERE / "pretrained.json"
DIVISION = HERE / "pretrained_families.json"
PICTURES = "visual"
CHARACTERS = 480  # of a prompt and its worked solution, in the mean
OF_CATEGORY = 3
TRIED = 8
HELD, BASE = 10, 8  # families
TOKENS = 2048  # a step of SFT
RATE, RISE = 3e-4, 10  # AdamW's highest rate in SFT, and the steps until it is reached
EACH = 8  # solutions of each family in a pool, which is then sorted by length
EVERY = 20  # steps between two states
SCALE = Scale(steps=8, prompts=16, group=8, rate=5e-5, items=8, dtype="bfloat16")
SETTING = f"{SCALE.steps}x{SCALE.prompts}x{SCALE.group}@{SCALE.rate:g}"
SEEDS = range(3)  # whose own families are measured before
OWN = "own"  # the first families of a seed's order, which all of its runs learn
PAIRS = {
    "16 over 4": ("rl-16", "rl-4"),
    "4 over 1": ("rl-4", "rl-1"),
    "RL over SFT": ("rl-16", "sft-16"),
}
APART = 10_000  # numbers of items of two seeds
ARMS = (
    Arm("rl-4", 4),
    Arm("rl-16", 16),
    Arm("rl-1", 1),
    Arm("sft-16", 16, imitates=True),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path, help="folder of a checkpoint")
    parser.add_argument("--warm", type=int, default=2000, help="steps of SFT, or 0")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seeds", type=int, choices=range(1, len(SEEDS) + 1), default=len(SEEDS))
    parser.add_argument("--arms", nargs="*", default=[arm.name for arm in ARMS])
    options = parser.parse_args()
    torch.set_num_threads(1)
    with alone_in(FOLDER, "the learning lab"):
        runs: dict[str, Any] = read_json(FILE) if FILE.is_file() else {}
        student = warmed(options.model, options.warm, options.device)
        name = student.name if options.warm else version_of(student)
        asked = [arm for arm in ARMS if arm.name in options.arms]
        wanted = [
            (None, 0),
            *((arm, seed) for seed in range(options.seeds) for arm in asked),
        ]
        for arm, seed in wanted:
            key = f"{name} {SETTING} {arm.name} {seed}" if arm else f"{name} {BEFORE}"
            if key not in runs:
                runs[key] = runner.run(job(key, arm, seed, student, options.device))
                write_json(FILE, runs)
                print(key, runs[key]["seconds"], flush=True)
    figures = {
        "student": name,
        "setting": SETTING,
        **rates.figures(runs, division(), name, SETTING, ARMS, (OWN,)),
        "compared": rates.differences(runs, division(), f"{name} {SETTING}", ARMS, PAIRS, (OWN,)),
    }
    write_json(RESULT, read_json(RESULT) | {"pretrained": figures})
    print(json.dumps(figures, indent=2))


def job(key: str, arm: Arm | None, seed: int, student: Path, device: str = "cpu") -> Job:
    """Items that are learned differ by seed; those that are measured are the same for all runs."""
    families = division()
    learned: list[Row] = []
    if arm is not None:
        wanted = places(drawn(families, arm.families, seed), SCALE.prompted, "train")
        learned = rows_of(replace(each, number=each.number + seed * APART) for each in wanted)
    measured = {
        "held": rows_of(places(families.held, len(families.held) * SCALE.items, "test")),
        "base": rows_of(places(families.base, len(families.base) * SCALE.items, "test")),
    }
    for each in [seed] if arm is not None else SEEDS:
        names = drawn(families, arms.OWN, each)
        measured[f"{OWN} {each}"] = rows_of(places(names, len(names) * SCALE.items, "test"))
    return Job(key, arm, seed, learned, measured, student, SCALE, device, float("inf"))


def rows_of(wanted: Iterable[Place]) -> list[Row]:
    return [made for place in wanted if (made := _row(place)) is not None]


@cache
def _row(place: Place) -> Row | None:
    try:
        return row(place)
    except NoPuzzle:  # some families have few at their easiest level, and none of a split
        return None


def division() -> Families:
    """As the file has it; where there is none, families are chosen and it is written."""
    if not DIVISION.is_file():
        names = chosen()
        mixed = Random("pretrained").sample(names, len(names))
        held, base, sources = mixed[:HELD], mixed[HELD : HELD + BASE], mixed[HELD + BASE :]
        found = {"held": sorted(held), "base": sorted(base), "sources": sorted(sources)}
        write_json(DIVISION, found)
    return Families(**read_json(DIVISION))


def chosen() -> list[str]:
    """Those with the shortest texts, of each category."""
    names = []
    for category in registry.categories():
        lengths = {name: _characters(name) for name in registry.names(category)}
        short = sorted(name for name, each in lengths.items() if each <= CHARACTERS)
        names += sorted(short, key=lengths.__getitem__)[:OF_CATEGORY]
    return sorted(names)


def _characters(name: str) -> float:
    """In the mean; infinitely many where no steps are shown, or pictures."""
    family = registry.family(name)
    if family.steps is None or family.category == PICTURES:
        return float("inf")
    texts = [solution(name, "train", index, WORDINGS) for index in range(TRIED)]
    return sum(len(prompt) + len(reply) for prompt, reply in texts) / TRIED


def warmed(path: Path, steps: int, device: str = "cpu") -> Path:
    """The folder of the model after SFT, which is done now where there is none."""
    if not steps:
        return path
    stem = f"{version_of(path)}-{steps}"
    folder = FOLDER / "students"
    folder.mkdir(parents=True, exist_ok=True)
    found = next(folder.glob(f"{stem}-????????"), None)
    if found is None:
        sampling = Sampling(max_tokens=MAX_TOKENS)
        policy = NativePolicy.load(path, sampling, device=device, dtype="float32")
        state = folder / f"{stem}.state"
        losses, start = list[float](), process_time()
        for step, loss in warm(policy, steps, state):
            losses.append(loss)
            if step % 10 == 0:
                passed, recent = process_time() - start, fmean(losses[-10:])
                print(f"{stem}: step {step}, {passed:.0f} CPU s, loss {recent:.3f}", flush=True)
        checkpoint.save(policy.model, folder / stem, policy.tokens)
        found = (folder / stem).rename(folder / f"{stem}-{digest(folder / stem)}")
        state.unlink(missing_ok=True)
    return found


def warm(policy: NativePolicy, steps: int, state: Path) -> Iterator[tuple[int, float]]:
    """Step and loss of SFT, from the state's step on."""
    model = policy.model
    model.requires_grad_(requires_grad=True)
    model.compute_dtype = torch.bfloat16
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0, fused=True)

    def rate(step: int) -> float:
        """Up in a line, and down in another."""
        return min((step + 1) / RISE, (steps - step) / max(steps - RISE, 1), 1.0)

    batches = islice(_batches(policy.tokens), steps)
    yield from resumed_imitation(model, batches, [optimizer], rate, state, EVERY)


def _batches(tokens: Tokens) -> Iterator[ExampleBatch]:
    families, rng = division(), Random("warm")
    names = [*families.base, *families.sources]
    for number in count():
        indices = range(number * EACH, (number + 1) * EACH)
        pairs = [solution(name, "train", at, WORDINGS) for name in names for at in indices]
        yield from example_batches([example(tokens, *pair) for pair in pairs], TOKENS, rng)


def example(tokens: Tokens, prompt: str, reply: str) -> Example:
    end = min(tokens.ends)
    ids = tokens.ids([{"role": "user", "content": prompt}])
    return Example(tuple(ids), (*tokens.continuation(reply), end))


if __name__ == "__main__":
    main()
