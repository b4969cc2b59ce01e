"""Advice: what to do about a build that kept nothing, and what next about one that kept some."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzlemill.core.errors import NothingKept
from puzzlemill.core.rows import NO_PICTURES, TOO_LONG
from puzzlemill.filters.settings import Filters
from puzzlemill.outputs.finished_build import Cell, FinishedBuild, Row, read_build
from puzzlemill.outputs.groups import group_by
from puzzlemill.outputs.manifest import read_manifest

MOST = 2  # remedies
NAMED = 4  # families

# What to do where most items were turned away, or not asked, for this reason.
_REMEDIES = {
    TOO_LONG: "lower `levels`, or ask a policy that holds more tokens",
    NO_PICTURES: "leave visual families out, or ask a policy that sees",
    "too long": "lower `levels`, or raise `[filters] longest`",
    "contaminated": "choose other families than the evaluation sets have, or raise"
    " `[decontaminate] share`",
    "similar": "raise `[filters] similar`",
    "guessable": "choose families with fewer guesses, or leave `[score] guesses` out",
    "unsolvable": "run `puzzlemill audit` on its families",
    "no puzzle": "change `knobs` or `levels`",
}


@dataclass(frozen=True, slots=True)
class Advice:
    why: str
    remedies: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join((f"nothing was kept: {self.why}", *self.remedies))


def expect_kept(folder: Path) -> Path:
    """A finished build; one that kept nothing is refused."""
    if not read_manifest(folder)["counts"].get("kept"):
        raise NothingKept(folder, str(advice(read_build(folder))))
    return folder


def advice(build: FinishedBuild) -> Advice | None:
    """Why a build kept nothing; None where it kept something."""
    if build.manifest["counts"].get("kept"):
        return None
    counts = Counter[str]()
    for cell, count in build.cells.items():
        counts[_outcome(cell)] += count
    listed = ", ".join(f"{count:,} {what}" for what, count in counts.most_common())
    return Advice(f"of {len(build.rows):,} items made, {listed}", _remedies(build))


def next_steps(build: FinishedBuild) -> tuple[str, ...]:
    """What would make the next build teach more, what concerns most families first."""
    groups = group_by(build.scored, "family")
    beyond = {name: rows for name, rows in groups.items() if not any(map(_solved, rows))}
    mastered = {
        name: rows
        for name, rows in groups.items()
        if all(row["kind"] == "too easy" for row in rows)
    }
    lines = []
    if beyond:
        asked = sum(row["trials"] for rows in beyond.values() for row in rows)
        least = min(row["level"] for rows in beyond.values() for row in rows)
        lower = f"lower their `levels` (from {least:g})" if least > 0 else "leave them out"
        lines.append(
            f"{_families(beyond, 'beyond this policy')}, with none of {asked:,} replies right:"
            f" {lower}, or warm up with `[train.warm]`"
        )
    if mastered:
        lines.append(f"{_families(mastered, 'too easy')}: raise `levels`, or leave them out")
    lines.sort(key=lambda line: -int(line.split()[0].replace(",", "")))
    for kind, count in build.tally("kind").most_common():
        if kind in _REMEDIES:
            lines.append(f"{count:,} {_items(count)} ({kind}): {_REMEDIES[kind]}")
    return tuple(lines)


def _solved(row: Row) -> bool:
    return bool(row["successes"])


def _families(groups: Mapping[str, Sequence[Row]], what: str) -> str:
    names = sorted(groups)
    listed = ", ".join(names[:NAMED]) + (
        f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    )
    are = "family is" if len(names) == 1 else "families are"
    return f"{len(names):,} {are} {what} ({listed})"


def _outcome(cell: Cell) -> str:
    match cell.fate:
        case "frontier":
            return "on the frontier"
        case "unscored":
            return "not scored" + (f" ({cell.kind})" if cell.kind else "")
    return f"turned away ({cell.kind})"


def _items(count: int) -> str:
    return "item" if count == 1 else "items"


def _remedies(build: FinishedBuild) -> tuple[str, ...]:
    """What would have kept some items, the commonest reason first."""
    judged = [row for row in build.scored if row["fate"] == "frontier" or row["kind"] == "too easy"]
    remedies = [(len(judged), _of_rates(build, judged))] if judged else []
    for kind, count in build.tally("kind").items():
        if kind in _REMEDIES:
            remedies.append((count, f"{count:,} {_items(count)} ({kind}): {_REMEDIES[kind]}"))
    remedies.sort(key=lambda each: -each[0])
    return tuple(remedy for _, remedy in remedies[:MOST])


def _of_rates(build: FinishedBuild, judged: Sequence[Row]) -> str:
    """What to do about items that were too hard, too easy, or either."""
    hard = sum(row["fate"] == "frontier" for row in judged)
    right, replies = (sum(row[name] for row in judged) for name in ("successes", "trials"))
    tally = f"{right:,} of {replies:,} replies to {len(judged):,} scored items were right"
    low, high = build.manifest["recipe"].get("filters", {}).get("band", Filters().band)
    easier, harder = _moves(build, [row["level"] for row in judged])
    if not hard:
        return f"{tally}: {harder}, or ask a weaker policy"
    if hard < len(judged):
        return (
            f"{hard:,} too hard and {len(judged) - hard:,} too easy: ask at `levels` between,"
            f" or widen the band {low:g} to {high:g}"
        )
    if not right:
        return (
            f"the policy solved none of {hard:,} scored items ({replies:,} replies): {easier}, or"
            " ask a stronger policy"
        )
    best = max(row["mean"] for row in judged)
    return (
        f"{tally}: {easier}, ask a stronger policy, or widen the band {low:g} to {high:g} (the"
        f" highest pass rate is {best:.2g}) and raise `[score] most` to tell low ones apart"
    )


def _moves(build: FinishedBuild, levels: Sequence[float]) -> tuple[str, str]:
    """What makes items easier, and what makes them harder."""
    if build.manifest["recipe"].get("parent"):  # its items are another build's
        new = "items (`puzzlemill regenerate`)"
        return f"make easier {new}", f"make harder {new}"
    return (
        f"lower `levels` (from {min(levels):g})" if min(levels) > 0 else "choose easier families",
        f"raise `levels` (above {max(levels):g})" if max(levels) < 1 else "choose harder families",
    )
