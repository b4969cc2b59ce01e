"""Skipped actions: a list of drawn actions is gone through; which of them cannot be carried out?

What cannot be done is left out, and changes nothing. `solve` steps through compiled actions on a
flat state; `verify` reads one action after the other, as the prompt tells it. Most conditions and
effects are needed: without one of these, other actions would be skipped.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._action_draws import drawn_ban, drawn_names, drawn_rules
from puzzlemill.generators.worlds._action_terms import Action, Term
from puzzlemill.generators.worlds._action_world import (
    Flat,
    actions_told,
    after,
    article,
    attributes_told,
    compiled,
    compiled_one,
    letters_told,
    moved,
    rows,
    rule_facts,
    rule_names,
    sound,
    start_told,
    state_of,
    values_of,
)

Ways: TypeAlias = dict[str, tuple[list[Any], list[Any]]]  # tests and changes, by name
Outcome: TypeAlias = tuple[int, Flat]  # what comes of an order, and the state then
Part: TypeAlias = tuple[int, int, int]  # an action, 1 for its conditions or 2 for its effects, at

DRAWS = 25  # of a list for the same actions
MOST = 0.7  # the share of the orders that are skipped
DONE, IMPOSSIBLE, BANNED = range(3)  # what comes of an order
NEEDED = 0.6  # the share of all conditions and effects, at least


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # of the world
    attributes: int  # that each thing has
    values: int  # of each attribute
    actions: int  # of the world
    orders: int  # in the list
    bans: int  # limits on how many things have a value


@dataclass(frozen=True, slots=True)
class Orders:
    skin: str
    things: tuple[str, ...]
    attributes: tuple[str, ...]
    values: int
    verbs: tuple[str, ...]
    actions: tuple[Action, ...]
    bans: tuple[Term, ...]  # attribute, value, and how many things at most may have it
    start: Flat
    orders: tuple[str, ...]  # the names of actions, each with its things
    needed: tuple[Part, ...]


def generate(rng: Random, knobs: Knobs) -> Orders | None:
    skin, actions, start = drawn_rules(rng, knobs)
    things, attributes, verbs = drawn_names(rng, skin, knobs, len(actions))
    bans = (drawn_ban(rng, knobs.attributes, knobs.values, start) for _ in range(knobs.bans))
    world = Orders(
        skin,
        things,
        attributes,
        knobs.values,
        verbs,
        actions,
        tuple(bans),
        start,
        (),
        (),
    )
    if not all(_is_in_reach(ban, actions) for ban in world.bans):
        for _ in range(DRAWS * knobs.orders):
            rng.random()  # what the lists would have taken
        return None
    ways: Ways = {name: (tests, changes) for name, tests, changes in compiled(world)}
    names, verb_of = [*ways], {name: name.split(" ")[0] for name in ways}
    follows: defaultdict[Flat, dict[str, Outcome]] = defaultdict(dict)
    for _ in range(DRAWS):
        draws = tuple(rng.choices(names, k=knobs.orders))
        if len({verb_of[each] for each in draws}) < len(verbs):
            continue
        trace, state, known = list[Outcome](), start, follows[start]
        for name in draws:  # the same is tried in the same state again and again
            outcome = known.get(name)
            if outcome is None:
                outcome = known[name] = _stepped(world, state, *ways[name])
            trace.append(outcome)
            if outcome[0] == DONE:
                state = outcome[1]
                known = follows[state]
        outcomes = [outcome for outcome, _ in trace]
        if not 2 <= len(draws) - outcomes.count(DONE) <= knobs.orders * MOST:
            continue
        if world.bans and BANNED not in outcomes:
            continue  # no ban makes a difference
        asked = replace(world, orders=draws)
        if any(_agrees(replace(asked, bans=_but(asked.bans, at)), ways, trace, 0, start)
               for at in range(len(asked.bans))):  # fmt: skip
            continue
        if needed := _needed(asked, ways, trace):
            return replace(asked, needed=needed)
    return None


def solve(world: Orders) -> tuple[int, ...] | None:
    """Through a flat state, by compiled actions."""
    if not sound(world, world.start):
        return None
    tried = _tried(world, world.orders, _compiled(world, world.orders), world.start)
    return tuple(number for number, (outcome, _) in enumerate(tried, 1) if outcome != DONE) or None


def verify(world: Orders, numbers: tuple[int, ...]) -> float:
    state, skipped = state_of(world, world.start), set[int]()
    for number, name in enumerate(world.orders, 1):
        then = after(world, state, name)
        if then is None:
            skipped.add(number)
        state = then or state
    return float(set(numbers) == skipped)


def render(world: Orders, style: Style) -> Prompt:
    kinds, now, actions = attributes_told(world), start_told(world), actions_told(world)
    orders = "\n".join(f"{number}. {name}" for number, name in enumerate(world.orders, 1))
    letters = letters_told(world)
    skips = "An action that is not possible when its turn comes"
    if world.bans:
        skips += ", or that would break a rule on what may never be so,"
    skips += " is skipped and changes nothing; one that is possible counts as done even if nothing"
    skips += " is different after it."
    return Prompt(
        style.pick(
            f"A little world has rules of its own. Each thing has these attributes, whose values"
            f" follow each other in this order:\n\n{kinds}\n\nAt the start:\n{now}\n\nThese are the"
            f" actions; {letters}. An action changes nothing but what it says.\n\n{actions}\n\n"
            f"This list is gone through from the top:\n\n{orders}\n\n{skips} Which of them are"
            " skipped?",
            f"Somebody goes through this list of actions, one after the other:\n\n{orders}\n\n"
            f"{skips} What the actions do ({letters}; what a rule does not mention stays as it"
            f" is):\n\n{actions}\n\nThe attributes, with their values in order:\n{kinds}\n\n"
            f"At the start:\n{now}\n\nWhich numbers of the list are skipped?",
            f"{now}\n\nThe following may be done; {letters}, and all else stays the same.\n\n"
            f"{actions}\n\nAttributes have values in a fixed order:\n{kinds}\n\nYou try to do all"
            f" of this in turn:\n\n{orders}\n\n{skips} Find all that are skipped.",
        ),
        form="the numbers of the skipped actions, separated by commas",
    )


def steps(world: Orders) -> list[str]:
    """What each action changes, or that it is skipped."""
    values, state, lines = values_of(world), state_of(world, world.start), list[str]()
    for number, name in enumerate(world.orders, 1):
        then = after(world, state, name)
        if then is None:
            lines.append(f"{number}. {name}: skipped")
            continue
        changed = [f"{article(world)}{thing} is {values[at][value]}"
                   for (thing, at), value in then.items() if state[thing, at] != value]  # fmt: skip
        lines.append(f"{number}. {name}: {listed(changed) or 'nothing changes'}")
        state = then
    return lines


def without(world: Orders) -> Iterator[Orders]:
    for part in world.needed:
        yield _left_out(world, part)
    for at in range(len(world.bans)):
        yield replace(world, bans=_but(world.bans, at), needed=())


def misread(rng: Random, world: Orders) -> Orders:
    """A thing's value at the start, or one in an action, is taken for another."""
    if rng.random() < 0.5:
        start = [*world.start]
        start[rng.randrange(len(start))] = rng.randrange(world.values)
        return replace(world, start=tuple(start))
    at, kind, place = rng.choice([*_parts(world)])
    action = list(world.actions[at])
    term = action[kind][place]
    if len(term) == 4:
        term = (*term[:3], rng.randrange(world.values))
    action[kind] = (*action[kind][:place], term, *action[kind][place + 1 :])
    return replace(world, actions=(*world.actions[:at], tuple(action), *world.actions[at + 1 :]))


