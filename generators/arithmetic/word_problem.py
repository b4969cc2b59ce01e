"""Word problem: a story of people or places and how many things each has.

Every fact ties a few quantities together; all but the distractors are needed. `solve` goes from
fact to fact, filling in one quantity at a time; `verify` takes the facts as linear equations and
eliminates, so that it knows nothing of the order in which a reader would go.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.address import digest
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import capital
from puzzlemill.generators.arithmetic._story_words import (
    CONTAINERS,
    SCENES,
    THINGS,
    Fact,
    Quantity,
    asked,
    sentence,
    the_number,
)


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # calculations that lead to the answer
    distractors: int  # facts that are true and not needed
    most: int  # the largest quantity
    backward: float  # the share of facts that say the known by the unknown
    tangled: bool  # told in any order, not in the order of the calculation


@dataclass(frozen=True, slots=True)
class Story:
    facts: tuple[Fact, ...]  # in the order of the telling
    question: Fact


def generate(rng: Random, knobs: Knobs) -> Story:
    """Grow a calculation from its givens; what is not yet used is an open end, and all must be."""
    draft = _Draft(rng, knobs)
    ends = [draft.given()]
    for left in range(knobs.steps, 1, -1):
        if len(ends) > 1 and rng.random() < 0.2 * len(ends):
            ends = [*ends[2:], draft.merged(ends[0], ends[1])]
        else:
            ends[0] = draft.derived(ends[0])
        if left > 2 and len(ends) < 3 and rng.random() < 0.4:
            ends.append(draft.given())
        rng.shuffle(ends)
    question = draft.question(ends)  # the last step
    return Story(draft.told(knobs.distractors), question)


def solve(story: Story) -> int | None:
    """Fill in one quantity after another, from every fact that lacks just one."""
    known = {quantity: value for _, quantity, value in _filled_in(story)}
    found = [known[quantity] for quantity in story.question[1] if quantity in known]
    if len(found) < len(story.question[1]):
        return None
    match story.question[0]:
        case "gap":
            return found[0] - found[1]
        case "worth":
            return found[0] * story.question[2]
        case _:
            return sum(found)


def verify(story: Story, answer: int) -> float:
    sought = ("", "sought")
    kind, quantities, number = story.question
    weight = {"gap": (-1, 1), "worth": (-number,)}.get(kind, (-1,) * len(quantities))
    goal = {sought: Fraction(1), **dict(zip(quantities, map(Fraction, weight)))}
    values = _eliminated([*map(_equation, story.facts), goal])
    found = (values or {}).get(sought)
    return float(found is not None and set(found) <= {ONE} and found.get(ONE, 0) == answer)


def render(story: Story, style: Style) -> Prompt:
    told = " ".join(
        sentence(fact, Style(style.phrasing + place)) for place, fact in enumerate(story.facts)
    )
    question = asked(story.question, Style(style.phrasing // 3))
    return Prompt(
        style.pick(
            f"{told}\n\n{question}",
            f"Read the facts and answer the question.\n\n{told}\n\n{question}",
            f"Question: {question}\n\nFacts: {told}",
        ),
        form="one integer",
    )


def steps(story: Story) -> list[str]:
    filled = _filled_in(story)
    reasons = {quantity: fact for fact, quantity, _ in filled}
    values = {quantity: value for _, quantity, value in filled}
    needed: list[Quantity] = list(story.question[1])
    for quantity in needed:  # grows while it is walked
        needed += [other for other in reasons[quantity][1] if other not in needed]
    lines = []
    for fact, quantity, value in filled:
        if quantity in needed:
            said = sentence(fact, Style())
            working = _working(fact, quantity, values)
            result = f"{capital(the_number(quantity))} is {working} = {value}."
            lines.append(f"{said} {result}" if working else said)
    found = [str(values[quantity]) for quantity in story.question[1]]
    kind, _, number = story.question
    if kind == "worth":
        found.append(str(number))
    total = {"worth": " * ", "gap": " - "}.get(kind, " + ").join(found)
    equals = f" = {solve(story)}" if len(found) > 1 else ""
    return [*lines, f"The answer is {total}{equals}."]


def progress(story: Story, lines: Lines) -> float:
    return results_derived(FAMILY, story, lines)


def canon(story: Story) -> list[str]:
    """The facts with each quantity named by its ties to others, in an order of their own."""
    told = [*story.facts, ("asked " + story.question[0], *story.question[1:])]
    facts = [(f"{kind} {number}", _roles(kind, which), which) for kind, which, number in told]
    names = {quantity: "" for _, _, which in facts for quantity in which}
    for _ in range(3):  # ties of ties of ties
        views: dict[Quantity, list[str]] = {quantity: [] for quantity in names}
        for said, roles, which in facts:
            named = f"{said} {sorted(zip(roles, [names[each] for each in which]))}"
            for role, quantity in zip(roles, which):
                views[quantity].append(f"{named} {role}")
        names = {quantity: digest(repr(sorted(view))) for quantity, view in views.items()}
    return sorted(
        f"{said} {sorted(zip(roles, [names[each] for each in which]))}"
        for said, roles, which in facts
    )


def _roles(kind: str, quantities: tuple[Quantity, ...]) -> list[int]:
    """In a total all are alike; else the first is told by the others."""
    return [0 if "total" in kind else min(place, 1) for place in range(len(quantities))]


class _Draft:
    """A story in the making: the values so far, and the facts that tell them."""

    def __init__(self, rng: Random, knobs: Knobs) -> None:
        self.rng, self.knobs = rng, knobs
        crowd = 3 + (2 * knobs.steps + knobs.distractors) // 3
        people, goods, containers = rng.choice(SCENES)
        owners = rng.sample(people, crowd)
        things = [*rng.sample(goods, 2), rng.choice(containers)]
        self.unused = [(owner, thing) for owner in owners for thing in things]
        self.ages = [(owner, "year") for owner in owners]
        self.values: dict[Quantity, int] = {}
        self.facts: list[Fact] = []

    def given(self) -> Quantity:
        value = self.rng.randint(2, max(4, self.knobs.most // 3))
        quantity = self._new(value)
        self.facts.append(("count", (quantity,), value))
        return quantity

    def derived(self, source: Quantity) -> Quantity:
        """A new quantity, found from one that is known."""
        value, most = self.values[source], self.knobs.most
        owner, thing = source
        inside = [found for found in self.unused if found[0] == owner and found[1] in THINGS]
        if thing in CONTAINERS and inside and 2 * value <= most and self.rng.random() < 0.7:
            number = self.rng.randint(2, min(12, most // value))
            new = self._new(value * number, inside)
            self.facts.append(("packs", (new, source), number))
            return new
        kind, number, result = self.rng.choice(_moves(value, most, self.rng))
        new = self._new(result, self._beside(source))
        if self.rng.random() < self.knobs.backward:
            self.facts.append((INVERSE[kind], (source, new), number))
        else:
            self.facts.append((kind, (new, source), number))
        return new

    def merged(self, one: Quantity, other: Quantity) -> Quantity:
        """A new quantity, found from two: their sum, or what the larger has over the smaller."""
        more, less = sorted((one, other), key=lambda quantity: -self.values[quantity])
        gap, total = self.values[more] - self.values[less], self.values[more] + self.values[less]
        if gap > 1 and (total > self.knobs.most or self.rng.random() < self.knobs.backward):
            new = self._new(gap, self._beside(more))
            self.facts.append(("sum", (more, less, new), 0))
        else:
            new = self._new(total, self._beside(more))
            self.facts.append(("sum", (new, one, other), 0))
        return new

    def question(self, ends: list[Quantity]) -> Fact:
        """Takes the last step, in the question itself where that makes one."""
        first = ends[0]
        if len(ends) == 1:
            if first[1] in THINGS and self.rng.random() < 0.25:
                return "worth", (first,), self.rng.randint(2, 9)
            return "count", (self.derived(first),), 0
        low, high = sorted(ends[:2], key=self.values.__getitem__)
        if len(ends) == 2 and self.values[low] < self.values[high] and self.rng.random() < 0.5:
            return "gap", (high, low), 0
        return "total", tuple(ends), 0

    def told(self, distractors: int) -> tuple[Fact, ...]:
        """The facts in the order of the telling, with others among them that nobody needs."""
        needed = len(self.facts)
        for _ in range(distractors):
            luck = self.rng.random()
            if luck < 0.3:
                age = self.ages.pop(self.rng.randrange(len(self.ages)))
                self.facts.append(("age", (age,), self.rng.randint(20, 70)))
            elif luck < 0.5:
                self.given()
            else:
                self.derived(self.rng.choice(list(self.values)))
        told, others = self.facts[:needed], self.facts[needed:]
        if self.knobs.tangled:
            self.rng.shuffle(told)
        for fact in others:
            told.insert(self.rng.randint(0, len(told)), fact)
        return tuple(told)

    def _beside(self, source: Quantity) -> list[Quantity]:
        """Where to look for a new quantity: mostly the same thing, at another owner's."""
        alike = [found for found in self.unused if found[1] == source[1]]
        return alike if alike and self.rng.random() < 0.65 else self.unused

    def _new(self, value: int, among: list[Quantity] | None = None) -> Quantity:
        quantity = self.rng.choice(among or self.unused)
        self.unused.remove(quantity)
        self.values[quantity] = value
        return quantity


