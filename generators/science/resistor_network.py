"""Resistor network: the resistance between two ends of series and parallel resistors.

`solve` puts 1 volt across the ends and finds the voltages of all junctions by a linear system;
`verify` replaces resistors in series and in parallel by one until only one is left.
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

Resistor: TypeAlias = tuple[int, int, int]  # two junctions, ohms


@dataclass(frozen=True, slots=True)
class Knobs:
    resistors: int  # of the network
    most: int  # ohms of one
    goals: int  # of questions that there are


@dataclass(frozen=True, slots=True)
class Network:
    resistors: tuple[Resistor, ...]
    volts: int  # between junctions 0 and 1
    goal: str
    at: int  # the resistor that is asked about, from 0


def generate(rng: Random, knobs: Knobs) -> Network | None:
    edges = [(0, 1)]
    junctions = 2
    while len(edges) < knobs.resistors:
        at = rng.randrange(len(edges))
        one, other = edges[at]
        if rng.random() < 0.5:
            edges.append((one, other))
        else:
            edges[at] = (one, junctions)
            edges.append((junctions, other))
            junctions += 1
    order = {0: 0, 1: 1} | dict(
        zip(range(2, junctions), rng.sample(range(2, junctions), junctions - 2))
    )
    resistors = [(order[a], order[b], rng.randint(1, knobs.most)) for a, b in edges]
    resistors = [(b, a, ohms) if rng.random() < 0.5 else (a, b, ohms) for a, b, ohms in resistors]
    rng.shuffle(resistors)
    goal = GOALS[min(rng.randrange(knobs.goals), len(GOALS) - 1)]
    made = Network(tuple(resistors), rng.randint(2, 60), goal, rng.randrange(len(resistors)))
    answer = solve(made)
    return made if answer and answer.denominator < 10**5 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(network: Network) -> Fraction | None:
    """Kirchhoff's current law at every junction but the two ends."""
    if min(ohms for _, _, ohms in network.resistors) < 1:
        return None
    heights = _voltages(network)
    if heights is None:
        return None
    current = sum(
        ((heights[0] - heights[a + b]) / ohms for a, b, ohms in network.resistors if 0 in (a, b)),
        Fraction(0),
    )
    one, other, ohms = network.resistors[network.at]
    drop = abs(heights[one] - heights[other])
    match network.goal:
        case "whole":
            return network.volts / current
        case "current":
            return drop / ohms
        case "voltage":
            return drop
        case _:
            return drop**2 / ohms


def verify(network: Network, answer: Fraction) -> float:
    """Series and parallel replacement, and back again: each part of it carries a share."""
    # Each resistor: its junctions, ohms, and the original one's share (voltage and current).
    edges: list[tuple[int, int, Fraction, Fraction, Fraction]] = []
    nothing = Fraction(0)
    for at, (a, b, ohms) in enumerate(network.resistors):
        mine = Fraction(at == network.at)
        edges.append((min(a, b), max(a, b), Fraction(ohms), mine, mine))
    while len(edges) > 1:
        joined = _parallel(edges) or _series(edges)
        if joined is None:
            return 0.0
        edges = joined
    _, _, resistance, voltage, current = edges[0]
    whole = network.volts / resistance
    drop, flow = voltage * network.volts, current * whole
    truth = {"whole": resistance, "current": flow, "voltage": drop, "power": drop * flow}
    return float(answer == truth.get(network.goal, nothing))


def render(network: Network, style: Style) -> Prompt:
    lines = "\n".join(
        f"R{at}: {counted(ohms, 'ohm')}, between {_junction(a)} and {_junction(b)}"
        for at, (a, b, ohms) in enumerate(network.resistors, 1)
    )
    battery = f"A battery of {network.volts} volts is connected to A and B."
    name = f"R{network.at + 1}"
    goal, unit = {
        "whole": ("What is the total resistance between A and B?", "ohms"),
        "current": (f"{battery} What current flows through {name}?", "amperes"),
        "voltage": (f"{battery} What is the voltage across {name}?", "volts"),
        "power": (f"{battery} What power is dissipated in {name}?", "watts"),
    }[network.goal]
    question = style.pick(
        f"A circuit consists of these resistors, each connected to two junctions:\n\n{lines}"
        f"\n\n{goal}",
        f"Junctions are joined by resistors as follows; wires have no resistance.\n\n{lines}"
        f"\n\n{goal}",
        f"{goal} This is the circuit:\n\n{lines}",
    )
    return Prompt(question, form=exactly(unit))


