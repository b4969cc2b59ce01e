"""As if every reply had the most tokens that it may have (Dr. GRPO)."""

from collections.abc import Sequence

from puzzlemill.trainer.means import Mean


def weights(lengths: Sequence[int], most: int) -> list[float]:
    return [1 / (len(lengths) * most) for _ in lengths]


MEAN: Mean = weights
