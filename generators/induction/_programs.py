"""Programs of a few steps, and what all of them that fit some examples make of a new case.

A step is its kind and its numbers or letters, ("add", 3); a language knows for each kind which
steps there are, what they do and how that is said. A puzzle names the kinds that may occur in its
rule and how many steps there may be, so that the programs to choose from are known to the last one.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain, groupby, islice, product
from math import sqrt
from operator import ne
from random import Random
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from puzzlemill.core.search import Node

V = TypeVar("V", bound=Any)  # what programs change: a row, a list, a text; hashable
C = TypeVar("C", bound=Any, covariant=True)

Step: TypeAlias = tuple[Any, ...]
Program: TypeAlias = tuple[Step, ...]
State: TypeAlias = tuple[Any, ...]  # what a program has made of each input
Border: TypeAlias = dict[State, Program]


MISAPPLIED = 30  # programs that are tried for mistakes


@dataclass(frozen=True, slots=True)
class KindOfStep(Generic[V]):
    says: str  # in general, with capital letters for what it depends on
    run: Callable[..., V]  # of the value and the parameters
    parameters: tuple[Sequence[Any], ...] = ()  # the choices for each
    told: str = ""  # of one step, with {0}, {1} for its parameters

    def steps(self, name: str) -> list[Step]:
        """All steps of the kind; two parameters from the same choices differ."""
        return [
            (name, *chosen)
            for chosen in product(*self.parameters)
            if len({str(each) for each in chosen}) == len(chosen)
        ]


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True, eq=False)
class Language(Generic[V]):
    kinds: Mapping[str, KindOfStep[Any]]
    packed: Callable[[V], Any] = _as_it_is  # a value as the steps take it
    plain: Callable[[Any], V] = _as_it_is  # and as a puzzle holds it
    # The kinds of steps that may make one value of another, where that is told sooner than tried.
    possible: Callable[[Any, Any], Container[str]] | None = None
    # How much two values differ: a way to the answer is looked for first from what is like it.
    apart: Callable[[Any, Any], int] | None = None


Act: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], Step]  # what a step does, ready to run


@lru_cache(maxsize=64)
def _acts(language: Language[Any], kinds: tuple[str, ...]) -> tuple[Act, ...]:
    return tuple(
        (language.kinds[kind].run, step[1:], step)
        for kind in kinds
        for step in language.kinds[kind].steps(kind)
    )


@lru_cache(maxsize=64)
def _acts_by_kind(language: Language[Any], kinds: tuple[str, ...]) -> list[tuple[str, list[Act]]]:
    acts = _acts(language, kinds)
    return [(kind, list(group)) for kind, group in groupby(acts, key=lambda act: act[2][0])]


def _likely(
    language: Language[Any], kinds: tuple[str, ...], value: Any, then: Any
) -> Iterable[Act]:
    """What may make one value of another."""
    if language.possible is None:
        return _acts(language, kinds)
    likely = language.possible(value, then)
    return chain(*[acts for kind, acts in _acts_by_kind(language, kinds) if kind in likely])


def drawn(rng: Random, language: Language[V], kinds: Sequence[str], length: int) -> Program:
    """A program in which every kind is as likely, whether it has many steps or few."""
    return tuple(
        rng.choice(language.kinds[kind].steps(kind)) for kind in rng.choices(kinds, k=length)
    )


def run(language: Language[V], program: Program, value: V) -> V:
    return language.plain(_ran(language, program, language.packed(value)))


def _ran(language: Language[Any], program: Program, value: Any) -> Any:
    for kind, *parameters in program:
        value = language.kinds[kind].run(value, *parameters)
    return value


def posed(
    rng: Random,
    language: Language[V],
    kinds: tuple[str, ...],
    longest: int,
    values: Sequence[V],
    few: int,
) -> tuple[tuple[tuple[V, V], ...], V] | None:
    """Examples of a rule, at least a few, and a case that they settle: the first of the values.

    No program with fewer steps would do.
    """
    program = drawn(rng, language, kinds, longest)
    case, *others = map(language.packed, values)
    made = ((value, _ran(language, program, value)) for value in others)
    pairs = ((value, then) for value, then in made if value != then and then)
    truth = _ran(language, program, case)
    if truth == case or not truth:
        return None
    examples, spare = tuple(islice(pairs, few)), list[tuple[Any, Any]]()
    if len(examples) < few or outcomes(language, kinds, longest - 1, examples, case):
        return None
    while True:
        found = outcomes(language, kinds, longest, examples, case)
        other = next((fitting for then, fitting in found if then != truth), None)
        if other is None:
            plain = language.plain
            return tuple((plain(given), plain(then)) for given, then in examples), plain(case)
        spare += pairs  # those that are left, at the first time
        telling = (pair for pair in spare if _ran(language, other, pair[0]) != pair[1])
        pair = next(telling, None)
        if pair is None:
            return None
        spare.remove(pair)
        examples += (pair,)


def settled(language: Language[V], puzzle: "Posed[V]") -> tuple[V, Program] | None:
    """What all fitting programs make of the case, if they agree; and one of them."""
    examples, case = _packed(language, puzzle)
    found = outcomes(language, puzzle.kinds, puzzle.longest, examples, case)
    return (language.plain(found[0][0]), found[0][1]) if len(found) == 1 else None


def _packed(
    language: Language[Any], puzzle: "Posed[Any]"
) -> tuple[tuple[tuple[Any, Any], ...], Any]:
    packed = language.packed
    examples = tuple((packed(given), packed(then)) for given, then in puzzle.examples)
    return examples, packed(puzzle.case)


@lru_cache(maxsize=8)
def outcomes(
    language: Language[Any],
    kinds: tuple[str, ...],
    longest: int,
    examples: tuple[tuple[Any, Any], ...],
    case: Any,
) -> list[tuple[Any, Program]]:
    """What programs of up to so many steps that fit the examples make of the case.

    To the second outcome; each with one program, the shortest. Programs that have done the same to
    all inputs so far go on as one, which leaves none out.
    """
    acts = _acts(language, kinds)
    wanted = tuple(output for _, output in examples)
    start = (*(given for given, _ in examples), case)
    border: Border = {start: ()}
    seen, found = {start}, dict[Any, Program]()
    for left in reversed(range(longest)):
        after: Border = {}
        steps = _onward(acts, border) if left else _home(language, kinds, border, wanted)
        for program, step, state in steps:
            if state in seen:
                continue
            seen.add(state)
            after[state] = (*program, step)
            if state[:-1] == wanted and state[-1] not in found:
                found[state[-1]] = after[state]
                if len(found) == 2:
                    return list(found.items())
        border = after
    return list(found.items())


def _onward(acts: Sequence[Act], border: Border) -> Iterator[tuple[Program, Step, State]]:
    """Every step from every state."""

    @cache
    def ends(value: Any) -> list[Any]:
        return [act(value, *parameters) for act, parameters, _ in acts]

    for state, program in border.items():
        for (_, _, step), then in zip(acts, zip(*map(ends, state))):
            yield program, step, then


def _home(
    language: Language[Any], kinds: tuple[str, ...], border: Border, wanted: State
) -> Iterator[tuple[Program, Step, State]]:
    """Of the last steps those that fit the example which has the fewest values to try them on."""
    place = min(range(len(wanted)), key=lambda at: len({state[at] for state in border}))
    output = wanted[place]

    @cache
    def fitting(value: Any) -> list[Act]:
        likely = _likely(language, kinds, value, output)
        return [act for act in likely if act[0](value, *act[1]) == output]

    for state, program in border.items():
        for act, parameters, step in fitting(state[place]):
            yield program, step, tuple(act(value, *parameters) for value in state)


def explained(language: Language[V], puzzle: "Posed[V]", answer: V) -> bool:
    """Whether some program makes the answer of the case and fits the examples.

    From the case on: every way in which steps lead from it to the answer is tried on each example.
    """
    examples, case = _packed(language, puzzle)
    leading, reaching = _leading(language, puzzle.kinds, puzzle.longest, case)
    then = language.packed(answer)
    ways = _ways(leading, reaching, language.apart, puzzle.longest, case, then)
    return any(
        all(_ran(language, program, given) == output for given, output in examples)
        for program in ways
    )


Leading: TypeAlias = Callable[[Any], dict[Any, list[Step]]]
Reaching: TypeAlias = Callable[[Any, Any], Iterable[Step]]


@lru_cache(maxsize=2)
def _leading(
    language: Language[Any], kinds: tuple[str, ...], longest: int, _case: Any
) -> tuple[Leading, Reaching]:
    """What one step makes of a value, and which steps do; remembered as long as the case."""
    acts = _acts(language, kinds)

    @cache
    def leading(value: Any) -> dict[Any, list[Step]]:
        found: dict[Any, list[Step]] = {}
        for act, parameters, step in acts:
            found.setdefault(act(value, *parameters), []).append(step)
        return found

    def reaching(value: Any, answer: Any) -> Iterator[Step]:
        likely = _likely(language, kinds, value, answer)
        return (step for act, parameters, step in likely if act(value, *parameters) == answer)

    @cache
    def remembered(value: Any, answer: Any) -> list[Step]:
        return [*reaching(value, answer)]

    # From three steps on, several ways lead to a value; before, the first that fits ends it all.
    return leading, remembered if longest > 2 else reaching


def _ways(
    leading: Leading,
    reaching: Reaching,
    apart: Callable[[Any, Any], int] | None,
    longest: int,
    value: Any,
    answer: Any,
) -> Iterator[Program]:
    """The programs that lead from a value to the answer."""
    for step in reaching(value, answer):
        yield (step,)
    if longest > 1:
        onward = leading(value)
        order = sorted(onward, key=partial(apart, answer)) if apart else onward
        for then in order:
            first = onward[then]
            for rest in _ways(leading, reaching, apart, longest - 1, then, answer):
                for step in first:
                    yield (step, *rest)


def unlike(one: Sequence[bytes], other: Sequence[bytes]) -> int:
    """How many cells of two grids differ; grids of other sizes differ most."""
    differ: int = sum(map(ne, b"".join(one), b"".join(other)))
    return differ if [*map(len, one)] == [*map(len, other)] else 1000 + differ


def misapplied(
    language: Language[V],
) -> Callable[[Random, Any, V], Iterator[V]]:
    """A family's slips: a step of the rule is taken for another, and one more with each slip."""

    def slips(rng: Random, puzzle: "Posed[V]", gold: V) -> Iterator[V]:
        found = settled(language, puzzle)
        program = found[1] if found else ()
        for _ in range(MISAPPLIED if program else 0):
            at = rng.randrange(len(program))
            kinds = (program[at][0],) if rng.random() < 0.5 else puzzle.kinds
            other = (*program[:at], *drawn(rng, language, kinds, 1), *program[at + 1 :])
            value = run(language, other, puzzle.case)
            if value and value != puzzle.case and _is_likely(language, other, puzzle):
                program = other
                yield value

    return slips


