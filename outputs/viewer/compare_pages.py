"""The pages of two builds: what differs, and one item in both."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from puzzlemill.outputs.charts import changes, percent, rate_word
from puzzlemill.outputs.finished_build import Rate, item_rate
from puzzlemill.outputs.templates import fill
from puzzlemill.outputs.viewer.catalogue import catalogue_of, place_of, rows_at
from puzzlemill.outputs.viewer.comparison import KINDS, by_family, changed_rows, compare, totals
from puzzlemill.outputs.viewer.page_parts import (
    LISTED,
    PAGE,
    Site,
    catalogue_at,
    drawing_of,
    item_address,
    natural,
    outcome_of,
    prompt_pieces,
    reply_parts,
    snippet_of,
    tabs_of,
)
from puzzlemill.outputs.viewer.row_query import (
    RowQuery,
    query_string,
)
from puzzlemill.outputs.viewer.verdicts import replies_in, shards_of


def compare_page(site: Site, parameters: Mapping[str, str]) -> str:
    """What differs between the two builds."""
    builds = compare(*(catalogue_of(folder) for folder in site.folders))
    kind = parameters.get("kind", "") if parameters.get("kind", "") in KINDS else ""
    name = parameters.get("family", "")
    numbers = changed_rows(builds, kind, name)
    pages = max(1, -(-len(numbers) // PAGE))
    page = min(natural(parameters.get("page", ""), 1), pages)
    shown = numbers[(page - 1) * PAGE : page * PAGE]
    sides = [
        dict(zip(places, rows_at(catalogue, places, LISTED), strict=True))
        for catalogue, places in (
            (builds.before, [old for old, _ in shown if old is not None]),
            (builds.after, [new for _, new in shown if new is not None]),
        )
    ]
    query = RowQuery(family=name)

    def address(to: int) -> str:
        return query_string(query, kind=kind, page=to)

    return fill(
        "viewer/compare.jinja",
        title="Compare",
        tabs=tabs_of(site, "compare"),
        names=(builds.before.name, builds.after.name),
        policies=(builds.before.manifest["policy"], builds.after.manifest["policy"]),
        totals=totals(builds),
        kinds=KINDS,
        kind=kind,
        name=name,
        families=[_family_row(row) for row in by_family(builds)],
        rows=[_changed(sides, old, new) for old, new in shown],
        count=len(numbers),
        page=page,
        pages=pages,
        before=address(page - 1) if page > 1 else None,
        after=address(page + 1) if page < pages else None,
    )


def _family_row(row: dict[str, Any]) -> dict[str, Any]:
    rates = row["rates"]
    pair = rates and tuple(Rate(mean, mean, mean) for mean in rates)
    return row | {"rates": rates and [percent(rate) for rate in rates], "pair": pair}


def _changed(
    sides: Sequence[Mapping[int, Mapping[str, Any]]], old: int | None, new: int | None
) -> dict[str, Any]:
    before = None if old is None else sides[0][old]
    after = None if new is None else sides[1][new]
    row = after or before
    assert row, "a row is in one of the builds"
    rates = [each and item_rate(each) for each in (before, after)]
    first, second = rates
    both = (first, second) if first and second else None
    return {
        "uid": row["uid"],
        "family": row["family"],
        "level": row["level"],
        "address": f"/compare/item/{quote(row['uid'], safe='')}",
        "snippet": snippet_of(row),
        "outcomes": [each and outcome_of(each) for each in (before, after)],
        "rates": [rate and rate_word(rate) for rate in rates],
        "chart": changes([both], [row["uid"]]) if both else "",
    }


def pair_page(site: Site, uid: str) -> str | None:
    """One item in both builds: its prompt once, and what was said to it side by side."""
    sides, row, holder = [], None, 0
    for number in range(2):
        catalogue = catalogue_at(site, number)
        place = place_of(catalogue, uid)
        own = None if place is None else rows_at(catalogue, [place])[0]
        row, holder = (own, number) if own else (row, holder)
        sides.append(
            {
                "name": catalogue.name,
                "policy": catalogue.manifest["policy"],
                "address": own and item_address(number, uid, RowQuery()),
                "outcome": own and outcome_of(own),
                "rate": own and item_rate(own),
                "replies": [reply_parts(each) for each in replies_in(catalogue, uid)],
                "kept_replies": shards_of(catalogue) is not None,
            }
        )
    if row is None:
        return None
    return fill(
        "viewer/pair.jinja",
        title=uid,
        tabs=tabs_of(site, "compare"),
        row=row,
        drawing=drawing_of(row),
        pieces=prompt_pieces(row, holder),
        sides=sides,
        rate_word=rate_word,
    )
