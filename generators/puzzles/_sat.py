"""SAT for puzzles: clauses, gates, and the proof that they leave one solution."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations, count

Clause = list[int]

# On puzzles of this size the engines differ by a fifth at most; this one has the least to set up.
ENGINE = "minisat22"


def exactly_one(literals: Sequence[int]) -> list[Clause]:
    return [list(literals), *at_most_one(literals)]


def at_most_one(literals: Sequence[int]) -> list[Clause]:
    return [[-left, -right] for left, right in combinations(literals, 2)]


def only_model(clauses: Iterable[Clause], deciding: Iterable[int]) -> set[int] | None:
    """The deciding variables that are true, where the clauses leave exactly one way to set them."""
    from pysat.solvers import Solver  # a quarter of a second to import

    with Solver(name=ENGINE, bootstrap_with=clauses) as solver:
        if not solver.solve():
            return None
        true = {literal for literal in solver.get_model() if literal > 0}
        # Another solution differs from this one in a deciding variable, or there is none.
        solver.add_clause([-variable if variable in true else variable for variable in deciding])
        return None if solver.solve() else true


class Circuit:
    """Formulas as clauses: each gate gives a literal that is true exactly when its formula is."""

    def __init__(self) -> None:
        self.variables: defaultdict[Hashable, int] = defaultdict(count(1).__next__)
        self.clauses: list[Clause] = []

    def variable(self, meaning: Hashable) -> int:
        return self.variables[meaning]

    def constant(self, truth: bool) -> int:
        known = "true" in self.variables
        true = self.variable("true")
        if not known:
            self.clauses.append([true])
        return true if truth else -true

    def both(self, left: int, right: int) -> int:
        known = ("both", left, right) in self.variables
        gate = self.variable(("both", left, right))
        if not known:
            self.clauses += [[-gate, left], [-gate, right], [gate, -left, -right]]
        return gate

    def either(self, left: int, right: int) -> int:
        return -self.both(-left, -right)

    def equal(self, left: int, right: int) -> int:
        return self.both(self.either(-left, right), self.either(left, -right))
