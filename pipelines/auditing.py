"""Audits of many families, and of what a build holds, in worker processes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlemill.core import pool
from puzzlemill.core.audit import Audit, audit
from puzzlemill.core.contract import Depth
from puzzlemill.core.guard import Failure
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.probing import Probes, probe
from puzzlemill.core.registry import family
from puzzlemill.outputs.truth import figures, record

PROBED = 4  # items a family of a build
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
    """family → figures, from probing the verifier on some of a build's certified rows."""
    chosen: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["certificate"]:
            chosen.setdefault(row["family"], []).append(row)
    calls = [(name, _spread(group)) for name, group in sorted(chosen.items())]
    found = pool.run(f"{__name__}:probes_of", calls, seconds=SECONDS, chunk=1)
    return {
        name: {"failed": each.reason} if isinstance(each, Failure) else figures(each)
        for (name, _), each in zip(calls, found, strict=True)
    }


def _spread(rows: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A few rows from the easiest to the hardest level."""
    rows = sorted(rows, key=lambda row: (row["level"], row["uid"]))
    places = {place * (len(rows) - 1) // (PROBED - 1) for place in range(PROBED)}
    return [dict(rows[place]) for place in sorted(places)]


@dataclass(frozen=True, slots=True)
class _Case:
    uid: str
    prompt: str
    puzzle: Any
    answer: str


def probes_of(name: str, rows: Sequence[Mapping[str, Any]]) -> Probes:
    found = family(name)
    return probe(
        found,
        [
            _Case(
                row["uid"],
                "\n".join(message["content"] for message in row["prompt"]),
                thaw(found.puzzle, row["puzzle"]),
                row["answer"],
            )
            for row in rows
        ],
    )
