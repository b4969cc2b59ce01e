"""Hidden instruction: a machine has one instruction that is not told; what does a program do?

The instruction has a told form: effects one after the other, or two cases of them. All instructions
of this form that explain the examples bring the program to the same end. `solve` goes through every
instruction and does not look at the one that was drawn; `verify` runs that one, as its words tell
it. Each example is needed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import log2
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._effect_space import (
    CONDITIONS,
    EFFECTS,
    Chain,
    Effect,
    Example,
    Pair,
    all_met,
    carried,
    every,
    fitting,
    met,
)
from puzzlemill.generators.worlds._examples import fewest
from puzzlemill.generators.worlds._instructions import (
    NAMES,
    SKINS,
    Instruction,
    Line,
    described,
    worded,
)
from puzzlemill.generators.worlds._machine_reader import carried_out, followed
from puzzlemill.generators.worlds._program_terms import (
    numbered,
    rule_set,
    shortened_rules,
    words,
)

POOL = 7  # examples of a case to choose from
DRAWS = 12
MOST = 999  # that a register holds in the end


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of changes that the instruction may make
    effects: int  # changes of each case
    cases: int  # of the instruction
    registers: int  # of the machine
    lines: int  # of the program


@dataclass(frozen=True, slots=True)
class Hidden:
    skin: str
    name: str
    kinds: tuple[str, ...]  # of changes that the instruction may make
    instruction: Instruction  # not told
    examples: tuple[Example, ...]  # p and q before and after
    program: tuple[Line, ...]
    start: tuple[int, ...]  # what the registers hold


def generate(rng: Random, knobs: Knobs) -> Hidden | None:
    skin, name = rng.choice(sorted(SKINS)), coined(rng, 1)[0].upper()
    drawn = rng.sample(list(EFFECTS), min(knobs.kinds, len(EFFECTS)))
    kinds = tuple(kind for kind in EFFECTS if kind in drawn)
    for _ in range(DRAWS):
        rule = drawn_rule(rng, knobs, kinds)
        pairs = dict.fromkeys(
            (rng.randint(1, 16), rng.randint(1, 16)) for _ in range(POOL * knobs.cases)
        )
        examples = tuple((pair, _after(rule, pair)) for pair in pairs)
        start = tuple(rng.randint(1, 12) for _ in range(knobs.registers))
        places = (rng.sample(range(knobs.registers), 2) for _ in range(knobs.lines))
        program = tuple((0, p, q) for p, q in places)
        hidden = Hidden(skin, name, kinds, rule, examples, program, start)
        gold = _ran(hidden, rule)
        idle = any(_ran(hidden, fewer) == gold for (fewer,) in shortened_rules((rule,)))
        if idle or max(gold) > MOST:
            continue
        if kept := fewest(examples, _reader(hidden), gold):
            return replace(hidden, examples=kept)
    return None


def drawn_rule(rng: Random, knobs: Knobs, kinds: tuple[str, ...]) -> Instruction:
    effects = [term for *_, term in every(kinds)]
    then, other = (tuple(rng.choices(effects, k=knobs.effects)) for _ in "ab")
    if knobs.cases == 1:
        return (), then, then
    conditions = [term for *_, term in every((*CONDITIONS,))]
    return rng.choice(conditions), then, other


def solve(hidden: Hidden) -> tuple[int, ...] | None:
    return _reader(hidden)(hidden.examples)


def verify(hidden: Hidden, held: tuple[int, ...]) -> float:
    return float(_ran(hidden, hidden.instruction) == held)


def render(hidden: Hidden, style: Style) -> Prompt:
    noun, things, _, of = words(hidden.skin)
    names = NAMES[: len(hidden.start)]
    held = ", ".join(f"{name} = {number}" for name, number in zip(names, hidden.start))
    told = {kind: worded(hidden.skin, term) for kind, (term, _) in (EFFECTS | CONDITIONS).items()}
    changes = "\n".join(f"- {told[kind]}{_range(kind)}" for kind in hidden.kinds)
    shown = "\n".join(
        f"p = {p}, q = {q} -> p = {after[0]}, q = {after[1]}" for (p, q), after in hidden.examples
    )
    two = len(hidden.instruction[1]) > 1
    made = f"{'two changes' if two else 'one change'} of the kinds below"
    made += ", one after the other" if two else ""
    form = f"It always makes {made}."
    if hidden.instruction[0]:
        tests = "; ".join(f"{told[kind]}{_range(kind)}" for kind in CONDITIONS)
        form = (
            f"It tests a condition. If the condition holds, it makes {made}; otherwise, it makes"
            f" {'two others' if two else 'another one'}. The condition is one of these: {tests}."
        )
    form += (
        " x and y stand for p and q, in either order, and N for a number; they may stand for others"
        " at another place of the rule."
    )
    if hidden.skin == "jars":
        form += " Each letter also stands for the number of pebbles in its jar."
    if two:
        form += " The second change begins with what the first has made; both may be of one kind."
    what = (f"the instruction {hidden.name} p q, where p and q are the {things} that a line of the"
            f" {noun} names, in this order")  # fmt: skip
    program = numbered((hidden.name,), hidden.program)
    sure = f"All instructions of this form that fit the examples bring the {noun} to the same end."
    return Prompt(
        style.pick(
            f"A machine has the {things} {listed(names)}, which hold whole numbers{of}, and"
            f" {what}. What it does is hidden, but these examples show p and q before and after"
            f" it:\n\n{shown}\n\n{form} The kinds of changes:\n\n{changes}\n\n{sure} At the start,"
            f" {held}. This is the {noun}:\n\n{program}\n\nWhich numbers do they hold at the end?",
            f"A {noun} for the {things} {listed(names)}, which begin with {held}:\n\n{program}\n\n"
            f"It uses {what}. The meaning of {hidden.name} must be found. {form} The kinds of"
            f" changes:\n\n{changes}\n\nExamples of p and q before and after {hidden.name}:\n\n"
            f"{shown}\n\n{sure} Which numbers{of} are in {listed(names)} after the last line?",
            f"Examples of {what} (p and q are shown before and after it):\n\n{shown}\n\nNobody says"
            f" what it does, only its form. {form}\n\n{changes}\n\n{sure} With {held} at the start,"
            f" run this {noun}:\n\n{program}\n\nGive the contents of {listed(names)} at the end.",
        ),
        form=f"the numbers in {listed(names)} in this order, separated by commas",
    )


def steps(hidden: Hidden) -> list[str]:
    """The instruction, and the registers after each line."""
    lines, _ = followed((hidden.instruction,), hidden.program, hidden.start)
    return [described(hidden.skin, hidden.name, hidden.instruction), *lines]


def slips(rng: Random, hidden: Hidden, gold: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """An effect is forgotten or taken for another one, or one case for both."""
    condition, *branches = hidden.instruction
    others = [it for (it,) in shortened_rules((hidden.instruction,))]
    effects = [term for *_, term in every(hidden.kinds)]
    for effect in rng.sample(effects, min(8, len(effects))):
        then, other = ((*branch[:-1], effect) for branch in branches)
        others += [(condition, then, branches[1] if condition else then)]
        others += [(condition, branches[0], other)] if condition else []
    for rule in rng.sample(others, len(others)):
        yield _ran(hidden, rule)


def kin(hidden: Hidden) -> list[str]:
    return rule_set((hidden.instruction,))


def canon(hidden: Hidden) -> list[object]:
    return [hidden.kinds, hidden.instruction, sorted(hidden.examples), hidden.program, hidden.start]


def without(hidden: Hidden) -> Iterator[Hidden]:
    for at in range(len(hidden.examples)):
        yield replace(hidden, examples=hidden.examples[:at] + hidden.examples[at + 1 :])


def hardness(hidden: Hidden) -> float:
    """The instructions of the told form, by order of magnitude, and the lines to run."""
    condition, then, _ = hidden.instruction
    effects = log2(len(every(hidden.kinds))) * len(then)
    conditions = log2(len(every((*CONDITIONS,))))
    return effects * (1 + bool(condition)) + conditions * bool(condition) + len(hidden.program)


def _ran(hidden: Hidden, rule: Instruction) -> tuple[int, ...]:
    """The interpreter: what the registers hold in the end, by an instruction."""
    held = dict(zip(NAMES, hidden.start))
    for _, p, q in hidden.program:
        carried_out(held, rule, NAMES[p], NAMES[q], [])
    return tuple(held.values())


def _after(rule: Instruction, pair: Pair) -> Pair:
    held = dict(zip("pq", pair))
    carried_out(held, rule, "p", "q", [])
    return held["p"], held["q"]


def _reader(hidden: Hidden) -> Callable[[tuple[Example, ...]], tuple[int, ...] | None]:
    """What all instructions that fit examples bring about; None where they differ."""
    explained = fitting(hidden.kinds, len(hidden.instruction[1]), hidden.examples)
    every_one = (1 << len(hidden.examples)) - 1
    conditions: list[tuple[Effect | None, int]] = [(None, every_one)]  # with examples that meet it
    if hidden.instruction[0]:
        meets = zip(*(all_met(pair) for pair, _ in hidden.examples), strict=True)
        conditions = [
            (each[:3], sum(1 << at for at, is_met in enumerate(row) if is_met))
            for each, row in zip(every((*CONDITIONS,)), meets, strict=True)
        ]

    @cache
    def able(examples: int) -> list[Chain | None]:
        """The rows of effects that explain examples; without any, a row may be anything."""
        if not examples:
            return [None]
        return [chain for bits, chain in explained if bits & examples == examples]

    def agreed(examples: tuple[Example, ...]) -> tuple[int, ...] | None:
        kept = set(examples)
        mask = sum(1 << at for at, example in enumerate(hidden.examples) if example in kept)
        ends = set[tuple[int, ...]]()
        for condition, here in conditions:
            firsts = able(mask & here)
            for first, second in product(firsts, able(mask & ~here) if firsts else ()):
                end = _end(hidden, condition, first, second)
                if end is None:
                    return None
                ends.add(end)
                if len(ends) > 1:
                    return None
        return ends.pop() if ends else None

    return agreed


def _end(
    hidden: Hidden,
    condition: Effect | None,
    first: Chain | None,
    second: Chain | None,
) -> tuple[int, ...] | None:
    held = list(hidden.start)
    for _, p, q in hidden.program:
        pair = held[p], held[q]
        chain = first if condition is None or met(*condition, pair) else second
        if chain is None:
            return None
        held[p], held[q] = carried(chain, pair)
    return tuple(held)


def _range(kind: str) -> str:
    _, (low, high) = (EFFECTS | CONDITIONS)[kind]
    return f", N being {low} to {high}" if high else ""


LADDER = (
    Knobs(4, 1, 1, 2, 2),
    Knobs(7, 1, 1, 2, 3),
    Knobs(8, 1, 2, 2, 3),
    Knobs(10, 1, 2, 3, 4),
    Knobs(10, 2, 2, 3, 4),
)
FAMILY = Family(
    Hidden,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="every instruction of the form",
    guess_rate=0.08,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    slips=slips,
    skills=("induction", "tracking", "rules"),
    theme="hidden_rules",
)
