"""Unification: make two terms equal, by putting in for their variables no more than is needed.

The answer is the term that both become. Two most general ones differ in the names of variables
only, and any of them is right. `solve` works off a list of equations and puts solved variables in;
`verify` merges parts that must be equal into classes, and reads the term off these.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers import IMPOSSIBLE, Impossible
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.languages._terms import Term, parts, read, shown, size, variables

Answer: TypeAlias = str | Impossible

FUNCTIONS = (("f", 2), ("g", 1), ("h", 3), ("k", 2))
CONSTANTS = "abc"
NAMES = ("X", "Y", "Z", "U", "V", "W", "P", "Q", "R", "S", "T", "M", "N", "L")
LARGEST = 150  # names in the common term


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # of the terms, about
    variables: int  # different ones, at most
    impossible: float  # share of pairs that cannot be made equal


@dataclass(frozen=True, slots=True)
class Pair:
    left: Term
    right: Term


def generate(rng: Random, knobs: Knobs) -> Pair | None:
    """One term, with different parts of it hidden behind variables on either side."""
    whole = _grown(rng, knobs.size)
    if not 2 * knobs.size // 3 <= size(whole) <= 3 * knobs.size // 2:
        return None
    names = rng.sample(NAMES, knobs.variables)
    behind: dict[str, Term] = {}
    sides = [_hidden(rng, whole, names, behind, 0) for _ in range(2)]
    pair = Pair(sides[0], sides[1])
    if size(pair.left) + size(pair.right) < knobs.size:
        return None
    wanted = rng.random() >= knobs.impossible  # whether they can be made equal
    if not wanted or rng.random() < 0.5:
        pair = _spoiled(rng, pair, names, wanted)
    used = {*variables(pair.left), *variables(pair.right)}
    if len(used) < max(2, min(2 * knobs.variables, knobs.size) // 3):
        return None
    if pair.left == pair.right or isinstance(pair.left, str) or isinstance(pair.right, str):
        return None
    common = _common(pair)
    if common is None:
        # A clash at the front would be seen at once.
        return None if wanted or not _may_be_equal(pair.left, pair.right) else pair
    if not wanted or size(common) > LARGEST or common in (pair.left, pair.right):
        return None
    return pair


def solve(pair: Pair) -> Answer:
    common = _common(pair)
    return IMPOSSIBLE if common is None else shown(common)


def verify(pair: Pair, answer: Answer) -> float:
    common = _merged(pair)
    if isinstance(answer, Impossible):
        return float(common is None)
    said = read(answer)
    if said is None or common is None or size(said) != size(common):
        return 0.0
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    for one, other in zip(parts(common), parts(said)):
        if isinstance(one, str) != isinstance(other, str):
            return 0.0
        if isinstance(one, str):
            if there.setdefault(one, other) != other or back.setdefault(other, one) != one:
                return 0.0
        elif one[:1] != other[:1] or len(one) != len(other):
            return 0.0
    return 1.0


def recheck(pair: Pair, answer: Answer) -> bool:
    """Both terms become the answer, and the answer becomes what `solve` found."""
    gold = _common(pair)
    if isinstance(answer, Impossible) or gold is None:
        return isinstance(answer, Impossible) and gold is None
    said = read(answer)
    if said is None:
        return False
    # One substitution must serve both sides: they are matched as one term.
    whole, twice = ("=", pair.left, pair.right), ("=", said, said)
    return _fits(whole, twice, {}) and _fits(said, gold, {})


def render(pair: Pair, style: Style) -> Prompt:
    left, right = shown(pair.left), shown(pair.right)
    return Prompt(
        style.pick(
            f"Unify these two terms:\n\n{left}\n{right}\n\nCapital letters are variables; small"
            " letters are functions and constants. A variable stands for one and the same term"
            " wherever it occurs, in both terms. Find a most general unifier, and give the term"
            " that both become under it. Some pairs cannot be unified; no term may contain itself.",
            f"In the terms\n\n{left}\n{right}\n\ncapital letters are variables, for which terms may"
            " be put in: the same term for the same letter everywhere. Small letters are fixed"
            " functions and constants. Put in terms that make the two equal, as general as"
            " possible: nothing is fixed that could be left open. Which term results, if it can be"
            " done at all with finite terms?",
            f"s = {left}\nt = {right}\n\nWhat is the most general common instance of s and t, where"
            " capital letters are variables that s and t share, and small letters are function"
            " symbols and constants? Give the term that results when a most general unifier is"
            " applied to both, unless there is no unifier (a variable cannot be replaced by a term"
            " in which it occurs).",
        ),
        form=(
            "the resulting term, written like the given ones (which capital letters it uses for"
            ' what is left open does not matter), or the word "impossible" if there is none'
        ),
    )


def steps(pair: Pair) -> list[str]:
    return [line for line, _ in _solving(pair)]


def canon(pair: Pair) -> list[str]:
    """The names of variables do not matter."""
    new: dict[str, str] = {}
    return [shown(_renamed(side, new)) for side in (pair.left, pair.right)]


def hardness(pair: Pair) -> int:
    return size(pair.left) + size(pair.right) + 2 * len(steps(pair))


@lru_cache(maxsize=2)
def _common(pair: Pair) -> Term | None:
    found: dict[str, Term] = {}
    for _, solved in _solving(pair):
        if solved is None:
            return None
        found = solved
    return _put(pair.left, found)


def _solving(pair: Pair) -> Iterator[tuple[str, dict[str, Term] | None]]:
    """What is put in for a variable, step by step, and for all so far; None at a dead end."""
    waiting: list[tuple[Term, Term]] = [(pair.left, pair.right)]
    found: dict[str, Term] = {}
    while waiting:
        one, other = (_put(side, found) for side in waiting.pop())
        if one == other:
            continue
        if not isinstance(one, str) and isinstance(other, str):
            one, other = other, one
        if isinstance(one, str):
            if one in variables(other) or size(other) > 20 * LARGEST:
                yield f"{one} would have to be {shown(other)}, of which it is a part", None
                return
            found = {name: _put(term, {one: other}) for name, term in found.items()}
            found[one] = other
            yield f"{one} = {shown(other)}", found
        elif (one[0], len(one)) != (other[0], len(other)):
            yield f"{shown(one)} and {shown(other)} differ at the front", None
            return
        else:
            waiting += zip(one[:0:-1], other[:0:-1])


def _put(term: Term, found: dict[str, Term]) -> Term:
    if isinstance(term, str):
        return found.get(term, term)
    return (term[0], *(_put(part, found) for part in term[1:]))


def _merged(pair: Pair) -> Term | None:
    """Classes of parts that must be equal; the common term, if no class lies within itself."""
    leader: dict[Term, Term] = {}

    def led(term: Term) -> Term:
        while leader.get(term, term) != term:
            term = leader[term]
        return term

    waiting = [(pair.left, pair.right)]
    while waiting:
        one, other = map(led, waiting.pop())
        if one == other:
            continue
        if isinstance(one, str):
            leader[one] = other
        elif isinstance(other, str):
            leader[other] = one
        elif one[0] == other[0] and len(one) == len(other):
            leader[one] = other
            waiting += zip(one[1:], other[1:])
        else:
            return None

    def built(term: Term, inside: tuple[Term, ...]) -> Term | None:
        term = led(term)
        if isinstance(term, str):
            return term
        if term in inside:
            return None
        made = []
        for part in term[1:]:
            found = built(part, (*inside, term))
            if found is None:
                return None
            made.append(found)
        return (term[0], *made)

    return built(pair.left, ())


def _fits(shape: Term, term: Term, found: dict[str, Term]) -> bool:
    """Whether the shape becomes the term when its variables are filled in."""
    if isinstance(shape, str):
        return bool(found.setdefault(shape, term) == term)
    if isinstance(term, str) or (shape[0], len(shape)) != (term[0], len(term)):
        return False
    return all(_fits(part, other, found) for part, other in zip(shape[1:], term[1:]))


def _renamed(term: Term, new: dict[str, str]) -> Term:
    if isinstance(term, str):
        return new.setdefault(term, f"V{len(new)}")
    return (term[0], *(_renamed(part, new) for part in term[1:]))


def _grown(rng: Random, wanted: int) -> Term:
    """A term without variables, some of whose parts recur."""
    made: list[Term] = [(name,) for name in CONSTANTS]
    while size(made[-1]) < 2 * wanted // 3:
        name, arity = rng.choice(FUNCTIONS)
        recent = made[-4:]
        made.append((name, *(rng.choice(recent) for _ in range(arity))))
    return made[-1]


def _hidden(rng: Random, term: Term, names: list[str], behind: dict[str, Term], depth: int) -> Term:
    """The term with some of its parts behind variables; a variable hides the same everywhere."""
    if depth and rng.random() < 0.1 + 0.08 * depth:
        fitting = [name for name in names if behind.get(name) == term and rng.random() < 0.8]
        fitting = fitting or [name for name in names if behind.get(name, term) == term]
        if fitting:
            name = rng.choice(fitting)
            behind[name] = term
            return name
    return (term[0], *(_hidden(rng, part, names, behind, depth + 1) for part in term[1:]))


def _spoiled(rng: Random, pair: Pair, names: list[str], wanted: bool) -> Pair:
    """The pair with a part exchanged, so that it can be made equal or not, as is wanted."""
    for _ in range(40):
        changed = Pair(pair.left, _changed(rng, pair.right, names))
        if rng.random() < 0.5:
            changed = Pair(_changed(rng, pair.left, names), pair.right)
        if _may_be_equal(changed.left, changed.right) and (_common(changed) is not None) == wanted:
            return changed
    return pair


def _changed(rng: Random, term: Term, names: list[str]) -> Term:
    """The term with one of its deep parts exchanged."""
    if isinstance(term, str) or len(term) == 1:
        others = [*names, *((name,) for name in CONSTANTS), ("g", term), ("g", rng.choice(names))]
        return rng.choice([other for other in others if other != term])
    at = rng.randrange(1, len(term))
    return (*term[:at], _changed(rng, term[at], names), *term[at + 1 :])


def _may_be_equal(one: Term, other: Term) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return True
    if (one[0], len(one)) != (other[0], len(other)):
        return False
    return all(map(_may_be_equal, one[1:], other[1:]))


LADDER = (
    Knobs(6, 2, 0.0),
    Knobs(9, 3, 0.15),
    Knobs(14, 5, 0.2),
    Knobs(22, 7, 0.2),
    Knobs(34, 9, 0.2),
    Knobs(52, 11, 0.2),
)
FAMILY = Family(
    Pair,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.OrImpossible(answers.Text()),
    hardness=hardness,
    solver="equations solved one by one",
    guess_rate=0.25,
    recheck=recheck,
    steps=steps,
    canon=canon,
    skills=("rules", "logic"),
    peers=("reasoning-core/unification_entailment",),
    version=2,
)
