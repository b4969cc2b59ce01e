"""Restricted strings: how many strings of a length keep to rules about what may follow what?

`solve` joins one small automaton a rule and multiplies its matrix by itself; `verify` keeps the
last few letters in full, lets strings grow letter by letter and, where they are very long, finds
the recurrence that their numbers follow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

import numpy as np

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style

Rule: TypeAlias = tuple[str, str, int, int]  # what it asks, letters, a number, a remainder
Automaton: TypeAlias = tuple[int, Callable[[int, str], int], Callable[[int], bool]]  # -1: dead
End: TypeAlias = tuple[str, tuple[int, ...]]  # the last letters; for each rule, what it counts


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the alphabet, at most
    length: int  # at most
    rules: int  # that strings must keep
    huge: float  # how often the length is huge, and a remainder is asked for


@dataclass(frozen=True, slots=True)
class Strings:
    alphabet: str
    length: int
    rules: tuple[Rule, ...]
    modulus: int  # a prime; 0: the number itself is asked for


def generate(rng: Random, knobs: Knobs) -> Strings | None:
    letters = rng.randint(2, knobs.letters)
    alphabet = rng.choice(("abcde", "01234", "xyzuv", "ABCDE"))[:letters]
    huge = rng.random() < knobs.huge
    length = rng.randint(10**5, 10**6) if huge else rng.randint(knobs.length * 2 // 3, knobs.length)
    kinds = rng.sample(KINDS, min(knobs.rules, len(KINDS)))
    rules = tuple(_drawn(rng, kind, alphabet) for kind in kinds)
    puzzle = Strings(alphabet, length, rules, rng.choice(PRIMES) if huge else 0)
    if len(_joined(puzzle)[0]) > MOST_STATES:
        return None
    count = solve(puzzle) or 0
    return puzzle if count > 3 and (huge or count < len(alphabet) ** length) else None


def solve(puzzle: Strings) -> int | None:
    """Powers of the matrix of the joined automaton."""
    if not 0 < puzzle.length <= (MOST_HUGE if puzzle.modulus else MOST_LENGTH):
        return None
    if puzzle.modulus and puzzle.modulus not in PRIMES:
        return None
    table, accepting = _joined(puzzle)
    if len(table) > 2 * MOST_STATES:
        return None
    small = puzzle.modulus or len(puzzle.alphabet) ** puzzle.length < 2**63
    matrix = np.zeros((len(table), len(table)), dtype=np.int64 if small else object)
    for state, following in enumerate(table):
        for after in following:
            matrix[state, after] += 1
    row = np.zeros(len(table), dtype=matrix.dtype)
    row[0] = 1
    left = puzzle.length
    while left:
        if left & 1:
            row = row @ matrix % puzzle.modulus if puzzle.modulus else row @ matrix
        left >>= 1
        if left:
            matrix = matrix @ matrix % puzzle.modulus if puzzle.modulus else matrix @ matrix
    total = sum(int(row[state]) for state in accepting)
    return total % puzzle.modulus if puzzle.modulus else total


def verify(puzzle: Strings, answer: int) -> float:
    return float(answer >= 0 and _grown(puzzle) == answer)


def render(puzzle: Strings, style: Style) -> Prompt:
    letters = ", ".join(puzzle.alphabet)
    digits = puzzle.alphabet[0] == "0"
    sign = "digit" if digits else "letter"
    lines = "\n".join(f"- {_told(rule, sign)}" for rule in puzzle.rules)
    rules = "this rule" if len(puzzle.rules) == 1 else "all of these rules"
    zero = " A string may begin with 0." if digits else ""
    question = style.pick(
        f"How many strings of length {puzzle.length} over the {sign}s {letters} obey {rules}?",
        f"A code word consists of {puzzle.length} {sign}s, each of them one of {letters}. Find the"
        f" number of code words that keep to {rules}.",
        f"Consider all sequences of {puzzle.length} {sign}s from the set {{{letters}}}. Count those"
        f" that satisfy {rules}.",
    )
    question = f"{question}{zero}\n\n{lines}"
    if not puzzle.modulus:
        return Prompt(question, form="one integer, the number of strings")
    return Prompt(
        f"{question}\n\nAs the number is very large, give its remainder when it is divided by"
        f" {puzzle.modulus}.",
        form=f"one integer from 0 to {puzzle.modulus - 1}",
    )


def hardness(puzzle: Strings) -> float:
    """The rules and what must be remembered for them, and the length (or its squarings)."""
    length = 50 + puzzle.length.bit_length() if puzzle.modulus else puzzle.length
    return 10 * len(puzzle.rules) + len(_joined(puzzle)[0]) / 2 + length


def canon(puzzle: Strings) -> tuple[object, ...]:
    """Letters by their place in the alphabet."""
    places = str.maketrans(puzzle.alphabet, "abcde"[: len(puzzle.alphabet)])
    rules = sorted((kind, text.translate(places), n, r) for kind, text, n, r in puzzle.rules)
    return len(puzzle.alphabet), puzzle.length, puzzle.modulus, rules


def _drawn(rng: Random, kind: str, alphabet: str) -> Rule:
    letter = rng.choice(alphabet)
    match kind:
        case "avoid" | "avoid too" | "contain":
            length = rng.choice((2, 2, 3) if kind.startswith("avoid") else (2, 3))
            word = "".join(rng.choice(alphabet) for _ in range(length))
            return kind.split()[0], word, 0, 0
        case "run":
            return kind, "", 2, 0
        case "run of":
            return kind, letter, rng.randint(1, 2), 0
        case "long":
            return kind, "", 2, 0
        case "count":
            modulus = rng.choice((2, 2, 3))
            return kind, letter, modulus, rng.randrange(modulus)
        case "exactly" | "at most":
            return kind, letter, rng.randint(1, 4), 0
    return rng.choice(("first", "not first")) if kind == "first" else kind, letter, 0, 0


def _told(rule: Rule, sign: str) -> str:
    kind, text, number, remainder = rule
    match kind:
        case "avoid":
            return f"The block {text} does not occur anywhere (as consecutive {sign}s)."
        case "contain":
            return f"The block {text} occurs at least once (as consecutive {sign}s)."
        case "run":
            return f"No {sign} stands more than {number} times in a row."
        case "run of":
            often = "twice" if number == 1 else f"more than {number} times"
            return f"The {sign} {text} never stands {often} in a row."
        case "long":
            return f"Every {sign} has an equal {sign} directly before or directly after it."
        case "count" if number == 2:
            parity = ("even", "odd")[remainder]
            zero = " (zero counts as even)" if not remainder else ""
            return f"The number of occurrences of {text} is {parity}{zero}."
        case "count":
            return (
                f"The number of occurrences of {text} leaves remainder {remainder} when divided by"
                f" {number}."
            )
        case "exactly" | "at most":
            times = "once" if number == 1 else f"{number} times"
            return f"The {sign} {text} occurs {kind} {times}."
        case "first":
            return f"The first {sign} is {text}."
        case "last":
            return f"The last {sign} is {text}."
    return f"The first {sign} is not {text}."


def _automaton(rule: Rule, alphabet: str) -> Automaton:
    """Start, step and acceptance of one rule; states are numbers, and -1 is the end of hope."""
    kind, text, number, remainder = rule
    size = len(alphabet)
    match kind:
        case "avoid" | "contain":
            return _matcher(text, kind == "contain")
        case "run" | "run of":  # letter and length of the run

            def run(state: int, letter: str) -> int:
                place = alphabet.index(letter)
                if kind == "run of":
                    after = state + 1 if letter == text else 0
                    return after if after <= number else -1
                before, length = divmod(state, number + 1)
                length = length + 1 if state and before == place else 1
                return place * (number + 1) + length if length <= number else -1

            return 0, run, lambda state: True
        case "long":  # 0: none yet; letter alone: 1 + place; letter in company: 1 + size + place

            def long(state: int, letter: str) -> int:
                place = alphabet.index(letter)
                if state in (1 + place, 1 + size + place):
                    return 1 + size + place
                return 1 + place if not 1 <= state <= size else -1

            return 0, long, lambda state: not 1 <= state <= size
        case "count":
            return (
                0,
                lambda state, letter: (state + (letter == text)) % number,
                lambda state: state == remainder,
            )
        case "exactly" | "at most":
            return (
                0,
                lambda state, letter: -1 if (after := state + (letter == text)) > number else after,
                lambda state: state == number or kind == "at most",
            )
        case "last":
            return 0, lambda state, letter: int(letter == text), lambda state: state == 1
    wanted = kind == "first"
    return (
        0,
        lambda state, letter: 1 if state or (letter == text) == wanted else -1,
        lambda state: True,
    )


def _matcher(word: str, wanted: bool) -> Automaton:
    """States: how much of the word stands at the end; all of it is dead, or stays for good."""

    def step(state: int, letter: str) -> int:
        if state == len(word):
            return state
        seen = word[:state] + letter
        after = next(size for size in range(len(seen), -1, -1) if seen.endswith(word[:size]))
        return after if wanted or after < len(word) else -1

    return 0, step, lambda state: not wanted or state == len(word)


@lru_cache(maxsize=64)
def _joined(puzzle: Strings) -> tuple[list[list[int]], list[int]]:
    """The states that follow each state, for each letter; and those in which a string may end."""
    parts = [_automaton(rule, puzzle.alphabet) for rule in puzzle.rules]
    start = tuple(part[0] for part in parts)
    numbers, table, ending = {start: 0}, [], []
    queue = [start]
    for state in queue:  # grows while it is walked
        following = []
        for letter in puzzle.alphabet:
            after = tuple([part[1](here, letter) for part, here in zip(parts, state)])
            if -1 not in after:
                if after not in numbers:
                    numbers[after] = len(queue)
                    queue.append(after)
                following.append(numbers[after])
        table.append(following)
        if all(part[2](here) for part, here in zip(parts, state)):
            ending.append(numbers[state])
        if len(queue) > 2 * MOST_STATES:
            return [[] for _ in queue], []  # too many to go on
    return table, ending


@lru_cache(maxsize=64)
def _grown(puzzle: Strings) -> int:
    """How many strings there are, by their last letters and what must be remembered of the rest."""
    rules = puzzle.rules
    runs = [number + 1 for kind, _, number, _ in rules if kind.startswith("run")]
    window = max([3, *runs, *(len(text) for _, text, _, _ in rules)])
    ends: list[End] = [("^", (0,) * len(rules))]  # all that were come to
    numbers, longer, final = {ends[0]: 0}, list[list[int]](), [False]
    counts = {0: 1}
    terms: list[int] = []
    while len(terms) < puzzle.length:
        grown: dict[int, int] = {}
        for end, number in counts.items():
            while end >= len(longer):
                followers = _longer(rules, ends[len(longer)], puzzle.alphabet, window)
                for follower in followers:
                    if numbers.setdefault(follower, len(ends)) == len(ends):
                        ends.append(follower)
                longer.append([numbers[follower] for follower in followers])
            for after in longer[end]:
                grown[after] = grown.get(after, 0) + number
        if puzzle.modulus:
            grown = {end: number % puzzle.modulus for end, number in grown.items()}
        counts = grown
        final += [_ended(rules, *end) for end in ends[len(final) :]]
        done = sum([number for end, number in counts.items() if final[end]])
        terms.append(done % puzzle.modulus if puzzle.modulus else done)
        if puzzle.modulus and len(terms) > 2 * MOST_STATES + 30:
            return _extended(terms[window + 8 :], puzzle.length - 1 - window - 8, puzzle.modulus)
    return terms[-1]


def _longer(rules: tuple[Rule, ...], end: End, alphabet: str, window: int) -> list[End]:
    """What one more letter can make of the end of a string."""
    tail, memory = end
    found = []
    for letter in alphabet:
        after = tail + letter
        noted = tuple([_noted(rule, memo, after) for rule, memo in zip(rules, memory)])
        for rule, memo in zip(rules, noted):
            if not _holds(rule, memo, after):
                break
        else:
            found.append((after[1 - window :], noted))
    return found


def _noted(rule: Rule, memo: int, tail: str) -> int:
    kind, text, number, _ = rule
    if kind == "contain":
        return int(memo or tail.endswith(text))
    if kind in ("count", "exactly", "at most"):
        memo += tail[-1] == text
        return memo % number if kind == "count" else memo
    return 0


def _holds(rule: Rule, memo: int, tail: str) -> bool:
    kind, text, number, _ = rule
    match kind:
        case "avoid":
            return not tail.endswith(text)
        case "run":
            return not tail.endswith(tail[-1] * (number + 1))
        case "run of":
            return not tail.endswith(text * (number + 1))
        case "long":
            changed = tail[-1] != tail[-2] and tail[-2] != "^"
            return not changed or tail[-2] == tail[-3]
        case "exactly" | "at most":
            return memo <= number
        case "first" | "not first":
            return tail[:-1] != "^" or (tail[-1] == text) == (kind == "first")
    return True


def _ended(rules: tuple[Rule, ...], tail: str, memory: tuple[int, ...]) -> bool:
    for (kind, text, number, remainder), memo in zip(rules, memory):
        if (
            (kind == "last" and tail[-1] != text)
            or (kind == "long" and tail[-1] != tail[-2])
            or (kind == "contain" and not memo)
            or (kind == "count" and memo != remainder)
            or (kind == "exactly" and memo != number)
        ):
            return False
    return True


def _extended(terms: list[int], place: int, prime: int) -> int:
    """A later term of the shortest linear recurrence that the terms follow (Berlekamp, Massey)."""
    recurrence = _recurrence(terms, prime)
    size = len(recurrence)
    if place < len(terms) or not size:
        return terms[place] if place < len(terms) else 0
    result, power = [1] + [0] * (size - 1), [0, 1] + [0] * (size - 2)
    if size == 1:
        power = [recurrence[0]]
    left = place
    while left:
        if left & 1:
            result = _times(result, power, recurrence, prime)
        power = _times(power, power, recurrence, prime)
        left >>= 1
    return sum(factor * term for factor, term in zip(result, terms)) % prime


def _recurrence(terms: list[int], prime: int) -> list[int]:
    current: list[int] = []
    best: list[int] = []
    failed_at, gap = -1, 0
    for place, term in enumerate(terms):
        guess = sum(factor * terms[place - 1 - back] for back, factor in enumerate(current))
        error = (term - guess) % prime
        if not error:
            continue
        if failed_at < 0:
            current, failed_at, gap = [0] * (place + 1), place, error
            continue
        share = error * pow(gap, -1, prime) % prime
        change = [0] * (place - failed_at - 1) + [share] + [-share * factor for factor in best]
        longer = max(len(current), len(change))
        padded = [*current, *[0] * (longer - len(current))]
        change += [0] * (longer - len(change))
        if place - len(current) > failed_at - len(best):
            best, failed_at, gap = current, place, error
        current = [(one + other) % prime for one, other in zip(padded, change)]
    return current


def _times(one: list[int], other: list[int], recurrence: list[int], prime: int) -> list[int]:
    """The product of two polynomials, where a power is replaced by those before it."""
    size = len(recurrence)
    product = [0] * (len(one) + len(other) - 1)
    for place, factor in enumerate(one):
        for beside, second in enumerate(other):
            product[place + beside] += factor * second
    for place in range(len(product) - 1, size - 1, -1):
        for back, factor in enumerate(recurrence):
            product[place - 1 - back] += product[place] * factor
    return [number % prime for number in [*product[:size], *[0] * (size - len(product))]]


KINDS = (
    "avoid",
    "avoid too",
    "avoid",
    "contain",
    "run",
    "run of",
    "long",
    "count",
    "exactly",
    "at most",
    "first",
    "last",
)
PRIMES = (97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181)
MOST_STATES = 30
MOST_LENGTH, MOST_HUGE = 200, 10**7
LADDER = (
    Knobs(2, 6, 1, 0.0),
    Knobs(3, 10, 3, 0.0),
    Knobs(4, 15, 4, 0.0),
    Knobs(4, 22, 5, 0.2),
    Knobs(4, 32, 5, 0.6),
)
FAMILY = Family(
    Strings,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="powers of an automaton's matrix",
    guess_rate=0.25,
    canon=canon,
    inputs=("length",),
    skills=("counting", "recurrences", "modular"),
    version=2,
)
