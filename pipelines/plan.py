"""The plan: which addresses a recipe asks for, cut into shards."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.knobs import WORDING, turned
from puzzlemill.core.plain_data import canonical_json, freeze
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.settings import Make
from puzzlemill.trainer.settings import TrainGames


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive indices at one setting of one family."""

    family: str
    version: int
    level: float
    knobs: str  # JSON of those set by hand
    split: str
    seed: int
    start: int
    count: int

    def describe(self) -> dict[str, Any]:
        return asdict(self)


def plan(recipe: Recipe) -> list[tuple[Run, ...]]:
    """The shards of a recipe: each a few runs that add up to `shard` items, the last to fewer."""
    _refuse_games(recipe)
    shards: list[tuple[Run, ...]] = []
    filling: list[Run] = []
    room = recipe.shard
    for run in runs(recipe):
        start, end = run.start, run.start + run.count
        while start < end:
            count = min(end - start, room)
            filling.append(replace(run, start=start, count=count))
            start, room = start + count, room - count
            if not room:
                shards.append(tuple(filling))
                filling, room = [], recipe.shard
    return [*shards, tuple(filling)] if filling else shards


def _refuse_games(recipe: Recipe) -> None:
    if isinstance(recipe.train, TrainGames):
        raise UserError(
            f"{recipe.name}: this recipe plays games and makes no items; `puzzlemill train` it"
        )


def shares(count: int, parts: int, first: int = 0) -> list[int]:
    """A count spread evenly: the parts from `first` on take the remainder."""
    return [count // parts + ((place - first) % parts < count % parts) for place in range(parts)]


def item_count(recipe: Recipe) -> int:
    return sum(run.count for run in runs(recipe))


def plan_text(recipe: Recipe) -> str:
    """What a recipe would make, for --dry-run."""
    _refuse_games(recipe)
    items = item_count(recipe)
    shards = ceil(items / recipe.shard)
    lines = [f"{recipe.name}: {items:,} items in {shards:,} shards of {recipe.shard:,}"]
    for run in runs(recipe):
        lines.append(
            f"  {run.family:<20} level {run.level:<5g} {run.split:<10} {run.count:>6} items"
            f"  {freeze(_knobs(run))}"
        )
    lines.append(_cost(recipe))
    return "\n".join(lines) + "\n"


def _cost(recipe: Recipe) -> str:
    policy, score, items = recipe.policy, recipe.score, item_count(recipe)
    if not kind_of(policy).samples or not score.rounds:
        return "no policy is asked"
    most = items * (score.most + score.probe)
    likely = f", about {round(score.budget * items)} of them" if score.until == "budget" else ""
    return (
        f"scored under {policy.kind} {policy.model}".rstrip()
        + f" with {score.first} to {score.most + score.probe} replies an item: at most {most}"
        f" replies of {policy.max_tokens} tokens{likely}"
    )


def runs(recipe: Recipe) -> Iterator[Run]:
    taken: dict[tuple[Any, ...], int] = {}
    for make in recipe.make:
        worded = {WORDING: make.phrasings} if make.phrasings else {}
        knobs = canonical_json(dict(make.knobs) | worded)
        seed = recipe.seed if make.seed is None else make.seed
        starts: dict[tuple[str, int], int] = {}
        names = registry.families_of(make.families, make.variants)
        counts = _counts(make, names)
        before = _before(make, counts)
        for name in names:
            family, root = registry.family(name), name.partition("+")[0]
            for place, (level, count) in enumerate(
                zip(
                    make.levels,
                    shares(counts[root], len(make.levels), before[root]),
                    strict=True,
                )
            ):
                if (root, place) not in starts:
                    # Levels may round to the same knobs, and those set by hand may be a level's:
                    # their indices must not meet. A variant's are those of what it varies, so that
                    # they form a group.
                    settings = turned(family.at(level), family.ladder, make.knobs)
                    key = (root, settings, make.phrasings, make.split, seed)
                    starts[root, place] = taken.get(key, 0)
                    taken[key] = starts[root, place] + count
                start = starts[root, place]
                run = Run(name, family.version, level, knobs, make.split, seed, start, count)
                if make.indices:
                    yield from (replace(run, start=index, count=1) for index in make.indices)
                elif count:
                    yield run


def _counts(make: Make, names: Sequence[str]) -> dict[str, int]:
    """How many items of each family; variants are as many as the items that they are made from."""
    roots = list(dict.fromkeys(name.partition("+")[0] for name in names))
    if make.per == "family":
        return dict.fromkeys(roots, make.count)
    themes: dict[str, list[str]] = {}
    for root in roots:
        themes.setdefault(registry.family(root).theme, []).append(root)
    return {
        root: count
        for alike in themes.values()
        for root, count in zip(alike, shares(make.count, len(alike)), strict=True)
    }


def _before(make: Make, counts: Mapping[str, int]) -> dict[str, int]:
    """How many items of its theme come before a family's, so that a theme too is spread over the
    levels, where its families have less than an item a level."""
    if make.per == "family":
        return dict.fromkeys(counts, 0)
    themes: dict[str, int] = {}
    before: dict[str, int] = {}
    for root, count in counts.items():
        theme = registry.family(root).theme
        before[root] = themes.get(theme, 0)
        themes[theme] = before[root] + count
    return before


def _knobs(run: Run) -> Any:
    family = registry.family(run.family)
    return turned(family.at(run.level), family.ladder, json.loads(run.knobs))
