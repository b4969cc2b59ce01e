"""What curricula over items share: what is known of each, from its score and what it did since."""

from collections.abc import Sequence

from puzzlemill.difficulty.curricula import Pool, Seen, State, by_cell, name_of

KEEP = 0.9  # of what was known of an item, each time that it is seen again
OWN = 2.0  # groups that an item's own score counts for
REPLIES = 8  # that a group counts for


def told(pool: Pool, state: State, seen: Sequence[Seen]) -> State:
    """By item, how many groups were seen and their means' sum, older ones counting less; and how
    far each cell, and each family, has moved from what it was scored."""
    items = dict(state.get("items", {}))
    for each in seen:
        count, total = items.get(str(each.place), (0.0, 0.0))
        items[str(each.place)] = [KEEP * count + 1, KEEP * total + each.mean]
    moved = dict(state.get("moved", {}))
    for cell, groups in by_cell(pool, seen).items():
        for group in groups:
            for name in (name_of(cell), cell[0]):
                old = moved.get(name, 0.0)
                moved[name] = old + 0.2 * (group.mean - pool.means[group.place] - old)
    return {**state, "items": items, "moved": moved}


def known(pool: Pool, state: State, place: int) -> tuple[float, float]:
    """An item's pass rate, and how many groups that is worth. A level that was never asked has
    moved as its family has."""
    moved, cell = state.get("moved", {}), pool.cells[place]
    drift = moved.get(name_of(cell), moved.get(cell[0], 0.0))
    prior = min(max(pool.means[place] + drift, 0.0), 1.0)
    count, total = state.get("items", {}).get(str(place), (0.0, 0.0))
    return (OWN * prior + total) / (OWN + count), OWN + count
