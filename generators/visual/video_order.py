"""Frames of a clip: put the shuffled frames of a little film back into the order of time.

The motion is steady and the first frame is told, so that no other order is possible. `verify`
compares with the order in which the frames were drawn, and pays a fifth of the share of frames in
place, if the answer names each once. `solve` reads the moving things from the pixels of the page
and finds every order in which they move steadily: there must be one. Of a user's own clip it goes
from frame to frame by likeness, which must be clear.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated, Literal, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.knobs import Open
from puzzlemill.core.storage import image_files
from puzzlemill.generators.visual import _films
from puzzlemill.generators.visual._clips import FRAME, MOTIONS, TICKS, orders
from puzzlemill.generators.visual._picture import Colour, Pixels, drawn_once, panels, png, sheet
from puzzlemill.generators.visual._scene import PALETTE

PARTIAL = 0.2  # the score of a permutation is at most this until all frames are in place

AnyMotion = Literal["any", "balls", "growth", "turning", "walk"]


def _read(source: str) -> str:
    return image_files.sealed(source, ("any", *MOTIONS))


# "any" is one of the motions, and a path a folder of clips, which are folders of frames.
Film: TypeAlias = Annotated[str, Open(("any", *MOTIONS), _read)]


@dataclass(frozen=True, slots=True)
class Knobs:
    frames: int  # of the clip
    haste: int  # 0 to 100: how much changes from frame to frame
    motion: Film


@dataclass(frozen=True, slots=True)
class Shuffled:
    motion: str  # or a user's clip
    licence: str  # of a user's clip, where one is told
    haste: int
    plan: tuple[int, ...]  # what the motion is drawn from
    order: tuple[int, ...]  # the time, from 0, of each numbered frame


def generate(rng: Random, knobs: Knobs) -> Shuffled | None:
    motion = rng.choice(list(MOTIONS)) if knobs.motion == "any" else knobs.motion
    plan: tuple[int, ...] | None
    if motion in MOTIONS:
        plans = (MOTIONS[motion].plan(rng, knobs.frames, knobs.haste) for _ in range(30))
        plan, licence = next((each for each in plans if each), None), ""
    else:
        motion, licence, plan = _films.chosen(rng, motion, knobs.frames, knobs.haste)
    if plan is None:
        return None
    order = tuple(rng.sample(range(knobs.frames), knobs.frames))
    shuffled = Shuffled(motion, licence, knobs.haste, plan, order)
    gold = solve(shuffled)
    return shuffled if gold and verify(shuffled, gold) == 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(shuffled: Shuffled) -> tuple[int, ...] | None:
    """All orders in which what is seen moves steadily, or changes least."""
    count, first = len(shuffled.order), shuffled.order.index(0)
    page, palette = _page(shuffled)
    frames = panels(page, count, _columns(count), FRAME, FRAME)
    if shuffled.motion in MOTIONS:
        found = orders(MOTIONS[shuffled.motion], frames, first)
        return tuple(place + 1 for place in found[0]) if len(found) == 1 else None
    likest = _films.order(frames, palette, first)
    return tuple(place + 1 for place in likest) if likest else None


def verify(shuffled: Shuffled, said: tuple[int, ...]) -> float:
    count = len(shuffled.order)
    if sorted(said) != list(range(1, count + 1)):
        return 0.0
    right = sum(shuffled.order[frame - 1] == time for time, frame in enumerate(said) if time)
    return 1.0 if right == count - 1 else PARTIAL * right / (count - 1)


def render(shuffled: Shuffled, style: Style) -> Prompt:
    count, first = len(shuffled.order), shuffled.order.index(0) + 1
    drawn = shuffled.motion in MOTIONS
    told = MOTIONS[shuffled.motion].told if drawn else _films.TOLD
    return Prompt(
        style.pick(
            f"<image>\nThese are {count} frames of a clip, taken at equal intervals of time and"
            f" then shuffled; the number of each stands above it. {told} Frame {first} is the"
            " first. In which order were they taken?",
            f"The {count} frames of a short film are mixed up. Each has its number above it."
            f"\n<image>\n{told} The time between a frame and the next was always the same, and"
            f" the film began with frame {first}. Put the frames in order.",
            f"Sort these numbered frames by time.\n<image>\nThere are {count}, taken at equal"
            f" intervals. {told} The earliest is frame {first}.",
        ),
        form=f"the numbers of all {count} frames from the first to the last, separated by commas",
        images=(png(*_page(shuffled)),),
    )


def steps(shuffled: Shuffled) -> list[str]:
    numbers = [shuffled.order.index(time) + 1 for time in range(len(shuffled.order))]
    lines = [f"Frame {numbers[0]} is the first."]
    return [*lines, *(f"Then comes frame {number}." for number in numbers[1:])]


def _columns(count: int) -> int:
    return min(count, 4) if count != 9 else 3


@drawn_once
def _page(shuffled: Shuffled) -> tuple[Pixels, tuple[Colour, ...]]:
    columns = _columns(len(shuffled.order))
    if shuffled.motion not in MOTIONS:
        frames, palette = _films.frames(shuffled.motion, shuffled.plan, shuffled.order)
        return sheet(frames, columns), palette
    draw = MOTIONS[shuffled.motion].draw
    return sheet([draw(shuffled.plan, time * TICKS) for time in shuffled.order], columns), PALETTE


def _kin(shuffled: Shuffled) -> object:
    """All questions about one clip of a user's are of one split."""
    return [shuffled.motion, shuffled.plan if shuffled.motion in MOTIONS else ()]


LADDER = (
    Knobs(4, 100, "any"),
    Knobs(5, 80, "any"),
    Knobs(6, 60, "any"),
    Knobs(7, 40, "any"),
    Knobs(9, 20, "any"),
)
FAMILY = Family(
    Shuffled,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the frames' numbers in order", reorders=True),
    hardness=lambda shuffled: len(shuffled.order) - shuffled.haste / 100,
    proof="unique",
    solver="every steady motion through the frames, read from the pixels",
    guess_rate=0.1,
    steps=steps,
    kin=_kin,
    redraws=True,
    skills=("vision", "time"),
    peers=("Visual-Jigsaw/video",),
    version=3,
)
