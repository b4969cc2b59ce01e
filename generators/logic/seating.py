"""Seating: clues about people round a table; who sits where?

One person's seat is given, or the table could be turned. `generate` hides a seating and draws clues
until a search with domains finds no other; `solve` proves the same by SAT, over how many seats
clockwise one sits from another; `verify` counts seats.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._places import Clue, Places, clues_for, one_each, people
from puzzlemill.generators.logic._wording import numbered

# ("left", A, B): A is the left-hand neighbour of B; ("turn", A, B, many): A is so many seats
# clockwise from B; ("gap", A, B, many): so many seats apart, on the shorter way; ("beside", A, B),
# ("apart", A, B), ("opposite", A, B), ("askew", A, B): not opposite; ("middle", A, B, C): beside
# both; ("either", A, B, C): beside at least one; ("arc", A, B, C): clockwise from A, B comes before
# C; ("closer", A, B, C): to B than to C; ("alike", A, B, C, D): A and B as far apart as C and D.
PLAIN = ("left", "turn", "beside", "gap", "opposite", "middle")
LOOSE = ("beside", "apart", "askew", "either", "arc", "arc", "closer", "alike", "gap")
MANY = {"middle": 3, "either": 3, "arc": 3, "closer": 3, "alike": 4}


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # round the table
    loose: float  # share of clues that say little


@dataclass(frozen=True, slots=True)
class Table:
    people: tuple[str, ...]  # the first sits in seat 1; seats are numbered clockwise
    clues: tuple[Clue, ...]


def generate(rng: Random, knobs: Knobs) -> Table | None:
    size = knobs.people
    names = rng.sample(NAMES, size)
    host, guests = names[0], sorted(names[1:])
    true = {host: 0} | dict(zip(guests, rng.sample(range(1, size), size - 1)))

    def drawn() -> Clue:
        kind = rng.choice(LOOSE if rng.random() < knobs.loose else PLAIN)
        who = rng.sample(names, MANY.get(kind, 2))
        if kind in ("opposite", "askew") and size % 2:
            kind = "apart"
        one, other = true[who[0]], true[who[1]]
        if kind == "turn":
            return kind, *who, (one - other) % size
        return (kind, *who, _apart(one, other, size)) if kind == "gap" else (kind, *who)

    clues = clues_for(rng, names, true, _holds, drawn, [("seat", host, 0)])
    if clues is None:
        return None
    shown = [clue for clue in clues if clue[0] != "seat"]
    rng.shuffle(shown)
    return Table((host, *guests), tuple(shown))


def solve(table: Table) -> tuple[str, ...] | None:
    """SAT: a variable for each person and seat, a blocking clause at the end."""
    circuit, size = _sat.Circuit(), len(table.people)
    at = {who: [circuit.variable((who, seat)) for seat in range(size)] for who in table.people}
    lines, bounds = one_each(size)
    circuit.clauses += lines
    circuit.clauses.append([at[table.people[0]][0]])
    for clue in table.clues:
        circuit.clauses += _clauses(circuit, at, clue)
    deciding = [variable for seats in at.values() for variable in seats]
    true = _sat.only_model(circuit.clauses, deciding, bounds=bounds)
    if true is None:
        return None
    order = sorted(table.people, key=lambda who: [seat not in true for seat in at[who]])
    return tuple(who.lower() for who in order)


def verify(table: Table, order: tuple[str, ...]) -> float:
    names = {who.lower(): who for who in table.people}
    if len(order) != len(names) or set(order) != names.keys():
        return 0.0
    places = {names[who]: seat for seat, who in enumerate(order)}
    return float(
        places[table.people[0]] == 0
        and all(_holds(clue, places, len(order)) for clue in table.clues)
    )


def render(table: Table, style: Style) -> Prompt:
    everybody, size, host = listed(sorted(table.people)), len(table.people), table.people[0]
    lines = numbered(_said(clue, style) for clue in table.clues)
    notes = "".join(f" {note}" for note in _notes(table))
    return Prompt(
        style.pick(
            f"{everybody} sit round a table with {size} seats, all facing the middle. The seats"
            f" are numbered clockwise from 1 to {size}, and seat {size} is beside seat 1. {host}"
            f" sits in seat 1.{notes}\n\n{lines}\n\nWho sits where?",
            f"Seat these {size} people at a round table with {size} chairs, so that everybody"
            f" looks at the middle: {everybody}.{notes}\n\n{lines}\n\nBegin with {host}, who has"
            " the first chair, and go round clockwise.",
            f"There is a round table for {size}. {host} has the first seat, and the other seats"
            f" follow clockwise. At the table are {everybody}, all of them facing it.{notes} Find"
            f" the only seating for which all of this is true:\n{lines}",
        ),
        form=f"all of the names, clockwise round the table from {host} on, separated by commas",
    )


def canon(table: Table) -> list[str]:
    facts: list[object] = [("seat", table.people[0], str(len(table.people)))]
    for kind, *rest in table.clues:
        if kind in ("beside", "apart", "opposite", "askew"):
            facts.append((kind, *rest))
        elif kind == "gap":
            facts.append((kind, str(rest[2]), ("both", *rest[:2])))
        elif kind in ("middle", "either"):
            facts.append((kind, rest[0], ("both", *rest[1:])))
        elif kind == "alike":
            facts.append((kind, ("both", *rest[:2]), ("both", *rest[2:])))
        else:
            facts.append((kind, *map(str, rest)))
    symmetric = ("beside", "apart", "opposite", "askew", "both", "alike")
    return unnamed(facts, table.people, symmetric)


def hardness(table: Table) -> float:
    """People, and clues by how little they say."""
    loose = sum(clue[0] not in PLAIN for clue in table.clues)
    return len(table.people) ** 2 / 4 + len(table.clues) + loose


def _apart(one: int, other: int, size: int) -> int:
    return min((one - other) % size, (other - one) % size)


def _holds(clue: Clue, places: Places, size: int) -> bool:
    at = [places[who] for who in people(clue)]
    number = clue[-1] if isinstance(clue[-1], int) else 0
    apart = _apart(at[0], at[1], size) if len(at) > 1 else 0
    match clue[0]:
        case "seat":
            return at[0] == number
        case "left":
            return at[0] == (at[1] + 1) % size
        case "turn":
            return at[0] == (at[1] + number) % size
        case "gap":
            return apart == number
        case "beside":
            return apart == 1
        case "apart":
            return apart > 1
        case "opposite":
            return 2 * apart == size
        case "askew":
            return 2 * apart != size
        case "middle":
            return apart == 1 and _apart(at[0], at[2], size) == 1
        case "either":
            return apart == 1 or _apart(at[0], at[2], size) == 1
        case "arc":
            return (at[1] - at[0]) % size < (at[2] - at[0]) % size
        case "closer":
            return apart < _apart(at[0], at[2], size)
        case "alike":
            return apart == _apart(at[2], at[3], size)
    raise AssertionError(f"no clue {clue}")


def _clauses(circuit: _sat.Circuit, at: dict[str, list[int]], clue: Clue) -> list[_sat.Clause]:
    size, who = len(at), [at[name] for name in people(clue)]
    one, two = who[0], who[1]
    number = clue[-1] if isinstance(clue[-1], int) else 0
    match clue[0]:
        case "left":
            return _turned(one, two, [1])
        case "turn":
            return _turned(one, two, [number])
        case "gap":
            return _turned(one, two, [number, -number])
        case "beside":
            return _turned(one, two, [1, -1])
        case "apart":
            return _turned(one, two, range(2, size - 1))
        case "opposite":
            return _turned(one, two, [size // 2])
        case "askew":
            return _turned(one, two, [turn for turn in range(size) if 2 * turn != size])
        case "middle":
            return _turned(one, two, [1, -1]) + _turned(one, who[2], [1, -1])
        case "either":
            return [
                former + latter[1:]
                for former, latter in zip(_turned(two, one, [1, -1]), _turned(who[2], one, [1, -1]))
            ]
        case "arc":
            turns = [range(1, many) for many in range(1, size)]
            return _led(one, two, who[2], turns)
        case "closer":
            apart = [min(many, size - many) for many in range(1, size)]
            nearer = [[*range(1, near), *range(size + 1 - near, size)] for near in apart]
            return _led(one, two, who[2], nearer)
        case "alike":
            return [
                [-here, -two[(seat + many) % size], _gate(circuit, at, clue, many)]
                for many in range(1, size)
                for seat, here in enumerate(one)
            ]
    raise AssertionError(f"no clue {clue}")


def _turned(one: list[int], other: list[int], turns: Sequence[int]) -> list[_sat.Clause]:
    """Clauses, by the seats of the second: the first sits one of these turns clockwise from it."""
    size = len(one)
    return [
        [-there, *[one[(seat + turn) % size] for turn in turns]] for seat, there in enumerate(other)
    ]


def _led(
    one: list[int], two: list[int], three: list[int], turns: Sequence[Sequence[int]]
) -> list[_sat.Clause]:
    """Clauses: how far clockwise the third sits from the first says by which turns the second can
    sit from it."""
    size = len(one)
    return [
        [-here, -three[(seat + many) % size], *[two[(seat + turn) % size] for turn in fitting]]
        for many, fitting in enumerate(turns, 1)
        for seat, here in enumerate(one)
    ]


def _gate(circuit: _sat.Circuit, at: dict[str, list[int]], clue: Clue, many: int) -> int:
    """A variable that is true only where the last two of a clue sit so many seats apart."""
    three, four = people(clue)[2:]
    meaning = three, four, min(many, len(at) - many)
    known = meaning in circuit.variables
    variable = circuit.variable(meaning)
    if not known:
        clauses = _turned(at[three], at[four], [many, -many])
        circuit.clauses += [[-variable, *clause] for clause in clauses]
    return variable


def _said(clue: Clue, style: Style) -> str:
    number = clue[-1] if isinstance(clue[-1], int) else 0
    match clue:
        case ("left", one, other):
            return style.pick(
                f"{one} is the left-hand neighbour of {other}.",
                f"{other} is the right-hand neighbour of {one}.",
            )
        case ("turn", one, other, 1):
            return f"Clockwise, the next after {other} is {one}."
        case ("turn", one, other, _):
            return f"{one} sits {number} seats clockwise from {other}."
        case ("gap", one, other, 1):
            return f"{one} and {other} sit side by side."
        case ("gap", one, other, _):
            return f"{one} and {other} sit {number} seats apart."
        case ("beside", one, other):
            return f"{one} sits beside {other}."
        case ("apart", one, other):
            return f"{one} does not sit beside {other}."
        case ("opposite", one, other):
            return f"{one} sits opposite {other}."
        case ("askew", one, other):
            return f"{one} does not sit opposite {other}."
        case ("middle", one, two, three):
            return f"{one} sits beside both {two} and {three}."
        case ("either", one, two, three):
            return f"{one} sits beside {two} or {three} or both."
        case ("arc", one, two, three):
            return f"Going clockwise from {one}, you come to {two} before {three}."
        case ("closer", one, two, three):
            return f"{one} and {two} sit fewer seats apart than {one} and {three}."
        case ("alike", one, two, three, four):
            return f"{one} and {two} sit as many seats apart as {three} and {four}."
    raise AssertionError(f"no clue {clue}")


def _notes(table: Table) -> Iterator[str]:
    kinds = {clue[0] for clue in table.clues}
    if "left" in kinds:
        yield "Facing the middle, everybody has the next seat clockwise on the left-hand side."
    if {"gap", "closer", "alike"} & kinds:
        yield (
            "How many seats apart two people sit is counted on the shorter way: 1 for neighbours, 2"
            " if one seat is between them, and so on."
        )


LADDER = (
    Knobs(5, 0.0),
    Knobs(6, 0.25),
    Knobs(8, 0.5),
    Knobs(10, 0.75),
    Knobs(12, 0.95),
)
FAMILY = Family(
    Table,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(reorders=True),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=1 / 24,  # the host's seat is known
    canon=canon,
    known=lambda table: table.people,
    skills=("logic", "spatial"),
    version=2,
)
