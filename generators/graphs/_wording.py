"""Putting a graph into words: one function an encoding, and all of them say the whole graph.

A new encoding is one function, its line in ENCODINGS and its name in Encoding.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

from puzzlemill.generators.graphs._graph import Edges

Encoding = Literal["edge_list", "adjacency_list", "adjacency_matrix", "prose"]
AnyEncoding = Literal[Encoding, "any"]

WIDEST = 24  # nodes; a larger matrix costs a prompt thousands of tokens, so "any" avoids it


@dataclass(frozen=True, slots=True)
class Wording:
    """A graph about to be worded. `number` is what the numbers on the edges are: "length"."""

    nodes: int
    edges: Edges
    directed: bool
    number: str

    def leading(self, node: int) -> list[tuple[int, ...]]:
        """Where one can go from a node: (other,) or (other, number), in order."""
        there = [(b, *rest) for a, b, *rest in self.edges if a == node]
        back = [(a, *rest) for a, b, *rest in self.edges if b == node]
        return sorted(there if self.directed else there + back)


def describe(
    nodes: int, edges: Edges, encoding: Encoding, directed: bool = False, number: str = ""
) -> str:
    """The graph in full: how many nodes, what they are called, what an edge is, and every edge."""
    graph = Wording(nodes, edges, directed, number)
    kind = "A directed graph" if directed else "An undirected graph"
    way = (
        "An edge goes one way only, from its first node to its second"
        if directed
        else "An edge goes both ways"
    )
    numbered = f", and has a {number}" if number else ""
    return (
        f"{kind} has {nodes} nodes, numbered from 0 to {nodes - 1}. {way}{numbered}.\n"
        f"{ENCODINGS[encoding](graph)}"
    )


def pick_encoding(rng: Random, encoding: AnyEncoding, nodes: int) -> Encoding:
    if encoding != "any":
        return encoding
    return rng.choice([it for it in ENCODINGS if it != "adjacency_matrix" or nodes <= WIDEST])


def _edge_list(graph: Wording) -> str:
    link = "->" if graph.directed else "-"
    sample = f"a{link}b" + (f" = {graph.number}" if graph.number else "")
    lines = (f"{a}{link}{b}" + "".join(f" = {it}" for it in rest) for a, b, *rest in graph.edges)
    return f"Its edges, written {sample}: {', '.join(lines)}"


def _adjacency_list(graph: Wording) -> str:
    head = "Each node and the nodes that its edges lead to"
    if graph.number:
        head += f", with the {graph.number} of the edge in brackets"
    lines = (
        f"{node}: " + (", ".join(map(_bracketed, graph.leading(node))) or "no node")
        for node in range(graph.nodes)
    )
    return f"{head}:\n" + "\n".join(lines)


def _adjacency_matrix(graph: Wording) -> str:
    edge = "from node i to node j" if graph.directed else "between nodes i and j"
    entry = f"the {graph.number} of the edge {edge}" if graph.number else f"1 for an edge {edge}"
    lines = []
    for node in range(graph.nodes):
        row = {other: rest[0] if rest else 1 for other, *rest in graph.leading(node)}
        lines.append(" ".join(str(row.get(other, 0)) for other in range(graph.nodes)))
    return (
        f"Its adjacency matrix: row i, column j holds {entry}, or 0 where there is no edge."
        " Rows and columns are counted from 0.\n" + "\n".join(lines)
    )


def _prose(graph: Wording) -> str:
    sentences = []
    for node in range(graph.nodes):
        ends = [
            f"node {other}" + "".join(f" ({graph.number} {it})" for it in rest)
            for other, *rest in graph.leading(node)
        ]
        if not ends:
            joined = "no node"
        else:
            joined = " and ".join(filter(None, (", ".join(ends[:-1]), ends[-1])))
        verb = "leads to" if graph.directed else "is joined to"
        sentences.append(f"Node {node} {verb} {joined}.")
    return " ".join(sentences)


def _bracketed(end: tuple[int, ...]) -> str:
    return f"{end[0]}" + "".join(f" ({it})" for it in end[1:])


ENCODINGS: dict[Encoding, Callable[[Wording], str]] = {
    "edge_list": _edge_list,
    "adjacency_list": _adjacency_list,
    "adjacency_matrix": _adjacency_matrix,
    "prose": _prose,
}
