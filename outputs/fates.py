"""What became of a build's items: the fates and reasons, what they mean, and bars of them."""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

from puzzlemill.outputs.charts import Part, bar
from puzzlemill.outputs.finished_build import Cell, FinishedBuild

NAMES = {"kept": "kept", "frontier": "on the frontier", "unscored": "not scored"}
QUIET = ("quiet", "quieter", "quietest")  # tones of what was turned away, the largest first

MEANINGS = {
    "kept": "solved sometimes: something to learn",
    "frontier": "sound, but hardly ever solved yet",
    "unscored": "sound, and no pass rate known",
    "rejected": "turned away; the column `dropped` tells why",
    "too easy": "solved too often to learn from",
    "too hard": "solved too seldom by the weaker policy",
    "easily searched": "a tree search solves it in few iterations",
    "duplicate": "the same puzzle as an earlier one",
    "contaminated": "it is in an evaluation set, or too like it",
    "similar": "worded much like an earlier one",
    "unsolvable": "no certificate was found",
    "no puzzle": "the draw led to no puzzle",
    "too long": "the prompt is too long",
    "guessable": "solved without reasoning, more often than by a blind guess",
}


def meanings(build: FinishedBuild) -> dict[str, str]:
    """What each fate and reason means in this build."""
    texts = dict(MEANINGS)
    if not build.scored:
        texts["kept"] = "certified; no policy was asked"
    if build.manifest.get("unscored"):
        texts["unscored"] = f"sound, but not asked: {why_unscored(build)}"
    return texts


def meaning_of(build: FinishedBuild, kind: str) -> str:
    return meanings(build).get(kind, "turned away")


def why_unscored(build: FinishedBuild) -> str:
    """Why items were not scored, with counts where there are several reasons."""
    reasons = Counter(build.manifest.get("unscored") or {}).most_common()
    if len(reasons) == 1:
        return str(reasons[0][0])
    return ", ".join(f"{reason} ({count:,})" for reason, count in reasons)


def fate_bar(build: FinishedBuild) -> dict[str, Any]:
    """What became of all items: the bar at the top of the page, with a legend."""
    entries = legend(build)
    parts = [Part(each["name"], each["count"], each["tone"]) for each in entries]
    return {"legend": entries, "bar": bar(parts, len(build.rows), 30)}


def legend(build: FinishedBuild) -> list[dict[str, Any]]:
    """Every fate and reason that occurs, with its count and its tone in all charts."""
    counts = _tallied(build, lambda cell: "")[""]
    tones = {key: key for key in NAMES if key in counts}
    others = sorted(counts.keys() - tones.keys(), key=lambda kind: (-counts[kind], kind))
    tones |= {kind: QUIET[min(place, len(QUIET) - 1)] for place, kind in enumerate(others)}
    return [
        {
            "key": key,
            "name": NAMES.get(key, key),
            "tone": tone,
            "meaning": meaning_of(build, key),
            "count": counts[key],
        }
        for key, tone in tones.items()
    ]


def _tallied(build: FinishedBuild, of: Callable[[Cell], Hashable]) -> dict[Any, Counter[str]]:
    """How many items of each group have which fate; those turned away by kind of reason."""
    groups: dict[Any, Counter[str]] = {}
    for cell, count in build.cells.items():
        key = cell.kind if cell.fate == "rejected" else cell.fate
        groups.setdefault(of(cell), Counter())[key] += count
    return groups


def group_bars(build: FinishedBuild, of: Callable[[Cell], Hashable]) -> list[dict[str, Any]]:
    """What became of each group of items, a bar each."""
    entries, groups = legend(build), _tallied(build, of)
    rows = []
    widest = max((counts.total() for counts in groups.values()), default=1)
    for name, counts in groups.items():
        parts = [
            Part(each["name"], counts[each["key"]], each["tone"])
            for each in entries
            if counts[each["key"]]
        ]
        rows.append(
            {
                "name": name,
                "kept": counts["kept"],
                "made": counts.total(),
                "chart": bar(parts, widest, 18),
            }
        )
    return rows
