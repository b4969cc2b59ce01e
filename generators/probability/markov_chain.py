"""Markov chain: a frog on lily pads jumps by stated probabilities, some pads perhaps the last.

`solve` eliminates in the equations that every pad's value satisfies; after a number of jumps it
follows the probabilities forwards. `verify` writes no equations: it takes the pads away one by one,
giving the rest longer jumps that go past them; and it follows the jumps backwards.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, counted
from puzzlemill.generators.probability._chance import EXACT, PROBABILITY, eliminated, trivial

Jumps: TypeAlias = tuple[tuple[int, int], ...]  # (to which pad, with what weight), of one pad


@dataclass(frozen=True, slots=True)
class Knobs:
    pads: int  # in the pond
    jumps: int  # from a pad, at most
    weight: int  # the largest denominator of a pad's probabilities
    questions: int  # how many sorts of question there may be


@dataclass(frozen=True, slots=True)
class Pond:
    story: int
    jumps: tuple[Jumps, ...]  # of every pad, from 1; none where the walk ends
    start: int
    question: str  # after: where after some jumps; ends: where in the end; time; visits
    goal: int  # the pad that is asked for; 0 where none is
    moves: int  # 0 where no number of jumps is asked for


def generate(rng: Random, knobs: Knobs) -> Pond | None:
    question = rng.choice(QUESTIONS[: knobs.questions])
    last = {"after": 0, "ends": 2}.get(question, rng.randint(1, 2))
    order = rng.sample(range(1, knobs.pads + 1), knobs.pads)
    ends, others = order[:last], order[last:]
    targets = []
    for pad in range(1, knobs.pads + 1):
        known = [other for other in range(1, knobs.pads + 1) if other != pad]
        many = rng.randint(2, max(2, min(knobs.jumps, len(known))))
        chosen = sorted(rng.sample(known, min(many, len(known))))
        targets.append(tuple((other, 0) for other in chosen) if pad in others else ())
    start = rng.choice(others)
    asked = {"after": order, "ends": ends, "time": [0]}.get(question, others)
    story, goal = rng.randrange(len(STORIES)), rng.choice(asked)
    return _filled(rng, knobs, Pond(story, tuple(targets), start, question, goal, 0))


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(pond: Pond) -> Fraction | None:
    """Forwards for a number of jumps; else one equation for each pad that the walk goes on from."""
    if not _sensible(pond):
        return None
    if pond.question == "after":
        return _forwards(pond)[-1][pond.goal]
    unknown = [pad for pad, jumps in enumerate(pond.jumps, 1) if jumps]
    rows = []
    for pad in unknown:
        row = {pad: Fraction(1)}
        right = Fraction(_counts(pond, pad))
        for other, share in _shares(pond, pad):
            if pond.jumps[other - 1]:
                row[other] = row.get(other, Fraction(0)) - share
            elif pond.question == "ends" and other == pond.goal:
                right += share
        rows.append([row.get(other, Fraction(0)) for other in unknown] + [right])
    values = eliminated(rows)
    return None if values is None else values[unknown.index(pond.start)]


def verify(pond: Pond, answer: Fraction) -> float:
    if pond.question == "after":
        return float(_backwards(pond) == answer)
    return float(_without_others(pond) == answer)


def render(pond: Pond, style: Style) -> Prompt:
    walker, pad, pads, jump, jumps = STORIES[pond.story]
    lines = []
    for place, found in enumerate(pond.jumps, 1):
        total = sum(weight for _, weight in found)
        ways = [
            f"to {pad} {other} with probability {Fraction(weight, total)}"
            for other, weight in found
        ]
        lines.append(f"- from {pad} {place}: " + (", ".join(ways) if found else "it never leaves"))
    rules = "\n".join(lines)
    scene = (
        f"{capital(walker)} moves among {len(pond.jumps)} {pads}, numbered from 1 to"
        f" {len(pond.jumps)}. Where each {jump} leads does not depend on what came before:"
    )
    match pond.question:
        case "after":
            here = f"{pad} {pond.goal} after exactly {pond.moves} {jumps}"
            asked = f"the probability that it is at {here}"
        case "ends":
            asked = f"the probability that it ends up staying at {pad} {pond.goal}"
        case "time":
            asked = f"the expected number of {jumps} until it is at a {pad} that it never leaves"
        case _:
            here = ", the beginning counted as one time" if pond.goal == pond.start else ""
            asked = (
                f"the expected number of times that it is at {pad} {pond.goal} before it gets"
                f" to a {pad} that it never leaves{here}"
            )
    question = style.pick(
        f"{scene}\n\n{rules}\n\nIt starts at {pad} {pond.start}. What is {asked}?",
        f"{scene}\n\n{rules}\n\nFind {asked}, if it starts at {pad} {pond.start}.",
        f"Starting at {pad} {pond.start}, {walker} moves among {len(pond.jumps)} {pads}, numbered"
        f" from 1 to {len(pond.jumps)}. Each {jump} is independent of those before it:\n\n{rules}"
        f"\n\nWork out {asked}.",
    )
    return Prompt(question, form=PROBABILITY if pond.question in ("after", "ends") else EXACT)


def steps(pond: Pond) -> list[str]:
    """Where it may be after each jump; or the equations, and the unknowns' values."""
    pad = STORIES[pond.story][1]
    if pond.question == "after":
        lines = []
        for done, places in enumerate(_forwards(pond)):
            found = ", ".join(f"{place}: {places[place]}" for place in places if places[place])
            lines.append(f"After {counted(done, 'move')}: {found}")
        return [*lines, f"The probability of {pad} {pond.goal} is {solve(pond)}."]
    lines = [f"Let v_i be what is asked for, starting from {pad} i."]
    for place, jumps in enumerate(pond.jumps, 1):
        if not jumps:
            lines.append(f"v_{place} = {int(pond.question == 'ends' and place == pond.goal)}")
            continue
        terms = [f"{share} v_{other}" for other, share in _shares(pond, place)]
        lines.append(f"v_{place} = {'1 + ' if _counts(pond, place) else ''}{' + '.join(terms)}")
    for place, jumps in enumerate(pond.jumps, 1):
        if jumps:
            lines.append(f"Solved: v_{place} = {solve(replace(pond, start=place))}")
    return [*lines, f"The answer is v_{pond.start} = {solve(pond)}."]


