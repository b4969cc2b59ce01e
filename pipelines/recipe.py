"""Recipes: the TOML file that says what to build, read strictly into the settings of the rooms."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from puzzlemill.core.endpoints import check_endpoints
from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.settings import Either, OneOf, Range, Seed
from puzzlemill.core.storage.files import read_json
from puzzlemill.core.storage.store import check_store
from puzzlemill.core.tables import PARTS, LineNumbers, longest_key, places_in, record
from puzzlemill.difficulty.policies.kinds import POLICIES, kind_of, kinds_to_train
from puzzlemill.difficulty.settings import Order, PolicySettings, Regenerate, Score
from puzzlemill.filters.settings import Decontaminate, Filters
from puzzlemill.pipelines.checks import check_tables
from puzzlemill.pipelines.packaged_recipes import packaged_recipe
from puzzlemill.pipelines.runners import RUNNERS
from puzzlemill.pipelines.settings import ALL, Again, Make
from puzzlemill.trainer.settings import Train, TrainGames
from puzzlemill.trainer.settings.games import Play

LONGEST = 1_000_000  # bytes of a recipe


@dataclass(frozen=True, slots=True)
class Recipe:
    """A build, and what is done with it."""

    name: str  # of the build's folder
    make: tuple[Make, ...] = ()  # what is generated
    parent: str = ""  # a finished build whose items are scored again, instead of making any
    again: Again = ALL  # which of them
    seed: Seed = 0  # of all that is random
    shard: Annotated[int, Range(1, 100_000)] = 1000  # rows of a shard
    # Where shards are made; the bytes are the same.
    runner: Annotated[str, OneOf(RUNNERS)] = "local"
    # Processes that make shards at once; 0: as many as there are cores.
    workers: Annotated[int, Range(0, 65_536)] = 0
    # Of the policy: so many of the workers ask it at once.
    replicas: Annotated[int, Range(1, 65_536)] = 1
    # Items of each family that its verifier is probed on at the end of a build. 0: none, and its
    # error rates are not known. Probing takes most of a small build's time.
    verifier_probes: Annotated[int, Range(0, 1000)] = 4
    # The URL of a folder, such as s3://bucket/builds, where what is finished is put besides, and
    # is found again by another machine.
    store: str = ""
    policy: PolicySettings = field(default_factory=PolicySettings)
    score: Score = field(default_factory=Score)
    filters: Filters = field(default_factory=Filters)
    decontaminate: Decontaminate = field(default_factory=Decontaminate)
    order: Order = field(default_factory=Order)
    regenerate: Regenerate = field(default_factory=Regenerate)
    train: Annotated[
        Train | TrainGames,
        Either("play", "is for learning from items, and this recipe plays games"),
    ] = field(default_factory=Train)

    @property
    def items(self) -> Train:
        """The settings of learning from items."""
        assert isinstance(self.train, Train), "a recipe of games has none"
        return self.train


def read_recipe(path: Path) -> Recipe:
    """The recipe in a TOML file, or else of that name in the package; what is wrong with it is told
    with the file's line."""
    file_path = path if path.exists() else packaged_recipe(path) or path
    try:
        with file_path.open("rb") as file:
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise UserError(f"{path}: longer than {LONGEST:,} bytes: is it a recipe?")
        text = content.decode()
        if longest_key(text) > PARTS:
            raise UserError(f"{path}: nested too deeply: a key has more than {PARTS} parts")
        table = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such recipe; `puzzlemill init` writes one, and `puzzlemill recipes` lists"
            " those of the package"
        ) from None
    except RecursionError:
        raise UserError(f"{path}: nested too deeply") from None
    except ValueError as error:  # TOML, encoding, a number with too many digits
        raise (
            error if isinstance(error, UserError) else UserError(f"{path}: not TOML: {error}")
        ) from None
    return recipe_from(table, places_in(str(path), text))


def recipe_of(folder: Path) -> Recipe:
    """The recipe that a build's folder was made by."""
    path = folder / "recipe.json"
    if not path.is_file():
        raise UserError(f"{folder}: not a build (no recipe.json); `puzzlemill build` makes one")
    return recipe_from(_of_one_kind(read_json(path)), LineNumbers(str(path)))


