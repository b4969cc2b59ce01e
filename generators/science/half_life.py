"""Half-life: radioactive samples decay; find an age, an amount or a half-life, exactly.

`solve` counts halvings; `verify` lets the clock run in steps of the common measure of all
half-lives, and halves what has to be halved.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import exactly, shown


@dataclass(frozen=True, slots=True)
class Knobs:
    samples: int  # that decay together
    halvings: int  # of one sample, at most
    goals: int  # of questions that there are


@dataclass(frozen=True, slots=True)
class Decay:
    unit: str  # of time
    lives: tuple[int, ...]  # half-lives
    amounts: tuple[int, ...]  # mg at first
    time: int  # after which the question is asked; 0 where the time is asked
    goal: str
    left: tuple[int, int]  # what is told of the end: a numerator and a denominator, in mg


def generate(rng: Random, knobs: Knobs) -> Decay | None:
    goal = GOALS[rng.randrange(knobs.goals)]
    count = max(knobs.samples, 2) if goal == "equal" else knobs.samples
    measure = rng.randint(1, 30)
    counts = [rng.randint(1, knobs.halvings) for _ in range(count)]
    whole = measure
    for each in counts:
        whole = whole * each // gcd(whole, each)
    if whole > 50_000 or len(set(counts)) < count:
        return None
    lives = [whole // each for each in counts]
    amounts = [rng.randint(1, 99) * 2 ** rng.randint(0, min(each, 5)) for each in counts]
    left = sum((Fraction(mg, 2**each) for mg, each in zip(amounts, counts)), Fraction(0))
    if goal == "equal":
        lives, counts = lives[:2], counts[:2]
        more = rng.randint(1, 60)
        amounts = [more * 2 ** counts[0], more * 2 ** counts[1]]
        left = Fraction(more)
    if goal == "share":
        left = Fraction(0)
    made = Decay(
        rng.choice(UNITS),
        tuple(lives),
        tuple(amounts),
        0 if goal in ("age", "equal") else whole,
        goal,
        (left.numerator, left.denominator) if goal in ("age", "life") else (0, 1),
    )
    if goal == "life":
        made = Decay(made.unit, (0, *lives[1:]), made.amounts, whole, goal, made.left)
    return made if solve(made) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(decay: Decay) -> Fraction | None:
    if any(life < 1 for life in decay.lives[decay.goal == "life" :]) or min(decay.amounts) < 1:
        return None
    told = Fraction(*decay.left) if decay.left[1] else Fraction(-1)
    match decay.goal:
        case "amount" | "share":
            parts = [_after(mg, life, decay.time) for mg, life in zip(decay.amounts, decay.lives)]
            if None in parts:
                return None
            left = [part for part in parts if part is not None]
            return sum(left, Fraction(0)) if decay.goal == "amount" else left[0] / sum(left)
        case "life":
            others = [
                _after(mg, life, decay.time) for mg, life in zip(decay.amounts[1:], decay.lives[1:])
            ]
            if None in others:
                return None
            mine = told - sum((part for part in others if part is not None), Fraction(0))
            number = _power(decay.amounts[0] / mine) if mine > 0 else None
            return Fraction(decay.time, number) if number else None
        case "age":
            for count in range(1, 13 * len(decay.lives)):
                # The time is a whole number of every half-life.
                time = count * _common(decay.lives)
                parts = [_after(mg, life, time) for mg, life in zip(decay.amounts, decay.lives)]
                if sum((part for part in parts if part is not None), Fraction(0)) == told:
                    return Fraction(time)
            return None
        case _:
            number = _power(Fraction(decay.amounts[0], decay.amounts[1]))
            rate = Fraction(1, decay.lives[0]) - Fraction(1, decay.lives[1])
            when = Fraction(number) / rate if number is not None and rate else None
            return when if when and when > 0 else None


def verify(decay: Decay, answer: Fraction) -> float:
    """A clock that ticks, and halves each sample at the end of each of its half-lives."""
    if answer <= 0:
        return 0.0
    lives, time = list(map(Fraction, decay.lives)), Fraction(decay.time)
    if decay.goal == "life":
        lives[0] = answer
    if decay.goal in ("age", "equal"):
        time = answer
    if any(time % life for life in lives) or time / min(lives) > 1000:
        return 0.0
    stock = list(map(Fraction, decay.amounts))
    rings = sorted(
        (count * life, at)
        for at, life in enumerate(lives)
        for count in range(1, int(time / life) + 1)
    )
    for _, at in rings:
        stock[at] /= 2
    match decay.goal:
        case "amount":
            return float(sum(stock) == answer)
        case "share":
            return float(stock[0] == answer * sum(stock))
        case "equal":
            return float(stock[0] == stock[1])
        case _:
            return float(decay.left[1] > 0 and sum(stock) == Fraction(*decay.left))


def render(decay: Decay, style: Style) -> Prompt:
    unit, names = decay.unit, [f"isotope {letter}" for letter in "ABCDEFGH"]
    single = len(decay.lives) == 1
    lines = []
    for name, life, amount in zip(names, decay.lives, decay.amounts):
        lived = f"half-life {life} {unit}" if life else "half-life unknown"
        lines.append(f"{name}: {amount} mg, {lived}")
    told = shown(Fraction(*decay.left))
    if single:
        known = f" with a half-life of {decay.lives[0]} {unit}" if decay.lives[0] else ""
        begin = f"A sample holds {decay.amounts[0]} mg of a radioactive isotope{known}."
    else:
        listing = "\n".join(lines)
        begin = f"A sample holds these radioactive isotopes:\n\n{listing}\n\n"
    rest = "of it is left" if single else "of them is left in all"
    goal, what = {
        "amount": (
            f"How many milligrams {'of it' if single else 'of them together'} are left after"
            f" {decay.time} {unit}?",
            "milligrams",
        ),
        "age": (
            f"After how many {unit} are exactly {told} mg left{'' if single else ' in all'}?",
            unit,
        ),
        "life": (
            f"After {decay.time} {unit}, {told} mg {rest}. What is the half-life of"
            f" {'the isotope' if single else names[0]}, in {unit}?",
            unit,
        ),
        "share": (
            f"What share of all that is left after {decay.time} {unit} is {names[0]}?",
            "",
        ),
        "equal": (
            f"After how many {unit} is as much left of {names[0]} as of {names[1]}?",
            unit,
        ),
    }[decay.goal]
    products = "What they decay into does not count." if not single else ""
    question = style.pick(
        f"{begin} {goal} {products}",
        f"Radioactive atoms halve in number with each half-life. {begin} {goal} {products}",
        f"Solve this problem of radioactive decay. {begin} {products} {goal}",
    ).strip()
    while "  " in question:
        question = question.replace("  ", " ")
    question = question.replace("\n ", "\n")
    return Prompt(
        question, form=exactly(what) if what else "the share as a fraction in lowest terms"
    )


def steps(decay: Decay) -> list[str]:
    answer = solve(decay)
    assert answer is not None, "generate keeps decays with an answer"
    time = answer if decay.goal in ("age", "equal") else Fraction(decay.time)
    lines = []
    for letter, life, amount in zip("ABCDEFGH", decay.lives, decay.amounts):
        long = Fraction(life) if life else answer
        number = time / long
        lines.append(
            f"{letter}: {shown(time)} {decay.unit} are {shown(number)} half-lives of {shown(long)},"
            f" and {amount} mg become {shown(Fraction(amount, 2 ** int(number)))} mg"
        )
    return [*lines, f"The answer is {answer}"]


def hardness(decay: Decay) -> float:
    answer = solve(decay) or Fraction(1)
    time = answer if decay.goal in ("age", "equal") else Fraction(decay.time)
    halvings = sum(time / (life or answer) for life in decay.lives)
    return 5 * len(decay.lives) + 2 * GOALS.index(decay.goal) + float(halvings) / 2


def canon(decay: Decay) -> tuple[object, ...]:
    return decay.lives, decay.amounts, decay.time, decay.goal, decay.left


def _after(amount: int, life: int, time: int) -> Fraction | None:
    return None if life < 1 or time % life else Fraction(amount, 2 ** (time // life))


def _power(ratio: Fraction) -> int | None:
    """Which power of 2 a ratio is."""
    for number in range(1, 40):
        if ratio == 2**number:
            return number
        if ratio * 2**number == 1:
            return -number
    return None


def _common(lives: tuple[int, ...]) -> int:
    whole = 1
    for life in lives:
        whole = whole * life // gcd(whole, life)
    return whole


GOALS = ("amount", "age", "life", "equal", "share")
UNITS = ("years", "days", "hours", "minutes")
LADDER = (Knobs(1, 4, 1), Knobs(1, 9, 3), Knobs(2, 8, 4), Knobs(3, 8, 5), Knobs(5, 12, 5))
FAMILY = Family(
    Decay,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="halvings counted",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "powers", "fractions"),
    peers=("Guru/science",),
    version=2,
)