def _is_likely(language: Language[V], program: Program, puzzle: "Posed[V]") -> bool:
    """Whether a program changes the examples, and does so by all of its steps, as rules do."""
    given = [example for example, _ in puzzle.examples]
    fewer = (program[:at] + program[at + 1 :] for at in range(len(program)))
    then = [run(language, program, value) for value in given]
    return all(after and after != value for value, after in zip(given, then)) and all(
        [run(language, each, value) for value in given] != then for each in fewer
    )


def listed(language: Language[V], kinds: Iterable[str]) -> str:
    """The kinds of steps, a line each."""
    return "\n".join(f"- {language.kinds[kind].says}" for kind in kinds)


def spelled(language: Language[V], program: Program) -> list[str]:
    """What each step of a program does."""
    return [
        (language.kinds[kind].told or language.kinds[kind].says).format(*parameters)
        for kind, *parameters in program
    ]


class Posed(Protocol[C]):
    """What the puzzles of these families have in common."""

    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def longest(self) -> int: ...
    @property
    def examples(self) -> tuple[tuple[C, C], ...]: ...
    @property
    def case(self) -> C: ...


def worked(language: Language[V], puzzle: Posed[V], shown: Callable[[V], str]) -> list[str]:
    """A rule that fits, and what its steps make of the case."""
    found = settled(language, puzzle)
    if found is None:
        return []
    value, lines = puzzle.case, []
    for step, said in zip(found[1], spelled(language, found[1])):
        value = run(language, (step,), value)
        lines.append(f"{said}: {shown(value)}")
    return ["A rule that fits all examples, carried out:", *lines]


