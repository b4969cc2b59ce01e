"""Rewriting distance: turn one row of letters into another by drawn rules, in the fewest steps.

Several shortest ways may exist, so `verify` plays the answer and searches half-way from both ends
for a shorter one, while `solve` searches from the start on. No row may grow beyond a told length,
so that all searches end. Skins (beads, gems, crystals) change the words and nothing else.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise, permutations
from math import inf, log2
from operator import and_
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

Rule: TypeAlias = tuple[str, str]  # a part of a row, and what may take its place

ROOM = 2  # letters by which a row may outgrow the longer of start and goal
MOST = 3000  # rows that a search may reach
# What a row and its parts are called, and the letters with their meaning. No vowels: a row of
# letters must not be an English word.
SKINS: dict[str, tuple[str, str, dict[str, str]]] = {
    "letters": ("string", "letters", dict.fromkeys("PQRS", "")),
    "beads": ("row", "beads", {"R": "red", "B": "blue", "G": "green", "W": "white"}),
    "gems": ("chain", "gems", {"R": "ruby", "T": "topaz", "J": "jade", "P": "pearl"}),
    "crystals": ("crystal", "cells", {"C": "cold", "H": "hot", "D": "dark", "L": "light"}),
}


@dataclass(frozen=True, slots=True)
class Knobs:
    rules: int  # that every shortest way uses
    spare: int  # told, and not needed
    letters: int  # that differ
    length: int  # of the start
    steps: int  # of a shortest way


@dataclass(frozen=True, slots=True)
class System:
    skin: str
    rules: tuple[Rule, ...]
    needed: tuple[int, ...]  # places of rules without which the goal is further away
    start: str
    goal: str
    longest: int  # letters that a row may hold


def generate(rng: Random, knobs: Knobs) -> System | None:
    skin = rng.choice(sorted(SKINS))
    letters = rng.sample(sorted(SKINS[skin][2]), knobs.letters)
    rules = drawn_rules(rng, letters, knobs.rules + knobs.spare + 3)
    start = "".join(rng.choices(letters, k=knobs.length))
    layers = _layers(rules, start, knobs.length + ROOM, knobs.steps)
    if len(layers) <= knobs.steps or not layers[knobs.steps]:
        return None
    goal = rng.choice(sorted(layers[knobs.steps]))
    longest = max(len(start), len(goal)) + ROOM
    world = System(skin, rules, (), start, goal, longest)
    layers = layers[: knobs.steps]
    if longest != knobs.length + ROOM:  # rows have more room than those that have been reached
        layers = _widened(rules, layers, knobs.length + ROOM, longest)
    # Where a rule is taken away, ways that do not use it are left, and there are no others.
    uses = _uses(world, layers, knobs.steps)
    if not uses:
        return None
    needed = reduce(and_, uses)
    others = [number for number in range(len(rules)) if not needed >> number & 1]
    kept = list(range(len(rules)))
    for number in rng.sample(others, len(others)):
        if len(kept) == knobs.rules + knobs.spare:
            break
        if fewer := {each for each in uses if not each >> number & 1}:
            uses = fewer
            kept.remove(number)
    needed = reduce(and_, uses)
    if len(kept) > knobs.rules + knobs.spare or needed.bit_count() < min(knobs.rules, knobs.steps):
        return None
    return replace(
        world,
        rules=tuple(rules[number] for number in kept),
        needed=tuple(at for at, number in enumerate(kept) if needed >> number & 1),
    )


def solve(system: System) -> tuple[str, ...] | None:
    """Breadth first from the start, with the row that each row came from."""
    came_from = {system.start: ""}
    waiting = [system.start]
    for row in waiting:  # it grows
        if system.goal in came_from:
            break
        for after in _rewritten(system.rules, row, system.longest):
            if after not in came_from:
                came_from[after] = row
                waiting.append(after)
    if system.goal not in came_from:
        return None
    way = [system.goal]
    while came_from[way[-1]]:
        way.append(came_from[way[-1]])
    return tuple(row.lower() for row in reversed(way[:-1]))


def verify(system: System, rows: tuple[str, ...]) -> float:
    way = _way(system, rows)
    follows = all(_follows(system.rules, before, after) for before, after in pairwise(way))
    if not follows or way[-1] != system.goal or max(map(len, way)) > system.longest:
        return 0.0
    shorter = len(way) - 2
    ahead = _layers(system.rules, system.start, system.longest, shorter // 2, 10**6)
    behind = _layers(_turned(system.rules), system.goal, system.longest, -(-shorter // 2), 10**6)
    return float(not set().union(*ahead) & set().union(*behind))


def recheck(system: System, rows: tuple[str, ...]) -> bool:
    """Plays with regular expressions, and measures the distance from the goal backwards."""
    way = _way(system, rows)
    for before, after in pairwise(way):
        made = {
            before[: found.start()] + right + before[found.start() + len(left) :]
            for left, right in system.rules
            for found in re.finditer(f"(?={left})", before)
        }
        if after not in made or len(after) > system.longest:
            return False
    layers = _layers(_turned(system.rules), system.goal, system.longest, len(way) - 2, 10**6)
    return way[-1] == system.goal and all(system.start not in layer for layer in layers)


def render(system: System, style: Style) -> Prompt:
    whole, parts, meaning = SKINS[system.skin]
    rules = "\n".join(f"{number}. {left} -> {right}" for number, (left, right) in _listed(system))
    used = sorted({*system.start, *"".join(map("".join, system.rules))})
    legend = ", ".join(f"{letter} = {meaning[letter]}" for letter in used)
    written = f"A {whole} of {parts} is written with one letter each ({legend}).\n\n"
    intro = written if system.skin != "letters" else ""
    start, goal, longest = system.start, system.goal, system.longest
    question = style.pick(
        f"{intro}You have the {whole} {start}. In one step you choose a rule and a place where its"
        f" left side stands in the {whole} without gaps, and replace this one occurrence by the"
        f" right side:\n\n{rules}\n\nA {whole} may never have more than {longest} {parts}. How do"
        f" you get from {start} to {goal} in as few steps as possible?",
        f"{intro}These rules say which {parts} in a row may be exchanged for which others, one"
        f" occurrence at a time:\n\n{rules}\n\nNo rule may be used backwards, and no"
        f" {whole} may become longer than {longest} {parts}. Find a shortest way from {start} to"
        f" {goal}. If there are several, give any one of them.",
        f"{intro}Start: {start}\nGoal: {goal}\nRules:\n{rules}\n\nTo apply a rule, find its left"
        f" side among neighbouring {parts} and put its right side in that place; the rest of the"
        f" {whole} stays as it is. The {whole} never has more than {longest} {parts}. Reach the"
        " goal with the smallest number of applications.",
    )
    form = f"the {whole} after each step, in order, separated by spaces, ending with {goal}"
    return Prompt(question, form)


def steps(system: System) -> list[str]:
    way = _way(system, solve(system) or ())
    lines = []
    for before, after in pairwise(way):
        number = next(n for n, rule in _listed(system) if _follows((rule,), before, after))
        lines.append(f"{before} -> {after} by rule {number}")
    return lines


def canon(system: System) -> list[object]:
    """Letters may be renamed, and the rules told in any order."""
    return min(
        [rules, system.start.translate(table), system.goal.translate(table), system.longest]
        for rules, table in _renamings(system)
    )


def kin(system: System) -> list[Rule]:
    return min(rules for rules, _ in _renamings(system))


def without(system: System) -> Iterator[System]:
    for place in system.needed:
        rules = system.rules[:place] + system.rules[place + 1 :]
        yield replace(system, rules=rules, needed=())


def hardness(system: System) -> float:
    """The steps, and by order of magnitude the rows that are as near to the start as the goal."""
    count = len(solve(system) or ())
    layers = _layers(system.rules, system.start, system.longest, count, 10**6)
    return count + log2(sum(map(len, layers)))


def _listed(system: System) -> Iterator[tuple[int, Rule]]:
    yield from enumerate(system.rules, 1)


def _way(system: System, rows: tuple[str, ...]) -> list[str]:
    """The rows from the start on, whether or not the answer repeats the start."""
    way = [row.upper() for row in rows]
    return way if way[:1] == [system.start] else [system.start, *way]


def drawn_rules(rng: Random, letters: list[str], count: int) -> tuple[Rule, ...]:
    rules: dict[str, Rule] = {}
    while len(rules) < count:
        left = "".join(rng.choices(letters, k=rng.choice([1, 2, 2, 2, 3])))
        longer = rng.choice([-1, 0, 0, 0, 1])
        right = "".join(rng.choices(letters, k=max(1, len(left) + longer)))
        if left != right and left not in rules and not (len(left) == 1 and right.count(left)):
            rules[left] = (left, right)
    return tuple(rules.values())


def _rewritten(rules: tuple[Rule, ...], row: str, longest: int) -> Iterator[str]:
    for left, right in rules:
        at = row.find(left)
        while at >= 0:
            if len(row) - len(left) + len(right) <= longest:
                yield row[:at] + right + row[at + len(left) :]
            at = row.find(left, at + 1)


def _layers(
    rules: tuple[Rule, ...], row: str, longest: int, depth: int, most: int = MOST
) -> list[set[str]]:
    """The rows at each distance up to a depth, or until there are too many of them: of a last layer
    that ends it before that depth, perhaps not all."""
    layers, reached = [{row}], {row}
    while layers[-1] and len(layers) <= depth and len(reached) <= most:
        made = _made(rules, layers[-1], longest, reached, most if len(layers) < depth else inf)
        layers.append(made - reached)
        reached |= made
    return layers


def _widened(
    rules: tuple[Rule, ...], layers: list[set[str]], limit: int, longest: int
) -> list[set[str]]:
    """Layers of rows up to a limit, with those that there are once rows may be longer; or until
    there are too many of them."""
    wide, reached = layers[:1], set(layers[0])
    growth = max(len(right) - len(left) for left, right in rules)
    for before, layer in pairwise(layers):
        if len(reached) > MOST:
            break
        # What the others lead to is in the layers.
        open_ = [row for row in wide[-1] if row not in before or len(row) + growth > limit]
        wide.append((layer | _made(rules, open_, longest, reached, MOST)) - reached)
        reached |= wide[-1]
    return wide


def _made(
    rules: tuple[Rule, ...], rows: Iterable[str], longest: int, reached: set[str], most: float
) -> set[str]:
    """What one step makes of rows; perhaps not all of it, where that and what was reached before
    are more rows than so many."""
    made = set[str]()
    few = most - len(reached)  # may be made before it is to be seen whether there are too many
    # What a rule takes and puts, how long it is, and the size of a row that has room for it.
    changes = [(*rule, len(rule[0]), longest + len(rule[0]) - len(rule[1])) for rule in rules]
    by_size = defaultdict[int, list[str]](list)
    for each in rows:
        by_size[len(each)].append(each)
    for size, alike in by_size.items():
        # To look through all rows of a size, with a gap after each, is faster than one by one.
        joined, gap = " ".join(alike), size + 1
        for left, right, width, largest in changes:
            if size > largest:
                continue
            at = joined.find(left)
            while at >= 0:
                begin = at - at % gap
                made.add(joined[begin:at] + right + joined[at + width : begin + size])
                at = joined.find(left, at + 1)
        if len(made) > few:
            few = len(made) + most - len(reached | made)
            if few < len(made):
                break
    return made


def _uses(system: System, layers: list[set[str]], depth: int) -> set[int]:
    """Of each way to the goal in so many steps, the rules that it uses, as bits; empty where there
    is a shorter one, or where there are too many rows to find out."""
    enough = len(layers) == depth and sum(map(len, layers)) <= MOST
    if not enough or any(system.goal in layer for layer in layers):
        return set()
    turned = [(rule,) for rule in _turned(system.rules)]
    behind = {system.goal: {0}}
    for layer in reversed(layers):
        before: defaultdict[str, set[int]] = defaultdict(set)
        for row, uses in behind.items():
            for number, rule in enumerate(turned):
                for each in _rewritten(rule, row, system.longest):
                    if each in layer:
                        before[each].update(use | 1 << number for use in uses)
        behind = before
    return behind.get(system.start, set())


def _turned(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules that undo these."""
    return tuple((right, left) for left, right in rules)


