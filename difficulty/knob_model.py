"""Pass rate as a function of family and level: what all replies tell of every item, asked or not.

Along the levels of a family the logit of the pass rate drifts downwards as a random walk does, or
as it did under an earlier policy; the items of one level scatter around it, in part as a cheap
signal says; and an item's replies are right at its own rate. All of it is held on a grid of logits,
so that nothing is drawn and every interval is exact. How wide the walk and the scatter are and how
far the signal goes is weighed by how well each of these shapes foretells the replies, and families
agree on those weights in part. A signal that tells nothing is so left out of account.

So an item that was hardly asked is judged by its level, its neighbours and its family, never by the
pool alone, which throws away the hard items of an easy pool. And why one stopped asking makes no
difference: a posterior is not biased by that, as a share of successes is.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import registry

Floats: TypeAlias = NDArray[np.float64]
# Of an item: family, level, and a signal, how many deviations it lies above its level's mean.
Place: TypeAlias = tuple[str, float, float]
Replies: TypeAlias = tuple[str, float, float, int, int]  # a place, trials and successes
Width: TypeAlias = tuple[float, float, float]  # of the walk, of the scatter, and a slope

STEP = 0.25
LOGITS: Floats = np.arange(-8, 8 + STEP / 2, STEP)
RATES: Floats = 1 / (1 + np.exp(-LOGITS))
FIRST, DRIFT = 1.0, -5.0  # the logit at level 0, and how it moves to level 1
UNSURE, INFORMED = 3.0, 1.0  # how far it may lie from that; and from where it lay before
ROUGH = 0.1  # what even two levels side by side may differ by
WALKS = (0.7, 2.0, 5.0, 9.0)  # widths of the walk, from level 0 to level 1
SCATTERS = (0.5, 1.0, 1.6, 2.8)  # widths of the items around their level
SLOPES = (0.0, 0.5, 1.0, 1.5)  # of an item's logit, to a deviation of its signal
STRAY = 0.08  # of the items are like no other
STEPS = 100  # of the level; what lies between two is taken for the nearer
AGREEING = 12  # rounds in which the families agree
FAR = 3.0  # deviations; a signal beyond is taken for that
FAINT = 1e-4  # a weight that need not be looked at


@dataclass(frozen=True, eq=False)
class Course:
    """Where the logit of a level is to be expected before any reply has come: where it lay under
    an earlier policy, for the families that one was asked about."""

    earlier: Mapping[str, tuple[list[float], list[float]]] = field(default_factory=dict)

    def at(self, family: str, level: float) -> float:
        if family not in self.earlier:
            return FIRST + DRIFT * level
        return float(np.interp(level, *self.earlier[family]))

    def unsure(self, family: str) -> float:
        return INFORMED if family in self.earlier else UNSURE


UNTOLD = Course()


@dataclass(frozen=True)
class KnobModel:
    widths: tuple[Width, ...]
    # What is known of a level's logit under each of the widths, and the family's weights of those.
    known: dict[tuple[str, float], Floats]
    weights: dict[str, Floats]

    def expected(self, family: str, level: float) -> Floats:
        """The distribution over RATES of an item that was not asked, at a level of the fit."""
        found: Floats = self.believed([(family, level, 0.0, 0, 0)])[0]
        return found

    def course(self) -> Course:
        """What a later policy may be expected to do."""
        found: dict[str, tuple[list[float], list[float]]] = {}
        for (family, level), known in sorted(self.known.items()):
            levels, logits = found.setdefault(family, ([], []))
            levels.append(level)
            logits.append(float(self.weights[family] @ known @ LOGITS))
        return Course(found)

    def believed(self, scores: Sequence[Replies]) -> Floats:
        """The distribution over RATES of items that are among those of the fit."""
        seen = likelihood([score[3:] for score in scores])
        found = np.zeros_like(seen)
        for weighed, scattered in self._levels(scores, seen):
            found += scattered.out(weighed) * seen
        found /= found.sum(1, keepdims=True)
        return found

    def error_at_best(self, scores: Sequence[Replies], teaches: NDArray[np.bool_]) -> Floats:
        """The chance that the likelier side of a band is the wrong one, if the logits of all levels
        were known: what asking the others of its level can bring an item."""
        seen = likelihood([score[3:] for score in scores])
        wrong, all_of_it = np.zeros(len(seen)), np.zeros(len(seen))
        for weighed, scattered in self._levels(scores, seen):
            inner = weighed * scattered.back(seen * teaches)
            outer = weighed * scattered.back(seen * ~teaches)
            wrong += np.minimum(inner, outer).sum(1)
            all_of_it += (inner + outer).sum(1)
        found: Floats = wrong / all_of_it
        return found

    def _levels(
        self, scores: Sequence[Replies], seen: Floats
    ) -> Iterator[tuple[Floats, "Scattered"]]:
        """For each of the widths: what the others tell of the level's logit, an item a row, and
        how the items lie around every logit of a level."""
        signals = [score[2] for score in scores]
        families = {score[0] for score in scores}
        for number, (_, scatter, slope) in enumerate(self.widths):
            if max(self.weights[family][number] for family in families) < FAINT:
                continue
            scattered = Scattered.of(signals, scatter, slope)
            known = np.stack([self.known[cell(*score[:2])][number] for score in scores])
            # Without what the item itself has told of its level: it must not be counted twice.
            others = known / scattered.back(seen)
            weight = np.array([self.weights[score[0]][number] for score in scores])
            yield weight[:, None] * others, scattered


@dataclass(frozen=True, slots=True, eq=False)
class Scattered:
    """How each of some items lies around its level's logit: as its signal says, and scattered."""

    shifts: NDArray[np.int64]  # in steps of the grid
    scatter: float

    @classmethod
    def of(cls, signals: Sequence[float], scatter: float, slope: float) -> "Scattered":
        return cls((np.array(signals) * slope / STEP).round().astype(np.int64), scatter)

    def out(self, levels: Floats) -> Floats:
        """From weights of the levels' logits, an item a row, to those of the items' own."""
        return self._each(levels, lambda rows, around: rows @ around)

    def back(self, seen: Floats) -> Floats:
        """From likelihoods of the items' logits to those of their levels'."""
        return self._each(seen, lambda rows, around: rows @ around.T)

    def _each(self, rows: Floats, turned: Callable[[Floats, Floats], Floats]) -> Floats:
        found = np.empty_like(rows)
        for shift in np.unique(self.shifts).tolist():
            own = self.shifts == shift
            found[own] = turned(rows[own], _around(self.scatter, shift))
        return found


