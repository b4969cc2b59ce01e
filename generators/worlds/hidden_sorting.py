"""Hidden sorting: things were sorted into two groups by a rule; which of the new ones belong?

The rule has a told form, of one case or two, and all rules of this form that explain the examples
sort the new things in the same way. `solve` goes through every rule, each as the bits of the things
that it takes, and does not look at the one that was drawn; `verify` applies that one. Each example
is needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import log2
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._claim_space import Space, space
from puzzlemill.generators.worlds._claims import (
    MOST,
    SKINS,
    Claim,
    Thing,
    claims_of,
    claims_told,
    described,
    holds,
    worded,
)
from puzzlemill.generators.worlds._examples import fewest

Rule: TypeAlias = tuple[str, tuple[Claim, ...]]  # a word of JOINTS
Example: TypeAlias = tuple[Thing, bool]

NEW = "ABCDEFGH"  # the things to sort
POOL = 16  # things to choose the examples from
DRAWS = 60
# How many of a rule's claims must hold.
JOINTS = {"all": "all", "any": "at least one", "one": "exactly one"}


@dataclass(frozen=True, slots=True)
class Knobs:
    values: int  # of each trait
    claims: int  # in a case of the rule
    cases: int  # of the rule, one or two
    joints: int  # ways to join them that a rule may have
    new: int  # things to sort


@dataclass(frozen=True, slots=True)
class Sorting:
    skin: str
    values: int
    joints: tuple[str, ...]  # that the rule may have
    rule: Rule  # not told
    examples: tuple[Example, ...]
    new: tuple[Thing, ...]
    head: tuple[Claim, ...] = ()  # of two cases: a claim, where it holds the rule counts
    other: tuple[Rule, ...] = ()  # the rule that counts elsewhere


def generate(rng: Random, knobs: Knobs) -> Sorting | None:
    skin, joints = rng.choice(sorted(SKINS)), tuple(JOINTS)[: knobs.joints]
    claims = claims_of(knobs.values)
    things: list[Thing] = [*product(range(knobs.values), range(knobs.values), range(1, MOST + 1))]
    for _ in range(DRAWS):
        cases, head = drawn_rule(rng, knobs, joints, claims)
        picked = rng.sample(things, min(POOL * knobs.cases + knobs.new, len(things)))
        new, pool = tuple(picked[: knobs.new]), picked[knobs.new :]
        sorting = Sorting(skin, knobs.values, joints, cases[0], (), new, head, tuple(cases[1:]))
        gold = tuple(thing for thing in new if _belongs(sorting, thing))
        if not 1 <= len(gold) < len(new) or _is_idle(sorting):
            continue
        shown = tuple((thing, _belongs(sorting, thing)) for thing in pool)
        sorting = replace(sorting, examples=shown)
        heads, joined = _space(sorting)
        if head:  # other rules under the same condition show most often that an example is needed
            heads.insert(0, heads.pop(claims.index(head[0])))
        if examples := fewest(shown, partial(_settled, sorting, (heads, joined)), gold):
            return replace(sorting, examples=tuple(sorted(examples, key=lambda it: not it[1])))
    return None


def drawn_rule(
    rng: Random, knobs: Knobs, joints: Sequence[str], claims: Sequence[Claim]
) -> tuple[list[Rule], tuple[Claim, ...]]:
    cases = [
        (rng.choice(joints), tuple(sorted(rng.sample(claims, knobs.claims))))
        for _ in range(knobs.cases)
    ]
    return cases, (rng.choice(claims),) if knobs.cases > 1 else ()


def solve(sorting: Sorting) -> tuple[str, ...] | None:
    settled = _settled(sorting, _space(sorting), sorting.examples)
    if not settled:
        return None
    return tuple(name.lower() for name, it in zip(NEW, sorting.new) if it in settled)


def verify(sorting: Sorting, names: tuple[str, ...]) -> float:
    taken = {name.lower() for name, it in zip(NEW, sorting.new) if _belongs(sorting, it)}
    return float(set(names) == taken)


def render(sorting: Sorting, style: Style) -> Prompt:
    one, many, traits, counted = SKINS[sorting.skin]
    groups = [
        "\n".join(
            f"- {described(sorting.skin, it)}" for it, belongs in sorting.examples if belongs is x
        )
        or "- (no example)"
        for x in (True, False)
    ]
    new = "\n".join(f"{name}: {described(sorting.skin, it)}" for name, it in zip(NEW, sorting.new))
    values = "; ".join(
        f"{trait}: {listed(words[: sorting.values], 'or')}" for trait, words in traits
    )
    world = f"Every {one} has these traits ({values}) and from 1 to {MOST} {counted}."
    kinds = claims_told(sorting.skin)
    count = len(sorting.rule[1])
    number = {1: "one statement", 2: "two different statements", 3: "three different statements"}
    made = f"made of {number[count]} of these kinds: {kinds}."
    form = f"The hidden rule is {made}"
    if sorting.head:
        form = (
            f"The hidden rule has a condition and two cases, one for every {one} for which the"
            f" condition holds, and one for all others. The condition is one statement, and each"
            f" case is {made} The condition is of these kinds, too."
        )
    which = "A case" if sorting.head else "It"
    if count == 1:
        form += f" {which} takes every {one} for which the statement holds."
    elif len(sorting.joints) == 1:
        form += f" {which} takes every {one} for which all of them hold."
    else:
        ways = listed([JOINTS[joint] for joint in sorting.joints], "or")
        fixes = "Each case" if sorting.head else "The rule"
        form += f" {fixes} also fixes how many of them must hold: {ways}."
    sure = "All such rules that fit the examples lead to the same answer."
    return Prompt(
        style.pick(
            f"{world} A hidden rule decides which {many} are taken.\n\nTaken:\n{groups[0]}\n\nNot"
            f" taken:\n{groups[1]}\n\n{form} {sure} Which of these new {many} are taken?\n\n{new}",
            f"Somebody sorts {many} by a rule. {world} {form}\n\nThese were taken:\n{groups[0]}"
            f"\n\nThese were left:\n{groups[1]}\n\nThere are new {many}:\n\n{new}\n\nWhich of them"
            f" will be taken? {sure}",
            f"New {many}:\n{new}\n\nFind those that a hidden rule takes. {world} {form} {sure}\n\n"
            f"Examples of what it takes:\n{groups[0]}\n\nExamples of what it does not take:\n"
            f"{groups[1]}",
        ),
        form=f"the letters of the new {many} that are taken, separated by commas",
    )


def steps(sorting: Sorting) -> list[str]:
    """The rule, and what it says of each new thing."""
    lines = []
    for at, (joint, claims) in enumerate(_cases(sorting)):
        told = listed(worded(sorting.skin, claim) for claim in claims)
        number = f"{JOINTS[joint]} of these must hold: " if len(claims) > 1 else "taken if "
        case = ""
        if sorting.head:
            case = "otherwise, " if at else f"if {worded(sorting.skin, sorting.head[0])}: "
        lines.append(f"{case}{number}{told}")
    for name, thing in zip(NEW, sorting.new):
        _, claims = _case_of(sorting, thing)
        held = sum(holds(claim, thing) for claim in claims)
        taken = "taken" if _belongs(sorting, thing) else "not taken"
        lines.append(f"{name}: {held} of {len(claims)} hold, so it is {taken}")
    return lines


def kin(sorting: Sorting) -> list[str]:
    """The rule, whatever the traits and their values are called."""
    facts: list[tuple[str, ...]] = []
    for at, (joint, claims) in enumerate(_cases(sorting)):
        facts.append((f"case {at}", "joint", joint if len(claims) > 1 else "all"))
        facts += [(f"case {at}", word, f"trait {trait}", f"{trait} {value}")
                  for word, trait, value in claims]  # fmt: skip
    facts += [("head", word, f"trait {trait}", f"{trait} {value}")
              for word, trait, value in sorting.head]  # fmt: skip
    names = [f"trait {trait}" for trait in (0, 1)]
    names += [f"{trait} {value}" for trait in (0, 1) for value in range(sorting.values)]
    return unnamed(facts, names)


def canon(sorting: Sorting) -> list[object]:
    space = sorting.values, sorting.joints
    rules = sorting.head, sorting.rule, sorting.other
    return [rules, space, sorted(sorting.examples), sorting.new]


def without(sorting: Sorting) -> Iterator[Sorting]:
    for at in range(len(sorting.examples)):
        yield replace(sorting, examples=sorting.examples[:at] + sorting.examples[at + 1 :])


def hardness(sorting: Sorting) -> float:
    """The rules of the told form, by order of magnitude, and the examples to fit."""
    claims = len(claims_of(sorting.values))
    count = len(sorting.rule[1])
    cases = log2(claims**count * len(sorting.joints)) * (1 + len(sorting.other))
    return cases + len(sorting.examples)


def _space(sorting: Sorting) -> Space:
    things = [thing for thing, _ in sorting.examples] + [*sorting.new]
    claims = len(sorting.rule[1])
    return space(things, sorting.values, claims, sorting.joints, headed=bool(sorting.head))


def _settled(
    sorting: Sorting, bits: Space, examples: tuple[Example, ...]
) -> tuple[Thing, ...] | None:
    """The new things that all rules take that fit the examples; None where the rules differ."""
    kept, first = set(examples), len(sorting.examples)
    mask = sum(1 << at for at, example in enumerate(sorting.examples) if example in kept)
    wanted = sum(1 << at for at, (_, belongs) in enumerate(sorting.examples) if belongs) & mask
    heads, cases = bits
    taken, new = set[int](), (1 << len(sorting.new)) - 1 << first
    for head in heads:
        here = _taken(cases, wanted, mask & head, new & head)
        elsewhere = _taken(cases, wanted, mask & ~head, new & ~head) if here else set()
        taken |= {(one | two) >> first for one in here for two in elsewhere}
        if len(taken) > 1:
            return None
    if not taken:
        return None
    last = taken.pop()
    return tuple(thing for at, thing in enumerate(sorting.new) if last >> at & 1)


def _taken(cases: npt.NDArray[np.int64], wanted: int, seen: int, own: int) -> set[int]:
    """What cases that fit the examples seen take of one's own: two at most, where they differ."""
    fitting = cases[(cases & seen) == (wanted & seen)] & own
    return {int(fitting.min()), int(fitting.max())} if fitting.size else set()