def kin(world: Orders) -> list[str]:
    """The actions and bans, whatever things, attributes and values are called."""
    return unnamed(rule_facts(world), rule_names(world))


def canon(world: Orders) -> list[str]:
    rules = rule_facts(world)
    facts, things = [*rules], [f"t{at}" for at in range(len(world.things))]
    for thing, states in zip(things, rows(world, world.start), strict=True):
        facts += [("start", thing, f"v{at}.{value}") for at, value in enumerate(states)]
    named = dict(zip(world.things, things, strict=True))
    for number, order in enumerate(world.orders):
        verb, *on = order.split(" ")
        rule = rules[world.verbs.index(verb)]
        facts.append(("order", str(number), rule, *(named[each] for each in on)))
    return unnamed(facts, [*rule_names(world), *things])


def hardness(world: Orders) -> float:
    """The actions to try, each by its conditions and effects."""
    parts = sum(1 for _ in _parts(world))
    return len(world.orders) * (1 + parts / len(world.actions)) + len(world.bans) * 2


def _is_in_reach(ban: Term, actions: Sequence[Action]) -> bool:
    """Whether some effect gives one more thing the attribute's value that is banned."""
    attribute, value, _ = ban
    return any(
        at == attribute and (kind in ("turn", "copy") or to == [value])
        for _, _, effects in actions
        for kind, _, at, *to in effects
    )


