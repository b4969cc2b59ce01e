"""Stack machine: instructions push numbers on a stack and work on its top; what is left there?

`solve` carries the instructions out with a list. `verify` goes through them once with names of
values in place of the values, so that moving values about is done before anything is computed,
and then computes only what is left on the stack.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed

Instruction: TypeAlias = tuple[str, int]  # a word, and the number that belongs to it, or 0

# What each word takes from the stack, what it leaves, and how it is explained.
MOVES = {
    "DROP": ("a", "", "remove the top"),
    "DUP": ("a", "aa", "push a copy of the top"),
    "SWAP": ("ab", "ba", "exchange the two topmost numbers"),
    "OVER": ("ab", "aba", "push a copy of the number below the top"),
    "ROT": ("abc", "bca", "move the third number from the top to the top"),
    "TUCK": ("ab", "bab", "put a copy of the top below the two topmost numbers"),
    "NIP": ("ab", "b", "remove the number below the top"),
}
SUMS = {
    "ADD": "replace the two topmost numbers x, y (y on top) by x + y",
    "SUB": "replace the two topmost numbers x, y (y on top) by x - y",
    "MUL": "replace the two topmost numbers x, y (y on top) by x * y",
    "MAX": "replace the two topmost numbers by the larger of them",
    "MIN": "replace the two topmost numbers by the smaller of them",
    "NEG": "replace the top x by -x",
    "MOD": "replace the top x by the remainder of x divided by {}, which is from 0 to {}",
}
PICK = "push a copy of the n-th number from the top (n = 1 is the top itself)"
ROLL = "move the n-th number from the top to the top (n = 1 changes nothing)"
REPEAT = "carry out the instructions between REPEAT n and END n times in all"
LARGEST = 10_000


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # instructions written down
    words: int  # kinds of instructions beside PUSH
    repeats: int  # blocks that are carried out several times


@dataclass(frozen=True, slots=True)
class Program:
    instructions: tuple[Instruction, ...]
    modulus: int  # of MOD


def generate(rng: Random, knobs: Knobs) -> Program | None:
    modulus = rng.choice([7, 10, 11, 13])
    words = ["ADD", "SUB", "DUP", "SWAP"]
    more = [word for word in (*MOVES, *SUMS, "PICK", "ROLL") if word not in words]
    words += rng.sample(more, min(knobs.words, len(words) + len(more)) - len(words))
    program = [("PUSH", rng.randint(-5, 9)) for _ in range(3)]
    blocks = min(knobs.repeats, knobs.length // 14)
    while len(program) < knobs.length:
        if blocks and rng.random() < 0.2 and len(program) + 8 <= knobs.length:
            blocks -= 1
            body = _balanced(rng, words, rng.randint(3, 5))
            program += [("REPEAT", rng.randint(2, 4)), *body, ("END", 0)]
        else:
            program.append(_drawn(rng, words, _height(program)))
    if blocks:
        return None
    made = Program(tuple(program), modulus)
    stack = _run(made)
    if stack is None or not 3 <= len(stack) <= 5 + knobs.length // 10 or len(set(stack)) < 2:
        return None
    return made


def solve(program: Program) -> tuple[int, ...] | None:
    stack = _run(program)
    return None if stack is None else tuple(stack)


def verify(program: Program, numbers: tuple[int, ...]) -> float:
    made: list[tuple[str, tuple[int, ...]]] = []  # how each value comes about
    stack: list[int] = []  # names of values
    for word, number in _unrolled(program.instructions):
        if word in MOVES:
            taken, left, _ = MOVES[word]
            names = dict(zip(taken, stack[-len(taken) :]))
            stack[-len(taken) :] = [names[letter] for letter in left]
        elif word == "PICK":
            stack.append(stack[-number])
        elif word == "ROLL":
            stack.append(stack.pop(-number))
        else:
            count = 0 if word == "PUSH" else 1 if word in ("NEG", "MOD") else 2
            sources = tuple(stack[len(stack) - count :])
            del stack[len(stack) - count :]
            stack.append(len(made))
            made.append((word, sources if count else (number,)))

    @cache
    def value(name: int) -> int:
        word, sources = made[name]
        if word == "PUSH":
            return sources[0]
        given = [value(source) for source in sources]
        match word:
            case "ADD":
                return sum(given)
            case "MAX" | "MIN":
                return sorted(given)[-1 if word == "MAX" else 0]
            case "NEG":
                return -given[0]
            case "MOD":
                return given[0] % program.modulus
        return given[0] - given[1] if word == "SUB" else given[0] * given[1]

    for name in range(len(made)):
        value(name)  # in order, so that none is far from what is known
    return float(tuple(map(value, stack)) == numbers)


def render(program: Program, style: Style) -> Prompt:
    used = dict.fromkeys(word for word, _ in program.instructions)
    known = {word: text for word, (_, _, text) in MOVES.items()} | SUMS
    known["MOD"] = SUMS["MOD"].format(program.modulus, program.modulus - 1)
    known |= {"PICK n": PICK, "ROLL n": ROLL, "REPEAT n": REPEAT}
    told = [f"{name}: {text}" for name, text in known.items() if name.split(" ")[0] in used]
    legend = "\n".join(["PUSH n: put the number n on top", *told])
    text = _text(program)
    question = style.pick(
        f"A stack machine starts with an empty stack and carries out this program:\n\n{text}\n\n"
        f"The instructions mean:\n{legend}\n\nWhat is on the stack at the end?",
        f"These are the instructions of a machine that has nothing but a stack of numbers:\n"
        f"{legend}\n\nBeginning with nothing on the stack, it runs\n\n{text}\n\nWhich numbers are"
        " left on the stack?",
        f"Trace the program\n\n{text}\n\nfrom its first instruction to its last. It works on a"
        f" stack, which is empty at first:\n{legend}\n\nGive what the stack holds after the last"
        " instruction.",
    )
    return Prompt(question, "all numbers on the stack, from the bottom to the top, with commas")


def steps(program: Program) -> list[str]:
    lines, stack = [], list[int]()
    for word, number in _unrolled(program.instructions):
        _act(stack, word, number, program.modulus)
        name = f"{word} {number}" if word in ("PUSH", "PICK", "ROLL") else word
        lines.append(f"{name}: {' '.join(map(str, stack))}")
    return lines


def progress(program: Program, lines: Lines) -> float:
    return states_followed(FAMILY, program, lines)


def canon(program: Program) -> str:
    return f"{_text(program)} {program.modulus}"


def hardness(program: Program) -> int:
    return len(_unrolled(program.instructions)) + len({word for word, _ in program.instructions})


def _run(program: Program) -> list[int] | None:
    """The stack at the end; None where a number grows too large or one is missing."""
    stack: list[int] = []
    for word, number in _unrolled(program.instructions):
        if len(stack) < _needed(word, number):
            return None
        _act(stack, word, number, program.modulus)
        if stack and abs(stack[-1]) > LARGEST:
            return None
    return stack


def _act(stack: list[int], word: str, number: int, modulus: int) -> None:
    match word:
        case "PUSH":
            stack.append(number)
        case "DROP":
            stack.pop()
        case "DUP":
            stack.append(stack[-1])
        case "SWAP":
            stack.append(stack.pop(-2))
        case "OVER":
            stack.append(stack[-2])
        case "ROT":
            stack.append(stack.pop(-3))
        case "TUCK":
            stack.insert(-2, stack[-1])
        case "NIP":
            del stack[-2]
        case "PICK":
            stack.append(stack[-number])
        case "ROLL":
            stack.append(stack.pop(-number))
        case "NEG":
            stack.append(-stack.pop())
        case "MOD":
            stack.append(stack.pop() % modulus)
        case _:
            y, x = stack.pop(), stack.pop()
            results = {"ADD": x + y, "SUB": x - y, "MUL": x * y, "MAX": max(x, y), "MIN": min(x, y)}
            stack.append(results[word])


def _unrolled(instructions: tuple[Instruction, ...]) -> list[Instruction]:
    """The instructions in the order in which they are carried out; blocks hold no blocks."""
    found: list[Instruction] = []
    start, times = 0, 0
    for word, number in instructions:
        if word == "REPEAT":
            start, times = len(found), number
        elif word == "END":
            found += found[start:] * (times - 1)
        else:
            found.append((word, number))
    return found


def _needed(word: str, number: int) -> int:
    if word in MOVES:
        return len(MOVES[word][0])
    return {"PUSH": 0, "NEG": 1, "MOD": 1, "PICK": number, "ROLL": number}.get(word, 2)


@lru_cache(maxsize=1000)
def _change(word: str) -> int:
    """By how much the stack grows."""
    if word in MOVES:
        return len(MOVES[word][1]) - len(MOVES[word][0])
    return {"PUSH": 1, "PICK": 1, "ROLL": 0, "NEG": 0, "MOD": 0}.get(word, -1)


def _height(program: list[Instruction]) -> int:
    # A block leaves as many numbers as it found.
    return sum(_change(word) for word, _ in program if word not in ("REPEAT", "END"))


def _drawn(rng: Random, words: list[str], height: int) -> Instruction:
    if height < 3 or (height < 6 and rng.random() < 0.35):
        return ("PUSH", rng.randint(-5, 9))
    fitting = [word for word in words if height + _change(word) >= 2]
    if height > 5:
        fitting = [word for word in fitting if _change(word) <= 0]
    word = rng.choice(fitting)
    number = rng.randint(2, min(height, 5)) if word in ("PICK", "ROLL") else 0
    if word == "ROLL":
        number = max(number, min(3, height))
    return (word, number)


def _balanced(rng: Random, words: list[str], length: int) -> list[Instruction]:
    """Instructions after which the stack is as high as before, and that need three numbers."""
    for _ in range(200):
        body = [
            ("PUSH", rng.randint(1, 5)) if rng.random() < 0.2 else (rng.choice(words), 3)
            for _ in range(length)
        ]
        body = [(word, number if word in ("PUSH", "PICK", "ROLL") else 0) for word, number in body]
        heights = [3]
        for word, number in body:
            if heights[-1] < _needed(word, number):
                break
            heights.append(heights[-1] + _change(word))
        if len(heights) > length and heights[-1] == 3 and len(set(body)) > 2:
            return body
    return [("SWAP", 0), ("PUSH", 1), ("ADD", 0)]


def _text(program: Program) -> str:
    return " ".join(
        f"{word} {number}" if word in ("PUSH", "PICK", "ROLL", "REPEAT") else word
        for word, number in program.instructions
    )


LADDER = (
    Knobs(9, 5, 0),
    Knobs(16, 6, 0),
    Knobs(28, 9, 1),
    Knobs(45, 11, 2),
    Knobs(70, 13, 3),
    Knobs(100, 16, 4),
)
FAMILY = Family(
    Program,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the numbers on the stack"),
    hardness=hardness,
    proof="unique",
    solver="step by step with a list",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    redraws=True,
    skills=("tracking", "code"),
    peers=("reasoning-core/shift_reduce_parsing",),
)
