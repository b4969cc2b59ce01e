"""Kirchhoff: a circuit with several batteries that is no mere series and parallel; find a current.

`solve` balances the currents at every junction; `verify` finds the currents around the loops of a
spanning tree, so that its unknowns and equations are others.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import counted
from puzzlemill.generators.science._quantities import determined, exactly, shown

# Two junctions, ohms, and the volts of a battery in series that drives current from the first to
# the second; 0 where there is none.
Branch: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    junctions: int  # of the circuit
    extra: int  # branches more than a tree has
    batteries: int  # in its branches
    most: int  # ohms of a branch


@dataclass(frozen=True, slots=True)
class Circuit:
    branches: tuple[Branch, ...]
    goal: str  # "current" of a branch, or "voltage" between its ends
    at: int  # the branch, from 0


def generate(rng: Random, knobs: Knobs) -> Circuit | None:
    count = knobs.junctions
    pairs = [(rng.randrange(at), at) for at in range(1, count)]
    while len(pairs) < count - 1 + knobs.extra:
        one, other = rng.sample(range(count), 2)
        pairs.append((one, other))
    driven = set(rng.sample(range(len(pairs)), min(knobs.batteries, len(pairs))))
    branches = []
    for at, pair in enumerate(pairs):
        a, b = rng.sample(pair, 2)
        branches.append(
            (a, b, rng.randint(1, knobs.most), rng.randint(1, 24) if at in driven else 0)
        )
    rng.shuffle(branches)
    # A junction where less than two branches meet carries no current.
    if any(sum(junction in branch[:2] for branch in branches) < 2 for junction in range(count)):
        return None
    made = Circuit(
        tuple(branches), rng.choice(("current", "current", "voltage")), rng.randrange(len(branches))
    )
    answer = solve(made)
    return made if answer and answer.denominator < 10**5 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(circuit: Circuit) -> Fraction | None:
    """The potentials of the junctions, from the sum of the currents at each."""
    size = 1 + max(max(branch[:2]) for branch in circuit.branches)
    rows = [[Fraction(0)] * size for _ in range(size)]
    right = [Fraction(0)] * size
    rows[0][0] = Fraction(1)  # the first junction is the zero of potential
    for a, b, ohms, volts in circuit.branches:
        if ohms < 1:
            return None
        for here, there, push in ((a, b, volts), (b, a, -volts)):
            if here:
                rows[here][here] += Fraction(1, ohms)
                rows[here][there] -= Fraction(1, ohms)
                right[here] -= Fraction(push, ohms)
    heights = determined(rows, right)
    if heights is None:
        return None
    a, b, ohms, volts = circuit.branches[circuit.at]
    drop = heights[a] - heights[b]
    return drop if circuit.goal == "voltage" else (drop + volts) / ohms


def verify(circuit: Circuit, answer: Fraction) -> float:
    """A current around each loop that a branch closes in a spanning tree."""
    loops = _loops(circuit)
    size = len(loops)
    rows = [[Fraction(0)] * size for _ in range(size)]
    right = [Fraction(0)] * size
    for row, loop in enumerate(loops):
        for at, sign in loop.items():
            right[row] += sign * circuit.branches[at][3]
            for column, other in enumerate(loops):
                rows[row][column] += sign * other.get(at, 0) * circuit.branches[at][2]
    currents = determined(rows, right)
    if currents is None:
        return 0.0
    flow = sum(
        (current * loop.get(circuit.at, 0) for current, loop in zip(currents, loops)), Fraction(0)
    )
    _, _, ohms, volts = circuit.branches[circuit.at]
    return float(answer == (flow * ohms - volts if circuit.goal == "voltage" else flow))


def render(circuit: Circuit, style: Style) -> Prompt:
    lines = "\n".join(
        f"branch {at}: {_told(branch)}" for at, branch in enumerate(circuit.branches, 1)
    )
    a, b = (_junction(end) for end in circuit.branches[circuit.at][:2])
    if circuit.goal == "current":
        goal = (
            f"What current flows from {a} to {b} through branch {circuit.at + 1}? (It is negative"
            f" if it flows from {b} to {a}.)"
        )
    else:
        goal = (
            f"By how many volts is {a} at a higher potential than {b}? (The number may be"
            " negative.)"
        )
    rule = (
        "Each branch connects two junctions; a battery drives current in the direction given"
        " and has no resistance of its own."
    )
    question = style.pick(
        f"A circuit has these branches:\n\n{lines}\n\n{rule} {goal}",
        f"{rule} The branches of a circuit are these:\n\n{lines}\n\n{goal}",
        f"{goal} {rule}\n\n{lines}",
    )
    unit = "amperes" if circuit.goal == "current" else "volts"
    return Prompt(question, form=exactly(unit))


def steps(circuit: Circuit) -> list[str]:
    lines = []
    for number, loop in enumerate(_loops(circuit), 1):
        way = ", ".join(f"{'+' if sign > 0 else '-'}{at + 1}" for at, sign in sorted(loop.items()))
        volts = sum(sign * circuit.branches[at][3] for at, sign in loop.items())
        lines.append(f"Loop {number} goes through branches {way}; batteries: {volts} V in all")
    lines.append("In each loop the voltages across the resistors add up to those of the batteries")
    answer = solve(circuit)
    assert answer is not None, "generate keeps circuits with an answer"
    return [*lines, f"Solving these equations gives {shown(answer)}"]


def hardness(circuit: Circuit) -> float:
    junctions = 1 + max(max(branch[:2]) for branch in circuit.branches)
    return 2 * len(circuit.branches) + junctions + sum(bool(each[3]) for each in circuit.branches)


def _loops(circuit: Circuit) -> list[dict[int, int]]:
    """For each branch outside a spanning tree its loop: its branches, and the sense of each."""
    roads: dict[int, dict[int, int]] = {0: {}}
    grown = True
    tree: set[int] = set()
    while grown:
        grown = False
        for at, (a, b, _, _) in enumerate(circuit.branches):
            for here, there, sign in ((a, b, 1), (b, a, -1)):
                if here in roads and there not in roads:
                    roads[there] = {**roads[here], at: sign}
                    tree.add(at)
                    grown = True
    loops = []
    for at, (a, b, _, _) in enumerate(circuit.branches):
        if at not in tree:
            loop = {at: 1}
            for road, sense in ((roads[a], 1), (roads[b], -1)):
                for edge, sign in road.items():
                    loop[edge] = loop.get(edge, 0) + sense * sign
            loops.append({edge: sign for edge, sign in loop.items() if sign})
    return loops


def _told(branch: Branch) -> str:
    a, b, ohms, volts = branch
    ends = f"from {_junction(a)} to {_junction(b)}, {counted(ohms, 'ohm')}"
    if not volts:
        return ends
    return f"{ends}, with a battery of {counted(volts, 'volt')} that drives towards {_junction(b)}"


def _junction(number: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number]


LADDER = (
    Knobs(2, 1, 1, 20),
    Knobs(2, 2, 2, 20),
    Knobs(3, 2, 2, 12),
    Knobs(4, 3, 3, 10),
    Knobs(5, 4, 4, 6),
)
FAMILY = Family(
    Circuit,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="potentials of the junctions",
    guess_rate=0.05,
    steps=steps,
    redraws=True,
    skills=("physics", "linear algebra", "graphs"),
    peers=("Guru/science",),
    version=2,
)
