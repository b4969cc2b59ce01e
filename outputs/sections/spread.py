"""How the pass rates of the scored items are spread, kept ones apart from the rest."""

from typing import Any

from puzzlemill.outputs.charts import histogram
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section

BINS = 10


def spread(build: FinishedBuild) -> dict[str, Any] | None:
    if not build.scored:
        return None
    counts = {True: [0] * BINS, False: [0] * BINS}
    for row in build.scored:
        counts[row["fate"] == "kept"][min(int(row["mean"] * BINS), BINS - 1)] += 1
    means = [row["mean"] for row in build.of("kept")]
    return {
        "chart": histogram(counts[True], counts[False], ("kept", "not kept")),
        "kept": len(means),
        "middle": sum(0.25 <= mean <= 0.75 for mean in means) / len(means) if means else 0.0,
    }


TEMPLATE = """\
  <p class="lede">Scored items by their estimated pass rate. {% if kept %}{{ middle | percent }} \
of the kept ones lie between 25% and 75%, where a group of replies teaches most.{% endif %}</p>
  <div class="plot">{{ chart | safe }}</div>
  <div class="legend small"><span><i class="dot kept"></i>kept</span>\
<span><i class="dot quiet"></i>scored, not kept</span></div>
"""

SECTION = Section(20, "How hard the problems are", TEMPLATE, "Difficulty", of_build=spread)
