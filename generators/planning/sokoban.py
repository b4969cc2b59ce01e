"""Sokoban: push boxes, never pull them, until every goal has one.

Any walk that gets there within the allowed number of pushes is right, so `verify` walks it.
`generate` pulls boxes away from the goals, which is pushing in reverse; `solve` pushes them by A*.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._cells import SIDES, Cell, cells, drawn, pieces, turns
from puzzlemill.generators.planning._search import guided

WAYS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
BREADTH = 60  # states of as many pulls that `generate` goes on from

# The boxes, and all places that can be walked to. A set of places is an integer with a bit for
# each; bit row * columns + column, where the walls around the room count.
State = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Knobs:
    rows: int  # of the room, without the walls around it
    columns: int  # of the room, without the walls around it
    boxes: int  # and as many goals
    pushes: int  # fewer where the boxes cannot be pulled so far
    walls: float  # share of the room


@dataclass(frozen=True, slots=True)
class Room:
    floor: tuple[str, ...]  # . is floor; # is wall, and surrounds it
    boxes: tuple[Cell, ...]
    goals: tuple[Cell, ...]
    you: Cell
    limit: int  # pushes allowed


def generate(rng: Random, knobs: Knobs) -> Room | None:
    floor = _floor(rng, knobs)
    free = [cell for cell in cells(len(floor), len(floor[0])) if floor[cell[0]][cell[1]] == "."]
    if len(free) < 3 * knobs.boxes + 2:
        return None
    columns = len(floor[0])
    goals = sorted(rng.sample(free, knobs.boxes))
    states, pushes = _pulled(
        rng, _bits(free, columns), _bits(goals, columns), columns, knobs.pushes
    )
    solved = _bits(goals, columns)
    fewest = min((boxes & solved).bit_count() for boxes, _ in states)
    boxes, region = rng.choice([it for it in states if (it[0] & solved).bit_count() == fewest])
    if pushes < 2 or fewest == knobs.boxes:
        return None
    you = rng.choice([cell for cell in free if region & _bits([cell], columns)])
    stand = [cell for cell in free if boxes & _bits([cell], columns)]
    return Room(floor, tuple(stand), tuple(goals), you, pushes)


def solve(room: Room) -> tuple[str, ...] | None:
    """A*: a box needs at least as many pushes as if it were alone, to the goal nearest to it."""
    columns = len(room.floor[0])
    free = _bits(
        (cell for cell in cells(len(room.floor), columns) if room.floor[cell[0]][cell[1]] == "."),
        columns,
    )
    goals, alone = _bits(room.goals, columns), _alone(room)
    steps = {way: down * columns + right for way, (down, right) in WAYS.items()}
    pushes = {  # of a box at a place: where you stand and where it comes to, as bits
        place: [
            (way, 1 << place - step, 1 << place + step)
            for way, step in steps.items()
            if place + step in alone and free >> place - step & 1
        ]
        for place in alone
    }
    known: defaultdict[int, list[int]] = defaultdict(list)  # regions, by the boxes around them

    def onward(state: State) -> Iterator[tuple[tuple[int, str], State]]:
        boxes, region = state
        for place, ways in pushes.items():
            box = 1 << place
            if boxes & box:
                for way, stand, to in ways:
                    if region & stand and not boxes & to:
                        then = boxes ^ box ^ to
                        yield (place, way), (then, walkable(then, box))

    def walkable(boxes: int, you: int) -> int:
        for region in known[boxes]:
            if region & you:
                return region
        known[boxes].append(_spread(you, free & ~boxes, columns))
        return known[boxes][-1]

    def left(state: State) -> int:
        return sum(alone[place] for place in _places(state[0]))

    boxes = _bits(room.boxes, columns)
    if any(row * columns + column not in alone for row, column in room.boxes):
        return None
    here = _spread(_bits([room.you], columns), free & ~boxes, columns)
    found = guided((boxes, here), lambda state: state[0] == goals, onward, left, room.limit)
    if found is None:
        return None
    return _walked(room, [(divmod(place, columns), way) for place, way in found])


def verify(room: Room, moves: tuple[str, ...]) -> float:
    boxes, (row, column), pushes = set(room.boxes), room.you, 0
    for move in moves:
        down, right = WAYS[move]
        row, column = row + down, column + right
        if room.floor[row][column] == "#":
            return 0.0
        if (row, column) in boxes:
            pushed = row + down, column + right
            if pushed in boxes or room.floor[pushed[0]][pushed[1]] == "#":
                return 0.0
            boxes.remove((row, column))
            boxes.add(pushed)
            pushes += 1
    return float(pushes <= room.limit and boxes == set(room.goals))


def recheck(room: Room, moves: tuple[str, ...]) -> bool:
    """By rewriting what lies ahead: @. becomes .@ and @$. becomes .@$; nothing else moves."""
    lines = [list(line) for line in room.floor]
    for row, column in room.boxes:
        lines[row][column] = "$"
    lines[room.you[0]][room.you[1]] = "@"
    pushes = 0
    for move in moves:
        # Turned so that the move goes to the right, along a line of the board.
        seen = [line[::-1] for line in lines] if move == "L" else lines
        if move in "UD":
            seen = [list(line) for line in zip(*(lines if move == "D" else lines[::-1]))]
        at = next(number for number, line in enumerate(seen) if "@" in line)
        ahead = "".join(seen[at])
        push = "@$." in ahead
        after = ahead.replace("@$.", ".@$") if push else ahead.replace("@.", ".@")
        if after == ahead:
            return False
        pushes += push
        seen[at] = list(after)
        lines = [line[::-1] for line in seen] if move == "L" else seen
        if move in "UD":
            lines = [list(line) for line in zip(*seen)][:: 1 if move == "D" else -1]
    return pushes <= room.limit and all(lines[row][column] == "$" for row, column in room.goals)


def render(room: Room, style: Style) -> Prompt:
    signs = tuple(style.pick("#-.$*@+", "#_OBX@&", "W-GBXPQ"))
    wall, floor, goal, box, done, you, both = signs
    board = drawn(_signs(room, signs), between="")
    pushes = f"{room.limit} push{'es' if room.limit > 1 else ''}"
    legend = (
        f"{wall} wall, {floor} floor, {goal} goal, {box} box, {done} box on a goal, {you} you,"
        f" {both} you on a goal"
    )
    boxes = "the box" if len(room.boxes) == 1 else "the boxes"
    goals = "the goal" if len(room.boxes) == 1 else "the goals"
    return Prompt(
        style.pick(
            f"Sokoban:\n\n{board}\n\n({legend}.) You walk up, down, left or right, one square at a"
            " time. If there is a box on the square that you walk to, you push it one square"
            " further in the same direction, which works only if that square has neither a wall"
            f" nor a box. Get {boxes} onto {goals} with at most {pushes}. Steps that push nothing"
            " are not counted.",
            f"The plan of a store room ({legend}):\n\n{board}\n\nEach move takes you to one"
            " of the four squares beside yours, but never onto a wall. Walking against a box moves"
            " it ahead of you by one square, unless a wall or another box is in its way; then you"
            f" cannot go there. Boxes cannot be pulled. Every goal must hold a box in the end. You"
            f" may push {room.limit} time{'s' if room.limit > 1 else ''} at most, and walk as far"
            " as you like.",
            f"Push {boxes} onto {goals}, in no more than {pushes} (mere steps are free):\n\n{board}"
            f"\n\n{legend}. In a move you go one square up, down, left or right. A box in your way"
            " is pushed on by one square, if the square behind it is free of walls and boxes;"
            " otherwise the move is not allowed, and neither is a move into a wall.",
        ),
        form="your moves in order, steps and pushes alike, each as one letter: U for up, D for"
        " down, L for left, R for right; separated by spaces",
    )


def steps(room: Room) -> list[str]:
    """Each push, with the walk before it."""
    boxes, (row, column), walk, lines = set(room.boxes), room.you, "", []
    for move in solve(room) or ():
        down, right = WAYS[move]
        row, column = row + down, column + right
        walk += move
        if (row, column) in boxes:
            boxes.remove((row, column))
            boxes.add((row + down, column + right))
            before = f"walk {walk[:-1]}, " if walk[:-1] else ""
            where = ", ".join(f"row {top + 1} column {left + 1}" for top, left in sorted(boxes))
            lines.append(f"{before}push {walk[-1]}; boxes at {where}")
            walk = ""
    return lines


def canon(room: Room) -> tuple[object, int]:
    return min(turns(_signs(room, tuple("#-.$*@+")))), room.limit


def hardness(room: Room) -> float:
    """Pushes to plan, and boxes that may stand in each other's way."""
    return room.limit + 3 * len(room.boxes)


