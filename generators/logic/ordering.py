"""Ordering: clues about a row or a race; in which order do they stand?

`generate` hides an order and draws clues until a search with domains finds no other; `solve` proves
the same by SAT, over who is before whom and how far apart two are; `verify` counts places.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import list_begun
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._places import Clue, Places, clues_for, one_each
from puzzlemill.generators.logic._wording import numbered

# ("at", A, place), ("not at", A, place), ("among", A, most): of the first so many; ("end", A);
# ("before", A, B), ("next", A, B): directly before; ("beside", A, B), ("apart", A, B): not beside;
# ("gap", A, B, many): exactly so many between; ("far", A, B, many): at least; ("between", A, B, C);
# ("closer", A, B, C): to B than to C; ("if", A, B, C, D): if A before B, then C before D;
# ("alike", A, B, C, D): as many between A and B as between C and D. Places count from 0.
PLAIN = ("at", "before", "before", "next", "beside", "gap")
LOOSE = ("not at", "among", "end", "before", "apart", "far", "between", "closer", "if", "alike")
MANY = {"end": 1, "at": 1, "not at": 1, "among": 1, "between": 3, "closer": 3, "if": 4, "alike": 4}
NUMBERED = ("at", "not at", "among", "gap", "far")


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # in the row
    loose: float  # share of clues that say little


@dataclass(frozen=True, slots=True)
class Row:
    people: tuple[str, ...]
    clues: tuple[Clue, ...]


def generate(rng: Random, knobs: Knobs) -> Row | None:
    names = sorted(rng.sample(NAMES, knobs.people))
    true = dict(zip(names, rng.sample(range(knobs.people), knobs.people)))

    def drawn() -> Clue:
        kind = rng.choice(LOOSE if rng.random() < knobs.loose else PLAIN)
        who = rng.sample(names, MANY.get(kind, 2))
        if kind not in NUMBERED:
            return kind, *who
        return kind, *who, _number(rng, kind, [true[name] for name in who], knobs.people)

    clues = clues_for(rng, names, true, _holds, drawn)
    if clues is None:
        return None
    rng.shuffle(clues)
    return Row(tuple(names), tuple(clues))


def solve(row: Row) -> tuple[str, ...] | None:
    """SAT: a variable for each person and place, a blocking clause at the end."""
    circuit, size = _sat.Circuit(), len(row.people)
    at = {who: [circuit.variable((who, place)) for place in range(size)] for who in row.people}
    lines, bounds = one_each(size)
    circuit.clauses += lines
    for clue in row.clues:
        circuit.clauses += _clauses(circuit, at, clue)
    deciding = [variable for places in at.values() for variable in places]
    true = _sat.only_model(circuit.clauses, deciding, bounds=bounds)
    if true is None:
        return None
    order = sorted(row.people, key=lambda who: [place not in true for place in at[who]])
    return tuple(who.lower() for who in order)


def verify(row: Row, order: tuple[str, ...]) -> float:
    names = {who.lower(): who for who in row.people}
    if len(order) != len(names) or set(order) != names.keys():
        return 0.0
    places = {names[who]: place for place, who in enumerate(order)}
    return float(all(_holds(clue, places, len(order)) for clue in row.clues))


def render(row: Row, style: Style) -> Prompt:
    people, size = listed(row.people), len(row.people)
    race = style.phrasing % 2 == 1
    lines = numbered(_said(clue, race) for clue in row.clues)
    if race:
        question = style.pick(
            f"{people} ran a race. All of them finished, no two at the same time.\n\n"
            f"{lines}\n\nIn which order did they come in?",
            f"Somebody has lost the results of a race between {people}. All finished, one after the"
            f" other. This much is remembered:\n{lines}\n\nRestore the order of the runners.",
            f"{lines}\n\nThese notes were taken at a race of {size} runners, {people}, who all came"
            " in at different times. Find the whole order.",
        )
        return Prompt(question, form=FORM)
    question = style.pick(
        f"{people} stand in a queue, one behind the other. The first is at the front.\n\n"
        f"{lines}\n\nWho stands where?",
        f"A queue is made up of {people}; the first place is the one at the front. All of these"
        f" statements are true:\n{lines}\n\nThere is exactly one order that fits them. Which one?",
        f"{lines}\n\nThis is what is known about a queue of {size} people, {people}. Places are"
        " counted from the front. Work out the order.",
    )
    return Prompt(question, form=FORM)


def progress(row: Row, lines: Lines) -> float:
    return list_begun(FAMILY, row, lines)


def canon(row: Row) -> list[str]:
    """Names do not matter; nor which of two comes first, where a clue treats them alike."""
    facts: list[object] = []
    for kind, *rest in row.clues:
        if kind in ("beside", "apart"):
            facts.append((kind, *rest))
        elif kind in ("gap", "far"):
            facts.append((kind, str(rest[2]), ("both", *rest[:2])))
        elif kind == "between":
            facts.append((kind, rest[0], ("both", *rest[1:])))
        elif kind == "alike":
            facts.append((kind, ("both", *rest[:2]), ("both", *rest[2:])))
        else:
            facts.append((kind, *map(str, rest)))
    return unnamed(facts, row.people, ("beside", "apart", "both", "alike"))


def hardness(row: Row) -> float:
    """People, and clues by how little they say."""
    loose = sum(clue[0] not in PLAIN for clue in row.clues)
    return len(row.people) ** 2 / 4 + len(row.clues) + loose


def _number(rng: Random, kind: str, places: list[int], size: int) -> int:
    match kind:
        case "at":
            return places[0]
        case "not at":
            return rng.randrange(size)
        case "among":
            return rng.randint(2, max(2, size // 2))
        case "gap":
            return abs(places[0] - places[1]) - 1 or size  # "none between" is said otherwise
    return rng.randint(2, max(2, size // 2))


def _holds(clue: Clue, places: Places, size: int) -> bool:
    kind, *rest = clue
    at = [places[who] for who in rest if isinstance(who, str)]
    number = rest[-1] if isinstance(rest[-1], int) else 0
    match kind:
        case "at":
            return at[0] == number
        case "not at":
            return at[0] != number
        case "among":
            return at[0] < number
        case "end":
            return at[0] in (0, size - 1)
        case "before":
            return at[0] < at[1]
        case "next":
            return at[0] == at[1] - 1
        case "beside":
            return abs(at[0] - at[1]) == 1
        case "apart":
            return abs(at[0] - at[1]) > 1
        case "gap":
            return abs(at[0] - at[1]) == number + 1
        case "far":
            return abs(at[0] - at[1]) > number
        case "between":
            return (at[1] < at[0]) == (at[0] < at[2])
        case "closer":
            return abs(at[0] - at[1]) < abs(at[0] - at[2])
        case "if":
            return at[0] > at[1] or at[2] < at[3]
        case "alike":
            return abs(at[0] - at[1]) == abs(at[2] - at[3])
    raise AssertionError(f"no clue {clue}")


def _clauses(circuit: _sat.Circuit, at: dict[str, list[int]], clue: Clue) -> list[_sat.Clause]:
    match clue:
        case ("at", str(who), int(place)):
            return [[at[who][place]]]
        case ("not at", str(who), int(place)):
            return [[-at[who][place]]]
        case ("among", str(who), int(most)):
            return [at[who][:most]]
        case ("end", str(who)):
            return [[at[who][0], at[who][-1]]]
        case ("before" | "next" as relation, str(one), str(other)):
            return _stand(at, relation, one, other)
        case ("beside", str(one), str(other)):
            return _stand(at, "steps", one, other, 1)
        case ("apart", str(one), str(other)):
            return _stand(at, "far", one, other, 1)
        case ("gap", str(one), str(other), int(many)):
            return _stand(at, "steps", one, other, many + 1)
        case ("far", str(one), str(other), int(many)):
            return _stand(at, "far", one, other, many)
        case ("between", str(one), str(two), str(three)):
            return [  # one of the others is before, and one is after
                former + latter[1:]
                for relation in ("before", "after")
                for former, latter in zip(
                    _stand(at, relation, one, two), _stand(at, relation, one, three)
                )
            ]
        case ("closer", str(one), str(two), str(three)):
            return [
                [-here, -there, *compress(at[two], nearer)]
                for place, here in enumerate(at[one])
                for other, there in enumerate(at[three])
                for nearer in [_related("near", abs(place - other), len(at))[place]]
            ]
        case ("if", str(one), str(two), str(three), str(four)):
            return [
                [_gate(circuit, at, "before", two, one), _gate(circuit, at, "before", three, four)]
            ]
        case ("alike", str(one), str(two), str(three), str(four)):
            return [
                [-here, -there, _gate(circuit, at, "steps", three, four, abs(place - other))]
                for place, here in enumerate(at[one])
                for other, there in enumerate(at[two])
                if place != other
            ]
    raise AssertionError(f"no clue {clue}")


def _stand(
    at: dict[str, list[int]], relation: str, one: str, other: str, many: int = 0
) -> list[_sat.Clause]:
    """Clauses: the places of two people stand in this relation."""
    related = _related(relation, many, len(at))
    return [[-here, *compress(at[other], fitting)] for here, fitting in zip(at[one], related)]


def _gate(
    circuit: _sat.Circuit,
    at: dict[str, list[int]],
    relation: str,
    one: str,
    other: str,
    many: int = 0,
) -> int:
    """A variable that is true only where they do."""
    meaning = relation, one, other, many
    known = meaning in circuit.variables
    variable = circuit.variable(meaning)
    if not known:
        circuit.clauses += [[-variable, *each] for each in _stand(at, *meaning)]
    return variable


@lru_cache(maxsize=256)
def _related(relation: str, many: int, size: int) -> list[list[bool]]:
    """For each place of the first of two, which places of the other are in the relation to it."""
    places = range(size)
    match relation:
        case "before":
            return [[left < right for right in places] for left in places]
        case "after":
            return [[left > right for right in places] for left in places]
        case "next":
            return [[left + 1 == right for right in places] for left in places]
        case "steps":
            return [[abs(left - right) == many for right in places] for left in places]
        case "far":
            return [[abs(left - right) > many for right in places] for left in places]
        case "near":
            return [[0 < abs(left - right) < many for right in places] for left in places]
    raise AssertionError(f"no relation {relation}")


def _said(clue: Clue, race: bool) -> str:
    stands, stand = ("came in", "came in") if race else ("stands", "stand")
    match clue:
        case ("at", who, int(place)):
            return f"{who} {stands} {ORDINALS[place]}."
        case ("not at", who, int(place)):
            return f"{who} {'did not come in' if race else 'does not stand'} {ORDINALS[place]}."
        case ("among", who, most):
            return f"{who} {'was' if race else 'is'} among the first {most}."
        case ("end", who):
            return f"{who} {stands} first or last."
        case ("before", one, other):
            return f"{one} {stands} somewhere before {other}."
        case ("next", one, other):
            return f"{one} {stands} directly before {other}."
        case ("beside", one, other):
            return f"{one} and {other} {stand} directly one after the other, in either order."
        case ("apart", one, other):
            return (
                f"{one} and {other} {'were' if race else 'are'} not directly one after the other."
            )
        case ("gap" | "far" as kind, one, other, int(many)):
            bound = "exactly" if kind == "gap" else "at least"
            people = "one person" if many == 1 else f"{many} people"
            return f"Between {one} and {other} there {_were(many, race)} {bound} {people}."
        case ("between", one, two, three):
            return f"{one} {stands} somewhere between {two} and {three}."
        case ("closer", one, two, three):
            there = f"there {_were(2, race)} fewer people"
            return f"Between {one} and {two} {there} than between {one} and {three}."
        case ("if", one, two, three, four):
            return f"If {one} {stands} before {two}, then {three} {stands} before {four}."
        case ("alike", one, two, three, four):
            there = f"there {_were(2, race)} as many people"
            return f"Between {one} and {two} {there} as between {three} and {four}."
    raise AssertionError(f"no clue {clue}")


def _were(many: int, race: bool) -> str:
    return ("was" if race else "is") if many == 1 else ("were" if race else "are")


FORM = "all of the names from the first to the last, separated by commas"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth")  # fmt: skip
LADDER = (
    Knobs(5, 0.0),
    Knobs(7, 0.25),
    Knobs(8, 0.5),
    Knobs(10, 0.75),
    Knobs(13, 0.9),
)
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(reorders=True),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.01,
    progress=progress,
    canon=canon,
    known=lambda row: row.people,
    skills=("logic", "ordering"),
    version=3,
)
