"""Turns of games: against a player that follows a rule, or against other sessions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from puzzlemill.core import registry
from puzzlemill.serving.jobs import SESSION, Position, Standing
from puzzlemill.serving.sessions import Episode, Finished
from puzzlemill.serving.tables import Table, open_table, seated

if TYPE_CHECKING:
    from puzzlemill.serving.episodes import Server


async def table_for(server: "Server", task: Mapping[str, Any], name: str) -> tuple[Table, int]:
    """The table at which a session plays a deal, and its seat."""
    if open_table(server.tables, task) is None:
        standing: Standing = await server.makers.call("puzzlemill.serving.jobs:lay", dict(task))
    # Another session may have opened one meanwhile.
    table = open_table(server.tables, task)
    table = table or Table(registry.game(task["game"]).players, standing)
    return table, seated(server.tables, table, task, name)


async def first_position(server: "Server", episode: Episode) -> Position:
    """The first position in which the policy is to move."""
    if episode.table:
        return await _turn_at(episode.table, server, episode)
    job, opponent = "puzzlemill.serving.jobs:deal", server.settings.opponent
    position: Position = await server.makers.call(job, dict(episode.task), opponent)
    return position


async def position_after(server: "Server", episode: Episode, reply: str) -> Position:
    """The next position in which it is to move, or the last one."""
    before, task = episode.position, dict(episode.task)
    assert before is not None
    if (table := episode.table) is None:
        job, opponent = "puzzlemill.serving.jobs:move", server.settings.opponent
        position: Position = await server.judges.call(
            job, task, before.state, before.moves, reply, opponent
        )
        return position
    if not table.is_over:
        job = "puzzlemill.serving.jobs:play"
        table.take(await server.judges.call(job, task, before.state, before.moves, reply))
    return await _turn_at(table, server, episode)


async def _turn_at(table: Table, server: "Server", episode: Episode) -> Position:
    position = await table.turn_of(episode.task["seat"], server.settings.wait)
    if position is None:
        episode.done = True
        raise Finished(f"the game is over without a result: {table.ended}")
    return position


def is_between_sessions(server: "Server") -> bool:
    return server.settings.opponent == SESSION
