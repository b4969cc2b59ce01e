"""Polynomial product: multiply out sums of products and powers, in one letter or in several.

`solve` multiplies term by term. `verify` never multiplies polynomials: it puts in a number for each
letter, so large that all coefficients can be read off the one value that comes out, like digits.
"""

from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.polynomial import Powers, Terms, sorted_terms
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import listed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators.algebra._polynomials import drawn, signed

Term: TypeAlias = tuple[int, Powers]
Factor: TypeAlias = tuple[tuple[Term, ...], int]  # a sum, and the power it is raised to
Product: TypeAlias = tuple[str, tuple[Factor, ...]]  # with the sign before it


@dataclass(frozen=True, slots=True)
class Knobs:
    products: int  # that are added or subtracted
    factors: int  # in a product
    terms: int  # in a factor, at most
    degree: int  # of a letter in a factor, at most
    letters: int  # different letters
    coefficient: int  # the largest
    power: int  # the largest to which a factor is raised


@dataclass(frozen=True, slots=True)
class Unexpanded:
    products: tuple[Product, ...]


def generate(rng: Random, knobs: Knobs) -> Unexpanded | None:
    products = []
    for place in range(knobs.products):
        factors = [(_factor(rng, knobs), 1) for _ in range(knobs.factors)]
        if knobs.power > 1 and len(factors[0][0]) == 2:
            factors[0] = (factors[0][0], rng.randint(2, knobs.power))
            factors = factors[: max(1, knobs.factors - 1)]
        products.append((rng.choice("+-") if place else "+", tuple(factors)))
    puzzle = Unexpanded(tuple(products))
    return puzzle if 2 <= len(_expanded(puzzle)) <= MOST else None


def solve(puzzle: Unexpanded) -> Terms | None:
    if any(
        power > HIGHEST or power * max(map(max, (powers for _, powers in terms))) > HIGHEST
        for _, factors in puzzle.products
        for terms, power in factors
    ):
        return None
    expanded = _expanded(puzzle)
    if not expanded:
        return None
    return sorted_terms({powers: Fraction(number) for powers, number in expanded.items()})


def verify(puzzle: Unexpanded, answer: Terms) -> float:
    tops, bound = _bounds(puzzle)
    for powers, number in answer:
        if len(powers) != len(tops) or any(own > top for own, top in zip(powers, tops)):
            return 0.0
        if number.denominator != 1 or abs(number) > bound:
            return 0.0
    point, size = [], 2 * bound + 1
    for top in tops:
        point.append(size)
        size **= top + 1
    return float(_value(puzzle, point) == sum(_at(int(c), powers, point) for powers, c in answer))


def render(puzzle: Unexpanded, style: Style) -> Prompt:
    text = _text(puzzle)
    single = len(puzzle.products) == 1
    names = [name for name, top in zip(NAMES, _bounds(puzzle)[0]) if top]
    inside = listed(names)
    question = style.pick(
        f"Expand {text} and collect like terms." if single else f"Expand and simplify {text}.",
        f"Multiply out and collect like terms:\n\n{text}",
        f"Write this as a polynomial in {inside}, without brackets:\n\n{text}",
        f"Let P = {text}. What is P as a sum of terms, each power product at most once?",
    )
    return Prompt(
        question,
        form=f"a polynomial in {inside} that is multiplied out, with like terms collected and ^ for"
        f" powers, such as {_example(names)}",
    )


def steps(puzzle: Unexpanded) -> list[str]:
    """Every product, one factor after another, then their sum."""
    lines = []
    total: dict[Powers, int] = {}
    for sign, factors in puzzle.products:
        so_far: dict[Powers, int] = {(0,) * len(NAMES): 1}
        line = _product_text(factors)
        for terms, power in factors:
            for _ in range(power):
                so_far = _times(so_far, terms)
        lines.append(f"{line} = {_sum_text(so_far)}")
        for powers, number in so_far.items():
            total[powers] = total.get(powers, 0) + (number if sign == "+" else -number)
    return lines if len(lines) == 1 else [*lines, f"Together: {_sum_text(total)}"]


def progress(puzzle: Unexpanded, lines: Lines) -> float:
    return results_derived(FAMILY, puzzle, lines)


def hardness(puzzle: Unexpanded) -> float:
    """Terms before they are collected."""
    count = 0
    for _, factors in puzzle.products:
        size = 1
        for terms, power in factors:
            size *= len(terms) ** power
        count += size
    return count + len(_expanded(puzzle)) / 2


def canon(puzzle: Unexpanded) -> list[tuple[str, list[Factor]]]:
    """Products, factors and terms in an order of their own."""
    return sorted(
        (sign, sorted((tuple(sorted(terms)), power) for terms, power in factors))
        for sign, factors in puzzle.products
    )


def twin(rng: Random, knobs: Knobs, puzzle: Unexpanded) -> Unexpanded | None:
    products = tuple(
        (
            sign,
            tuple(
                (tuple((_like(rng, c, knobs), powers) for c, powers in terms), power)
                for terms, power in factors
            ),
        )
        for sign, factors in puzzle.products
    )
    other = replace(puzzle, products=products)
    return other if 2 <= len(_expanded(other)) <= MOST else None


