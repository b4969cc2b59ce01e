"""A few items of each kind to look at, as plain words and pictures for the report."""

import io
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from puzzlemill.core.address import digest
from puzzlemill.core.errors import UserError
from puzzlemill.outputs.charts import meter, percent, told
from puzzlemill.outputs.finished import Finished, Rate, Row, whole_row
from puzzlemill.outputs.rollouts import Asked, kept, replies_to

EACH = 2  # items of a band
LONGEST = 1800  # characters of a prompt, an answer or a certificate
WIDEST = 640  # pixels of a picture
HEAVIEST = 1_000_000  # bytes of all pictures together


@dataclass(frozen=True, slots=True)
class Band:
    name: str
    meaning: str
    holds: Callable[[Row], bool]


def _kept(row: Row) -> bool:
    """Whether an item was scored and is kept."""
    return row["fate"] == "kept" and bool(row["trials"])


BANDS = (
    Band(
        "Too easy",
        "Solved too often to learn from, so turned away.",
        lambda row: row["kind"] == "too easy",
    ),
    Band(
        "Kept, easy",
        "Solved more often than two times in three.",
        lambda row: _kept(row) and row["mean"] > 2 / 3,
    ),
    Band(
        "Kept, middle",
        "Where one reply tells most about the next.",
        lambda row: _kept(row) and 1 / 3 <= row["mean"] <= 2 / 3,
    ),
    Band(
        "Kept, hard",
        "Solved less often than one time in three.",
        lambda row: _kept(row) and row["mean"] < 1 / 3,
    ),
    Band(
        "Kept",
        "Certified; no policy was asked.",
        lambda row: row["fate"] == "kept" and not row["trials"],
    ),
    Band(
        "Frontier",
        "Never solved, though certified: put by for a stronger policy.",
        lambda row: row["fate"] == "frontier",
    ),
    Band(
        "Not scored",
        "The policy could not take these, or was not asked.",
        lambda row: row["fate"] == "unscored",
    ),
)


def samples(build: Finished) -> list[dict[str, Any]]:
    """Each band that has items, with a few of them, from as many families as can be."""
    seen: Counter[str] = Counter()
    room = [HEAVIEST]
    asked = kept(build.folder, build.manifest)
    bands = []
    for band in BANDS:
        chosen = _varied(filter(band.holds, build.rows), seen)
        if chosen:
            items = [_shown(whole_row(row), room, asked) for row in chosen]
            bands.append({"name": band.name, "meaning": band.meaning, "shown": items})
    return bands


def _varied(rows: Iterable[Row], seen: Counter[str]) -> list[Row]:
    """A few rows by chance, of the families that have been shown least."""
    first: dict[str, tuple[str, Row]] = {}
    for row in rows:
        family, here = row["family"], digest(row["uid"])
        if family not in first or here < first[family][0]:
            first[family] = here, row
    left = [row for _, row in sorted(first.values(), key=lambda each: each[0])]
    chosen = sorted(left, key=lambda row: seen[row["family"]])[:EACH]
    seen.update(row["family"] for row in chosen)
    return chosen


def _shown(row: dict[str, Any], room: list[int], asked: Asked | None) -> dict[str, Any]:
    rate = Rate(row["mean"], row["low"], row["high"]) if row["trials"] else None
    return {
        "uid": row["uid"],
        "family": words(row["family"]),
        "level": row["level"],
        "prompt": _pieces(row, room),
        "answer": clipped(row["answer"] or ""),
        "proof": PROOFS.get(row["certificate"], row["certificate"]),
        "solver": row["solver"],
        "meter": rate and meter(rate),
        "told": rate and f"{row['successes']} of {row['trials']} replies right. {told(rate)}.",
        "rate": rate and percent(rate.mean),
        "replies": _told_apart(replies_to(asked, row["uid"])) if asked else [],
    }


def _told_apart(replies: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """The first reply of each verdict."""
    first: dict[str, str] = {}
    for reply in replies:
        first.setdefault(reply["status"], clipped(reply["text"] or ""))
    return [{"status": status, "text": text} for status, text in first.items()]


PROOFS = {
    "constructed": "sound by construction",
    "solved": "solved independently",
    "unique": "proved to have one answer only",
}


def _pieces(row: Row, room: list[int]) -> list[dict[str, str]]:
    """The prompt as texts and pictures, in the order in which a policy gets them."""
    pictures = [image["bytes"] for image in row["images"] or ()]
    pieces = []
    for message in row["prompt"]:
        for text in message["content"].split("<image>"):
            pieces.append({"text": clipped(text.strip("\n")), "picture": ""})
            if pictures:
                pieces.append({"text": "", "picture": _data_url(pictures.pop(0), row["uid"], room)})
    return [piece for piece in pieces if any(piece.values())]


def _data_url(png: bytes, uid: str, room: list[int]) -> str:
    """A picture inside the page, made smaller if it is wide; nothing where no room is left."""
    try:
        with Image.open(io.BytesIO(png)) as picture:
            if picture.width > WIDEST:
                buffer = io.BytesIO()
                size = (WIDEST, max(1, picture.height * WIDEST // picture.width))
                picture.convert("RGB").resize(size).save(buffer, "PNG", optimize=True)
                png = min(png, buffer.getvalue(), key=len)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UserError(f"the picture of {uid} cannot be read: {error}; build it again") from None
    if len(png) > room[0]:
        return ""
    room[0] -= len(png)
    return "data:image/png;base64," + b64encode(png).decode()


def clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … and {len(text) - LONGEST:,} characters more"


def words(name: str) -> str:
    """A family's name for reading: `max_flow` as `max flow`."""
    return name.replace("_", " ")
