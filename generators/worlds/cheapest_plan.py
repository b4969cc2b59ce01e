"""Cheapest plan: reach a goal at the least cost, by drawn actions with prices and forbidden states.

An action speaks of any X and Y, not of certain things. Every plan of the least cost is right, so
`verify` carries it out and adds up. `generate` has the interpreter tell what an action does to two
things, and has arrays of all states; `solve` is Dijkstra's algorithm over compiled actions.
No action and nothing that is forbidden can be left out: the least cost would be another. With equal
prices, another plan would do. The set of rules decides the split.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._action_graph import (
    FAR,
    MOVE,
    Graph,
    Numbers,
    graph_of,
    least_costs,
)
from puzzlemill.generators.worlds._action_terms import (
    SKINS,
    VARIABLES,
    Action,
    Term,
    ban_worded,
    drawn,
    worded,
)
from puzzlemill.generators.worlds._action_world import (
    Flat,
    after,
    article,
    attributes_told,
    compiled,
    drawn_ban,
    letters_told,
    rows,
    rule_facts,
    rule_names,
    sound,
    start_told,
    state_of,
    stepped,
    values_of,
)

TRIES = 40  # sets of actions that are looked at for one puzzle
PRICES = 6  # draws of prices for the same actions
GOALS = 3  # states that are tried as what is to be reached

Goal = tuple[tuple[int, int, int], ...]  # thing, attribute, value


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # of the world
    attributes: int  # that each thing has
    values: int  # of each attribute
    actions: int  # that are drawn; those that are of no use are left out
    moves: int  # of a cheapest plan, at least
    forbidden: int  # that are drawn; those that change nothing are left out


@dataclass(frozen=True, slots=True)
class World:
    skin: str
    things: tuple[str, ...]
    attributes: tuple[str, ...]
    values: int
    verbs: tuple[str, ...]
    actions: tuple[Action, ...]
    prices: tuple[int, ...]  # of the actions
    bans: tuple[Term, ...]  # attribute, value, and how many things at most may have it
    clashes: tuple[Term, ...]  # "both" or "while", attribute, value, attribute, value
    start: Flat
    goal: Goal
    cost: int  # of a cheapest plan


def generate(rng: Random, knobs: Knobs) -> World | None:
    found = (_tried(rng, knobs) for _ in range(TRIES))
    return next((world for world in found if world), None)


def solve(world: World) -> tuple[str, ...] | None:
    """Dijkstra's algorithm over compiled actions, each a test and a change of the flat state."""
    price = dict(zip(world.verbs, world.prices))
    every = [(price[name.split(" ")[0]], name, _asked(tests), changes)
             for name, tests, changes in compiled(world)]  # fmt: skip
    wanted = [(thing * len(world.attributes) + at, value) for thing, at, value in world.goal]
    came: dict[Flat, tuple[Flat, str] | None] = {world.start: None}
    least, settled = {world.start: 0}, set[Flat]()
    queue, free = [(0, world.start)], replace(world, bans=())
    while queue:
        cost, state = heappop(queue)
        if state in settled or not _sound(world, state):
            continue
        settled.add(state)
        if all(state[at] == value for at, value in wanted):
            plan = list[str]()
            while before := came[state]:
                state, name = before
                plan.append(name)
            return tuple(reversed(plan)) or None
        for more, name, tests, changes in every:
            for a, b, told, alike in tests:
                if (state[a] == (b if told else state[b])) != alike:
                    break
            else:
                then = stepped(free, state, [], changes)
                if then is not None and cost + more < least.get(then, cost + more + 1):
                    least[then], came[then] = cost + more, (state, name)
                    heappush(queue, (cost + more, then))
    return None


def verify(world: World, plan: tuple[str, ...]) -> float:
    state, cost = state_of(world, world.start), 0
    for name in plan:
        then = after(world, state, name)
        if then is None or any(_met(world, clash, then) for clash in world.clashes):
            return 0.0
        state = then
        cost += world.prices[world.verbs.index(name.split(" ")[0])]
    right = all(state[world.things[it], at] == value for it, at, value in world.goal)
    return float(right and cost == world.cost)


