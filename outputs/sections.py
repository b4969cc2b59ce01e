"""What the report tells of a build's items, section by section: figures and their charts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import family
from puzzlemill.outputs.charts import Part, bar, curriculum, histogram, rate_cells
from puzzlemill.outputs.finished import Finished, Rate, Row, rate_of
from puzzlemill.outputs.samples import words

COLUMNS = 8  # levels that a chart shows side by side; where there are more, quarters stand for them
BINS = 10
POINTS = 48  # along the curriculum
FAMILIES = 4  # that are named beside a reason

NAMES = {"kept": "kept", "frontier": "on the frontier", "unscored": "not scored"}
QUIET = ("quiet", "quieter", "quietest")  # tones of what was turned away, the largest first

MEANINGS = {
    "kept": "solved sometimes: something to learn",
    "frontier": "sound, but hardly ever solved yet",
    "unscored": "sound, and no pass rate known",
    "rejected": "turned away; the column `dropped` tells why",
    "too easy": "solved too often to learn from",
    "duplicate": "the same puzzle as an earlier one",
    "contaminated": "it is in an evaluation set, or too like it",
    "similar": "worded much like an earlier one",
    "unsolvable": "no certificate was found",
    "no puzzle": "the draw led to no puzzle",
    "too long": "the prompt is too long",
    "guessable": "solved without reasoning, more often than by a blind guess",
}


def meanings(build: Finished) -> dict[str, str]:
    """What each fate and reason means."""
    told = dict(MEANINGS)
    if not build.scored:
        told["kept"] = "certified; no policy was asked"
    if build.manifest.get("unscored"):
        told["unscored"] = f"sound, but not asked: {unasked(build)}"
    return told


def unasked(build: Finished) -> str:
    """Why items were not asked, with counts where there are several reasons."""
    reasons = Counter(build.manifest.get("unscored") or {}).most_common()
    if len(reasons) == 1:
        return str(reasons[0][0])
    return ", ".join(f"{reason} ({count:,})" for reason, count in reasons)


def fates(build: Finished) -> dict[str, Any]:
    """What became of all items: the bar at the top of the page, with a legend."""
    legend = legend_of(build)
    parts = [Part(each["name"], each["count"], each["tone"]) for each in legend]
    return {"legend": legend, "bar": bar(parts, len(build.rows), 30)}


def legend_of(build: Finished) -> list[dict[str, Any]]:
    """Every fate and reason that occurs, with its count and its tone in all charts."""
    counts = Counter(map(_fate_or_kind, build.rows))
    tones = {key: key for key in NAMES if key in counts}
    others = sorted(counts.keys() - tones.keys(), key=lambda kind: (-counts[kind], kind))
    tones |= {kind: QUIET[min(place, len(QUIET) - 1)] for place, kind in enumerate(others)}
    return [
        {
            "key": key,
            "name": NAMES.get(key, key),
            "tone": tone,
            "meaning": meanings(build).get(key, "turned away"),
            "count": counts[key],
        }
        for key, tone in tones.items()
    ]


def _fate_or_kind(row: Row) -> str:
    kind: str = row["kind"] if row["fate"] == "rejected" else row["fate"]
    return kind


def by_family(build: Finished) -> list[dict[str, Any]]:
    """What became of each family's items."""
    rows = [row | {"family": row["of"]} for row in _fates_of(build, grouped(build.rows, "family"))]
    return sorted(rows, key=lambda row: (-row["kept"], -row["made"], row["family"]))


def by_level(build: Finished) -> dict[str, Any]:
    """What became of the items of each level."""
    columns, near = levels_of(row["level"] for row in build.rows)
    groups: dict[Any, list[Row]] = {column: [] for column in columns}
    for row in build.rows:
        groups[nearest(row["level"], columns)].append(row)
    rows = _fates_of(build, {column: group for column, group in groups.items() if group})
    return {"near": near, "rows": rows}


def turned_away(build: Finished) -> list[dict[str, Any]]:
    """Each reason for which items were turned away, with the families that it met most."""
    rejected = grouped(build.of("rejected"), "kind")
    rows = []
    for kind, group in sorted(rejected.items(), key=lambda each: (-len(each[1]), each[0])):
        met = Counter(row["family"] for row in group)
        first = sorted(met, key=lambda name: (-met[name], name))[:FAMILIES]
        told = ", ".join(f"{words(name)} {met[name]:,}" for name in first)
        more = len(met) - len(first)
        rows.append(
            {
                "kind": kind,
                "meaning": meanings(build).get(kind, "turned away"),
                "count": len(group),
                "share": len(group) / len(build.rows),
                "met": f"{told} and {more:,} more" if more else told,
            }
        )
    return rows


