"""verifiers and prime-rl: an endless taskset of families and games, and the environment it is
played in: one reply, several tries, or a seat in a game.

`hub_package.py` writes the package by which verifiers finds them.
"""

import asyncio
import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.game import begin, over, read
from puzzlemill.core.lookup import item_at
from puzzlemill.difficulty.matches import forfeited
from puzzlemill.outputs.exports.verifiers.reward import data_url, message_with
from puzzlemill.outputs.rewards import score
from puzzlemill.serving.adapters.in_process import (
    UNFINISHED,
    elsewhere,
    opened,
    replied,
    server_with,
    source,
    wait,
)
from puzzlemill.serving.episodes import AGAIN
from puzzlemill.serving.jobs import seed_of
from puzzlemill.serving.sessions import Episode
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.tasks import Task

DEFAULTS = Serve()
AGENTS = "agents"  # in place of a rule: the other seats are the environment's `opponent`


class PuzzleData(vf.TaskData):  # type: ignore[misc]
    """A problem, or a game from its first position in which the policy is to move."""

    uid: str
    task: dict[str, Any]  # the address with its level, or the deal
    family: str = ""
    level: float = 0.0
    version: int = 1
    puzzle: str = ""
    tries: int = 1
    opponent: str = ""  # of a game


class PuzzleTask(vf.Task[PuzzleData]):  # type: ignore[misc]
    @property
    def key(self) -> str:
        """The item's name, by which a curriculum keeps what it learns."""
        return str(self.data.uid)

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def correct(self, trace: vf.Trace) -> float | Mapping[str, float]:
        if self.data.opponent:
            return {}  # the environment records the result of a game
        verdict = await verdict_on(self.data, trace.last_reply or "")
        for status in ("unparsed", "error"):
            trace.record_metric(status, float(verdict["status"] == status))
        return float(verdict["score"])

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether gold, made again from the address, is right. A game has none."""
        if self.data.opponent:
            return None
        item = await asyncio.to_thread(item_at, self.data.task)
        return bool((await verdict_on(self.data, f"<answer>{item.answer}</answer>"))["correct"])


async def verdict_on(data: PuzzleData, reply: str) -> dict[str, Any]:
    return await asyncio.to_thread(score, data.model_dump(), reply)


class Settings(vf.TasksetConfig):  # type: ignore[misc]
    """What is asked: the arguments and options of `puzzlemill serve`."""

    # Families, categories, games, builds' folders; all families by default.
    what: list[str] = Field(default_factory=registry.categories)
    split: str = "train"
    count: int = Field(0, ge=0)  # tasks; 0: without end
    levels: list[float] = Field(default_factory=lambda: list(DEFAULTS.levels))
    seed: int = DEFAULTS.seed
    tries: int = DEFAULTS.tries  # replies to a problem, until one is right
    style: str = DEFAULTS.style
    hint: float = DEFAULTS.hint
    opponent: str = DEFAULTS.opponent  # or "agents": the environment's `opponent`


class Puzzles(vf.Taskset[PuzzleTask, Settings]):  # type: ignore[misc]
    INFINITE = True

    def __init__(self, config: Settings) -> None:
        super().__init__(config)
        self.INFINITE = not config.count

    def load(self) -> Iterator[PuzzleTask]:
        config = self.config
        options = {name: getattr(config, name) for name in ("levels", "seed", "tries", "hint")}
        rule = DEFAULTS.opponent if config.opponent == AGENTS else config.opponent
        options["style"], options["opponent"] = config.style, rule
        held = source(config.what, pictures=True, **options)
        for index in range(config.count) if config.count else itertools.count():
            task = held.task(config.split, index)
            if "game" in task and config.opponent == AGENTS:
                data = _dealt(task, None, AGENTS)
            else:
                episode = wait(opened(held.server, task, pictures=True))
                data = _problem(episode) if episode.item else _dealt(task, episode, rule)
            yield PuzzleTask(data, config.task)


def _dealt(task: Task, episode: Episode | None, opponent: str) -> PuzzleData:
    return PuzzleData(
        uid=f"play_{task['game']}/{digest(json.dumps(task, sort_keys=True))}",
        name=f"{task['game']}#{task['index']}",
        prompt=episode.prompt if episode else None,  # between agents it is each seat's
        task=dict(task),
        family=f"play_{task['game']}",
        level=task["level"],
        opponent=opponent,
    )


def _problem(episode: Episode) -> PuzzleData:
    item = episode.item
    assert item is not None
    images = [data_url(image) for image in item.images]
    message = message_with({"role": "user", "content": item.prompt}, images)
    return PuzzleData(
        name=item.fields["uid"], prompt=[message], tries=episode.tries, task=dict(episode.task),
        level=item.level, **item.fields,
    )  # fmt: skip


class Seats(vf.EnvConfig):  # type: ignore[misc]
    """Who plays: a chat without tools, on this machine, unless it is set otherwise."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())
    opponent: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=vf.SubprocessConfig())


class Play(vf.Env[Seats]):  # type: ignore[misc]
    """One task as one episode."""

    async def run(self, task: PuzzleTask, agents: vf.Agents) -> None:
        data = task.data
        if data.opponent == AGENTS:
            await _between_agents(task, agents)
        elif data.opponent:
            await _against_rule(task, agents)
        elif data.tries > 1:
            await _tries(task, agents)
        else:
            await agents.player.run(task)


async def _tries(task: PuzzleTask, agents: vf.Agents) -> None:
    """Until one is right: the reward is the task's own, of the last reply."""
    async with agents.player.interaction(task) as interaction:
        segment = await interaction.turn()
        for _ in range(task.data.tries - 1):
            if segment.terminated or (await verdict_on(task.data, segment.last_reply))["correct"]:
                break
            segment = await interaction.turn(AGAIN)


async def _against_rule(task: PuzzleTask, agents: vf.Agents) -> None:
    data = task.data
    server = server_with({"opponent": data.opponent})
    episode = await elsewhere(opened(server, data.task))
    async with agents.player.interaction(task) as interaction:
        segment = await interaction.turn()
        while not segment.terminated:
            turn = await elsewhere(replied(server, episode, segment.last_reply))
            if turn.facts.get("status") == "error":
                raise RuntimeError(f"a move could not be played: {turn.facts['reason']}")
            if turn.done:
                break
            segment = await interaction.turn(turn.text)
    result = UNFINISHED if episode.reward is None else episode.reward
    interaction.trace.record_reward("result", result)
    illegal = episode.position is not None and bool(episode.position.fault)
    interaction.trace.record_metric("illegal", float(illegal))


async def _between_agents(task: PuzzleTask, agents: vf.Agents) -> None:
    """Each seat is a rollout of its own, with its own result."""
    game = registry.game(task.data.task["game"])
    state = begin(game, seed_of(task.data.task), task.data.task["level"])
    async with AsyncExitStack() as stack:
        seats = [
            await stack.enter_async_context(agent.interaction(task))
            for agent in (
                agents.player if seat == task.data.task["seat"] else agents.opponent
                for seat in range(game.players)
            )
        ]
        loser = None
        while loser is None and not over(game, state):
            seat = game.to_move(state)
            segment = await seats[seat].turn(game.shown(state, seat).text)
            played = None if segment.terminated else read(game, state, segment.last_reply)
            loser = seat if played is None else None
            state = state if played is None else game.step(state, played)
    results = game.score(state) if loser is None else forfeited(game, loser)
    for seat, interaction in enumerate(seats):
        interaction.trace.record_reward("result", results[seat])
        interaction.trace.record_metric("illegal", float(seat == loser))
