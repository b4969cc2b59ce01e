"""Blickets: a detector lights up when enough blickets lie on it; of which objects is it known?

`generate` hides the blickets and runs trials, `solve` asks a SAT solver for every object whether it
can be one and whether it can be none, and `verify` goes through all sets of objects that fit.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed

Trial = tuple[tuple[int, ...], bool]  # objects by number from 0, and whether it lit up

OBJECTS = (
    "ball", "bell", "brush", "button", "candle", "coin", "cork", "cube", "cup", "disc", "feather",
    "hook", "key", "leaf", "marble", "nail", "pebble", "pin", "ring", "rod", "shell", "spoon",
    "spring", "stone", "thimble", "wheel",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    objects: int  # to be judged
    needed: int  # blickets that the detector needs, at most
    told: float  # how often the number of blickets is told


@dataclass(frozen=True, slots=True)
class Detector:
    objects: tuple[str, ...]
    trials: tuple[Trial, ...]
    needed: int
    total: int  # how many blickets there are; -1: not told


def generate(rng: Random, knobs: Knobs) -> Detector | None:
    size = knobs.objects
    objects = tuple(sorted(rng.sample(OBJECTS, size)))
    needed = rng.randint(max(1, knobs.needed - 1), knobs.needed)
    many = rng.randint(needed, max(needed, size // 2))
    blickets = set(rng.sample(range(size), many))
    total = many if rng.random() < knobs.told else -1
    fits = _sets(size, total)
    trials = list[Trial]()
    wanted = rng.randint(size // 3, size - 1)  # objects that shall be settled
    for _ in range(6 * size):
        # Half of the trials light up, so that neither outcome gives an object away.
        trial = _trial(rng, size, blickets, needed, rng.random() < 0.5)
        left = _fitting(fits, trial, needed, size)
        if left != fits or rng.random() < 0.3:
            fits = left
            trials.append(trial)
        settled = sum(kind != "unknown" for kind in _kinds(fits, size))
        if len(trials) > 0.7 * size and settled >= wanted:
            break
    if len(set(_kinds(fits, size))) < 3 or len(set(trials)) < len(trials):
        return None
    return Detector(objects, tuple(trials), needed, total)


def solve(detector: Detector) -> Pairs | None:
    """SAT, with each object in turn taken to be a blicket, and taken to be none."""
    size, bounds = len(detector.objects), list[_sat.Bound]()
    for chosen, lit in detector.trials:
        several = [each + 1 for each in chosen]
        if lit and len(several) < detector.needed:
            return None
        if lit:
            bounds.append(([-each for each in several], len(several) - detector.needed))
        else:
            bounds.append((several, detector.needed - 1))
    if detector.total > size:
        return None
    if detector.total >= 0:
        bounds += _sat.just(detector.total, [*range(1, size + 1)])
    suppositions = [[sign * each] for each in range(1, size + 1) for sign in (1, -1)]
    found = _sat.possible([], suppositions, bounds)
    pairs = []
    for name, can, need_not in zip(detector.objects, found[::2], found[1::2]):
        if not can and not need_not:
            return None
        pairs.append((name, "unknown" if can and need_not else "yes" if can else "no"))
    return tuple(sorted(pairs))


def verify(detector: Detector, pairs: Pairs) -> float:
    """By all sets of objects that give the same lights."""
    size = len(detector.objects)
    fits = _sets(size, detector.total)
    for trial in detector.trials:
        fits = _fitting(fits, trial, detector.needed, size)
    right = dict(zip(detector.objects, _kinds(fits, size), strict=True))
    return float(bool(fits) and len(pairs) == size and dict(pairs) == right)


def render(detector: Detector, style: Style) -> Prompt:
    objects = listed(detector.objects)
    shown = style.pick("lit up", "ON", "the detector lights up")
    dark = style.pick("stayed dark", "off", "the detector stays dark")
    trials = "\n".join(
        f"- {', '.join(detector.objects[each] for each in chosen)}: {shown if lit else dark}"
        for chosen, lit in detector.trials
    )
    one = detector.needed == 1
    needed = "one blicket" if one else f"{detector.needed} blickets"
    be = "is" if one else "are"
    are = "is a blicket" if detector.total == 1 else "are blickets"
    total = f" Exactly {detector.total} of the objects {are}." if detector.total >= 0 else ""
    return Prompt(
        style.pick(
            f"Some objects are blickets, and nobody can see which. A detector lights up if and"
            f" only if at least {needed} {be} on it. The objects are: {objects}.{total} These"
            f" groups were put on it, one after another:\n{trials}\n\nWhat follows for each"
            " object?",
            f"Some of these objects are blickets: {objects}. A machine goes ON exactly when at"
            f" least {needed} {be} put on it, and otherwise it stays off.{total} The results of the"
            f" trials:\n{trials}\n\nDecide for each object whether it must be a blicket, cannot be"
            " one, or may be either.",
            f"Each line lists the objects that were on a detector at the same time, and what"
            f" happened.\n{trials}\n\nThe detector lights up whenever at least {needed} {be} on it,"
            f" and never otherwise. There are these objects: {objects}.{total} Which of them are"
            " blickets, as far as this can be known?",
        ),
        form="one line for each object, such as pencil = yes: yes if it is certainly a blicket, no"
        " if it certainly is not, and unknown if both are possible",
    )


def canon(detector: Detector) -> list[str]:
    facts: list[object] = [("needed", str(detector.needed)), ("total", str(detector.total))]
    for chosen, lit in detector.trials:
        facts.append(("lit" if lit else "dark", *(detector.objects[each] for each in chosen)))
    return unnamed(facts, detector.objects, ("lit", "dark"))


def hardness(detector: Detector) -> float:
    """Objects, and in how many ways the trials can be explained one by one."""
    weight = 1 + detector.needed + (detector.total >= 0)
    return len(detector.objects) * weight + len(detector.trials)


def _trial(rng: Random, size: int, blickets: set[int], needed: int, lit: bool) -> Trial:
    """Objects that make it light up, or that do not."""
    inside = sorted(blickets)
    outside = [each for each in range(size) if each not in blickets]
    if lit:
        count = min(len(inside), needed + (rng.random() < 0.4))
    else:
        count = rng.choice((needed - 1, rng.randrange(needed)))
    chosen = rng.sample(inside, count)
    least = 1 if not chosen else 0
    chosen += rng.sample(outside, min(len(outside), rng.randint(least, 1 + size // 4)))
    return tuple(sorted(chosen)), lit


def _fitting(sets: int, trial: Trial, needed: int, size: int) -> int:
    """Of sets of objects, those that explain a trial."""
    chosen, lit = trial
    columns, reached = _columns(size), [sets] + [0] * needed  # by how many of those chosen
    for each in chosen:
        for many in range(needed, 0, -1):
            reached[many] |= reached[many - 1] & columns[each]
    return reached[needed] if lit else sets & ~reached[needed]


def _kinds(sets: int, size: int) -> list[str]:
    """Of each object, what these sets have in common."""
    shared = [sets & column for column in _columns(size)]
    return ["yes" if with_it == sets else "unknown" if with_it else "no" for with_it in shared]


@lru_cache(maxsize=32)
def _sets(size: int, total: int) -> int:
    """All sets of objects, or those of so many: a set is a number whose bits are the objects, and
    the bits of the result are these numbers."""
    every, objects = (1 << (1 << size)) - 1, tuple(range(size))
    if total < 0:
        return every
    enough = _fitting(every, (objects, True), total, size)
    return _fitting(enough, (objects, False), total + 1, size)


@lru_cache(maxsize=8)
def _columns(size: int) -> list[int]:
    """Of each object, the sets that it is in."""
    columns = []
    for place in range(size):
        column = ((1 << (1 << place)) - 1) << (1 << place)
        for higher in range(place + 1, size):
            column |= column << (1 << higher)
        columns.append(column)
    return columns


LADDER = (
    Knobs(5, 1, 0.0),
    Knobs(8, 1, 0.3),
    Knobs(10, 2, 0.5),
    Knobs(12, 2, 0.7),
    Knobs(13, 3, 0.9),
)
FAMILY = Family(
    Detector,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="SAT: each object tried both ways",
    guess_rate=0.02,
    canon=canon,
    skills=("logic", "induction"),
    peers=("reasoning-gym/acre",),
    version=3,
)
