"""Charts as inline SVG: small pure functions from numbers to markup.

Places along a chart are percentages and heights are pixels, so that a chart fills a wide page and a
phone alike while its letters keep their size. Colours are classes, which the page's styles define
for both themes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from puzzlemill.outputs.finished_build import Rate


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a bar."""

    name: str
    count: float
    tone: str  # a class of the page's styles


CENTRED = {"text_anchor": "middle"}


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element; underscores in attributes' names become dashes, one at the end is dropped."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>"


def chart(label: str, height: int, *inside: str) -> str:
    return tag("svg", *inside, width="100%", height=height, role="img", aria_label=label)


def title(text: str) -> str:
    """The tooltip of a mark."""
    return tag("title", escape(text))


def along(share: float) -> str:
    return f"{100 * share:.2f}%"


def percent(share: float) -> str:
    """A share for reading; only what is exactly none or all is written so."""
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 < share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


def rate_word(rate: Rate) -> str:
    """A pass rate for reading; where nothing was solved, what was tried and not a prior's mean."""
    return percent(rate.mean) if rate.solved else f"0/{rate.replies:,}"


def rate_text(rate: Rate) -> str:
    return f"{rate_word(rate)}, 90% interval {percent(rate.low)} to {percent(rate.high)}"


def bar(parts: Sequence[Part], total: float, height: int, unit: str = "") -> str:
    """One bar in pieces, `total` being the full width."""
    pieces, start = [], 0.0
    for part in parts:
        width = part.count / total if total else 0.0
        text = title(f"{part.name}: {part.count:,}{unit}")
        pieces.append(
            tag("rect", text, class_=part.tone, x=along(start), width=along(width), height=height)
        )
        start += width
    label = ", ".join(f"{part.name} {part.count:,}{unit}" for part in parts)
    return chart(label, height, *pieces)


def rate_cells(cells: Sequence[Rate | None], names: Sequence[str]) -> str:
    """A row of pass rates: one colour for never, one for sometimes, another for always."""
    height, width = 50, 1 / max(len(cells), 1)
    marks = []
    for place, (cell, name) in enumerate(zip(cells, names, strict=True)):
        left = place * width
        box = {"x": along(left), "width": along(width), "height": height, "rx": 7}
        if cell is None:
            marks.append(tag("rect", title(f"{name}: not scored"), class_="cell blank", **box))
            continue
        inner = [left + width * (0.15 + 0.7 * at) for at in (cell.low, cell.mean, cell.high)]
        low, middle, high = map(along, inner)
        text = f"{name}: {rate_text(cell)}; {cell.items:,} items, {cell.replies:,} replies"
        marks.append(
            tag(
                "g",
                title(text),
                *_colours(cell.mean if cell.solved else 0.0, "cell", box),
                tag("text", escape(rate_word(cell)), x=along(left + width / 2), y=24, **CENTRED),
                tag(
                    "line",
                    class_="rail thin",
                    x1=along(left + width * 0.15),
                    x2=along(left + width * 0.85),
                    y1=38,
                    y2=38,
                ),
                tag("line", class_="whisker", x1=low, x2=high, y1=38, y2=38),
                tag("circle", class_="pin", cx=middle, cy=38, r=2.5),
            )
        )
    return chart("pass rate by level", height, *marks)


def _colours(share: float, kind: str, box: Mapping[str, object]) -> list[str]:
    """The end that a share is nearer to, and over it how much there is to learn: the variance of
    the outcome, 1 at its largest."""
    end, away = ("never" if share < 0.5 else "always"), abs(2 * share - 1)
    strengths = {end: 0.75 * away**2, "glow": 1 - away**2}
    return [
        tag("rect", class_=f"{kind} {name}", fill_opacity=f"{strength:.3f}", **box)
        for name, strength in strengths.items()
    ]


def rate_scale() -> str:
    """The colours of `rate_cells`, from never to always solved."""
    marks = [
        mark for place in range(41) for mark in _colours(place / 40, "crisp", _slice(place, 41))
    ]
    return chart("colours from never solved to always solved", 10, *marks)


def _slice(place: int, count: int) -> dict[str, object]:
    return {"x": along(place / count), "width": along(1 / count), "height": 10}


def meter(rate: Rate) -> str:
    """One item's pass rate on a line from 0 to 1, with its interval."""
    low, mean, high = (along(0.01 + 0.98 * at) for at in (rate.low, rate.mean, rate.high))
    return _on_rail(rate_text(rate), low, mean, high)


def span(ends: Sequence[float], longest: float, name: str) -> str:
    """A low, a middle and a high value on a line from 0 to the longest."""
    low, middle, high = (along(0.01 + 0.98 * end / (longest or 1)) for end in ends)
    text = f"{name}: {ends[0]:,} to {ends[2]:,}, median {ends[1]:,}"
    return _on_rail(text, low, middle, high)


