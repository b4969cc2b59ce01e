"""Beside Reasoning Gym: the same student and steps on its items, or on ours of the same kinds.

    python benchmarks/learning/gym_items.py builds/learning/gym.json   # with reasoning-gym
    nice python -m benchmarks.learning.beside_gym [--seeds 3]

The kinds that both suites have are divided by chance. A student of 0.6M weights is warmed on
answers of some, in both suites' words. From others it learns answers: from Reasoning Gym's items,
from ours, or our worked solutions, with as many steps of as many tokens. It is measured on held-out
items of both suites, and on kinds that no arm learns and no warming saw. A gain is over the warm
student: in nats a token of the answer, and in the share of answers whose every token is the
likeliest. Runs go to beside_gym.json, one by one, figures to result.json.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from benchmarks.generation import LEVEL
from benchmarks.learning.records import Floats, Records, mean_interval, rounded
from benchmarks.learning.run import FOLDER, HERE, RESULT
from benchmarks.learning.solutions import is_short
from benchmarks.learning.students import SIZES, shape
from puzzlemill.core import registry
from puzzlemill.core.item import address_of, draft, worked
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.transformer import Transformer, fresh
from puzzlemill.trainer.imitation import (
    ExampleBatch,
    example_batches,
    imitate,
    optimizers_for,
    padded,
    scale_rates,
)
from puzzlemill.trainer.tiny import Pair, encoded, give_a_head_start, rate_share
from puzzlemill.trainer.tiny_tokens import TinyTokens, build_tokens

ENDING = "\n\nAnswer with the answer, between <answer> and </answer>."  # theirs tells no form
GYM = "reasoning-gym/"
VOCABULARY = 2048
WARM_STEPS, STEPS = 1000, 150
TOKENS = 2048  # a step
RATE = 1e-3  # AdamW
POOL = 4  # items of each source in a pool, which is then sorted by length
MEASURED = 16  # items of each source
THIRD, WARM = 16, 14  # kinds that are measured only, and that warm the student
ARMS = ("theirs", "ours", "ours, worked")
SETS = ("theirs", "ours", "third, theirs", "third, ours")


@dataclass(frozen=True, slots=True)
class Source:
    """A family of ours, or a dataset of theirs."""

    name: str
    level: float = 1.0  # the highest, of ours
    worked: bool = False  # solutions, not answers alone

    def pairs(self, split: str, first: int, many: int) -> list[Pair]:
        if self.name.startswith(GYM):
            own = gym()[self.name][split]
            found = [own[at % len(own)] for at in range(first, first + many)]
            return [(question + ENDING, _answer(answer)) for question, answer in found]
        return [_item(self, split, at) for at in range(first, first + many)]


@dataclass(frozen=True, slots=True)
class Division:
    theirs: list[Source]
    ours: list[Source]
    third_theirs: list[Source]
    third_ours: list[Source]
    warm: list[Source]

    def sources(self, arm: str) -> list[Source]:
        if arm == "ours, worked":
            return [Source(each.name, each.level, worked=True) for each in self.ours]
        return self.theirs if arm == "theirs" else self.ours


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    torch.set_num_threads(1)
    division = divided()
    records = Records.read(HERE / "beside_gym.json")
    name, model, tokens = warmed(division, FOLDER / "beside_gym")
    held = [
        padded(encoded(tokens, source.pairs("test", 0, MEASURED))) for source in measured(division)
    ]
    records.of(f"{name} before", lambda: scores(model, held))
    for seed in range(seeds):
        for arm in ARMS:

            def after(arm: str = arm, seed: int = seed) -> list[float]:
                stream = islice(batches(tokens, division.sources(arm), f"{arm} {seed}"), STEPS)
                learned = deepcopy(model)
                optimizer = torch.optim.AdamW(learned.parameters(), lr=RATE, weight_decay=0.0)
                for _ in imitate(learned, stream, [optimizer]):
                    pass
                return scores(learned, held)

            records.of(f"{name} {STEPS}@{RATE} {seed} {arm}", after)
    before = read_json(RESULT) if RESULT.is_file() else {}
    told = figures(name, division, records)
    write_json(RESULT, before | {"beside_gym": told})
    print(json.dumps(told, indent=2))


@cache
def gym() -> Mapping[str, Mapping[str, list[Pair]]]:
    found = read_json(FOLDER / "gym.json")
    return {f"{GYM}{name}": splits for name, splits in found.items()}


def divided() -> Division:
    """By chance, each kind whole."""
    kinds = Random("beside gym").sample(found := shared_kinds(), len(found))
    third, warm, learned = kinds[:THIRD], kinds[THIRD : THIRD + WARM], kinds[THIRD + WARM :]
    return Division(
        *_sources(learned), *_sources(third), [each for part in _sources(warm) for each in part]
    )


def shared_kinds() -> list[tuple[list[str], list[str]]]:
    """Datasets of theirs and families of ours that are of one kind, where all texts are short."""
    kinds: list[tuple[list[str], list[str]]] = []
    for name in registry.names():
        peers = {peer for peer in registry.family(name).peers if peer in gym()}
        if not peers or not is_short(name):
            continue
        alike = [each for each in kinds if peers & {*each[0]}]
        kinds = [each for each in kinds if each not in alike]
        theirs = sorted(peers.union(*(each[0] for each in alike)))
        kinds.append((theirs, sorted([name, *(own for each in alike for own in each[1])])))
    return sorted(kinds)


def _sources(kinds: Sequence[tuple[list[str], list[str]]]) -> tuple[list[Source], list[Source]]:
    theirs = [Source(name) for datasets, _ in kinds for name in datasets]
    return theirs, [Source(name, LEVEL.get(name, 0.5)) for _, names in kinds for name in names]


def _answer(text: str) -> str:
    return f"<answer>{text}</answer>"


def _item(source: Source, split: str, index: int) -> Pair:
    rng = Random(f"beside gym {source.name} {split} {index}")
    family, level = registry.family(source.name), source.level * rng.random()
    address = address_of(family, family.at(level), split=split, seed=rng.getrandbits(60))
    item = draft(family, address, level)
    gold = family.answer.write(family.solve(item.puzzle))
    return item.prompt, worked(family, item.puzzle, gold) if source.worked else _answer(gold)


def warmed(division: Division, folder: Path) -> tuple[str, Transformer, TinyTokens]:
    """The one that is in the folder, or else one that is warmed now."""
    prompts = [
        prompt
        for source in [*division.warm, *division.theirs, *division.ours]
        for prompt, _ in source.pairs("train", 0, POOL)
    ]
    tokens = build_tokens(prompts, VOCABULARY)
    path = folder / f"student-{WARM_STEPS}"
    if path.is_dir():
        return path.name, checkpoint.load(path)[0], tokens
    model = fresh(shape(SIZES["0.5m"], tokens), seed=0)
    give_a_head_start(model)
    optimizers = optimizers_for(model)
    stream = islice(batches(tokens, division.warm, "warm"), WARM_STEPS)
    scale_rates(optimizers, rate_share(0.0))
    for step, loss in enumerate(imitate(model, stream, optimizers), start=1):
        scale_rates(optimizers, rate_share(step / WARM_STEPS))
        if step % 100 == 0:
            print(f"step {step}: loss {loss:.3f}", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    checkpoint.save(model, path, tokens)
    return path.name, model, tokens


def batches(tokens: TinyTokens, sources: Sequence[Source], purpose: str) -> Iterator[ExampleBatch]:
    """Of all sources alike; a purpose has its own items of ours and an order of its own."""
    rng = Random(f"batches {purpose}")
    first = rng.randrange(10**6)
    for pool in count():
        start = first + pool * POOL
        pairs = [pair for source in sources for pair in source.pairs("train", start, POOL)]
        short = [each for each in encoded(tokens, pairs) if each.length <= TOKENS // 2]
        yield from example_batches(short, TOKENS, rng)


def measured(division: Division) -> list[Source]:
    return [
        *division.theirs, *division.ours, *division.third_theirs, *division.third_ours
    ]  # fmt: skip


@torch.no_grad()
def scores(model: Transformer, held: Sequence[ExampleBatch]) -> list[float]:
    """Of each source: the mean log-likelihood a token, and then the shares that are whole."""
    found = [_score(model, batch) for batch in held]
    return [likelihood for likelihood, _ in found] + [whole for _, whole in found]


def _score(model: Transformer, batch: ExampleBatch) -> tuple[float, float]:
    next_BT, mask_BT = batch.tokens_BT[:, 1:], batch.mask_BT[:, 1:]
    logp_BTV = model.logits(model(batch.tokens_BT[:, :-1])).log_softmax(-1)
    logp_BT = logp_BTV.gather(-1, next_BT[..., None])[..., 0]
    right_BT = (logp_BTV.argmax(-1) == next_BT) | ~mask_BT
    return logp_BT[mask_BT].mean().item(), right_BT.all(1).float().mean().item()


def figures(name: str, division: Division, records: Records) -> dict[str, Any]:
    """Gains over the warm student by arm and set, and those of ours over theirs on third ones."""
    places = _places(division)
    total = len(measured(division))
    before = np.array(records.runs[f"{name} before"])
    gains = {arm: runs - before for arm in ARMS if (runs := _runs(records, name, arm)).size}
    told: dict[str, Any] = {
        "datasets": len(division.theirs),
        "families": len(division.ours),
        "seeds": min((len(runs) for runs in gains.values()), default=0),
        "before": _by_set(before[None], places, total),
        "gain": {arm: _by_set(runs, places, total) for arm, runs in gains.items()},
    }
    if {"ours", "theirs"} <= gains.keys():
        third = places["third, theirs"] + places["third, ours"]
        for arm in ("ours", "ours, worked"):
            if arm in gains:
                apart = (gains[arm] - gains["theirs"])[:, third]
                told[f"{arm} over theirs"] = {
                    "gain": mean_interval(apart.mean(axis=0)),
                    "by_seed": [rounded(each) for each in apart.mean(axis=1)],
                }
    return told


def _runs(records: Records, name: str, arm: str) -> Floats:
    keys = [key for key in sorted(records.runs) if key.startswith(f"{name} {STEPS}@{RATE} ")]
    return np.array([records.runs[key] for key in keys if key.split(" ", 3)[3] == arm])


def _places(division: Division) -> dict[str, list[int]]:
    places, start = {}, 0
    each = (division.theirs, division.ours, division.third_theirs, division.third_ours)
    for name, sources in zip(SETS, each, strict=True):
        places[name] = [*range(start, start + len(sources))]
        start += len(sources)
    return places


def _by_set(runs_SN: Floats, places: Mapping[str, list[int]], total: int) -> dict[str, Any]:
    return {
        name: {
            "nats": mean_interval(runs_SN[:, at].mean(axis=0)),
            "whole": mean_interval(runs_SN[:, [total + each for each in at]].mean(axis=0)),
        }
        for name, at in places.items()
    }


if __name__ == "__main__":
    main()