def recheck(world: World, plan: tuple[str, ...]) -> bool:
    """By compiled actions, counted down from the least cost."""
    of = {name: (tests, changes) for name, tests, changes in compiled(world)}
    state, left = world.start, world.cost
    for name in plan:
        then = stepped(world, state, *of[name]) if name in of else None
        if then is None or not _sound(world, then):
            return False
        state = then
        left -= dict(zip(world.verbs, world.prices))[name.split(" ")[0]]
    table = rows(world, state)
    return not left and all(table[thing][at] == value for thing, at, value in world.goal)


def render(world: World, style: Style) -> Prompt:
    values, the = values_of(world), article(world)
    kinds, now = attributes_told(world), start_told(world)
    actions = "\n".join(
        f"{verb} {' '.join(VARIABLES[: action[0]])} (costs {price}):"
        f" {worded(action, world.attributes, values)}."
        for verb, action, price in zip(world.verbs, world.actions, world.prices)
    )
    never = [ban_worded(ban, values) for ban in world.bans]
    never += [_clash_worded(clash, values) for clash in world.clashes]
    forbidden = "".join(f"\n{each}" for each in never)
    wanted = dict[int, list[str]]()
    for thing, at, value in world.goal:
        wanted.setdefault(thing, []).append(values[at][value])
    goal = listed(f"{the}{world.things[it]} is {listed(parts)}" for it, parts in wanted.items())
    letters = letters_told(world)
    question = style.pick(
        f"A little world has rules of its own, and every action has a price. Each thing has these"
        f" attributes, whose values follow each other in this order:\n\n{kinds}\n\nAt the start:\n"
        f"{now}\n\nThese are the actions; {letters}. An action changes nothing but what it says."
        f"\n\n{actions}{forbidden}\n\nFind a plan after which {goal}, and whose total cost is as"
        " small as possible.",
        f"Bring it about that {goal}, as cheaply as possible: the costs of all actions that are"
        f" done are added up. The rules ({letters}; what a rule does not mention stays as it is):"
        f"\n\n{actions}{forbidden}\n\nThe attributes, with their values in order:\n{kinds}\n\nThe"
        f" beginning:\n{now}",
        f"{now}\n\nYou want that {goal}. You may do these actions, each as often as you like, as"
        f" long as its condition is met, and you pay for it each time; {letters}, and all else"
        f" stays the same.\n\n{actions}{forbidden}\n\nAttributes have values in a fixed order:"
        f"\n{kinds}\n\nGive a plan that costs the least in all, however many actions it has.",
    )
    two = next((verb for verb, it in zip(world.verbs, world.actions) if it[0] == 2), "")
    example = " ".join([two or world.verbs[0], *world.things[: 2 if two else 1]])
    return Prompt(
        question,
        "the actions in order, separated by commas, each with its things in the order of its"
        f' letters (as in "{example}")',
    )


def steps(world: World) -> list[str]:
    """What each action changes, and what has been paid."""
    values, state, lines, paid = values_of(world), state_of(world, world.start), list[str](), 0
    for name in solve(world) or ():
        then = after(world, state, name) or state
        changed = [f"{thing} is {values[at][value]}" for (thing, at), value in then.items()
                   if state[thing, at] != value]  # fmt: skip
        paid += world.prices[world.verbs.index(name.split(" ")[0])]
        lines.append(f"{name}: {', '.join(changed)}; paid {paid}")
        state = then
    return lines


def without(world: World) -> Iterator[World]:
    for at in range(len(world.actions)):
        yield replace(
            world,
            actions=_but(world.actions, at),
            verbs=_but(world.verbs, at),
            prices=_but(world.prices, at),
        )
    for at in range(len(world.bans)):
        yield replace(world, bans=_but(world.bans, at))
    for at in range(len(world.clashes)):
        yield replace(world, clashes=_but(world.clashes, at))


def kin(world: World) -> Any:
    """Actions with prices, and what is forbidden, whatever things, attributes and values are."""
    return unnamed(_facts(world), rule_names(world))


