"""Josephus: people in a circle leave one after another by counting; in which order?

The whole order is asked for, since the last one left is easily guessed. `solve` turns a queue;
`verify` walks around the full circle and steps over the empty places.
"""

from collections import deque
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.relatives import outline

LETTERS = "abcdefghijklmnopqrstuvwxyz"  # as answers hold them; prompts show capitals


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # in the circle
    longest: int  # count
    growing: float  # share of puzzles in which each count is longer than the one before
    turning: float  # share of puzzles in which the direction changes after each count


@dataclass(frozen=True, slots=True)
class Circle:
    people: str  # one letter each, clockwise
    start: int  # the place of the person who is counted first
    count: int  # the first count
    growth: int  # by which each count is longer than the one before
    turning: bool


def generate(rng: Random, knobs: Knobs) -> Circle:
    people = "".join(rng.sample(LETTERS, knobs.people))
    growth = rng.randint(1, 3) if rng.random() < knobs.growing else 0
    turning = rng.random() < knobs.turning
    start = rng.randrange(knobs.people)
    return Circle(people, start, rng.randint(2, knobs.longest), growth, turning)


def solve(circle: Circle) -> tuple[str, ...]:
    queue = deque(circle.people)
    queue.rotate(-circle.start)
    count, gone = circle.count, []
    while queue:
        queue.rotate(1 - count)  # the person counted last comes to the front
        gone.append(queue.popleft())
        if circle.turning:
            queue.reverse()  # and who stood before the gap is counted first, the other way
        count += circle.growth
    return tuple(gone)


def verify(circle: Circle, said: tuple[str, ...]) -> float:
    size = len(circle.people)
    if len(said) != size:
        return 0.0
    there = [True] * size
    here, way = circle.start, 1
    for turn, person in enumerate(said):
        left = circle.count + turn * circle.growth - 1
        while left:
            here = (here + way) % size
            left -= there[here]
        if circle.people[here] != person:
            return 0.0
        there[here] = False
        if circle.turning:
            way = -way
        while any(there) and not there[here]:
            here = (here + way) % size
    return 1.0


def render(circle: Circle, style: Style) -> Prompt:
    letters = circle.people.upper()
    people, first = ", ".join(letters), letters[circle.start]
    size, count, growth = len(circle.people), circle.count, circle.growth
    if growth:
        rule = style.pick(
            f"The first count goes to {count}, and each later count goes {growth} further than the"
            " one before.",
            f"The number to count to is {count} in the first round and grows by {growth} from each"
            " round to the next.",
            f"In round 1 they count up to {count}; the limit rises by {growth} after every round.",
        )
    else:
        rule = style.pick(
            f"Every count goes to {count}.",
            f"The number to count to is {count} in every round.",
            f"In each round they count up to {count}.",
        )
    if circle.turning:
        after = style.pick(
            "After each departure the direction changes: counting resumes from the gap, with the"
            " next remaining person in the direction opposite to that of the count just ended. The"
            " first count runs clockwise.",
            "The first round runs clockwise, the second counterclockwise, the third clockwise, and"
            " so on. A round begins with the nearest remaining person after the gap left by the"
            " round before, seen in the direction of the new round.",
            "Odd rounds go clockwise, even rounds counterclockwise. Number 1 of a later round is"
            " the first person still there when one goes from the place of the person who has just"
            " left in the direction of the new round.",
        )
    else:
        after = style.pick(
            "All counting runs clockwise, and each new count begins with the next remaining person"
            " after the one who left.",
            "All rounds run clockwise. A round begins with the nearest remaining person after the"
            " gap left by the round before.",
            "Each round goes clockwise. Number 1 of a later round is the first person still there"
            " after the place of the person who has just left.",
        )
    return Prompt(
        style.pick(
            f"{size} people sit in a circle, clockwise: {people} (then {letters[0]} again)."
            f" They count 1, 2, 3 and so on, one number a person, and {first} says 1. Whoever says"
            f" the last number of the count leaves the circle. {rule} {after} People who have left"
            " are not counted; a count may go around the circle more than once. This goes on until"
            " nobody is left. In which order do they leave?",
            f"Players stand in a ring in clockwise order {people}, and the ring closes. In each"
            f" round one player drops out: the players still in the ring are counted off one by one"
            f" from 1, around and around if need be, until the number to count to is reached, and"
            f" the player with that number drops out. The first round begins with {first} as number"
            f" 1. {rule} {after} List all players in the order in which they drop out, the last"
            " survivor at the end.",
            f"Clockwise around a table sit {people}, with {letters[-1]} next to {letters[0]}. Round"
            f" by round one of them is counted out. {rule} Only those still at the table count, and"
            " anyone may be counted again when the count comes around. Whoever gets the last"
            f" number of the count leaves. Number 1 of round 1 is {first}. {after} Give the order"
            f" in which all {size} leave, up to the very last.",
        ),
        form="all the letters in order, separated by spaces",
    )


def steps(circle: Circle) -> list[str]:
    left, lines = circle.people, []
    for turn, person in enumerate(solve(circle)):
        left = left.replace(person, "")
        count = circle.count + turn * circle.growth
        stay = left.upper() or "nobody"
        lines.append(f"count to {count}: {person.upper()} leaves, {stay} left")
    return lines


def progress(circle: Circle, lines: Lines) -> float:
    return states_followed(FAMILY, circle, lines)


def canon(circle: Circle) -> list[object]:
    """Where the list of the circle begins does not matter."""
    people = circle.people[circle.start :] + circle.people[: circle.start]
    return [people, circle.count, circle.growth, circle.turning]


def hardness(circle: Circle) -> int:
    """Steps of counting."""
    size = len(circle.people)
    return sum(circle.count + turn * circle.growth for turn in range(size)) + size


LADDER = (
    Knobs(5, 3, 0.0, 0.0),
    Knobs(8, 5, 0.2, 0.2),
    Knobs(12, 7, 0.4, 0.4),
    Knobs(18, 11, 0.5, 0.5),
    Knobs(26, 20, 0.6, 0.6),
)
FAMILY = Family(
    Circle,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="letters", reorders=True),
    hardness=hardness,
    proof="unique",
    solver="a queue that is turned",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=canon,
    known=lambda circle: circle.people.upper(),
    redraws=outline,
    skills=("tracking", "calculation"),
    peers=("RLVE/josephus",),
    version=4,
)
