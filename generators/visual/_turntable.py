"""A turntable: views of what turns on it, to be put in the order of how far it has turned."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Protocol

from puzzlemill.core.family import Prompt, Style
from puzzlemill.generators.visual._picture import Pixels, columns, panels, png, sheet
from puzzlemill.generators.visual._scene import PALETTE
from puzzlemill.generators.visual._waves import TURN, whole_sines

WIDE = 152  # pixels of a view
PARTIAL = 0.2  # the score of a permutation is at most this until all views are in place
TURNING = "clockwise, as seen from above, and by less than one full turn in all"


class Turning(Protocol):
    """What every such puzzle says of its views."""

    @property
    def angles(self) -> tuple[int, ...]: ...  # of each numbered view, in 1024ths of a turn
    @property
    def first(self) -> int: ...  # the place of the first view, from 0


def shuffled_stops(rng: Random, views: int, step: int) -> tuple[tuple[int, ...], int]:
    """Angles within a turn, in 1024ths of it, at least a step apart where there is room, and the
    place of the first."""
    step = min(step, TURN * 7 // 8 // views)
    free = TURN * 15 // 16 - step * views
    cuts = sorted(rng.randint(0, free) for _ in range(views))
    start = rng.randrange(TURN)
    order = rng.sample(range(views), views)
    return tuple((start + step * time + cuts[time]) % TURN for time in order), order.index(0)


def on_ellipse(middle: tuple[int, int], reach: int, flat: int, angle: int) -> tuple[int, int]:
    """A point of a level circle that looks so much flatter; what is nearer to the eye is lower, and
    angles grow clockwise."""
    sines = whole_sines()
    right, down = sines[(angle + TURN // 4) % TURN] * reach, sines[angle % TURN] * reach
    return (
        middle[0] + (2 * right + TURN) // (2 * TURN),
        middle[1] + (2 * down + flat * TURN) // (2 * flat * TURN),
    )


def laid_out(views: Sequence[Pixels]) -> Pixels:
    return sheet(views, columns(len(views)))


def views(page: Pixels, count: int, high: int) -> list[Pixels]:
    """The views, read back from the page."""
    return panels(page, count, columns(count), high, WIDE)


def numbered(turned: Mapping[int, float]) -> tuple[int, ...]:
    """The numbers of the views in the order of how far each has turned."""
    return tuple(view + 1 for view in sorted(range(len(turned)), key=turned.__getitem__))


def paid(turning: Turning, said: tuple[int, ...]) -> float:
    """The score of an order of the views, numbered from 1."""
    angles, first, count = turning.angles, turning.first, len(turning.angles)
    if sorted(said) != list(range(1, count + 1)):
        return 0.0
    true = sorted(range(count), key=lambda view: (angles[view] - angles[first]) % TURN)
    right = sum(view + 1 == other for view, other in zip(true[1:], said[1:], strict=True))
    whole = right == count - 1 and said[0] == true[0] + 1
    return 1.0 if whole else PARTIAL * right / (count - 1)


def question(
    turning: Turning,
    style: Style,
    page: Pixels,
    *,
    name: str,  # "table"
    whole: str,  # "a table with 3 pins"
    known: str,  # the same, where all views are said to be of one
    shown: str,  # "the table", as it is seen in the views
    taken: str,  # "A table with 3 pins was photographed 4 times while it turned"
) -> Prompt:
    """In which order the views were taken."""
    count, first = len(turning.angles), turning.first + 1
    return Prompt(
        style.pick(
            f"<image>\n{taken} {TURNING}. View {first} is the first. The views are shuffled; the"
            " number of each stands above it. In which order were they taken?",
            f"Here are {count} numbered views of {known}.\n<image>\nThe camera stood still and the"
            f" {name} turned {TURNING}. Put the views in order; the first of them is {first}.",
            f"Order these views by how far {shown} has turned.\n<image>\nThere are {count} views of"
            f" {whole}, which turns {TURNING}. It begins with view {first}.",
        ),
        form=f"the numbers of all {count} views from the first to the last, separated by commas",
        images=(png(page, PALETTE),),
    )