def canon(world: World) -> Any:
    facts = _facts(world)
    for thing, states in enumerate(rows(world, world.start)):
        facts += [("start", f"t{thing}", f"v{at}.{value}") for at, value in enumerate(states)]
    facts += [("goal", f"t{thing}", f"v{at}.{value}") for thing, at, value in world.goal]
    return unnamed(facts, [*rule_names(world), *(f"t{at}" for at in range(len(world.things)))])


def hardness(world: World) -> float:
    """Moves to find, each among so many actions on so many things."""
    choices = sum(len(world.things) ** int(action[0]) for action in world.actions)
    return float(len(solve(world) or ()) + choices / 4)


def _tried(rng: Random, knobs: Knobs) -> World | None:
    skin = rng.choice(list(SKINS))
    attributes, things, verbs = SKINS[skin]
    sizes = (knobs.values,) * knobs.attributes
    actions = list(dict.fromkeys(drawn(rng, sizes, knobs.things) for _ in range(knobs.actions)))
    start = tuple(rng.randrange(knobs.values) for _ in range(knobs.things * knobs.attributes))
    limits = [drawn_ban(rng, knobs.attributes, knobs.values, start)]
    clashes = [_clash(rng, knobs) for _ in range(max(0, knobs.forbidden - 1))]
    world = World(
        skin,
        tuple(rng.sample(things, knobs.things)),
        tuple(rng.sample(list(attributes), knobs.attributes)),
        knobs.values,
        tuple(rng.sample(verbs, len(actions))),
        tuple(actions),
        tuple(rng.randint(1, 9) for _ in actions),
        tuple(limits[: knobs.forbidden]),
        tuple(dict.fromkeys(clashes)),
        start,
        (),
        0,
    )
    if not _sound(world, start):
        return None
    graph = graph_of(world, [*(_over(it) for it in world.bans), *(_in(it) for it in world.clashes)])
    fewest = least_costs(graph, world.prices, range(len(graph.bad)), 1)
    if fewest[fewest < FAR].max() % MOVE < knobs.moves - 1:
        return None
    found = (_priced(rng, knobs, graph, fewest % MOVE) for _ in range(PRICES))
    return next((each for each in found if each), None)


def _clash(rng: Random, knobs: Knobs) -> Term:
    """Two values that a thing may not have at a time, or two things."""
    states = [(at, it) for at in range(knobs.attributes) for it in range(knobs.values)]
    first, second = sorted(rng.sample(states, 2))
    kind = "while" if first[0] == second[0] else rng.choice(("both", "while"))
    return (kind, *first, *second)


def _clash_worded(clash: Term, values: list[tuple[str, ...]]) -> str:
    kind, one, first, other, second = clash
    said, then = values[one][first], values[other][second]
    if kind == "both":
        return f"At no time may a thing be both {said} and {then}."
    return f"At no time may one thing be {said} while another thing is {then}."


def _met(world: World, clash: Term, state: dict[tuple[str, int], int]) -> bool:
    """The interpreter: whether a state is forbidden by a clash."""
    kind, one, first, other, second = clash
    return any(
        state[left, one] == first and state[right, other] == second
        for left in world.things
        for right in world.things
        if (left == right) == (kind == "both")
    )


def _apart(clash: Term, table: list[Flat]) -> bool:
    """The engine: whether a clash is avoided."""
    kind, one, first, other, second = clash
    left = [at for at, row in enumerate(table) if row[one] == first]
    right = [at for at, row in enumerate(table) if row[other] == second]
    if kind == "both":
        return not set(left) & set(right)
    return not left or not right or (left == right and len(left) == 1)


def _asked(tests: list[Any]) -> list[tuple[int, int, bool, bool]]:
    """A place, a value or another place, which of them, and whether they must be alike."""
    return [(a, b, kind in ("is", "is not"), kind in ("is", "same")) for kind, a, b in tests]


def _over(ban: Term) -> Callable[[Numbers], NDArray[np.bool_]]:
    attribute, value, most = ban
    return lambda values: (values[:, :, attribute] == value).sum(axis=1) > most


