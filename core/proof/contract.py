"""The contract: what every family must keep, whoever wrote it.

Each check takes a sample of one family's items and raises AssertionError with a line that names the
fault. `audit` runs them all and probes the verifier besides; the tests and `puzzlemill audit` are
thin skins over it.
"""

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from statistics import fmean, median
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.family import PHRASINGS, AnyFamily, Style, levels
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.inputs import MARK, exchanged, inputs_of, prompt_with
from puzzlemill.core.item import Item, address_of, canon_of, certified, draft, make
from puzzlemill.core.knobs import corners
from puzzlemill.core.plain_data import freeze, thaw
from puzzlemill.core.proof.batteries import tagged
from puzzlemill.core.proof.giveaways import given_away, shown
from puzzlemill.core.proof.partial_replies import pays_for_nothing_else, rises_to_one
from puzzlemill.core.proof.probes import Guesses, guesses
from puzzlemill.core.relatives import structure_of
from puzzlemill.core.verdict import judge


@dataclass(frozen=True, slots=True)
class Depth:
    items: int  # a rung
    draws: int  # a rung, for duplicates: of the easiest that counts, where there are fewest puzzles
    probed: int  # items a rung whose verifier is probed
    # CPU time that one item may take, on average over a rung. In depth, where many items are
    # averaged, it is the budget; over few items on any machine it only ends what has no end.
    seconds: float = 20.0
    # So many draws, guesses and probes at every rung; otherwise guesses at the first, where they
    # succeed most, and probes at the first and the last, the replies dealt out between the two.
    every_rung: bool = True
    # Items a rung that are read in every wording, where pictures are drawn anew for each of them;
    # and the wordings.
    worded: int = 1000
    phrasings: int = PHRASINGS
    shown: int = 4  # items of each variant that shows answers, whose words are looked at


LIGHT = Depth(items=3, draws=30, probed=1, every_rung=False, worded=1, phrasings=12, shown=1)
DEEP = Depth(items=40, draws=1000, probed=5, seconds=1.0, shown=50)

AGAIN = 8  # times as many guesses, where some were right too often
TENTHS = 10  # items of a rung of which a tenth says something
FEW = 12  # puzzles of a rung that tell how hard it is
EASY = 0.2  # the level up to which there may be few puzzles

_INDENT = re.compile(r"^(?:\d+ \|)? +", re.MULTILINE)  # of code, perhaps with numbered lines
PARTED = 8  # items a rung, in depth, whose progress is looked at line by line
PARTIAL = 0.35  # what a guess may earn on average by partial credit


@dataclass(frozen=True, slots=True)
class Sample:
    family: AnyFamily
    depth: Depth
    rungs: tuple[tuple[Item, ...], ...]
    seconds: tuple[float, ...]  # CPU time an item, by rung

    @property
    def items(self) -> Iterator[Item]:
        return (item for rung in self.rungs for item in rung)


def sample(family: AnyFamily, depth: Depth = LIGHT) -> Sample:
    """Items of every rung, over several seeds."""
    rungs, seconds = [], []
    for knobs, level in zip(family.ladder, levels(family), strict=True):
        start = time.process_time()
        rungs.append(tuple(_items(family, knobs, level, depth.items)))
        seconds.append((time.process_time() - start) / depth.items)
    return Sample(family, depth, tuple(rungs), tuple(seconds))


def _items(family: AnyFamily, knobs: Any, level: float, count: int) -> Iterator[Item]:
    """An item of each seed; not every puzzle has every variant, and then of a later seed."""
    for seed in range(count):
        for again in range(10 if family.origin else 0):
            if item := _if_any(family, knobs, seed + count * again, level):
                yield item
                break
        else:
            yield make(family, address_of(family, knobs, seed=seed), level)


def _if_any(family: AnyFamily, knobs: Any, seed: int, level: float) -> Item | None:
    """An item; of a variant perhaps none, since not every puzzle has every variant."""
    try:
        return make(family, address_of(family, knobs, seed=seed), level)
    except NoPuzzle:
        if family.origin is None:
            raise
        return None


def drafts(family: AnyFamily, count: int) -> Iterator[Item]:
    """The first items of each rung that `sample` makes, not yet solved."""
    for knobs, level in zip(family.ladder, levels(family), strict=True):
        for seed in range(count):
            yield draft(family, address_of(family, knobs, seed=seed), level)


def fingerprint(family: AnyFamily, items: Iterable[Item]) -> str:
    """A text that changes if one of the items does; to compare between processes."""
    digests = []
    for item in items:
        gold = family.solve(item.puzzle)
        said = [item.uid, item.canon, item.prompt, freeze(item.puzzle), repr(gold)]
        digests.append(digest(" ".join([*said, repr(item.images)])))
    return f"{family.name} {' '.join(digests)}"


