"""PageRank: which node has the most weight after some rounds of passing it on?

`solve` goes through the rounds in exact fractions; `verify` adds up what walks of every length
bring to each node. The draw makes sure that the greatest is clearly greater than the next.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.graphs import _drawing, _graph, _wording
from puzzlemill.generators.graphs._drawing import Sketch
from puzzlemill.generators.graphs._graph import Graph
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._wording import AnyEncoding, title

MARGIN = Fraction(1, 50)  # by which, at least, the greatest exceeds the next, as a share of it
TRIES = 6  # ways to direct the edges, of a graph


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # of the graph; a small real graph may have fewer
    degree: float  # pairs with an edge at a node, on average
    rounds: int  # of passing weight on
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    """In most graphs a node other than the greatest has as many edges leading to it."""
    pairs = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, pairs)
    numbers = [knobs.rounds, rng.choice([50, 60, 70, 80, 85, 90])]
    for _ in range(TRIES):
        arcs = _without_ends(rng, sketch)
        graph = _drawing.dressed(rng, knobs, sketch, arcs, directed=True, numbers=numbers)
        rank = _rounds(graph)[-1]
        second, first = sorted(rank.values())[-2:]
        if first - second >= MARGIN * first and (not _plain(graph) or rng.random() < 0.2):
            return graph
    return None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(graph: Graph) -> str:
    rank = _rounds(graph)[-1]
    return max(rank, key=rank.__getitem__)


def verify(graph: Graph, node: str) -> float:
    """Weight that was let go of so many rounds ago has walked so many edges since."""
    rounds, percent = graph.numbers
    there, keeps = _graph.beside(graph), Fraction(percent, 100)
    walked = dict.fromkeys(graph.nodes, Fraction(1))
    total = dict.fromkeys(graph.nodes, Fraction(0))
    for done in range(rounds + 1):
        share = keeps**done * (1 if done == rounds else 1 - keeps)
        total = {each: total[each] + share * walked[each] for each in graph.nodes}
        passed = dict.fromkeys(graph.nodes, Fraction(0))
        for each in graph.nodes:
            for other in there[each]:
                passed[other] += walked[each] / len(there[each])
        walked = passed
    return float(node in total and total[node] == max(total.values()))


def render(graph: Graph, style: Style) -> Prompt:
    rounds, percent = graph.numbers
    count = len(graph.nodes)
    keeps, rest = f"{percent / 100:g}", f"{(100 - percent) / 100:g}"
    many = f"{rounds} rounds" if rounds > 1 else "one round"
    return _wording.posed(
        graph,
        style,
        "the name of one node",
        f"The PageRank of every node is 1/{count} at first. In a round all nodes get a new value at"
        f" once: {rest}/{count} plus {keeps} times the sum, over all nodes u with an edge to the"
        " node, of the old value of u divided by the number of edges that leave u. Which node has"
        f" the greatest value after {many}?",
        f"Find the node with the highest PageRank after {many} with damping factor {keeps}. All"
        f" {count} nodes start with 1/{count}. In each round every node divides {keeps} times its"
        " value evenly among the nodes that its edges lead to, and its new value is what it gets"
        f" from others plus {rest}/{count}.",
        "A great many visitors start on this graph, the same"
        " number at each node, and all move at the same time, once in each round. Of those at a"
        f" node, a share of {keeps} goes on along the edges that leave it, the same number along"
        f" each; the other {rest} are spread evenly over all {count} nodes. At which node are the"
        f" most visitors after {many}?",
    )


def steps(graph: Graph) -> list[str]:
    """The values after each round, times the number of nodes, to four places."""
    count = len(graph.nodes)
    lines = []
    for done, rank in enumerate(_rounds(graph)[1:], 1):
        told = ", ".join(f"{title(graph, it)} {float(rank[it] * count):.4f}" for it in graph.nodes)
        lines.append(f"round {done}, in units of 1/{count}: {told}")
    return [*lines, f"the greatest: {title(graph, solve(graph))}"]


def progress(graph: Graph, lines: Lines) -> float:
    return states_followed(FAMILY, graph, lines)


def work(graph: Graph) -> float:
    return _graph.size(graph) * graph.numbers[0]


@lru_cache(maxsize=2)
def _rounds(graph: Graph) -> list[dict[str, Fraction]]:
    """The value of each node at the start and after every round."""
    rounds, percent = graph.numbers
    before, there, count = _graph.behind(graph), _graph.beside(graph), len(graph.nodes)
    keeps = Fraction(percent, 100)
    found = [dict.fromkeys(graph.nodes, Fraction(1, count))]
    for _ in range(rounds):
        sent = {node: value / len(there[node]) for node, value in found[-1].items()}
        found.append(
            {
                node: (1 - keeps) / count + keeps * sum(sent[it] for it in before[node])
                for node in graph.nodes
            }
        )
    return found


def _plain(graph: Graph) -> bool:
    """Whether one node has more edges leading to it than any other, and is the greatest."""
    before = _graph.behind(graph)
    greatest = solve(graph)
    return all(
        len(before[node]) < len(before[greatest]) for node in graph.nodes if node != greatest
    )


def _without_ends(rng: Random, sketch: Sketch) -> list[Pair]:
    """Directions by which at least one edge leaves each node."""
    arcs = _drawing.arcs(rng, sketch.pairs)
    left = {start for start, _ in arcs}
    for a, b in rng.sample(sketch.pairs, len(sketch.pairs)):
        for here, there in ((a, b), (b, a)):
            if here not in left:
                left.add(here)
                arcs.append((here, there))
    return arcs


LADDER = (
    Knobs(7, 2.6, 1, "random", "edge_list", "numbers"),
    Knobs(9, 3.0, 2, "any", "any", "any"),
    Knobs(13, 3.4, 2, "any", "any", "any"),
    Knobs(18, 3.8, 3, "any", "any", "any"),
    Knobs(26, 4.2, 4, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Node(),
    hardness=work,
    proof="unique",
    solver="round by round",
    guess_rate=0.2,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "arithmetic"),
    version=2,
)
