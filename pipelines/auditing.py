"""Audits of many families, and of what a build holds, in worker processes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from puzzlemill.core import pool
from puzzlemill.core.audit import Audit, audit
from puzzlemill.core.contract import Depth
from puzzlemill.core.guard import Failure
from puzzlemill.core.registry import family
from puzzlemill.outputs.truth import figures, record

PROBED = 4  # items a family of a build
VARIANTS = 8  # of an operator that are probed
T = TypeVar("T")
SECONDS = 1200.0  # that one family may take; a verifier that hangs is ended then

Told = Callable[[int], None]


def audited(names: Sequence[str], items: int, tell: Told | None = None) -> dict[str, Any]:
    """name → record, each from so many items a rung."""
    calls = [(name, items) for name in names]
    found = pool.run(f"{__name__}:audit_of", calls, seconds=SECONDS, chunk=1, tell=tell)
    return {name: record(each) for name, each in zip(names, map(_sound, names, found), strict=True)}


def audit_of(name: str, items: int) -> Audit:
    return audit(family(name), Depth(items=items, draws=max(60, 10 * items), probed=items))


def _sound(name: str, found: Audit | Failure) -> Audit:
    if isinstance(found, Audit):
        return found
    fault = f"{found.reason}: generate, solve or verify does not end, or ends the process"
    return Audit(name, family(name).version, faults=(fault,))


def truth_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """family → figures, from probing the verifier on some of a build's certified rows.

    Variants are probed on one item, and of each operator only some: their verifiers are those of
    their origins.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["certificate"]:
            groups.setdefault(row["family"], []).append(row)
    variants: dict[str, list[str]] = {}
    for name in sorted(groups):
        if "+" in name:
            variants.setdefault(name.rpartition("+")[2], []).append(name)
    few = {name for names in variants.values() for name in _spread(names, VARIANTS)}
    calls = [
        (
            name,
            [dict(row) for row in _spread(sorted(group, key=_place), 1 if name in few else PROBED)],
        )
        for name, group in sorted(groups.items())
        if name in few or "+" not in name
    ]
    found = pool.run("puzzlemill.core.making:probes_of", calls, seconds=SECONDS, chunk=1)
    return {
        name: {"failed": each.reason} if isinstance(each, Failure) else figures(each)
        for (name, _), each in zip(calls, found, strict=True)
    }


def _place(row: Mapping[str, Any]) -> tuple[float, str]:
    return row["level"], row["uid"]


def _spread(each: Sequence[T], count: int) -> list[T]:
    """A few, from the first to the last; the middle one where one is wanted."""
    steps = max(count - 1, 1)
    start = 0 if count > 1 else len(each) // 2
    places = {start + step * (len(each) - 1) // steps for step in range(count)}
    return [each[place] for place in sorted(places)]
