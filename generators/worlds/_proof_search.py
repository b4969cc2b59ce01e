"""Shortest proofs by search: the ways in which things follow, and the fewest lines to a goal."""

from collections import defaultdict
from collections.abc import Iterable

from puzzlemill.generators.worlds._calculus_terms import Atom, Lines, Rule, bound

Case = tuple[Atom, frozenset[Atom]]  # a statement and what it follows from
Ways = dict[Atom, list[frozenset[Atom]]]  # of each statement: what it follows from, in each way
Proof = dict[Atom, frozenset[Atom]]  # of each line: what it follows from


def lines_used(lines: Lines) -> dict[Atom, int]:
    """How many lines the proof of each statement has that was found first: a shortest one has no
    more."""
    used = dict[Atom, int]()  # the lines as bits
    for at, (statement, rule, premises) in enumerate(lines):
        used[statement] = 1 << at if rule >= 0 else 0
        for premise in premises:
            used[statement] |= used[premise]
    return {statement: bits.bit_count() for statement, bits in used.items()}


def cases_of(rules: tuple[Rule, ...], known: list[Atom]) -> list[list[Case]]:
    """The ways in which each rule gives something from known statements, by joining them."""
    every, alike = list[list[Case]](), defaultdict[str, list[Atom]](list)
    for statement in known:
        alike[statement[0]].append(statement)
    for premises, conclusion, apart in rules:
        given: list[tuple[dict[str, str], frozenset[Atom]]] = [({}, frozenset())]
        for atom in premises:
            given = [(more, used | {it}) for each, used in given for it in alike[atom[0]]
                     if (more := bound(atom, it, each)) is not None]  # fmt: skip
        every.append([
            ((conclusion[0], *(each[it] for it in conclusion[1:])), used) for each, used in given
            if not apart or each[apart[0]] != each[apart[1]]
        ])  # fmt: skip
    return every


def beyond(cases: Iterable[Case], facts: frozenset[Atom]) -> set[Case]:
    """Of what is not given, what else it follows from."""
    return {(made, premises - facts) for made, premises in cases
            if made not in facts and made not in premises}  # fmt: skip


def ways_to(goal: Atom, cases: Iterable[Case]) -> Ways:
    """What leads to the goal: of each statement that is not given, the ways in which it follows."""
    every = dict[Atom, set[frozenset[Atom]]]()
    for made, premises in cases:
        every.setdefault(made, set()).add(premises)
    ways, waiting = Ways(), [goal]
    while waiting:
        statement = waiting.pop()
        if statement in ways or statement not in every:
            continue
        least = sorted(every[statement], key=lambda each: (len(each), sorted(each)))
        ways[statement] = [each for at, each in enumerate(least)
                           if not any(other < each for other in least[:at])]  # fmt: skip
        waiting += sorted({it for each in ways[statement] for it in each})
    return ways


def fewest(ways: Ways, goal: Atom, most: int) -> Proof:
    """A shortest proof; none if it takes more than so many lines."""
    return next((proof for bar in range(1, most + 1) if (proof := proved(ways, (goal,), bar))), {})


def proved(ways: Ways, open_: tuple[Atom, ...], bar: int, lines: Proof = {}) -> Proof:  # noqa: B006
    """A proof of so many lines at most, going back from what is still to be proved; or none."""
    if len(lines) + len(open_) > bar:
        return {}
    if not open_:
        chosen = {statement: [premises] for statement, premises in lines.items()}
        return lines if len(ordered(chosen, list(lines))) == len(lines) else {}
    first, *rest = open_
    for premises in ways.get(first, ()):
        more = [it for it in sorted(premises) if it not in lines and it not in open_]
        if proof := proved(ways, (*rest, *more), bar, {**lines, first: premises}):
            return proof
    return {}


def ordered(ways: Ways, lines: list[Atom]) -> list[Atom]:
    """The lines in an order in which each follows; those that never do are left out."""
    order = dict[Atom, None]()
    while True:
        fresh = [it for it in lines if it not in order
                 and any(order.keys() >= premises for premises in ways[it])]  # fmt: skip
        if not fresh:
            return list(order)
        order |= dict.fromkeys(fresh)
