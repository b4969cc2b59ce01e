"""Lambda reduction: bring a term of the lambda calculus to its normal form.

Terms are equal up to the names of their bound variables, so many ways to write the answer are
right. `solve` takes the leftmost outermost redex again and again, with numbers in place of bound
names. `verify` turns the term into functions and reads the value back; `recheck` reduces by names,
renaming where a name would be captured.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._misreadings import misreadings

# A name, ("fn", name, body) or ("app", function, argument). Without names, a bound variable is the
# number of binders between it and its own.
Term: TypeAlias = Any

BOUND, FREE, FRESH = "xyz", "abc", "xyzuvwpqrst"
LARGEST = 250  # names in a term on the way
TOKENS, DEEPEST = 2000, 60  # of an answer
APART = 2  # steps, and names in the normal form, by which a misread term may differ

_TOKEN = re.compile(r"\s*([a-z][0-9']{0,4}|[().\u03bb])")


@dataclass(frozen=True, slots=True)
class Knobs:
    steps: int  # at least so many reductions
    depth: int  # how deep the term may be nested


@dataclass(frozen=True, slots=True)
class Reduction:
    term: Term


def generate(rng: Random, knobs: Knobs) -> Reduction | None:
    for _ in range(20):
        term = _drawn(rng, knobs.depth, ())
        if not 4 <= _size(term) <= 8 + 4 * knobs.steps:
            continue
        end, steps = _reduced(_nameless(term, ()), 3 * knobs.steps + 2)
        if end is None or not knobs.steps <= steps or not 3 <= _size(end) <= 12 + 2 * knobs.steps:
            continue
        if _is_rich(end):
            return Reduction(term)
    return None


def solve(reduction: Reduction) -> str | None:
    end, _ = _reduced(_nameless(reduction.term, ()), 400)
    return None if end is None else shown(_named(end, ()))


def verify(reduction: Reduction, answer: str) -> float:
    said = _read_nameless(answer)
    return float(said is not None and said == _read_back(_value(reduction.term, {}), 0))


def recheck(reduction: Reduction, answer: str) -> bool:
    said = _read(answer)
    if said is None:
        return False
    term = reduction.term
    fresh = (f"v{number}" for number in count())
    for _ in range(400):
        after = _stepped(term, fresh)
        if after is None:
            return _alike(term, said, {}, {})
        term = after
    return False


def render(reduction: Reduction, style: Style) -> Prompt:
    text = shown(reduction.term)
    rules = (
        "λx.t is the function that takes x to t; its body t reaches as far to the right as"
        " possible. Application is written side by side and groups to the left: f g h means"
        " (f g) h. Letters that no λ binds are free variables."
    )
    return Prompt(
        style.pick(
            f"Reduce this term of the untyped lambda calculus to its normal form:\n\n{text}\n\n"
            f"{rules} A part (λx.t) s may be replaced by t with s in the place of every x that this"
            " λ binds, where bound variables are renamed so that no free variable of s becomes"
            " bound. The normal form has no such part.",
            f"{rules}\n\nApply beta reduction to\n\n{text}\n\nuntil no redex, that is, no part of"
            " the form (λx.t) s, is left anywhere, not even inside a function. Rename bound"
            " variables where a free variable would be captured. What is the result?",
            f"What is the beta-normal form of the following lambda term?\n\n{text}\n\n{rules}"
            " Substitution must avoid capture: free variables of what is put in stay free.",
        ),
        form=(
            "the normal form in the same notation (the names of bound variables do not matter),"
            " with λ or \\ for the binder"
        ),
    )


def misread(rng: Random, reduction: Reduction) -> Reduction | None:
    """Two names stand in each other's places, and that is about as much to reduce."""
    names = _leaves(reduction.term)
    one, other = rng.sample(range(len(names)), 2)
    names[one], names[other] = names[other], names[one]
    term = _with_leaves(reduction.term, iter(names))
    if _free(term) != _free(reduction.term):
        return None  # a bound name outside of its function
    gold, steps = _reduced(_nameless(reduction.term, ()), 60)
    end, others = _reduced(_nameless(term, ()), 60)
    if gold is None or end is None or not _is_rich(end):
        return None
    alike = abs(_size(end) - _size(gold)) <= APART and abs(others - steps) <= APART
    return Reduction(term) if alike else None


