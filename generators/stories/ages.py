"""Ages: how people's ages stand to each other, now, earlier and later.

`solve` takes the facts as linear equations and eliminates; `verify` knows no equations: it tries
every age of one person and goes from fact to fact to the others, as with pencil and rubber.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.arithmetic._story_words import PEOPLE

Fact: TypeAlias = tuple[str, str, str]  # a kind, and the two people that it is about


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # whose ages are told of
    oldest: int  # years
    shifted: float  # the share of facts about another year than this
    shuffled: bool  # whether the facts stand in any order


@dataclass(frozen=True, slots=True)
class Ages:
    people: tuple[str, ...]
    facts: tuple[Fact, ...]
    numbers: tuple[tuple[int, ...], ...]  # of each fact
    asked: str
    later: int  # years from now that the question is about


def generate(rng: Random, knobs: Knobs) -> Ages | None:
    people = tuple(rng.sample(PEOPLE, knobs.people))
    facts: list[Fact] = []
    # Two facts about the first two people, then one that ties each other one to those before.
    for place in range(knobs.people):
        one, two = (people[max(place, 1)], people[rng.randrange(max(place, 1))])
        moved = rng.random() < knobs.shifted
        kinds = list(MOVED if moved else STILL)
        if place == 0:
            kinds = ["sum_later" if moved else "sum"]
        elif place == 1:
            kinds = [kind for kind in kinds if "times" in kind]
        first, second = rng.sample((one, two), 2)
        facts.append((rng.choice(kinds), first, second))
    if knobs.shuffled:
        rng.shuffle(facts)
    later = rng.randint(2, 12) if rng.random() < knobs.shifted else 0
    return _filled(rng, knobs, people, tuple(facts), rng.choice(people), later)


def solve(story: Ages) -> int | None:
    """Elimination; the ages must be whole numbers of years, and every fact about people born."""
    ages = _eliminated(story)
    if ages is None or any(age.denominator > 1 or not 0 < age <= LONGEST for age in ages.values()):
        return None
    for (kind, one, two), numbers in zip(story.facts, story.numbers):
        if kind == "times_ago" and min(ages[one], ages[two]) <= numbers[0]:
            return None
    if story.later > LONGEST:
        return None
    return int(ages[story.asked]) + story.later


def verify(story: Ages, answer: int) -> float:
    found = []
    for age in range(1, LONGEST + 1):
        ages = _spread(story, age)
        if ages is not None:
            found.append(ages[story.asked] + story.later)
    return float(found == [answer])


def render(story: Ages, style: Style) -> Prompt:
    told = " ".join(
        _told(fact, numbers, Style(style.phrasing + place))
        for place, (fact, numbers) in enumerate(zip(story.facts, story.numbers))
    )
    who = story.asked
    if story.later:
        goal = style.pick(
            f"How old will {who} be {story.later} years from now?",
            f"What will {who}'s age be in {story.later} years?",
            f"Find the age of {who} in {story.later} years' time.",
        )
    else:
        goal = style.pick(f"How old is {who}?", f"What is {who}'s age?", f"Find {who}'s age.")
    return Prompt(
        style.pick(
            f"{told} {goal}",
            f"This is known about the ages of {listed(story.people)}. {told} {goal}",
            f"{goal} Here is what we know. {told}",
        ),
        form="the age in years, as one integer",
    )


def steps(story: Ages) -> list[str]:
    lines, ages = ["Write each name for that person's age now."], _eliminated(story) or {}
    for (kind, one, two), numbers in zip(story.facts, story.numbers):
        row, right = _equation(kind, numbers)
        left = f"{one} {'+' if row > 0 else '-'} {abs(row)} {two}"
        lines.append(f"{left} = {right}")
    lines += [f"{name} = {age}" for name, age in ages.items()]
    return [*lines, f"The answer is {solve(story)}."]


def progress(story: Ages, lines: Lines) -> float:
    return states_followed(FAMILY, story, lines)


def hardness(story: Ages) -> float:
    moved = sum(kind in (*MOVED, "sum_later") for kind, _, _ in story.facts)
    return 4 * len(story.people) + moved + bool(story.later)


def canon(story: Ages) -> tuple[object, ...]:
    """People by their ages, in whatever order they are named; a sum's two may change places."""
    found = _eliminated(story)
    assert found, "its facts give every age"
    ages = {name: int(age) for name, age in found.items()}
    told = []
    for (kind, one, two), numbers in zip(story.facts, story.numbers):
        pair = [ages[one], ages[two]]
        told.append((kind, sorted(pair) if kind in ("sum", "sum_later") else pair, numbers))
    return sorted(told), ages[story.asked], story.later


