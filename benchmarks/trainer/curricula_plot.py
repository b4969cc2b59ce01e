"""Draws curricula.json: held-out score by replies, for every curriculum, as docs/curricula.svg.

    python benchmarks/trainer/curricula_plot.py

A line is the mean of the seeds, the band around it reaches from the worst to the best of them. The
dashed line is what uniform sampling has in the end. The curricula that come there first, of both
pools together, have colours and names; the others are thin lines.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from curricula import CURVES, RESULT, Point, end_of, mean_curve

DRAWN = Path(__file__).parents[2] / "docs" / "curricula.svg"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7a4fbf")
GREY = "#6b6b70"
WIDE, HIGH = 430, 300  # pixels of a panel
LEFT, TOP, GAP, RIGHT, FOOT = 48, 44, 56, 90, 44
LINE = 14  # pixels between two names, at least

Curves = dict[str, list[list[Point]]]


def main() -> None:
    known: dict[str, list[Point]] = json.loads(CURVES.read_text())
    pools: dict[str, Curves] = {}
    for key, run in sorted(known.items()):
        pool, name, _ = key.split()
        pools.setdefault(pool, {}).setdefault(name, []).append(run)
    tones = dict(zip(sorted(soonest(pools)), COLOURS, strict=True)) | {"uniform": GREY}
    whole = len(pools) * (WIDE + LEFT + RIGHT) + (len(pools) - 1) * GAP
    inside = []
    for place, (pool, curves) in enumerate(pools.items()):
        left = LEFT + place * (WIDE + LEFT + RIGHT + GAP)
        inside.append(f'<g transform="translate({left} {TOP})">')
        inside += [*panel(pool, curves, tones), "</g>"]
    text = "\n".join(inside)
    DRAWN.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {HIGH + TOP + FOOT}"'
        ' font-family="system-ui, sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{text}\n</svg>\n'
    )


def soonest(pools: Mapping[str, Curves]) -> list[str]:
    """As many curricula as there are colours."""
    shares = json.loads(RESULT.read_text())
    late = {
        name: fmean(shares[f"rollout_share_{pool}_{name}"] or 1.0 for pool in pools)
        for name in next(iter(pools.values()))
        if name != "uniform"
    }
    return sorted(late, key=late.__getitem__)[: len(COLOURS)]


def panel(pool: str, curves: Curves, tones: dict[str, str]) -> Iterator[str]:
    scores = [score for runs in curves.values() for run in runs for _, score, _ in run]
    low, high = min(scores) - 0.01, max(scores) + 0.01
    last = max(run[-1][0] for runs in curves.values() for run in runs)

    def at(replies: float, score: float) -> str:
        return f"{replies / last * WIDE:.1f},{(high - score) / (high - low) * HIGH:.1f}"

    yield f'<text y="-20" font-size="15" font-weight="600" fill="#1d1d1f">{pool} pool</text>'
    yield f'<text y="{HIGH + 34}" fill="{GREY}">replies, with those that estimate pass rates</text>'
    for tenth in range(int(low * 20) + 1, int(high * 20) + 1):
        y = at(0, tenth / 20).partition(",")[2]
        yield f'<line x2="{WIDE}" y1="{y}" y2="{y}" stroke="#e4e4e8"/>'
        yield f'<text x="-8" y="{y}" dy="4" text-anchor="end" fill="{GREY}">{tenth * 5}%</text>'
    for replies in range(0, int(last) + 1, 2000):
        x = at(replies, low).partition(",")[0]
        yield f'<text x="{x}" y="{HIGH + 16}" text-anchor="middle" fill="{GREY}">{replies:,}</text>'
    goal = at(0, fmean(end_of(run) for run in curves["uniform"])).partition(",")[2]
    yield f'<line x2="{WIDE}" y1="{goal}" y2="{goal}" stroke="{GREY}" stroke-dasharray="4 4"/>'
    named = {name: runs for name, runs in curves.items() if name in tones}
    for name in sorted(curves.keys() - named.keys()):
        line = " ".join(at(*point[:2]) for point in mean_curve(curves[name]))
        yield f'<polyline points="{line}" fill="none" stroke="#c9c9cf" stroke-width="1.2"/>'
    for name, runs in named.items():
        points = list(zip(*runs, strict=True))
        edges = [
            [
                at(fmean(n for n, _, _ in each), end(score for _, score, _ in each))
                for each in points
            ]
            for end in (max, min)
        ]
        band = " ".join(edges[0] + edges[1][::-1])
        yield f'<polygon points="{band}" fill="{tones[name]}" fill-opacity="0.1"/>'
    for name, runs in named.items():
        line = " ".join(at(*point[:2]) for point in mean_curve(runs))
        yield f'<polyline points="{line}" fill="none" stroke="{tones[name]}" stroke-width="2.2"/>'
    ends = {
        name: float(at(*mean_curve(runs)[-1][:2]).partition(",")[2]) for name, runs in named.items()
    }
    for name, down in apart(ends):
        yield f'<text x="{WIDE + 8}" y="{down:.1f}" dy="4" fill="{tones[name]}">{name}</text>'


def apart(ends: dict[str, float]) -> Sequence[tuple[str, float]]:
    """The heights of the lines' names, moved down where one would stand on another."""
    found: list[tuple[str, float]] = []
    for name, y in sorted(ends.items(), key=lambda each: each[1]):
        found.append((name, max(y, found[-1][1] + LINE) if found else y))
    return found


if __name__ == "__main__":
    main()
