"""Cube rotation: a cube with coloured faces is turned about and painted; its colours in the end.

`solve` moves six colours about. `verify` asks of each face where it was before each turn, from the
last one back to the first, by turning its direction in space; the first coat of paint that it meets
on the way back is the one that shows.
"""

from dataclasses import dataclass
from functools import cache, lru_cache, partial
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.core.search import Node

FACES = ("top", "bottom", "front", "back", "left", "right")
COLOURS = ("red", "blue", "green", "yellow", "white", "black", "orange", "purple", "pink", "brown",
           "grey", "gold")  # fmt: skip
# A quarter turn by where it takes four faces, each to the place of the next.
QUARTERS = {
    "tip right": ("top", "right", "bottom", "left"),
    "tip left": ("top", "left", "bottom", "right"),
    "tip away": ("top", "back", "bottom", "front"),
    "tip near": ("top", "front", "bottom", "back"),
    "spin clockwise": ("front", "left", "back", "right"),
    "spin anticlockwise": ("front", "right", "back", "left"),
    "look right": ("right", "front", "left", "back"),
    "look left": ("left", "front", "right", "back"),
}
LOOKS = {"look right", "look left"}
PLAIN, SEEN = tuple(QUARTERS)[:6], tuple(QUARTERS)
# The same in space: the axis (right, back, up) about which a quarter turn goes by the right hand.
AXES = {
    "tip right": (0, 1, 0), "tip left": (0, -1, 0), "tip away": (-1, 0, 0), "tip near": (1, 0, 0),
    "spin clockwise": (0, 0, -1), "spin anticlockwise": (0, 0, 1), "look right": (0, 0, -1),
    "look left": (0, 0, 1),
}  # fmt: skip
FACING = {
    "top": (0, 0, 1), "bottom": (0, 0, -1), "front": (0, -1, 0), "back": (0, 1, 0),
    "left": (-1, 0, 0), "right": (1, 0, 0),
}  # fmt: skip

Vector = tuple[int, int, int]
_PLACES: dict[Vector, int] = {facing: place for place, facing in enumerate(FACING.values())}
# ("turn", "tip left", "2") twice, or ("paint", "front", "red").
Act = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Knobs:
    turns: int  # of the cube
    paints: int  # times that a face is painted between the turns
    asked: int  # faces
    halves: float  # share of the turns that are made twice


@dataclass(frozen=True, slots=True)
class Cube:
    colours: tuple[str, ...]  # of the faces, in the order of FACES
    acts: tuple[Act, ...]
    asked: tuple[str, ...]  # faces


def generate(rng: Random, knobs: Knobs) -> Cube:
    kinds = PLAIN if knobs.turns < 4 else SEEN
    acts: list[Act] = []
    kind = ""
    for _ in range(knobs.turns):
        kind = rng.choice(_fresh(kind, kinds))
        acts.append(("turn", kind, "2" if rng.random() < knobs.halves else "1"))
    for _ in range(knobs.paints):
        paint = ("paint", rng.choice(FACES), rng.choice(COLOURS))
        acts.insert(rng.randrange(1, len(acts) + 1), paint)
    asked = tuple(rng.sample(FACES, knobs.asked))
    return Cube(tuple(rng.sample(COLOURS, 6)), tuple(acts), asked)


def solve(cube: Cube) -> tuple[str, ...]:
    """Six colours, moved about."""
    state = _played(cube, len(cube.acts))
    return tuple([state[face] for face in cube.asked])


def verify(cube: Cube, colours: tuple[str, ...]) -> float:
    if len(colours) != len(cube.asked):
        return 0.0
    return float(all(_traced(cube, face) == said for face, said in zip(cube.asked, colours)))


