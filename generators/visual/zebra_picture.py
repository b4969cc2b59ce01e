"""Zebra picture: clues about a row of houses, drawn as cards, to be read and solved.

The street is that of the family `zebra`, and so is `verify`. `solve` reads the cards from the drawn
picture before it solves.
"""

from functools import cache
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.mapping import Pairs
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.logic import zebra
from puzzlemill.generators.logic.zebra import Clue, Knobs, Street, Thing
from puzzlemill.generators.visual._drawing import (
    area,
    asked,
    blank,
    disc,
    frame,
    letter_at,
    line,
    write,
)
from puzzlemill.generators.visual._picture import GUTTER, INK, PAPER, Pixels, drawn_once, png, stamp
from puzzlemill.generators.visual._scene import COLOURS, INDEX, KINDS, PALETTE, inside, silhouette

LISTS = {"colour": tuple(COLOURS), "shape": tuple(KINDS), "letter": tuple("abcdef")}
SLOT, GAP, EDGE = 44, 28, 10  # pixels of a house, between houses that do not touch, around them
OVER = 20  # pixels above the houses, for numbers and arrows
CARD = 3 * SLOT + 2 * GAP + 2 * EDGE, SLOT + OVER + 2 * EDGE  # wide and high
ROW = 3  # cards in a row
ASIDE = 10  # pixels: from the middle of a house to a sign, where there are two
SIGN = 8  # pixels: half of a sign's width
_POLE = bytes([INK]) * (2 * SIGN + 1)  # above a flag
TOLD = (
    "A person is shown by any one of their signs: a striped flag is a colour, a grey shape a"
    " shape, a letter a letter. Each card is one clue, with houses as they stand from left to"
    " right. Houses that touch are next-door neighbours, and an empty one is a house about which"
    " nothing is said. Three dots between houses stand for any number of houses, or none. An"
    " arrow with two heads above them means that their order may also be the reverse. A number"
    " above a house is its number. Two signs in one house belong to one person. A cross beside a"
    " house denies the card: the two signs belong to different persons, or the person does not live"
    " in the house of that number. A sign that stands alone before two houses with OR between"
    " them belongs to a person who lives in one of the two, or is one of the two persons whose"
    " signs are in them"
)


def generate(rng: Random, knobs: Knobs) -> Street:
    themes = rng.sample(list(LISTS), knobs.categories)
    categories = tuple(
        (theme, tuple(sorted(rng.sample(LISTS[theme], knobs.houses)))) for theme in themes
    )
    return zebra.clued(rng, knobs, categories)


def solve(street: Street) -> Pairs | None:
    page = _drawn(street)
    clues = tuple(_read(page[top:, left:]) for left, top in _corners(len(street.clues)))
    return zebra.solve(Street(street.houses, street.categories, clues))


def render(street: Street, style: Style) -> Prompt:
    houses = street.houses
    lists = "; ".join(f"{theme}: {', '.join(words)}" for theme, words in _shown(street))
    shown = (
        f"{houses} houses stand in a row, numbered 1 to {houses} from left to right. One person"
        f" lives in each. Each person has one sign of each of these lists, and no two have the"
        f" same: {lists}. The picture shows what is known. {TOLD}."
    )
    return Prompt(
        asked(style, shown, "In which house is the person with each sign?"),
        form='one line "sign = house number" for each sign of each list',
        images=(png(_drawn(street), PALETTE),),
    )


def _shown(street: Street) -> list[tuple[str, list[str]]]:
    """The lists, as the prompt writes them."""
    return [
        (theme, [word.upper() if theme == "letter" else word for word in words])
        for theme, words in street.categories
    ]


