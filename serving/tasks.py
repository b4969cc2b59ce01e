"""Tasks: what each environment asks, by split and index; a task is an address.

Nothing is made to tell a task, so that a split may have as many as one likes: `item` of the Python
interface makes the item of a task, and the server makes it when an episode begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from puzzlemill.core import registry
from puzzlemill.core.address import PARTS, SPLITS, check_split
from puzzlemill.core.errors import UserError, shown, unknown
from puzzlemill.core.item import address_at
from puzzlemill.difficulty.prompt_styles import PLAIN
from puzzlemill.serving.jobs import SESSION, player_of
from puzzlemill.serving.settings import Serve

ALL = "puzzlemill"  # the environment of all families together
PLAY = "play_"  # before the name of a game
INDICES = range(2**62)  # of addresses that others give
GAME_TASK = ("game", "version", "level", "split", "seed", "index", "seat")

Task = Mapping[str, Any]


class Environment(Protocol):
    """Tasks under one name."""

    @property
    def name(self) -> str: ...

    @property
    def is_game(self) -> bool: ...

    def count(self, split: str) -> int: ...

    def task(self, split: str, index: int) -> Task:
        """The task with an index from 0 up to the count."""

    def check(self, task: Task) -> None:
        """Refuse what is none of its tasks."""


@dataclass(frozen=True, slots=True)
class FamilyTasks:
    """Fresh items of some families: neighbouring indices are of different families, then of
    different levels."""

    name: str
    families: tuple[str, ...]
    settings: Serve
    is_game: bool = False

    def count(self, split: str) -> int:
        return self.settings.tasks

    def task(self, split: str, index: int) -> Task:
        levels = self.settings.levels
        rest, family = divmod(index, len(self.families))
        number, level = divmod(rest, len(levels))
        return task_at(self.families[family], levels[level], split, self.settings.seed, number)

    def check(self, task: Task) -> None:
        check_item_task(task, self.name, self.families)


@dataclass(frozen=True, slots=True)
class BuildTasks:
    """A build's items in the order of its curriculum."""

    name: str
    tasks: Mapping[str, Sequence[Task]]  # by split
    families: tuple[str, ...]
    is_game: bool = False

    def count(self, split: str) -> int:
        return len(self.tasks.get(split, ()))

    def task(self, split: str, index: int) -> Task:
        return self.tasks[split][index]

    def check(self, task: Task) -> None:
        check_item_task(task, self.name, self.families)


@dataclass(frozen=True, slots=True)
class GameTasks:
    """Deals of a game, at the levels in turn, from each seat in turn."""

    name: str
    game: str
    settings: Serve
    is_game: bool = True

    def count(self, split: str) -> int:
        return self.settings.tasks

    def task(self, split: str, index: int) -> Task:
        levels, game = self.settings.levels, registry.game(self.game)
        rest, level = divmod(index, len(levels))
        seat = rest % game.players
        values = (self.game, game.version, levels[level], split, self.settings.seed, index, seat)
        return dict(zip(GAME_TASK, values, strict=True))

    def check(self, task: Task) -> None:
        if set(task) != set(GAME_TASK):
            raise UserError(f"a task of {self.name} has {', '.join(GAME_TASK)}")
        game, level = registry.game(self.game), task["level"]
        check_split(task["split"])
        numbers = [task[name] for name in ("version", "seed", "index", "seat")]
        sound = all(type(each) is int for each in numbers) and type(level) in (int, float)
        if not sound or task["game"] != self.game or task["version"] != game.version:
            raise UserError(f"no task of {self.name}, version {game.version}: {shown(dict(task))}")
        if not 0 <= level <= 1 or task["seat"] not in range(game.players):
            raise UserError(f"{self.name} has levels from 0 to 1 and {game.players} seats")


def task_at(family: str, level: float, split: str, seed: int, index: int) -> Task:
    """The address of an item of a family, with its level."""
    version, knobs = _knobs_at(family, level)
    values = (family, version, knobs, split, seed, index)
    return dict(zip(PARTS, values, strict=True)) | {"level": level}