def gold_is_right(drawn: Sample) -> None:
    family = drawn.family
    for item in drawn.items:
        assert item.certificate, f"not certified: {disagreement(family, item.puzzle)}"
        gold = family.answer.read(item.answer)
        assert gold is not None, f"cannot read its own gold {item.answer!r}"
        assert family.written(item.puzzle, gold) == item.answer, (
            f"write(read()) changes {item.answer!r}"
        )
        verdict = judge(family, item.puzzle, tagged(item.answer))
        assert verdict.correct, f"gold {item.answer!r} is {verdict} for {freeze(item.puzzle)}"
        assert not family.recheck or family.recheck(item.puzzle, gold), (
            f"recheck calls gold {item.answer!r} wrong for {freeze(item.puzzle)}"
        )


def disagreement(family: AnyFamily, puzzle: Any) -> str:
    """Why a puzzle has no certificate."""
    gold = family.solve(puzzle)
    if gold is None:
        return f"solve finds no answer to {freeze(puzzle)}"
    score = family.verify(puzzle, gold)
    return f"solve answers {gold!r}, which verify scores {score:g}, for {freeze(puzzle)}"


def guesses_stay_under_the_declared_rate(drawn: Sample) -> None:
    """A rung that is over it is looked at again: one of many is so by chance."""
    family, count = drawn.family, guessed(drawn.depth)
    for knobs in family.ladder if drawn.depth.every_rung else family.ladder[:1]:
        fault = _guessed_too_often(family, knobs, count)
        if fault:
            fault = _guessed_too_often(family, knobs, AGAIN * count)
        assert not fault, fault


def _guessed_too_often(family: AnyFamily, knobs: Any, count: int) -> str:
    tried = guesses_at(family, knobs, count)
    slack = 2.5 / count**0.5 / 2 + 0.02 + 1 / count
    for right, words in (
        (tried.constant_right, f"{tried.constant!r} is right"),
        (tried.random_right, "a random guess is right"),
    ):
        if right > family.guess_rate + slack:
            return (
                f"{words} {right:.0%} of the time at {knobs}; guess_rate declares"
                f" {family.guess_rate:.0%}"
            )
    pays = max(tried.constant_pays, tried.random_pays)
    if pays > max(family.guess_rate, PARTIAL) + slack:
        return f"guessing earns {pays:.2f} on average at {knobs}: give less for a part of an answer"
    return ""


def guessed(depth: Depth) -> int:
    """The puzzles of a rung that are guessed at."""
    return max(depth.items * 8, 30)


@lru_cache(maxsize=16)
def guesses_at(family: AnyFamily, knobs: Any, count: int) -> Guesses:
    """What guesses earn at a setting: the audit tells what the contract judges."""
    return guesses(family, draws(family, knobs, count))


def changed_answers_can_be_judged(drawn: Sample) -> None:
    assert drawn.family.proof == "unique" or drawn.family.recheck, (
        "nothing but verify tells wrong answers: prove that there is one answer (proof='unique'),"
        " or give recheck, a second verifier written another way"
    )


def puzzles_are_plain_data(drawn: Sample) -> None:
    for item in drawn.items:
        text = freeze(item.puzzle)
        back = thaw(drawn.family.puzzle, text)
        assert back == item.puzzle, f"does not come back from JSON: {text}"
        assert canon_of(drawn.family, back) == item.canon, "canon depends on more than the puzzle"
        verdict = judge(drawn.family, back, tagged(item.answer))
        assert verdict.correct, f"gold is wrong after JSON: {text}"


def every_corner_of_the_knobs_works(drawn: Sample) -> None:
    family = drawn.family
    for knobs in corners(family.ladder):
        if knobs in family.ladder:
            continue  # items of every rung are made and looked at already
        item = guarded(_if_any, family, knobs, 1, 0.5)
        assert not isinstance(item, Failure), f"fails at {knobs}: {item.reason}"
        assert item is None or item.certificate, f"not certified at {knobs}"


def levels_between_rungs_work(drawn: Sample) -> None:
    source = Random(drawn.family.name)
    for _ in range(drawn.depth.items):
        level = source.random()
        item = guarded(_if_any, drawn.family, drawn.family.at(level), 2, level)
        assert not isinstance(item, Failure), f"fails at level {level}: {item.reason}"
        assert item is None or item.certificate, f"not certified at level {level}"


def higher_rungs_are_harder(drawn: Sample) -> None:
    family = drawn.family
    if family.origin:
        return  # a variant is as hard as what it is made from, which is held to it
    means = [
        fmean(map(family.hardness, puzzles_of(drawn, place, FEW)))
        for place in range(len(family.ladder))
    ]
    assert all(low < high for low, high in pairwise(means)), f"hardness by rung: {means}"


