"""Maximum flow: how much can run from a source to a sink through edges of limited capacity.

`verify` finds augmenting paths until none is left and then holds the flow against the cut that is
full: where they are equal, no flow is greater.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._graph import (
    AnySource,
    Edges,
    Pair,
    distances,
    draw,
    edge_count,
    neighbours,
    scrambled,
)
from puzzlemill.generators.graphs._wording import AnyEncoding, Encoding, describe, pick_encoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int
    degree: float  # edges at a node, on average, in and out
    capacity: int  # of an edge inside the network, at most
    inner: bool  # the bottleneck lies inside: neither all out of the source nor all into the sink
    source: AnySource
    encoding: AnyEncoding


@dataclass(frozen=True, slots=True)
class Network:
    nodes: int
    edges: Edges  # (from, to, capacity)
    source: int
    sink: int
    encoding: Encoding


def generate(rng: Random, knobs: Knobs) -> Network | None:
    drawn = draw(rng, knobs.source, knobs.nodes, edge_count(knobs.nodes, knobs.degree))
    pairs = scrambled(rng, knobs.nodes, drawn)
    source, sink = _ends(rng, knobs.nodes, pairs)
    edges = []
    for a, b in _downhill(rng, knobs.nodes, pairs, source, sink):
        spare = knobs.capacity if knobs.inner and (a == source or b == sink) else 0
        edges.append((a, b, rng.randint(1, knobs.capacity) + spare))
    encoding = pick_encoding(rng, knobs.encoding, knobs.nodes)
    network = Network(knobs.nodes, tuple(edges), source, sink, encoding)
    most = _greatest(network)
    outer = {sum(c for a, _, c in edges if a == source), sum(c for _, b, c in edges if b == sink)}
    return None if most == 0 or (knobs.inner and most in outer) else network


def solve(network: Network) -> int:
    """Push-relabel, by networkx."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(range(network.nodes))
    graph.add_weighted_edges_from(network.edges, weight="capacity")
    return int(networkx.maximum_flow_value(graph, network.source, network.sink))


def verify(network: Network, most: int) -> float:
    return float(most == _greatest(network))


def render(network: Network, style: Style) -> Prompt:
    source, sink = network.source, network.sink
    text = describe(network.nodes, network.edges, network.encoding, True, "capacity")
    return Prompt(
        style.pick(
            f"{text}\n\nThe flow along an edge is at most the edge's capacity, and at every node"
            f" but {source} and {sink} as much flows out as flows in. What is the greatest total"
            f" flow from node {source} to node {sink}?",
            f"Water is pumped in at node {source} of the network below and taken out at node"
            f" {sink}. Every edge is a pipe that carries at most its capacity, in the direction of"
            " the edge. Water is neither lost nor stored on the way. How much can be pumped through"
            f" at most?\n\n{text}",
            f"{text}\n\nFind the value of a maximum flow from the source, node {source}, to the"
            f" sink, node {sink}: no edge carries more than its capacity, and at every other node"
            " the inflow equals the outflow.",
        ),
        form="the value of the maximum flow, one integer",
    )


def steps(network: Network) -> list[str]:
    """The augmenting paths, and the cut that none can pass."""
    pushes, side = _augmented(network)
    lines, total = [], 0
    for path, amount in pushes:
        total += amount
        lines.append(f"push {amount} along {' '.join(map(str, path))}; {total} in all")
    full = [f"{a}->{b} = {c}" for a, b, c in network.edges if a in side and b not in side]
    return [*lines, f"full: {', '.join(full)}; sum {total}"]


def canon(network: Network) -> Any:
    marks = [0] * network.nodes
    marks[network.source], marks[network.sink] = 1, 2
    return canonical(network.nodes, network.edges, True, marks)


def _ends(rng: Random, nodes: int, pairs: list[Pair]) -> Pair:
    """Two nodes with as many edges as there are, not joined to each other where that can be."""
    beside = neighbours(nodes, pairs)
    order = sorted(rng.sample(range(nodes), nodes), key=lambda node: -len(beside[node]))
    apart = [node for node in order[1:] if node not in beside[order[0]]]
    return order[0], (apart or order[1:])[0]


def _downhill(rng: Random, nodes: int, pairs: list[Pair], source: int, sink: int) -> list[Pair]:
    """Each edge directed away from the source and towards the sink, but for a few inside."""
    beside = neighbours(nodes, pairs)
    near, far = distances(beside, sink), distances(beside, source)
    height = {node: (near[node] - far[node], rng.random()) for node in range(nodes)}
    height[source], height[sink] = (nodes, 0.0), (-nodes, 0.0)
    arcs = []
    for a, b in pairs:
        uphill = height[a] < height[b]
        if not {a, b} & {source, sink} and rng.random() < 0.15:
            uphill = not uphill
        arcs.append((b, a) if uphill else (a, b))
    return arcs


@lru_cache(maxsize=1024)
def _greatest(network: Network) -> int:
    pushes, side = _augmented(network)
    flow = sum(amount for _, amount in pushes)
    cut = sum(c for a, b, c in network.edges if a in side and b not in side)
    assert flow == cut, f"a flow of {flow} beside a cut of {cut}"
    return flow


def _augmented(network: Network) -> tuple[list[tuple[list[int], int]], set[int]]:
    """Shortest augmenting paths and what each adds; then the source's side of the full cut."""
    room: list[dict[int, int]] = [{} for _ in range(network.nodes)]
    for a, b, capacity in network.edges:
        room[a][b] = room[a].get(b, 0) + capacity
        room[b].setdefault(a, 0)
    pushes: list[tuple[list[int], int]] = []
    while True:
        before, queue = {network.source: network.source}, [network.source]
        for node in queue:
            for other, left in room[node].items():
                if left and other not in before:
                    before[other] = node
                    queue.append(other)
        if network.sink not in before:
            return pushes, set(before)
        path = [network.sink]
        while path[-1] != network.source:
            path.append(before[path[-1]])
        path.reverse()
        amount = min(room[a][b] for a, b in pairwise(path))
        for a, b in pairwise(path):
            room[a][b] -= amount
            room[b][a] += amount
        pushes.append((path, amount))


LADDER = (
    Knobs(5, 2.8, 9, False, "random", "edge_list"),
    Knobs(8, 3.2, 15, False, "any", "any"),
    Knobs(12, 3.6, 20, True, "any", "any"),
    Knobs(20, 4.0, 50, True, "any", "any"),
    Knobs(36, 4.5, 99, True, "any", "any"),
)
FAMILY = Family(
    Network,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=lambda network: network.nodes * len(network.edges),
    proof="unique",
    solver="push-relabel (networkx)",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    skills=("graphs", "optimisation"),
    peers=("G1/maximum_flow",),
)
