"""Hidden rewriting: strings were changed by a hidden rule; what does it make of new ones?

The rule has a told form: changes one after the other, or two cases of them. All rules of this form
that explain the examples agree on the new strings. `solve` goes through every rule and does not
look at the one that was drawn; `verify` carries that one out letter by letter. Each example is
needed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log2
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._examples import fewest
from puzzlemill.generators.worlds._string_changes import (
    CONDITIONS,
    WORDS,
    Change,
    Rule,
    applied,
    every,
    function,
    holds,
    predicate,
    read,
    told,
)

Results: TypeAlias = tuple[str, ...]
Example: TypeAlias = tuple[str, str]

POOL = 6  # examples to choose from
DRAWS = 12
# Changes that keep the length of a string, and that may lessen or increase it.
SAME_LENGTH = ("replace", "exchange", "reverse", "left", "right", "turn")
SHORTENING = ("delete", "first", "last", "merge")
LENGTHENING = ("double", "behind", "front", "end")
COUNTS = {1: "one change", 2: "two changes"}
# What strings and letters are called, and the letters. No vowels: a string must be no word.
SKINS = {
    "strings": ("string", "letter", "PQRS"),
    "beads": ("necklace", "bead", "BGRW"),
    "signals": ("signal", "sign", "KLMT"),
}


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # that differ
    kinds: int  # of changes that the rule may have
    changes: int  # of each case
    cases: int  # of the rule
    length: int  # of a string
    new: int  # strings to change


@dataclass(frozen=True, slots=True)
class Rewriting:
    skin: str
    letters: str
    kinds: tuple[str, ...]  # of changes that the rule may have
    rule: Rule  # not told
    examples: tuple[Example, ...]
    new: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Rewriting | None:
    skin = rng.choice(sorted(SKINS))
    letters = "".join(sorted(rng.sample(SKINS[skin][2], knobs.letters)))
    kinds = tuple(sorted(rng.sample(sorted(WORDS), min(knobs.kinds, len(WORDS))), key=_place))
    changes, conditions = [*every(kinds, letters)], [*every(list(CONDITIONS), letters)]
    count = POOL * knobs.cases
    for _ in range(DRAWS):
        rule = drawn_rule(rng, knobs, changes, conditions)
        strings = dict.fromkeys(_string(rng, letters, knobs.length) for _ in range(2 * count))
        new, shown = tuple(strings)[: knobs.new], tuple(strings)[knobs.new :][:count]
        gold = tuple(applied(rule, text) for text in new)
        examples = tuple((text, applied(rule, text)) for text in shown)
        idle = any(tuple(applied(fewer, text) for text in new) == gold for fewer in _shorter(rule))
        if idle or not all(gold) or not all(made for _, made in examples):
            continue
        rewriting = Rewriting(skin, letters, kinds, rule, examples, new)
        if kept := fewest(examples, _reader(rewriting), gold):
            return replace(rewriting, examples=kept)
    return None


def drawn_rule(
    rng: Random, knobs: Knobs, changes: Sequence[Change], conditions: Sequence[Change]
) -> Rule:
    heads = [*rng.sample(conditions, knobs.cases - 1), ()]
    return tuple((head, tuple(rng.choices(changes, k=knobs.changes))) for head in heads)


def solve(rewriting: Rewriting) -> tuple[str, ...] | None:
    agreed = _reader(rewriting)(rewriting.examples)
    return tuple(text.lower() for text in agreed) if agreed else None


def verify(rewriting: Rewriting, strings: tuple[str, ...]) -> float:
    right = tuple(applied(rewriting.rule, text).lower() for text in rewriting.new)
    return float(strings == right)


def render(rewriting: Rewriting, style: Style) -> Prompt:
    whole, part, _ = SKINS[rewriting.skin]
    shown = "\n".join(f"{before} -> {after}" for before, after in rewriting.examples)
    kinds = "\n".join(f"- {_worded(rewriting, WORDS[kind])}" for kind in rewriting.kinds)
    count = len(rewriting.rule[0][1])
    several = ", one after the other: the second is done to what the first has made"
    made = f"{COUNTS[count]} of these kinds{several if count > 1 else ''}"
    form = f"The rule is {made}."
    if len(rewriting.rule) > 1:
        tests = "; ".join(_worded(rewriting, words) for words in CONDITIONS.values())
        form = (
            f"The rule has a condition and two cases: one where the condition holds for the {whole}"
            f" as it is given, and one where it does not. Each case is {made}. The condition is one"
            f" of these: {tests}."
        )
    form += f" x and y stand for different {part}s of {listed(rewriting.letters)}; which"
    form += " ones is part of the rule."
    if count > 1:
        form += " Changes of the same kind may come twice."
    new = listed(rewriting.new)
    sure = f"All such rules that fit the examples give the same result for {new}."
    return Prompt(
        style.pick(
            f"A hidden rule changes {whole}s of the {part}s {listed(rewriting.letters)}."
            f" Examples:\n\n{shown}\n\n{form}\n\n{kinds}\n\n{sure} What does it"
            f" turn {new} into?",
            f"{form}\n\n{kinds}\n\nThe rule itself is not given, but this is what it"
            f" does:\n\n{shown}\n\n{sure} What becomes of {new} by the rule?",
            f"What becomes of {new} by the rule that is at work here?\n\n{shown}\n\n{form}"
            f"\n\n{kinds}\n\n{sure}",
        ),
        form=f"the new {whole}s in this order, separated by spaces"
        if len(rewriting.new) > 1
        else f"the new {whole}",
    )


def steps(rewriting: Rewriting) -> list[str]:
    """The rule, and what its changes make of each new string."""
    lines = []
    for condition, changes in rewriting.rule:
        case = f"if {_worded(rewriting, told(condition))}: " if condition else ""
        case = "otherwise: " if len(rewriting.rule) > 1 and not condition else case
        lines.append(case + ", then ".join(_worded(rewriting, told(each)) for each in changes))
    for text in rewriting.new:
        whole = applied(rewriting.rule, text)
        changes = next(it for head, it in rewriting.rule if not head or holds(head, text))
        halfway = [read(changes[0], text)] if len(changes) > 1 else []
        lines.append(" -> ".join([text, *halfway, whole]))
    return lines


def slips(rng: Random, rewriting: Rewriting, gold: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """A change is forgotten, or one case is taken for both; or another change is made."""
    others = [*_shorter(rewriting.rule)]
    changes = [*every(rewriting.kinds, rewriting.letters)]
    for at, (condition, old) in enumerate(rewriting.rule):
        for change in rng.sample(changes, min(4, len(changes))):
            case = condition, (*old[:-1], change)
            others.append((*rewriting.rule[:at], case, *rewriting.rule[at + 1 :]))
    for rule in rng.sample(others, len(others)):
        made = tuple(applied(rule, text).lower() for text in rewriting.new)
        if all(made):
            yield made


def kin(rewriting: Rewriting) -> list[str]:
    """The rule, whatever its letters are called."""
    facts = [
        (str(case), condition or "otherwise", *((str(at), *it) for at, it in enumerate(changes)))
        for case, (condition, changes) in enumerate(rewriting.rule)
    ]
    return unnamed(facts, rewriting.letters)


def canon(rewriting: Rewriting) -> list[object]:
    shown = [("shown", *before, "to", *after) for before, after in rewriting.examples]
    new = [("new", str(at), *text) for at, text in enumerate(rewriting.new)]
    return [kin(rewriting), rewriting.kinds, unnamed([*shown, *new], rewriting.letters)]


def without(rewriting: Rewriting) -> Iterator[Rewriting]:
    for at in range(len(rewriting.examples)):
        yield replace(rewriting, examples=rewriting.examples[:at] + rewriting.examples[at + 1 :])


def hardness(rewriting: Rewriting) -> float:
    """The rules of the told form, by order of magnitude, and the letters to look at."""
    changes = sum(1 for _ in every(rewriting.kinds, rewriting.letters))
    conditions = sum(1 for _ in every(list(CONDITIONS), rewriting.letters))
    rules = log2(changes) * sum(len(each) for _, each in rewriting.rule)
    seen = sum(map(len, rewriting.new)) + sum(len(text) for text, _ in rewriting.examples)
    return rules + log2(conditions) * (len(rewriting.rule) - 1) + seen / 10


def _explaining(rewriting: Rewriting) -> Callable[[int], set[Results]]:
    """By examples, as bits: what each row of changes that explains them makes of the new strings.
    The last change of a row is looked up by what it has to do in the last of the examples."""
    changes = _functions(rewriting.kinds, rewriting.letters)
    shown, new = rewriting.examples, rewriting.new
    begun: dict[Results, None] = {(*(before for before, _ in shown), *new): None}
    for _ in rewriting.rule[0][1][1:]:
        begun = {tuple(map(change, row)): None for row in begun for change in changes}
    kinds = [change[0] for change in every(rewriting.kinds, rewriting.letters)]
    able = {
        growth: [(place, changes[place]) for place, kind in enumerate(kinds) if kind in able_kinds]
        for growth, able_kinds in ((-1, SHORTENING), (0, SAME_LENGTH), (1, LENGTHENING))
    }

    @cache
    def making(text: str, wanted: str) -> list[int]:
        """The places of the changes that make one string of another. One that may shorten strings,
        or lengthen them, changes nothing where it does not."""
        growth = (len(wanted) > len(text)) - (len(wanted) < len(text))
        places = enumerate(changes) if text == wanted else able[growth]
        return [place for place, change in places if change(text) == wanted]

    @cache
    def rows(mask: int) -> list[tuple[Results, list[int]]]:
        """What all changes but the last make, and the places of those that may be the last."""
        at, others = (mask & -mask).bit_length() - 1, mask & (mask - 1)
        wanted = shown[at][1]
        if others:
            found = [
                (row, [place for place in places if changes[place](row[at]) == wanted])
                for row, places in rows(others)
            ]
        else:
            found = [(row, making(row[at], wanted)) for row in begun]
        return [each for each in found if each[1]]

    @cache
    def explaining(mask: int) -> set[Results]:
        return {
            tuple(map(changes[place], row[len(shown) :]))
            for row, places in rows(mask)
            for place in places
        }

    return explaining


@lru_cache(maxsize=64)
def _functions(kinds: tuple[str, ...], letters: str) -> list[Callable[[str], str]]:
    return [function(change) for change in every(kinds, letters)]


@lru_cache(maxsize=64)
def _predicates(letters: str) -> list[Callable[[str], bool]]:
    return [predicate(condition) for condition in every(list(CONDITIONS), letters)]


def _reader(rewriting: Rewriting) -> Callable[[tuple[Example, ...]], Results | None]:
    """What all rules that fit examples make of the new strings; None where they differ."""
    explaining, shown = _explaining(rewriting), rewriting.examples
    # By condition, the examples that meet it, as bits, and which of the new strings do.
    conditions = [
        (
            sum(1 << at for at, (text, _) in enumerate(shown) if meets(text)),
            tuple([meets(text) for text in rewriting.new]),
        )
        for meets in (_predicates(rewriting.letters) if len(rewriting.rule) > 1 else ())
    ]

    def agreed(examples: tuple[Example, ...]) -> Results | None:
        kept = set(examples)
        mask = sum(1 << at for at, example in enumerate(shown) if example in kept)
        if not conditions:
            found = explaining(mask) if mask else set()
            return next(iter(found)) if len(found) == 1 else None
        results: set[Results] = set()
        for here, new in conditions:
            first = _made(explaining, here & mask, new)
            if not first:
                continue
            second = _made(explaining, ~here & mask, [not each for each in new])
            results |= {tuple(map(str.__add__, one, two)) for one in first for two in second}
            if len(results) > 1:
                return None
        return results.pop() if results else None

    return agreed


def _made(
    explaining: Callable[[int], set[Results]], mask: int, asked: Sequence[bool]
) -> list[Results]:
    """What a case may make of the new strings that are its own, of the others nothing: two at most.

    A case without an example may be anything.
    """
    if not mask:
        return [tuple("" for _ in asked), tuple("?" * each for each in asked)][: 1 + any(asked)]
    found = {tuple(map(str.__mul__, made, asked)) for made in explaining(mask)}
    return list(found)[:2]


def _shorter(rule: Rule) -> Iterator[Rule]:
    """The rule without one of its changes, or with one case for both."""
    for at, (condition, changes) in enumerate(rule):
        for left_out in range(len(changes)):
            fewer = changes[:left_out] + changes[left_out + 1 :]
            yield (*rule[:at], (condition, fewer), *rule[at + 1 :])
        if len(rule) > 1:
            yield (((), changes),)


def _string(rng: Random, letters: str, length: int) -> str:
    return "".join(rng.choices(letters, k=rng.randint(length - 1, length + 1)))


def _place(kind: str) -> int:
    return list(WORDS).index(kind)


def _worded(rewriting: Rewriting, words: str) -> str:
    whole, part, _ = SKINS[rewriting.skin]
    return words.replace("letter", part).replace("string", whole)


LADDER = (
    Knobs(3, 5, 2, 1, 4, 3),
    Knobs(3, 7, 2, 1, 5, 3),
    Knobs(3, 11, 2, 1, 6, 3),
    Knobs(3, 12, 1, 2, 6, 3),
    Knobs(4, 12, 2, 2, 7, 4),
)
FAMILY = Family(
    Rewriting,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="strings of letters", capitals=True),
    hardness=hardness,
    proof="unique",
    solver="every rule of the form",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=slips,
    skills=("induction", "rules"),
    theme="hidden_rules",
    version=2,
)
