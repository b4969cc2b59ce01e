"""Solids: the volume or the surface of a body put together from parts on one axis.

Parts are cylinders, cones, truncated cones and half balls, perhaps with a hole along the axis.
`solve` adds up the formulas of the parts; `verify` knows only cross-sections: it integrates their
areas with Simpson's rule (exact here), and for the surface what an outline sweeps when it turns.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.answers.algebra.tree import PI, Tree, add, multiply
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction

Part: TypeAlias = tuple[str, tuple[int, ...]]  # a kind, its radii (lower, upper) and its height
Pair: TypeAlias = tuple[Fraction, Fraction]  # a number without pi, and one times pi


@dataclass(frozen=True, slots=True)
class Knobs:
    parts: int  # of the body
    most: int  # the largest radius
    surface: float  # the share of questions about the surface
    hole: float  # the share of bodies with a hole
    block: float  # the share of bodies that stand on a cuboid


@dataclass(frozen=True, slots=True)
class Solid:
    parts: tuple[Part, ...]  # from bottom to top
    hole: int  # its radius; 0: there is none
    surface: bool
    unit: str


def generate(rng: Random, knobs: Knobs) -> Solid | None:
    surface, hole = rng.random() < knobs.surface, rng.random() < knobs.hole
    kinds = [rng.choice(KINDS) for _ in range(knobs.parts)]
    if rng.random() < knobs.block:
        kinds[0] = "block"
    kinds[-1] = rng.choice(("cylinder", "frustum") if hole else ENDS)
    kinds = ["cylinder" if kind in ENDS[:2] else kind for kind in kinds[:-1]] + kinds[-1:]
    return _filled(rng, knobs, kinds, hole, surface, rng.choice(UNITS))


def solve(solid: Solid) -> answers.Expr | None:
    pair = _by_formulas(solid)
    return None if pair is None else answers.Expr(_tree(pair))


def verify(solid: Solid, answer: answers.Expr) -> float:
    if not _possible(solid):
        return 0.0
    pair = _swept(solid) if solid.surface else _summed(solid)
    return float(answer == answers.Expr(_tree(pair)))


def render(solid: Solid, style: Style) -> Prompt:
    unit = solid.unit
    told = [_told(part, unit) for part in solid.parts]
    first, *others = told
    if others:
        rest = ", then ".join(others)
        body = style.pick(
            f"A solid is put together from parts stacked on one vertical axis. From bottom to top:"
            f" {first}, then {rest}.",
            f"These parts are glued together on a common vertical axis, from bottom to top:"
            f" {first}, then {rest}. The result is one solid.",
            f"The lowest part of a solid is {first}. The rest is stacked on top of it, on the same"
            f" vertical axis, from bottom to top: {rest}.",
        )
    else:
        body = style.pick(
            f"A solid has the form of {first}.", f"Take {first}.", f"Imagine {first}."
        )
    if others and solid.parts[0][0] == "block":
        body += " The axis goes through the centre of the cuboid."
    if solid.hole:
        body += (
            f" A cylindrical hole of radius {solid.hole} {unit} is then drilled along the axis"
            " through the whole solid, from top to bottom."
        )
    if solid.surface:
        covered = " Where parts touch each other there is no surface." if others else ""
        walls = " The wall of the hole counts." if solid.hole else ""
        goal = style.pick(
            "What is its total surface area?",
            "Find the area of its whole surface.",
            "How large is its surface in all?",
        )
        return Prompt(
            f"{body} {goal} The bottom counts.{walls}{covered}",
            form=f"the exact area in square {PLURAL[unit]}, in terms of pi where pi occurs, such as"
            " 7pi/3 or 50 + 4pi",
        )
    goal = style.pick("What is its volume?", "Find its volume.", "How much space does it take up?")
    return Prompt(
        f"{body} {goal}",
        form=f"the exact volume in cubic {PLURAL[unit]}, in terms of pi where pi occurs, such as"
        " 7pi/3 or 50 + 4pi",
    )


def steps(solid: Solid) -> list[str]:
    lines = []
    for part in solid.parts:
        pair = _side(part) if solid.surface else _volume(part)
        name = "outer side" if solid.surface else "volume"
        lines.append(f"{_told(part, solid.unit)}: {name} {_text(pair)}")
    if solid.surface:
        lines.append(f"Flat faces that lie open, hole included: {_text(_flat(solid))}")
        if solid.hole:
            lines.append(f"Wall of the hole: {_text(_wall(solid))}")
    elif solid.hole:
        lines.append(f"The hole takes away {_text(_bore(solid))}")
    total = _by_formulas(solid)
    return [*lines, f"Together: {_text(total)}"] if total else lines


def hardness(solid: Solid) -> float:
    work = sum(WORK[kind] for kind, _ in solid.parts)
    extra = (2 if solid.hole else 0) + len(solid.parts)
    return (work + extra) * (2 if solid.surface else 1)


def twin(rng: Random, knobs: Knobs, solid: Solid) -> Solid | None:
    kinds = [kind for kind, _ in solid.parts]
    return _filled(rng, knobs, kinds, bool(solid.hole), solid.surface, solid.unit)


def renamed(rng: Random, knobs: Knobs, solid: Solid) -> Solid:
    unit = rng.choice([unit for unit in UNITS if unit != solid.unit])
    return Solid(solid.parts, solid.hole, solid.surface, unit)


def _filled(
    rng: Random, knobs: Knobs, kinds: list[str], hole: bool, surface: bool, unit: str
) -> Solid | None:
    for _ in range(TRIES):
        parts = tuple(_part(rng, kind, knobs.most) for kind in kinds)
        bore = rng.randint(1, max(knobs.most // 3, 1)) if hole else 0
        made = Solid(parts, bore, surface, unit)
        if _by_formulas(made):
            return made
    return None


def _part(rng: Random, kind: str, most: int) -> Part:
    """A cone's height, its radius and its slanted side are whole."""
    radius = rng.randint(2, most)
    match kind:
        case "block":
            return kind, (rng.randint(4, 3 * most), rng.randint(4, 3 * most), rng.randint(2, most))
        case "half":
            return kind, (radius,)
        case "cone" | "frustum":
            leg, height = rng.choice(LEGS)
            times = rng.randint(1, max(1, most // max(leg, 4)))
            if kind == "cone":
                return kind, (leg * times, height * times)
            upper = rng.randint(1, most)
            low_high = (upper + leg * times, upper)
            return kind, (*low_high[:: rng.choice((1, 1, -1))], height * times)
        case _:
            return kind, (radius, rng.randint(2, 2 * most))


def _possible(solid: Solid) -> bool:
    """Each part stands wholly on the one below, and the hole leaves a wall everywhere."""
    parts = solid.parts
    if not all(_slant(part) for part in parts):
        return False
    if solid.hole and not all(kind in SOUND for kind, _ in parts):
        return False
    least = min(min(_ends(part)) for part in parts)
    if solid.hole and solid.hole >= least:
        return False
    return all(_ends(low)[1] >= _ends(high)[0] for low, high in pairwise(parts))


def _ends(part: Part) -> tuple[Fraction, Fraction]:
    """The radius at the bottom and at the top; of a block, of the circle that it has room for."""
    kind, numbers = part
    match kind:
        case "block":
            room = Fraction(min(numbers[:2]), 2)
            return room, room
        case "half" | "cone":
            return Fraction(numbers[0]), Fraction(0)
        case "frustum":
            return Fraction(numbers[0]), Fraction(numbers[1])
        case _:
            return Fraction(numbers[0]), Fraction(numbers[0])


def _height(part: Part) -> int:
    return part[1][-1]


def _slant(part: Part) -> int:
    """The length of a cone's side, where it is whole; of other parts 1."""
    kind, numbers = part
    if kind not in ("cone", "frustum"):
        return 1
    over = numbers[0] if kind == "cone" else numbers[0] - numbers[1]
    square = over**2 + numbers[-1] ** 2
    side = isqrt(square)
    return side if side * side == square and over else 0


def _by_formulas(solid: Solid) -> Pair | None:
    if not _possible(solid):
        return None
    if solid.surface:
        pairs = [*map(_side, solid.parts), _flat(solid)]
        pairs += [_wall(solid)] if solid.hole else []
    else:
        pairs = list(map(_volume, solid.parts))
        if solid.hole:
            plain, times = _bore(solid)
            pairs.append((-plain, -times))
    return sum((pair[0] for pair in pairs), Fraction(0)), sum(
        (pair[1] for pair in pairs), Fraction(0)
    )


def _volume(part: Part) -> Pair:
    kind, numbers = part
    none = Fraction(0)
    match kind:
        case "block":
            return Fraction(numbers[0] * numbers[1] * numbers[2]), none
        case "half":
            return none, Fraction(2 * numbers[0] ** 3, 3)
        case "cone":
            return none, Fraction(numbers[0] ** 2 * numbers[1], 3)
        case "frustum":
            lower, upper, height = numbers
            return none, Fraction(height * (lower**2 + lower * upper + upper**2), 3)
        case _:
            return none, Fraction(numbers[0] ** 2 * numbers[1])


def _side(part: Part) -> Pair:
    """The area of a part without its flat faces above and below."""
    kind, numbers = part
    none = Fraction(0)
    match kind:
        case "block":
            return Fraction(2 * (numbers[0] + numbers[1]) * numbers[2]), none
        case "half":
            return none, Fraction(2 * numbers[0] ** 2)
        case "cone":
            return none, Fraction(numbers[0] * _slant(part))
        case "frustum":
            return none, Fraction((numbers[0] + numbers[1]) * _slant(part))
        case _:
            return none, Fraction(2 * numbers[0] * numbers[1])


def _flat(solid: Solid) -> Pair:
    """The bottom, the top, and the rims between: every lower part's top less what stands on it."""
    plain, times = Fraction(0), Fraction(0)
    if solid.parts[0][0] == "block":
        long, wide, _ = solid.parts[0][1]
        plain += 2 * long * wide
        times -= _ends(solid.parts[1])[0] ** 2 if len(solid.parts) > 1 else 0
    else:
        times += _ends(solid.parts[0])[0] ** 2
    round_parts = [part for part in solid.parts if part[0] != "block"]
    times += sum(_ends(low)[1] ** 2 - _ends(high)[0] ** 2 for low, high in pairwise(round_parts))
    times += _ends(round_parts[-1])[1] ** 2 if round_parts else 0
    return plain, times - 2 * solid.hole**2


def _bore(solid: Solid) -> Pair:
    return Fraction(0), Fraction(solid.hole**2 * sum(map(_height, solid.parts)))


def _wall(solid: Solid) -> Pair:
    return Fraction(0), Fraction(2 * solid.hole * sum(map(_height, solid.parts)))


def _summed(solid: Solid) -> Pair:
    """The volume: cross-sections at the bottom, the middle and the top of each part."""
    plain = times = Fraction(0)
    for part in solid.parts:
        low, mid, high = (_section(part, Fraction(share, 2), solid.hole) for share in range(3))
        weight = Fraction(_height(part), 6)
        plain += weight * (low[0] + 4 * mid[0] + high[0])
        times += weight * (low[1] + 4 * mid[1] + high[1])
    return plain, times


def _section(part: Part, share: Fraction, hole: int) -> Pair:
    """The area of a cross-section at a share of the height."""
    kind, numbers = part
    if kind == "block":
        return Fraction(numbers[0] * numbers[1]), Fraction(-(hole**2))
    if kind == "half":
        square = numbers[0] ** 2 * (1 - share * share)
    else:
        low, high = _ends(part)
        square = (low + share * (high - low)) ** 2
    return Fraction(0), square - hole**2


def _swept(solid: Solid) -> Pair:
    """The surface: what each piece of the outline sweeps, its length times the way of its middle;
    for a half ball, as much as the cylinder around it."""
    plain = times = Fraction(0)
    radius, base = Fraction(solid.hole), Fraction(0)
    for part in solid.parts:
        kind, numbers = part
        low, high = _ends(part)
        if kind == "block":
            long, wide, height = numbers
            base = Fraction(long * wide)
            plain += base + 2 * height * long + 2 * height * wide
            times -= radius**2
            radius = Fraction(0)
        elif base:  # the top of the block, less what this part covers
            plain, times, base = plain + base, times - low**2, Fraction(0)
        else:
            times += abs(low - radius) * (low + radius)
        if kind != "block":
            run = (
                numbers[0] if kind == "half" else _slant(part) if kind != "cylinder" else numbers[1]
            )
            times += run * (2 * low if kind == "half" else low + high)
            radius = high
    if base:
        plain, radius = plain + base, Fraction(0)
        times -= solid.hole**2
    else:
        times += radius**2 - solid.hole**2
    return plain, times + 2 * solid.hole * sum(map(_height, solid.parts))


def _tree(pair: Pair) -> Tree:
    plain, times = pair
    return add([plain, multiply(times, PI) if times else Fraction(0)])


def _text(pair: Pair) -> str:
    plain, times = pair
    return " + ".join(
        [*([str(plain)] if plain or not times else []), *([f"{times} pi"] * bool(times))]
    )


def _told(part: Part, unit: str) -> str:
    kind, numbers = part
    match kind:
        case "block":
            long, wide, height = numbers
            return f"a cuboid {long} {unit} long, {wide} {unit} wide and {height} {unit} high"
        case "half":
            return f"a hemisphere of radius {numbers[0]} {unit}, with its flat side down"
        case "cone":
            radius, height = numbers
            return f"a cone of radius {radius} {unit} and height {height} {unit}, with its tip up"
        case "frustum":
            lower, upper, height = numbers
            return (
                f"a truncated cone {height} {unit} high, whose radius is {lower} {unit} at the"
                f" bottom and {upper} {unit} at the top"
            )
        case _:
            radius, height = numbers
            return f"a cylinder of radius {radius} {unit} and height {height} {unit}"


KINDS = ("cylinder", "cylinder", "frustum")
ENDS = ("cone", "half", "cylinder", "frustum")
SOUND = ("cylinder", "frustum", "block")  # what a hole leaves a wall of
LEGS = ((3, 4), (4, 3), (5, 12), (8, 15), (6, 8), (7, 24), (12, 5))
UNITS = ("cm", "m", "mm")
PLURAL = {"cm": "centimetres", "m": "metres", "mm": "millimetres"}
WORK = {"cylinder": 2, "block": 2, "half": 3, "cone": 3, "frustum": 5}
TRIES = 60
LADDER = (
    Knobs(1, 9, 0.0, 0.0, 0.0),
    Knobs(2, 12, 0.2, 0.0, 0.0),
    Knobs(2, 12, 0.5, 0.3, 0.4),
    Knobs(3, 20, 0.7, 0.4, 0.5),
    Knobs(5, 30, 0.9, 0.5, 0.5),
)
FAMILY = Family(
    Solid,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Expression(names=(), evaluated=True),
    hardness=hardness,
    proof="unique",
    solver="the formulas of the parts",
    guess_rate=0.07,
    steps=steps,
    inputs=("parts", "hole"),
    twin=twin,
    renamed=renamed,
    skills=("solids", "calculation"),
    version=3,
)
