"""Quantum lock: press buttons that change a dial, each of which works under some lights only.

The dial wraps round, so what the lock can be in is finite; every sequence of presses within the
limit that leaves the dial at the target is right, and `verify` presses the buttons. `generate`
looks forward for a value that takes many presses; `solve` does so until the target is shown, and
then goes backwards.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

LETTERS = "ABCDEFGH"
LIGHTS = ("red", "green", "blue")
ANY = "any"  # a button that works under every light
TRIES = 5  # locks that `generate` looks at

# What it does (+, -, *), by how much, and the light that it needs.
Button = tuple[str, int, str]
Values: TypeAlias = NDArray[np.bool_]  # which the dial can show


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # numbers on the dial
    buttons: int  # that may be pressed
    lights: int  # colours that the light may have
    presses: (
        int  # the fewest that do it, or up to a quarter less; fewer where no lock takes as many
    )


@dataclass(frozen=True, slots=True)
class Lock:
    size: int  # the dial goes from 0 to one less
    lights: tuple[str, ...]  # in the order in which they follow one another; the first is on
    buttons: tuple[Button, ...]
    start: int
    target: int
    limit: int  # presses allowed


def generate(rng: Random, knobs: Knobs) -> Lock | None:
    wanted = rng.randint(max(2, knobs.presses * 3 // 4), knobs.presses)
    best: Lock | None = None
    for _ in range(TRIES):
        lights = tuple(rng.sample(LIGHTS, knobs.lights))
        buttons = _buttons(rng, knobs, lights)
        start = rng.randrange(knobs.size)
        presses, values = _last(knobs.size, lights, buttons, start, wanted)
        if best is None or presses > best.limit:
            best = Lock(knobs.size, lights, buttons, start, rng.choice(values), presses)
        if presses == wanted:
            break
    return best if best is not None and best.limit > 1 else None


def solve(lock: Lock) -> tuple[str, ...] | None:
    """Backwards from the target, through what the dial can show after so many presses."""
    shown = [_only(lock.size, lock.start)]
    while not shown[-1][lock.target]:
        if len(shown) > lock.limit:
            return None
        shown.append(_after(shown[-1], lock.buttons, lock.lights, len(shown) - 1))
    ways = {lock.target: ""}  # by value, the presses that are left
    for presses in range(len(shown) - 2, -1, -1):
        light, possible, longer = lock.lights[presses % len(lock.lights)], shown[presses], {}
        for dial, way in ways.items():
            for value, letter in _before(lock, dial, light):
                if possible[value] and value not in longer:
                    longer[value] = letter + way
        ways = longer
    return tuple(ways[lock.start])


def _before(lock: Lock, dial: int, light: str) -> list[tuple[int, str]]:
    """The values from which a press under a light leads to one, and of which button."""
    found = []
    for letter, (sign, number, needs) in zip(LETTERS, lock.buttons):
        if needs in (ANY, light):
            if sign == "*":
                found += [(value, letter) for value in _quotients(dial, number, lock.size)]
            else:
                found.append(
                    ((dial - number if sign == "+" else dial + number) % lock.size, letter)
                )
    return sorted(found)


def _quotients(product: int, number: int, size: int) -> range:
    """What gives a product when multiplied by a number, on a dial of that size."""
    shared = gcd(number, size)
    if product % shared:
        return range(0)
    apart = size // shared
    return range(product // shared * pow(number // shared, -1, apart) % apart, size, apart)


def verify(lock: Lock, presses: tuple[str, ...]) -> float:
    if len(presses) > lock.limit:
        return 0.0
    dial, lights = lock.start, list(lock.lights)
    for letter in presses:
        number = LETTERS.index(letter)
        if number >= len(lock.buttons):
            return 0.0
        sign, amount, needs = lock.buttons[number]
        if needs != ANY and needs != lights[0]:
            return 0.0
        if sign == "*":
            dial *= amount
        else:
            dial += amount if sign == "+" else -amount
        dial %= lock.size
        lights.append(lights.pop(0))
    return float(dial == lock.target)


def recheck(lock: Lock, presses: tuple[str, ...]) -> bool:
    """The presses as one formula a * start + b, brought into the dial's range at the end."""
    known = dict(zip(LETTERS, lock.buttons))
    a, b = 1, 0
    for place, letter in enumerate(presses):
        if letter not in known:
            return False
        sign, number, needs = known[letter]
        if needs not in (ANY, lock.lights[place % len(lock.lights)]):
            return False
        match sign:
            case "+":
                b += number
            case "-":
                b -= number
            case "*":
                a, b = a * number, b * number
    return len(presses) <= lock.limit and (a * lock.start + b - lock.target) % lock.size == 0


