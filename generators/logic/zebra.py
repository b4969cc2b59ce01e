"""Zebra: people live in a row of houses; clues tell who lives where and has what.

`generate` adds true clues until deduction alone settles everything and then drops those that it can
do without; `solve` proves by SAT that one arrangement is left; `verify` puts the answer into the
clues.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import combinations, product
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.values import values_named
from puzzlemill.core.search import Node
from puzzlemill.generators import _sat
from puzzlemill.generators._bits import members
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES

Thing = str | int  # a word of a list, or a house number
Clue = tuple[Thing, ...]  # a relation, and the things it holds between
Categories = tuple[tuple[str, tuple[str, ...]], ...]  # each with its words, one for each house
Masks = dict[Thing, int]  # for each thing, the houses it may be in: bit i for house i
Watchers = defaultdict[Thing, list[Clue]]  # for each thing, the rules that speak of it


@dataclass(frozen=True, slots=True)
class Knobs:
    houses: int  # in the row
    categories: int  # what is told of each person: name, drink, pet …
    loose: float  # share of clues, before dropping, that say less than "A is B"


@dataclass(frozen=True, slots=True)
class Street:
    houses: int  # numbered from 1, left to right
    categories: Categories
    clues: tuple[Clue, ...]


def generate(rng: Random, knobs: Knobs) -> Street:
    categories = tuple(
        (theme, tuple(sorted(rng.sample(THEMES[theme][1], knobs.houses))))
        for theme in rng.sample(sorted(THEMES), knobs.categories)
    )
    return clued(rng, knobs, categories)


def clued(rng: Random, knobs: Knobs, categories: Categories) -> Street:
    """A street of these people, and clues that settle it."""
    houses = knobs.houses
    home = {
        word: house
        for _, group in categories
        for word, house in zip(group, rng.sample(range(1, houses + 1), houses))
    }
    clues = _needed(categories, _start(houses, categories), home,
                    _enough(rng, knobs, categories, home))  # fmt: skip
    rng.shuffle(clues)
    return Street(houses, categories, tuple(clues))


def solve(street: Street) -> Pairs | None:
    """SAT: a variable for each word and house; a blocking clause proves the solution unique."""
    houses = range(1, street.houses + 1)
    words = [word for _, group in street.categories for word in group]
    # A word's number here, plus a house's, is the variable for the two.
    before = {word: place * street.houses for place, word in enumerate(words)}
    clauses: list[_sat.Clause] = []
    for _, group in street.categories:
        homes = [[before[word] + house for house in houses] for word in group]
        clauses += [*homes, *map(list, zip(*homes))]
    bounds = [(choices, 1) for choices in clauses]
    for relation, one, *things in street.clues:
        for at in product(*([thing] if isinstance(thing, int) else houses for thing in things)):
            denied = [
                -before[thing] - house for thing, house in zip(things, at) if isinstance(thing, str)
            ]
            allowed = [house for house in houses if HOLDS[str(relation)](house, *at)]
            clauses.append(denied + [before[str(one)] + house for house in allowed])
    true = _sat.only_model(clauses, range(1, len(words) * street.houses + 1), bounds=bounds)
    if true is None:
        return None
    pairs = [
        (word, str(house)) for word in words for house in houses if before[word] + house in true
    ]
    return tuple(sorted(pairs))


def verify(street: Street, pairs: Pairs) -> float:
    numbers = {str(house): house for house in range(1, street.houses + 1)}
    home = {word: numbers.get(house.removeprefix("house "), 0) for word, house in pairs}
    words = [word for _, group in street.categories for word in group]
    if sorted(word for word, _ in pairs) != sorted(words):
        return 0.0
    for _, group in street.categories:
        if {home[word] for word in group} != set(numbers.values()):
            return 0.0
    return float(
        all(
            HOLDS[str(relation)](*(_house(home, thing) for thing in things))
            for relation, *things in street.clues
        )
    )


def render(street: Street, style: Style) -> Prompt:
    houses = street.houses
    lists = "\n".join(
        f"- {theme}: {', '.join(map(_written, words))}" for theme, words in street.categories
    )
    clues = "\n".join(f"{number}. {_sentence(clue)}" for number, clue in enumerate(street.clues, 1))
    return Prompt(
        style.pick(
            f"{houses} houses stand in a row, numbered 1 to {houses} from left to right. One person"
            f" lives in each. Each of the following lists has {houses} entries, and each entry"
            f" belongs to exactly one of the people:\n{lists}\n\nThe clues:\n{clues}\n\nFind out in"
            " which house the person with each entry lives.",
            f"There are {houses} houses side by side; house 1 is the leftmost, house {houses} the"
            " rightmost. One person lives in each. Each person has one entry of every list, and no"
            f" entry belongs to two people:\n{lists}\n\nThis is known:\n{clues}\n\nIn which"
            " house does the person with each entry live?",
            f"Work out who lives where. Houses 1 to {houses} are in a row from left to right, with"
            f" one person in each.\n\n{clues}\n\nThese are the entries; each person has exactly"
            f" one of every list, and no two people have the same:\n{lists}\n\nSay for each entry"
            " the number of the house in which its person lives.",
        ),
        form='one line "entry = house number" for each entry of each list',
    )


def steps(street: Street) -> list[str]:
    """Each clue, again and again, with what it narrows down, until everything is settled."""
    masks, lines = _start(street.houses, street.categories), list[str]()
    rules: dict[str, Clue] = {f"clue {at}": clue for at, clue in enumerate(street.clues, 1)}
    rules |= {f"each {theme}": ("each", *group) for theme, group in street.categories}
    told = -1
    while told < len(lines):
        told = len(lines)
        for name, rule in rules.items():
            before = dict(masks)
            if _deduce(_watchers([rule]), masks, [rule]):
                moved = [thing for thing in masks if masks[thing] != before[thing]]
                news = ", ".join(f"{word} in {_told(masks[word])}" for word in moved)
                lines.append(f"{name}: {news}")
    return lines


def progress(street: Street, lines: Lines) -> float:
    return values_named(FAMILY, street, lines, r"(\w+) (?:=|in house) (\d+)(?! or)")


def search(street: Street) -> Node:
    """House after house for each entry; clues are checked as soon as they can be."""
    gold = solve(street)
    assert gold is not None, "the puzzle was solved"
    return _homeless(street, {word: int(house) for word, house in gold}, {}, ())


def canon(street: Street) -> list[str]:
    """The clues with their words forgotten, the street seen from whichever end comes first."""
    words = [word for _, group in street.categories for word in group]
    lists = [("list", *group) for _, group in street.categories]
    mirrored = [_mirrored(street.houses, clue) for clue in street.clues]
    return min(
        unnamed([*lists, *map(_unordered, clues)], words, SYMMETRIC)
        for clues in (street.clues, mirrored)
    )


def hardness(street: Street) -> float:
    """Entries to place, and clues that only narrow them down."""
    return street.houses * len(street.categories) + sum(map(_is_loose, street.clues))


HOLDS: dict[str, Callable[..., bool]] = {  # of house numbers
    "same": lambda one, other: one == other,
    "differ": lambda one, other: one != other,
    "either": lambda one, other, another: one in (other, another),
    "beside": lambda one, other: abs(one - other) == 1,
    "apart": lambda one, other: abs(one - other) == 2,
    "left": lambda one, other: one < other,
    "directly left": lambda one, other: one + 1 == other,
    "between": lambda one, end, other: end < one < other or other < one < end,
}
SYMMETRIC = ("list", "pair", "same", "differ", "beside", "apart")
LOOSE = tuple(HOLDS)[1:]
PLACING = ("same", "differ", "either")  # may speak of house numbers, and never of one list alone


def _house(home: dict[str, int], thing: Thing) -> int:
    return thing if isinstance(thing, int) else home[thing]


def _is_loose(clue: Clue) -> bool:
    return clue[0] != "same"


def _enough(rng: Random, knobs: Knobs, categories: Categories, home: dict[str, int]) -> list[Clue]:
    """True clues, each of some use when it was added, from which deduction settles everything."""
    masks, watchers = _start(knobs.houses, categories), _watchers(_lists(categories))
    clues, words = list[Clue](), list(home)
    while not _settled(masks):
        clue = _true_clue(rng, knobs, home, words)
        old = tuple([masks[thing] for thing in clue[1:]])
        if _narrowed(clue[0], old) != old:
            clues.append(clue)
            _watch(watchers, clue)
            _deduce(watchers, masks, [clue])
    return clues


def _needed(
    categories: Categories, known: Masks, home: dict[str, int], clues: list[Clue]
) -> list[Clue]:
    """The clues without those that deduction can do without, placing ones dropped first."""
    lists, needed = _lists(categories), list[Clue]()
    left = sorted(clues, key=_is_loose)
    every, certain = _watchers([*lists, *left]), _watchers(lists)
    breaks = _breaks(categories, home, clues)
    alone, new = _alone(breaks), list[Clue]()
    while left:
        clue = left.pop(0)
        # Most clues are needed, and for most of these, two words that change houses show it.
        if not breaks[clue] & alone:
            _deduce(certain, known, new)
            new = []
            for thing in clue[1:]:
                every[thing].remove(clue)
            masks = dict(known)  # what follows from the needed clues alone
            _deduce(every, masks, left)
            if _settled(masks):
                del breaks[clue]
                alone = _alone(breaks)
                continue
            _watch(every, clue)
        needed.append(clue)
        new.append(clue)
        _watch(certain, clue)
    return needed


def _breaks(categories: Categories, home: dict[str, int], clues: list[Clue]) -> dict[Clue, int]:
    """For each clue, which two words of a list make it false by changing houses, as bits."""
    groups = {word: group for _, group in categories for word in group}
    bits = {
        pair: 1 << at
        for at, pair in enumerate(
            pair for _, group in categories for pair in combinations(group, 2)
        )
    }
    found = {}
    for clue in clues:
        broken, holds = 0, HOLDS[str(clue[0])]
        at = {thing: _house(home, thing) for thing in clue[1:]}
        for one in clue[1:]:
            if isinstance(one, str):
                for other in groups[one]:
                    if other != one:
                        swapped = at | {one: home[other]}
                        if other in at:
                            swapped[other] = home[one]
                        if not holds(*swapped.values()):
                            broken |= bits[min(one, other), max(one, other)]
        found[clue] = broken
    return found


def _alone(breaks: dict[Clue, int]) -> int:
    """What breaks just one of the clues."""
    once = twice = 0
    for broken in breaks.values():
        twice |= once & broken
        once |= broken
    return once & ~twice


def _true_clue(rng: Random, knobs: Knobs, home: dict[str, int], words: list[str]) -> Clue:
    while True:
        relation = rng.choice(LOOSE) if rng.random() < knobs.loose else "same"
        count = 3 if relation in ("either", "between") else 2
        places = [int(rng.random() * len(words)) for _ in range(count)]
        things: list[Thing] = [words[place] for place in places]
        if relation in PLACING and rng.random() < 0.25:
            things[1:] = sorted(rng.sample(range(1, knobs.houses + 1), count - 1))
        elif relation in PLACING:
            places = [place // knobs.houses for place in places]  # lists: each another one
        if len(set(places)) == count and HOLDS[relation](
            *[_house(home, thing) for thing in things]
        ):
            return (relation, *things)


def _start(houses: int, categories: Categories) -> Masks:
    numbers = range(1, houses + 1)
    anywhere = sum(1 << house for house in numbers)
    masks: Masks = {word: anywhere for _, group in categories for word in group}
    return masks | {house: 1 << house for house in numbers}


def _settled(masks: Masks) -> bool:
    return not any(mask & (mask - 1) for mask in masks.values())


def _lists(categories: Categories) -> list[Clue]:
    return [("each", *group) for _, group in categories]


def _watchers(rules: Iterable[Clue]) -> Watchers:
    watchers: Watchers = defaultdict(list)
    for rule in rules:
        _watch(watchers, rule)
    return watchers


def _watch(watchers: Watchers, rule: Clue) -> None:
    for thing in rule[1:]:
        watchers[thing].append(rule)


def _deduce(watchers: Watchers, masks: Masks, rules: Iterable[Clue]) -> bool:
    """Narrow the masks to the end, by these rules first and then by those that watch what changes.

    Whether anything was narrowed. The order of the rules makes no difference to the end.
    """
    narrowed, waiting = False, dict.fromkeys(rules)
    while waiting:
        batch, waiting = waiting, {}
        for rule in batch:
            old = tuple([masks[thing] for thing in rule[1:]])
            new = _narrowed(rule[0], old)
            if new != old:
                narrowed = True
                for thing, was, now in zip(rule[1:], old, new):
                    if was != now:
                        masks[thing] = now
                        waiting.update(dict.fromkeys(watchers[thing]))
                if rule[0] != "each":
                    waiting.pop(rule, None)  # a clue narrows all that it can at once
    return narrowed


@lru_cache(maxsize=1 << 17)
def _narrowed(relation: Thing, masks: tuple[int, ...]) -> tuple[int, ...]:
    """Of each thing's houses, those that go with some houses of the others."""
    if relation == "each":
        return _shared_out(masks)
    left = [0] * len(masks)
    for others in product(*map(members, masks[1:])):
        partners = _partners(str(relation), others) & masks[0]
        if partners:
            left[0] |= partners
            for place, house in enumerate(others, 1):
                left[place] |= 1 << house
    return tuple(left)


