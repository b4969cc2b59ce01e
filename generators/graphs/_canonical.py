"""The canonical form of a graph: two graphs share it if, and only if, they differ in names alone.

Nodes are told apart by refinement: a node's class is split by the classes of its neighbours until
nothing changes. Where nodes stay alike, each of them in turn is set apart and the refinement goes
on, and the least of all namings found that way is the form. A graph too symmetric for that keeps
its own names: the search grows with the symmetry alone, so renamed copies give up alike, and a form
never stands for two different graphs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Edges = Sequence[tuple[int, ...]]  # (a, b), or (a, b, number); from a to b where directed

Form = tuple[tuple[int, ...], ...]  # the edges by the new names of their nodes, in order

REFINEMENTS = 150  # at most, for one graph; most need one

# By node and neighbour, what joins them: the rank of their edges among those of all pairs, times
# the count of nodes, so that a class can be added.
Links = list[dict[int, int]]


@dataclass(slots=True)
class Search:
    refinements: int  # as many as there are without a look at symmetries
    namings: dict[Form, list[int]]  # that were found, one for each form
    symmetries: list[list[int]]  # what each node becomes; they keep the classes as they are


def canonical(nodes: int, edges: Edges, directed: bool = False, marks: Sequence[int] = ()) -> Any:
    """Plain data for a graph up to renaming. `marks` are the numbers that nodes bear, 0 if none."""
    links = _links(nodes, edges, directed)
    same = not any(any(row.values()) for row in links)  # all links are of one kind
    marked = [*marks, *[0] * (nodes - len(marks))]

    def descend(classes: list[int], apart: int | None = None) -> list[list[int]]:
        """The classes refined, those after the first of a class is set apart, and so on to a
        naming."""
        path = [_refined(links, same, classes, apart)]
        while alike := _smallest_class(path[-1]):
            path.append(_refined(links, same, _set_apart(path[-1], alike[0]), alike[0]))
        return path

    def form(named: Sequence[int]) -> Form:
        return _form(named, edges, directed)

    search = _searched(links, descend(_ranks(marked)), descend, form)
    if search.refinements > REFINEMENTS:
        return ["named", marked, form(range(nodes))]
    return [sorted(marked), min(search.namings)]  # the first classes are those of the marks


def _searched(
    links: Links,
    path: list[list[int]],
    descend: Callable[[list[int], int], list[list[int]]],
    form: Callable[[Sequence[int]], Form],
) -> Search:
    """The search from the first classes of a path to a naming.

    Two namings with one form differ by a symmetry, and branches that a symmetry makes one of the
    other take as many refinements to the same forms: only one of them is gone through.
    """
    alike = _smallest_class(path[0])
    if not alike:
        return Search(1, {form(path[0]): path[0]}, [])
    whole, branches, branch_of = Search(1, {}, []), dict[int, int](), dict[Form, int]()
    for node in _unlike(links, alike):
        twin = next((it for it in _orbit(node, whole.symmetries) if it in branches), None)
        if twin is None:
            below = descend(_set_apart(path[0], node), node) if branches else path[1:]
            named = below[-1]
            twin = branch_of.get(reached := form(named))
            if twin is None:
                branch = _searched(links, below, descend, form)
                branches[node] = branch.refinements
                branch_of |= dict.fromkeys(branch.namings, node)
                whole.namings.update(branch.namings)
                whole.symmetries.extend(branch.symmetries)
            else:
                other = {name: at for at, name in enumerate(whole.namings[reached])}
                whole.symmetries.append([other[name] for name in named])
        if twin is not None:
            branches[node] = branches[twin]
        whole.refinements += branches[node]
        if whole.refinements > REFINEMENTS:
            break
    return whole


def _orbit(node: int, symmetries: Sequence[list[int]]) -> list[int]:
    """The nodes that the symmetries make of a node."""
    orbit = [node]
    for each in orbit:
        orbit += {symmetry[each] for symmetry in symmetries}.difference(orbit)
    return orbit


def _set_apart(classes: list[int], node: int) -> list[int]:
    """The classes with a node before the others of its own."""
    own = classes[node]
    apart = [name + (name >= own) for name in classes]
    apart[node] = own
    return apart


def _links(nodes: int, edges: Edges, directed: bool) -> Links:
    if not directed and all(len(edge) == 2 for edge in edges):
        alike: Links = [{} for _ in range(nodes)]
        for a, b in edges:
            alike[a][b] = alike[b][a] = 0
        if sum(map(len, alike)) == 2 * len(edges):
            return alike  # one edge at most joins two nodes, and all are of one kind
    found: list[dict[int, tuple[tuple[int, ...], ...]]] = [{} for _ in range(nodes)]
    ahead, back = (1, 2) if directed else (0, 0)
    for a, b, *rest in edges:
        row, kind = found[a], (ahead, *rest)
        row[b] = (*row[b], kind) if b in row else (kind,)
        row, kind = found[b], (back, *rest)
        row[a] = (*row[a], kind) if a in row else (kind,)
    for row in found:
        for b, kinds in row.items():
            if len(kinds) > 1:
                row[b] = tuple(sorted(kinds))
    different = sorted({kinds for row in found for kinds in row.values()})
    places = {kinds: place * nodes for place, kinds in enumerate(different)}
    return [{b: places[kinds] for b, kinds in row.items()} for row in found]


def _refined(links: Links, same: bool, classes: list[int], apart: int | None = None) -> list[int]:
    """The classes split by those of the neighbours, until that splits none of them any further.

    A class keeps its place before all later ones, so that only its own nodes are compared; and only
    where a class beside it was split just now, as at first by the node set apart, if one was.
    """
    cells = list(_members(classes).values())
    if same and len(cells) == 1:  # the first signs are as many zeros as a node has links
        classes = _ranks([len(row) for row in links])
        cells = list(_members(classes).values())
        if len(cells) == 1:
            return classes
    beside = set(classes) if apart is None else {classes[other] for other in links[apart]}
    while beside and len(cells) < len(classes):  # not all are told apart
        class_of, finer, moved = classes.__getitem__, list[list[int]](), list[int]()
        for name, cell in enumerate(cells):
            if len(cell) == 1 or name not in beside:
                finer.append(cell)
                continue
            parts: dict[tuple[int, ...], list[int]] = {}
            for node in cell:
                row = links[node]
                sign = (
                    sorted(map(class_of, row))
                    if same
                    else sorted([kinds + classes[other] for other, kinds in row.items()])
                )
                parts.setdefault(tuple(sign), []).append(node)
            if len(parts) > 1:
                finer += [parts[sign] for sign in sorted(parts)]
                moved += cell
            else:
                finer.append(cell)
        if not moved:
            break
        cells, classes = finer, classes[:]
        for name, cell in enumerate(cells):
            for node in cell:
                classes[node] = name
        beside = {classes[other] for node in moved for other in links[node]}
    return classes


def _members(classes: Sequence[int]) -> dict[int, list[int]]:
    """The nodes of each class, the classes in order."""
    members: dict[int, list[int]] = {name: [] for name in range(max(classes, default=-1) + 1)}
    for node, name in enumerate(classes):
        members[name].append(node)
    return members


def _smallest_class(classes: list[int]) -> list[int]:
    """The nodes of the smallest class with more than one; none if all are told apart."""
    if max(classes, default=-1) + 1 == len(classes):
        return []
    members = _members(classes)
    several = [(len(group), name) for name, group in members.items() if len(group) > 1]
    return members[min(several)[1]] if several else []


def _unlike(links: Links, alike: Iterable[int]) -> list[int]:
    """One of each set of twins: to swap two twins changes nothing, so one stands for all."""
    kept: list[int] = []
    for node in alike:
        if not any(_twins(links, node, other) for other in kept):
            kept.append(node)
    return kept


def _twins(links: Links, one: int, two: int) -> bool:
    row, other = links[one], links[two]
    if len(row) != len(other) or row.get(two) != other.get(one):
        return False
    return all(node == two or other.get(node) == kinds for node, kinds in row.items())


def _ranks(values: Sequence[Any]) -> list[int]:
    """Each value's place among the different values."""
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]


def _form(named: Sequence[int], edges: Edges, directed: bool) -> Form:
    """The edges in order, each node by its new name, the lesser end first where either may be."""
    form: list[tuple[int, ...]] = []
    for a, b, *rest in edges:
        one, two = named[a], named[b]
        form.append((one, two, *rest) if directed or one < two else (two, one, *rest))
    return tuple(sorted(form))
