"""Satisfaction: conditions on who comes to a dinner, or on which letters are true; meet them all.

`generate` hides one way to do it and draws conditions that hold there, such that no name stands in
them more often as it should be than the other way round; `solve` hands clauses to a SAT solver. Any
choice that meets all conditions is right, so `verify` puts it into them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._wording import LABELS, numbered

Literal: TypeAlias = tuple[int, bool]  # which name, and whether it is in
# ("any", literal, …): at least one holds; ("if", literal, literal): the second where the first;
# ("odd", who, …) or ("even", who, …): how many are in; ("least", many, who, …), ("most", …)
Rule: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    names: int  # of people who may come, or letters
    crowding: float  # conditions for each name
    mixed: float  # share of conditions that are no mere "at least one of these"


@dataclass(frozen=True, slots=True)
class Dinner:
    names: tuple[str, ...]
    rules: tuple[Rule, ...]
    lettered: bool  # logical formulas over letters instead of guests


def generate(rng: Random, knobs: Knobs) -> Dinner | None:
    lettered = rng.random() < 0.35
    pool: Sequence[str] = LABELS.lower() if lettered else NAMES
    names = tuple(sorted(rng.sample(pool, knobs.names)))
    inside = [True, False] + [rng.random() < 0.5 for _ in range(knobs.names - 2)]
    rng.shuffle(inside)
    rules = list[Rule]()
    for _ in range(20 * knobs.names):
        if len(rules) >= knobs.crowding * knobs.names:
            break
        rule = _mixed(rng, inside) if rng.random() < knobs.mixed else _any(rng, inside)
        if rule not in rules:
            rules.append(rule)
    dinner = Dinner(names, tuple(rules), lettered)
    lazy = [set[str](), set(names)]
    lazy += [{name for name, side in zip(names, _leaning(dinner)) if side == so} for so in (1, 0)]
    if any(_met(dinner, each) for each in lazy):
        return None  # everybody, nobody, or those who are named more often
    return dinner


def solve(dinner: Dinner) -> tuple[str, ...] | None:
    """SAT, where the solver counts by a circuit of clauses."""
    circuit = _sat.Circuit()
    here = [circuit.variable(name) for name in dinner.names]
    for rule in dinner.rules:
        match rule:
            case ("any", *literals):
                circuit.clauses.append([here[who] if so else -here[who] for who, so in literals])
            case ("if", (one, so), (other, then)):
                first, second = (
                    here[one] if so else -here[one],
                    here[other] if then else -here[other],
                )
                circuit.clauses.append([-first, second])
            case ("least", many, *people):
                circuit.counted([here[who] for who in people], many, len(people))
            case ("most", many, *people):
                circuit.counted([here[who] for who in people], 0, many)
            case (parity, *people):
                odd = circuit.constant(False)
                for who in people:
                    odd = -circuit.equal(odd, here[who])
                circuit.clauses.append([odd if parity == "odd" else -odd])
    true = _sat.any_model(circuit.clauses)
    if true is None:
        return None
    return tuple(sorted(name.lower() for name, each in zip(dinner.names, here) if each in true))


def verify(dinner: Dinner, chosen: tuple[str, ...]) -> float:
    names = {name.lower(): name for name in dinner.names}
    if not names.keys() >= set(chosen):
        return 0.0
    return float(_met(dinner, {names[name] for name in chosen}))


def recheck(dinner: Dinner, chosen: tuple[str, ...]) -> bool:
    """The choice as the bits of a number; each rule by the bits that stand in it."""
    bits = {name.lower(): 1 << place for place, name in enumerate(dinner.names)}
    if any(name not in bits for name in chosen):
        return False
    word = sum(bits[name] for name in dict.fromkeys(chosen))

    def count(people: Sequence[int]) -> int:
        return (word & sum(1 << who for who in people)).bit_count()

    for kind, *rest in dinner.rules:
        if kind == "any":
            ins, outs = (sum(1 << who for who, so in rest if so == side) for side in (True, False))
            if not word & ins and word & outs == outs:
                return False
        elif kind == "if":
            (one, so), (other, then) = rest
            if word >> one & 1 == so and word >> other & 1 != then:
                return False
        elif kind in ("odd", "even"):
            if count(rest) & 1 != (kind == "odd"):
                return False
        elif (count(rest[1:]) < rest[0]) if kind == "least" else (count(rest[1:]) > rest[0]):
            return False
    return True


def render(dinner: Dinner, style: Style) -> Prompt:
    write = _formula if dinner.lettered else _told
    rules = numbered(write(dinner, rule, style) for rule in dinner.rules)
    names = listed(dinner.names)
    if dinner.lettered:
        notes = " ".join(_notes(dinner))
        return Prompt(
            style.pick(
                f"Each of the letters {names} stands for a statement that is true or false. Choose"
                f" which are true, so that all of these formulas are.\n{rules}\n\n{notes}",
                f"Find truth values for {names} under which every one of the following lines is"
                f" true. {notes}\n\n{rules}\n\nThere may be several ways; any of them will do.",
                f"{rules}\n\nThese are conditions on the truth values of {names}. {notes} Meet all"
                " of them at the same time.",
            ),
            form="the letters that are true (all others count as false), separated by commas",
        )
    return Prompt(
        style.pick(
            f"{names} are thinking about which of them should come to dinner. They have conditions:"
            f"\n{rules}\n\nName a group of guests that meets all of the conditions.",
            f"You may invite any of these people: {names}. But the following has to hold for those"
            f" who are invited.\n\n{rules}\n\nWhom do you invite? If several choices fulfil"
            " everything, give one of them.",
            f"{rules}\n\nThese are the rules for a dinner to which any of {names} can come. Find"
            " out who may come together so that no rule is broken.",
        ),
        form="the names of all who come (all others stay away), separated by commas",
    )


def canon(dinner: Dinner) -> list[str]:
    facts = []
    for kind, *rest in dinner.rules:
        if kind in ("any", "if"):
            facts.append((kind, *((str(so), dinner.names[who]) for who, so in rest)))
        elif kind in ("odd", "even"):
            facts.append((kind, *(dinner.names[who] for who in rest)))
        else:
            facts.append((kind, str(rest[0]), *(dinner.names[who] for who in rest[1:])))
    return unnamed(facts, dinner.names, ("any", "odd", "even", "least", "most"))


def hardness(dinner: Dinner) -> float:
    """Conditions, by how many names are open while they are looked at."""
    return len(dinner.rules) * sqrt(len(dinner.names))


def _any(rng: Random, inside: list[bool]) -> Rule:
    """At least one of three: one and a half of them hold on average, as by chance."""
    holding = rng.choices((1, 2, 3), (6, 3, 1))[0]
    people = rng.sample(range(len(inside)), 3)
    literals = [(who, inside[who] == (at < holding)) for at, who in enumerate(people)]
    return "any", *sorted(literals)


def _mixed(rng: Random, inside: list[bool]) -> Rule:
    everybody = range(len(inside))
    match rng.choice(("if", "if", "odd", "count", "count")):
        case "if":
            one, other = rng.sample(everybody, 2)
            so, then = rng.choice(((True, True), (False, False), (False, True)))
            return "if", (one, inside[one] == so), (other, inside[other] == then)
        case "odd":
            people = sorted(rng.sample(everybody, rng.choice((2, 3, 3))))
            return ("even", "odd")[sum(inside[who] for who in people) % 2], *people
    people = sorted(rng.sample(everybody, min(len(inside), rng.choice((4, 4, 5)))))
    many = sum(inside[who] for who in people)
    least = rng.random() < 0.5 if 0 < many < len(people) else many > 0
    return "least" if least else "most", many, *people


def _leaning(dinner: Dinner) -> list[bool]:
    """Of everybody, whether most conditions that name them want them in."""
    wants = [0] * len(dinner.names)
    for kind, *rest in dinner.rules:
        if kind == "any":
            for who, so in rest:
                wants[who] += 1 if so else -1
    return [want > 0 for want in wants]


def _met(dinner: Dinner, chosen: set[str]) -> bool:
    here = [name in chosen for name in dinner.names]
    return all(_holds(rule, here) for rule in dinner.rules)


def _holds(rule: Rule, here: list[bool]) -> bool:
    match rule:
        case ("any", *literals):
            return any(here[who] is so for who, so in literals)
        case ("if", (one, so), (other, then)):
            return bool(here[one] is not so or here[other] is then)
        case ("least", many, *people):
            return bool([here[who] for who in people].count(True) >= many)
        case ("most", many, *people):
            return bool([here[who] for who in people].count(True) <= many)
    parity, *people = rule
    return bool(sum(here[who] for who in people) % 2 == (parity == "odd"))


def _formula(dinner: Dinner, rule: Rule, style: Style) -> str:
    negation, either, then, other = SIGNS[style.phrasing // 3 % len(SIGNS)]

    def literal(who: int, so: bool) -> str:
        return dinner.names[who] if so else f"{negation}{dinner.names[who]}"

    match rule:
        case ("any", *literals):
            return either.join(literal(who, so) for who, so in literals)
        case ("if", (one, so), (two, so_too)):
            return f"{literal(one, so)}{then}{literal(two, so_too)}"
        case ("least" | "most" as bound, many, *people):
            named = ", ".join(dinner.names[who] for who in people)
            return f"at {bound} {many} of {named}"
    parity, *people = rule
    sum_ = other.join(dinner.names[who] for who in people)
    return sum_ if parity == "odd" else f"{negation}({sum_})"


def _notes(dinner: Dinner) -> Iterator[str]:
    kinds = {kind for kind, *_ in dinner.rules}
    if kinds & {"odd", "even"}:
        yield "An exclusive or (\u2295 or xor) is true if an odd number of its letters are true."
    if "if" in kinds:
        yield "An implication is false only if its left side is true and its right side is false."
    if kinds & {"least", "most"}:
        yield '"At least" and "at most" count how many of the letters are true.'


def _told(dinner: Dinner, rule: Rule, style: Style) -> str:
    def clause(who: int, so: bool) -> str:
        return f"{dinner.names[who]} {'comes' if so else 'stays away'}"

    match rule:
        case ("any", *literals):
            told = ", or ".join(clause(who, so) for who, so in literals)
            return style.pick(
                f"{told}, or several of these.",
                f"At least one of these must hold: {told}.",
            )
        case ("if", (one, so), (other, then)):
            return f"If {clause(one, so)}, then {clause(other, then)}."
        case ("least" | "most" as bound, many, *people):
            named = listed([dinner.names[who] for who in people])
            verb = "comes" if many == 1 else "come"
            return f"At {bound} {many} of {named} {verb}."
    parity, *people = rule
    named = listed([dinner.names[who] for who in people])
    if len(people) == 2:
        if parity == "odd":
            return f"Exactly one of {named} comes."
        return f"{named} either both come or both stay away."
    which = "one or all three" if parity == "odd" else "none or two"
    return f"Either {which} of {named} come."


# not, or, implies, exclusive or
SIGNS = (
    ("\u00ac", " \u2228 ", " \u2192 ", " \u2295 "),
    ("not ", " or ", " implies ", " xor "),
)
LADDER = (
    Knobs(5, 2.4, 0.5),
    Knobs(7, 2.6, 0.5),
    Knobs(10, 2.8, 0.5),
    Knobs(14, 3.0, 0.5),
    Knobs(20, 3.2, 0.5),
)
FAMILY = Family(
    Dinner,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    solver="SAT",
    guess_rate=0.08,
    recheck=recheck,
    canon=canon,
    known=lambda dinner: dinner.names,
    skills=("logic", "constraint satisfaction"),
    peers=("RLVE/sat", "reasoning-core/boolean_propagation_search"),
    version=4,
)
