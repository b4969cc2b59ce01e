"""Code output: what does a short Python program print?

Programs are written in a small language of our own that is printed as Python and never run as such.
`solve` goes through the program's tree statement by statement; `verify` turns it into nested
functions and calls these.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.program.tree import Block, Statement, lines
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.programs._language import (
    STEPS,
    Compiled,
    Endless,
    Raised,
    listing,
    walked,
)
from puzzlemill.generators.programs._writing import Writer

NUMBERS, LISTS, FUNCTIONS = "abcde", ("xs", "ys", "zs"), "fgh"
LARGEST, PRINTED = 9999, 40


@dataclass(frozen=True, slots=True)
class Knobs:
    statements: int  # of the main part, beside those inside others
    depth: int  # of statements inside others
    numbers: int  # variables
    lists: int  # variables that hold a list
    functions: int  # that the program defines
    rounds: int  # of a loop, at most


@dataclass(frozen=True, slots=True)
class Code:
    program: Block


def generate(rng: Random, knobs: Knobs) -> Code | None:
    numbers, lists = tuple(NUMBERS[: knobs.numbers]), LISTS[: knobs.lists]
    program: list[Statement] = []
    known: list[tuple[str, tuple[str, ...]]] = []
    for name in FUNCTIONS[: knobs.functions]:
        definition, kinds = _function(rng, name, bool(lists))
        program.append(definition)
        known.append((name, kinds))
    program += [("=", name, rng.randint(1, 12)) for name in numbers]
    for name in lists:
        items = [rng.randint(0, 12) for _ in range(rng.randint(3, 5))]
        program.append(("=", name, ("list", *items)))
    writer = Writer(rng, numbers, lists, knobs.rounds, tuple(known), prints=knobs.depth > 1)
    main = writer.block(knobs.statements, 0)
    main = tuple(
        writer.compound(knobs.depth) if at % 2 == 0 else statement
        for at, statement in enumerate(main)
    )
    program += [*main, ("print", *numbers), *(("print", ("star", name)) for name in lists)]
    code = Code(tuple(program))
    return code if _is_telling(code, knobs) else None


def solve(code: Code) -> tuple[int, ...] | None:
    try:
        printed, _ = _walked(code.program)
    except (Endless, Raised):
        return None
    return tuple(printed)


def verify(code: Code, numbers: tuple[int, ...]) -> float:
    return float(tuple(Compiled(code.program).printed()) == numbers)


def render(code: Code, style: Style) -> Prompt:
    text = listing(code.program)
    return Prompt(
        style.pick(
            f"What does this Python program print?\n\n```python\n{text}\n```",
            f"Run this Python 3 code in your head and give all the numbers that it"
            f" prints:\n\n```python\n{text}\n```",
            f"```python\n{text}\n```\n\nWhich numbers does this program (Python 3) write to the"
            " screen, from the first to the last?",
            f"Predict the output of the following Python code.\n\n```python\n{text}\n```",
        ),
        form="all printed numbers in order, across all lines of output, separated by commas",
    )


def canon(code: Code) -> str:
    return listing(code.program)


def hardness(code: Code) -> float:
    """The statements that are carried out; those of a long loop are easier than others."""
    _, count = _walked(code.program)
    return float(len(lines(code.program)) + count**0.75)


def _walked(program: Block, most: int = STEPS) -> tuple[list[int], int]:
    """`generate` goes no farther than its bound; where it came to the end, `solve` need not go
    again."""
    ended = _ended(program)
    if not ended:
        ended.append(walked(program, most))
    if ended[0][1] > most:
        raise Endless
    return ended[0]


@lru_cache(maxsize=2)
def _ended(program: Block) -> list[tuple[list[int], int]]:
    """Where what a program prints is kept, with the statements it carries out."""
    return []


def _is_telling(code: Code, knobs: Knobs) -> bool:
    least = 2 * knobs.statements + knobs.depth**2 * knobs.rounds
    try:
        printed, count = _walked(code.program, min(12 * least, STEPS))
    except (Endless, Raised):
        return False
    small = all(abs(number) <= LARGEST for number in printed)
    return small and len(printed) <= PRINTED and least <= count


def _function(rng: Random, name: str, lists: bool) -> tuple[Statement, tuple[str, ...]]:
    """A function of a number and another or a list, or one that calls itself."""
    match rng.randrange(3 if lists else 2):
        case 0:
            writer = Writer(rng, ("n", "m"), (), 3)
            body = (*writer.block(1, 1), ("return", writer.bounded(2)))
            return ("def", name, ("n", "m"), body), ("number", "number")
        case 1:
            low = rng.randint(1, 3)
            inner = ("call", name, ("-", "n", rng.randint(1, 3)), "m")
            value = (rng.choice("+-"), ("*", inner, rng.randint(2, 3)), rng.choice("nm"))
            stop = ("if", ("<=", "n", low), (("return", rng.choice(["m", ("+", "m", 1)])),), ())
            body = (stop, ("return", ("%", value, rng.choice([10, 17, 50]))))
            return ("def", name, ("n", "m"), body), ("number", "number")
        case _:
            writer = Writer(rng, ("n",), ("vs",), 3)
            change = ("=", writer.item("vs"), writer.bounded(1))
            body = (*writer.block(1, 1), change, ("return", writer.measured("vs")))
            return ("def", name, ("vs", "n"), body), ("list", "number")


LADDER = (
    Knobs(2, 1, 2, 0, 0, 3),
    Knobs(4, 1, 3, 1, 0, 4),
    Knobs(5, 2, 3, 1, 1, 4),
    Knobs(6, 2, 4, 2, 1, 5),
    Knobs(8, 3, 4, 2, 2, 5),
    Knobs(10, 3, 5, 3, 3, 6),
)
FAMILY = Family(
    Code,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the printed numbers", notations=("lines",)),
    hardness=hardness,
    proof="unique",
    solver="an interpreter of the program's tree",
    guess_rate=0.05,
    canon=canon,
    skills=("tracking", "code"),
    peers=(
        "reasoning-gym/codeio",
        "InternBootcamp/codeio",
        "reasoning-core/code_execution",
        "reasoning-core/controlled_code_execution",
    ),
)
