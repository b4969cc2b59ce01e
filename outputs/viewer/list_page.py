"""The page of a build's items: filters, histograms and a list."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from puzzlemill.core.rows import fate
from puzzlemill.outputs.charts import counted_bins, meter, percent, rate_word
from puzzlemill.outputs.finished_build import item_rate
from puzzlemill.outputs.templates import fill
from puzzlemill.outputs.viewer.catalogue import Catalogue, Numbers, rows_at
from puzzlemill.outputs.viewer.notes import mark_of, notes_on
from puzzlemill.outputs.viewer.page_parts import (
    LISTED,
    PAGE,
    Site,
    catalogue_at,
    item_address,
    natural,
    outcome_of,
    picture_address,
    snippet_of,
    tabs_of,
)
from puzzlemill.outputs.viewer.reviewed_rows import review_counts
from puzzlemill.outputs.viewer.row_query import (
    SORTS,
    RowQuery,
    counts,
    matches,
    query_string,
    read_query,
)
from puzzlemill.outputs.viewer.verdicts import verdict_counts

BINS = 10  # of a histogram


def items_page(site: Site, number: int, parameters: Mapping[str, str]) -> str:
    """A page of the rows that match the query."""
    catalogue, query = catalogue_at(site, number), read_query(parameters)
    page = natural(parameters.get("page", ""), 1)
    matching = matches(catalogue, query, page * PAGE + 1)
    pages = max(1, -(-len(matching.places) // PAGE))
    page = min(page, pages)
    places = matching.places[(page - 1) * PAGE : page * PAGE].tolist()
    rows = rows_at(catalogue, places, LISTED)
    return fill(
        "viewer/items.jinja",
        title=catalogue.name,
        tabs=tabs_of(site, number),
        number=number,
        catalogue=catalogue,
        report=(catalogue.folder / "report.html").is_file(),
        query=query,
        empty_query=RowQuery(),
        choices=_choices(catalogue, query),
        sorts=SORTS,
        rows=[_listed(row, catalogue.folder, number, query) for row in rows],
        count=len(matching.places),
        matches=matching,
        first=(page - 1) * PAGE + 1,
        page=page,
        pages=pages,
        before=query_string(query, page=page - 1) if page > 1 else None,
        after=query_string(query, page=page + 1) if page < pages else None,
        again=query_string(query, page=page),
        charts=_histograms(catalogue, matching.places),
        found=query_string(query),
        outcomes=_outcomes(catalogue),
    )


def _histograms(catalogue: Catalogue, places: Numbers) -> list[tuple[str, str]]:
    """How what was found is spread over pass rates and levels."""
    charts = []
    for name, column, write in (("Pass rate", "mean", percent), ("Level", "level", "{:g}".format)):
        values = catalogue.measured[column][places]
        bins, _ = np.histogram(values[~np.isnan(values)], BINS, (0.0, 1.0))
        if bins.any():
            charts.append((name, counted_bins(bins.tolist(), name.lower(), write)))
    return charts


def _choices(catalogue: Catalogue, query: RowQuery) -> list[dict[str, Any]]:
    """The filters that choose one of several, with how many rows each choice would leave."""
    counted = counts(catalogue, query)
    filters = [
        ("family", "Family", "all families", counted["family"]),
        ("outcome", "Outcome", "kept or turned away", counted["outcome"]),
        ("split", "Split", "all splits", counted["split"]),
        ("tag", "Tag", "all tags", counted["tags"]),
        ("review", "Notes", "with and without notes", review_counts(catalogue)),
        ("verdict", "Has a reply", "with any verdict", list(verdict_counts(catalogue).items())),
    ]
    return [
        {"name": name, "label": label, "none": none, "of": each, "now": getattr(query, name)}
        for name, label, none, each in filters
        if each
    ]


def _outcomes(catalogue: Catalogue) -> list[tuple[str, int]]:
    column = catalogue.named["outcome"]
    counted = zip(column.words, np.bincount(column.numbers).tolist(), strict=True)
    return sorted(counted, key=lambda each: -each[1]) if column.words else []


def _listed(row: Mapping[str, Any], folder: Path, number: int, query: RowQuery) -> dict[str, Any]:
    rate = item_rate(row)
    notes = notes_on(folder).get(row["uid"], ())
    return {
        "uid": row["uid"],
        "address": item_address(number, row["uid"], query),
        "family": row["family"],
        "level": row["level"],
        "outcome": outcome_of(row),
        "fate": fate(row),
        "rate": rate and rate_word(rate),
        "mark": mark_of(notes),
        "notes": len(notes),
        "meter": rate and meter(rate),
        "snippet": snippet_of(row),
        "picture": picture_address(number, row["uid"], 0) if row["images"] else None,
    }
