"""Self-reference: numbered statements speak of one another; which of them are true?

Only one assignment of true and false makes every true statement say what is so and every false one
what is not. `generate` keeps, in one long integer for each statement, the assignments that it
agrees with; `solve` proves by SAT that one is left; `verify` reads every statement under the
assignment of the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from operator import and_
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.search import Node
from puzzlemill.generators import _sat
from puzzlemill.generators.logic._wording import numbered, sentence
from puzzlemill.generators.logic._worlds import connected

# ("is", number, truth), ("alike", number, number), ("differ", number, number),
# (one of AMOUNTS, how many, truth, scope), ("even" or "odd", truth, scope)
# or (one of CONNECTIVES, statement, statement). A scope is ("all",), ("odd",), ("even",),
# ("others", the statement's own number) or ("from", first, last). Numbers count from 1.
Said: TypeAlias = tuple[Any, ...]
Scope: TypeAlias = tuple[Any, ...]
Truths: TypeAlias = list[bool | None]  # of statement 1, 2, 3 …; None while that is open

AMOUNTS = ("exactly", "at least", "at most")
CONNECTIVES = ("and", "or", "either", "if", "iff")


@dataclass(frozen=True, slots=True)
class Knobs:
    statements: int  # on the list
    counting: float  # share of simple statements that speak of more than two statements
    compound: float  # share of statements that join two simple ones


@dataclass(frozen=True, slots=True)
class Notice:
    said: tuple[Said, ...]


def generate(rng: Random, knobs: Knobs) -> Notice | None:
    count = knobs.statements
    truths = [True, False, *(rng.random() < 0.5 for _ in range(count - 2))]
    rng.shuffle(truths)
    here = sum(1 << place for place, true in enumerate(truths) if true)
    drawn = [_fitting(rng, knobs, own, here) for own in range(1, count + 1)]
    left = reduce(and_, (worlds for _, worlds in drawn))
    for _ in range(40 * count):
        if left.bit_count() == 1:
            said = tuple(said for said, _ in drawn)
            return Notice(said) if len(set(said)) == count else None
        place = rng.randrange(count)
        before, drawn[place] = drawn[place], _fitting(rng, knobs, place + 1, here)
        now = reduce(and_, (worlds for _, worlds in drawn))
        if now.bit_count() > left.bit_count():
            drawn[place] = before
        else:
            left = now
    return None


def solve(notice: Notice) -> Pairs | None:
    """SAT: a variable for each statement, a gate for what it says, a blocking clause at the end."""
    circuit = _sat.Circuit()
    true = [circuit.variable(number) for number in range(1, len(notice.said) + 1)]
    for literal, said in zip(true, notice.said, strict=True):
        circuit.clauses.append([circuit.equal(literal, _gate(circuit, true, said))])
    found = _sat.only_model(circuit.clauses, true)
    if found is None:
        return None
    return _pairs([literal in found for literal in true])


def verify(notice: Notice, pairs: Pairs) -> float:
    count, said = len(notice.said), dict(pairs)
    if len(pairs) != count or set(said) != {str(number) for number in range(1, count + 1)}:
        return 0.0
    if not {"true", "false"}.issuperset(said.values()):
        return 0.0
    truths: Truths = [said[str(number)] == "true" for number in range(1, count + 1)]
    return float(all(truth == _holds(each, truths) for truth, each in zip(truths, notice.said)))


def render(notice: Notice, style: Style) -> Prompt:
    count = len(notice.said)
    said = numbered(sentence(_clause(each, count)) for each in notice.said)
    notes = "".join(f" {note}" for note in _notes(notice))
    return Prompt(
        style.pick(
            f"Here are {count} numbered statements about one another. Each is either true or"
            f" false.\n\n{said}\n\nThere is exactly one way to call each statement true or false"
            f" such that what the true ones say is so and what the false ones say is not so. Find"
            f" it.{notes}",
            f"A notice reads:\n\n{said}\n\nEvery one of the {count} statements is true or false,"
            " and it speaks of the truth of the statements of this very list. A true statement"
            " must describe the list correctly, a false one must not. Only one assignment of true"
            f" and false fits. Which is it?{notes}",
            f"Decide for each of these {count} statements whether it is true or false. Your"
            " decisions must agree with one another: whatever you call true has to be the case"
            f" under your decisions, and whatever you call false must not be.{notes} There is only"
            f" one solution.\n\n{said}",
        ),
        form='one line for each statement, its number and its truth, such as "1 = true" or'
        ' "1 = false"',
    )


def steps(notice: Notice) -> list[str]:
    """What each statement forces; where nothing is forced, a supposition and what comes of it."""
    lines: list[str] = []
    _settle(notice, [None] * len(notice.said), lines)
    return lines


def search(notice: Notice) -> Node:
    """True or false, statement after statement, until one does not fit."""
    gold = solve(notice)
    assert gold is not None, "the puzzle was solved"
    right = {int(number): truth == "true" for number, truth in gold}
    return _called(notice, right, [None] * len(notice.said), 0, ())


def hardness(notice: Notice) -> float:
    """How many statements are spoken of, all told."""
    count = len(notice.said)
    return sum(len(_spoken_of(said, count)) for said in notice.said)


def _fitting(rng: Random, knobs: Knobs, own: int, here: int) -> tuple[Said, int]:
    """A statement that may stand at this place in assignment `here`, and where else it may."""
    everywhere, columns = _worlds(knobs.statements)
    while True:
        said = _simple(rng, knobs, own)
        if rng.random() < knobs.compound:
            other = _simple(rng, knobs, own)
            said = (rng.choice(CONNECTIVES), said, other)
            parts = {_true_in(part, knobs.statements) for part in said[1:]}
        else:
            parts = set()
        saying = _true_in(said, knobs.statements)
        worlds = everywhere & ~(saying ^ columns[own - 1])
        if worlds >> here & 1 and saying not in {0, everywhere, *parts}:
            return said, worlds


def _simple(rng: Random, knobs: Knobs, own: int) -> Said:
    count = knobs.statements
    if rng.random() >= knobs.counting:
        numbers = [number for number in range(1, count + 1) if number != own]
        if rng.random() < 0.5:
            return "is", rng.choice(numbers), rng.random() < 0.5
        return rng.choice(("alike", "differ")), *sorted(rng.sample(numbers, 2))
    scope: Scope = (rng.choice(("all", "all", "odd", "even", "from", "from", "others")),)
    if scope == ("from",):
        first, last = sorted(rng.sample(range(1, count + 1), 2))
        scope = ("from", first, last) if last - first < count - 1 else ("all",)
    elif scope == ("others",):
        scope = ("others", own)
    truth, size = rng.random() < 0.5, len(_members(scope, count))
    if rng.random() < 0.2:
        return rng.choice(("even", "odd")), truth, scope
    amount = rng.choice(AMOUNTS)
    bounds = (0, size) if amount == "exactly" else (1, size - 1)
    middling = min((rng.randint(*bounds) for _ in range(2)), key=lambda many: abs(2 * many - size))
    return amount, middling, truth, scope


def _members(scope: Scope, count: int) -> list[int]:
    match scope:
        case ("all",):
            return list(range(1, count + 1))
        case ("odd",):
            return list(range(1, count + 1, 2))
        case ("even",):
            return list(range(2, count + 1, 2))
        case ("others", own):
            return [number for number in range(1, count + 1) if number != own]
        case (_, first, last):
            return list(range(first, last + 1))
    raise AssertionError(f"no scope {scope}")


@cache
def _worlds(count: int) -> tuple[int, list[int]]:
    """All assignments; those in which each statement is true.

    Assignment w is bit w of each integer; statement i is true in it where bit i - 1 of w is set.
    """
    columns = list[int]()
    for place in range(count):
        half = 1 << place
        columns = [worlds | worlds << half for worlds in columns]
        columns.append(((1 << half) - 1) << half)
    return (1 << (1 << count)) - 1, columns


@cache
def _tally(scope: Scope, truth: bool, count: int) -> list[int]:
    """The assignments in which 0, 1, 2 … of the scope's statements have this truth."""
    everywhere, columns = _worlds(count)
    tally = [everywhere]
    for number in _members(scope, count):
        so = columns[number - 1] if truth else everywhere & ~columns[number - 1]
        tally = [
            (same & ~so) | (fewer & so)
            for same, fewer in zip([*tally, 0], [0, *tally], strict=True)
        ]
    return tally


