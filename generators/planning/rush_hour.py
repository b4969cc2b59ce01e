"""Rush hour: slide cars along their lanes until car X reaches the edge of the parking lot.

Every way within the allowed number of moves is right, so `verify` drives the cars. `generate` puts
other cars in and drives them to make the way out longer, and measures it on integers that hold the
squares taken and three bits a car; `solve` searches on a set of squares for each car.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress, product, takewhile
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.ways import way_travelled
from puzzlemill.generators.planning._search import guided

LETTERS = "ABCEFGHIJKMNP"  # none of them is a direction, or looks like a zero
LARGEST = 6  # side
SLIPS = 24  # of which some are plans that do
CLIMB = 6  # moves after which `generate` changes a lot no more
TRIES = 8  # lots that it looks at, for each of them
PATIENCE = 300  # states after which it gives up on a lot
ROOM = 6000  # states within which a lot is made longer by driving

# Row and column of its uppermost or leftmost square, its length, whether it stands in a column.
Car = tuple[int, int, int, bool]
# The bits of a car's lane and place, and by these in a state, what its slides add to the state.
Slides = tuple[int, dict[int, list[int]]]


@dataclass(frozen=True, slots=True)
class Knobs:
    side: int  # the parking lot is side x side
    cars: int  # fewer where they find no place
    moves: int  # fewer where no lot that was tried takes so many, but not much fewer


@dataclass(frozen=True, slots=True)
class Lot:
    side: int
    cars: tuple[Car, ...]
    names: str  # a letter for each car, X the first
    limit: int  # moves allowed


def generate(rng: Random, knobs: Knobs) -> Lot | None:
    """Some cars are taken away and others put in, as long as that makes the way out no shorter;
    then all are driven to where it is longer still."""
    side = knobs.side
    cars: list[Car] = []
    moves, climb = 0, min(knobs.moves, CLIMB)
    for _ in range(TRIES * climb):
        kept: list[Car] = [(rng.randrange(side), rng.randrange(side - 2), 2, False)]
        if moves:
            gone = min(rng.choice((1, 1, 2, 3)), len(cars) - 1)
            kept = [cars[0], *rng.sample(cars[1:], len(cars) - 1 - gone)]
        changed = _parked(rng, knobs, kept)
        longer = _Lanes(side, changed).moves(min(knobs.moves, moves + 3))
        if longer >= max(moves, 1):
            cars, moves = changed, longer
        if moves >= climb:
            break
    if climb <= moves < knobs.moves:
        cars, moves = _Lanes(side, cars).farther(rng, cars, moves, knobs.moves)
    if moves < max(2, min(knobs.moves, len(cars)) * 2 // 3):
        return None
    cars[1:] = sorted(cars[1:])
    return Lot(side, tuple(cars), "X" + "".join(rng.sample(LETTERS, len(cars) - 1)), moves)


def solve(lot: Lot) -> tuple[str, ...] | None:
    """A*: every car in front of X has to move, and X itself."""
    side = lot.side
    cars = tuple(sum(1 << at for at in _squares(side, car)) for car in lot.cars)
    column = sum(1 << row * side for row in range(side))
    edges = {"L": column, "R": column << side - 1, "U": (1 << side) - 1}
    edges["D"] = edges["U"] << side * (side - 1)
    steps = {"L": -1, "R": 1, "U": -side, "D": side}
    lanes = [
        ("UD", column << across) if upright else ("LR", (1 << side) - 1 << down * side)
        for down, across, _, upright in lot.cars
    ]
    exit_ = 1 << lot.cars[0][0] * side + side - 1
    known: dict[tuple[int, int, int], list[tuple[str, int]]] = {}

    def slides(number: int, car: int, others: int) -> Iterator[tuple[str, int]]:
        for way in lanes[number][0]:
            moved = car
            for squares in range(1, side):
                if moved & edges[way]:
                    break
                moved = moved << steps[way] if steps[way] > 0 else moved >> -steps[way]
                if moved & others:
                    break
                yield f"{lot.names[number]}{way}{squares}", moved

    def onward(state: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
        full = sum(state)
        for number, car in enumerate(state):
            key = number, car, (full ^ car) & lanes[number][1]
            if key not in known:
                known[key] = list(slides(*key))
            for move, moved in known[key]:
                yield move, (*state[:number], moved, *state[number + 1 :])

    def left(state: tuple[int, ...]) -> int:
        x = state[0]
        if x & exit_:
            return 0
        ahead = exit_ * 2 - 2 * (1 << x.bit_length() - 1)
        return 1 + (sum(state[1:]) & ahead).bit_count()

    found = guided(cars, lambda state: bool(state[0] & exit_), onward, left, lot.limit)
    return tuple(found) if found is not None else None


def verify(lot: Lot, moves: tuple[str, ...]) -> float:
    if len(moves) > lot.limit:
        return 0.0
    grid = _grid(lot)
    lanes = {name: "UD" if car[3] else "LR" for name, car in zip(lot.names, lot.cars)}
    for name, way, digit in map(tuple, moves):
        if way not in lanes.get(name, ""):
            return 0.0
        down, right = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}[way]
        for _ in range(int(digit)):
            squares = [
                (row, column)
                for row in range(lot.side)
                for column in range(lot.side)
                if grid[row][column] == name
            ]
            for row, column in squares:
                grid[row][column] = "."
            for row, column in squares:
                there = row + down, column + right
                if not (min(there) >= 0 and max(there) < lot.side):
                    return 0.0
                if grid[there[0]][there[1]] != ".":
                    return 0.0
                grid[there[0]][there[1]] = name
    return float(any(row[-1] == "X" for row in grid))


def recheck(lot: Lot, moves: tuple[str, ...]) -> bool:
    """Square by square: those that a car's front passes over must be free of all other cars."""
    cars = {name: list(car) for name, car in zip(lot.names, lot.cars)}
    for name, way, digit in map(tuple, moves):
        if name not in cars or cars[name][3] != (way in "UD"):
            return False
        row, column, length, upright = cars[name]
        count = int(digit)
        taken = {
            divmod(square, lot.side)
            for other, (top, start, long, across) in cars.items()
            if other != name
            for square in _squares(lot.side, (top, start, long, bool(across)))
        }
        lane = column if upright else row
        place = row if upright else column
        swept = (
            range(place - count, place)
            if way in "UL"
            else range(place + length, place + length + count)
        )
        if swept[0] < 0 or swept[-1] >= lot.side:
            return False
        if any(((it, lane) if upright else (lane, it)) in taken for it in swept):
            return False
        cars[name][0 if upright else 1] += count if way in "DR" else -count
    return len(moves) <= lot.limit and cars["X"][1] + cars["X"][2] == lot.side


