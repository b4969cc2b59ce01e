"""Shortest proof: derive a statement in the fewest lines, by inference rules that are drawn.

Every proof of the fewest lines is right, so `verify` checks it line by line. `generate` goes back
from the goal, with more and more lines; `solve` asks a SAT solver for a set of lines, and for proof
that fewer will not do. Without any of the rules, the fewest lines would be more, or there would be
no proof. The set of rules decides the split.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._sat import Circuit, Clause, any_model
from puzzlemill.generators.worlds._calculus_terms import (
    FEW_RELATIONS,
    MORE_SHAPES,
    PROPERTIES,
    RELATIONS,
    Atom,
    Rule,
    bound,
    derived,
    drawn_fact,
    drawn_rules,
    holding,
    instances,
    rules_form,
)
from puzzlemill.generators.worlds._calculus_terms import SKINS as CALCULI
from puzzlemill.generators.worlds._proof_search import (
    Case,
    Proof,
    Ways,
    beyond,
    cases_of,
    fewest,
    lines_used,
    ordered,
    proved,
    ways_to,
)

TRIES = 60  # sets of facts and rules that are looked at for one puzzle
GOALS = 4  # statements that are tried as what is to be proved

# Words for the predicates, and names of things; statements are read back, so that they are words.
SKINS: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "people": CALCULI["people"],
    "towers": CALCULI["towers"],
    "islands": (
        {"R1": "{} trades with {}", "R2": "{} sails to {}", "R3": "{} taxes {}",
         "R4": "{} warns {}", "P1": "{} is rich", "P2": "{} is empty", "P3": "{} is green"},
        ("Abalo", "Brimo", "Cundra", "Delos", "Errin", "Fundy", "Galit", "Hurra"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # that statements are about
    facts: int  # that are told, at most
    rules: int  # that are drawn; those of no use are left out, and more than a third is left
    lines: int  # of a shortest proof, at least


@dataclass(frozen=True, slots=True)
class World:
    skin: str
    things: tuple[str, ...]
    facts: tuple[Atom, ...]
    rules: tuple[Rule, ...]
    goal: Atom
    lines: int  # of a shortest proof, without the facts


def generate(rng: Random, knobs: Knobs) -> World | None:
    found = (_tried(rng, knobs) for _ in range(TRIES))
    return next((world for world in found if world), None)


def solve(world: World) -> tuple[str, ...] | None:
    """By SAT: the fewest lines each of which follows in some way from facts and other lines; what
    holds itself up in a circle is ruled out where it comes up."""
    cases = holding(world.facts, world.rules, world.things)
    ways = ways_to(world.goal, beyond(cases, frozenset(world.facts)))
    if world.goal not in ways:
        return None
    for most in range(_rounds(ways, world.goal), len(ways) + 1):
        circuit = Circuit()
        used = {statement: circuit.variable(statement) for statement in ways}
        clauses: list[Clause] = [[used[world.goal]]]
        taken = dict[tuple[Atom, int], int]()
        for statement, each in ways.items():
            for at, premises in enumerate(each):
                taken[statement, at] = circuit.variable((statement, at))
                clauses += [[-taken[statement, at], used[it]] for it in sorted(premises)]
            clauses.append([-used[statement], *(taken[statement, at] for at in range(len(each)))])
        circuit.counted(list(used.values()), 0, most)

        def circles(
            true: set[int], used: dict[Atom, int] = used, taken: Mapping[Any, int] = taken
        ) -> list[Clause]:
            lines = [statement for statement in used if used[statement] in true]
            # In one order under any hash seed: which of the shortest proofs is found hangs on it.
            held_up = {*ordered(ways, lines)}
            circle = [it for it in lines if it not in held_up]
            outside = [taken[it, at] for it in circle for at, each in enumerate(ways[it])
                       if not each.intersection(circle)]  # fmt: skip
            return [[-used[statement], *outside] for statement in circle]

        true = any_model([*circuit.clauses, *clauses], circles)
        if true is not None:
            lines = [statement for statement in ways if used[statement] in true]
            return tuple(_said(world.skin, it).lower() for it in ordered(ways, lines))
    return None


def verify(world: World, lines: tuple[str, ...]) -> float:
    of = _statements(world.skin, frozenset(world.things))
    known = set(world.facts)
    if len(lines) != world.lines or any(line not in of for line in lines):
        return 0.0
    for line in lines:
        if not any(
            made == of[line] and known.issuperset(premises)
            for rule in world.rules
            if rule[1][0] == of[line][0]
            for made, premises in instances(rule, world.things, of[line])
        ):
            return 0.0
        known.add(of[line])
    return float(world.goal in known)


def recheck(world: World, lines: tuple[str, ...]) -> bool:
    """Each line is matched with each rule's conclusion, and known statements with its premises."""
    of, known = _statements(world.skin, frozenset(world.things)), list(world.facts)
    for line in lines:
        if line not in of or not any(_matched(rule, of[line], known) for rule in world.rules):
            return False
        known.append(of[line])
    return len(lines) == world.lines and world.goal in known