def steps(reduction: Reduction) -> list[str]:
    term, lines = _nameless(reduction.term, ()), [shown(reduction.term)]
    while (after := _outermost(term)) is not None:
        term = after
        lines.append(shown(_named(term, ())))
    return lines


def progress(reduction: Reduction, lines: Lines) -> float:
    return states_followed(FAMILY, reduction, lines)


def canon(reduction: Reduction) -> str:
    return repr(_nameless(reduction.term, ()))


def hardness(reduction: Reduction) -> float:
    _, steps = _reduced(_nameless(reduction.term, ()), 400)
    return steps + _size(reduction.term) / 10


def shown(term: Term, inside: str = "") -> str:
    match term:
        case ("fn", name, body):
            text = f"λ{name}.{shown(body)}"
            return f"({text})" if inside else text
        case ("app", function, argument):
            text = f"{shown(function, 'left')} {shown(argument, 'right')}"
            return f"({text})" if inside == "right" else text
    return str(term)


# Without names


def _nameless(term: Term, bound: tuple[str, ...]) -> Term:
    match term:
        case ("fn", name, body):
            return ("fn", "", _nameless(body, (name, *bound)))
        case ("app", function, argument):
            return ("app", _nameless(function, bound), _nameless(argument, bound))
    return bound.index(term) if term in bound else term


def _named(term: Term, bound: tuple[str, ...]) -> Term:
    match term:
        case ("fn", _, body):
            taken = {*bound, *_free(term)}
            name = next(
                name
                for name in (*FRESH, *(f"x{number}" for number in range(99)))
                if name not in taken
            )
            return ("fn", name, _named(body, (name, *bound)))
        case ("app", function, argument):
            return ("app", _named(function, bound), _named(argument, bound))
    return bound[term] if isinstance(term, int) else term


def _reduced(term: Term, most: int) -> tuple[Term | None, int]:
    """The normal form and the number of steps to it, if that is at most so many."""
    for steps in range(most + 1):
        after = _outermost(term)
        if after is None:
            return term, steps
        term = after
        if _size(term) > LARGEST:
            break
    return None, most


def _outermost(term: Term) -> Term | None:
    """The term after its leftmost outermost reduction."""
    match term:
        case ("app", ("fn", _, body), argument):
            return _put(body, 0, argument)
        case ("app", function, argument):
            after = _outermost(function)
            if after is not None:
                return ("app", after, argument)
            after = _outermost(argument)
            return None if after is None else ("app", function, after)
        case ("fn", _, body):
            after = _outermost(body)
            return None if after is None else ("fn", "", after)
    return None


def _put(term: Term, level: int, argument: Term) -> Term:
    match term:
        case ("fn", _, body):
            return ("fn", "", _put(body, level + 1, argument))
        case ("app", function, other):
            return ("app", _put(function, level, argument), _put(other, level, argument))
        case int():
            if term == level:
                return _lifted(argument, level, 0)
            return term - (term > level)
    return term


def _lifted(term: Term, by: int, level: int) -> Term:
    match term:
        case ("fn", _, body):
            return ("fn", "", _lifted(body, by, level + 1))
        case ("app", function, argument):
            return ("app", _lifted(function, by, level), _lifted(argument, by, level))
        case int() if term >= level:
            return term + by
    return term


# As functions


def _value(term: Term, table: dict[str, Callable[[], Any]]) -> Any:
    """A function of a delayed value, or a tuple: what is stuck, and its delayed arguments."""
    match term:
        case ("fn", name, body):
            return lambda given: _value(body, {**table, name: given})
        case ("app", function, argument):
            applied = _value(function, table)
            given = _once(lambda: _value(argument, table))
            return applied(given) if callable(applied) else (*applied, given)
    return table[term]() if term in table else (term,)


