"""Draws what the learning lab measured: docs/influence.svg.

    python -m benchmarks.learning.plots [--size 0.5m]

A row is a source family, the most helpful first; a column is a held-out family. A colour is the
mean influence over the seeds, in nats a token: blue where the source helps, orange where it harms.
"""

import argparse
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.learning import influence
from benchmarks.learning.records import Floats, Records
from benchmarks.learning.run import HERE, RESULT
from benchmarks.learning.solutions import families
from benchmarks.learning.students import SIZES
from puzzlemill.core.storage.files import read_json, write_text

DRAWN = HERE.parents[1] / "docs" / "influence.svg"
INK, GREY, WHITE, HELPS, HARMS = "#1d1d1f", "#6b6b70", (255, 255, 255), (0, 114, 178), (213, 94, 0)
SHADES = 8  # on either side of white
WIDE, HIGH = 30, 3  # pixels of a cell
LEFT, TOP, FOOT = 150, 150, 40


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="0.5m")
    options = parser.parse_args()
    division = families(HERE / "families.json")
    its_student = read_json(RESULT)[options.size]["student"]
    records = Records.read(HERE / "influence.json")
    names, changes_SFH = influence.matrix(its_student, division, records)
    if not names:
        raise SystemExit(f"{records.path}: no source has all its runs yet")
    write_text(DRAWN, heat_map(names, division.held, changes_SFH.mean(axis=0)))


def heat_map(sources: Sequence[str], held: Sequence[str], mean_FH: Floats) -> str:
    rows, columns = (np.argsort(-mean_FH.mean(axis=axis)) for axis in (1, 0))
    cells = mean_FH[np.ix_(rows, columns)]
    most = float(np.quantile(np.abs(cells), 0.98))  # few cells are beyond, and as dark as this
    wide, high = LEFT + len(held) * WIDE + 40, TOP + len(sources) * HIGH + FOOT
    inside = [
        *column_names([held[at] for at in columns]),
        *row_names([sources[at] for at in rows]),
        *shades(np.rint(np.clip(cells / most, -1, 1) * SHADES).astype(int)),
        f'<text x="{LEFT}" y="{high - 14}" fill="{GREY}">darkest: {most:.2f} nats a token or more;'
        " blue helps, orange harms</text>",
    ]
    text = "\n".join(inside)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
        ' font-family="system-ui, sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{text}\n</svg>\n'
    )


def shades(levels: "np.ndarray[tuple[int, ...], np.dtype[np.int_]]") -> Iterator[str]:
    """A path for each colour."""
    for level in range(-SHADES, SHADES + 1):
        places = np.argwhere(levels == level)
        full, share = HELPS if level > 0 else HARMS, abs(level) / SHADES
        mixed = (
            round(white + share * (tone - white)) for white, tone in zip(WHITE, full, strict=True)
        )
        if level and len(places):
            path = "".join(
                f"M{LEFT + column * WIDE} {TOP + row * HIGH}h{WIDE}v{HIGH}h-{WIDE}z"
                for row, column in places
            )
            yield f'<path d="{path}" fill="rgb({",".join(map(str, mixed))})"/>'


def column_names(held: Sequence[str]) -> Iterator[str]:
    for at, name in enumerate(held):
        x = LEFT + (at + 0.5) * WIDE
        yield (
            f'<text x="{x}" y="{TOP - 6}" fill="{INK}" transform="rotate(-60 {x} {TOP - 6})">'
            f"{name}</text>"
        )


def row_names(sources: Sequence[str]) -> Iterator[str]:
    """Every fifth: a row is lower than a letter."""
    for at in range(0, len(sources), 5):
        y = TOP + (at + 0.5) * HIGH
        yield (
            f'<text x="{LEFT - 8}" y="{y}" dy="4" text-anchor="end" fill="{INK}">'
            f"{sources[at]}</text>"
        )


if __name__ == "__main__":
    main()
