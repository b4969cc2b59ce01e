"""Graphs with known answers, and the canonical form, which the contract cannot see."""

from random import Random
from typing import get_args

import pytest

from puzzlemill.core.answers import IMPOSSIBLE
from puzzlemill.generators.graphs import (
    _graph,
    _wording,
    graph_colouring,
    hamiltonian_path,
    max_flow,
    shortest_path,
)
from puzzlemill.generators.graphs._canonical import canonical

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


def test_the_petersen_graph_has_a_hamiltonian_path_and_three_colours() -> None:
    graph = hamiltonian_path.Graph(10, PETERSEN, "edge_list")
    assert hamiltonian_path.verify(graph, (0, 1, 2, 3, 4, 9, 6, 8, 5, 7)) == 1
    assert hamiltonian_path.verify(graph, IMPOSSIBLE) == 0
    for colours, possible in ((2, False), (3, True)):
        chart = graph_colouring.Graph(10, PETERSEN, colours, "edge_list")
        assert (graph_colouring.solve(chart) != IMPOSSIBLE) is possible
        assert graph_colouring.verify(chart, IMPOSSIBLE) == (not possible)


def test_graphs_known_to_be_impossible_are() -> None:
    lopsided = hamiltonian_path.Graph(8, LOPSIDED, "edge_list")
    assert hamiltonian_path.solve(lopsided) == IMPOSSIBLE
    assert hamiltonian_path.verify(lopsided, IMPOSSIBLE) == 1
    for colours in (3, 4):
        groetzsch = graph_colouring.Graph(11, GROETZSCH, colours, "edge_list")
        assert (graph_colouring.solve(groetzsch) == IMPOSSIBLE) is (colours == 3)
        assert graph_colouring.verify(groetzsch, IMPOSSIBLE) == (colours == 3)


def test_two_tied_shortest_paths_are_both_right() -> None:
    edges = ((0, 1, 1), (1, 3, 3), (0, 2, 2), (2, 3, 2), (0, 3, 5))
    roads = shortest_path.Roads(4, edges, False, 0, 3, "edge_list")
    scores = [shortest_path.verify(roads, path) for path in ((0, 1, 3), (0, 2, 3), (0, 3))]
    assert scores == [1, 1, 0]


def test_a_flow_goes_back_on_itself_to_be_greatest() -> None:
    # Both units must avoid 1 -> 2, which the first shortest way out of 0 could take.
    edges = ((0, 1, 1), (0, 2, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1))
    network = max_flow.Network(4, edges, 0, 3, "edge_list")
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
        names = rng.sample(range(11), 11)
        renamed = tuple((names[a], names[b]) for a, b in edges)
        marks = [0] * 11
        marks[names[4]] = 1
        same = canonical(11, renamed, directed, marks)
        assert same == canonical(11, edges, directed, [0, 0, 0, 0, 1])
        assert same != canonical(11, edges, directed)


def test_every_source_draws_a_connected_graph_of_the_size_asked_for() -> None:
    assert get_args(_graph.Source) == tuple(_graph.SOURCES)
    for source in _graph.SOURCES:
        for nodes in (3, 7, 20):
            pairs = _graph.draw(Random(nodes), source, nodes, nodes)
            assert len(set(pairs)) == len(pairs) == nodes
            assert len(_graph.spanning(nodes, pairs)) == nodes - 1


def test_every_encoding_says_which_number_is_on_which_edge() -> None:
    assert get_args(_wording.Encoding) == tuple(_wording.ENCODINGS)
    edges = ((0, 2, 7), (2, 1, 4))
    said = {
        "edge_list": "0->2 = 7, 2->1 = 4",
        "adjacency_list": "0: 2 (7)\n1: no node\n2: 1 (4)",
        "adjacency_matrix": "0 0 7\n0 0 0\n0 4 0",
        "prose": "Node 0 leads to node 2 (cost 7). Node 1 leads to no node."
        " Node 2 leads to node 1 (cost 4).",
    }
    for encoding in _wording.ENCODINGS:
        assert said[encoding] in _wording.describe(3, edges, encoding, True, "cost")