def twin(rng: Random, knobs: Knobs, story: Ages) -> Ages | None:
    later = rng.randint(2, 12) if story.later else 0
    return _filled(rng, knobs, story.people, story.facts, story.asked, later)


def renamed(rng: Random, knobs: Knobs, story: Ages) -> Ages:
    people = tuple(rng.sample(PEOPLE, len(story.people)))
    new = dict(zip(story.people, people))
    facts = tuple((kind, new[one], new[two]) for kind, one, two in story.facts)
    return Ages(people, facts, story.numbers, new[story.asked], story.later)


def _filled(
    rng: Random,
    knobs: Knobs,
    people: tuple[str, ...],
    facts: tuple[Fact, ...],
    asked: str,
    later: int,
) -> Ages | None:
    for _ in range(TRIES):
        ages: dict[str, int] = {}
        numbers: dict[Fact, tuple[int, ...]] = {}
        for name in people:
            found = _aged(rng, knobs, facts, ages, name)
            if found is None:
                break
            numbers |= found
        if len(ages) < len(people) or len(numbers) < len(facts):
            continue
        made = Ages(people, facts, tuple(numbers[fact] for fact in facts), asked, later)
        if solve(made) == ages[asked] + later:
            return made
    return None


def _aged(
    rng: Random, knobs: Knobs, facts: tuple[Fact, ...], ages: dict[str, int], name: str
) -> dict[Fact, tuple[int, ...]] | None:
    """One more person's age, for which the facts about those whose ages are drawn have numbers."""
    for age in rng.sample(range(2, knobs.oldest + 1), min(30, knobs.oldest - 1)):
        ages[name] = age
        numbers = {}
        for fact in facts:
            kind, one, two = fact
            if name in (one, two) and one in ages and two in ages:
                numbers[fact] = _numbers(rng, kind, ages[one], ages[two])
        if all(numbers.values()):
            return {fact: found for fact, found in numbers.items() if found}
    del ages[name]
    return None


