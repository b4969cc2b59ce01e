"""Stoichiometry: given amounts react until one of them runs out; how much is there of a substance?

`solve` finds the reactant that runs out first from its moles. `verify` lets the reaction go in the
smallest whole steps that use up a whole number of units of mass, and looks at what is left.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators.science._elements import TENTHS, atoms, tenths
from puzzlemill.generators.science._quantities import exactly, shown


@dataclass(frozen=True, slots=True)
class Knobs:
    reactants: int  # of the reaction
    given: int  # reactants that are limited
    goals: int  # of questions that there are
    parts: int  # how finely amounts are divided: a mole has so many parts


@dataclass(frozen=True, slots=True)
class Batch:
    left: tuple[str, ...]
    right: tuple[str, ...]
    coefficients: tuple[int, ...]
    grams: tuple[int, ...]  # hundredths of a gram of each reactant; 0: as much as is needed
    moles: bool  # the question is about moles and not grams
    goal: str  # a product, or a reactant: how much of it is left
    used: bool  # of the reactant, how much is used


def generate(rng: Random, knobs: Knobs) -> Batch | None:
    known = [equation for equation in REACTIONS if len(equation[0]) == knobs.reactants]
    left, right, coefficients = rng.choice(known)
    extent = Fraction(rng.randint(1, 400 * knobs.parts), 100 * knobs.parts)
    given = rng.sample(range(len(left)), min(knobs.given, len(left)))
    limit = rng.choice(given)
    grams = []
    for at, formula in enumerate(left):
        if at not in given:
            grams.append(0)
            continue
        moles = coefficients[at] * extent
        if at != limit:
            moles += Fraction(rng.randint(1, 20), 10)
        hundredths = moles * tenths(formula) * 10
        if hundredths.denominator != 1:
            return None
        grams.append(int(hundredths))
    rest = [left[at] for at in given if at != limit]
    goal, used = rng.choice(right), False
    if knobs.goals > 1 and rest and rng.random() < 0.5:
        goal = rng.choice(rest)
    elif knobs.goals > 2 and len(given) < len(left):
        goal, used = left[next(at for at in range(len(left)) if at not in given)], True
    return Batch(left, right, coefficients, tuple(grams), rng.random() < 0.3, goal, used)


def solve(batch: Batch) -> Fraction | None:
    extents = [
        Fraction(grams, 10 * tenths(formula)) / count
        for formula, grams, count in zip(batch.left, batch.grams, batch.coefficients)
        if grams
    ]
    if not extents or min(batch.grams) < 0:
        return None
    extent = min(extents)
    formulas = (*batch.left, *batch.right)
    place = formulas.index(batch.goal)
    moles = batch.coefficients[place] * extent
    if place < len(batch.left) and not batch.used:
        moles = Fraction(batch.grams[place], 10 * tenths(batch.goal)) - moles
    return moles if batch.moles else moles * Fraction(tenths(batch.goal), 10)


def verify(batch: Batch, answer: Fraction) -> float:
    """Mass after mass: so much of each substance goes with so much of the others."""
    share = {
        formula: count * tenths(formula)
        for formula, count in zip((*batch.left, *batch.right), batch.coefficients)
    }
    stock = dict(zip(batch.left, batch.grams))
    scarce = next(
        name
        for name, grams in stock.items()
        if grams
        and all(grams * share[other] <= more * share[name] for other, more in stock.items() if more)
    )
    mass = Fraction(stock[scarce] * share[batch.goal], share[scarce] * 100)
    if batch.goal in batch.left and not batch.used:
        mass = Fraction(stock[batch.goal], 100) - mass
    return float(
        answer * Fraction(tenths(batch.goal), 10) == mass if batch.moles else answer == mass
    )


def render(batch: Batch, style: Style) -> Prompt:
    equation = _equation(batch)
    formulas = (*batch.left, *batch.right)
    elements = dict.fromkeys(element for formula in formulas for element in atoms(formula))
    masses = ", ".join(f"{name} {shown(Fraction(TENTHS[name], 10))}" for name in elements)
    given = listed(
        f"{shown(Fraction(grams, 100))} g of {formula}"
        for formula, grams in zip(batch.left, batch.grams)
        if grams
    )
    free = [formula for formula, grams in zip(batch.left, batch.grams) if not grams]
    plenty = f" There is more than enough {listed(free)}." if free else ""
    unit = "moles" if batch.moles else "grams"
    if batch.goal in batch.right:
        goal = f"How many {unit} of {batch.goal} are formed?"
    else:
        goal = f"How many {unit} of {batch.goal} are {'used up' if batch.used else 'left over'}?"
    table = f"Take these molar masses in g/mol: {masses}."
    question = style.pick(
        f"The reaction {equation} starts with {given} and goes on until a reactant is used"
        f" up.{plenty} {goal} {table}",
        f"{table} In the reaction {equation}, {given} react as far as possible.{plenty} {goal}",
        f"Consider {equation}. We have {given}, and the reaction runs until it can go no"
        f" further.{plenty} {goal} {table}",
    )
    return Prompt(question, form=exactly(unit))


def steps(batch: Batch) -> list[str]:
    lines, extents = [], []
    for formula, grams, count in zip(batch.left, batch.grams, batch.coefficients):
        if grams:
            mass, molar = Fraction(grams, 100), Fraction(tenths(formula), 10)
            extents.append(mass / molar / count)
            lines.append(
                f"{shown(mass)} g of {formula} at {shown(molar)} g/mol are {shown(mass / molar)}"
                f" mol, enough for {shown(extents[-1])} rounds of the reaction"
            )
    lines.append(f"So there are {shown(min(extents))} rounds")
    if not batch.moles:
        molar = Fraction(tenths(batch.goal), 10)
        lines.append(f"{batch.goal} has {shown(molar)} g/mol")
    return [*lines, f"The answer is {solve(batch)}"]


def hardness(batch: Batch) -> float:
    given = sum(bool(grams) for grams in batch.grams)
    digits = sum(len(str(grams).rstrip("0")) for grams in batch.grams)
    return 4 * given + 3 * len(batch.left) + digits / 2 + 2 * (batch.goal in batch.left)


def _equation(batch: Batch) -> str:
    parts = [
        f"{count} {formula}" if count > 1 else formula
        for count, formula in zip(batch.coefficients, (*batch.left, *batch.right))
    ]
    cut = len(batch.left)
    return f"{' + '.join(parts[:cut])} -> {' + '.join(parts[cut:])}"


REACTIONS: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]], ...] = (
    (("CaCO3",), ("CaO", "CO2"), (1, 1, 1)),
    (("KClO3",), ("KCl", "O2"), (2, 2, 3)),
    (("H2O2",), ("H2O", "O2"), (2, 2, 1)),
    (("NaHCO3",), ("Na2CO3", "H2O", "CO2"), (2, 1, 1, 1)),
    (("NaN3",), ("Na", "N2"), (2, 2, 3)),
    (("KMnO4",), ("K2MnO4", "MnO2", "O2"), (2, 1, 1, 1)),
    (("NH4NO3",), ("N2O", "H2O"), (1, 1, 2)),
    (("Ag2O",), ("Ag", "O2"), (2, 4, 1)),
    (("Cu(NO3)2",), ("CuO", "NO2", "O2"), (2, 2, 4, 1)),
    (("N2", "H2"), ("NH3",), (1, 3, 2)),
    (("H2", "O2"), ("H2O",), (2, 1, 2)),
    (("CH4", "O2"), ("CO2", "H2O"), (1, 2, 1, 2)),
    (("C3H8", "O2"), ("CO2", "H2O"), (1, 5, 3, 4)),
    (("C2H6O", "O2"), ("CO2", "H2O"), (1, 3, 2, 3)),
    (("C6H12O6", "O2"), ("CO2", "H2O"), (1, 6, 6, 6)),
    (("NH3", "O2"), ("NO", "H2O"), (4, 5, 4, 6)),
    (("Fe2O3", "CO"), ("Fe", "CO2"), (1, 3, 2, 3)),
    (("Fe2O3", "Al"), ("Al2O3", "Fe"), (1, 2, 1, 2)),
    (("Al", "Cl2"), ("AlCl3",), (2, 3, 2)),
    (("Fe", "O2"), ("Fe2O3",), (4, 3, 2)),
    (("P4", "O2"), ("P4O10",), (1, 5, 1)),
    (("Mg", "N2"), ("Mg3N2",), (3, 1, 1)),
    (("Zn", "HCl"), ("ZnCl2", "H2"), (1, 2, 1, 1)),
    (("Al", "HCl"), ("AlCl3", "H2"), (2, 6, 2, 3)),
    (("CaC2", "H2O"), ("C2H2", "Ca(OH)2"), (1, 2, 1, 1)),
    (("AgNO3", "BaCl2"), ("AgCl", "Ba(NO3)2"), (2, 1, 2, 1)),
    (("Pb(NO3)2", "KBr"), ("PbBr2", "KNO3"), (1, 2, 1, 2)),
    (("TiO2", "Cl2", "C"), ("TiCl4", "CO2"), (1, 2, 1, 1, 1)),
    (("Ca3(PO4)2", "SiO2", "C"), ("CaSiO3", "CO", "P4"), (2, 6, 10, 6, 10, 1)),
    (("Fe", "O2", "H2O"), ("Fe(OH)3",), (4, 3, 6, 4)),
    (("MnO2", "NaCl", "H2SO4"), ("MnSO4", "Na2SO4", "Cl2", "H2O"), (1, 2, 2, 1, 1, 1, 2)),
    (("NH3", "O2", "CH4"), ("HCN", "H2O"), (2, 3, 2, 2, 6)),
    (("Zn", "HNO3", "H2SO4"), ("ZnSO4", "NO", "H2O"), (3, 2, 3, 3, 2, 4)),
    (("K2Cr2O7", "SO2", "H2SO4"), ("Cr2(SO4)3", "K2SO4", "H2O"), (1, 3, 1, 1, 1, 1)),
    (("Cu", "NaNO3", "H2SO4"), ("CuSO4", "NO", "Na2SO4", "H2O"), (3, 2, 4, 3, 2, 1, 4)),
)
LADDER = (
    Knobs(1, 1, 1, 1),
    Knobs(2, 1, 1, 4),
    Knobs(2, 2, 2, 4),
    Knobs(3, 2, 3, 4),
    Knobs(3, 3, 3, 8),
)
FAMILY = Family(
    Batch,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="moles, and the reactant that limits them",
    guess_rate=0.05,
    steps=steps,
    redraws=True,
    skills=("chemistry", "proportions", "calculation"),
    peers=("Guru/science",),
    version=3,
)
