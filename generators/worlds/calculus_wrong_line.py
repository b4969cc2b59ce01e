"""Calculus wrong line: which line of a proof by drawn rules is the first that does not follow?

A line names a rule and earlier lines. `solve` matches the rule with the lines that are named, in
every order; `verify` goes through all cases of the rule and looks whether one of them is the line.
Later lines may be wrong, too. Each rule by which an earlier line follows is needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._calculus_terms import (
    SKINS,
    SYMMETRIC,
    Atom,
    Lines,
    Rule,
    bound,
    derived,
    drawn_fact,
    drawn_rules,
    instances,
    rule_facts,
    rule_worded,
    rules_form,
    worded,
)

# A statement, the place of the rule, and the places of the lines that it should follow from.
Line: TypeAlias = tuple[Atom, int, tuple[int, ...]]

TRIES = 60
WRONG_LATER = 0.25  # the share of later lines that are made wrong


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # that statements are about
    facts: int  # to begin with; those that no line names are left out
    rules: int  # that are drawn; those that no line names are left out
    lines: int  # of the proof


@dataclass(frozen=True, slots=True)
class Proof:
    skin: str
    things: tuple[str, ...]
    rules: tuple[Rule, ...]
    facts: tuple[Atom, ...]  # the first lines, which are given
    lines: tuple[Line, ...]  # that should follow


def generate(rng: Random, knobs: Knobs) -> Proof | None:
    skin = rng.choice(list(SKINS))
    things = tuple(rng.sample(SKINS[skin][1], knobs.things))
    for _ in range(TRIES):
        facts = tuple(dict.fromkeys(drawn_fact(rng, things) for _ in range(knobs.facts)))
        rules = drawn_rules(rng, facts, things, knobs.rules, knobs.lines * 3 // 2)
        whole = derived(facts, rules)
        right = _proof(skin, things, rules, _chosen(rng, whole, knobs.lines))
        if len(right.lines) != knobs.lines or len(right.rules) < 2:
            continue
        at = rng.randrange(knobs.lines)
        places = [at, *(it for it in range(at + 1, knobs.lines) if rng.random() < WRONG_LATER)]
        wrong = right
        for place in places:
            changed = _spoiled(rng, wrong, place)
            wrong = replace(wrong, lines=(*wrong.lines[:place], changed, *wrong.lines[place + 1 :]))
        if solve(wrong) == len(wrong.facts) + at + 1:
            return wrong
    return None


def solve(proof: Proof) -> int | None:
    """Rule by rule, matched with the statements of the lines that are named."""
    statements = [*proof.facts, *(line[0] for line in proof.lines)]
    for number, (statement, rule, named) in enumerate(proof.lines, len(proof.facts) + 1):
        if not 0 <= rule < len(proof.rules):
            return number
        premises, conclusion, apart = proof.rules[rule]
        for order in product([statements[at] for at in named], repeat=len(premises)):
            given: dict[str, str] | None = {}
            for atom, each in zip((*premises, conclusion), (*order, statement), strict=True):
                given = bound(atom, each, given) if given is not None else None
            if given is None or set(order) != {statements[at] for at in named}:
                continue
            if not apart or given[apart[0]] != given[apart[1]]:
                break
        else:
            return number
    return None


def verify(proof: Proof, number: int) -> float:
    at = number - len(proof.facts) - 1
    if not 0 <= at < len(proof.lines):
        return 0.0
    return float(not _follows(proof, at) and all(_follows(proof, it) for it in range(at)))


def render(proof: Proof, style: Style) -> Prompt:
    rules = "\n".join(
        f"Rule {at}. {rule_worded(rule, proof.skin)}" for at, rule in enumerate(proof.rules, 1)
    )
    said = [f"{at}. {worded(fact, proof.skin)} (given)" for at, fact in enumerate(proof.facts, 1)]
    for at, (statement, rule, named) in enumerate(proof.lines, len(proof.facts) + 1):
        lines = "line" if len(named) == 1 else "lines"
        because = f"by rule {rule + 1} from {lines} {listed(str(each + 1) for each in named)}"
        said.append(f"{at}. {worded(statement, proof.skin)} ({because})")
    text = "\n".join(said)
    kind = proof.skin if proof.skin != "symbols" else "things"
    letters = (
        f"X, Y and Z stand for any {kind}, and two letters may stand for the same one unless the"
        " rule says that they are different."
    )
    wrong = (
        "A line is wrong if it does not follow by the rule that it names from just the lines that"
        " it names, as they stand here; these may be taken in any order, and one may serve twice."
    )
    return Prompt(
        style.pick(
            f"These are invented rules of inference:\n\n{rules}\n\n{letters}\n\nSomebody has"
            f" written a proof:\n\n{text}\n\n{wrong} At least one is wrong. Which is the first?",
            f"Here is a proof with at least one mistake.\n\n{text}\n\nIts rules are these."
            f" {letters}\n\n{rules}\n\n{wrong} Find the first wrong line.",
            f"{rules}\n\n{letters}\n\nWith these rules, the following was"
            f" claimed:\n\n{text}\n\nCheck it from the top. {wrong} What is the number of the first"
            " wrong line?",
        ),
        form="the number of the first wrong line",
    )


def steps(proof: Proof) -> list[str]:
    """Line after line, with what the letters of its rule stand for, up to the wrong one."""
    statements = [*proof.facts, *(line[0] for line in proof.lines)]
    lines = list[str]()
    for at, (statement, rule, named) in enumerate(proof.lines):
        number = f"line {at + len(proof.facts) + 1}: {worded(statement, proof.skin)}"
        if not _follows(proof, at):
            return [*lines, f"{number}: does not follow by rule {rule + 1}"]
        because = listed(worded(statements[each], proof.skin) for each in named)
        lines.append(f"{number}: follows by rule {rule + 1}, since {because}")
    return lines


def without(proof: Proof) -> Iterator[Proof]:
    """Without a rule by which a line follows before the first wrong one: nothing follows by it."""
    first = (solve(proof) or 0) - len(proof.facts) - 1
    for place in sorted({rule for _, rule, _ in proof.lines[:first]}):
        others = proof.rules[:place] + proof.rules[place + 1 :]
        lines = tuple(
            (statement, -1 if rule == place else rule - (rule > place), named)
            for statement, rule, named in proof.lines
        )
        yield replace(proof, rules=others, lines=lines)


def slips(rng: Random, proof: Proof, gold: int) -> Iterator[int]:
    """Another line that should follow."""
    numbers = range(len(proof.facts) + 1, len(proof.facts) + len(proof.lines) + 1)
    yield from rng.sample(numbers, len(numbers))


def kin(proof: Proof) -> list[str]:
    """The rules, whatever predicates and variables are called."""
    return rules_form(proof.rules)


def canon(proof: Proof) -> list[str]:
    facts, names = rule_facts(proof.rules)
    facts += [("line", str(at), *fact) for at, fact in enumerate(proof.facts)]
    facts += [
        ("line", str(at), *statement, f"by {rule}", *map(str, named))
        for at, (statement, rule, named) in enumerate(proof.lines, len(proof.facts))
    ]
    return unnamed(facts, [*names, *proof.things], (SYMMETRIC,))


def hardness(proof: Proof) -> float:
    """The lines up to the wrong one, on average half of them, and the rules."""
    return len(proof.lines) + len(proof.rules) / 2 + len(proof.facts) / 4


def _chosen(rng: Random, whole: Lines, count: int) -> Lines:
    """So many derived lines with all that they follow from, in order."""
    of = {statement: line for line in whole for statement in line[:1]}
    kept = dict[Atom, None]()

    def keep(statement: Atom) -> None:
        for premise in of[statement][2]:
            keep(premise)
        kept[statement] = None

    ends = [statement for statement, rule, _ in whole if rule >= 0]
    for statement in rng.sample(ends, len(ends)):
        before = dict(kept)
        keep(statement)
        if sum(of[each][1] >= 0 for each in kept) > count:
            kept = before
    return [line for line in whole if line[0] in kept]


def _proof(skin: str, things: tuple[str, ...], rules: tuple[Rule, ...], chosen: Lines) -> Proof:
    """With the facts in front, and no rule that no line names."""
    facts = tuple(statement for statement, rule, _ in chosen if rule < 0)
    own = [(statement, rule, premises) for statement, rule, premises in chosen if rule >= 0]
    used = sorted({rule for _, rule, _ in own})
    place = {each: at for at, each in enumerate([*facts, *(line[0] for line in own)])}
    lines = tuple(
        (statement, used.index(rule), tuple(sorted({place[each] for each in premises})))
        for statement, rule, premises in own
    )
    return Proof(skin, things, tuple(rules[at] for at in used), facts, lines)


def _spoiled(rng: Random, proof: Proof, at: int) -> Line:
    """A line that looks right: another statement, another rule or another line is named."""
    statement, rule, named = proof.lines[at]
    statements = [*proof.facts, *(line[0] for line in proof.lines)]
    number = len(proof.facts) + at
    inside = sorted({thing for each in named for thing in statements[each][1:]})
    others: list[Line] = [
        ((statement[0], *things), rule, named)
        for things in permutations(inside, len(statement) - 1)
        if (statement[0], *things) != statement
    ]
    alike = [it for it, other in enumerate(proof.rules)
             if it != rule and other[1][0] == statement[0]]  # fmt: skip
    others += [(statement, it, named) for it in alike]
    for place, each in enumerate(named):
        near = [it for it in range(number) if it not in named
                and statements[it][0] == statements[each][0]]  # fmt: skip
        others += [(statement, rule, tuple(sorted({*named[:place], it, *named[place + 1 :]})))
                   for it in near]  # fmt: skip
    return rng.choice(others) if others else (statement, rule, named)


def _follows(proof: Proof, at: int) -> bool:
    """The interpreter: whether a case of the rule has these premises and this conclusion."""
    statement, rule, named = proof.lines[at]
    statements: Sequence[Atom] = [*proof.facts, *(line[0] for line in proof.lines)]
    premises = {statements[each] for each in named}
    if rule not in range(len(proof.rules)):
        return False
    inside = sorted({thing for each in premises for thing in each[1:]})  # no other can be in a case
    return any(
        made == statement and set(needed) == premises
        for made, needed in instances(proof.rules[rule], inside)
    )


LADDER = (
    Knobs(4, 6, 5, 8),
    Knobs(5, 6, 6, 10),
    Knobs(5, 7, 8, 12),
    Knobs(6, 8, 10, 16),
    Knobs(7, 9, 12, 22),
)
FAMILY = Family(
    Proof,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="rules matched with the lines that are named",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=slips,
    skills=("deduction", "proof checking", "rules"),
    version=2,
)
