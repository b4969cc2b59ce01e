"""The card's two plots, as small PNG files: pass rates, and what became of each family's items."""

import io
from collections import Counter
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from puzzlemill.core.rows import FATES, Fate
from puzzlemill.outputs.finished_build import FinishedBuild

FOLDER = "plots"
RATES, FAMILIES = f"{FOLDER}/pass_rates.png", f"{FOLDER}/families.png"
MOST = 40  # families that are drawn, those with the most items

_WIDE, _MARGIN, _ROW, _NAMES = 760, 20, 22, 200  # pixels
_PAPER, _INK, _FAINT = (255, 255, 255), (40, 40, 46), (205, 205, 212)
_TONES: dict[Fate, tuple[int, int, int]] = {
    "kept": (38, 110, 190),
    "frontier": (233, 150, 48),
    "unscored": (150, 190, 220),
    "rejected": (190, 190, 196),
}
_BINS = 20


def plots(build: FinishedBuild) -> dict[str, bytes]:
    """The plots that there is something to draw in, as PNG, by name."""
    pages = ({RATES: _rates(build)} if build.scored else {}) | {FAMILIES: _families(build)}
    return {name: _png(page) for name, page in pages.items()}


def _png(page: Image.Image) -> bytes:
    held = io.BytesIO()
    page.save(held, "PNG", optimize=True)
    return held.getvalue()


def _rates(build: FinishedBuild) -> Image.Image:
    """How many items have which pass rate, kept ones below, others above."""
    counts: list[Counter[Fate]] = [Counter() for _ in range(_BINS)]
    for row in build.scored:
        counts[min(int(row["mean"] * _BINS), _BINS - 1)][row["fate"]] += 1
    tallest = max(each.total() for each in counts)
    high, width = 240, (_WIDE - 2 * _MARGIN) / _BINS
    page, pen, font = _page(high + 4 * _ROW)
    caption = f"items by estimated pass rate; the tallest bar is {tallest:,}"
    pen.text((_MARGIN, 8), caption, fill=_INK, font=font)
    _legend(pen, [fate for fate in FATES if any(each[fate] for each in counts)])
    floor = high + 2 * _ROW
    for place, each in enumerate(counts):
        left, top = _MARGIN + place * width, float(floor)
        for fate in FATES:
            if each[fate]:
                tall = each[fate] / tallest * high
                box = (round(left) + 1, round(top - tall), round(left + width) - 1, round(top))
                pen.rectangle(box, fill=_TONES[fate])
                top -= tall
    pen.line((_MARGIN, floor + 1, _WIDE - _MARGIN, floor + 1), fill=_FAINT)
    for share in (0, 0.25, 0.5, 0.75, 1):
        where = _MARGIN + share * (_WIDE - 2 * _MARGIN)
        pen.text((where, floor + 6), f"{share:.0%}", fill=_INK, font=font, anchor="ma")
    return page


def _families(build: FinishedBuild) -> Image.Image:
    """What became of each family's items, a bar each."""
    groups: dict[str, Counter[Fate]] = {}
    for (family, fate), count in build.tally("family", "fate").items():
        groups.setdefault(family, Counter())[fate] = count
    chosen = sorted(groups, key=lambda name: (-groups[name].total(), name))[:MOST]
    widest = max((groups[name].total() for name in chosen), default=1)
    page, pen, font = _page((len(chosen) + 3) * _ROW)
    which = "each family" if len(chosen) == len(groups) else f"the {MOST} largest families"
    pen.text((_MARGIN, 8), f"what became of the items of {which}", fill=_INK, font=font)
    fates = build.tally("fate")
    _legend(pen, [fate for fate in FATES if fates[fate]])
    room = _WIDE - _NAMES - 4 * _MARGIN
    for place, name in enumerate(chosen):
        top, left = (place + 2) * _ROW, float(_NAMES + _MARGIN)
        label = name if len(name) < 30 else f"{name[:28]}…"
        pen.text((_MARGIN, top + 3), label, fill=_INK, font=font)
        for fate in FATES:
            wide = groups[name][fate] / widest * room
            if groups[name][fate]:
                right = max(round(left + wide) - 1, round(left))
                pen.rectangle((round(left), top + 2, right, top + _ROW - 4), fill=_TONES[fate])
            left += wide
        pen.text((left + 6, top + 3), f"{groups[name].total():,}", fill=_INK, font=font)
    return page


def _page(height: int) -> tuple[Image.Image, ImageDraw.ImageDraw, ImageFont.ImageFont]:
    page = Image.new("RGB", (_WIDE, height), _PAPER)
    font = ImageFont.load_default()
    return page, ImageDraw.Draw(page), font  # type: ignore[return-value]


def _legend(pen: ImageDraw.ImageDraw, present: Sequence[Fate]) -> None:
    font, right = ImageFont.load_default(), float(_WIDE - _MARGIN)
    for fate in reversed(present):
        right -= font.getlength(fate)
        pen.text((right, 8), fate, fill=_INK, font=font)
        pen.rectangle((right - 14, 9, right - 5, 18), fill=_TONES[fate])
        right -= 28