def misread(rng: Random, puzzle: Unexpanded) -> Unexpanded | None:
    """Two coefficients stand in each other's places, or one has the other sign.

    `generate` draws the puzzle before and the one after equally often, so no answer stands out.
    """
    products = [
        (sign, [(list(terms), power) for terms, power in factors])
        for sign, factors in puzzle.products
    ]
    sums = [terms for _, factors in products for terms, _ in factors]
    # The first term of a factor has no sign.
    firsts = [(terms, 0) for terms in sums]
    others = [(terms, at) for terms in sums for at in range(1, len(terms))]
    if rng.random() < 0.4:
        terms, at = rng.choice(others)
        terms[at] = -terms[at][0], terms[at][1]
    else:
        places = others if len(firsts) < 2 or rng.random() < 0.6 else firsts
        (one, here), (other, there) = rng.choice(places), rng.choice(places)
        (first, powers), (second, its) = one[here], other[there]
        one[here], other[there] = (second, powers), (first, its)
    misread = Unexpanded(
        tuple(
            (sign, tuple((tuple(terms), power) for terms, power in factors))
            for sign, factors in products
        )
    )
    return misread if 2 <= len(_expanded(misread)) <= MOST else None


def _like(rng: Random, number: int, knobs: Knobs) -> int:
    return 1 if number == 1 else drawn(rng, knobs.coefficient)


def _factor(rng: Random, knobs: Knobs) -> tuple[Term, ...]:
    """Different power products, the first with a coefficient above 0."""
    wanted, found = rng.randint(2, knobs.terms), list[Powers]()
    for _ in range(20):
        powers = [0] * len(NAMES)
        left = rng.randint(0, knobs.degree)
        for _ in range(left):
            powers[rng.randrange(knobs.letters)] += 1
        if tuple(powers) not in found:
            found.append(tuple(powers))
        if len(found) == wanted:
            break
    found.sort(key=lambda powers: (-sum(powers), [-each for each in powers]))
    numbers = [drawn(rng, knobs.coefficient) for _ in found]
    first = 1 if rng.random() < 0.3 else abs(numbers[0])
    return tuple(zip([first, *numbers[1:]], found))


def _expanded(puzzle: Unexpanded) -> dict[Powers, int]:
    total: dict[Powers, int] = {}
    for sign, factors in puzzle.products:
        found: dict[Powers, int] = {(0,) * len(NAMES): 1 if sign == "+" else -1}
        for terms, power in factors:
            for _ in range(power):
                found = _times(found, terms)
        for powers, number in found.items():
            total[powers] = total.get(powers, 0) + number
    return {powers: number for powers, number in total.items() if number}


def _times(found: dict[Powers, int], terms: tuple[Term, ...]) -> dict[Powers, int]:
    new: dict[Powers, int] = {}
    for (x, y, z), number in found.items():
        for factor, (a, b, c) in terms:
            powers = (x + a, y + b, z + c)
            new[powers] = new.get(powers, 0) + number * factor
    return new


def _bounds(puzzle: Unexpanded) -> tuple[list[int], int]:
    """The highest power of each letter, and what no coefficient exceeds."""
    tops, bound = [0] * len(NAMES), 0
    for _, factors in puzzle.products:
        own, size = [0] * len(NAMES), 1
        for terms, power in factors:
            size *= sum(abs(number) for number, _ in terms) ** power
            for place in range(len(NAMES)):
                own[place] += power * max(powers[place] for _, powers in terms)
        tops = [max(pair) for pair in zip(tops, own)]
        bound += size
    return tops, bound


def _value(puzzle: Unexpanded, point: list[int]) -> int:
    total = 0
    for sign, factors in puzzle.products:
        found = 1 if sign == "+" else -1
        for terms, power in factors:
            found *= sum(_at(number, powers, point) for number, powers in terms) ** power
        total += found
    return total


def _at(number: int, powers: Powers, point: list[int]) -> int:
    for base, power in zip(point, powers):
        if power:
            number *= base**power
    return number


def _text(puzzle: Unexpanded) -> str:
    words: list[str] = []
    for sign, factors in puzzle.products:
        words += [sign, _product_text(factors)]
    return " ".join(words[1:])


def _product_text(factors: tuple[Factor, ...]) -> str:
    return "".join(
        f"({_sum_text({powers: number for number, powers in terms})})"
        + (f"^{power}" if power > 1 else "")
        for terms, power in factors
    )


def _sum_text(found: dict[Powers, int]) -> str:
    text = ""
    for powers in sorted(found, key=lambda powers: (-sum(powers), [-each for each in powers])):
        thing = "*".join(
            name if power == 1 else f"{name}^{power}" for name, power in zip(NAMES, powers) if power
        )
        if found[powers]:
            text += signed(found[powers], thing, bool(text))
    return text or "0"


def _example(names: list[str]) -> str:
    return f"4{names[0]}^2 - {names[0]} + 7" if len(names) == 1 else "4x^2*y - x*y + 7"


NAMES = ("x", "y", "z")
MOST = 36  # terms of the answer
HIGHEST = 12  # power that is multiplied out
LADDER = (
    Knobs(1, 2, 2, 1, 1, 6, 1),
    Knobs(1, 2, 3, 2, 1, 9, 1),
    Knobs(1, 3, 3, 2, 2, 9, 2),
    Knobs(2, 3, 3, 2, 2, 12, 2),
    Knobs(2, 3, 4, 2, 3, 15, 3),
    Knobs(3, 3, 4, 2, 3, 15, 3),
)
FAMILY = Family(
    Unexpanded,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Polynomial(NAMES),
    hardness=hardness,
    proof="unique",
    solver="multiplying term by term",
    guess_rate=0.01,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("products",),
    slips=misreadings(solve, misread),
    twin=twin,
    skills=("polynomials", "calculation"),
    peers=("reasoning-gym/polynomial_multiplication", "mathematics_dataset/expand"),
)