def render(cube: Cube, style: Style) -> Prompt:
    faces = ", ".join([f"{face} {colour}" for face, colour in zip(FACES, cube.colours)])
    told = [_told(act, style.phrasing) for act in cube.acts]
    acts = "\n".join([f"{number}. {words}." for number, words in enumerate(told, start=1)])
    asked = ", ".join(cube.asked)
    looks = not LOOKS.isdisjoint([what for _, what, _ in cube.acts])
    stays = (
        " Front, back, left and right are always meant as you then see the cube: front is the side"
        " that faces you."
        if looks
        else " Front, back, left and right are always meant as you see the cube from where you"
        " stand; you do not move."
    )
    painted = [how for kind, _, how in cube.acts if kind == "paint"]
    over = " Paint covers what was there." if painted else ""
    return Prompt(
        style.pick(
            f"A cube lies before you. Its faces have these colours: {faces}.{stays} Now this is"
            f" done:\n{acts}\n{over.strip() + ' ' if over else ''}Which colours are on these faces"
            f" in the end: {asked}?",
            f"Each face of a cube has one colour ({faces}).{stays}{over} The following is done,"
            f" step by step:\n{acts}\nName the colours that the following faces show afterwards, in"
            f" this order: {asked}.",
            f"Imagine a cube on a table in front of you: {faces}.\n{acts}\n{stays.strip()}{over}"
            f" After all that, what are the colours of: {asked}?",
        ),
        form="the colours of these faces in the order asked, separated by commas (such as:"
        f" {_example(frozenset([*cube.colours, *painted]), len(cube.asked))})",
    )


def steps(cube: Cube) -> list[str]:
    """The cube after each act."""
    lines = []
    for count, act in enumerate(cube.acts, start=1):
        state = _played(cube, count)
        shown = ", ".join(f"{face} {state[face]}" for face in FACES)
        lines.append(f"{' '.join(act[1:]) if act[0] == 'paint' else act[1]}: {shown}")
        if act[2] == "2":
            lines[-1] = f"{act[1]} twice: {shown}"
    return lines


def progress(cube: Cube, lines: Lines) -> float:
    return states_followed(FAMILY, cube, lines)


def search(cube: Cube) -> Node:
    """Coat after coat for each face that is asked for: each is followed to where it ends."""
    return _coats(cube, 0, ())


def canon(cube: Cube) -> object:
    """Which colours they are makes no difference."""
    painted = [how for kind, _, how in cube.acts if kind == "paint"]
    if not painted:
        return cube.acts, cube.asked
    numbers: dict[str, int] = {}
    for colour in (*cube.colours, *painted):
        numbers.setdefault(colour, len(numbers))
    named = [(kind, a, numbers[b] if kind == "paint" else b) for kind, a, b in cube.acts]
    return named, cube.asked


def hardness(cube: Cube) -> float:
    return len(cube.acts) + len(cube.asked) / 10


