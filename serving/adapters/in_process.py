"""Tasks and episodes in the trainer's own process: what the adapters share.

One thread has an event loop, in which episodes are held as behind the server's doors; items are
made, replies judged and games played in worker processes. A trainer may call from threads, from
loops of its own and after a fork.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from threading import Lock, Thread
from typing import Any, TypeVar

from puzzlemill.core import registry
from puzzlemill.core.address import check_split, whole_number
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.game import begin as begun
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.tables import settings_of
from puzzlemill.serving.episodes import Server, Turn, begin, reply_to
from puzzlemill.serving.jobs import SESSION
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
UNFINISHED = -1.0  # the result of a policy that leaves a game: as of an illegal move
WAITING = 1_000_000  # replies in line: a trainer's batch is never refused
WORDS_OF_START = ("band", "curriculum")  # options that are not settings of Serve


@dataclass(frozen=True, slots=True)
class Source:
    """The tasks of some families, games and builds."""

    server: Server
    shares: tuple[tuple[Environment, int], ...]  # how many tasks of each make a round

    def place(self, split: str, index: int) -> tuple[Environment, int]:
        """The environment at an index, and the index there. A round has a task of each family, game
        and build; each begins again when its tasks are used up."""
        check_split(split)
        if whole_number("index", index) < 0:
            raise UserError(f"index is a whole number from 0, not {shown(index)}")
        counts = [(each, share, each.count(split)) for each, share in self.shares]
        held = [(each, share, count) for each, share, count in counts if count]
        if not held:
            raise UserError(f"there is no task in the split {split!r}")
        rounds, place = divmod(index, sum(share for _, share, _ in held))
        for environment, share, count in held:
            if place < share:
                return environment, (rounds * share + place) % (count - count % share or count)
            place -= share
        raise AssertionError("a place in a round is some environment's")

    def task(self, split: str, index: int) -> Task:
        environment, number = self.place(split, index)
        return environment.task(split, number)

    def drawn(self, split: str, seed: int, number: int) -> Task:
        """A task at random: by hashing, so that neighbouring seeds have nothing in common."""
        key = f"{seed}\0{number}".encode()
        return self.task(split, int.from_bytes(blake2b(key, digest_size=7).digest()))


def source(what: str | Sequence[str] = "", pictures: bool = False, **options: Any) -> Source:
    """What `puzzlemill serve` is told, as one text or as words: families, games, builds. Empty: all
    families without pictures, and all games. Options are its settings, and `band` and `curriculum`.

    The same is given to all who ask for the same."""
    words = what.split() if isinstance(what, str) else what
    return _source(tuple(words), pictures, canonical_json(options))


@lru_cache(maxsize=64)
def _source(words: tuple[str, ...], pictures: bool, options: str) -> Source:
    return new_source(words, pictures, **json.loads(options))


def new_source(words: Sequence[str], pictures: bool = False, **options: Any) -> Source:
    """The same with a server, and a live band, of its own."""
    start = {name: options.pop(name) for name in WORDS_OF_START if name in options}
    texts = [name for name in registry.categories() if name != PICTURES]
    games = [PLAY + name for name in registry.games() if not _shows_pictures(name)]
    server = server_of(words or [*texts, *games], _alone(options), **start)
    held = {
        name: each for name, each in server.environments.items() if name != ALL or not server.band
    }
    shares = [(each, _share(name, each)) for name, each in held.items()]
    sharing = tuple((each, share) for each, share in shares if share)
    names = [name for each, _ in sharing for name in getattr(each, "families", ())]
    shown_to_none = [] if pictures else pictured(names)
    shown_to_none += [
        each.name
        for each, _ in sharing
        if each.is_game and _shows_pictures(each.name.removeprefix(PLAY))
    ]
    if shown_to_none:
        raise UserError(_TEXT.format(shown_to_none[0]))
    return Source(server, sharing)


_TEXT = "{} shows pictures, and this adapter only text: leave it out"


def pictured(families: Iterable[str]) -> list[str]:
    """Those of the families, variants too, whose prompts hold pictures."""
    visual = set(registry.names(PICTURES))
    return [name for name in families if name.partition("+")[0] in visual]


@cache
def _shows_pictures(game: str) -> bool:
    rules = registry.game(game)
    start = begun(rules, 0, 0.0)
    return bool(rules.shown(start, rules.to_move(start)).images)


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
    return Server(settings_of(_alone(json.loads(options)), Serve, PLACE), {})


def _alone(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a server whose episodes nobody else joins."""
    if options.get("opponent") == SESSION:
        raise UserError(f"opponent {SESSION}: adapters play against a rule, such as random")
    return {"queue": WAITING, **options}


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
    if episode.images and (episode.item is None or not pictures):
        raise UserError(_TEXT.format(name))
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
