"""Acrostic list: choose words, one a line, so that their initials spell a word and rules are kept.

Several lists may be right. `solve` chooses line by line and goes back where a rule is broken;
`verify` pays a share of the rules for a list that is made of the words given and spells the word;
`recheck` asks all rules of the list at once.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.words._pool import pool

# ("length", i, n): line i has n letters; ("ends", i, letter); ("longer", i, j): line i is longer
# than line j; ("same", i, j): they are of the same length; ("without", i, letter);
# ("rising",): no line is shorter than the one before; ("tails",): all end in different letters;
# ("total", n): letters in all; ("often", letter, n): so often in the whole list.
Rule: TypeAlias = tuple[str | int, ...]
PARTLY = 0.5


@dataclass(frozen=True, slots=True)
class Knobs:
    letters: int  # of the word that is spelled
    choices: int  # words for each letter
    rules: int  # that the list must keep
    kinds: int  # of rules that there are


@dataclass(frozen=True, slots=True)
class Task:
    spelled: str
    words: tuple[str, ...]
    rules: tuple[tuple[str | int, ...], ...]


def generate(rng: Random, knobs: Knobs) -> Task | None:
    spelled = rng.choice(_all_varied(knobs.letters))
    words = set[str]()
    for letter in sorted(set(spelled)):
        begun = _beginning(letter)
        need = knobs.choices + spelled.count(letter) - 1
        if len(begun) < need:
            return None
        words |= set(rng.sample(begun, need))
    order = sorted(words)
    rng.shuffle(order)
    # One list is hidden, and the rules are true of it.
    hidden: list[str] = []
    for letter in spelled:
        hidden.append(rng.choice([word for word in order if word[0] == letter]))
    if len(set(hidden)) < len(hidden):
        return None
    rules: list[Rule] = []
    for _ in range(60):
        rule = _drawn(rng, rng.choice(KINDS[: knobs.kinds]), hidden)
        if rule and rule not in rules and _holds(rule, hidden):
            rules.append(rule)
        if len(rules) == knobs.rules:
            made = Task(spelled, tuple(order), tuple(rules))
            return made if solve(made) else None
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(task: Task) -> tuple[str, ...] | None:
    return next(_lists(task), None)


def verify(task: Task, chosen: tuple[str, ...]) -> float:
    if len(chosen) != len(task.spelled) or len(set(chosen)) < len(chosen):
        return 0.0
    if any(word not in task.words for word in chosen):
        return 0.0
    if "".join(word[0] for word in chosen) != task.spelled:
        return 0.0
    kept = sum(_holds(rule, chosen) for rule in task.rules)
    return 1.0 if kept == len(task.rules) else PARTLY * kept / (1 + len(task.rules))


def recheck(task: Task, chosen: tuple[str, ...]) -> bool:
    """All rules as conditions on the table of lengths, last letters and counts."""
    given = Counter(task.words)
    if Counter(chosen) - given or len(chosen) != len(task.spelled):
        return False
    if any(word[:1] != letter for word, letter in zip(chosen, task.spelled)):
        return False
    sizes = dict(enumerate(map(len, chosen), 1))
    tails = {at: word[-1:] for at, word in enumerate(chosen, 1)}
    letters = Counter("".join(chosen))
    return not any(_broken(rule, chosen, sizes, tails, letters) for rule in task.rules)


def render(task: Task, style: Style) -> Prompt:
    size = len(task.spelled)
    given = ", ".join(task.words)
    first = f'The first letters of the lines, read from top to bottom, spell "{task.spelled}".'
    lines = "\n".join(f"- {text}" for text in (first, *map(_told, task.rules)))
    question = style.pick(
        f"Write a list of {size} different words, one per line, which you choose from these:\n\n"
        f"{given}\n\nThe list must keep these rules:\n\n{lines}",
        f"Choose {size} different words and write each on a line of its own, so that the following"
        f" is true.\n\n{lines}\n\nThese are the words to choose from: {given}.",
        f"From the words below, make an acrostic of {size} lines with one word each, all of them"
        f" different.\n\nWords: {given}\n\nRules:\n{lines}",
    )
    return Prompt(question, form=f"the {size} words in order, one per line")


def steps(task: Task) -> list[str]:
    lines = []
    for at in range(1, len(task.spelled) + 1):
        lines.append(f"Line {at} may be {' or '.join(_able(task, at))}")
    found = solve(task)
    assert found is not None, "generate keeps tasks that can be done"
    return [*lines, f"One list that keeps all rules: {', '.join(found)}"]


def hardness(task: Task) -> float:
    return 2 * len(task.spelled) + len(task.words) / 2 + 2 * len(task.rules)


def known(task: Task) -> tuple[str, ...]:
    return task.words


def canon(task: Task) -> tuple[object, ...]:
    return task.spelled, sorted(task.words), sorted(map(repr, task.rules))


def _able(task: Task, at: int) -> list[str]:
    """The words that the rules about one line leave for a line."""
    letter = task.spelled[at - 1]
    return [
        word
        for word in task.words
        if word[0] == letter and all(_alone(rule, at, word) for rule in task.rules)
    ]


def _lists(task: Task) -> Iterator[tuple[str, ...]]:
    """Lists that keep all rules; a beginning is given up where a rule can be kept no more."""
    lines = range(1, len(task.spelled) + 1)
    able = [_able(task, at) for at in lines]
    if not all(able):
        return
    checks = [[check for rule in task.rules for check in _checks(rule, at, able)] for at in lines]

    def following(begun: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        at = len(begun)
        if at == len(lines):
            yield begun
            return
        for word in able[at]:
            longer = (*begun, word)
            if word not in begun and all(check(longer) for check in checks[at]):
                yield from following(longer)

    for found in following(()):
        if all(_holds(rule, found) for rule in task.rules):
            yield found


def _alone(rule: Rule, at: int, word: str) -> bool:
    """Whether a rule about one line allows a word there."""
    if rule[0] in ("length", "ends", "without") and rule[1] == at:
        match rule[0]:
            case "length":
                return len(word) == rule[2]
            case "ends":
                return word[-1] == rule[2]
            case _:
                return str(rule[2]) not in word
    return True


def _checks(rule: Rule, at: int, able: list[list[str]]) -> list[Callable[[tuple[str, ...]], bool]]:
    """What has to be asked for a rule about several lines when so many of them are written."""
    match rule:
        case ("longer" | "same", int(one), int(other)):
            return [lambda begun: _holds(rule, begun)] if max(one, other) == at else []
        case ("rising",) | ("tails",):
            return [lambda begun: _holds(rule, begun[-2:] if rule[0] == "rising" else begun)]
        case ("total", int(many)):
            sizes = [[len(word) for word in words] for words in able[at:]]
            least, most = many - sum(map(max, sizes)), many - sum(map(min, sizes))
            return [lambda begun: least <= sum(map(len, begun)) <= most]
        case ("often", str(letter), int(many)):
            counts = [[word.count(letter) for word in words] for words in able[at:]]
            fewest, top = many - sum(map(max, counts)), many - sum(map(min, counts))
            return [lambda begun: fewest <= "".join(begun).count(letter) <= top]
    return []


def _holds(rule: Rule, lines: list[str] | tuple[str, ...]) -> bool:
    match rule:
        case ("length" | "ends" | "without", int(at), _):
            return _alone(rule, at, lines[at - 1])
        case ("longer", int(one), int(other)):
            return len(lines[one - 1]) > len(lines[other - 1])
        case ("same", int(one), int(other)):
            return len(lines[one - 1]) == len(lines[other - 1])
        case ("rising",):
            return all(len(one) <= len(other) for one, other in pairwise(lines))
        case ("tails",):
            return len({word[-1] for word in lines}) == len(lines)
        case ("total", many):
            return sum(map(len, lines)) == many
        case _:
            _, letter, many = rule
            return sum(word.count(str(letter)) for word in lines) == many


def _broken(
    rule: Rule,
    chosen: tuple[str, ...],
    sizes: dict[int, int],
    tails: dict[int, str],
    letters: Counter[str],
) -> bool:
    match rule:
        case ("length", int(at), many):
            return sizes[at] != many
        case ("ends", int(at), letter):
            return tails[at] != letter
        case ("longer", int(one), int(other)):
            return sizes[one] <= sizes[other]
        case ("same", int(one), int(other)):
            return sizes[one] != sizes[other]
        case ("without", int(at), letter):
            return str(letter) in chosen[at - 1]
        case ("rising",):
            return list(sizes.values()) != sorted(sizes.values())
        case ("tails",):
            return len(set(tails.values())) < len(tails)
        case ("total", many):
            return sum(letters.values()) != many
        case _:
            _, sign, many = rule
            return letters[str(sign)] != many


def _drawn(rng: Random, kind: str, hidden: list[str]) -> Rule | None:
    """A rule of a kind that is true of the hidden list, if there is one."""
    one, other = rng.sample(range(1, len(hidden) + 1), 2)
    word = hidden[one - 1]
    match kind:
        case "length":
            return kind, one, len(word)
        case "ends":
            return kind, one, word[-1]
        case "longer":
            return kind, one, other
        case "same":
            return kind, min(one, other), max(one, other)
        case "without":
            return kind, one, rng.choice("aeiorstln")
        case "total":
            return kind, sum(map(len, hidden))
        case "often":
            letter = rng.choice("aeiorstln")
            return kind, letter, "".join(hidden).count(letter)
        case _:
            return (kind,)


def _told(rule: Rule) -> str:
    match rule:
        case ("length", at, many):
            return f"Line {at} has exactly {many} letters."
        case ("ends", at, letter):
            return f'Line {at} ends with the letter "{letter}".'
        case ("longer", one, other):
            return f"Line {one} has more letters than line {other}."
        case ("same", one, other):
            return f"Lines {one} and {other} have the same number of letters."
        case ("without", at, letter):
            return f'Line {at} does not contain the letter "{letter}".'
        case ("rising",):
            return "No line has fewer letters than the line before it."
        case ("tails",):
            return "No two lines end with the same letter."
        case ("total", many):
            return f"All lines together have exactly {many} letters."
        case _:
            _, letter, many = rule
            often = {0: "does not occur", 1: "occurs exactly once"}.get(
                int(many), f"occurs exactly {many} times"
            )
            return f'The letter "{letter}" {often} in the whole list.'


@cache
def _beginning(letter: str) -> list[str]:
    return [word for word in pool(3, 9, True) if word[0] == letter]


@cache
def _all_varied(length: int) -> list[str]:
    return [word for word in pool(length, length) if _varied(word)]


def _varied(word: str) -> bool:
    """Without letters that few words begin with."""
    return not set(word) & set("jkqxyz")


KINDS = ("length", "ends", "without", "longer", "same", "total", "often", "tails", "rising")
LADDER = (
    Knobs(3, 3, 2, 3),
    Knobs(4, 4, 4, 5),
    Knobs(5, 5, 5, 7),
    Knobs(6, 6, 8, 9),
    Knobs(7, 6, 10, 9),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="the words"),
    hardness=hardness,
    solver="line by line, going back where a rule is broken",
    guess_rate=0.1,
    recheck=recheck,
    steps=steps,
    canon=canon,
    known=known,
    skills=("instructions", "letters", "constraints"),
    peers=("Light-IF", "IFEval"),
    version=2,
)
