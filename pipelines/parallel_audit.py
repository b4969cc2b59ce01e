"""Audits in worker processes: of many families, and of the verifiers of a build's items."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from puzzlemill.core import registry
from puzzlemill.core.guard import Failure
from puzzlemill.core.proof.audit import Audit, audit
from puzzlemill.core.proof.contract import Depth
from puzzlemill.core.storage import pool
from puzzlemill.outputs.truth import figures, record

VARIANTS = 8  # of an operator that are probed
T = TypeVar("T")
SECONDS = 1200.0  # that one family may take; a verifier that hangs is ended then

Tell = Callable[[int], None]  # how many families are done
Keep = Callable[[str, dict[str, Any]], None]  # a family and its record


def audit_all(
    names: Sequence[str], items: int, tell: Tell | None = None, keep: Keep | None = None
) -> dict[str, Any]:
    """name → record, each from so many items a rung; `keep` gets each as it comes."""
    records: dict[str, Any] = {}

    def take(place: int, result: Audit | Failure) -> None:
        name = names[place]
        records[name] = record(_audit_or_fault(name, result))
        if keep:
            keep(name, records[name])

    calls = [(name, items) for name in names]
    job = f"{__name__}:audit_of"
    pool.run(job, calls, seconds=SECONDS, chunk=1, tell=tell, take=take)
    return {name: records[name] for name in names}


def audit_of(name: str, items: int) -> Audit:
    return audit(registry.family(name), Depth(items=items, draws=max(60, 10 * items), probed=items))


def _audit_or_fault(name: str, result: Audit | Failure) -> Audit:
    if isinstance(result, Audit):
        return result
    fault = f"{result.reason}: generate, solve or verify does not end, or ends the process"
    return Audit(name, registry.family(name).version, faults=(fault,))


def rows_to_probe(keys: pa.Table, items: int) -> dict[str, list[int]]:
    """family → the rows of a table of families, levels and uids that its verifier is probed on:
    so many items.

    Variants are probed on one item, and of each operator only some: their verifiers are those of
    their origins.
    """
    if not items:
        return {}
    order = pc.sort_indices(keys, [(name, "ascending") for name in ("family", "level", "uid")])
    starts: dict[str, int] = {}
    for place, name in enumerate(keys["family"].take(order).to_pylist()):
        starts.setdefault(name, place)
    ends = dict(zip(starts, [*list(starts.values())[1:], len(order)], strict=True))
    variants: dict[str, list[str]] = {}
    for name in starts:
        if "+" in name:
            variants.setdefault(name.rpartition("+")[2], []).append(name)
    few = {name for names in variants.values() for name in _spread(names, VARIANTS)}
    return {
        name: order.take(
            pa.array(_spread(range(starts[name], ends[name]), 1 if name in few else items))
        ).to_pylist()
        for name in starts
        if name in few or "+" not in name
    }


def truth_of(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """family → figures, from probing its verifier on these rows."""
    calls = [(name, list(some)) for name, some in rows.items()]
    results = pool.run("puzzlemill.core.proof.jobs:probes_of", calls, seconds=SECONDS, chunk=1)
    return {
        name: {"failed": each.reason} if isinstance(each, Failure) else figures(each)
        for (name, _), each in zip(calls, results, strict=True)
    }


def _spread(each: Sequence[T], count: int) -> list[T]:
    """A few, from the first to the last; the middle one where one is wanted."""
    steps = max(count - 1, 1)
    start = 0 if count > 1 else len(each) // 2
    places = {start + step * (len(each) - 1) // steps for step in range(count)}
    return [each[place] for place in sorted(places)]