def hardness(pond: Pond) -> float:
    """Additions: pads times jumps, or jumps made times places."""
    links = sum(map(len, pond.jumps))
    return links * (pond.moves if pond.question == "after" else len(pond.jumps))


def canon(pond: Pond) -> list[Any]:
    return [pond.jumps, pond.start, pond.question, pond.goal, pond.moves]


def twin(rng: Random, knobs: Knobs, pond: Pond) -> Pond | None:
    return _filled(rng, knobs, pond)


def renamed(rng: Random, knobs: Knobs, pond: Pond) -> Pond:
    return replace(pond, story=rng.randrange(len(STORIES)))


def _filled(rng: Random, knobs: Knobs, draft: Pond) -> Pond | None:
    jumps = []
    for found in draft.jumps:
        total = rng.randint(max(2, len(found)), max(knobs.weight, len(found)))
        cuts = sorted(rng.sample(range(1, total), len(found) - 1)) if found else []
        weights = [to - at for at, to in zip((0, *cuts), (*cuts, total))]
        jumps.append(tuple((other, weight) for (other, _), weight in zip(found, weights)))
    most = 1 + knobs.pads // 2 + knobs.jumps // 2
    moves = rng.randint(2, most) if draft.question == "after" else 0
    pond = replace(draft, jumps=tuple(jumps), moves=moves)
    value = solve(pond)
    if value is None or value == 0 or (pond.question in ("after", "ends") and trivial(value)):
        return None
    return pond


