"""Two builds side by side: what moved in those that both have, what is new, what is gone."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow.compute as pc

from puzzlemill.outputs.viewer.shelf import Mask, Numbers, Shelf

KINDS = {
    "": "in both",
    "easier": "clearly solved more often",
    "harder": "clearly solved less often",
    "other": "another outcome",
    "new": "new",
    "gone": "gone",
}


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Rows of an earlier and a later build that have the same uid."""

    before: Shelf
    after: Shelf
    shared: tuple[Numbers, Numbers]  # their numbers in each, in the later one's order
    new: Numbers
    gone: Numbers


@lru_cache(maxsize=4)
def paired(before: Shelf, after: Shelf) -> Pair:
    first, second = before.uids.combine_chunks(), after.uids.combine_chunks()
    places = pc.index_in(second, first)
    there = places.is_valid().to_numpy(zero_copy_only=False)
    old = places.drop_null().to_numpy().astype(np.int64)
    gone = np.ones(len(first), np.bool_)
    gone[old] = False
    new = np.flatnonzero(there)
    return Pair(before, after, (old, new), np.flatnonzero(~there), np.flatnonzero(gone))


def chosen(pair: Pair, kind: str, family: str) -> list[tuple[int | None, int | None]]:
    """The rows of a kind, those that moved most first: numbers before and after."""
    if kind in ("new", "gone"):
        shelf, places = (pair.after, pair.new) if kind == "new" else (pair.before, pair.gone)
        if family:
            places = places[shelf.named["family"].where(family)[places]]
        numbers = places.tolist()
        return [(None, each) if kind == "new" else (each, None) for each in numbers]
    old, new = pair.shared
    mask = _of_kind(pair, kind)
    if family:
        mask &= pair.after.named["family"].where(family)[new]
    moved = np.nan_to_num(np.abs(_mean(pair.after, new) - _mean(pair.before, old)), nan=-1.0)
    order = np.argsort(-moved[mask], kind="stable")
    return list(zip(old[mask][order].tolist(), new[mask][order].tolist(), strict=True))


def _of_kind(pair: Pair, kind: str) -> Mask:
    old, new = pair.shared
    mask: Mask = np.ones(len(old), np.bool_)
    first, second = pair.before.measured, pair.after.measured
    if kind == "easier":
        mask = second["low"][new] > first["high"][old]
    elif kind == "harder":
        mask = second["high"][new] < first["low"][old]
    elif kind == "other":
        mask = _outcomes(pair.before, old) != _outcomes(pair.after, new)
    return mask


def _mean(shelf: Shelf, places: Numbers) -> Any:
    return shelf.measured["mean"][places]


def _outcomes(shelf: Shelf, places: Numbers) -> Any:
    outcome = shelf.named["outcome"]
    return np.array(outcome.words, object)[outcome.numbers[places]]


def totals(pair: Pair) -> dict[str, int]:
    """How many rows are of each kind."""
    shared = {kind: int(_of_kind(pair, kind).sum()) for kind in ("", "easier", "harder", "other")}
    return shared | {"new": len(pair.new), "gone": len(pair.gone)}


def by_family(pair: Pair) -> list[dict[str, Any]]:
    """Counts before, after and in both, and the mean pass rates of what was scored in both."""
    rows = {}
    for name in sorted({*pair.before.named["family"].words, *pair.after.named["family"].words}):
        rows[name] = {"family": name, "before": 0, "after": 0, "both": 0, "rates": None}
    for key, shelf in (("before", pair.before), ("after", pair.after)):
        column = shelf.named["family"]
        for name, count in zip(column.words, np.bincount(column.numbers), strict=True):
            rows[name][key] = int(count)
    old, new = pair.shared
    column = pair.after.named["family"]
    numbers = column.numbers[new]
    first, second = _mean(pair.before, old), _mean(pair.after, new)
    scored = ~np.isnan(first) & ~np.isnan(second)
    both = np.bincount(numbers, minlength=len(column.words))
    counted = np.bincount(numbers[scored], minlength=len(column.words))
    sums = [
        np.bincount(numbers[scored], each[scored], minlength=len(column.words))
        for each in (first, second)
    ]
    for place, name in enumerate(column.words):
        rows[name]["both"] = int(both[place])
        if counted[place]:
            rows[name]["rates"] = tuple(float(each[place] / counted[place]) for each in sums)
    return list(rows.values())
