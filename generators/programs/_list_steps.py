"""What can be done to a list of whole numbers, step by step: in words, as a rule, and as code.

A task is a few changes of a list and one thing to return in the end. `expected` follows the rules
in Python; `written` writes a program in the language of replies, by loops of its own.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations, cycle, groupby, islice, pairwise, starmap
from operator import gt
from random import Random
from typing import TypeAlias

from puzzlemill.core.address import digest
from puzzlemill.core.answers.program.tree import Block, Expression, Statement
from puzzlemill.core.random_source import Source

Step: TypeAlias = tuple[str, int]  # a change, and its number
Numbers: TypeAlias = list[int]
# Of a list: its length, 0 for one next to a number of the steps, and which; and what stands in it:
# less than REPLACED for a number next to one of the steps, and which, or more for one of NUMBERS.
Pattern: TypeAlias = tuple[int, int, Numbers]
Tried: TypeAlias = tuple[Numbers, int | Numbers]  # a list, and what is expected of it
# Steps from a place on, up to another, and those that stand there instead.
Exchange: TypeAlias = tuple[int, int, tuple[Step, ...]]

BY_HAND = ((), (0,), (3, 3), (-2, 5), (4, 4, 1, 4))
POOL, TESTS = 200, 100  # lists to choose from; that are tried whatever they tell
PARTS = (0, 15, TESTS, POOL)  # of those to choose from: what is not asked for is not drawn
ALWAYS = (0, 1)  # parts that are tried whatever they tell
APART = 3  # lists that tell a neighbouring task apart, at least
EASY = 1.5  # the largest weight of a change that one short line of code makes
LENGTH = 12  # of a list, at most
SPREADS = (2, 5, 12)  # how far numbers go from 0
REPLACED = 100  # of 256 numbers, in half the lists: one next to a number of a step stands there
NUMBERS = range(-SPREADS[-1], SPREADS[-1] + 1)
MANY = 10**6  # a number that is large beside those of a task


@dataclass(frozen=True, slots=True)
class Change:
    words: str  # with its number as {k}
    rule: Callable[[Numbers, int], Numbers]
    code: Callable[[int], Block]  # changes xs
    weight: float
    numbers: tuple[int, int] = (0, 0)  # what k may be; both 0: there is none


@dataclass(frozen=True, slots=True)
class End:
    words: str  # what to return, as a noun phrase
    rule: Callable[[Numbers], int | Numbers]
    code: Block  # returns it
    weight: float


def _kept(condition: Callable[[int], Expression]) -> Callable[[int], Block]:
    return lambda k: (("=", "xs", ("each", "x", "x", "xs", condition(k))),)


def _each(value: Callable[[int], Expression]) -> Callable[[int], Block]:
    return lambda k: (("=", "xs", ("each", value(k), "x", "xs", "")),)


def _built(*body: Statement, first: Sequence[Statement] = ()) -> Block:
    """A new list, to which each x of the old one adds."""
    return (*first, ("=", "found", ("list",)), ("for", "x", "xs", body), ("=", "xs", "found"))


def _add(value: Expression) -> Statement:
    return "do", ("method", "found", "append", value)


_MULTIPLE = ("==", ("%", "x", 2), 0)
CHANGES: dict[str, Change] = {
    "even": Change("Keep only the even numbers.", lambda xs, k: [x for x in xs if not x % 2],
                   _kept(lambda k: _MULTIPLE), 1),
    "odd": Change("Keep only the odd numbers.", lambda xs, k: [x for x in xs if x % 2],
                  _kept(lambda k: ("!=", ("%", "x", 2), 0)), 1),
    "above": Change("Keep only the numbers greater than {k}.",
                    lambda xs, k: [x for x in xs if x > k], _kept(lambda k: (">", "x", k)), 1,
                    (-5, 5)),
    "at_most": Change("Remove every number greater than {k}.",
                      lambda xs, k: [x for x in xs if not x > k],
                      _kept(lambda k: ("<=", "x", k)), 1, (-3, 8)),
    "no_multiple": Change("Remove every multiple of {k} (0 is one).",
                          lambda xs, k: [x for x in xs if x % k],
                          _kept(lambda k: ("!=", ("%", "x", k), 0)), 1.5, (3, 6)),
    "plus": Change("Add {k} to every number.", lambda xs, k: [x + k for x in xs],
                   _each(lambda k: ("+", "x", k)), 1, (1, 9)),
    "times": Change("Multiply every number by {k}.", lambda xs, k: [x * k for x in xs],
                    _each(lambda k: ("*", "x", k)), 1, (2, 5)),
    "square": Change("Square every number.", lambda xs, k: [x**2 for x in xs],
                     _each(lambda k: ("*", "x", "x")), 1),
    "negate": Change("Change the sign of every number.", lambda xs, k: [-x for x in xs],
                     _each(lambda k: ("-", 0, "x")), 1),
    "size": Change("Replace every number by its absolute value.",
                   lambda xs, k: [abs(x) for x in xs],
                   _each(lambda k: ("choose", ("<", "x", 0), ("-", 0, "x"), "x")), 1),
    "remainder": Change("Replace every number by its remainder when divided by {k}, which lies"
                        " between 0 and {last} for negative numbers too.",
                        lambda xs, k: [x % k for x in xs], _each(lambda k: ("%", "x", k)), 1.5,
                        (3, 9)),
    "clip": Change("Replace every number greater than {k} by {k}.",
                   lambda xs, k: [min(x, k) for x in xs],
                   _each(lambda k: ("choose", (">", "x", k), k, "x")), 1.5, (0, 8)),
    "reverse": Change("Reverse the list.", lambda xs, k: xs[::-1],
                      lambda k: (("=", "xs", ("call", "list", ("call", "reversed", "xs"))),), 1),
    "sort": Change("Sort the list from smallest to largest.", lambda xs, k: sorted(xs),
                   lambda k: (("=", "xs", ("call", "sorted", "xs")),), 1),
    "first": Change("Keep only the first {k} numbers (all of them if there are fewer).",
                    lambda xs, k: xs[:k], lambda k: (("=", "xs", ("slice", "xs", 0, k)),), 1.5,
                    (3, 6)),
    "rest": Change("Remove the first {k} numbers (all of them if there are fewer).",
                   lambda xs, k: xs[k:], lambda k: (("=", "xs", ("slice", "xs", k, "")),), 1.5,
                   (2, 4)),
    "every_second": Change("Keep only the first, third, fifth number and so on.",
                           lambda xs, k: xs[::2],
                           lambda k: (("=", "place", 0), *_built(
                               ("if", ("==", ("%", "place", 2), 0), (_add("x"),), ()),
                               ("update", "+", "place", 1))), 2),
    "running": Change("Replace every number by the sum of all numbers from the first one up to and"
                      " including it.", lambda xs, k: list(accumulate(xs)),
                      lambda k: (("=", "total", 0), *_built(
                          ("update", "+", "total", "x"), _add("total"))), 2.5),
    "highest": Change("Replace every number by the largest number from the first one up to and"
                      " including it.", lambda xs, k: list(accumulate(xs, max)),
                      lambda k: _built(("if", ("and", "found", (">", ("at", "found", -1), "x")),
                                        (_add(("at", "found", -1)),), (_add("x"),))), 2.5),
    "differences": Change("Replace the list by the differences between neighbours: second minus"
                          " first, third minus second, and so on (an empty list if there are fewer"
                          " than two numbers).",
                          lambda xs, k: [b - a for a, b in pairwise(xs)],
                          lambda k: (("=", "xs", ("each", ("-", ("at", "xs", "i"),
                                                           ("at", "xs", ("-", "i", 1))), "i",
                                                  ("call", "range", 1, ("call", "len", "xs")),
                                                  "")),), 2.5),
    "distinct": Change("Keep only the first occurrence of every number.",
                       lambda xs, k: list(dict.fromkeys(xs)),
                       lambda k: _built(("if", ("not", ("in", "x", "found")), (_add("x"),), ())),
                       2),
    "runs": Change("Wherever equal numbers stand next to each other, keep only one of them.",
                   lambda xs, k: [value for value, _ in groupby(xs)],
                   lambda k: _built(("if", ("or", ("not", "found"),
                                            ("!=", ("at", "found", -1), "x")),
                                     (_add("x"),), ())), 2.5),
    "rotate": Change("Move the first {k} numbers to the end, in the same order (if there are fewer"
                     " than {k}, leave the list as it is).",
                     lambda xs, k: xs[k:] + xs[:k] if len(xs) >= k else xs,
                     lambda k: (("if", (">=", ("call", "len", "xs"), k),
                                 (("=", "xs", ("+", ("slice", "xs", k, ""),
                                               ("slice", "xs", 0, k))),), ()),), 2.5, (2, 4)),
    "larger_half": Change("Remove every number that is smaller than the average of the list.",
                          lambda xs, k: _at_least(xs, sum(xs)),
                          lambda k: (("=", "total", ("call", "sum", "xs")),
                                     ("=", "count", ("call", "len", "xs")),
                                     ("=", "xs", ("each", "x", "x", "xs",
                                                  (">=", ("*", "x", "count"), "total")))), 3),
    "by_sum": Change("If the sum of the list is even, reverse it; otherwise sort it from smallest"
                     " to largest.",
                     lambda xs, k: xs[::-1] if sum(xs) % 2 == 0 else sorted(xs),
                     lambda k: (("if", ("==", ("%", ("call", "sum", "xs"), 2), 0),
                                 (("=", "xs", ("call", "list", ("call", "reversed", "xs"))),),
                                 (("=", "xs", ("call", "sorted", "xs")),)),), 3),
    "by_length": Change("If there are more than {k} numbers, remove the largest one (the first of"
                        " them if there are several); otherwise append their sum.",
                        lambda xs, k: _without_largest(xs) if len(xs) > k else [*xs, sum(xs)],
                        lambda k: (("if", (">", ("call", "len", "xs"), k),
                                    (("do", ("method", "xs", "remove", ("call", "max", "xs"))),),
                                    (("do", ("method", "xs", "append", ("call", "sum", "xs"))),)
                                    ),), 3.5, (3, 6)),
}  # fmt: skip


def _at_least(xs: Numbers, total: int) -> Numbers:
    """Those that are not smaller than the average."""
    return [x for x in xs if x * len(xs) >= total]


def _without_largest(xs: Numbers) -> Numbers:
    place = xs.index(max(xs))
    return xs[:place] + xs[place + 1 :]


def _counted(condition: Expression, values: Expression = "xs") -> Block:
    body = ("if", condition, (("update", "+", "count", 1),), ())
    return (("=", "count", 0), ("for", "x", values, (body,)), ("return", "count"))


_PLACES = ("call", "range", 1, ("-", ("call", "len", "xs"), 1))
_HERE, _BEFORE = ("at", "xs", "x"), ("at", "xs", ("-", "x", 1))
_AFTER = ("at", "xs", ("+", "x", 1))
ENDS: dict[str, End] = {
    "list": End("the resulting list", lambda xs: xs, (("return", "xs"),), 0.5),
    "sum": End("the sum of the resulting list", sum,
               (("=", "total", 0), ("for", "x", "xs", (("update", "+", "total", "x"),)),
                ("return", "total")), 1),
    "count": End("how many numbers are left", len, (("return", ("call", "len", "xs")),), 0.5),
    "largest": End("the largest number of the resulting list, or 0 if the list is empty",
                   lambda xs: max(xs, default=0),
                   (("if", ("not", "xs"), (("return", 0),), ()),
                    ("return", ("at", ("call", "sorted", "xs"), -1))), 1),
    "range": End("the largest number of the resulting list minus the smallest, or 0 if the list is"
                 " empty", lambda xs: max(xs) - min(xs) if xs else 0,
                 (("if", ("not", "xs"), (("return", 0),), ()),
                  ("=", "xs", ("call", "sorted", "xs")),
                  ("return", ("-", ("at", "xs", -1), ("at", "xs", 0)))), 1.5),
    "alternating": End("the first number minus the second plus the third minus the fourth, and so"
                       " on to the end (0 for an empty list)",
                       lambda xs: sum(xs[::2]) - sum(xs[1::2]),
                       (("=", "total", 0), ("=", "sign", 1),
                        ("for", "x", "xs", (("update", "+", "total", ("*", "sign", "x")),
                                            ("=", "sign", ("-", 0, "sign")))),
                        ("return", "total")), 2),
    "place": End("the position of the smallest number in the resulting list, counted from 0 (the"
                 " first one if there are several, and -1 for an empty list)",
                 lambda xs: xs.index(min(xs)) if xs else -1,
                 (("=", "best", -1),
                  ("for", "i", ("call", "range", ("call", "len", "xs")),
                   (("if", ("or", ("<", "best", 0), ("<", ("at", "xs", "i"),
                                                     ("at", "xs", "best"))),
                     (("=", "best", "i"),), ()),)), ("return", "best")), 2),
    "second": End("the second largest among the different numbers of the resulting list, or 0 if"
                  " there are fewer than two different numbers",
                  lambda xs: sorted(set(xs))[-2] if len(set(xs)) > 1 else 0,
                  (("=", "found", ("call", "sorted", ("call", "set", "xs"))),
                   ("if", ("<", ("call", "len", "found"), 2), (("return", 0),), ()),
                   ("return", ("at", "found", -2))), 2.5),
    "peaks": End("how many numbers of the resulting list are greater than both of their neighbours"
                 " (the first and the last number do not count)",
                 lambda xs: sum(a < b > c for a, b, c in zip(xs, xs[1:], xs[2:])),
                 _counted(("and", (">", _HERE, _BEFORE), (">", _HERE, _AFTER)), _PLACES), 2.5),
    "longest_run": End("the length of the longest run of equal neighbouring numbers in the"
                       " resulting list (0 for an empty list)",
                       lambda xs: max((len([*group]) for _, group in groupby(xs)), default=0),
                       (("=", "best", 0), ("=", "run", 0), ("=", "last", 0),
                        ("for", "x", "xs",
                         (("=", "run", ("choose", ("and", ("==", "x", "last"), (">", "run", 0)),
                                        ("+", "run", 1), 1)), ("=", "last", "x"),
                          ("=", "best", ("call", "max", "best", "run")))),
                        ("return", "best")), 3),
    "inversions": End("how many pairs of positions there are in the resulting list where the"
                      " earlier number is greater than the later one",
                      lambda xs: sum(starmap(gt, combinations(xs, 2))),
                      (("=", "count", 0),
                       ("for", "i", ("call", "range", ("call", "len", "xs")),
                        (("for", "j", ("call", "range", "i"),
                          (("if", (">", ("at", "xs", "j"), ("at", "xs", "i")),
                            (("update", "+", "count", 1),), ()),)),)), ("return", "count")), 3),
}  # fmt: skip


def drawn(rng: Random, count: int, easy: bool) -> tuple[tuple[Step, ...], str]:
    """So many different changes, each with its number, and what to return."""
    changes = [name for name, each in CHANGES.items() if not easy or each.weight <= EASY]
    ends = [name for name, each in ENDS.items() if not easy or each.weight <= EASY]
    chosen = rng.sample(changes, count)
    steps = tuple((name, _number(rng, CHANGES[name].numbers)) for name in chosen)
    return steps, rng.choice(ends)


def is_easy(step: Step) -> bool:
    return CHANGES[step[0]].weight <= EASY


def is_step(step: Step) -> bool:
    """Whether its number is one that may be drawn."""
    name, k = step
    least, most = CHANGES[name].numbers
    return least <= k <= most


def like(step: Step, easy: bool) -> Iterator[Step]:
    """Other changes with the same number, or that have none either."""
    name, k = step
    numbered = any(CHANGES[name].numbers)
    for other, change in CHANGES.items():
        fits = is_step((other, k)) and any(change.numbers) == numbered
        if fits and other != name and (not easy or change.weight <= EASY):
            yield other, k


def _number(rng: Random, ends: tuple[int, int]) -> int:
    return rng.randint(*ends) if any(ends) else 0


def expected(steps: Sequence[Step], end: str, numbers: Sequence[int]) -> int | Numbers:
    xs = list(numbers)
    for rule, k in _rules(steps):
        xs = rule(xs, k)
    return ENDS[end].rule(xs)


def _rules(steps: Sequence[Step]) -> list[tuple[Callable[[Numbers, int], Numbers], int]]:
    return [(CHANGES[name].rule, k) for name, k in steps]


def written(steps: Sequence[Step], end: str) -> Block:
    body = [statement for name, k in steps for statement in CHANGES[name].code(k)]
    return (("def", "f", ("xs",), (*body, *ENDS[end].code)),)


def wording(steps: Sequence[Step], end: str) -> list[str]:
    """The lines of a numbered list."""
    lines = [CHANGES[name].words.format(k=k, last=k - 1) for name, k in steps]
    return [f"{at}. {line}" for at, line in enumerate([*lines, f"Return {ENDS[end].words}."], 1)]


def lists(steps: Sequence[Step], purpose: str, count: int) -> Iterator[Numbers]:
    """Lists to try a program on: short ones, equal numbers, and numbers next to those of steps."""
    yield from map(list, BY_HAND)
    yield from _lists(steps, _patterns(purpose, count))


def _lists(steps: Sequence[Step], patterns: Sequence[Pattern]) -> Iterator[Numbers]:
    near = [k + more for _, k in steps for more in (-1, 0, 1)]
    assert near, "a task has steps"
    many, lengths = len(near), [min(max(each, 1), LENGTH) for each in near]
    values = [*islice(cycle(near), REPLACED), *NUMBERS]
    for length, which, places in patterns:
        yield [values[place] for place in places[: length or lengths[which % many]]]


@lru_cache(maxsize=4)
def _patterns(purpose: str, count: int) -> list[Pattern]:
    """What lists are made from, the same for all tasks."""
    rng, found = Source(digest(purpose)), []
    for at in range(count):
        most, length = rng.choice(SPREADS), rng.choice((0, rng.randint(1, LENGTH)))
        # Bytes: a call for each number would take half of the time of a first item.
        first = REPLACED + NUMBERS.index(-most)
        places = [byte % (2 * most + 1) + first for byte in rng.randbytes(LENGTH)]
        if at % 2:
            other = rng.randbytes(LENGTH)
            places = [byte if byte < REPLACED else old for byte, old in zip(other, places)]
        found.append((length, rng.randrange(MANY), places))
    return found


@lru_cache(maxsize=50)
def _after(steps: tuple[Step, ...], count: int, part: int) -> list[Numbers]:
    """What so many of the steps make of a part of the lists to choose from."""
    if count:
        rule, k = _rules(steps)[count - 1]
        return [rule(xs, k) for xs in _after(steps, count - 1, part)]
    patterns = _patterns("tests", POOL)[PARTS[part] : PARTS[part + 1]]
    return [*map(list, () if part else BY_HAND), *_lists(steps, patterns)]


@lru_cache(maxsize=1000)
def tests(steps: tuple[Step, ...], end: str) -> tuple[Tried, ...] | None:
    """Lists with what is expected of them, some of which tell each neighbouring task apart; None
    where a step or its number does not matter."""
    tried = list[Tried]()
    for exchange in _exchanges(steps):
        telling = [*islice(_telling(steps, end, exchange), APART)]
        if len(telling) < APART and not _is_swap(exchange):
            return None
        tried += telling
    # Those that tell something come first: they find a wrong program sooner.
    tried += islice(_always(steps, end), TESTS)
    return tuple({tuple(xs): (xs, result) for xs, result in tried}.values())


def _always(steps: tuple[Step, ...], end: str) -> Iterator[Tried]:
    """The lists that are tried whatever they tell."""
    last = ENDS[end].rule
    for part in ALWAYS:
        yield from zip(_after(steps, 0, part), map(last, _after(steps, len(steps), part)))


def _telling(steps: tuple[Step, ...], end: str, exchange: Exchange) -> Iterator[Tried]:
    """The lists that tell a task from its neighbour. Most make the same of a list long before the
    end, where they differ by little."""
    start, stop, instead = exchange
    rules, rest, last = _rules(instead), _rules(steps[stop:]), ENDS[end].rule
    for part in range(len(PARTS) - 1):
        lists_ = (_after(steps, count, part) for count in (0, start, stop))
        for first, other, now in zip(*lists_):
            for rule, k in rules:
                other = rule(other, k)
            if other == now:
                continue
            for rule, k in rest:
                other, now = rule(other, k), rule(now, k)
            if last(other) != (result := last(now)):
                yield first, result


def _exchanges(steps: tuple[Step, ...]) -> Iterator[Exchange]:
    """What makes neighbouring tasks: one step less, a number that is one higher or lower, and two
    steps in the other order, which may come to the same."""
    for at in range(len(steps)):
        yield at, at + 1, ()
    for at, (name, k) in enumerate(steps):
        if any(CHANGES[name].numbers):
            for other in (k - 1, k + 1):
                yield at, at + 1, ((name, other),)
    for at in range(1, len(steps)):
        yield at - 1, at + 1, (steps[at], steps[at - 1])


def _is_swap(exchange: Exchange) -> bool:
    return len(exchange[2]) == 2


def swapped(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """The task with two steps in the other order, which may come to the same."""
    for at in range(1, len(steps)):
        yield (*steps[: at - 1], steps[at], steps[at - 1], *steps[at + 1 :])


def is_even(steps: tuple[Step, ...], end: str) -> bool:
    """Whether no one result comes out of half the lists."""
    results = Counter[int | tuple[int, ...]]()
    for part in ALWAYS:  # most tasks that are not even are so in the first few lists
        found = map(ENDS[end].rule, _after(steps, len(steps), part))
        results.update(tuple(each) if isinstance(each, list) else each for each in found)
        if max(results.values()) * 2 > results.total():
            return False
    return True
