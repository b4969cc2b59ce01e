"""A grid hidden Markov model of pass rates: one chain of level logits for each family.

    hidden state     the logit of a level's pass rate; a random walk along the levels (the
                     transition), around a prior mean: an earlier policy's logits, slope x the
                     level's mean signal, or, with slope 0, a falling line
    emission         an item's logit: its level's, plus slope x signal (a covariate) above that of
                     its level, plus scatter, with a few outliers
    observation      the item's correct replies: binomial at its own rate

Everything lives on a grid of logits, so forward–backward is exact, nothing is sampled, and credible
intervals are read off the grid. The hyperparameters (scale of the walk, scale of the scatter, slope
of the signal) are averaged over, not chosen: each family's weights over a small table of them come
from its own evidence times a prior that all families share, which is fitted by empirical Bayes. So
an uninformative signal gets slope 0 and has no effect.

An item with few replies borrows from its level, the levels beside it and its family, and never from
the pool as a whole, which would throw away the hard items of an easy pool. The posterior is not
biased by when sampling stopped; successes over trials is.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import registry

Floats: TypeAlias = NDArray[np.float64]
# An item's family, level and signal; the signal as a z-score of its family (`z_scores`).
Covariates: TypeAlias = tuple[str, float, float]
Observation: TypeAlias = tuple[str, float, float, int, int]  # covariates, trials and successes
# Scale of the walk, scale of the scatter, slope of the signal.
Hyperparameters: TypeAlias = tuple[float, float, float]

STEP = 0.25
LOGITS: Floats = np.arange(-8, 8 + STEP / 2, STEP)
RATES: Floats = 1 / (1 + np.exp(-LOGITS))
PRIOR_START, PRIOR_DRIFT = 1.0, -5.0  # mean logit at level 0, and its change up to level 1
PRIOR_SCALE = 3.0  # standard deviation around that
EARLIER_SCALE = 1.0  # standard deviation around an earlier policy's logits
NUGGET = 0.1  # standard deviation between two levels, however near
WALK_SCALES = (0.7, 2.0, 5.0, 9.0)  # standard deviations from level 0 to level 1
SCATTER_SCALES = (0.5, 1.0, 1.6, 2.8)  # standard deviations of items around their level
SIGNAL_SLOPES = (0.0, 0.5, 1.0, 1.5)  # logits for each standard deviation of the signal
OUTLIERS = 0.05  # share of items that are unlike their level
LEVEL_STEPS = 100  # a level is rounded to one of these
EM_ROUNDS = 12  # for the families' shared weights
LARGEST_SIGNAL = 3.0  # standard deviations from the level's mean; signals are clipped there
POOLED = 4  # items that the families' common standard deviation counts as, beside a family's own
NEGLIGIBLE = 1e-4  # a weight below this is left out of the average


@dataclass(frozen=True, eq=False)
class LevelPrior:
    """The mean and scale of a level's logit before any reply: around an earlier policy's logits for
    the families that it was scored on, around a falling line for others."""

    means: Mapping[str, tuple[list[float], list[float]]] = field(default_factory=dict)

    def mean(self, family: str, level: float, by_signal: float | None = None) -> float:
        """`by_signal` is slope x the level's mean signal, which tells more than the level does."""
        if family in self.means:
            return float(np.interp(level, *self.means[family]))
        if by_signal is None:
            return PRIOR_START + PRIOR_DRIFT * level
        middle = PRIOR_START + PRIOR_DRIFT / 2
        return float(np.clip(middle + by_signal, LOGITS[0] + 1, LOGITS[-1] - 1))

    def scale(self, family: str) -> float:
        return EARLIER_SCALE if family in self.means else PRIOR_SCALE


WIDE_PRIOR = LevelPrior()


