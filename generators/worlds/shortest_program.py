"""Shortest program: which drawn instructions, as few as possible, bring two numbers to two others?

Several shortest programs may exist, so `verify` reads the answer as the prompt tells it and works
through all shorter programs, while `solve` searches breadth first with compiled instructions. Some
instructions are needed by every shortest program; others may distract.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import log2
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._instructions import (
    NAMES,
    SKINS,
    Instruction,
    described,
    instruction,
)
from puzzlemill.generators.worlds._machine_engine import acted
from puzzlemill.generators.worlds._machine_reader import carried_out
from puzzlemill.generators.worlds._program_terms import (
    mirrored,
    shortened_rules,
    words,
)

State: TypeAlias = tuple[int, int]
# What instructions make of states, kept: the same states come up without each of them.
Acts: TypeAlias = dict[Instruction, Callable[[State], State]]

FAR = 1000  # numbers of the goal are less
MOST = 20_000  # states that a search may reach
BARRED = ("print", "skip")  # effects that no instruction has
DRAWS = 3  # of a start for the same instructions


@dataclass(frozen=True, slots=True)
class Knobs:
    instructions: int  # that there are
    needed: int  # of them, by every shortest program
    double: int  # instructions with two effects; the others have one
    cases: int  # instructions that tell two cases apart
    steps: int  # of a shortest program


@dataclass(frozen=True, slots=True)
class Task:
    skin: str
    names: tuple[str, ...]
    instructions: tuple[Instruction, ...]
    needed: tuple[int, ...]  # places of those without which no program is as short
    start: State
    goal: State


def generate(rng: Random, knobs: Knobs) -> Task | None:
    skin = rng.choice(sorted(SKINS))
    names = tuple(name.upper() for name in coined(rng, knobs.instructions))
    rules = tuple(
        _silent(rng, 1 + (0 <= place - knobs.cases < knobs.double), place < knobs.cases)
        for place in range(knobs.instructions)
    )
    if len(set(rules)) < len(rules):
        return None
    acts: Acts = {}
    for _ in range(DRAWS):
        start = rng.randint(1, 12), rng.randint(1, 12)
        layers = list(_layers(rules, start, knobs.steps, acts))
        last = [s for s in (layers[knobs.steps] if layers[knobs.steps :] else ()) if max(s) < FAR]
        goals = rng.sample(sorted(last), min(2, len(last)))
        for goal, needed in zip(goals, _needed(rules, layers, goals, acts)):
            if len(needed) < knobs.needed:
                continue
            task = Task(skin, names, rules, needed, start, goal)
            if not any(_reaches(fewer, knobs.steps, acts) for fewer in _shortened(task)):
                return task
    return None


def solve(task: Task) -> tuple[str, ...] | None:
    """Breadth first from the start, with the instruction that led to each pair of numbers."""
    acts = [(name, _act(rule)) for name, rule in zip(task.names, task.instructions, strict=True)]
    came_from: dict[State, tuple[State, str]] = {}
    waiting = [task.start]
    for state in waiting:  # it grows
        if state == task.goal or len(waiting) > MOST:
            break
        for name, act in acts:
            after = act(state)
            if after not in came_from and after != task.start:
                came_from[after] = state, name
                waiting.append(after)
    if task.goal not in came_from:
        return None
    program, state = list[str](), task.goal
    while state != task.start:
        state, name = came_from[state]
        program.append(name.lower())
    return tuple(reversed(program))


def verify(task: Task, program: tuple[str, ...]) -> float:
    states = _read(task, program)
    if not states or states[-1] != task.goal:
        return 0.0
    reached = {task.start}
    for _ in program:
        if task.goal in reached:
            return 0.0
        reached |= {_carried_out(rule, state) for state in reached for rule in task.instructions}
    return 1.0


def recheck(task: Task, program: tuple[str, ...]) -> bool:
    """By compiled instructions, and by asking of each state whether the goal is near enough."""
    rules = dict(zip((name.lower() for name in task.names), task.instructions))
    state = task.start
    for name in program:
        if name not in rules:
            return False
        state = _act(rules[name])(state)
    acts = [_act(rule) for rule in task.instructions]

    @cache
    def near(state: State, left: int) -> bool:
        return state == task.goal or (left > 0 and any(near(act(state), left - 1) for act in acts))

    return state == task.goal and not any(near(task.start, depth) for depth in range(len(program)))


def render(task: Task, style: Style) -> Prompt:
    noun, things, _, of = words(task.skin)
    told = "\n".join(
        f"- {described(task.skin, name, rule).replace(' p q:', ':')}"
        for name, rule in zip(task.names, _in_capitals(task.instructions), strict=True)
    )
    start, goal = (
        listed(f"{name} = {number}" for name, number in zip(NAMES, state))
        for state in (task.start, task.goal)
    )
    each = " Each letter also stands for the number of pebbles in its jar."
    meaning = each if task.skin == "jars" else ""
    order = "The effects of an instruction happen one after the other, in the order given."
    return Prompt(
        style.pick(
            f"The {things} A and B hold whole numbers{of}. These are the only instructions:\n\n"
            f"{told}\n\n{order}{meaning} At the start, {start}. Write a {noun} with as few"
            f" instructions as possible after which {goal}. An instruction may be used several"
            " times, or never.",
            f"From {start} to {goal}: find a shortest {noun} that brings the {things} A and B,"
            f" which hold whole numbers{of}, from the first to the second. Each of its lines is one"
            f" of these instructions, which may be repeated and need not all be used:\n\n{told}\n\n"
            f"{order}{meaning} If there are several shortest ones, give any of them.",
            f"Instructions:\n\n{told}\n\n{order}{meaning} They work on two {things} A and B, which"
            f" hold whole numbers{of}.\n\nStart: {start}\nGoal: {goal}\n\nIn which order must"
            " instructions be carried out to reach the goal after the fewest of them? Any one may"
            " be carried out more than once, and some perhaps not at all.",
        ),
        form=f"the names of the {noun}'s instructions, in order, separated by commas",
    )


def steps(task: Task) -> list[str]:
    """What A and B hold after each instruction."""
    program = solve(task) or ()
    return [
        f"{name.upper()}: A = {a}, B = {b}" for name, (a, b) in zip(program, _read(task, program))
    ]


def canon(task: Task) -> list[object]:
    return [sorted(map(repr, task.instructions)), task.start, task.goal]


def kin(task: Task) -> list[str]:
    """The instructions that are needed; A and B may change places in all of them."""
    rules = [task.instructions[place] for place in task.needed]
    return min(sorted(map(repr, each)) for each in (rules, map(mirrored, rules)))


def without(task: Task) -> Iterator[Task]:
    yield from (_left_out(task, place) for place in task.needed)
    yield from _shortened(task)


def hardness(task: Task) -> float:
    """The steps, and by order of magnitude the states as near to the start as the goal."""
    count = len(solve(task) or ())
    return count + log2(sum(map(len, _layers(task.instructions, task.start, count, {}))))


def _silent(rng: Random, effects: int, cases: bool) -> Instruction:
    while True:
        rule = instruction(rng, effects, cases)
        if not any(word in repr(rule) for word in BARRED):
            return rule


def _left_out(task: Task, place: int) -> Task:
    names, rules = task.names, task.instructions
    return replace(
        task,
        names=names[:place] + names[place + 1 :],
        instructions=rules[:place] + rules[place + 1 :],
        needed=(),
    )


def _shortened(task: Task) -> Iterator[Task]:
    """A needed instruction without a branch or an effect."""
    for rules in shortened_rules(task.instructions):
        changed = [at for at in range(len(rules)) if rules[at] != task.instructions[at]]
        if changed and changed[0] in task.needed:
            yield replace(task, instructions=rules)


@lru_cache(maxsize=4096)
def _act(rule: Instruction) -> Callable[[State], State]:
    carry_out = acted(rule)

    def act(state: State) -> State:
        registers = list(state)
        carry_out(registers, [], (0, 1))
        a, b = registers
        return a, b

    return act


def _kept(rules: tuple[Instruction, ...], known: Acts) -> list[Callable[[State], State]]:
    return [known.get(rule) or known.setdefault(rule, cache(_act(rule))) for rule in rules]


def _layers(
    rules: tuple[Instruction, ...], start: State, depth: int, known: Acts
) -> Iterator[set[State]]:
    """The states at each distance up to a depth, or until there are too many of them."""
    acts = _kept(rules, known)
    layer, reached = {start}, {start}
    yield layer
    while layer and depth > 0 and len(reached) <= MOST:
        layer = {act(state) for state in layer for act in acts} - reached
        reached |= layer
        depth -= 1
        yield layer


def _needed(
    rules: tuple[Instruction, ...], layers: list[set[State]], goals: list[State], known: Acts
) -> list[tuple[int, ...]]:
    """By goal in the last layer: the places of the instructions that each shortest way has."""
    acts = [(~(1 << place), act) for place, act in enumerate(_kept(rules, known))]
    # By state: the places that some way does without, as bits.
    spared = dict.fromkeys(layers[0], -1)
    for layer in layers[1:] if goals else ():
        after = dict.fromkeys(layer, 0)
        for state, places in spared.items():
            for others, act in acts:
                then = act(state)
                if then in after:
                    after[then] |= places & others
        spared = after
    return [tuple(at for at in range(len(rules)) if not spared[goal] >> at & 1) for goal in goals]


def _reaches(task: Task, depth: int, known: Acts) -> bool:
    """Whether so many instructions or fewer lead to the goal."""
    layer, acts = set[State](), _kept(task.instructions, known)
    for layer in _layers(task.instructions, task.start, depth - 1, known):
        if task.goal in layer:
            return True
    return any(act(state) == task.goal for state in layer for act in acts)


def _read(task: Task, program: tuple[str, ...]) -> list[State]:
    """The interpreter: the states after each instruction; none if one is not known."""
    rules = dict(zip((name.lower() for name in task.names), task.instructions))
    states, state = list[State](), task.start
    for name in program:
        if name not in rules:
            return []
        state = _carried_out(rules[name], state)
        states.append(state)
    return states


def _carried_out(rule: Instruction, state: State) -> State:
    held = dict(zip(NAMES, state))
    carried_out(held, rule, "A", "B", [])
    return held["A"], held["B"]


def _in_capitals(rules: Any) -> Any:
    """Instructions on A and B in the place of p and q."""
    if isinstance(rules, tuple):
        return tuple(map(_in_capitals, rules))
    return {"p": "A", "q": "B"}.get(rules, rules)


LADDER = (
    Knobs(2, 2, 0, 0, 3),
    Knobs(3, 2, 0, 0, 4),
    Knobs(3, 2, 0, 1, 5),
    Knobs(4, 2, 1, 1, 6),
    Knobs(5, 3, 2, 1, 6),
)
FAMILY = Family(
    Task,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="names of instructions, in order"),
    hardness=hardness,
    solver="breadth-first search from the start",
    guess_rate=0.15,
    recheck=recheck,
    steps=steps,
    canon=canon,
    kin=kin,
    known=lambda task: task.names,
    without=without,
    skills=("search", "calculation", "instructions"),
    theme="invented_machine",
    version=3,
)