def _in(clash: Term) -> Callable[[Numbers], NDArray[np.bool_]]:
    """The states that a clash forbids, all at once."""
    kind, one, first, other, second = clash

    def forbidden(values: Numbers) -> NDArray[np.bool_]:
        left, right = values[:, :, one] == first, values[:, :, other] == second
        same = (left & right).sum(axis=1)
        pairs = left.sum(axis=1) * right.sum(axis=1)
        return np.asarray(same > 0 if kind == "both" else pairs > same)

    return forbidden


def _sound(world: World, flat: Flat) -> bool:
    return sound(world, flat) and all(_apart(it, rows(world, flat)) for it in world.clashes)


def _priced(rng: Random, knobs: Knobs, graph: Graph[World], fewest: Numbers) -> World | None:
    """The world with other prices and a goal; `fewest` are the actions that lead to each state."""
    prices = tuple(rng.randint(1, 9) for _ in graph.world.actions)
    least = least_costs(graph, prices, range(len(graph.bad)))
    moves = least % MOVE
    ends = np.flatnonzero((least < FAR) & (moves >= knobs.moves) & (moves > fewest))
    flat = graph.values
    for end in rng.sample(ends.tolist(), min(GOALS, len(ends))):
        cost = int(least[end]) // MOVE
        alike = flat[least // MOVE < cost] == flat[end]
        places = list(range(flat.shape[1]))
        for at in rng.sample(places, len(places)):
            less = [it for it in places if it != at]
            if not alike[:, less].all(axis=1).any():
                places = less
        there = (flat[:, places] == flat[end, places]).all(axis=1)
        goal = tuple((*divmod(at, knobs.attributes), int(flat[end, at])) for at in places)
        asked = replace(graph.world, prices=prices, goal=goal, cost=cost)
        if not goal or least[there].min() % MOVE <= fewest[there & (least < FAR)].min():
            continue
        if found := _slim(replace(graph, world=asked), there, knobs.moves):
            return found
    return None


def _slim(graph: Graph[World], there: NDArray[np.bool_], moves: int) -> World | None:
    """Without the rules that change nothing; None where too few are left, or the prices do not
    matter: a plan of the fewest actions would do."""
    world = graph.world
    rules = list(range(len(graph.bad)))
    prices = list(world.prices)

    def ends(price: int = 0) -> int:
        return int(least_costs(graph, prices, rules, price)[there].min())

    changed = True
    while changed:
        changed = False
        for rule in list(rules):
            rules.remove(rule)
            if gone := ends() // MOVE == world.cost:
                changed = True
            else:
                rules.append(rule)
        for at, price in enumerate(prices):
            prices[at] = 0
            if price and not (gone := ends() // MOVE == world.cost):
                prices[at] = price
            changed |= bool(price and gone)
    least = ends() % MOVE
    kept = [at for at, price in enumerate(prices) if price]
    if len(kept) < 2 or least < moves or least == ends(1) % MOVE:
        return None
    limits = sorted(rules)
    many = len(world.bans)
    return replace(
        world,
        bans=tuple(world.bans[at] for at in limits if at < many),
        clashes=tuple(world.clashes[at - many] for at in limits if at >= many),
        verbs=tuple(world.verbs[at] for at in kept),
        actions=tuple(world.actions[at] for at in kept),
        prices=tuple(world.prices[at] for at in kept),
    )


def _but(parts: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return parts[:at] + parts[at + 1 :]


def _facts(world: World) -> list[tuple[Any, ...]]:
    facts = rule_facts(world)
    facts[: len(world.prices)] = [
        (*fact, "costs", price) for fact, price in zip(facts, world.prices)
    ]
    for kind, one, first, other, second in world.clashes:
        facts.append((kind, f"v{one}.{first}", f"v{other}.{second}"))
    return facts


LADDER = (
    Knobs(2, 2, 3, 4, 3, 1),
    Knobs(2, 2, 3, 5, 4, 2),
    Knobs(3, 2, 3, 5, 4, 2),
    Knobs(3, 2, 3, 6, 6, 3),
    Knobs(3, 2, 3, 6, 8, 3),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="phrases", idle=("the", "and", "with", "on")),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="Dijkstra's algorithm over compiled actions",
    guess_rate=0.07,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("planning", "search", "rules"),
    theme="drawn_rules",
)
