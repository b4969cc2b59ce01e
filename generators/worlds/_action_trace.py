"""Plans judged backwards: each value is traced to the action that made it."""

from collections.abc import Iterable
from itertools import permutations

from puzzlemill.generators.worlds._action_world import Setting


def traced(world: Setting, goal: Iterable[tuple[int, int, int]], plan: tuple[str, ...]) -> bool:
    """Whether each action can be done, nothing forbidden comes about, and things are as wanted."""
    names = {f"{verb} {' '.join(things)}": (action, things)
             for verb, action in zip(world.verbs, world.actions)
             for things in permutations(world.things, action[0])}  # fmt: skip
    if any(name not in names for name in plan):
        return False

    def value(time: int, thing: str, attribute: int) -> int:
        if not time:
            at = world.things.index(thing) * len(world.attributes) + attribute
            return world.start[at]
        action, things = names[plan[time - 1]]
        for kind, place, which, *number in action[2]:
            if which != attribute or thing not in things:
                continue
            mine = things[place] == thing
            if kind == "set" and mine:
                return int(number[0])
            if kind == "turn" and mine:
                return (value(time - 1, thing, attribute) + 1) % world.values
            if kind == "swap" or (kind == "copy" and mine):
                return value(time - 1, things[1 - things.index(thing)], attribute)
        return value(time - 1, thing, attribute)

    for time, name in enumerate(plan):
        action, things = names[name]
        for kind, place, which, *number in action[1]:
            here = value(time, things[place], which)
            other = number[0] if number else value(time, things[1 - place], which)
            if (here == other) != (kind in ("is", "same")):
                return False
    for attribute, number, *more in world.bans:
        for time in range(1, len(plan) + 1):
            having = [each for each in world.things if value(time, each, attribute) == number]
            if len(more) == 1 and len(having) > more[0]:
                return False
            if len(more) == 2 and any(value(time, each, more[0]) == more[1] for each in having):
                return False
    return all(value(len(plan), world.things[it], at) == number for it, at, number in goal)
