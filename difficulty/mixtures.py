"""Mixtures: how much of each of several sources, told by hand, or fitted to pilot runs."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import isfinite
from pathlib import Path

import numpy as np

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import matching
from puzzlemill.core.storage.files import read_json
from puzzlemill.difficulty.knob_model import Floats

RIDGE = 1e-3  # keeps a fit to few pilots from running wild
STARTS, MOVES = 32, 600  # of the search over mixtures


def quotas(weights: Sequence[float], count: int) -> list[int]:
    """A count shared out by weight; the largest remainders get what is left."""
    total = sum(weights)
    if not total:
        return [0] * len(weights)
    exact = [count * weight / total for weight in weights]
    found = [int(each) for each in exact]
    order = sorted(range(len(exact)), key=lambda n: (found[n] - exact[n], n))
    for place in order[: count - sum(found)]:
        found[place] += 1
    return found


def recipe_tables(pilots: Path, count: int) -> str:
    """What to write into a recipe, by a file of pilot runs: the sources, and of each run its
    weights and its score."""
    told = read_json(pilots)
    try:
        sources = [str(source) for source in told["sources"]]
        weights = [[float(part) for part in pilot["weights"]] for pilot in told["pilots"]]
        scores = [float(pilot["score"]) for pilot in told["pilots"]]
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise UserError(
            f'{pilots}: not {{"sources": [names], "pilots": [{{"weights": [numbers], "score":'
            f" number}}, …]}}: {type(error).__name__} {error}"
        ) from None
    if not sources or any(len(each) != len(sources) for each in weights):
        raise UserError(f"{pilots}: each pilot needs {len(sources)} weights, one for each source")
    if not all(map(isfinite, (*scores, *(part for each in weights for part in each)))):
        raise UserError(f"{pilots}: weights and scores are finite numbers")
    families = {source: matching(source, str(pilots)) for source in sources}
    best, promise = fitted(weights, scores)
    lines = [f"# Promises a score of {promise:g}; the best pilot had {max(scores):g}."]
    for source, share, items in zip(sources, best, quotas(best, count), strict=True):
        if items:
            each = max(1, round(items / len(families[source])))
            lines += ["[[make]]", f'families = ["{source}"]', f"count = {each}  # {share:.1%}", ""]
    return "\n".join(lines)


def fitted(
    mixtures: Sequence[Sequence[float]], scores: Sequence[float]
) -> tuple[list[float], float]:
    """The mixture that promises most, and what it promises, by pilot runs of other mixtures.

    A quadratic in the weights is fitted to the pilots' scores (MoDoMoDo), and its highest point
    sought among all mixtures.
    """
    weights = np.array(mixtures, np.float64)
    if weights.ndim != 2 or len(weights) != len(scores) or len(weights) < 2:
        raise UserError(
            "mixtures are fitted to two pilots or more, each with its weights and score"
        )
    if (weights < 0).any() or (weights.sum(1) <= 0).any():
        raise UserError("a pilot's weights are 0 or more, and not all 0")
    weights /= weights.sum(1, keepdims=True)
    parts, told = _parts(weights), np.array(scores, np.float64)
    middle = told.mean()
    square = parts.T @ parts + RIDGE * np.eye(parts.shape[1])
    factors = np.linalg.solve(square, parts.T @ (told - middle))
    best, promise = max(
        (_climbed(start, factors) for start in _starts(weights)), key=lambda found: found[1]
    )
    return best.round(4).tolist(), round(float(promise + middle), 4)


def _parts(weights: Floats) -> Floats:
    """The weights and all products of two of them."""
    pairs = combinations_with_replacement(range(weights.shape[1]), 2)
    return np.stack(
        [*weights.T, *(weights[:, one] * weights[:, two] for one, two in pairs)], axis=1
    )


def _starts(pilots: Floats) -> Floats:
    drawn = np.random.default_rng(0).dirichlet(np.ones(pilots.shape[1]), STARTS)
    return np.concatenate([pilots, drawn, np.eye(pilots.shape[1])])


def _climbed(start: Floats, factors: Floats) -> tuple[Floats, float]:
    """Uphill from a mixture, by moving weight from one source to another."""
    count = len(start)
    moves = np.eye(count)[:, None] - np.eye(count)[None]
    moves = moves.reshape(-1, count)
    here, size = start, 0.25
    height = float(_parts(here[None])[0] @ factors)
    for _ in range(MOVES):
        tried = here + size * moves
        tried = tried[(tried >= -1e-12).all(1)]
        heights = _parts(tried) @ factors
        if len(tried) and heights.max() > height + 1e-12:
            here, height = tried[heights.argmax()], float(heights.max())
        else:
            size /= 2
            if size < 1e-4:
                break
    return here, height