def _sensible(pond: Pond) -> bool:
    """Whether such a walk may go on, and comes to an end with certainty where it has to."""
    if not 0 <= pond.moves <= 40:
        return False
    if any(not 1 <= other <= len(pond.jumps) for jumps in pond.jumps for other, _ in jumps):
        return False
    if any(len({other for other, _ in jumps}) < len(jumps) for jumps in pond.jumps):
        return False
    if not 1 <= pond.start <= len(pond.jumps) or not 0 <= pond.goal <= len(pond.jumps):
        return False
    if pond.question == "after":
        return pond.goal > 0
    if pond.goal and (not pond.jumps[pond.goal - 1]) != (pond.question == "ends"):
        return False
    safe = {pad for pad, jumps in enumerate(pond.jumps, 1) if not jumps}
    for _ in pond.jumps:
        for pad, jumps in enumerate(pond.jumps, 1):
            if any(other in safe for other, _ in jumps):
                safe.add(pad)
    return len(safe) == len(pond.jumps) and bool(pond.jumps[pond.start - 1])


def _shares(pond: Pond, pad: int) -> list[tuple[int, Fraction]]:
    jumps = pond.jumps[pad - 1]
    total = sum(weight for _, weight in jumps)
    return [(other, Fraction(weight, total)) for other, weight in jumps]


def _counts(pond: Pond, pad: int) -> bool:
    """Whether being at a pad adds one to what is asked for."""
    return pond.question == "time" or (pond.question == "visits" and pad == pond.goal)


def _forwards(pond: Pond) -> list[dict[int, Fraction]]:
    """Where it may be, and how likely, after each number of jumps."""
    pads = range(1, len(pond.jumps) + 1)
    found = [{pad: Fraction(pad == pond.start) for pad in pads}]
    for _ in range(pond.moves):
        after = dict.fromkeys(pads, Fraction(0))
        for pad, chance in found[-1].items():
            if chance:
                for other, share in _shares(pond, pad) or [(pad, Fraction(1))]:
                    after[other] += chance * share
        found.append(after)
    return found


def _backwards(pond: Pond) -> Fraction:
    """For each pad, the weight with which it leads to the goal in so many jumps."""
    value = [Fraction(pad == pond.goal) for pad in range(1, len(pond.jumps) + 1)]
    for _ in range(pond.moves):
        value = [
            Fraction(sum(weight * value[other - 1] for other, weight in jumps))
            / sum(weight for _, weight in jumps)
            if jumps
            else value[place]
            for place, jumps in enumerate(pond.jumps)
        ]
    return value[pond.start - 1]


def _without_others(pond: Pond) -> Fraction:
    """Take away all pads but the start and the last ones; what a pad earns goes to its neighbours.

    A pad that is left sends its jumps on to where they lead, and to each pad that leads to it goes
    its share of what would be earned there, all returns to itself included.
    """
    links = {pad: dict(_shares(pond, pad)) for pad, jumps in enumerate(pond.jumps, 1) if jumps}
    earned = {pad: Fraction(_counts(pond, pad)) for pad in links}
    if pond.question == "ends":
        earned = {pad: found.get(pond.goal, Fraction(0)) for pad, found in links.items()}
    links = {
        pad: {other: share for other, share in found.items() if other in links}
        for pad, found in links.items()
    }
    for gone in [pad for pad in links if pad != pond.start]:
        through, worth = links.pop(gone), earned.pop(gone)
        stay = 1 - through.pop(gone, Fraction(0))
        for pad, found in links.items():
            share = found.pop(gone, Fraction(0)) / stay
            earned[pad] += share * worth
            for other, further in through.items():
                found[other] = found.get(other, Fraction(0)) + share * further
    back = links[pond.start].get(pond.start, Fraction(0))
    return earned[pond.start] / (1 - back)


STORIES = (
    ("a frog", "pad", "lily pads", "jump", "jumps"),
    ("a robot", "room", "rooms", "move", "moves"),
    ("a bee", "flower", "flowers", "flight", "flights"),
    ("a ferry", "island", "islands", "trip", "trips"),
    ("a token", "square", "squares", "move", "moves"),
)
QUESTIONS = ("after", "ends", "time", "visits")
LADDER = (
    Knobs(3, 2, 4, 1),
    Knobs(4, 3, 6, 3),
    Knobs(5, 3, 6, 4),
    Knobs(7, 4, 8, 4),
    Knobs(9, 5, 10, 4),
)
FAMILY = Family(
    Pond,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="elimination in fractions",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    twin=twin,
    renamed=renamed,
    skills=("probability", "expectation", "equations"),
    version=2,
)
