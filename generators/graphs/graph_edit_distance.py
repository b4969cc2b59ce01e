"""Graph edit distance: the fewest edges to add or take away that make one graph the other.

`solve` matches node after node and gives up where there are more differences than in the best
match; `verify` tries all matches at once, as arrays.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, permutations
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._bits import members
from puzzlemill.generators.graphs import _drawing, _graph, _two_graphs, _wording
from puzzlemill.generators.graphs._naming import AnyNaming
from puzzlemill.generators.graphs._sources import Pair, Source
from puzzlemill.generators.graphs._two_graphs import TwoGraphs
from puzzlemill.generators.graphs._wording import AnyEncoding


@dataclass(frozen=True, slots=True)
class Knobs:
    nodes: int  # eight at most: of more there would be too many matches
    degree: float  # edges at a node, on average; of a real graph some are left out
    edits: int  # at most
    source: Source
    encoding: AnyEncoding
    naming: AnyNaming


def generate(rng: Random, knobs: Knobs) -> TwoGraphs | None:
    """The second graph is the first with some edges changed; it may be that less would have done.
    Both hang together."""
    edges = _drawing.edge_count(knobs.nodes, knobs.degree)
    sketch = _drawing.sketched(rng, knobs.source, knobs.nodes, edges)
    pairs = sketch.pairs[:edges]
    theirs = _changed(rng, sketch.nodes, pairs, rng.randint(1, knobs.edits))
    return _two_graphs.dressed(rng, knobs, sketch.source, pairs, theirs)


def solve(two: TwoGraphs) -> int:
    return _matched(two)[0]


def verify(two: TwoGraphs, count: int) -> float:
    return float(count == _least(two))


def render(two: TwoGraphs, style: Style) -> Prompt:
    prompt = _two_graphs.posed(
        two,
        style,
        "By adding edges to the first graph and taking edges away, turn it into the second graph;"
        " what the nodes are called does not matter, but their number stays the same. What is the"
        " least number of edges that must be added or taken away, all counted together?",
        "What is the edit distance of the two graphs below? One edit adds an edge between two nodes"
        " or removes an edge. The distance is the least number of edits after which the first graph"
        " is the same as the second up to the names of the nodes.",
        "Match the nodes of the two graphs, one to one, so that as few pairs of nodes as possible"
        " are joined by an edge in one graph while their partners are not joined in the other. What"
        " is the least number of such pairs? (That many edges must be added or removed to make the"
        " graphs the same but for the names of their nodes.)",
    )
    return replace(prompt, form="one integer")


def steps(two: TwoGraphs) -> list[str]:
    """A best match, and what it leaves to do."""
    one, other = _two_graphs.first(two), _two_graphs.second(two)
    count, image = _matched(two)
    told = ", ".join(
        f"{_wording.title(one, a)} = {_wording.title(other, b)}" for a, b in image.items()
    )
    joined, theirs = (set(map(frozenset, it)) for it in (two.edges, two.their_edges))
    back = {b: a for a, b in image.items()}
    removed = [edge for edge in two.edges if frozenset(map(image.__getitem__, edge)) not in theirs]
    added = [
        edge for edge in two.their_edges if frozenset(map(back.__getitem__, edge)) not in joined
    ]
    lines = [f"match: {told}"]
    if removed:
        lines.append(
            "remove "
            + ", ".join("-".join(_wording.title(one, it) for it in edge) for edge in removed)
        )
    if added:
        lines.append(
            "add "
            + ", ".join("-".join(_wording.title(one, back[it]) for it in edge) for edge in added)
        )
    return [*lines, f"in all: {count}; a search finds no better match"]


def canon(two: TwoGraphs) -> Any:
    """Either graph may be the first."""
    return sorted(_two_graphs.canon(two), key=str)


def size(two: TwoGraphs) -> float:
    return float(len(two.nodes) * len(two.edges))


def _changed(rng: Random, nodes: int, pairs: list[Pair], edits: int) -> list[Pair]:
    """So many pairs are joined or parted, none of them twice, and no node is cut off."""
    changed, tried = list(pairs), list(combinations(range(nodes), 2))
    rng.shuffle(tried)
    for pair in tried:
        if not edits:
            break
        flipped = [it for it in changed if it != pair] if pair in changed else [*changed, pair]
        if len(_drawing.spanning(nodes, flipped)) == nodes - 1:
            changed = flipped
            edits -= 1
    return changed


@lru_cache(maxsize=1024)
def _matched(two: TwoGraphs) -> tuple[int, dict[str, str]]:
    """The fewest differences and the match that has them.

    Whether their number is even is the same for every match, so a better one has two less.
    """
    there = _graph.beside(_two_graphs.first(two))
    theirs = _graph.beside(_two_graphs.second(two))
    order = sorted(there, key=lambda it: -len(there[it]))
    degrees = [len(there[it]) for it in order]
    ends = {it: len(others) for it, others in theirs.items()}
    image = dict[str, str]()
    best, best_image = len(two.edges) + len(two.their_edges) + 2, image
    # Bit i is for node i of the order: whether it is beside a node, or matched beside a spot.
    near = [sum(1 << i for i in range(at) if order[i] in there[it]) for at, it in enumerate(order)]
    seen, free = dict.fromkeys(theirs, 0), set(theirs)

    def match(at: int, differences: int, excess: list[int], inner: int) -> None:
        """How many edges more the first graph has than the second: `excess`, from each matched node
        to those without a match; `inner`, between these."""
        nonlocal best, best_image
        if at == len(order):
            best, best_image = differences, dict(image)
            return
        node, joined = order[at], near[at]
        uneven = sum(map(abs, excess))
        onward = degrees[at] - joined.bit_count()
        for more, met, spot in sorted(
            [((joined ^ seen[it]).bit_count(), seen[it].bit_count(), it) for it in free]
        ):
            if differences + more > best - 2:
                break
            own = onward - ends[spot] + met
            least = differences + abs(own) + abs(inner - own)
            if least + max(more, uneven) > best - 2:
                continue
            taken, left = seen[spot], excess
            if more:
                left = excess[:]
                for i in members(joined ^ taken):
                    left[i] += 1 if taken >> i & 1 else -1
                if least + more + sum(map(abs, left)) > best - 2:
                    continue
            image[node] = spot
            free.remove(spot)
            for other in theirs[spot]:
                seen[other] ^= 1 << at
            match(at + 1, differences + more, [*left, own], inner - own)
            for other in theirs[spot]:
                seen[other] ^= 1 << at
            free.add(spot)
            del image[node]

    match(0, 0, [], len(two.edges) - len(two.their_edges))
    return best, best_image


@lru_cache(maxsize=1024)
def _least(two: TwoGraphs) -> int:
    import numpy

    def joined(nodes: tuple[str, ...], edges: tuple[tuple[str, str], ...]) -> bytes:
        known = set(map(frozenset, edges))
        return bytes([frozenset(pair) in known for pair in combinations(nodes, 2)])

    # What the graphs have in common need be neither added nor taken away.
    theirs = joined(two.their_nodes, two.their_edges).ljust(256, b"\0")
    images = _images(len(two.nodes))
    common: Any = numpy.uint8(0)  # by match
    for pair, ours in enumerate(joined(two.nodes, two.edges)):
        if ours:
            common = common + numpy.frombuffer(images[pair].translate(theirs), numpy.uint8)
    return len(two.edges) + len(two.their_edges) - 2 * int(common.max())


@cache
def _images(count: int) -> list[bytes]:
    """For each pair of nodes the pair that it goes to, a byte for each match."""
    import numpy

    orders = numpy.array(list(permutations(range(count)))).T
    number = numpy.zeros((count, count), dtype=numpy.uint8)
    for at, (a, b) in enumerate(combinations(range(count), 2)):
        number[a, b] = number[b, a] = at
    return [number[orders[a], orders[b]].tobytes() for a, b in combinations(range(count), 2)]


LADDER = (
    Knobs(7, 2.5, 4, "random", "edge_list", "numbers"),
    Knobs(8, 2.6, 5, "any", "any", "any"),
    Knobs(8, 2.9, 6, "any", "any", "any"),
    Knobs(8, 3.2, 8, "any", "any", "any"),
    Knobs(8, 3.5, 10, "any", "any", "any"),
)
FAMILY = Family(
    TwoGraphs,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=size,
    proof="unique",
    solver="branch and bound",
    guess_rate=0.4,
    steps=steps,
    canon=canon,
    redraws=_graph.layout,
    skills=("graphs", "optimisation"),
    version=2,
)