@dataclass(frozen=True)
class KnobModel:
    hyperparameters: tuple[Hyperparameters, ...]
    # Of each level's logit, a row for each of the hyperparameters; and each family's weights of
    # those rows.
    level_posteriors: dict[tuple[str, float], Floats]
    weights: dict[str, Floats]
    level_signals: dict[tuple[str, float], float]  # the mean of each level's items

    def predictive(self, family: str, level: float) -> Floats:
        """The distribution over RATES of a new item, at a level of the fit."""
        signal = self.level_signals[cell(family, level)]
        density: Floats = self.posterior([(family, level, signal, 0, 0)])[0]
        return density

    def prior(self) -> LevelPrior:
        """The posterior means of the levels' logits, as the prior for a later policy."""
        means: dict[str, tuple[list[float], list[float]]] = {}
        for (family, level), posteriors in sorted(self.level_posteriors.items()):
            levels, logits = means.setdefault(family, ([], []))
            levels.append(level)
            logits.append(float(self.weights[family] @ posteriors @ LOGITS))
        return LevelPrior(means)

    def posterior(self, observations: Sequence[Observation]) -> Floats:
        """The distributions over RATES of items that are among those of the fit."""
        item_likelihood = likelihood([each[3:] for each in observations])
        density = np.zeros_like(item_likelihood)
        for weighted_cavity, emission in self._cavities(observations, item_likelihood):
            density += emission.to_items(weighted_cavity) * item_likelihood
        density /= density.sum(1, keepdims=True)
        return density

    def predicted(self, observations: Sequence[Observation]) -> Floats:
        """The same without each item's own replies: by its signal and by other items alone."""
        density = np.zeros((len(observations), len(RATES)))
        item_likelihood = likelihood([each[3:] for each in observations])
        for weighted_cavity, emission in self._cavities(observations, item_likelihood):
            density += emission.to_items(weighted_cavity)
        density /= density.sum(1, keepdims=True)
        return density

    def irreducible_error(
        self, observations: Sequence[Observation], teaches: NDArray[np.bool_]
    ) -> Floats:
        """The probability that the likelier side of a band is the wrong one if every level's logit
        were known: no reply to another item of the level can lower it further."""
        item_likelihood = likelihood([each[3:] for each in observations])
        wrong, evidence = np.zeros(len(item_likelihood)), np.zeros(len(item_likelihood))
        for weighted_cavity, emission in self._cavities(observations, item_likelihood):
            inner = weighted_cavity * emission.to_levels(item_likelihood * teaches)
            outer = weighted_cavity * emission.to_levels(item_likelihood * ~teaches)
            wrong += np.minimum(inner, outer).sum(1)
            evidence += (inner + outer).sum(1)
        error: Floats = wrong / evidence
        return error

    def _cavities(
        self, observations: Sequence[Observation], item_likelihood: Floats
    ) -> Iterator[tuple[Floats, "Emission"]]:
        """For each of the hyperparameters: the weighted leave-one-out posterior of the level's
        logit, an item a row, and the emission of the items."""
        signals = [each[2] - self.level_signals[cell(*each[:2])] for each in observations]
        families = {each[0] for each in observations}
        for row, (_, scatter, slope) in enumerate(self.hyperparameters):
            if max(self.weights[family][row] for family in families) < NEGLIGIBLE:
                continue
            emission = Emission.of(signals, scatter, slope)
            levels = np.stack(
                [self.level_posteriors[cell(*each[:2])][row] for each in observations]
            )
            # The level's posterior holds the item's own replies: they are divided out here, because
            # the caller multiplies them in again.
            cavity = levels / emission.to_levels(item_likelihood)
            weight = np.array([self.weights[each[0]][row] for each in observations])
            yield weight[:, None] * cavity, emission


@dataclass(frozen=True, slots=True, eq=False)
class Emission:
    """How items' logits are distributed around their levels': shifted by the signal, scattered."""

    shifts: NDArray[np.int64]  # of each item, in steps of the grid
    scatter: float

    @classmethod
    def of(cls, signals: Sequence[float], scatter: float, slope: float) -> "Emission":
        return cls((np.array(signals) * slope / STEP).round().astype(np.int64), scatter)

    def to_items(self, level_densities: Floats) -> Floats:
        """From densities of the levels' logits, an item a row, to those of the items' logits."""
        return self._by_shift(level_densities, lambda rows, emission: rows @ emission)

    def to_levels(self, item_likelihoods: Floats) -> Floats:
        """From likelihoods of the items' logits to those of their levels' logits."""
        return self._by_shift(item_likelihoods, lambda rows, emission: rows @ emission.T)

    def _by_shift(self, rows: Floats, multiply: Callable[[Floats, Floats], Floats]) -> Floats:
        # One matrix for all items with the same shift: signals are rounded to the grid, so there
        # are few.
        products = np.empty_like(rows)
        for shift in np.unique(self.shifts).tolist():
            own = self.shifts == shift
            products[own] = multiply(rows[own], _emission_matrix(self.scatter, shift))
        return products


def z_scores(levels: Sequence[tuple[str, float]], values: Sequence[float | None]) -> list[float]:
    """Signals from raw values: centred within each family, divided by the standard deviation within
    its levels, rounded to the grid; the level's mean where there is no value. Differences from the
    level's mean are clipped."""
    raw = np.array([np.nan if value is None else value for value in values], np.float64)
    families, cells = [family for family, _ in levels], [cell(*level) for level in levels]
    valued = ~np.isnan(raw)
    family_means, level_means = _group_means(families, raw), _group_means(cells, raw)
    level_means = np.where(_group_sums(cells, valued) > 0, level_means, family_means)
    deviations = np.where(valued, raw - level_means, 0.0)
    pooled = POOLED * float((deviations**2).sum()) / max(int(valued.sum()), 1)
    variances = _group_sums(families, deviations**2) + pooled
    scale = np.sqrt(variances / (_group_sums(families, valued) + POOLED))
    if not pooled:
        return [0.0] * len(raw)
    own = (deviations / scale).clip(-LARGEST_SIGNAL, LARGEST_SIGNAL)
    between = (level_means - family_means) / scale
    scores: list[float] = (((between / STEP).round() + (own / STEP).round()) * STEP).tolist()
    return scores