def _corners(cards: int) -> list[tuple[int, int]]:
    return [
        (1 + place % ROW * (CARD[0] + 1), 1 + place // ROW * (CARD[1] + 1))
        for place in range(cards)
    ]


def _house(place: int, touching: bool) -> tuple[int, int]:
    """The left and top of a house on a card."""
    return EDGE + place * (SLOT + (0 if touching else GAP)), EDGE + OVER


@drawn_once
def _drawn(street: Street) -> Pixels:
    rows = -(-len(street.clues) // ROW)
    page = blank(ROW * (CARD[0] + 1) + 1, rows * (CARD[1] + 1) + 1, GUTTER)
    for (left, top), clue in zip(_corners(len(street.clues)), street.clues, strict=True):
        card = page[top : top + CARD[1], left : left + CARD[0]]
        card[:] = PAPER
        _draw(card, clue)
    return page


def _draw(card: Pixels, clue: Clue) -> None:
    relation, one, *others = clue
    middle = EDGE + OVER + SLOT // 2
    match relation:
        case "same" | "differ":
            _put_house(card, _house(0, True), [one, *others])
            if relation == "differ":
                x = EDGE + SLOT + GAP // 2
                for rise in (-8, 8):
                    line(card, (x - 8, middle - rise), (x + 8, middle + rise), 3)
        case "either":
            left, top = _house(0, False)
            _put_sign(card, str(one), left + SLOT // 2, top + SLOT // 2)
            for place, other in enumerate(others, 1):
                _put_house(card, _house(place, False), [other])
            write(card, "OR", _gap(1), middle)
        case "beside" | "directly left":
            for place, thing in enumerate((one, *others)):
                _put_house(card, _house(place, True), [thing])
        case "apart":
            for place, things in enumerate(([one], [], others)):
                _put_house(card, _house(place, True), things)
        case "left" | "between":
            row = [one, *others] if relation == "left" else [others[0], one, others[1]]
            for place, thing in enumerate(row):
                _put_house(card, _house(place, False), [thing])
                for dot in (-8, 0, 8) if place else ():
                    disc(card, _gap(place - 1) + dot, middle, 2)
    if relation in ("beside", "apart", "between"):
        width = {"beside": 2 * SLOT, "apart": 3 * SLOT, "between": 3 * SLOT + 2 * GAP}[relation]
        start, end, y = EDGE + 6, EDGE + width - 6, EDGE + OVER // 2
        line(card, (start, y), (end, y), 2)
        for x, back in ((start, 6), (end, -6)):
            line(card, (x, y), (x + back, y - 5), 2)
            line(card, (x, y), (x + back, y + 5), 2)


def _gap(place: int) -> int:
    """The middle of the gap behind a house."""
    return _house(place, False)[0] + SLOT + GAP // 2


def _put_house(card: Pixels, corner: tuple[int, int], things: list[Thing]) -> None:
    left, top = corner
    frame(card, left, top, left + SLOT, top + SLOT, 2)
    x, y = left + SLOT // 2, top + SLOT // 2
    signs = [thing for thing in things if isinstance(thing, str)]
    for sign, aside in zip(signs, (-ASIDE, ASIDE) if len(signs) == 2 else (0,)):
        _put_sign(card, sign, x + aside, y)
    for number in set(things) - set(signs):
        write(card, str(number), x, EDGE + OVER // 2)


def _put_sign(card: Pixels, word: str, x: int, y: int) -> None:
    if word in COLOURS:
        area(card, x - SIGN, y - 12, x + SIGN + 1, y + 13)
        area(card, x - SIGN + 2, y - 10, x + SIGN - 1, y + 11, INDEX[word])
        area(card, x - SIGN + 2, y - 5, x + SIGN - 1, y - 3, PAPER)
        area(card, x - SIGN + 2, y + 4, x + SIGN - 1, y + 6, PAPER)
    elif word in KINDS:
        stamp(card, silhouette(word, SIGN), x, y, INK)
        stamp(card, inside(word, SIGN), x, y, GUTTER)
    else:
        write(card, word.upper(), x, y)


def _read(card: Pixels) -> Clue:
    """The clue that a card shows."""
    middle, clear = EDGE + OVER + SLOT // 2, EDGE + OVER + 5  # rows: of signs, and above them
    if card[clear, EDGE] != INK:
        (one,) = _things(card, 0, False)
        return ("either", one, *_things(card, 1, False), *_things(card, 2, False))
    if card[clear, _house(1, False)[0]] == INK:
        row = [thing for place in range(3) for thing in _things(card, place, False)]
        return ("left", *row) if len(row) == 2 else ("between", row[1], row[0], row[2])
    one, *others = _things(card, 0, True)
    if card[clear, _house(1, True)[0] + 1] != INK:
        return ("differ" if card[middle, _gap(0)] == INK else "same", one, *others)
    if card[clear, _house(2, True)[0] + 1] == INK:
        return ("apart", one, *_things(card, 2, True))
    arrow = card[EDGE + OVER // 2, EDGE + SLOT - 2] == INK
    return ("beside" if arrow else "directly left", one, *_things(card, 1, True))


def _things(card: Pixels, place: int, touching: bool) -> list[Thing]:
    """The signs in a house, from the left, and its number if that is told."""
    left, top = _house(place, touching)
    x, y = left + SLOT // 2, top + SLOT // 2
    alone = _sign_at(card, x, y)
    words = [alone] if alone else [_sign_at(card, x + aside, y) for aside in (-ASIDE, ASIDE)]
    found: list[Thing] = [word for word in words if word]
    number = letter_at(card, x, EDGE + OVER // 2)
    return [*found, int(number)] if number else found


def _sign_at(card: Pixels, x: int, y: int) -> str:
    whole = card[y - SIGN : y + SIGN + 1, x - SIGN : x + SIGN + 1]
    if card[y - 12, x - SIGN : x + SIGN + 1].tobytes() == _POLE:
        return next((word for word in COLOURS if card[y, x] == INDEX[word]), "")
    kind = _kinds().get((whole == GUTTER).tobytes(), "")
    return kind or letter_at(card, x, y).lower()


@cache
def _kinds() -> dict[bytes, str]:
    """Shapes by where they are grey."""
    return {inside(kind, SIGN).tobytes(): kind for kind in KINDS}


LADDER = (
    Knobs(3, 2, 0.2),
    Knobs(4, 2, 0.6),
    Knobs(4, 3, 0.6),
    Knobs(5, 3, 0.7),
    Knobs(6, 3, 0.9),
)
FAMILY = Family(
    Street,
    LADDER,
    generate,
    solve,
    zebra.verify,
    render,
    answer=answers.Mapping(),
    hardness=zebra.hardness,
    proof="unique",
    solver="clues read from the picture's pixels, then SAT",
    guess_rate=0.03,
    canon=zebra.canon,
    steps=zebra.steps,
    known=lambda street: [word for _, words in _shown(street) for word in words],
    skills=("vision", "deduction"),
    theme="zebra",
    version=4,
)
