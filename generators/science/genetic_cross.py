"""Genetic cross: two parents, several genes; how likely is a child of a certain kind?

`solve` lists all pairs of gametes; `verify` treats gene after gene and multiplies or counts.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, listed

Gene: TypeAlias = tuple[str, str, str, str]  # the letter; the dominant, mixed and recessive look


@dataclass(frozen=True, slots=True)
class Knobs:
    genes: int  # that are looked at
    mixed: float  # the share of genes without a dominant form
    counting: float  # the share of questions that count traits
    selfed: float  # the share of crosses one generation further back


@dataclass(frozen=True, slots=True)
class Cross:
    being: str
    genes: tuple[Gene, ...]
    mother: tuple[int, ...]  # copies of the large letter in each gene, 0 to 2
    father: tuple[int, ...]
    wanted: tuple[int, ...]  # the look of each gene: 0, 1 or 2 as in `Gene`; -1: any
    exactly: int  # how many of the looks a child has; -1: all of them
    children: int  # the children of a pair of these children of the parents are asked about
    given: int  # a gene, from 0, whose wanted look the child is known to have; -1: none


def generate(rng: Random, knobs: Knobs) -> Cross | None:
    being, traits = rng.choice(BEINGS)
    genes = []
    for letter, large, mix, small in rng.sample(traits, min(knobs.genes, len(traits))):
        genes.append((letter, large, mix if mix and rng.random() < knobs.mixed else large, small))
    parents = [tuple(rng.choice((0, 1, 1, 1, 1, 2)) for _ in genes) for _ in range(2)]
    count = rng.randint(0, len(genes)) if rng.random() < knobs.counting else -1
    wanted = []
    for gene in genes:
        looks = [0, 2] + [1] * (gene[2] != gene[1])
        wanted.append(rng.choice(looks) if count >= 0 or rng.random() < 0.85 else -1)
    if all(look < 0 for look in wanted):
        return None
    given = -1
    known = [at for at, look in enumerate(wanted) if look >= 0]
    if count >= 0 and len(known) > 1 and rng.random() < 0.3:
        given = rng.choice(known)
    children = int(rng.random() < knobs.selfed)
    made = Cross(being, tuple(genes), parents[0], parents[1], tuple(wanted), count, children, given)
    certain = sum(
        look >= 0 and _chance(gene, a, b, look, children) in (0, 1)
        for gene, a, b, look in zip(genes, *parents, wanted)
    )
    answer = solve(made)
    good = answer is not None and 0 < answer < 1 and 3 * certain <= len(genes)
    return made if good else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(cross: Cross) -> Fraction | None:
    """Every combination of looks that a child has or has not, gene by gene."""
    unit = 4 ** (1 + cross.children)  # in which all shares are whole
    looks: list[list[tuple[bool, int]]] = []  # of each gene that counts, with their shares
    for at, look in enumerate(cross.wanted):
        if look >= 0:
            shares = _generation(_outcomes(cross.mother[at], cross.father[at]), cross.children)
            has = sum(
                int(unit * share)
                for copies, share in shares.items()
                if _look(cross.genes[at], copies) == look
            )
            looks.append([(True, has)] if at == cross.given else [(True, has), (False, unit - has)])
    wanted = len(looks) if cross.exactly < 0 else cross.exactly
    right = base = 0
    for child in product(*looks):
        ways = prod(share for _, share in child)
        base += ways
        if sum(has for has, _ in child) == wanted:
            right += ways
    return Fraction(right, base) if base else None


def verify(cross: Cross, answer: Fraction) -> float:
    """The chance of each look, then the chance of so many of them."""
    # By how many looks a child has: the chance of it.
    spread = [Fraction(1)]
    for at, (gene, a, b, look) in enumerate(
        zip(cross.genes, cross.mother, cross.father, cross.wanted)
    ):
        if look < 0:
            continue
        yes = Fraction(1) if at == cross.given else _chance(gene, a, b, look, cross.children)
        shifted = [Fraction(0), *(yes * share for share in spread)]
        spread = [(1 - yes) * share for share in (*spread, Fraction(0))]
        spread = [one + other for one, other in zip(spread, shifted)]
    wanted = len(spread) - 1 if cross.exactly < 0 else cross.exactly
    if cross.given >= 0:
        gene, look = cross.genes[cross.given], cross.wanted[cross.given]
        a, b = cross.mother[cross.given], cross.father[cross.given]
        if not _chance(gene, a, b, look, cross.children):
            return 0.0
    return float(wanted < len(spread) and answer == spread[wanted])


def render(cross: Cross, style: Style) -> Prompt:
    facts = []
    for letter, large, mix, small in cross.genes:
        a, b = letter, letter.lower()
        if mix == large:
            facts.append(f"{a} ({large}) is dominant over {b} ({small})")
        else:
            facts.append(f"{a}{a} gives {large}, {a}{b} gives {mix} and {b}{b} gives {small}")
    mother, father = _genotype(cross, cross.mother), _genotype(cross, cross.father)
    looks = [
        (gene[1], gene[2], gene[3])[look]
        for gene, look in zip(cross.genes, cross.wanted)
        if look >= 0
    ]
    young, many = cross.being.split("/")
    who = (
        f"a {young} from this cross"
        if not cross.children
        else f"a {young} of that second generation"
    )
    if cross.exactly < 0:
        goal = f"that {who} has {listed(looks)}"
    else:
        goal = f"that {who} has exactly {cross.exactly} of these traits: {', '.join(looks)}"
    if cross.given >= 0:
        gene, look = cross.genes[cross.given], cross.wanted[cross.given]
        goal += f", given that it has {(gene[1], gene[2], gene[3])[look]}"
    second = (
        f" Each of the {many} of this cross is then fertilised by itself, and gives one {young} of"
        " a second generation."
        if cross.children
        else ""
    )
    unlinked = "The genes are inherited independently of one another. " * (len(cross.genes) > 1)
    rules = f"{capital('; '.join(facts))}. {unlinked}"
    question = style.pick(
        f"{rules}A parent with the genotype {mother} is crossed with a parent with the genotype"
        f" {father}.{second} What is the probability {goal}?",
        f"The parents of a cross have the genotypes {mother} and {father}.{second}"
        f" {rules}Find the probability {goal}.",
        f"Cross {mother} with {father}.{second} {rules}How likely is it {goal}?",
    )
    return Prompt(question, form="the probability as a fraction in lowest terms, such as 3/16")


def steps(cross: Cross) -> list[str]:
    lines = []
    for gene, a, b, look in zip(cross.genes, cross.mother, cross.father, cross.wanted):
        if look >= 0:
            chance = _chance(gene, a, b, look, cross.children)
            lines.append(f"Gene {gene[0]}: {(gene[1], gene[2], gene[3])[look]} in {chance}")
    if cross.exactly >= 0:
        lines.append(f"Now add up all ways to have exactly {cross.exactly} of them")
    return [*lines, f"The answer is {solve(cross)}"]


def hardness(cross: Cross) -> float:
    named = sum(look >= 0 for look in cross.wanted)
    counting = 4 * (cross.exactly >= 0) + 2 * (cross.given >= 0)
    mixed = sum(gene[1] != gene[2] for gene in cross.genes)
    return 3 * named + len(cross.genes) + counting + 5 * cross.children + mixed / 2


def canon(cross: Cross) -> tuple[object, ...]:
    """Genes in any order; mother and father alike."""
    genes = sorted(
        (min(a, b), max(a, b), look, gene[1:], at == cross.given)
        for at, (gene, a, b, look) in enumerate(
            zip(cross.genes, cross.mother, cross.father, cross.wanted)
        )
    )
    return genes, cross.exactly, cross.children


@lru_cache(maxsize=9)
def _outcomes(mother: int, father: int) -> dict[int, Fraction]:
    """Copies of the large letter in a child, by the four pairs of gametes."""
    found: dict[int, Fraction] = {}
    for one, other in product(_gametes(mother), _gametes(father)):
        found[one + other] = found.get(one + other, Fraction(0)) + Fraction(1, 4)
    return found


def _gametes(copies: int) -> tuple[int, int]:
    return ((0, 0), (1, 0), (1, 1))[copies]


def _generation(table: dict[int, Fraction], more: int) -> dict[int, Fraction]:
    """So many generations further, each fertilised by itself."""
    for _ in range(more):
        after: dict[int, Fraction] = {}
        for parent, chance in table.items():
            for copies, share in _outcomes(parent, parent).items():
                after[copies] = after.get(copies, Fraction(0)) + chance * share
        table = after
    return table


def _look(gene: Gene, copies: int) -> int:
    if copies == 1:
        return 1 if gene[2] != gene[1] else 0
    return 0 if copies == 2 else 2


def _chance(gene: Gene, mother: int, father: int, look: int, further: int) -> Fraction:
    """Of a look, from the shares of the large letter in the parents' gametes."""
    large, other = Fraction(mother, 2), Fraction(father, 2)
    pure, none = large * other, (1 - large) * (1 - other)
    for _ in range(further):
        quarter = (1 - pure - none) / 4
        pure, none = pure + quarter, none + quarter
    mixed = 1 - pure - none
    if gene[2] == gene[1]:
        return none if look == 2 else pure + mixed
    return (pure, mixed, none)[look]


