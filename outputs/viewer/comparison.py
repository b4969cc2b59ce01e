"""Two builds side by side: what moved in those that both have, what is new, what is gone."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow.compute as pc

from puzzlemill.outputs.viewer.catalogue import Catalogue, Mask, Numbers

KINDS = {
    "": "in both",
    "easier": "clearly solved more often",
    "harder": "clearly solved less often",
    "other": "another outcome",
    "new": "new",
    "gone": "gone",
}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Rows of an earlier and a later build that have the same uid."""

    before: Catalogue
    after: Catalogue
    shared: tuple[Numbers, Numbers]  # their numbers in each, in the later one's order
    new: Numbers
    gone: Numbers


@lru_cache(maxsize=4)
def compare(before: Catalogue, after: Catalogue) -> Comparison:
    first, second = before.uids.combine_chunks(), after.uids.combine_chunks()
    places = pc.index_in(second, first)
    present = places.is_valid().to_numpy(zero_copy_only=False)
    old = places.drop_null().to_numpy().astype(np.int64)
    gone = np.ones(len(first), np.bool_)
    gone[old] = False
    new = np.flatnonzero(present)
    return Comparison(before, after, (old, new), np.flatnonzero(~present), np.flatnonzero(gone))


def changed_rows(builds: Comparison, kind: str, family: str) -> list[tuple[int | None, int | None]]:
    """The rows of a kind, those that moved most first: numbers before and after."""
    if kind == "new":
        return [(None, place) for place in _of_family(builds.after, builds.new, family).tolist()]
    if kind == "gone":
        return [(place, None) for place in _of_family(builds.before, builds.gone, family).tolist()]
    old, new = builds.shared
    mask = _of_kind(builds, kind)
    if family:
        mask &= builds.after.named["family"].where(family)[new]
    moved = np.nan_to_num(np.abs(_mean(builds.after, new) - _mean(builds.before, old)), nan=-1.0)
    order = np.argsort(-moved[mask], kind="stable")
    return list(zip(old[mask][order].tolist(), new[mask][order].tolist(), strict=True))


def _of_family(catalogue: Catalogue, places: Numbers, family: str) -> Numbers:
    return places[catalogue.named["family"].where(family)[places]] if family else places


def _of_kind(builds: Comparison, kind: str) -> Mask:
    old, new = builds.shared
    mask: Mask = np.ones(len(old), np.bool_)
    first, second = builds.before.measured, builds.after.measured
    if kind == "easier":
        mask = second["low"][new] > first["high"][old]
    elif kind == "harder":
        mask = second["high"][new] < first["low"][old]
    elif kind == "other":
        mask = _outcomes(builds.before, old) != _outcomes(builds.after, new)
    return mask


def _mean(catalogue: Catalogue, places: Numbers) -> Any:
    return catalogue.measured["mean"][places]


def _outcomes(catalogue: Catalogue, places: Numbers) -> Any:
    outcome = catalogue.named["outcome"]
    return np.array(outcome.words, object)[outcome.numbers[places]]


def totals(builds: Comparison) -> dict[str, int]:
    """How many rows are of each kind."""
    shared = {kind: int(_of_kind(builds, kind).sum()) for kind in ("", "easier", "harder", "other")}
    return shared | {"new": len(builds.new), "gone": len(builds.gone)}


def by_family(builds: Comparison) -> list[dict[str, Any]]:
    """Counts before, after and in both, and the mean pass rates of what was scored in both."""
    rows = {}
    for name in sorted({*builds.before.named["family"].words, *builds.after.named["family"].words}):
        rows[name] = {"family": name, "before": 0, "after": 0, "both": 0, "rates": None}
    for key, catalogue in (("before", builds.before), ("after", builds.after)):
        column = catalogue.named["family"]
        for name, count in zip(column.words, np.bincount(column.numbers), strict=True):
            rows[name][key] = int(count)
    old, new = builds.shared
    column = builds.after.named["family"]
    numbers = column.numbers[new]
    first, second = _mean(builds.before, old), _mean(builds.after, new)
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
