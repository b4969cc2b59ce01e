"""Circuits: junctions on a circle, and branches with what is in them; and circuits of gates."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import cos, hypot, pi, sin
from typing import Any

from puzzlemill.core.drawings import svg
from puzzlemill.core.drawings.networks import Edge, network
from puzzlemill.core.drawings.svg import Picture

NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Branch = tuple[int, int, str]  # two junctions, and what is between them


def _circuit(branches: Sequence[Branch]) -> Picture:
    count = 1 + max(max(branch[:2]) for branch in branches)
    radius = 90 + 22 * count
    places = [
        (-radius * cos(2 * pi * at / count), -radius * sin(2 * pi * at / count))
        for at in range(count)
    ]
    together = Counter(frozenset(branch[:2]) for branch in branches)
    done, parts = Counter[frozenset[int]](), list[str]()
    boxes = []
    for one, other, what in branches:
        pair = frozenset((one, other))
        turn = done[pair] - (together[pair] - 1) / 2
        done[pair] += 1
        low, high = sorted((one, other))  # so that two branches bow to different sides
        box = _middle(places[low], places[high], turn, what)
        boxes.append(box)
        parts += _bent(places[low], places[high], box, what)
    for at, (x, y) in enumerate(places):
        name, out = NAMES[at], 1 + 16 / radius
        parts += [svg.dot(x, y), svg.text(out * x, out * y, name, 16)]
    xs, ys = ([at[axis] for at in (*places, *boxes)] for axis in (0, 1))
    left, top = min(xs) - 70, min(ys) - 32
    return Picture(max(xs) - left + 70, max(ys) - top + 32, [svg.moved(parts, -left, -top)])


def _middle(
    start: tuple[float, float], end: tuple[float, float], turn: float, what: str
) -> tuple[float, float]:
    """Where a box stands: aside by its size, of several between the same ends."""
    (x, y), (to_x, to_y) = start, end
    far = hypot(to_x - x, to_y - y) or 1.0
    along, down = (to_x - x) / far, (to_y - y) / far
    bow = turn * (abs(along) * 34 + abs(down) * (2 * _half(what) + 10))
    return (x + to_x) / 2 - bow * down, (y + to_y) / 2 + bow * along


def _half(what: str) -> float:
    return 3.5 * len(what) + 6


def _bent(
    start: tuple[float, float], end: tuple[float, float], box: tuple[float, float], what: str
) -> list[str]:
    """Wires from both ends to a box."""
    at_x, at_y = box
    half, wires = _half(what), []
    for from_x, from_y in (start, end):
        along, down = from_x - at_x, from_y - at_y
        share = min(half / (abs(along) or 0.01), 10 / (abs(down) or 0.01), 1.0)
        wires.append(svg.line(from_x, from_y, at_x + share * along, at_y + share * down))
    frame = svg.frame(at_x - half, at_y - 10, 2 * half, 20)
    return [*wires, frame, svg.text(at_x, at_y, what, 12)]


def _resistors(puzzle: Any) -> Picture:
    return _circuit(
        [(a, b, f"R{at}: {ohms} Ω") for at, (a, b, ohms) in enumerate(puzzle.resistors, 1)]
    )


def _batteries(puzzle: Any) -> Picture:
    return _circuit(
        [
            (a, b, f"{at}: {ohms} Ω" + (f", {volts} V to {NAMES[b]}" if volts else ""))
            for at, (a, b, ohms, volts) in enumerate(puzzle.branches, 1)
        ]
    )


def _gates(puzzle: Any) -> Picture | None:
    """Wires lead from inputs, gates and registers to the gates and registers that they feed."""
    names = {name: f"{name} = {value}" for name, value in puzzle.inputs}
    names |= {name: f"{name}: first {value}" for name, value, _ in puzzle.registers}
    names |= {name: f"{name}: {kind}" for name, kind, _ in puzzle.gates}
    wires: list[Edge] = [(source, name) for name, _, sources in puzzle.gates for source in sources]
    wires += [(source, name) for name, _, source in puzzle.registers]
    return network(names, wires, [""] * len(wires), directed=True)


PICTURES: dict[str, Callable[[Any], Picture | None]] = {
    "circuit": _gates,
    "kirchhoff": _batteries,
    "resistor_network": _resistors,
}
