"""A picture of a graph: its nodes on a circle, so that no edge runs through a node it misses.

Everything is counted in whole numbers: the same graph gives the same picture on every machine.
"""

from collections.abc import Sequence
from io import BytesIO
from itertools import combinations
from math import atan2, cos, pi, sin

from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import shown

SWEEPS = 6  # over all nodes, looking for a better place for each
LEAST, ROOM = 210, 24  # pixels of the circle's radius: at least, and for each node
DOT, MARGIN = 7, 24
APART = 7  # pixels, of an edge from the straight line where another one leads back
INK, LINE, PAPER, RED = (20, 20, 20), (110, 110, 110), (255, 255, 255), (170, 30, 30)
PLACES = (50, 38, 62, 30, 70, 24, 76, 44, 56)  # of a number on its edge, in hundredths

Spot = tuple[int, int]


def pictured(graph: Graph) -> bytes:
    """As a PNG."""
    from PIL import Image, ImageDraw, ImageFont

    ring, font = _untangled(graph), ImageFont.load_default(16)
    names = {node: shown(node, graph.naming) for node in ring}
    radius = max(LEAST, ROOM * len(ring))
    side = radius + DOT + MARGIN + max(round(font.getlength(name)) for name in names.values())
    image = Image.new("RGB", (2 * side, 2 * side), PAPER)
    draw = ImageDraw.Draw(image)
    spots = {node: _on_circle(side, radius, at, len(ring)) for at, node in enumerate(ring)}
    there_and_back = {(a, b) for a, b in graph.edges if graph.directed and (b, a) in graph.edges}
    lines = []
    for a, b in graph.edges:
        apart = APART if (a, b) in there_and_back else 0
        lines.append(_beside(spots[a], spots[b], apart))
        draw.line(lines[-1], fill=LINE, width=2)
        if graph.directed:
            draw.polygon(_head(*lines[-1]), fill=INK)
    taken: list[tuple[float, ...]] = []
    for (here, there), weight in zip(lines, graph.weights):
        choices = [_between(here, there, part) for part in PLACES]
        boxes = [font.getbbox(str(weight), anchor="mm") for _ in choices]
        boxes = [
            (x + left - 2, y + top - 2, x + right + 2, y + bottom + 2)
            for (x, y), (left, top, right, bottom) in zip(choices, boxes)
        ]
        at = min(range(len(boxes)), key=lambda at: (_hidden(boxes[at], taken), at))
        taken.append(boxes[at])
        draw.rectangle(boxes[at], fill=PAPER)
        draw.text(choices[at], str(weight), fill=RED, font=font, anchor="mm")
    for at, (node, (x, y)) in enumerate(spots.items()):
        draw.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), fill=INK)
        reach = radius + DOT + 6 + round(font.getlength(names[node])) // 2
        u, v = _on_circle(side, reach, at, len(ring))
        draw.text((u, v), names[node], fill=INK, font=font, anchor="mm")
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _hidden(box: tuple[float, ...], taken: Sequence[tuple[float, ...]]) -> int:
    """How many of the boxes a box would cover."""
    left, top, right, bottom = box
    return sum(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
        for other in taken
    )


def _untangled(graph: Graph) -> list[str]:
    """The nodes in an order round the circle in which few edges cross: a sum of the edges' spans
    is made smaller by swaps until none helps."""
    ring = list(graph.nodes)
    place = {node: at for at, node in enumerate(ring)}
    joined: dict[str, list[str]] = {node: [] for node in ring}
    for a, b in graph.edges:
        joined[a].append(b)
        joined[b].append(a)

    def span(node: str) -> int:
        away = (abs(place[node] - place[other]) for other in joined[node])
        return sum(min(step, len(ring) - step) for step in away)

    for _ in range(SWEEPS):
        better = False
        for one, two in combinations(ring, 2):
            before = span(one) + span(two)
            place[one], place[two] = place[two], place[one]
            if span(one) + span(two) < before:
                better = True
            else:
                place[one], place[two] = place[two], place[one]
        if not better:
            break
    return sorted(ring, key=place.__getitem__)


def _on_circle(side: int, radius: int, at: int, count: int) -> Spot:
    turn = 2 * pi * at / count - pi / 2
    return side + round(radius * cos(turn)), side + round(radius * sin(turn))


def _beside(here: Spot, there: Spot, apart: int) -> tuple[Spot, Spot]:
    """A line so far to the right of the one from here to there."""
    (x, y), (u, v) = here, there
    turn = atan2(v - y, u - x) + pi / 2
    aside, down = round(apart * cos(turn)), round(apart * sin(turn))
    return (x + aside, y + down), (u + aside, v + down)


def _between(here: Spot, there: Spot, part: int) -> Spot:
    """So many hundredths of the way on."""
    (x, y), (u, v) = here, there
    return x + (u - x) * part // 100, y + (v - y) * part // 100


def _head(here: Spot, there: Spot) -> Sequence[Spot]:
    """The head of an arrow, its tip at the node's rim."""
    (x, y), (u, v) = here, there
    turn = atan2(v - y, u - x)
    tip = (u - round(DOT * cos(turn)), v - round(DOT * sin(turn)))
    wings = [turn - 0.4, turn + 0.4]
    return [tip, *((tip[0] - round(14 * cos(w)), tip[1] - round(14 * sin(w))) for w in wings)]