def _true_in(said: Said, count: int) -> int:
    """The assignments in which what is said is so."""
    everywhere, columns = _worlds(count)
    match said:
        case ("is", int(number), bool(truth)):
            return columns[number - 1] if truth else everywhere & ~columns[number - 1]
        case ("differ", int(one), int(other)):
            return columns[one - 1] ^ columns[other - 1]
        case ("alike", int(one), int(other)):
            return everywhere & ~(columns[one - 1] ^ columns[other - 1])
        case (("even" | "odd") as parity, bool(truth), scope):
            return sum(_tally(scope, truth, count)[parity == "odd" :: 2])
        case ("exactly", int(number), bool(truth), scope):
            return _tally(scope, truth, count)[number]
        case ("at least", int(number), bool(truth), scope):
            return sum(_tally(scope, truth, count)[number:])
        case ("at most", int(number), bool(truth), scope):
            return sum(_tally(scope, truth, count)[: number + 1])
    left, right = (_true_in(part, count) for part in said[1:])
    return connected(said[0], left, right, everywhere)


def _gate(circuit: _sat.Circuit, true: Sequence[int], said: Said) -> int:
    match said:
        case ("is", int(number), bool(truth)):
            return true[number - 1] if truth else -true[number - 1]
        case (("alike" | "differ") as relation, int(one), int(other)):
            alike = circuit.equal(true[one - 1], true[other - 1])
            return alike if relation == "alike" else -alike
        case (("even" | "odd") as parity, bool(truth), scope):
            odd = circuit.constant(False)
            for number in _members(scope, len(true)):
                counted = true[number - 1] if truth else -true[number - 1]
                odd = -circuit.equal(odd, counted)
            return odd if parity == "odd" else -odd
        case (amount, int(number), truth, scope):
            members = [true[each - 1] for each in _members(scope, len(true))]
            said_so = [member if truth else -member for member in members]
            return circuit.so_many(amount, number, said_so)
    left, right = (_gate(circuit, true, part) for part in said[1:])
    return circuit.joined(said[0], left, right)


