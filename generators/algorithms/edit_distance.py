"""Edit distance: turn one string into another with as few changes as possible, and say how.

Every shortest script is right. `solve` searches outwards from the beginning of both strings, the
fewest changes first; `verify` plays the script and fills the table of distances; `recheck` splits
the script into what it reads and writes, and asks how far the ends that remain are apart.
"""

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.relatives import outline

KEEP, REPLACE, DELETE, INSERT = "K", "R", "D", "I"
WORDS = (("keep", KEEP), ("replace", REPLACE), ("delete", DELETE), ("insert", INSERT))


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of the first string
    letters: int  # that the strings are made of
    changes: int  # made to get the second string; fewer may do


@dataclass(frozen=True, slots=True)
class Pair:
    source: str
    target: str


def generate(rng: Random, knobs: Knobs) -> Pair | None:
    alphabet = rng.sample("ABCEFGHJLMNOPQSTUVWXYZ", knobs.letters)  # none that names a move
    source = rng.choices(alphabet, k=knobs.length)
    target = list(source)
    for _ in range(knobs.changes):
        place = rng.randrange(len(target))
        match rng.randrange(3):
            case 0:
                target[place] = rng.choice(alphabet)
            case 1 if len(target) > 2:
                del target[place]
            case _:
                target.insert(place, rng.choice(alphabet))
    pair = Pair("".join(source), "".join(target))
    return pair if sum(move != KEEP for move in solve(pair)) * 2 > knobs.changes else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(pair: Pair) -> tuple[str, ...]:
    source, target = pair.source, pair.target
    goal = (len(source), len(target))
    came: dict[tuple[int, int], tuple[int, int]] = {}
    waiting = deque([((0, 0), (-1, -1))])
    while goal not in came:
        here, before = waiting.popleft()
        if here in came:
            continue
        came[here] = before
        read, written = here
        if read < len(source) and written < len(target):
            after = (read + 1, written + 1)
            if source[read] == target[written]:
                waiting.appendleft((after, here))  # costs nothing, so it comes next
            else:
                waiting.append((after, here))
        if read < len(source):
            waiting.append(((read + 1, written), here))
        if written < len(target):
            waiting.append(((read, written + 1), here))
    moves = []
    while goal != (0, 0):
        before = came[goal]
        match (goal[0] - before[0], goal[1] - before[1]):
            case (1, 1):
                moves.append(KEEP if source[before[0]] == target[before[1]] else REPLACE)
            case (1, _):
                moves.append(DELETE)
            case _:
                moves.append(INSERT)
        goal = before
    return tuple(moves[::-1])


def verify(pair: Pair, script: tuple[str, ...]) -> float:
    read, made, cost = 0, "", 0
    for move in script:
        if move == INSERT:
            made += pair.target[len(made) : len(made) + 1] or " "
        elif read == len(pair.source):
            return 0.0
        else:
            if move == KEEP:
                made += pair.source[read]
            elif move == REPLACE:
                made += pair.target[len(made) : len(made) + 1] or " "
            read += 1
        cost += move != KEEP
    if made != pair.target or read != len(pair.source):
        return 0.0
    row = list(range(len(pair.target) + 1))
    for count, letter in enumerate(pair.source, 1):
        above, row = row, [count]
        for place, wanted in enumerate(pair.target):
            row.append(min(above[place] + (letter != wanted), above[place + 1] + 1, row[-1] + 1))
    return float(cost == row[-1])


def recheck(pair: Pair, script: tuple[str, ...]) -> bool:
    reads = [move for move in script if move != INSERT]
    writes = [move for move in script if move != DELETE]
    if len(reads) != len(pair.source) or len(writes) != len(pair.target):
        return False
    kept = [letter for letter, move in zip(pair.source, reads) if move == KEEP]
    met = [letter for letter, move in zip(pair.target, writes) if move == KEEP]

    @lru_cache(None)
    def apart(one: str, other: str) -> int:
        if not one or not other:
            return len(one) + len(other)
        if one[-1] == other[-1]:
            return apart(one[:-1], other[:-1])
        return 1 + min(apart(one[:-1], other[:-1]), apart(one[:-1], other), apart(one, other[:-1]))

    changes = len(script) - len(kept)
    return kept == met and changes == apart(pair.source, pair.target)


def render(pair: Pair, style: Style) -> Prompt:
    source, target = pair.source, pair.target
    return Prompt(
        style.pick(
            f"Turn the string {source} into the string {target}, from left to right, with these"
            " moves:\n\nK: keep the next letter of the first string.\nR: replace the next letter of"
            " the first string by the next letter that the second one needs.\nD: delete the next"
            " letter of the first string.\nI: insert the next letter that the second string"
            " needs.\n\nK is free, and each R, D and I costs 1. Give a sequence of moves that uses"
            " up the first string, yields the second one and costs as little as possible. If"
            " several are cheapest, any of them will do.",
            f"First string: {source}\nSecond string: {target}\n\nAn edit script reads the first"
            " string and writes the second one, both letter by letter. K copies one letter: it is"
            " read and written unchanged. R reads one letter and writes the letter that is due"
            " instead. D reads one letter and writes nothing. I reads nothing and writes the letter"
            " that is due. At the end all of the first string has been read and exactly the second"
            " string written. Find a script with as few R, D and I (together) as possible; the"
            " number of K does not matter. Any one of the best scripts is accepted.",
            f"Align {source} with {target} at the least edit distance (insertions, deletions and"
            " replacements of single letters count 1 each). Describe one best alignment by a move"
            " for each of its columns, from left to right: K where a letter of the first string"
            " stands above the same letter of the second, R where it stands above another letter, D"
            " where a letter of the first string stands above a gap (it is deleted), I where a gap"
            " stands above a letter of the second (it is inserted). Both strings are used whole and"
            " in order.",
        ),
        form="the moves in order, each one of K, R, D, I, separated by spaces",
    )


def steps(pair: Pair) -> list[str]:
    read, written, lines = 0, 0, []
    for move in solve(pair):
        letter, wanted = pair.source[read : read + 1], pair.target[written : written + 1]
        match move:
            case "K":
                lines.append(f"K: keep {letter}")
            case "R":
                lines.append(f"R: {letter} becomes {wanted}")
            case "D":
                lines.append(f"D: delete {letter}")
            case _:
                lines.append(f"I: insert {wanted}")
        read, written = read + (move != INSERT), written + (move != DELETE)
    return lines


def progress(pair: Pair, lines: Lines) -> float:
    return states_followed(FAMILY, pair, lines)


def canon(pair: Pair) -> list[list[int]]:
    """Which letters there are does not matter."""
    new: dict[str, int] = {}
    return [
        [new.setdefault(letter, len(new)) for letter in text] for text in (pair.source, pair.target)
    ]


def hardness(pair: Pair) -> int:
    """Pairs of letters to compare."""
    return len(pair.source) * len(pair.target)


LADDER = (
    Knobs(5, 5, 2),
    Knobs(9, 5, 5),
    Knobs(14, 5, 9),
    Knobs(22, 5, 15),
    Knobs(34, 5, 24),
)
FAMILY = Family(
    Pair,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves((KEEP, REPLACE, DELETE, INSERT), WORDS),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="search by the fewest changes",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=outline,
    skills=("strings", "search"),
    version=2,
)