def _follows(rules: tuple[Rule, ...], before: str, after: str) -> bool:
    """Whether a rule at a place tells what differs, and all around it is the same."""
    return any(
        before[:at] == after[:at]
        and before[at : at + len(left)] == left
        and after[at : at + len(right)] == right
        and before[at + len(left) :] == after[at + len(right) :]
        for left, right in rules
        for at in range(len(before))
    )


def _renamings(system: System) -> Iterator[tuple[list[Rule], dict[int, str]]]:
    letters = sorted({*system.start, *"".join(map("".join, system.rules))})
    for names in permutations("abcd"[: len(letters)]):
        table = str.maketrans(dict(zip(letters, names, strict=True)))
        rules = [(left.translate(table), right.translate(table)) for left, right in system.rules]
        yield sorted(rules), table


LADDER = (
    Knobs(2, 0, 3, 4, 3),
    Knobs(3, 0, 3, 5, 4),
    Knobs(3, 1, 3, 6, 6),
    Knobs(4, 1, 4, 7, 8),
    Knobs(5, 2, 4, 8, 12),
)
FAMILY = Family(
    System,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="rows of letters, one after each step", capitals=True),
    hardness=hardness,
    solver="breadth-first search from the start",
    guess_rate=0.05,
    recheck=recheck,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("search", "rules"),
)
