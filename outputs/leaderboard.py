"""The page of one evaluation, or of several side by side."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import read_json, write_json, write_text
from puzzlemill.outputs.charts import CENTRED, along, chart, percent, tag, title
from puzzlemill.outputs.templates import FOLDER, fill, fill_text

STYLES = ("look.css", "report.css", "leaderboard.css")
SHOWN = 12  # families in a list
HEIGHT, FOOT = 260, 24  # of the plot by difficulty, and of its axis
NEEDED = ("policy", "level", "categories", "families", "by_difficulty", "replies")

Run = Mapping[str, Any]


def write_leaderboard(evaluations: Sequence[Path], page: Path) -> None:
    """Write a page, and beside it the same as JSON, of finished evaluations: folders, or files that
    are a result.json under another name."""
    runs = [_read(path) for path in evaluations]
    runs.sort(key=lambda run: (-run["level"]["mean"], run["policy"]))
    write_text(page, page_of(runs))
    if len(runs) > 1:
        write_json(page.with_suffix(".json"), [_summary(run) for run in runs])


def _read(evaluation: Path) -> dict[str, Any]:
    alone = evaluation.is_file()
    path = evaluation if alone else evaluation / "result.json"
    if not path.is_file():
        raise UserError(
            f"{evaluation}: no result.json of an evaluation; finish it, or name another"
        )
    result = read_json(path)
    if not isinstance(result, dict) or any(name not in result for name in NEEDED):
        raise UserError(f"{path}: not the result of an evaluation")
    return {**result, "name": evaluation.stem if alone else evaluation.resolve().name}


def _summary(run: Run) -> dict[str, Any]:
    names = ("name", "policy", "test", "seed", "public", "level", "categories", "replies")
    return {name: run[name] for name in names}


def page_of(runs: Sequence[Run]) -> str:
    style = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in STYLES)
    pieces = [
        ("levels", "Levels", LEVELS, {"rows": [_level_row(run) for run in runs]}),
        ("difficulty", "By difficulty", DIFFICULTY, _difficulty(runs)),
        ("categories", "Categories", CATEGORIES, _categories(runs)),
        ("families", "Families", FAMILIES, _families(runs)),
        ("replies", "Replies", REPLIES, {"rows": [_fates(run) for run in runs]}),
        ("again", "Asked again", AGAIN, {"rows": _again(runs)}),
        ("games", "Games", GAMES, {"rows": _games(runs)}),
        ("samples", "Samples", SAMPLES, {"runs": runs}),
    ]
    sections = [
        {
            "name": name,
            "link": link,
            "html": tag("section", fill_text(template, **values), id=name),
        }
        for name, link, template, values in pieces
        if any(values.values())
    ]
    return fill(
        "leaderboard.jinja",
        style=style,
        name=runs[0]["policy"] if len(runs) == 1 else "leaderboard",
        runs=runs,
        same=len({_asked(run) for run in runs}) == 1,
        families=max(len(run["families"]) for run in runs),
        private=not any(run["public"] for run in runs),
        sections=sections,
    )


def _asked(run: Run) -> str:
    """What two runs must share to be compared: the families with their versions, and the items
    where these are fixed."""
    return json.dumps([run.get("versions"), sorted(run["families"]), run.get("items", "")])


def _level_row(run: Run) -> dict[str, Any]:
    replies = run["replies"]
    tokens = replies["tokens"] / max(replies["replies"], 1)
    return {
        "name": run["name"],
        "policy": run["policy"],
        "bar": _interval(run["level"]),
        "text": _text(run["level"]),
        "items": replies["items"],
        "tokens": f"{tokens:,.0f}" if tokens else "–",
        "cost": _cost(replies.get("dollars")),
    }


def _cost(dollars: float | None) -> str:
    if dollars is None:
        return ""
    return f", ${dollars:,.2f}" if dollars >= 0.01 else ", less than 1 cent"


def _interval(level: Mapping[str, float]) -> str:
    """A point with its interval on a line from 0 to 1."""
    low, middle, high = (along(level[name]) for name in ("low", "mean", "high"))
    return chart(
        _text(level),
        22,
        title(_text(level)),
        tag("line", class_="rail", x1="0%", x2="100%", y1=11, y2=11),
        tag("line", class_="reach", x1=low, x2=high, y1=11, y2=11),
        tag("circle", class_="after", cx=middle, cy=11, r=5),
    )


def _text(level: Mapping[str, float]) -> str:
    return f"{level['mean']:.2f} ({level['low']:.2f} to {level['high']:.2f})"


def _difficulty(runs: Sequence[Run]) -> dict[str, Any]:
    """Pass rate by level of difficulty: a line for each policy, with its interval."""
    marks = [
        tag("line", class_="rule", x1="0%", x2="100%", y1=_y(share), y2=_y(share))
        + tag("text", percent(share), class_="tick", x="0%", y=_y(share) - 4)
        for share in (0.0, 0.5, 1.0)
    ]
    for number, run in enumerate(runs):
        points = run["by_difficulty"]
        tone = f"tone{number % 6}"
        area = [(each["level"], each["high"]) for each in points]
        area += [(each["level"], each["low"]) for each in reversed(points)]
        line = [(each["level"], each["mean"]) for each in points]
        inside = tag("path", d=_path(area) + "Z", class_=f"between {tone}")
        inside += tag("path", title(run["policy"]), d=_path(line), class_=f"course {tone}")
        box = {"viewBox": f"0 0 1000 {HEIGHT}", "preserveAspectRatio": "none"}
        marks.append(tag("svg", inside, x="0", y="0", width="100%", height=HEIGHT, **box))
    ends = (("start", "0%", "easiest"), ("middle", "50%", "level"), ("end", "100%", "hardest"))
    marks += [
        tag("text", text, class_="tick", x=x, y=HEIGHT + FOOT - 6, text_anchor=anchor)
        for anchor, x, text in ends
    ]
    names = [{"name": run["name"], "tone": f"tone{at % 6}"} for at, run in enumerate(runs)]
    return {"plot": chart("pass rate by difficulty", HEIGHT + FOOT, *marks), "names": names}


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{1000 * x:.1f} {_y(y):.1f}" for x, y in points)


def _y(share: float) -> float:
    return 6 + (HEIGHT - 12) * (1 - share)


def _categories(runs: Sequence[Run]) -> dict[str, Any]:
    names = sorted({name for run in runs for name in run["categories"]})
    rows = [
        {"name": name, "cells": [_cell(run["categories"].get(name)) for run in runs]}
        for name in names
    ]
    return {"columns": [run["name"] for run in runs], "rows": rows}


def _cell(level: Mapping[str, Any] | None) -> str:
    """A rate with its interval beneath."""
    if level is None:
        return "–"
    low, middle, high = (along(level[name]) for name in ("low", "mean", "high"))
    counts = f"{level['right']} of {level['items']} items right"
    return chart(
        _text(level),
        34,
        title(f"{_text(level)}; {counts}"),
        tag("text", escape(f"{level['mean']:.2f}"), x="50%", y=14, **CENTRED),
        tag("line", class_="rail thin", x1="0%", x2="100%", y1=26, y2=26),
        tag("line", class_="reach", x1=low, x2=high, y1=26, y2=26),
        tag("circle", class_="after", cx=middle, cy=26, r=3),
    )


def _families(runs: Sequence[Run]) -> dict[str, Any]:
    """Of one policy, what it is best and worst at; of several, where they differ most, which tells
    most of them, and what is hardest for all."""
    shared = set.intersection(*({*run["families"]} for run in runs))
    asked = [name for name in sorted(shared) if all(run["families"][name]["items"] for run in runs)]
    rates = {name: [run["families"][name]["mean"] for run in runs] for name in asked}
    if len(runs) > 1:
        ranked = sorted(asked, key=lambda name: float(np.ptp(rates[name])), reverse=True)
        hardest = sorted(asked, key=lambda name: float(np.mean(rates[name])))
        lists = [
            ("Most telling: where they differ most", ranked[:SHOWN]),
            ("Hardest for all", hardest[: min(SHOWN, len(hardest) // 2)]),
        ]
    else:
        ranked = sorted(asked, key=lambda name: rates[name][0])
        half = len(ranked) // 2
        easiest = ranked[::-1][: min(SHOWN, half)]
        lists = [("Hardest for it", ranked[:half][:SHOWN]), ("Easiest for it", easiest)]
    tables = [
        {
            "head": head,
            "rows": [
                {"name": name, "cells": [_cell(run["families"][name]) for run in runs]}
                for name in names
            ],
        }
        for head, names in lists
        if names
    ]
    return (
        {"columns": [run["name"] for run in runs], "tables": tables} if tables else {"tables": ()}
    )


FATES = ("correct", "partial", "wrong", "unparsed", "cut_off", "refused", "error")


def _fates(run: Run) -> dict[str, Any]:
    replies = run["replies"]
    total = max(replies["replies"], 1)
    return {
        "name": run["name"],
        "replies": replies["replies"],
        "shares": [percent(replies[name] / total) for name in FATES],
    }


def _again(runs: Sequence[Run]) -> list[dict[str, Any]]:
    return [
        {"name": run["name"], "way": way, **counts}
        for run in runs
        for way, counts in run.get("again", {}).items()
        if counts["pairs"]
    ]


def _games(runs: Sequence[Run]) -> list[dict[str, Any]]:
    return [{"name": run["name"], **game} for run in runs for game in run.get("games", ())]


LEVELS = """\
  <h2>Levels</h2>
  <div class="rows">
    {% for row in rows %}
    <div class="row ended"><div class="name">{{ row.name }}<small class="break">{{ row.policy }}\
