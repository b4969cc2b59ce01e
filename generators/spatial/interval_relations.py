"""Interval relations: from what is known of some pairs of intervals, all that may hold for another.

The thirteen relations of Allen's algebra. `solve` composes relations until nothing changes (path
consistency) and tries out what is left. `verify` knows no composition: it asks of each relation
whether the ends of all intervals can be put in an order, ties allowed, in which it holds (SAT).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, compress, permutations, product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._sat import possible

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MEANINGS = {
    "before": "X ends before Y begins",
    "meets": "X ends exactly when Y begins",
    "overlaps": "X begins before Y begins, and ends after Y begins but before Y ends",
    "starts": "X and Y begin together, and X ends before Y ends",
    "during": "X begins after Y begins and ends before Y ends",
    "finishes": "X begins after Y begins, and they end together",
    "equals": "X and Y begin together and end together",
    "finished-by": "X begins before Y begins, and they end together",
    "contains": "X begins before Y begins and ends after Y ends",
    "started-by": "X and Y begin together, and X ends after Y ends",
    "overlapped-by": "X begins after Y begins but before Y ends, and ends after Y ends",
    "met-by": "X begins exactly when Y ends",
    "after": "X begins after Y ends",
}
NAMES = tuple(MEANINGS)
ALL = (1 << len(NAMES)) - 1
# How X's begin and end stand to Y's: of begin and begin, begin and end, end and begin, end and end.
ENDS = ("<<<<", "<<=<", "<<><", "=<><", "><><", "><>=", "=<>=", "<<>=", "<<>>", "=<>>", "><>>",
        ">=>>", ">>>>")  # fmt: skip
WIDEST = 9  # relations in an answer

Fact = tuple[int, int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Knobs:
    intervals: int  # in all
    extra: int  # facts more than a tree needs
    doubt: float  # how often a fact leaves a relation open, and again how often another


@dataclass(frozen=True, slots=True)
class Network:
    intervals: tuple[str, ...]
    facts: tuple[Fact, ...]  # between two intervals by number, one of these relations holds
    asked: tuple[int, int]


def generate(rng: Random, knobs: Knobs) -> Network | None:
    count = knobs.intervals
    ends = [sorted(rng.sample(range(count + 2), 2)) for _ in range(count)]
    order = rng.sample(range(count), count)
    pairs = [
        (order[place], order[rng.randrange(max(place - 2, 0), place)]) for place in range(1, count)
    ]
    others = [pair for pair in combinations(range(count), 2) if {*pair} not in map(set, pairs)]
    rng.shuffle(others)
    asked, extra = others[0], others[1 : 1 + knobs.extra]
    asked = asked if rng.random() < 0.5 else asked[::-1]
    facts = []
    for a, b in [*pairs, *extra]:
        a, b = (a, b) if rng.random() < 0.5 else (b, a)
        true = _relation(ends[a], ends[b])
        chosen = {true}
        while rng.random() < knobs.doubt and len(chosen) < 4:
            chosen.add(max(min(true + rng.choice((-2, -1, 1, 2)), len(NAMES) - 1), 0))
        facts.append((a, b, tuple(NAMES[it] for it in sorted(chosen))))
    rng.shuffle(facts)
    letters = tuple(rng.sample(LETTERS, count))
    network = Network(letters, tuple(facts), asked)
    left = _closed(_table(network))
    assert left is not None, "the ends drawn are a model"
    many = left[asked[0]][asked[1]].bit_count()
    # What follows at once is rare at random, and what leaves nearly all open teaches little.
    if many > WIDEST or (left[asked[0]][asked[1]] in (1, 1 << 12) and rng.random() < 0.8):
        return None
    return network


def solve(network: Network) -> tuple[str, ...] | None:
    """Path consistency, with a search over the relations left open."""
    table = _closed(_table(network))
    if table is None:
        return None
    a, b = network.asked
    found = [
        name
        for place, name in enumerate(NAMES)
        if table[a][b] >> place & 1 and _consistent(_narrowed(table, a, b, 1 << place))
    ]
    return tuple(sorted(found)) or None


def verify(network: Network, names: tuple[str, ...]) -> float:
    return float(set(names) == _possible(network))


def render(network: Network, style: Style) -> Prompt:
    x, y = (network.intervals[it] for it in network.asked)
    facts = "\n".join(
        f"- {network.intervals[a]} {_either(relations, style)} {network.intervals[b]}"
        for a, b, relations in network.facts
    )
    meanings = "\n".join(f"- X {name} Y: {meaning}" for name, meaning in MEANINGS.items())
    many = len(network.intervals)
    doubt = any(len(relations) > 1 for _, _, relations in network.facts)
    open_ = style.pick(
        " Where several relations are named, one of them holds, and it is not known which.",
        " Several relations with a slash between them mean that one of these holds.",
        " Where several relations are given together, exactly one of them holds.",
    )
    open_ = open_ if doubt else ""
    asked = style.pick(
        f"Which relations may hold between {x} and {y}, with {x} as X and {y} as Y?",
        f"Name every relation R for which '{x} R {y}' is possible.",
        f"What can the relation of {x} to {y} be? Give all possibilities.",
    )
    return Prompt(
        style.pick(
            f"Intervals of time begin at one moment and end at a later one. Between two of them,"
            f" exactly one of thirteen relations holds:\n{meanings}\n\nThis is known about"
            f" {many} intervals:\n{facts}\n{open_.strip() + ' ' if open_ else ''}{asked} A relation"
            " is possible if all intervals can be placed in time so that it holds together with"
            " everything that is known.",
            f"{many} events each take some time. What is known about them:\n{facts}\n\nThe"
            f" relations mean the following, of which exactly one holds for any two events X and Y:"
            f"\n{meanings}\n{open_.strip() + ' ' if open_ else ''}{asked} Everything counts that"
            " can be true without contradicting what is known.",
            f"For two intervals X and Y there are thirteen possible relations:\n{meanings}\n"
            f"Given:\n{facts}\n{asked}{open_} A relation is possible if it agrees with all that is"
            " given, for some choice of where the intervals begin and end.",
        ),
        form="the names of all relations that are possible, in any order, separated by commas",
    )


def steps(network: Network) -> list[str]:
    """What path consistency leaves between any two, where it says more than the facts."""
    before, names = _table(network), network.intervals
    table = _closed(before) or before
    lines = []
    for a, b in combinations(range(len(names)), 2):
        if table[a][b] != before[a][b]:
            lines.append(f"{names[a]} {' / '.join(_names(table[a][b]))} {names[b]}")
    a, b = network.asked
    return [*lines, f"{names[a]} to {names[b]}: {', '.join(solve(network) or ())}"]


def slips(rng: Random, network: Network, gold: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What would be possible if a relation were another that is like it, or were overlooked."""
    for _ in range(SLIPS):
        # Oftener a fact about one that is asked about: what others say, several say.
        near = [it for it, fact in enumerate(network.facts) if {*fact[:2]} & {*network.asked}]
        at = rng.choice(near if near and rng.random() < 0.6 else range(len(network.facts)))
        a, b, relations = network.facts[at]
        mistaken = rng.choice(relations)
        place = NAMES.index(mistaken) + rng.choice((-2, -1, 1, 2))
        others = {*relations, NAMES[max(min(place, len(NAMES) - 1), 0)]} - {mistaken}
        fact = (a, b, tuple(sorted(others, key=NAMES.index)))
        told = () if not others or rng.random() < OVERLOOKED else (fact,)
        misread = replace(network, facts=(*network.facts[:at], *told, *network.facts[at + 1 :]))
        table = _closed(_table(misread))
        found = _names(table[network.asked[0]][network.asked[1]]) if table else []
        if 0 < len(found) <= WIDEST:
            network = misread
            yield tuple(sorted(found))