def _numbers(rng: Random, kind: str, one: int, two: int) -> tuple[int, ...] | None:
    """The numbers of a fact that is true of two ages."""
    match kind:
        case "sum":
            return (one + two,)
        case "sum_later":
            later = rng.randint(2, 9)
            return later, one + two + 2 * later
        case "older":
            return (one - two,) if one - two > 1 else None
        case "times":
            return (one // two,) if one % two == 0 and one > two else None
        case "times_later" | "times_ago":
            sign = 1 if kind == "times_later" else -1
            able = [
                years
                for years in range(2, 16)
                if min(one, two) + sign * years > 0
                and one > two
                and (one + sign * years) % (two + sign * years) == 0
            ]
            if not able:
                return None
            years = rng.choice(able)
            return years, (one + sign * years) // (two + sign * years)
        case _:  # the one in some years will be as old as so many times the other some years ago
            pairs = [
                (years, ago)
                for years in range(2, 10)
                for ago in range(2, 10)
                if two > ago and one + years > two - ago and (one + years) % (two - ago) == 0
            ]
            if not pairs:
                return None
            years, ago = rng.choice(pairs)
            return years, ago, (one + years) // (two - ago)


def _equation(kind: str, numbers: tuple[int, ...]) -> tuple[int, int]:
    """The factor of the second age, and the right side; the factor of the first is 1."""
    first, second, third = (*numbers, 0, 0, 0)[:3]
    match kind:
        case "sum":
            return 1, first
        case "sum_later":
            return 1, second - 2 * first
        case "older":
            return -1, first
        case "times":
            return -first, 0
        case "times_later":
            return -second, (second - 1) * first
        case "times_ago":
            return -second, (1 - second) * first
        case _:
            return -third, -third * second - first


def _eliminated(story: Ages) -> dict[str, Fraction] | None:
    """Every age, from equations in all of them; None where they do not fix one."""
    rows = []
    for (kind, one, two), numbers in zip(story.facts, story.numbers):
        factor, right = _equation(kind, numbers)
        weights = {one: Fraction(1), two: Fraction(factor)}
        rows.append([*(weights.get(name, Fraction(0)) for name in story.people), Fraction(right)])
    for column in range(len(story.people)):
        pivot = next((row for row in rows[column:] if row[column]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        pivot = [number / pivot[column] for number in pivot]
        rows = [
            [mine - row[column] * its for mine, its in zip(row, pivot)] if row[column] else row
            for row in rows
        ]
        rows.insert(column, pivot)
    return {name: row[-1] for name, row in zip(story.people, rows)}


def _spread(story: Ages, age: int) -> dict[str, int] | None:
    """All ages, if the first person has a certain one; None where some fact fails."""
    ages = {story.people[0]: age}
    told = list(zip(story.facts, story.numbers))
    for _ in story.people:
        for (kind, one, two), numbers in told:
            if two in ages:
                first = _first(kind, numbers, ages[two])
                if first < 1 or ages.setdefault(one, first) != first:
                    return None
            elif one in ages:
                second = _second(kind, numbers, ages[one])
                if second < 1 or _first(kind, numbers, second) != ages[one]:
                    return None
                ages[two] = second
    return ages if len(ages) == len(story.people) else None


def _first(kind: str, numbers: tuple[int, ...], two: int) -> int:
    """The first person's age by the second's."""
    first, second, third = (*numbers, 0, 0, 0)[:3]
    match kind:
        case "sum":
            return first - two
        case "sum_later":
            return second - (two + first) - first
        case "older":
            return two + first
        case "times":
            return two * first
        case "times_later":
            return (two + first) * second - first
        case "times_ago":
            return (two - first) * second + first
        case _:
            return (two - second) * third - first


def _second(kind: str, numbers: tuple[int, ...], one: int) -> int:
    """The second person's age by the first's, rounded down where it is not whole."""
    first, second, third = (*numbers, 0, 0, 0)[:3]
    match kind:
        case "sum" | "sum_later":
            return _first(kind, numbers, one)
        case "older":
            return one - first
        case "times":
            return one // first
        case "times_later":
            return (one + first) // second - first
        case "times_ago":
            return (one - first) // second + first
        case _:
            return (one + first) // third + second


def _told(fact: Fact, numbers: tuple[int, ...], style: Style) -> str:
    kind, one, two = fact
    first, second, third = (*numbers, 0, 0, 0)[:3]
    match kind:
        case "sum":
            return style.pick(
                f"The ages of {one} and {two} add up to {first} years.",
                f"Together, {one} and {two} are {first} years old.",
            )
        case "sum_later":
            return style.pick(
                f"In {first} years, the ages of {one} and {two} will add up to {second} years.",
                f"{first} years from now, {one} and {two} will be {second} years old together.",
            )
        case "older":
            return style.pick(
                f"{one} is {first} years older than {two}.",
                f"{two} is {first} years younger than {one}.",
            )
        case "times":
            return f"{one} is {_times(first)} as old as {two}."
        case "times_later":
            return style.pick(
                f"In {first} years, {one} will be {_times(second)} as old as {two} will be then.",
                f"{first} years from now, {one}'s age will be {_times(second)} what {two}'s"
                " is then.",
            )
        case "times_ago":
            return style.pick(
                f"{first} years ago, {one} was {_times(second)} as old as {two} was then.",
                f"{first} years ago, {one}'s age was {_times(second)} what {two}'s was then.",
            )
        case _:
            return capital(
                f"in {first} years, {one} will be {_times(third)} as old as {two} was {second}"
                " years ago."
            )


def _times(number: int) -> str:
    return "just" if number == 1 else f"{number} times"


STILL = ("older", "times")
MOVED = ("times_later", "times_ago", "crossed", "crossed")
LONGEST = 130  # years of life
TRIES = 20
LADDER = (
    Knobs(2, 40, 0.0, False),
    Knobs(2, 60, 0.6, False),
    Knobs(3, 70, 0.7, True),
    Knobs(4, 80, 0.8, True),
    Knobs(6, 90, 1.0, True),
)
FAMILY = Family(
    Ages,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="elimination, and whole ages",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("numbers", "later"),
    twin=twin,
    renamed=renamed,
    version=4,
    skills=("reading", "equations", "calculation"),
)
