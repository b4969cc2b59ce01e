"""Graphs: nodes on a circle in the order of their names' list, edges as lines or arrows.

A circle tells nothing that the list of edges does not, and its places are the same everywhere.
"""

from collections.abc import Mapping, Sequence
from math import cos, hypot, pi, sin
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.svg import Picture

FIELDS = ("nodes", "edges", "weights", "directed", "asked", "naming")  # of a graph's puzzle
MOST = 40  # nodes, and four edges for each: more is a black disc
NODE = 16  # radius

Edge = tuple[str, str]


def network_of(puzzle: Any) -> Picture | None:
    """The picture of a puzzle that is a graph."""
    if not all(hasattr(puzzle, field) for field in FIELDS):
        return None
    names = {node: shown(node, puzzle.naming) for node in puzzle.nodes}
    labels = [str(each) for each in puzzle.weights] or [""] * len(puzzle.edges)
    return network(names, puzzle.edges, labels, puzzle.directed)


def network(
    names: Mapping[str, str], edges: Sequence[Edge], labels: Sequence[str], directed: bool
) -> Picture | None:
    """Nodes by what they are called, and edges with what stands at them; None of too many."""
    if len(names) > MOST or len(edges) > 4 * MOST:
        return None
    longest = max(map(len, names.values()))
    least = 120 if any(labels) else 90 if len(names) > 4 else 60
    radius = max(least, (16 if any(labels) else 12 if longest > 2 else 9) * len(names))
    aside = 30 + (9 * longest if longest > 2 else 0)
    wide, high = 2 * (radius + aside), 2 * (radius + 36)
    turn = 2 * pi / len(names)
    places = {
        node: (
            round(wide / 2 + radius * sin(place * turn)),
            round(high / 2 - radius * cos(place * turn)),
        )
        for place, node in enumerate(names)
    }
    parts = []
    for (one, other), label in zip(edges, labels, strict=True):
        if one != other:
            parts += _edge(places, one, other, label, directed)
        else:
            x, y = places[one]
            parts.append(svg.ring(x, y - NODE, NODE // 2))
            parts += [svg.text(x + 12, y - NODE - 10, label, 11, "start")] if label else []
    for node, named in names.items():
        x, y = places[node]
        if longest <= 2:
            parts += [svg.ring(x, y, NODE), svg.text(x, y, named, 14)]
        else:
            out, up = (x - wide / 2) / radius, (y - high / 2) / radius
            end = "middle" if abs(out) < 0.2 else "start" if out > 0 else "end"
            at = x + (NODE + 4) * out, y + (NODE + 10) * up
            parts += [svg.ring(x, y, NODE), svg.text(*at, named, 13, end)]
    return Picture(wide, high, parts)


def _edge(
    places: Mapping[str, tuple[int, int]], one: str, other: str, label: str, directed: bool
) -> list[str]:
    (x, y), (to_x, to_y) = places[one], places[other]
    far = hypot(to_x - x, to_y - y) or 1.0
    along, down = (to_x - x) / far, (to_y - y) / far
    gap = NODE + 1
    tip_x, tip_y = round(to_x - gap * along), round(to_y - gap * down)
    parts = [svg.line(round(x + gap * along), round(y + gap * down), tip_x, tip_y)]
    if directed:
        for side in (-1, 1):
            back_x = tip_x - 9 * along + side * 4 * down
            back_y = tip_y - 9 * down - side * 4 * along
            parts.append(svg.line(tip_x, tip_y, round(back_x), round(back_y), 1.5))
    if label:  # nearer to the first node, so that labels do not meet in the middle
        at = 0.22
        parts.append(
            svg.text(
                round(x + at * (to_x - x) - 8 * down),
                round(y + at * (to_y - y) + 8 * along),
                label,
                11,
            )
        )
    return parts


def shown(node: str, naming: str) -> str:
    """A node's name as the prompt writes it."""
    if naming == "letters":
        return node.upper()
    return node.title() if naming in ("people", "cities") else node