def render(lock: Lock, style: Style) -> Prompt:
    what = {
        "+": style.pick("adds {}", "plus {}", "turns the dial up by {}"),
        "-": style.pick("subtracts {}", "minus {}", "turns the dial down by {}"),
        "*": style.pick("multiplies by {}", "times {}", "multiplies the dial by {}"),
    }
    listed = "\n".join(
        f"{letter}: {what[sign].format(number)}"
        f" ({'under any light' if needs == ANY else f'only under {needs} light'})"
        for letter, (sign, number, needs) in zip(LETTERS, lock.buttons)
    )
    top, first = lock.size - 1, lock.lights[0]
    order = ", ".join(
        f"{light} becomes {then}"
        for light, then in zip(lock.lights, (*lock.lights[1:], lock.lights[0]))
    )
    wraps = (
        f"The dial has the numbers 0 to {top} and wraps round: a result above {top} or below 0 is"
        f" brought into that range by subtracting or adding {lock.size} as often as needed."
    )
    presses = f"{lock.limit} press{'es' if lock.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A lock has a dial, which shows {lock.start}, a light, which is {first}, and these"
            f" buttons:\n\n{listed}\n\nA button can be pressed only under the light that it needs."
            f" After every press the light changes: {order}. {wraps} The lock opens when the dial"
            f" shows {lock.target}, whatever the light. Open it with at most {presses}.",
            f"Bring the dial of a lock from {lock.start} to {lock.target} with {presses} or fewer."
            f" The buttons and what they do to the number on the dial:\n\n{listed}\n\n{wraps} Each"
            f" button needs the light that is given in brackets, or else it must not be pressed."
            f" The light is {first} at first, and changes with each press: {order}. Its colour in"
            " the end does not matter.",
            f"A lock has a dial, which shows {lock.start} and must be made to show {lock.target},"
            f" and a lamp, which shines {first} now. {wraps} Whenever a button has been pressed,"
            f" the lamp changes: {order}. Which buttons do you press, one after the other? You may"
            f" press {lock.limit} time{'s' if lock.limit > 1 else ''} at most, and never a button"
            f" whose light is not on.\n\n{listed}",
        ),
        form="the letters of the buttons in the order in which they are pressed, separated by"
        " spaces",
    )


def steps(lock: Lock) -> list[str]:
    """The dial and the light after each press."""
    dial, lines = lock.start, []
    for count, letter in enumerate(solve(lock) or (), 1):
        button = lock.buttons[LETTERS.index(letter)]
        before, dial = dial, _pressed(lock.size, dial, button)
        light = lock.lights[count % len(lock.lights)]
        lines.append(f"{letter}: {before} {button[0]} {button[1]} gives {dial}, light {light}")
    return lines


def canon(lock: Lock) -> Any:
    """The order of the buttons does not matter, and nor do the names of the colours."""
    place = {light: str(at) for at, light in enumerate(lock.lights)} | {ANY: ANY}
    buttons = sorted((sign, number, place[needs]) for sign, number, needs in lock.buttons)
    return lock.size, len(lock.lights), buttons, lock.start, lock.target, lock.limit


def hardness(lock: Lock) -> float:
    """Presses to find, among so many buttons."""
    return lock.limit + len(lock.buttons)


def _pressed(size: int, dial: int, button: Button) -> int:
    sign, number, _ = button
    if sign == "*":
        return dial * number % size
    return (dial + number if sign == "+" else dial - number) % size


def _buttons(rng: Random, knobs: Knobs, lights: tuple[str, ...]) -> tuple[Button, ...]:
    """Buttons that differ; each light has one, and there is one of each kind if there is room."""
    signs = ["+", "*", "-", *(rng.choice("+-*") for _ in range(knobs.buttons))][: knobs.buttons]
    needs = [*lights, *(rng.choice((*lights, ANY)) for _ in range(knobs.buttons))]
    needs = rng.sample(needs[: knobs.buttons], knobs.buttons)
    numbers = {
        "*": rng.sample(range(2, 10), knobs.buttons),
        "+": rng.sample(range(1, 20), knobs.buttons),
        "-": rng.sample(range(1, 20), knobs.buttons),
    }
    found = [(sign, numbers[sign].pop(), light) for sign, light in zip(signs, needs)]
    return tuple(rng.sample(found, len(found)))


def _last(
    size: int, lights: tuple[str, ...], buttons: tuple[Button, ...], start: int, most: int
) -> tuple[int, list[int]]:
    """The values that the dial first shows after `most` presses, or after the last that bring any.

    And how many presses that is.
    """
    border = shown = _only(size, start)
    last, new = 0, border
    for presses in range(most):
        border = _after(border, buttons, lights, presses)
        fresh = border & ~shown
        if fresh.any():
            last, new = presses + 1, fresh
        shown = shown | border
    return last, new.nonzero()[0].tolist()


def _only(size: int, dial: int) -> Values:
    values = np.zeros(size, dtype=bool)
    values[dial] = True
    return values


def _after(
    values: Values, buttons: tuple[Button, ...], lights: tuple[str, ...], presses: int
) -> Values:
    """What the dial can show after one more press."""
    light, size = lights[presses % len(lights)], len(values)
    then = np.zeros(size, dtype=bool)
    for button in buttons:
        if button[2] in (ANY, light):
            then[_turned(size, button)[values]] = True
    return then


@lru_cache(maxsize=256)
def _turned(size: int, button: Button) -> NDArray[np.int64]:
    """Where a button leads from each value."""
    return np.array([_pressed(size, dial, button) for dial in range(size)])


LADDER = (
    Knobs(40, 4, 2, 3),
    Knobs(100, 4, 2, 5),
    Knobs(200, 5, 2, 7),
    Knobs(500, 6, 3, 9),
    Knobs(1000, 7, 3, 12),
)
FAMILY = Family(
    Lock,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(tuple(LETTERS)),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="breadth-first search backwards from the target",
    guess_rate=0.06,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("planning", "search", "calculation"),
    peers=("reasoning-gym/quantum_lock", "RLVE/quantum_lock_puzzle"),
    version=2,
)
