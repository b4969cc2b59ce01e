"""A reader of shown answers, taught by some: how well do others hide which of them is right?"""

from collections.abc import Callable, Sequence

import numpy as np

from puzzlemill.core.proof.giveaways import Sight, beside, fitted

MOST = 8.0  # of a score; a reader of few items is not surer than that

Sets = Sequence[Sequence[int]]  # of places in a sight; the right answer is the first of each
Weights = Callable[[Sight, Sets], list[float]]


def taught_by(lessons: Sequence[tuple[Sight, Sets]]) -> Weights:
    """How often to take each of some sets.

    Sets so weighted show each answer to be right as often as another: the chance that the first
    one is right, by what they look like, is times its weight the same as the least likely one's.
    """
    tables = [_signs(sight, sets) for sight, sets in lessons]
    rows = np.concatenate([table.reshape(-1, table.shape[2]) for table in tables])
    first = [np.arange(table.shape[1]) == 0 for table in tables for _ in table]
    judge = fitted(rows, np.concatenate(first).astype(float))

    def weights(sight: Sight, sets: Sets) -> list[float]:
        table = _signs(sight, sets)
        scores = judge(table.reshape(-1, table.shape[2])).reshape(table.shape[:2])
        scores = np.clip(scores, -MOST, MOST)
        if table.shape[1] == 2:  # a claim, which is shown alone
            return list(np.exp(scores[:, 1]).tolist())
        return list(np.exp(scores.min(axis=1) - scores[:, 0]).tolist())

    return weights


def _signs(sight: Sight, sets: Sets) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """A claim is seen alone, options beside one another."""
    if len(sets[0]) > 2:
        return beside(sight, sets)
    chosen: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = sight.alone[np.array(sets)]
    return chosen
