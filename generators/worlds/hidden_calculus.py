"""Hidden calculus: rules of inference are shown by what follows in examples; what follows here?

There are so many rules of told forms at most, and all such rules that explain the examples lead to
the same answer. `solve` goes through these rules and does not look at those that were drawn;
`verify` tries the drawn ones on all things until nothing is new. Each example is needed, and so is
each drawn rule.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from math import comb, log2
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.worlds._calculus_space import (
    Table,
    explaining,
    forms_told,
    rules_of,
    shown_told,
    table,
    uses,
)
from puzzlemill.generators.worlds._calculus_terms import (
    MORE_SHAPES,
    PROPERTIES,
    RELATIONS,
    SKINS,
    Atom,
    Rule,
    Shape,
    closed,
    derived,
    drawn_fact,
    rule_worded,
    rules_form,
    worded,
)
from puzzlemill.generators.worlds._examples import fewest

Atoms: TypeAlias = tuple[Atom, ...]
Example: TypeAlias = tuple[Atoms, Atoms]  # what is given, and what follows besides
Names: TypeAlias = tuple[str, ...]

POOL = 4  # examples of each rule to choose from
DRAWS = 30
FEW, SEVERAL = 3, 6  # things of an example; statements that follow in it, at most


@dataclass(frozen=True, slots=True)
class Knobs:
    forms: int  # that a rule may have
    relations: int  # that facts may tell of two things
    properties: int  # that facts may tell of one thing
    rules: int  # that are shown by examples
    things: int  # of the question
    facts: int  # of the question, at most


@dataclass(frozen=True, slots=True)
class Hidden:
    skin: str
    forms: tuple[Shape, ...]
    relations: int
    properties: int
    rules: tuple[Rule, ...]  # not told
    examples: tuple[Example, ...]
    things: Names
    facts: Atoms
    query: Atom  # of which things it holds: the things go in for "?"


def generate(rng: Random, knobs: Knobs) -> Hidden | None:
    skin = rng.choice(list(SKINS))
    for _ in range(DRAWS):
        forms, rules = drawn(rng, knobs)
        things = tuple(rng.sample(SKINS[skin][1], knobs.things))
        sizes = knobs.relations, knobs.properties
        hidden = Hidden(skin, forms, *sizes, rules, (), things, (), ("", "?"))
        hidden = replace(hidden, facts=_given(rng, hidden, rules, things, knobs.facts))
        hidden = replace(hidden, query=_query(rng, hidden))
        if not hidden.query[0]:
            continue
        every = [_example(rng, hidden, (rule,)) for rule in rules for _ in range(POOL)]
        pool = tuple(dict.fromkeys(each for each in every if each))
        hidden = replace(hidden, examples=pool)
        tables = {example: _table(hidden, example) for example in pool}
        if kept := fewest(pool, partial(_agreed, hidden, tables), in_order(_names(hidden))):
            return replace(hidden, examples=kept)
    return None


def drawn(rng: Random, knobs: Knobs) -> tuple[tuple[Shape, ...], tuple[Rule, ...]]:
    """The forms that rules may have, and the rules."""
    some = rng.sample(range(len(MORE_SHAPES)), min(knobs.forms, len(MORE_SHAPES)))
    forms = tuple(shape for at, shape in enumerate(MORE_SHAPES) if at in some)
    each = _every(forms, knobs.relations, knobs.properties)
    return forms, tuple(rng.sample(each, knobs.rules))


@lru_cache(maxsize=4)
def _every(forms: tuple[Shape, ...], relations: int, properties: int) -> list[Rule]:
    return [rule for it in forms for rule in rules_of(it, relations, properties)]


def solve(hidden: Hidden) -> Names | None:
    tables = {example: _table(hidden, example) for example in hidden.examples}
    return _agreed(hidden, tables, hidden.examples) or None


def verify(hidden: Hidden, things: Names) -> float:
    return float(set(things) == _names(hidden))


def render(hidden: Hidden, style: Style) -> Prompt:
    space = hidden.forms, hidden.relations, hidden.properties
    form = forms_told(hidden.skin, *space, len(hidden.rules))
    kind = hidden.skin if hidden.skin != "symbols" else "things"
    shown = "\n".join(f"- {shown_told(hidden.skin, *example)}" for example in hidden.examples)
    facts = "\n".join(worded(fact, hidden.skin) for fact in hidden.facts)
    things, query = listed(hidden.things), worded((*hidden.query[:-1], "X"), hidden.skin)
    examples = (
        "each of which shows all that follows from what is given there, by rules used as often as"
        " possible"
    )
    sure = "All rules of these forms that fit the examples lead to the same answer."
    question = style.pick(
        f"Hidden rules of inference decide what follows from what. There are examples,"
        f" {examples}:\n\n{shown}\n\n{form}\n\n{sure} The same rules hold for the {kind}"
        f" {things}. Given:\n\n{facts}\n\nFor which X is it given, or does it follow, that"
        f" {query}?",
        f"Find every X among the {kind} {things} for which this is given or follows: {query}.\n\n"
        f"Given:\n{facts}\n\nThe rules of inference must be found. {form}\n\nThere are"
        f" examples, {examples}:\n\n{shown}\n\n{sure}",
        f"{form}\n\nWhich rules these are is not told, but there are examples, {examples}:"
        f"\n\n{shown}\n\n{sure}\n\nNow it is known about the {kind} {things} that:\n{facts}\n\nA"
        f" statement holds only if it is known or follows by the rules. List all X such that"
        f" {query}.",
    )
    return Prompt(question, "all such names, separated by commas")


def steps(hidden: Hidden) -> list[str]:
    """The rules, and what leads to the answer by them."""
    lines = [f"rule {at}: {rule_worded(rule, hidden.skin)}"
             for at, rule in enumerate(hidden.rules, 1)]  # fmt: skip
    whole = derived(hidden.facts, hidden.rules)
    wanted = {each for each, _, _ in whole if _matching([each], hidden.query)}
    for statement, _, premises in reversed(whole):
        wanted.update(premises if statement in wanted else ())
    return lines + [
        f"{worded(statement, hidden.skin)}: by rule {rule + 1}, since"
        f" {listed(worded(each, hidden.skin) for each in dict.fromkeys(premises))}"
        for statement, rule, premises in whole
        if statement in wanted and rule >= 0
    ]


def misread(rng: Random, hidden: Hidden) -> Hidden:
    """A rule is taken for another one of its form, or a thing in a fact for another thing."""
    if rng.random() < 0.5:
        at = rng.randrange(len(hidden.rules))
        every = (rules_of(it, hidden.relations, hidden.properties) for it in hidden.forms)
        other = rng.choice(next(alike for alike in every if hidden.rules[at] in alike))
        return replace(hidden, rules=(*hidden.rules[:at], other, *hidden.rules[at + 1 :]))
    at = rng.randrange(len(hidden.facts))
    fact = [*hidden.facts[at]]
    fact[rng.randrange(1, len(fact))] = rng.choice(hidden.things)
    return replace(hidden, facts=(*hidden.facts[:at], tuple(fact), *hidden.facts[at + 1 :]))


def kin(hidden: Hidden) -> Any:
    """The rules, whatever predicates and variables are called."""
    return rules_form(hidden.rules)


def canon(hidden: Hidden) -> Any:
    form = hidden.forms, hidden.relations, hidden.properties
    shown = sorted((sorted(given), sorted(more)) for given, more in hidden.examples)
    return [kin(hidden), sorted(hidden.rules), form, shown, sorted(hidden.facts), hidden.query]


def without(hidden: Hidden) -> Iterator[Hidden]:
    for at in range(len(hidden.examples)):
        yield replace(hidden, examples=hidden.examples[:at] + hidden.examples[at + 1 :])


def hardness(hidden: Hidden) -> float:
    """The sets of rules of the told forms, by order of magnitude, and the facts."""
    each = sum(len(rules_of(it, hidden.relations, hidden.properties)) for it in hidden.forms)
    return log2(comb(each, len(hidden.rules))) + len(hidden.facts) / 2


def _example(rng: Random, hidden: Hidden, rules: tuple[Rule, ...]) -> Example | None:
    """Some facts about other things than the question's, a rule's premises among them in most."""
    things = tuple(rng.sample(SKINS[hidden.skin][1], FEW))
    given = _given(rng, hidden, rules if rng.random() < 0.7 else (), things, FEW)
    more = tuple(sorted(closed(given, hidden.rules, things) - set(given)))
    return (given, more) if len(more) <= SEVERAL else None


def _given(
    rng: Random, hidden: Hidden, rules: tuple[Rule, ...], things: Names, count: int
) -> Atoms:
    """So many facts at most, of which rules can make something."""
    facts = dict[Atom, None]()
    for premises, _, _ in rules:
        names = dict(zip("XYZ", rng.sample(things, 3)))
        facts |= dict.fromkeys((name, *(names[each] for each in on)) for name, *on in premises)
    while len(facts) < count:
        fact = drawn_fact(rng, things, RELATIONS[: hidden.relations])
        if fact[0] in (*RELATIONS, *PROPERTIES[: hidden.properties]):
            facts[fact] = None
    return tuple(rng.sample([*facts], len(facts)))


def _query(rng: Random, hidden: Hidden) -> Atom:
    """What some things are by all rules together, and others by fewer of them."""
    known = _by_query(closed(hidden.facts, hidden.rules, hidden.things))
    every, fewer = sorted(known), [*_shortened(hidden)]

    @cache
    def by_fewer(at: int) -> dict[Atom, set[str]]:
        return _by_query(closed(fewer[at].facts, fewer[at].rules, fewer[at].things))

    for query in rng.sample(every, len(every)):
        names = known[query]
        if 2 <= len(names) <= len(hidden.things) - 2 and all(
            by_fewer(at).get(query) != names for at in range(len(fewer))
        ):
            return query
    return "", "?"


def _by_query(known: Iterable[Atom]) -> dict[Atom, set[str]]:
    """For whom each query holds."""
    found = dict[Atom, set[str]]()
    for *before, thing in known:
        found.setdefault((*before, "?"), set()).add(thing)
    return found


def _shortened(hidden: Hidden) -> Iterator[Hidden]:
    for at in range(len(hidden.rules)):
        yield replace(hidden, rules=hidden.rules[:at] + hidden.rules[at + 1 :])


def _names(hidden: Hidden) -> set[str]:
    """The interpreter: for whom the query holds, in lower case."""
    return _matching(closed(hidden.facts, hidden.rules, hidden.things), hidden.query)


def _some(hidden: Hidden) -> Names | None:
    """For whom the query holds, where that is somebody and not nearly all of them."""
    names = _names(hidden)
    return in_order(names) if 1 <= len(names) <= len(hidden.things) - 2 else None


def _matching(known: Any, query: Atom) -> set[str]:
    return {each[-1].lower() for each in known
            if each[:-1] == query[:-1] and len(each) == len(query)}  # fmt: skip


def _table(hidden: Hidden, example: Example) -> Table:
    return table(*example, hidden.forms, hidden.relations, hidden.properties)


def _agreed(
    hidden: Hidden, tables: dict[Example, Table], examples: Sequence[Example]
) -> Names | None:
    """For whom the query holds by all rules that explain the examples; None where they differ."""
    kept = [tables[example] for example in examples]
    wrong = frozenset[Rule]().union(*(it.wrong for it in kept))
    agreed = set[Names]()
    for rules in explaining(kept, len(hidden.rules)):
        for names in _answers(hidden, rules, wrong):
            agreed.add(names)
            if len(agreed) > 1:
                return None
    return agreed.pop() if agreed else None


def _answers(hidden: Hidden, rules: frozenset[Rule], wrong: frozenset[Rule]) -> Iterator[Names]:
    """For whom the query holds by these rules, and by them and more that are not wrong."""
    known = _known(hidden.facts, rules)
    yield in_order(_matching(known, hidden.query))
    if len(rules) < len(hidden.rules):
        seen, there = set[Rule](), set(known)
        for rule, _, fresh in uses(known, hidden.forms, hidden.relations, hidden.properties):
            if fresh not in there and rule not in wrong and rule not in seen:
                seen.add(rule)
                yield from _answers(hidden, rules | {rule}, wrong)


@lru_cache(maxsize=256)  # with fewer examples, the same rules explain them
def _known(facts: Atoms, rules: frozenset[Rule]) -> list[Atom]:
    return [atom for atom, _, _ in derived(facts, [*rules])]


LADDER = (
    Knobs(3, 2, 1, 1, 5, 5),
    Knobs(4, 2, 2, 1, 5, 6),
    Knobs(5, 3, 2, 2, 6, 7),
    Knobs(9, 3, 3, 2, 6, 8),
    Knobs(28, 4, 3, 3, 7, 9),
)
FAMILY = Family(
    Hidden,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    proof="unique",
    solver="every set of rules of the forms, statement by statement",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda hidden: hidden.things,
    without=without,
    slips=misreadings(_some, misread),
    skills=("induction", "deduction", "rules"),
    theme="hidden_rules",
    slips_version=2,
    version=2,
)