def _on_rail(text: str, low: str, middle: str, high: str) -> str:
    return chart(
        text,
        14,
        title(text),
        tag("line", class_="rail", x1="0", x2="100%", y1=7, y2=7),
        tag("line", class_="reach", x1=low, x2=high, y1=7, y2=7),
        tag("circle", class_="after", cx=middle, cy=7, r=4.5),
    )


def histogram(below: Sequence[int], above: Sequence[int], names: tuple[str, str]) -> str:
    """Two counts stacked in each of some equal bins of 0..1."""
    height, count = 220, len(below)
    tallest = max((low + high for low, high in zip(below, above, strict=True)), default=0) or 1
    marks = [_gridline(12, f"{tallest:,}"), _gridline(height, "")]
    for place, pair in enumerate(zip(below, above, strict=True)):
        bounds = f"{percent(place / count)} to {percent((place + 1) / count)}"
        foot = float(height)
        for number, name, tone in zip(pair, names, ("kept", "quiet"), strict=True):
            if not number:
                continue
            tall = number / tallest * (height - 12)
            foot -= tall
            box = {"x": along(place / count), "width": along(1 / count), "rx": 4}
            text = title(f"pass rate {bounds}: {number:,} {name}")
            marks.append(
                tag("rect", text, class_=tone, y=f"{foot:.1f}", height=f"{tall:.1f}", **box)
            )
    return chart("how the pass rates are spread", height + 26, *marks, *_ticks(height + 20))


def calibration_plot(points: Sequence[tuple[float, Rate]]) -> str:
    """Observed pass rates over predicted ones, with intervals, beside the line of no error.

    A point is as large as its share of all replies.
    """
    height, top = 260, 12
    most = max((rate.replies for _, rate in points), default=0) or 1

    def down(share: float) -> str:
        return f"{top + (1 - share) * (height - top):.1f}"

    marks = [_gridline(int(float(down(at))), percent(at)) for at in (1, 0.5, 0)]
    marks.append(tag("line", class_="exact", x1="0", x2="100%", y1=down(0), y2=down(1)))
    for predicted, observed in points:
        text = f"predicted {percent(predicted)}, observed {rate_text(observed)}"
        x, size = along(predicted), 3 + 4 * (observed.replies / most) ** 0.5
        ends = {"x1": x, "x2": x, "y1": down(observed.low), "y2": down(observed.high)}
        marks.append(
            tag(
                "g",
                title(f"{text}; {observed.replies:,} replies"),
                tag("line", class_="whisker", **ends),
                tag("circle", class_="after", cx=x, cy=down(observed.mean), r=f"{size:.1f}"),
            )
        )
    label = "the share of right replies beside the predicted pass rate"
    return chart(label, height + 26, *marks, *_ticks(height + 20))


def _gridline(y: int, text: str) -> str:
    words = tag("text", escape(text), class_="tick", x=0, y=y - 5)
    return tag("line", class_="rule", x1=0, x2="100%", y1=y, y2=y) + words


def _ticks(y: int, write: Callable[[float], str] = percent) -> list[str]:
    """0 to 1 below a chart, in percent or as `write` has it."""
    anchors: dict[float, str] = {0: "start", 1: "end"}
    return [
        tag(
            "text",
            write(at),
            class_="tick",
            x=along(at),
            y=y,
            text_anchor=anchors.get(at, "middle"),
        )
        for at in (0, 0.25, 0.5, 0.75, 1)
    ]


def curriculum(points: Sequence[Rate], stages: Mapping[str, float]) -> str:
    """Pass rate from the first item to the last; `stages`: each one's share of the items."""
    height = 220
    marks = [_gridline(round(12 + (1 - at) * (height - 12)), percent(at)) for at in (1, 0.5, 0)]
    marks.append(_stretched(points, 12, height - 12))
    start = 0.0
    for name, share in stages.items():
        if start:
            x = along(start)
            marks.append(tag("line", class_="border", x1=x, x2=x, y1=12, y2=height + 6))
        middle = along(start + share / 2)
        words = name.replace("-", " ") if len(stages) <= 5 else name.removeprefix("stage-")
        marks.append(tag("text", escape(words), class_="tick", x=middle, y=height + 20, **CENTRED))
        start += share
    return chart("mean pass rate in the order of training", height + 26, *marks)


def _stretched(points: Sequence[Rate], top: float, height: float) -> str:
    """A line with its band, stretched over the whole width."""
    last = max(len(points) - 1, 1)
    upper = [f"{100 * n / last:.2f},{100 * (1 - rate.high):.2f}" for n, rate in enumerate(points)]
    lower = [f"{100 * n / last:.2f},{100 * (1 - rate.low):.2f}" for n, rate in enumerate(points)]
    middle = [f"{100 * n / last:.2f},{100 * (1 - rate.mean):.2f}" for n, rate in enumerate(points)]
    return tag(
        "svg",
        tag("polygon", class_="area", points=" ".join(upper + lower[::-1])),
        tag("polyline", class_="line", points=" ".join(middle)),
        y=top,
        width="100%",
        height=height,
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
    )


