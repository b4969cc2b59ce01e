"""The instructions that a machine may have, when its own is not told: all of a form, and a search.

A kind of effect or condition is a term of x, y and N; x and y stand for p and q in either order,
and N for a number of its range.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

Term: TypeAlias = tuple[Any, ...]
Pair: TypeAlias = tuple[int, int]
Example: TypeAlias = tuple[Pair, Pair]  # p and q before and after
Effect: TypeAlias = tuple[str, bool, int]  # or condition: its kind, whether x is q, N
Chain: TypeAlias = tuple[Effect, ...]  # effects, one after the other
Changing: TypeAlias = tuple[int, Callable[[int, int, int], int], int]  # an effect's place, and N

EFFECTS: dict[str, tuple[Term, tuple[int, int]]] = {
    "add other": (("add", "x", "y"), (0, 0)),
    "add number": (("add", "x", "N"), (1, 9)),
    "gap other": (("gap", "x", "y"), (0, 0)),
    "gap number": (("gap", "x", "N"), (3, 9)),
    "copy": (("copy", "x", "y"), (0, 0)),
    "swap": (("swap", "x", "y"), (0, 0)),
    "times": (("times", "x", "N"), (2, 3)),
    "halve": (("halve", "x"), (0, 0)),
    "remainder": (("remainder", "x", "N"), (5, 11)),
    "larger": (("larger", "x", "y"), (0, 0)),
}
CONDITIONS: dict[str, tuple[Term, tuple[int, int]]] = {
    "less": (("less", "x", "y"), (0, 0)),
    "even": (("even", "x"), (0, 0)),
    "above": (("above", "x", "N"), (3, 12)),
}

# The engine's way: the pair p, q after an effect, by the changed number, the other and N.
CHANGED: dict[str, Callable[[int, int, int], int]] = {
    "add other": lambda x, y, n: x + y,
    "add number": lambda x, y, n: x + n,
    "gap other": lambda x, y, n: abs(x - y),
    "gap number": lambda x, y, n: abs(x - n),
    "copy": lambda x, y, n: y,
    "times": lambda x, y, n: x * n,
    "halve": lambda x, y, n: x // 2,
    "remainder": lambda x, y, n: x % n,
    "larger": lambda x, y, n: max(x, y),
}
MEETS: dict[str, Callable[[int, int, int], bool]] = {
    "less": lambda x, y, n: x < y,
    "even": lambda x, y, n: x % 2 == 0,
    "above": lambda x, y, n: x > n,
}


@lru_cache(maxsize=64)
def every(kinds: tuple[str, ...]) -> list[tuple[str, bool, int, Term]]:
    """All effects or conditions of these kinds: the kind, whether x is q, N, and the term."""
    found = list[tuple[str, bool, int, Term]]()
    for kind in kinds:
        term, (low, high) = (EFFECTS | CONDITIONS)[kind]
        for turned in (False, True)[: 1 if kind == "swap" else 2]:
            names = {"x": "pq"[turned], "y": "qp"[turned]}
            for number in range(low, high + 1):
                worded = tuple(number if it == "N" else names.get(it, it) for it in term)
                found.append((kind, turned, number, worded))
    return found


def acted(kind: str, turned: bool, number: int, pair: Pair) -> Pair:
    """The engine: p and q after an effect."""
    if kind == "swap":
        return pair[::-1]
    if turned:
        return pair[0], CHANGED[kind](pair[1], pair[0], number)
    return CHANGED[kind](pair[0], pair[1], number), pair[1]


@lru_cache(maxsize=256)
def all_met(pair: Pair) -> list[bool]:
    """Of every condition, whether two numbers meet it."""
    return [met(*condition[:3], pair) for condition in every((*CONDITIONS,))]


def met(kind: str, turned: bool, number: int, pair: Pair) -> bool:
    return MEETS[kind](*(pair[::-1] if turned else pair), number)


@lru_cache(maxsize=64)
def chains(kinds: tuple[str, ...], length: int) -> list[Chain]:
    """All rows of so many effects."""
    each = [(kind, turned, number) for kind, turned, number, _ in every(kinds)]
    found: list[Chain] = [()]
    for _ in range(length):
        found = [(*chain, effect) for chain in found for effect in each]
    return found


def carried(chain: Chain, pair: Pair) -> Pair:
    for kind, turned, number in chain:
        pair = acted(kind, turned, number, pair)
    return pair


def fitting(
    kinds: tuple[str, ...], length: int, examples: Sequence[Example]
) -> list[tuple[int, Chain]]:
    """The rows of effects that explain an example or more, each with those that it explains, as
    bits. The last effect of a row is looked up by what it has to do."""
    last = chains(kinds, 1)
    swaps, on_p, on_q = list[int](), list[Changing](), list[Changing]()
    for at, ((kind, turned, number),) in enumerate(last):
        if kind == "swap":
            swaps.append(at)
        else:
            (on_q if turned else on_p).append((at, CHANGED[kind], number))
    table = dict[Example, list[int]]()

    def able(example: Example) -> list[int]:
        """The effects that make one pair of another: but for a swap, each changes one number."""
        (p, q), (after_p, after_q) = example
        found = list[int]()
        if q == after_q:
            found += [at for at, change, number in on_p if change(p, q, number) == after_p]
        if p == after_p:
            found += [at for at, change, number in on_q if change(q, p, number) == after_q]
        return found + swaps if (p, q) == (after_q, after_p) else found

    found = list[tuple[int, Chain]]()
    for chain in chains(kinds, length - 1):
        bits = dict[int, int]()
        for number, (pair, wanted) in enumerate(examples):
            example = carried(chain, pair), wanted
            if example not in table:
                table[example] = able(example)
            for at in table[example]:
                bits[at] = bits.get(at, 0) | 1 << number
        found += [(mask, (*chain, *last[at])) for at, mask in bits.items()]
    return found
