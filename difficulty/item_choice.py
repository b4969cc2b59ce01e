"""Which item to ask next: the one whose reply is expected to narrow the abilities most.

For a reply Y at a family and level, and an ability T, the expected reduction of T's variance is
cov(T, Y)² / var(Y), for the best linear prediction under the Gaussian posterior.
"""

from dataclasses import replace

import numpy as np

from puzzlemill.difficulty.ability import HATS, LEVELS, LINE, Curves, Floats, rates_at

PROBIT = np.pi / 8  # σ(m / √(1 + PROBIT v)) is the mean of σ under a normal (m, v), nearly


def next_cells(
    curves: Curves, targets: Floats, count: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """The next cells to ask, each a family and a level, one after the other: each choice counts on
    the replies to those before. A target is a row of the families' weights in one ability."""
    cells = []
    for _ in range(count):
        gain = _gain(curves, targets)
        # Equal gains are common among families without a reply: chance decides.
        best = np.flatnonzero(gain >= gain.max() * (1 - 1e-9))
        family, level = divmod(int(rng.choice(best)), len(LEVELS))
        cells.append((family, level))
        curves = _after(curves, family, level)
    return cells


def _gain(curves: Curves, targets: Floats) -> Floats:
    """For each cell, a family times its levels: by how much a reply is expected to reduce the
    targets' variances, on average."""
    shrink = 1 / np.sqrt(1 + PROBIT * curves.variances())
    rates = rates_at(curves.logits() * shrink)
    slopes = rates * (1 - rates) * shrink  # of the expected pass rates, by the logits
    loadings = curves.loadings()
    towards = np.einsum("fl,fle->fe", slopes, loadings) / len(LEVELS)
    by_line = np.zeros((len(targets), len(curves.lines), 2))
    for category in range(len(curves.lines)):
        own = curves.category == category
        by_line[:, category] = targets[:, own] @ towards[own]
    pulled = np.einsum("tce,ceDd->tDd", by_line, curves.line_covariance)[:, curves.category]
    through_lines = np.einsum("tfe,fle->tfl", pulled, loadings)
    knots = (slopes @ HATS) / len(LEVELS)
    itself = np.einsum("fk,fkj,lj->fl", knots, curves.inverse, HATS)
    covariances = (through_lines + targets[:, :, None] * itself) * slopes
    gain: Floats = (covariances**2).mean(0) / (rates * (1 - rates))
    return gain.reshape(-1)


def _after(curves: Curves, family: int, level: int) -> Curves:
    """The posterior after one more reply at a cell, as far as it is known beforehand: narrower."""
    rate = rates_at(curves.logits()[family, level])
    information = rate * (1 - rate)
    hat, line = HATS[level], LINE[level]
    before = _line_information(curves, family)
    precision, cross = curves.precision.copy(), curves.cross.copy()
    precision[family] += information * np.outer(hat, hat)
    cross[family] += information * np.outer(hat, line)
    inverse = curves.inverse.copy()
    inverse[family] = np.linalg.inv(precision[family])
    narrower = replace(curves, precision=precision, cross=cross, inverse=inverse)
    own = np.outer(line, line) * information + before - _line_information(narrower, family)
    size, category = curves.lines.size, int(curves.category[family])
    lines = np.linalg.inv(curves.line_covariance.reshape(size, size))
    place = slice(2 * category, 2 * category + 2)
    lines[place, place] += own
    covariance = np.linalg.inv(lines).reshape(curves.line_covariance.shape)
    return replace(narrower, line_covariance=covariance)


def _line_information(curves: Curves, family: int) -> Floats:
    """What the family's knots take off the information on its category's line."""
    cross = curves.cross[family]
    taken: Floats = cross.T @ curves.inverse[family] @ cross
    return taken
