"""Exponent rules: nested powers, roots, products and quotients, brought to c * x^p * y^q.

Only the exponents and the number in front are asked for, so that to repeat the question is no
answer. `solve` applies the rules from the inside outwards; `verify` walks from the outside inwards
and adds up, for each letter and each prime, what every place contributes.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.unknowns import Values
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.core.prose import listed
from puzzlemill.generators.algebra._terms import drawn

# A factor: 1 or -1 (below the line), what is raised (a letter, a number, or a product in brackets),
# and the exponent as above, below.
Factor: TypeAlias = "tuple[int, str | int | tuple[Factor, ...], int, int]"
Product: TypeAlias = tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # different letters
    factors: int  # in a bracket
    depth: int  # of brackets within brackets
    exponent: int  # the largest
    below: int  # the largest denominator of an exponent
    primes: int  # how many primes the numbers are powers of; 0: no numbers


@dataclass(frozen=True, slots=True)
class Monomial:
    letters: str
    product: Product


def generate(rng: Random, knobs: Knobs) -> Monomial | None:
    letters = rng.choice(ALPHABETS)[: knobs.letters]
    primes = PRIMES[: knobs.primes]
    made = Monomial(letters, _shape(rng, knobs, letters, primes, knobs.depth))
    return twin(rng, knobs, made)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(monomial: Monomial) -> Values | None:
    """Every bracket becomes exponents, which are multiplied and added."""
    found = _exponents(monomial.product)
    if found is None:
        return None
    values = {f"{letter}": found.get(letter, Fraction(0)) for letter in monomial.letters}
    number = Fraction(1)
    for base, exponent in found.items():
        if base in monomial.letters:
            continue
        if exponent.denominator > 1 or abs(exponent) > MOST:
            return None
        number *= Fraction(int(base)) ** int(exponent)
    named = {NAMES[place]: values[letter] for place, letter in enumerate(monomial.letters)}
    if _numbered(monomial.product):
        named["c"] = number
    return tuple(sorted(named.items()))


def verify(monomial: Monomial, answer: Values) -> float:
    given = dict(answer)
    wanted = [NAMES[place] for place in range(len(monomial.letters))]
    if _numbered(monomial.product):
        wanted.append("c")
    if sorted(given) != sorted(wanted):
        return 0.0
    for place, letter in enumerate(monomial.letters):
        if given[NAMES[place]] != _share(monomial.product, letter):
            return 0.0
    number = given.get("c", Fraction(1))
    above, below = number.numerator, number.denominator
    for prime in _primes_of(monomial.product):
        left = 0
        while above and above % prime == 0:
            above, left = above // prime, left + 1
        while below % prime == 0:
            below, left = below // prime, left - 1
        if left != _share(monomial.product, prime):
            return 0.0
    return float(above == below == 1)


def render(monomial: Monomial, style: Style) -> Prompt:
    letters = monomial.letters
    numbered = _numbered(monomial.product)
    goal = "*".join(f"{letter}^{NAMES[place]}" for place, letter in enumerate(letters))
    goal = f"c*{goal}" if numbered else goal
    asked = _asked(monomial)
    who = f"{listed(letters)} {'is' if len(letters) == 1 else 'are'}"
    sought = listed(asked)
    kinds = "with a rational exponent" if len(letters) == 1 else "with rational exponents"
    kinds += " and a rational number c" if numbered else ""
    text = _text(monomial.product)
    several = len(asked) > 1
    example = ", ".join(f"{name} = ..." for name in sorted(asked))
    return Prompt(
        style.pick(
            f"Simplify, where {who} positive:\n\n{text}\n\nWrite the result as {goal} {kinds}."
            f" What {'are' if several else 'is'} {sought}?",
            f"For all positive {listed(letters)}, the expression\n\n"
            f"{text}\n\nequals {goal}, {kinds}. Find {sought}.",
            f"Write\n\n{text}\n\nin the form {goal} {kinds} ({who} positive), and give {sought}.",
        ),
        form=f"the value{'s' * several}, written as {example} ({'each ' * several}an integer or an"
        " exact fraction such as -3/2)",
    )


def _asked(monomial: Monomial) -> list[str]:
    """The unknowns."""
    names = [NAMES[place] for place, _ in enumerate(monomial.letters)]
    return (["c"] if _numbered(monomial.product) else []) + names


def steps(monomial: Monomial) -> list[str]:
    """Each bracket from the inside outwards."""
    lines: list[str] = []
    _worked(monomial.product, lines)
    return lines


def progress(monomial: Monomial, lines: Lines) -> float:
    return results_derived(FAMILY, monomial, lines)


def hardness(monomial: Monomial) -> float:
    return float(_weight(monomial.product, 1))


def twin(rng: Random, knobs: Knobs, monomial: Monomial) -> Monomial | None:
    """Other exponents and numbers at the same places."""
    for _ in range(TRIES):
        product = _filled(rng, knobs, monomial.product, True)
        made = replace(monomial, product=product)
        answer = solve(made)
        if answer is None or not any(value for name, value in answer if name != "c"):
            continue
        short = all(max(abs(v.numerator), v.denominator) < LARGEST for _, v in answer)
        if short and _told(product):
            return made
    return None


def renamed(rng: Random, knobs: Knobs, monomial: Monomial) -> Monomial | None:
    others = [word for word in ALPHABETS if not set(word) & set(monomial.letters)]
    letters = rng.choice(others)[: len(monomial.letters)]
    names = dict(zip(monomial.letters, letters))
    return Monomial(letters, _lettered(monomial.product, names))


def canon(monomial: Monomial) -> Product:
    return _lettered(monomial.product, dict(zip(monomial.letters, ALPHABETS[0])))


def _shape(rng: Random, knobs: Knobs, letters: str, primes: tuple[int, ...], depth: int) -> Product:
    found: list[Factor] = []
    count = max(knobs.factors, 2)
    deep = rng.randrange(count)
    for place in range(count):
        sign = -1 if place and rng.random() < 0.4 else 1
        if place == deep and depth > 1:
            found.append((sign, _shape(rng, knobs, letters, primes, depth - 1), 2, 1))
        elif primes and rng.random() < 0.3:
            found.append((sign, rng.choice(primes), 1, 1))
        else:
            found.append((sign, rng.choice(letters), 1, 1))
    missing = [letter for letter in letters if not any(factor[1] == letter for factor in found)]
    found += [(1, letter, 1, 1) for letter in missing[: 1 if depth > 1 else len(missing)]]
    found.sort(key=lambda factor: (-factor[0], not isinstance(factor[1], int)))
    return tuple(found)


def _filled(rng: Random, knobs: Knobs, product: Product, top: bool) -> Product:
    found: list[Factor] = []
    for sign, base, _, _ in product:
        if isinstance(base, int):
            prime = next(one for one in PRIMES if base % one == 0)
            found.append((sign, prime ** rng.randint(1, 3), 1, 1))
            continue
        below = rng.randint(2, knobs.below) if knobs.below > 1 and rng.random() < 0.4 else 1
        if isinstance(base, str):
            power = Fraction(drawn(rng, knobs.exponent), below)
            found.append((sign, base, power.numerator, power.denominator))
        else:
            power = Fraction(drawn(rng, max(2, knobs.exponent // 2), 2), below)
            if power == 1:
                power = Fraction(2)
            inner = _filled(rng, knobs, base, False)
            found.append((sign, inner, power.numerator, power.denominator))
    return tuple(found)


def _exponents(product: Product) -> dict[str, Fraction] | None:
    found: dict[str, Fraction] = {}
    for sign, base, above, below in product:
        power = Fraction(sign * above, below)
        if isinstance(base, tuple):
            inner = _exponents(base)
        else:
            inner = {base: Fraction(1)} if isinstance(base, str) else _factored(base)
        if inner is None:
            return None
        for name, exponent in inner.items():
            found[name] = found.get(name, Fraction(0)) + power * exponent
    return found


def _factored(number: int) -> dict[str, Fraction] | None:
    """The exponents of a number's primes; None where those are large."""
    found: dict[str, Fraction] = {}
    for prime in range(2, 50):
        while number % prime == 0:
            number //= prime
            found[str(prime)] = found.get(str(prime), Fraction(0)) + 1
    return found if number == 1 else None


