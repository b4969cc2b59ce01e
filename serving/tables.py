"""Tables: games whose seats are all taken by sessions, each of which waits for the others' moves.

Sessions that ask for the same deal meet. The first has the seat that its task names, the next that
one too if it is free, or else the next free one. A game that one of them leaves, or does not move
in for long, ends without a result for any.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from puzzlemill.serving.jobs import Position, Standing


@dataclass(eq=False)
class Table:
    """One game between sessions."""

    players: int
    standing: Standing
    seats: dict[int, str] = field(default_factory=dict)  # names of sessions
    ended: str = ""  # why there is no result
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_over(self) -> bool:
        return self.standing.rewards is not None or bool(self.ended)

    def sit(self, wanted: int, name: str) -> int:
        """The seat that a session gets."""
        places = ((wanted + step) % self.players for step in range(self.players))
        seat = next(place for place in places if place not in self.seats)
        self.seats[seat] = name
        return seat

    def take(self, standing: Standing) -> None:
        """Go on with what a move led to."""
        if not self.ended:
            self.standing = standing
        self._tell()

    def end(self, why: str) -> None:
        """Without a result, if it is not over."""
        if not self.is_over:
            self.ended = why
            self._tell()

    def _tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def turn_of(self, seat: int, seconds: float) -> Position | None:
        """What a seat sees when it is to move or the game is over; too long a wait ends the game.
        None: there is no result."""
        try:
            async with asyncio.timeout(seconds):
                while not self.is_over and self.standing.turn != seat:
                    await self.changed.wait()
        except TimeoutError:
            self.end(f"no other player has moved for {seconds:g} seconds")
        return None if self.ended else self.standing.seen_from(seat)


def open_table(tables: dict[str, Table], task: Mapping[str, Any]) -> Table | None:
    """The table with a free seat at which this deal is played."""
    for key in [key for key, table in tables.items() if table.is_over]:
        del tables[key]
    return tables.get(_deal(task))


def seated(tables: dict[str, Table], table: Table, task: Mapping[str, Any], name: str) -> int:
    """The seat that a session gets; the table stays open as long as another is free."""
    seat = table.sit(task["seat"], name)
    if len(table.seats) < table.players:
        tables[_deal(task)] = table
    else:
        tables.pop(_deal(task), None)
    return seat


def _deal(task: Mapping[str, Any]) -> str:
    return repr(sorted((name, value) for name, value in task.items() if name != "seat"))