def canon(network: Network) -> list[str]:
    facts = [(*relations, network.intervals[a], network.intervals[b])
             for a, b, relations in network.facts]  # fmt: skip
    asked = ("asked", *(network.intervals[it] for it in network.asked))
    return unnamed([*facts, asked], network.intervals)


def hardness(network: Network) -> float:
    return len(network.facts) + sum(len(relations) for _, _, relations in network.facts) / 2


def _relation(one: Sequence[int], other: Sequence[int]) -> int:
    signs = "".join("<=>"[(a > b) - (a < b) + 1] for a in one for b in other)
    return ENDS.index(signs)


@cache
def _composition() -> list[list[int]]:
    """What A to C may be, where A to B and B to C are known: tried out on six moments."""
    intervals = list(combinations(range(6), 2))
    found = [[0] * len(NAMES) for _ in NAMES]
    for a, b, c in product(intervals, repeat=3):
        found[_relation(a, b)][_relation(b, c)] |= 1 << _relation(a, c)
    return found


@cache
def _composed(one: int, other: int) -> int:
    result = 0
    for a in range(len(NAMES)):
        if one >> a & 1:
            for b in range(len(NAMES)):
                if other >> b & 1:
                    result |= _composition()[a][b]
    return result


@cache
def _converse(relations: int) -> int:
    # In the order of NAMES each stands as far from the one end as its converse from the other.
    last = len(NAMES) - 1
    return sum(1 << last - it for it in range(len(NAMES)) if relations >> it & 1)


