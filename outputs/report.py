"""The report: one self-contained HTML page for a build."""

from pathlib import Path
from typing import Any

from puzzlemill.core.files import write_text
from puzzlemill.outputs.calibration import calibration
from puzzlemill.outputs.charts import Part, bar, foretold, rate_scale
from puzzlemill.outputs.finished import Finished, finished
from puzzlemill.outputs.learned import drift, learning, regeneration, training
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

STYLES = ("look.css", "report.css")


def write_report(folder: Path, ready: Finished | None = None) -> None:
    """Write report.html. The same build gives the same bytes."""
    write_text(folder / "report.html", page(ready or finished(folder)))


def page(build: Finished, timed: bool = True) -> str:
    """The whole page; a section that has no data is None, and the template leaves it out.

    Seconds tell of one run on one machine: published pages are without.
    """
    return fill(
        "report.jinja",
        style="".join((HERE / name).read_text(encoding="utf-8") for name in STYLES),
        manifest=build.manifest,
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
        learning=learning(build.folder / "training" / "metrics.jsonl"),
        regeneration=regeneration(build.beside("regeneration.json")),
        bands=samples(build),
        trust=trust(build.manifest.get("truth") or {}, build.manifest.get("versions")),
        cost=cost(build) if timed else {"rows": []},
        recipe=toml(build.manifest["recipe"]),
    )


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
    order_of_steps = [step for step in [*build.manifest["steps"], *_AFTER] if step in spent]
    rows = [
        {
            "step": step,
            "seconds": spent[step],
            "rows": timings[step]["rows"],
            "chart": bar([Part(step, spent[step], "kept")], max(spent.values()), 10, " s"),
        }
        for step in sorted(order_of_steps, key=lambda step: -spent[step])
    ]
    asking = sum(spent[step] for step in spent if asks(step))
    kept = build.manifest["counts"].get("kept", 0)
    return {
        "rows": rows,
        "seconds": total,
        "asking": asking,
        "replies_each": build.manifest["replies"] / kept if kept else None,
        "seconds_each": total / kept if kept else None,
        "partly": any(each["found"] for each in timings.values()),
    }


def asks(step: str) -> bool:
    """Whether a step's time is the policy's, on whatever device that runs."""
    return step.startswith("ask") or step in ("signal", "guess", "hint")
