"""The report: one self-contained HTML page for a build."""

from pathlib import Path
from typing import Any

from puzzlemill.core.files import write_text
from puzzlemill.outputs.charts import Part, bar, rate_scale
from puzzlemill.outputs.finished import Finished, finished
from puzzlemill.outputs.learned import drift, learning, regeneration, training
from puzzlemill.outputs.samples import samples
from puzzlemill.outputs.sections import by_family, cell_map, consistency, fates, order, spread
from puzzlemill.outputs.templates import HERE, date_of, fill, toml
from puzzlemill.outputs.truth import trust

STYLES = ("look.css", "report.css")


def write_report(folder: Path) -> None:
    """Write report.html. The same build gives the same bytes."""
    write_text(folder / "report.html", page(finished(folder)))


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
        order=order(build),
        consistency=consistency(build),
        drift=drift(build),
        training=training(build.beside("training.json")),
        learning=learning(build.folder / "training" / "metrics.jsonl"),
        regeneration=regeneration(build.beside("regeneration.json")),
        bands=samples(build),
        trust=trust(build.manifest.get("truth") or {}),
        cost=cost(build) if timed else {"rows": []},
        recipe=toml(build.manifest["recipe"]),
    )


def cost(build: Finished) -> dict[str, Any]:
    """Replies spent, and the seconds of each step that this run made."""
    timings = build.beside("timings.json") or {}
    spent = {step: each["seconds"] for step, each in timings.items()}
    total = sum(spent.values())
    order_of_steps = [step for step in build.manifest["steps"] if step in spent]
    rows = [
        {
            "step": step,
            "seconds": spent[step],
            "rows": timings[step]["rows"],
            "chart": bar([Part(step, spent[step], "kept")], max(spent.values()), 10, " s"),
        }
        for step in sorted(order_of_steps, key=lambda step: -spent[step])
    ]
    return {"rows": rows, "seconds": total}
