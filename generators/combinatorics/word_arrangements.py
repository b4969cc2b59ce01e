"""Word arrangements: in how many ways can the letters of a word be put in a row under some rules?

Equal letters cannot be told apart. `solve` builds rows from the left and remembers only which
letters are left and which came last; `verify` tells equal letters apart, builds rows from the right
over sets of places, and divides by the orders of equal letters at the end.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from math import factorial, prod
from operator import and_
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._vocabulary import words

Rule: TypeAlias = tuple[str, str, str]  # what it asks, of which letters, and a second letter
Ties: TypeAlias = tuple[int, list[tuple[int, int]]]  # see _following and _preceding


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
    word = rng.choice(_stock(knobs.shortest, knobs.longest)).upper()
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


@lru_cache(maxsize=8)
def _stock(shortest: int, longest: int) -> tuple[str, ...]:
    """Words without a letter of which one may doubt whether it is a vowel."""
    return tuple(word for word in words(shortest, longest, rarer=True) if "y" not in word)


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
    start = len(letters)  # what came last before the first letter
    follows = [_following(puzzle.rules, letters, last) for last in range(start + 1)]
    ends = [rule for rule in puzzle.rules if rule[0] in ("last", "not last")]
    at_the_end = _both([_at_an_end(rule, letters) for rule in ends])

    units = [1 << 16 * at for at in range(start)]  # of the counts of letters that are left

    @cache
    def ways(left: int, rest: int, last: int) -> int:
        if not rest:
            return 1
        choices, ties = follows[last]
        for need, allowed in ties:
            if rest & need:
                choices &= allowed
        if left in units:
            choices &= at_the_end
        choices &= rest
        total = 0
        while choices:
            low = choices & -choices
            choices ^= low
            at = low.bit_length() - 1
            after = left - units[at]
            total += ways(after, rest if after >> 16 * at & 0xFFFF else rest ^ low, at)
        return total

    return ways(sum([units[letters.index(each)] for each in puzzle.word]), (1 << start) - 1, start)


def _following(rules: Iterable[Rule], letters: Sequence[str], last: int) -> Ties:
    """Which letters may follow one, a bit each, whatever is left; and which may where one of some
    letters is left, themselves among these."""
    came, choices, ties = 1 << last if last < len(letters) else 0, ANY, list[tuple[int, int]]()
    for rule in rules:
        kind, which, _ = rule
        own, other = (_having(each, letters) for each in rule[1:])
        match kind:
            case "together":
                ties += [(own, own)] if came & own else []
            case "apart":
                choices &= ~came if which == "equal" else ~own if came & own else ANY
            case "order":
                ties += [(low, ~own | low | low - 1) for low in _bits(own)]
            case "before":
                ties.append((own, ~other))
            case "beside":
                waiting = other if came & own else own if came & other else 0
                ties.append((waiting, waiting))
            case "never beside":
                choices &= ~other if came & own else ~own if came & other else ANY
            case "never followed":
                choices &= ~other if came & own else ANY
            case "first" | "not first" if not came:
                choices &= _at_an_end(rule, letters)
    return choices, ties


@lru_cache(maxsize=64)
def _labelled(puzzle: Letters) -> int:
    """Rows of letters that bear their places in the word as labels, built from the right."""
    word = puzzle.word
    places, everyone, end = range(len(word)), (1 << len(word)) - 1, len(word)
    precedes = [_preceding(puzzle.rules, word, at) for at in places]
    may_end, may_begin = (
        _both([_at_an_end(rule, word) for rule in puzzle.rules if rule[0] in (side, f"not {side}")])
        for side in ("last", "first")
    )
    rows: dict[int, dict[int, int]] = {0: {end: 1}}  # by the places used and the leftmost one
    for step in places:
        grown: dict[int, dict[int, int]] = {}
        able = (may_end if step == 0 else ANY) & (may_begin if step == end - 1 else ANY)
        for used, numbers in rows.items():
            for at in places:
                if used >> at & 1 or not able >> at & 1:
                    continue
                right, ties = precedes[at]
                for need, allowed in ties:
                    if used & need:
                        right &= allowed
                here = [number for place, number in numbers.items() if right >> place & 1]
                if here:
                    grown.setdefault(used | 1 << at, {})[at] = sum(here)
        rows = grown
    return sum(rows.get(everyone, {}).values()) // _orders(word)


def _preceding(rules: Iterable[Rule], word: str, at: int) -> Ties:
    """Which places may be to the right of one, a bit each, whatever is in use; and which may where
    one of some places is in use."""
    here, right, ties = 1 << at, ANY, list[tuple[int, int]]()
    for kind, which, second in rules:
        own, other = _having(which, word), _having(second, word)
        pair = own | other
        if kind == "together" and here & own:
            ties.append((own, own))
        elif kind == "apart" and which == "equal":
            right &= ~_having(word[at], word)
        elif kind == "apart" and here & own:
            right &= ~own
        elif kind == "order" and here & own:
            ties.append((sum([it for it in _bits(own) if _letter(word, it) < word[at]]), 0))
        elif kind == "before" and here & other:
            ties.append((own, 0))
        elif kind == "beside" and here & pair:
            ties.append((pair, pair))
        elif kind == "never beside" and here & pair:
            right &= ~other if here & own else ~own
        elif kind == "never followed" and here & own:
            right &= ~other
    return right, ties


def _having(which: str, letters: Sequence[str]) -> int:
    """The places of such letters, a bit each."""
    return sum([1 << at for at, letter in enumerate(letters) if _in(which, letter)])


def _at_an_end(rule: Rule, letters: Sequence[str]) -> int:
    """The places of letters that a rule lets come first, or last."""
    own = _having(rule[1], letters)
    return ~own if rule[0].startswith("not") else own


def _both(masks: Iterable[int]) -> int:
    return reduce(and_, masks, ANY)


def _bits(mask: int) -> list[int]:
    return [1 << at for at in range(mask.bit_length()) if mask >> at & 1]


def _letter(word: str, bit: int) -> str:
    return word[bit.bit_length() - 1]


def _orders(word: str) -> int:
    return prod(map(factorial, Counter(word).values()))


def _states(word: str) -> int:
    """How many bags of letters can be left over, each with a letter that came last."""
    counts = Counter(word)
    return prod(number + 1 for number in counts.values()) * len(counts)


VOWELS = "AEIOU"
ANY = -1  # a bit for every letter and place
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