</small></div>{{ row.bar | safe }}<div class="end"><b>{{ row.text }}</b> <br>\
{{ row["items"] | number }} items, {{ row.tokens }} tokens a reply{{ row.cost }}</div></div>
    {% endfor %}
  </div>
"""
DIFFICULTY = """\
  <h2>Pass rate by difficulty</h2>
  <div class="plot">{{ plot | safe }}</div>
  {% if names | length > 1 %}
  <div class="legend small">{% for each in names %}<span><i class="dot {{ each.tone }}"></i>\
{{ each.name }}</span>{% endfor %}</div>
  {% endif %}
"""
_TABLE = """\
  <div class="wide" tabindex="0"><table class="cells">
    <tr><th>{{ what }}</th>{% for head in columns %}<th>{{ head }}</th>{% endfor %}</tr>
    {% for row in rows %}
    <tr><td>{{ row.name | words }}</td>{% for cell in row.cells %}<td>{{ cell | safe }}</td>\
{% endfor %}</tr>
    {% endfor %}
  </table></div>
"""
CATEGORIES = """\
  <h2>Categories</h2>
  <p class="lede">Families that were not asked are estimated from others of their category.</p>
""" + _TABLE.replace("{{ what }}", "category")
FAMILIES = (
    """\
  <h2>Families</h2>
  <p class="lede">Of those that were asked. Most have a reply or two: read the intervals.</p>
  {% for table in tables %}{% set rows = table.rows %}
  <h3 class="under">{{ table.head }}</h3>
