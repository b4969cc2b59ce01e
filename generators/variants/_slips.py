"""Slips: an answer with one thing changed, so that it keeps the form that answers have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, log2
from random import Random
from typing import Any

from puzzlemill.core.fraction import Fraction
from puzzlemill.generators import _vocabulary
from puzzlemill.generators.variants._looks import (
    NUMBER,
    Looks,
    is_list,
    leaves,
    rebuilt,
    rows_of,
)

STEPS = 5  # of the walk through the numbers
TRIES = 150
CLOSE = 0.45  # logarithms of numbers of one size differ by less
SMALL = 12  # numbers up to it are counted one by one
OFTEN = 0.85  # a share that is nearly all
RARELY = 0.03
EXCHANGED = 0.3  # of mistakes in the numbers of keys
UNSEEN = 0.03  # golds of a size that none has been seen of

_WORD = re.compile(r"[^\W\d_]+")
_SIGN = re.compile(r"(?<=\S )[-+*/](?= \S)")


@dataclass(frozen=True, slots=True)
class Problem:
    """What a slip may be made of."""

    words: frozenset[str]  # in lower case, told in all styles
    seen: frozenset[str]  # in the style that a reader sees
    own: frozenset[str]  # those of them that other puzzles' prompts do not have
    numbers: frozenset[int]
    names: tuple[str, ...]  # that answers are made of, in lower case
    called: frozenset[str]  # the words of these names
    people: frozenset[str]  # the names that are written with a capital, in lower case
    keyed: bool  # the first of each pair says what the second belongs to
    given: frozenset[tuple[int, int]]  # rows and columns of cells that it tells


def slip(answer: Any, text: str, looks: Looks, problem: Problem, rng: Random) -> Any:
    """A value like the answer; or a text, that is to be read."""
    if type(answer) is int and text.lstrip("-").isdecimal():
        return stepped(answer, looks, problem, rng)
    if isinstance(answer, str) and answer in problem.names:
        return _name(answer, problem, rng)
    if isinstance(answer, Fraction) and "." not in text:
        return _fraction(answer, looks, problem, rng)
    if is_list(answer):
        if problem.given:
            return _in_cells(answer, problem.given, rng)
        boardlike = rows_of(answer) and isinstance(answer[0], str) and looks.lengths
        if boardlike and not problem.names and len(set(map(len, looks.golds or ((),)))) <= 3:
            return (
                _in_rows(answer, rng)
                if rng.random() < 0.8
                else _in_list(answer, looks, problem, rng)
            )
        if rows_of(answer) and len(answer[0]) > 2 and rng.random() < 0.7:
            return _in_rows(answer, rng)
        return _in_list(answer, looks, problem, rng)
    return _in_text(text, looks, problem, rng)


def stepped(number: int, looks: Looks, problem: Problem, rng: Random) -> int | None:
    """A number like it, as often as golds are like that: the end of a short Metropolis walk."""
    pool = looks.alone or looks.numbers
    signed = any(each < 0 for each in pool) and any(each > 0 for each in pool)
    copies = [each for each in problem.numbers if each != number and looks.allows(each)]
    copy = bool(copies) and rng.random() < looks.copied
    if copy and looks.copied > RARELY:
        near = sorted(copies, key=lambda each: abs(_size(each) - _size(number)))
        return near[min(int(rng.expovariate(0.5)), len(near) - 1)] * (-1 if number < 0 else 1)
    at, moved = number, 0
    for _ in range(TRIES):
        other = _proposed(at, signed, rng)
        if not looks.allows(other) or (other < 0 and not signed and number >= 0):
            continue
        copy = looks.copied < OFTEN and other != number and abs(other) in problem.numbers
        if copy and rng.random() > looks.copied * 2:
            continue
        if _factors(other, number) != _factors(number, number):
            continue
        moved += 1
        if rng.random() < density(other, pool) / density(at, pool):
            at = other
        if moved >= STEPS and at != number:
            return at
    return at if at != number else None


def _proposed(number: int, signed: bool, rng: Random) -> int:
    digits = str(abs(number))
    sign = -1 if number < 0 else 1
    draw = rng.random()
    if signed and draw < 0.08:
        return -number
    if draw < 0.3 and len(digits) > 1:
        place = rng.randrange(len(digits))
        digit = rng.choice("123456789" if place == 0 else "0123456789")
        return sign * int(digits[:place] + digit + digits[place + 1 :])
    if draw < 0.4 and len(digits) > 2:
        place = rng.randrange(1, len(digits) - 1)
        one, other = digits[place], digits[place + 1]
        return sign * int(digits[:place] + other + one + digits[place + 2 :])
    if draw < 0.55 and len(digits) > 1:
        size: int = 10 ** rng.randrange(len(digits))
        return number + rng.choice((-1, 1)) * size
    # Steps as long in both directions, so that the walk does not drift.
    most: int = 2 ** int(log2(abs(number) + 1))
    moved = number + rng.choice((-1, 1)) * rng.randint(1, max(2, most // 6))
    return moved if signed or (moved < 0) == (number < 0) else number


def _factors(number: int, like: int) -> tuple[bool, ...]:
    """Which small numbers divide it, as far as numbers of this size leave a choice."""
    divisors = (2, 4, 8, 3, 5)
    most = (0, 2, 4, 5)[sum(abs(like) > limit for limit in (SMALL, 60, 300))]
    chosen = divisors[:most] if most != 4 else (2, 4, 3)
    return tuple(number % each == 0 for each in chosen)


@lru_cache(maxsize=65_536)
def density(number: int, pool: tuple[int, ...]) -> float:
    """About how often golds are so large, and end so."""
    if not pool:
        return 1.0
    size, total = _size(number), len(pool)
    near = sum((each < 0) == (number < 0) and abs(_size(each) - size) < CLOSE for each in pool)
    density = (near + UNSEEN) / (abs(number) + 3)
    if abs(number) <= SMALL:
        density *= (sum(each == number for each in pool) + 1) / (near / (abs(number) + 1) + 1)
    for modulus in (2, 5, 10):
        here = number % modulus == 0
        share = (sum((each % modulus == 0) == here for each in pool) + 1) / (total + 2)
        density *= share / (1 / modulus if here else 1 - 1 / modulus)
    return density


def alike(one: int, other: int) -> bool:
    """Whether two numbers are of one size."""
    return (one < 0) == (other < 0) and abs(_size(one) - _size(other)) < CLOSE


def _size(number: int) -> float:
    return log(abs(number) + 3)


def _in_list(answer: tuple[Any, ...], looks: Looks, problem: Problem, rng: Random) -> Any:
    """One item exchanged, replaced, moved, left out or put in."""
    flat = leaves(answer)
    draw = rng.random()
    if problem.keyed and all(len(each) == 2 for each in answer) and _is_number(flat[1]):
        return _in_values(answer, looks, problem, rng)
    longer = len(answer) + 1 in looks.lengths and not problem.keyed
    shorter = len(answer) - 1 in looks.lengths and len(answer) > 1 and not problem.keyed
    if draw < 0.3 and longer and (draw < 0.15 or not shorter):
        items: list[Any] = list(answer)
        like = rng.choice(answer)
        items.insert(rng.randrange(len(items) + 1), _like(like, flat, looks, problem, rng))
        return tuple(items)
    if draw < 0.3 and shorter:
        place = rng.randrange(len(answer))
        return answer[:place] + answer[place + 1 :]
    if draw < 0.6 and len(flat) > 1:
        return rebuilt(answer, _exchanged(flat, _columns(answer), rng))
    if draw < 0.7 and len(answer) > 2 and not problem.keyed:
        start, end = sorted(rng.sample(range(len(answer) + 1), 2))
        if end - start < 5:
            return answer[:start] + answer[start:end][::-1] + answer[end:]
        items = list(answer)
        items.insert(rng.randrange(len(items)), items.pop(rng.randrange(len(items))))
        return tuple(items)
    place, columns = rng.randrange(len(flat)), _columns(answer)
    if problem.keyed:
        place = rng.choice([at for at, column in enumerate(columns) if column])
    beside = [leaf for leaf, column in zip(flat, columns, strict=True) if column == columns[place]]
    changed = list(flat)
    changed[place] = _other(flat[place], beside, looks, problem, rng)
    return rebuilt(answer, changed)


def _in_values(answer: tuple[Any, ...], looks: Looks, problem: Problem, rng: Random) -> Any:
    """The number of one key changed, or those of two keys exchanged that golds might have so."""
    changed = [list(pair) for pair in answer]
    if len(changed) > 1 and rng.random() < EXCHANGED:
        one, other = rng.sample(changed, 2)
        whole = {pair[1].denominator == 1 for pair in (one, other)}
        fits = looks.has_there(one[0], other[1]) and looks.has_there(other[0], one[1])
        if fits and len(whole) == 1:
            one[1], other[1] = other[1], one[1]
            return tuple(map(tuple, changed))
    pair = rng.choice(changed)
    number = stepped if isinstance(pair[1], int) else _fraction
    pair[1] = number(pair[1], looks, problem, rng)
    return tuple(map(tuple, changed))


def _is_number(leaf: Any) -> bool:
    return isinstance(leaf, int | Fraction) and not isinstance(leaf, bool)


def _like(item: Any, flat: Sequence[Any], looks: Looks, problem: Problem, rng: Random) -> Any:
    if isinstance(item, tuple):
        return tuple(_like(each, flat, looks, problem, rng) for each in item)
    return _other(item, flat, looks, problem, rng)


def _columns(answer: tuple[Any, ...]) -> list[int]:
    """For each leaf, which of its item it is: the second of a pair is no place for a first."""
    pairs = all(isinstance(each, tuple) and len(each) <= 2 for each in answer)
    return (
        [at for each in answer for at in range(len(each))] if pairs else [0] * len(leaves(answer))
    )


def _exchanged(flat: Sequence[Any], columns: Sequence[int], rng: Random) -> list[Any]:
    """Two leaves that differ exchanged, oftenest neighbours."""
    changed = list(flat)
    for _ in range(8):
        one = rng.randrange(len(flat))
        other = one + rng.choice((-2, -1, 1, 2)) if rng.random() < 0.5 else rng.randrange(len(flat))
        if not 0 <= other < len(flat) or flat[one] == flat[other]:
            continue
        if columns[one] == columns[other] or len(set(columns)) == 1:
            changed[one], changed[other] = changed[other], changed[one]
            break
    return changed


def _other(leaf: Any, beside: Sequence[Any], looks: Looks, problem: Problem, rng: Random) -> Any:
    """What might stand there as well."""
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, int):
        if rng.random() < 0.4:
            return rng.choice(beside)
        return stepped(leaf, looks, problem, rng)
    if isinstance(leaf, Fraction):
        return _fraction(leaf, looks, problem, rng)
    if leaf in problem.names:
        if problem.keyed and rng.random() < 0.5:
            return rng.choice(beside)
        return _name(leaf, problem, rng)
    others = [each for each in beside if isinstance(each, str) and each != leaf]
    others += [text for text, words in looks.texts if words <= problem.words and text != leaf]
    if others and (rng.random() < 0.8 or not leaf.isalpha()):
        return rng.choice(others)
    return reworded(leaf, problem, rng)


def _name(name: str, problem: Problem, rng: Random) -> str:
    like = [each for each in problem.names if (each in problem.people) == (name in problem.people)]
    return rng.choice(like)


def _fraction(number: Fraction, looks: Looks, problem: Problem, rng: Random) -> Fraction | None:
    """Another numerator, before or after cancelling; or a factor too many or too few below."""
    top, low = number.numerator, number.denominator
    if low > 1 and rng.random() < 0.2:
        factor = rng.choice((2, 3, Fraction(1, 2), Fraction(1, 3), Fraction(3, 2), Fraction(2, 3)))
        return number * factor
    if low == 1:
        whole = stepped(top, looks, problem, rng)
        return None if whole is None else Fraction(whole)
    factor = rng.choice((1, 1, 1, 2, 3))
    other = stepped(top * factor, looks, problem, rng)
    return None if other is None else Fraction(other, low * factor)


def _in_rows(answer: tuple[Any, ...], rng: Random) -> Any:
    """Cells of a board exchanged, so that rows, and perhaps columns, hold what they held."""
    rows = [list(row) for row in answer]
    height, width = len(rows), len(rows[0])
    draw = rng.random()
    if draw < 0.3:  # two signs change their parts, in the whole board or in some rows
        signs = sorted({sign for row in rows for sign in row}, key=str)
        if len(signs) < 2:
            return None
        one, other = rng.sample(signs, 2)
        turned = {one: other, other: one}
        some = range(height) if draw < 0.15 else rng.sample(range(height), min(2, height))
        for place in some:
            rows[place] = [turned.get(sign, sign) for sign in rows[place]]
    elif draw < 0.5:  # corners of a rectangle
        for _ in range(40):
            top, low = rng.sample(range(height), 2)
            left, right = rng.sample(range(width), 2)
            corners = rows[top][left], rows[top][right]
            if corners[0] != corners[1] and corners == (rows[low][right], rows[low][left]):
                rows[top][left], rows[top][right] = corners[::-1]
                rows[low][left], rows[low][right] = corners
                break
    elif draw < 0.7:
        for _ in range(20):
            row = rng.choice(rows)
            at = rng.randrange(width - 1)
            if row[at] != row[at + 1]:
                row[at], row[at + 1] = row[at + 1], row[at]
                break
    elif draw < 0.8:
        at = rng.randrange(height - 1)
        rows[at], rows[at + 1] = rows[at + 1], rows[at]
    elif draw < 0.9:
        row = rng.choice(rows)
        row[rng.randrange(width)] = rng.choice(rng.choice(rows))
    else:
        at = rng.randrange(width - 1)
        for row in rows:
            row[at], row[at + 1] = row[at + 1], row[at]
    joined = isinstance(answer[0], str)
    return tuple("".join(row) if joined else tuple(row) for row in rows)


def _in_cells(answer: tuple[Any, ...], given: frozenset[tuple[int, int]], rng: Random) -> Any:
    """The same of a board of which some cells are told: others of them exchanged, or one copied
    to another."""
    rows = [list(row) for row in answer]
    free = [
        (row, column)
        for row, cells in enumerate(rows)
        for column in range(len(cells))
        if (row, column) not in given
    ]
    if len(free) < 2:
        return None
    (row, column), (other, place) = rng.sample(free, 2)
    one, two = rows[row][column], rows[other][place]
    draw = rng.random()
    if draw < 0.3:  # corners of a rectangle
        corners = [(row, column), (other, place), (row, place), (other, column)]
        if one == two and rows[row][place] == rows[other][column] and {*corners} <= {*free}:
            crossed = rows[row][place]
            rows[row][column] = rows[other][place] = crossed
            rows[row][place] = rows[other][column] = one
    elif draw < 0.75:
        rows[row][column], rows[other][place] = two, one
    else:
        rows[row][column] = two
    joined = isinstance(answer[0], str)
    return tuple("".join(row) if joined else tuple(row) for row in rows)


def _in_text(text: str, looks: Looks, problem: Problem, rng: Random) -> str | None:
    """The text with another number, another sign or another word in it."""
    # A power is left as it is: polynomials have each but once, in order.
    numbers = [match for match in NUMBER.finditer(text) if text[match.start() - 1] != "^"]
    words = list(_WORD.finditer(text))
    signs = list(_SIGN.finditer(text))
    if _mixed(text):
        return _letters_exchanged(text, rng)
    options = ["number"] * 4 * bool(numbers) + ["sign"] * bool(signs)
    if not numbers or not any(char.isdigit() for char in text):
        options += ["word"] * bool(words)
    if not options:
        return _letters_exchanged(text, rng)
    match rng.choice(options):
        case "sign":
            found = rng.choice(signs)
            other = {"+": "-", "-": "+", "*": "+", "/": "*"}[found[0]]
            return text[: found.start()] + other + text[found.end() :]
        case "number":
            return _renumbered(text, rng.choice(numbers), numbers, looks, problem, rng)
        case _:
            return _in_words(text, words, problem, rng)


def _mixed(text: str) -> bool:
    """Whether it is a numeral of which some digits may be letters, such as "1F3"."""
    bare = text.lstrip("-")
    return bare.isalnum() and bare.isupper() and len(bare) > 1


def _renumbered(
    text: str,
    found: re.Match[str],
    numbers: Sequence[re.Match[str]],
    looks: Looks,
    problem: Problem,
    rng: Random,
) -> str | None:
    permuted = looks.copied > OFTEN and _SIGN.search(text)
    if len(numbers) > 1 and (permuted or rng.random() < 0.15):
        one, other = sorted(rng.sample(list(numbers), 2), key=lambda match: match.start())
        between = text[one.end() : other.start()]
        return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]
    whole, point, places = found[0].partition(".")
    if len(found[0]) > 40:
        return None
    number = stepped(int(whole + places), looks, problem, rng)
    if number is None or number < 0:
        return None
    digits = str(number).zfill(
        len(places) + 1 if point else len(found[0]) if whole[0] == "0" else 1
    )
    if point:
        digits = f"{digits[: -len(places)]}.{digits[-len(places) :]}"
    return text[: found.start()] + digits + text[found.end() :]


def _in_words(
    text: str, words: Sequence[re.Match[str]], problem: Problem, rng: Random
) -> str | None:
    if len(words) > 1 and rng.random() < 0.4:
        one, other = sorted(rng.sample(list(words), 2), key=lambda match: match.start())
        between = text[one.end() : other.start()]
        return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]
    found = rng.choice(words)
    return text[: found.start()] + reworded(found[0], problem, rng) + text[found.end() :]


def reworded(word: str, problem: Problem, rng: Random) -> str:
    """Another word: English for English, and otherwise with two of its letters exchanged."""
    if word.lower() in _vocabulary.known() and len(word) > 1:
        if word.lower() in problem.words:
            return rng.choice(sorted(problem.own | {word}))
        common = _vocabulary.words(len(word), len(word))
        rarer = word.lower() not in common
        other = rng.choice(_vocabulary.words(len(word), len(word), rarer=rarer))
        return other.upper() if word.isupper() else other
    return _letters_exchanged(word, rng) or word


def _letters_exchanged(text: str, rng: Random) -> str | None:
    """Two characters that differ exchanged, or one in another's place; spaces stay."""
    places = [place for place, char in enumerate(text) if not char.isspace()]
    signs = {text[place] for place in places}
    if len(signs) < 2:
        return None
    changed = list(text)
    one = rng.choice(places)
    other = rng.choice([place for place in places if text[place] != text[one]])
    if rng.random() < 0.6:
        changed[one], changed[other] = changed[other], changed[one]
    else:
        changed[one] = text[other]
    return "".join(changed)