def even_easy_items_of_a_rung_are_hard(drawn: Sample) -> None:
    """The easiest tenth of a rung against the middle of the one two below, by all of its items."""
    family = drawn.family
    if family.origin or drawn.depth.items < TENTHS:
        return
    rungs = [sorted(family.hardness(item.puzzle) for item in rung) for rung in drawn.rungs]
    for place, (below, rung) in enumerate(zip(rungs, rungs[2:]), 2):
        tenth = rung[len(rung) // 10]
        assert tenth > median(below), (
            f"a tenth of the items at {family.ladder[place]} have a hardness up to {tenth:g}; half"
            f" of those two rungs below, up to {median(below):g}"
        )


def duplicates_are_rare(drawn: Sample) -> None:
    family = drawn.family
    places = [place for place, level in enumerate(levels(family)) if level > EASY]
    for place in places:
        many = drawn.depth.every_rung or place == places[0]
        count = drawn.depth.draws if many else FEW
        forms = {canon_of(family, puzzle) for puzzle in puzzles_of(drawn, place, count)}
        again = count - len(forms)
        assert again <= count / 100 + 1, (
            f"{again / count:.1%} duplicates in {count} draws at {family.ladder[place]}"
        )


def randomness_comes_from_the_address(drawn: Sample) -> None:
    before = random.getstate()
    item = next(drawn.items)
    again = make(drawn.family, item.address, item.level)
    assert random.getstate() == before, "uses the global random generator"
    assert again == item, "the same address gave another item"
    assert len({each.uid for each in drawn.items}) == sum(map(len, drawn.rungs))


def prompts_read_well(drawn: Sample) -> None:
    family = drawn.family
    for place, item in ((place, item) for rung in drawn.rungs for place, item in enumerate(rung)):
        texts = {item.prompt}
        if not item.images or place < drawn.depth.worded:
            styles = range(drawn.depth.phrasings if item.images else PHRASINGS)
            texts = {family.render(item.puzzle, Style(style)).text for style in styles}
            assert len(texts) >= family.phrasings, (
                f"{len(texts)} phrasings; {family.phrasings} are asked for"
            )
        assert item.prompt.count("<image>") == len(item.images), "a mark <image> for each picture"
        for text in texts:
            unindented = _INDENT.sub("", text)
            assert "  " not in unindented, f"a double space in {text!r}"
            assert text == text.strip(), f"space around {text!r}"
            assert not any(sign in text for sign in ("None", "Fraction(", "<class")), text


def steps_lead_somewhere(drawn: Sample) -> None:
    if drawn.family.steps is not None:
        for item in drawn.items:
            lines = drawn.family.steps(item.puzzle)
            assert lines, f"no steps for {freeze(item.puzzle)}"
            assert all(line.strip() == line and line for line in lines), f"ragged steps: {lines}"


def progress_tells_how_far_a_reply_has_come(drawn: Sample) -> None:
    family, every = drawn.family, drawn.depth.every_rung
    if family.progress is None:
        return
    for rung in drawn.rungs:
        for item in rung[: PARTED if every else 1]:
            rises_to_one(family, item)
    rungs = drawn.rungs if every else drawn.rungs[:3]
    items = [item for rung in rungs for item in rung[: PARTED if every else 2]]
    pays_for_nothing_else(family, items)


def inputs_can_be_told_otherwise(drawn: Sample) -> None:
    family, without = drawn.family, 0
    items = list(drawn.items) if family.inputs else []
    for item in items:
        places = inputs_of(family, item.puzzle)
        prompts = [prompt_with(family, item.puzzle, place, MARK, Style()) for place in places]
        usable = [place for place, prompt in zip(places, prompts, strict=True) if prompt]
        without += not usable
        for place in usable[:3]:
            for number in (2, 3, place.value + 1, 2 * place.value + 3, 1000):
                other = exchanged(item.puzzle, place, number)
                gold = family.solve(other)  # None where the number makes no sense
                assert gold is None or family.verify(other, gold) == 1, disagreement(family, other)
    assert without <= len(items) / 2, (
        f"inputs names {family.inputs}, but in {without} of {len(items)} items the prompt tells no"
        " number just as it is, so that a letter may stand for it"
    )


def twins_are_other_puzzles(drawn: Sample) -> None:
    family = drawn.family
    for item in drawn.items:
        for name, vary in (("twin", family.twin), ("renamed", family.renamed)):
            if vary is None:
                continue
            source, knobs = Random(item.uid), thaw(type(family.ladder[0]), item.knobs)
            tried = (vary(source, knobs, item.puzzle) for _ in range(40))
            other = next((each for each in tried if each not in (None, item.puzzle)), None)
            assert other, f"{name} gives no other puzzle than {freeze(item.puzzle)}"
            assert thaw(family.puzzle, freeze(other)) == other, f"{name}: {freeze(other)}"
            written = certified(family, other)
            assert written, f"{name}: {disagreement(family, other)}"
            if name == "renamed":
                assert written == item.answer, f"renamed has another answer: {freeze(other)}"


def redrawn_twins_have_the_same_structure(drawn: Sample) -> None:
    """Of the first item alone: a twin takes some draws of the family."""
    family = drawn.family
    if not family.redraws or family.name not in registry.names():
        return
    item = next(iter(drawn.items))
    variant = registry.family(f"{family.name}+twin")
    address = replace(item.address, family=variant.name, version=variant.version)
    twin = make(variant, address, item.level)
    assert twin.certificate, f"no certificate: {freeze(twin.puzzle)}"
    assert twin.puzzle != item.puzzle
    assert twin.canon != item.canon, f"a duplicate of its origin: {freeze(twin.puzzle)}"
    structure = structure_of(family)
    assert structure(twin.puzzle) == structure(item.puzzle), freeze(twin.puzzle)


def wrong_answers_of_variants_do_not_show(drawn: Sample) -> None:
    """By their words; `make giveaways` lets a reader learn from sizes and forms as well."""
    family = drawn.family
    if family.origin or family.name not in registry.names():
        return
    for name in registry.variants(family.name):
        variant = registry.family(name)
        if variant.origin is None or variant.origin.shown is None:
            continue
        items = [
            each
            for seed in range(drawn.depth.shown)
            if (item := _if_any(variant, variant.at(0.5), seed, 0.5))
            and (each := shown(variant, item.puzzle))
        ]
        for each in items:
            lost = given_away(each)
            assert not lost, f"{name} shows {lost[0]!r}, with words not in {each.prompt!r}"


def drafts_make_the_same_items(drawn: Sample) -> None:
    """What a draft leaves to be asked is what `generate` asks."""
    family = drawn.family
    if family.draft and not family.origin:
        whole = replace(family, draft=None)
        for rung, level in zip(drawn.rungs, levels(family), strict=True):
            item = rung[0]
            assert make(whole, item.address, level) == item, (
                f"generate and draft make different items at {item.knobs}"
            )


def no_part_is_idle(drawn: Sample) -> None:
    family = drawn.family
    for item in drawn.items if family.without else ():
        assert family.without
        for fewer in family.without(item.puzzle):
            gold = family.solve(fewer)
            assert gold is None or family.written(fewer, gold) != item.answer, (
                f"a part may be left out of {freeze(item.puzzle)}: {freeze(fewer)} has the same"
                " answer"
            )


def time_stays_in_budget(drawn: Sample) -> None:
    for knobs, seconds in zip(drawn.family.ladder, drawn.seconds, strict=True):
        assert seconds <= drawn.depth.seconds, f"{seconds:.2f} CPU seconds an item at {knobs}"


RULES: tuple[Callable[[Sample], None], ...] = (
    gold_is_right,
    changed_answers_can_be_judged,
    guesses_stay_under_the_declared_rate,
    puzzles_are_plain_data,
    every_corner_of_the_knobs_works,
    levels_between_rungs_work,
    higher_rungs_are_harder,
    even_easy_items_of_a_rung_are_hard,
    duplicates_are_rare,
    randomness_comes_from_the_address,
    prompts_read_well,
    steps_lead_somewhere,
    progress_tells_how_far_a_reply_has_come,
    inputs_can_be_told_otherwise,
    twins_are_other_puzzles,
    redrawn_twins_have_the_same_structure,
    wrong_answers_of_variants_do_not_show,
    drafts_make_the_same_items,
    no_part_is_idle,
    time_stays_in_budget,
)


def puzzles_of(drawn: Sample, place: int, count: int) -> list[Any]:
    """So many puzzles of a rung: those of its items, and others."""
    puzzles = [item.puzzle for item in drawn.rungs[place]][:count]
    return puzzles + draws(drawn.family, drawn.family.ladder[place], count - len(puzzles))


def draws(family: AnyFamily, knobs: Any, count: int) -> list[Any]:
    """The first so many puzzles at a setting; those that were drawn before are not made again."""
    source, tried = _drawing(family, knobs)
    missing = count - sum(puzzle is not None for puzzle in tried)
    while missing > 0 and len(tried) < count * 20:
        tried.append(family.generate(source, knobs))
        missing -= tried[-1] is not None
    puzzles = [puzzle for puzzle in tried[: count * 20] if puzzle is not None]
    if len(puzzles) < count:
        raise UserError(f"{family.name}: generate gives nothing, most of the time, at {knobs}")
    return puzzles[:count]


@lru_cache(maxsize=16)
def _drawing(family: AnyFamily, knobs: Any) -> tuple[Random, list[Any]]:
    """The randomness of a setting, and what it has led to so far."""
    return Random(f"{family.name} {knobs}"), []
