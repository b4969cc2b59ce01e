"""Acidity: strong acids and bases are diluted and poured together; what is the pH?

`solve` takes the logarithm of what is left over; `verify` raises 10 to the ends of the interval
that the answer stands for, and looks whether the concentration lies between them.
"""

from dataclasses import dataclass
from decimal import Decimal as Digits
from decimal import localcontext
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.rounded import close
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import shown

# mL, mmol/L, protons of a molecule (negative: hydroxide ions), the name's place
Portion: TypeAlias = tuple[int, int, int, int]
PLACES = 2


@dataclass(frozen=True, slots=True)
class Knobs:
    portions: int  # that are poured together
    strengths: int  # protons or hydroxide ions of a molecule, at most
    dilutions: int  # of the mixture: so much is taken and filled up


@dataclass(frozen=True, slots=True)
class Mixture:
    portions: tuple[Portion, ...]
    water: int  # mL that are added
    dilutions: tuple[tuple[int, int], ...]  # mL taken, mL that they are filled up to


def generate(rng: Random, knobs: Knobs) -> Mixture | None:
    names = rng.sample(range(len(SOLUTES)), min(knobs.portions, len(SOLUTES)))
    portions = []
    for at in names:
        protons = SOLUTES[at][1]
        if abs(protons) > knobs.strengths:
            return None
        portions.append((rng.randint(2, 80) * 5, rng.randint(1, 400), protons, at))
    water = rng.choice((0, rng.randint(1, 50) * 10)) if knobs.portions > 1 else 0
    dilutions = []
    for _ in range(knobs.dilutions):
        taken = rng.randint(1, 8) * 5
        dilutions.append((taken, taken * rng.randint(2, 10)))
    made = Mixture(tuple(portions), water, tuple(dilutions))
    excess = _excess(made)
    # Water's own ions do not matter, and no rounding hangs on a hair.
    if not Fraction(1, 10**5) <= abs(excess) <= Fraction(3, 10):
        return None
    hundredths = _power(excess) * 100
    return made if abs(hundredths % 1 - Digits("0.5")) > Digits("0.05") else None


def solve(mixture: Mixture) -> Fraction | None:
    excess = _excess(mixture)
    if not excess:
        return None
    return round(Fraction(_power(excess)), PLACES)


def verify(mixture: Mixture, answer: Fraction) -> float:
    if not 0 <= answer <= 14:
        return 0.0
    # Amounts in thousandths of a mmol, volumes in mL: nothing is added up as in solve.
    acid = sum(volume * strength * each for volume, strength, each, _ in mixture.portions)
    volume = sum(portion[0] for portion in mixture.portions) + mixture.water
    above, below = abs(acid), volume * 1000
    for taken, full in mixture.dilutions:
        above, below = above * taken, below * full
    with localcontext() as context:
        context.prec = 40
        strength = Digits(above) / Digits(below)
        power = Digits(answer.numerator) / Digits(answer.denominator)
        power = power if acid > 0 else 14 - power
        half = Digits("0.005")
        inside = Digits(10) ** (-power - half) <= strength <= Digits(10) ** (-power + half)
    return float(inside and bool(acid))


def recheck(mixture: Mixture, answer: Fraction) -> bool:
    return close(answer, Fraction(_power(_excess(mixture))), PLACES)


