"""Insertion: wherever a pattern stands in a string, a letter is put into it, from left to right.

`solve` leaves the reading from left to right to a regular expression; `verify` reads letter by
letter as the prompt says, and compares what it has written with the answer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.relatives import outline
from puzzlemill.generators.strings._letters import CONSONANTS, drawn, renamed


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of the string
    letters: int  # different letters
    rules: int  # patterns, each with the letter to put in
    pattern: int  # letters of a pattern, at most; one less is the least
    passes: int  # how often the string is gone through


@dataclass(frozen=True, slots=True)
class Task:
    text: str
    rules: tuple[tuple[str, str], ...]  # a pattern, and the same with a letter put in
    passes: int


def generate(rng: Random, knobs: Knobs) -> Task | None:
    letters = "".join(rng.sample(CONSONANTS, knobs.letters))
    rules: dict[str, str] = {}
    for _ in range(knobs.rules * 4):
        pattern = drawn(rng, letters, rng.randint(knobs.pattern - 1, knobs.pattern))
        place = rng.randint(0, len(pattern))
        rules.setdefault(pattern, pattern[:place] + rng.choice(letters) + pattern[place:])
        if len(rules) == knobs.rules:
            break
    text = ""
    while len(text) < knobs.length:
        text += rng.choice([*letters, *rules])
    text = text[: knobs.length]
    inserted = sum(rule is not None for _, rule in _read(text, tuple(rules.items())))
    if inserted <= knobs.length // 8:
        return None
    return Task(text, tuple(rules.items()), knobs.passes)


def solve(task: Task) -> tuple[str, ...]:
    table, text = dict(task.rules), task.text
    patterns = re.compile("|".join(pattern for pattern, _ in task.rules))
    for _ in range(task.passes):
        text = patterns.sub(lambda found: table[found[0]], text)
    return tuple(text)


def verify(task: Task, letters: tuple[str, ...]) -> float:
    text = task.text
    for _ in range(task.passes):
        text = "".join(rule[1] if rule else text[at] for at, rule in _read(text, task.rules))
    return float("".join(letters) == text)


def render(task: Task, style: Style) -> Prompt:
    rules = "\n".join(f"{pattern} -> {filled}" for pattern, filled in task.rules)
    times = ("", "twice", "three times")[task.passes - 1]
    again = (
        f" until you are through. Do all this {times}: after the first time, what you read is the"
        " result of the time before."
        if times
        else "."
    )
    start = "read the given string from left to right and write a new one, starting at the first"
    return Prompt(
        style.pick(
            f"Put letters into the string {task.text} by these rules:\n{rules}\n\nThis is how:"
            f" {start} letter. If the left side of a rule begins at the letter where you are, write"
            " the right side of that rule, and go on at the letter after the left side; if the"
            " left sides of several rules begin there, take the rule that is listed first."
            " Otherwise copy the letter and go on at the next one. What you have written is not"
            f" read again{again} Which string do you get?",
            f"String: {task.text}\n\nRules, each of which puts a letter into a pattern:\n{rules}"
            "\n\nGo through the string from its first letter on. At each letter, look for the first"
            " rule in the list whose left side stands in the string from this letter on. If there"
            " is one, append its right side to the result, and jump to the letter that follows the"
            " left side in the string. If there is none, append the letter itself, and move to the"
            f" next. The result is not searched for left sides{again} What is the result at the"
            " end?",
            f"A machine works by this list of rules:\n{rules}\n\nIt reads a string from left to"
            " right. Wherever the letters that come next are the left side of a rule (of the"
            " topmost such rule, if there are several), it takes these letters in and prints the"
            " right side. Wherever there is no such rule, it takes in one letter and prints it as"
            f" it is. It goes on like this to the end of the string.{_machine(task.passes)} It is"
            f" given {task.text}. What does it print{' in the end' if task.passes > 1 else ''}?",
        ),
        form="the letters of the resulting string in order, separated by spaces",
    )


def steps(task: Task) -> list[str]:
    """Each rule that is used, where, and what each time through comes to."""
    lines, text = [], task.text
    for _ in range(task.passes):
        written = ""
        for at, rule in _read(text, task.rules):
            if rule:
                lines.append(f"letter {at + 1}: {rule[0]} -> {rule[1]}")
            written += rule[1] if rule else text[at]
        text = written
        lines.append(f"result: {text}")
    return lines


def canon(task: Task) -> list[object]:
    """Which letters are used does not matter."""
    return [renamed([task.text, *(side for rule in task.rules for side in rule)]), task.passes]


def hardness(task: Task) -> float:
    """Letters to read, and rules to use."""
    total, text = 0, task.text
    for _ in range(task.passes):
        done = list(_read(text, task.rules))
        total += len(text) + 3 * sum(rule is not None for _, rule in done) + len(task.rules)
        text = "".join(rule[1] if rule else text[at] for at, rule in done)
    return total


def _machine(passes: int) -> str:
    again = " Then what it has printed is put in again"
    return ("", f"{again}, once.", f"{again}; and what it prints then is put in, too.")[passes - 1]


def _read(
    text: str, rules: tuple[tuple[str, str], ...]
) -> Iterator[tuple[int, tuple[str, str] | None]]:
    """The places where a letter is copied, or a rule used."""
    at = 0
    while at < len(text):
        rule = next((rule for rule in rules if text.startswith(rule[0], at)), None)
        yield at, rule
        at += len(rule[0]) if rule else 1


LADDER = (
    Knobs(8, 3, 1, 2, 1),
    Knobs(16, 3, 2, 3, 1),
    Knobs(30, 4, 3, 3, 1),
    Knobs(36, 4, 5, 3, 2),
    Knobs(44, 4, 6, 3, 3),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="a string of letters", items="letters"),
    hardness=hardness,
    proof="unique",
    solver="a regular expression",
    steps=steps,
    canon=canon,
    redraws=outline,
    skills=("tracking", "rules"),
    peers=("reasoning-gym/string_insertion",),
    version=2,
)
