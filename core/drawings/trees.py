"""Trees: terms with their parts below them, and families with their generations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

ACROSS, DOWN = 34, 46  # between leaves, and between rows of a term
PERSON = (84, 92)  # the room of a person: across, and down to the next generation
MOST = 60  # leaves or people


def _term(term: Any) -> Picture | None:
    """A term: a variable, or a function with its arguments."""
    parts, leaves = list[str](), iter(range(MOST))

    def place(term: Any, depth: int) -> float | None:
        """Draw a term and what is in it; the place across of its top."""
        name, *inner = (term,) if isinstance(term, str) else term
        places = [place(each, depth + 1) for each in inner]
        at = None if inner else next(leaves, None)
        x = ACROSS * (at + 0.5) if at is not None else None
        drawn = [each for each in places if each is not None]
        if len(drawn) < len(places) or (x is None and not drawn):
            return None
        x = sum(drawn) / len(drawn) if x is None else x
        y = 18 + DOWN * depth
        parts.extend(svg.line(x, y + 11, each, y + DOWN - 11) for each in drawn)
        parts.append(svg.text(x, y, name, 16))
        return x

    if place(term, 0) is None:
        return None
    high = 18 + DOWN * _depth(term)
    return Picture(ACROSS * (next(leaves, MOST)), high, parts)


def _depth(term: Any) -> int:
    inner = () if isinstance(term, str) else term[1:]
    return 1 + max(map(_depth, inner), default=0)


def _two_terms(puzzle: Any) -> Picture | None:
    left, right = _term(puzzle.left), _term(puzzle.right)
    return svg.beside([left, right], "=") if left and right else None


Couples = Mapping[tuple[int, int], Sequence[int]]  # and their children


@dataclass(frozen=True, slots=True)
class _Person:
    name: str
    sex: str
    state: str = ""  # what stands in the sign; "#" shades it


def _family(people: Sequence[_Person], couples: Couples) -> Picture | None:
    """Women are circles and men squares; parents are joined, and their children hang below."""
    if len(people) > MOST:
        return None
    rows = _generations(len(people), couples)
    wide = PERSON[0] * max(map(len, rows))
    places = {
        person: (
            (wide - PERSON[0] * len(row)) / 2 + PERSON[0] * (at + 0.5),
            20.0 + PERSON[1] * depth,
        )
        for depth, row in enumerate(rows)
        for at, person in enumerate(row)
    }
    parts = list[str]()
    for number, (x, y) in places.items():
        parts += _sign(people[number], x, y)
    for turn, (couple, children) in enumerate(couples.items()):
        born = [places[each] for each in children]
        parts += _joined([places[each] for each in couple], born, turn)
    return Picture(wide, PERSON[1] * len(rows) - 30, parts)


def _sign(person: _Person, x: float, y: float) -> Iterator[str]:
    if person.sex == "f":
        yield svg.ring(x, y, 13)
        if person.state == "#":
            yield svg.dot(x, y, 9)
    else:
        yield svg.frame(x - 12, y - 12, 24, 24)
        if person.state == "#":
            yield svg.block(x - 8, y - 8, 16)
    if person.state not in ("", "#"):
        yield svg.text(x, y, person.state, 14)
    yield svg.text(x, y + 24, person.name, 12)


def _joined(
    couple: Sequence[tuple[float, float]], children: Sequence[tuple[float, float]], turn: int
) -> Iterator[str]:
    """A line between the parents, and one below it from which the children hang."""
    (x, y), (to_x, to_y) = sorted(couple)
    yield svg.line(x + 13, y, to_x - 13, to_y)
    if not children:
        return
    middle, bar = (x + to_x) / 2, max(y, to_y) + 38 + 6 * (turn % 4)
    yield svg.line(middle, (y + to_y) / 2, middle, bar)
    ends = [middle, *(child for child, _ in children)]
    yield svg.line(min(ends), bar, max(ends), bar)
    for child, top in children:
        yield svg.line(child, bar, child, top - 13)


def _generations(count: int, couples: Couples) -> list[list[int]]:
    """People by generation, couples side by side; who marries in stands beside the spouse."""
    depth = [0] * count
    for _ in range(count):  # as long a line of descent as there may be
        for (mother, father), children in couples.items():
            depth[mother] = depth[father] = max(depth[mother], depth[father])
            for child in children:
                depth[child] = max(depth[child], depth[mother] + 1)
    rows: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for number in range(count):
        row = rows[depth[number]]
        near = [each for pair in couples if number in pair for each in pair]
        row += [each for each in dict.fromkeys(near or [number]) if each not in row]
    return rows


ILL = {1: "#", 0: "", -1: "?"}


def _pedigree(puzzle: Any) -> Picture | None:
    """Who is ill is filled in; a question mark where that is not known."""
    couples: dict[tuple[int, int], list[int]] = {}
    for number, (_, mother, father, *_) in enumerate(puzzle.members):
        if mother >= 0:
            couples.setdefault((mother, father), []).append(number)
    people = [_Person(name, sex, ILL[ill]) for name, _, _, sex, ill in puzzle.members]
    return _family(people, couples)


def _kin(puzzle: Any) -> Picture | None:
    """The couples and their children; whoever else there is stays untold."""
    told = sorted({each for man, woman, born in puzzle.couples for each in (man, woman, *born)})
    number = {person: place for place, person in enumerate(told)}
    people = [_Person(puzzle.names[each], puzzle.sexes[each]) for each in told]
    couples = {
        (number[man], number[woman]): [number[child] for child in children]
        for man, woman, children in puzzle.couples
    }
    return _family(people, couples)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "invented_kinship": _kin,
    "pedigree": _pedigree,
    "unification": _two_terms,
}
