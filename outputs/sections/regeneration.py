"""What regeneration brought: how many items lie in the band of pass rates that it aimed at."""

from typing import Any

from puzzlemill.outputs.charts import Part, bar, level_marks
from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section


def regeneration(build: FinishedBuild) -> dict[str, Any] | None:
    record = build.record("regeneration.json")
    if not record:
        return None
    shares = [
        {
            "when": when,
            "share": share,
            "chart": bar([Part(f"{when}, in the band", round(100 * share, 1), tone)], 100, 18, "%"),
        }
        for when, share, tone in (
            ("before", record["share_before"], "quiet"),
            ("after", record["share_after"], "kept"),
        )
        if share is not None
    ]
    levels = [
        {"family": name, "level": sum(levels) / len(levels), "chart": level_marks(levels)}
        for name, levels in sorted(
            record["levels"].items(), key=lambda each: (-each[1][0], each[0])
        )
    ]
    return {**record, "shares": shares, "levels": levels}


TEMPLATE = """\
  <p class="lede">{{ made | number }} new items were made as <span class="mono break">{{ build }}\
</span>, at levels where the pass rate should lie between {{ low | percent }} and \
{{ high | percent }}. This is the share of items that do lie there.</p>
  <div class="pair">
    {% for each in shares %}
    <div><div class="big {{ "to" if each.when == "after" }}">{{ each.share | percent }}</div>\
{{ each.chart | safe }}<p class="soft">{{ each.when }}</p></div>
    {% endfor %}
  </div>
  <div class="rows">
    {% for row in levels %}
    <div class="row ended"><div class="name">{{ row.family }}</div>{{ row.chart | safe }}\
<div class="end">level {{ "%.2f" | format(row.level) }}</div></div>
    {% endfor %}
  </div>
"""

SECTION = Section(130, "New items in the band", TEMPLATE, "Regeneration", of_build=regeneration)
