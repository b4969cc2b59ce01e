"""Properties: numbered things change colour, size and so on, come and go; which fit in the end?

Many an edit concerns all things of some kind at once. `solve` goes from thing to thing; `verify`
keeps a set of numbers for each value, as the bits of an integer, and edits those.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._renaming import unnamed

# A test: ("is", value), ("not", test), ("both", test, test) or ("some", test, test)
Test: TypeAlias = tuple[Any, ...]
# ("make", test, value); ("drop", test); ("copy", test, value): with that value instead; ("one",
# number, value); ("switch", value, value): each becomes the other; ("like", test, number, sort):
# takes on a value of that thing; ("trade", number, number, sort); ("more", value, value, edit,
# edit): the first edit if more things have the first value
Edit: TypeAlias = tuple[Any, ...]
Things: TypeAlias = dict[int, tuple[str, ...]]

SORTS = {
    "colour": ("red", "blue", "green", "yellow", "black", "white"),
    "size": ("tiny", "small", "large", "huge"),
    "material": ("wooden", "glass", "metal", "paper", "stone"),
    "shape": ("round", "square", "oval", "triangular"),
}
MOST = 60  # things


@dataclass(frozen=True, slots=True)
class Knobs:
    things: int  # at the start
    sorts: int  # properties that a thing has: colour, size and so on
    edits: int  # one after another
    tangled: float  # share of edits and tests of several parts


@dataclass(frozen=True, slots=True)
class Collection:
    things: tuple[tuple[str, ...], ...]  # the values of each, numbered from 1
    edits: tuple[Edit, ...]
    asked: Test


def generate(rng: Random, knobs: Knobs) -> Collection | None:
    sorts = list(SORTS)[: knobs.sorts]
    rows = tuple(tuple(rng.choice(SORTS[sort]) for sort in sorts) for _ in range(knobs.things))
    things = dict(enumerate(rows, 1))
    edits, following = list[Edit](), knobs.things + 1
    for _ in range(30 * knobs.edits):
        edit = _drawn(rng, knobs, sorts, things)
        after, following_ = _edited(things, edit, following)
        shrunk = len(after) < max(3, 0.75 * len(things))
        if after == things or shrunk or len(after) > min(MOST, knobs.things + 6):
            continue
        things, following = after, following_
        edits.append(edit)
        if len(edits) == knobs.edits:
            break
    else:
        return None
    for _ in range(20):
        asked = _test(rng, knobs, sorts)
        fit = sum(_fits(values, asked) for values in things.values())
        if 2 <= fit <= max(2, 2 * len(things) // 3) and fit < len(things):
            return Collection(rows, tuple(edits), asked)
    return None


def solve(collection: Collection) -> tuple[int, ...]:
    things, following = dict(enumerate(collection.things, 1)), len(collection.things) + 1
    for edit in collection.edits:
        things, following = _edited(things, edit, following)
    return tuple(number for number, values in things.items() if _fits(values, collection.asked))


def verify(collection: Collection, chosen: tuple[int, ...]) -> float:
    shelves = _Shelves(collection)
    for edit in collection.edits:
        shelves.edit(edit)
    fitting = shelves.fitting(collection.asked)
    if any(not 0 < number <= shelves.last for number in chosen):
        return 0.0
    return float(sum(1 << number for number in set(chosen)) == fitting)


def render(collection: Collection, style: Style) -> Prompt:
    many = len(collection.things)
    things = "; ".join(
        f"{number}: {', '.join(values)}" for number, values in enumerate(collection.things, 1)
    )
    edits = "\n".join(f"- {_sentence(_said(edit, style))}" for edit in collection.edits)
    asked = _those(collection.asked)
    notes = " ".join(_notes(collection))
    return Prompt(
        style.pick(
            f"There are {many} tokens in a box, numbered from 1 to {many}. These are their"
            f" properties: {things}.\n\nNow the following is done, one step after the other:\n"
            f"{edits}\n\n{notes}\n\nWhich tokens in the box are then {asked}?",
            f"A collection of {many} numbered tokens is changed step by step. At the beginning it"
            f" holds {things}.\n\n{notes} The steps are:\n{edits}\n\nFind the numbers of all tokens"
            f" that are {asked} in the end.",
            f"Tokens, with their numbers: {things}.\n\n{edits}\n\nThese are changes to the tokens,"
            f" made in this order. {notes} Give the numbers of the tokens that are {asked} after"
            " the last change.",
        ),
        form="all of their numbers, separated by commas",
    )


def steps(collection: Collection) -> list[str]:
    things, following = dict(enumerate(collection.things, 1)), len(collection.things) + 1
    lines = []
    for count, edit in enumerate(collection.edits, 1):
        before = things
        things, following = _edited(things, edit, following)
        changes = [
            f"{number}: {', '.join(values)}"
            for number, values in things.items()
            if before.get(number) != values
        ]
        gone = [str(number) for number in before if number not in things]
        changes += [f"gone: {', '.join(gone)}"] if gone else []
        lines.append(f"after step {count}: {'; '.join(changes)}")
    return lines


def progress(collection: Collection, lines: Lines) -> float:
    return states_followed(FAMILY, collection, lines)


def canon(collection: Collection) -> list[str]:
    facts: list[Any] = [
        ("thing", str(number), *values) for number, values in enumerate(collection.things, 1)
    ]
    facts += [("then", str(number), edit) for number, edit in enumerate(collection.edits)]
    values = sorted(value for sort in SORTS.values() for value in sort)
    return unnamed([*facts, ("asked", collection.asked)], values, ("both", "some", "switch"))


def hardness(collection: Collection) -> float:
    """How often the properties of a thing have to be looked at."""
    parts = sum(_weight(edit) for edit in collection.edits)
    return len(collection.things) * parts + _weight(collection.asked)


def _weight(part: Any) -> int:
    return 1 + sum(map(_weight, part)) if isinstance(part, tuple) else 0


def _test(rng: Random, knobs: Knobs, sorts: list[str]) -> Test:
    def plain(sort: str) -> Test:
        test = ("is", rng.choice(SORTS[sort]))
        return ("not", test) if rng.random() < knobs.tangled / 3 else test

    if len(sorts) < 2 or rng.random() >= knobs.tangled:
        return "is", rng.choice(SORTS[rng.choice(sorts)])
    one, other = rng.sample(sorts, 2)
    return rng.choice(("both", "some")), plain(one), plain(other)


def _drawn(rng: Random, knobs: Knobs, sorts: list[str], things: Things) -> Edit:
    sort = rng.choice(sorts)
    if rng.random() >= knobs.tangled:
        match rng.choice(("make", "make", "one", "drop", "copy")):
            case "make":
                return _made(rng, _test(rng, knobs, sorts), sort)
            case "one":
                return "one", rng.choice(list(things)), rng.choice(SORTS[sort])
            case "drop":
                return "drop", _test(rng, knobs, sorts)
        return "copy", _test(rng, knobs, sorts), rng.choice(SORTS[sort])
    match rng.choice(("switch", "switch", "like", "like", "trade", "more")):
        case "switch":
            return "switch", *rng.sample(SORTS[sort], 2)
        case "like":
            return "like", _test(rng, knobs, sorts), rng.choice(list(things)), sort
        case "trade":
            return "trade", *rng.sample(list(things), 2), sort
    calm = Knobs(knobs.things, knobs.sorts, knobs.edits, 0.0)
    branches = [_made(rng, _test(rng, calm, sorts), rng.choice(sorts)) for _ in range(2)]
    return "more", *rng.sample(SORTS[sort], 2), *branches


def _made(rng: Random, test: Test, sort: str) -> Edit:
    """The value is another than the one that is tested: what is large would not become large."""
    return "make", test, rng.choice([value for value in SORTS[sort] if value not in test])


def _fits(values: tuple[str, ...], test: Test) -> bool:
    match test:
        case ("is", value):
            return value in values
        case ("not", inner):
            return not _fits(values, inner)
        case ("both", one, other):
            return _fits(values, one) and _fits(values, other)
        case ("some", one, other):
            return _fits(values, one) or _fits(values, other)
    raise AssertionError(f"no test {test}")


def _with(values: tuple[str, ...], value: str) -> tuple[str, ...]:
    """The same thing with one value of another sort."""
    group = next(group for group in SORTS.values() if value in group)
    return tuple(value if each in group else each for each in values)


def _edited(things: Things, edit: Edit, following: int) -> tuple[Things, int]:
    """The things after an edit, and the number that the next new one will get."""
    match edit:
        case ("make", test, value):
            made = {
                number: _with(values, value) if _fits(values, test) else values
                for number, values in things.items()
            }
            return made, following
        case ("drop", test):
            kept = {at: values for at, values in things.items() if not _fits(values, test)}
            return kept, following
        case ("copy", test, value):
            copies = [_with(values, value) for values in things.values() if _fits(values, test)]
            return things | dict(enumerate(copies, following)), following + len(copies)
        case ("one", number, value):
            return things | {number: _with(things[number], value)}, following
        case ("switch", one, other):
            turned = {one: other, other: one}
            return {
                at: tuple(turned.get(value, value) for value in values)
                for at, values in things.items()
            }, following
        case ("like", test, number, sort):
            value = next(value for value in things[number] if value in SORTS[sort])
            return _edited(things, ("make", test, value), following)
        case ("trade", one, other, sort):
            left = next(value for value in things[one] if value in SORTS[sort])
            right = next(value for value in things[other] if value in SORTS[sort])
            made = things | {one: _with(things[one], right), other: _with(things[other], left)}
            return made, following
        case ("more", one, other, then, otherwise):
            counts = [sum(value in values for values in things.values()) for value in (one, other)]
            return _edited(things, then if counts[0] > counts[1] else otherwise, following)
    raise AssertionError(f"no edit {edit}")


class _Shelves:
    """For every value the set of things that have it: bit n for the thing with number n."""

    def __init__(self, collection: Collection) -> None:
        self.last = len(collection.things)
        self.here = (1 << self.last + 1) - 2
        self.having = {value: 0 for group in SORTS.values() for value in group}
        for number, values in enumerate(collection.things, 1):
            for value in values:
                self.having[value] |= 1 << number

    def fitting(self, test: Test) -> int:
        kind, *rest = test
        if kind == "is":
            return self.having[rest[0]] & self.here
        parts = [self.fitting(part) for part in rest]
        if kind == "not":
            return self.here & ~parts[0]
        return parts[0] & parts[1] if kind == "both" else parts[0] | parts[1]

    def give(self, those: int, value: str) -> None:
        for other in next(group for group in SORTS.values() if value in group):
            self.having[other] &= ~those
        self.having[value] |= those

    def edit(self, edit: Edit) -> None:
        kind, *rest = edit
        match kind:
            case "make":
                self.give(self.fitting(rest[0]), rest[1])
            case "drop":
                self.here &= ~self.fitting(rest[0])
            case "copy":
                self.copy(self.fitting(rest[0]), rest[1])
            case "one":
                self.give(1 << rest[0], rest[1])
            case "switch":
                one, other = rest
                self.having[one], self.having[other] = self.having[other], self.having[one]
            case "like":
                self.give(self.fitting(rest[0]), self.value(rest[1], rest[2]))
            case "trade":
                values = [self.value(number, rest[2]) for number in rest[:2]]
                for number, value in zip(rest[:2], reversed(values)):
                    self.give(1 << number, value)
            case "more":
                more, less = ((self.having[value] & self.here).bit_count() for value in rest[:2])
                self.edit(rest[2] if more > less else rest[3])

    def copy(self, those: int, value: str) -> None:
        first = self.last + 1
        for number in range(1, first):
            if those >> number & 1:
                self.last += 1
                for each in [each for each, group in self.having.items() if group >> number & 1]:
                    self.having[each] |= 1 << self.last
        fresh = (1 << self.last + 1) - (1 << first)
        self.here |= fresh
        self.give(fresh, value)

    def value(self, number: int, sort: str) -> str:
        return next(value for value in SORTS[sort] if self.having[value] >> number & 1)


def _notes(collection: Collection) -> Iterator[str]:
    kinds = {edit[0] for edit in collection.edits}
    yield "A token that gets a new colour, size, material or shape loses the old one."
    if "copy" in kinds:
        yield (
            "New tokens get the next numbers that no token has had yet, in the order of the tokens"
            " that they are copied from. Apart from what is said, a copy is like its original."
        )
    if "drop" in kinds:
        yield "Tokens that are taken out do not come back, and all others keep their numbers."
    if any(part[0] == "some" for part in _tests(collection)):
        yield '"A or B" is also true if both are.'


def _tests(collection: Collection) -> Iterator[Test]:
    yield collection.asked
    for edit in collection.edits:
        yield from (part for part in edit if isinstance(part, tuple))


def _those(test: Test) -> str:
    match test:
        case ("is", value):
            return str(value)
        case ("not", inner):
            return f"not {_those(inner)}"
        case (kind, *parts):
            first, second = sorted(parts, key=lambda part: part[0] == "not")
            one, other = _those(first), _those(second)
            if kind == "some":
                return f"{one} or {other}"
            if first[0] == "not":
                return f"neither {first[1][1]} nor {second[1][1]}"
            return f"{one} but {other}" if second[0] == "not" else f"both {one} and {other}"
    raise AssertionError(f"no test {test}")


def _said(edit: Edit, style: Style) -> str:
    match edit:
        case ("make", test, value):
            return style.pick(
                f"every token that is {_those(test)} becomes {value}",
                f"all tokens that are {_those(test)} become {value}",
                f"whatever is {_those(test)} is made {value}",
            )
        case ("drop", test):
            return f"all tokens that are {_those(test)} are taken out"
        case ("copy", test, value):
            return f"for each token that is {_those(test)}, a copy that is {value} is put in"
        case ("one", number, value):
            return f"token {number} becomes {value}"
        case ("switch", one, other):
            both = f"what is {one} becomes {other}, and at the same time"
            return f"{both} what is {other} becomes {one}"
        case ("like", test, number, sort):
            return f"every token that is {_those(test)} takes on the {sort} of token {number}"
        case ("trade", one, other, sort):
            return f"tokens {one} and {other} exchange their {sort}s"
        case ("more", one, other, then, otherwise):
            return (
                f"if more tokens are {one} than {other}, {_said(then, style)}; if not,"
                f" {_said(otherwise, style)}"
            )
    raise AssertionError(f"no edit {edit}")


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


LADDER = (
    Knobs(8, 2, 3, 0.0),
    Knobs(9, 3, 6, 0.25),
    Knobs(11, 3, 12, 0.4),
    Knobs(15, 4, 22, 0.5),
    Knobs(20, 4, 40, 0.6),
)
FAMILY = Family(
    Collection,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(),
    hardness=hardness,
    proof="unique",
    solver="going from thing to thing",
    guess_rate=0.25,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking",),
    peers=("SynLogic/object_properties", "InternBootcamp/bbeh_object_properties"),
    version=3,
)