@cache
def _partners(relation: str, others: tuple[int, ...]) -> int:
    """The houses of a clue's first thing that go with the houses of its others."""
    houses = range(1, LADDER[-1].houses + 1)
    return sum(1 << house for house in houses if HOLDS[relation](house, *others))


def _shared_out(masks: tuple[int, ...]) -> tuple[int, ...]:
    """A word's only house is no other word's, and a house's only word is nowhere else."""
    once = twice = fixed = 0
    for mask in masks:
        twice |= once & mask
        once |= mask
        fixed |= 0 if mask & (mask - 1) else mask
    lone = once & ~twice
    return tuple([mask & lone or (mask & ~fixed if mask & (mask - 1) else mask) for mask in masks])


def _told(mask: int) -> str:
    return "house " + " or ".join(map(str, members(mask)))


def _unordered(clue: Clue) -> tuple[object, ...]:
    """A clue of three things, with the last two held together, for their order has no meaning."""
    return clue if len(clue) < 4 else (*clue[:2], ("pair", *clue[2:]))


def _homeless(
    street: Street, right: dict[str, int], home: dict[str, int], lines: tuple[str, ...]
) -> Node:
    """The houses of the next entry: one with which most clues can be checked."""
    groups = {word: group for _, group in street.categories for word in group}
    left = [word for word in groups if word not in home]
    if not left:
        return Node(lines)
    word = max(left, key=lambda each: len(list(_checked(street, home, each))))
    taken = {home[other] for other in groups[word] if other in home}
    free = [house for house in range(1, street.houses + 1) if house not in taken]
    free.sort(key=lambda house: house != right[word])
    return Node(
        lines, branches=tuple(partial(_moved_in, street, right, home, word, each) for each in free)
    )


