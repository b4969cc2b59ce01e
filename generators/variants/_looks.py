"""What the answers of a family look like, learned from the golds of other puzzles at one setting.

A mistake keeps what all of them keep: their length, their order, that nothing comes twice, that all
numbers are even. Otherwise that alone tells it from gold.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import gcd, isqrt
from random import Random
from typing import Any

from puzzlemill.core.answers import Impossible
from puzzlemill.core.family import AnyFamily, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.proof.giveaways import words_of

READ = 48  # puzzles that a reader learns from
KNOWN = 24  # of them, golds that are looked at
DRAWS = 3  # for each puzzle
BEYOND_CHANCE = 0.15  # a share of numbers that says that golds are made of the problem's
NONE = Fraction(0)
FEW = 2  # ends of lists that are always the same
ENOUGH = 6  # golds that a rule is learned from
LARGEST_PRIME = 10**6  # numbers above it are not tried

NUMBER = re.compile(r"\d+(?:\.\d+)?")
ATOM = re.compile(r"[^\s,;()\[\]{}=]+")
_UNTIDY = re.compile(r"\^[01](?!\d)|/1(?!\d)|(?<![\d.^])[01](?=[a-z(])|(?<![\d.])0(?:/| [*+-])")
_FRACTION = re.compile(r"(?<![\d.])(\d{1,30})[a-z^0-9(), ]{0,40}?/(\d{1,30})(?![\d.])")

Leaf = Any  # a whole number, a fraction or a text


def leaves(value: Any) -> list[Leaf]:
    """What a value of nested tuples holds, from left to right."""
    if not isinstance(value, tuple):
        return [value]
    return [leaf for each in value for leaf in leaves(each)]


def rebuilt(value: Any, flat: Sequence[Leaf]) -> Any:
    """The value with other leaves."""
    source = iter(flat)

    def built(part: Any) -> Any:
        return tuple(map(built, part)) if isinstance(part, tuple) else next(source)

    return built(value)


def rows_of(value: Any) -> list[Any]:
    """Of a board or a grid, its rows; nothing of anything else."""
    if not isinstance(value, tuple) or len(value) < 2:
        return []
    rows = [each for each in value if isinstance(each, tuple | str) and len(each) > 1]
    return rows if len(rows) == len(value) and len(set(map(len, rows))) == 1 else []


def skeleton(text: str) -> str:
    """The text with 0 for each whole number, and a 0 for each decimal place."""
    return NUMBER.sub(
        lambda match: "0" + "." * ("." in match[0]) + "0" * len(match[0].partition(".")[2]), text
    )


def outline(text: str) -> str:
    """A w for each word: the skeleton of an answer in words."""
    return " ".join("w" for _ in text.split())


def is_tidy(text: str) -> bool:
    """Whether its fractions are in lowest terms, and no power or coefficient 1 or 0 is told."""
    return not _UNTIDY.search(text) and all(
        gcd(int(match[1]), int(match[2])) == 1 for match in _FRACTION.finditer(text)
    )


def apart(one: str, other: str) -> float:
    """How much two answers differ in what is seen without reading them."""
    return sum(
        abs(mine - yours) / (1 + abs(mine))
        for mine, yours in zip(_sight(one), _sight(other), strict=True)
    )


def _sight(text: str) -> list[float]:
    atoms = ATOM.findall(text)
    return [
        float(len(text)),
        len(atoms),
        len(set(atoms)),
        max(Counter(atoms).values(), default=0),
        sum(one == other for one, other in pairwise(atoms)),
        sum(one <= other for one, other in pairwise(atoms)),
        sum(one == other for one, other in pairwise(text)),
        len(set(text)),
        *(text.count(sign) for sign in "-/("),
    ]


def _inside(item: Any) -> tuple[Any, ...]:
    return item if isinstance(item, tuple) else (item,)


def is_list(value: Any) -> bool:
    """A list, a set, pairs, a board: items of one sort. Trees and polynomials are none."""
    return (
        isinstance(value, tuple)
        and len({type(each) for each in value}) == 1
        and all(isinstance(leaf, int | str | Fraction) for item in value for leaf in _inside(item))
    )


def numbers_in(text: str) -> list[int]:
    """The runs of digits, without the points between them."""
    return [int(match.replace(".", "")) for match in NUMBER.findall(text) if len(match) < 40]


@dataclass(frozen=True, slots=True)
class Looks:
    golds: tuple[Any, ...]  # but for those that are "impossible"
    texts: tuple[tuple[str, frozenset[str]], ...]  # their leaves that are texts, and their words
    impossible: float  # the share of those
    skeletons: frozenset[str]  # of their texts, and of strings the outlines
    template: frozenset[str]  # words that the prompts of most puzzles hold
    numbers: tuple[int, ...]  # in all golds, without their signs
    alone: tuple[int, ...]  # golds that are one whole number, signed
    least: Fraction  # and about the smallest and the largest of golds that are numbers
    most: Fraction
    copied: float  # the share of numbers that stand in the problem, too
    free: bool  # whether no more of them stand in it than in other problems
    lengths: frozenset[int]
    told_length: bool  # whether the answer's form says how long a list is
    open: frozenset[str]  # signs of cells that the problem's board leaves open
    fillings: frozenset[str]  # signs that golds have in these cells
    ends: frozenset[Any]  # the first and the last leaves of golds, where they are few
    rules: tuple[Callable[[Any], bool], ...]
    residues: tuple[tuple[int, int], ...]  # modulus and residue of every number
    ranges: Mapping[Any, tuple[Any, Any]]  # of the numbers that golds have for a key
    kinds_of_number: tuple[Callable[[int], bool], ...]

    def keeps(self, answer: Any, gold: Any) -> bool:
        """Whether an answer breaks no rule that gold and the other golds keep."""
        if isinstance(answer, int | Fraction) and isinstance(gold, int | Fraction):
            return self.least <= answer <= self.most
        if not _is_ruled(answer) or not _is_ruled(gold):
            return True
        flat = leaves(answer)
        if flat and self.ends and not {(0, flat[0]), (1, flat[-1])} <= self.ends | _ends_of(gold):
            return False
        return all(rule(answer) for rule in self.rules if rule(gold))

    def has_there(self, key: Any, number: int | Fraction) -> bool:
        """Whether the numbers of a key reach so far, where enough golds have the key."""
        least, most = self.ranges.get(key, (number, number))
        return bool(least <= number <= most)

    def allows(self, number: int) -> bool:
        number = abs(number)
        return all(number % modulus == residue for modulus, residue in self.residues) and all(
            kind(number) for kind in self.kinds_of_number
        )


@lru_cache(maxsize=64)
def others(family: AnyFamily, knobs: Any) -> tuple[tuple[Any, Any], ...]:
    """Other puzzles and their golds. Never used as answers: they would be the same for all items,
    and be learned by heart."""
    source, found = Random(f"looks of {family.name} {knobs}"), list[tuple[Any, Any]]()
    for _ in range(DRAWS * READ):
        puzzle = family.generate(source, knobs)
        gold = None if puzzle is None else family.solve(puzzle)
        if gold is not None:
            found.append((puzzle, gold))
        if len(found) == READ:
            break
    return tuple(found)


@lru_cache(maxsize=256)
def looks(family: AnyFamily, knobs: Any) -> Looks:
    golds, told = list[tuple[Any, str]](), list[tuple[frozenset[str], list[str]]]()
    words: Counter[str] = Counter()
    prompts = list[tuple[Prompt, Any]]()
    for puzzle, gold in others(family, knobs)[:KNOWN]:
        golds.append((gold, family.written(puzzle, gold)))
        if not isinstance(gold, Impossible) and len(golds) <= KNOWN // 2:
            prompts.append((family.render(puzzle, Style()), gold))
            text = prompts[-1][0].question
            words.update(words_of(text))
            told.append((frozenset(_figures(text)), _figures(golds[-1][1])))
    able = [(gold, text) for gold, text in golds if not isinstance(gold, Impossible)]
    values = [gold for gold, _ in able]
    numbers = [number for _, text in able for number in numbers_in(text)]
    values_of = [Fraction(gold) for gold in values if isinstance(gold, int | Fraction)] or [NONE]
    least, most = min(values_of), max(values_of)
    many = len(numbers) >= 2 * ENOUGH
    opened, fillings = _open(prompts)
    return Looks(
        golds=tuple(values),
        texts=tuple(
            (leaf, frozenset(words_of(leaf)))
            for gold in values
            for leaf in leaves(gold)
            if isinstance(leaf, str)
        ),
        impossible=1 - len(able) / max(len(golds), 1),
        skeletons=frozenset(
            outline(text) if isinstance(gold, str) else skeleton(text) for gold, text in able
        ),
        template=frozenset(word for word, times in words.items() if times > KNOWN // 6),
        numbers=tuple(numbers),
        alone=tuple(gold for gold in values if type(gold) is int),
        least=least * 2 if least < 0 else NONE,
        most=most * 2 if most > 1 else Fraction(most > 0),
        copied=_copied(told, own=True, joined=False),
        free=many
        and all(
            _copied(told, own=True, joined=joined) - _copied(told, own=False, joined=joined)
            < BEYOND_CHANCE
            for joined in (False, True)
        ),
        lengths=frozenset(len(value) for value in values if isinstance(value, tuple)),
        told_length=all(
            is_list(gold) and len(gold) in numbers_in(prompt.form) for prompt, gold in prompts
        ),
        open=opened,
        fillings=fillings,
        ends=_ends(values),
        rules=tuple(rule for rule in RULES if _holds(rule, values)),
        residues=tuple(
            (modulus, numbers[0] % modulus)
            for modulus in (2, 3, 4, 5, 7, 9, 10, 11, 25, 60, 100)
            if many and len({number % modulus for number in numbers}) == 1
        ),
        ranges=_ranges(values),
        kinds_of_number=tuple(
            kind for kind in KINDS_OF_NUMBER if many and all(kind(number) for number in numbers)
        ),
    )


def board_in(text: str, height: int, width: int) -> list[list[str]] | None:
    """The first lines of a text that are a board of such a size, as its cells."""
    lines = [list(line) if len(line) == width else line.split() for line in text.split("\n")]
    for start in range(len(lines) - height + 1):
        board = lines[start : start + height]
        if all(len(row) == width for row in board):
            return board
    return None


def _open(prompts: Sequence[tuple[Prompt, Any]]) -> tuple[frozenset[str], frozenset[str]]:
    """The signs of a problem's board in whose place golds have others, and what golds have there.
    No signs where the problem has no board, or where hardly any of its signs stay."""
    pairs = set[tuple[str, str]]()
    stayed: Counter[str] = Counter()
    for prompt, gold in prompts:
        rows = rows_of(gold)
        board = board_in(prompt.question, len(rows), len(rows[0])) if rows else None
        if board is None:
            return frozenset(), frozenset()
        for told, row in zip(board, rows, strict=True):
            cells = [(sign, str(cell)) for sign, cell in zip(told, row, strict=True)]
            pairs.update(cells)
            stayed.update(sign for sign, cell in cells if sign == cell)
    opened = {sign for sign, cell in pairs if sign != cell}
    if sum(many for sign, many in stayed.items() if sign not in opened) < ENOUGH:
        return frozenset(), frozenset()
    return frozenset(opened), frozenset(cell for sign, cell in pairs if sign in opened)


def _figures(text: str) -> list[str]:
    """Its numbers, and what several of them are joined to: 10:45."""
    joined = (each.strip(".") for each in ATOM.findall(text))
    return [
        *map(str, numbers_in(text)),
        *(each for each in joined if any(map(str.isdecimal, each)) and not each.isdecimal()),
    ]


def _copied(told: Sequence[tuple[frozenset[str], list[str]]], own: bool, joined: bool) -> float:
    """The share of golds' figures that stand in their own problems, or in others' problems."""
    copied = [
        figure in figures
        for place, (figures, _) in enumerate(told)
        for other, (_, answer) in enumerate(told)
        for figure in answer
        if (place == other) == own and figure.isdecimal() != joined
    ]
    return sum(copied) / max(len(copied), 1)


def _ranges(values: Sequence[Any]) -> dict[Any, tuple[Any, Any]]:
    numbers: dict[Any, list[Any]] = {}
    for pair in (each for value in values if isinstance(value, tuple) for each in value):
        if isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], int | Fraction):
            numbers.setdefault(pair[0], []).append(pair[1])
    return {key: (min(each), max(each)) for key, each in numbers.items() if len(each) >= ENOUGH}


def _ends_of(value: Any) -> set[tuple[int, Any]]:
    flat = leaves(value)
    return {(0, flat[0]), (1, flat[-1])} if flat else set()


def _ends(values: Sequence[Any]) -> frozenset[Any]:
    """Where all golds begin alike, or end alike: what a list may begin and end with."""
    lists = [value for value in values if is_list(value) and len(value) > 1]
    firsts = Counter(leaves(value)[0] for value in lists)
    lasts = Counter(leaves(value)[-1] for value in lists)
    if len(lists) < ENOUGH or min(len(firsts), len(lasts)) > FEW:
        return frozenset()
    every = frozenset(leaf for value in lists for leaf in leaves(value))
    allowed = [
        (at, leaf)
        for at, ends in enumerate((firsts, lasts))
        for leaf in (ends if len(ends) <= FEW else every)
    ]
    return frozenset(allowed)


def _is_ruled(value: Any) -> bool:
    return isinstance(value, str) or is_list(value)


def _holds(rule: Callable[[Any], bool], values: Sequence[Any]) -> bool:
    large = [
        value
        for value in values
        if _is_ruled(value) and (isinstance(value, str) or len(leaves(value)) > 1)
    ]
    return len(large) >= ENOUGH and all(map(rule, large))


def _distinct(value: Any) -> bool:
    flat = leaves(value)
    return len(set(flat)) == len(flat)


def _items_distinct(value: Any) -> bool:
    return not isinstance(value, tuple) or len(set(value)) == len(value)


def _rows_distinct(value: Any) -> bool:
    """No row, pair or member says anything twice."""
    return not isinstance(value, tuple) or all(_distinct(each) for each in value)


def _columns_distinct(value: Any) -> bool:
    rows = rows_of(value)
    return all(len(set(column)) == len(column) for column in zip(*rows, strict=True))


def _sorted(value: Any) -> bool:
    flat = leaves(value)
    return _alike(flat) and all(one <= other for one, other in pairwise(flat))


def _falling(value: Any) -> bool:
    flat = leaves(value)
    return _alike(flat) and all(one >= other for one, other in pairwise(flat))


def _pairs_sorted(value: Any) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(each, tuple) and _sorted(each) for each in value
    )


def _firsts_sorted(value: Any) -> bool:
    if not isinstance(value, tuple) or not all(isinstance(each, tuple) and each for each in value):
        return False
    return _sorted(tuple(each[0] for each in value))


def _no_neighbours_alike(value: Any) -> bool:
    items = value if isinstance(value, tuple | str) else ()
    return all(one != other for one, other in pairwise(items))


def _linked(value: Any) -> bool:
    """Each begins where the one before it ends, as the edges of a walk do."""
    if not isinstance(value, tuple) or not all(isinstance(each, tuple) and each for each in value):
        return False
    return all(one[-1] == other[0] for one, other in pairwise(value))


def _mirrored(value: Any) -> bool:
    return isinstance(value, tuple | str) and value == value[::-1]


def _closed(value: Any) -> bool:
    return isinstance(value, tuple | str) and len(value) > 2 and value[0] == value[-1]


def _from_zero(value: Any) -> bool:
    return isinstance(value, tuple) and leaves(value)[:1] == [0]


def _consecutive(value: Any) -> bool:
    """All of 1 to n, in some order."""
    flat = leaves(value)
    return sorted(map(str, flat)) == sorted(map(str, range(1, len(flat) + 1)))


def _rows_alike(value: Any) -> bool:
    """Every row holds the same signs, in some order."""
    rows = rows_of(value)
    return bool(rows) and len({tuple(sorted(map(str, row))) for row in rows}) == 1


def _columns_alike(value: Any) -> bool:
    rows = rows_of(value)
    columns = zip(*rows, strict=True)
    return bool(rows) and len({tuple(sorted(map(str, column))) for column in columns}) == 1


def _steps_of_a_letter(value: Any) -> bool:
    """Each differs from the one before it in one letter, as the words of a ladder do."""
    words = value if isinstance(value, tuple) else ()
    return all(
        isinstance(one, str)
        and isinstance(other, str)
        and len(one) == len(other) > 1
        and sum(a != b for a, b in zip(one, other, strict=True)) == 1
        for one, other in pairwise(words)
    )


def _no_neighbours_undo(value: Any) -> bool:
    """No move is taken back at once, and none is made in two."""
    items = value if isinstance(value, tuple) else ()
    return all(
        not (isinstance(one, str) and isinstance(other, str) and one[:1] == other[:1])
        and not (isinstance(one, tuple) and one == other[::-1])
        for one, other in pairwise(items)
    )


def _few_signs(value: Any) -> bool:
    return len(set(map(str, leaves(value)))) <= 2


def _alike(flat: Sequence[Leaf]) -> bool:
    return all(type(leaf) is type(flat[0]) for leaf in flat)


RULES = (
    *(_distinct, _items_distinct, _rows_distinct, _columns_distinct, _sorted, _falling),
    *(_pairs_sorted, _firsts_sorted, _no_neighbours_alike, _linked, _mirrored, _closed),
    *(_from_zero, _consecutive, _rows_alike, _columns_alike, _steps_of_a_letter),
    *(_no_neighbours_undo, _few_signs),
)


def _prime(number: int) -> bool:
    return number > 1 and all(number % each for each in range(2, isqrt(number) + 1))


def _prime_or_large(number: int) -> bool:
    return number > LARGEST_PRIME or _prime(number)


def _square(number: int) -> bool:
    return isqrt(number) ** 2 == number


def _without_zeros(number: int) -> bool:
    return "0" not in str(number)


def _digits_apart(number: int) -> bool:
    return len(set(str(number))) == len(str(number))


def _digits_of(number: int) -> bool:
    return set(str(number)) <= {"0", "1"}


KINDS_OF_NUMBER: tuple[Callable[[int], bool], ...] = (
    *(_prime_or_large, _square, _without_zeros, _digits_apart, _digits_of),
)