def render(mixture: Mixture, style: Style) -> Prompt:
    parts = [
        f"{volume} mL of {shown(Fraction(strength, 1000))} mol/L {SOLUTES[at][0]}"
        for volume, strength, _, at in mixture.portions
    ]
    parts += [f"{mixture.water} mL of water"] if mixture.water else []
    single = len(parts) == 1
    listing = "\n".join(f"- {part}" for part in parts)
    begin = f"There is {parts[0]}." if single else f"These are mixed:\n\n{listing}\n\n"
    diluted = " ".join(
        f"{'Then ' if at else ''}{taken} mL of {'that' if at else 'this'} is taken and diluted with"
        f" water to {full} mL."
        for at, (taken, full) in enumerate(mixture.dilutions)
    )
    rules = (
        "Acids and bases dissociate completely, in every step; volumes add up; the ion product of"
        " water is 10^-14, and the ions of pure water may be neglected."
    )
    which = "solution" if single and not mixture.dilutions else "final solution"
    question = style.pick(
        f"{begin} {diluted} What is the pH of the {which}? {rules}",
        f"What is the pH of the {which} of this experiment? {begin} {diluted} {rules}",
        f"{rules}\n\n{begin} {diluted} Calculate the pH of the {which}.",
    )
    text = question.replace("\n\n ", "\n\n")
    while "  " in text:
        text = text.replace("  ", " ")
    return Prompt(text, form="the pH rounded to 2 decimal places, such as 3.42")


def steps(mixture: Mixture) -> list[str]:
    lines = []
    for volume, strength, protons, at in mixture.portions:
        amount = Fraction(volume * strength * abs(protons), 1000)
        kind = "H+" if protons > 0 else "OH-"
        lines.append(f"{SOLUTES[at][0]}: {shown(amount)} mmol of {kind}")
    excess = _excess(mixture)
    kind = "H+" if excess > 0 else "OH-"
    lines.append(f"In the end the excess of {kind} is {float(abs(excess)):.6g} mol/L")
    if excess < 0:
        lines.append("pH = 14 + log10 of that")
    return [*lines, f"The answer is {answers.Decimal(PLACES).write(_gold(mixture))}"]


def hardness(mixture: Mixture) -> float:
    kinds = {protons > 0 for _, _, protons, _ in mixture.portions}
    strong = sum(abs(protons) > 1 for _, _, protons, _ in mixture.portions)
    return 4 * len(mixture.portions) + 3 * len(mixture.dilutions) + len(kinds) + strong


def _gold(mixture: Mixture) -> Fraction:
    return round(Fraction(_power(_excess(mixture))), PLACES)


def _excess(mixture: Mixture) -> Fraction:
    """mol/L of H+ that are left over; negative: of OH-."""
    amount = sum(
        (Fraction(volume, 1000) * Fraction(strength, 1000) * each)
        for volume, strength, each, _ in mixture.portions
    )
    volume = sum(Fraction(portion[0], 1000) for portion in mixture.portions)
    excess = amount / (volume + Fraction(mixture.water, 1000))
    for taken, full in mixture.dilutions:
        excess *= Fraction(taken, full)
    return Fraction(excess)


@lru_cache(maxsize=2)
def _power(excess: Fraction) -> Digits:
    """The pH, to many places."""
    with localcontext() as context:
        context.prec = 40
        log = (Digits(abs(excess.numerator)) / Digits(excess.denominator)).log10()
        return -log if excess > 0 else 14 + log


SOLUTES = (
    ("HCl (hydrochloric acid)", 1),
    ("NaOH (sodium hydroxide)", -1),
    ("HNO3 (nitric acid)", 1),
    ("KOH (potassium hydroxide)", -1),
    ("HBr (hydrobromic acid)", 1),
    ("LiOH (lithium hydroxide)", -1),
    ("HClO4 (perchloric acid)", 1),
    ("Ba(OH)2 (barium hydroxide)", -2),
    ("H2SO4 (sulfuric acid)", 2),
    ("Sr(OH)2 (strontium hydroxide)", -2),
)
LADDER = (Knobs(1, 1, 0), Knobs(1, 2, 1), Knobs(2, 2, 1), Knobs(4, 2, 1), Knobs(6, 2, 3))
FAMILY = Family(
    Mixture,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Decimal(PLACES),
    hardness=hardness,
    solver="the logarithm of the excess",
    guess_rate=0.05,
    recheck=recheck,
    steps=steps,
    redraws=True,
    skills=("chemistry", "logarithms", "calculation"),
    peers=("Guru/science",),
    version=2,
)