def _skipped(world: Orders) -> tuple[int, ...] | None:
    """The answer, where it has about as many numbers as one that is drawn."""
    numbers = solve(world)
    return numbers if numbers and 2 <= len(numbers) <= len(world.orders) * MOST else None


def _parts(world: Orders) -> Iterator[Part]:
    for at, action in enumerate(world.actions):
        for kind in (1, 2):
            yield from ((at, kind, place) for place in range(len(action[kind])))


def _compiled(world: Orders, names: Iterable[str]) -> Ways:
    return {name: compiled_one(world, name) for name in dict.fromkeys(names)}


def _tried(world: Orders, orders: Sequence[str], ways: Ways, state: Flat) -> Iterator[Outcome]:
    """What comes of each order, in turn."""
    for name in orders:
        outcome, state = _stepped(world, state, *ways[name])
        yield outcome, state


def _stepped(world: Orders, state: Flat, tests: list[Any], changes: list[Any]) -> Outcome:
    then = moved(world.values, state, tests, changes)
    if then is None:
        return IMPOSSIBLE, state
    return (DONE, then) if sound(world, then) else (BANNED, state)


def _agrees(world: Orders, ways: Ways, trace: Sequence[Outcome], at: int, state: Flat) -> bool:
    """Whether the same orders are skipped from one on; the first that is not says no."""
    tried = _tried(world, world.orders[at:], ways, state)
    return all((one == DONE) == (other == DONE) for (one, _), (other, _) in zip(tried, trace[at:]))


def _needed(world: Orders, ways: Ways, trace: Sequence[Outcome]) -> tuple[Part, ...]:
    """The parts without which other actions are skipped; none where they are too few."""
    parts, needed = [*_parts(world)], list[Part]()
    before = [world.start, *(state for _, state in trace)]
    turns: dict[str, list[int]] = {verb: [] for verb in world.verbs}
    for turn, name in enumerate(world.orders):
        turns[name.split(" ")[0]].append(turn)
    for seen, part in enumerate(parts, 1):
        mine = turns[world.verbs[part[0]]]
        less = {name: _lessened(world, part, ways[name])
                for name in {world.orders[at] for at in mine}}  # fmt: skip
        others = ((at, _stepped(world, before[at], *less[world.orders[at]])) for at in mine)
        # Until something else comes of it, all is the same.
        at = next((at for at, outcome in others if outcome != trace[at]), None)
        if at is not None and not _agrees(world, ways | less, trace, at, before[at]):
            needed.append(part)
        if seen - len(needed) > (1 - NEEDED) * len(parts):
            return ()
    return tuple(needed) if {at for at, *_ in needed} == {*range(len(world.actions))} else ()


def _lessened(world: Orders, part: Part, way: tuple[list[Any], list[Any]]) -> Any:
    """A compiled action without one of its conditions or effects; a swap is two changes."""
    (at, kind, place), (tests, changes) = part, way
    if kind == 1:
        return tests[:place] + tests[place + 1 :], changes
    sizes = [2 if effect[0] == "swap" else 1 for effect in world.actions[at][kind]]
    first = sum(sizes[:place])
    return tests, changes[:first] + changes[first + sizes[place] :]


def _left_out(world: Orders, part: Part) -> Orders:
    """An action without one of its conditions or effects."""
    at, kind, place = part
    action = list(world.actions[at])
    action[kind] = _but(action[kind], place)
    actions = (*world.actions[:at], tuple(action), *world.actions[at + 1 :])
    return replace(world, actions=actions, needed=())


def _but(terms: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return terms[:at] + terms[at + 1 :]


LADDER = (
    Knobs(2, 2, 3, 2, 12, 0),
    Knobs(3, 2, 3, 3, 13, 0),
    Knobs(3, 2, 3, 4, 15, 1),
    Knobs(4, 2, 4, 5, 19, 1),
    Knobs(4, 3, 4, 6, 26, 1),
)
FAMILY = Family(
    Orders,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(called=("action", "actions")),
    hardness=hardness,
    proof="unique",
    solver="compiled actions on a flat state",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=misreadings(_skipped, misread),
    skills=("tracking", "rules"),
    theme="drawn_rules",
    slips_version=2,
    version=2,
)