def searched(language: Language[V], puzzle: Posed[V], shown: Callable[[V], str]) -> Node:
    """Rules of as many steps as the right one has, one after another, until one fits."""
    found = settled(language, puzzle)
    assert found is not None, "the puzzle was solved"
    space = _Space(language, puzzle, shown, found[1])
    return _steps_to_try(space, (), (f"Rules of {NUMBER[len(found[1])]}, step by step:",))


@dataclass(frozen=True, slots=True)
class _Space:
    """All that a search for a rule goes by."""

    language: Language[Any]
    puzzle: Posed[Any]
    shown: Callable[[Any], str]
    right: Program


def _steps_to_try(space: _Space, so_far: Program, lines: tuple[str, ...]) -> Node:
    right = space.right[len(so_far)]
    steps = [step for *_, step in _acts(space.language, space.puzzle.kinds) if step != right]
    steps = steps if so_far == space.right[: len(so_far)] else [*steps, right]
    first = [right] if right not in steps else []
    branches = (partial(_tried, space, (*so_far, step)) for step in (*first, *steps))
    return Node(lines, branches=tuple(branches))


def _tried(space: _Space, program: Program) -> Node:
    """The rule so far; once it is whole, the first example that it does not fit."""
    language, shown, count = space.language, space.shown, len(program)
    said = spelled(language, program)[-1]
    line = f"Step {count}: {said}?"
    if count < len(space.right):
        given, _ = space.puzzle.examples[0]
        value = shown(run(language, program, given))
        return _steps_to_try(space, program, (f"{line} {shown(given)} becomes {value}.",))
    for given, then in space.puzzle.examples:
        if (value := run(language, program, given)) != then:
            return Node((line,), f"{shown(given)} would be {shown(value)}, not {shown(then)}")
    fits = worked(language, space.puzzle, shown) if program == space.right else []
    return Node((line, *fits))


def canonical(puzzle: Posed[V]) -> list[Any]:
    return [sorted(puzzle.kinds), puzzle.longest, sorted(puzzle.examples), puzzle.case]


def to_choose_from(language: Language[V], puzzle: Posed[V]) -> float:
    """Programs there are, by order of magnitude."""
    return puzzle.longest * sqrt(len(_acts(language, puzzle.kinds)))


NUMBER = ("no", "one", "two", "three", "four")


def length_said(longest: int) -> str:
    """How many steps a rule has."""
    if longest == 1:
        return "one step"
    steps = f"one step or {NUMBER[longest]}" if longest == 2 else f"one to {NUMBER[longest]} steps"
    return f"{steps}, done one after the other"