def _group_means(groups: Sequence[Hashable], values: Floats) -> Floats:
    """For each value the mean of its group, without NaN."""
    count = _group_sums(groups, ~np.isnan(values))
    means: Floats = _group_sums(groups, values) / np.maximum(count, 1)
    return means


def _group_sums(groups: Sequence[Hashable], values: NDArray[Any]) -> Floats:
    """For each value the sum of its group, without NaN."""
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    group_of = np.array([numbers[group] for group in groups], np.int64)
    weights: Floats = np.nan_to_num(values.astype(np.float64))
    sums: Floats = np.bincount(group_of, weights=weights)[group_of].astype(np.float64)
    return sums


def cell(family: str, level: float) -> tuple[str, float]:
    """The family, and the middle of the levels that set its knobs as this one does."""
    return family, _cell_levels(family)[round(level * LEVEL_STEPS)]


def distinct_levels(family: str) -> list[float]:
    """One level for each setting of the family's knobs."""
    return list(dict.fromkeys(_cell_levels(family)))


@cache
def _cell_levels(family: str) -> tuple[float, ...]:
    """For every step of the level, the middle of the steps with the same knobs."""
    levels = [step / LEVEL_STEPS for step in range(LEVEL_STEPS + 1)]
    if family not in registry.names():  # from a package that is not installed here
        return tuple(levels)
    knobs_at = registry.family(family).at
    groups = [list(group) for _, group in groupby(levels, key=knobs_at)]
    return tuple(group[len(group) // 2] for group in groups for _ in group)


def fit(
    observations: Iterable[Observation],
    also: Iterable[tuple[str, float]] = (),
    prior: LevelPrior = WIDE_PRIOR,
) -> KnobModel:
    """The model of some observations; it has their levels, and further ones named in `also`."""
    counted = sorted(Counter((*cell(*each[:2]), *each[2:]) for each in observations).items())
    has_signal = any(observation[2] for observation, _ in counted)
    slopes = SIGNAL_SLOPES if has_signal else SIGNAL_SLOPES[:1]
    hyperparameters = tuple(product(WALK_SCALES, SCATTER_SCALES, slopes))
    cells = sorted({(*each[:2],) for each, _ in counted} | {cell(*each) for each in also})
    rows = {each: row for row, each in enumerate(cells)}
    # The walk's scale does not enter an emission: so many fewer likelihoods to work out.
    emissions = sorted({each[1:] for each in hyperparameters})
    level_signals = _level_signals(cells, counted)
    log_likelihood = _log_likelihood(rows, counted, level_signals, emissions)
    families = sorted({family for family, _ in cells})
    posteriors = {each: np.empty((len(hyperparameters), len(LOGITS))) for each in cells}
    log_evidence = np.empty((len(families), len(hyperparameters)))
    for number, family in enumerate(families):
        own = [each for each in cells if each[0] == family]
        chains = {
            slope: [
                (each[1], prior.mean(*each, slope * level_signals[each] if slope else None))
                for each in own
            ]
            for slope in slopes
        }
        for column, (walk, scatter, slope) in enumerate(hyperparameters):
            chain = chains[slope]
            initial = normal([chain[0][1]], prior.scale(family))[0]
            log_emitted = log_likelihood[scatter, slope][[rows[each] for each in own]]
            log_evidence[number, column], marginals = _forward_backward(
                chain, initial, log_emitted, walk
            )
            for each, marginal in zip(own, marginals, strict=True):
                posteriors[each][column] = marginal
    weights = dict(zip(families, _mixture_weights(log_evidence), strict=True))
    return KnobModel(hyperparameters, posteriors, weights, level_signals)


def _level_signals(
    cells: Sequence[tuple[str, float]], counted: Sequence[tuple[Observation, int]]
) -> dict[tuple[str, float], float]:
    """The mean signal of each level's items; of a level without any, between those beside it."""
    sums = dict.fromkeys(cells, (0.0, 0))
    for observation, times in counted:
        total, items = sums[observation[:2]]
        sums[observation[:2]] = total + times * observation[2], items + times
    found = dict[tuple[str, float], float]()
    for family, level in cells:
        known = [
            (other, total / items)
            for (name, other), (total, items) in sums.items()
            if name == family and items
        ]
        others, means = [other for other, _ in known], [mean for _, mean in known]
        mean = float(np.interp(level, others, means)) if known else 0.0
        found[family, level] = round(mean / STEP) * STEP  # of few values, so that shifts are few
    return found


def likelihood(counts: Iterable[tuple[int, int]]) -> Floats:
    """The binomial likelihood of (trials, successes) at every rate of the grid, an item a row."""
    trials, successes = np.array(list(counts), np.float64).reshape(-1, 2).T[:, :, None]
    values: Floats = np.exp(successes * np.log(RATES) + (trials - successes) * np.log1p(-RATES))
    return values


def _log_likelihood(
    rows: dict[tuple[str, float], int],
    counted: Sequence[tuple[Observation, int]],
    level_signals: Mapping[tuple[str, float], float],
    emissions: Sequence[tuple[float, ...]],
) -> dict[tuple[float, ...], Floats]:
    """For each scatter and slope: the log-likelihood of every cell's logit, by all its items."""
    item_likelihood = likelihood(observation[3:] for observation, _ in counted)
    cells = [rows[observation[:2]] for observation, _ in counted]
    signals = [observation[2] - level_signals[observation[:2]] for observation, _ in counted]
    times = np.array([count for _, count in counted], np.float64)[:, None]
    tables = dict[tuple[float, ...], Floats]()
    for scatter, slope in emissions:
        table = np.zeros((len(rows), len(LOGITS)))
        level_likelihood = Emission.of(signals, scatter, slope).to_levels(item_likelihood)
        np.add.at(table, cells, times * np.log(level_likelihood))
        tables[scatter, slope] = table
    return tables


def _forward_backward(
    chain: Sequence[tuple[float, float]], initial: Floats, log_likelihoods: Floats, walk: float
) -> tuple[float, list[Floats]]:
    """The log evidence of a family's chain of levels, each with its prior mean, and the posterior
    marginal of each level's logit."""
    # Likelihoods are scaled to a largest value of 1, and messages to a sum of 1: products of many
    # would underflow. The scales are the evidence.
    log_evidence = float(log_likelihoods.max(1).sum())
    likelihoods = np.exp(log_likelihoods - log_likelihoods.max(1, keepdims=True))
    message, last_level, last_mean = initial, 0.0, chain[0][1]
    forwards, transitions = list[Floats](), list[Floats]()
    for (level, mean), emitted in zip(chain, likelihoods, strict=True):
        # Rounded, so that the cache of matrices is hit.
        gap, drift = round(level - last_level, 9), round(mean - last_mean, 2)
        transitions.append(_transition_matrix(gap, drift, walk))
        message = (message @ transitions[-1]) * emitted
        log_evidence += float(np.log(message.sum()))
        message = message / message.sum()
        forwards.append(message)
        last_level, last_mean = level, mean
    backward, marginals = np.ones(len(LOGITS)), list[Floats]()
    for forward, transition, emitted in zip(
        forwards[::-1], transitions[::-1], likelihoods[::-1], strict=True
    ):
        both = forward * backward
        marginals.append(both / both.sum())
        backward = transition @ (emitted * backward)
        backward = backward / backward.sum()
    return log_evidence, marginals[::-1]


def _mixture_weights(log_evidence: Floats) -> Floats:
    """Each family's posterior weights of the hyperparameters. Their prior is shared by all families
    and fitted by EM, with one pseudo-family of equal weights so that none becomes 0."""
    evidence = np.exp(log_evidence - log_evidence.max(1, keepdims=True))
    count = evidence.shape[1]
    shared = np.full(count, 1 / count)
    for _ in range(EM_ROUNDS):
        weights: Floats = evidence * shared
        weights /= weights.sum(1, keepdims=True)
        shared = (weights.sum(0) + 1 / count) / (len(weights) + 1)
    return weights


def normal(means: Iterable[float], scale: float) -> Floats:
    """Normal densities on the grid, a row for each mean."""
    # Half a step of the grid at least: a narrower one would fall between two of its points.
    distance = (LOGITS[None] - np.array(list(means))[:, None]) / max(scale, 0.13)
    density: Floats = np.exp(-0.5 * distance**2) + 1e-300
    density /= density.sum(1, keepdims=True)
    return density


@cache
def _emission_matrix(scatter: float, shift: int) -> Floats:
    """Densities of an item's logit, a row for every logit of its level."""
    means = LOGITS + shift * STEP
    matrix: Floats = (1 - OUTLIERS) * normal(means, scatter) + OUTLIERS / len(LOGITS)
    return matrix


@cache
def _transition_matrix(gap: float, drift: float, walk: float) -> Floats:
    """Densities of the next level's logit, a row for every logit of the level before."""
    return normal(LOGITS + drift, (walk**2 * gap + NUGGET**2) ** 0.5)
