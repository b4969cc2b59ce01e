"""Whether the audit finds a planted set: items that reinforcement learning trained on (RL-MIA).

    python benchmarks/difficulty/contamination.py [--seeds 3]

For each seed the bundled policy is trained on the kept items of one build, many times over. Then
`puzzlemill contamination` compares them with the kept items of a build of the same recipe and
another seed, which nobody trained on: both are chosen by the same pass rates. `before` is the
policy before training, for which both sets are alike. An AUC is that of all pairs of a member and
another item of one seed; its interval is over all seeds' items.

The figures go to contamination.json beside this file.
"""

import argparse
import json
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from puzzlemill import pipelines
from puzzlemill._training import train_from
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.contamination_audit import auc_error
from puzzlemill.pipelines.contamination import NORMAL, contamination
from puzzlemill.pipelines.recipe import read_recipe, recipe_of
from puzzlemill.pipelines.rescore import checkpoint_policy

RESULT = Path(__file__).with_name("contamination.json")
RECIPE = """
name = "{name}"
seed = {seed}

[[make]]
families = ["sums", "reversal", "sorting"]
count = {count}
levels = [0.5, 0.7]

[policy]
kind = "tiny"
max_tokens = 100

[score]
first = 4
most = 8
rounds = 3

[train]
steps = 200
prompts = 8
group = 8
heldout = 2
learning_rate = 1e-3
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    records = [planted(seed) for seed in range(1, seeds + 1)]
    figures = {name: figure(records, name) for name in records[0]["scores"]}
    members, others = (sum(each[name] for each in records) for name in ("items", "others"))
    write_json(RESULT, {"seeds": seeds, "planted": members, "others": others, "auc": figures})
    print(json.dumps(figures, indent=2))


def planted(seed: int) -> dict[str, Any]:
    """The audit's record of one trained policy."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        recipes = {}
        for build, number, count in (("planted", seed, 12), ("others", 1000 + seed, 24)):
            recipes[build] = folder / f"{build}.toml"
            text = RECIPE.format(name=build, seed=number, count=count)
            recipes[build].write_text(text)
        others = pipelines.build(read_recipe(recipes["others"]), folder)
        checkpoint = train_from(recipes["planted"], folder)
        trained = folder / "planted"
        policy = checkpoint_policy(trained, checkpoint)
        assert policy
        return contamination(trained, policy, recipe_of(trained).policy, others)


def figure(records: list[dict[str, Any]], name: str) -> dict[str, float]:
    """The mean AUC after and before training, each with the ends of its 95% interval."""
    found: dict[str, float] = {}
    for when, scores in (
        ("after", [each["scores"][name] for each in records]),
        ("before", [each["before"]["scores"][name] for each in records]),
    ):
        mean = fmean(each["auc"] for each in scores)
        errors = [
            auc_error(each["auc"], record["items"], record["others"])
            for each, record in zip(scores, records, strict=True)
        ]
        away = NORMAL * sum(error**2 for error in errors) ** 0.5 / len(errors)
        found |= {when: mean, f"{when}_low": mean - away, f"{when}_high": min(mean + away, 1.0)}
    return {key: round(value, 3) for key, value in found.items()}


if __name__ == "__main__":
    main()
