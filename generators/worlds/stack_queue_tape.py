"""Stack, queue, tape: run a program on one of them, whose instructions are drawn.

The output is a function of the program. `solve` works on lists with an index; `verify` reads each
line anew, as the prompt tells it, on a row that is turned so that its first place is worked on.
Without any effect of an instruction, any branch of a case or any line, the output is another.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.prose import counted
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._instructions import (
    BACK,
    NOTHING,
    Effects,
    Instruction,
    Line,
)
from puzzlemill.generators.worlds._program_terms import (
    FAR,
    canonical,
    effects_of,
    shortened_one_by_one,
    shortened_programs,
    shortened_rules,
)
from puzzlemill.generators.worlds._store_engine import (
    NOTHING_DONE,
    Reached,
    begun,
    closures,
    compiled,
    copied,
    lines_of,
    run,
)
from puzzlemill.generators.worlds._store_terms import (
    SKINS,
    STORES,
    carried_out,
    described,
    instruction,
    numbered,
)

DRAWS = 30  # of a program for the same instructions


@dataclass(frozen=True, slots=True)
class Knobs:
    instructions: int  # that there are
    effects: int  # of each of them
    cases: int  # instructions that tell two cases apart
    held: int  # numbers at the start
    lines: int  # of the program
    loops: int  # lines that go back


@dataclass(frozen=True, slots=True)
class Machine:
    store: str  # stack, queue or tape
    skin: int
    names: tuple[str, ...]  # of the instructions
    instructions: tuple[Instruction, ...]
    program: tuple[Line, ...]  # an instruction, its number or 0, and 0; or BACK, line, times
    start: tuple[int, ...]  # from the top, from the front, or from the current cell to the right


def generate(rng: Random, knobs: Knobs) -> Machine | None:
    store = rng.choice(STORES)
    count = min(knobs.instructions, knobs.lines)
    cases = min(knobs.cases, count, max(0, knobs.lines - count))
    rules = tuple(instruction(rng, store, knobs.effects, at < cases) for at in range(count))
    names = tuple(name.upper() for name in coined(rng, count))
    skin = rng.randrange(len(SKINS[store]))
    if len(set(rules)) < count:
        return None
    ready, numbers = compiled(store, rules), [numbered(rule) for rule in rules]
    for _ in range(DRAWS):
        start = tuple(rng.randint(1, 12) for _ in range(knobs.held))
        program = _drawn_program(rng, numbers, cases, knobs)
        reached: Reached = {}
        gold = run(store, lines_of(ready, program), begun(store, program, start), reached)
        if not gold or len(gold) < 2 or max(gold) >= FAR:
            continue
        taken = {(program[at][0], is_met) for at, is_met in reached}
        if any((at, False) not in taken or (at, True) not in taken for at in range(cases)):
            continue  # most often a branch is never taken
        machine = Machine(store, skin, names, rules, program, start)
        if not _is_idle(machine, reached, gold):
            return machine
    return None


def solve(machine: Machine) -> tuple[int, ...] | None:
    """On a list: a stack's top is its end, a queue's front its start, a tape's cell an index."""
    lines = lines_of(compiled(machine.store, machine.instructions), machine.program)
    return run(machine.store, lines, begun(machine.store, machine.program, machine.start))


def verify(machine: Machine, printed: tuple[int, ...]) -> float:
    followed = _followed(machine)
    return float(followed is not None and followed[1] == printed)


def render(machine: Machine, style: Style) -> Prompt:
    noun, scene, _, printed = SKINS[machine.store][machine.skin]
    rules = list(zip(machine.names, machine.instructions))
    told = "\n".join(f"- {described(machine.store, machine.skin, *each)}" for each in rules)
    if any(line[0] == BACK for line in machine.program):
        told += (
            "\n- BACK m k: continue with line m, the first k times that this line is carried out;"
            " after that, it does nothing."
        )
    lines = [_written(machine, line) for line in machine.program]
    program = "\n".join(f"{at}. {line}" for at, line in enumerate(lines, 1))
    if any(numbered(rule) for _, rule in rules):
        told += "\n\nIn these rules, n is the number that the line of the program gives."
    order = {"stack": "from top to bottom", "queue": "from front to back"}.get(
        machine.store, "from the first cell to the last"
    )
    ring = ""
    if machine.store == "tape":
        ring = (
            " The next cell is the one to the right of the current cell. The ends are joined:"
            " to the right of the last cell is the first one. At the start, the first cell is the"
            " current one."
        )
    held = f"At the start, the {noun} holds these numbers, {order}: {_row(machine.start)}.{ring}"
    end = (
        f"After the last line, all numbers that the {noun} then holds are {printed}, too, {order}."
    )
    return Prompt(
        style.pick(
            f"{scene} {held}\n\nThese instructions are invented:\n\n{told}\n\nThis program is"
            f" carried out:\n\n{program}\n\n{end} Which numbers are {printed} in all?",
            f"Follow a program of {counted(len(lines), 'line')}.\n\n{program}\n\n{scene} {held}"
            f" The words of the program mean the following:\n\n{told}\n\n{end} Give the complete"
            f" list of numbers that are {printed}.",
            f"These are the instructions for a {noun}:\n\n{told}\n\n{scene} {held}\n\nThe program"
            f" is:\n\n{program}\n\n{end} What is {printed}, from the first number to the last?",
        ),
        form=f"all numbers in the order in which they are {printed}, separated by commas",
    )


