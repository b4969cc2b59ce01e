"""Boxnet: robot arms in a store pass boxes from room to room, all of them at the same time.

Every plan within the allowed number of rounds is right, so `verify` carries it out. `generate`
sends one box after another, each round those that are already under way, which may not be the
quickest; `solve` looks at all boxes together: SAT, with a variable for each box, round and room.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import beside, cells, drawn
from puzzlemill.generators._sat import Circuit, any_model, exactly_one

LETTERS = "abcdef"
TRIES = 12  # orders in which the boxes are sent


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of rooms; rows and columns may change places
    columns: int  # of rooms
    shut: float  # share of the rooms that cannot be used
    boxes: int  # to be brought to their rooms


@dataclass(frozen=True, slots=True)
class Store:
    rows: int
    columns: int
    shut: tuple[int, ...]  # rooms, numbered row by row from 1
    start: tuple[int, ...]  # the room of each box
    goal: tuple[int, ...]
    limit: int  # rounds allowed


def generate(rng: Random, knobs: Knobs) -> Store | None:
    rows, columns = rng.sample((knobs.rows, knobs.columns), 2)
    rooms = range(1, rows * columns + 1)
    shut = sorted(rng.sample(rooms, round(knobs.shut * len(rooms))))
    near = _doors(rows, columns, shut)
    pieces: list[list[int]] = []
    for room in near:
        if not any(room in piece for piece in pieces):
            pieces.append(sorted(_away(near, room)))
    free = max(pieces, key=len)
    if len(free) < 2 * knobs.boxes:
        return None
    start, goal = (tuple(rng.sample(free, knobs.boxes)) for _ in range(2))
    orders = [tuple(rng.sample(range(knobs.boxes), knobs.boxes)) for _ in range(TRIES)]
    least = max(_away(near, there)[here] for here, there in zip(start, goal))
    fewest = 0
    for order in dict.fromkeys(orders):
        if fewest == least:
            break
        most = fewest - 1 if fewest else 3 * len(near)
        fewest = _one_by_one(near, start, goal, order, most) or fewest
    return Store(rows, columns, tuple(shut), start, goal, fewest) if fewest >= 3 else None


def solve(store: Store) -> tuple[str, ...] | None:
    """SAT: which box is in which room after which round; the shortest plan that there is."""
    near = _doors(store.rows, store.columns, store.shut)
    away = [_away(near, room) for room in store.goal]
    if any(room not in it for room, it in zip(store.start, away)):
        return None
    least = max(it[room] for room, it in zip(store.start, away))
    for rounds in range(least, store.limit + 1):
        circuit = _moves(store, near, away, rounds)
        true = any_model(circuit.clauses)
        if true is not None:
            places: dict[tuple[int, int], int] = {}
            for meaning in circuit.meanings(true):
                if isinstance(meaning, tuple):
                    box, time, room = meaning
                    places[box, time] = room
            walks = [[places[box, time] for time in range(rounds + 1)]
                     for box in range(len(store.start))]  # fmt: skip
            return tuple(_told(_calmed(walks)))
    return None


def verify(store: Store, plan: tuple[str, ...]) -> float:
    if len(plan) > store.limit:
        return 0.0
    rooms = set(range(1, store.rows * store.columns + 1)).difference(store.shut)
    at = dict(zip(LETTERS, store.start))
    for told in plan:
        then = dict(at)
        for word in told.split():
            box, number = word[:1], word[1:]
            room = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
            if box not in at or then[box] != at[box] or room not in rooms:
                return 0.0
            (down, right), (row, column) = (divmod(it - 1, store.columns) for it in (at[box], room))
            if abs(down - row) + abs(right - column) != 1:
                return 0.0
            then[box] = room
        if len(set(then.values())) < len(then):
            return 0.0
        if any(then[one] == at[other] and then[other] == at[one] for one in at for other in at
               if one < other):  # fmt: skip
            return 0.0
        at = then
    return float(at == dict(zip(LETTERS, store.goal)))


def recheck(store: Store, plan: tuple[str, ...]) -> bool:
    """By the passages: each is used by one box at most, into a room that is, or becomes, free."""
    holds = dict.fromkeys(range(1, store.rows * store.columns + 1), "")
    for room in store.shut:
        del holds[room]
    for box, room in zip(LETTERS, store.start):
        holds[room] = box
    for told in plan:
        words = told.split(" ")
        if not all(word[1:].isdigit() and word[1:].isascii() for word in words):
            return False
        if not all(len(word) < 5 for word in words):
            return False
        moves = {word[0]: int(word[1:]) for word in words}
        source = {box: room for room, box in holds.items() if box}
        if len(moves) < len(words) or not moves.keys() <= source.keys():
            return False
        passages = set()
        for box, room in moves.items():
            here = source[box]
            low, high = min(here, room), max(here, room)
            if high - low not in (1, store.columns) or room not in holds:
                return False
            if high - low == 1 and low % store.columns == 0 and store.columns > 1:
                return False
            if (low, high) in passages:
                return False
            passages.add((low, high))
        for box in moves:
            holds[source[box]] = ""
        for box, room in moves.items():
            if holds[room]:
                return False
            holds[room] = box
    ends = [room for box in LETTERS for room, held in holds.items() if held == box]
    return len(plan) <= store.limit and tuple(ends) == store.goal


def render(store: Store, style: Style) -> Prompt:
    count = len(store.start)
    width = len(str(store.rows * store.columns))
    plan = drawn(
        [
            [
                "#" * width if room in store.shut else str(room).rjust(width, "0")
                for room in range(row * store.columns + 1, (row + 1) * store.columns + 1)
            ]
            for row in range(store.rows)
        ]
    )
    boxes = "\n".join(
        f"{letter}: from room {here:0{width}} to room {there:0{width}}"
        for letter, here, there in zip(LETTERS, store.start, store.goal)
    )
    limit = f"{store.limit} round{'s' if store.limit > 1 else ''}"
    shut = style.pick(
        f" ({'#' * width} cannot be used)", f" ({'#' * width}: blocked)", f" ({'#' * width}: shut)"
    )
    shut = shut if store.shut else ""
    swap = style.pick(
        "Two boxes cannot be exchanged between two rooms in the same round.",
        "Two arms cannot swap their boxes with each other in one round.",
        "The same two rooms cannot give each other a box in one and the same round.",
    )
    return Prompt(
        style.pick(
            f"A store has these rooms{shut}:\n\n{plan}\n\nIn each room stands a robot arm. In a"
            " round every arm that has a box may pass it on to the room directly above, below,"
            " left or right of its own, and all do so at the same moment. No room holds more than"
            " one box after a round, but a room may get a box in the same round in which it passes"
            f" its own box on. {swap} Bring these boxes to where they belong, within"
            f" {limit}:\n\n{boxes}",
            f"{count} boxes have to be moved:\n{boxes}\n\nThe rooms{shut} lie like this:\n{plan}"
            "\n\nRobot arms, one in each room, pass the boxes on between rooms that share a side. A"
            " box goes one room further in a round, or stays; any number of boxes may go at once."
            " After each round there may be only one box in a room (one that leaves makes way for"
            f" one that comes). {swap} Find a plan of no more than {limit}.",
            f"Plan the work of robot arms that move boxes through a store. Map of the"
            f" rooms{shut}:\n\n{plan}\n\nJobs:\n{boxes}\n\nRound by round, each box either stays in"
            " its room or is handed to a neighbouring room in the same row or column. All"
            " hand-overs of a round happen together, and afterwards no two boxes may be in one"
            f" room; a room that is emptied can be filled in the same round. {swap} All boxes must"
            f" be in place after at most {limit}.",
        ),
        form="the rounds in order, separated by commas; for each round the boxes that are moved,"
        " separated by spaces, each as its letter and the number of the room it goes to, as in"
        " a12 b3, b4 (in the first of these two rounds a goes to room 12 and b to room 3)",
    )


def steps(store: Store) -> list[str]:
    """Where the boxes are after each round."""
    at, lines = dict(zip(LETTERS, store.start)), []
    for told in solve(store) or ():
        for word in told.split():
            at[word[0]] = int(word[1:])
        now = ", ".join(f"{box} in {room}" for box, room in at.items())
        lines.append(f"{told}: {now}")
    return lines


def canon(store: Store) -> Any:
    """Which box is called a does not matter."""
    jobs = sorted(zip(store.start, store.goal))
    return store.rows, store.columns, store.shut, jobs, store.limit


def hardness(store: Store) -> float:
    """Rounds to plan, for so many boxes."""
    return store.limit + 2 * len(store.start)


def _doors(rows: int, columns: int, shut: Any) -> dict[int, list[int]]:
    """The rooms next to each room that is not shut."""
    number = {cell: at for at, cell in enumerate(cells(rows, columns), 1)}
    return {
        room: [number[it] for it in beside(cell, rows, columns) if number[it] not in shut]
        for cell, room in number.items()
        if room not in shut
    }


def _away(near: dict[int, list[int]], goal: int) -> dict[int, int]:
    """How many rounds each room is away from a goal at least."""
    away, border = {goal: 0}, [goal]
    for room in border:  # which grows meanwhile
        for other in near[room]:
            if other not in away:
                away[other] = away[room] + 1
                border.append(other)
    return away


def _one_by_one(
    near: dict[int, list[int]],
    start: tuple[int, ...],
    goal: tuple[int, ...],
    order: tuple[int, ...],
    most: int,
) -> int:
    """The rounds that it takes if each box in turn goes by the quickest way that those before it
    leave open; 0 if one finds none in so many rounds at most."""
    taken: list[dict[int, int]] = [{} for _ in range(most + 1)]  # by round: a room, and its box
    rounds = 0
    for box in order:
        stays = max((t for t, it in enumerate(taken) if goal[box] in it), default=-1) + 1
        came: list[dict[int, int]] = [{start[box]: 0}]
        while goal[box] not in came[-1] or len(came) - 1 < stays:
            time = len(came)
            fresh: dict[int, int] = {}
            for room in came[-1] if time <= most else ():
                before, now = taken[time - 1], taken[time]
                for then in (room, *near[room]):
                    crosses = then in before and now.get(room) == before[then]
                    if then not in now and then not in fresh and not crosses:
                        fresh[then] = room
            if not fresh:
                return 0
            came.append(fresh)
        rounds = max(rounds, len(came) - 1)
        room = goal[box]
        for time in range(len(came) - 1, most + 1):
            taken[time][room] = box
        for time in range(len(came) - 1, 0, -1):
            taken[time][room] = box
            room = came[time][room]
        taken[0][room] = box
    return rounds


def _moves(
    store: Store, near: dict[int, list[int]], away: list[dict[int, int]], rounds: int
) -> Circuit:
    """Clauses for plans of so many rounds; a variable says that a box is in a room at a time."""
    circuit = Circuit()
    could: dict[tuple[int, int], dict[int, int]] = {}  # by box and time: rooms, and their variables
    for box, here in enumerate(store.start):
        back = _away(near, here)
        spans = [(room, back[room], rounds - away[box][room]) for room in near if room in back]
        for time in range(rounds + 1):
            could[box, time] = {
                room: circuit.variable((box, time, room))
                for room, first, last in spans
                if first <= time <= last
            }
            circuit.clauses += exactly_one(list(could[box, time].values()))
    for (box, time), rooms in could.items():
        if time < rounds:
            after = could[box, time + 1]
            for room, here in rooms.items():
                then = [after[it] for it in (room, *near[room]) if it in after]
                circuit.clauses.append([-here, *then])
    circuit.clauses += _apart(could, near, len(store.start), rounds)
    return circuit


def _apart(
    could: dict[tuple[int, int], dict[int, int]],
    near: dict[int, list[int]],
    boxes: int,
    rounds: int,
) -> Iterator[list[int]]:
    """No two boxes in one room, or against each other between two."""
    nowhere: dict[int, int] = {}
    for one in range(boxes):
        for other in range(one):
            for time in range(rounds + 1):
                ours, theirs = could[one, time], could[other, time]
                ours_next = could.get((one, time + 1), nowhere)
                theirs_next = could.get((other, time + 1), nowhere)
                for room, here in ours.items():
                    if room in theirs:
                        yield [-here, -theirs[room]]
                    if room in theirs_next:
                        for then in near[room]:
                            if then in ours_next and then in theirs:
                                yield [-here, -ours_next[then], -theirs[then], -theirs_next[room]]


def _calmed(walks: list[list[int]]) -> list[list[int]]:
    """The walks, where a box that comes back to a room stays there if nothing needs the room."""
    for box, walk in enumerate(walks):
        others = walks[:box] + walks[box + 1 :]
        for first in range(len(walk)):
            for last in range(len(walk) - 1, first + 1, -1):
                times = range(first, last + 1)
                if walk[first] == walk[last] and not any(
                    other[time] == walk[first] for other in others for time in times
                ):
                    walk[first : last + 1] = [walk[first]] * len(times)
    return walks


def _told(walks: list[list[int]]) -> Iterator[str]:
    for time in range(1, len(walks[0])):
        yield " ".join(
            f"{LETTERS[box]}{walk[time]}"
            for box, walk in enumerate(walks)
            if walk[time] != walk[time - 1]
        )


LADDER = (
    Knobs(3, 3, 0.1, 2),
    Knobs(4, 4, 0.15, 3),
    Knobs(4, 5, 0.2, 4),
    Knobs(5, 5, 0.25, 5),
    Knobs(6, 6, 0.3, 6),
)
FAMILY = Family(
    Store,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="phrases"),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="SAT, a round more at a time",
    guess_rate=0.07,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("planning", "search", "spatial"),
    peers=("reasoning-gym/boxnet",),
)
