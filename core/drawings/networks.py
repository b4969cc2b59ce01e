"""Graphs: nodes on a circle in the order of their names' list, edges as lines or arrows.

A circle tells nothing that the list of edges does not, and its places are the same everywhere.
"""

from collections.abc import Mapping, Sequence
from math import cos, hypot, pi, sin
from typing import Any

from puzzlemill.core.drawings import svg

FIELDS = ("nodes", "edges", "weights", "directed", "asked", "naming")  # of a graph's puzzle
MOST = 40  # nodes, and four edges for each: more is a black disc
UNLIKE = ("implications", "gnn_layer")  # graphs underneath, which the prompt does not speak of
NODE = 16  # radius


def network_svg(family: str, puzzle: Any) -> str | None:
    if family in UNLIKE or not all(hasattr(puzzle, field) for field in FIELDS):
        return None
    nodes: Sequence[str] = puzzle.nodes
    if len(nodes) > MOST or len(puzzle.edges) > 4 * MOST:
        return None
    radius = max(90, (16 if puzzle.weights else 9) * len(nodes))
    longest = max(map(len, nodes))
    aside = 30 + (9 * longest if longest > 2 else 0)
    wide, high = 2 * (radius + aside), 2 * (radius + 30)
    turn = 2 * pi / len(nodes)
    places = {
        node: (
            round(wide / 2 + radius * sin(place * turn)),
            round(high / 2 - radius * cos(place * turn)),
        )
        for place, node in enumerate(nodes)
    }
    weights = puzzle.weights or [None] * len(puzzle.edges)
    parts = []
    for (one, other), weight in zip(puzzle.edges, weights, strict=True):
        if one != other:
            parts += _edge(places, one, other, weight, puzzle.directed)
        else:
            parts.append(svg.ring(places[one][0], places[one][1] - NODE, NODE // 2))
    for node in nodes:
        x, y = places[node]
        named = _shown(node, puzzle.naming)
        if longest <= 2:
            parts += [svg.ring(x, y, NODE), svg.text(x, y, named, 14)]
        else:
            end = "start" if x >= wide // 2 else "end"
            away = NODE + 4 if x >= wide // 2 else -NODE - 4
            parts += [svg.ring(x, y, NODE), svg.text(x + away, y, named, 13, end)]
    return svg.drawing(wide, high, parts)


def _edge(
    places: Mapping[str, tuple[int, int]], one: str, other: str, weight: int | None, directed: bool
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
    if weight is not None:  # nearer to the first node, so that labels do not meet in the middle
        at = 0.22
        parts.append(
            svg.text(
                round(x + at * (to_x - x) - 8 * down),
                round(y + at * (to_y - y) + 8 * along),
                str(weight),
                11,
            )
        )
    return parts


def _shown(node: str, naming: str) -> str:
    """A node's name as the prompt writes it."""
    if naming == "letters":
        return node.upper()
    return node.title() if naming in ("people", "cities") else node
