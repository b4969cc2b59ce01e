"""Knights and knaves: knights only tell the truth, knaves only lie; who is what?

`generate` holds the truth of a statement in all worlds at once in one long integer, `solve` proves
by SAT that one world is left, and `verify` hears every speaker again in the world of the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.values import values_named
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._worlds import connected

# ("knight", who), ("knave", who), ("same", who, whom), ("differ", who, whom),
# (one of AMOUNTS, number of knaves) or (one of CONNECTIVES, formula, formula)
Formula: TypeAlias = tuple[Any, ...]

Known: TypeAlias = dict[str, bool | None]  # who is a knight; None while that is open

AMOUNTS = ("exactly", "at least", "at most")
CONNECTIVES = ("and", "or", "either", "if", "iff")

SYMMETRIC = ("same", "differ", "and", "or", "either", "iff")


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # each of whom is a knight or a knave
    depth: int  # how deep "and", "or", "if" … may be nested


@dataclass(frozen=True, slots=True)
class Island:
    people: tuple[str, ...]
    said: tuple[Formula, ...]  # what each of them says, in the same order


def generate(rng: Random, knobs: Knobs) -> Island | None:
    people = tuple(rng.sample(NAMES, knobs.people))
    kinds = [True, False, *(rng.random() < 0.5 for _ in people[2:])]  # at least one of each
    rng.shuffle(kinds)
    drawn = [_statement(rng, knobs.depth, people, kinds, who) for who in range(len(people))]
    left = reduce(and_, (worlds for _, worlds in drawn))
    for _ in range(40 * len(people)):
        if left.bit_count() == 1:
            return Island(people, tuple(formula for formula, _ in drawn))
        who = rng.randrange(len(people))
        before, drawn[who] = drawn[who], _statement(rng, knobs.depth, people, kinds, who)
        now = reduce(and_, (worlds for _, worlds in drawn))
        if now.bit_count() > left.bit_count():
            drawn[who] = before
        else:
            left = now
    return None


def solve(island: Island) -> Pairs | None:
    """SAT: a variable for each person, a gate for each formula, a blocking clause at the end."""
    circuit = _sat.Circuit()
    knights = [circuit.variable(who) for who in island.people]
    for knight, formula in zip(knights, island.said, strict=True):
        circuit.clauses.append([circuit.equal(knight, _gate(circuit, island.people, formula))])
    true = _sat.only_model(circuit.clauses, knights)
    if true is None:
        return None
    kinds = ("knight" if knight in true else "knave" for knight in knights)
    return tuple(sorted((who.lower(), kind) for who, kind in zip(island.people, kinds)))


def verify(island: Island, pairs: Pairs) -> float:
    kinds = dict(pairs)
    if sorted(who for who, _ in pairs) != sorted(who.lower() for who in island.people):
        return 0.0
    if not {"knight", "knave"}.issuperset(kinds.values()):
        return 0.0
    knights: Known = {who: kinds[who.lower()] == "knight" for who in island.people}
    return float(
        all(
            knights[who] == _holds(formula, knights)
            for who, formula in zip(island.people, island.said, strict=True)
        )
    )


def render(island: Island, style: Style) -> Prompt:
    people = island.people
    everyone = f"{', '.join(people[:-1])} and {people[-1]}"
    said = "\n".join(
        f'{who}: "{_sentence(formula, who)}."' for who, formula in zip(people, island.said)
    )
    notes = "".join(f" {note}" for note in _notes(island))
    return Prompt(
        style.pick(
            "On an island everybody is either a knight or a knave. Everything a knight says is"
            f" true; everything a knave says is false. You meet {everyone}. They say:\n\n{said}\n\n"
            f"Who is a knight and who is a knave?{notes}",
            f"Each of {everyone} is a knight or a knave. What a knight says is always true, and"
            f" what a knave says is always false.{notes} Here is what they say:\n\n{said}\n\n"
            "Find out what each of them is.",
            f"{said}\n\nEach of these {len(people)} people is either a knight, all of whose"
            f" statements are true, or a knave, all of whose statements are false.{notes}"
            " Determine which is which.",
        ),
        form='one line for each person: "name = knight" or "name = knave"',
    )


def steps(island: Island) -> list[str]:
    """What each statement forces; where nothing is forced, a supposition and what comes of it."""
    lines: list[str] = []
    _settle(island, dict.fromkeys(island.people), lines)
    return lines


def progress(island: Island, lines: Lines) -> float:
    return values_named(FAMILY, island, lines)


def canon(island: Island) -> list[str]:
    return unnamed(zip(island.people, island.said), island.people, SYMMETRIC)


def hardness(island: Island) -> float:
    """How many facts are spoken of."""
    return len(island.people) + sum(_facts(formula) for formula in island.said)


def _statement(
    rng: Random, depth: int, people: tuple[str, ...], kinds: list[bool], speaker: int
) -> tuple[Formula, int]:
    """Something that this person can say, and the worlds in which the person can say it."""
    everywhere, knights, _ = _worlds(len(people))
    here = sum(1 << place for place, knight in enumerate(kinds) if knight)
    while True:
        formula = _formula(rng, depth, people)
        worlds = everywhere & ~(_truth(formula, people) ^ knights[speaker])
        if worlds >> here & 1 and worlds != everywhere:
            return formula, worlds


def _formula(rng: Random, depth: int, people: tuple[str, ...]) -> Formula:
    if not depth or rng.random() < 0.15:
        match rng.randrange(6):
            case 0:
                return rng.choice(AMOUNTS), rng.randrange(1, len(people))
            case 1 | 2:
                return rng.choice(("same", "differ")), *rng.sample(people, 2)
            case _:
                return rng.choice(("knight", "knave")), rng.choice(people)
    while True:
        parts = [_formula(rng, depth - 1, people) for _ in range(2)]
        formula = (rng.choice(CONNECTIVES), *parts)
        idle = {0, _worlds(len(people))[0], *(_truth(part, people) for part in parts)}
        if _truth(formula, people) not in idle:  # it says more than nothing, or than one part
            return formula


@cache
def _worlds(people: int) -> tuple[int, list[int], list[int]]:
    """All worlds; those where each person is a knight; those with 0, 1, 2 … knaves.

    World w is bit w of each integer; person i is a knight in it where bit i of w is set.
    """
    knights, knaves = list[int](), [1]
    for person in range(people):
        half = 1 << person
        knights = [worlds | worlds << half for worlds in knights]
        knights.append(((1 << half) - 1) << half)
        knaves = [
            more << half | fewer for more, fewer in zip([*knaves, 0], [0, *knaves], strict=True)
        ]
    return (1 << (1 << people)) - 1, knights, knaves


def _truth(formula: Formula, people: tuple[str, ...]) -> int:
    """The worlds in which a formula is true."""
    everywhere, knights, knaves = _worlds(len(people))
    match formula:
        case ("knight", who):
            return knights[people.index(who)]
        case ("knave", who):
            return everywhere & ~knights[people.index(who)]
        case ("differ", who, whom):
            return knights[people.index(who)] ^ knights[people.index(whom)]
        case ("same", who, whom):
            return everywhere & ~(knights[people.index(who)] ^ knights[people.index(whom)])
        case ("exactly", number):
            return knaves[number]
        case ("at least", number):
            return sum(knaves[number:])
        case ("at most", number):
            return sum(knaves[: number + 1])
    left, right = (_truth(part, people) for part in formula[1:])
    return connected(formula[0], left, right, everywhere)


def _gate(circuit: _sat.Circuit, people: Sequence[str], formula: Formula) -> int:
    match formula:
        case ("knight", who):
            return circuit.variable(who)
        case ("knave", who):
            return -circuit.variable(who)
        case ("same", who, whom):
            return circuit.equal(circuit.variable(who), circuit.variable(whom))
        case ("differ", who, whom):
            return -circuit.equal(circuit.variable(who), circuit.variable(whom))
        case (amount, int(number)):
            knaves = [-circuit.variable(who) for who in people]
            return circuit.so_many(amount, number, knaves)
    left, right = (_gate(circuit, people, part) for part in formula[1:])
    return circuit.joined(formula[0], left, right)


def _holds(formula: Formula, knights: Known) -> bool | None:
    """Whether a formula is true; None where people of unknown kind decide that."""
    match formula:
        case ("knight", who):
            return knights[who]
        case ("knave", who):
            return _opposite(knights[who])
        case ("same", who, whom):
            return _alike(knights[who], knights[whom])
        case ("differ", who, whom):
            return _opposite(_alike(knights[who], knights[whom]))
        case (amount, int(number)):
            least = sum(knight is False for knight in knights.values())
            most = least + sum(knight is None for knight in knights.values())
            low, high = {"exactly": (number, number), "at least": (number, most)}.get(
                amount, (0, number)
            )
            if low <= least and most <= high:
                return True
            return False if most < low or high < least else None
    left, right = (_holds(part, knights) for part in formula[1:])
    match formula[0]:
        case "and":
            return _opposite(_any(_opposite(left), _opposite(right)))
        case "or":
            return _any(left, right)
        case "if":
            return _any(_opposite(left), right)
        case "either":
            return _opposite(_alike(left, right))
        case _:
            return _alike(left, right)


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _alike(left: bool | None, right: bool | None) -> bool | None:
    return None if left is None or right is None else left == right


def _any(left: bool | None, right: bool | None) -> bool | None:
    return True if left or right else None if left is None or right is None else False


def _settle(island: Island, knights: Known, lines: list[str]) -> bool:
    """Write down who is what; False where that ends in a contradiction."""
    while True:
        if speaker := _liar(island, knights):
            lines.append(f"but what {speaker} says does not fit that")
            return False
        forced = _forced(island, knights)
        if forced is None:
            break
        who, knight, speaker = forced
        knights[who] = knight
        lines.append(f"{who} is a {_kind(knight)}, or what {speaker} says would not fit")
    who = next((who for who in island.people if knights[who] is None), "")
    if not who:
        return True
    for knight in (True, False):
        lines.append(f"suppose {who} is a {_kind(knight)}")
        trial = knights | {who: knight}
        if _settle(island, trial, lines):
            knights.update(trial)
            return True
        lines.append(f"so {who} is not a {_kind(knight)}")
    return False


def _liar(island: Island, knights: Known) -> str | None:
    """Somebody whose statement is false though a knight's, or true though a knave's."""
    for who, formula in zip(island.people, island.said, strict=True):
        if _alike(knights[who], _holds(formula, knights)) is False:
            return who
    return None


def _forced(island: Island, knights: Known) -> tuple[str, bool, str] | None:
    """A person who must be a knight, or a knave, and whose statement forces that."""
    unknown = [who for who in island.people if knights[who] is None]
    for speaker, formula in zip(island.people, island.said, strict=True):
        for who in unknown:
            for knight in (True, False):
                trial = knights | {who: not knight}
                if _alike(trial[speaker], _holds(formula, trial)) is False:
                    return who, knight, speaker
    return None


def _facts(formula: Formula) -> int:
    return sum(_facts(part) for part in formula[1:]) if formula[0] in CONNECTIVES else 1


def _kind(knight: bool) -> str:
    return "knight" if knight else "knave"


def _sentence(formula: Formula, speaker: str) -> str:
    text = _clause(formula, speaker)
    return text[0].upper() + text[1:]


def _clause(formula: Formula, speaker: str) -> str:
    match formula:
        case ("knight" | "knave" as kind, who):
            return f"I am a {kind}" if who == speaker else f"{who} is a {kind}"
        case ("same" | "differ" as relation, who, whom):
            one, other = (whom, "I") if who == speaker else (who, "I" if whom == speaker else whom)
            kinds = "the same kind" if relation == "same" else "different kinds"
            return f"{one} and {other} are of {kinds}"
        case (amount, int(number)):
            return f"{amount} {number} of us {'is a knave' if number == 1 else 'are knaves'}"
    left, right = (
        f"({_clause(part, speaker)})" if part[0] in CONNECTIVES else _clause(part, speaker)
        for part in formula[1:]
    )
    match formula[0]:
        case "and" | "or" as word:
            return f"{left} {word} {right}"
        case "either":
            return f"either {left} or {right}, but not both"
        case "if":
            return f"if {left}, then {right}"
        case _:
            return f"{left} if and only if {right}"


def _notes(island: Island) -> list[str]:
    """What the wording means, as far as it occurs."""
    words = {word for formula in island.said for word in _words(formula)}
    notes = []
    if words.intersection(AMOUNTS):
        notes.append(f'"Us" means all {len(island.people)} people.')
    if "or" in words:
        notes.append('"A or B" is also true when both are.')
    if "if" in words:
        notes.append('"If A, then B" is false only when A is true and B is false.')
    return notes


def _words(formula: Formula) -> list[str]:
    parts = formula[1:] if formula[0] in CONNECTIVES else ()
    return [formula[0], *(word for part in parts for word in _words(part))]


LADDER = (Knobs(3, 0), Knobs(4, 1), Knobs(6, 1), Knobs(9, 2), Knobs(14, 2))
FAMILY = Family(
    Island,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.17,  # three people, of whom one or two are knights
    steps=steps,
    progress=progress,
    canon=canon,
    known=lambda island: island.people,
    skills=("deduction", "logic"),
    peers=(
        "reasoning-gym/knights_knaves",
        "Enigmata/knights_and_knaves",
        "RLVE/knights_and_knaves",
    ),
    version=2,
)
