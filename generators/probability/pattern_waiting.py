"""Pattern waiting: how long until letters, drawn one by one, spell a word; or which word is first.

`solve` makes a state of every beginning of a word and eliminates in the states' equations. `verify`
has no states: it lets gamblers bet on each word at fair odds (Conway's and Li's argument), so that
only overlaps between whole words count.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators.probability._chance import EXACT, PROBABILITY, eliminated

Letters: TypeAlias = tuple[int, ...]  # by their place in the puzzle's letters


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the alphabet
    length: int  # of a word, at most
    words: int  # that are waited for, at most
    begun: float  # the share of questions in which some letters are there already
    even: float  # the share of fair coins and wheels


@dataclass(frozen=True, slots=True)
class Wait:
    name: str
    letters: tuple[str, ...]  # H and T for a coin
    weights: tuple[int, ...]  # sectors of each letter; for a coin the fraction that is heads
    words: tuple[Letters, ...]
    begun: Letters  # the last letters so far
    question: str  # time: until any word is there; first: whether the first word is


def generate(rng: Random, knobs: Knobs) -> Wait | None:
    letters = rng.choice(ALPHABETS[knobs.letters])
    words = rng.randint(max(1, knobs.words - 1), knobs.words)
    question = rng.choice(("time", "first")) if words > 1 else "time"
    drawn = [
        _word(rng, knobs.letters, rng.randint(max(2, knobs.length - 1), knobs.length))
        for _ in range(words)
    ]
    begun: Letters = ()
    if rng.random() < knobs.begun:
        begun = _word(rng, knobs.letters, rng.randint(1, knobs.length - 1))
    even = (1,) * knobs.letters if rng.random() < knobs.even else ()
    draft = Wait(rng.choice(NAMES), letters, even, tuple(drawn), begun, question)
    return _filled(rng, draft)


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(wait: Wait) -> Fraction | None:
    """One equation for every beginning of a word that may have been reached."""
    if not _sensible(wait):
        return None
    states = _states(wait)
    place = {state: number for number, state in enumerate(states)}
    rows = []
    for state in states:
        row = [Fraction(0)] * (len(states) + 1)
        row[place[state]] += 1
        row[-1] += wait.question == "time"
        for letter, chance in enumerate(_chances(wait)):
            after = _reached(wait, (*state, letter))
            if after in place:
                row[place[after]] -= chance
            elif wait.question == "first" and after == wait.words[0]:
                row[-1] += chance
        rows.append(row)
    values = eliminated(rows)
    return None if values is None else values[place[_reached(wait, wait.begun)]]


def verify(wait: Wait, answer: Fraction) -> float:
    """What gamblers who back a word have won at the end, whichever word ends it, is on average
    what was staked: a stake for each letter."""
    words = wait.words
    rows = [
        [
            *(_won(wait, last, backed) for last in words),
            Fraction(-1),
            _won(wait, wait.begun, backed),
        ]
        for backed in words
    ]
    rows.append([*(Fraction(1) for _ in words), Fraction(0), Fraction(1)])
    matrix = [row[:-1] for row in rows]
    asked = 0 if wait.question == "first" else len(words)
    swapped = [[*row[:asked], row[-1], *row[asked + 1 : -1]] for row in rows]
    below = _determinant(matrix)
    return float(below != 0 and _determinant(swapped) == answer * below)


def render(wait: Wait, style: Style) -> Prompt:
    name = wait.name
    if wait.letters == COIN:
        up, below = wait.weights
        source = (
            f"a coin that lands heads (H) with probability {up}/{below} and otherwise tails (T)"
        )
        act, acts, does = "flip", "flips", f"{name} flips"
    else:
        parts = [f"{count} marked {letter}" for count, letter in zip(wait.weights, wait.letters)]
        source = f"a wheel with equally likely sectors, {listed(parts)}"
        act, acts, does = "spin", "spins", f"{name} spins"
    words = [_spelt(wait, word) for word in wait.words]
    before = ""
    if wait.begun:
        count = len(wait.begun)
        many = f"the last {count} {acts} were" if count > 1 else f"the last {act} was"
        before = f" So far {many} {_spelt(wait, wait.begun)} (no word is complete yet)."
    further = "further " if wait.begun else ""
    if wait.question == "first":
        others = listed(words[1:]) if len(words) == 2 else f"each of {listed(words[1:])}"
        asked = f"the probability that {words[0]} comes up before {others}"
    elif len(words) == 1:
        asked = f"the expected number of {further}{acts} until {words[0]} comes up"
    else:
        asked = f"the expected number of {further}{acts} until one of {listed(words)} comes up"
    meaning = (
        f"A word comes up when the latest {acts} spell it in order, with no other {act} in between."
    )
    scene = f"{does} {source}, again and again, and notes the letters in a row."
    return Prompt(
        style.pick(
            f"{scene}{before} {meaning}\n\nWhat is {asked}?",
            f"{scene} {meaning}{before}\n\nFind {asked}.",
            f"Find {asked}, if {scene}{before}\n\n{meaning}",
        ),
        form=PROBABILITY if wait.question == "first" else EXACT,
    )


def steps(wait: Wait) -> list[str]:
    """The states' equations, and the states' values."""
    lines = ["A state is the longest end of the row so far that is the beginning of a word."]
    chances, states = _chances(wait), _states(wait)
    for state in states:
        terms = []
        for letter, chance in enumerate(chances):
            after = _reached(wait, (*state, letter))
            if after in states:
                terms.append(f"{chance} v({_spelt(wait, after)})")
            elif wait.question == "first" and after == wait.words[0]:
                terms.append(f"{chance}")
        more = "1 + " if wait.question == "time" else ""
        lines.append(f"v({_spelt(wait, state)}) = {more}{' + '.join(terms) or '0'}")
    start = _spelt(wait, _reached(wait, wait.begun))
    return [*lines, f"The solution has v({start}) = {solve(wait)}."]


def hardness(wait: Wait) -> float:
    return len(_states(wait)) * len(wait.letters) * (1 + 0.3 * len(wait.words))


def canon(wait: Wait) -> list[Any]:
    """Without the names, and words in order where all are alike."""
    words = wait.words if wait.question == "first" else tuple(sorted(wait.words))
    chances = [str(chance) for chance in _chances(wait)]
    return [chances, words[:1], sorted(words[1:]), wait.begun, wait.question]


def twin(rng: Random, knobs: Knobs, wait: Wait) -> Wait | None:
    return _filled(rng, replace(wait, weights=()))


def renamed(rng: Random, knobs: Knobs, wait: Wait) -> Wait:
    letters = wait.letters
    if letters != COIN:
        letters = rng.choice([each for each in ALPHABETS[len(letters)] if each != COIN])
    return replace(wait, name=rng.choice(NAMES), letters=letters)


def _filled(rng: Random, draft: Wait) -> Wait | None:
    """The same words with other chances, even ones where there are weights already."""
    if draft.letters == COIN:
        below = 2 if draft.weights else rng.randint(3, PARTS)
        up = rng.randint(1, below - 1)
        if Fraction(up, below).denominator != below:
            return None
        weights: tuple[int, ...] = (up, below)
    elif len(set(draft.weights)) == 1:
        weights = (rng.randint(2, SECTORS),) * len(draft.letters)
    else:
        weights = tuple(rng.randint(1, SECTORS) for _ in draft.letters)
    if max(weights) == 1:
        return None
    wait = replace(draft, weights=weights)
    value = solve(wait)
    return wait if value and (wait.question == "time" or value < 1) else None


def _word(rng: Random, letters: int, length: int) -> Letters:
    return tuple(rng.randrange(letters) for _ in range(length))


def _sensible(wait: Wait) -> bool:
    if min(_chances(wait)) <= 0 or len({*wait.words}) < len(wait.words):
        return False
    rows = [*wait.words, wait.begun]
    return all(1 <= len(word) <= 10 for word in wait.words) and not any(
        _within(word, other)
        for place, word in enumerate(wait.words)
        for spot, other in enumerate(rows)
        if place != spot
    )


def _within(word: Letters, other: Letters) -> bool:
    return any(other[at : at + len(word)] == word for at in range(len(other)))


def _chances(wait: Wait) -> list[Fraction]:
    if wait.letters == COIN:
        heads = Fraction(*wait.weights)
        return [heads, 1 - heads]
    return [Fraction(weight, sum(wait.weights)) for weight in wait.weights]


def _states(wait: Wait) -> list[Letters]:
    """All beginnings of words but the words themselves."""
    found = {word[:length] for word in wait.words for length in range(len(word))}
    return sorted(found, key=lambda state: (len(state), state))


def _reached(wait: Wait, row: Letters) -> Letters:
    """The longest end of a row of letters that begins a word."""
    for start in range(len(row)):
        if any(word[: len(row) - start] == row[start:] for word in wait.words):
            return row[start:]
    return ()


def _won(wait: Wait, row: Letters, backed: Letters) -> Fraction:
    """What those hold, once a row of letters has come, whose bets on a word still stand."""
    chances = _chances(wait)
    return sum(
        (
            Fraction(1) / prod((chances[letter] for letter in backed[:length]), start=Fraction(1))
            for length in range(1, min(len(row), len(backed)) + 1)
            if row[-length:] == backed[:length]
        ),
        Fraction(0),
    )


def _determinant(matrix: list[list[Fraction]]) -> Fraction:
    if not matrix:
        return Fraction(1)
    first, *rest = matrix
    return sum(
        (
            (-1) ** column
            * value
            * _determinant([row[:column] + row[column + 1 :] for row in rest])
            for column, value in enumerate(first)
            if value
        ),
        Fraction(0),
    )


def _spelt(wait: Wait, word: Letters) -> str:
    return "".join(wait.letters[letter] for letter in word) or "-"


COIN = ("H", "T")
ALPHABETS = {
    2: (COIN,),
    3: (("A", "B", "C"), ("X", "Y", "Z"), ("R", "G", "B"), ("K", "L", "M")),
    4: (("A", "B", "C", "D"), ("W", "X", "Y", "Z"), ("R", "G", "B", "Y"), ("P", "Q", "R", "S")),
}
PARTS = 20  # the largest denominator of a coin's chance
SECTORS = 5  # with one letter
NAMES = ("Anouk", "Bashir", "Celia", "Dusan", "Edgar", "Flora", "Gita", "Hans", "Irene", "Joel")
LADDER = (
    Knobs(2, 2, 1, 0.0, 0.2),
    Knobs(2, 5, 2, 0.5, 0.03),
    Knobs(3, 5, 2, 0.6, 0.03),
    Knobs(3, 6, 3, 0.7, 0.03),
    Knobs(4, 6, 3, 0.9, 0.03),
)
FAMILY = Family(
    Wait,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="an automaton's equations",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    inputs=("weights",),
    twin=twin,
    renamed=renamed,
    skills=("probability", "expectation", "equations"),
    version=2,
)
