"""Questions of analytical reasoning tests: which one of five statements must, could or cannot be
true, or which of five arrangements keeps all the rules?

An arrangement, a world, is a tuple with a number for each person. What a statement says, and whom
it is about, is the family's.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import product
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core.family import Style

World: TypeAlias = tuple[int, ...]
Statement: TypeAlias = tuple[str | int, ...]
Test: TypeAlias = Callable[[World], bool]
Tested: TypeAlias = Callable[[Statement], Test]  # whether a statement is true of a world
About: TypeAlias = Callable[[Statement], Iterable[int]]  # those who decide it
Goal = Literal["must", "could", "cannot", "list"]

LETTERS = "ABCDE"
GOALS: tuple[Goal, ...] = ("must", "could", "cannot", "list")
FORM = "the letter of the right option: A, B, C, D or E"
DRAWS = 120  # of statements for options


@lru_cache(maxsize=16)
def every(
    values: tuple[int, ...], people: int, rules: tuple[Statement, ...], tested: Tested
) -> list[World]:
    """The worlds that keep all rules, found by trying all there are."""
    worlds = _worlds(values, people)
    kept = (1 << len(worlds)) - 1
    for rule in rules:
        kept &= _keeping(values, people, rule, tested)
    return [world for place, world in enumerate(worlds) if kept >> place & 1]


@cache
def _worlds(values: tuple[int, ...], people: int) -> list[World]:
    return list(product(values, repeat=people))


@lru_cache(maxsize=1024)
def _keeping(values: tuple[int, ...], people: int, rule: Statement, tested: Tested) -> int:
    """The worlds that keep a rule, a bit for each."""
    test = tested(rule)
    return sum(1 << place for place, world in enumerate(_worlds(values, people)) if test(world))


def possible(
    values: Sequence[int],
    people: int,
    rules: Sequence[Statement],
    tested: Tested,
    about: About,
) -> bool:
    """Whether a world keeps the rules: person after person, each rule tried as soon as it is
    decided."""
    decided: list[list[Test]] = [[] for _ in range(people)]  # by the last person it is about
    open_ = [[*values] for _ in range(people)]
    for rule in rules:
        test, who = tested(rule), [*about(rule)]
        if len(who) > 1:
            decided[max(who)].append(test)
        else:
            (one,) = who
            before = (0,) * one
            open_[one] = [value for value in open_[one] if test((*before, value))]

    def goes_on(begun: World) -> bool:
        place = len(begun)
        tests = decided[place]
        for value in open_[place]:
            world = (*begun, value)
            for test in tests:
                if not test(world):
                    break
            else:
                if place == people - 1 or goes_on(world):
                    return True
        return False

    return goes_on(())


def right_by_search(
    goal: Goal,
    options: Sequence[tuple[str | int, ...]],
    values: Sequence[int],
    people: int,
    rules: Sequence[Statement],
    tested: Tested,
    about: About,
) -> str | None:
    """The option that is right, if it is the only one."""
    right = []
    for letter, option in zip(LETTERS, options, strict=True):
        if goal == "list":
            world = tuple(map(int, option))
            good = all(tested(rule)(world) for rule in rules)
        else:
            # "not" before a statement turns it round.
            told: Statement = ("not", *option) if goal == "must" else option
            found = possible(values, people, (*rules, told), tested, about)
            good = found == (goal == "could")
        right += [letter] * good
    return right[0] if len(right) == 1 else None


def is_right(
    goal: Goal, option: tuple[str | int, ...], worlds: list[World], tested: Tested
) -> bool:
    if goal == "list":
        return option in worlds
    return bool(worlds) and _as_asked(goal, sum(map(tested(option), worlds)), len(worlds))


def _as_asked(goal: Goal, true: int, worlds: int) -> bool:
    """Whether what is true in so many of the worlds is the right option."""
    return {"must": true == worlds, "could": true > 0, "cannot": not true}[goal]


def statements(
    rng: Random,
    goal: Goal,
    worlds: int,
    true_in: Callable[[Statement], int],
    drawn: Callable[[], Statement],
    said: Sequence[Statement],
) -> tuple[Statement, ...] | None:
    """One option that is right and four that are not, none of them said before; `true_in` tells in
    how many of the worlds a statement is true."""
    right: list[Statement] = []
    wrong: list[Statement] = []
    counts, used = dict[Statement, int](), {*said}
    for _ in range(DRAWS):
        option = drawn()
        if option in used:
            continue
        if (count := counts.get(option, -1)) < 0:
            count = counts[option] = true_in(option)
        good = _as_asked(goal, count, worlds)
        # A statement that never holds is dismissed at a glance, and so is one that always does.
        if not good and count in (0, worlds) and goal != "could" and rng.random() < 0.7:
            continue
        (right if good else wrong).append(option)
        used.add(option)
    if not right or len(wrong) < len(LETTERS) - 1:
        return None
    return tuple(rng.sample([right[0], *wrong[: len(LETTERS) - 1]], len(LETTERS)))


def arrangements(
    rng: Random,
    worlds: list[World],
    near: Callable[[World], World],
    rules: Sequence[Statement],
    tested: Tested,
) -> tuple[World, ...] | None:
    """A world that keeps the rules, and four near it that break as few as possible."""
    right = rng.choice(worlds)
    tests = [tested(rule) for rule in rules]
    broken: dict[World, int] = {}
    for _ in range(DRAWS):
        world = near(right)
        if world not in broken:
            broken[world] = sum([not test(world) for test in tests])
    false = [world for world, count in broken.items() if count]
    wrong = sorted(false, key=broken.__getitem__)[: len(LETTERS) - 1]
    if len(wrong) < len(LETTERS) - 1:
        return None
    return tuple(rng.sample([right, *wrong], len(LETTERS)))


def needed(
    values: Sequence[int], people: int, rules: Sequence[Statement], tested: Tested, about: About
) -> tuple[Statement, ...]:
    """The rules without those that follow from the others."""
    kept = [*rules]
    for rule in rules:
        others = [each for each in kept if each != rule]
        if not possible(values, people, (*others, ("not", *rule)), tested, about):
            kept = others
    return tuple(kept)


def question(goal: Goal, style: Style, arrangement: str) -> str:
    match goal:
        case "must":
            return style.pick(
                "Which of these statements must be true?",
                "Which one of the following must be true?",
                "Exactly one of these statements follows from the rules. Which one?",
            )
        case "could":
            return style.pick(
                "Which of these statements could be true?",
                "Which one of the following could be true?",
                "Only one of these statements is possible under the rules. Which one?",
            )
        case "cannot":
            return style.pick(
                "Which of these statements cannot be true?",
                "Which one of the following must be false?",
                "Only one of these statements is impossible under the rules. Which one?",
            )
    return style.pick(
        f"Which of these {arrangement}s keeps all the rules?",
        f"Which one of the following could be the complete {arrangement}?",
        f"Four of these {arrangement}s break a rule. Which one breaks none?",
    )


def listing(texts: Iterable[str]) -> str:
    return "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, texts))
