"""Pass rate as a function of family and level: what all replies tell of every item, asked or not.

Along the levels of a family the logit of the pass rate drifts downwards as a random walk does; the
items of one level scatter around it; and an item's replies are right at its own rate. All of it is
held on a grid of logits, so that nothing is drawn and every interval is exact. How wide the walk
and the scatter are is weighed by how well each pair of widths foretells the replies, and families
agree on those weights in part.

So an item that was hardly asked is judged by its level, its neighbours and its family, never by the
pool alone, which throws away the hard items of an easy pool. And why one stopped asking makes no
difference: a posterior is not biased by that, as a share of successes is.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import registry

Floats: TypeAlias = NDArray[np.float64]
# Family, level, trials, successes.
Replies: TypeAlias = tuple[str, float, int, int]

LOGITS: Floats = np.arange(-8, 8.01, 0.25)
RATES: Floats = 1 / (1 + np.exp(-LOGITS))
FIRST = (1.0, 3.0)  # mean and width of the logit at level 0
DRIFT = -5.0  # of the logit, from level 0 to level 1
ROUGH = 0.1  # what even two levels side by side may differ by
WALKS = (2.0, 5.0, 9.0)  # widths of the walk, from level 0 to level 1
SCATTERS = (0.5, 1.0, 1.6, 2.8)  # widths of the items around their level
STRAY = 0.05  # of the items are like no other
WIDTHS = tuple(product(WALKS, SCATTERS))
STEPS = 100  # of the level; what lies between two is taken for the nearer
AGREEING = 12  # rounds in which the families agree


@dataclass(frozen=True)
class KnobModel:
    # What is known of a level's logit under each pair of widths, and the family's weights of those.
    known: dict[tuple[str, float], Floats]
    weights: dict[str, Floats]

    def expected(self, family: str, level: float) -> Floats:
        """The distribution over RATES of an item that was not asked, at a level of the fit."""
        found: Floats = self.believed([(family, level, 0, 0)])[0]
        return found

    def believed(self, scores: Sequence[Replies]) -> Floats:
        """The distribution over RATES of items that are among those of the fit."""
        seen = likelihood([score[2:] for score in scores])
        found = np.zeros_like(seen)
        for weighed, around in self._levels(scores, seen):
            found += (weighed @ around) * seen
        found /= found.sum(1, keepdims=True)
        return found

    def error_at_best(self, scores: Sequence[Replies], teaches: NDArray[np.bool_]) -> Floats:
        """The chance that the likelier side of a band is the wrong one, if the logits of all levels
        were known: what asking the others of its level can bring an item."""
        seen = likelihood([score[2:] for score in scores])
        wrong, all_of_it = np.zeros(len(seen)), np.zeros(len(seen))
        for weighed, around in self._levels(scores, seen):
            inner = weighed * ((seen * teaches) @ around.T)
            outer = weighed * ((seen * ~teaches) @ around.T)
            wrong += np.minimum(inner, outer).sum(1)
            all_of_it += (inner + outer).sum(1)
        found: Floats = wrong / all_of_it
        return found

    def _levels(self, scores: Sequence[Replies], seen: Floats) -> Iterator[tuple[Floats, Floats]]:
        """For each pair of widths: what the others tell of the level's logit, an item a row, and
        how items lie around every logit of a level."""
        for width, (_, scatter) in enumerate(WIDTHS):
            around = _around(scatter)
            known = np.stack([self.known[cell(*score[:2])][width] for score in scores])
            # Without what the item itself has told of its level: it must not be counted twice.
            others = known / (seen @ around.T)
            weight = np.array([self.weights[score[0]][width] for score in scores])
            yield weight[:, None] * others, around


def cell(family: str, level: float) -> tuple[str, float]:
    """Levels that set the knobs alike are one, in the middle of them."""
    return family, _middles(family)[round(level * STEPS)]


def settings(family: str) -> list[float]:
    """A level for every way in which levels set a family's knobs."""
    return list(dict.fromkeys(_middles(family)))


