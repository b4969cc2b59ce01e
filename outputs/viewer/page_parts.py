"""Parts that several of the viewer's pages show: tabs, addresses, prompts, replies."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from puzzlemill.core.replies import answer_text
from puzzlemill.core.rows import fate
from puzzlemill.outputs.finished_build import kind_of
from puzzlemill.outputs.row_drawings import row_drawing
from puzzlemill.outputs.texts import clip
from puzzlemill.outputs.viewer.catalogue import Catalogue, catalogue_of
from puzzlemill.outputs.viewer.row_query import (
    RowQuery,
    query_string,
)
from puzzlemill.outputs.viewer.typeset import typeset

PAGE = 25  # rows
SNIPPET = 220  # characters of a prompt in the list
LONGEST = 200_000  # characters of any text that a page shows
LISTED = ["uid", "family", "level", "trials", "successes", "mean", "low", "high", "dropped"]
LISTED += ["prompt", "images.list.element.path"]


@dataclass(frozen=True, slots=True)
class Site:
    """One build to look at, or an earlier and a later one."""

    folders: tuple[Path, ...]


def catalogue_at(site: Site, number: int) -> Catalogue:
    return catalogue_of(site.folders[number])


def tabs_of(site: Site, current: int | str) -> list[dict[str, Any]]:
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


def item_address(number: int, uid: str, query: RowQuery) -> str:
    return f"/{number}/item/{quote(uid, safe='')}{query_string(query)}"


def picture_address(number: int, uid: str, which: int) -> str:
    return f"/{number}/picture/{quote(uid, safe='')}/{which}.png"


def outcome_of(row: Mapping[str, Any]) -> str:
    name = fate(row)
    return kind_of(row["dropped"]) if name == "rejected" else name


def snippet_of(row: Mapping[str, Any]) -> str:
    """The prompt's beginning in a line, without how to answer, which all of a family say."""
    text = "\n".join(message["content"] or "" for message in row["prompt"] or ())
    lines = [" ".join(line.split()) for line in text.replace("<image>", "").splitlines()]
    told = [line for line in lines if line and "<answer>" not in line]
    return shortened(" · ".join(told or filter(None, lines)))


def shortened(text: str) -> str:
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rsplit(' ', 1)[0]} …"


def natural(text: str, least: int) -> int:
    return max(least, int(text)) if text.isascii() and text.isdigit() and len(text) < 10 else least


def drawing_of(row: Mapping[str, Any]) -> str:
    """Without the styles of its elements, which the policy on content forbids."""
    return re.sub(r' style="[^"]*"', "", row_drawing(row))


def prompt_pieces(row: Mapping[str, Any], number: int) -> list[dict[str, str]]:
    """The prompt as texts and pictures."""
    return [
        piece | {"address": picture_address(number, row["uid"], int(piece["text"]))}
        if piece["kind"] == "picture"
        else piece | {"text": clip(piece["text"], LONGEST)}
        for piece in typeset(row["prompt"])
    ]


def reply_parts(reply: Mapping[str, Any]) -> dict[str, Any]:
    text = reply["text"] or ""
    answer = answer_text(text)
    return {
        **reply,
        "text": clip(text, LONGEST),
        "answer": None if answer is None else shortened(" ".join(answer.split())),
    }