def _moved_in(
    street: Street, right: dict[str, int], home: dict[str, int], word: str, house: int
) -> Node:
    line, after = (f"{_written(word)} in house {house}?",), home | {word: house}
    for number in _checked(street, home, word):
        relation, *things = street.clues[number]
        if not HOLDS[str(relation)](*(_house(after, thing) for thing in things)):
            return Node(line, f"That is against clue {number + 1}")
    return _homeless(street, right, after, line)


def _checked(street: Street, home: dict[str, int], word: str) -> Iterator[int]:
    """The clues that can be checked once the word has a house, and not before."""
    for number, (_, *things) in enumerate(street.clues):
        others = (thing for thing in things if thing != word)
        if word in things and all(isinstance(each, int) or each in home for each in others):
            yield number


def _mirrored(houses: int, clue: Clue) -> Clue:
    relation, *things = clue
    turned = [houses + 1 - thing if isinstance(thing, int) else thing for thing in things]
    return (relation, *(turned[::-1] if relation in ("left", "directly left") else turned))


def _sentence(clue: Clue) -> str:
    relation, *things = clue
    one, *others = things
    who = _person(str(one))
    match relation:
        case "same":
            text = f"{who} {_is(others[0])}"
        case "differ" if isinstance(others[0], int):
            text = f"{who} does not live in house {others[0]}"
        case "differ":
            text = f"{who} is not {_person(str(others[0]))}"
        case "either":
            both = "" if isinstance(others[0], int) else ", or both"
            text = f"{who} {_is(others[0])} or {_is(others[1])}{both}"
        case "beside":
            text = f"{who} lives next door to {_person(str(others[0]))}"
        case "apart":
            text = f"there is exactly one house between {who} and {_person(str(others[0]))}"
        case "left":
            text = f"{who} lives somewhere to the left of {_person(str(others[0]))}"
        case "directly left":
            text = f"{who} lives directly to the left of {_person(str(others[0]))}"
        case _:
            ends = " and ".join(_person(str(other)) for other in others)
            text = f"{who} lives somewhere between {ends}"
    return f"{text[0].upper()}{text[1:]}."


