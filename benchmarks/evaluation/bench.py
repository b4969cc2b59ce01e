"""Puzzlemill Bench: its families chosen by what they tell of a model, and its baselines.

    python -m benchmarks.evaluation.bench pool --checkpoints DIR  # policies are asked all families
    python -m benchmarks.evaluation.bench choose [EVALUATION...]  # families go into the recipe
    python -m benchmarks.evaluation.bench baselines --checkpoints DIR

`choose` reads the evaluations in builds/bench/pool, and those that are named: of real models, by
`puzzlemill eval` of any families (docs/benchmark.md). Checkpoints are those of checkpoints.py. All
may be interrupted. Baselines go to the folder bench beside this file, the choice with its figures
to bench.json.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.simulated import guessers, worker
from puzzlemill.core import registry
from puzzlemill.core.storage.files import read_json, write_json, write_text
from puzzlemill.difficulty.ability import Floats
from puzzlemill.difficulty.discrimination import Responses, fit, most_telling
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import judge_in_workers
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.build import build
from puzzlemill.pipelines.evaluation import Evaluation, build_test, evaluate
from puzzlemill.pipelines.evaluation.journal import REPLIES, Journal
from puzzlemill.pipelines.evaluation.run import ask_and_judge, fixed_items
from puzzlemill.pipelines.evaluation.selection import scope_of, tallies

HERE = Path(__file__).parent
WORK = Path("builds/bench")
RECIPE = HERE.parents[1] / "recipes" / "benchmark.toml"
CHOICE, BASELINES = HERE / "bench.json", HERE / "bench"
FAMILIES = 120  # of the bench
LEAST = 2  # families of a category
SLIPS = (0.0003, 0.001, 0.004, 0.015, 0.05)  # of workers, at a word
LEVELS = np.array([0.2, 0.5, 0.8])  # of the bench
ITEMS, KNOWN, SEED = 2000, 200, 20261125  # of all families, and of those that a tiny one knows
UNNAMED = PolicySettings("none")  # where the policy itself is given
RANDOM_CHOICES = 200  # that the choice is compared with
TOKENS = 160  # of a tiny policy's reply

WORKED = "worked-solutions"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("pool", "choose", "baselines"))
    parser.add_argument("evaluations", nargs="*", type=Path)
    parser.add_argument("--checkpoints", type=Path)
    options = parser.parse_args()
    if options.what == "pool":
        ask_pool(WORK / "pool", options.checkpoints)
    elif options.what == "choose":
        choose(
            [
                *sorted(each.parent for each in (WORK / "pool").glob(f"*/{REPLIES}")),
                *options.evaluations,
            ]
        )
    else:
        ask_bench(WORK / "baselines", options.checkpoints)


def ask_pool(home: Path, checkpoints: Path | None) -> None:
    """Let simulated policies answer a fixed test of all families, and tiny ones of what they know.
    The worked solutions are left out: where all is right by construction, nothing is told."""
    test = Evaluation((*registry.categories(),), UNNAMED, items="fixed", most=ITEMS, seed=SEED)
    items = fixed_items(test, SEED)
    for name, policy in [*made_of_families([each.row for each in items])][1:]:
        journal = Journal(home / name)
        if (journal.folder / REPLIES).exists():
            continue
        lines = ask_and_judge(test, items, policy, judge_in_workers)
        journal.folder.mkdir(parents=True)
        journal.add([{"batch": 0, "of": len(lines), **line} for line in lines])
        right = sum(reply["status"] == "correct" for line in lines for reply in line["replies"])
        print(f"{name}: {right} of {len(lines)}", flush=True)
    for name, settings in trained(checkpoints):
        test = Evaluation(("basics",), settings, items="fixed", most=KNOWN, seed=SEED)
        print(f"{name}: {evaluate(test, home / name)['level']}", flush=True)


def ask_bench(home: Path, checkpoints: Path | None) -> None:
    folder = build(RECIPE, WORK)
    simulated = made_of_families(build_test.rows_of(folder))
    given = [(name, UNNAMED, policy) for name, policy in simulated]
    for name, settings, policy in [*given, *((*each, None) for each in trained(checkpoints))]:
        result = evaluate(Evaluation((), settings, build=str(folder)), home / name, policy)
        write_json(BASELINES / f"{name}.json", {**result, "samples": []})
        print(f"{name}: {result['level']}", flush=True)


def trained(checkpoints: Path | None) -> Iterator[tuple[str, PolicySettings]]:
    for folder in sorted(checkpoints.iterdir()) if checkpoints else ():
        yield f"tiny-{folder.name}", PolicySettings("native", str(folder), max_tokens=TOKENS)
    yield "tiny", PolicySettings("tiny", max_tokens=TOKENS)


def made_of_families(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Policy]]:
    yield WORKED, worker(WORKED, 0.0, rows)
    for rate in SLIPS:
        yield f"worker-{rate:g}", worker("worker", rate, rows)
    for guesser in guessers(rows):
        yield guesser.id.replace("/", "-"), guesser


def choose(evaluations: Sequence[Path]) -> None:
    names = registry.names()
    known = [registry.family(name) for name in names]
    trials, successes = responses(evaluations, names)
    floors = np.array([family.guess_rate for family in known])
    categories, themes = [each.category for each in known], [each.theme for each in known]
    counts = shares(categories, themes)

    def best(fitted: Responses) -> list[int]:
        return most_telling(fitted.information(LEVELS), categories, themes, counts)

    fitted = fit(trials, successes, floors)
    chosen = best(fitted)
    write_families([names[place] for place in chosen])
    rng = np.random.default_rng(0)
    at_random = [drawn(categories, themes, counts, rng) for _ in range(RANDOM_CHOICES)]
    halves = [slice(start, None, 2) for start in (0, 1)]
    halved = [fit(trials[half], successes[half], floors) for half in halves]
    told = [
        {
            "chosen_by_the_others": _mean_information(seen, best(other)),
            "at_random": float(np.mean([_mean_information(seen, each) for each in at_random])),
            "chosen_by_themselves": _mean_information(seen, best(seen)),
        }
        for seen, other in (halved, halved[::-1])
    ]
    levels = successes.sum((1, 2)) / trials.sum((1, 2))
    write_json(
        CHOICE,
        {
            "policies": {
                folder.name: {"level": _short(level), "ability": _short(ability)}
                for folder, level, ability in zip(evaluations, levels, fitted.abilities)
            },
            "replies": int(trials.sum()),
            "families": {
                names[place]: {
                    "discrimination": _short(fitted.discriminations[place]),
                    "information": _short(fitted.information(LEVELS)[place].mean()),
                }
                for place in sorted(chosen)
            },
            "information": {key: _short(np.mean([each[key] for each in told])) for key in told[0]},
            "by_category": dict(sorted(counts.items())),
        },
    )
    print(json.dumps(read_json(CHOICE)["information"], indent=2))


def responses(evaluations: Sequence[Path], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Trials and successes of each policy, at each family and level."""
    scope = scope_of(names)
    counts = [tallies(scope, Journal(folder).batches()) for folder in evaluations]
    trials, successes = map(np.stack, zip(*counts, strict=True))
    return trials, successes


