"""Graphs that a knob makes directed or not, and a fair choice of a node to ask about."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from puzzlemill.generators.graphs import _drawing
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # edges at a node, on average; a real graph has as many as it has
    directed: bool  # whether edges have a direction
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def drawn(rng: Random, knobs: Knobs) -> Graph:
    """A connected graph of the degree that is asked for; directions at random."""
    return _with_edges(rng, knobs, _drawing.edge_count(knobs.nodes, knobs.degree))


def drawn_thin_or_thick(rng: Random, knobs: Knobs) -> Graph:
    """The same, with the fewest edges or twice as many as on average, or any number between."""
    fewest, all_pairs = knobs.nodes - 1, knobs.nodes * (knobs.nodes - 1) // 2
    most = 2 * _drawing.edge_count(knobs.nodes, knobs.degree) - fewest
    return _with_edges(rng, knobs, rng.randint(fewest, min(most, all_pairs)))


def evenly(rng: Random, count: Mapping[str, int]) -> str:
    """A node, where every count that there is has the same chance."""
    wanted = rng.choice(sorted(set(count.values())))
    return rng.choice([node for node in count if count[node] == wanted])


def _with_edges(rng: Random, knobs: Knobs, edges: int) -> Graph:
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = _drawing.arcs(rng, sketch.pairs) if knobs.directed else sketch.pairs
    return _drawing.dressed(rng, knobs, sketch, pairs, directed=knobs.directed)
