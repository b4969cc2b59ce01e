"""Lines of sight along a square of towers: what skyscrapers by number and by sum have in common.

Clues are four rows of numbers: above the columns, below them, left of the rows, right of them; 0
is no clue. A view is a line of cells, from the clue on.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from random import Random

from puzzlemill.generators import _cells, _sat
from puzzlemill.generators.grids import _latin
from puzzlemill.generators.grids._deduction import Narrow, Rule, Rules, Values

Clues = tuple[tuple[int, ...], ...]
Measure = Callable[[list[int]], int]  # from the heights of a view to its clue

# For each height a literal that says whether it is seen, and the clauses and bounds for that.
View = tuple[Mapping[int, int], Sequence[_sat.Clause], Sequence[_sat.Bound]]

REMEMBERED = 1 << 12  # views, for each clue: taking clues away leads to the same ones over and over

PLACES = ("above column", "below column", "left of row", "right of row")


@cache
def views(side: int) -> tuple[tuple[int, ...], ...]:
    """The cells of each view, in the order of the clues."""
    lines = _latin.line_cells(side)
    rows, columns = lines[:side], lines[side:]
    backwards = [[line[::-1] for line in way] for way in (columns, rows)]
    return (*columns, *backwards[0], *rows, *backwards[1])


def draw(
    rng: Random,
    side: int,
    shown: float,
    clued: float,
    suppositions: int,
    measure: Measure,
    narrow: Callable[[int, int], Narrow],
) -> tuple[list[int], list[int]]:
    """Givens and clues, 0 for none, of a puzzle that deduction and a few suppositions settle.

    A share of the clues is put down, then cells that they leave open; what can be spared again
    is taken away where suppositions are allowed.
    """
    full = _latin.square(rng, side)
    clues = [measure([full[cell] for cell in view]) for view in views(side)]
    for place in rng.sample(range(4 * side), round((1 - clued) * 4 * side)):
        clues[place] = 0
    givens = [0] * side**2
    settled = rules(side, clues, narrow)
    values = _latin.open_values(givens, side)
    settled.narrow(values)
    certain, least = list(values), shown * side**2
    for cell in rng.sample(range(side**2), side**2):
        if side**2 - givens.count(0) < least or values[cell] & (values[cell] - 1):
            givens[cell] = full[cell]
            values[cell] = 1 << full[cell]
            settled.narrow_around(values, cell)
    if suppositions:
        for kind, fewest in ((givens, least), (clues, 0.0)):
            for place in rng.sample(range(len(kind)), len(kind)):
                spared = kind[place]
                if not spared or len(kind) - kind.count(0) - 1 < fewest:
                    continue
                kind[place] = 0
                if kind is givens:  # what the clues say holds in every trial
                    values = list(certain)
                    cells = [cell for cell, height in enumerate(givens) if height]
                    fresh = settled.show(values, full, cells)
                    settles = settled.singles_out(values, full, suppositions, fresh)
                else:
                    values = _latin.open_values(givens, side)
                    fewer = rules(side, clues, narrow)
                    settles = fewer.singles_out(values, full, suppositions)
                if not settles:
                    kind[place] = spared
    return givens, clues


def rules(side: int, clues: list[int], narrow: Callable[[int, int], Narrow]) -> Rules:
    found = _latin.rules(side)
    for place, (clue, view) in enumerate(zip(clues, views(side), strict=True)):
        if clue:
            says = f"the {clue} {PLACES[place // side]} {place % side + 1}"
            found.add(Rule(view, narrow(side, clue), says))
    return found


def narrowing(side: int, clue: int, weights: tuple[int, ...]) -> Narrow:
    """Where each height adds its weight when it is seen, and the clue is the total.

    Forwards, for each cell and each greatest height before it, the totals there may be so far
    (bit t for t); backwards, those from which the clue can still be reached.
    """

    lower = [(1 << height) - 1 for height in range(side + 1)]  # than each height, as a set
    cap = (2 << clue) - 1

    @lru_cache(REMEMBERED)
    def narrowed(values: tuple[int, ...]) -> tuple[int, ...] | None:
        before: list[dict[int, int]] = [{0: 1}]
        for value in values:
            totals: dict[int, int] = {}
            for top, sums in before[-1].items():
                if value & lower[top]:
                    totals[top] = totals.get(top, 0) | sums
                for height in range(top + 1, value.bit_length()):
                    if value >> height & 1 and (add := sums << weights[height] & cap):
                        totals[height] = totals.get(height, 0) | add
            before.append(totals)
        left = {side: 1 << clue}
        found = []
        for value, sofar in zip(reversed(values), reversed(before[:-1])):
            kept, totals = 0, {}
            for top, sums in sofar.items():
                reaching = 0
                if value & lower[top] and (back := left.get(top, 0) & sums):
                    reaching = back
                    kept |= value & lower[top]
                for height in range(top + 1, value.bit_length()):
                    back = left.get(height, 0) >> weights[height] & sums
                    if value >> height & 1 and back:
                        reaching |= back
                        kept |= 1 << height
                if reaching:
                    totals[top] = reaching
            if not kept:
                return None
            found.append(kept)
            left = totals
        return tuple(found[::-1])

    def narrow(values: Values) -> Values | None:
        found = narrowed(tuple(values))
        return None if found is None else list(found)

    return narrow


def circuit(side: int) -> tuple[_sat.Circuit, Sequence[View]]:
    """A circuit that knows the heights of the cells, to say more about them, and the views from the
    places of clues."""
    blank, found = _viewed(side)
    return blank.copy(), found


@cache
def _viewed(side: int) -> tuple[_sat.Circuit, Sequence[View]]:
    blank, found = _latin.circuit(side), list[View]()
    for cell in range(side**2):
        _higher(blank, side, cell)  # which views have in common
    shared = len(blank.clauses)
    found += [_seen(blank, side, place) for place in range(4 * side)]
    assert len(blank.clauses) == shared, "a view adds to what all have in common"
    return blank, found


def highest_first(side: int, place: int) -> _sat.Clause:
    """The first tower is the highest, so that nothing else is seen."""
    return [_latin.variable(side, views(side)[place][0], side)]


def _seen(circuit: _sat.Circuit, side: int, place: int) -> View:
    """What is seen from the place of a clue."""
    seen = {height: circuit.variable(("seen", place, height)) for height in range(1, side + 1)}
    clauses, bounds = [[seen[side]]], list[_sat.Bound]()  # nothing hides the highest
    higher = [_higher(circuit, side, cell) for cell in views(side)[place]]
    for height in range(1, side):
        here = [_latin.variable(side, cell, height) for cell in views(side)[place]]
        hiding = [literals[height] for literals in higher]
        for at in range(side):
            clauses.append([-here[at], seen[height], *hiding[:at]])
            if at < side - 1:  # it is not seen behind a higher one
                bounds.append(([seen[height], hiding[at], *here[at + 1 :]], 2))
    return seen, clauses, bounds


def _higher(circuit: _sat.Circuit, side: int, cell: int) -> dict[int, int]:
    """For each height but the greatest a literal: whether a cell has a higher tower than that."""
    found = {side - 1: _latin.variable(side, cell, side)}
    for height in range(side - 2, 0, -1):
        one_more = _latin.variable(side, cell, height + 1)
        found[height] = circuit.either(one_more, found[height + 1])
    return found


EDGES = ("Top", "Bottom", "Left", "Right")
FACING = (
    "From above, looking down the columns",
    "From below, looking up the columns",
    "From the left, looking along the rows",
    "From the right, looking along the rows",
)
ORDER = (
    "Top and bottom clues are listed from the leftmost column to the rightmost, left and right"
    ' clues from the top row to the bottom row; "-" stands where there is no clue.'
)


def start(givens: _latin.Square) -> str:
    """What a prompt says of the board so far."""
    if not any(map(any, givens)):
        return f"All {len(givens) ** 2} cells are empty."
    grid = _cells.drawn([[height or "." for height in row] for row in givens])
    return f'The board so far, "." for an empty cell:\n{grid}'


def listed(clues: Clues, names: tuple[str, ...]) -> str:
    """A line for each edge of the board that has clues."""
    return "\n".join(
        f"{name}: {' '.join(str(clue or '-') for clue in edge)}"
        for name, edge in zip(names, clues, strict=True)
        if any(edge)
    )


def canon(givens: _latin.Square, clues: Clues) -> list[object]:
    """The least of the turns and reflections of a board and its clues."""
    above, below, left, right = clues
    corner = (0,)
    framed = (
        corner + above + corner,
        *((start, *row, end) for start, row, end in zip(left, givens, right, strict=True)),
        corner + below + corner,
    )
    return [len(givens), *min(_cells.turns(framed))]
