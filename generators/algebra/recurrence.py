"""Recurrence: a term, or a sum of terms, of a linear recurrence, perhaps only its remainder.

`solve` raises the matrix of one step to a power; `verify` never builds a matrix: it raises x to a
power modulo the characteristic polynomial, and where the index is small counts up to it.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.algebra._terms import drawn, total

Square: TypeAlias = list[list[int]]


@dataclass(frozen=True, slots=True)
class Knobs:
    order: int  # how many terms before it a term is made from
    number: int  # the largest factor
    index: int  # of the term
    modulus: int  # the largest; 1: the term itself is asked for
    extra: int  # 0: nothing is added; 1: a number; 2: a multiple of n; 3: a sum may be asked for


@dataclass(frozen=True, slots=True)
class Sequence:
    factors: tuple[int, ...]  # of the term before, of the one before that, ...
    slope: int  # what multiple of n is added
    constant: int  # the number that is added
    first: tuple[int, ...]  # a_1, a_2, ...
    index: int
    total: bool  # whether the sum of all terms up to the index is asked for
    modulus: int  # 0: the number itself


def generate(rng: Random, knobs: Knobs) -> Sequence | None:
    extra = rng.randint(1, knobs.extra) if knobs.extra else 0
    shape = Sequence(
        (1,) * knobs.order,
        int(extra == 2 or (extra == 3 and rng.random() < 0.5)),
        int(extra > 0),
        (1,) * knobs.order,
        1,
        extra == 3,
        int(knobs.modulus > 1),
    )
    return twin(rng, knobs, shape)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(sequence: Sequence) -> int | None:
    """One step as a matrix, raised to a power by squaring."""
    order = len(sequence.factors)
    if not _bounded(sequence):
        return None
    modulus = sequence.modulus
    size = order + 3  # the last terms, n + 1 and 1, and the sum of all terms but the last few
    step: Square = [[0] * size for _ in range(size)]
    step[0] = [*sequence.factors, sequence.slope, sequence.constant, 0]
    for place in range(1, order):
        step[place][place - 1] = 1
    step[order][order] = step[order][order + 1] = 1
    step[order + 1][order + 1] = 1
    step[-1][order - 1] = step[-1][-1] = 1
    state = [*reversed(sequence.first), order + 1, 1, 0]
    if sequence.index <= order:
        known = sequence.first[: sequence.index]
        answer = sum(known) if sequence.total else known[-1]
        return answer % modulus if modulus else answer
    power = _raised(step, sequence.index - order, modulus)
    after = [sum(one * other for one, other in zip(row, state)) for row in power]
    answer = after[-1] + sum(after[:order]) if sequence.total else after[0]
    return answer % modulus if modulus else answer


def verify(sequence: Sequence, answer: int) -> float:
    if not _bounded(sequence):
        return 0.0
    modulus = sequence.modulus
    if sequence.index <= COUNTED:
        found = _counted(sequence, sequence.index)[-1]
    else:
        found = _by_polynomial(sequence)
    return float(answer == (found % modulus if modulus else found))


def render(sequence: Sequence, style: Style) -> Prompt:
    start = ", ".join(f"a_{place} = {value}" for place, value in enumerate(sequence.first, 1))
    rule = f"a_n = {_rule(sequence)}"
    since = f"n ≥ {len(sequence.first) + 1}"
    asked = f"a_{sequence.index}"
    if sequence.total:
        asked = f"the sum a_1 + a_2 + ... + a_{sequence.index}"
    if sequence.modulus:
        asked = f"the remainder when {asked} is divided by {sequence.modulus}"
    question = style.pick(
        f"A sequence is given by {start} and\n\n{rule} for all {since}.\n\nFind {asked}.",
        f"Let {start}, and for every {since} let {rule}. What is {asked}?",
        f"The terms of a sequence satisfy {rule} whenever {since}. The sequence starts with"
        f" {start}. Compute {asked}.",
    )
    if sequence.modulus:
        question += (
            f"\n\nRemainders run from 0 to {sequence.modulus - 1}, for negative numbers too."
        )
        return Prompt(question, form=f"one integer from 0 to {sequence.modulus - 1}")
    return Prompt(question, form="one integer")


def steps(sequence: Sequence) -> list[str]:
    """The terms one by one, or how the sequence repeats modulo the modulus."""
    modulus = sequence.modulus
    shown = min(sequence.index, SHOWN)
    terms = _terms(sequence, shown)
    what = f" modulo {modulus}" if modulus else ""
    lines = [f"a_{place}{what} = {value}" for place, value in enumerate(terms, 1)]
    if sequence.index > shown:
        power = sequence.index - len(sequence.first)
        lines.append(
            f"One step is a matrix; its power {power} takes {power.bit_length()} squarings."
        )
    asked = f"a_1 + ... + a_{sequence.index}" if sequence.total else f"a_{sequence.index}"
    return [*lines, f"{asked}{what} = {solve(sequence)}"]


def progress(sequence: Sequence, lines: Lines) -> float:
    return results_derived(FAMILY, sequence, lines)


def hardness(sequence: Sequence) -> float:
    """Terms of each step times the steps that are needed."""
    width = len(sequence.factors) + bool(sequence.slope) + bool(sequence.constant)
    length = min(sequence.index, 20 + 4 * sequence.index.bit_length())
    return (width + sequence.total) * length * len(str(max(sequence.modulus, 10)))


def twin(rng: Random, knobs: Knobs, sequence: Sequence) -> Sequence | None:
    """Other numbers for a recurrence of the same shape."""
    order = len(sequence.factors)
    factors = [drawn(rng, knobs.number) for _ in range(order)]
    if not sequence.modulus and order > 1:
        factors[0] = abs(factors[0])
    first = [rng.randint(0 if order > 1 else 1, knobs.number + 2) for _ in range(order)]
    first[-1] = max(first[-1], 1)
    most = knobs.modulus
    modulus = rng.randint(min(max(3, most // 3), most), most) if sequence.modulus else 0
    index = rng.randint(max(order + 2, knobs.index // 2), max(order + 3, knobs.index))
    if not sequence.modulus and index > LONGEST:
        index = rng.randint(LONGEST // 2, LONGEST)
    made = Sequence(
        tuple(factors),
        drawn(rng, knobs.number) if sequence.slope else 0,
        drawn(rng, knobs.number + 3) if sequence.constant else 0,
        tuple(first),
        index,
        sequence.total,
        modulus,
    )
    values = _terms(made, order + 12)
    varied = len(set(values[-8:])) >= min(5, max(modulus - 1, 2))
    # A first term would be paid to whoever copies it from the prompt.
    return made if varied and solve(made) not in first else None


def _bounded(sequence: Sequence) -> bool:
    """Whether the answer may be worked out: without a modulus it must not be too long."""
    fits = len(sequence.first) == len(sequence.factors) and sequence.index >= 1
    size = max(map(abs, (*sequence.factors, sequence.slope, sequence.constant, *sequence.first)))
    return fits and (bool(sequence.modulus) or sequence.index * (size + 2).bit_length() < LARGEST)


def _raised(step: Square, exponent: int, modulus: int) -> Square:
    size = len(step)
    found = [[int(row == column) for column in range(size)] for row in range(size)]
    while exponent:
        if exponent & 1:
            found = _product(found, step, modulus)
        step = _product(step, step, modulus)
        exponent >>= 1
    return found


def _product(one: Square, other: Square, modulus: int) -> Square:
    columns = list(zip(*other))
    found = [[sum(a * b for a, b in zip(row, column)) for column in columns] for row in one]
    return [[value % modulus for value in row] for row in found] if modulus else found


def _terms(sequence: Sequence, count: int) -> list[int]:
    """The first terms, one after the other."""
    found = list(sequence.first)
    for place in range(len(found) + 1, count + 1):
        before = zip(sequence.factors, reversed(found[-len(sequence.factors) :]))
        value = sum(factor * term for factor, term in before)
        value += sequence.slope * place + sequence.constant
        found.append(value)
        if sequence.modulus:
            found[-1] %= sequence.modulus
    return (
        [value % sequence.modulus for value in found[:count]] if sequence.modulus else found[:count]
    )


def _counted(sequence: Sequence, count: int) -> list[int]:
    """What is asked for, for each index up to one."""
    terms = _terms(sequence, count)
    if not sequence.total:
        return terms
    sums = [terms[0]]
    for term in terms[1:]:
        sums.append(sums[-1] + term)
    return sums


def _by_polynomial(sequence: Sequence) -> int:
    """x^(index - 1) modulo the characteristic polynomial says how the first terms make up the one
    that is asked for. What is added, and summing, multiply that polynomial by x - 1."""
    modulus = sequence.modulus
    below = [-factor for factor in reversed(sequence.factors)] + [1]
    for _ in range(2 * bool(sequence.slope or sequence.constant) + sequence.total):
        below = [(low - high) for low, high in zip([0, *below], [*below, 0])]
    degree = len(below) - 1
    found, base = [1] + [0] * (degree - 1), [0, 1] + [0] * (degree - 2)
    if degree == 1:
        base = [-below[0]]
    exponent = sequence.index - 1
    while exponent:
        if exponent & 1:
            found = _reduced(found, base, below, modulus)
        base = _reduced(base, base, below, modulus)
        exponent >>= 1
    return sum(one * other for one, other in zip(found, _counted(sequence, degree)))


def _reduced(one: list[int], other: list[int], below: list[int], modulus: int) -> list[int]:
    """The product of two polynomials, modulo a third whose leading coefficient is 1."""
    degree = len(below) - 1
    found = [0] * (2 * degree - 1)
    for place, factor in enumerate(one):
        for shift, value in enumerate(other):
            found[place + shift] += factor * value
    for place in range(2 * degree - 2, degree - 1, -1):
        top = found[place]
        for shift in range(degree + 1):
            found[place - degree + shift] -= top * below[shift]
    return [value % modulus for value in found[:degree]] if modulus else found[:degree]


def _rule(sequence: Sequence) -> str:
    parts = [(factor, f"a_(n-{back})") for back, factor in enumerate(sequence.factors, 1)]
    return total([*parts, (sequence.slope, "n"), (sequence.constant, "")])


COUNTED = 60  # indices up to here are counted up to by `verify`
LONGEST = 16  # the largest index where the term itself is asked for
SHOWN = 12
LARGEST = 4000  # bits of an answer
LADDER = (
    Knobs(1, 4, 6, 1, 1),
    Knobs(2, 4, 10, 1, 1),
    Knobs(2, 5, 60, 30, 2),
    Knobs(3, 9, 400, 60, 3),
    Knobs(4, 12, 10000, 100, 3),
)
FAMILY = Family(
    Sequence,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="powers of the matrix of one step",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    inputs=("factors", "constant", "first", "index", "modulus"),
    twin=twin,
    skills=("recurrences", "sequences", "modular"),
    version=2,
)