def _once(make: Callable[[], Any]) -> Callable[[], Any]:
    known: list[Any] = []

    def give() -> Any:
        if not known:
            known.append(make())
        return known[0]

    return give


def _read_back(value: Any, depth: int) -> Term:
    """The term of a value; a bound variable is known by the depth of its binder."""
    if callable(value):
        return ("fn", "", _read_back(value(lambda: (depth,)), depth + 1))
    head, *given = value
    term: Term = depth - 1 - head if isinstance(head, int) else head
    for argument in given:
        term = ("app", term, _read_back(argument(), depth))
    return term


# By names


def _stepped(term: Term, fresh: Iterator[str]) -> Term | None:
    match term:
        case ("app", ("fn", name, body), argument):
            return _replaced(body, name, argument, fresh)
        case ("app", function, argument):
            after = _stepped(function, fresh)
            if after is not None:
                return ("app", after, argument)
            after = _stepped(argument, fresh)
            return None if after is None else ("app", function, after)
        case ("fn", name, body):
            after = _stepped(body, fresh)
            return None if after is None else ("fn", name, after)
    return None


def _replaced(term: Term, name: str, by: Term, fresh: Iterator[str]) -> Term:
    match term:
        case ("fn", own, body):
            if own == name:
                return term
            if own in _free(by):
                new = next(fresh)
                own, body = new, _replaced(body, own, new, fresh)
            return ("fn", own, _replaced(body, name, by, fresh))
        case ("app", function, argument):
            return (
                "app",
                _replaced(function, name, by, fresh),
                _replaced(argument, name, by, fresh),
            )
    return by if term == name else term


def _alike(one: Term, other: Term, mine: dict[str, object], yours: dict[str, object]) -> bool:
    match one, other:
        case (("fn", name, body), ("fn", its, rest)):
            mark = object()
            return _alike(body, rest, {**mine, name: mark}, {**yours, its: mark})
        case (("app", function, argument), ("app", its, rest)):
            return _alike(function, its, mine, yours) and _alike(argument, rest, mine, yours)
        case (str(), str()):
            return bool(mine.get(one, one) == yours.get(other, other))
    return False


def _free(term: Term) -> set[str]:
    match term:
        case ("fn", name, body):
            return _free(body) - {name}
        case ("app", function, argument):
            return _free(function) | _free(argument)
    return {term} if isinstance(term, str) else set()


def _is_rich(end: Term) -> bool:
    """Whether a normal form is no single name and no bare function."""
    return _size(end) >= 3 and len(_free(end)) + str(end).count("fn") >= 2


def _leaves(term: Term) -> list[str]:
    """The names where they are used, from left to right."""
    match term:
        case ("fn", _, body):
            return _leaves(body)
        case ("app", function, argument):
            return [*_leaves(function), *_leaves(argument)]
    return [term]


def _with_leaves(term: Term, names: Iterator[str]) -> Term:
    match term:
        case ("fn", bound, body):
            return ("fn", bound, _with_leaves(body, names))
        case ("app", function, argument):
            return ("app", _with_leaves(function, names), _with_leaves(argument, names))
    return next(names)


def _size(term: Term) -> int:
    match term:
        case ("fn", _, body):
            return _size(body)
        case ("app", function, argument):
            return _size(function) + _size(argument)
    return 1


# Reading an answer


def _tokens(text: str) -> list[str] | None:
    text = re.sub(r"\\lambda(?![a-z])|\\|lambda ", "\u03bb", text)
    text = text.replace("->", ".").replace("\u2192", ".")
    found, place = list[str](), 0
    text = text.rstrip()
    while place < len(text) and len(found) < TOKENS:
        token = _TOKEN.match(text, place)
        if token is None:
            return None
        found.append(token[1])
        place = token.end()
    return found if place == len(text) else None


