"""A policy's ability: the pass rates of all families at all levels, from a few replies.

A hierarchical item response model:

    logit of the pass rate = category's intercept and slope + family's curve over the levels

A family's curve is piecewise linear between KNOTS; its prior lets it shift, tilt and bend. Families
borrow from their category, and categories from one another, so that a family without a reply has an
estimate, too, with a wide interval. The posterior is sampled: Gibbs sampling with Pólya-Gamma
variables (Polson, Scott and Windle 2013). Laplace's approximation is biased here, where most
families have a reply or two.

An ability is the mean pass rate over the levels and over families: what a test with equally many
items at each level measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]

STEPS = 10
LEVELS: Floats = np.linspace(0, 1, STEPS + 1)  # at which items are asked
KNOTS: Floats = np.linspace(0, 1, 5)
HATS: Floats = np.maximum(0, 1 - np.abs(LEVELS[:, None] - KNOTS) * (len(KNOTS) - 1))
LINE: Floats = np.stack([np.ones_like(LEVELS), LEVELS - 0.5], axis=1)  # intercept and slope
# Outer products at each level, flat.
HAT_PAIRS: Floats = (HATS[:, :, None] * HATS[:, None]).reshape(len(LEVELS), -1)
HAT_LINES: Floats = (HATS[:, :, None] * LINE[:, None]).reshape(len(LEVELS), -1)
LINE_PAIRS: Floats = (LINE[:, :, None] * LINE[:, None]).reshape(len(LEVELS), -1)
PRIOR_LINE: Floats = np.array([-0.5, -4.0])  # what intercept and slope are before any reply
SHARED_SCALE = 3.0  # standard deviation of what all categories share
# Standard deviations, drawn along: of categories' lines; of families' intercepts and slopes.
CATEGORY_SCALES = (0.3, 0.7, 1.5, 3.0)
FAMILY_SCALES = tuple(product((0.3, 0.7, 1.3, 2.2, 4.0), (0.5, 1.5, 3.0, 6.0)))
BEND_SCALE = 0.7  # of a family's knots around its line
DRAWS = 450  # from the posterior, after a third as many to warm up
GAMMA_TERMS = 48  # of the infinite sum that a Pólya-Gamma variable is


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """A Gaussian posterior: given its category's line u, a family's knots are distributed around
    `knots - inverse @ cross @ (u - lines)` with the covariance `inverse`."""

    category: Whole  # of each family
    lines: Floats  # of each category: (C, 2)
    line_covariance: Floats  # (C, 2, C, 2)
    knots: Floats  # of each family: (F, K)
    precision: Floats  # (F, K, K)
    inverse: Floats  # (F, K, K)
    cross: Floats  # (F, K, 2)

    def logits(self) -> Floats:
        """The mean: a family a row, a level a column."""
        return _logits(self.lines[self.category], self.knots)

    def loadings(self) -> Floats:
        """How the logits depend on their category's line, the families' knots following it."""
        follows: Floats = LINE - np.einsum("lk,fkj,fje->fle", HATS, self.inverse, self.cross)
        return follows

    def variances(self) -> Floats:
        """Of the logits."""
        loadings, categories = self.loadings(), np.arange(len(self.lines))
        within = self.line_covariance[categories, :, categories][self.category]
        shared = np.einsum("fld,fde,fle->fl", loadings, within, loadings)
        own: Floats = shared + np.einsum("lk,fkj,lj->fl", HATS, self.inverse, HATS)
        return own


@dataclass(frozen=True, slots=True, eq=False)
class Ability:
    rates: Floats  # pass rates drawn from the posterior: (draws, families, levels)
    curves: Curves  # the Gaussian beside it, by which items are chosen

    def of(self, weights: Floats) -> Floats:
        """Draws of the ability on a mixture of the families."""
        drawn: Floats = self.rates.mean(2) @ weights
        return drawn


def fit(
    categories: Sequence[str], trials: Floats, successes: Floats, draws: int = DRAWS, seed: int = 0
) -> Ability:
    """The posterior by the replies to each family, a row, at each of LEVELS, a column."""
    names = {name: number for number, name in enumerate(dict.fromkeys(categories))}
    category = np.array([names[each] for each in categories], np.int64)
    rng = np.random.default_rng(seed)
    # The families without a reply are drawn from their prior: in the chain they would slow it down.
    asked = np.flatnonzero(trials.any(1))
    rest = np.flatnonzero(~trials.any(1))
    centred = successes - trials / 2
    evidence = _Evidence(category[asked], len(names), trials[asked], centred[asked])
    chain = _Chain.begun(evidence)
    rates, warm_up = np.empty((draws, *trials.shape), np.float32), draws // 3
    information = np.zeros_like(trials)
    for number in range(warm_up + draws):
        auxiliary = polya_gamma(evidence.trials, chain.logits(evidence), rng)
        chain.step(evidence, auxiliary, rng)
        if number >= warm_up:
            drawn = rates[number - warm_up]
            drawn[asked] = rates_at(chain.logits(evidence))
            knots = rng.standard_normal((len(rest), len(KNOTS))) @ chain.root().T
            drawn[rest] = rates_at(_logits(chain.lines[category[rest]], knots))
            information[asked] += auxiliary / draws
    everything = _Evidence(category, len(names), trials, centred)
    return Ability(rates.astype(np.float64), chain.gaussian(everything, information))


@dataclass(frozen=True, slots=True, eq=False)
class _Evidence:
    category: Whole
    categories: int
    trials: Floats
    centred: Floats  # successes less half of the trials


@dataclass(slots=True, eq=False)
class _Chain:
    """The state of the sampler."""

    lines: Floats
    knots: Floats
    category_scale: float = CATEGORY_SCALES[1]
    family_scale: tuple[float, float] = FAMILY_SCALES[9]

    @classmethod
    def begun(cls, evidence: _Evidence) -> "_Chain":
        knots = np.zeros((len(evidence.category), len(KNOTS)))
        return cls(np.tile(PRIOR_LINE, (evidence.categories, 1)), knots)

    def logits(self, evidence: _Evidence) -> Floats:
        return _logits(self.lines[evidence.category], self.knots)

    def root(self) -> Floats:
        """Of the covariance of a family's knots."""
        return _root(_knot_covariance(self.family_scale))

    def step(self, evidence: _Evidence, auxiliary: Floats, rng: np.random.Generator) -> None:
        """One round of Gibbs sampling: lines and knots together, then the scales."""
        given = self.gaussian(evidence, auxiliary)
        size = given.lines.size
        root = _root(given.line_covariance.reshape(size, size))
        moved = (root @ rng.standard_normal(size)).reshape(given.lines.shape)
        self.lines = given.lines + moved
        roots = _root(given.inverse)
        noise = np.einsum("fkj,fj->fk", roots, rng.standard_normal(given.knots.shape))
        pulled = np.einsum("fje,fe->fj", given.cross, moved[evidence.category])
        self.knots = given.knots - np.einsum("fkj,fj->fk", given.inverse, pulled) + noise
        self.family_scale = FAMILY_SCALES[_drawn(_family_likelihoods(self.knots), rng)]
        self.category_scale = CATEGORY_SCALES[_drawn(_category_likelihoods(self.lines), rng)]

    def gaussian(self, evidence: _Evidence, information: Floats) -> Curves:
        """The posterior of lines and knots given the auxiliary variables and the scales."""
        precision = (information @ HAT_PAIRS).reshape(-1, len(KNOTS), len(KNOTS))
        precision += _inverse(_knot_covariance(self.family_scale))
        inverse = _inverse(precision)
        cross = (information @ HAT_LINES).reshape(-1, len(KNOTS), 2)
        follows = inverse @ cross
        own = (information @ LINE_PAIRS).reshape(-1, 2, 2) - cross.swapaxes(1, 2) @ follows
        towards_knots = evidence.centred @ HATS
        pull = evidence.centred @ LINE - np.einsum("fke,fk->fe", follows, towards_knots)
        count = evidence.categories
        prior = _inverse(_line_covariance(count, self.category_scale))
        line_precision = prior.copy()
        for number, block in enumerate(_by_category(own, evidence.category, count)):
            place = slice(2 * number, 2 * number + 2)
            line_precision[place, place] += block
        covariance = _inverse(line_precision)
        pulled = _by_category(pull, evidence.category, count).reshape(-1)
        pulled += prior @ np.tile(PRIOR_LINE, count)
        lines = (covariance @ pulled).reshape(count, 2)
        towards_knots -= np.einsum("fke,fe->fk", cross, lines[evidence.category])
        knots = np.einsum("fkj,fj->fk", inverse, towards_knots)
        blocks = covariance.reshape(count, 2, count, 2)
        return Curves(evidence.category, lines, blocks, knots, precision, inverse, cross)


