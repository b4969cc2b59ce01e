"""The missing frame: one frame of a clip is left out; say which of some frames it is.

The wrong ones show the same motion a little earlier or later. `verify` knows the time of every
frame offered. `solve` reads what moves from the pixels, and asks which frame goes on steadily from
the two before the gap to the one behind it.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._clips import FRAME, MOTIONS, TICKS
from puzzlemill.generators.visual._picture import (
    GUTTER,
    Pixels,
    columns,
    drawn_once,
    panels,
    png,
    sheet,
)
from puzzlemill.generators.visual._scene import PALETTE
from puzzlemill.generators.visual.video_order import AnyMotion

CLEAR = 2  # a wrong frame is farther off than so many times what may be taken for the same
LETTERS = "ABCDEF"


@dataclass(frozen=True, slots=True)
class Knobs:
    frames: int  # of the clip
    options: int  # frames to choose from
    haste: int  # 0 to 100: how much changes from frame to frame
    off: int  # quarters of a frame: the wrong ones are at least this much too early or too late
    motion: AnyMotion  # what the clip shows


@dataclass(frozen=True, slots=True)
class Gap:
    motion: str
    haste: int
    off: int
    plan: tuple[int, ...]  # what the motion is drawn from
    frames: int
    missing: int  # the time, from 0
    offered: tuple[int, ...]  # times in quarters of a frame


def generate(rng: Random, knobs: Knobs) -> Gap | None:
    motion = rng.choice(list(MOTIONS)) if knobs.motion == "any" else knobs.motion
    plans = (MOTIONS[motion].plan(rng, knobs.frames, knobs.haste) for _ in range(30))
    plan = next((each for each in plans if each), None)
    if plan is None:
        return None
    missing = rng.randint(2, knobs.frames - 2)
    right, last = missing * TICKS, (knobs.frames - 1) * TICKS
    wrong = [tick for tick in range(last + 1) if abs(tick - right) >= knobs.off]
    # Mostly the nearest: one far off is no temptation.
    wrong.sort(key=lambda tick: abs(tick - right) + rng.randrange(TICKS))
    seen, offered = {MOTIONS[motion].draw(plan, right).tobytes()}, [right]
    for tick in wrong:
        if len(offered) == knobs.options:
            break
        drawn = MOTIONS[motion].draw(plan, tick).tobytes()
        if drawn not in seen:
            seen.add(drawn)
            offered.append(tick)
    if len(offered) < knobs.options:
        return None
    rng.shuffle(offered)
    gap = Gap(motion, knobs.haste, knobs.off, plan, knobs.frames, missing, tuple(offered))
    gold = solve(gap)
    return gap if gold and verify(gap, gold) == 1 else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(gap: Gap) -> str | None:
    """The frame that goes on from the two before it to the one behind it."""
    motion, missing = MOTIONS[gap.motion], gap.missing
    shown, offered = _pages(gap)
    clip = panels(shown, gap.frames, columns(gap.frames), FRAME, FRAME)
    options = panels(offered, len(gap.offered), columns(len(gap.offered)), FRAME, FRAME)
    around = [clip[missing - 2], clip[missing - 1], clip[missing + 1]]
    states = motion.read([*around, *options])
    if states is None:
        return None
    before, here, after, *found = states
    wanted = [
        state
        for state in motion.next(before, here)
        if any(motion.apart(one, after) <= motion.loose for one in motion.next(here, state))
    ]
    near = [min(motion.apart(state, one) for one in wanted) for state in found] if wanted else []
    right = [place for place, gap in enumerate(near) if gap <= motion.loose]
    clear = all(gap <= motion.loose or gap > CLEAR * motion.loose for gap in near)
    return LETTERS[right[0]] if len(right) == 1 and clear else None


def verify(gap: Gap, letter: str) -> float:
    place = LETTERS.index(letter)
    return float(place < len(gap.offered) and gap.offered[place] == gap.missing * TICKS)


def render(gap: Gap, style: Style) -> Prompt:
    count, place = gap.frames, gap.missing + 1
    told = MOTIONS[gap.motion].told
    options = LETTERS[: len(gap.offered)]
    names = f"{', '.join(options[:-1])} or {options[-1]}"
    return Prompt(
        style.pick(
            f"<image>\nThese are {count} frames of a clip in the order of time, taken at equal"
            f" intervals; frame {place} is missing. {told} Which of the following frames, each"
            " with its letter above it, is the missing one?\n<image>",
            f"A clip has {count} frames, evenly spaced in time. {told} Here they are in order;"
            f" number {place} is left grey.\n<image>\nOne of these was taken exactly at"
            " that moment; the others a little earlier or later.\n<image>\nWhich one?",
            f"Fill the gap in this film (frame {place} of {count}).\n<image>\n{told} The frames"
            " follow one another at equal intervals. Which of these belongs in the gap?\n<image>",
        ),
        form=f"the letter {names}",
        images=tuple(png(page, PALETTE) for page in _pages(gap)),
    )


@drawn_once
def _pages(gap: Gap) -> tuple[Pixels, Pixels]:
    """The clip with its gap, and the frames that are offered."""
    draw = MOTIONS[gap.motion].draw
    clip = [draw(gap.plan, time * TICKS) for time in range(gap.frames)]
    clip[gap.missing][:] = GUTTER
    offered = [draw(gap.plan, tick) for tick in gap.offered]
    letters = LETTERS[: len(offered)]
    return sheet(clip, columns(gap.frames)), sheet(offered, columns(len(offered)), letters)


LADDER = (
    Knobs(5, 3, 100, 6, "any"),
    Knobs(5, 4, 90, 4, "any"),
    Knobs(6, 4, 80, 3, "any"),
    Knobs(7, 5, 80, 2, "any"),
    Knobs(8, 6, 70, 2, "any"),
)
FAMILY = Family(
    Gap,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Choice(tuple(LETTERS)),
    hardness=lambda gap: gap.frames + 2 * len(gap.offered) - gap.off,
    proof="unique",
    solver="steady motion across the gap, read from the pixels",
    guess_rate=0.33,
    kin=lambda gap: [gap.motion, gap.plan],
    redraws=True,
    skills=("vision", "time"),
    version=4,
)
