"""What a training run was asked, and when: which families, how often, at which levels."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from puzzlemill.outputs.charts import shares_over
from puzzlemill.outputs.samples import words

SLICES = 40  # of a run, at most

Prompts: TypeAlias = Counter[tuple[str, float]]  # of each family and level


def asked(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each family's share of the prompts in every slice of the run, the most asked first."""
    told = [_prompts(step) for step in steps]
    count = min(len(told), SLICES)
    cuts = [len(told) * n // count for n in range(count + 1)] if count else []
    slices = [sum(told[a:b], Counter()) for a, b in pairwise(cuts)]
    whole = sum(slices, Counter())
    third = max(count // 3, 1)
    first, last = sum(slices[:third], Counter()), sum(slices[-third:], Counter())
    families = {family for family, _ in whole}
    shares = {family: [_share(each, family) for each in slices] for family in families}
    most = max((share for each in shares.values() for share in each), default=0.0)
    rows = [
        {
            "family": family,
            "share": _share(whole, family),
            "levels": [level for part in (first, last) for level in _mean_level(part, family)],
            "chart": shares_over(shares[family], most, words(family)),
        }
        for family in families
    ]
    return sorted(rows, key=lambda row: (-row["share"], row["family"]))


def _prompts(step: Mapping[str, Any]) -> Prompts:
    found: Prompts = Counter()
    for cell, (prompts, _) in step.get("asked", {}).items():
        family, _, level = cell.rpartition(" ")
        found[family, float(level)] = prompts
    return found


def _share(prompts: Prompts, family: str) -> float:
    own = sum(each for (name, _), each in prompts.items() if name == family)
    return own / max(prompts.total(), 1)


def _mean_level(prompts: Prompts, family: str) -> Iterable[float]:
    """The mean level at which a family was asked, if it was."""
    own = {level: each for (name, level), each in prompts.items() if name == family}
    if own:
        yield sum(level * each for level, each in own.items()) / sum(own.values())