def _cases(sorting: Sorting) -> tuple[Rule, ...]:
    return (sorting.rule, *sorting.other)


def _case_of(sorting: Sorting, thing: Thing) -> Rule:
    """The interpreter: which rule counts for a thing."""
    if sorting.head and not holds(sorting.head[0], thing):
        return sorting.other[0]
    return sorting.rule


def _belongs(sorting: Sorting, thing: Thing) -> bool:
    """The interpreter: whether the rule takes a thing."""
    joint, claims = _case_of(sorting, thing)
    held = [holds(claim, thing) for claim in claims]
    if joint == "all":
        return all(held)
    return any(held) if joint == "any" else held.count(True) == 1


def _is_idle(sorting: Sorting) -> bool:
    """Whether one of two cases alone would sort the new things in the same way."""
    taken = [_belongs(sorting, thing) for thing in sorting.new]
    alone = (replace(sorting, rule=case, head=(), other=()) for case in _cases(sorting))
    return bool(sorting.head) and any(
        [_belongs(one, thing) for thing in sorting.new] == taken for one in alone
    )


LADDER = (
    Knobs(3, 1, 1, 1, 5),
    Knobs(3, 2, 1, 1, 5),
    Knobs(4, 2, 1, 2, 6),
    Knobs(4, 2, 2, 3, 7),
    Knobs(4, 3, 2, 3, 8),
)
FAMILY = Family(
    Sorting,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(form="a set of letters", items="letters"),
    hardness=hardness,
    proof="unique",
    solver="every rule of the form, as bits",
    guess_rate=0.18,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda sorting: NEW[: len(sorting.new)],
    without=without,
    skills=("induction", "logic", "rules"),
    theme="hidden_rules",
    version=2,
)