def steps(network: Network) -> list[str]:
    edges = [
        (min(a, b), max(a, b), Fraction(ohms), Fraction(0), Fraction(0))
        for a, b, ohms in network.resistors
    ]
    lines = []
    while len(edges) > 1:
        way = "parallel" if (joined := _parallel(edges)) else "series"
        edges = joined or _series(edges) or edges[:1]
        a, b, ohms, _, _ = edges[-1]
        lines.append(
            f"Two resistors in {way} between {_junction(a)} and {_junction(b)} are"
            f" {shown(ohms)} ohms"
        )
    lines.append(f"The whole is {shown(edges[0][2])} ohms")
    return [*lines, f"The answer is {solve(network)}"]


def hardness(network: Network) -> float:
    return 2 * len(network.resistors) + 2 * GOALS.index(network.goal)


def canon(network: Network) -> tuple[object, ...]:
    """Resistors in order of size and place; the one that is asked about is marked."""
    edges = sorted(
        (min(a, b), max(a, b), ohms, at == network.at and network.goal != "whole")
        for at, (a, b, ohms) in enumerate(network.resistors)
    )
    return edges, network.goal, network.volts if network.goal != "whole" else 0


def _voltages(network: Network) -> list[Fraction] | None:
    size = 1 + max(max(a, b) for a, b, _ in network.resistors)
    rows = [[Fraction(0)] * size for _ in range(size)]
    right = [Fraction(network.volts), *[Fraction(0)] * (size - 1)]
    rows[0][0] = rows[1][1] = Fraction(1)
    for a, b, ohms in network.resistors:
        for here, there in ((a, b), (b, a)):
            if here > 1:
                rows[here][here] += Fraction(1, ohms)
                rows[here][there] -= Fraction(1, ohms)
    return determined(rows, right)


_Edges = list[tuple[int, int, Fraction, Fraction, Fraction]]


def _parallel(edges: _Edges) -> _Edges | None:
    """Two resistors between the same junctions as one, at the end of the list."""
    for at, (a, b, ohms, voltage, current) in enumerate(edges):
        for other in range(at + 1, len(edges)):
            c, d, more, drop, flow = edges[other]
            if (a, b) == (c, d):
                both = ohms * more / (ohms + more)
                share = current * more / (ohms + more) + flow * ohms / (ohms + more)
                rest = [edge for place, edge in enumerate(edges) if place not in (at, other)]
                return [*rest, (a, b, both, voltage + drop, share)]
    return None


def _series(edges: _Edges) -> _Edges | None:
    """Two resistors that meet at a junction of no other as one, at the end of the list."""
    inner = sorted({end for edge in edges for end in edge[:2]} - {0, 1})
    for junction in inner:
        here = [at for at, edge in enumerate(edges) if junction in edge[:2]]
        if len(here) == 2:
            (a, b, ohms, voltage, current), (c, d, more, drop, flow) = (edges[at] for at in here)
            ends = sorted((a + b - junction, c + d - junction))
            share = (voltage * ohms + drop * more) / (ohms + more)
            rest = [edge for at, edge in enumerate(edges) if at not in here]
            return [*rest, (ends[0], ends[1], ohms + more, share, current + flow)]
    return None


def _junction(number: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number]


GOALS = ("whole", "current", "voltage", "power")
LADDER = (Knobs(2, 20, 1), Knobs(4, 20, 1), Knobs(5, 12, 3), Knobs(7, 12, 4), Knobs(11, 9, 4))
FAMILY = Family(
    Network,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="voltages of the junctions by a linear system",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "fractions", "graphs"),
    peers=("Guru/science",),
    version=2,
)
