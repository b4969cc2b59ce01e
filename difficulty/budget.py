"""Whom to ask next: replies go where they settle most.

A round looks at all items together. It works out for each what a few more replies are likely to
change, asks where that is most, and stops when what was asked for holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from puzzlemill.difficulty.knob_model import (
    RATES,
    UNTOLD,
    Course,
    Floats,
    KnobModel,
    Place,
    Replies,
    cell,
    fit,
)
from puzzlemill.difficulty.posterior import MASS, bounds, inside
from puzzlemill.difficulty.settings import Score

Ints: TypeAlias = NDArray[np.int64]
Tally: TypeAlias = tuple[int, int]  # trials, successes

SOME = (1, 2, 4, 8)  # replies that may be asked for at once
SHARE = 0.1  # of the items that are asked in a round, at most
LEAST = 1e-5  # a gain in accuracy that is worth no reply
LEARNING = 1.5  # how fast replies to some items of a level tell what its logit is


def wanted(
    places: Sequence[Place],
    tallies: Sequence[Tally],
    settings: Score,
    band: tuple[float, float],
    course: Course = UNTOLD,
) -> list[int]:
    """How many replies to ask of each item in the next round; none of any: all is settled."""
    if not tallies:
        return []
    trials = np.array([trials for trials, _ in tallies], np.int64)
    if not trials.any():
        return [settings.first] * len(tallies)
    if settings.until == "hardness":
        return [
            extra(*tally, settings.most) if tally[0] == settings.first else 0 for tally in tallies
        ]
    view = seen(places, tallies, course)
    match settings.until:
        case "verdict":
            more = _undecided(view, trials, settings, band)
        case "precision":
            wide = bounds(view.told, (1 + MASS) / 2) - bounds(view.told, (1 - MASS) / 2)
            more = np.where(wide > settings.width, 2, 0)[view.kinds]
        case "budget":
            more = _uncertain(view, trials, settings)
        case never:
            assert_never(never)
    asked: list[int] = np.minimum(more, settings.most - trials).tolist()
    return asked


@dataclass(frozen=True)
class View:
    """What all replies together tell of each item."""

    model: KnobModel
    scores: list[Replies]  # that differ
    kinds: Ints  # which of them an item's is
    told: Floats  # the distribution of each over the grid of rates


def seen(places: Sequence[Place], tallies: Sequence[Tally], course: Course = UNTOLD) -> View:
    scores = [(*place, *tally) for place, tally in zip(places, tallies, strict=True)]
    model, differing = fit(scores, course=course), list(dict.fromkeys(scores))
    numbers = {score: number for number, score in enumerate(differing)}
    kinds = np.array([numbers[score] for score in scores], np.int64)
    return View(model, differing, kinds, model.believed(differing))


def _undecided(view: View, trials: Ints, settings: Score, band: tuple[float, float]) -> Ints:
    """Ask where a wrong verdict is likeliest to be put right, until few enough are wrong.

    A reply tells of its own item, and of all items of its level.
    """
    teaches, kinds = inside(band), view.kinds
    error = _error(view.told, teaches)
    if error[kinds].mean() <= settings.error:
        return np.zeros(len(kinds), np.int64)
    own = np.stack([(error - _after(view.told, some, teaches)) / some for some in SOME])
    some = np.array(SOME)[own.argmax(0)][kinds]
    gain = own.max(0)[kinds]
    others = np.maximum(error - view.model.error_at_best(view.scores, teaches), 0)[kinds]
    shared = LEARNING * _by_level(view, others) / (1 + trials)
    some = np.where(shared > gain, 1, some)
    gain = np.where(trials < settings.most, gain + shared, 0.0)
    chosen = _foremost(gain, int(SHARE * len(kinds)) + 1)
    more: Ints = np.where(chosen, some, 0)
    return more


def _by_level(view: View, values: Floats) -> Floats:
    """Each item's mean over its level."""
    cells = dict.fromkeys(cell(*score[:2]) for score in view.scores)
    numbers = {each: number for number, each in enumerate(cells)}
    of = np.array([numbers[cell(*score[:2])] for score in view.scores])[view.kinds]
    found: Floats = (np.bincount(of, values) / np.bincount(of))[of]
    return found


def _error(told: Floats, teaches: NDArray[np.bool_]) -> Floats:
    """The chance that the likelier side is the wrong one."""
    found: Floats = np.minimum(told[:, teaches].sum(1), told[:, ~teaches].sum(1))
    return found


def _after(told: Floats, some: int, teaches: NDArray[np.bool_]) -> Floats:
    """The error to be expected when so many more replies have come."""
    total = np.zeros(len(told))
    for right in range(some + 1):
        chance = comb(some, right) * RATES**right * (1 - RATES) ** (some - right)
        total += _error(told * chance, teaches)
    return total


def _uncertain(view: View, trials: Ints, settings: Score) -> Ints:
    """Ask where one more reply takes most from the variance, while there is a budget."""
    mean = view.told @ RATES
    variance = view.told @ RATES**2 - mean**2
    # The mean moves by the variance / mean after a right reply, and / (1 - mean) after a wrong one.
    gain = (variance**2 / np.maximum(mean * (1 - mean), 1e-9))[view.kinds]
    left = int(settings.budget * len(trials)) - int(trials.sum())
    count = min(left, int(SHARE * len(trials)) + 1)
    return np.where(_foremost(np.where(trials < settings.most, gain, 0.0), count, 0.0), 1, 0)


def _foremost(gains: Floats, count: int, least: float = LEAST) -> NDArray[np.bool_]:
    """So many with the largest gain; the first of those that are equal."""
    chosen = np.zeros(len(gains), np.bool_)
    if count > 0:
        chosen[np.argsort(-gains.round(9), kind="stable")[:count]] = True
    return chosen & (gains > least)


def extra(trials: int, successes: float, most: int, hard: bool = False) -> int:
    """DARS: how many more replies let a hard item weigh as much as others; or, if it is to weigh
    the more the harder it is, up to twice as much."""
    if 2 * successes >= trials:
        return 0
    rate = successes / trials if successes else 0.5 / trials
    weight = 2 * rate * (1 - rate)
    aim = 0.5 * trials * (2 * (1 - rate) if hard else 1)
    more = -(-(aim - trials * weight) // weight)
    return max(min(int(more), most - trials), 0)


def never_solved(tallies: Sequence[Tally], settings: Score) -> list[int]:
    """The larger probe: so many more replies to every item that was never solved."""
    return [settings.probe if trials and not right else 0 for trials, right in tallies]
