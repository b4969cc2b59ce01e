"""Big builds: items a second, memory, efficiency, and how cost grows with the number of items.

    python benchmarks/pipeline/run.py [SIZE]... [--builds FOLDER]

Builds text items of all families that costs.json has (`cells.py` writes it), at three levels, more
of what costs little, by `runner = "processes"` and without a policy. Ended in the middle, it
goes on where it stopped when it is run again: what each run took is kept beside the build and added
up. Verifiers are probed in the largest build only: what that costs depends on the families. The
figures of each size go to sizes.json beside this file, the curve to growth.svg. In result.json
stand those of the largest, with what chaos.json and the benchmark of sampling have found; `--told`
writes it anew and builds nothing.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, starmap
from math import log, log10
from pathlib import Path
from threading import Event, Thread
from typing import Any

from puzzlemill import pipelines
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import write_json, write_text
from puzzlemill.difficulty.mixtures import quotas
from puzzlemill.pipelines.recipe import Recipe, recipe_from
from puzzlemill.pipelines.shards import Done

HERE = Path(__file__).parent
RESULT, BY_SIZE, CURVE, COSTS = (
    HERE / name for name in ("result.json", "sizes.json", "growth.svg", "costs.json")
)
OTHERS = {  # what else result.json tells
    HERE / "chaos.json": ("chaos_rounds", "chaos_differences"),
    HERE.parent / "sampling" / "result.json": ("sampling_ratio_transformers",),
}
SIZES = (10_000, 100_000, 1_000_000)
DEAR = 0.0004  # CPU seconds an item, beyond which fewer are made: a cell's time is as if it were so
EVERY = 2.0  # seconds between two looks at the processes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--builds", type=Path, default=Path("builds"))
    parser.add_argument("--told", action="store_true", help="write result.json anew, and stop")
    parser.add_argument("--alone", action="store_true", help="one size, in this process")
    parser.add_argument("--probe", action="store_true", help="probe verifiers too, when alone")
    asked = parser.parse_args()
    if asked.alone:
        measure(asked.sizes[0], asked.builds, asked.probe)
        return
    sizes = () if asked.told else asked.sizes
    for size in sizes:  # a process each, so that memory is that of one build
        command = [sys.executable, __file__, "--alone", "--builds", str(asked.builds), str(size)]
        probe = ["--probe"] if size == max(asked.sizes) else []
        subprocess.run([*command, *probe], check=True)
    tell()
    print(RESULT.read_text())


def recipe_for(size: int) -> Recipe:
    """So many items: the same number in each cell, but fewer where an item costs much."""
    costs = json.loads(COSTS.read_text())
    cells = [
        (name, float(level), min(1.0, DEAR / seconds))
        for name, levels in sorted(costs.items())
        for level, seconds in levels.items()
    ]
    counts = quotas([weight for _, _, weight in cells], size)
    makes = [
        {"families": [name], "levels": [level], "count": count}
        for (name, level, _), count in zip(cells, counts, strict=True)
        if count
    ]
    return recipe_from(
        {
            "name": f"pipeline-{size}",
            "runner": "processes",
            "make": makes,
            "policy": {"kind": "none"},
        }
    )


def measure(size: int, builds: Path, probe: bool) -> None:
    recipe = replace(recipe_for(size), verifier_probes=4 if probe else 0)
    folder, workers = builds / recipe.name, pool.cores()
    spent = folder / "spent" / f"{os.getpid()}.json"
    kept: dict[str, float] = {"busy": 0.0}  # seconds that workers were at shards
    seen: dict[int, tuple[float, float]] = {}  # by process: CPU seconds, and MiB held at most
    written = [0.0]

    def tell(done: Done, _: int) -> None:
        # Verifiers are probed by as many processes as there are workers, in one go.
        seconds = done.seconds * (workers if done.step == "truth" else 1) * done.made
        if done.step in ("write", "truth"):
            look(seen)
            now = sum(cpu for cpu, _ in seen.values())
            # What probing takes depends on the families and not on the items.
            kept["cpu_probes"] = now - written[-1] if done.step == "truth" else 0.0
            written.append(now)
        kept["busy"] += seconds
        kept[done.step] = kept.get(done.step, 0.0) + seconds

    over, start = Event(), time.monotonic()

    def keep() -> None:
        cpu, held = seen.get(os.getpid(), (0.0, 0.0))
        write_json(
            spent,
            {
                "wall": time.monotonic() - start,
                "cpu": sum(each for each, _ in seen.values()),
                "cpu_parent": cpu,
                "rss_mib_parent": held,
                "rss_mib": max((each for _, each in seen.values()), default=0.0),
                **kept,
            },
        )

    def watch() -> None:
        while not over.wait(EVERY):
            look(seen)
            keep()

    watcher = Thread(target=watch)
    watcher.start()
    try:
        pipelines.build(recipe, builds, tell=tell)
    finally:
        over.set()
        watcher.join()
        look(seen)
        keep()
    add(size, figures(folder, workers))


def look(seen: dict[int, tuple[float, float]]) -> None:
    """CPU seconds and the most MiB ever held, of this process and all that come from it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            if entry.name.isdigit():
                parents[int(entry.name)] = int(_stat(entry)[1])
    ours = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    for each in ours:
        with suppress(OSError, ValueError, IndexError):
            entry = Path("/proc", str(each))
            user, system = _stat(entry)[11:13]
            held = int((entry / "status").read_text().split("VmHWM:")[1].split()[0]) / 1024
            seen[each] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK"), held