@cache
def _middles(family: str) -> tuple[float, ...]:
    """For every step of the level, the middle of the steps that set the knobs alike."""
    levels = [step / STEPS for step in range(STEPS + 1)]
    if family not in registry.names():  # from a package that is not installed here
        return tuple(levels)
    found = registry.family(family)
    groups = [list(group) for _, group in groupby(levels, key=found.at)]
    return tuple(group[len(group) // 2] for group in groups for _ in group)


def fit(scores: Iterable[Replies], also: Iterable[tuple[str, float]] = ()) -> KnobModel:
    """The model that replies to items have led to, at their levels and others."""
    counted = sorted(Counter((*cell(*score[:2]), *score[2:]) for score in scores).items())
    cells = sorted({(*score[:2],) for score, _ in counted} | {cell(*each) for each in also})
    places = {each: place for place, each in enumerate(cells)}
    told = _told(places, counted)
    families = sorted({family for family, _ in cells})
    known = {each: np.empty((len(WIDTHS), len(LOGITS))) for each in cells}
    evidence = np.empty((len(families), len(WIDTHS)))
    for row, family in enumerate(families):
        own = [each for each in cells if each[0] == family]
        levels = [level for _, level in own]
        for width, (walk, scatter) in enumerate(WIDTHS):
            seen = told[scatter][[places[each] for each in own]]
            evidence[row, width], found = _walked(levels, seen, walk)
            for each, one in zip(own, found, strict=True):
                known[each][width] = one
    return KnobModel(known, dict(zip(families, _weighed(evidence), strict=True)))


def likelihood(replies: Iterable[tuple[int, int]]) -> Floats:
    """Of (trials, successes), at every rate."""
    trials, successes = np.array(list(replies), np.float64).reshape(-1, 2).T[:, :, None]
    found: Floats = np.exp(successes * np.log(RATES) + (trials - successes) * np.log1p(-RATES))
    return found


def _told(
    places: dict[tuple[str, float], int], counted: Sequence[tuple[Replies, int]]
) -> dict[float, Floats]:
    """The log likelihood of every cell's logit by what its items replied, for each scatter."""
    seen = likelihood(score[2:] for score, _ in counted)
    rows = [places[family, level] for (family, level, _, _), _ in counted]
    times = np.array([count for _, count in counted], np.float64)
    found = {}
    for scatter in SCATTERS:
        found[scatter] = np.zeros((len(places), len(LOGITS)))
        np.add.at(found[scatter], rows, times[:, None] * np.log(seen @ _around(scatter).T))
    return found


def _walked(levels: Sequence[float], seen: Floats, walk: float) -> tuple[float, list[Floats]]:
    """Forwards and backwards along a family's levels: the log evidence, and what is known of each
    level's logit by all of them."""
    evidence = float(seen.max(1).sum())
    seen = np.exp(seen - seen.max(1, keepdims=True))
    here, before = normal([FIRST[0]], FIRST[1])[0], 0.0
    forwards, moves = list[Floats](), list[Floats]()
    for level, told in zip(levels, seen, strict=True):
        moves.append(_moved(round(level - before, 9), walk))
        here = (here @ moves[-1]) * told
        evidence += float(np.log(here.sum()))
        here = here / here.sum()
        forwards.append(here)
        before = level
    after, found = np.ones(len(LOGITS)), list[Floats]()
    for here, move, told in zip(forwards[::-1], moves[::-1], seen[::-1], strict=True):
        both = here * after
        found.append(both / both.sum())
        after = move @ (told * after)
        after = after / after.sum()
    return evidence, found[::-1]


def _weighed(evidence: Floats) -> Floats:
    """Each family's weights of the widths: by its own evidence, and what the others found."""
    alone = np.exp(evidence - evidence.max(1, keepdims=True))
    shared = np.full(len(WIDTHS), 1 / len(WIDTHS))
    for _ in range(AGREEING):
        weights: Floats = alone * shared
        weights /= weights.sum(1, keepdims=True)
        shared = (weights.sum(0) + 1 / len(WIDTHS)) / (len(weights) + 1)
    return weights


def normal(means: Iterable[float], width: float) -> Floats:
    """Normal distributions over the grid, a row for each mean."""
    apart = (LOGITS[None] - np.array(list(means))[:, None]) / max(width, 0.13)
    found: Floats = np.exp(-0.5 * apart**2) + 1e-300
    found /= found.sum(1, keepdims=True)
    return found


@cache
def _around(scatter: float) -> Floats:
    """The items' logits, for every logit of their level."""
    found: Floats = (1 - STRAY) * normal(LOGITS, scatter) + STRAY / len(LOGITS)
    return found


@cache
def _moved(gap: float, walk: float) -> Floats:
    """The next level's logit, for every one of the level before."""
    return normal(LOGITS + DRIFT * gap, (walk**2 * gap + ROUGH**2) ** 0.5)
