"""Vectors: products, projections, reflections and coordinates in space.

Every answer is one vector. `solve` has the formula for it; `verify` asks for what defines it:
that it stands at right angles, lies in a plane, has so large a part along another.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import listed
from puzzlemill.generators.algebra._matrices import drawn, expanded, fits, shown, solved, turned

Question: TypeAlias = Literal[
    "combination", "cross", "onto", "across", "mirrored", "coordinates", "plane", "nested"
]
Vector: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    size: int  # components, at most, where there need not be 3
    entry: int  # the largest
    easiest: int  # the first and last kind of question, in the order of QUESTIONS
    hardest: int  # see `easiest`


@dataclass(frozen=True, slots=True)
class Space:
    vectors: tuple[Vector, ...]  # u, v, w ...
    question: Question
    factors: tuple[int, ...]  # of a combination


def generate(rng: Random, knobs: Knobs) -> Space | None:
    question = QUESTIONS[rng.randint(min(knobs.easiest, knobs.hardest), knobs.hardest)]
    size = 3 if question in ("cross", "nested") else rng.randint(min(3, knobs.size), knobs.size)
    count = {"combination": 3, "coordinates": size + 1, "plane": 3, "nested": 3}.get(question, 2)
    factors: tuple[int, ...] = ()
    if question == "combination":
        factors = tuple(rng.choice((-5, -4, -3, -2, 2, 3, 4, 5)) for _ in range(count))
    vectors = drawn(rng, count, size, knobs.entry)
    if question == "coordinates":
        basis = vectors[1:]
        wanted = [rng.randint(-knobs.entry, knobs.entry) for _ in basis]
        first = tuple(sum(n * v[place] for n, v in zip(wanted, basis)) for place in range(size))
        vectors = (first, *basis)
    puzzle = Space(vectors, question, factors)
    found = solve(puzzle)
    if found is None or not any(found) or max(map(max, vectors)) < 2 or not all(map(any, vectors)):
        return None
    return puzzle if max(each.denominator for each in found) < LARGEST else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(puzzle: Space) -> tuple[Fraction, ...] | None:
    vectors = puzzle.vectors
    if not fits(vectors):
        return None
    u, v = vectors[0], vectors[1]
    match puzzle.question:
        case "combination":
            columns = zip(*vectors)
            return tuple(Fraction(_dot(puzzle.factors, column)) for column in columns)
        case "cross":
            return tuple(map(Fraction, _cross(u, v)))
        case "nested":
            return tuple(map(Fraction, _cross(u, _cross(v, vectors[2]))))
        case "coordinates":
            found = solved(turned(vectors[1:]), [[each] for each in u])
            return None if found is None else tuple(row[0] for row in found)
        case "plane":
            w = vectors[2]
            gram = ((_dot(v, v), _dot(v, w)), (_dot(v, w), _dot(w, w)))
            found = solved(gram, [[_dot(u, v)], [_dot(u, w)]])
            if found is None:
                return None
            first, second = found[0][0], found[1][0]
            return tuple(first * a + second * b for a, b in zip(v, w))
        case _:
            if not any(v):
                return None
            along = [Fraction(_dot(u, v), _dot(v, v)) * each for each in v]
            times = {"onto": (0, 1), "across": (1, -1), "mirrored": (1, -2)}[puzzle.question]
            return tuple(times[0] * a + times[1] * b for a, b in zip(u, along))


def verify(puzzle: Space, answer: tuple[Fraction, ...]) -> float:
    vectors = puzzle.vectors
    if len(answer) != len(vectors[0]):
        return 0.0
    if any(max(abs(each.numerator), each.denominator) > 10**60 for each in answer):
        return 0.0
    return float(_defined(puzzle, answer))


def render(puzzle: Space, style: Style) -> Prompt:
    told = [f"{name} = {shown(each)}" for name, each in zip(NAMES, puzzle.vectors)]
    given = listed(told)
    lines = "\n".join(told)
    wanted = _wanted(puzzle)
    verb = "are" if puzzle.question == "coordinates" else "is"
    question = style.pick(
        f"Consider the vectors {given}. Find {wanted}.",
        f"Let\n\n{lines}\n\nCompute {wanted}.",
        f"For the vectors\n\n{lines}\n\nwhat {verb} {wanted}?",
    )
    count = len(puzzle.vectors[0])
    what = "coefficients" if puzzle.question == "coordinates" else "components of the vector"
    return Prompt(
        question,
        form=f"the {count} {what} in order, integers or fractions in lowest terms, separated by"
        " commas",
    )


def steps(puzzle: Space) -> list[str]:
    """The scalar or vector products that the formula needs."""
    vectors, lines = puzzle.vectors, list[str]()
    u, v = vectors[0], vectors[1]
    if puzzle.question in ("onto", "across", "mirrored"):
        lines += [f"u.v = {_dot(u, v)}, v.v = {_dot(v, v)}"]
        lines += [f"The projection of u onto v is {Fraction(_dot(u, v), _dot(v, v))} times v"]
    elif puzzle.question == "plane":
        w = vectors[2]
        lines += [f"v.v = {_dot(v, v)}, v.w = {_dot(v, w)}, w.w = {_dot(w, w)}"]
        lines += [f"u.v = {_dot(u, v)}, u.w = {_dot(u, w)}"]
    elif puzzle.question == "nested":
        lines += [f"v x w = {shown(_cross(v, vectors[2]))}"]
    return [*lines, f"The answer is {shown(solve(puzzle) or ())}"]


def progress(puzzle: Space, lines: Lines) -> float:
    return states_followed(FAMILY, puzzle, lines)


def hardness(puzzle: Space) -> float:
    digits = sum(len(str(abs(each))) for vector in puzzle.vectors for each in vector)
    return 10 * QUESTIONS.index(puzzle.question) + len(puzzle.vectors[0]) ** 2 + digits


def twin(rng: Random, knobs: Knobs, puzzle: Space) -> Space | None:
    vectors = drawn(rng, len(puzzle.vectors), len(puzzle.vectors[0]), knobs.entry)
    other = replace(puzzle, vectors=vectors)
    found = solve(other)
    return other if found and any(found) and all(map(any, vectors)) else None


def _defined(puzzle: Space, answer: tuple[Fraction, ...]) -> bool:
    """Whether the answer has the properties that no other vector has."""
    vectors = puzzle.vectors
    u, v = vectors[0], vectors[1]
    rest = [a - b for a, b in zip(u, answer)]
    match puzzle.question:
        case "combination":
            return all(
                place
                == sum(number * vector[row] for number, vector in zip(puzzle.factors, vectors))
                for row, place in enumerate(answer)
            )
        case "cross":
            # What each unit vector spans with the two.
            return all(expanded((unit, u, v)) == own for unit, own in zip(UNITS, answer))
        case "nested":
            w = vectors[2]
            right, left = _dot(u, w), _dot(u, v)
            return all(own == right * a - left * b for own, a, b in zip(answer, v, w))
        case "coordinates":
            return all(
                number == sum(share * vector[row] for share, vector in zip(answer, vectors[1:]))
                for row, number in enumerate(u)
            )
        case "plane":
            w = vectors[2]
            flat = _flat(answer, v, w)
            return flat and not _inner(rest, v) and not _inner(rest, w)
        case "onto":
            return _parallel(answer, v) and not _inner(rest, v)
        case "across":
            return _parallel(rest, v) and not _inner(answer, v)
        case _:
            middle = [a + b for a, b in zip(u, answer)]
            return _parallel(rest, v) and not _inner(middle, v)


def _parallel(one: tuple[Fraction, ...] | list[Fraction], other: Vector) -> bool:
    size = range(len(other))
    return all(one[a] * other[b] == one[b] * other[a] for a in size for b in size if a < b)


def _flat(answer: tuple[Fraction, ...], v: Vector, w: Vector) -> bool:
    """Whether three vectors lie in a plane: all 3 x 3 determinants are 0."""
    size = range(len(v))
    return not any(
        answer[a] * (v[b] * w[c] - v[c] * w[b])
        - answer[b] * (v[a] * w[c] - v[c] * w[a])
        + answer[c] * (v[a] * w[b] - v[b] * w[a])
        for a in size
        for b in size
        for c in size
        if a < b < c
    )


def _inner(one: list[Fraction] | tuple[Fraction, ...], other: Vector) -> Fraction:
    return sum((a * b for a, b in zip(one, other)), Fraction(0))


def _dot(one: Vector, other: Vector) -> int:
    return sum(map(int.__mul__, one, other))


def _cross(one: Vector, other: Vector) -> Vector:
    (a, b, c), (d, e, f) = one, other
    return b * f - c * e, c * d - a * f, a * e - b * d


def _wanted(puzzle: Space) -> str:
    names = NAMES[1 : len(puzzle.vectors)]
    match puzzle.question:
        case "combination":
            text = ""
            for number, name in zip(puzzle.factors, NAMES):
                sign = f" {'-' if number < 0 else '+'} " if text else "-" * (number < 0)
                text += f"{sign}{abs(number)}{name}"
            return f"the vector {text}"
        case "cross":
            return "the cross product u x v"
        case "onto":
            return "the orthogonal projection of u onto the line spanned by v"
        case "across":
            return "the component of u that is orthogonal to v (u minus its projection onto v)"
        case "mirrored":
            return (
                "the mirror image of u in the hyperplane through the origin that is orthogonal to"
                " v (in space, the plane with normal vector v)"
            )
        case "coordinates":
            sums = " + ".join(f"c{place}*{name}" for place, name in enumerate(names, 1))
            listed = ", ".join(f"c{place}" for place, _ in enumerate(names, 1))
            return f"the coefficients {listed} with u = {sums}"
        case "plane":
            return "the orthogonal projection of u onto the plane spanned by v and w"
        case _:
            return "u x (v x w), where x is the cross product"


def _notation(space: Space) -> answers.NumberList:
    """The coefficients are called c1, c2 ...; components have no names."""
    count = len(space.vectors) - 1 if space.question == "coordinates" else 0
    return answers.NumberList(names=tuple(f"c{place}" for place in range(1, count + 1)))


QUESTIONS: tuple[Question, ...] = (
    "combination",
    "cross",
    "onto",
    "across",
    "mirrored",
    "nested",
    "coordinates",
    "plane",
)
UNITS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
NAMES = "uvwpqr"
LARGEST = 10**8
LADDER = (
    Knobs(2, 6, 0, 0),
    Knobs(3, 9, 0, 2),
    Knobs(3, 9, 1, 5),
    Knobs(4, 9, 3, 7),
    Knobs(5, 12, 6, 7),
)
FAMILY = Family(
    Space,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.NumberList(),
    notation=_notation,
    hardness=hardness,
    proof="unique",
    solver="the formula for each",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    inputs=("vectors",),
    twin=twin,
    skills=("coordinates", "matrices"),
    version=2,
)
