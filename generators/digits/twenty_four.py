"""Twenty-four: reach a target by calculating with all of the given numbers, or say it cannot be.

Many formulas can be right, so `verify` evaluates the answer exactly: any formula counts that uses
each number exactly once. Where the answer is that there is no such formula, `verify` works out
everything that the numbers come to, forwards and in floating point; `solve` works exactly, and for
the most part backwards from the target.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import combinations
from math import gcd, log
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.answers.arithmetic import Tree, leaves, value
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.digits import _formulas

TARGET = 24
FORWARDS = 3  # the largest set of numbers whose results are all written out by `solve`
PRIME = 2**61 - 1  # results of so few numbers that differ hardly ever meet modulo this
DRAWS = 60  # to find numbers that can, or cannot, reach the target

Ratio: TypeAlias = tuple[int, int]  # in lowest terms, never negative
Numbers: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # to calculate with
    most: int  # the largest number
    target_most: int  # the largest target; the smallest is 24
    impossible: float  # share of puzzles that have no formula


@dataclass(frozen=True, slots=True)
class Table:
    numbers: Numbers
    target: int


def generate(rng: Random, knobs: Knobs) -> Table | None:
    """Numbers and target are drawn alike, whether they are to have a formula or not."""
    wanted = rng.random() >= knobs.impossible
    for _ in range(DRAWS):
        numbers = tuple(rng.randint(1, knobs.most) for _ in range(knobs.numbers))
        table = Table(numbers, rng.randint(TARGET, knobs.target_most))
        if not wanted and _meets_midway(table):
            continue
        if (solve(table) is not IMPOSSIBLE) == wanted:
            return table
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(table: Table) -> Tree | Impossible:
    """Backwards: what must the rest come to, if some of the numbers come to this and that?

    Only sizes are looked at, never signs: whatever numbers come to, they come to its absolute value
    if every subtraction is turned so that the smaller is taken from the larger.
    """
    found = _Search().made(tuple(sorted(table.numbers)), (table.target, 1))
    return IMPOSSIBLE if found is None else found


def verify(table: Table, tree: Tree | Impossible) -> float:
    if isinstance(tree, Impossible):
        return float(not _reached(table))
    if Counter(leaves(tree)) != Counter(table.numbers):
        return 0.0
    return float(value(tree) == table.target)


def recheck(table: Table, tree: Tree | Impossible) -> bool:
    """On a stack, with whole numbers over one another; impossible, if it is modulo a prime."""
    if isinstance(tree, Impossible):
        return not _possible(table)
    found = _formulas.on_a_stack(tree)
    if found is None:
        return False
    used, over, under = found
    return sorted(used) == sorted(table.numbers) and over == table.target * under


def render(table: Table, style: Style) -> Prompt:
    numbers, target = ", ".join(map(str, table.numbers)), table.target
    rules = (
        "You may add, subtract, multiply and divide, and use brackets. Digits must not be joined"
        " into longer numbers, and a number that is listed several times must be used that many"
        " times. Intermediate results may be negative or fractions."
    )
    return Prompt(
        style.pick(
            f"Make {target} from the numbers {numbers}, using every one of them exactly once."
            f" {rules} There may be no way to do it.",
            f"Numbers: {numbers}\nTarget: {target}\n\nIs there a calculation that uses all of these"
            f" numbers, each exactly once, and gives the target exactly? If there is, find one."
            f" {rules}",
            f"Write down a formula for {target} in which each of these numbers stands exactly once,"
            f" and no other number: {numbers}\n\n{rules} It is possible that no such formula"
            " exists.",
        ),
        form="one formula of numbers, + - * / and brackets, such as (3 + 5) * 2 - 1,"
        ' or the word "impossible"',
    )


def steps(table: Table) -> list[str]:
    """The gold formula, calculated one operation at a time; or the ways to end that were tried."""
    tree = solve(table)
    if not isinstance(tree, Impossible):
        return list(_formulas.worked(tree))
    numbers, target = tuple(sorted(table.numbers)), (table.target, 1)
    lines = []
    for number in sorted(set(numbers)):
        needed = sorted({rest for rest, _, _ in _missing((number, 1), target)})
        said = ", ".join(map(_written, needed))
        lines.append(f"With {number} last, the others would have to make {said}: they cannot.")
    return [*lines, "Splitting off two or more numbers leads nowhere either: impossible."]


def slips(rng: Random, table: Table, gold: Tree | Impossible) -> Iterator[Tree]:
    """Formulas for other targets near by, as gold is one for its own."""
    search, target, numbers = _Search(), table.target, tuple(sorted(table.numbers))
    if len(numbers) <= FORWARDS:
        results = [
            (max(over, target) / min(over, target), tree)
            for (over, under), tree in search.reached(numbers).items()
            if over and under == 1
        ]
        near = [tree for _, tree in sorted(results, key=lambda result: result[0])]
        yield from rng.sample(near[:NEAR], len(near[:NEAR]))
        return
    for _ in range(SLIPS):
        target = max(TARGET, target + rng.choice((-1, 1)) * rng.randint(1, max(2, target // 20)))
        found = search.made(numbers, (target, 1))
        if found is not None:
            yield found


def canon(table: Table) -> list[int]:
    return [table.target, *sorted(table.numbers)]


def hardness(table: Table) -> float:
    """Formulas there are, to hit so many targets."""
    return len(table.numbers) * 2 + log(table.target * max(table.numbers))


class _Search:
    """What numbers come to, and whether they come to something; by the numbers in order of size."""

    def __init__(self) -> None:
        self.results: dict[Numbers, dict[Ratio, Tree]] = {}
        self.tried: dict[tuple[Numbers, Ratio], Tree | None] = {}

    def made(self, numbers: Numbers, target: Ratio) -> Tree | None:
        if len(numbers) <= FORWARDS:
            return self.reached(numbers).get(target)
        key = (numbers, target)
        if key not in self.tried:
            self.tried[key] = self._made(numbers, target)
        return self.tried[key]

    def _made(self, numbers: Numbers, target: Ratio) -> Tree | None:
        for part, rest in _splits(numbers):
            reached = self.reached(rest).get if len(rest) <= FORWARDS else partial(self.made, rest)
            for result, tree in self.reached(part).items():
                if result[0] == 0 == target[0]:
                    return ("*", tree, _summed(rest))
                for missing, sign, swapped in _missing(result, target):
                    other = reached(missing)
                    if other is not None:
                        return (sign, other, tree) if swapped else (sign, tree, other)
        return None

    def reached(self, numbers: Numbers) -> dict[Ratio, Tree]:
        """Everything that so few numbers come to, each with a formula."""
        if numbers not in self.results:
            found: dict[Ratio, Tree] = {(numbers[0], 1): numbers[0]} if len(numbers) == 1 else {}
            for part, rest in _splits(numbers):
                others = self.reached(rest).items()
                for one, left in self.reached(part).items():
                    for other, right in others:
                        for result, sign, swapped in _results(one, other):
                            if result not in found:
                                pair = (right, left) if swapped else (left, right)
                                found[result] = (sign, *pair)
            self.results[numbers] = found
        return self.results[numbers]


def _meets_midway(table: Table) -> bool:
    """Whether two parts of the numbers make the target, of those all of whose results are written
    out: most tables that have a formula have such a one, and it takes a fraction of the search."""
    search, target = _Search(), (table.target, 1)
    return any(
        missing in search.reached(rest)
        for part, rest in reversed(_splits(tuple(sorted(table.numbers))))
        if len(rest) <= FORWARDS
        for result in search.reached(part)
        for missing, _, _ in _missing(result, target)
    )


def _summed(numbers: Numbers) -> Tree:
    first, *others = numbers
    return ("+", first, _summed(tuple(others))) if others else first


@lru_cache(maxsize=1 << 12)  # small parts come again and again
def _splits(numbers: Numbers) -> tuple[tuple[Numbers, Numbers], ...]:
    """The ways to split the numbers in two, the larger part last and the smallest first."""
    found: dict[tuple[Numbers, Numbers], None] = {}
    for chosen, others in _halves(len(numbers)):
        part = tuple([numbers[place] for place in chosen])
        rest = tuple([numbers[place] for place in others])
        if (rest, part) not in found:
            found[part, rest] = None
    return tuple(found)


@cache
def _halves(count: int) -> list[tuple[Numbers, Numbers]]:
    """The places of each part of so many numbers that is no larger than the rest, and of the
    rest."""
    places = range(count)
    return [
        (chosen, tuple(place for place in places if place not in chosen))
        for size in range(1, count // 2 + 1)
        for chosen in combinations(places, size)
    ]


def _lowest(over: int, under: int) -> Ratio:
    if under == 1:
        return over, 1
    common = gcd(over, under)
    return over // common, under // common


def _results(one: Ratio, other: Ratio) -> list[tuple[Ratio, str, bool]]:
    """What two ratios come to; the sign, and whether the second stands first."""
    (a, b), (c, d) = one, other
    left, right, under = a * d, c * b, b * d
    found = [
        (_lowest(left + right, under), "+", False),
        (_lowest(abs(left - right), under), "-", right > left),
        (_lowest(a * c, under), "*", False),
    ]
    common = gcd(left, right)
    if right:
        found.append(((left // common, right // common), "/", False))
    if left:
        found.append(((right // common, left // common), "/", True))
    return found


def _missing(one: Ratio, target: Ratio) -> list[tuple[Ratio, str, bool]]:
    """What makes the target with one; the sign, and whether it stands before it."""
    (a, b), (c, d) = one, target
    left, right, under = a * d, c * b, b * d
    found = []
    if right >= left:
        found.append((_lowest(right - left, under), "+", False))
    if left >= right:
        found.append((_lowest(left - right, under), "-", False))
    found.append((_lowest(left + right, under), "-", True))
    if left:
        common = gcd(left, right)
        found.append(((right // common, left // common), "*", False))
        found.append((_lowest(a * c, under), "/", True))
        if right:
            found.append(((left // common, right // common), "/", False))
    return found


def _reached(table: Table) -> bool:
    """Whether the target is among all that the numbers come to; in floating point, with slack.

    Differing results of so few numbers lie further apart than rounding goes, near the target.
    """
    import numpy

    known: dict[Numbers, Any] = {}

    def results(numbers: Numbers) -> Any:
        if len(numbers) == 1:
            return numpy.array(numbers, dtype=float)
        if numbers not in known:
            found = [_combined(results(part), results(rest)) for part, rest in _splits(numbers)]
            known[numbers] = numpy.concatenate(found)
            if len(numbers) < 5:
                known[numbers] = numpy.unique(numpy.round(known[numbers], 10))
        return known[numbers]

    everything = tuple(sorted(table.numbers))
    return any(
        bool((abs(_combined(results(part), results(rest)) - table.target) < 1e-6).any())
        for part, rest in _splits(everything)
    )


def _combined(some: Any, others: Any) -> Any:
    import numpy

    one, other = numpy.meshgrid(some, others)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        found = [one + other, abs(one - other), one * other, one / other, other / one]
    flat = numpy.concatenate([each.ravel() for each in found])
    return flat[numpy.isfinite(flat)]


def _residues(numbers: Numbers, known: dict[Numbers, set[int]]) -> Iterator[int]:
    """All that numbers come to, signs and all, modulo a prime; sets of up to four are kept."""
    if len(numbers) == 1:
        yield numbers[0]
    for part, rest in _splits(numbers):
        for some in (part, rest):
            if some not in known:
                known[some] = set(_residues(some, known))
        inverses = [(other, pow(other, -1, PRIME) if other else 0) for other in known[rest]]
        for one in known[part]:
            inverse = pow(one, -1, PRIME) if one else 0
            for other, under in inverses:
                yield (one + other) % PRIME
                yield (one - other) % PRIME
                yield (other - one) % PRIME
                yield one * other % PRIME
                yield one * under % PRIME
                yield other * inverse % PRIME


def _possible(table: Table) -> bool:
    """Whether some number, and what the others come to, make the target; or two parts do."""
    known: dict[Numbers, set[int]] = {}
    numbers, target = tuple(sorted(table.numbers)), table.target
    for part, rest in _splits(numbers):
        for one in _residues(part, known):
            ends = {target - one, one - target, target + one}
            if one:
                ends |= {target * one, target * pow(one, -1, PRIME), one * pow(target, -1, PRIME)}
            ends = {end % PRIME for end in ends}
            if any(other in ends for other in _residues(rest, known)):
                return True
    return False


def _written(ratio: Ratio) -> str:
    over, under = ratio
    return str(over) if under == 1 else f"{over}/{under}"


SLIPS = 30
NEAR = 8  # results of few numbers that are nearest to the target
LADDER = (
    Knobs(3, 12, 24, 0.0),
    Knobs(4, 10, 24, 0.1),
    Knobs(4, 20, 100, 0.2),
    Knobs(5, 25, 200, 0.2),
    Knobs(5, 50, 600, 0.2),
    Knobs(6, 75, 2000, 0.2),
)
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Formula()),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="exact search backwards from the target",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    redraws=True,
    slips=slips,
    slips_version=2,
    skills=("calculation", "search"),
    peers=(
        "reasoning-gym/puzzle24",
        "Enigmata/game24",
        "SynLogic/game_of_24",
        "InternBootcamp/game24",
    ),
    theme="target_number",
    version=2,
)