def _stat(entry: Path) -> list[str]:
    """What the system tells of a process, from its state on."""
    return (entry / "stat").read_text().rpartition(")")[2].split()


def figures(folder: Path, workers: int) -> dict[str, float]:
    runs = [json.loads(path.read_text()) for path in sorted((folder / "spent").glob("*.json"))]
    total = {name: sum(run.get(name, 0.0) for run in runs) for name in {*runs[0], *runs[-1]}}
    manifest = json.loads((folder / "manifest.json").read_text())
    made = manifest["counts"]["made"]
    held = {name: sum(path.stat().st_size for path in paths) for name, paths in _files(folder)}
    return {
        "items": made,
        "items_kept": manifest["counts"]["kept"],
        "families": len(manifest["families"]),
        "workers": workers,
        "runs": len(runs),
        "wall_seconds": round(total["wall"], 1),
        "cpu_seconds": round(total["cpu"], 1),
        "items_per_wall_second": round(made / total["wall"], 1),
        "items_per_cpu_second": round(made / total["cpu"], 1),
        "cpu_seconds_probes": round(total.get("cpu_probes", 0.0), 1),
        "cpu_seconds_an_item": round(total["cpu"] / made, 6),
        "efficiency": round(total["busy"] / (total["wall"] * workers), 4),
        "efficiency_cpu": round(1 - total["cpu_parent"] / total["cpu"], 4),
        "rss_mib_max": round(max(run["rss_mib"] for run in runs)),
        "rss_mib_parent": round(max(run["rss_mib_parent"] for run in runs)),
        "bytes_an_item_dataset": round(held["dataset"] / made, 1),
        "bytes_an_item_stages": round(held["stages"] / made, 1),
    }


def _files(folder: Path) -> list[tuple[str, list[Path]]]:
    return [
        (name, [path for path in (folder / name).rglob("*") if path.is_file()])
        for name in ("dataset", "stages")
    ]


def add(size: int, found: dict[str, float]) -> None:
    """What a build of this size took, beside the others."""
    known = json.loads(BY_SIZE.read_text()) if BY_SIZE.is_file() else {}
    write_json(BY_SIZE, {**known, str(size): found})


def tell() -> None:
    """The largest build's figures, how the cost has grown up to it, and what others measured."""
    known = sorted(json.loads(BY_SIZE.read_text()).values(), key=lambda each: each["items"])
    flat: dict[str, Any] = dict(known[-1])
    if len(known) > 1:
        flat["growth_exponent"] = slope(known[0], known[-1])
        flat["growth_exponent_steepest"] = max(starmap(slope, pairwise(known)))
    for path, names in OTHERS.items():
        figures = json.loads(path.read_text()) if path.is_file() else {}
        flat |= {name: figures[name] for name in names if name in figures}
    write_json(RESULT, flat)
    write_text(CURVE, curve(known))


def slope(low: dict[str, float], high: dict[str, float]) -> float:
    """By which power of the items the CPU seconds have grown, those of probing left out."""
    more, less = (each["cpu_seconds"] - each["cpu_seconds_probes"] for each in (high, low))
    times = log(more / less)
    return round(times / log(high["items"] / low["items"]), 4)


def curve(known: list[dict[str, float]]) -> str:
    """CPU seconds over items, both by powers of ten, and a line of slope one through the last."""
    wide, high, margin = 560, 400, 60
    last = known[-1]

    def at(items: float, seconds: float) -> tuple[float, float]:
        x, y = log10(items), log10(seconds)
        return (
            margin + (x - 4) / 2 * (wide - 2 * margin),
            high - margin - (y - 1) / 3 * (high - 2 * margin),
        )

    def text(place: tuple[float, float], said: str, anchor: str = "middle") -> str:
        return f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{anchor}">{said}</text>'

    rate = last["cpu_seconds"] / last["items"]
    ends = [at(items, rate * items) for items in (known[0]["items"], last["items"])]
    ideal = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
    points = [at(each["items"], each["cpu_seconds"]) for each in known]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{wide}" height="{high}" fill="white"/>',
        text((wide / 2, 24), "CPU seconds of a build by its items; the grey line grows as they do"),
        f'<polyline points="{ideal}" fill="none" stroke="#bbb"/>',
        f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none"'
        ' stroke="#266ebe" stroke-width="2"/>',
    ]
    for (x, y), each in zip(points, known, strict=True):
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#266ebe"/>')
        lines.append(text((x, y - 10), f"{each['cpu_seconds']:,.0f} s"))
        lines.append(text((x, high - margin + 20), f"{each['items']:,.0f}"))
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