def polya_gamma(shapes: Floats, logits: Floats, rng: np.random.Generator) -> Floats:
    """Draws from PG(shape, logit), 0 where the shape is 0: the sum of gamma variables, of which the
    smaller ones are replaced by their mean."""
    some = shapes > 0
    shape, squared = shapes[some][:, None], (logits[some][:, None] / (2 * np.pi)) ** 2
    places = (np.arange(1, GAMMA_TERMS + 1) - 0.5) ** 2
    terms = rng.standard_gamma(np.broadcast_to(shape, (len(shape), GAMMA_TERMS)))
    drawn = (terms / (places + squared)).sum(1)
    rest = shape[:, 0] * (_whole_sum(squared[:, 0]) - (1 / (places + squared)).sum(1))
    values = np.zeros_like(shapes)
    values[some] = (drawn + rest) / (2 * np.pi**2)
    return values


def _whole_sum(squared: Floats) -> Floats:
    """The sum of 1 / ((k - ½)² + c²) over all k from 1, by its closed form."""
    root = np.sqrt(np.maximum(squared, 1e-12))
    total: Floats = np.pi * np.tanh(np.pi * root) / (2 * root)
    return total


def _drawn(log_likelihoods: Floats, rng: np.random.Generator) -> int:
    weights = np.exp(log_likelihoods - log_likelihoods.max())
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def _family_likelihoods(knots: Floats) -> Floats:
    """Of the scales in FAMILY_SCALES, log-likelihoods but for a constant."""
    inverses, sizes = _family_scale_table()
    values: Floats = -0.5 * (len(knots) * sizes + np.tensordot(inverses, knots.T @ knots, 2))
    return values


