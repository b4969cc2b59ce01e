"""Boolean models: of several formulas about a small world, which are true?

`generate` fixes the truth of a formula first and of its parts after it, from the outside in, so
that its shape gives nothing away; `solve` proves by SAT which formulas the facts entail; `verify`
evaluates them from the inside out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators import _sat
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators._vocabulary import NAMES
from puzzlemill.generators.logic._wording import LABELS, lettered

# ("letter", p); ("older", who, than), ("over", who, years), ("has", who, thing), or ("count",
# thing, many): at least so many have it
Atom: TypeAlias = tuple[Any, ...]
# ("not", formula), (one of BINARY, formula, formula), ("two", formula, formula, formula) or an atom
Formula: TypeAlias = tuple[Any, ...]

LETTERS = "pqrstuvw"
THINGS = ("bicycle", "boat", "camera", "cat", "dog", "guitar", "garden", "piano", "tent")
BINARY = ("and", "or", "if", "iff", "xor")
TRUTHS = {
    "and": ((True, True),),
    "or": ((True, True), (True, False), (False, True)),
    "if": ((True, True), (False, True), (False, False)),
    "iff": ((True, True), (False, False)),
    "xor": ((True, False), (False, True)),
}
BOTH = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True, slots=True)
class Knobs:
    formulas: int  # to be judged
    depth: int  # connectives inside one another
    letters: int  # that are true or false
    people: int  # in the world
    worldly: float  # share of atoms that speak of the people
    mixed: float  # share of connectives other than "and" and "or"


@dataclass(frozen=True, slots=True)
class World:
    letters: tuple[bool, ...]  # the truth of p, q, r …
    people: tuple[str, ...]
    ages: tuple[int, ...]
    things: tuple[tuple[str, ...], ...]  # what each of them has
    formulas: tuple[Formula, ...]


def generate(rng: Random, knobs: Knobs) -> World | None:
    letters = [True, False] + [rng.random() < 0.5 for _ in range(knobs.letters - 2)]
    rng.shuffle(letters)
    people = tuple(rng.sample(NAMES, knobs.people))
    ages = tuple(rng.sample(range(20, 70), knobs.people))
    known = rng.sample(THINGS, 2 + knobs.people // 2)
    things = tuple(tuple(thing for thing in known if rng.random() < 0.5) for _ in people)
    world = World(tuple(letters), people, ages, things, ())
    drawn = _Drawn(rng, knobs, world, known)
    truths = [True, False] + [rng.random() < 0.5 for _ in range(knobs.formulas - 2)]
    rng.shuffle(truths)
    formulas = tuple(drawn.formula(truth, knobs.depth) for truth in truths)
    if len(set(formulas)) < len(formulas):
        return None
    return World(tuple(letters), people, ages, things, formulas)


def solve(world: World) -> tuple[str, ...] | None:
    """SAT: the facts as units, a gate for each formula, which has to be forced one way."""
    circuit = _sat.Circuit()
    gates = [_gate(circuit, world, formula) for formula in world.formulas]
    facts = list(circuit.clauses)
    true = _sat.only_model(facts, [abs(gate) for gate in gates])
    if true is None:
        return None
    return tuple(
        LABELS[place].lower()
        for place, gate in enumerate(gates)
        if (abs(gate) in true) == (gate > 0)
    )


def verify(world: World, chosen: tuple[str, ...]) -> float:
    labels = [label.lower() for label in LABELS[: len(world.formulas)]]
    right = {label for label, each in zip(labels, world.formulas) if _true(world, each)}
    return float(right == set(chosen))


def render(world: World, style: Style) -> Prompt:
    dialect = style.phrasing // 3 % len(SIGNS)
    facts = " ".join(_facts(world))
    lines = lettered(_written(formula, SIGNS[dialect], True) for formula in world.formulas)
    notes = " ".join(_notes(world, dialect))
    return Prompt(
        style.pick(
            f"{facts}\n\n{notes}\n\nWhich of these are true?\n{lines}",
            f"Say which of the formulas below are true under these circumstances: {facts}\n\n"
            f"{lines}\n\n{notes}",
            f"These are the facts. {facts}\n\n{notes} Work out the truth of every one of the"
            f" following and list those that are true.\n{lines}",
        ),
        form="the labels of all that are true (at least one is, and not all), separated by commas",
    )


def steps(world: World) -> list[str]:
    """Every atom on its own, then the formulas from the inside out."""
    lines = list[str]()
    for label, formula in zip(LABELS, world.formulas):
        lines += [f"{label}: {text}" for text in dict.fromkeys(_worked(world, formula))]
        lines.append(f"{label} is {_word(_true(world, formula))}")
    return lines


def canon(world: World) -> list[str]:
    facts: list[Any] = [("is", p, str(so)) for p, so in zip(LETTERS, world.letters)]
    facts += [("aged", who, str(age)) for who, age in zip(world.people, world.ages)]
    facts += [("has", who, each) for who, got in zip(world.people, world.things) for each in got]
    facts += [("formula", formula) for formula in world.formulas]
    names = [*LETTERS[: len(world.letters)], *world.people, *THINGS]
    return unnamed(facts, names, ("and", "or", "iff", "xor", "two"))


def hardness(world: World) -> float:
    """How many connectives and atoms have to be worked out, one about people counting for two."""
    return float(sum(map(_weight, world.formulas)))


class _Drawn:
    """Formulas of a given truth."""

    def __init__(self, rng: Random, knobs: Knobs, world: World, known: list[str]) -> None:
        self.rng, self.knobs, self.world, self.known = rng, knobs, world, known

    def formula(self, truth: bool, depth: int) -> Formula:
        if depth == 0:
            return self.leaf(truth)
        if depth > 1 and self.rng.random() < 0.15:
            inner = self.formula(not truth, depth - 1)
            return inner[1] if inner[0] == "not" else ("not", inner)
        one, other = depth - 1, self.rng.randrange(depth)  # one part is as deep as it may be
        if self.rng.random() < 0.5:
            one, other = other, one
        if self.rng.random() >= self.knobs.mixed:
            kind = self.rng.choice(("and", "or"))
        else:
            kind = self.rng.choice(("if", "iff", "xor", "two"))
        if kind == "two":
            trues = self.rng.choice((2, 2, 3) if truth else (1, 1, 0))
            parts = [place < trues for place in range(3)]
            self.rng.shuffle(parts)
            depths = (one, other, self.rng.randrange(depth))
            return self.parted(kind, parts, depths)
        fitting = TRUTHS[kind] if truth else [pair for pair in BOTH if pair not in TRUTHS[kind]]
        return self.parted(kind, self.rng.choice(fitting), (one, other))

    def parted(self, kind: str, truths: Sequence[bool], depths: Sequence[int]) -> Formula:
        """Parts of these truths, none of them the same as another or as its denial."""
        for _ in range(20):
            parts = [self.formula(truth, depth) for truth, depth in zip(truths, depths)]
            if len({part[1] if part[0] == "not" else part for part in parts}) == len(parts):
                break
        return kind, *parts

    def leaf(self, truth: bool) -> Formula:
        """An atom of this truth, or one of the other truth denied, with equal chances."""
        atom = self.atom()
        wanted = truth == (self.rng.random() < 0.5)
        so = _holds(self.world, atom)
        for _ in range(20):
            if so == wanted:
                break
            atom = self.atom()
            so = _holds(self.world, atom)
        return atom if so == truth else ("not", atom)

    def atom(self) -> Atom:
        rng, people = self.rng, self.world.people
        if rng.random() >= self.knobs.worldly:
            return "letter", LETTERS[rng.randrange(len(self.world.letters))]
        match rng.choice(("older", "over", "has", "has", "count")):
            case "older":
                return "older", *rng.sample(people, 2)
            case "over":
                age = self.world.ages[place := rng.randrange(len(people))]
                years = age - 1 - rng.randrange(6) if rng.random() < 0.5 else age + rng.randrange(6)
                return "over", people[place], years
            case "has":
                return "has", rng.choice(people), rng.choice(self.known)
        return "count", rng.choice(self.known), rng.randint(2, max(2, len(people) - 1))


def _true(world: World, formula: Formula) -> bool:
    match formula:
        case ("not", inner):
            return not _true(world, inner)
        case ("two", *parts):
            return sum(_true(world, part) for part in parts) >= 2
        case (kind, left, right) if kind in BINARY:
            return (_true(world, left), _true(world, right)) in TRUTHS[kind]
    return _holds(world, formula)


def _holds(world: World, atom: Atom) -> bool:
    match atom:
        case ("letter", letter):
            return world.letters[LETTERS.index(letter)]
        case ("older", who, than):
            return _age(world, who) > _age(world, than)
        case ("over", who, years):
            return bool(_age(world, who) > years)
        case ("has", who, thing):
            return thing in world.things[world.people.index(who)]
        case ("count", thing, many):
            return bool(sum(thing in got for got in world.things) >= many)
    raise AssertionError(f"no atom {atom}")


def _age(world: World, who: str) -> int:
    return world.ages[world.people.index(who)]


def _gate(circuit: _sat.Circuit, world: World, formula: Formula) -> int:
    match formula:
        case ("not", inner):
            return -_gate(circuit, world, inner)
        case ("two", *parts):
            one, two, three = (_gate(circuit, world, part) for part in parts)
            pair = circuit.either(circuit.both(one, two), circuit.both(two, three))
            return circuit.either(pair, circuit.both(one, three))
        case (kind, left, right) if kind in BINARY:
            one, other = _gate(circuit, world, left), _gate(circuit, world, right)
            match kind:
                case "and":
                    return circuit.both(one, other)
                case "or":
                    return circuit.either(one, other)
                case "if":
                    return circuit.either(-one, other)
                case "iff":
                    return circuit.equal(one, other)
            return -circuit.equal(one, other)
    return _fact(circuit, world, formula)


def _fact(circuit: _sat.Circuit, world: World, atom: Atom) -> int:
    """An atom's variable, with what the world says of it as clauses."""
    known = atom in circuit.variables
    variable = circuit.variable(atom)
    if known:
        return variable
    aged = dict(zip(world.people, world.ages))
    match atom:
        case ("letter", letter):
            so = dict(zip(LETTERS, world.letters))[letter]
        case ("older", who, than):
            so = max((who, than), key=aged.__getitem__) == who
        case ("over", who, years):
            so = aged[who] in range(years + 1, 200)
        case ("has", who, thing):
            so = (who, thing) in _owned(world)
        case ("count", thing, many):
            owners = [("has", who, thing) for who in world.people]
            held = [owner for owner in owners if owner[1:] in _owned(world)]
            so = len(held[many - 1 :]) > 0
    circuit.clauses.append([variable if so else -variable])
    return variable


