"""What the report tells of change: since items were scored before, by training, by aiming anew."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from statistics import fmean
from typing import Any

from puzzlemill.outputs.asked import asked
from puzzlemill.outputs.charts import Part, aimed, bar, changes, percent, trace
from puzzlemill.outputs.finished import Finished, Rate, Row, interval, rate_of
from puzzlemill.outputs.records import lines_at
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.outputs.samples import words
from puzzlemill.outputs.sections import grouped, levels_of, nearest

FAR = 0.2  # a change of a pass rate that makes an item another one to learn from

CURVES = {
    "reward": ("mean score", "of all replies in a step"),
    "mixed": ("share of mixed groups", "with both right and wrong replies: those that teach"),
    "entropy": ("entropy", "of the policy, nats a token"),
    "divergence": ("divergence", "from the policy at the beginning, nats a token"),
    "length": ("length", "of a reply, in tokens"),
    "loss": ("loss", "of the policy gradient"),
}


def training(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What training did to held-out items, by family and level: of those that it was trained on,
    and of others."""
    if not found or not found["cells"]:
        return None
    columns, near = levels_of(cell["level"] for cell in found["cells"])
    parts = []
    for seen, told in ((True, found), (False, found.get("unseen") or {})):
        cells = [cell for cell in found["cells"] if cell.get("seen", True) is seen]
        if whole := _change(cells):
            shares = told.get("pass_at", ())
            parts.append(
                {
                    "seen": seen,
                    "whole": whole,
                    "rows": _by_family(cells, columns),
                    "shares": shares,
                    "best_of": _best_of(shares),
                    "expansion": told.get("expansion"),
                }
            )
    shown = {
        "within": None,
        "curriculum": "",
        **found,
        "parts": parts,
        "levels": columns,
        "near": near,
    }
    return shown if parts else None


def _by_family(
    cells: Sequence[Mapping[str, Any]], columns: Sequence[float]
) -> list[dict[str, Any]]:
    rows = []
    for name, group in grouped(cells, "family").items():
        pairs = [
            _change([cell for cell in group if nearest(cell["level"], columns) == column])
            for column in columns
        ]
        whole = _change(group)
        if whole is None:
            continue
        names = [f"{words(name)} at level {column:g}" for column in columns]
        rows.append(
            {
                "family": name,
                "before": whole[0].mean,
                "after": whole[1].mean,
                "chart": changes(pairs, names),
            }
        )
    return sorted(rows, key=lambda row: (row["before"] - row["after"], row["family"]))


def _best_of(shares: Sequence[Mapping[str, Any]]) -> str:
    """The share of held-out items that the best of k replies solves, before and after."""
    pairs = [
        (Rate(each["before"], *[each["before"]] * 2), Rate(each["after"], *[each["after"]] * 2))
        for each in shares
    ]
    return changes(pairs, [f"best of {each['k']}" for each in shares])


def _change(cells: Sequence[Mapping[str, Any]]) -> tuple[Rate, Rate] | None:
    """Pass rates before and after, of cells together."""
    before, after = (
        (
            sum(cell[when]["successes"] for cell in cells),
            sum(cell[when]["trials"] for cell in cells),
        )
        for when in ("before", "after")
    )
    if not before[1] or not after[1]:
        return None
    first, second = (interval(right / all_, all_, 0, all_) for right, all_ in (before, after))
    return first, second


def games(found: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What the policy won, lost by an illegal move and got on average, before and after."""
    return [
        {
            "game": row["game"],
            "level": f"{row['level']:g}",
            "against": row["against"],
            "seat": str(row["seat"] + 1),
            "won": _shares(row, "won"),
            "illegal": _shares(row, "illegal"),
            "result": _shares(row, "reward"),
        }
        for row in found
    ]


def _shares(row: Mapping[str, Any], name: str) -> str:
    """Of all games: before and after."""
    before, after = (row[when][name] / row[when]["games"] for when in ("before", "after"))
    return f"{before:.2f} → {after:.2f}"


def learning(run: Path) -> dict[str, Any] | None:
    """The curves of training, one for each quantity noted down; and what was asked when."""
    steps = lines_at(run / "metrics.jsonl")
    curves = _heldout(lines_at(run / "heldout.jsonl"))
    for key, (name, meaning) in CURVES.items():
        values = [step[key] for step in steps if isfinite(step.get(key, nan))]
        if len(values) < 2:
            continue
        share = key in ("reward", "mixed")
        low, high = (0.0, 1.0) if share else (min(values), max(values))
        write = percent if share else _three_digits
        parts = values[: max(1, len(values) // 10)], values[-max(1, len(values) // 10) :]
        curves.append(
            {
                "name": name,
                "meaning": f"{meaning}, over {len(values):,} steps",
                "from": write(fmean(parts[0])),
                "to": write(fmean(parts[1])),
                "chart": trace(
                    values, ((write(low), low), (write(high), high)), 150 if share else 110, name
                ),
            }
        )
    return {"curves": curves, "asked": asked(steps)} if curves else None


def _heldout(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The curve of held-out items, where they were measured on the way."""
    values = [
        sum(right for *_, right, _ in each["cells"])
        / max(sum(trials for *_, trials in each["cells"]), 1)
        for each in points
    ]
    if len(values) < 2:
        return []
    last = f"measured {len(values)} times, the last time after step {points[-1]['done']:,}"
    found = {"name": "held-out items", "meaning": f"replies that were right; {last}"}
    ends = (percent(0), 0.0), (percent(1), 1.0)
    ends_told = {"from": percent(values[0]), "to": percent(values[-1])}
    return [{**found, **ends_told, "chart": trace(values, ends, 150, "held-out items")}]


def drift(build: Finished) -> dict[str, Any] | None:
    """How pass rates have moved since they were measured before."""
    again = [
        dict(row) | {"before": dict(row) | {"mean": history_of(row["history"])[-1]["mean"]}}
        for row in build.scored
        if row["history"]
    ]
    if not again:
        return None
    columns, near = levels_of(row["level"] for row in again)
    rows = []
    for name, group in grouped(again, "family").items():
        cells = [
            [row for row in group if nearest(row["level"], columns) == column] for column in columns
        ]
        pairs = [_before_and_now(cell) if cell else None for cell in cells]
        before, now = _before_and_now(group)
        names = [f"{words(name)} at level {column:g}" for column in columns]
        chart = changes(pairs, names)
        rows.append({"family": name, "before": before.mean, "after": now.mean, "chart": chart})
    rows.sort(key=lambda row: (-abs(row["after"] - row["before"]), row["family"]))
    far = [abs(row["mean"] - row["before"]["mean"]) > FAR for row in again]
    return {"rows": rows, "levels": columns, "near": near, "count": len(far), "far": fmean(far)}


def _before_and_now(rows: Sequence[Row]) -> tuple[Rate, Rate]:
    return rate_of([row["before"] for row in rows]), rate_of(rows)


def _three_digits(value: float) -> str:
    return f"{value:.3g}"


def regeneration(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What aiming at a band of pass rates brought."""
    if not found:
        return None
    shares = [
        {
            "when": when,
            "share": share,
            "chart": bar([Part(f"{when}, in the band", round(100 * share, 1), tone)], 100, 18, "%"),
        }
        for when, share, tone in (
            ("before", found["share_before"], "quiet"),
            ("after", found["share_after"], "kept"),
        )
        if share is not None
    ]
    levels = [
        {"family": name, "level": sum(levels) / len(levels), "chart": aimed(levels)}
        for name, levels in sorted(found["levels"].items(), key=lambda each: (-each[1][0], each[0]))
    ]
    return {**found, "shares": shares, "levels": levels}
