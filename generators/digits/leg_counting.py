"""Leg counting: heads, legs and more from a list of animals; or the animals, from the totals.

Forwards it is a sum. Backwards the totals, with differences told where the totals are not enough,
leave one herd of whole animals: `generate` draws the herd, `solve` counts up all halves of
herds and looks which go together, `verify` counts what the answer would come to.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed

REAL = (
    ("duck", "ducks", 2), ("hen", "hens", 2), ("ostrich", "ostriches", 2), ("owl", "owls", 2),
    ("cow", "cows", 4), ("dog", "dogs", 4), ("cat", "cats", 4), ("horse", "horses", 4),
    ("goat", "goats", 4), ("frog", "frogs", 4), ("ant", "ants", 6), ("bee", "bees", 6),
    ("beetle", "beetles", 6), ("spider", "spiders", 8), ("scorpion", "scorpions", 8),
    ("snake", "snakes", 0),
)  # fmt: skip
INVENTED = (
    "blurg", "dromp", "fizzet", "gorlin", "hupple", "jandel", "krimp", "lomber", "mizzler",
    "norbit", "plonk", "quiff", "rundel", "snerf", "tobbin", "wuzzle",
)  # fmt: skip
PARTS = ("head", "leg", "wing", "horn")
FAR = 10_000  # more than there are of any part

Counts: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of animals
    most: int  # of one kind
    parts: int  # kinds of body parts that are counted
    invented: float  # share of puzzles with invented animals, of any numbers of parts
    back: bool  # whether the animals are asked for, and not the parts


@dataclass(frozen=True, slots=True)
class Herd:
    names: tuple[tuple[str, str], ...]  # of the kinds: of one, and of several
    parts: tuple[Counts, ...]  # for each kind, what one animal has
    told: Counts  # forwards the numbers of animals; backwards the totals of the parts
    differences: tuple[tuple[int, int, int], ...]  # so many more of one kind than of another
    most: int  # backwards, of no kind are there more
    back: bool


def generate(rng: Random, knobs: Knobs) -> Herd | None:
    if rng.random() < knobs.invented:
        names = tuple((name, f"{name}s") for name in rng.sample(INVENTED, knobs.kinds))
        parts = tuple(
            (rng.randint(1, 4), *(rng.randint(0, 9) for _ in range(knobs.parts - 1))) for _ in names
        )
    else:
        drawn = rng.sample(REAL, knobs.kinds)
        names = tuple((one, several) for one, several, _ in drawn)
        parts = tuple((1, legs) for _, _, legs in drawn)
    counts = tuple(rng.randint(1, knobs.most) for _ in names)
    if any(not any(column) for column in zip(*parts)):
        return None
    if not knobs.back:
        return Herd(names, parts, counts, (), knobs.most, False)
    if len(set(parts)) < len(parts):
        return None
    herd = Herd(names, parts, _totals(parts, counts), (), knobs.most, True)
    return _narrowed(rng, herd, counts)


def solve(herd: Herd) -> Counts | None:
    if not herd.back:
        return _totals(herd.parts, herd.told)
    found = _herds(herd)
    return found[0] if len(found) == 1 else None


def verify(herd: Herd, answer: Counts) -> float:
    """Animal by animal; no more of them than there can be."""
    given = answer if herd.back else herd.told
    if len(given) != len(herd.names) or not all(1 <= count <= herd.most for count in given):
        return 0.0
    seen = [0] * len(herd.parts[0])
    for kind, count in enumerate(given):
        for _ in range(count):
            for part, has in enumerate(herd.parts[kind]):
                seen[part] += has
    if any(given[more] != given[fewer] + by for more, fewer, by in herd.differences):
        return 0.0
    return float(tuple(seen) == (herd.told if herd.back else answer))


def render(herd: Herd, style: Style) -> Prompt:
    parts = PARTS[: len(herd.parts[0])]
    described = "\n".join(
        f"A{'n' if one[0] in 'aeiou' else ''} {one} has {_listed(parts, has)}."
        for (one, _), has in zip(herd.names, herd.parts)
    )
    places = ("a meadow", "a barn", "a zoo")
    where = style.pick(*places)
    if herd.back:
        return Prompt(_backwards(herd, style, where, described), form=_form(herd))
    animals = listed([_many(count, name) for count, name in zip(herd.told, herd.names)])
    kinds = listed([f"{part}s" for part in parts])
    return Prompt(
        style.pick(
            f"In {where} there are {animals}.\n\n{described}\n\nHow many {kinds} are there in all?",
            f"{described}\n\nHow many {kinds} can be counted in {where} that holds {animals}?",
            f"Count the {kinds} of all the animals in {where}: {animals}. What they have:"
            f"\n\n{described}",
        ),
        form=_form(herd),
    )


def steps(herd: Herd) -> list[str]:
    """The sums; backwards, the sums that prove the herd right after it was searched for."""
    counts = solve(herd) if herd.back else herd.told
    if counts is None:
        return []
    totals = _totals(herd.parts, counts)
    lines = []
    if herd.back:
        several = [name for _, name in herd.names]
        lines.append(
            "Of all herds with these totals only one is possible: "
            + ", ".join(f"{name} = {count}" for name, count in zip(several, counts))
        )
    for part, total in enumerate(totals):
        products = [f"{count} * {has[part]}" for count, has in zip(counts, herd.parts) if has[part]]
        lines.append(f"{PARTS[part]}s: {' + '.join(products)} = {total}")
    return lines


def canon(herd: Herd) -> object:
    """Animals by what they have; names and order do not matter."""
    if not herd.back:
        return sorted(zip(herd.parts, herd.told))
    said = [(herd.parts[more], herd.parts[fewer], by) for more, fewer, by in herd.differences]
    return [sorted(herd.parts), herd.told, sorted(said), herd.most]


def hardness(herd: Herd) -> float:
    """Products to form, and backwards the numbers to try."""
    work = len(herd.names) * len(herd.parts[0]) * (1 + herd.most / 50)
    return work * 3 if herd.back else work


def _totals(parts: tuple[Counts, ...], counts: Counts) -> Counts:
    return tuple(sum(count * has for count, has in zip(counts, column)) for column in zip(*parts))


def _narrowed(rng: Random, herd: Herd, counts: Counts) -> Herd | None:
    """With differences told, until one herd is left."""
    pairs = [
        (more, fewer, counts[more] - counts[fewer])
        for more in range(len(counts))
        for fewer in range(len(counts))
        if counts[more] > counts[fewer]
    ]
    rng.shuffle(pairs)
    found = _herds(herd)
    while len(found) > 1:
        if not pairs:
            return None
        more, fewer, by = pairs.pop()
        left = [each for each in found if each[more] - each[fewer] == by]
        if len(left) < len(found):
            herd = replace(herd, differences=(*herd.differences, (more, fewer, by)))
        found = left
    return herd


@lru_cache(maxsize=2)
def _herds(herd: Herd) -> list[Counts]:
    """All herds with these totals: each half of the kinds in all numbers, and where they meet."""
    import numpy

    def halves(kinds: range) -> tuple[Any, Any]:
        """Numbers of these kinds, and their totals as one number each, in order of those."""
        counts = numpy.indices([herd.most] * len(kinds)).reshape(len(kinds), -1).T + 1
        totals = counts @ numpy.array([_coded(herd.parts[kind]) for kind in kinds])
        order = numpy.argsort(totals, kind="stable")
        return counts[order], totals[order]

    kinds = len(herd.names)
    first, had = halves(range(kinds // 2))
    second, has = halves(range(kinds // 2, kinds))
    missing = _coded(herd.told) - had
    starts, ends = numpy.searchsorted(has, missing), numpy.searchsorted(has, missing, "right")
    found = [
        (*map(int, first[at]), *map(int, second[other]))
        for at in numpy.flatnonzero(starts < ends)
        for other in range(starts[at], ends[at])
    ]
    return [
        counts
        for counts in found
        if all(counts[more] == counts[fewer] + by for more, fewer, by in herd.differences)
    ]


def _coded(parts: Counts) -> int:
    """Several numbers as one; sums of such ones are those of their parts."""
    return sum(count * FAR**place for place, count in enumerate(parts))


def _backwards(herd: Herd, style: Style, where: str, described: str) -> str:
    totals = listed([_many(total, (part, f"{part}s")) for total, part in zip(herd.told, PARTS)])
    kinds = listed([several for _, several in herd.names])
    more = "".join(
        f" There {'is' if by == 1 else 'are'} {by} more {herd.names[one][by > 1]} than"
        f" {herd.names[other][1]}."
        for one, other, by in herd.differences
    )
    bounds = f"There is at least one animal of each kind, and at most {herd.most}.{more}"
    return style.pick(
        f"The only animals in {where} are {kinds}. They have {totals} in all. {bounds}\n\n"
        f"{described}\n\nHow many animals of each kind are there?",
        f"{described}\n\nSomebody counts {totals} in {where} with {kinds} only. {bounds} Find out"
        " how many there are of each.",
        f"How many {kinds} are in {where} if together they have {totals}? There are no other"
        f" animals. {bounds}\n\n{described}",
    )


def _form(herd: Herd) -> str:
    if herd.back:
        return f"the numbers of {listed(_asked(herd))}, in this order"
    return f"the numbers of {listed(_asked(herd))}, in this order, separated by commas"


def _asked(herd: Herd) -> list[str]:
    """What the numbers asked for are numbers of."""
    if herd.back:
        return [name for _, name in herd.names]
    return [f"{part}s" for part in PARTS[: len(herd.parts[0])]]


def _listed(parts: tuple[str, ...], has: Counts) -> str:
    return listed([_many(count, (part, f"{part}s")) for count, part in zip(has, parts)])


def _many(count: int, name: tuple[str, str]) -> str:
    return f"{count or 'no'} {name[count != 1]}"


LADDER = (
    Knobs(2, 9, 2, 0.0, False),
    Knobs(4, 40, 3, 0.5, False),
    Knobs(2, 40, 2, 0.5, True),
    Knobs(4, 40, 3, 0.8, True),
    Knobs(5, 50, 4, 1.0, True),
)
FAMILY = Family(
    Herd,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    notation=lambda herd: answers.IntList(names=tuple(_asked(herd))),
    hardness=hardness,
    proof="unique",
    solver="all herds, from two halves",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("calculation", "equations"),
    peers=("reasoning-gym/leg_counting",),
    version=2,
)
