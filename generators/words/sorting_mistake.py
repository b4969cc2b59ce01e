"""Sorting mistake: the trace of a sort by hand, in which one step goes wrong.

Every step, right or wrong, is made from what the step before it left, so that exactly one line does
not follow from the line above. The number of the step could be guessed; hence the list that it
should have left is asked for as well. `solve` carries out each step; `verify` knows a right line
by what must be true of it.
"""

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.words._pool import pool

Words: TypeAlias = tuple[str, ...]
Method = Literal["insertion", "selection", "bubble"]
METHODS: tuple[Method, ...] = ("insertion", "selection", "bubble")

RULES = {
    "insertion": (
        "The words are taken one by one in the order in which they were given. Each is put into"
        " the new list directly before the first word there that comes after it in the alphabet,"
        " or at the end if there is no such word."
    ),
    "selection": (
        "In step 1, the first of all the words, in alphabetical order, changes places with the word"
        " at place 1; in step 2, the first of the words from place 2 on changes places with the"
        " word at place 2;"
        " and so on. If the word that is looked for is in its place already, nothing changes."
    ),
    "bubble": (
        "Each step goes once through the whole list from left to right and looks at each pair of"
        " neighbours in turn: if the left one comes after the right one in the alphabet, the two"
        " change places at once, before the next pair is looked at."
    ),
}


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # to be sorted
    alike: int  # letters with which many of the words begin
    methods: int  # of the three ways to sort, how many may come


@dataclass(frozen=True, slots=True)
class Trace:
    words: Words
    method: Method
    lists: tuple[Words, ...]  # after each step


