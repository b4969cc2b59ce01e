"""How much each family tells of a policy's level: an item response model of several policies.

    pass rate = floor + (1 - floor) · σ(discrimination · (ability - place))

The floor is what guessing earns, and is known (the family's guess rate). A family has one
discrimination, and its place is a line over the levels. All is estimated together, as the most
likely values under priors that pull families towards one another: few replies to a family say
little of it.

What a reply tells is its Fisher information on the ability. A family that everybody solves, that
nobody solves, or that a guess solves, tells little.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from puzzlemill.difficulty.ability import LEVELS, Floats, rates_at

MIDDLE = 0.5  # of the levels
ABILITIES: Floats = np.linspace(-2, 2, 9)  # at which a test is to tell; policies' are about N(0, 1)
PLACE_SCALE = 2.0  # standard deviations of priors: of a family's place at the middle level
SLOPE_SCALE = 1.0  # of its slope around that of all families
DISCRIMINATION_SCALE = 0.4  # of the logarithm of a family's discrimination
STEPS, RATE = 800, 0.05  # of Adam


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """The parameters, at their most likely values."""

    abilities: Floats  # of each policy
    discriminations: Floats  # of each family
    places: Floats  # of each family at the middle level: the ability that solves half of it
    slopes: Floats  # of its place over the levels
    floors: Floats  # of each family

    def information(self, levels: Floats, abilities: Floats = ABILITIES) -> Floats:
        """What a reply at one of these levels tells, on average: a family a row, an ability a
        column."""
        places = self.places[:, None] + self.slopes[:, None] * (levels - MIDDLE)
        steep, floor = self.discriminations[:, None, None], self.floors[:, None, None]
        solved = rates_at(steep * (abilities - places[:, :, None]))
        rate = floor + (1 - floor) * solved
        told: Floats = (steep**2 * solved**2 * (1 - solved) * (1 - floor) / rate).mean(1)
        return told


def fit(trials: Floats, successes: Floats, floors: Floats) -> Responses:
    """By the replies of policies (axis 0) to families (axis 1) at LEVELS (axis 2)."""
    policies, families, _ = trials.shape
    values = {
        "ability": np.zeros(policies),
        "steepness": np.zeros(families),  # the logarithm of the discrimination
        "place": np.zeros(families),
        "slope": np.zeros(families),
        "shared": np.zeros(1),  # the slope of all families
    }
    asked = trials.sum((1, 2))
    rough = (successes.sum((1, 2)) + 1) / (asked + 2)
    values["ability"] = _standard(np.log(rough / (1 - rough)))
    first = {name: np.zeros_like(value) for name, value in values.items()}
    second = {name: np.zeros_like(value) for name, value in values.items()}
    for step in range(1, STEPS + 1):
        for name, slope in _slopes(values, trials, successes, floors).items():
            first[name] = 0.9 * first[name] + 0.1 * slope
            second[name] = 0.99 * second[name] + 0.01 * slope**2
            size = np.sqrt(second[name] / (1 - 0.99**step)) + 1e-8
            values[name] = values[name] + RATE * first[name] / (1 - 0.9**step) / size
    slopes = values["slope"] + values["shared"]
    steep = np.exp(values["steepness"])
    return Responses(values["ability"], steep, values["place"], slopes, floors)


def _slopes(
    values: dict[str, Floats], trials: Floats, successes: Floats, floors: Floats
) -> dict[str, Floats]:
    """Of the posterior's logarithm."""
    steep = np.exp(values["steepness"])[None, :, None]
    floor = floors[None, :, None]
    along = LEVELS - MIDDLE
    place = values["place"][:, None] + (values["slope"] + values["shared"])[:, None] * along
    gap = values["ability"][:, None, None] - place
    solved = rates_at(steep * gap)
    rate = np.clip(floor + (1 - floor) * solved, 1e-6, 1 - 1e-6)
    by_rate = successes / rate - (trials - successes) / (1 - rate)
    by_logit = by_rate * (1 - floor) * solved * (1 - solved)
    by_gap = by_logit * steep
    return {
        "ability": by_gap.sum((1, 2)) - values["ability"],
        "steepness": (by_logit * steep * gap).sum((0, 2))
        - values["steepness"] / DISCRIMINATION_SCALE**2,
        "place": -by_gap.sum((0, 2)) - values["place"] / PLACE_SCALE**2,
        "slope": -(by_gap * along).sum((0, 2)) - values["slope"] / SLOPE_SCALE**2,
        "shared": -(by_gap * along).sum()[None],
    }


def _standard(values: Floats) -> Floats:
    standard: Floats = (values - values.mean()) / max(values.std(), 1e-9)
    return standard


def most_telling(
    information: Floats, groups: Sequence[str], themes: Sequence[str], counts: dict[str, int]
) -> list[int]:
    """So many families of each group, of different themes: one after the other the one that raises
    the test's information most, by its logarithm, so that weak and strong policies are both told
    apart."""
    chosen: list[int] = []
    total = np.ones(information.shape[1])  # of the prior
    left, used = dict(counts), set[str]()
    while True:
        able = [
            place
            for place, (group, theme) in enumerate(zip(groups, themes, strict=True))
            if left.get(group, 0) > 0 and theme not in used
        ]
        if not able:
            return chosen
        gains = np.log1p(information[able] / total).mean(1)
        best = able[int(np.argmax(gains))]
        chosen.append(best)
        total = total + information[best]
        left[groups[best]] -= 1
        used.add(themes[best])
