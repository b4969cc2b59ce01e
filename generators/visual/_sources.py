"""Where pictures come from: kinds that are drawn from a seed, and a user's own.

A new kind is one function, from a source of randomness and a side to a picture, listed below.
"""

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Annotated, Any, Protocol, TypeAlias

from puzzlemill.core.knobs import Open
from puzzlemill.core.random_source import seeded
from puzzlemill.core.storage import image_files
from puzzlemill.generators.visual import _photos, _scenery
from puzzlemill.generators.visual._painting import painting
from puzzlemill.generators.visual._picture import Picture

KINDS: dict[str, Callable[[Random, int], Picture]] = {
    "painting": painting,
    "texture": _scenery.texture,
    "terrain": _scenery.terrain,
    "fractal": _scenery.fractal,
    "countries": _scenery.countries,
    "glyphs": _scenery.glyphs,
    "chart": _scenery.chart,
    "scene": _scenery.scene,
}


def _read(source: str) -> str:
    return image_files.sealed(source, ("any", *KINDS))


# "any" is one of the kinds, and a path a folder or a dataset's file of pictures.
Source: TypeAlias = Annotated[str, Open(("any", *KINDS), _read)]


class Pictured(Protocol):
    """What every puzzle says of its picture."""

    @property
    def source(self) -> str: ...
    @property
    def seed(self) -> int: ...


def chosen(rng: Random, source: str) -> tuple[str, str, int]:
    """A kind or a user's picture, the licence where one is told, and a seed for the rest."""
    licence = ""
    if source == "any":
        source = rng.choice(list(KINDS))
    elif source not in KINDS:
        source, licence = image_files.chosen(rng, source)
    return source, licence, rng.randrange(2**32)


@lru_cache(maxsize=4)  # generating, rendering and solving an item all look at one picture
def picture(source: str, seed: int, side: int) -> Picture:
    draw = seeded(seed)
    made = KINDS[source](draw, side) if source in KINDS else _photos.photo(source, draw, side)
    made.pixels.setflags(write=False)
    return made


def kin(puzzle: Pictured) -> Any:
    """All questions about one picture, or about parts of one photograph, are of one split."""
    return [puzzle.source, puzzle.seed if puzzle.source in KINDS else 0]
