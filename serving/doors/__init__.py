"""Doors: a file here speaks one protocol, and sets DOOR.

Where two protocols have a path in common, the body tells whose a request is.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from starlette.websockets import WebSocket

from puzzlemill.core.choices import Choices
from puzzlemill.serving.calls import Handler
from puzzlemill.serving.episodes import Server

Socket: TypeAlias = Callable[[Server, WebSocket], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Door:
    routes: Mapping[tuple[str, str], Handler]  # by method and path
    sockets: Mapping[str, Socket] = field(default_factory=dict)  # WebSockets, by path
    # Whether a request is this door's, by its body, at a path that other doors have too. None: it
    # takes what no other claims.
    claims: Callable[[Mapping[str, Any]], bool] | None = None
    # Whether it reads what is posted itself: a form, or JSON whose faults it tells in its own way.
    reads_body: bool = False
    # Whether it shows answers: such doors are open only where a build is looked at, and alone.
    shows_gold: bool = False


DOORS = Choices("door", __name__, "DOOR", "puzzlemill.doors")
