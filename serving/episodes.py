"""Episodes: a task is asked, and replies to it are judged; the same behind every door."""

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import SPLITS, check_split
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.storage.pool import cores
from puzzlemill.core.verdict import Verdict
from puzzlemill.outputs.viewer.page_parts import Site
from puzzlemill.serving.game_turns import (
    first_position,
    is_between_sessions,
    position_after,
    table_for,
)
from puzzlemill.serving.jobs import Position, ServedItem
from puzzlemill.serving.judging import Broken, Lane, Run
from puzzlemill.serving.live_band import LiveBand
from puzzlemill.serving.metrics import Metrics
from puzzlemill.serving.sessions import LONGEST, Episode, Finished, Sessions, new_id
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.tables import Table
from puzzlemill.serving.tasks import PLAY, Environment, Task, environment_of
from puzzlemill.serving.workers import run_in_a_worker

HELD = 1024  # items in memory, for groups of episodes about the same one
MAKING = 60.0  # seconds that one item may take to be made, as in a build
AGAIN = "That is not right. Try again."  # the same whatever was wrong: no hint
RIGHT, PARTLY, WRONG = "That is right.", "That is partly right.", "That is not right."
TAGS = ("<answer>", "\\boxed{")


@dataclass(frozen=True, slots=True)
class Turn:
    """What a reply led to."""

    text: str  # feedback, or what a game asks next
    reward: float
    done: bool
    facts: Mapping[str, Any]  # of the verdict, without gold
    images: tuple[bytes, ...] = ()  # one for each <image> in the text


@dataclass(eq=False)
class Server:
    """All that the doors share."""

    settings: Serve
    environments: Mapping[str, Environment]
    band: LiveBand | None = None
    run: Run = run_in_a_worker
    site: Site | None = None  # builds to look at, in place of tasks
    sessions: Sessions = field(init=False)
    judges: Lane = field(init=False)
    makers: Lane = field(init=False)
    metrics: Metrics = field(default_factory=Metrics)
    items: "OrderedDict[str, ServedItem]" = field(default_factory=OrderedDict)
    making: "dict[str, asyncio.Future[ServedItem]]" = field(default_factory=dict)
    drawn: "Counter[tuple[str, str]]" = field(default_factory=Counter)  # tasks without an index
    tables: dict[str, Table] = field(default_factory=dict)  # that have a free seat

    def __post_init__(self) -> None:
        settings = self.settings
        workers = settings.workers or cores()
        self.sessions = Sessions(settings.sessions, settings.idle)
        self.judges = Lane(workers, settings.queue, settings.seconds, self.run)
        self.makers = Lane(workers, settings.queue, MAKING, self.run)

    def task(self, environment: Environment, split: Any, index: Any) -> Task:
        """The task at an index; without one, the next of this server."""
        check_split(split)
        if index is None:
            count = self.drawn[environment.name, split]
            self.drawn[environment.name, split] += 1
            if environment.is_game and is_between_sessions(self):
                count //= registry.game(environment.name.removeprefix(PLAY)).players
            index = count % max(environment.count(split), 1)
        if type(index) is not int or not 0 <= index < environment.count(split):
            raise UserError(
                f"{environment.name} has {environment.count(split):,} tasks in {split}; there is no"
                f" index {shown(index)}"
            )
        return environment.task(split, index)

    def close(self) -> None:
        self.judges.close()
        self.makers.close()


async def begin(server: Server, environment: Environment, task: Task, name: str = "") -> Episode:
    """Open a session for an episode, or give it another. It has no effect where it fails."""
    if len(name) > LONGEST:
        raise UserError(f"a session's name has at most {LONGEST} characters")
    environment.check(task)
    server.sessions.check_room(name)
    settings = server.settings
    if environment.is_game:
        return await _begin_game(server, environment, task, name or new_id())
    item = await item_of(server, task)
    task = {**task, "index": item.index}
    episode = Episode(name or new_id(), environment.name, task, item, None, settings.tries)
    server.sessions.add(episode)
    server.metrics.add("episodes_total", environment=environment.name)
    return episode


async def _begin_game(server: Server, environment: Environment, task: Task, name: str) -> Episode:
    """Against another session, it begins when the policy is to move: the session is held until
    then, and its end is the game's."""
    table = None
    if is_between_sessions(server):
        server.sessions.drop(name)  # and what it played before
        table, seat = await table_for(server, task, name)
        task = {**task, "seat": seat}
    episode = Episode(name, environment.name, task, None, None, 0, table=table)
    if table:
        server.sessions.add(episode)
    try:
        async with episode.lock:
            _take(episode, await first_position(server, episode))
    except BaseException:
        if table:
            server.sessions.drop(name)
        raise
    server.sessions.add(episode)
    server.metrics.add("episodes_total", environment=environment.name)
    return episode


