"""Allocation of the rollout budget: which items get the next replies.

A round looks at all items together. It estimates for each what a few more replies are likely to
change, samples where that is most, and stops when the rule of `[score] until` holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from puzzlemill.difficulty.knob_model import (
    RATES,
    WIDE_PRIOR,
    Covariates,
    Floats,
    KnobModel,
    LevelPrior,
    Observation,
    cell,
    fit,
)
from puzzlemill.difficulty.posterior import MASS, inside, quantiles
from puzzlemill.difficulty.settings import Score

Ints: TypeAlias = NDArray[np.int64]
Tally: TypeAlias = tuple[int, int]  # trials, successes

BATCHES = (1, 2, 4, 8)  # replies to an item that a round may ask for
SHARE = 0.1  # of the items that get replies in a round, at most
LEAST_GAIN = 1e-5  # in accuracy; below it no reply is worth its cost
SHARED_GAIN = 1.5  # how fast replies to some items of a level settle its logit for the others


def allocate(
    covariates: Sequence[Covariates],
    tallies: Sequence[Tally],
    settings: Score,
    band: tuple[float, float],
    prior: LevelPrior = WIDE_PRIOR,
) -> list[int]:
    """How many replies each item gets in the next round; all 0: the rule holds, sampling stops."""
    if not tallies:
        return []
    trials = np.array([trials for trials, _ in tallies], np.int64)
    if not trials.any():
        return [settings.first] * len(tallies)
    if settings.until == "hardness":
        return [
            dars_replies(*tally, settings.most) if tally[0] == settings.first else 0
            for tally in tallies
        ]
    estimates = estimate(covariates, tallies, prior)
    match settings.until:
        case "verdict":
            more = _by_verdict_error(estimates, trials, settings, band)
        case "precision":
            low = quantiles(estimates.densities, (1 - MASS) / 2)
            high = quantiles(estimates.densities, (1 + MASS) / 2)
            more = np.where(high - low > settings.width, 2, 0)[estimates.index]
        case "budget":
            more = _by_variance(estimates, trials, settings)
        case never:
            assert_never(never)
    replies: list[int] = np.minimum(more, settings.most - trials).tolist()
    return replies


@dataclass(frozen=True)
class Estimates:
    """The fitted model, and the posterior of each item under it."""

    model: KnobModel
    observations: list[Observation]  # without repeats: equal ones have equal posteriors
    index: Ints  # of each item's observation in that list
    densities: Floats  # of each observation, over the grid of rates


def estimate(
    covariates: Sequence[Covariates], tallies: Sequence[Tally], prior: LevelPrior = WIDE_PRIOR
) -> Estimates:
    observations = [(*each, *tally) for each, tally in zip(covariates, tallies, strict=True)]
    model, distinct = fit(observations, prior=prior), list(dict.fromkeys(observations))
    numbers = {observation: number for number, observation in enumerate(distinct)}
    index = np.array([numbers[observation] for observation in observations], np.int64)
    return Estimates(model, distinct, index, model.posterior(distinct))


def _by_verdict_error(
    estimates: Estimates, trials: Ints, settings: Score, band: tuple[float, float]
) -> Ints:
    """Sample where a wrong verdict is likeliest to be put right, until the expected share of wrong
    ones is small enough. A reply informs its own item, and through the level all others of it."""
    teaches, index = inside(band), estimates.index
    error = _verdict_error(estimates.densities, teaches)
    if error[index].mean() <= settings.error:
        return np.zeros(len(index), np.int64)
    # An item's own gain for each reply: one reply seldom turns a verdict, so larger batches are
    # compared as well.
    own = np.stack(
        [(error - _expected_error(estimates.densities, n, teaches)) / n for n in BATCHES]
    )
    batch = np.array(BATCHES)[own.argmax(0)][index]
    gain = own.max(0)[index]
    irreducible = estimates.model.irreducible_error(estimates.observations, teaches)
    reducible = np.maximum(error - irreducible, 0)[index]
    shared = SHARED_GAIN * _level_means(estimates, reducible) / (1 + trials)
    batch = np.where(shared > gain, 1, batch)
    gain = np.where(trials < settings.most, gain + shared, 0.0)
    chosen = _largest(gain, int(SHARE * len(index)) + 1)
    more: Ints = np.where(chosen, batch, 0)
    return more


def _level_means(estimates: Estimates, values: Floats) -> Floats:
    """Each item's mean over its level."""
    cells = dict.fromkeys(cell(*each[:2]) for each in estimates.observations)
    numbers = {each: number for number, each in enumerate(cells)}
    distinct = np.array([numbers[cell(*each[:2])] for each in estimates.observations])
    own = distinct[estimates.index]
    means: Floats = (np.bincount(own, values) / np.bincount(own))[own]
    return means


def _verdict_error(densities: Floats, teaches: NDArray[np.bool_]) -> Floats:
    """The probability that the likelier side of the band is the wrong one."""
    error: Floats = np.minimum(densities[:, teaches].sum(1), densities[:, ~teaches].sum(1))
    return error


def _expected_error(densities: Floats, replies: int, teaches: NDArray[np.bool_]) -> Floats:
    """The verdict's error after some more replies, averaged over how they may come out."""
    total = np.zeros(len(densities))
    for right in range(replies + 1):
        probability = comb(replies, right) * RATES**right * (1 - RATES) ** (replies - right)
        # Not normalised: the sum of the product is the outcome's probability, its weight here.
        total += _verdict_error(densities * probability, teaches)
    return total


def _by_variance(estimates: Estimates, trials: Ints, settings: Score) -> Ints:
    """One more reply where it lowers the posterior variance most, while the budget lasts."""
    mean = estimates.densities @ RATES
    variance = estimates.densities @ RATES**2 - mean**2
    # The mean moves by the variance / mean after a right reply, and / (1 - mean) after a wrong one.
    gain = (variance**2 / np.maximum(mean * (1 - mean), 1e-9))[estimates.index]
    left = int(settings.budget * len(trials)) - int(trials.sum())
    count = min(left, int(SHARE * len(trials)) + 1)
    return np.where(_largest(np.where(trials < settings.most, gain, 0.0), count, 0.0), 1, 0)


def _largest(gains: Floats, count: int, least: float = LEAST_GAIN) -> NDArray[np.bool_]:
    """Which items have the largest gains; of equal ones the first."""
    chosen = np.zeros(len(gains), np.bool_)
    if count > 0:
        # Rounded: a machine's last digits must not decide between items.
        chosen[np.argsort(-gains.round(9), kind="stable")[:count]] = True
    return chosen & (gains > least)


def dars_replies(trials: int, successes: float, most: int, hard: bool = False) -> int:
    """DARS: how many more replies give a hard item the weight of others; or, with `hard`, up to
    twice that, the more the harder it is."""
    if 2 * successes >= trials:
        return 0
    rate = successes / trials if successes else 0.5 / trials
    weight = 2 * rate * (1 - rate)
    aim = 0.5 * trials * (2 * (1 - rate) if hard else 1)
    more = -(-(aim - trials * weight) // weight)
    return max(min(int(more), most - trials), 0)


def probes(tallies: Sequence[Tally], settings: Score) -> list[int]:
    """The probe at the end: `settings.probe` replies to each item that was never solved."""
    return [settings.probe if trials and not right else 0 for trials, right in tallies]
