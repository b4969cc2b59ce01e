"""Putting a graph into words: one function an encoding, and all of them say the whole graph.

A new encoding is one function, its line in ENCODINGS and its name in _graph.Encoding.
"""

import json
from collections.abc import Callable, Iterable
from random import Random
from typing import Literal

from puzzlemill.core import prose
from puzzlemill.core.family import Prompt, Style
from puzzlemill.generators.graphs._graph import Encoding, Graph, beside
from puzzlemill.generators.graphs._naming import called, shown

# How a graph is told; "any" is one of the ways.
AnyEncoding = Literal[Encoding, "any"]

WIDEST = 24  # nodes; a larger matrix costs a prompt thousands of tokens, so "any" avoids it


def posed(graph: Graph, style: Style, form: str, *questions: str, number: str = "weight") -> Prompt:
    """A prompt: the graph, and one of the questions, before it or behind it.

    `number` is what the numbers on the edges are: "length".
    """
    place = style.phrasing % len(questions)
    text = described(graph, number)
    parts = (text, questions[place]) if place % 2 == 0 else (questions[place], text)
    images = (pictured(graph),) if graph.encoding == "picture" else ()
    return Prompt("\n\n".join(parts), form, images)


def described(graph: Graph, number: str = "weight") -> str:
    """The graph in full: its nodes, what an edge is, and every edge."""
    kind = "A directed graph" if graph.directed else "An undirected graph"
    way = (
        "An edge goes one way only, from its first node to its second"
        if graph.directed
        else "An edge goes both ways"
    )
    numbered = f", and has a {number}" if graph.weights else ""
    return (
        f"{kind} has {_nodes(graph)}. {way}{numbered}.\n{ENCODINGS[graph.encoding](graph, number)}"
    )


def pick_encoding(rng: Random, encoding: AnyEncoding, nodes: int) -> Encoding:
    if encoding != "any":
        return encoding
    return rng.choice([it for it in ENCODINGS if it not in _apart(nodes)])


def title(graph: Graph, node: str) -> str:
    """A node's name as the prompt shows it: "Anna", "3"."""
    return shown(node, graph.naming)


def node(graph: Graph, name: str) -> str:
    """A node in a sentence: "Anna", "node 3"."""
    return called(name, graph.naming)


def listed(graph: Graph, nodes: Iterable[str]) -> str:
    """Nodes in a sentence or a step: "3, 5 and 8"."""
    return prose.listed([title(graph, each) for each in nodes])


def _apart(nodes: int) -> set[str]:
    return {"picture", *(["adjacency_matrix"] if nodes > WIDEST else [])}


def _nodes(graph: Graph) -> str:
    count = len(graph.nodes)
    if graph.naming == "numbers":
        return f"{count} nodes, numbered from 0 to {count - 1}"
    return f"{count} nodes: {', '.join(title(graph, each) for each in graph.nodes)}"


