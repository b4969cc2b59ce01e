"""Strips: find a plan in a little world of made-up things, states and actions.

Each thing is in one of a few states; an action needs some things to be in certain states and puts
some into others. The words mean nothing, so that nothing but the rules can be gone by. Every plan
within the limit is right, so `verify` carries it out. `generate` goes through the states layer by
layer and states no more of the last one than it takes to tell it from those before; `solve`
searches towards what is asked for.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.planning._search import guided

ONSETS = ("b", "bl", "br", "d", "dr", "f", "g", "gl", "k", "m", "n", "pl", "s", "sk", "t", "v", "z")
VOWELS = "aiou"
RIMES = tuple(vowel + end for vowel in VOWELS for end in ("", "", "k", "l", "m", "n", "rf", "x"))
TRIES = 8  # worlds that `generate` looks at
PATIENCE = 4000  # states after which it goes no further

Fact = tuple[str, str]  # a thing, and its state
Action = tuple[str, tuple[Fact, ...], tuple[Fact, ...]]  # its name, what it needs, what it makes
Part = tuple[int, int]  # a fact by numbers; each thing begins in its state 0
Change = tuple[tuple[Part, ...], tuple[Part, ...]]  # what an action needs and makes


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # each of which is in one state
    states: int  # of each thing
    actions: int  # that there are
    moves: int  # the fewest that do it, or up to a quarter less; fewer where no world takes as many


@dataclass(frozen=True, slots=True)
class World:
    things: tuple[tuple[str, ...], ...]  # a thing, and its states, the one at the start first
    actions: tuple[Action, ...]
    goal: tuple[Fact, ...]
    limit: int  # actions allowed


def generate(rng: Random, knobs: Knobs) -> World | None:
    wanted = rng.randint(max(2, knobs.moves * 3 // 4), knobs.moves)
    best: tuple[int, list[Change], list[Part]] | None = None
    for _ in range(TRIES):
        changes = _changes(rng, knobs, wanted)
        layers = _layers(knobs, changes, wanted)
        length = len(layers) - 1
        if length > 1 and (best is None or length > best[0]):
            best = length, changes, _goal(rng, knobs, layers)
        if length == wanted:
            break
    return _named(rng, knobs, *best) if best else None


def solve(world: World) -> tuple[str, ...] | None:
    """A*: an action mends at most as many of the goal's parts as it changes things."""
    place = {thing: at for at, (thing, *_) in enumerate(world.things)}
    most = max(len(makes) for _, _, makes in world.actions)
    goal = [(place[thing], state) for thing, state in world.goal]

    def onward(state: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, needs, makes in world.actions:
            if all(state[place[thing]] == it for thing, it in needs):
                then = list(state)
                for thing, it in makes:
                    then[place[thing]] = it
                yield name, tuple(then)

    def left(state: tuple[str, ...]) -> int:
        return -(-sum(state[at] != it for at, it in goal) // most)

    start = tuple(states[0] for _, *states in world.things)
    found = guided(start, lambda state: left(state) == 0, onward, left, world.limit)
    return tuple(found) if found is not None else None


def verify(world: World, plan: tuple[str, ...]) -> float:
    if len(plan) > world.limit:
        return 0.0
    actions = {name: (needs, makes) for name, needs, makes in world.actions}
    now = {thing: first for thing, first, *_ in world.things}
    for name in plan:
        if name not in actions:
            return 0.0
        needs, makes = actions[name]
        if any(now[thing] != state for thing, state in needs):
            return 0.0
        now.update(makes)
    return float(all(now[thing] == state for thing, state in world.goal))


def recheck(world: World, plan: tuple[str, ...]) -> bool:
    """Need by need: the last action before that touched the thing made it so, or it began so."""
    names = [name for name, _, _ in world.actions]
    if len(plan) > world.limit or not set(names).issuperset(plan):
        return False
    done = [world.actions[names.index(name)] for name in plan]
    wants = [(at, fact) for at, (_, needs, _) in enumerate(done) for fact in needs]
    wants += [(len(done), fact) for fact in world.goal]
    for at, (thing, state) in wants:
        history = [states[0] for it, *states in world.things if it == thing]
        history += [it for _, _, makes in done[:at] for other, it in makes if other == thing]
        if history[-1] != state:
            return False
    return True


def render(world: World, style: Style) -> Prompt:
    things = "\n".join(
        f"{thing}: {', '.join(sorted(states))} (now {states[0]})" for thing, *states in world.things
    )
    form = style.pick(
        "{name}: only when {needs}; then {makes}",
        "{name} can be done while {needs}. Afterwards, {makes}.",
        "{name} - before: {needs}; after: {makes}",
    )
    actions = "\n".join(
        form.format(name=name, needs=_and(needs), makes=_and(makes))
        for name, needs, makes in world.actions
    )
    goal = _and(world.goal)
    limit = f"{world.limit} action{'s' if world.limit > 1 else ''}"
    return Prompt(
        style.pick(
            "There are these things, each of which is in exactly one of its states at any"
            f" time:\n\n{things}\n\nThese are the actions, with what each of them needs and what it"
            f" changes:\n\n{actions}\n\nWhatever an action does not mention stays as it is. Find a"
            f" plan of at most {limit} after which {goal}. An action may be used more than once.",
            f"Reach a situation in which {goal}, by no more than {limit}, done one after the other."
            " An action can only be done if all that it requires is true at that moment; it changes"
            " what it says, and nothing else. Actions can be repeated.\n\nActions:\n"
            f"{actions}\n\nThings, their possible states, and the state that each is in at"
            f" first:\n{things}",
            f"Plan ahead. The words below are invented; only the rules count.\n\nThings (every one"
            f" has exactly one state at any time):\n{things}\n\nActions (allowed as often as you"
            " like, whenever their conditions hold; all things that are not named keep their"
            f" state):\n{actions}\n\nYou want this: {goal}. Which actions lead there, in which"
            f" order? You have {limit} at most.",
        ),
        form="the names of the actions in the order in which they are done, separated by spaces",
    )


def steps(world: World) -> list[str]:
    """What each action changes."""
    now = {thing: first for thing, first, *_ in world.things}
    actions = {name: makes for name, _, makes in world.actions}
    lines = []
    for name in solve(world) or ():
        changed = [f"{thing} {now[thing]} to {state}" for thing, state in actions[name]]
        now.update(actions[name])
        lines.append(f"{name}: {', '.join(changed)}")
    return lines


def progress(world: World, lines: Lines) -> float:
    return way_travelled(FAMILY, world, lines, _onward, r"(\w+): ")


def _onward(world: World, name: str) -> World | None:
    """The state that a thing is in comes first."""
    now = {thing: first for thing, first, *_ in world.things}
    found = next(((needs, makes) for it, needs, makes in world.actions if it == name), None)
    if found is None or any(now[thing] != state for thing, state in found[0]):
        return None
    now.update(found[1])
    things = tuple(
        (thing, now[thing], *(state for state in states if state != now[thing]))
        for thing, *states in world.things
    )
    return replace(world, things=things, limit=world.limit - 1)


def canon(world: World) -> list[str]:
    """What is needed and made, whatever the names."""
    facts: list[tuple[object, ...]] = [("limit", world.limit)]
    facts += [("now", thing, first) for thing, first, *_ in world.things]
    facts += [("goal", *fact) for fact in world.goal]
    for name, needs, makes in world.actions:
        facts += [("needs", name, *fact) for fact in needs]
        facts += [("makes", name, *fact) for fact in makes]
    names = [word for words in world.things for word in words]
    return unnamed(facts, [*names, *(name for name, _, _ in world.actions)])


def hardness(world: World) -> float:
    """Actions to find, among so many."""
    return world.limit + len(world.actions) / 2


def _and(facts: tuple[Fact, ...]) -> str:
    return " and ".join(f"{thing} is {state}" for thing, state in facts)


def _words(rng: Random, count: int) -> list[str]:
    """So many made-up words, no two alike, each of two syllables."""
    found: dict[str, None] = {}
    while len(found) < count:
        first, second = rng.choice(ONSETS), rng.choice(ONSETS)
        if first != second:
            found[first + rng.choice(VOWELS) + second + rng.choice(RIMES)] = None
    return list(found)


def _changes(rng: Random, knobs: Knobs, most: int) -> list[Change]:
    """Those of a walk through ever new states, which has that many steps at most; and decoys."""
    now = [0] * knobs.things
    been, found = {tuple(now)}, dict[Change, None]()
    for _ in range(4 * most):
        if len(been) > most or len(found) == knobs.actions:
            break
        change, then = _change(rng, now, knobs.states), [*now]
        for thing, state in change[1]:
            then[thing] = state
        if change not in found and tuple(then) not in been:
            now = then
            been.add(tuple(now))
            found[change] = None
    for _ in range(20 * knobs.actions):
        if len(found) == knobs.actions:
            break
        anywhere = [rng.randrange(knobs.states) for _ in range(knobs.things)]
        found[_change(rng, anywhere, knobs.states)] = None
    changes = list(found)
    rng.shuffle(changes)
    return changes


def _change(rng: Random, now: list[int], states: int) -> Change:
    """What an action needs, as things are now, and makes of one thing or two."""
    chosen = rng.sample(range(len(now)), min(len(now), rng.choice((2, 2, 3))))
    makes = [(thing, (now[thing] + rng.randrange(1, states)) % states)
             for thing in chosen[: rng.choice((1, 1, 1, 2))]]  # fmt: skip
    needs = [(thing, now[thing]) for thing in chosen if rng.random() < 0.85]
    return tuple(sorted(needs or [(chosen[-1], now[chosen[-1]])])), tuple(sorted(makes))


def _layers(knobs: Knobs, changes: list[Change], most: int) -> list[list[int]]:
    """The states after no action, after one, and so on, as far as there are new ones; a state has
    a bit for each thing's."""

    def bits(parts: Iterable[Part]) -> int:
        return sum(1 << thing * knobs.states + state for thing, state in parts)

    any_state = (1 << knobs.states) - 1
    acts = [
        (bits(needs), ~sum(any_state << thing * knobs.states for thing, _ in makes), bits(makes))
        for needs, makes in changes
    ]
    start = bits((thing, 0) for thing in range(knobs.things))
    seen, layers = {start}, [[start]]
    while len(layers) <= most and len(seen) < PATIENCE:
        fresh = []
        for state in layers[-1]:
            for needs, left, makes in acts:
                if state & needs == needs and (then := state & left | makes) not in seen:
                    seen.add(then)
                    fresh.append(then)
        if not fresh:
            break
        layers.append(fresh)
    return layers


def _goal(rng: Random, knobs: Knobs, layers: list[list[int]]) -> list[Part]:
    """What a state of the last layer has, and none before; as little of it as will do."""
    goal, any_state = rng.choice(layers[-1]), (1 << knobs.states) - 1
    earlier = [state for layer in layers[:-1] for state in layer]
    for thing in rng.sample(range(knobs.things), knobs.things):
        less = goal & ~(any_state << thing * knobs.states)
        if all(state & less != less for state in earlier):
            goal = less
    every = product(range(knobs.things), range(knobs.states))
    return [part for at, part in enumerate(every) if goal >> at & 1]


def _named(rng: Random, knobs: Knobs, limit: int, changes: list[Change], goal: list[Part]) -> World:
    size = knobs.states + 1
    words = _words(rng, knobs.things * size + len(changes))
    things = tuple(tuple(words[at * size : (at + 1) * size]) for at in range(knobs.things))

    def facts(parts: Iterable[Part]) -> tuple[Fact, ...]:
        return tuple(sorted((things[thing][0], things[thing][1 + state]) for thing, state in parts))

    actions = tuple(
        (name, facts(needs), facts(makes))
        for name, (needs, makes) in zip(words[knobs.things * size :], changes, strict=True)
    )
    return World(things, actions, facts(goal), limit)


LADDER = (
    Knobs(3, 3, 7, 4),
    Knobs(4, 3, 10, 6),
    Knobs(4, 4, 14, 9),
    Knobs(5, 4, 20, 13),
    Knobs(6, 5, 30, 20),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* by the parts of the goal that are missing",
    guess_rate=0.07,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("planning", "search", "logic"),
    peers=("reasoning-core/planning",),
    version=4,
)
