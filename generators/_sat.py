"""SAT for puzzles: clauses, gates, and the proof that they leave one solution."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations, count
from typing import Any

Clause = list[int]
Bound = tuple[list[int], int]  # literals, and how many of them are true at most

# On puzzles of this size the engines differ by a fifth at most; this one has the least to set up.
ENGINE = "minisat22"
COUNTING = "minicard"  # the same, which also counts by itself: a bound takes no clauses
# Where pysat keeps each.
ENGINES = {"minisat22": "minisat", "minicard": "minicard", "cadical153": "cadical"}
WRITTEN_OUT = 6  # literals of which all sets are named; of more, a counter takes fewer clauses


def exactly_one(literals: Sequence[int]) -> list[Clause]:
    return [list(literals), *at_most_one(literals)]


def at_most_one(literals: Sequence[int]) -> list[Clause]:
    return list(map(list, combinations([-literal for literal in literals], 2)))


def just(many: int, literals: list[int]) -> list[Bound]:
    """Exactly so many of the literals are true."""
    return [(literals, many), ([-literal for literal in literals], len(literals) - many)]


def at_least(many: int, variables: int) -> Sequence[Clause]:
    """Of the variables from 1 on, so many are true."""
    return _counted("atleast", many, variables)


def at_most(many: int, variables: int) -> Sequence[Clause]:
    return _counted("atmost", many, variables)


@lru_cache(maxsize=32)  # puzzles of one size ask for the same counters
def _counted(way: str, bound: int, variables: int) -> Sequence[Clause]:
    from pysat.card import CardEnc, EncType

    encode = getattr(CardEnc, way)
    found: Sequence[Clause] = encode(
        list(range(1, variables + 1)), bound, encoding=EncType.seqcounter
    ).clauses
    return found


def loaded(
    clauses: Iterable[Sequence[int]], name: str = ENGINE, bounds: Sequence[Bound] = ()
) -> Any:
    """A solver with these clauses, to be closed by its user; with bounds it is one that counts."""
    from pysat.solvers import Solver  # a quarter of a second to import

    assert not bounds or name == COUNTING, f"{name} does not count"
    solver = Solver(name=name)
    load(solver, clauses, name)
    bind(solver, bounds)
    return solver


def load(solver: Any, clauses: Iterable[Sequence[int]], name: str = ENGINE) -> None:
    """Add clauses. Clause by clause through pysat's own methods takes twice as long."""
    from pysat.solvers import pysolvers

    add, engine = getattr(pysolvers, f"{name}_add_cl"), getattr(solver.solver, ENGINES[name])
    for clause in clauses:
        add(engine, clause)


def bind(solver: Any, bounds: Iterable[Bound]) -> None:
    """Add bounds to a solver that counts."""
    from pysat.solvers import pysolvers

    for literals, most in bounds:
        pysolvers.minicard_add_am(solver.solver.minicard, literals, most)


def only_model(
    clauses: Iterable[Clause],
    deciding: Iterable[int],
    cuts: Callable[[set[int]], list[Clause]] = lambda true: [],
    bounds: Sequence[Bound] = (),
) -> set[int] | None:
    """The variables that are true, where clauses and bounds leave exactly one way to set the
    deciding.

    `cuts` says which clauses a model breaks that were not written down, such as those of a wall
    that must hang together; none, where the model is sound.
    """
    with loaded(clauses, COUNTING if bounds else ENGINE, bounds) as solver:
        true = _model(solver, cuts)
        if true is None:
            return None
        # Another solution differs from this one in a deciding variable, or there is none.
        solver.add_clause([-variable if variable in true else variable for variable in deciding])
        return true if _model(solver, cuts) is None else None


def any_model(
    clauses: Iterable[Clause],
    cuts: Callable[[set[int]], list[Clause]] = lambda true: [],
    bounds: Sequence[Bound] = (),
) -> set[int] | None:
    """The variables that are true in one way to satisfy the clauses and bounds."""
    with loaded(clauses, COUNTING if bounds else ENGINE, bounds) as solver:
        return _model(solver, cuts)


def possible(
    clauses: Iterable[Clause],
    suppositions: Iterable[Sequence[int]],
    bounds: Sequence[Bound] = (),
) -> list[bool]:
    """Of each of some sets of literals, whether clauses and bounds can be satisfied with all of
    it."""
    with loaded(clauses, COUNTING if bounds else ENGINE, bounds) as solver:
        return [bool(solver.solve(assumptions=literals)) for literals in suppositions]


