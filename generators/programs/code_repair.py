"""Code repair: one number or sign of a function is wrong; write it as described.

The faulty program is a right one in which one thing was changed, shown to fail by the tests that
judge the answer. Any program that does what the description says is right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.program.tree import Block
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.programs import _list_steps as list_steps
from puzzlemill.generators.programs import list_code

ANSWER = answers.Program("f", ("xs",))


@dataclass(frozen=True, slots=True)
class Faulty:
    steps: tuple[list_steps.Step, ...]
    end: str
    program: str  # with the fault


def generate(rng: Random, knobs: list_code.Knobs) -> Faulty | None:
    task = list_code.generate(rng, knobs)
    if task is None:
        return None
    changed = ANSWER.near(list_code.solve(task), rng)
    if list_code.verify(task, changed):
        return None
    return Faulty(task.steps, task.end, ANSWER.write(changed))


def solve(faulty: Faulty) -> Block:
    return list_code.solve(_task(faulty))


def verify(faulty: Faulty, program: Block) -> float:
    return list_code.verify(_task(faulty), program)


def recheck(faulty: Faulty, program: Block) -> bool:
    return list_code.recheck(_task(faulty), program)


def render(faulty: Faulty, style: Style) -> Prompt:
    lines = "\n".join(list_steps.wording(faulty.steps, faulty.end))
    code = f"```python\n{faulty.program}\n```"
    return Prompt(
        style.pick(
            f"The function f(xs) takes a list of integers, which may be empty, and should do the"
            f" following, step by step:\n\n{lines}\n\nThis version has a mistake:\n\n{code}\n\n"
            f"Write the function without the mistake. {list_code.LANGUAGE}",
            f"This Python function gives wrong results:\n\n{code}\n\nxs is a list of integers and"
            f" may be empty. The function should work in these steps, each on the result of the"
            f" one before:\n\n{lines}\n\nCorrect it. {list_code.LANGUAGE}",
            f"Somebody implemented the following steps on a list xs of integers, which may be"
            f" empty:\n\n{lines}\n\nThere is one mistake in the code:\n\n{code}\n\nGive the"
            f" corrected function. {list_code.LANGUAGE}",
        ),
        form="the complete function f(xs) as Python code",
    )


def canon(faulty: Faulty) -> list[object]:
    return [list_code.canon(_task(faulty)), faulty.program]


def kin(faulty: Faulty) -> list[object]:
    return list_code.canon(_task(faulty))


def hardness(faulty: Faulty) -> float:
    return list_code.hardness(_task(faulty))


def slips(rng: Random, faulty: Faulty, program: Block) -> Iterator[Block]:
    """The mistake stays, or another one is made."""
    as_given = ANSWER.read(faulty.program)
    assert as_given is not None, "the faulty program is in the language"
    yield as_given
    yield from list_code.slips(rng, _task(faulty), program)


def _task(faulty: Faulty) -> list_code.Task:
    return list_code.Task(faulty.steps, faulty.end)


FAMILY = Family(
    Faulty,
    list_code.LADDER,
    generate,
    solve,
    verify,
    render,
    answer=ANSWER,
    hardness=hardness,
    solver="loops written from the description",
    guess_rate=0.1,  # short tasks are what many functions do
    recheck=recheck,
    canon=canon,
    kin=kin,
    slips=slips,
    skills=("programming", "debugging"),
    version=5,
)
