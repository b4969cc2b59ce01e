"""Circuit: gates and registers carry 0 and 1; what is on some of the wires in the end?

`generate` wires the gates up in order and then hides the order, `solve` lays the circuit out in
time and proves by SAT that one outcome is left, and `verify` lets the signals spread gate by gate,
tick by tick.
"""

from dataclasses import dataclass
from functools import cache, reduce
from itertools import count, product
from operator import and_, mul, or_, xor
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed

Gate: TypeAlias = tuple[str, str, tuple[str, ...]]  # its name, one of KINDS, what goes in
Register: TypeAlias = tuple[str, int, str]  # its name, its first value, what it takes over

KINDS = {
    "NOT": "gives 1 if its input is 0",
    "AND": "gives 1 if all of its inputs are 1",
    "OR": "gives 1 if at least one of its inputs is 1",
    "XOR": "gives 1 if the number of its inputs that are 1 is odd",
    "NAND": "gives 1 if at least one of its inputs is 0",
    "NOR": "gives 1 if all of its inputs are 0",
    "XNOR": "gives 1 if the number of its inputs that are 1 is even",
}
MIX = ("NOT", "AND", "AND", "OR", "OR", "XOR", "XOR", "XOR", "NAND", "NOR", "XNOR")
INPUTS = "abcdefhkmnpq"


@dataclass(frozen=True, slots=True)
class Knobs:
    inputs: int  # wires that carry a given value
    gates: int  # in the circuit
    outputs: int  # wires that are asked for
    registers: int  # that the clock sets
    ticks: int  # of the clock that sets the registers


@dataclass(frozen=True, slots=True)
class Netlist:
    inputs: tuple[tuple[str, int], ...]
    gates: tuple[Gate, ...]
    registers: tuple[Register, ...]
    ticks: int
    outputs: tuple[str, ...]  # gates that are asked for


