"""Sessions: the episodes under way, each of which ends when nothing is heard of it for a while."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import uuid4

from puzzlemill.serving.jobs import Position, ServedItem
from puzzlemill.serving.tables import Table

LONGEST = 255  # characters of a session's name


class Full(Exception):
    """As many sessions are open as are taken on."""


class Unknown(Exception):
    """There is no such session: it was never opened, or has ended."""


class Finished(Exception):
    """The episode is over: no further reply counts."""


@dataclass(slots=True, eq=False)
class Episode:
    """One task under way: an item and the tries at it, or a game."""

    id: str
    environment: str
    task: Mapping[str, Any]
    item: ServedItem | None  # of an item
    position: Position | None  # of a game
    tries: int  # that are left
    steps: int = 0
    done: bool = False
    reward: float | None = None
    table: Table | None = None  # of a game between sessions
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # one reply is judged at a time
    # Calls by the names under which their results may be asked for again.
    calls: dict[str, "asyncio.Future[Any]"] = field(default_factory=dict)

    @property
    def prompt(self) -> str:
        """What the policy is asked now."""
        part = self.item or self.position
        return part.prompt if part else ""

    @property
    def images(self) -> tuple[bytes, ...]:
        part = self.item or self.position
        return part.images if part else ()

    def leave(self) -> None:
        """A session that ends in mid-game ends the game."""
        if self.table:
            self.table.end("a player has left")


@dataclass(eq=False)
class Sessions:
    """By name, the one that was silent longest first."""

    most: int
    idle: float  # seconds
    clock: Callable[[], float] = monotonic
    episodes: "OrderedDict[str, tuple[float, Episode]]" = field(default_factory=OrderedDict)
    expired: int = 0  # so far

    def check_room(self, name: str = "") -> None:
        """Refuse another session, if `name` is not one already."""
        self.expire()
        if name not in self.episodes and len(self.episodes) >= self.most:
            raise Full(f"{len(self.episodes)} sessions are open, and no more are taken on")

    def add(self, episode: Episode) -> None:
        """Open a session, or put another episode in its place."""
        self.check_room(episode.id)
        self.episodes[episode.id] = self.clock(), episode
        self.episodes.move_to_end(episode.id)

    def get(self, name: str) -> Episode:
        """A session that is heard of again."""
        if (episode := self.find(name)) is None:
            raise Unknown("there is no such session: open one, and call before it expires")
        return episode

    def find(self, name: str) -> Episode | None:
        """The same, or None where there is none of that name."""
        self.expire()
        if name not in self.episodes:
            return None
        episode = self.episodes[name][1]
        self.episodes[name] = self.clock(), episode
        self.episodes.move_to_end(name)
        return episode

    def drop(self, name: str) -> bool:
        held = self.episodes.pop(name, None)
        if held:
            held[1].leave()
        return held is not None

    def expire(self) -> None:
        until = self.clock() - self.idle
        while self.episodes:
            name, (heard, _) = next(iter(self.episodes.items()))
            if heard > until:
                break
            self.drop(name)
            self.expired += 1


def new_id() -> str:
    return str(uuid4())
