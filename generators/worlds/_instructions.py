"""The words of drawn instructions: what each effect does to two numbers p and q, in three skins.

An effect is a tuple of a word and its operands: "p", "q" or a number. An instruction is a condition
or (), the effects if it holds, and the effects otherwise.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, TypeAlias

Effect: TypeAlias = tuple[Any, ...]
Effects: TypeAlias = tuple[Effect, ...]
Instruction: TypeAlias = tuple[Effect, Effects, Effects]
# The place of an instruction and its registers p and q; (BACK, line, times) goes back to a line,
# and (NOTHING, 0, 0) does nothing.
Line: TypeAlias = tuple[int, int, int]

BACK, NOTHING = -1, -2
NAMES = "ABCD"  # of the registers

SKINS: dict[str, dict[str, str]] = {
    "formulas": {
        "add": "set {} to {} + {}",
        "gap": "set {} to |{} - {}|",
        "copy": "set {} to {}",
        "swap": "swap {} and {}",
        "times": "set {} to {} * {}",
        "halve": "set {} to {} / 2, rounded down",
        "remainder": "set {} to the remainder of {} divided by {}",
        "larger": "set {} to max({}, {})",
        "print": "print {}",
        "skip": "skip the next line",
        "less": "{} < {}",
        "even": "{} is even",
        "above": "{} > {}",
    },
    "registers": {
        "add": "add {2} to {0}",
        "gap": "replace {0} by the difference between {0} and {2} (larger minus smaller)",
        "copy": "copy {1} into {0}",
        "swap": "exchange {0} and {1}",
        "times": "multiply {0} by {2}",
        "halve": "halve {0}, rounding down",
        "remainder": "replace {0} by its remainder when divided by {2}",
        "larger": "raise {0} to the value of {2} if that is larger",
        "print": "print {0}",
        "skip": "skip the next line of the program",
        "less": "{0} is less than {1}",
        "even": "{0} is even",
        "above": "{0} is more than {1}",
    },
    "jars": {
        "add": "put {2} more pebbles into jar {0}",
        "gap": "make jar {0} hold the difference between {0} and {2}, larger minus smaller",
        "copy": "fill or empty jar {0} until it holds {1} pebbles",
        "swap": "exchange what jars {0} and {1} hold",
        "times": "make jar {0} hold {2} times as many pebbles",
        "halve": "make jar {0} hold half as many pebbles, rounded down",
        "remainder": "take {2} pebbles out of jar {0} for as long as it holds {2} or more",
        "larger": "fill jar {0} up to {2} pebbles if it holds fewer",
        "print": "write down {0}",
        "skip": "skip the next line of the recipe",
        "less": "{0} is less than {1}",
        "even": "{0} is even",
        "above": "{0} is more than {1}",
    },
}


def instruction(rng: Random, effects: int, cases: bool) -> Instruction:
    """A drawn instruction, with so many effects in each of its branches."""
    if not cases:
        then = _branch(rng, effects)
        return (), then, then
    first, second = rng.sample(("p", "q"), 2)
    conditions = (("less", first, second), ("even", first), ("above", first, rng.randint(3, 12)))
    condition = rng.choice(conditions)
    barred = "larger" if condition[0] == "less" else ""  # the condition tells already which is
    then, otherwise = _branch(rng, effects, barred), _branch(rng, effects, barred)
    if rng.random() < 0.3:
        otherwise = (*otherwise[:-1], ("skip",))
    return condition, then, otherwise


def _branch(rng: Random, effects: int, barred: str = "") -> tuple[Effect, ...]:
    """Effects of different kinds."""
    drawn: dict[str, Effect] = {}
    while len(drawn) < effects:
        effect = _effect(rng)
        if effect[0] != barred:
            drawn.setdefault(effect[0], effect)
    return tuple(drawn.values())


def _effect(rng: Random) -> Effect:
    to, other = rng.sample(("p", "q"), 2)
    draws: Sequence[Effect] = (
        ("add", to, other),
        ("add", to, rng.randint(1, 9)),
        ("gap", to, other),
        ("gap", to, rng.randint(3, 9)),
        ("copy", to, other),
        ("swap", "p", "q"),
        ("times", to, rng.randint(2, 3)),
        ("halve", to),
        ("remainder", to, rng.randint(5, 11)),
        ("larger", to, other),
        ("print", to),
    )
    return rng.choice(draws)


def described(skin: str, name: str, rule: Instruction) -> str:
    """An instruction in words."""
    condition, then, otherwise = rule
    if not condition:
        return f"{name} p q: {_listed(skin, then)}."
    first, second = _listed(skin, then), _listed(skin, otherwise)
    return f"{name} p q: if {worded(skin, condition)}, {first}; otherwise, {second}."


def worded(skin: str, effect: Effect) -> str:
    word, *operands = effect
    given = list(operands)
    if word not in ("copy", "swap", "print", "skip", "less", "even", "above"):
        given.insert(0, operands[0])  # what is changed stands on both sides
    return SKINS[skin][word].format(*given)


def _listed(skin: str, effects: tuple[Effect, ...]) -> str:
    return ", then ".join(worded(skin, effect) for effect in effects)