def _share(product: Product, what: str | int) -> Fraction:
    """The exponent of a letter or a prime: each place counts with all exponents around it."""
    waiting = [(product, Fraction(1))]
    found = Fraction(0)
    while waiting:
        inner, outside = waiting.pop()
        for sign, base, above, below in inner:
            times = outside * above / below * sign
            if isinstance(base, tuple):
                waiting.append((base, times))
            elif base == what:
                found += times
            elif isinstance(base, int) and isinstance(what, int):
                while base % what == 0:
                    base, found = base // what, found + times
    return found


def _primes_of(product: Product) -> list[int]:
    found: set[int] = set()
    for _, base, _, _ in product:
        if isinstance(base, tuple):
            found.update(_primes_of(base))
        elif isinstance(base, int):
            found |= {prime for prime in range(2, 50) if base % prime == 0}
    return sorted(one for one in found if all(one % other for other in range(2, one)))


def _numbered(product: Product) -> bool:
    return any(
        isinstance(base, int) or (isinstance(base, tuple) and _numbered(base))
        for _, base, _, _ in product
    )


def _lettered(product: Product, names: dict[str, str]) -> Product:
    found: list[Factor] = []
    for sign, base, above, below in product:
        if isinstance(base, tuple):
            found.append((sign, _lettered(base, names), above, below))
        else:
            found.append((sign, names[base] if isinstance(base, str) else base, above, below))
    return tuple(found)