def _is(thing: Thing) -> str:
    return f"lives in house {thing}" if isinstance(thing, int) else f"is {_person(thing)}"


def _person(word: str) -> str:
    return next(phrase for phrase, words in THEMES.values() if word in words).format(_written(word))


def _written(word: str) -> str:
    return word.title() if word in THEMES["name"][1] else word


THEMES = {
    "name": ("{}", tuple(name.lower() for name in NAMES)),
    "colour": (
        "the person in the {} house",
        ("red", "green", "blue", "white", "yellow", "brown", "grey", "pink", "black"),
    ),
    "drink": (
        "the person who drinks {}",
        ("milk", "tea", "coffee", "juice", "water", "cocoa", "cider", "lemonade", "soda"),
    ),
    "pet": (
        "the owner of the {}",
        ("cat", "dog", "parrot", "rabbit", "pony", "turtle", "hamster", "goat", "snake"),
    ),
    "job": (
        "the {}",
        ("baker", "doctor", "pilot", "teacher", "lawyer", "farmer", "painter", "nurse", "plumber"),
    ),
    "instrument": (
        "the person who plays the {}",
        ("flute", "violin", "piano", "guitar", "drums", "harp", "cello", "trumpet", "oboe"),
    ),
    "flower": (
        "the person who grows {}",
        (
            "roses",
            "tulips",
            "lilies",
            "daisies",
            "orchids",
            "poppies",
            "asters",
            "lilacs",
            "peonies",
        ),
    ),
    "sport": (
        "the person whose sport is {}",
        ("tennis", "golf", "rowing", "judo", "hockey", "fencing", "archery", "sailing", "boxing"),
    ),
    "food": (
        "the person who eats {}",
        ("soup", "pasta", "rice", "salad", "curry", "pizza", "stew", "tacos", "noodles"),
    ),
    "transport": (
        "the person who travels by {}",
        ("bus", "train", "bicycle", "car", "tram", "boat", "scooter", "taxi", "ferry"),
    ),
}

LADDER = (
    Knobs(3, 2, 0.2),
    Knobs(4, 3, 0.5),
    Knobs(5, 4, 0.6),
    Knobs(6, 5, 0.8),
    Knobs(7, 6, 0.9),
)
FAMILY = Family(
    Street,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.03,  # two lists of three: 36 ways
    steps=steps,
    progress=progress,
    search=search,
    canon=canon,
    known=lambda street: [_written(word) for _, words in street.categories for word in words],
    skills=("deduction", "reading"),
    peers=("reasoning-gym/zebra_puzzles", "Enigmata/zebra_logic", "SynLogic/zebra_puzzle"),
    version=3,
)
