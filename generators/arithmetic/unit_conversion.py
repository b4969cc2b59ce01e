"""Unit conversion: a quantity in made-up units, and how many of one unit are so many of another.

On higher rungs it is an area, a volume or a rate. `solve` finds the way from unit to unit and
multiplies along it; `verify` gives every unit a size of its own, and compares the sizes.
"""

from collections import deque
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived

Fact: TypeAlias = tuple[int, str, int, str]  # so many of one unit are so many of the other


@dataclass(frozen=True, slots=True)
class Knobs:
    links: int  # facts on the way from the one unit to the other
    spare: int  # facts that are not needed
    most: int  # the largest number in a fact
    shape: Literal["length", "power", "rate"]  # a length; an area or a volume; or a rate


@dataclass(frozen=True, slots=True)
class Conversion:
    facts: tuple[Fact, ...]
    number: int
    source: str
    target: str
    power: int  # 1, or 2 for an area and 3 for a volume
    per: tuple[str, ...]  # of a rate, the units that it is for: from and to


def generate(rng: Random, knobs: Knobs) -> Conversion | None:
    names = rng.sample(NAMES, len(NAMES))
    links = knobs.links
    rate = knobs.shape == "rate"
    power = rng.choice((2, 3)) if knobs.shape == "power" else 1
    below = max(links // 2, 1) if rate else 0
    way = [names.pop() for _ in range(links - below + (links == below) + 1)]
    pairs = list(pairwise(way))
    other = [names.pop() for _ in range(below + 1)] if rate else []
    pairs += list(pairwise(other))
    for _ in range(knobs.spare):
        pairs.append((rng.choice(way + other), names.pop()))
    rng.shuffle(pairs)
    facts = tuple((1, *(pair if rng.random() < 0.5 else pair[::-1])) for pair in pairs)
    shape = Conversion(
        tuple((1, one, 1, second) for _, one, second in facts),
        1,
        way[0],
        way[-1],
        power,
        (other[0], other[-1]) if rate else (),
    )
    return twin(rng, knobs, shape)


def twin(rng: Random, knobs: Knobs, conversion: Conversion) -> Conversion | None:
    """Other numbers: mostly a few of one unit are a few more of the other."""
    for _ in range(20):
        facts = []
        for _, one, _, other in conversion.facts:
            left = 1 if rng.random() < 0.4 else rng.randint(2, max(knobs.most // 2, 3))
            right = rng.choice([n for n in range(2, knobs.most + 1) if n != left])
            facts.append((left, one, right, other))
        made = replace(conversion, facts=tuple(facts), number=rng.randint(2, 12 * knobs.most))
        found = solve(made)
        if found is not None and found != made.number and found.denominator < 10**7:
            return made
    return None


def renamed(rng: Random, knobs: Knobs, conversion: Conversion) -> Conversion:
    used = {name for _, one, _, other in conversion.facts for name in (one, other)}
    new = dict(zip(sorted(used), rng.sample(NAMES, len(used))))
    return replace(
        conversion,
        facts=tuple((a, new[one], b, new[other]) for a, one, b, other in conversion.facts),
        source=new[conversion.source],
        target=new[conversion.target],
        per=tuple(new[name] for name in conversion.per),
    )


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(conversion: Conversion) -> Fraction | None:
    """Breadth first from unit to unit, multiplying on the way."""
    if any(min(left, right) < 1 for left, _, right, _ in conversion.facts):
        return None
    factor = _factor(conversion.facts, conversion.source, conversion.target)
    if factor is None:
        return None
    found = conversion.number * factor**conversion.power
    if conversion.per:
        beneath = _factor(conversion.facts, *conversion.per)
        return None if beneath is None else found / beneath
    return found


def verify(conversion: Conversion, answer: Fraction) -> float:
    """Sizes spread from the target over all facts, until nothing more is known."""
    sizes: dict[str, Fraction] = {conversion.target: Fraction(1)}
    if conversion.per:
        sizes[conversion.per[1]] = Fraction(1)
    for _ in conversion.facts:
        for left, one, right, other in reversed(conversion.facts):
            if one in sizes and right:
                sizes.setdefault(other, sizes[one] * left / right)
            if other in sizes and left:
                sizes.setdefault(one, sizes[other] * right / left)
    ends = (conversion.source, *conversion.per)
    if any(name not in sizes for name in ends):
        return 0.0
    amount = conversion.number * sizes[conversion.source] ** conversion.power
    if conversion.per:
        return float(amount == answer * sizes[conversion.per[0]])
    return float(amount == answer)


def render(conversion: Conversion, style: Style) -> Prompt:
    lines = [f"{left} {one} = {right} {other}" for left, one, right, other in conversion.facts]
    listed = "\n".join(lines)
    number, source, target = conversion.number, conversion.source, conversion.target
    about = "Lengths" if conversion.power > 1 else "Things"
    if conversion.per:
        given = f"{number} {source} per {conversion.per[0]}"
        wanted = f"{target} per {conversion.per[1]}"
    else:
        kind = {1: "", 2: "square ", 3: "cubic "}[conversion.power]
        given, wanted = f"{number} {kind}{source}", f"{kind}{target}"
    question = style.pick(
        f"{about} are measured in made-up units here, which are related as follows:\n\n{listed}"
        f"\n\nHow many {wanted} are {given}?",
        f"Convert {given} into {wanted}. This is what is known about the units:\n\n{listed}",
        f"In a faraway country these relations between units hold.\n\n{listed}\n\nExpress {given}"
        f" in {wanted}.",
    )
    return Prompt(
        question,
        form=f"the number of {wanted} alone, exact: an integer or a fraction in lowest terms, such"
        " as 7/2",
    )


def steps(conversion: Conversion) -> list[str]:
    lines = []
    ends = [(conversion.source, conversion.target)]
    ends += [(conversion.per[0], conversion.per[1])] if conversion.per else []
    for start, goal in ends:
        sizes = _spread(conversion.facts, start)
        way = [goal]
        while way[0] != start:
            way.insert(0, sizes[way[0]][1])
        for one, other in pairwise(way):
            lines.append(f"1 {one} = {sizes[other][0] / sizes[one][0]} {other}")
        if len(way) > 2:
            lines.append(f"So 1 {start} = {sizes[goal][0]} {goal}")
    if conversion.power > 1:
        factor = _factor(conversion.facts, *ends[0])
        assert factor is not None, "the units are connected"
        kind = "square" if conversion.power == 2 else "cubic"
        lines.append(
            f"1 {kind} {conversion.source} = {factor**conversion.power} {kind} {conversion.target}"
        )
    return [*lines, f"The answer is {solve(conversion)}"]


def progress(conversion: Conversion, lines: Lines) -> float:
    return results_derived(FAMILY, conversion, lines)


def hardness(conversion: Conversion) -> float:
    """Facts to be read, links to be used, and the size of their numbers."""
    digits = sum(len(str(number)) for fact in conversion.facts for number in (fact[0], fact[2]))
    size = digits * (1 + (conversion.power - 1) / 3)
    return 3 * len(conversion.facts) + size + 6 * len(conversion.per)


def canon(conversion: Conversion) -> str:
    """Units named by the order in which the way from the source meets them; facts sorted."""
    order: dict[str, int] = {}
    for start in (conversion.source, *conversion.per[:1]):
        for name in _spread(conversion.facts, start, by_number=True):
            order.setdefault(name, len(order))
    facts = [
        min((left, order[one], right, order[other]), (right, order[other], left, order[one]))
        for left, one, right, other in conversion.facts
    ]
    return (
        f"{sorted(facts)} {conversion.number} {order[conversion.target]} {conversion.power}"
        f" {[order[name] for name in conversion.per]}"
    )


def _factor(facts: tuple[Fact, ...], source: str, target: str) -> Fraction | None:
    found = _spread(facts, source).get(target)
    return None if found is None else found[0]


def _spread(
    facts: tuple[Fact, ...], source: str, by_number: bool = False
) -> dict[str, tuple[Fraction, str]]:
    """How many of each unit one of the source is, and from which unit that was found."""
    sizes = {source: (Fraction(1), "")}
    waiting = deque([source])
    while waiting:
        unit = waiting.popleft()
        nearby = []
        for left, one, right, other in facts:
            if unit == one and other not in sizes:
                nearby.append((left, right, other))
            elif unit == other and one not in sizes:
                nearby.append((right, left, one))
        for here, there, name in sorted(nearby, key=lambda link: link[:2] if by_number else (0, 0)):
            sizes[name] = (sizes[unit][0] * there / here, unit)
            waiting.append(name)
    return sizes


NAMES = (
    "blip", "brol", "chund", "dask", "dreel", "fenk", "flon", "fustel", "gamp", "glon", "grob",
    "harn", "jask", "jelk", "krel", "lorp", "murn", "nelp", "norg", "olm", "plim", "prax", "quon",
    "rilk", "sarn", "skell", "snev", "tolk", "trask", "ulp", "vint", "vrock", "wenk", "yarp",
    "zeld", "zog",
)  # fmt: skip
LADDER = (
    Knobs(1, 0, 10, "length"),
    Knobs(2, 1, 12, "length"),
    Knobs(4, 2, 15, "length"),
    Knobs(5, 4, 18, "power"),
    Knobs(8, 6, 25, "rate"),
)
FAMILY = Family(
    Conversion,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="breadth-first search along the facts",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("facts", "number"),
    twin=twin,
    renamed=renamed,
    skills=("units", "fractions", "calculation"),
    peers=("mathematics_dataset/conversion",),
    version=2,
)