async def item_of(server: Server, task: Task) -> ServedItem:
    """The item of a task: made in a worker process, or held from before."""
    key = json.dumps(task, sort_keys=True, default=str)
    if key in server.items:
        server.items.move_to_end(key)
        return server.items[key]
    if key not in server.making:  # else an episode of the same group has asked for it
        server.making[key] = asyncio.ensure_future(_made(server, dict(task)))
    making = server.making[key]
    try:
        item = await asyncio.shield(making)
    finally:
        if making.done():
            server.making.pop(key, None)
    server.items[key] = item
    if len(server.items) > HELD:
        server.items.popitem(last=False)
    return item


async def _made(server: Server, task: dict[str, Any]) -> ServedItem:
    settings = server.settings
    job, stride = "puzzlemill.serving.jobs:ask", settings.tasks
    item: ServedItem = await server.makers.call(job, task, settings.style, settings.hint, stride)
    return item


async def reply_to(server: Server, episode: Episode, reply: str) -> Turn:
    """Judge a reply. Where that fails or is refused, the episode is as it was."""
    async with episode.lock:
        if episode.done:
            raise Finished("the episode is over: begin another")
        if episode.position is not None:
            return await _move(server, episode, reply)
        assert episode.item is not None
        verdict = await judge(server, episode.item.fields, reply)
        if server.band and not episode.steps:
            fields = episode.item.fields
            level = episode.item.level
            server.band.judged(fields["uid"], fields["family"], level, verdict.correct)
        episode.steps += 1
        episode.tries -= 1
        if episode.tries and not verdict.correct:
            return Turn(AGAIN, 0.0, False, {"correct": False, "tries_left": episode.tries})
        episode.done, episode.reward = True, verdict.score
        text = RIGHT if verdict.correct else PARTLY if verdict.score else WRONG
        return Turn(text, verdict.score, True, facts_of(verdict) | {"tries_left": 0})


async def judge(server: Server, fields: Mapping[str, Any], reply: str) -> Verdict:
    """The verdict on a reply, by a worker process; our own failure is no verdict."""
    start = perf_counter()
    verdict: Verdict = await server.judges.call("puzzlemill.outputs.rewards:judge", fields, reply)
    server.metrics.judged(perf_counter() - start)
    server.metrics.add("verdicts_total", status=verdict.status)
    if verdict.status == "error":
        raise Broken("the verifier failed")
    return verdict


async def _move(server: Server, episode: Episode, reply: str) -> Turn:
    position = await position_after(server, episode, reply)
    episode.steps += 1
    _take(episode, position)
    facts: dict[str, Any] = {"moves": position.moves}
    if episode.done:
        facts["legal"] = not position.fault
    reward = position.reward or 0.0
    return Turn(position.prompt, reward, episode.done, facts, position.images)


def _take(episode: Episode, position: Position) -> None:
    episode.position, episode.reward = position, position.reward
    episode.done = position.reward is not None


def facts_of(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a door tells it."""
    return {
        "score": verdict.score,
        "correct": verdict.correct,
        "status": verdict.status,
        "reason": verdict.reason,
    }


def as_reply(answer: str) -> str:
    """An answer that stands alone, as a reply that says it."""
    if any(tag in answer for tag in TAGS):
        return answer
    return f"<answer>{answer}</answer>"


def words_of(fields: Mapping[str, Any]) -> str:
    """The reply that an action, a tool's input or an entry tells: `reply`, or `answer` alone."""
    names = [name for name in ("reply", "answer") if fields.get(name) is not None]
    if len(names) != 1 or not isinstance(fields[names[0]], str):
        raise UserError("say `reply`, what a policy said, or `answer` alone, as a text")
    return fields["reply"] if names == ["reply"] else as_reply(fields["answer"])


def facts_about(server: Server, episode: Episode) -> dict[str, Any]:
    """What a door tells of an episode beside the prompt."""
    facts: dict[str, Any] = {
        "environment": episode.environment,
        "task": dict(episode.task),
        "session_id": episode.id,
    }
    if episode.item:
        facts |= {"tries": server.settings.tries, "hinted": episode.item.hinted}
    else:
        facts |= {"opponent": server.settings.opponent}
    return facts


def environment_and_task(server: Server, request: Mapping[str, Any]) -> tuple[Environment, Task]:
    """What `environment`, and `task`, or `split` and `index` or `seed`, name in a request.

    A seed is an index, modulo the count of tasks: the same seed is the same task. Without either,
    it is the next task of this server.
    """
    name = request.get("environment")
    if name is not None and not isinstance(name, str):
        raise UserError(f"environment is a name, not {shown(name)}")
    environment = environment_of(server.environments, name)
    task, index, seed = request.get("task"), request.get("index"), request.get("seed")
    if task is not None:
        if not isinstance(task, Mapping):
            raise UserError(f"task is an address with its level, not {shown(task)}")
        return environment, task
    split = request.get("split", next(iter(SPLITS)))
    if index is None and seed is not None:
        if type(seed) is not int or seed < 0:
            raise UserError(f"seed is a whole number from 0, not {shown(seed)}")
        check_split(split)
        index = seed % max(environment.count(split), 1)
    return environment, server.task(environment, split, index)