@lru_cache(maxsize=65_536)
def _knobs_at(family: str, level: float) -> tuple[int, str]:
    address = address_at(registry.family(family), level)
    return address.version, address.knobs


def check_item_task(task: Task, name: str = "", families: Sequence[str] = ()) -> None:
    """Refuse what is no address, or one of another family than these; the rest is seen to where the
    item is made."""
    if missing := [part for part in PARTS if task.get(part) is None]:
        raise UserError(f"a task is an address: {', '.join(PARTS)}; {missing[0]!r} is missing")
    if families and task["family"] not in families:
        raise UserError(f"{name} has no task of the family {shown(task['family'])}")
    if type(task["index"]) is not int or task["index"] not in INDICES:
        raise UserError(f"index is a whole number from 0, not {shown(task['index'])}")


def environments(
    what: Sequence[str], settings: Serve, builds: Sequence[BuildTasks] = ()
) -> dict[str, Environment]:
    """By name, the default first: builds; all families together and each alone; games."""
    by_name: dict[str, Environment] = {each.name: each for each in builds}
    if len(by_name) < len(builds):
        raise UserError("two builds' folders have the same name: serve one of them, or rename it")
    games = [name for word in what for name in games_of(word)]
    words = [word for word in what if not games_of(word)]
    if not what and not builds:
        words, games = list(registry.categories()), list(registry.games())
    if families := tuple(dict.fromkeys(name for word in words for name in registry.matching(word))):
        by_name[ALL] = FamilyTasks(ALL, families, settings)
        by_name |= {name: FamilyTasks(name, (name,), settings) for name in families}
    for each in builds:
        if by_name[each.name] is not each:
            raise UserError(f"the build {each.name} has the name of a family: rename its folder")
    for name in games:
        by_name[f"{PLAY}{name}"] = GameTasks(f"{PLAY}{name}", name, settings)
    if settings.opponent.startswith("minimax"):
        for name in games:
            if not registry.game(name).open:
                raise UserError(
                    f"minimax sees all of a state, but in {name} something is hidden: serve it"
                    " with --opponent random"
                )
    if settings.opponent != SESSION:
        player_of(settings.opponent)
    return by_name


def games_of(word: str) -> tuple[str, ...]:
    """The games that a word stands for: `play_nim`, or `play` for all."""
    if word == PLAY.rstrip("_"):
        return registry.games()
    name = word.removeprefix(PLAY)
    return (name,) if word.startswith(PLAY) and name in registry.games() else ()


def build_tasks(folder: Path, curriculum: str) -> tuple[BuildTasks, str]:
    """The kept items of a build, or all where none was scored, in an order that `export` knows; and
    the style of its policy."""
    from puzzlemill.outputs.finished_build import rows_at
    from puzzlemill.outputs.manifest import read_manifest
    from puzzlemill.outputs.trainer_files.curriculum import arrange, read_curriculum

    manifest = read_manifest(folder)
    order = read_curriculum(curriculum)
    if order.name == "hints":
        raise UserError("--curriculum hints: serve the build with --hint, which gives a share")
    columns = [*PARTS, "level"]
    arranged = arrange(folder, manifest, order, unscored=False)
    arranged = arranged or arrange(folder, manifest, order, unscored=True)
    tasks = {
        split: rows_at([key["at"] for key in keys], columns) for split, keys in arranged.items()
    }
    if not tasks:
        raise UserError(f"{folder}: keeps no item that could be asked")
    families = {task["family"] for each in tasks.values() for task in each}
    style = manifest["recipe"]["policy"].get("style", PLAIN)
    return BuildTasks(folder.resolve().name.lower(), tasks, tuple(sorted(families))), style


def environment_of(by_name: Mapping[str, Environment], name: str | None) -> Environment:
    """The environment of that name, or the default one."""
    if name is None:
        return next(iter(by_name.values()))
    if name.lower() not in by_name:
        raise unknown("environment", name, by_name)
    return by_name[name.lower()]


def splits() -> list[dict[str, str]]:
    return [{"name": split, "type": split} for split in SPLITS]
