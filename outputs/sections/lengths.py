"""Lengths of prompts, and of kept replies by verdict and category, in tokens where known."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from puzzlemill.outputs.charts import span
from puzzlemill.outputs.finished_build import FinishedBuild, rows_at
from puzzlemill.outputs.groups import group_by
from puzzlemill.outputs.reply_files import reply_batches, reply_shards
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.templates import SHOWN

BATCH = 200  # items whose replies are read at once
PROMPTS = 2000  # that are measured, about, spread over all there are
ENDS = (0.1, 0.5, 0.9)  # quantiles that a chart shows


def lengths(build: FinishedBuild) -> dict[str, Any] | None:
    """None where the build has no item."""
    if not build.rows:
        return None
    replies = list(_replies(build))
    counted = [reply for reply in replies if reply["tokens"] is not None]
    unit = "tokens" if counted else "characters"
    measured = counted or replies
    return {
        "prompts": _quantiles(_prompts(build)),
        "unit": unit,
        "replies": len(replies),
        "measured": len(measured),
        "verdicts": _by(measured, "status", unit),
        "groups": _charted(_by(measured, "category", unit)),
        "families": _by(measured, "family", unit)[:SHOWN],
    }


def _prompts(build: FinishedBuild) -> list[int]:
    """Characters of some prompts."""
    some = build.rows[:: len(build.rows) // PROMPTS + 1]
    rows = rows_at([row["at"] for row in some], ["uid", "prompt"])
    return [sum(len(message["content"] or "") for message in row["prompt"] or ()) for row in rows]


def _replies(build: FinishedBuild) -> Iterable[dict[str, Any]]:
    """The kept replies without their texts."""
    shards = reply_shards(build.folder, build.manifest)
    origin = {row["uid"]: (row["family"], row["category"]) for row in build.scored}
    for path in (path for paths in shards.rounds for path in paths) if shards else ():
        for row in (row for batch in reply_batches(path, BATCH) for row in batch):
            family, category = origin.get(row["uid"], ("", ""))
            for reply in row["replies"] or ():
                if family and reply["text"]:  # one that was lost on the way has none
                    known = {name: reply[name] for name in ("tokens", "finished", "status")}
                    known |= {"family": family, "category": category}
                    yield known | {"characters": len(reply["text"])}


def _by(replies: Sequence[Mapping[str, Any]], column: str, unit: str) -> list[dict[str, Any]]:
    """The replies in groups, those with the longest first."""
    rows = [
        {
            "name": name,
            "count": len(group),
            "ends": _quantiles([reply[unit] for reply in group]),
            "cut_off": sum(not reply["finished"] for reply in group) / len(group),
        }
        for name, group in group_by(replies, column).items()
    ]
    return sorted(rows, key=lambda row: (-row["ends"][1], row["name"]))


def _quantiles(values: Sequence[int]) -> list[int]:
    # By ranks, so that every figure is the length of one.
    found = np.quantile(values, ENDS, method="inverted_cdf") if values else ()
    return [int(value) for value in found]


def _charted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    longest = max((row["ends"][-1] for row in rows), default=0)
    return [row | {"chart": span(row["ends"], longest, row["name"])} for row in rows]


TEMPLATE = """\
  {% macro table(heading, rows) %}
  <div class="wide" tabindex="0"><table>
  <tr><th>{{ heading }}</th><th>replies</th><th>10%</th><th>median</th><th>90%</th>\
<th>cut off</th></tr>
  {% for row in rows %}
  <tr><td>{{ row.name }}</td><td>{{ row.count | number }}</td>{% for each in row.ends %}\
<td>{{ each | number }}</td>{% endfor %}<td>{{ row.cut_off | percent }}</td></tr>
  {% endfor %}
  </table></div>
  {% endmacro %}
  <p class="lede">The median prompt has {{ prompts[1] | number }} characters, and nine of ten \
have at most {{ prompts[2] | number }}.\
{% if not replies %} The build kept no replies, so their lengths are not known: set \
<span class="mono">keep_replies = true</span> in <span class="mono">[score]</span>.\
{% elif unit == "characters" %} Replies are measured in characters: the policy's engine counts \
no tokens.{% elif measured < replies %} Replies are measured in tokens: {{ measured | number }} \
of {{ replies | number }}, since the others were not counted.\
{% else %} Replies are measured in tokens.{% endif %}</p>
  {% if replies %}
  {{ table("verdict", verdicts) }}
  <h3 class="under">By category, in {{ unit }}: from 10% to 90%, with the median</h3>
  <div class="rows close">
    {% for row in groups %}
    <div class="row ended"><div class="name">{{ row.name }}</div>{{ row.chart | safe }}\
<div class="end"><b>{{ row.ends[1] | number }}</b>{% if row.cut_off %}, \
{{ row.cut_off | percent }} cut off{% endif %}</div></div>
    {% endfor %}
  </div>
  <details><summary>The families with the longest replies</summary>
  {{ table("family", families) }}</details>
  {% endif %}
"""

SECTION = Section(74, "How long prompts and replies are", TEMPLATE, "Lengths", of_build=lengths)