def _moves(value: int, most: int, rng: Random) -> list[tuple[str, int, int]]:
    """What can be done to a value: (kind, number, result), all humane."""
    moves = []
    if value < most:
        number = rng.randint(1, min(most - value, most // 2))
        moves.append(("more", number, value + number))
    if value > 2:
        number = rng.randint(1, value - 2)
        moves.append(("fewer", number, value - number))
    for number in rng.sample(range(2, 6), 4):
        if value * number <= most:
            moves.append(("times", number, value * number))
            break
    for number in rng.sample(range(2, 6), 4):
        if value % number == 0 and value > number:
            moves.append(("share", number, value // number))
            break
    return moves


def _filled_in(story: Story) -> list[tuple[Fact, Quantity, int]]:
    """The quantities that can be found, in an order in which they can, and from which fact."""
    known: dict[Quantity, int] = {}
    found: list[tuple[Fact, Quantity, int]] = []
    waiting = list(story.facts)
    while waiting:
        still = []
        for fact in waiting:
            missing = [quantity for quantity in fact[1] if quantity not in known]
            value = _missing_value(fact, missing[0], known) if len(missing) == 1 else None
            if value is None:
                still.append(fact)
            else:
                known[missing[0]] = value
                found.append((fact, missing[0], value))
        if len(still) == len(waiting):
            break
        waiting = still
    return found


def _missing_value(fact: Fact, missing: Quantity, known: dict[Quantity, int]) -> int | None:
    kind, quantities, number = fact
    others = [known[quantity] for quantity in quantities if quantity != missing]
    forward = missing == quantities[0]
    match kind if forward else INVERSE.get(kind, kind):
        case "more":
            return others[0] + number
        case "fewer":
            return others[0] - number
        case "times" | "packs":
            return others[0] * number
        case "share":
            return None if others[0] % number else others[0] // number
        case "sum":
            return others[0] + others[1] if forward else others[0] - others[1]
        case _:
            return number


def _working(fact: Fact, quantity: Quantity, values: dict[Quantity, int]) -> str:
    """How a quantity follows from a fact, in numbers; empty where the fact just says it."""
    kind, quantities, number = fact
    others = [str(values[other]) for other in quantities if other != quantity]
    forward = quantity == quantities[0]
    if kind == "sum":
        return (" + " if forward else " - ").join(others)
    rule = kind if forward else INVERSE.get(kind, kind)
    sign = {"more": "+", "fewer": "-", "times": "*", "packs": "*", "share": "/"}.get(rule)
    return f"{others[0]} {sign} {number}" if sign else ""


def _equation(fact: Fact) -> dict[Quantity, Fraction]:
    """A fact as a sum that is zero."""
    kind, quantities, number = fact
    first, second, constant = {
        "more": (1, -1, -number),
        "fewer": (1, -1, number),
        "times": (1, -number, 0),
        "packs": (1, -number, 0),
        "share": (number, -1, 0),
        "sum": (1, -1, 0),
    }.get(kind, (1, 0, -number))
    weights = [first, *[second] * (len(quantities) - 1), constant]
    return {place: Fraction(weight) for place, weight in zip((*quantities, ONE), weights)}


def _eliminated(
    equations: list[dict[Quantity, Fraction]],
) -> dict[Quantity, dict[Quantity, Fraction]] | None:
    """Each unknown by those that stay free, or None where the equations contradict each other."""
    solved: dict[Quantity, dict[Quantity, Fraction]] = {}
    for equation in equations:
        for unknown in [place for place in equation if place in solved]:
            _replace(equation, unknown, solved[unknown])
        pivot = next((place for place in equation if place != ONE and equation[place]), None)
        if pivot is None:
            if equation.get(ONE):
                return None
            continue
        share = equation.pop(pivot)
        others = {place: -weight / share for place, weight in equation.items() if weight}
        for earlier in solved.values():
            if pivot in earlier:
                _replace(earlier, pivot, others)
        solved[pivot] = others
    return solved


def _replace(
    equation: dict[Quantity, Fraction], unknown: Quantity, others: dict[Quantity, Fraction]
) -> None:
    share = equation.pop(unknown)
    for place, weight in others.items():
        equation[place] = equation.get(place, 0) + share * weight
        if not equation[place]:
            del equation[place]


ONE: Quantity = ("", "one")  # stands for the number 1 in equations
INVERSE = {"more": "fewer", "fewer": "more", "times": "share", "share": "times", "packs": "share"}
LADDER = (
    Knobs(1, 0, 20, 0.0, False),
    Knobs(3, 1, 60, 0.1, False),
    Knobs(5, 3, 100, 0.3, True),
    Knobs(9, 5, 300, 0.5, True),
    Knobs(15, 8, 999, 0.6, True),
)
FAMILY = Family(
    Story,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda story: len(story.facts),
    proof="unique",
    solver="filling in one quantity after another",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("facts",),
    skills=("reading", "calculation"),
    peers=("reasoning-gym/gsm_symbolic", "reasoning-core/math_word_problem"),
    version=2,
)
