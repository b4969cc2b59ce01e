"""Grouping games: people are put into groups of certain sizes, under rules about who is where."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

import numpy as np

from puzzlemill.core.prose import capital, counted
from puzzlemill.generators._vocabulary import NAMES

# ("in", A, g): A is in group g; ("out", A, g): not in it; ("same", A, B), ("apart", A, B);
# ("if", A, g, B, h): if A is in g, then B is in h; ("unless", A, g, B, h): if A is in g, then B is
# not in h; ("or", A, g, B, h): A is in g, or B is in h, or both.
Rule: TypeAlias = tuple[Any, ...]
World: TypeAlias = tuple[int, ...]  # the group of each person

OPPOSITE = {"in": "out", "out": "in", "same": "apart", "apart": "same"}
# Who is put where: the people, how they are there (or not), what a group is, and the groups.
SETTINGS = (
    ("students", "is in", "is not in", "team", "the red team", "the blue team", "the green team"),
    ("guests", "sits at", "does not sit at", "table", "the round table", "the long table",
     "the small table"),
    ("workers", "works on", "does not work on", "shift", "the early shift", "the late shift",
     "the night shift"),
    ("musicians", "plays in", "does not play in", "band", "the brass band", "the jazz band",
     "the string band"),
    ("hikers", "sleeps in", "does not sleep in", "hut", "the upper hut", "the middle hut",
     "the lower hut"),
)  # fmt: skip
KINDS = ("in", "out", "same", "apart", "if", "unless", "or")


def drawn(
    rng: Random, people: int, groups: int, rules: int
) -> tuple[tuple[str, ...], int, tuple[tuple[int, int], ...], tuple[Rule, ...], World]:
    """Names, a setting, the sizes that groups may have, rules, and one way to keep them all."""
    names = tuple(sorted(rng.sample(NAMES, people)))
    while True:
        world = tuple(rng.randrange(groups) for _ in names)
        sizes = [world.count(group) for group in range(groups)]
        if min(sizes):
            break
    bounds = tuple((max(1, size - rng.randint(0, 1)), size + rng.randint(0, 1)) for size in sizes)
    made: list[Rule] = []
    while len(made) < rules:
        # Rules that fix a person outright are rare.
        kind = rng.choices(KINDS, (1, 2, 2, 3, 5, 4, 3))[0]
        rule = any_rule(rng, kind, people, groups)
        alike = any(set(rule[1:]) == set(each[1:]) and rule[0] == each[0] for each in made)
        if not alike and tested(rule)(world):
            made.append(rule)
    return names, rng.randrange(len(SETTINGS)), bounds, tuple(made), world


def any_rule(rng: Random, kind: str, people: int, groups: int) -> Rule:
    one, other = rng.sample(range(people), 2)
    if kind in ("in", "out"):
        return kind, one, rng.randrange(groups)
    if kind in ("same", "apart"):
        return kind, min(one, other), max(one, other)
    return kind, one, rng.randrange(groups), other, rng.randrange(groups)


@lru_cache(maxsize=1 << 12)
def tested(rule: Rule) -> Callable[[World], bool]:
    """Whether a rule is kept in a world, as a function of the world; of many worlds at once, if the
    group of each person is an array."""
    match rule:
        case ("in", int(one), int(group)):
            return lambda world: world[one] == group
        case ("out", int(one), int(group)):
            return lambda world: world[one] != group
        case ("same", int(one), int(other)):
            return lambda world: world[one] == world[other]
        case ("apart", int(one), int(other)):
            return lambda world: world[one] != world[other]
        case ("if", int(one), int(group), int(other), int(place)):
            return lambda world: (world[one] != group) | (world[other] == place)
        case ("unless", int(one), int(group), int(other), int(place)):
            return lambda world: (world[one] != group) | (world[other] != place)
        case ("or", int(one), int(group), int(other), int(place)):
            return lambda world: (world[one] == group) | (world[other] == place)
    raise AssertionError(f"no rule: {rule}")


def fits(bounds: Sequence[tuple[int, int]], world: World) -> bool:
    return all(low <= world.count(group) <= high for group, (low, high) in enumerate(bounds))


def every_world(people: int, bounds: tuple[tuple[int, int], ...], rules: Sequence[Rule]) -> Any:
    """All ways to keep the rules, by trying all there are: a row for each person, with the groups
    that it has in them."""
    worlds, kept = _worlds(people, len(bounds)), _fitting(people, bounds)
    for rule in rules:
        kept = kept & tested(rule)(worlds)
    return worlds[:, kept]


@lru_cache(maxsize=4)
def _worlds(people: int, groups: int) -> Any:
    return np.indices((groups,) * people, dtype=np.int8).reshape(people, -1)


@lru_cache(maxsize=64)
def _fitting(people: int, bounds: tuple[tuple[int, int], ...]) -> Any:
    """In which of all worlds each group has as many people as it may."""
    worlds = _worlds(people, len(bounds))
    sizes = [(worlds == group).sum(axis=0) for group in range(len(bounds))]
    return np.all([(low <= size) & (size <= high) for size, (low, high) in zip(sizes, bounds)], 0)


class Search:
    """Puts person after person into a group, minding what each choice rules out for the others."""

    def __init__(
        self, people: int, bounds: Sequence[tuple[int, int]], rules: Sequence[Rule]
    ) -> None:
        self.people, self.bounds, groups = people, bounds, range(len(bounds))
        self.allowed = [set(groups) for _ in range(people)]
        # By person and group: others who come before, and as bits the groups that bar it.
        self.barred: list[list[list[tuple[int, int]]]] = [
            [[] for _ in groups] for _ in self.allowed
        ]
        for rule in rules:
            if rule[0] in ("in", "out"):
                kept = {rule[2]} if rule[0] == "in" else set(groups) - {rule[2]}
                self.allowed[rule[1]] &= kept
                continue
            one, other = (rule[1], rule[2]) if rule[0] in OPPOSITE else (rule[1], rule[3])
            clashes = [(here, there) for here in groups for there in groups
                       if _clash(rule, here, there)]  # fmt: skip
            for here, there in clashes:
                if one > other:
                    self.barred[one][here].append((other, 1 << there))
                else:
                    self.barred[other][there].append((one, 1 << here))

    def worlds(self) -> Iterator[World]:
        return self._after((), [0] * len(self.bounds), sum(low for low, _ in self.bounds))

    def _after(self, begun: World, sizes: list[int], short: int) -> Iterator[World]:
        """With others in their groups; so many people are still needed to fill all."""
        at = len(begun)
        if at == self.people:
            yield begun
            return
        for group in sorted(self.allowed[at]):
            low, high = self.bounds[group]
            size = sizes[group]
            still = short - (size < low)
            if size >= high or still > self.people - at - 1:
                continue
            for other, groups in self.barred[at][group]:
                if groups >> begun[other] & 1:
                    break
            else:
                sizes[group] += 1
                yield from self._after((*begun, group), sizes, still)
                sizes[group] -= 1


def _clash(rule: Rule, here: int, there: int) -> bool:
    match rule[0]:
        case "same":
            return here != there
        case "apart":
            return here == there
        case "if":
            return bool(here == rule[2] and there != rule[4])
        case "unless":
            return bool(here == rule[2] and there == rule[4])
        case _:
            return bool(here != rule[2] and there != rule[4])


def group_name(setting: int, group: int) -> str:
    return SETTINGS[setting][4 + group]


def statement(names: Sequence[str], setting: int, rule: Rule) -> str:
    """What a rule says, as the part of a sentence."""
    verb, never, noun = SETTINGS[setting][1:4]
    where = [group_name(setting, group) for group in range(3)]
    preposition = verb.rsplit(" ", 1)[1]
    match rule:
        case ("in", one, group):
            return f"{names[one]} {verb} {where[group]}"
        case ("out", one, group):
            return f"{names[one]} {never} {where[group]}"
        case ("same", one, other):
            return f"{names[one]} and {names[other]} are {preposition} the same {noun}"
        case ("apart", one, other):
            return f"{names[one]} and {names[other]} are {preposition} different {noun}s"
        case ("if", one, group, other, place):
            return (
                f"if {names[one]} {verb} {where[group]}, then {names[other]} {verb} {where[place]}"
            )
        case ("unless", one, group, other, place):
            return (
                f"if {names[one]} {verb} {where[group]}, then {names[other]} {never} {where[place]}"
            )
        case _:
            _, one, group, other, place = rule
            return (
                f"{names[one]} {verb} {where[group]} or {names[other]} {verb} {where[place]}, or"
                " both"
            )


def scene(
    names: Sequence[str],
    setting: int,
    bounds: Sequence[tuple[int, int]],
    rules: Sequence[Rule],
) -> str:
    """The people, the places and the rules."""
    many, verb, _, noun = SETTINGS[setting][:4]
    where = [group_name(setting, group) for group in range(len(bounds))]
    sizes = []
    for place, (low, high) in zip(where, bounds):
        span = f"exactly {low}" if low == high else f"{low} to {high}"
        sizes.append(f"- {capital(place)} has {span} of the {many}.")
    texts = [f"- {capital(statement(names, setting, rule))}." for rule in rules]
    return (
        f"There are {counted(len(names), many[:-1], many)}: {', '.join(names)}. Each {verb} one of"
        f" these {noun}s: {', '.join(where)}.\n\n" + "\n".join([*sizes, *texts])
    )


def hardness(people: int, bounds: Sequence[tuple[int, int]], rules: Sequence[Rule]) -> float:
    conditional = sum(len(rule) == 5 for rule in rules)
    return 2 * people + 3 * len(bounds) + 2 * len(rules) + conditional
