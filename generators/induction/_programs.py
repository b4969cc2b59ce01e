"""Programs of a few steps, and what all of them that fit some examples make of a new case.

A step is its kind and its numbers or letters, ("add", 3); a language knows for each kind which
steps there are, what they do and how that is said. A puzzle names the kinds that may occur in its
rule and how many steps there may be, so that the programs to choose from are known to the last one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from random import Random
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

V = TypeVar("V", bound=Any)  # what programs change: a row, a list, a text; hashable
C = TypeVar("C", bound=Any, covariant=True)

Step: TypeAlias = tuple[Any, ...]
Program: TypeAlias = tuple[Step, ...]


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


Language: TypeAlias = Mapping[str, KindOfStep[V]]


def all_steps(language: Language[V], kinds: Iterable[str]) -> list[Step]:
    return [step for kind in kinds for step in language[kind].steps(kind)]


def drawn(rng: Random, language: Language[V], kinds: Sequence[str], length: int) -> Program:
    """A program in which every kind is as likely, whether it has many steps or few."""
    return tuple(rng.choice(language[kind].steps(kind)) for kind in rng.choices(kinds, k=length))


def run(language: Language[V], program: Program, value: V) -> V:
    for kind, *parameters in program:
        value = language[kind].run(value, *parameters)
    return value


def posed(
    rng: Random,
    language: Language[V],
    kinds: Sequence[str],
    longest: int,
    values: Sequence[V],
    few: int,
) -> tuple[tuple[tuple[V, V], ...], V] | None:
    """Examples of a rule, at least a few, and a case that they settle: the first of the values.

    No program with fewer steps would do.
    """
    program = drawn(rng, language, kinds, longest)
    case, *others = values
    pairs = [(value, run(language, program, value)) for value in others]
    pairs = [(value, then) for value, then in pairs if value != then and then]
    truth = run(language, program, case)
    examples, spare = pairs[:few], pairs[few:]
    if len(examples) < few or truth == case or not truth:
        return None
    steps = all_steps(language, kinds)
    while True:
        found = outcomes(language, steps, longest, examples, case)
        if min(len(fitting) for _, fitting in found) < longest:
            return None
        other = next((fitting for then, fitting in found if then != truth), None)
        if other is None:
            return tuple(examples), case
        telling = (pair for pair in spare if run(language, other, pair[0]) != pair[1])
        pair = next(telling, None)
        if pair is None:
            return None
        spare.remove(pair)
        examples.append(pair)


def settled(
    language: Language[V],
    kinds: Sequence[str],
    longest: int,
    examples: Sequence[tuple[V, V]],
    case: V,
) -> tuple[V, Program] | None:
    """What all fitting programs make of the case, if they agree; and one of them."""
    found = outcomes(language, all_steps(language, kinds), longest, examples, case)
    return found[0] if len(found) == 1 else None


def outcomes(
    language: Language[V],
    steps: Sequence[Step],
    longest: int,
    examples: Sequence[tuple[V, V]],
    case: V,
) -> list[tuple[V, Program]]:
    """What programs of up to so many steps that fit the examples make of the case.

    To the second outcome; each with one program, the shortest. Programs that have done the same to
    all inputs so far go on as one, which leaves none out.
    """
    wanted = tuple(output for _, output in examples)
    found: dict[V, Program] = {}
    border: dict[tuple[V, ...], Program] = {(*(given for given, _ in examples), case): ()}
    seen = set(border)
    actions = [(language[step[0]].run, step[1:], step) for step in steps]
    for length in range(1, longest + 1):
        after: dict[tuple[V, ...], Program] = {}
        for state, program in border.items():
            for act, parameters, step in actions:
                if length == longest and act(state[0], *parameters) != wanted[0]:
                    continue  # as most programs do
                then_state = tuple(act(value, *parameters) for value in state)
                if then_state in seen:
                    continue
                seen.add(then_state)
                after[then_state] = (*program, step)
                if then_state[:-1] == wanted and then_state[-1] not in found:
                    found[then_state[-1]] = (*program, step)
                    if len(found) == 2:
                        return list(found.items())
        border = after
    return list(found.items())


def explained(
    language: Language[V],
    steps: Sequence[Step],
    longest: int,
    examples: Sequence[tuple[V, V]],
    case: V,
    answer: V,
) -> bool:
    """Whether some program makes the answer of the case and fits the examples.

    From the case on: every way in which steps lead from it to the answer is tried on each example.
    """
    return any(
        all(run(language, program, given) == output for given, output in examples)
        for program in _ways(language, steps, longest, case, answer)
    )


def _ways(
    language: Language[V], steps: Sequence[Step], longest: int, case: V, answer: V
) -> Iterator[Program]:
    leading: dict[V, list[Step]] = {}
    for step in steps:
        leading.setdefault(language[step[0]].run(case, *step[1:]), []).append(step)
    for step in leading.get(answer, []):
        yield (step,)
    if longest > 1:
        for then, first in leading.items():
            for rest in _ways(language, steps, longest - 1, then, answer):
                for step in first:
                    yield (step, *rest)


def listed(language: Language[V], kinds: Iterable[str]) -> str:
    """The kinds of steps, a line each."""
    return "\n".join(f"- {language[kind].says}" for kind in kinds)


def spelled(language: Language[V], program: Program) -> list[str]:
    """What each step of a program does."""
    return [
        (language[kind].told or language[kind].says).format(*parameters)
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
    found = settled(language, puzzle.kinds, puzzle.longest, puzzle.examples, puzzle.case)
    if found is None:
        return []
    value, lines = puzzle.case, []
    for step, said in zip(found[1], spelled(language, found[1])):
        value = run(language, (step,), value)
        lines.append(f"{said}: {shown(value)}")
    return ["A rule that fits all examples, carried out:", *lines]


def canonical(puzzle: Posed[V]) -> list[Any]:
    return [sorted(puzzle.kinds), puzzle.longest, sorted(puzzle.examples), puzzle.case]


def to_choose_from(language: Language[V], puzzle: Posed[V]) -> float:
    """Programs there are, by order of magnitude."""
    return puzzle.longest * sqrt(len(all_steps(language, puzzle.kinds)))


NUMBER = ("no", "one", "two", "three", "four")


def length_said(longest: int) -> str:
    """How many steps a rule has."""
    if longest == 1:
        return "one step"
    steps = f"one step or {NUMBER[longest]}" if longest == 2 else f"one to {NUMBER[longest]} steps"
    return f"{steps}, done one after the other"