def generate(rng: Random, knobs: Knobs) -> Trace | None:
    words = _alike(rng, knobs.words, knobs.alike)
    if words is None:
        return None
    method = rng.choice(METHODS[: knobs.methods])
    count = len(words) - 1 if method != "bubble" else max(3, len(words) // 2)
    faulty = rng.randrange(max(count // 2, 1), count)  # not at once, or there is little to read
    lists: list[Words] = []
    for number in range(count):
        before = _before(words, method, lists)
        after = _step(words, method, number, before)
        if number == faulty:
            place = rng.randrange(len(after) - 1)
            after = (*after[:place], after[place + 1], after[place], *after[place + 2 :])
        lists.append(after)
    return Trace(words, method, tuple(lists))


def solve(trace: Trace) -> Words | None:
    """The one step whose outcome differs from what carrying it out gives."""
    found = []
    for number, after in enumerate(trace.lists):
        before = _before(trace.words, trace.method, trace.lists[:number])
        right = _step(trace.words, trace.method, number, before)
        if right != after:
            found.append((str(number + 1), *right))
    return found[0] if len(found) == 1 else None


def verify(trace: Trace, answer: Words) -> float:
    if not answer or answer[0] not in map(str, range(1, len(trace.lists) + 1)):
        return 0.0
    number = int(answer[0]) - 1
    before = _before(trace.words, trace.method, trace.lists[:number])
    told = (trace.words, trace.method, number, before)
    return float(_follows(*told, answer[1:]) and not _follows(*told, trace.lists[number]))


def render(trace: Trace, style: Style) -> Prompt:
    lines = []
    for number, after in enumerate(trace.lists, 1):
        taken = f" (takes {trace.words[number]})" if trace.method == "insertion" else ""
        lines.append(f"Step {number}{taken}: {' '.join(after)}")
    given, shown = " ".join(trace.words), "\n".join(lines)
    rule = RULES[trace.method]
    if trace.method == "insertion":
        rule += f" The new list begins with {trace.words[0]} alone."
    return Prompt(
        style.pick(
            f"These words were sorted alphabetically by hand: {given}\n\n{rule}\n\nThe list after"
            f" each step was:\n{shown}\n\nExactly one step was carried out wrongly; all the others"
            " were carried out correctly on the list that they found. Which step is it, and which"
            " list should it have left?",
            f"Find the mistake. Somebody sorts words into alphabetical order. {rule} They write"
            " down"
            f" the list after every step.\n\nStart: {given}\n{shown}\n\nOne of the steps does not"
            " do"
            " what it should. (The steps after it go on rightly from the wrong list.) Say which"
            " one,"
            " and what it should have given.",
            f"{rule}\n\nIn this way a clerk wanted to bring the words {given} into alphabetical"
            f" order, and noted each intermediate list:\n{shown}\n\nIn a single step the clerk"
            " slipped, and then continued without a further error from the list as it was. Give the"
            " number of that step and the list that a correct step would have made there.",
        ),
        form=(
            "the number of the wrong step, followed by the words of the list that this step should"
            ' have left, in order, all separated by spaces, such as "3 ant bee cow" for step 3'
        ),
    )


def steps(trace: Trace) -> list[str]:
    lines: list[str] = []
    for number, after in enumerate(trace.lists):
        before = _before(trace.words, trace.method, trace.lists[:number])
        right = _step(trace.words, trace.method, number, before)
        if right != after:
            return [*lines, f"step {number + 1} should give {' '.join(right)}, and does not"]
        lines.append(f"step {number + 1} is right")
    return lines


def hardness(trace: Trace) -> float:
    """Words to read until the mistake comes."""
    wrong = solve(trace)
    number = int(wrong[0]) if wrong else len(trace.lists)
    return sum(map(len, trace.lists[:number])) + len(trace.words) + 5 * METHODS.index(trace.method)


def _before(words: Words, method: Method, lists: "list[Words] | tuple[Words, ...]") -> Words:
    """The list that the next step finds."""
    if lists:
        return lists[-1]
    return words[:1] if method == "insertion" else words


def _step(words: Words, method: Method, number: int, before: Words) -> Words:
    after = list(before)
    if method == "insertion":
        new = words[number + 1]
        place = next((at for at, word in enumerate(after) if word > new), len(after))
        after.insert(place, new)
    elif method == "selection":
        place = min(range(number, len(after)), key=after.__getitem__)
        after[number], after[place] = after[place], after[number]
    else:
        for place in range(len(after) - 1):
            if after[place] > after[place + 1]:
                after[place], after[place + 1] = after[place + 1], after[place]
    return tuple(after)


def _follows(words: Words, method: Method, number: int, before: Words, after: Words) -> bool:
    """Whether a step leads from one list to the other, by what it must do to each place."""
    if method == "insertion":
        new = words[number + 1]
        if after.count(new) != 1:
            return False
        place = after.index(new)
        passed, next_ones = after[:place], after[place + 1 :]
        return (
            passed + next_ones == before
            and all(word < new for word in passed)
            and all(word > new for word in next_ones[:1])
        )
    if len(after) != len(before):
        return False
    if method == "selection":
        least, replaced = min(before[number:]), before[number]
        swapped = {least: replaced, replaced: least}
        return after == tuple(swapped.get(word, word) for word in before)
    # Bubble: the greatest so far is carried along, and what it meets falls back by one place.
    return after[-1] == max(before) and all(
        after[place] == min(before[place + 1], max(before[: place + 1]))
        for place in range(len(before) - 1)
    )


@cache
def _beginning(letters: str) -> list[str]:
    return [word for word in pool(3, 9) if word.startswith(letters)]


def _alike(rng: Random, count: int, alike: int) -> Words | None:
    """Words, about half of which begin like another."""
    found = dict.fromkeys(rng.sample(pool(3, 9), max(2, count // 3)))
    for _ in range(5 * count):
        first = rng.choice(list(found))
        same = _beginning(first[:alike])
        found |= dict.fromkeys(rng.sample(same, min(len(same), 2)))
        if len(found) >= count:
            return tuple(rng.sample(list(found), count))
    return None


LADDER = (
    Knobs(5, 1, 1),
    Knobs(8, 1, 2),
    Knobs(11, 2, 3),
    Knobs(15, 2, 3),
    Knobs(20, 2, 3),
)
FAMILY = Family(
    Trace,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(step="step"),
    hardness=hardness,
    proof="unique",
    solver="carrying out each step",
    guess_rate=0.02,
    steps=steps,
    skills=("checking", "ordering"),
    peers=("SynLogic/word_sorting_mistake",),
    version=3,
)
