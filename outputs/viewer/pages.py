"""The viewer's pages: what each shows, from a build's rows to HTML."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from puzzlemill.core.guard import Failure
from puzzlemill.core.plain_data import thaw
from puzzlemill.core.registry import family
from puzzlemill.core.replies import answer_text
from puzzlemill.core.rows import fate
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import parsed
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.scoring import judge_in_workers
from puzzlemill.outputs.charts import changes, meter, percent, told
from puzzlemill.outputs.finished import Rate, kind_of
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.outputs.samples import PROOFS
from puzzlemill.outputs.templates import fill
from puzzlemill.outputs.viewer.comparing import KINDS, by_family, chosen, paired, totals
from puzzlemill.outputs.viewer.shelf import Shelf, place_of, rows_at, shelf_of
from puzzlemill.outputs.viewer.typeset import typeset
from puzzlemill.outputs.viewer.verdicts import asked_of, replies_in, verdict_counts
from puzzlemill.outputs.viewer.wishes import SORTS, Wish, counts, found, wish_of
from puzzlemill.outputs.viewer.wishes import told as address_of

PAGE = 25  # rows
SNIPPET = 220  # characters of a prompt in the list
LONGEST = 200_000  # characters of any text that a page shows
STEPS = 10  # seconds that a worked solution may take
_LISTED = ["uid", "family", "level", "trials", "successes", "mean", "low", "high", "dropped"]
_LISTED += ["prompt", "images.list.element.path"]


@dataclass(frozen=True, slots=True)
class Site:
    """One build to look at, or an earlier and a later one."""

    folders: tuple[Path, ...]


def shelf_at(site: Site, number: int) -> Shelf:
    return shelf_of(site.folders[number])


def _tabs(site: Site, here: int | str) -> list[dict[str, Any]]:
    names = [shelf_of(folder).name for folder in site.folders]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in site.folders]
    tabs = [
        {"name": name, "address": f"/{place}/", "here": here == place}
        for place, name in enumerate(names)
    ]
    if len(names) > 1:
        tabs.append({"name": "Compare", "address": "/compare", "here": here == "compare"})
    return tabs


def items_page(site: Site, number: int, query: Mapping[str, str]) -> str:
    """A page of the rows that are wished for."""
    shelf, wish = shelf_at(site, number), wish_of(query)
    page = _natural(query.get("page", ""), 1)
    seen = found(shelf, wish, page * PAGE + 1)
    pages = max(1, -(-len(seen.places) // PAGE))
    page = min(page, pages)
    here = seen.places[(page - 1) * PAGE : page * PAGE].tolist()
    rows = rows_at(shelf, here, _LISTED)
    return fill(
        "viewer/items.jinja",
        title=shelf.name,
        tabs=_tabs(site, number),
        number=number,
        shelf=shelf,
        report=(shelf.folder / "report.html").is_file(),
        wish=wish,
        wish_of_nothing=Wish(),
        choices=_choices(shelf, wish),
        sorts=SORTS,
        rows=[_listed(row, number, wish) for row in rows],
        count=len(seen.places),
        seen=seen,
        first=(page - 1) * PAGE + 1,
        page=page,
        pages=pages,
        before=address_of(wish, page=page - 1) if page > 1 else None,
        after=address_of(wish, page=page + 1) if page < pages else None,
        again=address_of(wish, page=page),
        outcomes=_outcomes(shelf),
    )


def _natural(text: str, least: int) -> int:
    return max(least, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else least


def _choices(shelf: Shelf, wish: Wish) -> list[dict[str, Any]]:
    """The filters that choose one of several, with what each choice would leave."""
    counted = counts(shelf, wish)
    found = [
        ("family", "Family", "all families", counted["family"]),
        ("outcome", "Outcome", "kept or turned away", counted["outcome"]),
        ("split", "Split", "all splits", counted["split"]),
        ("tag", "Tag", "all tags", counted["tags"]),
        ("verdict", "Has a reply", "with any verdict", list(verdict_counts(shelf).items())),
    ]
    return [
        {"name": name, "label": label, "none": none, "of": each, "now": getattr(wish, name)}
        for name, label, none, each in found
        if each
    ]


def _outcomes(shelf: Shelf) -> list[tuple[str, int]]:
    column = shelf.named["outcome"]
    counted = zip(column.words, np.bincount(column.numbers).tolist(), strict=True)
    return sorted(counted, key=lambda each: -each[1]) if column.words else []


def _rate(row: Mapping[str, Any]) -> Rate | None:
    return Rate(row["mean"], row["low"], row["high"]) if row["trials"] else None


def outcome_of(row: Mapping[str, Any]) -> str:
    there = fate(row)
    return kind_of(row["dropped"]) if there == "rejected" else there


def _listed(row: Mapping[str, Any], number: int, wish: Wish) -> dict[str, Any]:
    rate = _rate(row)
    text = " ".join(" ".join(message["content"] or "" for message in row["prompt"] or ()).split())
    return {
        "uid": row["uid"],
        "address": item_address(number, row["uid"], wish),
        "family": row["family"],
        "level": row["level"],
        "outcome": outcome_of(row),
        "fate": fate(row),
        "rate": rate and percent(rate.mean),
        "meter": rate and meter(rate),
        "snippet": _shortened(text.replace("<image>", "").strip()),
        "picture": picture_address(number, row["uid"], 0) if row["images"] else None,
    }


def _shortened(text: str) -> str:
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rsplit(' ', 1)[0]} …"


def item_address(number: int, uid: str, wish: Wish) -> str:
    return f"/{number}/item/{quote(uid, safe='')}{address_of(wish)}"


def picture_address(number: int, uid: str, which: int) -> str:
    return f"/{number}/picture/{quote(uid, safe='')}/{which}.png"


def item_page(
    site: Site, number: int, uid: str, query: Mapping[str, str], said: Mapping[str, str] | None
) -> str | None:
    """One item with all that is known of it; `said` is an answer to check. None: no such item."""
    shelf, wish = shelf_at(site, number), wish_of(query)
    place = place_of(shelf, uid)
    if place is None:
        return None
    row = rows_at(shelf, [place])[0]
    if row["uid"] != uid:
        return None  # the files have changed under us
    rate = _rate(row)
    parent = row["parent"] if row["parent"] and place_of(shelf, row["parent"]) is not None else None
    with_steps = bool(query.get("steps"))
    return fill(
        "viewer/item.jinja",
        title=uid,
        tabs=_tabs(site, number),
        number=number,
        wish=wish,
        row=row,
        uid=uid,
        outcome=outcome_of(row),
        fate=fate(row),
        pieces=[
            piece | {"address": picture_address(number, uid, int(piece["text"]))}
            if piece["kind"] == "picture"
            else piece | {"text": clipped(piece["text"])}
            for piece in typeset(row["prompt"])
        ],
        answer=clipped(row["answer"] or ""),
        proof=PROOFS.get(row["certificate"], row["certificate"]),
        rate=rate,
        meter=rate and meter(rate),
        told=rate and told(rate),
        history=history_of(row["history"]),
        knobs=_knobs(row["knobs"]),
        puzzle=clipped(_pretty(row["puzzle"])),
        parent=parent and item_address(number, parent, Wish()),
        replies=[_reply(each) for each in replies_in(shelf, uid)],
        kept_replies=asked_of(shelf) is not None,
        steps=worked_steps(row) if with_steps else None,
        here=address_of(wish, steps="1" if with_steps else ""),
        with_steps=address_of(wish, steps="1"),
        back=f"/{number}/{address_of(wish)}",
        said=said,
        verdict=said and verdict_on(row, said),
        percent=percent,
        **_neighbours(shelf, number, place, wish, "1" if with_steps else ""),
    )


def _neighbours(shelf: Shelf, number: int, place: int, wish: Wish, steps: str) -> dict[str, Any]:
    """The items before and after among those wished for."""
    seen = found(shelf, wish, 1)
    at = np.flatnonzero(seen.places == place)
    if not len(at):
        return {"position": None, "count": 0, "before": None, "after": None}
    position = int(at[0])
    if position + 1 == len(seen.places) and not seen.whole:
        seen = found(shelf, wish, position + 2)

    def address(other: int) -> str | None:
        if not 0 <= other < len(seen.places):
            return None
        uid = shelf.uids[int(seen.places[other])].as_py()
        return f"/{number}/item/{quote(uid, safe='')}{address_of(wish, steps=steps)}"

    return {
        "position": position + 1,
        "count": len(seen.places),
        "before": address(position - 1),
        "after": address(position + 1),
    }


def clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … and {len(text) - LONGEST:,} characters more"


def _knobs(text: str | None) -> list[str]:
    found = parsed(text or "{}")
    return [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in found.items()]


def _pretty(text: str | None) -> str:
    return json.dumps(parsed(text or "{}"), indent=1, ensure_ascii=False)


def _reply(reply: Mapping[str, Any]) -> dict[str, Any]:
    text = reply["text"] or ""
    answer = answer_text(text)
    return {
        **reply,
        "text": clipped(text),
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
    told = pool.run("puzzlemill.outputs.viewer.pages:steps_of", [call], seconds=STEPS)[0]
    if isinstance(told, Failure):
        return told.reason
    lines: list[str] | None = told
    if lines is None:
        return "this family writes no worked solutions"
    return [clipped(line) for line in lines]


def steps_of(name: str, version: int, puzzle: str) -> list[str] | None:
    """What a worker process does: None where the family has no steps."""
    known = family(name)
    if known.version != version:
        raise ValueError(f"made by version {version} of {name}; this is version {known.version}")
    return known.steps(thaw(known.puzzle, puzzle)) if known.steps else None


def compare_page(site: Site, query: Mapping[str, str]) -> str:
    """What differs between the two builds."""
    pair = paired(*(shelf_of(folder) for folder in site.folders))
    kind = query.get("kind", "") if query.get("kind", "") in KINDS else ""
    name = query.get("family", "")
    numbers = chosen(pair, kind, name)
    pages = max(1, -(-len(numbers) // PAGE))
    page = min(_natural(query.get("page", ""), 1), pages)
    shown = numbers[(page - 1) * PAGE : page * PAGE]
    sides = [
        dict(zip(places, rows_at(shelf, places, _LISTED), strict=True))
        for shelf, places in (
            (pair.before, [old for old, _ in shown if old is not None]),
            (pair.after, [new for _, new in shown if new is not None]),
        )
    ]
    asked = Wish(family=name)

    def address(to: int) -> str:
        return address_of(asked, kind=kind, page=to)

    return fill(
        "viewer/compare.jinja",
        title="Compare",
        tabs=_tabs(site, "compare"),
        names=(pair.before.name, pair.after.name),
        policies=(pair.before.manifest["policy"], pair.after.manifest["policy"]),
        totals=totals(pair),
        kinds=KINDS,
        kind=kind,
        name=name,
        families=[_family_row(row) for row in by_family(pair)],
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
    rates = [each and _rate(each) for each in (before, after)]
    first, second = rates
    both = (first, second) if first and second else None
    return {
        "uid": row["uid"],
        "family": row["family"],
        "level": row["level"],
        "address": item_address(1 if after else 0, row["uid"], Wish()),
        "outcomes": [each and outcome_of(each) for each in (before, after)],
        "rates": [rate and percent(rate.mean) for rate in rates],
        "chart": changes([both], [row["uid"]]) if both else "",
    }