def _told(product: Product) -> bool:
    return any(
        above >= 2 or below >= 2 or (isinstance(base, tuple) and _told(base))
        for _, base, above, below in product
    )


def _weight(product: Product, depth: int) -> int:
    return sum(
        depth * (2 if below > 1 else 1) * (2 if above < 0 else 1)
        + (_weight(base, depth + 1) if isinstance(base, tuple) else 0)
        for _, base, above, below in product
    )


def _text(product: Product) -> str:
    over = [_power(base, above, below) for sign, base, above, below in product if sign > 0]
    under = [_power(base, above, below) for sign, base, above, below in product if sign < 0]
    top = "*".join(over) or "1"
    if not under:
        return top
    bottom = "*".join(under)
    top = f"({top})" if len(over) > 1 else top
    return f"{top}/({bottom})" if len(under) > 1 else f"{top}/{bottom}"


def _power(base: str | int | Product, above: int, below: int) -> str:
    shown = f"({_text(base)})" if isinstance(base, tuple) else f"{base}"
    if below == 1 and above == 1:
        return shown
    if below > 1:
        return f"{shown}^({above}/{below})"
    return f"{shown}^{above}" if above > 0 else f"{shown}^({above})"


def _worked(product: Product, lines: list[str]) -> None:
    for _, base, _, _ in product:
        if isinstance(base, tuple):
            _worked(base, lines)
    found = _exponents(product) or {}
    parts = [f"{base}^({power})" if power != 1 else base for base, power in found.items() if power]
    lines.append(f"{_text(product)} = {' * '.join(parts) or '1'}")


ALPHABETS = ("xyz", "abd", "mnt", "uvw")
NAMES = "pqr"  # of the exponents
PRIMES = (2, 3, 5)
TRIES = 60
MOST = 40  # the largest exponent of a prime
LARGEST = 10**6
LADDER = (
    Knobs(1, 2, 1, 9, 1, 0),
    Knobs(1, 3, 2, 9, 1, 0),
    Knobs(2, 3, 2, 9, 3, 1),
    Knobs(2, 4, 3, 9, 4, 2),
    Knobs(3, 4, 5, 9, 6, 3),
)
FAMILY = Family(
    Monomial,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Unknowns(),
    notation=lambda monomial: answers.Unknowns(names=tuple(sorted(_asked(monomial)))),
    hardness=hardness,
    proof="unique",
    solver="the rules, from the inside outwards",
    guess_rate=0.12,
    steps=steps,
    progress=progress,
    canon=canon,
    inputs=("product",),
    twin=twin,
    renamed=renamed,
    skills=("calculation", "fractions"),
    peers=("mathematics_dataset/simplify_power",),
)
