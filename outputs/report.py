"""The report: one self-contained HTML page for a build, or for a training run without one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import puzzlemill
from puzzlemill.core.storage.files import read_json, write_text
from puzzlemill.outputs.advice import advice
from puzzlemill.outputs.calibration import calibration
from puzzlemill.outputs.charts import Part, bar, foretold, rate_scale
from puzzlemill.outputs.finished import Finished, finished
from puzzlemill.outputs.learned import drift, games, learning, regeneration, training
from puzzlemill.outputs.manifest import rounds_in
from puzzlemill.outputs.samples import samples
from puzzlemill.outputs.sections import (
    by_family,
    by_level,
    cell_map,
    consistency,
    fates,
    order,
    spread,
    turned_away,
)
from puzzlemill.outputs.templates import HERE, date_of, fill, toml
from puzzlemill.outputs.truth import trust

SHOWN = 24  # families; the others are there when asked for
STYLES = ("look.css", "report.css")


def write_report(folder: Path, ready: Finished | None = None) -> None:
    """Write report.html. The same build gives the same bytes."""
    built = ready or (folder / "manifest.json").is_file()
    written = page(ready or finished(folder)) if built else page_of_run(folder)
    write_text(folder / "report.html", written)


def page(build: Finished, timed: bool = True) -> str:
    """The whole page; a section that has no data is None, and the template leaves it out.

    Seconds tell of one run on one machine: published pages are without.
    """
    return fill(
        "report.jinja",
        style=_style(),
        manifest=build.manifest,
        nothing=advice(build),
        date=date_of(build.manifest["started"]),
        fates=fates(build),
        cells=cell_map(build),
        scale=rate_scale(),
        spread=spread(build),
        sorted_out=by_family(build),
        levels=by_level(build),
        turned_away=turned_away(build),
        against=len((build.manifest["recipe"].get("decontaminate") or {}).get("against") or ()),
        calibrated=_calibrated(build),
        order=order(build),
        consistency=consistency(build),
        drift=drift(build),
        training=training(build.beside("training.json")),
        learning=learning(build.folder / "training"),
        regeneration=regeneration(build.beside("regeneration.json")),
        bands=samples(build),
        trust=trust(build.manifest.get("truth") or {}, build.manifest.get("versions")),
        shown=SHOWN,
        steps=steps_of(build.manifest),
        cost=cost(build) if timed else {"rows": []},
        recipe=toml(build.manifest["recipe"]),
    )


def page_of_run(folder: Path) -> str:
    """Of a run that learned from endless items, or from games."""
    told = read_json(folder / "training.json")
    return fill(
        "run.jinja",
        style=_style(),
        name=folder.name,
        told=told,
        games=games(told.get("games", ())),
        training=training(told),
        learning=learning(folder / "training"),
        shown=SHOWN,
        version=puzzlemill.__version__,
        recipe=toml(read_json(folder / "recipe.json")),
    )


def _style() -> str:
    return "".join((HERE / name).read_text(encoding="utf-8") for name in STYLES)


_AFTER = ("arrange", "write", "truth")  # what follows the steps that each row goes through


def _calibrated(build: Finished) -> dict[str, Any] | None:
    found = calibration(build)
    if found is None:
        return None
    points = [(each.foretold, each.came) for each in found.bins]
    return {"found": found, "chart": foretold(points)}


def cost(build: Finished) -> dict[str, Any]:
    """Replies spent, and the seconds of each step that this run made."""
    timings = build.beside("timings.json") or {}
    spent = {step: each["seconds"] for step, each in timings.items()}
    total = sum(spent.values())
    together: dict[str, float] = {}
    rounds = rounds_in(build.manifest)
    for step in [*build.manifest["steps"], *_AFTER]:
        if step in spent:
            name = "ask" if step in rounds else step
            together[name] = round(together.get(name, 0.0) + spent[step], 3)
    longest = max(together.values(), default=0.0)
    rows = [
        {
            "step": name,
            "seconds": seconds,
            "chart": bar([Part(name, seconds, "kept")], longest, 10, " s"),
        }
        for name, seconds in sorted(together.items(), key=lambda each: -each[1])
    ]
    asking = sum(each["seconds"] for each in timings.values() if each.get("asks"))
    kept = build.manifest["counts"].get("kept", 0)
    return {
        "rows": rows,
        "seconds": total,
        "asking": asking,
        "replies_each": build.manifest["replies"] / kept if kept else None,
        "seconds_each": total / kept if kept else None,
        "partly": any(each["found"] for each in timings.values()),
    }


def steps_of(manifest: Mapping[str, Any]) -> str:
    """The steps with their versions; the rounds of asking, which are alike, as one."""
    steps, rounds = manifest["steps"], rounds_in(manifest)
    told = [f"{step} v{each['version']}" for step, each in steps.items() if step not in rounds]
    if rounds:
        many = f"{len(rounds)} rounds" if len(rounds) > 1 else "1 round"
        told.append(f"ask v{steps[rounds[0]]['version']}, {many}")
    return ", ".join(sorted(told))