def _owned(world: World) -> set[tuple[str, ...]]:
    return {(who, thing) for who, got in zip(world.people, world.things) for thing in got}


def _weight(formula: Formula) -> int:
    match formula:
        case ("letter", _):
            return 1
        case (kind, *parts) if kind in (*BINARY, "two", "not"):
            return 1 + sum(map(_weight, parts))
    return 2


def _worked(world: World, formula: Formula) -> Iterator[str]:
    kind, *parts = formula
    if kind in (*BINARY, "two", "not"):
        for part in parts:
            yield from _worked(world, part)
    yield f"{_written(formula, SIGNS[0], True)} is {_word(_true(world, formula))}"


def _word(truth: bool) -> str:
    return "true" if truth else "false"


def _facts(world: World) -> Iterator[str]:
    true = [p for p, so in zip(LETTERS, world.letters) if so]
    false = [p for p, so in zip(LETTERS, world.letters) if not so]
    yield f"{listed(true)} {'is' if len(true) == 1 else 'are'} true,"
    yield f"{listed(false)} {'is' if len(false) == 1 else 'are'} false."
    for who, age, got in zip(world.people, world.ages, world.things):
        has = listed([f"a {thing}" for thing in got]) if got else "none of these things"
        yield f"{who} is {age} years old and has {has}."


