"""Committee: in how many ways can a committee be chosen from several groups under some rules?

`solve` goes through the compositions of the committee and multiplies binomial coefficients, case by
case over those who are named; `verify` asks one person after another whether they are in and in
which office, and never sees a binomial coefficient.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import comb, prod
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._vocabulary import NAMES

Rule: TypeAlias = tuple[str, int, int]  # a group and a number, or two groups, or two people
Person: TypeAlias = tuple[str, int]  # name, group
Office: TypeAlias = tuple[str, int]  # title, the group that it is kept for; -1: anybody's
# Members by group and in the one that is asked, the named, filled offices, members
State: TypeAlias = tuple[tuple[int, ...], int, int, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    groups: int  # from which members are chosen
    size: int  # the largest group
    seats: int  # the largest committee
    group_rules: int  # rules about how many of a group are chosen
    person_rules: int  # rules about two people by name
    offices: int  # that members hold


@dataclass(frozen=True, slots=True)
class Selection:
    groups: tuple[str, ...]
    sizes: tuple[int, ...]
    seats: int
    rules: tuple[Rule, ...]
    people: tuple[Person, ...]  # those whom the rules name
    offices: tuple[Office, ...]


def generate(rng: Random, knobs: Knobs) -> Selection | None:
    groups = rng.sample(rng.choice(GROUPS), knobs.groups)
    names = rng.sample(NAMES, 2 * knobs.person_rules)
    people = tuple((name, rng.randrange(knobs.groups)) for name in names)
    rules: list[Rule] = []
    for place in range(knobs.person_rules):
        rules.append((rng.choice(PERSON_RULES), 2 * place, 2 * place + 1))
    for group in rng.sample(range(knobs.groups), min(knobs.group_rules, knobs.groups)):
        rules.append(_group_rule(rng, group, knobs))
    kept = [rng.choice((-1, *range(knobs.groups))) for _ in range(knobs.offices)]
    offices = tuple(zip(("chair", "secretary"), kept))
    return _filled(rng, knobs, Selection(tuple(groups), (), 0, tuple(rules), people, offices))


def twin(rng: Random, knobs: Knobs, puzzle: Selection) -> Selection | None:
    return _filled(rng, knobs, puzzle)


def renamed(rng: Random, knobs: Knobs, puzzle: Selection) -> Selection | None:
    groups = rng.sample(rng.choice(GROUPS), len(puzzle.groups))
    names = rng.sample(NAMES, len(puzzle.people))
    people = tuple((name, group) for name, (_, group) in zip(names, puzzle.people))
    return replace(puzzle, groups=tuple(groups), people=people)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Selection) -> int | None:
    """Over every set of named people, and every number of members from each group."""
    named = Counter(group for _, group in puzzle.people)
    if max(puzzle.sizes) > MOST_PEOPLE or not 2 <= puzzle.seats <= min(
        MOST_SEATS, sum(puzzle.sizes)
    ):
        return None
    if any(named[group] > size for group, size in enumerate(puzzle.sizes)):
        return None
    if any(kind in NUMBERED and number > puzzle.seats for kind, _, number in puzzle.rules):
        return None
    total = 0
    for chosen in product((0, 1), repeat=len(puzzle.people)):
        if not all(_people_agree(rule, chosen) for rule in puzzle.rules):
            continue
        members = [0] * len(puzzle.sizes)
        for (_, group), seated in zip(puzzle.people, chosen):
            members[group] += seated
        for counts in _compositions(puzzle.sizes, puzzle.seats):
            if all(_groups_agree(rule, counts) for rule in puzzle.rules):
                total += _appointments(puzzle, counts) * prod(
                    comb(puzzle.sizes[group] - named[group], count - seated)
                    if count >= seated
                    else 0
                    for group, (size, count, seated) in enumerate(
                        zip(puzzle.sizes, counts, members)
                    )
                )
    return total


def verify(puzzle: Selection, answer: int) -> float:
    return float(_one_by_one(puzzle) == answer)


def render(puzzle: Selection, style: Style) -> Prompt:
    members = listed(f"{size} {group}" for size, group in zip(puzzle.sizes, puzzle.groups))
    seats = puzzle.seats
    lines = [f"- {_told(puzzle, rule)}" for rule in puzzle.rules]
    lines += [f"- {_kept(puzzle, office)}" for office in puzzle.offices]
    who = [f"{name} is one of the {puzzle.groups[group]}" for name, group in puzzle.people]
    named = f" {'; '.join(who)}." if who else ""
    question = style.pick(
        f"A club has {members}. A committee of {seats} is to be chosen from them.{named}",
        f"From {members}, a committee with {seats} members is formed.{named}",
        f"A board of {seats} people has to be picked. The candidates are {members}.{named}",
    )
    asked = style.pick(
        "In how many ways can this be done?",
        "How many possibilities are there?",
        "Count the different ways to do it.",
    )
    apply = "These rules apply" if len(lines) > 1 else "This rule applies"
    rules = f" {apply}:\n\n{chr(10).join(lines)}\n\n" if lines else " "
    note = "All people are distinguishable."
    if puzzle.offices:
        note += " The same members with different office holders count as a different way."
    return Prompt(f"{question}{rules}{asked} {note}", form="one integer, the number of ways")


def hardness(puzzle: Selection) -> float:
    """Compositions and cases, roughly, with what has to be done in each."""
    rules = len(puzzle.rules) + len(puzzle.offices)
    return puzzle.seats * len(puzzle.sizes) * (1 + rules) + 4 * len(puzzle.people)


def canon(puzzle: Selection) -> tuple[object, ...]:
    """Without the names of groups and people."""
    groups = tuple(group for _, group in puzzle.people)
    return puzzle.sizes, puzzle.seats, puzzle.rules, groups, puzzle.offices


def _group_rule(rng: Random, group: int, knobs: Knobs) -> Rule:
    kind = rng.choice(("at least", "at least", "at most", "exactly", "more"))
    if kind == "more":
        return kind, group, rng.choice([other for other in range(knobs.groups) if other != group])
    least, most = {"at least": (1, 3), "at most": (1, 3), "exactly": (2, 3)}[kind]
    return kind, group, rng.randint(least, max(least, min(most, knobs.seats - 2)))


def _filled(rng: Random, knobs: Knobs, puzzle: Selection) -> Selection | None:
    """The puzzle with sizes of its own; None where the rules forbid everything, or nothing."""
    sizes = tuple(rng.randint(3, knobs.size) for _ in puzzle.groups)
    seats = rng.randint(max(3, knobs.seats - 2), knobs.seats)
    made = replace(puzzle, sizes=sizes, seats=seats)
    count = solve(made)
    if not count or count < 3:
        return None
    free = comb(sum(sizes), seats) * prod(seats - place for place in range(len(puzzle.offices)))
    return made if count < free else None


def _people_agree(rule: Rule, chosen: tuple[int, ...]) -> bool:
    kind, one, other = rule
    if kind not in PERSON_RULES:
        return True
    first, second = chosen[one], chosen[other]
    return {
        "not both": first + second < 2,
        "together": first == second,
        "only with": second >= first,
        "one of": first + second > 0,
        "just one of": first + second == 1,
    }[kind]


def _groups_agree(rule: Rule, counts: tuple[int, ...]) -> bool:
    kind, group, number = rule
    match kind:
        case "at least":
            return counts[group] >= number
        case "at most":
            return counts[group] <= number
        case "exactly":
            return counts[group] == number
        case "more":
            return counts[group] > counts[number]
    return True


def _compositions(sizes: tuple[int, ...], seats: int) -> Iterator[tuple[int, ...]]:
    if len(sizes) == 1:
        if seats <= sizes[0]:
            yield (seats,)
        return
    for count in range(min(sizes[0], seats) + 1):
        for rest in _compositions(sizes[1:], seats - count):
            yield (count, *rest)


def _appointments(puzzle: Selection, counts: tuple[int, ...]) -> int:
    """Ways to fill one or two offices: all pairs of candidates, less those of one person twice."""
    able = [puzzle.seats if kept < 0 else counts[kept] for _, kept in puzzle.offices]
    if len(able) < 2:
        return prod(able)
    (_, first), (_, second) = puzzle.offices
    twice = min(able) if first == second or min(first, second) < 0 else 0
    return able[0] * able[1] - twice


@lru_cache(maxsize=64)
def _one_by_one(puzzle: Selection) -> int:
    """Person by person; after each group the rules that only later groups do not concern are held
    against it, and what no later rule asks for is forgotten."""
    states: dict[State, int] = {((), 0, 0, 0, 0): 1}
    for group, size in enumerate(puzzle.sizes):
        named = [bit for bit, (_, home) in enumerate(puzzle.people) if home == group]
        open_ = [1 << at for at, (_, kept) in enumerate(puzzle.offices) if kept in (-1, group)]
        for who in [*(1 << bit for bit in named), *[0] * (size - len(named))]:
            states = _asked(states, puzzle.seats, who, open_)
        due = [rule for rule in puzzle.rules if max(_concerned(puzzle, rule)) == group]
        later = [rule for rule in puzzle.rules if max(_concerned(puzzle, rule)) > group]
        awaited = {it for kind, *groups in later if kind == "more" for it in groups}
        left = sum(puzzle.sizes[group + 1 :])
        states, done = {}, states
        for (counts, here, named_in, offices, members), number in done.items():
            counts = (*counts, here)
            if members + left >= puzzle.seats and all(
                _holds(rule, counts, named_in) for rule in due
            ):
                counts = tuple(it if at in awaited else 0 for at, it in enumerate(counts))
                state = counts, 0, named_in if later else 0, offices, members
                states[state] = states.get(state, 0) + number
    filled = (1 << len(puzzle.offices)) - 1
    return sum(number for (*_, offices, _), number in states.items() if offices == filled)


def _asked(states: dict[State, int], seats: int, who: int, open_: list[int]) -> dict[State, int]:
    """The states when one person more stays out or is in, without an office or in a free one."""
    grown = dict(states)
    for (counts, here, named, offices, members), number in states.items():
        if members < seats:
            for office in (0, *open_):
                if not offices & office:
                    seated = counts, here + 1, named | who, offices | office, members + 1
                    grown[seated] = grown.get(seated, 0) + number
    return grown


def _concerned(puzzle: Selection, rule: Rule) -> tuple[int, ...]:
    """The groups that a rule is about, or those of the people that it is about."""
    kind, one, other = rule
    if kind in NUMBERED:
        return (one,)
    return (one, other) if kind == "more" else (puzzle.people[one][1], puzzle.people[other][1])


def _holds(rule: Rule, counts: tuple[int, ...], named: int) -> bool:
    """Whether a rule holds, once all whom it concerns were asked."""
    kind, one, other = rule
    if kind in NUMBERED:
        low = 0 if kind == "at most" else other
        return counts[one] >= low and (kind == "at least" or counts[one] <= other)
    if kind == "more":
        return counts[one] - counts[other] >= 1
    pair = (bool(named >> one & 1), bool(named >> other & 1))
    return (
        pair
        in {
            "not both": [(False, False), (False, True), (True, False)],
            "together": [(False, False), (True, True)],
            "only with": [(False, False), (False, True), (True, True)],
            "one of": [(True, True), (False, True), (True, False)],
            "just one of": [(False, True), (True, False)],
        }[kind]
    )


def _told(puzzle: Selection, rule: Rule) -> str:
    kind, one, other = rule
    if kind in NUMBERED:
        which = puzzle.groups[one]
        return f"The number of {which} in it is {kind} {other}."
    if kind == "more":
        return f"There are more {puzzle.groups[one]} than {puzzle.groups[other]} in it."
    first, second = puzzle.people[one][0], puzzle.people[other][0]
    return {
        "not both": f"{first} and {second} refuse to be in it together.",
        "together": f"{first} and {second} are both in it, or neither of them is.",
        "only with": f"If {first} is in it, then {second} must be in it too.",
        "one of": f"At least one of {first} and {second} is in it.",
        "just one of": f"Exactly one of {first} and {second} is in it.",
    }[kind]


def _kept(puzzle: Selection, office: Office) -> str:
    title, group = office
    whom = f"one of the {puzzle.groups[group]} in it" if group >= 0 else "any one of its members"
    other = ", but not the chair" if title == "secretary" else ""
    return f"One member is named {title}: {whom}{other}."


PERSON_RULES = ("not both", "together", "only with", "one of", "just one of")
NUMBERED = ("at least", "at most", "exactly")
GROUPS = (
    ("teachers", "parents", "pupils", "former pupils", "guests"),
    ("doctors", "nurses", "pharmacists", "patients", "trainees"),
    ("engineers", "designers", "lawyers", "clerks", "drivers"),
    ("swimmers", "runners", "climbers", "rowers", "cyclists"),
    ("violinists", "pianists", "singers", "drummers", "dancers"),
)
MOST_PEOPLE, MOST_SEATS = 60, 20  # beyond that, the numbers are not looked at
LADDER = (
    Knobs(2, 7, 4, 1, 0, 0),
    Knobs(2, 12, 6, 1, 1, 0),
    Knobs(3, 12, 7, 2, 1, 1),
    Knobs(3, 12, 8, 3, 2, 1),
    Knobs(4, 12, 9, 3, 2, 2),
)
FAMILY = Family(
    Selection,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="cases, and binomial coefficients in each",
    guess_rate=0.12,
    canon=canon,
    inputs=("sizes", "seats"),
    twin=twin,
    renamed=renamed,
    skills=("counting", "reading"),
    peers=("reasoning-core/combinatorics_formula",),
    version=2,
)
