"""Pedigree: a family, one gene, who is ill and who is not; how likely is a genotype?

`solve` goes through all genotypes of all members; `verify` lets chances flow along the family,
removing one member after the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, listed

# A name, mother and father (places in the list, -1 for founders), "f" or "m", and what is seen:
# 1 ill, 0 not ill, -1 unknown.
Member: TypeAlias = tuple[str, int, int, str, int]

# Chances by the genotypes of some members, in whole units, and who these are.
_Rows: TypeAlias = dict[tuple[int, ...], int]
_Table: TypeAlias = tuple[tuple[int, ...], _Rows]


@dataclass(frozen=True, slots=True)
class Knobs:
    generations: int  # of the family
    children: int  # of a couple, at most
    unseen: float  # the share of members of whom nothing is told
    # of inheritance: recessive only, or also dominant and linked to the sex
    mode: Literal["recessive", "any"]


@dataclass(frozen=True, slots=True)
class Pedigree:
    mode: str  # "recessive", "dominant" or "linked": on the X chromosome
    members: tuple[Member, ...]  # parents before children
    founders: int  # a copy of a founder's gene is faulty in one of so many cases
    goal: str  # "carrier" or "ill"
    at: int


def generate(rng: Random, knobs: Knobs) -> Pedigree | None:
    mode = rng.choice(
        ("recessive", "dominant", "linked") if knobs.mode == "any" else ("recessive",)
    )
    girls, boys = rng.sample(WOMEN, len(WOMEN)), rng.sample(MEN, len(MEN))
    members: list[list[object]] = [[girls.pop(), -1, -1, "f"], [boys.pop(), -1, -1, "m"]]
    couple = (0, 1)
    for generation in range(knobs.generations - 1):
        born = []
        for _ in range(rng.randint(min(2, knobs.children), knobs.children)):
            sex = rng.choice("fm")
            name = girls.pop() if sex == "f" else boys.pop()
            members.append([name, couple[0], couple[1], sex])
            born.append(len(members) - 1)
        if generation < knobs.generations - 2:
            child = rng.choice(born)
            sex = "m" if members[child][3] == "f" else "f"
            members.append([girls.pop() if sex == "f" else boys.pop(), -1, -1, sex])
            spouse = len(members) - 1
            couple = (child, spouse) if sex == "m" else (spouse, child)
    if len(members) > MOST:
        return None
    founders = rng.choice((2, 3, 4, 5, 10))
    genes = _born(rng, mode, members, founders)
    seen = [int(_ill(mode, gene)) if rng.random() >= knobs.unseen else -1 for gene in genes]
    at = rng.choice([place for place, each in enumerate(members) if each[1] != -1])
    goal = "ill"
    able = mode != "dominant" and not (mode == "linked" and members[at][3] == "m")
    if able and rng.random() < 0.6:
        goal = "carrier"
        seen[at] = 0
    else:
        seen[at] = -1
    if not any(value == 1 for value in seen):
        return None
    full = tuple((*each, value) for each, value in zip(members, seen))
    made = Pedigree(mode, full, founders, goal, at)  # type: ignore[arg-type]
    answer = solve(made)
    return made if answer is not None and 0 < answer < 1 and answer.denominator < 10**5 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(family: Pedigree) -> Fraction | None:
    """Genotypes of all members, one after the other; those that are seen otherwise are left out."""
    right = whole = 0
    for genes, chance in _worlds(family, (), 1):
        whole += chance
        if _asked(family, genes[family.at]):
            right += chance
    return Fraction(right, whole) if whole else None


def verify(family: Pedigree, answer: Fraction) -> float:
    """Variable elimination: a member is summed over when nobody else depends on it."""
    tables: list[_Table] = []
    for at, (_, mother, father, sex, seen) in enumerate(family.members):
        kept = [
            gene
            for gene in range(_most(family.mode, sex) + 1)
            if seen < 0 or _ill(family.mode, (gene, sex)) == bool(seen)
        ]
        if mother < 0:
            alone: _Rows = {
                (gene,): _founder(family.founders, _most(family.mode, sex), gene) for gene in kept
            }
            tables.append(((at,), alone))
            continue
        table: _Rows = {}
        for one in range(_most(family.mode, "f") + 1):
            for two in range(_most(family.mode, "m") + 1):
                for gene in kept:
                    table[one, two, gene] = _passed(family.mode, one, two, sex, gene)
        tables.append(((mother, father, at), table))
    for gone in reversed(range(len(family.members))):
        if gone != family.at:
            near = [table for table in tables if gone in table[0]]
            tables = [table for table in tables if gone not in table[0]]
            tables.append(_summed(near, gone))
    total: dict[int, int] = {}
    for gene in range(_most(family.mode, family.members[family.at][3]) + 1):
        chance = 1
        for names, values in tables:
            chance *= values.get((gene,) if names else (), 0)
        total[gene] = chance
    sex = family.members[family.at][3]
    right = sum(chance for gene, chance in total.items() if _asked(family, (gene, sex)))
    whole = sum(total.values())
    return float(bool(whole) and answer * whole == right)


def render(family: Pedigree, style: Style) -> Prompt:
    couples: dict[tuple[int, int], list[str]] = {}
    names = [member[0] for member in family.members]
    for name, mother, father, sex, _ in family.members:
        if mother >= 0:
            kind = "daughter" if sex == "f" else "son"
            couples.setdefault((mother, father), []).append(f"{name} ({kind})")
    kin = [
        f"{names[mother]} (mother) and {names[father]} (father) have"
        f" {_children(children)}: {listed(children)}."
        for (mother, father), children in couples.items()
    ]
    ill = [name for name, *_, seen in family.members if seen == 1]
    well = [name for name, *_, seen in family.members if seen == 0]
    known = [f"{listed(ill)} {'have' if len(ill) > 1 else 'has'} the disease."]
    if well:
        known.append(f"{listed(well)} {'do' if len(well) > 1 else 'does'} not have it.")
    if len(ill) + len(well) < len(names):
        known.append("It is not known whether the others have it.")
    rule = {
        "recessive": "A disease is caused by a faulty gene that is not on a sex chromosome, and is"
        " recessive: only people with two faulty copies have the disease. Carriers have exactly"
        " one.",
        "dominant": "A disease is caused by a faulty gene that is not on a sex chromosome, and is"
        " dominant: anyone with one faulty copy or two has the disease.",
        "linked": "A disease is caused by a faulty recessive gene on the X chromosome. Men have one"
        " copy of it, from their mother, and have the disease if it is faulty. Women have one copy"
        " from each parent, and have the disease if both are faulty. Women with exactly one faulty"
        " copy are carriers.",
    }[family.mode]
    founders = listed(name for name, mother, *_ in family.members if mother < 0)
    prior = (
        f"Each copy of the gene in {founders}, whose parents are not given, is faulty with a"
        f" probability of 1/{family.founders}, independently of all others, before anything is"
        " known about who is ill. There are no new mutations."
    )
    name = names[family.at]
    what = "is a carrier" if family.goal == "carrier" else "has the disease"
    tree, facts = " ".join(kin), capital(" ".join(known))
    question = style.pick(
        f"{rule} {prior}\n\n{tree} {facts}\n\nWhat is the probability that {name} {what}, given all"
        " this?",
        f"{tree} {facts}\n\n{rule} {prior}\n\nGiven all that, how likely is it that {name} {what}?",
        f"{rule}\n\n{tree}\n\n{facts} {prior} Find the probability that {name} {what}, given these"
        " facts.",
    )
    return Prompt(question, form="the probability as a fraction in lowest terms, such as 3/16")


def steps(family: Pedigree) -> list[str]:
    sex = family.members[family.at][3]
    shares: dict[int, int] = {}
    for genes, chance in _worlds(family, (), 1):
        gene = genes[family.at][0]
        shares[gene] = shares.get(gene, 0) + chance
    units = prod(
        family.founders ** _most(family.mode, sex) if mother < 0 else PASSED
        for _, mother, _, sex, _ in family.members
    )
    name = family.members[family.at][0]
    lines = [
        f"With {gene} faulty cop{'y' if gene == 1 else 'ies'} in {name}, what is known has the"
        f" probability {Fraction(share, units)}"
        for gene, share in sorted(shares.items())
    ]
    right = [str(gene) for gene in sorted(shares) if _asked(family, (gene, sex))]
    lines.append(f"Asked for is the share of: {', '.join(right)}")
    return [*lines, f"The answer is {solve(family)}"]


def hardness(family: Pedigree) -> float:
    unseen = sum(seen < 0 for *_, seen in family.members)
    return 2 * len(family.members) + unseen


def canon(family: Pedigree) -> tuple[object, ...]:
    """Without names."""
    shape = [member[1:] for member in family.members]
    return family.mode, shape, family.founders, family.goal, family.at


_Gene: TypeAlias = tuple[int, str]  # faulty copies, and "f" or "m"


def _worlds(
    family: Pedigree, genes: tuple[_Gene, ...], chance: int
) -> Iterator[tuple[tuple[_Gene, ...], int]]:
    """The genotypes of all members that are seen as they are, and how likely these are, in units
    that are the same for all."""
    if len(genes) == len(family.members):
        yield genes, chance
        return
    _, mother, father, sex, seen = family.members[len(genes)]
    for gene in range(_most(family.mode, sex) + 1):
        if seen >= 0 and _ill(family.mode, (gene, sex)) != bool(seen):
            continue
        if mother < 0:
            share = _founder(family.founders, _most(family.mode, sex), gene)
        else:
            share = _passed(family.mode, genes[mother][0], genes[father][0], sex, gene)
        if share:
            yield from _worlds(family, (*genes, (gene, sex)), chance * share)


def _summed(tables: list[_Table], gone: int) -> _Table:
    """The product of some tables, summed over one member."""
    names: tuple[int, ...] = ()
    rows: _Rows = {(): 1}
    for others, values in tables:
        fresh = [at for at, name in enumerate(others) if name not in names]
        common = [at for at, name in enumerate(others) if name in names]
        places = [names.index(others[at]) for at in common]
        agreeing: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
        for keys, share in values.items():
            more = tuple([keys[at] for at in fresh])
            agreeing.setdefault(tuple([keys[at] for at in common]), []).append((more, share))
        rows = {
            (*row, *more): chance * share
            for row, chance in rows.items()
            for more, share in agreeing.get(tuple([row[at] for at in places]), ())
        }
        names = (*names, *(others[at] for at in fresh))
    place = names.index(gone)
    left: _Rows = {}
    for row, chance in rows.items():
        key = row[:place] + row[place + 1 :]
        left[key] = left.get(key, 0) + chance
    return names[:place] + names[place + 1 :], left


def _most(mode: str, sex: str) -> int:
    """Copies of the gene that somebody has."""
    return 1 if mode == "linked" and sex == "m" else 2


def _founder(founders: int, copies: int, gene: int) -> int:
    """In how many of founders ** copies cases somebody without parents has so many faulty ones."""
    good = founders - 1
    return (good, 1)[gene] if copies == 1 else (good**2, 2 * good, 1)[gene]


@lru_cache(maxsize=1000)
def _passed(mode: str, mother: int, father: int, sex: str, gene: int) -> int:
    """In how many of PASSED cases a child of such parents has so many faulty copies."""
    if mode == "linked":
        if sex == "m":
            return 2 * mother if gene else 2 * (2 - mother)
        father *= 2  # whose one copy all daughters have
    both, none = mother * father, (2 - mother) * (2 - father)
    return (none, PASSED - both - none, both)[gene]


def _ill(mode: str, gene: _Gene) -> bool:
    if mode == "dominant":
        return gene[0] > 0
    return gene[0] == _most(mode, gene[1])


def _asked(family: Pedigree, gene: _Gene) -> bool:
    return gene[0] == 1 if family.goal == "carrier" else _ill(family.mode, gene)


def _born(rng: Random, mode: str, members: list[list[object]], founders: int) -> list[_Gene]:
    """Genotypes by chance."""
    genes: list[_Gene] = []
    for _, mother, father, sex in members:
        most = _most(mode, str(sex))
        if mother == -1:
            faulty = sum(rng.random() < max(1 / founders, 0.4) for _ in range(most))
        else:
            assert isinstance(mother, int), "a place in the list"
            assert isinstance(father, int), "a place in the list"
            parents = ((genes[mother][0], 2), (genes[father][0], _most(mode, "m")))
            given = parents if most == 2 else parents[:1]
            faulty = sum(rng.random() < copies / whole for copies, whole in given)
        genes.append((faulty, str(sex)))
    return genes


def _children(children: list[str]) -> str:
    return "one child" if len(children) == 1 else f"{len(children)} children"


MOST = 11
PASSED = 4  # pairs of copies that a child may have of its parents'
WOMEN = ("Ada", "Berta", "Clara", "Dora", "Emma", "Frida", "Greta", "Hilda", "Ida", "Judith",
         "Karla", "Lena", "Marta")  # fmt: skip
MEN = ("Anton", "Bruno", "Carl", "David", "Emil", "Fritz", "Georg", "Hugo", "Ivan", "Jakob", "Kurt",
       "Ludwig", "Max")  # fmt: skip
LADDER = (
    Knobs(2, 2, 0.0, "recessive"),
    Knobs(3, 2, 0.2, "recessive"),
    Knobs(3, 3, 0.3, "any"),
    Knobs(4, 3, 0.4, "any"),
    Knobs(4, 4, 0.5, "any"),
)
FAMILY = Family(
    Pedigree,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(form="a fraction"),
    hardness=hardness,
    proof="unique",
    solver="all genotypes of all members",
    guess_rate=0.5,
    steps=steps,
    canon=canon,
    skills=("biology", "probability", "deduction"),
    peers=("Guru/science",),
    version=3,
)
