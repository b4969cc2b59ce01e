"""How much families tell of a policy's level."""

import numpy as np
import pytest

from puzzlemill.difficulty.ability import LEVELS, Floats, rates_at
from puzzlemill.difficulty.discrimination import Responses, fit, most_telling

FLOORS = np.zeros(4)
MIDDLE = np.array([0.5])


def simulated(steep: Floats, floors: Floats, trials: float = 20.0) -> Responses:
    """Twelve policies on families of these discriminations, whose places rise by 2."""
    rng = np.random.default_rng(0)
    abilities = np.linspace(-2, 2, 12)
    gaps = abilities[:, None, None] - 2 * (LEVELS - 0.5)
    rates = floors[:, None] + (1 - floors[:, None]) * rates_at(steep[:, None] * gaps)
    asked = np.full(rates.shape, trials)
    return fit(asked, rng.binomial(int(trials), rates).astype(float), floors)


def test_families_that_tell_more_are_found() -> None:
    fitted = simulated(np.array([0.5, 1.0, 2.0, 3.0]), FLOORS)
    assert list(np.argsort(fitted.discriminations)) == [0, 1, 2, 3]
    assert list(np.argsort(fitted.information(MIDDLE, np.zeros(1))[:, 0])) == [0, 1, 2, 3]
    assert fitted.abilities == pytest.approx(np.sort(fitted.abilities))
    assert fitted.slopes / fitted.abilities.std() == pytest.approx(2 / 1.19, rel=0.4)


def test_what_guessing_solves_tells_less() -> None:
    fitted = simulated(np.full(4, 1.5), np.array([0.0, 0.2, 0.5, 0.8]))
    told = fitted.information(MIDDLE).mean(1)
    assert list(np.argsort(-told)) == [0, 1, 2, 3]


def test_information_is_that_of_the_rates_slope() -> None:
    """Fisher's: the rate's slope squared over its variance, by finite differences."""
    one = Responses(*(np.array([value]) for value in (0.0, 1.7, 0.3, 2.0, 0.25)))

    def rate(ability: float) -> float:
        return 0.25 + 0.75 / (1 + np.exp(-1.7 * (ability - 0.3)))

    slope = (rate(0.8 + 1e-5) - rate(0.8 - 1e-5)) / 2e-5
    expected = slope**2 / (rate(0.8) * (1 - rate(0.8)))
    told = one.information(MIDDLE, np.array([0.8]))[0, 0]
    assert told == pytest.approx(expected)


def test_a_family_without_replies_is_as_the_prior_has_it() -> None:
    trials = np.zeros((3, 2, len(LEVELS)))
    trials[:, 0] = 10
    fitted = fit(trials, trials * np.array([0.1, 0.5, 0.9])[:, None, None], np.zeros(2))
    assert fitted.discriminations[1] == pytest.approx(1.0, abs=1e-3)


def test_each_group_has_its_share_and_a_theme_comes_once() -> None:
    information = np.array([[5.0], [4.0], [3.0], [2.0], [1.0]])
    chosen = most_telling(
        information, ["a", "a", "a", "b", "b"], ["x", "x", "y", "z", "w"], {"a": 2, "b": 1}
    )
    assert chosen == [0, 2, 3]


def test_weak_and_strong_policies_are_both_told_apart() -> None:
    """The second family tells a little less in all, but of those whom the first tells nothing."""
    information = np.array([[9.0, 0.1], [8.0, 0.1], [0.1, 4.0]])
    assert most_telling(information, ["a"] * 3, ["x", "y", "z"], {"a": 2}) == [0, 2]