def _signs(room: Room, signs: tuple[str, ...]) -> list[str]:
    """The board in the signs for wall, floor, goal, box, box on goal, you, you on goal."""
    wall, floor, goal, box, done, you, both = signs
    lines = []
    for row, line in enumerate(room.floor):
        text = ""
        for column, ground in enumerate(line):
            here = row, column
            is_goal = here in room.goals
            if here == room.you:
                text += both if is_goal else you
            elif here in room.boxes:
                text += done if is_goal else box
            else:
                text += wall if ground == "#" else goal if is_goal else floor
        lines.append(text)
    return lines


def _floor(rng: Random, knobs: Knobs) -> tuple[str, ...]:
    """A room with walls at random; what is cut off from its largest part becomes wall."""
    rows, columns = knobs.rows, knobs.columns
    inside = [(row + 1, column + 1) for row, column in cells(rows, columns)]
    walls = rng.sample(inside, round(knobs.walls * len(inside)))
    largest = max((len(piece), piece) for piece in pieces(set(inside).difference(walls)))
    open_floor = set(largest[1])
    return tuple(
        "".join(".#"[(row, column) not in open_floor] for column in range(columns + 2))
        for row in range(rows + 2)
    )


def _pulled(rng: Random, free: int, goals: int, columns: int, most: int) -> tuple[list[State], int]:
    """States from which the boxes can be pushed onto the goals, and by how many pushes."""
    rest, border = free & ~goals, []
    while rest:
        region = _spread(rest & -rest, free & ~goals, columns)
        border.append((goals, region))
        rest &= ~region
    pulls = {  # of a box at a place: where it comes to and where you do, as bits
        place: [
            (1 << place + step, 1 << place + 2 * step)
            for step in (1, -1, columns, -columns)
            if free >> place + step & 1 and free >> place + 2 * step & 1
        ]
        for place in _places(free)
    }
    seen: defaultdict[int, int] = defaultdict(int)  # for boxes, all regions of the states met
    seen[goals] = free & ~goals
    pushes = 0
    while pushes < most:
        fresh = []
        for boxes, region in border:
            for place in _places(boxes):
                for to, you in pulls[place]:
                    if region & to and region & you:
                        moved = boxes ^ 1 << place ^ to
                        if not seen[moved] & you:
                            then = _spread(you, free & ~moved, columns)
                            seen[moved] |= then
                            fresh.append((moved, then))
        if not fresh:
            break
        border = fresh if len(fresh) <= BREADTH else rng.sample(fresh, BREADTH)
        pushes += 1
    return border, pushes


