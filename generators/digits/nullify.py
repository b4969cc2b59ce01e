"""Nullify: put cards together, two at a time, until one is left that says 0.

Many orders can be right, so `verify` plays the answer. `generate` starts from 0 and takes numbers
apart; `solve` asks which sets of cards come to what, forwards for small sets and backwards for
large ones.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from string import ascii_lowercase, ascii_uppercase
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

FAR = 10**6  # further from 0 no number may come in between
FORWARDS = 4  # the largest set whose numbers are all written out by `solve`
TRIES = 40

Pair: TypeAlias = tuple[str, str]
Move: TypeAlias = tuple[int, int]  # places of two cards; what comes of it lies at the first
Way: TypeAlias = tuple[Move, ...]
Set: TypeAlias = int  # a bit for each card


@dataclass(frozen=True, slots=True)
class Knobs:
    numbers: int  # cards with a number
    signs: int  # cards with an operation
    most: int  # the largest number, of either sign


@dataclass(frozen=True, slots=True)
class Cards:
    faces: tuple[str, ...]  # "+7" and "-3" are numbers, "*2" and "/3" operations


def generate(rng: Random, knobs: Knobs) -> Cards | None:
    """Backwards: a number is split in two, or is what an operation made of another."""
    for _ in range(TRIES):
        numbers: list[int] = [0]
        signs: list[str] = []
        jobs = ["split"] * (knobs.numbers - 1) + ["sign"] * knobs.signs
        rng.shuffle(jobs)
        jobs.remove("split")
        for job in ["split", *jobs]:
            here = numbers.pop(rng.randrange(len(numbers)))
            if job == "split":
                one = rng.choice((-1, 1)) * rng.randint(1, knobs.most)
                numbers += [one, here - one]
            else:
                factors = [factor for factor in (2, 3, 4) if here % factor == 0]
                if factors and rng.random() < 0.6:
                    factor = rng.choice(factors)
                    numbers.append(here // factor)
                    signs.append(f"*{factor}")
                else:
                    factor = rng.choice((2, 3, 4))
                    numbers.append(here * factor)
                    signs.append(f"/{factor}")
        if all(0 < abs(number) <= knobs.most for number in numbers):
            faces = [f"{number:+d}" for number in numbers] + signs
            # Otherwise the numbers could be added up, and the operations used on 0
            if knobs.signs == 0 or sum(numbers) != 0:
                return Cards(tuple(rng.sample(faces, len(faces))))
    return None


def solve(cards: Cards) -> tuple[Pair, ...] | None:
    way = _Search(cards.faces).made((1 << len(cards.faces)) - 1, 0)
    if way is None:
        return None
    return tuple((ascii_lowercase[one], ascii_lowercase[other]) for one, other in way)


def verify(cards: Cards, pairs: tuple[Pair, ...]) -> float:
    left = dict(zip(ascii_uppercase, cards.faces))
    if len(pairs) != len(left) - 1:
        return 0.0
    for one, other in ((one.upper(), other.upper()) for one, other in pairs):
        if one == other or one not in left or other not in left or left[one][0] in "*/":
            return 0.0
        number, face = int(left[one]), left.pop(other)
        if face[0] == "/":
            if number % int(face[1:]):
                return 0.0
            number //= int(face[1:])
        else:
            number = number * int(face[1:]) if face[0] == "*" else number + int(face)
        if abs(number) > FAR:
            return 0.0
        left[one] = f"{number:+d}"
    return float([*left.values()] == ["+0"])


def recheck(cards: Cards, pairs: tuple[Pair, ...]) -> bool:
    """By rewriting the last pair first: what has to be there before, for 0 to come out?"""
    names = ascii_uppercase[: len(cards.faces)]
    if len(pairs) + 1 != len(names):
        return False
    gone: list[str] = []
    made: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    for one, other in pairs:
        one, other = one.upper(), other.upper()
        if one == other or {one, other} & set(gone) or not {one, other} <= set(names):
            return False
        made[one].append((one, other))
        gone.append(other)

    def value(name: str, uses: int) -> int | None:
        """The number of a card after so many of its pairs."""
        face = cards.faces[names.index(name)]
        if face[0] in "*/":
            return None
        here = int(face)
        for _, other in made[name][:uses]:
            sign, size = cards.faces[names.index(other)][0], cards.faces[names.index(other)][1:]
            if sign in "*/":
                if made[other]:
                    return None
                here, rest = (here * int(size), 0) if sign == "*" else divmod(here, int(size))
            else:
                added = value(other, len(made[other]))
                if added is None:
                    return None
                here, rest = here + added, 0
            if rest or abs(here) > FAR:
                return None
        return here

    (last,) = set(names) - set(gone)
    return value(last, len(made[last])) == 0


def render(cards: Cards, style: Style) -> Prompt:
    shown = "\n".join(f"{name}: {face}" for name, face in zip(ascii_uppercase, cards.faces))
    rules = (
        "A move takes two cards x and y and puts y on x, so that x changes and y is gone. If both"
        " are numbers (with + or -), x becomes their sum. If x is a number and y an operation (with"
        " * or /), x is multiplied or divided by that much; a division must leave no remainder. An"
        " operation cannot be x. No number may get further from 0 than a million."
    )
    return Prompt(
        style.pick(
            f"Cards lie on a table:\n{shown}\n\n{rules} Make moves until one card is left, and that"
            " card is the number 0.",
            f"{rules}\n\nHow can these cards be put together so that in the end a single card with"
            f" the number 0 remains?\n{shown}",
            f"The aim is to have all of these cards used up but one, which must say 0:\n{shown}\n\n"
            f"{rules} All operations have to be used too.",
        ),
        form=f"the {len(cards.faces) - 1} moves in order, each a pair (x, y) of the letters of two"
        " cards",
    )


def steps(cards: Cards) -> list[str]:
    """What comes of each move."""
    left, lines = dict(zip(ascii_uppercase, cards.faces)), []
    for one, other in ((one.upper(), other.upper()) for one, other in solve(cards) or ()):
        number, face = int(left[one]), left.pop(other)
        then = _put(number, face)
        lines.append(f"{other} on {one}: {number} {face[0]} {face[1:]} = {then}")
        left[one] = f"{then:+d}"
    return lines


def canon(cards: Cards) -> list[str]:
    return sorted(cards.faces)


def hardness(cards: Cards) -> float:
    """Cards to put in order; operations count twice."""
    sizes = sum(len(face) for face in cards.faces)
    return len(cards.faces) + sum(face[0] in "*/" for face in cards.faces) + sizes / 20


def _put(number: int, face: str) -> int | None:
    """What a card makes of a number; None where it cannot be put on it."""
    if face[0] == "/":
        then, rest = divmod(number, int(face[1:]))
        return None if rest else then
    then = number * int(face[1:]) if face[0] == "*" else number + int(face)
    return then if abs(then) <= FAR else None


class _Search:
    """What sets of cards come to, with the moves; what lies first in a set holds the number."""

    def __init__(self, faces: tuple[str, ...]) -> None:
        self.faces = faces
        self.numbers: Set = sum(1 << at for at, face in enumerate(faces) if face[0] not in "*/")
        self.results: dict[Set, dict[int, Way]] = {}
        self.tried: dict[tuple[Set, int], Way | None] = {}

    def made(self, cards: Set, target: int) -> Way | None:
        if cards.bit_count() <= FORWARDS:
            return self.reached(cards).get(target)
        key = (cards, target)
        if key not in self.tried:
            self.tried[key] = self._made(cards, target)
        return self.tried[key]

    def _made(self, cards: Set, target: int) -> Way | None:
        for part, rest in _splits(cards):
            if not part & self.numbers:
                alone = part.bit_count() == 1
                before = self._before(target, self._face(part)) if alone else None
                way = None if before is None else self.made(rest, before)
                if way is not None:
                    return (*way, self._move(rest, part))
                continue
            for number, way in self.reached(part).items():
                other = self.made(rest, target - number) if abs(target - number) <= FAR else None
                if other is not None:
                    return (*other, *way, self._move(rest, part))
        return None

    def reached(self, cards: Set) -> dict[int, Way]:
        """All numbers that a small set comes to."""
        if cards not in self.results:
            found: dict[int, Way] = {}
            if cards.bit_count() == 1 and cards & self.numbers:
                found[int(self._face(cards))] = ()
            for part, rest in _splits(cards):
                base, other = (part, rest) if part & self.numbers else (rest, part)
                self._join(found, base, other)
            self.results[cards] = found
        return self.results[cards]

    def _join(self, found: dict[int, Way], base: Set, other: Set) -> None:
        """Note what the number of one set becomes with another set's number, or its only card."""
        move = self._move(base, other)
        if other.bit_count() == 1:
            face = self._face(other)
            for number, way in self.reached(base).items():
                then = _put(number, face)
                if then is not None and then not in found:
                    found[then] = (*way, move)
            return
        for number, way in self.reached(base).items():
            for added, second in self.reached(other).items():
                then = number + added
                if then not in found and abs(then) <= FAR:
                    found[then] = (*way, *second, move)

    def _face(self, card: Set) -> str:
        return self.faces[card.bit_length() - 1]

    def _move(self, base: Set, other: Set) -> Move:
        """The number of two sets comes to lie where that of the union does."""
        one, two = self._holder(base), self._holder(other)
        return (one, two) if one < two or not other & self.numbers else (two, one)

    def _holder(self, cards: Set) -> int:
        """The card at which the number of a set lies: its first number."""
        numbers = cards & self.numbers or cards
        return (numbers & -numbers).bit_length() - 1

    def _before(self, target: int, face: str) -> int | None:
        """What an operation makes the target of."""
        if face[0] == "*":
            before, rest = divmod(target, int(face[1:]))
            return None if rest else before
        before = target * int(face[1:])
        return before if abs(before) <= FAR else None


@lru_cache(maxsize=1024)  # the sets of ten cards
def _splits(cards: Set) -> tuple[tuple[Set, Set], ...]:
    """The ways to split a set in two, the smaller part first."""
    places = [place for place in range(cards.bit_length()) if cards >> place & 1]
    found = []
    for size in range(1, len(places) // 2 + 1):
        for chosen in combinations(places, size):
            part = sum(1 << place for place in chosen)
            if 2 * size < len(places) or places[0] in chosen:
                found.append((part, cards ^ part))
    return tuple(found)


LADDER = (
    Knobs(3, 1, 9),
    Knobs(4, 1, 40),
    Knobs(4, 2, 50),
    Knobs(5, 3, 75),
    Knobs(6, 4, 99),
)
FAMILY = Family(
    Cards,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Pairs(items="words"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="sets of cards, from both ends",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    known=lambda cards: ascii_uppercase[: len(cards.faces)],
    skills=("calculation", "planning"),
    peers=("KORGym/39-Nullify",),
    version=2,
)
