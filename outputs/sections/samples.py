"""A few items of each kind to look at, as a policy gets them, with the gold answer."""

import io
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from puzzlemill.core.address import digest
from puzzlemill.core.errors import UserError
from puzzlemill.outputs.charts import meter, percent
from puzzlemill.outputs.finished_build import FinishedBuild, Rate, Row, item_rate, whole_row
from puzzlemill.outputs.reply_files import ReplyShards, replies_to, reply_shards
from puzzlemill.outputs.row_drawings import row_drawing
from puzzlemill.outputs.sections import Section
from puzzlemill.outputs.texts import PROOFS, clip

EACH = 2  # items of a kind
LONGEST = 6000  # characters of a prompt, an answer or a certificate
WIDEST = 640  # pixels of a picture
HEAVIEST = 1_000_000  # bytes of all pictures together
HEAVIEST_DRAWING = 60_000  # characters


@dataclass(frozen=True, slots=True)
class SampleKind:
    name: str
    meaning: str
    holds: Callable[[Row], bool]
    scored: bool = False  # none but scored items are of it


KINDS = (
    SampleKind(
        "Too easy",
        "Solved too often to learn from, so turned away.",
        lambda row: row["kind"] == "too easy",
    ),
    SampleKind(
        "Kept, easy",
        "Solved more often than two times in three.",
        lambda row: row["fate"] == "kept" and row["mean"] > 2 / 3,
        scored=True,
    ),
    SampleKind(
        "Kept, middle",
        "Where one reply tells most about the next.",
        lambda row: row["fate"] == "kept" and 1 / 3 <= row["mean"] <= 2 / 3,
        scored=True,
    ),
    SampleKind(
        "Kept, hard",
        "Solved less often than one time in three.",
        lambda row: row["fate"] == "kept" and row["mean"] < 1 / 3,
        scored=True,
    ),
    SampleKind(
        "Kept",
        "Certified; no policy was asked.",
        lambda row: row["fate"] == "kept" and not row["trials"],
    ),
    SampleKind(
        "Frontier",
        "Never solved, though certified: put by for a stronger policy.",
        lambda row: row["fate"] == "frontier",
    ),
    SampleKind(
        "Not scored",
        "The policy could not take these, or was not asked.",
        lambda row: row["fate"] == "unscored",
    ),
)


def samples(build: FinishedBuild) -> dict[str, Any] | None:
    """Each kind that has items, with a few of them, from as many families as can be."""
    shown: Counter[str] = Counter()
    room = [HEAVIEST]
    shards = reply_shards(build.folder, build.manifest)
    kinds = []
    for kind in KINDS:
        rows = _varied(filter(kind.holds, build.scored if kind.scored else build.rows), shown)
        if rows:
            items = [_shown(whole_row(row), room, shards) for row in rows]
            kinds.append({"name": kind.name, "meaning": kind.meaning, "shown": items})
    silent = bool(build.scored) and shards is None
    return {"kinds": kinds, "silent": silent} if kinds else None


def _varied(rows: Iterable[Row], shown: Counter[str]) -> list[Row]:
    """A few rows by chance, of the families that have been shown least."""
    first: dict[str, tuple[str, Row]] = {}
    for row in rows:
        family, key = row["family"], digest(row["uid"])
        if family not in first or key < first[family][0]:
            first[family] = key, row
    candidates = [row for _, row in sorted(first.values(), key=lambda each: each[0])]
    chosen = sorted(candidates, key=lambda row: shown[row["family"]])[:EACH]
    shown.update(row["family"] for row in chosen)
    return chosen


def _shown(row: dict[str, Any], room: list[int], shards: ReplyShards | None) -> dict[str, Any]:
    rate = item_rate(row)
    counts = f"{row['successes']} of {row['trials']} replies right"
    return {
        "family": row["family"],
        "level": row["level"],
        "drawing": row_drawing(row, HEAVIEST_DRAWING),
        "prompt": _pieces(row, room),
        "answer": clip(row["answer"] or "", LONGEST),
        "proof": PROOFS.get(row["certificate"], row["certificate"]),
        "solver": row["solver"],
        "meter": rate and meter(rate),
        "rate": rate and f"{counts}. {_estimate(rate)}.",
        "replies": _by_verdict(replies_to(shards, row["uid"])) if shards else [],
    }


def _estimate(rate: Rate) -> str:
    """Not the share of so few replies: the estimate goes by those to its family, too."""
    ends = f"{percent(rate.low)} to {percent(rate.high)}"
    known = f"{percent(rate.mean)}, " if rate.solved else ""
    return f"Estimated with its family: {known}90% interval {ends}"


def _by_verdict(replies: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """The first reply of each verdict."""
    first: dict[str, str] = {}
    for reply in replies:
        first.setdefault(reply["status"], clip(reply["text"] or "", LONGEST))
    return [{"status": status, "text": text} for status, text in first.items()]


def _pieces(row: Row, room: list[int]) -> list[dict[str, str]]:
    """The prompt as texts and pictures, in the order in which a policy gets them."""
    pictures = [image["bytes"] for image in row["images"] or ()]
    pieces = []
    for message in row["prompt"]:
        for text in message["content"].split("<image>"):
            pieces.append({"text": clip(text.strip("\n"), LONGEST), "picture": ""})
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


TEMPLATE = """\
  <p class="lede">A few items of each kind, whole and as the policy gets them, with the gold \
answer{% if silent %}. What it said was not kept: <code>keep_replies = true</code> \
under <code>[score]</code> shows it here\
{% else %}, and a reply of each verdict that it gave{% endif %}.</p>
  {% for kind in kinds %}
  <div class="band">
    <div><h3>{{ kind.name }}</h3><p>{{ kind.meaning }}</p></div>
    <div class="items">
      {% for item in kind.shown %}
      <article class="item">
        <div class="top"><b>{{ item.family }}</b><span>level {{ "%g" | format(item.level) }}</span>\
</div>
        {% if item.meter %}
        {{ item.meter | safe }}
        <p class="rate">{{ item.rate }}</p>
        {% endif %}
        {% if item.drawing %}<figure class="drawing">{{ item.drawing | safe }}</figure>{% endif %}
        <div class="prompt" tabindex="0">
          {% for piece in item.prompt %}
          {% if piece.text %}<pre>{{ piece.text }}</pre>{% elif piece.picture %}\
<img alt="the picture of this item" src="{{ piece.picture }}">{% endif %}
          {% endfor %}
        </div>
        <div class="gold"><pre>{{ item.answer }}</pre><p>{{ item.proof }}{% if item.solver %}, by \
{{ item.solver }}{% endif %}</p></div>
        {% for reply in item.replies %}
        <details class="reply"{% if loop.first %} open{% endif %}>\
<summary>a {{ reply.status }} reply</summary>\
<pre tabindex="0">{{ reply.text }}</pre></details>
        {% endfor %}
      </article>
      {% endfor %}
    </div>
  </div>
  {% endfor %}
"""

SECTION = Section(140, "See for yourself", TEMPLATE, "Samples", of_build=samples)
