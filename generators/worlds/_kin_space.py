"""The kin terms that there may be, when they are not told: all of so many steps, and a search."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from puzzlemill.generators.worlds._kin_steps import (
    FINER,
    NOUNS,
    RANKS,
    Couple,
    Step,
    relation,
)
from puzzlemill.generators.worlds._kin_words import called

# Sets of people are numbers with a bit for each person.
Led: TypeAlias = dict[int, list[int]]  # by set, the people whom each step leads to
Sets: TypeAlias = tuple[int, ...]
Able: TypeAlias = dict[int, dict[int, int]]  # by set, by where steps lead from it: these, as bits


@lru_cache(maxsize=2)
def every(finer: bool) -> list[Step]:
    """All steps."""
    return [(noun, sex, rank) for noun in NOUNS for sex in NOUNS[noun]
            for rank in _ranks(noun, finer)]  # fmt: skip


@lru_cache(maxsize=2)
def places_of(finer: bool) -> dict[Step, int]:
    return {step: place for place, step in enumerate(every(finer))}


@lru_cache(maxsize=2)
def led_by(sexes: str, couples: tuple[Couple, ...], finer: bool) -> Led:
    """Whom each step leads to from each person; sets of several people are added by `reached`."""
    whole = [relation(sexes, couples, step) for step in every(finer)]
    return {1 << ego: [each[ego] for each in whole] for ego in range(len(sexes))}


@lru_cache(maxsize=2)
def able_by(sexes: str, couples: tuple[Couple, ...], finer: bool) -> Able:
    """Which steps lead from a set to another; sets are added by `leading_to`."""
    return {}


def reached(led: Led, people: int) -> list[int]:
    """Whom each step leads to from any of these people."""
    if people not in led:
        first = people & -people
        one, others = led.get(first, [0] * len(led[1])), people ^ first
        rest = reached(led, others) if others else [0] * len(one)
        led[people] = [mine | theirs for mine, theirs in zip(one, rest, strict=True)]
    return led[people]


def led_over(led: Led, people: int, steps: Iterable[int]) -> int:
    """Whom a chain of steps, by their places, leads to from some people."""
    for step in steps:
        if not people:
            return 0
        people = (led.get(people) or reached(led, people))[step]
    return people


def before_last(led: Led, starts: Sets, steps: int) -> set[Sets]:
    """Where all chains of one step less lead, from each of the starts."""
    found = {starts}
    for _ in range(steps - 1):
        found = {after for each in found for after in zip(*(reached(led, it) for it in each))}
    return found


def leading_to(led: Led, able: Able, found: Iterable[Sets], wanted: Sequence[int]) -> set[int]:
    """Where the last start leads by all chains that lead from those before it to what is wanted; -1
    where that may be anything."""
    able_last = dict[int, int]()  # by where the last start is led, the steps that fit
    fixed = [(place, end) for place, end in enumerate(wanted) if end >= 0]
    for each in found:
        steps = -1
        for place, end in fixed:
            people = each[place]
            steps &= (able.get(people) or _steps_to(led, able, people)).get(end, 0)
            if not steps:
                break
        else:
            able_last[each[-1]] = able_last.get(each[-1], 0) | steps
    ends = set[int]()
    for people, steps in able_last.items():
        ends_of = able.get(people) or _steps_to(led, able, people)
        ends.update([end for end, fitting in ends_of.items() if fitting & steps])
    return ends


def _steps_to(led: Led, able: Able, people: int) -> dict[int, int]:
    """Adds a set's steps, by where they lead."""
    steps = able[people] = dict[int, int]()
    for at, after in enumerate(reached(led, people)):
        steps[after] = steps.get(after, 0) | 1 << at
    return steps


def steps_told(finer: bool) -> str:
    """All steps, a line for each noun."""
    lines = []
    for noun, words in NOUNS.items():
        names = [called((noun, sex, "")) for sex in sorted(words)]
        ranks = [rank for rank in _ranks(noun, finer) if rank]
        also = f"; each also as {', '.join(ranks)}" if ranks else ""
        lines.append(f"- {', '.join(names)}{also}")
    return "\n".join(lines)


def _ranks(noun: str, finer: bool) -> tuple[str, ...]:
    return RANKS[noun] + (FINER.get(noun, ()) if finer else ())
