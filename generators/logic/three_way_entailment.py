"""Three-way entailment: do rules and facts entail a statement, contradict it, or leave it open?

What is not said is not false here. `solve` refutes the statement and its negation by a search with
unit propagation; `verify` builds truth tables over all cases, each as one whole number of bits.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators._vocabulary import NAMES

LABELS = ("entailed", "contradicted", "unknown")

# A property, negative (and one less) where it is denied: 0 is the first one, -1 its denial.
Trait: TypeAlias = int
# Premises and a conclusion, which hold of everyone.
Law: TypeAlias = tuple[tuple[Trait, ...], Trait]
Literal: TypeAlias = tuple[int, Trait]  # a person and a property
Fact: TypeAlias = tuple[Literal, ...]  # one literal, or two of which one at least is true


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # whom the facts are about
    traits: int  # that people may have
    laws: int  # rules about all people
    facts: int  # about single people
    either: float  # the share of facts that are two literals joined by "or"


@dataclass(frozen=True, slots=True)
class Case:
    names: tuple[str, ...]
    traits: tuple[str, ...]
    laws: tuple[tuple[tuple[int, ...], int], ...]
    facts: tuple[tuple[tuple[int, int], ...], ...]
    asked: tuple[int, int]


def generate(rng: Random, knobs: Knobs) -> Case | None:
    names = tuple(rng.sample(NAMES, knobs.people))
    traits = tuple(rng.sample(TRAITS, knobs.traits))
    laws: list[Law] = []
    while len(laws) < knobs.laws:
        used = rng.sample(range(knobs.traits), min(rng.choice((2, 2, 3)), knobs.traits))
        *premises, conclusion = (_denied(trait) if rng.random() < 0.35 else trait for trait in used)
        law = tuple(sorted(premises, reverse=True)), conclusion  # "not" stands last
        laws += [law] if law not in laws else []
    facts: list[Fact] = []
    while len(facts) < knobs.facts:
        fact = tuple(
            (rng.randrange(knobs.people), _any(rng, knobs.traits))
            for _ in range(2 if rng.random() < knobs.either else 1)
        )
        fresh = len({(who, max(trait, _denied(trait))) for who, trait in fact}) == len(fact)
        facts += [fact] if fresh and fact not in facts else []
    said = {fact[0] for fact in facts if len(fact) == 1}
    wanted = rng.choice(LABELS)
    for _ in range(12):
        asked = rng.randrange(knobs.people), _any(rng, knobs.traits)
        if asked in said or (asked[0], _denied(asked[1])) in said:
            continue
        made = Case(names, traits, tuple(laws), tuple(facts), asked)
        found = solve(made)
        if found is None:
            return None
        if found == wanted:
            return made
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(case: Case) -> str | None:
    """None where the facts contradict one another."""
    clauses, model = _told(case.laws, case.facts, len(case.names))
    if model is None:
        return None
    who, trait = case.asked
    so, not_so = (who, trait), (who, _denied(trait))
    # One of the two is true in the model; both can be where neither is settled there.
    other = not_so if so in model else so
    if {so, not_so}.isdisjoint(model) or _model([*clauses, frozenset([other])]) is not None:
        return "unknown"
    return "entailed" if so in model else "contradicted"


def verify(case: Case, label: str) -> float:
    size = len(case.names) * len(case.traits)
    full = (1 << (1 << size)) - 1

    def column(who: int, trait: Trait) -> int:
        """The cases in which somebody has a property, a bit for each."""
        if trait < 0:
            return full & ~column(who, _denied(trait))
        step = 1 << (who * len(case.traits) + trait)
        # Blocks of `step` zeros and `step` ones in turn.
        return full // ((1 << step) + 1) << step & full

    true = full
    for premises, conclusion in case.laws:
        for who in range(len(case.names)):
            broken = full & ~column(who, conclusion)
            for trait in premises:
                broken &= column(who, trait)
            true &= ~broken
    for fact in case.facts:
        some = 0
        for who, trait in fact:
            some |= column(who, trait)
        true &= some
    inside, outside = true & column(*case.asked), true & ~column(*case.asked)
    truth = "unknown" if inside and outside else "entailed" if inside else "contradicted"
    return float(bool(true) and label == truth)


def render(case: Case, style: Style) -> Prompt:
    lines = [_law(case, law, Style(style.phrasing + at)) for at, law in enumerate(case.laws)]
    lines += [" or ".join(_literal(case, each) for each in fact) for fact in case.facts]
    lines = [f"{capital(line)}{', or both.' if ' or ' in line else '.'}" for line in lines]
    statement = f'"{_literal(case, case.asked)}."'
    told = "\n".join(f"- {line}" for line in lines)
    rule = (
        f"The people are {listed(case.names)}. What is not said may be true or false. The statement"
        ' is "entailed" if it must be true, "contradicted" if it must be false, and "unknown" if'
        " neither follows."
    )
    question = style.pick(
        f"All of this is true:\n\n{told}\n\nThe statement: {statement} {rule} Which is it?",
        f"{rule} These are the premises.\n\n{told}\n\nThis is the statement: {statement} Which"
        " of the three is it?",
        f"Premises:\n\n{told}\n\n{rule} Decide which of the three this statement is: {statement}",
    )
    return Prompt(question, form="one of entailed, contradicted, unknown")


def steps(case: Case) -> list[str]:
    """What follows at once, round after round."""
    clauses, _ = _told(case.laws, case.facts, len(case.names))
    known, lines = dict[Literal, bool](), list[str]()
    while True:
        fresh = next(
            (left[0] for clause in clauses if len(left := _left(clause, known)) == 1), None
        )
        if fresh is None:
            break
        known[fresh], known[fresh[0], _denied(fresh[1])] = True, False
        lines.append(f"{_literal(case, fresh)}.")
        lines[-1] = capital(lines[-1])
    return [*lines, f"So the statement is {solve(case)}"]


def hardness(case: Case) -> float:
    either = sum(len(fact) > 1 for fact in case.facts)
    return 2 * len(case.laws) + len(case.facts) + either + len(case.names) * len(case.traits)


def canon(case: Case) -> tuple[object, ...]:
    """Without names; laws and facts in any order."""
    return len(case.names), sorted(case.laws), sorted(case.facts), case.asked


def _denied(trait: Trait) -> Trait:
    return -1 - trait


def _any(rng: Random, count: int) -> Trait:
    trait = rng.randrange(count)
    return _denied(trait) if rng.random() < 0.35 else trait


@lru_cache(maxsize=2)  # generate asks several questions about the same facts
def _told(
    laws: tuple[Law, ...], facts: tuple[Fact, ...], people: int
) -> tuple[list[frozenset[Literal]], list[Literal] | None]:
    """All that is told, as clauses, and a model of it."""
    found = [frozenset(fact) for fact in facts]
    for premises, conclusion in laws:
        for who in range(people):
            denied = [(who, _denied(trait)) for trait in premises]
            found.append(frozenset([*denied, (who, conclusion)]))
    return found, _model(found)


def _left(clause: frozenset[Literal], known: dict[Literal, bool]) -> list[Literal]:
    """The literals of a clause that are not settled; none where it is true already."""
    if any(known.get(each) for each in clause):
        return []
    return sorted(each for each in clause if each not in known)


def _model(clauses: list[frozenset[Literal]]) -> list[Literal] | None:
    """Literals that make all clauses true: single ones first, then one of the shortest clause."""
    if frozenset() in clauses:
        return None
    if not clauses:
        return []
    least = min(map(len, clauses))
    shortest = min([clause for clause in clauses if len(clause) == least], key=sorted)
    who, trait = min(shortest)
    literals = [(who, trait), (who, _denied(trait))]
    for literal in literals[: len(shortest)]:
        others = _model(_given(clauses, literal))
        if others is not None:
            return [literal, *others]
    return None


def _given(clauses: list[frozenset[Literal]], literal: Literal) -> list[frozenset[Literal]]:
    denied = literal[0], _denied(literal[1])
    return [clause - {denied} for clause in clauses if literal not in clause]


def _literal(case: Case, literal: Literal) -> str:
    who, trait = literal
    return f"{case.names[who]} is {_adjective(case, trait)}"


def _adjective(case: Case, trait: Trait) -> str:
    return case.traits[trait] if trait >= 0 else f"not {case.traits[_denied(trait)]}"


def _law(case: Case, law: tuple[tuple[int, ...], int], style: Style) -> str:
    premises = listed(_adjective(case, trait) for trait in law[0])
    conclusion = _adjective(case, law[1])
    return style.pick(
        f"everyone who is {premises} is {conclusion}",
        f"if someone is {premises}, they are {conclusion}",
        f"whoever is {premises} is also {conclusion}",
    )


TRAITS = (
    "kind", "brave", "tall", "quiet", "clever", "rich", "young", "strong", "polite", "curious",
    "patient", "honest",
)  # fmt: skip
LADDER = (
    Knobs(2, 3, 3, 2, 0.0),
    Knobs(2, 4, 4, 3, 0.2),
    Knobs(2, 5, 6, 4, 0.4),
    Knobs(2, 6, 8, 5, 0.5),
    Knobs(2, 7, 11, 6, 0.6),
)
FAMILY = Family(
    Case,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Choice(LABELS),
    hardness=hardness,
    proof="unique",
    solver="refutation by search with unit propagation",
    guess_rate=0.45,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("deduction", "logic", "reading"),
    peers=("Enigmata/FOLIO", "RuleReasoner/FOLIO"),
    version=2,
)