def _fates_of(build: Finished, groups: dict[Any, list[Row]]) -> list[dict[str, Any]]:
    """What became of each group of items."""
    legend = legend_of(build)
    rows = []
    widest = max(map(len, groups.values()), default=1)
    for name, group in groups.items():
        counts = Counter(map(_fate_or_kind, group))
        parts = [
            Part(each["name"], counts[each["key"]], each["tone"])
            for each in legend
            if counts[each["key"]]
        ]
        rows.append(
            {
                "of": name,
                "kept": counts["kept"],
                "made": len(group),
                "chart": bar(parts, widest, 18),
            }
        )
    return rows


def cell_map(build: Finished) -> dict[str, Any] | None:
    """Pass rate by family and level, the easiest family first."""
    if not build.scored:
        return None
    columns, near = levels_of(row["level"] for row in build.scored)
    reasons: dict[tuple[str, float], set[str]] = defaultdict(set)  # why an item was not asked
    for row in build.of("unscored"):
        reasons[row["family"], nearest(row["level"], columns)].add(row["kind"])
    rows = []
    for name, group in grouped(build.scored, "family").items():
        cells = [
            [row for row in group if nearest(row["level"], columns) == column] for column in columns
        ]
        rates = [rate_of(cell) if cell else None for cell in cells]
        names = [
            f"{words(name)} at level {column:g}{_why_blank(reasons[name, column])}"
            for column in columns
        ]
        rows.append(
            {
                "family": name,
                "category": group[0]["category"],
                "guess": guess_rate(name),
                "mean": rate_of(group).mean,
                "chart": rate_cells(rates, names),
            }
        )
    rows.sort(key=lambda row: (-row["mean"], row["family"]))
    return {"levels": columns, "near": near, "rows": rows, "unasked": unasked(build)}


def _why_blank(reasons: set[str]) -> str:
    told = ", ".join(sorted(filter(None, reasons)))
    return f" ({told})" if told else ""


def guess_rate(name: str) -> float:
    """What a blind guess of the right form scores at best; 0 where the family is not known."""
    try:
        return family(name).guess_rate
    except UserError:  # a family of a package that is not installed here
        return 0.0


def consistency(build: Finished) -> list[dict[str, Any]]:
    """By operator: of which items the policy mostly solves both the original and the variant."""
    solved = {row["uid"]: row["successes"] * 2 > row["trials"] for row in build.scored}
    pairs: dict[str, Counter[tuple[bool, bool]]] = {}
    for row in build.scored:
        if row["parent"] in solved:
            operator = row["family"].rpartition("+")[2]
            both = solved[row["parent"]], solved[row["uid"]]
            pairs.setdefault(operator, Counter())[both] += 1
    rows = []
    for operator, counts in sorted(pairs.items()):
        parts = [
            Part("both solved", counts[True, True], "kept"),
            Part("only the original", counts[True, False], "quiet"),
            Part("only the variant", counts[False, True], "quieter"),
            Part("neither", counts[False, False], "quietest"),
        ]
        alike = counts[True, True] + counts[False, False]
        total = counts.total()
        chart = bar([part for part in parts if part.count], total, 18)
        rows.append({"operator": operator, "pairs": total, "alike": alike / total, "chart": chart})
    return rows


def spread(build: Finished) -> dict[str, Any] | None:
    """How the scored items' pass rates are spread, kept ones apart from the rest."""
    if not build.scored:
        return None
    counts = {True: [0] * BINS, False: [0] * BINS}
    for row in build.scored:
        counts[row["fate"] == "kept"][min(int(row["mean"] * BINS), BINS - 1)] += 1
    kept = [row["mean"] for row in build.of("kept")]
    return {
        "chart": histogram(counts[True], counts[False], ("kept", "not kept")),
        "middle": sum(0.25 <= mean <= 0.75 for mean in kept) / len(kept) if kept else 0.0,
    }


def order(build: Finished) -> dict[str, Any] | None:
    """The pass rate from the first kept item to the last, of the largest split."""
    kept = grouped((row for row in build.scored if row["rank"] is not None), "split")
    if not kept:
        return None
    split, rows = max(kept.items(), key=lambda each: (len(each[1]), each[0] == "train"))
    if len(rows) < 4:
        return None
    rows = sorted(rows, key=lambda row: row["rank"])
    count = min(POINTS, len(rows))
    points = []
    for point in range(count):
        near = rows[point * len(rows) // count : (point + 1) * len(rows) // count]
        bounds = [sum(row[name] for row in near) / len(near) for name in ("mean", "low", "high")]
        points.append(Rate(*bounds))
    sizes = Counter(row["stage"] for row in rows)
    shares = {stage: size / len(rows) for stage, size in sizes.items()}
    return {"split": split, "count": len(rows), "chart": curriculum(points, shares)}


def grouped(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[column], []).append(row)
    return groups


def levels_of(levels: Iterable[float]) -> tuple[list[float], bool]:
    """The levels that head a chart's columns, and whether they stand for others near them."""
    found = sorted(set(levels))
    return (found, False) if len(found) <= COLUMNS else ([0, 0.25, 0.5, 0.75, 1], True)


def nearest(level: float, columns: Sequence[float]) -> float:
    return min(columns, key=lambda column: (abs(column - level), column))