def _leading(graph: Graph) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each node, and where one can go from it: the other node, and the number or nothing."""
    weighed, nodes = bool(graph.weights), graph.nodes
    return [
        (node, [(other, str(near[other]) if weighed else "") for other in nodes if other in near])
        for node, near in beside(graph).items()
    ]


def _weighed(graph: Graph) -> list[tuple[str, str, int | None]]:
    """The edges with their numbers, if they have any, and the names as they are shown."""
    weights = graph.weights or (None,) * len(graph.edges)
    names = {node: title(graph, node) for node in graph.nodes}
    return [(names[a], names[b], w) for (a, b), w in zip(graph.edges, weights)]


def _edge_list(graph: Graph, number: str) -> str:
    link = "->" if graph.directed else "-"
    sample = f"a{link}b" + (f" = {number}" if graph.weights else "")
    lines = (
        f"{a}{link}{b}" + (f" = {weight}" if graph.weights else "")
        for a, b, weight in _weighed(graph)
    )
    return f"Its edges, written {sample}: {', '.join(lines) or 'none'}"


def _adjacency_list(graph: Graph, number: str) -> str:
    head = "Each node and the nodes that its edges lead to"
    if graph.weights:
        head += f", with the {number} of the edge in brackets"
    names = {node: title(graph, node) for node in graph.nodes}
    lines = (
        f"{names[node]}: "
        + (
            ", ".join(
                [names[other] + (f" ({weight})" if weight else "") for other, weight in others]
            )
            or "no node"
        )
        for node, others in _leading(graph)
    )
    return f"{head}:\n" + "\n".join(lines)


def _adjacency_matrix(graph: Graph, number: str) -> str:
    edge = "from node i to node j" if graph.directed else "between nodes i and j"
    entry = f"the {number} of the edge {edge}" if graph.weights else f"1 for an edge {edge}"
    counted = (
        "Rows and columns are counted from 0"
        if graph.naming == "numbers"
        else "Rows and columns stand in the order of the nodes above"
    )
    lines = []
    for _, others in _leading(graph):
        row = {other: weight or "1" for other, weight in others}
        lines.append(" ".join(row.get(other, "0") for other in graph.nodes))
    return (
        f"Its adjacency matrix: row i, column j holds {entry}, or 0 where there is no edge."
        f" {counted}.\n" + "\n".join(lines)
    )


def _prose(graph: Graph, number: str) -> str:
    """A sentence for each node. People are friends or follow one another, cities have roads."""
    verb = {
        ("people", False): "{} is a friend of {}.",
        ("people", True): "{} follows {}.",
        ("cities", False): "Roads join {} to {}.",
        ("cities", True): "One-way roads lead from {} to {}.",
    }.get(
        (graph.naming, graph.directed),
        "Node {} leads to {}." if graph.directed else "Node {} is joined to {}.",
    )
    sentences = [
        verb.format(
            title(graph, node),
            prose.listed(
                [
                    called(other, graph.naming) + (f" ({number} {weight})" if weight else "")
                    for other, weight in others
                ]
            ),
        )
        for node, others in _leading(graph)
        if others
    ]
    edge = {
        "people": "An edge leads from one person to another whom the first follows. "
        if graph.directed
        else "An edge joins two people who are friends. ",
        "cities": "Every road is an edge. ",
    }.get(graph.naming, "")
    alone = [node for node, others in _leading(graph) if not others]
    if alone and not graph.directed:
        sentences.append(f"No edge has {listed(graph, alone)} at an end.")
    return edge + " ".join(sentences)


def _dot(graph: Graph, number: str) -> str:
    link = "->" if graph.directed else "--"
    lines = [f"  {a} {link} {b}" + _attribute(number, w) + ";" for a, b, w in _weighed(graph)]
    alone = [f"  {title(graph, node)};" for node in _lonely(graph)]
    kind = "digraph" if graph.directed else "graph"
    return "In the DOT language:\n" + "\n".join([f"{kind} G {{", *alone, *lines, "}"])


def _graphml(graph: Graph, number: str) -> str:
    lines = [f'  <node id="{title(graph, node)}"/>' for node in graph.nodes]
    for a, b, weight in _weighed(graph):
        end = f' {number}="{weight}"' if graph.weights else ""
        lines.append(f'  <edge source="{a}" target="{b}"{end}/>')
    kind = "directed" if graph.directed else "undirected"
    return "As XML:\n" + "\n".join([f'<graph edgedefault="{kind}">', *lines, "</graph>"])


def _json(graph: Graph, number: str) -> str:
    def name(node: str) -> int | str:
        return int(node) if graph.naming == "numbers" else title(graph, node)

    names = {node: name(node) for node in graph.nodes}
    edges = [
        [names[a], names[b], *([weight] if graph.weights else [])]
        for (a, b), weight in zip(graph.edges, graph.weights or graph.edges)
    ]
    told = f"[a, b, {number}]" if graph.weights else "[a, b]"
    whole = {"directed": graph.directed, "nodes": list(names.values())}
    return f"As JSON, each edge as {told}:\n{json.dumps(whole | {'edges': edges})}"


def _picture(graph: Graph, number: str) -> str:
    arrows = " An arrow shows the way that an edge goes." if graph.directed else ""
    numbers = f" The number on an edge is its {number}." if graph.weights else ""
    return f"The picture shows it.{arrows}{numbers}\n<image>"


def pictured(graph: Graph) -> bytes:
    from puzzlemill.generators.graphs import _picture

    return _picture.pictured(graph)


def _attribute(number: str, weight: int | None) -> str:
    return "" if weight is None else f" [{number}={weight}]"


def _lonely(graph: Graph) -> list[str]:
    ends = {node for edge in graph.edges for node in edge}
    return [node for node in graph.nodes if node not in ends]


ENCODINGS: dict[Encoding, Callable[[Graph, str], str]] = {
    "edge_list": _edge_list,
    "adjacency_list": _adjacency_list,
    "adjacency_matrix": _adjacency_matrix,
    "prose": _prose,
    "dot": _dot,
    "graphml": _graphml,
    "json": _json,
    "picture": _picture,
}