def generate(rng: Random, knobs: Knobs) -> Netlist | None:
    inputs = tuple((name, rng.randrange(2)) for name in INPUTS[: knobs.inputs])
    firsts = {f"r{number}": rng.randrange(2) for number in range(1, knobs.registers + 1)}
    tables = _Tables(inputs, firsts)
    names = rng.sample([f"g{number}" for number in range(1, knobs.gates + 1)], knobs.gates)
    gates, idle = list[Gate](), [*dict(inputs), *firsts]  # idle: what goes in nowhere yet
    for name in names:
        late = list(tables.of)[-12:]
        for _ in range(8):
            kind, sources = _gate_drawn(rng, late, idle)
            if tables.is_new(kind, sources):
                break
        tables.add(name, kind, sources)
        gates.append((name, kind, sources))
        idle = [wire for wire in idle if wire not in sources] + [name]
    registers, states = _clocked(rng, knobs, firsts, names[len(names) // 3 :], tables)
    last = names[-2 * knobs.outputs :]
    changing = {name for name in last if len({tables.of[name] >> at & 1 for at in states}) > 1}
    rng.shuffle(last)
    outputs = sorted(last, key=lambda name: name not in changing)[: knobs.outputs]
    if len({tables.of[name] >> states[-1] & 1 for name in outputs}) < 2:
        return None
    if registers and 2 * len(changing) < knobs.outputs:
        return None  # the clock does too little
    shown = tuple(rng.sample(gates, len(gates)))
    ticks = len(states) - 1
    return Netlist(inputs, shown, registers, ticks, tuple(sorted(outputs, key=_number)))


def solve(netlist: Netlist) -> Pairs | None:
    """SAT: a variable for each wire after each tick; a blocking clause at the end."""
    numbers, clauses = count(1), list[_sat.Clause]()
    before = dict[str, int]()  # each wire's variable, before the tick
    for tick in range(netlist.ticks + 1):
        carried = (*netlist.inputs, *netlist.gates)
        wires = {str(each[0]): next(numbers) for each in carried}
        clauses += [[wires[name] if value else -wires[name]] for name, value in netlist.inputs]
        for name, first, source in netlist.registers:
            wires[name] = before[source] if tick else next(numbers)
            if not tick:
                clauses.append([wires[name] if first else -wires[name]])
        for name, kind, sources in netlist.gates:
            clauses += _gate(kind, wires[name], [wires[source] for source in sources])
        before = wires
    asked = [before[name] for name in netlist.outputs]
    true = _sat.only_model(clauses, asked)
    if true is None:
        return None
    values = (str(int(wire in true)) for wire in asked)
    return tuple(sorted(zip(netlist.outputs, values, strict=True)))


def verify(netlist: Netlist, pairs: Pairs) -> float:
    gates = _in_order(netlist)
    stored = {name: bool(first) for name, first, _ in netlist.registers}
    wires = _spread(netlist, gates, stored)
    for _ in range(netlist.ticks):
        stored = {name: wires[source] for name, _, source in netlist.registers}
        wires = _spread(netlist, gates, stored)
    right = {name: "1" if wires[name] else "0" for name in netlist.outputs}
    return float(len(pairs) == len(right) and dict(pairs) == right)


def render(netlist: Netlist, style: Style) -> Prompt:
    inputs = ", ".join(f"{name} = {value}" for name, value in netlist.inputs)
    gates = "\n".join(f"{name} = {kind}({', '.join(ins)})" for name, kind, ins in netlist.gates)
    kinds = {kind for _, kind, _ in netlist.gates}
    meanings = "; ".join(f"{kind} {meaning}" for kind, meaning in KINDS.items() if kind in kinds)
    asked = listed(netlist.outputs)
    when = f" after {netlist.ticks} tick{'s' if netlist.ticks > 1 else ''}" if netlist.ticks else ""
    clock = [_clock(netlist)] if netlist.ticks else []
    told = style.pick("first", "second", "third")
    if told == "first":
        parts = [
            f"A logic circuit has the inputs {inputs}. Its gates, in no particular order, are:\n"
            + gates,
            f"The inputs of each gate are in brackets. Every signal is 0 or 1: {meanings};"
            " otherwise a gate gives 0.",
            *clock,
            f"Which signals do the gates {asked} give{when}?",
        ]
    elif told == "second":
        parts = [
            f"Work out the signals {asked}{when} in this circuit, in which every wire carries 0"
            " or 1.",
            gates,
            f"Inputs: {inputs}",
            "Each line above is a gate with the names of its inputs."
            f" {meanings}. In all other cases a gate gives 0.",
            *clock,
        ]
    else:
        parts = [
            f"Inputs of a digital circuit: {inputs}.",
            f"What its gates do: {meanings}; otherwise a gate gives 0.",
            *clock,
            "The gates are listed with their inputs, but not in the order in which the signals"
            f" pass through them:\n{gates}",
            f"Give the values of {asked}{when}.",
        ]
    return Prompt(
        "\n\n".join(parts),
        form='one line for each of these gates, "name = 0" or "name = 1"',
    )


def steps(netlist: Netlist) -> list[str]:
    """Every gate as soon as its inputs are known, after every tick."""
    stored = {name: bool(first) for name, first, _ in netlist.registers}
    lines, gates = list[str](), _in_order(netlist)
    for tick in range(netlist.ticks + 1):
        wires = _spread(netlist, gates, stored)
        ins = {name: sources for name, _, sources in netlist.gates}
        if netlist.ticks:
            told = ", ".join(f"{name} = {int(value)}" for name, value in stored.items())
            lines.append(f"after {tick} ticks: {told}")
        lines += [
            f"{name} = {int(wires[name])}, from"
            f" {', '.join(f'{each} = {int(wires[each])}' for each in ins[name])}"
            for name in wires
            if name in ins
        ]
        stored = {name: wires[source] for name, _, source in netlist.registers}
    return lines


def canon(netlist: Netlist) -> list[str]:
    """The names do not matter, nor the order of gates or of what goes into one."""
    facts: list[object] = [("input", name, str(value)) for name, value in netlist.inputs]
    facts += [("gate", name, (kind, *ins)) for name, kind, ins in netlist.gates]
    facts += [("register", name, str(first), source) for name, first, source in netlist.registers]
    facts += [("asked", name) for name in netlist.outputs]
    named = (*netlist.inputs, *netlist.gates, *netlist.registers)
    names = [str(thing[0]) for thing in named]
    return unnamed([*facts, ("ticks", str(netlist.ticks))], names, tuple(KINDS))


def hardness(netlist: Netlist) -> float:
    """How many times a gate has to be worked out."""
    return float(len(netlist.gates) * (netlist.ticks + 1))


class _Tables:
    """What each wire carries in every case, bit c for case c.

    The cases are what the registers may hold or, without registers, what the inputs may be.
    """

    def __init__(self, inputs: tuple[tuple[str, int], ...], firsts: dict[str, int]) -> None:
        held = firsts or dict(inputs)
        self.every = (1 << (1 << len(held))) - 1
        self.first = sum(value << place for place, value in enumerate(held.values()))  # the case
        self.of = {name: self.every * value for name, value in inputs}
        for place, name in enumerate(held):
            half = 1 << place
            self.of[name] = self.every // ((1 << half) + 1) << half
        self.seen = {0, self.every, *self.of.values()}

    def result(self, kind: str, sources: tuple[str, ...]) -> int:
        tables = [self.of[source] for source in sources]
        match kind:
            case "AND" | "NAND":
                result = reduce(and_, tables)
            case "OR" | "NOR":
                result = reduce(or_, tables)
            case _:
                result = reduce(xor, tables)
        return self.every ^ result if kind in ("NOT", "NAND", "NOR", "XNOR") else result

    def is_new(self, kind: str, sources: tuple[str, ...]) -> bool:
        """Whether the gate is not always 0 or 1, and no wire carries the same in every case."""
        return self.result(kind, sources) not in self.seen

    def add(self, name: str, kind: str, sources: tuple[str, ...]) -> None:
        self.of[name] = self.result(kind, sources)
        self.seen.add(self.of[name])


def _gate_drawn(rng: Random, late: list[str], idle: list[str]) -> tuple[str, tuple[str, ...]]:
    """A gate that listens to something idle and, beside that, mostly to the late wires."""
    kind = rng.choice(MIX)
    many = 1 if kind == "NOT" else rng.choice((2, 2, 3))
    sources = rng.sample(idle, min(len(idle), max(1, many - 1)))
    while len(sources) < many:
        sources.append(rng.choice([wire for wire in late if wire not in sources]))
    return kind, tuple(rng.sample(sources, many))


def _clocked(
    rng: Random, knobs: Knobs, firsts: dict[str, int], late: list[str], tables: _Tables
) -> tuple[tuple[Register, ...], list[int]]:
    """Registers that do not soon hold the same again, if it can be, and what they hold in turn."""
    registers, states = tuple[Register, ...](), [tables.first]
    for _ in range(40 if firsts else 0):
        registers = tuple((name, first, rng.choice(late)) for name, first in firsts.items())
        states = [tables.first]
        for _ in range(max(1, knobs.ticks)):
            signals = [tables.of[source] >> states[-1] & 1 for _, _, source in registers]
            states.append(sum(signal << place for place, signal in enumerate(signals)))
        if len(set(states)) >= min(len(states), 1 + (1 << len(firsts)) // 2):
            break
    return registers, states


def _gate(kind: str, gate: int, wires: list[int]) -> list[_sat.Clause]:
    """Clauses that hold where the gate gives what its inputs make of it."""
    out = -gate if kind in ("NOT", "NAND", "NOR", "XNOR") else gate
    match kind:
        case "AND" | "NAND":
            return [[out, *(-wire for wire in wires)], *([-out, wire] for wire in wires)]
        case "OR" | "NOR":
            return [[-out, *wires], *([out, -wire] for wire in wires)]
    # The number of ones among these is even.
    return [list(map(mul, signs, [out, *wires])) for signs in _odd(1 + len(wires))]


@cache
def _odd(many: int) -> list[tuple[int, ...]]:
    """Signs of which an odd number is negative."""
    return [signs for signs in product((1, -1), repeat=many) if signs.count(-1) % 2]


def _in_order(netlist: Netlist) -> list[Gate]:
    """The gates, in an order in which their signals become known."""
    known = {name for name, *_ in (*netlist.inputs, *netlist.registers)}
    ordered, waiting = list[Gate](), list(netlist.gates)
    while waiting:
        ready = [gate for gate in waiting if known.issuperset(gate[2])]
        assert ready, "no gate listens to itself"
        ordered += ready
        known.update([name for name, *_ in ready])
        waiting = [gate for gate in waiting if gate[0] not in known]
    return ordered


def _spread(netlist: Netlist, gates: list[Gate], stored: dict[str, bool]) -> dict[str, bool]:
    """All signals, gate by gate."""
    wires = {name: bool(value) for name, value in netlist.inputs} | stored
    for name, kind, sources in gates:
        ones = sum([wires[source] for source in sources])
        match kind:
            case "NOT" | "NOR":
                wires[name] = not ones
            case "OR":
                wires[name] = ones > 0
            case "AND":
                wires[name] = ones == len(sources)
            case "NAND":
                wires[name] = ones != len(sources)
            case _:
                wires[name] = (ones % 2 == 1) == (kind == "XOR")
    return wires


def _clock(netlist: Netlist) -> str:
    first = listed([f"{name} = {value}" for name, value, _ in netlist.registers])
    takes = listed([f"{name} that of {source}" for name, _, source in netlist.registers])
    many = len(netlist.registers) > 1
    return (
        f"The register{'s' if many else ''} {listed([name for name, *_ in netlist.registers])}"
        f" hold{'' if many else 's'} a signal{' each' if many else ''}; at the start, {first}. At"
        f" every tick of a clock, {'all registers' if many else 'it'} at once"
        f" take{'' if many else 's'} on a signal that a gate gives just before the tick: {takes}."
        " Then the gates adjust to the new values, before the next tick. The inputs never change."
    )


def _number(name: str) -> int:
    return int(name[1:])


LADDER = (
    Knobs(3, 6, 4, 0, 0),
    Knobs(4, 12, 4, 0, 0),
    Knobs(5, 16, 5, 2, 2),
    Knobs(6, 26, 6, 4, 4),
    Knobs(8, 40, 8, 6, 8),
)
FAMILY = Family(
    Netlist,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="SAT over all wires after every tick, with a blocking clause",
    guess_rate=0.08,  # 0 and 1 for each of four, not all alike
    steps=steps,
    canon=canon,
    skills=("logic", "tracking"),
    peers=("reasoning-gym/circuit_logic",),
    version=2,
)