def render(lot: Lot, style: Style) -> Prompt:
    board = "\n".join(map(" ".join, _grid(lot)))
    limit = f"{lot.limit} move{'s' if lot.limit > 1 else ''}"
    return Prompt(
        style.pick(
            f"A parking lot of {lot.side} by {lot.side} squares, seen from above:\n\n{board}\n\n"
            "Equal letters are one car, and a dot is a free square. A car can only go forwards and"
            " backwards in the direction in which it stands: left and right, or up and down. In one"
            " move a single car goes any number of squares, all of which must be free. In the end"
            f" car X must stand at the right edge of the lot. Get it there in at most {limit}.",
            f"{board}\n\nThe letters above are cars, each of two or three squares, and the dots are"
            " empty squares. Cars that lie in a row move only along that row, cars that stand in a"
            " column only along that column; they never turn, leave the board or pass through one"
            " another. Moving one car by one or more squares in one direction is one move. Bring"
            " car X to the right, until it covers the last square of its row, using no more than"
            f" {limit}.",
            "Rush hour: free car X! It has to come to the end of its row on the right-hand side."
            " The other cars (one letter each) are in its way. Every car slides lengthwise only,"
            " over free squares (dots), as far as you want in a single move. You are allowed"
            f" {limit}, or fewer.\n\n{board}",
        ),
        form="the moves in order, separated by spaces, each as the letter of the car, L, R, U or D"
        " for left, right, up or down, and the number of squares: AR2 for car A two squares to the"
        " right",
    )