def _notes(world: World, dialect: int) -> Iterator[str]:
    """What the connectives that occur mean."""
    kinds = set[str]().union(*map(_kinds, world.formulas))
    yield from (note for kind, note in MEANINGS[dialect].items() if kind in kinds)
    if world.people and {"has", "count"} & kinds:
        yield "Nobody has anything that is not mentioned here."


def _kinds(formula: Formula) -> set[str]:
    kind, *parts = formula
    return {kind}.union(*[_kinds(part) for part in parts if isinstance(part, tuple)])


def _written(formula: Formula, signs: tuple[str, ...], outside: bool = False) -> str:
    negation, *between = signs
    match formula:
        case ("not", inner):
            return f"{negation}{_written(inner, signs)}"
        case ("two", *parts):
            return f"at least two of [{'; '.join(_written(part, signs, True) for part in parts)}]"
        case (kind, left, right) if kind in BINARY:
            sign = between[BINARY.index(kind)]
            text = f"{_written(left, signs)}{sign}{_written(right, signs)}"
            return text if outside else f"({text})"
    text = _said(formula)
    return text if outside or formula[0] == "letter" else f"({text})"


def _said(atom: Atom) -> str:
    match atom:
        case ("letter", letter):
            return str(letter)
        case ("older", who, than):
            return f"{who} is older than {than}"
        case ("over", who, years):
            return f"{who} is older than {years}"
        case ("has", who, thing):
            return f"{who} has a {thing}"
        case ("count", thing, many):
            return f"at least {many} of the people have a {thing}"
    raise AssertionError(f"no atom {atom}")


