"""Web of lies: some always tell the truth, the others always lie; who lies?

Every claim fixes whether an even or an odd number of some people lie. `generate` draws claims until
the parities decide everything, `solve` proves by SAT that one answer is left, and `verify` hears
every speaker again with the liars of the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._wording import sentence

# ("is", who, honest), ("alike", who, who), ("differ", who, who), ("odd", who, who, who),
# ("even", who, who, who): how many of them are honest; or ("would", who, claim)
Claim: TypeAlias = tuple[Any, ...]

# ("known", who, honest), ("at", name, place), ("says", who, claim) or ("aside", who, remark).
# Anybody may be mentioned by name or by place, but for the name of an "at".
Line: TypeAlias = tuple[Any, ...]

PLACES = (
    "airport", "bakery", "beach", "bridge", "cinema", "circus", "farm", "harbour", "hotel",
    "library", "lighthouse", "market", "museum", "park", "school", "stadium", "theatre", "zoo",
)  # fmt: skip
ASIDES = (
    "is wearing a green scarf", "has just seen a black cat", "is waiting for a bus",
    "drinks a cup of tea", "has lost an umbrella", "is humming a tune", "is reading a newspaper",
    "would rather be at home",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Knobs:
    people: int  # who tell the truth or lie
    tangled: float  # share of claims about more than one person
    placed: float  # share of mentions by place
    asides: int  # remarks that say nothing about truth


@dataclass(frozen=True, slots=True)
class Web:
    people: tuple[str, ...]
    lines: tuple[Line, ...]


def generate(rng: Random, knobs: Knobs) -> Web | None:
    people = rng.sample(NAMES, knobs.people)
    honest = [True, False, *(rng.random() < 0.5 for _ in people[2:])]
    rng.shuffle(honest)
    anchor = rng.randrange(knobs.people)  # nothing is decided unless the truth of one is known
    claims = _deciding(rng, knobs, honest, anchor)
    if claims is None:
        return None
    places = rng.sample(PLACES, knobs.people)

    def mention(person: int) -> str:
        return places[person] if rng.random() < knobs.placed else people[person]

    lines: list[Line] = [("known", mention(anchor), honest[anchor])]
    lines += [("says", mention(speaker), _told(claim, mention)) for speaker, claim in claims]
    if knobs.placed:
        lines += [("at", name, place) for name, place in zip(people, places, strict=True)]
    remarks = rng.sample(ASIDES, knobs.asides)
    lines += [("aside", mention(rng.randrange(knobs.people)), remark) for remark in remarks]
    rng.shuffle(lines)
    return Web(tuple(people), tuple(lines))


def solve(web: Web) -> tuple[str, ...] | None:
    """SAT: a variable for each person, a gate for each claim, a blocking clause at the end."""
    circuit, names = _sat.Circuit(), _names(web)
    honest = {who: circuit.variable(name) for who, name in names.items()}
    for kind, who, *rest in web.lines:
        if kind == "known":
            circuit.clauses.append([honest[who] if rest[0] else -honest[who]])
        elif kind == "says":
            circuit.clauses.append([circuit.equal(honest[who], _gate(circuit, honest, rest[0]))])
    true = _sat.only_model(circuit.clauses, [honest[name] for name in web.people])
    if true is None:
        return None
    return tuple(sorted(name.lower() for name in web.people if honest[name] not in true))


def verify(web: Web, liars: tuple[str, ...]) -> float:
    if not {name.lower() for name in web.people}.issuperset(liars):
        return 0.0
    honest = {who: name.lower() not in liars for who, name in _names(web).items()}
    for kind, who, *rest in web.lines:
        if kind == "known" and honest[who] != rest[0]:
            return 0.0
        if kind == "says" and honest[who] != _holds(rest[0], honest):
            return 0.0
    return 1.0


def render(web: Web, style: Style) -> Prompt:
    people, number = listed(web.people), len(web.people)
    lines = "\n".join(f"- {_written(line, web)}" for line in web.lines)
    notes = "".join(f" {note}" for note in _notes(web))
    return Prompt(
        style.pick(
            f"{people} are {number} people. Some of them always tell the truth, and the others"
            f" always lie.{notes} Everything in the following lines that is not in quotation"
            f" marks is true.\n\n{lines}\n\nWho are the liars?",
            f"Here is a report on {number} people: {people}. Every one of them is either honest,"
            " and then everything this person says is true, or a liar, and then everything this"
            f" person says is false.\n\n{lines}\n\nThe report itself is correct; only what people"
            f" say in it may be false.{notes} Find all the liars.",
            f"{lines}\n\nThis is what a reliable witness writes about {people}. Each of these"
            f" {number} people either tells the truth in everything or lies in everything.{notes}"
            " Which of them lie?",
        ),
        form="the names of all who lie, separated by commas",
    )


def steps(web: Web) -> list[str]:
    """Each line as a parity of liars, combined with those before it until everybody is known."""
    names = _names(web)
    places = {name: place for place, name in enumerate(web.people)}
    rows: list[tuple[int, int]] = []  # people, and whether an odd number of them lies
    lines = []
    for line in web.lines:
        if line[0] not in ("known", "says"):
            continue
        who, odd = _parity(line)
        row = 0
        for each in who:
            row ^= 1 << places[names[each]]
        lines.append(f"{_written(line, web)} So {_odd_liars(web, row, odd)}")
        told = row
        for mask, parity in rows:
            if row >> (mask.bit_length() - 1) & 1:
                row, odd = row ^ mask, odd ^ parity
        if row:
            if row != told:
                lines.append(f"with the lines before: {_odd_liars(web, row, odd)}")
            rows = sorted([*rows, (row, odd)], reverse=True)
    known = 0  # bit i: person i lies
    for mask, odd in reversed(rows):
        person = mask.bit_length() - 1
        lies = odd ^ ((mask & known).bit_count() & 1)
        known |= lies << person
        lines.append(f"so {web.people[person]} {'lies' if lies else 'tells the truth'}")
    return lines


def canon(web: Web) -> list[str]:
    telling = [line for line in web.lines if line[0] != "aside"]
    return unnamed(telling, sorted(_names(web)), ("alike", "differ", "odd", "even"))


def hardness(web: Web) -> float:
    """How many people are mentioned in claims, one who is met by place counting for two."""
    claims = [line for line in web.lines if line[0] == "says"]
    mentions = [who for line in claims for who in _parity(line)[0]]
    return sum(1 if who in web.people else 2 for who in mentions)


def _deciding(
    rng: Random, knobs: Knobs, honest: list[bool], anchor: int
) -> list[tuple[int, Claim]] | None:
    """Claims of people, given as numbers, from which all follows once one person is known."""
    people = range(len(honest))
    claims: list[tuple[int, Claim]] = []
    basis = [1 << anchor]  # independent sets of people, each with another highest bit
    spoken = [0] * len(honest)
    for _ in range(60 * len(honest)):
        silent = [person for person in people if spoken[person] == min(spoken)]
        speaker = rng.choice(silent if rng.random() < 0.8 else people)
        others = rng.sample([person for person in people if person != speaker], 3)
        shape = rng.choice(SHAPES) if rng.random() < knobs.tangled else "is"
        others = others[: {"is": 1, "odd": 3, "chain": 3}.get(shape, 2)]
        row = sum(1 << person for person in (speaker, *others))
        for known in basis:
            row = min(row, row ^ known)
        if row:
            said = next(
                claim
                for sign in (True, False)
                if _holds(claim := _claim(shape, others, sign), honest) == honest[speaker]
            )
            claims.append((speaker, said))
            spoken[speaker] += 1
            basis = sorted([*basis, row], reverse=True)
            if len(basis) == len(honest):
                return claims
    return None


def _claim(shape: str, others: list[int], sign: bool) -> Claim:
    """A claim of this shape; with the other sign it says the opposite."""
    match shape:
        case "is":
            return "is", *others, sign
        case "alike":
            return "alike" if sign else "differ", *others
        case "odd":
            return "odd" if sign else "even", *others
        case _:
            first, *rest = others
            return "would", first, _claim("would" if len(rest) > 1 else "is", rest, sign)


def _told(claim: Claim, mention: Callable[[int], str]) -> Claim:
    """The claim with mentions of the people instead of their numbers."""
    kind, *rest = claim
    told = (
        _told(part, mention)
        if isinstance(part, tuple)
        else part
        if isinstance(part, bool)
        else mention(part)
        for part in rest
    )
    return kind, *told


def _names(web: Web) -> dict[str, str]:
    """Of everybody, the name by every mention."""
    placed = {place: name for kind, name, place in web.lines if kind == "at"}
    return placed | {name: name for name in web.people}


def _gate(circuit: _sat.Circuit, honest: dict[str, int], claim: Claim) -> int:
    match claim:
        case ("is", who, truth):
            return honest[who] if truth else -honest[who]
        case ("alike", who, whom):
            return circuit.equal(honest[who], honest[whom])
        case ("differ", who, whom):
            return -circuit.equal(honest[who], honest[whom])
        case ("would", who, inner):
            return circuit.equal(honest[who], _gate(circuit, honest, inner))
        case (parity, one, two, three):
            odd = circuit.equal(honest[one], circuit.equal(honest[two], honest[three]))
            return odd if parity == "odd" else -odd
    raise AssertionError(f"no claim {claim}")


def _holds(claim: Claim, honest: Any) -> bool:
    kind, *rest = claim
    if kind == "is":
        return bool(honest[rest[0]] == rest[1])
    if kind == "would":
        return bool(honest[rest[0]] == _holds(rest[1], honest))
    told = sum(honest[who] for who in rest)
    return told in {"alike": (0, 2), "differ": (1,), "odd": (1, 3), "even": (0, 2)}[kind]


def _parity(line: Line) -> tuple[list[str], int]:
    """The people in a line, and whether an odd number of them lies for the line to be so."""
    kind, who, said = line
    if kind == "known":
        return [who], int(not said)
    people, odd = [who], 0
    while said[0] == "would":
        people.append(said[1])
        said = said[2]
    if said[0] == "is":
        people.append(said[1])
        odd = int(not said[2])
    else:
        people += said[1:]
        odd = int(said[0] in ("differ", "even"))
    return people, odd


def _odd_liars(web: Web, row: int, odd: int) -> str:
    names = [name for place, name in enumerate(web.people) if row >> place & 1]
    if len(names) == 1:
        return f"{names[0]} {'lies' if odd else 'tells the truth'}"
    return f"among {listed(names)}, an {'odd' if odd else 'even'} number lie"


def _notes(web: Web) -> list[str]:
    """What a reader may have to be told about the words that occur."""
    said = {line[2][0] for line in web.lines if line[0] == "says"}
    if "would" not in said:
        return []
    return [
        'That somebody "would say" something means that the person, if asked about it, would claim'
        " it: those who tell the truth if it is true, liars if it is false."
    ]


def _written(line: Line, web: Web) -> str:
    def named(who: str) -> str:
        return who if who in web.people else f"the person at the {who}"

    match line:
        case ("known", who, honest):
            return sentence(f"{named(who)} {'tells the truth' if honest else 'lies'}")
        case ("at", name, place):
            return f"{name} is at the {place}."
        case ("aside", who, remark):
            return sentence(f"{named(who)} {remark}")
    _, who, claim = line
    return f'{sentence(named(who))[:-1]} says: "{sentence(_clause(claim, named))}"'


def _clause(claim: Claim, named: Callable[[str], str]) -> str:
    match claim:
        case ("is", who, truth):
            return f"{named(who)} {'tells the truth' if truth else 'lies'}"
        case ("alike", who, whom):
            return f"{named(who)} and {named(whom)} either both tell the truth or both lie"
        case ("differ", who, whom):
            return f"exactly one of {named(who)} and {named(whom)} tells the truth"
        case ("would", who, inner):
            return f"{named(who)} would say that {_clause(inner, named)}"
        case (parity, *people):
            how_many = "one or all three" if parity == "odd" else "none or two"
            return f"of {listed([named(who) for who in people])}, {how_many} tell the truth"
    raise AssertionError(f"no claim {claim}")


SHAPES = ("alike", "alike", "would", "would", "odd", "chain")
LADDER = (
    Knobs(5, 0.0, 0.0, 0),
    Knobs(7, 0.1, 0.2, 1),
    Knobs(10, 0.3, 0.4, 2),
    Knobs(13, 0.6, 0.5, 4),
    Knobs(18, 0.9, 0.6, 6),
)
FAMILY = Family(
    Web,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.05,  # some of five, not none and not all
    steps=steps,
    canon=canon,
    known=lambda web: web.people,
    skills=("logic", "tracking"),
    peers=("SynLogic/web_of_lies", "InternBootcamp/web_of_lies"),
    version=3,
)
