"""Isolated nodes: those that have no edge at all, neither from them nor to them."""

from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.names import in_order
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Encoding, Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Source
from puzzlemill.generators.graphs._wording import AnyEncoding

NONE = 0.12  # of the graphs have no such node
PLAIN: tuple[Encoding, ...] = ("edge_list", "graphml", "json")  # which tell nothing more of them


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # the isolated ones among them
    isolated: int  # at most; no more than a third of all
    degree: float  # edges at each of the others, on average; a real graph has as many as it has
    directed: bool  # whether edges have a direction
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph:
    """A connected graph, and further nodes beside it."""
    isolated = 0 if rng.random() < NONE else rng.randint(1, min(knobs.isolated, knobs.nodes // 3))
    others = knobs.nodes - isolated
    edges = _drawing.edge_count(others, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, others, edges)
    pairs = _drawing.arcs(rng, sketch.pairs) if knobs.directed else sketch.pairs
    whole = Sketch(sketch.nodes + isolated, sketch.pairs, sketch.source)
    encoding = _wording.pick_encoding(rng, knobs.encoding, whole.nodes)
    if knobs.encoding == "any" and encoding in _telling(knobs.directed):
        encoding = rng.choice(PLAIN)
    looks = replace(knobs, encoding=encoding)
    return _drawing.dressed(rng, looks, whole, pairs, directed=knobs.directed)


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    return in_order(networkx.isolates(_graph.in_networkx(graph)))


def verify(graph: Graph, nodes: tuple[str, ...]) -> float:
    """Each node is looked for among the ends of all edges, as one would by hand."""
    ends = {node for edge in graph.edges for node in edge}
    return float(set(nodes) == set(graph.nodes) - ends)


def render(graph: Graph, style: Style) -> Prompt:
    none = "no edge from or to any other node" if graph.directed else "no edge to any other node"
    return _wording.posed(
        graph,
        style,
        'those nodes separated by commas, or "none"',
        f"Which nodes have {none}?",
        f"A node is isolated if it has {none}. List all isolated nodes of the graph below.",
        "Which of the nodes are at neither end of any edge? Find all of them.",
    )


def steps(graph: Graph) -> list[str]:
    ends = {node for edge in graph.edges for node in edge}
    seen = [node for node in graph.nodes if node in ends]
    rest = _wording.listed(graph, solve(graph))
    return [f"nodes with an edge: {_wording.listed(graph, seen)}", f"the rest: {rest or 'none'}"]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


def _telling(directed: bool) -> tuple[Encoding, ...]:
    """The encodings that name such nodes apart, which gives them away."""
    return ("dot",) if directed else ("dot", "prose", "adjacency_list")


LADDER = (
    Knobs(10, 3, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(14, 4, 3.0, False, "any", "any", "any"),
    Knobs(22, 5, 3.5, True, "any", "any", "any"),
    Knobs(34, 6, 4.0, False, "any", "any", "any"),
    Knobs(50, 8, 4.5, True, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordSet(items="nodes", empty=True),
    hardness=_graph.size,
    proof="unique",
    solver="networkx",
    guess_rate=0.16,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs",),
    peers=("G1/isolate_number",),
    theme="degrees",
    version=3,
)
