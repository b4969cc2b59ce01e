"""The page of one item, with all that is known of it and an answer to try."""

import json
from collections.abc import Mapping
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
from puzzlemill.outputs.charts import meter, percent, rate_word
from puzzlemill.outputs.finished_build import item_rate
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.outputs.templates import fill
from puzzlemill.outputs.texts import PROOFS, clip
from puzzlemill.outputs.viewer.catalogue import Catalogue, place_of, rows_at
from puzzlemill.outputs.viewer.notes import MARKS, notes_file, notes_on
from puzzlemill.outputs.viewer.page_parts import (
    LONGEST,
    Site,
    catalogue_at,
    drawing_of,
    item_address,
    outcome_of,
    prompt_pieces,
    reply_parts,
    tabs_of,
)
from puzzlemill.outputs.viewer.row_query import (
    RowQuery,
    matches,
    query_string,
    read_query,
)
from puzzlemill.outputs.viewer.verdicts import replies_in, shards_of

STEPS = 10  # seconds that a worked solution may take


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
        tabs=tabs_of(site, number),
        number=number,
        query=query,
        row=row,
        uid=uid,
        outcome=outcome_of(row),
        fate=fate(row),
        pieces=prompt_pieces(row, number),
        drawing=drawing_of(row),
        answer=clip(row["answer"] or "", LONGEST),
        proof=PROOFS.get(row["certificate"], row["certificate"]),
        rate=rate,
        meter=rate and meter(rate),
        history=history_of(row["history"]),
        knobs=_knobs(row["knobs"]),
        puzzle=clip(_pretty(row["puzzle"]), LONGEST),
        parent=parent and item_address(number, parent, RowQuery()),
        replies=[reply_parts(each) for each in replies_in(catalogue, uid)],
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


def python_of(row: Mapping[str, Any]) -> str:
    """Lines of Python that make the item again."""
    address = {part: row[part] for part in (*PARTS, "level")}
    return (
        f"import puzzlemill as pm\n\nitem = pm.item({address!r})\n"
        'print(item.prompt, pm.check(item, f"<answer>{item.answer}</answer>"))\n'
    )


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


def verdict_on(row: Mapping[str, Any], said: Mapping[str, str]) -> Verdict:
    """The verdict on what was typed, from a worker process with a limit on time and memory."""
    text = said["text"]
    if said["as"] == "answer" and answer_text(text) is None:
        text = f"<answer>{text}</answer>"
    return judge_in_workers([row], [text])[0]


def worked_steps(row: Mapping[str, Any]) -> list[str] | str:
    """The lines of a worked solution, or why there are none."""
    call = (row["family"], row["version"], row["puzzle"])
    result = pool.run("puzzlemill.outputs.viewer.item_page:steps_of", [call], seconds=STEPS)[0]
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
