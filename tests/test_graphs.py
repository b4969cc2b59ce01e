"""Graphs with known answers, and the canonical form, which the contract cannot see."""

from collections.abc import Sequence
from random import Random
from typing import get_args

import pytest

from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.generators.graphs import (
    _drawing,
    _graph,
    _sources,
    _wording,
    graph_colouring,
    hamiltonian_cycle,
    hamiltonian_path,
    max_flow,
    shortest_path,
)
from puzzlemill.generators.graphs._canonical import canonical
from puzzlemill.generators.graphs._graph import Encoding, Graph

PETERSEN = tuple(
    edge for i in range(5) for edge in ((i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5))
)
# The smallest graph without triangles that needs four colours.
GROETZSCH = tuple(
    edge
    for i in range(5)
    for edge in ((i, (i + 1) % 5), (i + 5, (i + 1) % 5), (i + 5, (i + 4) % 5), (i + 5, 10))
)
LOPSIDED = tuple((a, b) for a in range(3) for b in range(3, 8))  # 3 nodes cannot part 5


def graph_of(
    edges: Sequence[tuple[int, ...]],
    *,
    directed: bool = False,
    asked: Sequence[int] = (),
    numbers: tuple[int, ...] = (),
    encoding: Encoding = "edge_list",
) -> Graph:
    """A graph of numbered nodes; the third number of an edge is its weight."""
    count = 1 + max(max(edge[:2]) for edge in edges)
    return Graph(
        nodes=names(range(count)),
        edges=tuple((str(a), str(b)) for a, b, *_ in edges),
        weights=tuple(weight for _, _, *rest in edges for weight in rest),
        directed=directed,
        asked=names(asked),
        numbers=numbers,
        source="random",
        encoding=encoding,
        naming="numbers",
    )


def names(nodes: Sequence[int]) -> tuple[str, ...]:
    return tuple(map(str, nodes))


def test_the_petersen_graph_has_a_hamiltonian_path_but_no_cycle_and_three_colours() -> None:
    graph = graph_of(PETERSEN)
    assert hamiltonian_path.verify(graph, names((0, 1, 2, 3, 4, 9, 6, 8, 5, 7))) == 1
    assert hamiltonian_path.verify(graph, IMPOSSIBLE) == 0
    assert hamiltonian_cycle.solve(graph) == IMPOSSIBLE
    assert hamiltonian_cycle.verify(graph, IMPOSSIBLE) == 1
    for colours, possible in ((2, False), (3, True)):
        chart = graph_of(PETERSEN, numbers=(colours,))
        assert (graph_colouring.solve(chart) != IMPOSSIBLE) is possible
        assert graph_colouring.verify(chart, IMPOSSIBLE) == (not possible)


@pytest.mark.parametrize("left_out", range(10))
def test_the_petersen_graph_without_a_node_has_a_hamiltonian_cycle(left_out: int) -> None:
    place = {node: at for at, node in enumerate(set(range(10)) - {left_out})}
    graph = graph_of([(place[a], place[b]) for a, b in PETERSEN if left_out not in (a, b)])
    cycle = hamiltonian_cycle.solve(graph)
    assert cycle is not IMPOSSIBLE
    assert hamiltonian_cycle.verify(graph, cycle) == 1
    assert hamiltonian_cycle.verify(graph, IMPOSSIBLE) == 0


def test_a_cycle_may_come_back_in_writing() -> None:
    square = graph_of(((0, 1), (1, 2), (2, 3), (3, 0)))
    for cycle, right in (((2, 1, 0, 3), 1), ((2, 1, 0, 3, 2), 1), ((2, 1, 0, 2), 0), ((2,), 0)):
        assert hamiltonian_cycle.verify(square, names(cycle)) == right


def test_graphs_known_to_be_impossible_are() -> None:
    lopsided = graph_of(LOPSIDED)
    assert hamiltonian_path.solve(lopsided) == IMPOSSIBLE
    assert hamiltonian_path.verify(lopsided, IMPOSSIBLE) == 1
    for colours in (3, 4):
        groetzsch = graph_of(GROETZSCH, numbers=(colours,))
        assert (graph_colouring.solve(groetzsch) == IMPOSSIBLE) is (colours == 3)
        assert graph_colouring.verify(groetzsch, IMPOSSIBLE) == (colours == 3)


def test_two_tied_shortest_paths_are_both_right() -> None:
    edges = ((0, 1, 1), (1, 3, 3), (0, 2, 2), (2, 3, 2), (0, 3, 5))
    roads = graph_of(edges, asked=(0, 3))
    paths = [names(path) for path in ((0, 1, 3), (0, 2, 3), (0, 3))]
    assert [shortest_path.verify(roads, path) for path in paths] == [1, 1, 0]


def test_a_flow_goes_back_on_itself_to_be_greatest() -> None:
    # Both units must avoid 1 -> 2, which the first shortest way out of 0 could take.
    edges = ((0, 1, 1), (0, 2, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1))
    network = graph_of(edges, directed=True, asked=(0, 3))
    assert max_flow.solve(network) == 2
    assert [max_flow.verify(network, value) for value in (1, 2, 3)] == [0, 1, 0]


def test_the_canonical_form_sees_what_refinement_alone_does_not() -> None:
    ring = tuple((i, (i + 1) % 6) for i in range(6))
    triangles = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5))
    assert canonical(6, ring) != canonical(6, triangles)


