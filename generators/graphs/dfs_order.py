"""Depth-first order: nodes in an order in which a depth-first search can first visit them.

The search may go on to any unvisited neighbour, so `verify` keeps the way back that the answer
would have led to, and sees whether each next node of the answer can be the next visit.
"""

from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import results_derived
from puzzlemill.generators.graphs import _graph, _visits, _wording
from puzzlemill.generators.graphs._either_way import Knobs
from puzzlemill.generators.graphs._graph import Graph


def generate(rng: Random, knobs: Knobs) -> Graph | None:
    return _visits.drawn(rng, knobs)


def solve(graph: Graph) -> tuple[str, ...]:
    """By networkx."""
    import networkx

    return tuple(networkx.dfs_preorder_nodes(_graph.in_networkx(graph), graph.asked[0]))


def verify(graph: Graph, order: tuple[str, ...]) -> float:
    """Go back only from a node that leads to no unvisited one, and no further than must be."""
    if not _visits.whole(graph, order):
        return 0.0
    there, seen, way = _graph.beside(graph), {order[0]}, [order[0]]
    for node in order[1:]:
        while there[way[-1]].keys() <= seen:
            way.pop()
        if node not in there[way[-1]]:
            return 0.0
        way.append(node)
        seen.add(node)
    return 1.0


def recheck(graph: Graph, order: tuple[str, ...]) -> bool:
    """Before each visit, the last visited node that leads to any of those to come must lead to the
    one that comes next."""
    if not _visits.whole_in_networkx(graph, order):
        return False
    known = _graph.in_networkx(graph)
    for place in range(1, len(order)):
        to_come = set(order[place:])
        last = next(node for node in reversed(order[:place]) if to_come & set(known[node]))
        if not known.has_edge(last, order[place]):
            return False
    return True


def render(graph: Graph, style: Style) -> Prompt:
    start = _wording.node(graph, graph.asked[0])
    unvisited = (
        "an unvisited node that an edge leads to from there"
        if graph.directed
        else "an unvisited neighbour of that node"
    )
    ways = "edges in their directions" if graph.directed else "edges"
    only = " Nodes that cannot be reached are left out." if graph.directed else ""
    return _wording.posed(
        graph,
        style,
        "the nodes in the order of their first visits, separated by commas",
        f"A depth-first search begins with a visit to {start}. From the node where it is, it goes"
        f" on to {unvisited}, to any one if there are several, and visits it. If there is none, it"
        " goes back to the node from which it first came, and tries again from there. It"
        f" ends when it would have to go back from {start}. Give an order in which it can visit the"
        f" nodes for the first time; any possible one will do.{only}",
        f"Explore the graph below depth first, from {start}, along {ways}. From the node"
        f" where you are, go to {unvisited}, to any one if there are several. If there is none, go"
        " back by the edge by which you first came, no further than to the first node from which"
        " you can go on. In which order do you visit the nodes, counting first visits only?"
        f" Any order that can come about in this way is right.{only}",
        f'"To explore a node" means: write it down; then, as long as there is {unvisited}, explore'
        " one of them, whichever you like, before you look for the next. A node is visited as soon"
        f" as it is written down. Explore {start}. What have you written in the end? This is an"
        f" order of depth-first search, and any possible one will do.{only}",
    )


def steps(graph: Graph) -> list[str]:
    """Each run of visits without a step back, and from where it began."""
    there, order = _graph.beside(graph), solve(graph)
    seen, way, runs = {order[0]}, [order[0]], [[order[0]]]
    for node in order[1:]:
        if there[way[-1]].keys() <= seen:
            while there[way[-1]].keys() <= seen:
                way.pop()
            runs.append([way[-1]])
        runs[-1].append(node)
        way.append(node)
        seen.add(node)
    names = [[_wording.title(graph, node) for node in run] for run in runs]
    return [
        f"{'back to' if count else 'from'} {run[0]}: {' '.join(run[1:])}"
        for count, run in enumerate(names)
    ]


def progress(graph: Graph, lines: Lines) -> float:
    return results_derived(FAMILY, graph, lines, ":", bags=True)


LADDER = (
    Knobs(8, 3.0, False, "random", "edge_list", "numbers"),
    Knobs(12, 3.6, True, "any", "any", "any"),
    Knobs(18, 3.6, False, "any", "any", "any"),
    Knobs(28, 4.0, True, "any", "any", "any"),
    Knobs(40, 4.4, False, "any", "any", "any"),
)
FAMILY = Family(
    Graph,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(items="nodes", reorders=True),
    recheck=recheck,
    hardness=_graph.size,
    solver="networkx",
    guess_rate=0.02,
    steps=steps,
    progress=progress,
    canon=_graph.canon,
    kin=_graph.kin,
    known=_graph.known,
    redraws=_graph.layout,
    skills=("graphs", "search"),
    peers=("G1/dfs", "CLRS-Text/dfs"),
    version=5,
)
