"""Set expression: work out which numbers are in a set made of others.

`solve` carries out the operations on whole sets; `verify` asks of each number that occurs anywhere
whether it is in, by the operations on truth values.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import listed

Numbers: TypeAlias = tuple[int, ...]

NAMES = "ABCDEFGH"
SIGNS = {"or": "∪", "and": "∩", "less": "\\", "either": "△"}
WORDS = {"or": "union", "and": "intersection", "less": "difference", "either": "symdiff"}


@dataclass(frozen=True, slots=True)
class Knobs:
    sets: int  # that the expression is made of
    size: int  # of each set
    range: int  # numbers that the sets are taken from
    operations: int  # in the expression
    kinds: int  # of the operations, how many may come


@dataclass(frozen=True, slots=True)
class Task:
    sets: tuple[Numbers, ...]
    formula: str  # in Polish notation: an operation before its two operands, sets by letter


def generate(rng: Random, knobs: Knobs) -> Task | None:
    size = min(knobs.size, knobs.range // 2 + 1)
    sets = tuple(
        tuple(rng.sample(range(1, knobs.range + 1), max(2, size + rng.randint(-1, 1))))
        for _ in range(knobs.sets)
    )
    used = [NAMES[at % knobs.sets] for at in range(knobs.operations + 1)]
    rng.shuffle(used)
    parts = list(used)
    while len(parts) > 1:
        at = rng.randrange(len(parts) - 1)
        joined = [
            f"{operation} {parts[at]} {parts[at + 1]}" for operation in list(SIGNS)[: knobs.kinds]
        ]
        sides = [solve(Task(sets, part)) for part in parts[at : at + 2]]
        # Not what does nothing, such as what C has in common with C.
        lively = [part for part in joined if solve(Task(sets, part)) not in (*sides, ())]
        if not lively:
            return None
        parts[at : at + 2] = [rng.choice(lively)]
    task = Task(sets, parts[0])
    found = solve(task)
    every = set().union(*sets)
    return task if 2 <= len(found) < len(every) and set(found) not in map(set, sets) else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(task: Task) -> Numbers:
    def value(tree: Any) -> set[int]:
        if isinstance(tree, str):
            return set(task.sets[NAMES.index(tree)])
        operation, left, right = tree[0], value(tree[1]), value(tree[2])
        if operation == "or":
            return left | right
        if operation == "and":
            return left & right
        return left - right if operation == "less" else left ^ right

    return tuple(sorted(value(_tree(task.formula.split()))))


def verify(task: Task, numbers: Numbers) -> float:
    every = {number for held in task.sets for number in held}
    if not set(numbers) <= every:
        return 0.0
    return float(all(_holds(task, number) == (number in numbers) for number in every))


def render(task: Task, style: Style) -> Prompt:
    sets = "\n".join(
        f"{name} = {{{', '.join(map(str, held))}}}" for name, held in zip(NAMES, task.sets)
    )
    tree = _tree(task.formula.split())
    used = {token for token in task.formula.split() if token in SIGNS}
    shown = style.pick("signs", "words", "signs")
    meanings = [
        f"{SIGNS[key] if shown == 'signs' else WORDS[key]} {meaning}"
        for key, meaning in (
            ("or", "(what is in at least one of the two)"),
            ("and", "(what is in both)"),
            ("less", "(what is in the first but not in the second)"),
            ("either", "(what is in exactly one of the two)"),
        )
        if key in used
    ]
    told, one = listed(meanings), len(meanings) == 1
    formula = _signs(tree) if shown == "signs" else _words(tree)
    return Prompt(
        style.pick(
            f"Given these sets:\n{sets}\n\nWhich numbers are in {formula}? The"
            f" {'operation is' if one else 'operations are'} {told}.",
            f"{sets}\n\nCompute {formula}, with the {'operation' if one else 'operations'} {told}.",
            f"Work out the set {formula} from the sets below. Meaning of the"
            f" {'sign' if one else 'signs'}: {told}.\n\n{sets}",
        ),
        form="all numbers of the resulting set, in any order, separated by commas",
    )


def steps(task: Task) -> list[str]:
    """The operations from the inside out."""
    lines: list[str] = []

    def value(tree: Any) -> set[int]:
        if isinstance(tree, str):
            return set(task.sets[NAMES.index(tree)])
        left, right = value(tree[1]), value(tree[2])
        made = {
            "or": left | right,
            "and": left & right,
            "less": left - right,
            "either": left ^ right,
        }[tree[0]]
        shown = ", ".join(map(str, sorted(made))) or "nothing"
        lines.append(f"{_signs(tree)}: {shown}")
        return made

    value(_tree(task.formula.split()))
    return lines


def progress(task: Task, lines: Lines) -> float:
    return states_followed(FAMILY, task, lines)


def hardness(task: Task) -> float:
    """Operations times the size of the sets."""
    tokens = task.formula.split()
    return sum(token in SIGNS for token in tokens) * sum(map(len, task.sets)) / len(task.sets)


def _tree(tokens: list[str]) -> Any:
    """A set's letter, or (operation, left, right); reads the tokens from the front."""
    token, *rest = tokens
    tokens[:] = rest
    if token not in SIGNS:
        return token
    left = _tree(tokens)
    return (token, left, _tree(tokens))


def _signs(tree: Any) -> str:
    if isinstance(tree, str):
        return tree
    left, right = (
        _signs(side) if isinstance(side, str) else f"({_signs(side)})" for side in tree[1:]
    )
    return f"{left} {SIGNS[tree[0]]} {right}"


def _words(tree: Any) -> str:
    return (
        tree if isinstance(tree, str) else f"{WORDS[tree[0]]}({_words(tree[1])}, {_words(tree[2])})"
    )


def _holds(task: Task, number: int) -> bool:
    """Whether a number is in, with a stack, from the back of the formula."""
    stack: list[bool] = []
    for token in reversed(task.formula.split()):
        if token not in SIGNS:
            stack.append(number in task.sets[NAMES.index(token)])
            continue
        left, right = stack.pop(), stack.pop()
        match token:
            case "or":
                stack.append(left or right)
            case "and":
                stack.append(left and right)
            case "less":
                stack.append(left and not right)
            case _:
                stack.append(left != right)
    return stack.pop()


LADDER = (
    Knobs(2, 5, 12, 1, 3),
    Knobs(3, 8, 25, 3, 4),
    Knobs(4, 12, 40, 6, 4),
    Knobs(6, 18, 70, 11, 4),
    Knobs(8, 28, 120, 20, 4),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(),
    hardness=hardness,
    proof="unique",
    solver="operations on whole sets",
    guess_rate=0.15,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("calculation", "tracking"),
    peers=("reasoning-core/set_expression",),
    version=3,
)