def _table(network: Network) -> list[list[int]]:
    count = len(network.intervals)
    table = [[ALL] * count for _ in range(count)]
    for it in range(count):
        table[it][it] = 1 << NAMES.index("equals")
    for a, b, relations in network.facts:
        mask = sum(1 << NAMES.index(name) for name in relations)
        table[a][b] &= mask
        table[b][a] &= _converse(mask)
    return table


def _closed(table: list[list[int]]) -> list[list[int]] | None:
    """No pair allows what a third interval rules out; None, if nothing is left of one."""
    table = [list(row) for row in table]
    size = range(len(table))
    waiting = list(combinations(size, 2))
    while waiting:
        a, b = waiting.pop()
        for c in size:
            if c in (a, b):
                continue
            for i, j, left in (
                (a, c, table[a][c] & _composed(table[a][b], table[b][c])),
                (c, b, table[c][b] & _composed(table[c][a], table[a][b])),
            ):
                if left != table[i][j]:
                    if not left:
                        return None
                    table[i][j], table[j][i] = left, _converse(left)
                    waiting.append((min(i, j), max(i, j)))
    return table


def _narrowed(table: list[list[int]], a: int, b: int, mask: int) -> list[list[int]]:
    narrowed = [list(row) for row in table]
    narrowed[a][b], narrowed[b][a] = mask, _converse(mask)
    return narrowed


def _consistent(table: list[list[int]]) -> bool:
    """Whether relations can be chosen; path-consistent single ones always go together."""
    closed = _closed(table)
    if closed is None:
        return False
    open_ = [
        (closed[a][b].bit_count(), a, b)
        for a, b in combinations(range(len(closed)), 2)
        if closed[a][b].bit_count() > 1
    ]
    if not open_:
        return True
    _, a, b = min(open_)
    return any(
        _consistent(_narrowed(closed, a, b, 1 << place))
        for place in range(len(NAMES))
        if closed[a][b] >> place & 1
    )


@lru_cache(64)  # many answers to one network are looked at
def _possible(network: Network) -> set[str]:
    """SAT: the relations that agree with the facts in some order of all ends."""
    count = len(network.intervals)
    clauses = [*_orders(2 * count)]
    fresh = 4 * count**2
    for a, b, relations in network.facts:
        clauses.append([fresh + number for number, _ in enumerate(relations, start=1)])
        for relation in relations:
            fresh += 1
            clauses += [[-fresh, *clause] for clause in _holds(relation, a, b, count)]
    suppositions = [
        [literal for clause in _holds(relation, *network.asked, count) for literal in clause]
        for relation in NAMES
    ]
    return set(compress(NAMES, possible(clauses, suppositions)))


@lru_cache(8)
def _orders(points: int) -> tuple[list[int], ...]:
    """Clauses: the variables `_earlier` are an order of the points, ties allowed."""
    earlier = [[_earlier(a, b, points) for b in range(points)] for a in range(points)]
    return (
        *([-earlier[a][b], -earlier[b][a]] for a, b in combinations(range(points), 2)),
        *(
            [-earlier[a][c], earlier[a][b], earlier[b][c]]
            for a, b, c in permutations(range(points), 3)
        ),
        *([earlier[begin][begin + 1]] for begin in range(0, points, 2)),
    )


def _earlier(a: int, b: int, points: int) -> int:
    return a * points + b + 1


def _holds(relation: str, a: int, b: int, count: int) -> Iterator[list[int]]:
    """Clauses: a relation between two intervals, whose ends are points 2i and 2i + 1."""
    ends = product((2 * a, 2 * a + 1), (2 * b, 2 * b + 1))
    for sign, (one, other) in zip(ENDS[NAMES.index(relation)], ends):
        forth, back = _earlier(one, other, 2 * count), _earlier(other, one, 2 * count)
        yield [forth if sign == "<" else -forth]
        yield [back if sign == ">" else -back]


def _names(mask: int) -> list[str]:
    return [name for place, name in enumerate(NAMES) if mask >> place & 1]


def _either(relations: tuple[str, ...], style: Style) -> str:
    if len(relations) == 1:
        return relations[0]
    return style.pick(f"[{' or '.join(relations)}]", " / ".join(relations), " or ".join(relations))


SLIPS = 50
OVERLOOKED = 0.35  # of mistaken facts
LADDER = (
    Knobs(3, 0, 0.0),
    Knobs(4, 1, 0.15),
    Knobs(5, 2, 0.2),
    Knobs(6, 4, 0.35),
    Knobs(9, 10, 0.5),
)
FAMILY = Family(
    Network,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(either=True),
    hardness=hardness,
    proof="unique",
    solver="path consistency and search",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    slips=slips,
    slips_version=2,
    skills=("deduction", "temporal"),
    peers=("reasoning-core/qualitative_reasoning",),
    version=2,
)
