"""Car painting: reorder cars a little, so that the paint is changed as seldom as possible.

No car may leave its place by more than a window allows. Every best order is right. `solve` fills
the places one after the other and remembers which cars near by are used; `verify` keeps, for each
number of cars of each colour that are placed, the fewest changes; `recheck` looks by SAT for an
order with fewer changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _sat

Order: TypeAlias = tuple[int, ...]
State: TypeAlias = tuple[int, str]  # the cars used in the window, and the last paint
PAINTS = ("red", "blue", "green", "white", "black", "silver")


@dataclass(frozen=True, slots=True)
class Knobs:
    cars: int  # in the queue
    paints: int  # different ones
    window: int  # places by which a car may move


@dataclass(frozen=True, slots=True)
class Queue:
    paints: tuple[str, ...]  # of each car
    window: int


def generate(rng: Random, knobs: Knobs) -> Queue | None:
    paints = rng.sample(PAINTS, knobs.paints)
    cars = [rng.choice(paints)]
    while len(cars) < knobs.cars:
        cars.append(rng.choice([paint for paint in paints for _ in range(1 + (paint != cars[-1]))]))
    queue = Queue(tuple(cars), knobs.window)
    saved = _changes(queue.paints) - _changes([queue.paints[car - 1] for car in solve(queue)])
    return queue if saved > 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(queue: Queue) -> Order:
    """By place: the cars used within the window, as bits, and the last paint, at the best cost."""
    count, window = len(queue.paints), queue.window
    # Bit i stands for car place - window + i; those before the first car are used.
    start = ((1 << window) - 1, "")
    best, layers = {start: -1}, list[dict[State, tuple[State, int]]]()
    for place in range(count):
        grown: dict[State, int] = {}
        came: dict[State, tuple[State, int]] = {}
        choices: dict[int, list[tuple[State, int]]] = {}  # by the cars used
        for state, cost in best.items():
            used, last = state
            if used not in choices:
                choices[used] = [
                    (((used | 1 << bit) >> 1, paint), place - window + bit + 1)
                    for paint, bit in _choices(queue, place, used)
                ]
            for after, car in choices[used]:
                changes = cost + (after[1] != last)
                if changes < grown.get(after, count):
                    grown[after] = changes
                    came[after] = state, car
        best = grown
        layers.append(came)
    state, order = min(best, key=lambda each: best[each]), list[int]()
    for came in reversed(layers):
        state, car = came[state]
        order.append(car)
    return tuple(order[::-1])


def verify(queue: Queue, order: Order) -> float:
    if any(abs(car - place) > queue.window for place, car in enumerate(order, 1)):
        return 0.0
    if sorted(order) != list(range(1, len(queue.paints) + 1)):
        return 0.0
    return float(_changes([queue.paints[car - 1] for car in order]) == _fewest(queue))


def recheck(queue: Queue, order: Order) -> bool:
    count = len(queue.paints)
    if set(order) != set(range(1, count + 1)) or len(order) != count:
        return False
    if not all(place - queue.window <= car <= place + queue.window
               for place, car in enumerate(order, 1)):  # fmt: skip
        return False
    runs = [paint for paint, _ in groupby(queue.paints[car - 1] for car in order)]
    return not _can_be_done(queue, len(runs) - 2)


def render(queue: Queue, style: Style) -> Prompt:
    cars = "\n".join(f"{number}. {paint}" for number, paint in enumerate(queue.paints, 1))
    listed = ", ".join(f"{number} {paint}" for number, paint in enumerate(queue.paints, 1))
    count, window = len(queue.paints), queue.window
    places = f"{window} place{'s' * (window > 1)}"
    return Prompt(
        style.pick(
            f"{count} cars are in a queue for painting, each with the colour that it is to get:\n"
            f"{cars}\n\nWhenever a car has to be painted in another colour than the car before it,"
            " the paint must be changed, which is costly. Before the work begins the cars may be"
            f" put into another order, but no car may end up more than {places} away from where it"
            " stands now, forwards or backwards. Find an order with as few changes of paint as"
            " possible. If several are equally good, any one will do.",
            f"Cars and their colours, in the order in which they come: {listed}.\n\nReorder them so"
            " that neighbours differ in colour as rarely as possible. The car that comes at"
            f" position p may be moved to any position from p - {window} to p + {window}, and to no"
            " other. Any best order is accepted.",
            "A paint shop paints one car after another and rinses its spray gun each time that the"
            f" colour changes. Today's list:\n{cars}\n\nThe cars may swap places in the list as"
            f" long as the new position of each differs from its old one by at most {window}. In"
            " which order does the shop rinse the fewest times? One best order is enough.",
        ),
        form=f"the {count} car numbers in their new order, separated by spaces",
    )


def canon(queue: Queue) -> list[object]:
    """Which colours there are does not matter, nor at which end the queue begins."""
    return [min(_renamed(queue.paints), _renamed(queue.paints[::-1])), queue.window]


def hardness(queue: Queue) -> float:
    """Cars, and places where each may go."""
    return len(queue.paints) * (queue.window + 1)


def _choices(queue: Queue, place: int, used: int) -> Iterable[tuple[str, int]]:
    """The first car of each paint that may come to a place, as bits; a car that can wait no longer
    goes before all others."""
    first: dict[str, int] = {}
    for bit in range(2 * queue.window + 1):
        car = place - queue.window + bit
        if not used >> bit & 1 and 0 <= car < len(queue.paints):
            if bit == 0:
                return [(queue.paints[car], bit)]
            first.setdefault(queue.paints[car], bit)
    return first.items()


def _renamed(paints: tuple[str, ...]) -> list[int]:
    new: dict[str, int] = {}
    return [new.setdefault(paint, len(new)) for paint in paints]


def _changes(paints: "tuple[str, ...] | list[str]") -> int:
    return sum(one != other for one, other in pairwise(paints))


def _fewest(queue: Queue) -> int:
    """Cars of a colour need not overtake each other, so that how many are placed says which.

    For each such state, the fewest changes by the last colour. One that takes two changes more
    than another is no better than a change from the other.
    """
    kinds = sorted(set(queue.paints))
    never = len(queue.paints)
    cars = [
        [at for at, paint in enumerate(queue.paints) if paint == kind] + [2 * never]
        for kind in kinds
    ]
    best = {(0,) * len(kinds): [0] * len(kinds)}
    for place in range(len(queue.paints)):
        grown: dict[tuple[int, ...], list[int]] = {}
        for placed, costs in best.items():
            nexts = [own[done] for own, done in zip(cars, placed)]
            soonest = min(nexts)
            # A car that can wait no longer goes before all others.
            last = soonest if soonest == place - queue.window else place + queue.window
            changed = min(costs) + 1
            for kind, car in enumerate(nexts):
                if car <= last:
                    after = (*placed[:kind], placed[kind] + 1, *placed[kind + 1 :])
                    fewest = grown.setdefault(after, [never] * len(kinds))
                    fewest[kind] = min(fewest[kind], costs[kind], changed)
        best = grown
    return min(map(min, best.values()))


def _can_be_done(queue: Queue, changes: int) -> bool:
    """Whether some order has at most so many changes."""
    if changes < 0:
        return False
    circuit, count = _sat.Circuit(), len(queue.paints)
    for car in range(count):
        circuit.clauses += _sat.exactly_one(
            [
                circuit.variable((car, place))
                for place in range(count)
                if abs(car - place) <= queue.window
            ]
        )
    for place in range(count):
        near = [car for car in range(count) if abs(car - place) <= queue.window]
        circuit.clauses += _sat.exactly_one([circuit.variable((car, place)) for car in near])
        for car in near:
            circuit.clauses.append(
                [-circuit.variable((car, place)), circuit.variable((queue.paints[car], place))]
            )
        circuit.clauses += _sat.at_most_one(
            [circuit.variable((paint, place)) for paint in sorted(set(queue.paints))]
        )
    marks = [circuit.variable(("change", place)) for place in range(1, count)]
    for place, mark in enumerate(marks, 1):
        for paint in sorted(set(queue.paints)):
            before, here = circuit.variable((paint, place - 1)), circuit.variable((paint, place))
            circuit.clauses.append([-before, here, mark])
    circuit.counted(marks, 0, changes)
    return _sat.any_model(circuit.clauses) is not None


LADDER = (
    Knobs(10, 3, 2),
    Knobs(15, 3, 2),
    Knobs(18, 3, 3),
    Knobs(26, 4, 3),
    Knobs(36, 5, 4),
)
FAMILY = Family(
    Queue,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(between=" ", reorders=True),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="places in order, with the cars used in the window",
    guess_rate=0.12,
    canon=canon,
    skills=("optimisation", "planning"),
    peers=("Enigmata/car_painting",),
    version=2,
)
