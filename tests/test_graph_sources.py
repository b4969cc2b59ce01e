"""Where graphs come from: a user's own files, pieces of real graphs, and splits by graph."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import puzzlemill as pm
from puzzlemill.core.errors import UserError
from puzzlemill.generators.graphs import _drawing, _graph, _naming, _sources, _wording
from puzzlemill.generators.graphs._drawing import Knobs

LATTICE = [(f"s{a}", f"s{b}") for a in range(40) for b in (a + 1, a + 7) if b < 40]


def test_a_users_own_graph_is_a_source_as_text_and_as_parquet(tmp_path: Path) -> None:
    text, table = tmp_path / "web.tsv", tmp_path / "web.parquet"
    text.write_text("# from to\n" + "".join(f"{a}\t{b}\n" for a, b in LATTICE))
    columns = [list(column) for column in zip(*LATTICE)]
    pq.write_table(pa.table({"from": columns[0], "to": columns[1], "seen": columns[0]}), table)
    degrees = set()
    for path in (text, table):
        item = pm.generate("common_neighbours", n=3, knobs={"source": str(path)})[2]
        assert item.certificate
        assert item.puzzle.source.startswith(f"{path}@")
        degrees.add(str(_graph.kin(item.puzzle)))
        again = pm.generate("common_neighbours", n=3, knobs={"source": item.puzzle.source})[2]
        assert again == item
    assert len(degrees) == 2  # the digest is part of the address


def test_a_graph_that_has_changed_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "web.csv"
    path.write_text("".join(f"{a},{b}\n" for a, b in LATTICE))
    items = pm.generate("common_neighbours", n=3, knobs={"source": str(path)})
    name = items[0].puzzle.source
    path.write_text(path.read_text() + "s0,s39\n")
    with pytest.raises(UserError, match="bring the old file back"):
        pm.generate("common_neighbours", knobs={"source": name})


@pytest.mark.parametrize(
    ("content", "said"),
    [("a b\na\n", "line 2: an edge is two nodes"), ("# nothing\n", "holds no edges")],
)
def test_a_file_that_is_no_list_of_edges_is_told(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "web.txt"
    path.write_text(content)
    with pytest.raises(UserError, match=said):
        pm.generate("common_neighbours", knobs={"source": str(path)})
    with pytest.raises(UserError, match=r"no file of edges 'karte'.*karate"):
        pm.generate("common_neighbours", knobs={"source": "karte"})


@pytest.mark.parametrize("source", [*_sources.SHAPES, *_sources.REAL])
def test_every_source_gives_a_simple_connected_graph(source: str) -> None:
    for seed in range(20):
        nodes = 7 + seed
        sketch = _drawing.sketched(Random(seed), source, nodes, nodes + 3)
        edges = {(min(pair), max(pair)) for pair in sketch.pairs}
        assert len(edges) == len(sketch.pairs)
        assert all(0 <= a < b < sketch.nodes for a, b in edges)
        assert len(_drawing.spanning(sketch.nodes, edges)) == sketch.nodes - 1
        if source in _sources.SHAPES:
            assert sketch.nodes == nodes
        if source == "bipartite":
            assert all((a + b) % 2 for a, b in edges)


def of_list(told: str) -> list[tuple[str, ...]]:
    return re.findall(r"(\w+)->?(\w+)(?: = (\d+))?", told.partition(": ")[2])


def of_neighbours(told: str) -> list[tuple[str, ...]]:
    lines = (line.split(": ") for line in told.splitlines()[1:])
    return [
        (node, *end)
        for node, others in lines
        for end in re.findall(r"(\w+)(?: \((\d+)\))?", others.replace("no node", ""))
    ]


def of_matrix(told: str, nodes: list[str]) -> list[tuple[str, ...]]:
    rows = [line.split() for line in told.splitlines()[1:]]
    return [
        (nodes[row], nodes[column], entry)
        for row, entries in enumerate(rows)
        for column, entry in enumerate(entries)
        if entry != "0"
    ]


def of_prose(told: str) -> list[tuple[str, ...]]:
    verbs = "is joined to|leads to|is a friend of|follows|to"
    sentence = rf"(?:Node |Roads join |roads lead from )?(\w+) (?:{verbs}) ([^.]+)\."
    end = r"(?:node )?(\w+)(?: \(length (\d+)\))?(?:, | and |$)"
    told = told[told.index(". ") + 2 :] if "edge." in told or "An edge" in told else told
    return [
        (node, *found)
        for node, others in re.findall(sentence, told)
        for found in re.findall(end, others)
    ]


def of_json(told: str) -> list[tuple[str, ...]]:
    edges = json.loads(told.partition("\n")[2])["edges"]
    return [tuple(map(str, edge)) for edge in edges]


READERS: dict[str, Callable[[str], list[tuple[str, ...]]]] = {
    "edge_list": of_list,
    "adjacency_list": of_neighbours,
    "prose": of_prose,
    "dot": lambda told: re.findall(r"  (\w+) -[->] (\w+)(?: \[length=(\d+)\])?;", told),
    "graphml": lambda told: re.findall(
        r'source="(\w+)" target="(\w+)"(?: length="(\d+)")?/>', told
    ),
    "json": of_json,
}


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("heaviest", [0, 9])
@pytest.mark.parametrize("encoding", [it for it in _wording.ENCODINGS if it != "picture"])
def test_the_graph_can_be_read_back_from_its_wording(
    directed: bool, heaviest: int, encoding: str
) -> None:
    for seed, naming in enumerate(_naming.WAYS):
        knobs = Knobs(11, 3.0, "any", encoding, naming)
        graph = _drawing.drawn(Random(seed), knobs, 1, heaviest, directed)
        told = _wording.described(graph, "length").partition("\n")[2]
        names = {_naming.shown(node, naming): node for node in graph.nodes}
        found = READERS[encoding](told) if encoding in READERS else of_matrix(told, list(names))
        weights = graph.weights or [""] * len(graph.edges)
        wanted = {(*edge, str(weight)) for edge, weight in zip(graph.edges, weights)}
        if not directed:
            wanted |= {(b, a, weight) for a, b, weight in wanted}
        said = {(names[a], names[b], *(rest if heaviest else [""])) for a, b, *rest in found}
        said |= set() if directed else {(b, a, weight) for a, b, weight in said}
        assert said == wanted, told


def test_no_graph_is_in_two_splits_whatever_is_asked_about_it() -> None:
    shapes: dict[str, set[str]] = {}
    for split in ("train", "test"):
        items = pm.generate("common_neighbours", level=0, n=150, split=split)
        shapes[split] = {str(_graph.kin(item.puzzle)) for item in items}
    assert not shapes["train"] & shapes["test"]
