"""Sequence term: an arithmetic or geometric sequence, of which two facts are told.

A fact is a term or the sum of the first terms. `solve` uses the formulas of the textbook; `verify`
writes the sequence out, term after term, for two trial starts, and mixes them so that both facts
hold.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import isqrt
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.algebra._terms import drawn

# "term" or "sum", the index, and the value as a fraction
Fact: TypeAlias = tuple[str, int, int, int]
Question: TypeAlias = Literal["term", "sum", "part", "index", "first above"]


@dataclass(frozen=True, slots=True)
class Knobs:
    index: int  # the largest in a fact
    far: int  # the largest index that is asked about
    number: int  # the largest difference or first term
    sums: float  # how often a fact is a sum
    geometric: float  # how often the sequence is a geometric one
    questions: int  # how many sorts of question there may be
    easiest: int  # the first of them that is asked


@dataclass(frozen=True, slots=True)
class Progression:
    geometric: bool
    facts: tuple[Fact, ...]
    question: str
    asked: tuple[int, ...]  # an index; two of them; or a value


def generate(rng: Random, knobs: Knobs) -> Progression | None:
    geometric = rng.random() < knobs.geometric
    easiest = min(knobs.easiest, knobs.questions - 1)
    question: Question = rng.choice(QUESTIONS[easiest : knobs.questions])
    if geometric and question not in ("term", "sum"):
        question = "sum" if easiest else "term"
    sums = rng.random() < knobs.sums
    plain = geometric or not sums
    whats = ("term", "term") if plain else rng.choice((("term", "sum"), ("sum", "sum")))
    shape = Progression(geometric, tuple((what, 1, 1, 1) for what in whats), question, (1,))
    return twin(rng, knobs, shape)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(progression: Progression) -> Fraction | None:
    start = _start(progression)
    if start is None:
        return None
    first, step = start
    geometric = progression.geometric
    if progression.question in ("term", "sum"):
        (index,) = progression.asked
        if not 1 <= index <= (POWER if geometric else FARTHEST):
            return None
        return (_term if progression.question == "term" else _sum)(first, step, index, geometric)
    if progression.question == "part":
        low, high = progression.asked
        if not 1 <= low <= high <= FARTHEST:
            return None
        return Fraction(_sum(first, step, high, False) - _sum(first, step, low - 1, False))
    (value,) = progression.asked
    if step <= 0:
        return None
    place = (value - first) / step + 1  # of the value in the sequence
    if progression.question == "index":
        return place if place.denominator == 1 and 1 <= place <= FARTHEST else None
    found = Fraction(place.numerator // place.denominator + 1)
    return found if 1 <= found <= FARTHEST else None


def verify(progression: Progression, answer: Fraction) -> float:
    if _start(progression) is None:
        return 0.0
    if progression.geometric:
        return float(_geometric_is(progression, answer))
    top = max(*(fact[1] for fact in progression.facts), *progression.asked[:-1])
    if progression.question in ("index", "first above"):
        if answer.denominator != 1 or not 1 <= answer <= FARTHEST:
            return 0.0
        top = max(top, int(answer))
    else:
        top = max(top, progression.asked[-1])
    terms = _listed(progression, top)
    if terms is None:
        return 0.0
    match progression.question:
        case "term":
            return float(terms[progression.asked[0] - 1] == answer)
        case "sum":
            return float(sum(terms[: progression.asked[0]]) == answer)
        case "part":
            low, high = progression.asked
            return float(sum(terms[low - 1 : high]) == answer)
        case "index":
            return float(terms[int(answer) - 1] == progression.asked[0])
        case _:
            before = terms[int(answer) - 2] if answer > 1 else terms[0] - 1
            rises = terms[int(answer) - 1] > progression.asked[0]
            return float(rises and (answer == 1 or before <= progression.asked[0]))


def render(progression: Progression, style: Style) -> Prompt:
    kind = "a geometric" if progression.geometric else "an arithmetic"
    facts = " and ".join(_fact(*fact) for fact in progression.facts)
    signs = ""
    if progression.geometric:
        signs = f" All its terms are {'positive' if _positive(progression) else 'real numbers'}."
    asked = _asked(progression)
    note = ", where a_n is its n-th term"
    if any(fact[0] == "sum" for fact in progression.facts):
        note += " and S_n the sum of its first n terms"
    return Prompt(
        style.pick(
            f"In {kind} sequence a_1, a_2, a_3, ...{note}, we know that {facts}.{signs}"
            f" {asked[0].upper()}{asked[1:]}?",
            f"Let a_1, a_2, a_3, ... be {kind} sequence{note}. Given: {facts}.{signs}\n\n"
            f"{asked[0].upper()}{asked[1:]}?",
            f"For {kind} sequence a_1, a_2, a_3, ...{note}, it is known that {facts}.{signs}\n\n"
            f"Question: {asked}?",
        ),
        form=answers.Number().form,
    )


def steps(progression: Progression) -> list[str]:
    """What the facts say of the first term and the step, then the question."""
    start = _start(progression)
    assert start is not None
    first, step = start
    lines = []
    for what, index, above, below in progression.facts:
        value = Fraction(above, below)
        if progression.geometric:
            lines.append(f"a_1 * r^{index - 1} = {value}")
        elif what == "term":
            lines.append(f"a_1 + {index - 1}d = {value}")
        else:
            lines.append(f"{index}a_1 + {index * (index - 1) // 2}d = {value}")
    lines.append(f"a_1 = {first}, {'r' if progression.geometric else 'd'} = {step}")
    question = _asked(progression).replace("what is ", "").replace("for which n is ", "")
    return [*lines, f"{question}: {solve(progression)}"]


def progress(progression: Progression, lines: Lines) -> float:
    return states_followed(FAMILY, progression, lines)


def hardness(progression: Progression) -> float:
    """Facts that are sums weigh double, and so do questions that go on from the formulas."""
    facts = sum(2 * (fact[0] == "sum") + len(str(fact[2])) for fact in progression.facts)
    asked = {"term": 0, "sum": 2, "part": 5, "index": 2, "first above": 4}[progression.question]
    digits = sum(len(str(number)) for number in progression.asked)
    return facts + asked + digits + 4 * progression.geometric


def twin(rng: Random, knobs: Knobs, progression: Progression) -> Progression | None:
    for _ in range(TRIES):
        made = _filled(rng, knobs, progression)
        found = solve(made) if made else None
        # An answer that is also told of something else could be copied.
        if made and found is not None and all(found != Fraction(*each[2:]) for each in made.facts):
            return made
    return None


def _filled(rng: Random, knobs: Knobs, shape: Progression) -> Progression | None:
    top = min(knobs.index, 8) if shape.geometric else knobs.index
    one, two = sorted(rng.sample(range(1, max(top, 4) + 1), 2))
    if shape.geometric:
        step = Fraction(drawn(rng, 3 if knobs.number < 20 else 5), rng.randint(1, 3))
        first = Fraction(drawn(rng, 6)) * step.denominator ** rng.choice((0, two - 1))
        if (two - one) % 2 == 0:
            step, first = abs(step), abs(first)
        if abs(step) == 1:
            return None
    else:
        step = Fraction(drawn(rng, knobs.number), rng.choice((1, 1, 2, 3) if knobs.sums else (1,)))
        first = Fraction(drawn(rng, 2 * knobs.number))
        if shape.question in ("index", "first above"):
            step = abs(step)
    facts = []
    for (what, *_), index in zip(shape.facts, (one, two)):
        work = _term if what == "term" else _sum
        value = work(first, step, index, shape.geometric)
        facts.append((what, index, value.numerator, value.denominator))
    far = rng.randint(two + 1, two + 4 if shape.geometric else max(two + 1, knobs.far))
    asked: tuple[int, ...] = (far,)
    if shape.question == "part":
        asked = (rng.randint(two, far), far + rng.randint(2, 20))
    elif shape.question == "index":
        value = _term(first, step, far, False)
        if value.denominator > 1:
            return None
        asked = (int(value),)
    elif shape.question == "first above":
        asked = (int(_term(first, step, far, False)) + rng.randint(0, int(step)),)
    if asked[-1] == 0 or not all(fact[2] for fact in facts):
        return None
    return replace(shape, facts=tuple(facts), asked=asked)


def _start(progression: Progression) -> tuple[Fraction, Fraction] | None:
    """The first term and the difference or ratio; None where the facts do not settle them."""
    (one, i, u, p), (two, j, w, q) = progression.facts
    most = POWER if progression.geometric else FARTHEST
    if not 1 <= i <= most or not 1 <= j <= most or i == j:
        return None
    left, right = Fraction(u, p), Fraction(w, q)
    if progression.geometric:
        if not left or not right or i > j:
            return None
        ratio = _root(right / left, j - i)
        positive = (j - i) % 2 == 0
        if ratio is None or not ratio or (positive and left < 0):
            return None
        return left / ratio ** (i - 1), ratio
    rows = [
        (1, k - 1) if what == "term" else (k, k * (k - 1) // 2) for what, k in ((one, i), (two, j))
    ]
    (a, b), (c, d) = rows
    below = a * d - b * c
    if not below:
        return None
    return (left * d - right * b) / below, (right * a - left * c) / below


def _root(number: Fraction, index: int) -> Fraction | None:
    """The real root that is rational, if there is one; the positive one of two."""
    if number < 0 and index % 2 == 0:
        return None
    above = _whole_root(abs(number.numerator), index)
    below = _whole_root(number.denominator, index)
    if above is None or below is None:
        return None
    return Fraction(above if number > 0 else -above, below)


def _whole_root(number: int, index: int) -> int | None:
    if index == 2:
        found = isqrt(number)
    else:
        low, high = 0, 1 << (number.bit_length() // index + 1)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if middle**index <= number else (low, middle - 1)
        found = low
    return found if found**index == number else None


def _term(first: Fraction, step: Fraction, index: int, geometric: bool) -> Fraction:
    return first * step ** (index - 1) if geometric else first + step * (index - 1)


def _sum(first: Fraction, step: Fraction, index: int, geometric: bool) -> Fraction:
    if geometric:
        return first * index if step == 1 else first * (step**index - 1) / (step - 1)
    return (first * 2 + step * (index - 1)) * index / 2


def _listed(progression: Progression, top: int) -> list[Fraction] | None:
    """The terms written out: 1, 1, 1, ... and 0, 1, 2, ... mixed as the facts ask."""
    flat, rising = [1] * top, list(range(top))
    rows = []
    for what, index, above, below in progression.facts:
        if not 1 <= index <= top:
            return None
        low = index - 1 if what == "term" else 0
        rows.append((sum(flat[low:index]), sum(rising[low:index]), Fraction(above, below)))
    (a, b, u), (c, d, w) = rows
    if a * d == b * c:
        return None
    rise = (w * a - u * c) / (a * d - b * c)
    level = (u - rise * b) / a
    return [level + rise * place for place in rising]


def _geometric_is(progression: Progression, answer: Fraction) -> bool:
    """By products alone: the ratio of a sum is searched for among small fractions."""
    (_, i, u, p), (_, j, w, q) = progression.facts
    (index,) = progression.asked
    if not 1 <= index <= POWER:
        return False
    left, right = Fraction(u, p), Fraction(w, q)
    if progression.question == "term":
        fits = (answer / left) ** (j - i) == (right / left) ** (index - i)
        ratio_negative = right / left < 0
        sign = -1 if ratio_negative and (index - i) % 2 else 1
        return bool(answer) and fits and answer * left * sign > 0
    found = _searched(right / left, j - i)
    if found is None:
        return False
    term, total = left, Fraction(0)
    for _ in range(i - 1):
        term /= found
    for _ in range(index):
        term, total = term * found, total + term
    return total == answer


def _searched(power: Fraction, index: int) -> Fraction | None:
    """The ratio by bisection over whole numerators and denominators."""
    parts = []
    for number in (abs(power.numerator), power.denominator):
        size = 1
        while size**index < number:
            size *= 2
        part = next((one for one in _halving(size, number, index)), None)
        if part is None:
            return None
        parts.append(part)
    return Fraction(-parts[0] if power < 0 else parts[0], parts[1])


def _halving(size: int, number: int, index: int) -> list[int]:
    step, found = size, size
    while step and found**index != number:
        step = (step + 1) // 2 if step > 1 else 0
        found += -step if found**index > number else step
    return [found] if found**index == number else []


def _positive(progression: Progression) -> bool:
    (_, i, *_), (_, j, *_) = progression.facts
    return (j - i) % 2 == 0


def _fact(what: str, index: int, above: int, below: int) -> str:
    value = f"{above}" if below == 1 else f"{above}/{below}"
    return f"{'a' if what == 'term' else 'S'}_{index} = {value}"


def _asked(progression: Progression) -> str:
    asked = progression.asked
    match progression.question:
        case "term":
            return f"what is a_{asked[0]}"
        case "sum":
            return f"what is the sum of its first {asked[0]} terms"
        case "part":
            return f"what is the sum of all terms from a_{asked[0]} to a_{asked[1]}, both included"
        case "index":
            return f"for which n is a_n = {asked[0]}"
        case _:
            return f"what is the smallest n with a_n > {asked[0]}"


QUESTIONS: tuple[Question, ...] = ("term", "index", "sum", "part", "first above")
TRIES = 40
POWER = 40  # the largest index in a geometric sequence
FARTHEST = 3000  # the largest index in an arithmetic one
LADDER = (
    Knobs(4, 12, 6, 0.0, 0.0, 1, 0),
    Knobs(8, 25, 9, 0.0, 0.2, 3, 0),
    Knobs(12, 40, 15, 0.6, 0.3, 4, 1),
    Knobs(20, 80, 25, 1.0, 0.2, 5, 2),
    Knobs(60, 300, 90, 1.0, 0.0, 5, 3),
)
FAMILY = Family(
    Progression,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="formulas for terms and sums",
    guess_rate=0.06,
    steps=steps,
    progress=progress,
    inputs=("facts", "asked"),
    twin=twin,
    skills=("sequences", "equations", "fractions"),
    peers=("mathematics_dataset/sequence_nth_term",),
    version=2,
)
