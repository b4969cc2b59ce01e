"""Calorimetry: things of different temperatures come together; what is the final temperature?

There may be ice that melts. `solve` adds up the heat from a cold reference and finds where it ends;
`verify` puts the answer in and asks whether the heat given off is the heat taken up.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import EXACT, shown

Body: TypeAlias = tuple[int, int, int]  # its substance (a place in SUBSTANCES), grams, degrees


@dataclass(frozen=True, slots=True)
class Knobs:
    bodies: int  # that come together
    ice: float  # the share of puzzles with ice
    substances: int  # that may occur besides water
    heated: float  # the share of puzzles with a heater


@dataclass(frozen=True, slots=True)
class Mixture:
    bodies: tuple[Body, ...]
    heat: int  # joules that a heater adds
    goal: str  # "temperature", or "ice" for how much of it is left


def generate(rng: Random, knobs: Knobs) -> Mixture | None:
    icy = rng.random() < knobs.ice
    kinds = [WATER, *rng.sample(range(2, 2 + knobs.substances), knobs.bodies - 1 - icy)]
    bodies = [(kind, rng.randint(2, 100) * 5, rng.randint(2, 95)) for kind in kinds]
    if icy:
        bodies.append((ICE, rng.randint(2, 60) * 5, rng.choice((0, -rng.randint(1, 30)))))
    rng.shuffle(bodies)
    heat = rng.randint(1, 60) * 500 if rng.random() < knobs.heated else 0
    made = Mixture(tuple(bodies), heat, "temperature")
    degrees, melted = _end(made)
    if degrees == 0 and 0 < melted < sum(grams for kind, grams, _ in bodies if kind == ICE):
        made = Mixture(made.bodies, heat, "ice")
    elif not 0 < degrees < 100:
        return None
    answer = solve(made)
    return made if answer is not None and answer.denominator < 10**5 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(mixture: Mixture) -> Fraction | None:
    """Heat above that of everything at 0 degrees, with the ice unmelted."""
    if any(grams < 1 for _, grams, _ in mixture.bodies):
        return None
    degrees, melted = _end(mixture)
    ice = sum(grams for kind, grams, _ in mixture.bodies if kind == ICE)
    if mixture.goal == "ice":
        return ice - melted if degrees == 0 and 0 <= melted <= ice else None
    return degrees if 0 < degrees < 100 else None


def verify(mixture: Mixture, answer: Fraction) -> float:
    ice = sum(grams for kind, grams, _ in mixture.bodies if kind == ICE)
    degrees, melted = (Fraction(0), ice - answer) if mixture.goal == "ice" else (answer, ice)
    if not 0 <= degrees < 100 or not 0 <= melted <= ice:
        return 0.0
    balance = Fraction(mixture.heat)
    for kind, grams, start in mixture.bodies:
        if kind == ICE:
            balance += grams * Fraction(SUBSTANCES[ICE][1]) * start
            balance -= grams * Fraction(SUBSTANCES[WATER][1]) * degrees
        else:
            balance += grams * Fraction(SUBSTANCES[kind][1]) * (start - degrees)
    return float(balance == MELTING * melted)


def render(mixture: Mixture, style: Style) -> Prompt:
    listing = "\n".join(
        f"- {grams} g of {SUBSTANCES[kind][0]} at {degrees} °C"
        for kind, grams, degrees in mixture.bodies
    )
    kinds = sorted({kind for kind, _, _ in mixture.bodies} | {WATER})
    heats = ", ".join(f"{SUBSTANCES[kind][0]} {SUBSTANCES[kind][1]}" for kind in kinds)
    table = f"The specific heat capacities in J/(g·K) are: {heats}."
    if ICE in kinds:
        table += f" To melt 1 g of ice at 0 °C takes {MELTING} J."
    heater = f" In addition, a heater supplies {mixture.heat} J." if mixture.heat else ""
    if mixture.goal == "ice":
        goal, form = "How many grams of ice are left in the end?", f"the number of grams, {EXACT}"
    else:
        goal = "What is the final temperature, in °C?"
        form = f"the number of degrees Celsius, {EXACT}"
    closed = "No heat is lost to the surroundings."
    question = style.pick(
        f"These are put together in a calorimeter that takes up no heat itself:\n\n{listing}\n\n"
        f"{closed}{heater} {table} {goal}",
        f"{table} The following come together in a well-insulated vessel whose own heat capacity is"
        f" negligible:\n\n{listing}\n\n{heater.strip()} {goal}",
        f"{goal} {closed} In a vessel of negligible heat capacity there are\n\n{listing}\n\n{table}"
        f"{heater}",
    )
    return Prompt(question.replace("\n\n ", "\n\n"), form=form)


def steps(mixture: Mixture) -> list[str]:
    lines = []
    for kind, grams, start in mixture.bodies:
        heat = grams * Fraction(SUBSTANCES[kind][1]) * start
        lines.append(
            f"{grams} g of {SUBSTANCES[kind][0]} at {start} °C: {shown(heat)} J above 0 °C"
        )
    total = _heat(mixture)
    lines.append(f"In all {shown(total)} J" + (" with the heater" if mixture.heat else ""))
    ice = sum(grams for kind, grams, _ in mixture.bodies if kind == ICE)
    if ice:
        lines.append(f"To melt all the ice takes {ice * MELTING} J")
    return [*lines, f"The answer is {solve(mixture)}"]


def hardness(mixture: Mixture) -> float:
    icy = any(kind == ICE for kind, _, _ in mixture.bodies)
    return 4 * len(mixture.bodies) + 3 * icy + 2 * bool(mixture.heat)


def canon(mixture: Mixture) -> tuple[object, ...]:
    return sorted(mixture.bodies), mixture.heat, mixture.goal


def _heat(mixture: Mixture) -> Fraction:
    return mixture.heat + sum(
        (grams * Fraction(SUBSTANCES[kind][1]) * start for kind, grams, start in mixture.bodies),
        Fraction(0),
    )


@lru_cache(maxsize=2)
def _end(mixture: Mixture) -> tuple[Fraction, Fraction]:
    """The final temperature, and the grams of ice that are melted."""
    ice = sum(grams for kind, grams, _ in mixture.bodies if kind == ICE)
    heat = _heat(mixture)
    if heat <= 0:
        return Fraction(-1 if heat else 0), Fraction(0)
    if heat <= ice * MELTING:
        return Fraction(0), heat / MELTING
    capacity = sum(
        grams * Fraction(SUBSTANCES[WATER if kind == ICE else kind][1])
        for kind, grams, _ in mixture.bodies
    )
    return (heat - ice * MELTING) / capacity, Fraction(ice)


MELTING = 334  # joules a gram
ICE, WATER = 0, 1
SUBSTANCES = (
    ("ice", "2.1"), ("water", "4.2"), ("iron", "0.45"), ("copper", "0.39"), ("aluminium", "0.9"),
    ("glass", "0.8"), ("lead", "0.13"), ("brass", "0.38"), ("silver", "0.24"), ("zinc", "0.4"),
)  # fmt: skip
LADDER = (
    Knobs(2, 0.0, 3, 0.0),
    Knobs(2, 0.3, 6, 0.4),
    Knobs(3, 0.5, 7, 0.5),
    Knobs(4, 0.8, 8, 0.6),
    Knobs(6, 0.9, 8, 0.7),
)
FAMILY = Family(
    Mixture,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="heat above a reference",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "calculation", "fractions"),
    peers=("Guru/science",),
    version=2,
)