def _genotype(cross: Cross, copies: tuple[int, ...]) -> str:
    return " ".join(
        gene[0] * many + gene[0].lower() * (2 - many) for gene, many in zip(cross.genes, copies)
    )


BEINGS: tuple[tuple[str, tuple[Gene, ...]], ...] = (
    ("plant/plants", (
        ("A", "red flowers", "pink flowers", "white flowers"),
        ("B", "round seeds", "", "wrinkled seeds"),
        ("D", "long stems", "medium stems", "short stems"),
        ("E", "smooth leaves", "", "hairy leaves"),
        ("G", "green pods", "", "yellow pods"),
        ("H", "large fruits", "medium-sized fruits", "small fruits"),
        ("K", "early blossoms", "", "late blossoms"),
        ("R", "thick bark", "", "thin bark"),
    )),
    ("snail/snails", (
        ("A", "a dark shell", "a striped shell", "a pale shell"),
        ("B", "a right-handed coil", "", "a left-handed coil"),
        ("D", "long feelers", "", "short feelers"),
        ("E", "a wide mouth", "a mouth of medium width", "a narrow mouth"),
        ("G", "a smooth foot", "", "a ridged foot"),
        ("H", "a thick lip", "", "a thin lip"),
        ("K", "red eyes", "brown eyes", "black eyes"),
        ("R", "a high spire", "", "a flat spire"),
    )),
)  # fmt: skip
LADDER = (
    Knobs(1, 0.3, 0.0, 0.0),
    Knobs(3, 0.5, 0.0, 0.2),
    Knobs(4, 0.5, 0.5, 0.3),
    Knobs(5, 0.6, 0.8, 0.5),
    Knobs(7, 0.6, 1.0, 0.8),
)
FAMILY = Family(
    Cross,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(form="a fraction"),
    hardness=hardness,
    proof="unique",
    solver="all combinations of what a child may get",
    guess_rate=0.4,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("biology", "probability", "fractions"),
    peers=("Guru/science",),
    version=2,
)
