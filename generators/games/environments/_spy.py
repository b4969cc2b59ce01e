"""Who is the spy: players describe their pictures in turn, and vote on who has another one.

One of four players, the spy, has a picture of which some cells were changed; it knows that it is
the spy, and not where. Everybody gives clues, that a cell has a colour; then all but the spy vote
at once, for a player or for nobody. Each vote is right or wrong by itself. What clues are worth is
what the votes make of them: the spy earns by votes for others, the others by votes for the spy, and
lose by votes for themselves (Vision-Zero).

The spy sits in seat 0, so that each role has a seat of its own; the number that a player goes by
differs from game to game.
"""

from dataclasses import dataclass
from math import nan
from random import Random

COLOURS = ("red", "green", "blue", "yellow")
SEATS = 4
SPY = 0  # its seat
NOBODY = "none"  # a vote
STAKE = 0.1  # of the difference between votes for the spy and for others
BLAME = 0.1  # of each vote for oneself above the others'


@dataclass(frozen=True, slots=True)
class Table:
    side: int  # of the pictures, in cells
    picture: tuple[str, ...]  # the colours of cells, row by row
    changed: tuple[str, ...]  # the spy's
    order: tuple[int, ...]  # the seats of players 1, 2, …
    rounds: int  # of clues
    clues: tuple[str, ...]  # so far, in the players' order: "b2 red"
    votes: tuple[str, ...]


def reset(rng: Random, level: float) -> Table:
    """The larger the pictures, the fewer cells differ."""
    side = 2 + round(3 * level)
    picture = [rng.choice(COLOURS) for _ in range(side * side)]
    changed = [*picture]
    for place in rng.sample(range(len(picture)), max(3 - round(2 * level), 1)):
        changed[place] = rng.choice([each for each in COLOURS if each != picture[place]])
    rounds = 1 if side == 2 else 2
    order = tuple(rng.sample(range(SEATS), SEATS))
    return Table(side, tuple(picture), tuple(changed), order, rounds, (), ())


def to_move(table: Table) -> int:
    if is_judged(table):
        return _voters(table)[min(len(table.votes), SEATS - 2)]
    return table.order[len(table.clues) % SEATS]


def is_judged(table: Table) -> bool:
    """Whether the move to come is a vote."""
    return len(table.clues) == table.rounds * SEATS


def legal(table: Table) -> tuple[str, ...]:
    """Any cell with any colour; or a vote, not for oneself."""
    if is_judged(table):
        own = player(table, to_move(table))
        others = [str(each) for each in range(1, SEATS + 1) if each != own]
        return (*others, NOBODY) if len(table.votes) < SEATS - 1 else ()
    cells = [cell(table, place) for place in range(len(table.picture))]
    return tuple(f"{each} {colour}" for each in cells for colour in COLOURS)


def step(table: Table, said: str) -> Table:
    clues, votes = table.clues, table.votes
    if is_judged(table):
        votes = (*votes, said)
    else:
        clues = (*clues, said)
    return Table(table.side, table.picture, table.changed, table.order, table.rounds, clues, votes)


def score(table: Table) -> tuple[float, ...]:
    """What each seat's clues earn; nothing until all have voted."""
    if len(table.votes) < SEATS - 1:
        return (0.0,) * SEATS
    against = [float(table.votes.count(str(player(table, seat)))) for seat in range(SEATS)]
    others = SEATS - 1
    mean = sum(against[1:]) / others
    caught = against[SPY] - mean
    return (
        -STAKE * caught,
        *(STAKE * caught / others - BLAME * (votes - mean) for votes in against[1:]),
    )


def verdicts(table: Table) -> tuple[float, ...]:
    """Of each seat's vote: 1 for the spy, -1 for another, -1/2 for nobody; NaN: it has none."""
    spy, found = str(player(table, SPY)), [nan] * SEATS
    for seat, vote in zip(_voters(table), table.votes, strict=False):
        found[seat] = 1.0 if vote == spy else -0.5 if vote == NOBODY else -1.0
    return tuple(found)


def player(table: Table, seat: int) -> int:
    """The number that a seat goes by."""
    return table.order.index(seat) + 1


def cell(table: Table, place: int) -> str:
    """The name of a cell: a letter for its column, counted from 1 at the top."""
    return f"{chr(ord('a') + place % table.side)}{place // table.side + 1}"


def seen(table: Table, seat: int) -> tuple[str, ...]:
    """The picture that a seat has."""
    return table.changed if seat == SPY else table.picture


def rules(table: Table, seat: int, picture: str) -> tuple[str, str]:
    """The question to a player, with words or a mark for the picture, and the form of the move."""
    role = (
        "You are the spy: hide it, and do not stand out."
        if seat == SPY
        else "You are not the spy: help to find the spy, and do not be taken for it."
    )
    clues = [f"player {number % SEATS + 1}: {clue}" for number, clue in enumerate(table.clues)]
    told = f"Clues so far: {'; '.join(clues)}." if clues else "Nobody has given a clue yet."
    if is_judged(table):
        task, form = (
            "Now vote at once with the others: which player is the spy?",
            "the number of another player, or none",
        )
    else:
        task, form = (
            "It is your turn: name a cell and a colour for it. It need not be true.",
            "a cell and its colour, such as b1 red",
        )
    return (
        f"{SEATS} players each have a picture of {table.side} rows of {table.side} coloured cells."
        " All pictures are the same, but for some cells in the picture of one player, the spy."
        f" {role} Columns are a, b, … from the left, rows 1, 2, … from the top; colours are"
        f" {', '.join(COLOURS)}. {picture} You are player {player(table, seat)}. {told} {task}",
        form,
    )


def move(text: str) -> str | None:
    words = text.casefold().replace(":", " ").replace(",", " ").split()
    return " ".join(words) or None


def write(said: str) -> str:
    return said


def _voters(table: Table) -> list[int]:
    return [seat for seat in table.order if seat != SPY]