def _alone(room: Room) -> dict[int, int]:
    """The pushes by which a box comes to the nearest goal, if it can, were it alone."""
    columns = len(room.floor[0])
    left = dict.fromkeys(room.goals, 0)
    waiting = deque(room.goals)
    while waiting:
        row, column = waiting.popleft()
        for down, right in SIDES:
            behind, further = (row - down, column - right), (row - 2 * down, column - 2 * right)
            if behind in left or room.floor[behind[0]][behind[1]] == "#":
                continue
            if room.floor[further[0]][further[1]] == ".":
                left[behind] = left[row, column] + 1
                waiting.append(behind)
    return {row * columns + column: pushes for (row, column), pushes in left.items()}


def _walked(room: Room, pushes: list[tuple[Cell, str]]) -> tuple[str, ...]:
    """The moves that make the pushes, with the shortest walks between them."""
    boxes, you, moves = set(room.boxes), room.you, []
    for box, way in pushes:
        down, right = WAYS[way]
        stand = box[0] - down, box[1] - right
        came: dict[Cell, list[str]] = {you: []}
        waiting = deque([you])
        while stand not in came:
            here = waiting.popleft()
            for letter, (south, east) in WAYS.items():
                then = here[0] + south, here[1] + east
                if then not in came and then not in boxes and room.floor[then[0]][then[1]] == ".":
                    came[then] = [*came[here], letter]
                    waiting.append(then)
        moves += [*came[stand], way]
        boxes.remove(box)
        boxes.add((box[0] + down, box[1] + right))
        you = box
    return tuple(moves)


def _bits(chosen: Iterable[Cell], columns: int) -> int:
    return sum(1 << row * columns + column for row, column in chosen)


def _places(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def _spread(region: int, free: int, columns: int) -> int:
    """All that can be walked to from a region; the walls around the room stop every walk."""
    while True:
        wider = (region | region << 1 | region >> 1) & free
        wider = (wider | wider << columns | wider >> columns) & free
        if wider == region:
            return region
        region = wider


LADDER = (
    Knobs(4, 4, 1, 3, 0.1),
    Knobs(5, 5, 1, 6, 0.2),
    Knobs(5, 5, 2, 8, 0.2),
    Knobs(6, 6, 2, 13, 0.2),
    Knobs(6, 7, 3, 18, 0.2),
    Knobs(7, 7, 4, 26, 0.2),
)
FAMILY = Family(
    Room,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Moves(),
    recheck=recheck,
    hardness=hardness,
    proof="solved",
    solver="A* over pushes",
    guess_rate=0.03,
    steps=steps,
    canon=canon,
    redraws=True,
    skills=("planning", "search", "spatial"),
    peers=("reasoning-gym/sokoban", "KORGym/12-sokoban", "TextArena/Sokoban"),
)
