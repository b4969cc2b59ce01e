"""The mean over replies of the mean over each one's tokens (GRPO)."""

from collections.abc import Sequence

from puzzlemill.trainer.means import Mean


def weights(lengths: Sequence[int], most: int) -> list[float]:
    return [1 / (len(lengths) * max(length, 1)) for length in lengths]


MEAN: Mean = weights
