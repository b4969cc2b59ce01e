"""Programs of drawn instructions: how they are drawn, worded, shortened and compared."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._instructions import (
    BACK,
    NAMES,
    NOTHING,
    SKINS,
    Instruction,
    Line,
    described,
    instruction,
)

FAR = 5000  # numbers are less


def drawn_instructions(
    rng: Random, count: int, effects: int, cases: int
) -> tuple[str, tuple[str, ...], tuple[Instruction, ...]] | None:
    """A skin, names, and instructions of which the first so many tell two cases apart."""
    skin = rng.choice(sorted(SKINS))
    rules = tuple(instruction(rng, effects, place < cases) for place in range(count))
    if len(set(rules)) < count:
        return None
    return skin, tuple(name.upper() for name in coined(rng, count)), rules


def drawn_program(
    rng: Random, count: int, cases: int, registers: int, lines: int, loops: int
) -> tuple[Line, ...]:
    """Every instruction once, those with cases twice as far as there is room, and others."""
    spare = rng.choices(range(count), k=lines - count - cases)
    places = [*range(count), *range(cases), *spare]
    rng.shuffle(places)
    program: list[Line] = [(place, *_pair(rng, registers)) for place in places]
    for _ in range(loops):
        at = rng.randint(2, len(program))
        program.insert(at, (BACK, rng.randint(max(0, at - 4), at - 2), rng.randint(1, 3)))
    return tuple(program)


def _pair(rng: Random, registers: int) -> tuple[int, int]:
    """Two different registers, drawn as `rng.sample` draws two of a few, in a fifth of the time."""
    one, other = rng.randrange(registers), rng.randrange(registers - 1)
    return one, registers - 1 if other == one else other


def marked_branches(rules: tuple[Instruction, ...]) -> tuple[tuple[Instruction, ...], set[int]]:
    """Instructions whose branches each print a number less than 0 of their own; these numbers.
    Most programs that are drawn never take some branch."""
    marked, marks = list[Instruction](), set[int]()
    for condition, *branches in rules:
        if condition:
            first = -1 - len(marks)
            marks |= {first, first - 1}
            branches = [(("print", first - at), *branch) for at, branch in enumerate(branches)]
        then, otherwise = branches
        marked.append((condition, then, otherwise))
    return tuple(marked), marks


def words(skin: str) -> tuple[str, str, str, str]:
    """What a skin calls a program, registers and printing, and what is said of the numbers."""
    if skin == "jars":
        return "recipe", "jars", "written down", " of pebbles"
    return "program", "registers", "printed", ""


def rules_told(
    skin: str, names: Iterable[str], rules: Iterable[Instruction], program: tuple[Line, ...]
) -> str:
    told = "\n".join(f"- {described(skin, name, rule)}" for name, rule in zip(names, rules))
    if any(line[0] == BACK for line in program):
        told += (
            "\n- BACK m n: continue with line m, the first n times that this line is carried"
            " out; after that, it does nothing."
        )
    return told


def letters_told(skin: str) -> str:
    """What p and q stand for."""
    _, things, _, _ = words(skin)
    meaning = f"In these rules, p and q are the two {things} that a line names, in this order."
    if skin == "jars":
        meaning += " Each letter also stands for the number of pebbles in its jar."
    return meaning


def end_told(skin: str, registers: int) -> str:
    _, _, printed, _ = words(skin)
    names = listed(NAMES[:registers])
    return f"After the last line, the contents of {names} are {printed}, too, in this order."


def numbered(names: tuple[str, ...], program: tuple[Line, ...]) -> str:
    return "\n".join(
        f"{number}. {line_written(names, line)}" for number, line in enumerate(program, 1)
    )


def line_written(names: tuple[str, ...], line: Line) -> str:
    place, first, second = line
    if place == BACK:
        return f"BACK {first + 1} {second}"
    return f"{names[place]} {NAMES[first]} {NAMES[second]}"


def canonical(
    rules: tuple[Instruction, ...], program: Iterable[Line]
) -> tuple[list[Instruction], list[Line]]:
    """Names do not matter, nor the order of the instructions."""
    order = sorted(range(len(rules)), key=lambda at: repr(rules[at]))
    new = {place: at for at, place in enumerate(order)} | {BACK: BACK, NOTHING: NOTHING}
    return [rules[at] for at in order], [(new[op], a, b) for op, a, b in program]


def rule_set(rules: Iterable[Instruction]) -> list[str]:
    """The instructions; p and q may change places."""
    return sorted(min(repr(rule), repr(mirrored(rule))) for rule in rules)


def shortened_rules(rules: tuple[Instruction, ...]) -> Iterator[tuple[Instruction, ...]]:
    """One branch of a case for both, or no effect in its place."""
    for place, changed in shortened_one_by_one(rules):
        yield (*rules[:place], changed, *rules[place + 1 :])


def shortened_one_by_one(rules: tuple[Instruction, ...]) -> Iterator[tuple[int, Instruction]]:
    """The same, as the place of the instruction that is changed, and what it becomes."""
    for place, rule in enumerate(rules):
        for changed in _shortened(rule):
            yield place, changed


def shortened_programs(program: tuple[Line, ...]) -> Iterator[tuple[Line, ...]]:
    """Nothing in the place of a line."""
    for at in range(len(program)):
        yield (*program[:at], (NOTHING, 0, 0), *program[at + 1 :])


def effects_of(rules: tuple[Instruction, ...]) -> float:
    """The effects of an instruction on average; more where there are cases."""
    effects = sum(len(then) + bool(condition) for condition, then, _ in rules)
    return effects / len(rules)


def _shortened(rule: Instruction) -> Iterator[Instruction]:
    condition, then, otherwise = rule
    if condition:
        yield (), then, then
        yield (), otherwise, otherwise
        for at in range(len(otherwise)):
            yield condition, then, otherwise[:at] + otherwise[at + 1 :]
    for at in range(len(then)):
        fewer = then[:at] + then[at + 1 :]
        yield condition, fewer, otherwise if condition else fewer


def mirrored(term: Any) -> Any:
    if isinstance(term, tuple):
        return term if term[:1] == ("swap",) else tuple(map(mirrored, term))
    return {"p": "q", "q": "p"}.get(term, term)