def _read_nameless(text: str) -> Term | None:
    """Reads with a stack of open parentheses and binders, and counts binders at once."""
    tokens = _tokens(text)
    if tokens is None:
        return None
    stack: list[tuple[str, Term | None]] = []  # what is open, and the term before it
    bound: list[str] = []
    term: Term | None = None
    tokens.reverse()
    while tokens:
        token = tokens.pop()
        if token == "(":
            stack.append(("(", term))
            term = None
        elif token == "\u03bb":
            names = []
            while tokens and tokens[-1] not in "().\u03bb":
                names.append(tokens.pop())
            if not names or not tokens or tokens.pop() != ".":
                return None
            stack.append((f"fn{len(names)}", term))
            bound += names
            term = None
        elif token == ")":
            term = _closed(stack, bound, term)
            if term is None or not stack:
                return None
            term = _beside(stack.pop()[1], term)
        elif token == ".":
            return None
        else:
            place = bound[::-1].index(token) if token in bound else token
            term = _beside(term, place)
        if len(stack) > DEEPEST:
            return None
    term = _closed(stack, bound, term)
    return term if not stack else None


def _closed(
    stack: list[tuple[str, Term | None]], bound: list[str], term: Term | None
) -> Term | None:
    """Ends the binders that reach up to here."""
    while term is not None and stack and stack[-1][0] != "(":
        kind, before = stack.pop()
        for _ in range(int(kind[2:])):
            term = ("fn", "", term)
            bound.pop()
        term = _beside(before, term)
    return term


def _beside(before: Term | None, term: Term) -> Term:
    return term if before is None else ("app", before, term)


def _read(text: str) -> Term | None:
    """Reads by descending into the parts."""
    tokens = _tokens(text)
    if tokens is None or len(tokens) > 4 * LARGEST:
        return None
    try:
        term, rest = _descend(tokens, 0)
    except ValueError:
        return None
    return None if rest else term


def _descend(tokens: list[str], depth: int) -> tuple[Term, list[str]]:
    term: Term | None = None
    while tokens and tokens[0] != ")":
        token, *tokens = tokens
        part: Term = token
        if token == "(":
            part, tokens = _descend(tokens, depth + 1)
            if tokens[:1] != [")"]:
                raise ValueError("a parenthesis is not closed")
            tokens = tokens[1:]
        elif token == "\u03bb":
            dot = tokens.index(".")
            names = tokens[:dot]
            part, tokens = _descend(tokens[dot + 1 :], depth + 1)
            if not names or {"(", ")", "\u03bb"} & set(names):
                raise ValueError("a binder without a name")
            for name in reversed(names):
                part = ("fn", name, part)
        elif token == ".":
            raise ValueError("a stray dot")
        term = _beside(term, part)
        if depth > DEEPEST:
            raise ValueError("too deep")
    if term is None:
        raise ValueError("nothing there")
    return term, tokens


def _drawn(rng: Random, depth: int, bound: tuple[str, ...]) -> Term:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*bound, *bound, rng.choice(FREE)])
    kind = rng.random()
    if kind < 0.45:
        name = rng.choice(BOUND)
        function = ("fn", name, _drawn(rng, depth - 1, (*bound, name, name)))
        return ("app", function, _drawn(rng, depth - 1, bound))
    if kind < 0.7:
        name = rng.choice(BOUND)
        return ("fn", name, _drawn(rng, depth - 1, (*bound, name)))
    return ("app", _drawn(rng, depth - 1, bound), _drawn(rng, depth - 1, bound))


LADDER = (
    Knobs(2, 3),
    Knobs(4, 4),
    Knobs(6, 5),
    Knobs(9, 6),
    Knobs(13, 6),
)
FAMILY = Family(
    Reduction,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Text(),
    hardness=hardness,
    solver="leftmost outermost reduction, without names",
    guess_rate=0.08,
    recheck=recheck,
    steps=steps,
    progress=progress,
    canon=canon,
    slips=misreadings(solve, misread),
    skills=("rules", "tracking"),
    peers=("reasoning-core/lambda_reduction",),
    version=2,
)
