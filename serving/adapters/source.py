"""What adapters share: one stream of tasks by split and index, and play in worker processes.

A task is that of `puzzlemill serve` with the same arguments, at the same split and index of its
environment. Problems are made, replies judged and games played in worker processes, so that a
family that hangs or crashes costs its own call only.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import check_split, whole_number
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.game import begin
from puzzlemill.core.guard import Failure
from puzzlemill.core.storage import pool
from puzzlemill.serving.episodes import MAKING, Server
from puzzlemill.serving.jobs import Position, ServedItem
from puzzlemill.serving.live_band import NAME
from puzzlemill.serving.start import server_of
from puzzlemill.serving.tasks import ALL, PLAY, BuildTasks, Environment, Task

PICTURES = "visual"  # the category whose prompts hold pictures
UNFINISHED = -1.0  # the result of a policy that leaves a game: as of an illegal move


def source_of(
    what: Sequence[str], options: Mapping[str, Any], band: Sequence[float] = ()
) -> Server:
    """Families, games and builds' folders as `puzzlemill serve` takes them, with its options."""
    if isinstance(what, str):
        raise UserError(f"name families and games in a list: [{what!r}]")
    server = server_of(what, options, ":".join(f"{rate:g}" for rate in band))
    for game in (each.name.removeprefix(PLAY) for each in streams(server) if each.is_game):
        rules = registry.game(game)
        start = begin(rules, 0, 0.0)
        if rules.shown(start, rules.to_move(start)).images:
            raise UserError(f"{PLAY}{game} shows pictures, which adapters do not: name other games")
    return server


def pictured(families: Iterable[str]) -> list[str]:
    """Those of the families, variants too, whose prompts hold pictures."""
    visual = set(registry.names(PICTURES))
    return [name for name in families if name.partition("+")[0] in visual]


def streams(server: Server) -> list[Environment]:
    """The environments that take turns: all families together, each build, each game."""
    mixture = NAME if server.band else ALL
    return [
        each
        for each in server.environments.values()
        if each.name == mixture or each.is_game or isinstance(each, BuildTasks)
    ]


def place_of(server: Server, split: str, index: int) -> tuple[Environment, int]:
    """The environment at an index from 0, without end, and its own index: they take turns, each
    from its start again when its tasks are used up."""
    check_split(split)
    index = whole_number("index", index)
    if index < 0:
        raise UserError(f"index is a whole number from 0, not {shown(index)}")
    each = [stream for stream in streams(server) if stream.count(split)]
    if not each:
        raise UserError(f"there is no task in the split {split!r}")
    number, which = divmod(index, len(each))
    return each[which], number % each[which].count(split)


def task_of(server: Server, split: str, index: int) -> Task:
    environment, number = place_of(server, split, index)
    return environment.task(split, number)


def ask(server: Server, task: Task) -> ServedItem:
    """The problem of a task as a policy sees it."""
    settings = server.settings
    item: ServedItem = _worked("ask", dict(task), settings.style, settings.hint, settings.tasks)
    return item


def deal(task: Task, opponent: str) -> Position:
    """The first position of a game in which the policy is to move."""
    position: Position = _worked("deal", dict(task), opponent)
    return position


def move(task: Task, position: Position, reply: str, opponent: str) -> Position:
    """The position after a reply, and after the moves of the others."""
    after: Position = _worked("move", dict(task), position.state, position.moves, reply, opponent)
    return after


def _worked(job: str, *arguments: Any) -> Any:
    """What a worker process makes of a job."""
    (result,) = pool.run(f"puzzlemill.serving.jobs:{job}", [arguments], 1, MAKING)
    if isinstance(result, UserError):
        raise result
    if isinstance(result, Failure):
        raise RuntimeError(f"a task could not be made or played: {result.reason}")
    return result
