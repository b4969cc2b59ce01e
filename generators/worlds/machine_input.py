"""Machine input: which numbers must a program of drawn instructions begin with, to print these?

`solve` compiles the program and runs it from every start that the prompt allows, so that there is
proof of only one; `verify` reads the program line by line from the start that is given. Without any
effect of an instruction, any branch of a case or any line, the answer is another one or none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._instructions import NAMES, Instruction, Line
from puzzlemill.generators.worlds._machine_engine import acts_of, compiled, has_idle, is_moot
from puzzlemill.generators.worlds._machine_reader import followed
from puzzlemill.generators.worlds._program_terms import (
    FAR,
    canonical,
    drawn_instructions,
    drawn_program,
    effects_of,
    end_told,
    letters_told,
    marked_branches,
    numbered,
    rule_set,
    rules_told,
    shortened_programs,
    shortened_rules,
    words,
)

DRAWS = 20  # of a program for the same instructions


@dataclass(frozen=True, slots=True)
class Knobs:
    instructions: int  # that the machine has
    effects: int  # of each of them
    cases: int  # instructions that tell two cases apart
    lines: int  # of the program
    loops: int  # lines that go back
    unknown: int  # registers whose start is asked for
    most: int  # that such a register may hold at the start


@dataclass(frozen=True, slots=True)
class Search:
    skin: str
    names: tuple[str, ...]  # of the instructions
    instructions: tuple[Instruction, ...]
    program: tuple[Line, ...]
    known: tuple[int, ...]  # what the last registers hold at the start; the first are asked for
    unknown: int
    most: int  # that an unknown register may hold
    output: tuple[int, ...]


def generate(rng: Random, knobs: Knobs) -> Search | None:
    count = min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    drawn = drawn_instructions(rng, count, knobs.effects, cases)
    if drawn is None:
        return None
    skin, names, rules = drawn
    if is_moot(rules):
        return None
    known = tuple(rng.randint(1, 12) for _ in range(max(1, 3 - knobs.unknown)))
    many = knobs.unknown + len(known)
    marked, marks = marked_branches(rules)
    acts = acts_of(marked)
    for _ in range(DRAWS):
        program = drawn_program(rng, count, cases, many, knobs.lines, knobs.loops)
        start = tuple(rng.sample(range(knobs.most + 1), knobs.unknown))
        registers = (*start, *known)
        outcome = compiled(acts, program)(registers)
        if not marks.issubset(outcome):
            continue
        output = tuple(number for number in outcome if number >= 0)
        # A number that stands in the output would be a giveaway.
        if max(output) >= FAR or set(start) & set(output):
            continue
        if has_idle(rules, program, registers, output, True):
            continue
        search = Search(skin, names, rules, program, known, knobs.unknown, knobs.most, output)
        if solve(search) == start:
            return search
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(search: Search) -> tuple[int, ...] | None:
    all_fitting = (start for start, output in _outputs(search) if output == search.output)
    fitting = list(islice(all_fitting, 2))
    return fitting[0] if len(fitting) == 1 else None


def verify(search: Search, start: tuple[int, ...]) -> float:
    if len(start) != search.unknown or not all(0 <= each <= search.most for each in start):
        return 0.0
    return float(_followed(search, start)[1] == search.output)


def render(search: Search, style: Style) -> Prompt:
    told = rules_told(search.skin, search.names, search.instructions, search.program)
    program = numbered(search.names, search.program)
    noun, things, printed, of = words(search.skin)
    names = NAMES[: search.unknown + len(search.known)]
    known = zip(names[search.unknown :], search.known)
    held = listed(f"{name} = {number}" for name, number in known)
    lost = listed(names[: search.unknown])
    meaning, end = letters_told(search.skin), end_told(search.skin, len(names))
    output = ", ".join(map(str, search.output))
    several = search.unknown > 1
    each, unsure = ("each of them is", "are") if several else ("it is", "is")
    return Prompt(
        style.pick(
            f"A {noun} works on the {things} {listed(names)} with invented instructions:\n\n{told}"
            f"\n\n{meaning} The {things} hold whole numbers{of}; at the start, {held}. What"
            f" {lost} held at the start has been lost; {each} a whole number from 0 to"
            f" {search.most}. This is the {noun}:\n\n{program}\n\n{end} These numbers were"
            f" {printed} in all: {output}.\n\nOnly one start leads to them. What did {lost} hold?",
            f"Find the start of a {noun}. In the end, it has {printed} {output}. It is this one:"
            f"\n\n{program}\n\nIts instructions:\n\n{told}\n\n{meaning} {end}\n\nThe {things}"
            f" {listed(names)} hold whole numbers{of}. At the start, {held}; {lost} {unsure} not"
            f" known, only that {each} from 0 to {search.most}. There is exactly one solution.",
            f"Instructions:\n\n{told}\n\n{meaning}\n\n{noun.title()}:\n\n{program}\n\n{end}"
            f"\n\nThe {things} {listed(names)} hold whole numbers{of}, and {held} at the start."
            f" With which numbers from 0 to {search.most} in {lost} does the {noun} bring it about"
            f" that exactly {output} are {printed}? Only one choice does.",
        ),
        form=f"what {lost} hold at the start, in this order, separated by a comma"
        if several
        else f"the number that {lost} holds at the start",
    )


def steps(search: Search) -> list[str]:
    """The run from the right start."""
    start = solve(search) or ()
    names = ", ".join(f"{name} = {number}" for name, number in zip(NAMES, start))
    return [f"start with {names}", *_followed(search, start)[0]]


def canon(search: Search) -> list[object]:
    rules, program = canonical(search.instructions, search.program)
    return [rules, program, search.known, search.unknown, search.most, search.output]


def kin(search: Search) -> list[str]:
    return rule_set(search.instructions)


def without(search: Search) -> Iterator[Search]:
    for rules in shortened_rules(search.instructions):
        yield replace(search, instructions=rules)
    for program in shortened_programs(search.program):
        yield replace(search, program=program)


def hardness(search: Search) -> float:
    """Lines that are run times the effects of an instruction, and the starts to choose from."""
    run = len(_followed(search, solve(search) or (0,) * search.unknown)[0])
    return run * effects_of(search.instructions) + search.unknown * log2(search.most)


def _outputs(search: Search) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    run = _compiled(search)
    for start in product(range(search.most + 1), repeat=search.unknown):
        yield start, run(start)


def _compiled(search: Search) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    run = compiled(acts_of(search.instructions), search.program)
    return lambda start: run((*start, *search.known))


def _followed(search: Search, start: tuple[int, ...]) -> tuple[list[str], tuple[int, ...]]:
    return followed(search.instructions, search.program, (*start, *search.known))


LADDER = (
    Knobs(1, 1, 0, 2, 0, 1, 30),
    Knobs(2, 1, 1, 4, 0, 1, 35),
    Knobs(3, 2, 1, 5, 0, 1, 40),
    Knobs(3, 2, 2, 6, 1, 1, 60),
    Knobs(4, 2, 1, 9, 1, 2, 12),
)
FAMILY = Family(
    Search,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="one integer or two"),
    hardness=hardness,
    proof="unique",
    solver="compiled runs from every start",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("search", "tracking", "instructions"),
    theme="invented_machine",
    version=2,
)
