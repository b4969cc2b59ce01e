"""What intervals cover in pools whose rates are drawn from the model itself.

    python benchmarks/difficulty/calibration.py [--pools 12]

run.py measures coverage on one pool, with 90 items of each family. Here pools of the same shape are
drawn from the model's prior, with the hyperparameters that fit each family of pool.json: what they
show is what one pool shows where the model is true. The figures go to calibration.json.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from pool import KNOWN, POOL
from run import estimated, rates_of

from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.knob_model import (
    LOGITS,
    NUGGET,
    OUTLIERS,
    PRIOR_DRIFT,
    PRIOR_SCALE,
    PRIOR_START,
    KnobModel,
    fit,
)

RESULT = Path(__file__).with_name("calibration.json")
SEEDS = 4  # of the replies to each pool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pools", type=int, default=12)
    pools = parser.parse_args().pools
    items = [item for item in json.loads(POOL.read_text()) if item[0] in KNOWN]
    model = fit((*item[:2], 0.0, item[3], item[2]) for item in items)
    above, below = np.zeros((2, pools, len(KNOWN)))
    families = np.array([item[0] for item in items])
    for number in range(pools):
        drawn = pool_drawn(items, model, np.random.default_rng(number))
        rates = rates_of(drawn)
        for seed in range(SEEDS):
            known, _ = estimated(drawn, np.random.default_rng(1000 + seed))
            high = np.array([each.high for each in known]) < rates
            low = np.array([each.low for each in known]) > rates
            for place, family in enumerate(KNOWN):
                above[number, place] += high[families == family].mean() / SEEDS
                below[number, place] += low[families == family].mean() / SEEDS
    covered = 1 - above - below
    figures = {
        "coverage_90": covered.mean(),
        "coverage_90_family_deviation": covered.std(),
        "coverage_90_least_of_a_family": covered.min(1).mean(),
        "coverage_90_most_of_a_family": covered.max(1).mean(),
        "missed_above": above.mean(),
        "missed_below": below.mean(),
    }
    rounded = {name: round(float(value), 4) for name, value in figures.items()}
    write_json(RESULT, rounded | {"pools": float(pools), "seeds": float(SEEDS)})
    print(RESULT.read_text())


def pool_drawn(items: list[Any], model: KnobModel, source: np.random.Generator) -> list[Any]:
    """As many items of each family and level, with rates from the model and no signal."""
    levels = sorted({item[1] for item in items})
    drawn = [source.choice(len(model.weights[each]), p=model.weights[each]) for each in KNOWN]
    settings = {each: model.hyperparameters[row] for each, row in zip(KNOWN, drawn, strict=True)}
    logits = dict[tuple[str, float], float]()
    for family in KNOWN:
        logit, last = source.normal(PRIOR_START, PRIOR_SCALE), 0.0
        for level in levels:
            gap = level - last
            scale = (settings[family][0] ** 2 * gap + NUGGET**2) ** 0.5
            logit += PRIOR_DRIFT * gap + source.normal(0, scale)
            logits[family, level], last = float(np.clip(logit, LOGITS[0], LOGITS[-1])), level
    pool = []
    for family, level, *_ in items:
        if source.random() < OUTLIERS:
            logit = source.uniform(LOGITS[0], LOGITS[-1])
        else:
            logit = source.normal(logits[family, level], settings[family][1])
        rate = 1 / (1 + np.exp(-np.clip(logit, LOGITS[0], LOGITS[-1])))
        pool.append([family, level, float(rate), 1, 0.0])
    return pool


if __name__ == "__main__":
    main()
