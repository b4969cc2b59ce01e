"""Entailment: which of some formulas follow from the premises, and which do not?

A formula follows if it is true in every case in which all premises are true. `generate` keeps the
truth of a formula in all cases at once in one integer, `solve` asks SAT for a case in which the
premises hold and the formula does not, and `verify` goes through the cases one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from operator import and_
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.logic._wording import LABELS, lettered, numbered

Formula: TypeAlias = Any  # a letter, ("not", formula) or (one of CONNECTIVES, formula, formula)

LETTERS = "pqrstuvw"
CONNECTIVES = ("and", "or", "or", "if", "if", "iff", "either")
SYMMETRIC = ("and", "or", "iff", "either")
CASES = 24  # at most, in which the premises are true


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # that are true or false
    premises: int  # in the theory
    depth: int  # how deep connectives may be nested
    formulas: int  # to choose from


@dataclass(frozen=True, slots=True)
class Theory:
    letters: str
    premises: tuple[Formula, ...]
    formulas: tuple[Formula, ...]


def generate(rng: Random, knobs: Knobs) -> Theory | None:
    letters = LETTERS[: knobs.letters]
    premises, truths = _premises(rng, knobs, letters)
    if not premises:
        return None
    cases = reduce(and_, truths)
    following = rng.randrange(1, knobs.formulas)
    formulas: dict[int, Formula] = {}  # by their truth
    left = {True: following, False: knobs.formulas - following}
    for _ in range(400):
        formula, truth = _formula(rng, rng.randint(1, knobs.depth), letters)
        follows = not cases & ~truth
        if follows:
            # beyond the easiest theories, no premise says it alone
            telling = knobs.depth == 1 or all(premise & ~truth for premise in truths)
        else:
            telling = 2 * (cases & truth).bit_count() >= cases.bit_count()
        if telling and left[follows] and truth not in formulas and truth not in truths:
            formulas[truth] = formula
            left[follows] -= 1
            if not any(left.values()):
                shown = list(formulas.values())
                return Theory(letters, tuple(premises), tuple(rng.sample(shown, len(shown))))
    return None


def solve(theory: Theory) -> tuple[str, ...] | None:
    """SAT, for each formula: do the premises leave a case in which it is false?"""
    circuit = _sat.Circuit()
    circuit.clauses += [[_gate(circuit, premise)] for premise in theory.premises]
    gates = [_gate(circuit, formula) for formula in theory.formulas]
    sound, *possible = _sat.possible(circuit.clauses, [[], *([-gate] for gate in gates)])
    if not sound:
        return None  # from premises that cannot all be true anything follows
    return tuple(label.lower() for label, fails in zip(LABELS, possible) if not fails)


def verify(theory: Theory, chosen: tuple[str, ...]) -> float:
    following = set(LABELS[: len(theory.formulas)].lower())
    for case in _cases(theory):
        false = [
            label.lower()
            for label, formula in zip(LABELS, theory.formulas)
            if not _holds(formula, case)
        ]
        following.difference_update(false)
    return float(set(chosen) == following)


def render(theory: Theory, style: Style) -> Prompt:
    letters = listed(list(theory.letters))
    write = _symbols if style.pick("words", "words", "symbols") == "symbols" else _words
    premises = numbered(write(premise) for premise in theory.premises)
    formulas = lettered(write(formula) for formula in theory.formulas)
    kinds = {kind for whole in (*theory.premises, *theory.formulas) for kind in _kinds(whole)}
    notes = "".join(f" {note}" for kind, note in NOTES[write is _symbols].items() if kind in kinds)
    return Prompt(
        style.pick(
            f"Each of the letters {letters} stands for a sentence that is true or false. These"
            f" premises are given:\n\n{premises}\n\nWhich of the formulas below follow from the"
            " premises? A formula follows if it is true in every case in which all premises are"
            f" true.{notes}\n\n{formulas}",
            f"Suppose that all of this is true:\n\n{premises}\n\nThe letters {letters} stand for"
            " statements, about which nothing is known except that each is either true or"
            f" false.{notes} Which of the following must then be true as well, whichever of the"
            f" letters are true?\n\n{formulas}",
            f"Premises:\n{premises}\n\nConclusions to test:\n{formulas}\n\nThe letters {letters}"
            f" are propositions, each true or false.{notes} Find every conclusion that the premises"
            " entail, that is, every one that no assignment of truth values makes false while it"
            " makes all the premises true.",
        ),
        form="the labels of all that follow (at least one does, and not all), separated by commas",
    )


def steps(theory: Theory) -> list[str]:
    """The cases that the premises leave, and for each formula one of them where it fails."""
    cases = list(_cases(theory))
    lines = [
        f"case {number}: "
        + ", ".join(letter if case[letter] else f"not {letter}" for letter in case)
        for number, case in enumerate(cases, 1)
    ]
    lines = ["the premises are all true in these cases only:", *lines]
    for label, formula in zip(LABELS, theory.formulas):
        fails = [number for number, case in enumerate(cases, 1) if not _holds(formula, case)]
        lines.append(
            f"{label} is false in case {fails[0]}" if fails else f"{label} is true in every case"
        )
    return lines


def canon(theory: Theory) -> list[str]:
    facts = [("premise", premise) for premise in theory.premises]
    facts += [("formula", formula) for formula in theory.formulas]
    return unnamed(facts, list(theory.letters), SYMMETRIC)


def hardness(theory: Theory) -> float:
    """How often letters occur."""
    return sum(_size(formula) for formula in (*theory.premises, *theory.formulas))


def _premises(rng: Random, knobs: Knobs, letters: str) -> tuple[list[Formula], list[int]]:
    """Premises each of which rules out what the others allow, and which leave a few cases; and
    their truths. None where that fails."""
    premises: list[Formula] = []
    truths: list[int] = []
    cases = _every_case(letters)
    for _ in range(30 * knobs.premises):
        premise, truth = _formula(rng, knobs.depth, letters)
        after = cases & truth
        # Of the cases, so many are left that all premises, going on like this, would leave two.
        coming = knobs.premises - len(premises)
        if after != cases and after.bit_count() ** coming >= 2 * cases.bit_count() ** (coming - 1):
            premises.append(premise)
            truths.append(truth)
            cases = after
            if len(premises) == knobs.premises:
                break
    needed = all(
        reduce(and_, truths[:place] + truths[place + 1 :], -1) != cases
        for place in range(len(premises))
    )
    named = set("".join(map(_named, premises))) == set(letters)
    few = len(premises) == knobs.premises and cases.bit_count() <= CASES
    return (premises, truths) if needed and named and few else ([], [])


def _formula(rng: Random, depth: int, letters: str) -> tuple[Formula, int]:
    """A formula, and the cases in which it is true."""
    everywhere = _every_case(letters)
    if not depth or (depth > 1 and rng.random() < 0.2):
        letter = rng.choice(letters)
        truth = _letter_truth(letter, letters)
        return (("not", letter), everywhere ^ truth) if rng.random() < 0.4 else (letter, truth)
    while True:
        left, one = _formula(rng, depth - 1, letters)
        right, other = _formula(rng, depth - 1, letters)
        kind = rng.choice(CONNECTIVES)
        truth = _joined_truth(kind, one, other, everywhere)
        # It says more than nothing, or than one of its parts.
        if truth not in (0, everywhere, one, other):
            formula = (kind, left, right)
            if rng.random() < 0.15:
                return ("not", formula), everywhere ^ truth
            return formula, truth


@cache
def _every_case(letters: str) -> int:
    return (1 << (1 << len(letters))) - 1


@cache
def _letter_truth(letter: str, letters: str) -> int:
    """Case c is bit c; letter i is true where c has bit i."""
    half = 1 << letters.index(letter)
    return _every_case(letters) // ((1 << half) + 1) << half


def _joined_truth(kind: str, one: int, other: int, everywhere: int) -> int:
    match kind:
        case "and":
            return one & other
        case "or":
            return one | other
        case "if":
            return everywhere ^ one | other
        case "iff":
            return everywhere ^ one ^ other
        case _:
            return one ^ other


def _gate(circuit: _sat.Circuit, formula: Formula) -> int:
    if isinstance(formula, str):
        return circuit.variable(formula)
    gates = [_gate(circuit, part) for part in formula[1:]]
    match formula[0]:
        case "not":
            return -gates[0]
        case "and":
            return circuit.both(*gates)
        case "or":
            return circuit.either(*gates)
        case "if":
            return circuit.either(-gates[0], gates[1])
        case "iff":
            return circuit.equal(*gates)
        case _:
            return -circuit.equal(*gates)


def _cases(theory: Theory) -> Iterator[dict[str, bool]]:
    """The assignments under which all premises are true."""
    for values in product((True, False), repeat=len(theory.letters)):
        case = dict(zip(theory.letters, values, strict=True))
        if all(_holds(premise, case) for premise in theory.premises):
            yield case


def _holds(formula: Formula, case: dict[str, bool]) -> bool:
    if isinstance(formula, str):
        return case[formula]
    first = _holds(formula[1], case)
    match formula[0]:
        case "not":
            return not first
        case "and":
            return first and _holds(formula[2], case)
        case "or":
            return first or _holds(formula[2], case)
        case "if":
            return not first or _holds(formula[2], case)
        case "iff":
            return first == _holds(formula[2], case)
        case _:
            return first != _holds(formula[2], case)


def _kinds(formula: Formula) -> Iterator[str]:
    if not isinstance(formula, str):
        yield formula[0]
        for part in formula[1:]:
            yield from _kinds(part)


def _named(formula: Formula) -> str:
    return formula if isinstance(formula, str) else "".join(map(_named, formula[1:]))


def _size(formula: Formula) -> int:
    return len(_named(formula))


def _words(formula: Formula) -> str:
    if isinstance(formula, str):
        return formula
    parts = [
        _words(part) if isinstance(part, str) or (part[0] == "not" and isinstance(part[1], str))
        else f"({_words(part)})"
        for part in formula[1:]
    ]  # fmt: skip
    match formula[0]:
        case "not":
            return f"not {parts[0]}"
        case "if":
            return f"if {parts[0]}, then {parts[1]}"
        case "iff":
            return f"{parts[0]} if and only if {parts[1]}"
        case "either":
            return f"either {parts[0]} or {parts[1]}, but not both"
        case word:
            return f"{parts[0]} {word} {parts[1]}"


def _symbols(formula: Formula) -> str:
    if isinstance(formula, str):
        return formula
    parts = [
        _symbols(part) if isinstance(part, str) or part[0] == "not" else f"({_symbols(part)})"
        for part in formula[1:]
    ]
    sign = {"not": "~", "and": "&", "or": "|", "if": "->", "iff": "<->", "either": "^"}[formula[0]]
    return f"{sign}{parts[0]}" if len(parts) == 1 else f"{parts[0]} {sign} {parts[1]}"


NOTES = (
    {
        "or": '"x or y" is also true when both are.',
        "if": '"If x, then y" is false only when x is true and y is false.',
    },
    {
        "not": '"~x" means "not x".',
        "and": '"x & y" means "x and y".',
        "or": '"x | y" means "x or y, or both".',
        "if": '"x -> y" means "if x, then y" and is false only when x is true and y is false.',
        "iff": '"x <-> y" means "x if and only if y".',
        "either": '"x ^ y" means "either x or y, but not both".',
    },
)
LADDER = (
    Knobs(3, 2, 1, 5),
    Knobs(4, 3, 1, 6),
    Knobs(5, 4, 2, 7),
    Knobs(6, 5, 2, 8),
    Knobs(8, 7, 3, 9),
)
FAMILY = Family(
    Theory,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="letters"),
    hardness=hardness,
    proof="unique",
    solver="SAT, a refutation of each formula",
    guess_rate=0.1,  # some of four, not none and not all
    steps=steps,
    canon=canon,
    known=lambda theory: LABELS[: len(theory.formulas)],
    skills=("logic",),
    peers=("reasoning-gym/propositional_logic",),
    version=3,
)