@cache
def _fresh(last: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The turns about another axis than the last one's."""
    axis = AXES.get(last, (0, 0, 0))
    return tuple(kind for kind in kinds if not any(a and b for a, b in zip(AXES[kind], axis)))


def _played(cube: Cube, count: int) -> dict[str, str]:
    """The colour of each face after so many acts."""
    state = dict(zip(FACES, cube.colours))
    for kind, what, how in cube.acts[:count]:
        if kind == "paint":
            state[what] = how
            continue
        a, b, c, d = QUARTERS[what]
        if how == "2":
            state[a], state[b], state[c], state[d] = state[c], state[d], state[a], state[b]
        else:
            state[a], state[b], state[c], state[d] = state[d], state[a], state[b], state[c]
    return state


def _traced(cube: Cube, face: str) -> str:
    """The colour of a face in the end, looking for it backwards."""
    facing = FACING[face]
    for kind, what, how in cube.acts[::-1]:
        if kind == "turn":
            facing = _BEFORE[what, how][facing]
        elif FACING[what] == facing:
            return how
    return cube.colours[_PLACES[facing]]


def _coats(cube: Cube, settled: int, lines: tuple[str, ...]) -> Node:
    """The coats that may show in the end, once so many faces are settled."""
    if settled == len(cube.asked):
        return Node(lines)
    painted = [
        (what, count) for count, (kind, what, _) in enumerate(cube.acts, 1) if kind == "paint"
    ]
    coats = [*((face, 0) for face in FACES), *painted]
    coats.sort(key=lambda coat: _followed(cube, *coat)[-1] != cube.asked[settled])
    return Node(lines, branches=tuple(partial(_shows, cube, settled, *coat) for coat in coats))


def _shows(cube: Cube, settled: int, face: str, count: int) -> Node:
    """Whether the coat that a face got with that act shows where it is asked for."""
    way, asked = _followed(cube, face, count), cube.asked[settled]
    colour = cube.acts[count - 1][2] if count else cube.colours[FACES.index(face)]
    since = f"painted on the {face} by act {count}" if count else f"on the {face} at first"
    line = f"On the {asked} in the end: {colour}, {since}? It goes: {', '.join(way)}."
    if way[-1] == asked:
        return _coats(cube, settled + 1, (line,))
    return Node((line,), f"It is not on the {asked}")


def _followed(cube: Cube, face: str, count: int) -> list[str]:
    """The faces that a coat comes to, act by act, until it is painted over or the acts end."""
    way = [face]
    for number, (kind, what, how) in enumerate(cube.acts[count:], count + 1):
        if kind == "paint":
            if what == way[-1]:
                return [*way, f"painted over by act {number}"]
        elif way[-1] in QUARTERS[what]:
            ring = QUARTERS[what]
            way.append(ring[(ring.index(way[-1]) + int(how)) % 4])
    return way


def _turned_back(v: Vector, axis: Vector) -> Vector:
    """A direction before a quarter turn: v x axis, and what lies along the axis as it is."""
    along = sum(a * b for a, b in zip(v, axis))
    return (
        v[1] * axis[2] - v[2] * axis[1] + along * axis[0],
        v[2] * axis[0] - v[0] * axis[2] + along * axis[1],
        v[0] * axis[1] - v[1] * axis[0] + along * axis[2],
    )


@lru_cache(maxsize=1 << 12)
def _example(used: frozenset[str], count: int) -> str:
    """Colours in the answer's form, none of them of the cube."""
    free = [colour for colour in (*COLOURS, "silver", "beige", "violet") if colour not in used]
    return ", ".join((free * count)[:count])


@lru_cache(maxsize=1 << 13)  # more than there are acts, times phrasings
def _told(act: Act, phrasing: int) -> str:
    (kind, what, how), style = act, Style(phrasing)
    if kind == "paint":
        return style.pick(
            f"The face that is now at the {what} is painted {how}",
            f"Somebody paints the {what} face, as the cube now lies, {how}",
        )
    verb, way = what.split()
    twice = ", and then once more in the same way" if how == "2" else ""
    if verb == "spin":
        return (
            style.pick(
                f"The cube is turned by 90 degrees {way} as seen from above, so that its front goes"
                f" to the {QUARTERS[what][1]}",
                f"Spin the cube a quarter {way}, seen from above (the front face goes to the"
                f" {QUARTERS[what][1]})",
                f"A quarter turn {way}, as one sees it from above; top and bottom stay",
            )
            + twice
        )
    if verb == "look":
        again = " (do this twice)" if how == "2" else ""
        return (
            style.pick(
                f"You walk round the cube until what was its {way} face is in front of you",
                f"Without touching the cube you go to its {way} side and look at it from there, so"
                f" that the {way} face is now the front",
            )
            + again
        )
    place = QUARTERS[what][1]
    side = {"right": "to the right", "left": "to the left", "away": "away from you",
            "near": "towards you"}[way]  # fmt: skip
    return (
        style.pick(
            f"The cube is tipped {side}, so that its top becomes its {place}",
            f"Roll the cube over {side} by a quarter turn: the top face goes to the {place}",
            f"A quarter roll {side}: what was on top is now the {place} face",
        )
        + twice
    )


# By a turn and how often it is made: where a face points after it, and where it pointed before.
_BEFORE: dict[tuple[str, str], dict[Vector, Vector]] = {}
for _turn, _axis in AXES.items():
    _once = {facing: _turned_back(facing, _axis) for facing in _PLACES}
    _BEFORE[_turn, "1"] = _once
    _BEFORE[_turn, "2"] = {facing: _once[before] for facing, before in _once.items()}

LADDER = (
    Knobs(1, 0, 3, 0.0),
    Knobs(3, 0, 4, 0.0),
    Knobs(6, 1, 5, 0.1),
    Knobs(12, 3, 6, 0.2),
    Knobs(25, 6, 6, 0.25),
    Knobs(50, 12, 6, 0.25),
)
FAMILY = Family(
    Cube,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(),
    notation=lambda cube: answers.WordList(names=cube.asked),
    hardness=hardness,
    proof="unique",
    solver="moving the colours about",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    search=search,
    canon=canon,
    skills=("spatial", "state tracking"),
    peers=("reasoning-gym/color_cube_rotation",),
    version=2,
)
