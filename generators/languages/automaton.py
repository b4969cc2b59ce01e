"""Automaton: read words letter by letter; in which state, or states, may each reading end?

With several arrows for one letter, or arrows that read nothing, a reading may end in several
states, and all of them are asked for. `solve` carries the set of possible states forward through
the word; `verify` asks of each state, backwards from the end of the word, whether it can be reached
from the start.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.relatives import outline
from puzzlemill.generators._renaming import unnamed

Arrow: TypeAlias = tuple[str, str, str]  # from a state, with a letter or "" for nothing, to a state
Back: TypeAlias = dict[str, list[tuple[str, str]]]  # by letter, from where to where

STATES = "ABCDEFGHIJKL"  # no word that says something of an answer is made of these
LETTERS = "xyzw"


@dataclass(frozen=True, slots=True)
class Knobs:
    states: int  # of the automaton
    letters: int  # of its alphabet
    words: int  # to be read
    length: int  # of a word
    split: float  # how often a letter has no arrow or two
    silent: int  # arrows that read nothing, at most


@dataclass(frozen=True, slots=True)
class Machine:
    states: str
    letters: str
    arrows: tuple[Arrow, ...]
    start: str
    words: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Machine | None:
    states, letters = STATES[: knobs.states], LETTERS[: knobs.letters]
    # A letter that maps no two states to the same one keeps in mind what came before it.
    maps = [
        rng.sample(states, knobs.states)
        if rng.random() < 0.7
        else rng.choices(states, k=len(states))
        for _ in letters
    ]
    arrows: list[Arrow] = []
    for place, state in enumerate(states):
        for letter, reached in zip(letters, maps):
            ends = [reached[place]]
            if rng.random() < knobs.split:
                ends = sorted(rng.sample(states, rng.choice([0, 2])))
            arrows += [(state, letter, end) for end in ends]
    for _ in range(min(knobs.silent, knobs.states // 2)):
        begin, end = rng.sample(states, 2)
        if (begin, "", end) not in arrows:
            arrows.append((begin, "", end))
    machine = Machine(states, letters, tuple(arrows), rng.choice(states), ())
    words = tuple(_word(rng, machine, knobs.length) for _ in range(knobs.words))
    machine = replace(machine, words=words)
    found = solve(machine)
    told = all(0 < len(end) < knobs.states for end in found)
    visited = {state for line in _trace(machine, words[0]) for state in line}
    if not told or len(set(found)) < 2 or 2 * len(visited) <= min(knobs.states, knobs.length):
        return None
    return machine


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(machine: Machine) -> tuple[str, ...]:
    return tuple("".join(_trace(machine, word)[-1]).lower() for word in machine.words)


def verify(machine: Machine, ends: tuple[str, ...]) -> float:
    if len(ends) != len(machine.words):
        return 0.0
    back: Back = {}
    for state, letter, to in machine.arrows:
        back.setdefault(letter, []).append((state, to))
    for word, end in zip(machine.words, ends):
        ways = _ends(machine, back, word)
        right = "".join(state for at, state in enumerate(machine.states) if ways >> at & 1)
        if end != right.lower():
            return 0.0
    return 1.0


def render(machine: Machine, style: Style) -> Prompt:
    table = _table(machine)
    words = "\n".join(f"{number}. {word}" for number, word in enumerate(machine.words, 1))
    silent = any(not letter for _, letter, _ in machine.arrows)
    if _is_certain(machine):
        question = style.pick(
            f"A machine has the states {', '.join(machine.states)}. It reads a word letter by"
            " letter, from the left; each letter takes it from the state that it is in to another"
            f" state, or to the same one again:\n\n{table}\n\nIt begins each of these words anew in"
            f" state {machine.start}:\n\n{words}\n\nIn which state does it end each time?",
            f"Here is the transition table of a finite automaton whose start state is"
            f" {machine.start}:\n\n{table}\n\nRun it, from the start state each time, on each of"
            f" these inputs:\n\n{words}\n\nGive the state after the last letter of each input.",
            f"Put a token on {machine.start} and read a word. At every letter, move the token as"
            f" the line of the place on which it stands says:\n\n{table}\n\nThe words are\n\n"
            f"{words}\n\nand for each of them the token is put back on {machine.start}. Where does"
            " it stand at the end of each word?",
        )
        form = "the final states, one letter for each word in order, separated by spaces"
        return Prompt(question, form)
    free = " It may take a silent arrow at any time, without reading a letter." if silent else ""
    question = style.pick(
        f"A machine has the states {', '.join(machine.states)}. It reads a word letter by letter,"
        " from the left. At each letter it goes to one of the states that the table gives for its"
        f" state and this letter, and is free to choose which:\n\n{table}\n\nWhere the table gives"
        f" no state, it is stuck, and this attempt does not count.{free} It begins each of these"
        f" words anew in state {machine.start}:\n\n{words}\n\nFor each word, in which states can it"
        " be when it has read the whole word?",
        f"Here is the transition table of a nondeterministic finite automaton whose start state is"
        f" {machine.start}:\n\n{table}\n\nRuns that meet a letter without a transition die.{free}"
        f" For each of these inputs, give all the states in which a run from {machine.start} that"
        f" reads the whole input may end:\n\n{words}",
        f"Put a token on {machine.start} and read a word. At every letter, the token must be moved"
        " to one of the places that the line of the place on which it stands names for that letter;"
        f" where none is named, the game is lost.\n\n{table}\n\n"
        + ("A silent arrow may be followed at any time, without a letter.\n\n" if silent else "")
        + f"The words are\n\n{words}\n\nand for each of them the token is put back on"
        f" {machine.start}. On which places can it stand after the whole of each word?",
    )
    return Prompt(
        question,
        "one group of letters for each word in order, separated by spaces: the possible final"
        ' states in alphabetical order (Q and R would be written "QR")',
    )


def steps(machine: Machine) -> list[str]:
    lines = []
    for number, word in enumerate(machine.words, 1):
        first, *rest = ("".join(states) for states in _trace(machine, word))
        path = " ".join(f"{letter}->{states}" for letter, states in zip(word, rest))
        lines.append(f"word {number}: {first} {path}")
    return lines


def progress(machine: Machine, lines: Lines) -> float:
    return states_followed(FAMILY, machine, lines)


def canon(machine: Machine) -> list[str]:
    """The names of states and letters do not matter."""
    facts: list[tuple[str, ...]] = [("start", machine.start)]
    facts += [("arrow", *arrow) for arrow in machine.arrows]
    facts += [("word", str(at), *word) for at, word in enumerate(machine.words)]
    return unnamed(facts, [*machine.states, *machine.letters])


def hardness(machine: Machine) -> int:
    """The states on the way, and the arrows to look at."""
    traces = (_trace(machine, word) for word in machine.words)
    return sum(len(states) for trace in traces for states in trace) + len(machine.arrows)


def _word(rng: Random, machine: Machine, length: int) -> str:
    """A word that can be read, if the machine has such a word."""
    leads, word = _leads(machine), ""
    states = _closed({machine.start}, leads)
    for _ in range(length):
        readable = [
            letter
            for letter in machine.letters
            if any((state, letter) in leads for state in states)
        ]
        word += rng.choice(readable or machine.letters)
        after = {to for state in states for to in leads.get((state, word[-1]), [])}
        states = _closed(after, leads)
    return word


def _leads(machine: Machine) -> dict[tuple[str, str], list[str]]:
    leads: dict[tuple[str, str], list[str]] = {}
    for state, letter, to in machine.arrows:
        leads.setdefault((state, letter), []).append(to)
    return leads


def _trace(machine: Machine, word: str) -> list[list[str]]:
    """The states that are possible before and after each letter, in alphabetical order."""
    leads = _leads(machine)
    found = [_closed({machine.start}, leads)]
    for letter in word:
        after = {to for state in found[-1] for to in leads.get((state, letter), [])}
        found.append(_closed(after, leads))
    return found


def _closed(states: set[str], leads: dict[tuple[str, str], list[str]]) -> list[str]:
    """The states, and those to which silent arrows lead from them."""
    waiting = list(states)
    while waiting:
        for to in leads.get((waiting.pop(), ""), []):
            if to not in states:
                states.add(to)
                waiting.append(to)
    return sorted(states)


def _ends(machine: Machine, back: Back, word: str) -> int:
    """Backwards: the ends, as bits, to which the rest of the word can lead from each state."""
    ends = _quietly({state: 1 << at for at, state in enumerate(machine.states)}, back)
    for letter in reversed(word):
        before = dict.fromkeys(machine.states, 0)
        for state, to in back.get(letter, ()):
            before[state] |= ends[to]
        ends = _quietly(before, back)
    return ends[machine.start]


def _quietly(ends: dict[str, int], back: Back) -> dict[str, int]:
    """Those too to which silent arrows lead."""
    silent, grown = back.get("", ()), True
    while grown:
        grown = False
        for state, to in silent:
            if ends[to] & ~ends[state]:
                ends[state] |= ends[to]
                grown = True
    return ends


def _is_certain(machine: Machine) -> bool:
    read = [(state, letter) for state, letter, _ in machine.arrows]
    return sorted(read) == [(state, letter) for state in machine.states for letter in
                            sorted(machine.letters)]  # fmt: skip


def _table(machine: Machine) -> str:
    lines = []
    for state in machine.states:
        parts = []
        for letter in (*machine.letters, ""):
            to = [end for begin, read, end in machine.arrows if (begin, read) == (state, letter)]
            if to or letter:
                parts.append(f"{letter or 'silent'} -> {' or '.join(to) or 'no state'}")
        lines.append(f"{state}: {', '.join(parts)}")
    return "\n".join(lines)


LADDER = (
    Knobs(3, 2, 3, 4, 0.0, 0),
    Knobs(5, 2, 3, 10, 0.0, 0),
    Knobs(6, 3, 3, 16, 0.1, 0),
    Knobs(8, 3, 3, 18, 0.4, 1),
    Knobs(9, 3, 3, 24, 0.5, 3),
    Knobs(11, 3, 4, 32, 0.5, 4),
)
FAMILY = Family(
    Machine,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="a group of letters for each word", capitals=True),
    hardness=hardness,
    proof="unique",
    solver="the set of possible states, letter by letter",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=outline,
    skills=("tracking", "rules"),
    peers=("reasoning-core/finite_automaton_execution",),
    version=2,
)