"""
    + _TABLE.replace("{{ what }}", "family")
    + """\
  {% endfor %}
"""
)
REPLIES = """\
  <h2>What became of the replies</h2>
  <div class="wide" tabindex="0"><table>
    <tr><th>policy</th><th>replies</th><th>right</th><th>partly</th><th>wrong</th>\
<th>no answer</th><th>cut off</th><th>refused</th><th>our error</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.name }}</td><td>{{ row.replies | number }}</td>{% for share in row.shares %}\
<td>{{ share }}</td>{% endfor %}</tr>
    {% endfor %}
  </table></div>
  <p class="axis soft">A refusal is told by its words. Our errors count as no reply.</p>
"""
AGAIN = """\
  <h2>The same, asked again</h2>
  <p class="lede">How often both are right or both wrong, and how often they would be by chance.\
 A policy that reasons agrees more often than chance.</p>
  <div class="wide" tabindex="0"><table>
    <tr><th>policy</th><th>asked again</th><th>pairs</th><th>right</th><th>right again</th>\
<th>agree</th><th>by chance</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.name }}</td><td>{{ row.way }}</td><td>{{ row.pairs | number }}</td>\
<td>{{ row.right | percent }}</td><td>{{ row.right_again | percent }}</td>\
<td>{{ row.agreement | percent }}</td><td>{{ row.by_chance | percent }}</td></tr>
    {% endfor %}
  </table></div>
"""
GAMES = """\
  <h2>Games</h2>
  <div class="wide" tabindex="0"><table>
    <tr><th>game</th><th>policy</th><th>against</th><th>won</th><th>drawn</th><th>lost</th>\
<th>by an illegal move</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.game | words }}</td><td>{{ row.name }}</td><td>{{ row.opponent }}</td>\
<td>{{ row.won }}</td><td>{{ row.drawn }}</td><td>{{ row.lost }}</td><td>{{ row.illegal }}</td>\
</tr>
    {% endfor %}
  </table></div>
"""
SAMPLES = """\
  <h2>Sample replies</h2>
  {% for run in runs %}
  {% if runs | length > 1 %}<h3 class="under">{{ run.name }}</h3>{% endif %}
  {% for each in run.samples %}
  <details><summary>{{ each.family | words }}, level {{ each.level }}: {{ each.status }}</summary>
  <pre class="prompt">{{ each.prompt }}</pre><pre>{{ each.reply }}</pre></details>
  {% endfor %}
  {% endfor %}
"""
