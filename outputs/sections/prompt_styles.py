"""What a prompt style does to pass rates: the same items in two styles, under the same weights."""

from collections.abc import Mapping
from typing import Any

from puzzlemill.difficulty.policies.policy import prompt_form
from puzzlemill.outputs.finished_build import FinishedBuild, rate_of
from puzzlemill.outputs.groups import group_by
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.outputs.sections import Section


def other_form(row: Mapping[str, Any], earlier: Mapping[str, Any]) -> bool:
    """Whether an earlier score is of prompts of another form."""
    return prompt_form(earlier.get("policy") or "")[1] != prompt_form(row["policy"] or "")[1]


def styles(build: FinishedBuild) -> dict[str, Any] | None:
    pairs = []
    for row in build.scored:
        policy, form = prompt_form(row["policy"] or "")
        for earlier in reversed(history_of(row["history"])):
            same, before = prompt_form(earlier.get("policy") or "")
            if same == policy and before != form:
                which = before, form, row["family"]
                pairs.append({**row, "of": which, "earlier": earlier["mean"]})
                break
    if not pairs:
        return None
    rows = []
    for (before, form, family), group in sorted(group_by(pairs, "of").items()):
        first = rate_of([{**each, "mean": each["earlier"]} for each in group])
        rows.append(
            {
                "family": family,
                "before": before,
                "form": form,
                "of": len(group),
                "first": first.mean,
                "second": rate_of(group).mean,
            }
        )
    return {"rows": rows, "count": len(pairs)}


TEMPLATE = """\
  <p class="lede">{{ count | number }} items were scored by the same weights in two prompt \
styles.</p>
  <div class="wide" tabindex="0"><table>
    <tr><th>family</th><th>items</th><th>styles</th><th>pass rates</th></tr>
    {% for row in rows %}
    <tr><td>{{ row.family }}</td><td>{{ row.of | number }}</td>\
<td>{{ row.before }} → {{ row.form }}</td>\
<td>{{ row.first | percent }} → {{ row.second | percent }}</td></tr>
    {% endfor %}
  </table></div>
"""

SECTION = Section(86, "What the prompt style does", TEMPLATE, "Prompt styles", of_build=styles)