def _model(solver: Any, cuts: Callable[[set[int]], list[Clause]]) -> set[int] | None:
    while solver.solve():
        true = {literal for literal in solver.get_model() if literal > 0}
        broken = cuts(true)
        if not broken:
            return true
        for clause in broken:
            solver.add_clause(clause)
    return None


class Circuit:
    """Formulas as clauses: each gate gives a literal that is true exactly when its formula is."""

    def __init__(self) -> None:
        self.variables: defaultdict[Hashable, int] = defaultdict(count(1).__next__)
        self.clauses: list[Clause] = []

    def copy(self) -> "Circuit":
        """One that can be added to; the clauses that are there are the same objects."""
        found = Circuit()
        found.variables = defaultdict(count(len(self.variables) + 1).__next__, self.variables)
        found.clauses = list(self.clauses)
        return found

    def variable(self, meaning: Hashable) -> int:
        return self.variables[meaning]

    def constant(self, truth: bool) -> int:
        known = "true" in self.variables
        true = self.variable("true")
        if not known:
            self.clauses.append([true])
        return true if truth else -true

    def both(self, left: int, right: int) -> int:
        meaning = "both", left, right
        gate = self.variables.get(meaning)
        if gate is None:
            gate = self.variables[meaning]
            self.clauses += [[-gate, left], [-gate, right], [gate, -left, -right]]
        return gate

    def either(self, left: int, right: int) -> int:
        return -self.both(-left, -right)

    def equal(self, left: int, right: int) -> int:
        return self.both(self.either(-left, right), self.either(left, -right))

    def joined(self, sign: str, left: int, right: int) -> int:
        """A gate by its name: and, or, if, either (just one of them), iff."""
        match sign:
            case "and":
                return self.both(left, right)
            case "or":
                return self.either(left, right)
            case "if":
                return self.either(-left, right)
            case "either":
                return self.equal(left, -right)
            case _:
                return self.equal(left, right)

    def at_least(self, literals: Sequence[int], most: int) -> list[int]:
        """Gates that are true where at least none, one, and so on up to so many, of the literals
        are; no more of them than there are literals to reach them."""
        reached = [self.constant(True)]
        for literal in literals:
            more = [literal, *(self.both(literal, fewer) for fewer in reached[1:])]
            reached[1:] = [*map(self.either, reached[1:], more), more[-1]][:most]
        return reached

    def so_many(self, amount: str, number: int, literals: Sequence[int]) -> int:
        """A gate that is true where at least, at most or exactly so many of the literals are."""
        reached = self.at_least(literals, number + 1)
        reached += [self.constant(False)] * (number + 2 - len(reached))
        least, few = reached[number], -reached[number + 1]
        if amount == "at least" or (amount == "exactly" and number >= len(literals)):
            return least
        return few if amount == "at most" or not number else self.both(few, least)

    def counted(self, literals: Sequence[int], least: int, most: int) -> None:
        """Of the literals, at least and at most so many are true."""
        if least > len(literals) or most < 0:
            self.clauses.append([])  # cannot be met
            return
        from pysat.card import CardEnc, EncType

        bounds = [(CardEnc.atleast, least)] if least > 0 else []
        bounds += [(CardEnc.atmost, most)] if most < len(literals) else []
        for encode, bound in bounds:
            top = len(self.variables)
            found = encode(list(literals), bound, top_id=top, encoding=EncType.seqcounter)
            self.clauses += found.clauses
            for number in range(top + 1, found.nv + 1):
                self.variable(("counter", number))

    def exactly(self, literals: Sequence[int], many: int) -> None:
        if len(literals) > WRITTEN_OUT or not 0 <= many <= len(literals):
            self.counted(literals, many, many)
            return
        # Of one more than may be false, one is true; of one more than may be true, one is not.
        if many:
            self.clauses += map(list, combinations(literals, len(literals) - many + 1))
        for several in combinations(literals, many + 1):
            self.clauses.append([-each for each in several])

    def meanings(self, true: set[int]) -> set[Hashable]:
        """What is true in a model, in the words under which the variables were asked for."""
        return {meaning for meaning, variable in self.variables.items() if variable in true}
