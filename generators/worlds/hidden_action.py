"""Hidden action: actions are shown by examples and not told; after which new ones is something so?

An action has one condition or two, and makes one change or two. All actions of this form that
explain the examples give the same answer. `solve` goes through every action and does not look at
those that were drawn; `verify` carries these out, as their words tell it. Each example is needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import compress, islice, repeat
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._action_space import (
    Case,
    Example,
    Row,
    all_met,
    changes,
    conditions,
    effects,
    explaining,
    made,
    met,
)
from puzzlemill.generators.worlds._action_terms import (
    SKINS,
    VARIABLES,
    Action,
    Term,
    allowed,
    done,
    drawn,
    worded,
)
from puzzlemill.generators.worlds._action_world import (
    attributes_told,
    rule_facts,
    rule_names,
    values_of,
)
from puzzlemill.generators.worlds._examples import fewest

NEW = "ABCDEFGHIJ"  # the new cases
POOL = 16  # examples of an action to choose from
NEEDED = 0.4  # the share of conditions and effects that count for the answer, at least
DRAWS = 20  # of cases and a question for the same actions


@dataclass(frozen=True, slots=True)
class Knobs:
    attributes: int  # that each thing has
    values: int  # of each attribute
    actions: int  # that are shown by examples
    new: int  # cases that are asked about


@dataclass(frozen=True, slots=True)
class Hidden:
    skin: str
    attributes: tuple[str, ...]
    values: int
    verbs: tuple[str, ...]
    actions: tuple[Action, ...]  # not told
    bans: tuple[Term, ...]  # none
    examples: tuple[Example, ...]
    new: tuple[Case, ...]
    asked: tuple[int, int, int]  # whether X or Y, by attribute and value, is so then


def generate(rng: Random, knobs: Knobs) -> Hidden | None:
    skin = rng.choice(list(SKINS))
    attributes, _, verbs = SKINS[skin]
    world = Hidden(
        skin,
        tuple(rng.sample(list(attributes), knobs.attributes)),
        knobs.values,
        tuple(rng.sample(verbs, knobs.actions)),
        drawn_actions(rng, knobs),
        (),
        (),
        (),
        (0, 0, 0),
    )
    places = range(len(world.actions))
    for _ in range(DRAWS):
        kind, place, at, *_ = rng.choice(rng.choice(world.actions)[2])
        two = all(arity == 2 for arity, *_ in world.actions)
        place = place if two and kind != "swap" else rng.randrange(1 + two)
        new = dict.fromkeys(_case(rng, world, rng.choice(places)) for _ in range(knobs.new))
        world = replace(world, new=tuple(new), asked=(place, at, rng.randrange(knobs.values)))
        so = [_would_be_so(world, world.actions[at], before) for at, before in world.new]
        if not 1 <= sum(so) < len(new):
            continue
        gold = tuple(compress(NEW, so))
        counts = [_counts(world, so, *part) for part in _shortened_actions(world)]
        if sum(counts) < NEEDED * len(counts):
            continue
        pool = dict.fromkeys(_case(rng, world, at) for at in places for _ in range(POOL))
        examples = tuple((case, _after(world, case)) for case in pool if case not in new)
        world = replace(world, examples=examples)
        if kept := fewest(examples, partial(_agreed, world), gold):
            return replace(world, examples=kept)
    return None


def drawn_actions(rng: Random, knobs: Knobs) -> tuple[Action, ...]:
    sizes = (knobs.values,) * knobs.attributes
    return tuple(drawn(rng, sizes, 2) for _ in range(knobs.actions))


def solve(world: Hidden) -> tuple[str, ...] | None:
    agreed = _agreed(world, world.examples)
    return tuple(name.lower() for name in agreed) if agreed else None


def verify(world: Hidden, names: tuple[str, ...]) -> float:
    return float(set(names) == {name.lower() for name in _so(world)})


def render(world: Hidden, style: Style) -> Prompt:
    shown = "\n".join(f"- {_shown(world, *example)}" for example in world.examples)
    new = "\n".join(f"{name}: {_told(world, case)}" for name, case in zip(NEW, world.new))
    two = any(action[0] == 2 for action in world.actions)
    one = "X or Y" if two else "X"
    needs = f"{one} has a certain value; {one} does not have a certain value"
    makes = f"{one} gets a certain value; {one} moves on to its next value of an attribute"
    if two:
        needs += "; X and Y have the same value of an attribute; X and Y differ in an attribute"
        makes += (
            "; X or Y gets the value that the other one has of an attribute; X and Y each get the"
            " other's value of an attribute"
        )
    which = "Each action" if len(world.actions) > 1 else "The action"
    form = (
        f"{which} is possible only under one condition, or under two that must both hold, of these"
        f" kinds: {needs}. It then makes one change, or two changes of different attributes, of"
        f" these kinds: {makes}. All else stays as it is, and so does everything where the action"
        " is not possible."
    )
    values = (
        f"The attributes, whose values follow each other in this order:\n{attributes_told(world)}"
    )
    place, at, value = world.asked
    so = f"{VARIABLES[place]} is {values_of(world)[at][value]} afterwards"
    sure = "All actions of this form that fit the examples lead to the same answer."
    verbs = f"{'actions' if len(world.actions) > 1 else 'action'} {listed(world.verbs)}"
    return Prompt(
        style.pick(
            f"What the {verbs} of a little world do is not told; this was seen:\n\n{shown}\n\n"
            f"{values}\n\n{form} {sure} In these new cases, the action is tried once:\n\n{new}"
            f"\n\nIn which of them is it so that {so}?",
            f"New cases, in each of which an action is tried once:\n\n{new}\n\nFind those after"
            f" which {so}. The {verbs} must be understood from examples:\n\n{shown}\n\n"
            f"{values}\n\n{form} {sure}",
            f"{values}\n\nThere are rules for the {verbs}, but nobody tells them. {form}"
            f"\n\nExamples:\n{shown}\n\n{sure} After which of these is it so that {so}?\n\n{new}",
        ),
        form="the letters of the new cases, separated by commas",
    )


def steps(world: Hidden) -> list[str]:
    """What each action is, and what comes of each new case."""
    values = values_of(world)
    lines = [f"{verb} {' '.join(VARIABLES[: action[0]])}:"
             f" {worded(action, world.attributes, values)}"
             for verb, action in zip(world.verbs, world.actions, strict=True)]  # fmt: skip
    for name, case in zip(NEW, world.new):
        lines.append(f"{name}: {_shown(world, case, _after(world, case)).split(' -> ')[1]}")
    return lines


def slips(rng: Random, world: Hidden, gold: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Time and again a new case is judged wrong, and mostly one of the others, too; or all those
    are that hang on a condition or an effect, which is overlooked."""
    letters = [name.lower() for name in NEW[: len(world.new)]]
    misjudged = [{name.lower() for name in _so(it)} ^ set(gold) for it in _shortened(world)]
    judged = set(gold)
    for _ in range(SLIPS):
        wrong = rng.choice([each for each in misjudged if each] or [{rng.choice(letters)}])
        if rng.random() < 0.7:
            one = rng.choice(letters)
            others = [name for name in letters if (name in judged) != (one in judged)]
            wrong = {one, *rng.sample(others, min(len(others), rng.random() < 0.7))}
        if judged ^ wrong:
            judged ^= wrong
            yield tuple(sorted(judged))


