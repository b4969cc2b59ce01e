"""Deduction: facts about people and rules that give more; of whom is a certain thing true?

What the rules do not give is false, and rules may ask for that too ("is not tall"); but no rule
depends on its own failure, so there is one meaning. `generate` chains forwards, `solve` finds by
SAT the least that keeps the rules, one word after the other, and `verify` narrows down from two
sides what can and what must be true, without asking in which order the words depend on another.
"""

from collections import defaultdict
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from graphlib import TopologicalSorter
from itertools import compress, count, product, repeat
from operator import itemgetter, or_
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._wording import TRAITS, numbered

Atom: TypeAlias = tuple[str, ...]  # (trait, person) or (verb, person, person)
Literal: TypeAlias = tuple[bool, Atom]  # whether it is so; people are "X", "Y" and "Z"
Rule: TypeAlias = tuple[tuple[Literal, ...], Atom]  # conditions, what they give
Condition: TypeAlias = tuple[bool, str, list[int]]  # so, a word, of which of a rule's letters
Ground: TypeAlias = tuple[int, int, int]  # atoms as bits: what is so, what not, what then

VERBS = {"admires": "admire", "envies": "envy", "helps": "help", "knows": "know",
         "likes": "like", "trusts": "trust"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # in the theory
    traits: int  # that people may have
    verbs: int  # that may be true of people, besides traits
    rules: int  # at most
    denied: float  # share of rules that ask for something not to be so
    depth: int  # rules that have to be applied one after the other


@dataclass(frozen=True, slots=True)
class Theory:
    people: tuple[str, ...]
    facts: tuple[Atom, ...]
    rules: tuple[Rule, ...]
    asked: str  # a trait


def generate(rng: Random, knobs: Knobs) -> Theory | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    words = rng.sample(TRAITS, knobs.traits)
    for verb in rng.sample(
        sorted(VERBS), knobs.verbs
    ):  # the last words, to be asked for, are traits
        words.insert(rng.randint(1, 1 + len(words) // 2), verb)
    facts = _facts(rng, people, words)
    rules = list[Rule]()
    for place in range(knobs.rules):
        # The last words get rules first, so that the longest chains lead to them.
        rule = _rule(rng, knobs, words, words[-1 - place % (len(words) - 1)])
        if rule and rule not in rules:
            rules.append(rule)
    rng.shuffle(rules)
    theory = Theory(people, facts, tuple(rules), "")
    heights = defaultdict[str, list[int]](list)
    for (word, *_), (height, _) in _derivations(theory, words).items():
        heights[word].append(height)
    open_ = [
        word for word in words
        if word in TRAITS and 0 < len(heights[word]) <= len(people) - 2
        and max(heights[word]) >= knobs.depth
    ]  # fmt: skip
    return Theory(people, facts, tuple(rules), rng.choice(open_)) if open_ else None


def solve(theory: Theory) -> tuple[str, ...]:
    """SAT: word by word, the least set of atoms that keeps the rules, given the words before."""
    true = set[Atom]()
    for word in _order(theory):
        circuit = _sat.Circuit()
        circuit.clauses += [[circuit.variable(fact)] for fact in theory.facts if fact[0] == word]
        for conditions, head in theory.rules:
            if head[0] != word:
                continue
            letters = _letters((conditions, head))
            # Each atom as its word and which of the letters it speaks of.
            (_, given), *asked = [
                (so, (other, [letters.index(letter) for letter in on]))
                for so, (other, *on) in ((True, head), *conditions)
            ]
            before = [(so, atom) for so, atom in asked if atom[0] != word]
            ways = list(product(theory.people, repeat=len(letters)))
            for so, (other, at) in before:
                one, last = at[0], at[-1]
                if len(at) == 1:
                    ways = [way for way in ways if ((other, way[one]) in true) == so]
                else:
                    ways = [way for way in ways if ((other, way[one], way[last]) in true) == so]
            for people in ways:
                clause = [
                    -circuit.variable((word, *[people[place] for place in at]))
                    for _, (other, at) in asked if other == word
                ]  # fmt: skip
                head_holds = circuit.variable((word, *[people[place] for place in given[1]]))
                circuit.clauses.append([head_holds, *clause])
        true |= {meaning for meaning in _least(circuit) if isinstance(meaning, tuple)}
    return tuple(sorted(atom[1].lower() for atom in true if atom[0] == theory.asked))


def verify(theory: Theory, chosen: tuple[str, ...]) -> float:
    return float(set(chosen) == _who(theory))


def render(theory: Theory, style: Style) -> Prompt:
    people = listed(theory.people)
    facts = " ".join(f"{_clause(fact)}." for fact in theory.facts)
    rules = numbered(f"{_written(rule, style)}." for rule in theory.rules)
    notes = " ".join(_notes(theory))
    asked = theory.asked
    return Prompt(
        style.pick(
            f"This is known about {people}: {facts}\n\nThese rules hold for them:\n{rules}\n\n"
            f"Apply the rules until they give nothing new. {notes}\n\nWho is {asked}?",
            f"Facts: {facts}\n\nRules:\n{rules}\n\nThe facts and the rules speak of {people}."
            f" {notes} Work out everything that is true. Which of these people are {asked}?",
            f"Somebody describes {people}.\n\n{facts}\n\nIn addition, these rules always apply,"
            f" also to what other rules have given:\n{rules}\n\n{notes}"
            f" Find all the people who are {asked}.",
        ),
        form=f"the names of all people who are {asked} (at least one is), separated by commas",
    )


def steps(theory: Theory) -> list[str]:
    """What the rules give, in the order in which it can be had, and who is left."""
    found = _derivations(theory)
    lines = [f"{_clause(atom)}, by rule {number}" for atom, (_, number) in found.items() if number]
    return [*lines, f"nothing more follows about who is {theory.asked}"]


def canon(theory: Theory) -> list[str]:
    """The names of people and words do not matter, nor the order of anything."""
    facts: list[object] = [("fact", *fact) for fact in theory.facts]
    facts += [
        ("rule", ("when", *((str(so), *atom) for so, atom in conditions)), head)
        for conditions, head in theory.rules
    ]
    words = sorted({fact[0] for fact in theory.facts} | {rule[1][0] for rule in theory.rules})
    return unnamed([*facts, ("asked", theory.asked)], [*theory.people, *words], ("when",))


def hardness(theory: Theory) -> float:
    """How many things have to be worked out, and from how much."""
    given = len(theory.facts) + sum(len(conditions) for conditions, _ in theory.rules)
    return given + 2.0 * sum(1 for _, number in _derivations(theory).values() if number)


def _facts(rng: Random, people: tuple[str, ...], words: list[str]) -> tuple[Atom, ...]:
    """Many about the first words, few about the last."""
    facts = list[Atom]()
    for place, word in enumerate(words):
        late = place / len(words)
        if word in VERBS:
            pairs = [(word, one, other) for one in people for other in people if one != other]
            facts += rng.sample(pairs, round(len(people) * (1.4 - late)))
        else:
            facts += [(word, person) for person in people if rng.random() < 0.45 - 0.4 * late]
    rng.shuffle(facts)
    return tuple(facts)


def _rule(rng: Random, knobs: Knobs, words: list[str], head: str) -> Rule | None:
    """A rule that gives a word from words before it or, by way of another person, from itself."""
    before = words[: words.index(head)]
    verbs = [word for word in before if word in VERBS]
    traits = [word for word in before if word in TRAITS][-4:]
    pair = rng.choice((("X", "Y"), ("Y", "X")))
    if head in VERBS:
        if not verbs:
            return None
        given: Atom = (head, "X", "Y")
        conditions: list[Literal] = [(True, (rng.choice(verbs), *pair))]
        if rng.random() < 0.3:
            given = (head, "X", "Z")
            conditions = [(True, (rng.choice(verbs), *ends)) for ends in (("X", "Y"), ("Y", "Z"))]
    elif verbs and rng.random() < 0.6:
        given = (head, "X")
        trait = head if rng.random() < 0.2 else rng.choice(traits)
        conditions = [(True, (rng.choice(verbs), *pair)), (True, (trait, "Y"))]
    else:
        given = (head, "X")
        conditions = [(True, (rng.choice(traits), "X"))]
    who = rng.choice(given[1:])
    others = [word for word in traits if (True, (word, who)) not in conditions]
    if others and (head in VERBS or rng.random() < 0.6):
        conditions.append((rng.random() >= knobs.denied, (rng.choice(others), who)))
    return tuple(conditions), given


def _derivations(theory: Theory, order: Sequence[str] = ()) -> dict[Atom, tuple[int, int]]:
    """All that is true, in an order in which it can be had, the words in theirs if it is known.

    With it, how many rules have to be applied one after the other, and the number of the last.
    """
    found: dict[Atom, tuple[int, int]] = dict.fromkeys(theory.facts, (0, 0))
    for word in order or _order(theory):
        # Of each rule the number, the conditions, and which of its letters its head speaks of.
        rules = list[tuple[int, list[Condition], list[int]]]()
        for number, (conditions, head) in enumerate(theory.rules, 1):
            if head[0] == word:
                letters = list(dict.fromkeys(each for _, atom in conditions for each in atom[1:]))
                places = [(so, each, [letters.index(letter) for letter in on])
                          for so, (each, *on) in conditions]  # fmt: skip
                rules.append((number, places, [letters.index(letter) for letter in head[1:]]))
        # What asks for nothing of the same word gives all that it gives at once.
        again = any(each == word for _, places, _ in rules for _, each, _ in places)
        grown = True
        while grown:
            new: dict[Atom, tuple[int, int]] = {}
            for number, places, given in rules:
                for people in _matches(theory, places, found):
                    atom = (word, *[people[place] for place in given])
                    if atom not in found and atom not in new:
                        heights = [found[each, *[people[place] for place in at]][0]
                                   for so, each, at in places if so]  # fmt: skip
                        new[atom] = (1 + max(heights), number)
            grown = again and bool(new)
            found |= new
    return found


def _matches(
    theory: Theory, conditions: list[Condition], found: Container[Atom]
) -> list[tuple[str, ...]]:
    """The ways to put people for the letters, in their order, such that the conditions are met."""
    ways: list[tuple[str, ...]] = [()]
    put = 0
    for so, word, at in conditions:
        fresh = max(at) + 1 - put
        if fresh > 0:
            put += fresh
            more = list(product(theory.people, repeat=fresh))
            ways = [way + people for way in ways for people in more]
        if len(at) == 1:
            one = at[0]
            ways = [way for way in ways if ((word, way[one]) in found) == so]
        else:
            one, other = at
            ways = [way for way in ways if ((word, way[one], way[other]) in found) == so]
    return ways


def _order(theory: Theory) -> list[str]:
    """The words, each after those that its rules ask for."""
    needs: dict[str, set[str]] = {word: set() for word, *_ in theory.facts}
    needs[theory.asked] = set()
    for conditions, head in theory.rules:
        asked = {atom[0] for _, atom in conditions} - {head[0]}
        needs.setdefault(head[0], set()).update(asked)
    ordered = {word: sorted(others) for word, others in sorted(needs.items())}
    return [word for word in TopologicalSorter(ordered).static_order() if word]


def _least(circuit: _sat.Circuit) -> set[Hashable]:
    """What is true in every model: of clauses with one literal that is not negated, that is one."""
    if all(len(clause) == 1 for clause in circuit.clauses):
        return set(circuit.variables)
    with _sat.loaded(circuit.clauses) as solver:
        true, met = set(circuit.variables.values()), solver.solve()
        assert met, "rules that only give something can always be kept"
        while met:
            true.intersection_update(solver.get_model())
            solver.add_clause([-variable for variable in sorted(true)])
            met = solver.solve()
    return circuit.meanings(true)


@lru_cache(64)  # many answers to one theory are looked at
def _who(theory: Theory) -> set[str] | None:
    """By the alternating fixpoint: what follows if no more than `most` is true, and no less; None
    where that leaves something open."""
    places = count()  # atoms are bits of a set here
    bits = defaultdict[Atom, int](lambda: 1 << next(places))
    instances = list(_instances(theory, bits))
    facts = reduce(or_, [bits[fact] for fact in theory.facts], 0)
    least = 0
    while True:
        most = _closed(facts, instances, least)
        before, least = least, _closed(facts, instances, most)
        if least == before:
            break
    if least != most:
        return None
    return {person.lower() for person in theory.people if least & bits[theory.asked, person]}


def _instances(theory: Theory, bits: defaultdict[Atom, int]) -> Iterator[Ground]:
    """Every rule with people put for its letters, where no fact that it needs is out of reach."""
    given = set(theory.facts)
    heads = {head[0] for _, head in theory.rules}
    for conditions, head in theory.rules:
        letters = list[str]()
        puts: list[tuple[str, ...]] = [()]
        for atom in (atom for so, atom in conditions if so):
            new = [letter for letter in dict.fromkeys(atom[1:]) if letter not in letters]
            letters += new
            puts = [put + more for put in puts for more in product(theory.people, repeat=len(new))]
            if atom[0] not in heads:
                puts = [*compress(puts, map(given.__contains__, _put(atom, letters, puts)))]
        asked = denied = [0] * len(puts)
        for so, atom in conditions:
            bit = map(bits.__getitem__, _put(atom, letters, puts))
            if so:
                asked = [*map(or_, asked, bit)]
            else:
                denied = [*map(or_, denied, bit)]
        yield from zip(asked, denied, map(bits.__getitem__, _put(head, letters, puts)))


def _put(atom: Atom, letters: list[str], puts: list[tuple[str, ...]]) -> Iterator[Atom]:
    """An atom with people put for its letters, in one way after the other."""
    word, *on = atom
    return zip(repeat(word), *(map(itemgetter(letters.index(each)), puts) for each in on))


def _closed(facts: int, instances: list[Ground], denying: int) -> int:
    """All that follows if just those conditions with "not" fail that deny one of these atoms."""
    true, before = facts, -1
    waiting = [(asked, then) for asked, denied, then in instances if not denied & denying]
    while true != before:
        before = true
        for asked, then in waiting:
            if not asked & ~true:
                true |= then
    return true


def _letters(rule: Rule) -> list[str]:
    return sorted({letter for _, atom in rule[0] for letter in atom[1:]})


def _notes(theory: Theory) -> list[str]:
    """What a reader has to be told about the rules."""
    letters = max(map(_letters, theory.rules), key=len)
    notes = []
    if len(letters) > 1:
        notes.append(
            f"In a rule, {listed(letters)} may be any of the people, also the same person."
        )
    notes.append("Whatever is not given and does not follow by the rules is false.")
    if any(not so for conditions, _ in theory.rules for so, _ in conditions):
        notes.append('A condition with "not" is met if the rest of it is false in this sense.')
    return notes


def _written(rule: Rule, style: Style) -> str:
    conditions, head = rule
    if _letters(rule) == ["X"]:
        traits = [atom[0] if so else f"not {atom[0]}" for so, atom in conditions]
        return style.pick(
            f"Whoever is {' and '.join(traits)} is {head[0]}",
            f"People who are {' and '.join(traits)} are {head[0]}",
            f"Everyone who is {' and '.join(traits)} is {head[0]}",
        )
    told = [_clause(atom, so) for so, atom in conditions]
    return f"If {listed(told)}, then {_clause(head)}"


def _clause(atom: Atom, so: bool = True) -> str:
    word, one, *others = atom
    if not others:
        return f"{one} is {word}" if so else f"{one} is not {word}"
    return f"{one} {word} {others[0]}" if so else f"{one} does not {VERBS[word]} {others[0]}"


LADDER = (
    Knobs(4, 4, 0, 3, 0.0, 1),
    Knobs(5, 5, 1, 6, 0.2, 2),
    Knobs(6, 7, 2, 10, 0.35, 3),
    Knobs(7, 9, 3, 15, 0.5, 4),
    Knobs(9, 12, 4, 22, 0.6, 5),
)
FAMILY = Family(
    Theory,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    proof="unique",
    solver="SAT, the least model word by word",
    guess_rate=0.2,  # one or two of four people, by one who knows how many
    steps=steps,
    canon=canon,
    known=lambda theory: theory.people,
    skills=("logic", "tracking"),
    peers=("Enigmata/FOLIO", "reasoning-core/multistep_nli", "reasoning-core/logic_qa"),
    version=3,
)
