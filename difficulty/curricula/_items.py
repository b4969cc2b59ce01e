"""What curricula over items share: each item's pass rate, estimated from score and outcomes."""

from collections.abc import Sequence

from puzzlemill.difficulty.curricula import Outcome, Pool, State, by_cell, name_of

DECAY = 0.9  # of an item's earlier outcomes, at each new one
PRIOR = 2.0  # groups that an item's score counts for
REPLIES = 8  # that a group counts for
RATE = 0.2  # of the moving averages of drift


def update(pool: Pool, state: State, outcomes: Sequence[Outcome]) -> State:
    """For each item the number of groups and the sum of their means, both decayed; for each cell
    and family the drift of pass rates since scoring, as a moving average."""
    items = dict(state.get("items", {}))
    for each in outcomes:
        count, total = items.get(str(each.place), (0.0, 0.0))
        items[str(each.place)] = [DECAY * count + 1, DECAY * total + each.mean]
    moved = dict(state.get("moved", {}))
    for cell, groups in by_cell(pool, outcomes).items():
        for group in groups:
            for name in (name_of(cell), cell[0]):
                old = moved.get(name, 0.0)
                moved[name] = old + RATE * (group.mean - pool.means[group.place] - old)
    return {**state, "items": items, "moved": moved}


def estimate(pool: Pool, state: State, place: int) -> tuple[float, float]:
    """An item's pass rate, and the number of groups that the estimate is worth. A cell without
    outcomes has drifted as its family has."""
    moved, cell = state.get("moved", {}), pool.cells[place]
    drift = moved.get(name_of(cell), moved.get(cell[0], 0.0))
    prior = min(max(pool.means[place] + drift, 0.0), 1.0)
    count, total = state.get("items", {}).get(str(place), (0.0, 0.0))
    return (PRIOR * prior + total) / (PRIOR + count), PRIOR + count