def changes(pairs: Sequence[tuple[Rate, Rate] | None], names: Sequence[str]) -> str:
    """A row of pass rates before (hollow) and after (full), each on a line from 0 to 1."""
    width = 1 / max(len(pairs), 1)
    marks = []
    for place, (pair, name) in enumerate(zip(pairs, names, strict=True)):
        if pair is None:
            continue
        before, after = pair
        left, room = place * width + width * 0.06, width * 0.88
        x1, x2 = (along(left + room * (0.04 + 0.92 * rate.mean)) for rate in pair)
        way = "gain" if after.mean >= before.mean else "loss"
        text = f"{name}: before {rate_text(before)}; after {rate_text(after)}"
        rail = {"x1": along(left), "x2": along(left + room), "y1": 34, "y2": 34}
        words = f"{100 * before.mean:.0f} → {100 * after.mean:.0f}"
        marks.append(
            tag(
                "g",
                title(text),
                tag("rect", class_="nothing", x=along(left), width=along(room), height=46),
                tag(
                    "text", escape(words), class_="tick", x=along(left + room / 2), y=16, **CENTRED
                ),
                tag("line", class_="rail", **rail),
                tag("line", class_=way, x1=x1, x2=x2, y1=34, y2=34),
                tag("circle", class_="before", cx=x1, cy=34, r=4.5),
                tag("circle", class_=f"after {way}", cx=x2, cy=34, r=5),
            )
        )
    return chart("pass rate before and after, by level", 46, *marks)


def trace(
    values: Sequence[float], ends: Sequence[tuple[str, float]], height: int, label: str
) -> str:
    """A quantity over the steps: each value faint, the running mean strong.

    `ends` are the lowest and the highest value of the axis, each with its name.
    """
    (_, low), (_, high) = ends
    room, last = (high - low) or 1.0, max(len(values) - 1, 1)
    smooth = smoothed(values, max(1, len(values) // 12))
    drawn = [
        tag(
            "polyline",
            class_=tone,
            points=" ".join(
                f"{100 * n / last:.2f},{100 * (1 - (value - low) / room):.2f}"
                for n, value in enumerate(line)
            ),
        )
        for line, tone in ((values, "faint"), (smooth, "line"))
    ]
    inner = tag(
        "svg",
        *drawn,
        y=6,
        width="100%",
        height=height - 12,
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        overflow="visible",
    )
    rules = [_gridline(y, text) for y, (text, _) in zip((height - 6, 6), ends, strict=True)]
    return chart(label, height, *rules, inner)


def shares_over(shares: Sequence[float], most: float, name: str) -> str:
    """A share in each slice of a run, as bars; `most` has the full height."""
    height, count = 34, max(len(shares), 1)
    bars = []
    for place, share in enumerate(shares):
        tall = share / most * (height - 2) if most else 0.0
        when = f"{percent(place / count)} to {percent((place + 1) / count)} of the run"
        box = {"x": along(place / count), "width": along(0.82 / count), "rx": 1.5}
        text = title(f"{name}, {when}: {percent(share)} of the prompts")
        bars.append(
            tag("rect", text, class_="kept", y=f"{height - tall:.1f}", height=f"{tall:.1f}", **box)
        )
    rule = tag("line", class_="rule", x1=0, x2="100%", y1=height, y2=height)
    return chart(
        f"how often {name} was asked, from the first step to the last", height, rule, *bars
    )


def smoothed(values: Sequence[float], reach: int) -> list[float]:
    """The mean of each value and up to `reach` neighbours on either side."""
    means = []
    for n in range(len(values)):
        near = values[max(0, n - reach) : n + reach + 1]
        means.append(sum(near) / len(near))
    return means


def level_marks(levels: Sequence[float]) -> str:
    """Some levels on the ladder from 0 to 1."""
    dots = [
        tag("circle", class_="after", cx=along(0.01 + 0.98 * level), cy=7, r=4.5)
        for level in levels
    ]
    label = "levels " + ", ".join(f"{level:.2f}" for level in levels)
    rail = tag("line", class_="rail", x1="0", x2="100%", y1=7, y2=7)
    return chart(label, 14, title(label), rail, *dots)


def counted_bins(counts: Sequence[int], name: str, write: Callable[[float], str]) -> str:
    """A small histogram of equal bins of 0..1."""
    height, most, marks = 64, max(counts), []
    for place, count in enumerate(counts):
        bounds = f"{write(place / len(counts))} to {write((place + 1) / len(counts))}"
        tall = count / most * (height - 4)
        box = {"x": along(place / len(counts)), "width": along(0.94 / len(counts)), "rx": 2}
        text = title(f"{name} {bounds}: {count:,}")
        y, tallness = f"{height - tall:.1f}", f"{tall:.1f}"
        marks.append(tag("rect", text, class_="kept", y=y, height=tallness, **box))
    rule = tag("line", class_="rule", x1=0, x2="100%", y1=height, y2=height)
    return chart(
        f"{name}, how it is spread", height + 22, rule, *marks, *_ticks(height + 18, write)
    )
