"""Targeting: the levels of a family at which new items are likeliest to be solved sometimes."""

from puzzlemill.difficulty.knob_model import KnobModel, distinct_levels
from puzzlemill.difficulty.posterior import inside

LEVELS = 4  # of each family, at most
LEAST = 0.35  # a chance of landing in the band for which a family is worth asking
GOOD = 0.97  # of the best level's chance, that makes a level as good


def levels_in_band(model: KnobModel, family: str, low: float, high: float) -> tuple[float, ...]:
    """Levels at which an item is likeliest to land in the band; none where it hardly ever would."""
    levels, best = likeliest_levels(model, family, low, high)
    return () if best < min(LEAST, high - low) else levels


def likeliest_levels(
    model: KnobModel, family: str, low: float, high: float
) -> tuple[tuple[float, ...], float]:
    """Levels at which an item is likeliest to land in the band, and the best one's chance."""
    teaches = inside((low, high))
    levels = distinct_levels(family)
    predicted = model.posterior([(family, level, 0.0, 0, 0) for level in levels])
    chances = dict(zip(levels, predicted[:, teaches].sum(1).tolist(), strict=True))
    best = max(chances.values())
    good = [level for level, chance in chances.items() if chance >= GOOD * best]
    spread = [good[round(step * (len(good) - 1) / (LEVELS - 1))] for step in range(LEVELS)]
    return tuple(dict.fromkeys(spread)), best