def _holds(said: Said, truths: Truths) -> bool | None:
    """Whether what is said is so; None where statements of unknown truth decide that."""
    match said:
        case ("is", int(number), bool(truth)):
            known = truths[number - 1]
            return None if known is None else known == truth
        case (("alike" | "differ") as relation, int(one), int(other)):
            first, second = truths[one - 1], truths[other - 1]
            if first is None or second is None:
                return None
            return first == second if relation == "alike" else first != second
        case (("even" | "odd") as parity, bool(truth), scope):
            seen = [truths[number - 1] for number in _members(scope, len(truths))]
            return None if None in seen else (seen.count(truth) % 2 == 1) == (parity == "odd")
        case (amount, int(number), truth, scope):
            seen = [truths[each - 1] for each in _members(scope, len(truths))]
            least, open_ = seen.count(truth), seen.count(None)
            low = number if amount != "at most" else 0
            high = number if amount != "at least" else len(seen)
            if low <= least and least + open_ <= high:
                return True
            return False if least > high or least + open_ < low else None
    left, right = (_holds(part, truths) for part in said[1:])
    match said[0]:
        case "and":
            return False if left is False or right is False else _both_known(left, right, True)
        case "or":
            return True if left or right else _both_known(left, right, False)
        case "if":
            return True if left is False or right else _both_known(left, right, False)
        case "either":
            return _both_known(left, right, left != right)
        case _:
            return _both_known(left, right, left == right)


def _both_known(left: bool | None, right: bool | None, value: bool) -> bool | None:
    return None if left is None or right is None else value


def _settle(notice: Notice, truths: Truths, lines: list[str]) -> bool:
    """Write down what is true and false; False where that ends in a contradiction."""
    while True:
        for number, (truth, said) in enumerate(zip(truths, notice.said, strict=True), 1):
            if _both_known(truth, holds := _holds(said, truths), truth != holds):
                lines.append(f"but what statement {number} says does not fit that")
                return False
        forced = _forced(notice, truths)
        if forced is None:
            break
        number, truth, because = forced
        truths[number - 1] = truth
        lines.append(f"statement {number} is {_word(truth)}, or statement {because} would not fit")
    if None not in truths:
        return True
    number = truths.index(None) + 1
    for truth in (True, False):
        lines.append(f"suppose statement {number} is {_word(truth)}")
        trial = list(truths)
        trial[number - 1] = truth
        if _settle(notice, trial, lines):
            truths[:] = trial
            return True
        lines.append(f"so statement {number} is not {_word(truth)}")
    return False