def slips(rng: Random, lot: Lot, gold: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Plans as long, each with another detail than the one before: an order, a car, a distance."""
    moves = list(gold)
    lanes = {name: car[3] for name, car in zip(lot.names, lot.cars)}
    for _ in range(SLIPS):
        at = rng.randrange(len(moves))
        name, way, count = tuple(moves[at])
        match rng.randrange(3):
            case 0 if at:
                moves[at - 1], moves[at] = moves[at], moves[at - 1]
            case 1 if name != "X":
                alike = [each for each in lot.names[1:] if lanes[each] == lanes[name]]
                moves[at] = f"{rng.choice(alike)}{way}{count}"
            case _:
                longest = lot.side - 2
                other = int(count) + rng.choice((-1, 1))
                moves[at] = f"{name}{way}{min(max(other, 1), longest)}"
        yield tuple(moves)


def steps(lot: Lot) -> list[str]:
    """The lot after each move, row by row."""
    cars, lines = dict(zip(lot.names, lot.cars)), []
    for move in solve(lot) or ():
        row, column, length, upright = cars[move[0]]
        count = int(move[2]) if move[1] in "DR" else -int(move[2])
        cars[move[0]] = (row + count * upright, column + count * (not upright), length, upright)
        grid = _grid(replace(lot, cars=tuple(cars.values())))
        lines.append(f"{move}: {' / '.join(map(''.join, grid))}")
    return lines


def progress(lot: Lot, lines: Lines) -> float:
    return way_travelled(FAMILY, lot, lines, _onward, r"([A-Z][LRUD]\d): ")


def _onward(lot: Lot, move: str) -> Lot | None:
    number, way, count = lot.names.find(move[0]), move[1], int(move[2])
    if number < 0 or count < 1 or way not in ("UD" if lot.cars[number][3] else "LR"):
        return None
    taken = {it for car in lot.cars if car != lot.cars[number] for it in _squares(lot.side, car)}
    row, column, length, upright = lot.cars[number]
    for _ in range(count):
        row, column = row + (way == "D") - (way == "U"), column + (way == "R") - (way == "L")
        end = (row if upright else column) + length
        if min(row, column) < 0 or end > lot.side:
            return None
        if not taken.isdisjoint(_squares(lot.side, (row, column, length, upright))):
            return None
    cars = (*lot.cars[:number], (row, column, length, upright), *lot.cars[number + 1 :])
    return replace(lot, cars=cars, limit=lot.limit - 1)


def canon(lot: Lot) -> tuple[int, list[list[Car]], int]:
    """The less of the lot and its mirror image, upside down; only X has a name that matters."""
    mirrored = [
        (lot.side - row - (length if upright else 1), column, length, upright)
        for row, column, length, upright in lot.cars
    ]
    images = ([list(cars[:1]), sorted(cars[1:])] for cars in (list(lot.cars), mirrored))
    return lot.side, min(images), lot.limit


def hardness(lot: Lot) -> float:
    """Moves to find, and cars to move."""
    return 2 * lot.limit + len(lot.cars)


def _squares(side: int, car: Car) -> list[int]:
    """The squares of a car, numbered row by row from 0."""
    row, column, length, upright = car
    return [row * side + column + it * (side if upright else 1) for it in range(length)]


@lru_cache(maxsize=1 << 12)
def _covered(side: int, car: Car) -> int:
    """The same as bits."""
    return sum(1 << square for square in _squares(side, car))


def _grid(lot: Lot) -> list[list[str]]:
    grid = [["."] * lot.side for _ in range(lot.side)]
    for name, car in zip(lot.names, lot.cars):
        for square in _squares(lot.side, car):
            grid[square // lot.side][square % lot.side] = name
    return grid


def _parked(rng: Random, knobs: Knobs, kept: list[Car]) -> list[Car]:
    """Cars at random besides those that are kept, of which X is the first; none in its row."""
    side, cars = knobs.side, list(kept)
    taken = sum(_covered(side, car) for car in cars)
    for _ in range(4 * knobs.cars):
        if len(cars) == knobs.cars:
            break
        length, upright = rng.choice((2, 2, 3)), rng.random() < 0.5
        lane, place = rng.randrange(side), rng.randrange(side - length + 1)
        car = (place, lane, length, True) if upright else (lane, place, length, False)
        squares = _covered(side, car)
        if (upright or lane != cars[0][0]) and not taken & squares:
            cars.append(car)
            taken |= squares
    return cars


class _Lanes:
    """A lot's states as integers: a bit for each square that is taken, and above them three bits
    for each car's place in its lane, X's the lowest."""

    def __init__(self, side: int, cars: list[Car]) -> None:
        self.out = side - 2  # the place of X at the edge
        self.first = side**2  # the bit where the places begin
        self.start = 0
        row = cars[0][0] * side
        self.ahead = [sum(1 << row + it for it in range(x + 2, side)) for x in range(side - 1)]
        self.slides: list[Slides] = []
        for number, (row, column, length, upright) in enumerate(cars):
            lane, place = (column, row) if upright else (row, column)
            parts, slides = _slides(side, number, lane, length, upright)
            self.start += parts[place]
            self.slides.append(slides)

    def moves(self, most: int) -> int:
        """The fewest moves to a way out; 0 if that takes more than so many, or long to find out.

        A* as `guided` has it, without the moves themselves and with the calls written out, for most
        of the time goes here. A car that has just moved stays: the state before led to all its
        other places.
        """
        first, out, ahead, slides = self.first, self.out, self.ahead, self.slides
        cost, far = {self.start: 0}, most + 1
        known = cost.get
        waiting: list[list[tuple[int, int, int]]] = [[] for _ in range(far)]
        x = self.start >> first & 7
        needed = 0 if x == out else 1 + (self.start & ahead[x]).bit_count()
        if needed <= most:
            waiting[needed].append((self.start, 0, 0))
        patience = PATIENCE
        for total, states in enumerate(waiting):
            while states:
                state, made, moved = states.pop()
                if made > cost[state]:
                    continue
                patience -= 1
                if patience < 0:
                    return 0
                if state >> first & 7 == out:
                    return made
                made += 1
                for lane, changes in slides:
                    if lane == moved:
                        continue
                    for change in changes[state & lane]:
                        then = state + change
                        if made < known(then, far):
                            cost[then] = made
                            x = then >> first & 7
                            least = made
                            if x != out:
                                least += 1 + (then & ahead[x]).bit_count()
                            if least < total:
                                least = total
                            if least <= most:
                                waiting[least].append((then, made, lane))
        return 0

    def farther(self, rng: Random, cars: list[Car], moves: int, most: int) -> tuple[list[Car], int]:
        """The cars as far from all ways out as they can be driven, but no farther than so many
        moves, and how many those are. They stay where that takes long to find out."""
        states = [self.start]
        reached = set(states)
        for state in states:
            for lane, changes in self.slides:
                for change in changes[state & lane]:
                    if (then := state + change) not in reached:
                        reached.add(then)
                        states.append(then)
            if len(states) > ROOM:
                return cars, moves
        border = [state for state in states if state >> self.first & 7 == self.out]
        reached.difference_update(border)
        for made in range(most):
            fresh = []
            for state in border:
                for lane, changes in self.slides:
                    for change in changes[state & lane]:
                        if (then := state + change) in reached:
                            reached.remove(then)
                            fresh.append(then)
            if not fresh:
                break
            border, moves = fresh, made + 1
        places = rng.choice(border) >> self.first
        driven = list[Car]()
        for row, column, length, upright in cars:
            place, places = places & 7, places >> 3
            driven.append((place, column, length, True) if upright else (row, place, length, False))
        return driven, moves


@lru_cache(maxsize=1 << 9)
def _slides(
    side: int, number: int, lane: int, length: int, upright: bool
) -> tuple[list[int], Slides]:
    """A car's part of a state at each of its places, and how it slides along its lane."""
    start, along = (lane, side) if upright else (lane * side, 1)
    squares = [1 << start + place * along for place in range(side)]
    places = range(side - length + 1)
    field = side**2 + 3 * number
    parts = [sum(squares[it : it + length]) + (it << field) for it in places]
    changes = dict[int, list[int]]()
    for place in places:
        others = squares[:place] + squares[place + length :]
        for chosen in product((0, 1), repeat=len(others)):
            full = sum(compress(others, chosen))
            free = [not full & square for square in squares]
            back = takewhile(free.__getitem__, range(place)[::-1])
            fronts = takewhile(free.__getitem__, range(place + length, side))
            ends = (*back, *(front - length + 1 for front in fronts))
            changes[parts[place] | full] = [parts[to] - parts[place] for to in ends]
    return parts, (sum(squares) | 7 << field, changes)


LADDER = (
    Knobs(5, 4, 2),
    Knobs(5, 6, 3),
    Knobs(6, 8, 5),
    Knobs(6, 10, 7),
    Knobs(6, 11, 9),
    Knobs(6, 13, 13),
)
FAMILY = Family(
    Lot,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(
        tuple(
            f"{car}{way}{count}"
            for car in f"X{LETTERS}"
            for way in "LRUD"
            for count in range(1, LARGEST - 1)
        )
    ),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* on sets of squares",
    guess_rate=0.03,
    steps=steps,
    progress=progress,
    canon=canon,
    slips=slips,
    skills=("planning", "search", "spatial"),
    peers=("reasoning-gym/rush_hour", "KORGym/45-free_the_key", "TextArena/RushHour"),
    version=3,
)
