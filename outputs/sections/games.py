"""What the policy wins in games, before and after training."""

from collections.abc import Mapping, Sequence
from typing import Any

from puzzlemill.outputs.sections import Section, TrainingRun


def games(run: TrainingRun) -> dict[str, Any] | None:
    rows = game_rows(run.record.get("games", ()))
    return {"steps": run.record["steps"], "rows": rows} if rows else None


def game_rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What the policy won, lost by an illegal move and got on average, before and after."""
    return [
        {
            "game": row["game"],
            "level": f"{row['level']:g}",
            "against": row["against"],
            "seat": str(row["seat"] + 1),
            "won": _shares(row, "won"),
            "illegal": _shares(row, "illegal"),
            "result": _shares(row, "reward"),
        }
        for row in records
    ]


def _shares(row: Mapping[str, Any], name: str) -> str:
    """Of all games: before and after."""
    before, after = (row[when][name] / row[when]["games"] for when in ("before", "after"))
    return f"{before:.2f} → {after:.2f}"


TEMPLATE = """\
  <p class="lede">Games on starts that were not played in training, before and after \
{{ steps | number }} steps: the share that it won, the share that it lost by an illegal move, and \
its mean result.</p>
  <div class="wide" tabindex="0"><table>
    <tr><th>game</th><th>level</th><th>against</th><th>seat</th><th>won</th><th>illegal</th>\
<th>result</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.game }}</td><td>{{ row.level }}</td><td>{{ row.against }}</td>\
<td>{{ row.seat }}</td><td>{{ row.won }}</td><td>{{ row.illegal }}</td>\
<td>{{ row.result }}</td></tr>
    {% endfor %}
  </table></div>
"""

SECTION = Section(90, "What it plays", TEMPLATE, "Games", of_run=games)