def steps(machine: Machine) -> list[str]:
    """What is held after each line that is run."""
    followed = _followed(machine)
    return followed[0] if followed else []


def progress(machine: Machine, lines: Lines) -> float:
    return states_followed(FAMILY, machine, lines)


def canon(machine: Machine) -> list[object]:
    rules, program = canonical(machine.instructions, machine.program)
    return [machine.store, rules, program, machine.start]


def kin(machine: Machine) -> list[str]:
    """The store and the instructions, whatever they are called."""
    return [machine.store, *sorted(map(repr, machine.instructions))]


def without(machine: Machine) -> Iterator[Machine]:
    for rules in shortened_rules(machine.instructions):
        yield replace(machine, instructions=rules)
    for program in shortened_programs(machine.program):
        yield replace(machine, program=program)


def hardness(machine: Machine) -> float:
    """Lines that are run, times the effects of an instruction; more where there are cases."""
    return len(steps(machine)) * effects_of(machine.instructions)


def _drawn_program(rng: Random, numbers: list[bool], cases: int, knobs: Knobs) -> tuple[Line, ...]:
    """Every instruction once, those with cases twice as far as there is room, and others. `numbers`
    tells which are given a number."""
    count = len(numbers)
    spare = rng.choices(range(count), k=knobs.lines - count - cases)
    places = [*range(count), *range(cases), *spare]
    rng.shuffle(places)
    program: list[Line] = [
        (place, rng.randint(1, 9) if numbers[place] else 0, 0) for place in places
    ]
    for _ in range(knobs.loops):
        at = rng.randint(2, len(program))
        program.insert(at, (BACK, rng.randint(max(0, at - 4), at - 2), rng.randint(1, 3)))
    return tuple(program)


def _is_idle(machine: Machine, reached: Reached, gold: tuple[int, ...]) -> bool:
    """Whether the output is the same without some effect, branch or line. Up to where a shortened
    machine first does something else, all is as it was."""
    store, program, rules = machine.store, machine.program, machine.instructions
    lines = lines_of(compiled(store, rules), program)
    for at in reversed(range(len(program))):  # late ones matter least, and are soon run
        state = next((state for (line, _), state in reached.items() if line == at), None)
        fewer = [*lines[:at], (NOTHING_DONE, 0), *lines[at + 1 :]]
        if state is None or run(store, fewer, copied(state)) == gold:
            return True
    for place, rule in shortened_one_by_one(rules):
        state = next(
            (
                state
                for (at, is_met), state in reached.items()
                if program[at][0] == place
                and _branch(rule, is_met) != _branch(rules[place], is_met)
            ),
            None,
        )
        shorter = closures(store, rule)
        fewer = [
            (shorter if each == place else ready, number)
            for (each, _, _), (ready, number) in zip(program, lines)
        ]
        if state is None or run(store, fewer, copied(state)) == gold:
            return True
    return False


def _branch(rule: Instruction, is_met: bool) -> Effects:
    condition, then, otherwise = rule
    return then if is_met or not condition else otherwise


def _written(machine: Machine, line: Line) -> str:
    place, number, times = line
    if place == BACK:
        return f"BACK {number + 1} {times}"
    given = f" {number}" if numbered(machine.instructions[place]) else ""
    return f"{machine.names[place]}{given}"


def _followed(machine: Machine) -> tuple[list[str], tuple[int, ...]] | None:
    """A line of words for each that is run, and all that is printed, by the interpreter."""
    held, output, lines = deque(machine.start), list[int](), list[str]()
    reached: dict[int, int] = {}
    number, moved = 1, 0
    while number <= len(machine.program):
        place, first, times = machine.program[number - 1]
        following = number + 1
        if place == BACK:
            reached[number] = reached.get(number, 0) + 1
            following = first + 1 if reached[number] <= times else following
        elif place != NOTHING:
            rule = machine.instructions[place]
            then = carried_out(machine.store, held, rule, first, output)
            if then is None:
                return None
            moved, following = moved + then[0], following + then[1]
        shown = deque(held)
        shown.rotate(moved)
        cell = f", cell {moved % len(held) + 1}" if machine.store == "tape" else ""
        lines.append(f"line {number}: {_row(shown)}{cell}")
        number = following
    held.rotate(moved)
    return lines, (*output, *held)


def _row(held: tuple[int, ...] | deque[int]) -> str:
    return ", ".join(map(str, held)) or "none"


LADDER = (
    Knobs(1, 1, 0, 3, 2, 0),
    Knobs(2, 1, 1, 3, 4, 0),
    Knobs(3, 2, 1, 4, 5, 1),
    Knobs(4, 2, 2, 5, 7, 1),
    Knobs(5, 2, 3, 5, 9, 2),
)
FAMILY = Family(
    Machine,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="lists with an index",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    kin=kin,
    without=without,
    skills=("tracking", "instructions"),
)
