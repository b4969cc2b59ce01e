"""How far verdicts can be trusted: the errors of each family's verifier on these items."""

from typing import Any

from puzzlemill.outputs.finished_build import FinishedBuild
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.truth import trust


def of_build(build: FinishedBuild) -> dict[str, Any] | None:
    return trust(build.manifest.get("truth") or {}, build.manifest.get("versions"))


TEMPLATE = """\
{% macro table(rows) %}
  <div class="wide" tabindex="0"><table>
    <tr><th>family</th><th>right replies refused</th><th>ρ₁</th><th>wrong replies paid</th>\
<th>ρ₀</th>{% if audited %}<th>in the audit</th>{% endif %}</tr>
    {% for row in rows %}
    <tr><td>{{ row.family }}</td>{% if "failed" in row %}<td colspan="\
{{ 5 if audited else 4 }}">{{ row.failed }}</td>{% else %}<td>{{ row.refused | number }} of \
{{ row.right | number }}</td><td>{{ row.rho1 }}</td><td>{{ row.paid | number }} of \
{{ row.wrong | number }}</td><td>{{ row.rho0 }}</td>{% if audited %}<td>{{ row.audit or "–" }}\
</td>{% endif %}{% endif %}</tr>
    {% endfor %}
  </table></div>
{% endmacro %}
  <p class="lede">Each family's verifier was tried on {{ tried | number }} replies in all to this \
build's own items. {% if errors %}It erred on {{ errors | number }}.{% else %}It never erred.\
{% endif %}{% if accuracy is not none and detection is not none %} {{ "%.2f%%" | format(100 * \
detection) }} of the wrong replies were refused (detection rate); for {{ "%.2f%%" | \
format(100 * accuracy) }} of the items all of them were (verifier accuracy).{% endif %} Behind \
each rate stands the upper end of its 90% interval.{% if audited %} The last column is how often \
the audit of all families found an error, on items of its own.{% endif %}</p>
  {% set first = (faulty, shown) | min %}
  {% if first %}{{ table(rows[:first]) }}{% endif %}
  {% if rows | length > first %}
  <details class="rest"><summary>{{ (rows | length - first) | number }} {{ "more " if first }}\
families{{ " without an error" if first == faulty }}</summary>{{ table(rows[first:]) }}</details>
  {% endif %}
"""

SECTION = Section(150, "How far the verdicts can be trusted", TEMPLATE, "Trust", of_build=of_build)