def shares(categories: Sequence[str], themes: Sequence[str]) -> dict[str, int]:
    """So many families of each category: by its share of the themes, which a level weighs alike."""
    own = Counter(dict(zip(themes, categories, strict=True)).values())
    least = {name: min(LEAST, count) for name, count in own.items()}
    exact = {name: FAMILIES * count / len(set(themes)) for name, count in own.items()}
    counts = {name: max(least[name], int(share)) for name, share in exact.items()}
    for name in sorted(own, key=lambda name: counts[name] - exact[name]):
        if sum(counts.values()) < FAMILIES:
            counts[name] += 1
    return counts


def drawn(
    categories: Sequence[str],
    themes: Sequence[str],
    counts: Mapping[str, int],
    rng: np.random.Generator,
) -> list[int]:
    """Families by chance, with the same shares."""
    order = rng.permutation(len(categories))
    by_chance = np.asarray(order[:, None] * 1e-9, np.float64)
    return most_telling(by_chance, categories, themes, dict(counts))


def _mean_information(fitted: Responses, chosen: Sequence[int]) -> float:
    """Of a reply to these families."""
    return float(fitted.information(LEVELS)[list(chosen)].mean())


def write_families(names: Sequence[str]) -> None:
    """Into the recipe, in place of those that are there."""
    lines = ["families = ["]
    for name in sorted(names):
        if len(lines[-1]) + len(name) > 90 or lines[-1].endswith("["):
            lines.append("   ")
        lines[-1] += f' "{name}",'
    text = RECIPE.read_text(encoding="utf-8")
    listed = "\n".join([*lines, "]"])
    before = re.compile(r"^families = \[.*?\]", re.MULTILINE | re.DOTALL)
    write_text(RECIPE, before.sub(lambda _: listed, text))


def _short(value: Any) -> float:
    return round(float(value), 4)


if __name__ == "__main__":
    main()