def render(world: World, style: Style) -> Prompt:
    facts = "\n".join(f"{_said(world.skin, fact)}." for fact in world.facts)
    rules = "\n".join(f"{at}. {_rule_said(it, world.skin)}" for at, it in enumerate(world.rules, 1))
    things, goal = listed(world.things), _said(world.skin, world.goal)
    letters = "X, Y and Z stand for any of them, and two letters may stand for the same one unless"
    letters = f"{letters} the rule says that they are different"
    lines = "each line follows by one of the rules from what is given and from lines before it"
    question = style.pick(
        f"There are these {world.skin}: {things}. The following is given:\n\n{facts}\n\nThese are"
        f" the only rules of inference; {letters}:\n\n{rules}\n\nProve that {goal}, in as few lines"
        f" as possible. In a proof, {lines}; what is given is not written down again.",
        f"Find a shortest proof of this: {goal}.\n\nThe {world.skin} are {things}. Conclusions are"
        f" drawn by these rules alone ({letters}):\n\n{rules}\n\nGiven:\n{facts}\n\nA proof is a"
        f" list of statements: {lines}. What is given needs no line.",
        f"{rules}\n\nThese rules, and no others, may be used to draw conclusions about {things};"
        f" {letters}. It is known that:\n{facts}\n\nDerive that {goal} with as few steps as"
        f" possible. A step is one new statement: {lines}. Do not list what is given.",
    )
    example = _said(world.skin, (world.goal[0], *world.things[: len(world.goal) - 1]))
    return Prompt(
        question,
        f"the new statements in order, the last of them being what was to be proved, separated by"
        f' commas and each worded as above (as in "{example}")',
    )


def steps(world: World) -> list[str]:
    """Each line with what it follows from."""
    of = _statements(world.skin, frozenset(world.things))
    known, told = set(world.facts), list[str]()
    for line in solve(world) or ():
        at, premises = next(
            (at, premises)
            for at, rule in enumerate(world.rules, 1)
            for made, premises in instances(rule, world.things)
            if made == of[line] and known.issuperset(premises)
        )
        since = listed(_said(world.skin, each) for each in dict.fromkeys(premises))
        told.append(f"{_said(world.skin, of[line])}: by rule {at}, since {since}")
        known.add(of[line])
    return told


def without(world: World) -> Iterator[World]:
    for at in range(len(world.rules)):
        yield replace(world, rules=world.rules[:at] + world.rules[at + 1 :])


def kin(world: World) -> Any:
    """The rules, whatever predicates and variables are called."""
    return rules_form(world.rules)


def canon(world: World) -> Any:
    facts = [("fact", *fact) for fact in world.facts] + [("goal", *world.goal)]
    return rules_form(world.rules, facts, world.things)


def hardness(world: World) -> float:
    """Lines of the proof, found among so many rules and facts."""
    return world.lines + len(world.rules) / 2 + len(world.facts) / 8


