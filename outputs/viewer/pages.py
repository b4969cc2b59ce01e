"""The viewer's pages: what each shows, from a build's rows to HTML."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from puzzlemill.core import registry
from puzzlemill.core.address import PARTS
from puzzlemill.core.guard import Failure
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.replies import answer_text
from puzzlemill.core.rows import fate
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import parsed
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.scoring import judge_in_workers
from puzzlemill.outputs.charts import changes, counted_bins, meter, percent, rate_word
from puzzlemill.outputs.finished_build import Rate, item_rate, kind_of
from puzzlemill.outputs.row_drawings import row_drawing
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.outputs.templates import fill
from puzzlemill.outputs.texts import PROOFS, clip
from puzzlemill.outputs.viewer.catalogue import Catalogue, Numbers, catalogue_of, place_of, rows_at
from puzzlemill.outputs.viewer.comparison import KINDS, by_family, changed_rows, compare, totals
from puzzlemill.outputs.viewer.notes import MARKS, mark_of, notes_file, notes_on
from puzzlemill.outputs.viewer.row_query import (
    SORTS,
    RowQuery,
    counts,
    matches,
    query_string,
    read_query,
)
from puzzlemill.outputs.viewer.typeset import typeset
from puzzlemill.outputs.viewer.verdicts import replies_in, shards_of, verdict_counts

PAGE = 25  # rows
BINS = 10  # of a histogram
SNIPPET = 220  # characters of a prompt in the list
LONGEST = 200_000  # characters of any text that a page shows
STEPS = 10  # seconds that a worked solution may take
_LISTED = ["uid", "family", "level", "trials", "successes", "mean", "low", "high", "dropped"]
_LISTED += ["prompt", "images.list.element.path"]


@dataclass(frozen=True, slots=True)
class Site:
    """One build to look at, or an earlier and a later one."""

    folders: tuple[Path, ...]


def catalogue_at(site: Site, number: int) -> Catalogue:
    return catalogue_of(site.folders[number])


def _tabs(site: Site, current: int | str) -> list[dict[str, Any]]:
    names = [catalogue_of(folder).name for folder in site.folders]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in site.folders]
    tabs = [
        {"name": name, "address": f"/{place}/", "current": current == place}
        for place, name in enumerate(names)
    ]
    if len(names) > 1:
        tabs.append({"name": "Compare", "address": "/compare", "current": current == "compare"})
    return tabs


def items_page(site: Site, number: int, parameters: Mapping[str, str]) -> str:
    """A page of the rows that match the query."""
    catalogue, query = catalogue_at(site, number), read_query(parameters)
    page = _natural(parameters.get("page", ""), 1)
    matching = matches(catalogue, query, page * PAGE + 1)
    pages = max(1, -(-len(matching.places) // PAGE))
    page = min(page, pages)
    places = matching.places[(page - 1) * PAGE : page * PAGE].tolist()
    rows = rows_at(catalogue, places, _LISTED)
    return fill(
        "viewer/items.jinja",
        title=catalogue.name,
        tabs=_tabs(site, number),
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
    for name, column in (("Pass rate", "mean"), ("Level", "level")):
        values = catalogue.measured[column][places]
        bins, _ = np.histogram(values[~np.isnan(values)], BINS, (0.0, 1.0))
        if bins.any():
            charts.append((name, counted_bins(bins.tolist(), name.lower())))
    return charts


def python_of(row: Mapping[str, Any]) -> str:
    """Lines of Python that make the item again."""
    address = {part: row[part] for part in (*PARTS, "level")}
    return (
        f"import puzzlemill as pm\n\nitem = pm.item({address!r})\n"
        'print(item.prompt, pm.check(item, f"<answer>{item.answer}</answer>"))\n'
    )


def _natural(text: str, least: int) -> int:
    return max(least, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else least


def _choices(catalogue: Catalogue, query: RowQuery) -> list[dict[str, Any]]:
    """The filters that choose one of several, with how many rows each choice would leave."""
    counted = counts(catalogue, query)
    filters = [
        ("family", "Family", "all families", counted["family"]),
        ("outcome", "Outcome", "kept or turned away", counted["outcome"]),
        ("split", "Split", "all splits", counted["split"]),
        ("tag", "Tag", "all tags", counted["tags"]),
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


def outcome_of(row: Mapping[str, Any]) -> str:
    name = fate(row)
    return kind_of(row["dropped"]) if name == "rejected" else name


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
        "snippet": _snippet(row),
        "picture": picture_address(number, row["uid"], 0) if row["images"] else None,
    }


def _snippet(row: Mapping[str, Any]) -> str:
    text = " ".join(" ".join(message["content"] or "" for message in row["prompt"] or ()).split())
    return _shortened(text.replace("<image>", "").strip())


def _shortened(text: str) -> str:
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rsplit(' ', 1)[0]} …"


def item_address(number: int, uid: str, query: RowQuery) -> str:
    return f"/{number}/item/{quote(uid, safe='')}{query_string(query)}"


def picture_address(number: int, uid: str, which: int) -> str:
    return f"/{number}/picture/{quote(uid, safe='')}/{which}.png"


def item_page(
    site: Site, number: int, uid: str, parameters: Mapping[str, str], said: Mapping[str, str] | None
) -> str | None:
    """One item with all its columns; `said` is an answer to check. None: no such item."""
    catalogue, query = catalogue_at(site, number), read_query(parameters)
    place = place_of(catalogue, uid)
    if place is None:
        return None
    row = rows_at(catalogue, [place])[0]
    if row["uid"] != uid:
        return None  # the files have changed under us
    rate = item_rate(row)
    parent = row["parent"]
    if parent and place_of(catalogue, parent) is None:
        parent = None
    with_steps = bool(parameters.get("steps"))
    return fill(
        "viewer/item.jinja",
        title=uid,
        tabs=_tabs(site, number),
        number=number,
        query=query,
        row=row,
        uid=uid,
        outcome=outcome_of(row),
        fate=fate(row),
        pieces=_pieces(row, number),
        drawing=_drawing(row),
        answer=clip(row["answer"] or "", LONGEST),
        proof=PROOFS.get(row["certificate"], row["certificate"]),
        rate=rate,
        meter=rate and meter(rate),
        history=history_of(row["history"]),
        knobs=_knobs(row["knobs"]),
        puzzle=clip(_pretty(row["puzzle"]), LONGEST),
        parent=parent and item_address(number, parent, RowQuery()),
        replies=[_reply(each) for each in replies_in(catalogue, uid)],
        kept_replies=shards_of(catalogue) is not None,
        steps=worked_steps(row) if with_steps else None,
        address=query_string(query, steps="1" if with_steps else ""),
        with_steps=query_string(query, steps="1"),
        back=f"/{number}/{query_string(query)}",
        said=said,
        verdict=said and verdict_on(row, said),
        percent=percent,
        rate_word=rate_word,
        code=python_of(row),
        notes=notes_on(catalogue.folder).get(uid, ()),
        notes_file=notes_file(catalogue.folder),
        marks=MARKS,
        note_address=f"/{number}/note/{quote(uid, safe='')}{query_string(query)}",
        **_neighbours(catalogue, number, place, query, "1" if with_steps else ""),
    )


def _drawing(row: Mapping[str, Any]) -> str:
    """Without the styles of its elements, which the policy on content forbids."""
    return re.sub(r' style="[^"]*"', "", row_drawing(row))


def _pieces(row: Mapping[str, Any], number: int) -> list[dict[str, str]]:
    """The prompt as texts and pictures."""
    return [
        piece | {"address": picture_address(number, row["uid"], int(piece["text"]))}
        if piece["kind"] == "picture"
        else piece | {"text": clip(piece["text"], LONGEST)}
        for piece in typeset(row["prompt"])
    ]


def _neighbours(
    catalogue: Catalogue, number: int, place: int, query: RowQuery, steps: str
) -> dict[str, Any]:
    """The items before and after among those that match."""
    matching = matches(catalogue, query, 1)
    at = np.flatnonzero(matching.places == place)
    if not len(at):
        return {"position": None, "count": 0, "before": None, "after": None}
    position = int(at[0])
    if position + 1 == len(matching.places) and not matching.whole:
        matching = matches(catalogue, query, position + 2)

    def address(other: int) -> str | None:
        if not 0 <= other < len(matching.places):
            return None
        uid = catalogue.uids[int(matching.places[other])].as_py()
        return f"/{number}/item/{quote(uid, safe='')}{query_string(query, steps=steps)}"

    return {
        "position": position + 1,
        "count": len(matching.places),
        "before": address(position - 1),
        "after": address(position + 1),
    }


def _knobs(text: str | None) -> list[str]:
    knobs = parsed(text or "{}")
    return [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in knobs.items()]


def _pretty(text: str | None) -> str:
    return json.dumps(parsed(text or "{}"), indent=1, ensure_ascii=False)


def _reply(reply: Mapping[str, Any]) -> dict[str, Any]:
    text = reply["text"] or ""
    answer = answer_text(text)
    return {
        **reply,
        "text": clip(text, LONGEST),
        "answer": None if answer is None else _shortened(" ".join(answer.split())),
    }


def verdict_on(row: Mapping[str, Any], said: Mapping[str, str]) -> Verdict:
    """The verdict on what was typed, from a worker process with a limit on time and memory."""
    text = said["text"]
    if said["as"] == "answer" and answer_text(text) is None:
        text = f"<answer>{text}</answer>"
    return judge_in_workers([row], [text])[0]


def worked_steps(row: Mapping[str, Any]) -> list[str] | str:
    """The lines of a worked solution, or why there are none."""
    call = (row["family"], row["version"], row["puzzle"])
    result = pool.run("puzzlemill.outputs.viewer.pages:steps_of", [call], seconds=STEPS)[0]
    if isinstance(result, Failure):
        return result.reason
    lines: list[str] | None = result
    if lines is None:
        return "this family writes no worked solutions"
    return [clip(line, LONGEST) for line in lines]


def steps_of(name: str, version: int, puzzle: str) -> list[str] | None:
    """Runs in a worker process; None where the family has no steps."""
    family = registry.family(name)
    if family.version != version:
        raise ValueError(f"made by version {version} of {name}; this is version {family.version}")
    return family.steps(thaw(family.puzzle, puzzle)) if family.steps else None


def compare_page(site: Site, parameters: Mapping[str, str]) -> str:
    """What differs between the two builds."""
    builds = compare(*(catalogue_of(folder) for folder in site.folders))
    kind = parameters.get("kind", "") if parameters.get("kind", "") in KINDS else ""
    name = parameters.get("family", "")
    numbers = changed_rows(builds, kind, name)
    pages = max(1, -(-len(numbers) // PAGE))
    page = min(_natural(parameters.get("page", ""), 1), pages)
    shown = numbers[(page - 1) * PAGE : page * PAGE]
    sides = [
        dict(zip(places, rows_at(catalogue, places, _LISTED), strict=True))
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
        tabs=_tabs(site, "compare"),
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
        "snippet": _snippet(row),
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
                "replies": [_reply(each) for each in replies_in(catalogue, uid)],
                "kept_replies": shards_of(catalogue) is not None,
            }
        )
    if row is None:
        return None
    return fill(
        "viewer/pair.jinja",
        title=uid,
        tabs=_tabs(site, "compare"),
        row=row,
        drawing=_drawing(row),
        pieces=_pieces(row, holder),
        sides=sides,
        rate_word=rate_word,
    )