def deviations(places: Sequence[tuple[str, float]], values: Sequence[float | None]) -> list[float]:
    """Signals from raw values: how far each lies above the mean of its level, in deviations from
    that; 0 where there is no value."""
    raw = np.array([np.nan if value is None else value for value in values], np.float64)
    above = raw - _means([cell(*place) for place in places], raw)
    deviation = np.sqrt(_means([None] * len(raw), above**2))
    signals = np.nan_to_num(above / np.maximum(deviation, 1e-9)).clip(-FAR, FAR)
    found: list[float] = ((signals / STEP).round() * STEP).tolist()
    return found


def _means(groups: Sequence[Hashable], values: Floats) -> Floats:
    """The mean of each one's group, of what is a number."""
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    of = np.array([numbers[group] for group in groups], np.int64)
    there = ~np.isnan(values)
    count = np.bincount(of[there], minlength=len(numbers))
    total = np.bincount(of[there], values[there], minlength=len(numbers))
    found: Floats = (total / np.maximum(count, 1))[of]
    return found


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


def fit(
    scores: Iterable[Replies], also: Iterable[tuple[str, float]] = (), course: Course = UNTOLD
) -> KnobModel:
    """The model that replies to items have led to, at their levels and others."""
    counted = sorted(Counter((*cell(*score[:2]), *score[2:]) for score in scores).items())
    telling = any(score[2] for score, _ in counted)
    widths = tuple(product(WALKS, SCATTERS, SLOPES if telling else SLOPES[:1]))
    cells = sorted({(*score[:2],) for score, _ in counted} | {cell(*each) for each in also})
    places = {each: place for place, each in enumerate(cells)}
    told = _told(places, counted, sorted({width[1:] for width in widths}))
    families = sorted({family for family, _ in cells})
    known = {each: np.empty((len(widths), len(LOGITS))) for each in cells}
    evidence = np.empty((len(families), len(widths)))
    for row, family in enumerate(families):
        own = [each for each in cells if each[0] == family]
        way = [(level, course.at(family, level)) for _, level in own]
        start = normal([way[0][1]], course.unsure(family))[0]
        for number, (walk, scatter, slope) in enumerate(widths):
            seen = told[scatter, slope][[places[each] for each in own]]
            evidence[row, number], found = _walked(way, start, seen, walk)
            for each, one in zip(own, found, strict=True):
                known[each][number] = one
    return KnobModel(widths, known, dict(zip(families, _weighed(evidence), strict=True)))