def kin(world: Hidden) -> list[str]:
    """The actions, whatever attributes and values are called."""
    return unnamed(rule_facts(world), rule_names(world))


def canon(world: Hidden) -> list[object]:
    return [world.actions, world.values, sorted(world.examples), sorted(world.new), world.asked]


def without(world: Hidden) -> Iterator[Hidden]:
    for at in range(len(world.examples)):
        yield replace(world, examples=world.examples[:at] + world.examples[at + 1 :])


def hardness(world: Hidden) -> float:
    """The actions of the told form, by order of magnitude, and the cases."""
    found = 0.0
    for arity, *_ in world.actions:
        size = arity, len(world.attributes), world.values
        found += 2 * log2(len(conditions(*size))) + 2 * log2(len(effects(*size)))
    return found + len(world.new)


def _case(rng: Random, world: Hidden, at: int) -> Case:
    """Values before an action, which can be done in half of all cases."""
    arity, needs, _ = world.actions[at]
    wanted, before = rng.random() < 0.5, tuple[Row, ...]()
    drawn, wide = _values(rng, world.values), len(world.attributes)
    for _ in range(20):
        before = tuple([tuple(islice(drawn, wide)) for _ in range(arity)])
        if all(met(term, before) for term in needs) == wanted:
            break
    return at, before


def _values(rng: Random, values: int) -> Iterator[int]:
    """`rng.randrange(values)`, time and again; most of what is drawn are values."""
    return filter(values.__gt__, map(rng.getrandbits, repeat(values.bit_length())))


def _after(world: Hidden, case: Case) -> tuple[Row, ...]:
    """The interpreter: the values after an action; () where it cannot be done."""
    at, before = case
    return _acted(world.actions[at], before, world.values)


