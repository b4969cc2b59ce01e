"""The figures that the page begins with: flat keys of result.json, with their 95% intervals beside.

python -m benchmarks.learning.summary
"""

import json
from typing import Any

from benchmarks.learning.run import RESULT
from puzzlemill.core.storage.files import read_json, write_json

# Where each figure lies in result.json. Pass rates are of the bundled policy, from 0 to 1.
FIGURES = {
    "heldout_family_gain": ("bundled", "arms", "rl-4", "others", "gain"),
    "learned_family_gain": ("bundled", "arms", "rl-4", "own", "gain"),
    "breadth_gain_4_over_1": ("bundled", "compared", "breadth_gain", "others", "gain"),
    "wrong_gold_loss": ("bundled", "compared", "wrong_gold_loss", "others", "gain"),
    "wrong_gold_loss_learned": ("bundled", "compared", "wrong_gold_loss", "own", "gain"),
    "band_gain": ("bundled", "compared", "band_gain", "others", "gain"),
    "band_gain_levels": ("bundled", "compared", "band_gain", "levels", "gain"),
    "thompson_gain": ("bundled", "compared", "thompson_gain", "others", "gain"),
    "paid_constant_loss": ("bundled", "compared", "paid_constant_loss", "own", "gain"),
    "wording_gain": ("bundled", "arms", "rl-4", "wordings", "gain"),
    "leak_inflation": ("bundled", "inflation", "leaked", "gain"),
    "leak_inflation_sft": ("bundled", "inflation", "sft-leaked", "gain"),
    "beside_reasoning_gym": ("beside_gym", "ours over theirs", "gain"),
    "beside_reasoning_gym_worked": ("beside_gym", "ours, worked over theirs", "gain"),
    "breadth_gain_nats": ("0.5m", "breadth", "64 over 4", "gain"),
    "breadth_gain_nats_8m": ("8m", "breadth", "64 over 4", "gain"),
    "proxy_correlation": ("0.5m", "influence", "alignment", "rank_correlation"),
    "proxy_correlation_8m": ("8m", "influence", "alignment", "rank_correlation"),
    "mixture_gain_nats": ("0.5m", "mixture", "influence", "gain"),
    "mixture_replies_share": ("0.5m", "mixture", "influence", "replies_share"),
}


def main() -> None:
    result = read_json(RESULT)
    flat = summary(result)
    nested = {name: value for name, value in result.items() if isinstance(value, dict)}
    write_json(RESULT, flat | nested)
    print(json.dumps(flat, indent=2))


def summary(result: Any) -> dict[str, float]:
    """Of what has been measured."""
    flat: dict[str, float] = {}
    for name, path in FIGURES.items():
        found = result
        for key in path:
            found = found.get(key, {})
        if found:
            flat[name] = found["value"]
            flat |= {f"{name}_{end}": found[end] for end in ("low", "high")}
    return flat


if __name__ == "__main__":
    main()