# "not", then the connectives in the order of BINARY
SIGNS = (
    ("not ", " and ", " or ", " implies ", " if and only if ", " xor "),
    ("\u00ac", " \u2227 ", " \u2228 ", " \u2192 ", " \u2194 ", " \u2295 "),
    ("!", " & ", " | ", " => ", " <=> ", " ^ "),
)
MEANINGS = (
    {
        "or": '"X or Y" is also true if both are.',
        "if": '"X implies Y" is false only if X is true and Y is false.',
        "iff": '"X if and only if Y" is true if both are true or both are false.',
        "xor": '"X xor Y" is true if exactly one of the two is.',
    },
    {
        "not": "\u00acX is the negation of X.",
        "and": "X \u2227 Y is true if both are.",
        "or": "X \u2228 Y is true if at least one is.",
        "if": "X \u2192 Y is false only if X is true and Y is false.",
        "iff": "X \u2194 Y is true if both are true or both are false.",
        "xor": "X \u2295 Y is true if exactly one of the two is.",
    },
    {
        "not": "!X is true if X is false.",
        "and": "X & Y is true if both are.",
        "or": "X | Y is true if at least one is.",
        "if": "X => Y is false only if X is true and Y is false.",
        "iff": "X <=> Y is true if both are true or both are false.",
        "xor": "X ^ Y is true if exactly one of the two is.",
    },
)
LADDER = (
    Knobs(4, 1, 3, 2, 0.2, 0.0),
    Knobs(5, 2, 3, 3, 0.3, 0.2),
    Knobs(6, 3, 4, 4, 0.5, 0.4),
    Knobs(7, 4, 5, 5, 0.6, 0.5),
    Knobs(9, 5, 6, 6, 0.7, 0.6),
)
FAMILY = Family(
    World,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="letters"),
    hardness=hardness,
    proof="unique",
    solver="SAT: the truth of every formula is forced",
    guess_rate=0.2,  # of four, by one who knows how many
    steps=steps,
    canon=canon,
    known=lambda world: LABELS[: len(world.formulas)],
    skills=("logic", "evaluation"),
    peers=("SynLogic/boolean_expressions", "InternBootcamp/bbeh_boolean_expressions"),
    version=3,
)