@pytest.mark.parametrize("directed", [False, True])
def test_the_canonical_form_does_not_depend_on_names(directed: bool) -> None:
    rng = Random(3)
    for edges in (PETERSEN, GROETZSCH, LOPSIDED):
        order = rng.sample(range(11), 11)
        renamed = tuple((order[a], order[b]) for a, b in edges)
        marks = [0] * 11
        marks[order[4]] = 1
        same = canonical(11, renamed, directed, marks)
        assert same == canonical(11, edges, directed, [0, 0, 0, 0, 1])
        assert same != canonical(11, edges, directed)


def test_what_a_graph_is_called_and_how_it_is_told_do_not_make_it_another() -> None:
    knobs = _drawing.Knobs(12, 3.0, "map", "any", "any")
    sketch = _drawing.sketched(Random(1), knobs.source, knobs.nodes, 18)
    dressed = [
        _drawing.dressed(Random(seed), knobs, sketch, sketch.pairs, range(18), asked=(3, 5))
        for seed in range(20)
    ]
    assert len({(graph.encoding, graph.naming) for graph in dressed}) > 10
    for said in (_graph.canon, _graph.canon_of_pair, _graph.kin):
        assert all(said(graph) == said(dressed[0]) for graph in dressed)
    turned = _drawing.dressed(Random(9), knobs, sketch, sketch.pairs, range(18), asked=(5, 3))
    assert _graph.canon(turned) != _graph.canon(dressed[0])
    assert _graph.canon_of_pair(turned) == _graph.canon_of_pair(dressed[0])


@pytest.mark.parametrize("source", _sources.SHAPES)
def test_every_shape_draws_a_connected_graph_of_the_size_asked_for(source: str) -> None:
    for nodes in (3, 7, 20):
        sketch = _drawing.sketched(Random(nodes), source, nodes, nodes)
        joined = {frozenset(pair) for pair in sketch.pairs}
        most = 2 if (source, nodes) == ("bipartite", 3) else nodes
        assert sketch.nodes == nodes
        assert len(joined) == len(sketch.pairs) == most
        assert len(_drawing.spanning(nodes, sketch.pairs)) == nodes - 1


@pytest.mark.parametrize("source", _sources.REAL)
def test_every_real_graph_gives_a_connected_piece_of_itself(source: str) -> None:
    sketch = _drawing.sketched(Random(1), source, 9, 0)
    assert sketch.source == source
    assert sketch.nodes == 9
    assert len(_drawing.spanning(9, sketch.pairs)) == 8
    assert all(0 <= a < b < 9 for a, b in sketch.pairs)


def test_planted_edges_are_in_and_forbidden_ones_are_not() -> None:
    for source in (*_sources.SHAPES, *_sources.REAL):
        sketch = _drawing.sketched(
            Random(2), source, 9, 12, lambda _: [(5, 3)], lambda a, b: (a + b) % 4 != 1
        )
        assert (3, 5) in sketch.pairs
        assert all((a + b) % 4 != 1 for a, b in sketch.pairs)


def test_what_leads_downhill_never_leads_back() -> None:
    sketch = _drawing.sketched(Random(4), "random", 15, 50)
    arcs = _drawing.downhill(Random(5), sketch)
    assert {frozenset(arc) for arc in arcs} == {frozenset(pair) for pair in sketch.pairs}
    left = set(range(15))
    while left:
        ends = left - {a for a, b in arcs if b in left}
        assert ends
        left -= ends


def test_every_encoding_says_which_number_is_on_which_edge() -> None:
    assert get_args(Encoding) == tuple(_wording.ENCODINGS)
    edges = ((0, 2, 7), (2, 1, 4))
    said = {
        "edge_list": "0->2 = 7, 2->1 = 4",
        "adjacency_list": "0: 2 (7)\n1: no node\n2: 1 (4)",
        "adjacency_matrix": "0 0 7\n0 0 0\n0 4 0",
        "prose": "Node 0 leads to node 2 (cost 7). Node 2 leads to node 1 (cost 4).",
        "dot": "digraph G {\n  0 -> 2 [cost=7];\n  2 -> 1 [cost=4];\n}",
        "graphml": '  <edge source="0" target="2" cost="7"/>\n'
        '  <edge source="2" target="1" cost="4"/>',
        "json": '"nodes": [0, 1, 2], "edges": [[0, 2, 7], [2, 1, 4]]',
        "picture": "The number on an edge is its cost.\n<image>",
    }
    assert said.keys() == _wording.ENCODINGS.keys()
    for encoding in _wording.ENCODINGS:
        graph = graph_of(edges, directed=True, encoding=encoding)
        assert said[encoding] in _wording.described(graph, "cost")


def test_every_encoding_names_a_node_without_edges() -> None:
    for encoding in _wording.ENCODINGS:
        graph = graph_of(((0, 3), (1, 3)), encoding=encoding)
        assert "4 nodes, numbered from 0 to 3" in _wording.described(graph)
    lonely = graph_of(((0, 3), (1, 3)), encoding="prose")
    assert "No edge has 2 at an end." in _wording.described(lonely)
    lonely = graph_of(((0, 3), (1, 3)), encoding="dot")
    assert "\n  2;\n" in _wording.described(lonely)
