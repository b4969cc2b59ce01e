"""Episodes in the trainer's own process: what the adapters share.

One thread has an event loop, in which episodes are held as behind the server's doors; replies are
judged in worker processes. A trainer may call from threads, from loops of its own and after a fork.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from threading import Lock, Thread
from typing import Any, TypeVar

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.tables import settings_of
from puzzlemill.serving.episodes import Server, Turn, begin, reply_to
from puzzlemill.serving.judging import Broken
from puzzlemill.serving.live_band import LiveBand
from puzzlemill.serving.sessions import Episode
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.start import server_of
from puzzlemill.serving.tasks import (
    ALL,
    PLAY,
    Environment,
    FamilyTasks,
    Task,
    environment_of,
    environments,
)

Value = TypeVar("Value")

PLACE = "an adapter"
PICTURES = "visual"  # the category whose prompts hold pictures
WAITING = 1_000_000  # replies in line: a trainer's batch is never refused
WORDS_OF_START = ("band", "curriculum")  # options that are not settings of Serve


@dataclass(frozen=True, slots=True)
class Source:
    """The tasks that one text names."""

    server: Server
    shares: tuple[tuple[Environment, int], ...]  # how many tasks of each make a round

    def count(self, split: str) -> int:
        rounds = min(each.count(split) // share for each, share in self.shares)
        return rounds * self._in_a_round

    def task(self, split: str, index: int) -> Task:
        """The task at an index, which goes round. A round has a task of each family and game."""
        if not (count := self.count(split)):
            raise UserError(f"there is no task in the split {split}")
        rounds, place = divmod(index % count, self._in_a_round)
        for environment, share in self.shares:
            if place < share:
                return self.server.task(environment, split, rounds * share + place)
            place -= share
        raise AssertionError("a place in a round is some environment's")

    def drawn(self, split: str, seed: int, number: int) -> Task:
        """A task at random: by hashing, so that neighbouring seeds have nothing in common."""
        key = f"{seed}\0{number}".encode()
        return self.task(split, int.from_bytes(blake2b(key, digest_size=7).digest()))

    @property
    def _in_a_round(self) -> int:
        return sum(share for _, share in self.shares)


def source(tasks: str = "", **options: Any) -> Source:
    """What `puzzlemill serve` is told, as one text: families, games, builds. Empty: all families
    without pictures, and all games. Options are its settings, and `band` and `curriculum`."""
    return _source(tasks, canonical_json(options))


@lru_cache(maxsize=64)
def _source(tasks: str, options: str) -> Source:
    given = json.loads(options)
    start = {name: given.pop(name) for name in WORDS_OF_START if name in given}
    texts = [name for name in registry.categories() if name != PICTURES]
    words = tasks.split() or [*texts, PLAY.rstrip("_")]
    server = server_of(words, {"queue": WAITING, **given}, **start)
    held = {
        name: each for name, each in server.environments.items() if name != ALL or not server.band
    }
    shares = [(each, _share(name, each)) for name, each in held.items()]
    return Source(server, tuple((each, share) for each, share in shares if share))


def _share(name: str, environment: Environment) -> int:
    """None of what `ALL` or the band has already: a family by itself."""
    if name == ALL or isinstance(environment, LiveBand):
        assert isinstance(environment, FamilyTasks | LiveBand)
        return len(environment.families)
    return int(not isinstance(environment, FamilyTasks))


def server_with(options: Mapping[str, Any]) -> Server:
    """A server with settings, for tasks that rows hold."""
    return _server(canonical_json(dict(options)))


@lru_cache(maxsize=64)
def _server(options: str) -> Server:
    return Server(settings_of({"queue": WAITING, **json.loads(options)}, Serve, PLACE), {})


@lru_cache(maxsize=1024)
def _environment(name: str, settings: Serve) -> Environment:
    return environment_of(environments([name], settings), None)


def task_in(text: str | Task) -> Task:
    """A task as a row holds it: JSON."""
    task = json.loads(text) if isinstance(text, str) else text
    if not isinstance(task, Mapping):
        raise UserError("a row's `task` is an address with its level, as JSON")
    return task


async def opened(server: Server, task: Task, pictures: bool = False) -> Episode:
    """An episode, which lasts as long as whoever holds it."""
    name = f"{PLAY}{task['game']}" if "game" in task else str(task.get("family"))
    episode = await begin(server, _environment(name, server.settings), task)
    server.sessions.drop(episode.id)
    if episode.images and not pictures:
        raise UserError(
            f"{task['family']} shows pictures, and this adapter only text: name other families"
        )
    return episode


async def replied(server: Server, episode: Episode, reply: str) -> Turn:
    """What a reply leads to. Where our verifier fails the episode ends with the status `error`."""
    if episode.done and not episode.steps and episode.position is not None:
        # The opponent's first move has ended the game, and trainers ask for a reply all the same.
        episode.steps = 1
        begun = {"moves": episode.position.moves, "legal": True}
        return Turn(episode.prompt, episode.reward or 0.0, True, begun)
    try:
        return await reply_to(server, episode, reply)
    except Broken as error:
        episode.done = True
        facts = {"score": 0.0, "correct": False, "status": "error", "reason": str(error)}
        return Turn("", 0.0, True, facts)


def copied(episode: Episode) -> Episode:
    """The same position once more."""
    return replace(episode, lock=asyncio.Lock(), calls={})


def wait(work: Coroutine[Any, Any, Value]) -> Value:
    """The result, for callers without a loop."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


def elsewhere(work: Coroutine[Any, Any, Value]) -> Awaitable[Value]:
    """The result, for callers in a loop of their own."""
    return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _loop()))


_starting = Lock()


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="episodes", daemon=True).start()
    return loop


def _forget() -> None:
    """In a forked child the thread is not there, and others held what locks there were."""
    global _starting
    _starting = Lock()
    for cached in (_started, _source, _server):
        cached.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