@lru_cache(maxsize=1 << 12)
def _acted(action: Action, before: tuple[Row, ...], values: int) -> tuple[Row, ...]:
    things, attributes = VARIABLES[: len(before)], range(len(before[0]))
    state = {(thing, which): value for thing, row in zip(things, before)
             for which, value in enumerate(row)}  # fmt: skip
    if not allowed(action, things, state):
        return ()
    then = done(action, things, state, (values,) * len(attributes))
    return tuple(tuple(then[thing, it] for it in attributes) for thing in things)


def _so(world: Hidden) -> tuple[str, ...]:
    """The interpreter: the new cases after which it is so."""
    return tuple(name for name, (at, before) in zip(NEW, world.new)
                 if _is_so(world, world.actions[at], before))  # fmt: skip


def _is_so(world: Hidden, action: Action, before: tuple[Row, ...]) -> bool:
    place, which, value = world.asked
    return (_acted(action, before, world.values) or before)[place][which] == value


def _would_be_so(world: Hidden, action: Action, before: tuple[Row, ...]) -> bool:
    """The engine: whether it is so after an action."""
    place, which, value = world.asked
    _, needs, makes = action
    able = all(met(term, before) for term in needs)
    after = made(makes, before, world.values) if able else before
    return after[place][which] == value


def _counts(world: Hidden, so: Sequence[bool], at: int, shortened: Action) -> bool:
    """Whether there is another answer with an action shortened."""
    return any(_would_be_so(world, shortened, before) != was_so
               for was_so, (action, before) in zip(so, world.new) if action == at)  # fmt: skip


def _agreed(world: Hidden, examples: Sequence[Example]) -> tuple[str, ...] | None:
    """The new cases after which it is so by all actions that fit the examples; None where they
    differ."""
    place, which, value = world.asked
    found = set[str]()
    for at, (arity, *_) in enumerate(world.actions):
        mine = tuple(example for example in examples if example[0][0] == at)
        needs, able = explaining(mine, arity, len(world.attributes), world.values)
        effects = [(term,) if term else () for term in changes(able, which)]
        for name, (action, before) in zip(NEW, world.new):
            if action != at:
                continue
            held = all_met(before, len(world.attributes), world.values)
            possible = {need & held == need for need in needs}
            so = {made(terms, before, world.values)[place][which] == value for terms in effects} \
                if True in possible else set()  # fmt: skip
            if False in possible:
                so.add(before[place][which] == value)
            if len(so) != 1:
                return None
            if so == {True}:
                found.add(name)
    return tuple(sorted(found))


def _shortened(world: Hidden) -> Iterator[Hidden]:
    for at, action in _shortened_actions(world):
        yield replace(world, actions=(*world.actions[:at], action, *world.actions[at + 1 :]))


def _shortened_actions(world: Hidden) -> Iterator[tuple[int, Action]]:
    """Each action without one condition or effect."""
    for at, (arity, needs, makes) in enumerate(world.actions):
        for place in range(len(needs)):
            yield at, (arity, needs[:place] + needs[place + 1 :], makes)
        for place in range(len(makes)):
            yield at, (arity, needs, makes[:place] + makes[place + 1 :])


def _rows_told(world: Hidden, things: tuple[Row, ...]) -> str:
    values = values_of(world)
    return "; ".join(
        f"{name} is {listed(values[which][it] for which, it in enumerate(row))}"
        for name, row in zip(VARIABLES, things)
    )


def _told(world: Hidden, case: Case) -> str:
    at, before = case
    return f"{_rows_told(world, before)}; {world.verbs[at]} {' '.join(VARIABLES[: len(before)])}"


def _shown(world: Hidden, case: Case, then: tuple[Row, ...]) -> str:
    return f"{_told(world, case)} -> {_rows_told(world, then) or 'not possible'}"


SLIPS = 24
LADDER = (
    Knobs(2, 2, 1, 6),
    Knobs(2, 3, 1, 7),
    Knobs(3, 4, 1, 8),
    Knobs(3, 4, 2, 9),
    Knobs(3, 4, 3, 10),
)
FAMILY = Family(
    Hidden,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(form="a set of letters", items="letters"),
    hardness=hardness,
    proof="unique",
    solver="every action of the form",
    guess_rate=0.18,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda world: NEW[: len(world.new)],
    without=without,
    slips=slips,
    slips_version=2,
    skills=("induction", "tracking", "rules"),
    theme="hidden_rules",
)