def recipe_from(table: Mapping[str, Any], places: LineNumbers | None = None) -> Recipe:
    """A recipe from plain data, checked against the families that there are."""
    places = places or LineNumbers("recipe")
    check_endpoints(table, places)
    recipe = record(Recipe, table, places)
    _check(recipe, places)
    return recipe


def check_name(name: str, place: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}", name):
        raise UserError(f"{place}: name {name!r} becomes a folder: use letters, digits, . _ -")


def check_trainable(recipe: Recipe) -> None:
    """What scoring takes and training does not; told before anything is built or measured."""
    name = recipe.policy.kind
    if POLICIES.ours(name) and not kind_of(recipe.policy).here:
        raise UserError(
            f"[policy] kind = {name!r}: training needs a policy whose weights are in this process:"
            f" set kind to {' or '.join(kinds_to_train())}"
        )
    if recipe.policy.temperature == 0:
        raise UserError(
            "[policy] temperature = 0: all replies to a prompt are the same, so there is nothing to"
            " learn from; set 1 to train"
        )
    if recipe.policy.top_p < 1:
        raise UserError(
            f"[policy] top_p = {recipe.policy.top_p:g}: replies would be drawn from the nucleus and"
            " learned under all tokens, so that importance ratios are biased; set 1 to train"
        )


def _check(recipe: Recipe, places: LineNumbers) -> None:
    where = places.of
    check_name(recipe.name, where("name"))
    _check_source(recipe, places)
    ranks = recipe.again.ranks
    if ranks and not (len(ranks) == 2 and 0 <= ranks[0] < ranks[1]):
        raise UserError(f"{where('ranks')}: ranks is a pair, the first and the one behind the last")
    if recipe.again.judge and not recipe.parent:
        raise UserError(f"{where('judge')}: judge is written by `puzzlemill rejudge`: leave it out")
    if recipe.again.pair and not recipe.parent:
        raise UserError(
            f"{where('pair')}: pair sets new scores beside those of a `parent`: leave it out, or"
            " use `puzzlemill rescore --as`"
        )
    if recipe.store:
        check_store(recipe.store, where("store"))
    check_tables(recipe, places)


def _check_source(recipe: Recipe, places: LineNumbers) -> None:
    """A recipe makes items, or scores those of another build, or plays games."""
    if not isinstance(recipe.train, Train):
        if recipe.make or recipe.parent:
            raise UserError(
                f"{places.of('play')}: a run plays games or learns from items: give the games a"
                " recipe of their own, without [[make]] and `parent`"
            )
    elif bool(recipe.make) == bool(recipe.parent):
        raise UserError(
            f"{places.path}: say what to make in a [[make]] table, or which build is the `parent`"
        )


def _of_one_kind(table: Any) -> Any:
    """A recipe as older versions wrote it, with the settings of items and of games: those that do
    not apply are left out where they are as usual."""
    train = table.get("train") if isinstance(table, Mapping) else None
    play = train.get("play") if isinstance(train, Mapping) else None
    if not isinstance(train, Mapping) or not isinstance(play, Mapping):
        return table
    if not play.get("games"):
        everything = {each.name for each in fields(Play)}
        kept = {name: train[name] for name in train if name != "play" or {*play} < everything}
        return {**table, "train": kept}
    return {**table, "train": _without_usual(train, Train(), TrainGames())}


def _without_usual(table: Mapping[str, Any], kind: Any, other: Any) -> dict[str, Any]:
    """Without the keys of the one kind that the other has not, where they have their defaults."""
    usual, there = asdict(kind), asdict(other)
    kept = {}
    for name, value in table.items():
        if name in there and name in usual and isinstance(value, Mapping):
            kept[name] = _without_usual(value, getattr(kind, name), getattr(other, name))
        elif name in there or canonical_json(value) != canonical_json(usual.get(name)):
            kept[name] = value
    return kept
