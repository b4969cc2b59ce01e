"""Balanced equation: the smallest whole coefficients for which every element is conserved.

`solve` finds the null space of the matrix of atoms and refuses equations with more than one
solution; `verify` counts atoms on both sides and checks that nothing divides all coefficients.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm
from random import Random
from typing import Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._elements import atoms, counts, salt


@dataclass(frozen=True, slots=True)
class Knobs:
    kind: Literal["hydrocarbon", "combustion", "exchange", "invented"]  # of reaction
    elements: int  # of an invented reaction
    most: int  # the largest coefficient of an invented reaction


@dataclass(frozen=True, slots=True)
class Reaction:
    left: tuple[str, ...]  # formulas
    right: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Reaction | None:
    match knobs.kind:
        case "hydrocarbon":
            carbon = rng.randint(2, 30)
            fuel = counts(C=carbon, H=rng.randint(1, 2 * carbon + 2))
            sides = [fuel, "O2"], ["CO2", "H2O"]
        case "combustion":
            sides = _combustion(rng)
        case "exchange":
            # There are few pairs of a base and an acid.
            chance = rng.random()
            way = _exchange if chance < 0.55 else _combustion if chance < 0.94 else _with_acid
            sides = way(rng)
        case _:
            tries = (_invented(rng, knobs) for _ in range(TRIES))
            found = next((drawn for drawn in tries if drawn), None)
            if found is None:
                return None
            sides = found
    for side in sides:
        rng.shuffle(side)
    made = Reaction(tuple(sides[0]), tuple(sides[1]))
    distinct = len({*made.left, *made.right}) == len(made.left) + len(made.right)
    return made if distinct and solve(made) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(reaction: Reaction) -> tuple[int, ...] | None:
    """The null space of the matrix of atoms, if it is a line through positive numbers."""
    signed = [(formula, 1) for formula in reaction.left]
    signed += [(formula, -1) for formula in reaction.right]
    elements = sorted({element for formula, _ in signed for element in atoms(formula)})
    rows = [
        [Fraction(sign * atoms(formula).get(element, 0)) for formula, sign in signed]
        for element in elements
    ]
    vector = _null(rows, len(signed))
    if vector is None or any(value <= 0 for value in vector):
        return None
    whole = lcm(*(value.denominator for value in vector))
    found = [int(value * whole) for value in vector]
    return tuple(value // gcd(*found) for value in found)


def verify(reaction: Reaction, answer: tuple[int, ...]) -> float:
    if len(answer) != len(reaction.left) + len(reaction.right) or min(answer) < 1:
        return 0.0
    if gcd(*answer) > 1:
        return 0.0
    balance: dict[str, int] = {}
    for place, (formula, count) in enumerate(zip((*reaction.left, *reaction.right), answer)):
        sign = 1 if place < len(reaction.left) else -1
        for element, many in atoms(formula).items():
            balance[element] = balance.get(element, 0) + sign * count * many
    return float(not any(balance.values()))


def render(reaction: Reaction, style: Style) -> Prompt:
    equation = f"{' + '.join(reaction.left)} -> {' + '.join(reaction.right)}"
    question = style.pick(
        f"Balance this chemical equation with the smallest possible whole numbers:\n\n{equation}",
        f"Which coefficients balance the following equation? Use the smallest whole numbers, and"
        f" do not leave out a 1.\n\n{equation}",
        f"{equation}\n\nFind the smallest positive integers that, written in front of the formulas,"
        " make the number of atoms of each element the same on both sides.",
    )
    return Prompt(
        question,
        form=f"the {len(reaction.left) + len(reaction.right)} coefficients in the order of the"
        " formulas, from left to right, separated by commas, such as 2, 1, 2",
    )


def steps(reaction: Reaction) -> list[str]:
    answer = solve(reaction)
    assert answer is not None, "generate keeps reactions that can be balanced"
    names = [chr(ord("a") + at) for at in range(len(answer))]
    formulas = (*reaction.left, *reaction.right)
    elements = dict.fromkeys(element for formula in formulas for element in atoms(formula))
    lines = [f"Let {', '.join(names)} be the coefficients in order"]
    for element in elements:
        parts = [
            f"{many if many > 1 else ''}{name}" if (many := atoms(formula).get(element, 0)) else ""
            for name, formula in zip(names, formulas)
        ]
        cut = len(reaction.left)
        left, right = filter(None, parts[:cut]), filter(None, parts[cut:])
        lines.append(f"{element}: {' + '.join(left)} = {' + '.join(right)}")
    values = ", ".join(f"{name} = {value}" for name, value in zip(names, answer))
    return [*lines, f"The smallest whole solution is {values}"]


def hardness(reaction: Reaction) -> float:
    """Formulas, elements and the size of the coefficients."""
    formulas = (*reaction.left, *reaction.right)
    elements = {element for formula in formulas for element in atoms(formula)}
    answer = solve(reaction) or ()
    return 2 * len(formulas) + 2 * len(elements) + sum(len(str(value)) for value in answer) / 2


def canon(reaction: Reaction) -> tuple[object, ...]:
    return sorted(reaction.left), sorted(reaction.right)


def _combustion(rng: Random) -> tuple[list[str], list[str]]:
    carbon = rng.randint(2, 24)
    nitrogen, sulfur = rng.randint(0, 5), rng.randint(0, 3)
    if not nitrogen and not sulfur:  # as easy as a hydrocarbon
        sulfur = rng.randint(1, 3)
    hydrogen = rng.randint(1, 2 * carbon + 2)
    fuel = counts(C=carbon, H=hydrogen, N=nitrogen, O=rng.randint(0, 8), S=sulfur)
    products = ["CO2", "H2O"] + ["N2"] * bool(nitrogen) + ["SO2"] * bool(sulfur)
    return [fuel, "O2"], products


def _exchange(rng: Random) -> tuple[list[str], list[str]]:
    """Two salts, or a base and an acid, exchange their partners."""
    (one, first), (two, second) = rng.sample(CATIONS, 2)
    (rest, low), (other, high) = rng.sample(ANIONS, 2)
    left = [salt(one, first, rest, low), salt(two, second, other, high)]
    return left, [salt(one, first, other, high), salt(two, second, rest, low)]


def _with_acid(rng: Random) -> tuple[list[str], list[str]]:
    """A hydroxide, an oxide or a carbonate, with an acid."""
    metal, charge = rng.choice(CATIONS)
    rest, negative = rng.choice([ion for ion in ANIONS if ion[0] != "CO3"])
    acid, product = salt("H", 1, rest, negative), salt(metal, charge, rest, negative)
    kind = rng.choice(("OH", "O", "CO3"))
    base = salt(metal, charge, kind, 1 if kind == "OH" else 2)
    return [base, acid], [product, "H2O"] + ["CO2"] * (kind == "CO3")


def _invented(rng: Random, knobs: Knobs) -> tuple[list[str], list[str]] | None:
    """One compound more than elements: the signs of the null vector tell the sides."""
    elements = rng.sample(SYMBOLS, knobs.elements)
    compounds = [
        {element: rng.randint(1, 4) for element in rng.sample(elements, rng.randint(1, 3))}
        for _ in range(knobs.elements + 1)
    ]
    rows = [[Fraction(each.get(element, 0)) for each in compounds] for element in elements]
    vector = _null(rows, len(compounds))
    if vector is None or not all(vector):
        return None
    whole = lcm(*(value.denominator for value in vector))
    if max(abs(value * whole) for value in vector) > knobs.most:
        return None
    texts = [
        counts(**{name: each[name] for name in elements if name in each}) for each in compounds
    ]
    left = [text for text, value in zip(texts, vector) if value > 0]
    return left, [text for text, value in zip(texts, vector) if value < 0]


def _null(rows: list[list[Fraction]], size: int) -> list[Fraction] | None:
    """A vector that the matrix takes to 0, if all such vectors are its multiples."""
    rows = [list(row) for row in rows]
    pivots: list[int] = []
    for column in range(size):
        place = len(pivots)
        pivot = next((at for at in range(place, len(rows)) if rows[at][column]), None)
        if pivot is None:
            continue
        rows[place], rows[pivot] = rows[pivot], rows[place]
        lead = rows[place][column]
        rows[place] = [value / lead for value in rows[place]]
        for at, row in enumerate(rows):
            if at != place and row[column]:
                factor = row[column]
                rows[at] = [a - factor * b for a, b in zip(row, rows[place])]
        pivots.append(column)
    free = [column for column in range(size) if column not in pivots]
    if len(free) != 1:
        return None
    vector = [Fraction(0)] * size
    vector[free[0]] = Fraction(1)
    for row, column in zip(rows, pivots):
        vector[column] = -row[free[0]]
    return vector


CATIONS = (
    ("Na", 1), ("K", 1), ("Li", 1), ("Ag", 1), ("NH4", 1), ("Mg", 2), ("Ca", 2), ("Ba", 2),
    ("Zn", 2), ("Cu", 2), ("Pb", 2), ("Fe", 2), ("Mn", 2), ("Fe", 3), ("Al", 3), ("Cr", 3),
    ("Sn", 4), ("Ti", 4),
)  # fmt: skip
ANIONS = (
    ("Cl", 1), ("Br", 1), ("I", 1), ("F", 1), ("NO3", 1), ("ClO4", 1), ("C2H3O2", 1), ("SO4", 2),
    ("CrO4", 2), ("S", 2), ("CO3", 2), ("C2O4", 2), ("PO4", 3), ("AsO4", 3), ("Fe(CN)6", 4),
    ("P2O7", 4),
)  # fmt: skip
SYMBOLS = (
    "H", "C", "N", "O", "F", "Na", "Mg", "Al", "Si", "P", "S", "Cl", "K", "Ca", "Ti", "Cr", "Mn",
    "Fe", "Cu", "Zn", "Br", "Ag", "I", "Ba",
)  # fmt: skip
TRIES = 30
LADDER = (
    Knobs("hydrocarbon", 4, 40),
    Knobs("exchange", 4, 40),
    Knobs("combustion", 4, 40),
    Knobs("invented", 5, 40),
    Knobs("invented", 6, 120),
)
FAMILY = Family(
    Reaction,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the coefficients"),
    hardness=hardness,
    proof="unique",
    solver="null space of the matrix of atoms",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    skills=("chemistry", "linear algebra", "integers"),
    peers=("Guru/science",),
    version=2,
)
