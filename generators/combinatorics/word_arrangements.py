"""Word arrangements: in how many ways can the letters of a word be put in a row under some rules?

Equal letters cannot be told apart. `solve` builds rows from the left and remembers only which
letters are left and which came last; `verify` tells equal letters apart, builds rows from the right
over sets of places, and divides by the orders of equal letters at the end.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations, product
from math import factorial, prod
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._vocabulary import words

Rule: TypeAlias = tuple[str, str, str]  # what it asks, of which letters, and a second letter


@dataclass(frozen=True, slots=True)
class Knobs:
    shortest: int  # letters of the word
    longest: int  # letters of the word, at most
    rules: int  # that a row must keep


@dataclass(frozen=True, slots=True)
class Letters:
    word: str  # in capitals
    rules: tuple[Rule, ...]


def generate(rng: Random, knobs: Knobs) -> Letters | None:
    stock = [word for word in words(knobs.shortest, knobs.longest, rarer=True) if "y" not in word]
    word = rng.choice(stock).upper()
    if _states(word) > STATES or (len(set(word)) == len(word) and rng.random() < 0.6):
        return None
    topics = list(_topics(rng, word))
    if len(topics) < knobs.rules:
        return None
    puzzle = Letters(word, tuple(rng.choice(topic) for topic in rng.sample(topics, knobs.rules)))
    free = factorial(len(word)) // _orders(word)
    return puzzle if 0 < _count(puzzle) < free else None


def solve(puzzle: Letters) -> int | None:
    """Add letters on the right, knowing what is left over and which letter came last."""
    if not puzzle.word or _states(puzzle.word) > STATES:
        return None
    return _count(puzzle)


def verify(puzzle: Letters, answer: int) -> float:
    return float(0 <= answer <= factorial(len(puzzle.word)) and _labelled(puzzle) == answer)


def render(puzzle: Letters, style: Style) -> Prompt:
    word = puzzle.word
    told = "\n".join(f"- {_told(rule)}" for rule in puzzle.rules)
    rules = "this rule" if len(puzzle.rules) == 1 else "all of these rules"
    notes = ["Equal letters are not told apart."] if len(set(word)) < len(word) else []
    if "vowel" in told or "consonant" in told:
        notes.append("The vowels are A, E, I, O and U; all other letters are consonants.")
    question = style.pick(
        f"In how many different ways can all {len(word)} letters of the word {word} be arranged in"
        f" a row under {rules}?",
        f"How many different strings can be made from the letters of {word}, using each letter"
        f" exactly as often as it occurs there and keeping to {rules}?",
        f"Somebody writes down every arrangement of the letters {word} that obeys {rules}, each"
        " just once. How many arrangements are written down?",
    )
    return Prompt(
        f"{question}\n\n{told}\n\n{' '.join(notes)}".strip(),
        form="one integer, the number of arrangements",
    )


def hardness(puzzle: Letters) -> float:
    """The places to fill, and the rules that tie them together."""
    return len(puzzle.word) * (1 + len(puzzle.rules))


def canon(puzzle: Letters) -> tuple[str, list[Rule]]:
    return "".join(sorted(puzzle.word)), sorted(puzzle.rules)


def _topics(rng: Random, word: str) -> Iterator[list[Rule]]:
    """Rules that make sense for the word, in groups of which one may be chosen."""
    counts = Counter(word)
    once = sorted(letter for letter in counts if counts[letter] == 1)
    often = sorted(letter for letter in counts if counts[letter] > 1)
    vowels = [letter for letter in word if letter in VOWELS]
    others = len(word) - len(vowels)
    if 2 <= len(vowels) < len(word):
        apart: list[Rule] = [("apart", "vowels", "")] if len(vowels) <= others + 1 else []
        yield [("together", "vowels", ""), *apart]
        if len(set(vowels)) > 1:
            yield [("order", "vowels", "")]
    if 2 <= others < len(word):
        yield [("together", "consonants", "")]
    if often:
        yield [("apart", "equal", "")]
    for letter in often:
        yield [("together", letter, ""), ("apart", letter, "")]
    if 0 < len(vowels) < len(word):
        yield [(end, kind, "") for end in ("first", "last") for kind in ("vowels", "consonants")]
    letter = rng.choice(sorted(counts))
    yield [(rng.choice(("first", "last", "not first", "not last")), letter, "")]
    if len(once) > 1:
        left, right = rng.sample(once, 2)
        yield [("before", left, right), ("beside", left, right), ("never beside", left, right)]
        left, right = rng.sample(once, 2)
        yield [("before", left, right)]
    left, right = rng.sample(sorted(counts), 2)
    yield [("never followed", left, right)]


def _told(rule: Rule) -> str:
    kind, which, other = rule
    one = {"vowels": "a vowel", "consonants": "a consonant"}.get(which, f"the letter {which}")
    many = which if which in ("vowels", "consonants") else f"letters {which}"
    match kind:
        case "together":
            return f"All {many} stand together, with no other letter between them."
        case "apart" if which == "equal":
            return "No two equal letters stand side by side."
        case "apart":
            return f"No two {many} stand side by side."
        case "order":
            return "The vowels come in alphabetical order from left to right."
        case "before":
            return f"The letter {which} stands somewhere to the left of the letter {other}."
        case "beside":
            return f"The letters {which} and {other} stand side by side, in either order."
        case "never beside":
            return f"The letters {which} and {other} do not stand side by side."
        case "never followed":
            return f"The letter {which} is never followed directly by the letter {other}."
        case "not first" | "not last":
            return f"The {kind.split()[1]} letter is not {which}."
    return f"The {kind} letter is {one if len(which) > 1 else which}."


def _in(which: str, letter: str) -> bool:
    if which == "vowels":
        return letter in VOWELS
    if which == "consonants":
        return letter not in VOWELS
    return letter == which


@lru_cache(maxsize=64)
def _count(puzzle: Letters) -> int:
    letters = sorted(set(puzzle.word))

    never = {
        (last, letter)
        for last, letter in product(("", *letters), letters)
        if not all(_may_follow(rule, {}, last, letter) for rule in puzzle.rules if _is_local(rule))
    }
    others = [rule for rule in puzzle.rules if not _is_local(rule)]

    @cache
    def ways(left: tuple[int, ...], last: str) -> int:
        rest = {letter: number for letter, number in zip(letters, left) if number}
        if not rest:
            return 1
        total = 0
        for place, letter in enumerate(letters):
            if (
                left[place]
                and (last, letter) not in never
                and all(_may_follow(rule, rest, last, letter) for rule in others)
            ):
                total += ways((*left[:place], left[place] - 1, *left[place + 1 :]), letter)
        return total

    return ways(tuple(puzzle.word.count(letter) for letter in letters), "")


def _is_local(rule: Rule) -> bool:
    """Whether only neighbours matter to a rule."""
    return rule[0] in ("apart", "never beside", "never followed")


def _may_follow(rule: Rule, rest: dict[str, int], last: str, letter: str) -> bool:
    """Whether a letter may come next; rest: how many of each are left, with this one."""
    kind, which, other = rule
    match kind:
        case "together":
            broken = last and _in(which, last) and not _in(which, letter)
            return not (broken and any(_in(which, each) for each in rest))
        case "apart" if which == "equal":
            return letter != last
        case "apart":
            return not (last and _in(which, last) and _in(which, letter))
        case "order":
            vowels = [each for each in rest if each in VOWELS]
            return letter not in VOWELS or letter == min(vowels)
        case "before":
            return letter != other or which not in rest
        case "beside":
            waiting = {which: other, other: which}.get(last)
            return waiting not in rest or letter == waiting
        case "never beside":
            return {last, letter} != {which, other}
        case "never followed":
            return (last, letter) != (which, other)
    if (not last) if "first" in kind else sum(rest.values()) == 1:
        return _in(which, letter) != kind.startswith("not")
    return True


@lru_cache(maxsize=64)
def _labelled(puzzle: Letters) -> int:
    """Rows of letters that bear their places in the word as labels, built from the right."""
    word = puzzle.word
    places, everyone = range(len(word)), (1 << len(word)) - 1
    of_pairs = [rule for rule in puzzle.rules if _is_local(rule)]
    others = [rule for rule in puzzle.rules if not _is_local(rule)]

    def may_precede(place: int, right: int, row: list[str]) -> bool:
        if (place, right) in barred:
            return False
        beside, whole = word[right] if row else "", len(row) == len(word) - 1
        return not any(_breaks(rule, word[place], beside, row, whole) for rule in others)

    barred = {
        (place, right)
        for place, right in permutations(places, 2)
        if any(_breaks(rule, word[place], word[right], [], False) for rule in of_pairs)
    }
    rows: dict[int, dict[int, int]] = {0: {-1: 1}}  # by the places used and the one at the left
    for _ in word:
        grown: dict[int, dict[int, int]] = {}
        for used, numbers in rows.items():
            row = [word[place] for place in places if used >> place & 1]
            for place in places:
                mask = used | 1 << place
                if mask == used:
                    continue
                here = [
                    number for right, number in numbers.items() if may_precede(place, right, row)
                ]
                if here:
                    grown.setdefault(mask, {})[place] = sum(here)
        rows = grown
    return sum(rows.get(everyone, {}).values()) // _orders(word)


def _breaks(rule: Rule, letter: str, beside: str, row: list[str], whole: bool) -> bool:
    kind, which, other = rule
    pair = {which, other}
    alike = beside != "" and _in(which, letter) and _in(which, beside)
    match kind:
        case "together":
            return _in(which, letter) and not alike and any(_in(which, each) for each in row)
        case "apart":
            return letter == beside if which == "equal" else alike
        case "order":
            return letter in VOWELS and any(each < letter for each in row if each in VOWELS)
        case "before":
            return letter == other and which in row
        case "beside":
            return letter in pair and bool(pair & set(row)) and beside not in pair
        case "never beside":
            return {letter, beside} == pair
        case "never followed":
            return (letter, beside) == (which, other)
    at_the_end = whole if "first" in kind else not row
    return at_the_end and _in(which, letter) == kind.startswith("not")


def _orders(word: str) -> int:
    return prod(map(factorial, Counter(word).values()))


def _states(word: str) -> int:
    """How many bags of letters can be left over, each with a letter that came last."""
    counts = Counter(word)
    return prod(number + 1 for number in counts.values()) * len(counts)


VOWELS = "AEIOU"
STATES = 5000
LADDER = (
    Knobs(4, 6, 1),
    Knobs(5, 7, 1),
    Knobs(6, 8, 2),
    Knobs(7, 9, 3),
    Knobs(8, 10, 4),
)
FAMILY = Family(
    Letters,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="counting over the letters that are left",
    guess_rate=0.2,
    canon=canon,
    skills=("counting",),
    peers=("reasoning-core/combinatorics_formula",),
)
