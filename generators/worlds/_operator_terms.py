"""The terms of drawn operations: drawn, evaluated for many numbers at once or one, and worded.

A term is a number, "a", "b" or "x", or a tuple of a word and its terms; ("use", place, s, t)
applies the operation at that place.
"""

from collections.abc import Callable, Sequence
from operator import add, lt, mod, mul
from random import Random
from typing import Any, TypeAlias

Term: TypeAlias = Any
Function: TypeAlias = Callable[[int, int], int]  # of a and b
Use: TypeAlias = tuple[int, int, int]  # a, b and the value
Operation: TypeAlias = tuple[Term, Term, Term]  # condition or (), the result if it holds, otherwise


def drawn_operation(rng: Random, depth: int, cases: bool) -> Operation:
    then = _term(rng, depth)
    if not cases:
        return (), then, then
    condition = rng.choice(
        [
            ("less", "a", "b"),
            ("less", rng.choice("ab"), rng.randint(4, 12)),
            ("multiple", rng.choice(["a", "b", ("sum", "a", "b")]), rng.randint(2, 4)),
        ]
    )
    return condition, then, _term(rng, depth)


def _term(rng: Random, depth: int) -> Term:
    """A term with both a and b, with one word or several."""
    match rng.choice(["pair", "pair", "scaled", "remainder" if depth > 1 else "pair", "digits"]):
        case "remainder":
            return ("remainder", _term(rng, depth - 1), rng.randint(5, 15))
        case "digits" if depth > 1:
            return ("sum", ("digits", _term(rng, depth - 1)), rng.choice(("a", "b")))
        case "scaled":
            first, second = rng.sample(("a", "b"), 2)
            return ("sum", ("product", rng.randint(2, 5), first), second)
    word = rng.choice(("sum", "product", "gap", "larger", "smaller"))
    if depth > 1:
        first, second = rng.sample(("a", "b"), 2)
        inner = rng.choice(("sum", "gap", "product"))
        return (word, (inner, first, rng.randint(2, 9)), second)
    return ("sum", (word, "a", "b"), rng.randint(1, 9))


def _digit_sum(number: int) -> int:
    total = 0
    while number:
        number, digit = divmod(number, 10)
        total += digit
    return total


WORDS: dict[str, Callable[..., int]] = {
    "sum": add,
    "product": mul,
    "gap": lambda s, t: abs(s - t),
    "larger": max,
    "smaller": min,
    "remainder": mod,
    "digits": _digit_sum,
    "less": lt,
    "multiple": lambda s, t: s % t == 0,
}


def values_of(operations: tuple[Operation, ...], term: Term, most: int) -> list[int]:
    """The values of a term for each x, one list for each part of it."""
    every = range(most + 1)

    def listed(term: Term, given: dict[str, list[int]]) -> list[int]:
        if not isinstance(term, tuple):
            return given[term] if isinstance(term, str) else [term] * len(every)
        if term[0] != "use":
            return [*map(WORDS[term[0]], *(listed(each, given) for each in term[1:]))]
        condition, then, otherwise = operations[term[1]]
        inner = dict(zip("ab", (listed(each, given) for each in term[2:]), strict=True))
        if not condition:
            return listed(then, inner)
        tests = listed(condition, inner)
        results = zip(tests, listed(then, inner), listed(otherwise, inner), strict=True)
        return [one if test else other for test, one, other in results]

    return listed(term, {"x": list(every)})


def value_of(functions: Sequence[Function], term: Term, x: int) -> int:
    """The value of a term for one x, where many are tried."""
    if isinstance(term, tuple):
        _, place, first, second = term
        return functions[place](value_of(functions, first, x), value_of(functions, second, x))
    return x if term == "x" else int(term)


def used(functions: Sequence[Function], term: Term, x: int, uses: Sequence[list[Use]]) -> int:
    """The same, with each use of a function noted in its list."""
    if isinstance(term, tuple):
        _, place, first, second = term
        a, b = used(functions, first, x, uses), used(functions, second, x, uses)
        value = functions[place](a, b)
        uses[place].append((a, b, value))
        return value
    return x if term == "x" else int(term)


def function(operation: Operation) -> Function:
    """An operation as a function of a and b."""
    condition, then, _ = operation
    if not condition:
        return _closure(then)
    test, one, other = map(_closure, operation)
    return lambda a, b: one(a, b) if test(a, b) else other(a, b)


def _closure(term: Term) -> Function:
    if term in ("a", "b"):
        return (lambda a, b: a) if term == "a" else (lambda a, b: b)
    if not isinstance(term, tuple):
        return lambda a, b: int(term)
    work, (first, *more) = WORDS[term[0]], map(_closure, term[1:])
    if not more:
        return lambda a, b: work(first(a, b))
    (second,) = more
    return lambda a, b: work(first(a, b), second(a, b))


def reduced(operations: tuple[Operation, ...], term: Term, given: dict[str, int]) -> int:
    """The value of a term, read as the prompt tells it."""
    if isinstance(term, str):
        return given[term]
    if isinstance(term, int):
        return term
    if term[0] == "use":
        a, b = (reduced(operations, each, given) for each in term[2:])
        condition, then, otherwise = operations[term[1]]
        holds = not condition or reduced(operations, condition, {"a": a, "b": b})
        return reduced(operations, then if holds else otherwise, {"a": a, "b": b})
    low, *more = [reduced(operations, each, given) for each in term[1:]]
    high = more[0] if more else 0
    match term[0]:
        case "sum":
            return low - -high
        case "product":
            return ((low + high) ** 2 - (low - high) ** 2) // 4
        case "gap":
            return max(low, high) - min(low, high)
        case "larger":
            return max(low, high)
        case "smaller":
            return min(high, low)
        case "remainder":
            return low - low // high * high
        case "digits":
            return sum(map(int, str(low)))
        case "less":
            return int(high - low > 0)
        case word:
            assert word == "multiple", word
            return int(low in range(0, low + 1, high))


SIGNED = {
    "sum": "{} + {}",
    "product": "{} * {}",
    "gap": "|{} - {}|",
    "larger": "max({}, {})",
    "smaller": "min({}, {})",
    "remainder": "{} mod {}",
    "digits": "digits({})",
    "less": "{} < {}",
    "multiple": "{} is a multiple of {}",
}
SAID = {
    "sum": "the sum of {} and {}",
    "product": "the product of {} and {}",
    "gap": "the difference between {} and {}, larger minus smaller",
    "larger": "the larger of {} and {}",
    "smaller": "the smaller of {} and {}",
    "remainder": "the remainder when {} is divided by {}",
    "digits": "the sum of the digits of {}",
    "less": "{} is less than {}",
    "multiple": "{} is a multiple of {}",
}
FREE = {("product", "sum"), ("sum", "sum")}  # that need no brackets within one another


def in_signs(term: Term, within: str = "") -> str:
    if not isinstance(term, tuple):
        return str(term)
    text = SIGNED[term[0]].format(*(in_signs(each, term[0]) for each in term[1:]))
    bare = within in ("", "gap", "larger", "smaller", "digits", "less", "multiple")
    closed = term[0] in ("gap", "larger", "smaller", "digits")
    return text if bare or closed or (term[0], within) in FREE else f"({text})"


def in_words(term: Term, inner: bool = False) -> str:
    if not isinstance(term, tuple):
        return str(term)
    text = SAID[term[0]].format(*(in_words(each, True) for each in term[1:]))
    return f"({text})" if inner else text
