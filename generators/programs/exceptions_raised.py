"""Exceptions raised: which exception, from which line, ends each of several calls of a function?

Functions are written in a small language of our own that is printed as Python and never run as
such. Several calls that end differently are asked about at once. `solve` goes through the
function's tree statement by statement; `verify` turns it into nested functions and calls these.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.answers.program.tree import Block, Expression, Statement, lines
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.programs._language import (
    Compiled,
    Endless,
    Raised,
    listing,
    walked_call,
)

LABELS = "ABCDEF"
TRIED = 6  # inputs for each call that is asked about
KINDS = ("ZeroDivisionError", "IndexError", "KeyError", "ValueError")


@dataclass(frozen=True, slots=True)
class Knobs:
    statements: int  # that may raise something
    tries: float  # how often they stand in a try
    helpers: int  # functions that the main one calls
    calls: int  # that are asked about


@dataclass(frozen=True, slots=True)
class Calls:
    program: Block  # run(a, b), and what it calls
    inputs: tuple[tuple[int, int], ...]


def generate(rng: Random, knobs: Knobs) -> Calls | None:
    program = _Maker(rng, knobs).program()
    compiled = _compiled(program)
    ended: dict[str, tuple[int, int]] = {}  # one call for each way in which calls end
    raised: list[str] = []
    tried = set[tuple[int, int]]()
    for _ in range(TRIED * knobs.calls):
        given = (rng.randrange(10), rng.randrange(10))
        if given in tried:
            continue
        tried.add(given)
        try:
            result = compiled.call("run", given)
        except Endless:
            return None
        end = _told(result)
        if end not in ended:
            ended[end] = given
            if isinstance(result, Raised):
                raised.append(end)
    quiet = [end for end in ended if end not in raised]
    shares = [
        wanted
        for wanted in (knobs.calls, knobs.calls - 1, knobs.calls - 1)
        if wanted <= len(raised) and knobs.calls - wanted <= len(quiet)
    ]
    if not shares:
        return None
    wanted = rng.choice(shares)
    chosen = rng.sample(raised, wanted) + rng.sample(quiet, knobs.calls - wanted)
    rng.shuffle(chosen)
    return Calls(program, tuple(ended[end] for end in chosen))


def solve(calls: Calls) -> Pairs | None:
    try:
        ends = [_told(walked_call(calls.program, "run", given)) for given in calls.inputs]
    except Endless:
        return None
    return tuple((label.lower(), end.lower()) for label, end in zip(LABELS, ends))


def verify(calls: Calls, pairs: Pairs) -> float:
    said = dict(pairs)
    compiled = _compiled(calls.program)
    for label, given in zip(LABELS, calls.inputs):
        end = compiled.call("run", given)
        right = f"{end.kind} {end.line}" if isinstance(end, Raised) else f"returns {end}"
        if said.pop(label.lower(), "") != right.lower():
            return 0.0
    return float(not said)


def render(calls: Calls, style: Style) -> Prompt:
    text = "\n".join(
        f"{number} | {line}" for number, line in enumerate(listing(calls.program).split("\n"), 1)
    )
    asked = "\n".join(
        f"{label}: run({one}, {other})" for label, (one, other) in zip(LABELS, calls.inputs)
    )
    question = style.pick(
        f"Here is a Python program with numbered lines:\n\n{text}\n\nEach of these calls is made on"
        f" its own:\n\n{asked}\n\nHow does each end: which exception leaves run, and which line"
        " raised it, or what does run return?",
        f"What happens in the following calls?\n\n{asked}\n\nThe Python code, with the numbers of"
        f" its lines, is\n\n{text}\n\nFor each call, say what it returns or, if it ends with an"
        " exception, which one that is and in which line it first came up (the deepest line of the"
        " traceback).",
        f"{text}\n\nAbove is Python code; the numbers of the lines are not part of it. For each"
        f" call below, separately, find the exception that escapes from run and the number of the"
        f" line where it was raised, or else the value that is returned.\n\n{asked}",
    )
    return Prompt(
        question,
        "one line for each call: its letter, =, and then either the name of the exception and the"
        ' number of the line that raised it (as in "Z = OverflowError 99") or the word "returns"'
        ' and the value (as in "Z = returns 123")',
    )


def canon(calls: Calls) -> list[object]:
    return [listing(calls.program), calls.inputs]


def hardness(calls: Calls) -> int:
    return len(lines(calls.program)) * len(calls.inputs)


_compiled = lru_cache(maxsize=2)(Compiled)  # a puzzle's calls are chosen, and later verified


def _told(end: object) -> str:
    return f"{end.kind} {end.line}" if isinstance(end, Raised) else f"returns {end}"


class _Maker:
    """Writes a function of which some calls go wrong."""

    def __init__(self, rng: Random, knobs: Knobs) -> None:
        self.rng, self.knobs = rng, knobs
        self.names: tuple[str, ...] = ("a", "b", "c")

    def program(self) -> Block:
        rng = self.rng
        helpers = []
        for name in ("f", "g", "h")[: self.knobs.helpers]:
            self.names = ("n", "m")
            value = ("%", ("+", "n", ("*", "m", rng.randint(2, 5))), rng.randint(5, 12))
            inner = [self.risky("n"), ("=", "m", value)]
            rng.shuffle(inner)
            if rng.random() < self.knobs.tries / 2:
                inner[0] = self.guarded(inner[0], "n")
            body = (*inner, ("return", ("%", ("+", "n", "m"), rng.randint(5, 12))))
            helpers.append(("def", name, ("xs", "d", "n", "m"), body))
        self.names = ("a", "b", "c")
        main: list[Statement] = [
            ("=", "xs", ("list", *(rng.randrange(10) for _ in range(rng.randint(5, 8)))))
        ]
        keys = rng.sample(range(12), 8)
        pairs = [part for key in keys for part in (key, rng.randrange(10))]
        main += [("=", "d", ("dict", *pairs)), ("=", "c", self.mixed())]
        for at in range(self.knobs.statements):
            statement = self.risky("c")
            if helpers and rng.random() < 0.5:
                name = helpers[at % len(helpers)][1]
                given = rng.sample(self.names, 2)
                statement = ("=", "c", ("call", name, "xs", "d", *given))
            if rng.random() < self.knobs.tries:
                statement = self.guarded(statement, "c")
            main.append(statement)
            if rng.random() < 0.4:
                main.append(("=", rng.choice(self.names), self.mixed()))
        main.append(("return", ("%", ("+", ("+", "a", "b"), "c"), 100)))
        return (*helpers, ("def", "run", ("a", "b"), tuple(main)))

    def mixed(self) -> Expression:
        one, other = self.rng.sample(self.names[:2], 2)
        sign = self.rng.choice("+-*")
        factor = ("*", one, self.rng.randint(2, 5))
        return ("%", (sign, factor, other), self.rng.randint(6, 12))

    def risky(self, target: str) -> Statement:
        rng = self.rng
        one, other = rng.sample(self.names, 2)
        match rng.randrange(7):
            case 0:
                return ("=", target, ("//", rng.randint(10, 60), ("-", one, rng.randint(0, 7))))
            case 1:
                return ("=", target, ("%", other, ("%", one, rng.randint(3, 6))))
            case 2:
                return ("=", target, ("at", "xs", rng.choice([one, ("-", one, other)])))
            case 3:
                return ("=", target, ("at", "d", rng.choice([one, ("+", one, rng.randint(1, 3))])))
            case 4:
                return ("=", target, ("method", "xs", "pop", one))
            case 5:
                method = ("method", "xs", "index", one)
                return ("=", target, method) if rng.random() < 0.5 else (
                    "do", ("method", "xs", "remove", other)
                )  # fmt: skip
            case _:
                test = (rng.choice(["<", ">"]), ("+", one, other), rng.choice([3, 4, 14, 15]))
                return ("if", test, (("raise", rng.choice(KINDS)),), ())

    def guarded(self, statement: Statement, target: str) -> Statement:
        """A try around the statement, with an except for some kind or other."""
        rng = self.rng
        kind = rng.choice([*KINDS, *KINDS, "LookupError"])
        handler: Statement = ("=", target, ("+", rng.choice(self.names), rng.randint(0, 4)))
        if rng.random() < 0.25:
            handler = ("raise", rng.choice(KINDS))
        return ("try", (statement,), kind, (handler,))


LADDER = (
    Knobs(2, 0.0, 0, 3),
    Knobs(4, 0.3, 0, 3),
    Knobs(6, 0.5, 1, 3),
    Knobs(9, 0.6, 2, 4),
    Knobs(12, 0.7, 3, 5),
)
FAMILY = Family(
    Calls,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(idle=("line", "at line", "on line", "in line")),
    hardness=hardness,
    proof="unique",
    solver="an interpreter of the program's tree",
    guess_rate=0.1,
    canon=canon,
    known=lambda calls: (*LABELS[: len(calls.inputs)], *KINDS),
    redraws=True,
    skills=("tracking", "code"),
    peers=("reasoning-core/controlled_code_execution",),
    slips_version=2,
    version=3,
)