def likelihood(replies: Iterable[tuple[int, int]]) -> Floats:
    """Of (trials, successes), at every rate."""
    trials, successes = np.array(list(replies), np.float64).reshape(-1, 2).T[:, :, None]
    found: Floats = np.exp(successes * np.log(RATES) + (trials - successes) * np.log1p(-RATES))
    return found


def _told(
    places: dict[tuple[str, float], int],
    counted: Sequence[tuple[Replies, int]],
    ways: Sequence[tuple[float, ...]],
) -> dict[tuple[float, ...], Floats]:
    """The log likelihood of every cell's logit by what its items replied, for each scatter and
    slope."""
    seen = likelihood(score[3:] for score, _ in counted)
    rows = [places[score[:2]] for score, _ in counted]
    signals = [score[2] for score, _ in counted]
    times = np.array([count for _, count in counted], np.float64)[:, None]
    found = dict[tuple[float, ...], Floats]()
    for scatter, slope in ways:
        told = np.zeros((len(places), len(LOGITS)))
        back = Scattered.of(signals, scatter, slope).back(seen)
        np.add.at(told, rows, times * np.log(back))
        found[scatter, slope] = told
    return found


def _walked(
    way: Sequence[tuple[float, float]], start: Floats, seen: Floats, walk: float
) -> tuple[float, list[Floats]]:
    """Forwards and backwards along a family's levels, each with its course: the log evidence, and
    what is known of each level's logit by all of them."""
    evidence = float(seen.max(1).sum())
    seen = np.exp(seen - seen.max(1, keepdims=True))
    here, before, past = start, 0.0, way[0][1]
    forwards, moves = list[Floats](), list[Floats]()
    for (level, ahead), told in zip(way, seen, strict=True):
        moves.append(_moved(round(level - before, 9), round(ahead - past, 2), walk))
        here = (here @ moves[-1]) * told
        evidence += float(np.log(here.sum()))
        here = here / here.sum()
        forwards.append(here)
        before, past = level, ahead
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
    count = evidence.shape[1]
    shared = np.full(count, 1 / count)
    for _ in range(AGREEING):
        weights: Floats = alone * shared
        weights /= weights.sum(1, keepdims=True)
        shared = (weights.sum(0) + 1 / count) / (len(weights) + 1)
    return weights


def normal(means: Iterable[float], width: float) -> Floats:
    """Normal distributions over the grid, a row for each mean."""
    apart = (LOGITS[None] - np.array(list(means))[:, None]) / max(width, 0.13)
    found: Floats = np.exp(-0.5 * apart**2) + 1e-300
    found /= found.sum(1, keepdims=True)
    return found


@cache
def _around(scatter: float, shift: int) -> Floats:
    """The items' logits, for every logit of their level."""
    means = LOGITS + shift * STEP
    found: Floats = (1 - STRAY) * normal(means, scatter) + STRAY / len(LOGITS)
    return found


@cache
def _moved(gap: float, drift: float, walk: float) -> Floats:
    """The next level's logit, for every one of the level before."""
    return normal(LOGITS + drift, (walk**2 * gap + ROUGH**2) ** 0.5)
