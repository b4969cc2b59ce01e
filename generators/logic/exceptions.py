"""Exceptions: rules with strengths contradict one another; which statements are true?

Of the rules about a trait that apply to a person, the strongest decides; where none applies, the
person does not have the trait. `generate` evaluates the traits in order, `solve` proves by SAT that
one world keeps all the rules, and `verify` works backwards from each statement, strongest rule
first.
"""

from dataclasses import dataclass
from functools import reduce
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._wording import LABELS, TRAITS, lettered

Trait: TypeAlias = tuple[str, bool]  # a trait, and whether somebody has it
Rule: TypeAlias = tuple[int, tuple[Trait, ...], Trait]  # strength, conditions, what they give
Statement: TypeAlias = tuple[str, Trait]  # of a person


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # to whom the rules apply
    traits: int  # that people may have
    rules: int  # each of its own strength
    stated: float  # share of the traits with rules that a fact settles beforehand
    statements: int  # to choose from


@dataclass(frozen=True, slots=True)
class Rulebook:
    people: tuple[str, ...]
    facts: tuple[Statement, ...]
    rules: tuple[Rule, ...]  # no trait depends on itself
    statements: tuple[Statement, ...]


def generate(rng: Random, knobs: Knobs) -> Rulebook | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    traits = rng.sample(TRAITS, knobs.traits)
    plain = max(2, knobs.traits // 3)  # these have no rules
    rules = _rules(rng, knobs, traits, plain)
    facts: list[Statement] = [
        (person, (trait, True))
        for person in people
        for trait in traits[:plain]
        if rng.random() < 0.6
    ]
    facts += [
        (person, (trait, rng.random() < 0.5))
        for person in people
        for trait in traits[plain:]
        if rng.random() < knobs.stated
    ]
    rng.shuffle(facts)
    has, disputed = _worlds(people, traits, facts, rules)
    # Ask where rules contradict one another, and only then about anything else.
    cases = [(person, trait) for person in people for trait in traits[plain:]]
    open_ = [case for case in cases if all(case != (who, fact[0]) for who, fact in facts)]
    rng.shuffle(open_)
    open_.sort(key=lambda case: case not in disputed)
    hard = sum(case in disputed for case in open_)
    if len(open_) < knobs.statements or hard < knobs.statements // 3:
        return None
    true = rng.randrange(1, knobs.statements)
    statements = [
        (person, (trait, (case in has) == (place < true)))
        for place, case in enumerate(rng.sample(open_[: knobs.statements], knobs.statements))
        for person, trait in [case]
    ]
    rng.shuffle(statements)
    return Rulebook(people, tuple(facts), rules, tuple(statements))


def solve(book: Rulebook) -> tuple[str, ...] | None:
    """SAT: somebody has a trait just if a fact says so, or a rule that no stronger one opposes."""
    circuit = _sat.Circuit()
    stated = {(person, trait): so for person, (trait, so) in book.facts}
    traits = sorted(
        {trait for _, (trait, _) in book.facts}
        | {trait for _, conditions, given in book.rules for trait, _ in (*conditions, given)}
    )
    for person in book.people:
        applies = [_all(circuit, person, conditions) for _, conditions, _ in book.rules]
        for trait in traits:
            has = circuit.variable((person, trait))
            if (person, trait) in stated:
                circuit.clauses.append([has if stated[person, trait] else -has])
                continue
            about = [
                (strength, so, gate)
                for (strength, _, (given, so)), gate in zip(book.rules, applies)
                if given == trait
            ]
            decided = []
            for strength, so, gate in about:
                if so:
                    for other, opposed, against in about:
                        if other > strength and not opposed:
                            gate = circuit.both(gate, -against)
                    decided.append(gate)
            circuit.clauses += [[-has, *decided], *([has, -gate] for gate in decided)]
    everything = [circuit.variable((who, trait)) for who in book.people for trait in traits]
    true = _sat.only_model(circuit.clauses, everything)
    if true is None:
        return None
    return tuple(
        label.lower()
        for label, (person, (trait, so)) in zip(LABELS, book.statements)
        if (circuit.variable((person, trait)) in true) == so
    )


def verify(book: Rulebook, chosen: tuple[str, ...]) -> float:
    known: dict[tuple[str, str], bool] = {}
    true = {
        label.lower()
        for label, (person, (trait, so)) in zip(LABELS, book.statements)
        if _has(book, person, trait, known) == so
    }
    return float(set(chosen) == true)


def render(book: Rulebook, style: Style) -> Prompt:
    people = listed(book.people)
    facts = " ".join(f"{_said(fact)}." for fact in book.facts)
    rules = "\n".join(f"[{rule[0]}] {_written(rule, style)}." for rule in book.rules)
    statements = lettered(f"{_said(statement)}." for statement in book.statements)
    return Prompt(
        style.pick(
            f"The following facts about {people} are certain: {facts}\n\nEverything else about"
            " them is settled by these rules. The number before a rule is its strength."
            f"\n{rules}\n\nA rule applies to a person who meets all of its conditions. If several"
            " rules that apply to a person speak of the same trait, the one with the largest number"
            " counts, and the others are ignored. Where neither a fact nor a rule that applies"
            " speaks of a trait, the person does not have it. Facts count more than any rule."
            f" {NOTE}\n\nWhich of these statements are true?\n{statements}",
            f"Here are rules with exceptions:\n{rules}\n\nThey are applied to {people}, of whom"
            f" this much is given and beyond doubt, whatever the rules say: {facts}\n\nTo find out"
            " whether somebody has a trait that the given facts leave open, take the rules that"
            " give or deny the trait and whose conditions the person fulfils. The one with the"
            " highest number in brackets decides. If there is no such rule, the person does not"
            f" have the trait. {NOTE}\n\nWhich of the following are then true?\n{statements}",
            f"{rules}\n\nEach of these rules has a rank in brackets. Where two rules fit a person"
            " and one of them gives a trait that the other denies, the rule of the higher rank"
            " wins, and the other one has no effect on this trait. A rule fits a person if all of"
            " its conditions hold. Nobody has a trait without a reason, that is, unless it is"
            " stated or given by a winning rule. These facts are stated, and no rule can change"
            f" them: {facts}\n\n{NOTE} The facts and rules are about {people}. Say which of these"
            f" sentences are true:\n{statements}",
        ),
        form="the labels of all that are true (at least one is, and not all), separated by commas",
    )


def steps(book: Rulebook) -> list[str]:
    """What has to be known for each statement, after that on which it depends."""
    lines: list[str] = []
    settled: dict[tuple[str, str], bool] = {}
    for label, (person, (trait, so)) in zip(LABELS, book.statements):
        has = _settle(book, person, trait, settled, lines)
        lines.append(f"{label} is {'true' if has == so else 'false'}")
    return lines


def canon(book: Rulebook) -> list[str]:
    """The names of people and traits do not matter, nor the order of anything but the strengths."""
    facts = [("fact", person, *_signed(trait)) for person, trait in book.facts]
    facts += [("asked", person, *_signed(trait)) for person, trait in book.statements]
    rules = [
        ("rule", str(strength), ("when", *map(_signed, conditions)), _signed(given))
        for strength, conditions, given in book.rules
    ]
    traits = {trait for _, (trait, _) in (*book.facts, *book.statements)}
    traits |= {trait for rule in book.rules for trait, _ in (*rule[1], rule[2])}
    return unnamed([*facts, *rules], [*book.people, *sorted(traits)], ("when",))


def hardness(book: Rulebook) -> float:
    """How many conditions and conclusions there are, and how many statements to judge."""
    written = sum(len(conditions) + 1 for _, conditions, _ in book.rules)
    return float(written + 2 * len(book.statements))


def _rules(rng: Random, knobs: Knobs, traits: list[str], plain: int) -> tuple[Rule, ...]:
    """Rules about the traits after the first few, each time one for and one against."""
    strengths = rng.sample(range(1, knobs.rules + 1), knobs.rules)
    rules = dict[tuple[str, tuple[Trait, ...]], Rule]()  # no two of them clash in every case
    for place, strength in enumerate(strengths):
        about = plain + place // 2 % (knobs.traits - plain)
        near = traits[max(0, about - 5) : about]
        words = rng.sample(near, min(len(near), rng.choice((1, 1, 2, 2, 3))))
        signed = [(word, rng.random() < 0.7) for word in sorted(words)]
        # What is not to be had comes last: "not brave and tall" could be taken in two ways.
        conditions = tuple(sorted(signed, key=lambda each: not each[1]))
        given = (traits[about], place % 2 == 0)
        rules.setdefault((traits[about], conditions), (strength, conditions, given))
    return tuple(rng.sample(list(rules.values()), len(rules)))


def _worlds(
    people: tuple[str, ...], traits: list[str], facts: list[Statement], rules: tuple[Rule, ...]
) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Who has which trait; and of whom which trait is disputed, since rules contradict there."""
    has, disputed = set[tuple[str, str]](), set[tuple[str, str]]()
    weakest_first = sorted(rules)
    stated = {(person, trait): so for person, (trait, so) in facts}
    for trait in traits:
        about = [(conditions, so) for _, conditions, (given, so) in weakest_first if given == trait]
        for person in people:
            verdicts = [
                so
                for conditions, so in about
                if all(((person, each) in has) == needed for each, needed in conditions)
            ]
            if stated.get((person, trait), bool(verdicts) and verdicts[-1]):
                has.add((person, trait))
            if len(set(verdicts)) == 2:
                disputed.add((person, trait))
    return has, disputed


def _all(circuit: _sat.Circuit, person: str, conditions: tuple[Trait, ...]) -> int:
    literals = [circuit.variable((person, trait)) * (1 if so else -1) for trait, so in conditions]
    return reduce(circuit.both, literals) if literals else circuit.constant(True)


def _has(book: Rulebook, person: str, trait: str, known: dict[tuple[str, str], bool]) -> bool:
    """Backwards, by way of the strongest rule about the trait whose conditions are met."""
    if (person, trait) not in known:
        known[person, trait] = next(
            (so for who, (word, so) in book.facts if (who, word) == (person, trait)), False
        )
        stated = any((who, word) == (person, trait) for who, (word, _) in book.facts)
        for _, conditions, (given, so) in () if stated else sorted(book.rules, reverse=True):
            if given == trait and all(
                _has(book, person, each, known) == needed for each, needed in conditions
            ):
                known[person, trait] = so
                break
    return known[person, trait]


def _settle(
    book: Rulebook,
    person: str,
    trait: str,
    settled: dict[tuple[str, str], bool],
    lines: list[str],
) -> bool:
    """Whether somebody has a trait; new reasons are written down."""
    if (person, trait) in settled:
        return settled[person, trait]
    for who, (word, so) in book.facts:
        if (who, word) == (person, trait):
            settled[person, trait] = so
            return so
    applying = []
    for strength, conditions, (given, so) in sorted(book.rules, reverse=True):
        if given == trait and all(
            _settle(book, person, each, settled, lines) == needed for each, needed in conditions
        ):
            applying.append((strength, so))
    settled[person, trait] = bool(applying) and applying[0][1]
    if any(given == trait for _, _, (given, _) in book.rules):
        reason = f"rule {applying[0][0]} applies" if applying else "no rule about that applies"
        beaten = [str(strength) for strength, so in applying if so != applying[0][1]]
        reason += f", stronger than {listed(beaten)}" if beaten else ""
        lines.append(f"{_said((person, (trait, settled[person, trait])))}: {reason}")
    return settled[person, trait]


def _signed(trait: Trait) -> tuple[str, str]:
    return ("has" if trait[1] else "lacks"), trait[0]


def _said(statement: Statement) -> str:
    person, (trait, so) = statement
    return f"{person} is {'' if so else 'not '}{trait}"


def _written(rule: Rule, style: Style) -> str:
    _, conditions, (given, so) = rule
    asked = " and ".join(trait if needed else f"not {trait}" for trait, needed in conditions)
    result = given if so else f"not {given}"
    return style.pick(
        f"Whoever is {asked} is {result}",
        f"People who are {asked} are {result}",
        f"If somebody is {asked}, this person is {result}",
    )


NOTE = 'To be "not" something is simply not to have that trait.'
LADDER = (
    Knobs(3, 4, 4, 0.0, 4),
    Knobs(3, 6, 8, 0.05, 5),
    Knobs(4, 8, 14, 0.1, 6),
    Knobs(5, 11, 22, 0.1, 7),
    Knobs(6, 15, 34, 0.1, 9),
)
FAMILY = Family(
    Rulebook,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="letters"),
    hardness=hardness,
    proof="unique",
    solver="SAT, each trait equal to its winning rules, with a blocking clause",
    guess_rate=0.2,  # of four, by one who knows how many
    steps=steps,
    canon=canon,
    known=lambda book: LABELS[: len(book.statements)],
    skills=("logic", "tracking"),
    peers=("reasoning-core/defeasible_nli", "InternBootcamp/boardgame_qa"),
    version=3,
)