def _tried(rng: Random, knobs: Knobs) -> World | None:
    skin = rng.choice(list(SKINS))
    things = tuple(rng.sample(SKINS[skin][1], knobs.things))
    facts = tuple(dict.fromkeys(drawn_fact(rng, things, FEW_RELATIONS) for _ in range(knobs.facts)))
    rules = drawn_rules(rng, facts, things, knobs.rules, 2 * knobs.lines, MORE_SHAPES)
    whole = lines_used(derived(facts, rules))
    far = [it for it, lines in whole.items() if lines >= knobs.lines]
    goals = rng.sample(far, min(GOALS, len(far)))
    every = cases_of(rules, list(whole)) if goals else []
    cases = [beyond(each, frozenset(facts)) for each in every]
    for goal in goals:
        world = World(skin, things, facts, rules, goal, 0)
        ways = ways_to(goal, chain(*cases))
        proof = fewest(ways, goal, knobs.lines + 1)
        if len(proof) >= knobs.lines:
            world = _slim(replace(world, lines=len(proof)), cases, proof)
            if len(world.rules) > knobs.rules // 3:
                return world
    return None


def _slim(world: World, cases: list[set[Case]], proof: Proof) -> World:
    """Without the rules that change nothing; a proof that does without a rule shows it."""
    kept = list(range(len(cases)))
    for at in range(len(cases)):
        fewer = [it for it in kept if it != at]
        if not all(any(line in cases[it] for it in fewer) for line in proof.items()):
            ways = ways_to(world.goal, chain(*(cases[it] for it in fewer)))
            other = proved(ways, (world.goal,), world.lines)
            if not other:
                continue
            proof = other
        kept = fewer
    return replace(world, rules=tuple(world.rules[at] for at in kept))


def _rounds(ways: Ways, goal: Atom) -> int:
    """So many lines at least, each of which needs the one before it: all that follows is taken at
    once, again and again."""
    rounds, known = 0, frozenset[Atom]()
    while goal not in known:
        known = frozenset(it for it in ways if any(each <= known for each in ways[it]))
        rounds += 1
    return rounds


def _matched(rule: Rule, statement: Atom, known: list[Atom]) -> bool:
    premises, conclusion, apart = rule
    first = bound(conclusion, statement, {})
    given = [first] if first is not None else []
    for atom in premises:
        given = [more for each in given for it in known
                 if (more := bound(atom, it, each)) is not None]  # fmt: skip
    return any(not apart or each[apart[0]] != each[apart[1]] for each in given)


@lru_cache(maxsize=96)  # of one size, there are 84 sets of six things
def _statements(skin: str, things: frozenset[str]) -> dict[str, Atom]:
    """What each statement says, in lower case."""
    every: list[Atom] = [(name, thing) for name, thing in product(PROPERTIES, things)]
    every += [(name, *pair) for name in RELATIONS for pair in product(things, repeat=2)]
    return {_said(skin, each).lower(): each for each in every}


def _said(skin: str, atom: Atom) -> str:
    return SKINS[skin][0][atom[0]].format(*atom[1:])


def _rule_said(rule: Rule, skin: str) -> str:
    premises, conclusion, apart = rule
    told = listed(_said(skin, atom) for atom in premises)
    unlike = f", and {apart[0]} and {apart[1]} are different," if apart else ","
    return f"If {told}{unlike} then {_said(skin, conclusion)}."


LADDER = (
    Knobs(4, 5, 5, 3),
    Knobs(5, 6, 6, 3),
    Knobs(5, 7, 7, 4),
    Knobs(6, 8, 8, 5),
    Knobs(6, 9, 10, 6),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="phrases"),
    recheck=recheck,
    hardness=hardness,
    version=4,
    proof="solved",
    solver="SAT, with a proof that fewer lines will not do",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("deduction", "proof", "rules"),
    theme="drawn_rules",
)