def _category_likelihoods(lines: Floats) -> Floats:
    inverses, sizes = _category_scale_table(len(lines))
    moved = (lines - PRIOR_LINE).reshape(-1)
    values: Floats = -0.5 * (sizes + moved @ inverses @ moved)
    return values


@cache
def _family_scale_table() -> tuple[Floats, Floats]:
    covariances = np.stack([_knot_covariance(scales) for scales in FAMILY_SCALES])
    return _inverse(covariances), _log_size(covariances)


@cache
def _category_scale_table(categories: int) -> tuple[Floats, Floats]:
    covariances = np.stack([_line_covariance(categories, scale) for scale in CATEGORY_SCALES])
    return _inverse(covariances), _log_size(covariances)


def _inverse(matrices: Floats) -> Floats:
    inverse: Floats = np.asarray(np.linalg.inv(matrices), np.float64)
    return inverse


def _root(matrices: Floats) -> Floats:
    root: Floats = np.linalg.cholesky(matrices).astype(np.float64)
    return root


def _log_size(matrices: Floats) -> Floats:
    size: Floats = np.linalg.slogdet(matrices)[1].astype(np.float64)
    return size


def _line_covariance(categories: int, scale: float) -> Floats:
    """Of the categories' intercepts and slopes: they have much in common."""
    between = np.full((categories, categories), SHARED_SCALE**2) + scale**2 * np.eye(categories)
    return np.asarray(np.kron(between, np.eye(2)), np.float64)


def _knot_covariance(scales: tuple[float, float]) -> Floats:
    shift, tilt = scales
    tilts = KNOTS - 0.5
    line = shift**2 + tilt**2 * np.outer(tilts, tilts)
    covariance: Floats = line + BEND_SCALE**2 * np.eye(len(KNOTS))
    return covariance


def _logits(lines: Floats, knots: Floats) -> Floats:
    values: Floats = lines @ LINE.T + knots @ HATS.T
    return values


def rates_at(logits: Floats) -> Floats:
    rates: Floats = 0.5 * (1 + np.tanh(logits / 2))
    return rates


def _by_category(values: Floats, category: Whole, count: int) -> Floats:
    """The sums of the families' values over each category."""
    sums = np.zeros((count, *values.shape[1:]))
    np.add.at(sums, category, values)
    return sums
