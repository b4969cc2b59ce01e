"""Gas law: a fixed or leaking amount of an ideal gas is heated, squeezed and let out.

`solve` scales the unknown quantity change by change; `verify` keeps the constant of the gas, p V
divided by n T, and puts the asked quantity back into it.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.generators.science._quantities import EXACT, shown

# What is changed ("p", "V", "T" or "n"), what follows, a numerator and a denominator: the new value
# is that, or for "n" the share of the gas that is left.
Change: TypeAlias = tuple[str, str, int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    changes: int  # of the gas, one after another
    kinds: int  # of changes that there are
    celsius: float  # the share of puzzles that tell temperatures in degrees Celsius


@dataclass(frozen=True, slots=True)
class Gas:
    gas: str
    pressure: int  # kPa
    volume: int  # litres
    temperature: int  # kelvin
    changes: tuple[Change, ...]
    goal: str  # "p", "V" or "T"
    celsius: bool


def generate(rng: Random, knobs: Knobs) -> Gas | None:
    start = {
        "p": Fraction(rng.randint(4, 60) * 5),
        "V": Fraction(rng.randint(2, 60)),
        "T": Fraction(rng.randint(20, 60) * 10),
    }
    state, changes, last = dict(start), list[Change](), ""
    for _ in range(knobs.changes):
        moved, follows = rng.choice([pair for pair in WAYS[: knobs.kinds] if pair[0] != last])
        low, high = rng.sample(range(1, 7), 2)
        ratio = Fraction(low, high)
        if moved == "n":
            ratio = Fraction(min(low, high), max(low, high))
            state[follows] *= ratio
        else:
            state[moved] *= ratio
            state[follows] *= _response(moved, follows, ratio)
        value = ratio if moved == "n" else state[moved]
        changes.append((moved, follows, value.numerator, value.denominator))
        last = moved
        ugly = state["T"].denominator > 1 or any(value.denominator > 20 for value in state.values())
        if ugly or any(not LOW[key] <= value <= HIGH[key] for key, value in state.items()):
            return None
    goal = changes[-1][1]
    if state[goal] == start[goal]:
        return None
    pressure, volume, temperature = (int(start[key]) for key in "pVT")
    gas, celsius = rng.choice(GASES), rng.random() < knobs.celsius
    return Gas(gas, pressure, volume, temperature, tuple(changes), goal, celsius)


def solve(gas: Gas) -> Fraction | None:
    state = _start(gas)
    for moved, follows, above, below in gas.changes:
        value = Fraction(above, below)
        if moved == "n":
            state[follows] *= value
            continue
        ratio = value / state[moved]
        state[moved] = value
        state[follows] *= ratio if (moved, follows) in DIRECT else 1 / ratio
    return state[gas.goal] - (ZERO if gas.goal == "T" and gas.celsius else 0)


def verify(gas: Gas, answer: Fraction) -> float:
    state, amount = _start(gas), Fraction(1)
    constant = state["p"] * state["V"] / state["T"]
    for place, (moved, follows, above, below) in enumerate(gas.changes, 1):
        if moved == "n":
            amount *= Fraction(above, below)
        else:
            state[moved] = Fraction(above, below)
        if place == len(gas.changes):
            offset = ZERO if gas.goal == "T" and gas.celsius else 0
            state[follows] = answer + offset
            return float(state["p"] * state["V"] == constant * amount * state["T"])
        match follows:
            case "p":
                state["p"] = constant * amount * state["T"] / state["V"]
            case "V":
                state["V"] = constant * amount * state["T"] / state["p"]
            case _:
                state["T"] = state["p"] * state["V"] / (constant * amount)
    return 0.0


def render(gas: Gas, style: Style) -> Prompt:
    begin = (
        f"at a pressure of {gas.pressure} kPa, a volume of {gas.volume} L and a temperature of"
        f" {_degrees(gas, Fraction(gas.temperature))}"
    )
    told = " ".join(
        (f"{at}. " if len(gas.changes) > 1 else "") + _told(gas, change, Style(style.phrasing + at))
        for at, change in enumerate(gas.changes, 1)
    )
    name, unit = {
        "p": ("pressure", "kilopascals"),
        "V": ("volume", "litres"),
        "T": ("temperature", "degrees Celsius" if gas.celsius else "kelvins"),
    }[gas.goal]
    zero = " Take 0 degrees Celsius as 273 K." if gas.celsius else ""
    question = style.pick(
        f"A cylinder with a movable piston and a heater holds {gas.gas} {begin}. This is what"
        f" happens to it: {told} What is the {name} in the end? Treat the gas as ideal.{zero}",
        f"Some {gas.gas}, to be treated as an ideal gas, is {begin}. Then this"
        f" happens. {told} Find the final {name}.{zero}",
        f"Treat {gas.gas} as an ideal gas. At first it is {begin}.{zero} {told} What is the"
        f" {name} of the gas after that?",
    )
    return Prompt(question, form=f"the number of {unit}, {EXACT}")


def steps(gas: Gas) -> list[str]:
    state, lines = _start(gas), list[str]()
    for moved, follows, above, below in gas.changes:
        value = Fraction(above, below)
        ratio = value if moved == "n" else value / state[moved]
        factor = _response(moved, follows, ratio)
        if moved != "n":
            state[moved] = value
        state[follows] *= factor
        lines.append(
            f"{moved} is multiplied by {ratio}, so {follows} is multiplied by {factor}: {follows} ="
            f" {shown(state[follows])} {UNITS[follows]}"
        )
    return [*lines, f"The answer is {solve(gas)}"]


def hardness(gas: Gas) -> float:
    digits = sum(len(f"{above}{below}") - 1 for _, _, above, below in gas.changes)
    return 6 * len(gas.changes) + digits + 2 * gas.celsius


def canon(gas: Gas) -> tuple[object, ...]:
    return gas.pressure, gas.volume, gas.temperature, gas.changes, gas.goal, gas.celsius


def _start(gas: Gas) -> dict[str, Fraction]:
    return {
        "p": Fraction(gas.pressure),
        "V": Fraction(gas.volume),
        "T": Fraction(gas.temperature),
    }


def _response(moved: str, follows: str, ratio: Fraction) -> Fraction:
    """By how much a quantity changes where another is multiplied by a ratio."""
    direct = (moved, follows) in DIRECT or (moved == "n" and follows != "T")
    return ratio if direct else 1 / ratio


def _degrees(gas: Gas, kelvins: Fraction) -> str:
    if gas.celsius:
        return f"{shown(kelvins - ZERO)} degrees Celsius"
    return f"{shown(kelvins)} K"


def _told(gas: Gas, change: Change, style: Style) -> str:
    moved, follows, above, below = change
    value = Fraction(above, below)
    kept = {"p": "pressure", "V": "volume", "T": "temperature"}
    if moved == "n":
        held = [kept[key] for key in "pVT" if key != follows]
        return (
            f"Some of the gas is let out, so that {value} of it is left, while its {held[0]} and"
            f" {held[1]} are kept."
        )
    (same,) = (name for key, name in kept.items() if key not in (moved, follows))
    goal = _degrees(gas, value) if moved == "T" else f"{shown(value)} {UNITS[moved]}"
    return style.pick(
        f"At constant {same}, the {kept[moved]} is brought to {goal}.",
        f"The {kept[moved]} is changed to {goal} while the {same} stays the same.",
    )


ZERO = 273  # kelvins at 0 degrees Celsius
UNITS = {"p": "kPa", "V": "L", "T": "K"}
DIRECT = {("p", "T"), ("T", "p"), ("V", "T"), ("T", "V")}
WAYS = (
    ("p", "V"), ("V", "p"), ("T", "V"), ("T", "p"), ("V", "T"), ("p", "T"), ("n", "p"), ("n", "V"),
)  # fmt: skip
LOW = {"p": Fraction(5), "V": Fraction(1, 2), "T": Fraction(100)}
HIGH = {"p": Fraction(2000), "V": Fraction(500), "T": Fraction(2000)}
GASES = ("nitrogen", "helium", "argon", "oxygen", "neon", "hydrogen", "air", "methane", "xenon")
LADDER = (Knobs(1, 2, 0.0), Knobs(1, 6, 0.6), Knobs(2, 6, 0.6), Knobs(4, 8, 0.6), Knobs(7, 8, 0.8))
FAMILY = Family(
    Gas,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(units=True),
    hardness=hardness,
    proof="unique",
    solver="ratios, change by change",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("physics", "chemistry", "proportions"),
    peers=("Guru/science",),
    version=2,
)