def _called(
    notice: Notice, right: dict[int, bool], truths: Truths, count: int, lines: tuple[str, ...]
) -> Node:
    """The search once so many statements have been called true or false."""
    for number, (truth, said) in enumerate(zip(truths, notice.said, strict=True), 1):
        if _both_known(truth, holds := _holds(said, truths), truth != holds):
            so = "so" if holds else "not so"
            return Node(
                lines,
                f"Statement {number} would be {_word(truth is True)}, and what it says is {so}",
            )
    if count == len(truths):
        return Node(lines)

    def after(truth: bool) -> Node:
        trial = [*truths[:count], truth, *truths[count + 1 :]]
        line = f"statement {count + 1} is {_word(truth)}?"
        return _called(notice, right, trial, count + 1, (line,))

    first = right[count + 1]
    return Node(lines, branches=(partial(after, first), partial(after, not first)))


def _forced(notice: Notice, truths: Truths) -> tuple[int, bool, int] | None:
    """A statement that must be true, or false, and the one whose words force that."""
    unknown = [number for number, truth in enumerate(truths, 1) if truth is None]
    for because, said in enumerate(notice.said, 1):
        for number in unknown:
            for truth in (True, False):
                trial = list(truths)
                trial[number - 1] = not truth
                holds, own = _holds(said, trial), trial[because - 1]
                if _both_known(own, holds, own != holds):
                    return number, truth, because
    return None


def _pairs(truths: Sequence[bool]) -> Pairs:
    return tuple(sorted((str(number), _word(truth)) for number, truth in enumerate(truths, 1)))


def _word(truth: bool) -> str:
    return "true" if truth else "false"


def _spoken_of(said: Said, count: int) -> list[int]:
    match said:
        case ("is", number, _):
            return [number]
        case ("alike" | "differ", one, other):
            return [one, other]
        case (str(), tuple() as left, tuple() as right):
            return _spoken_of(left, count) + _spoken_of(right, count)
    return _members(said[-1], count)


def _notes(notice: Notice) -> list[str]:
    """What a reader may have to be told about the words that occur."""
    kinds = {
        part[0]
        for said in notice.said
        for part in ((said, *said[1:]) if said[0] in CONNECTIVES else (said,))
    }
    notes = []
    if "or" in kinds:
        notes.append('"A or B" is also true when both are.')
    if "if" in kinds:
        notes.append('"If A, then B" is false only when A is true and B is false.')
    if not kinds.isdisjoint(("even", "odd")):
        notes.append("Zero is an even number.")
    return notes


def _clause(said: Said, count: int) -> str:
    match said:
        case ("is", int(number), bool(truth)):
            return f"statement {number} is {_word(truth)}"
        case ("alike", one, other):
            return f"statements {one} and {other} are both true or both false"
        case ("differ", one, other):
            return f"exactly one of statements {one} and {other} is true"
        case (("even" | "odd") as parity, bool(truth), scope):
            return (
                f"the number of {_word(truth)} statements among {_named(scope, count)} is {parity}"
            )
        case (amount, int(number), truth, scope):
            size = len(_members(scope, count))
            if amount == "exactly" and number in (0, size):
                every = "both" if size == 2 else "all"
                how_many, verb = (every, "are") if number else ("not one", "is")
                return f"{how_many} of {_named(scope, count)} {verb} {_word(truth)}"
            verb = "is" if number == 1 else "are"
            return f"{amount} {number} of {_named(scope, count)} {verb} {_word(truth)}"
    left, right = (_clause(part, count) for part in said[1:])
    match said[0]:
        case "and" | "or" as word:
            return f"{left}, {word} {right}"
        case "either":
            return f"either {left}, or {right}, but not both"
        case "if":
            return f"if {left}, then {right}"
        case _:
            return f"{left} if and only if {right}"


def _named(scope: Scope, count: int) -> str:
    match scope:
        case ("all",):
            return f"these {count} statements"
        case (("odd" | "even") as parity,):
            return f"the {parity}-numbered statements"
        case ("others", _):
            return f"the other {count - 1} statements"
        case (_, first, last):
            return f"statements {first} {'to' if last - first > 1 else 'and'} {last}"
    raise AssertionError(f"no scope {scope}")


LADDER = (
    Knobs(4, 0.3, 0.0),
    Knobs(6, 0.5, 0.1),
    Knobs(8, 0.6, 0.3),
    Knobs(11, 0.7, 0.5),
    Knobs(14, 0.8, 0.8),
)
FAMILY = Family(
    Notice,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Mapping(nouns=("statement",), same=(("t", "true"), ("f", "false"))),
    hardness=hardness,
    proof="unique",
    solver="SAT with a blocking clause",
    guess_rate=0.12,  # true and false for each of four, not all alike
    steps=steps,
    search=search,
    skills=("logic", "search"),
    peers=("reasoning-gym/self_reference",),
)
