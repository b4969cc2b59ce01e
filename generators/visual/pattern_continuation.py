"""Pattern continuation: panels in a row whose attributes repeat, each with a period of its own.

Every period is at most half as long as what is shown, and whatever period fits what is shown leads
to the same panel. `verify` lists the values that some period gives; `solve` reads the attributes
back from the drawn panels and lays what they begin with end to end.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.visual._looks import LEAST, PANEL, RANGE, Look, panel, read
from puzzlemill.generators.visual._picture import Pixels, drawn_once, panels, png, sheet
from puzzlemill.generators.visual._scene import PALETTE

LONGEST = 6  # panels in a row of the picture


@dataclass(frozen=True, slots=True)
class Knobs:
    shown: int  # panels of the row
    moving: int  # attributes that change at all
    period: int  # at most
    ahead: int  # at most so many panels after the last one shown
    options: int  # panels to choose from


@dataclass(frozen=True, slots=True)
class Row:
    shown: tuple[Look, ...]
    period: int  # the longest that the prompt allows
    ahead: int  # which panel after the last is asked for
    options: tuple[Look, ...]


def generate(rng: Random, knobs: Knobs) -> Row | None:
    moving = rng.sample(range(4), knobs.moving)
    ahead = rng.randint((knobs.ahead + 1) // 2, knobs.ahead)
    longest = min(knobs.period, knobs.shown // 2)
    columns = []
    for attribute in range(4):
        values = range(LEAST[attribute], LEAST[attribute] + RANGE[attribute])
        length = rng.randint(2, longest) if attribute in moving else 1
        cycle = [rng.choice(values) for _ in range(length)]
        columns.append([cycle[place % length] for place in range(knobs.shown + ahead)])
    looks: list[Look] = [(a, b, c, d) for a, b, c, d in zip(*columns)]
    if sum(len(set(column)) > 1 for column in columns) != knobs.moving:
        return None
    options, seen = [looks[-1]], looks[: knobs.shown]
    for _ in range(200):
        if len(options) == knobs.options:
            break
        # Any option may be the model of a wrong one, lest the right one be most like all others.
        model, attribute = list(rng.choice(options)), rng.choice([*moving, *moving, *range(4)])
        other_value = rng.randrange(RANGE[attribute]) + LEAST[attribute]
        model[attribute] = rng.choice([*{look[attribute] for look in seen}, other_value])
        other = (model[0], model[1], model[2], model[3])
        if other not in options:
            options.append(other)
    rng.shuffle(options)
    row = Row(tuple(seen), longest, ahead, tuple(options))
    return row if len(options) == knobs.options and solve(row) is not None else None


@lru_cache(maxsize=2)  # generate asks before the item is certified
def solve(row: Row) -> int | None:
    """Read the panels and continue every attribute by each period that fits."""
    looks, options = (_read(panels) for panels in (row.shown, row.options))
    if None in looks or None in options:
        return None
    place = len(looks) + row.ahead - 1
    wanted = []
    for values in zip(*(look for look in looks if look)):
        following = set()
        for period in range(1, row.period + 1):
            repeats = len(values) // period + 1
            if (values[:period] * repeats)[: len(values)] == values:
                following.add(values[place % period])
        if len(following) != 1:
            return None
        wanted.append(following.pop())
    found = [number for number, look in enumerate(options, 1) if look and [*look] == wanted]
    return found[0] if len(found) == 1 else None


def verify(row: Row, number: int) -> float:
    if not 1 <= number <= len(row.options):
        return 0.0
    last = len(row.shown) - 1
    for attribute, said in enumerate(row.options[number - 1]):
        values = [look[attribute] for look in row.shown]
        periods = [
            period
            for period in range(1, row.period + 1)
            if all(values[place] == values[place - period] for place in range(period, last + 1))
        ]
        # Step back from the place asked for by whole periods, until a panel is shown there.
        for period in periods:
            place = last + row.ahead
            while place > last:
                place -= period
            if values[place] != said:
                return 0.0
    return 1.0


def render(row: Row, style: Style) -> Prompt:
    count = len(row.options)
    which = "next" if row.ahead == 1 else f"{row.ahead} places after the last one shown"
    rule = (
        "Read the panels in the order of their numbers. The form, the colour, the size and the"
        " number of the shapes each repeat in a cycle of their own, which is at most"
        f" {row.period} panels long"
    )
    return Prompt(
        style.pick(
            f"<image>\n{rule}. Which of the {count} panels below comes {which}? Its number stands"
            " above it.\n<image>",
            f"A sequence: <image>\nOptions: <image>\n{rule}. Find the option, out of {count}, that"
            f" comes {which} in the sequence.",
            f"{rule}, so that the sequence could go on for ever.\n<image>\nOne of these {count}"
            f" panels is the one that comes {which}:\n<image>\nWhich one?",
        ),
        form="the number of the option, as one integer",
        images=(png(_page(row.shown), PALETTE), png(_page(row.options), PALETTE)),
    )


def hardness(row: Row) -> float:
    moving = sum(len(set(values)) > 1 for values in zip(*row.shown))
    return 4 * moving + len(row.shown) + len(row.options) + row.ahead / 4


@drawn_once
def _page(looks: tuple[Look, ...]) -> Pixels:
    return sheet([panel(look) for look in looks], min(len(looks), LONGEST))


def _read(looks: tuple[Look, ...]) -> list[Look | None]:
    count = len(looks)
    return [read(each) for each in panels(_page(looks), count, min(count, LONGEST), PANEL, PANEL)]


LADDER = (
    Knobs(6, 1, 3, 1, 4),
    Knobs(8, 2, 4, 2, 5),
    Knobs(10, 3, 4, 4, 6),
    Knobs(10, 4, 5, 10, 7),
    Knobs(12, 4, 6, 30, 8),
)
FAMILY = Family(
    Row,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(called=("option", "panel")),
    hardness=hardness,
    proof="unique",
    solver="periods found in the attributes that are read from pixels",
    guess_rate=0.3,
    redraws=True,
    skills=("vision", "induction"),
    version=2,
)
