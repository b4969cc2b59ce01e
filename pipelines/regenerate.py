"""Making new items where the policy is neither perfect nor lost: knobs fitted to the pass rate."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias, assert_never

from puzzlemill.core.errors import UserError
from puzzlemill.core.registry import names
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.item_history import training_accuracies
from puzzlemill.difficulty.knob_model import distinct_levels, fit
from puzzlemill.difficulty.mixtures import quotas
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.difficulty.targeting import levels_in_band
from puzzlemill.outputs.finished_build import scored_rows
from puzzlemill.outputs.groups import group_by
from puzzlemill.outputs.report import write_report
from puzzlemill.outputs.row_rules import history_of
from puzzlemill.pipelines.build import BUILDS, Each, Tell, build, in_turn, quietly
from puzzlemill.pipelines.evolution import evolved
from puzzlemill.pipelines.recipe import Recipe, recipe_of
from puzzlemill.pipelines.settings import Make
from puzzlemill.pipelines.weak_skills import failures, recombined, strengths, weak_skills

AIMED = ("fresh", "recombined")  # what is made where the scores promise the band
ALWAYS = 0.1  # of a family's share that no strength takes from it

Band: TypeAlias = tuple[float, float]
Row: TypeAlias = Mapping[str, Any]


def regenerate(
    folder: Path,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
    replace: bool = False,
) -> Path:
    """Build new items in the band of pass rates, and put on record how many landed in it."""
    again = build(regeneration_recipe(folder), builds, each, tell, replace)
    record_regeneration(folder, again)
    write_report(folder)
    return again


def regeneration_recipe(folder: Path) -> Recipe:
    """The recipe of new items where the build's scores promise the band."""
    recipe = recipe_of(folder)
    rows = scored_rows(folder)
    if not rows:
        raise UserError(_unscored(folder, recipe))
    aims = recipe.regenerate.made in AIMED
    made = (
        tuple(_aimed(rows, recipe, *_strengths(folder, rows, recipe)))
        if aims
        else evolved(rows, recipe)
    )
    if not made:
        raise UserError(_aimless(folder, recipe, rows))
    return dataclasses.replace(
        recipe,
        name=f"{recipe.name}-again",
        parent="",
        score=dataclasses.replace(recipe.score, earlier=str(folder)),
        filters=dataclasses.replace(recipe.filters, band=_whole(recipe)),
        seed=recipe.seed + 1,  # addresses are hashed: nothing is shared with the seed before
        make=made,
    )


def _unscored(folder: Path, recipe: Recipe) -> str:
    if not recipe.score.rounds:
        return (
            f"{folder}: no item has a pass rate to go by, since its recipe asks for no reply; set"
            " rounds of [score] above 0 and build it again"
        )
    if not kind_of(recipe.policy).samples:
        return (
            f"{folder}: no item has a pass rate to go by, since its recipe asks no policy; score it"
            f" first: puzzlemill rescore {folder} --checkpoint FOLDER"
        )
    return (
        f"{folder}: no item has a pass rate to go by, since its policy took none of them; ask a"
        " policy that does"
    )


def _aimless(folder: Path, recipe: Recipe, rows: Sequence[Row]) -> str:
    """Why there is nothing to aim at, and what to do."""
    if recipe.regenerate.made not in AIMED:
        return (
            f'{folder}: no item from which "{recipe.regenerate.made}" can be made; set `made` in'
            ' [regenerate] to "fresh"'
        )
    low, high = recipe.regenerate.band
    right, trials = (sum(row[name] for row in rows) for name in ("successes", "trials"))
    return (
        f"{folder}: no family has a level at which this policy solves {low:.0%} to {high:.0%}: it"
        f" solved {right} of {trials} replies to {len(rows)} items; widen the band in [regenerate],"
        f" or build {'easier' if 2 * right < trials else 'harder'} items"
    )


def _whole(recipe: Recipe) -> Band:
    """All pass rates that are aimed at."""
    slices = [band for band, weight in _bands(recipe) if weight]
    return min(low for low, _ in slices), max(high for _, high in slices)


def _bands(recipe: Recipe) -> list[tuple[Band, float]]:
    """The bands to aim at, each with its weight: one, or slices of a density."""
    density = recipe.regenerate.density
    if not density:
        return [(recipe.regenerate.band, 1.0)]
    count = len(density)
    return [((n / count, (n + 1) / count), weight) for n, weight in enumerate(density)]


def _aimed(
    rows: Sequence[Row], recipe: Recipe, wanted_of: Mapping[str, float], shares: Mapping[str, float]
) -> Iterator[Make]:
    """Fresh items of each family at the levels where it promises a band."""
    families = sorted({row["family"] for row in rows})
    scores = [(row["family"], row["level"], 0.0, row["trials"], row["successes"]) for row in rows]
    model = fit(
        scores, [(family, level) for family in families for level in distinct_levels(family)]
    )
    wanted = {
        (family, levels): weight * strength
        for band, weight in _bands(recipe)
        for family, strength in wanted_of.items()
        if weight and (levels := levels_in_band(model, family, *band))
    }
    counts = quotas(list(wanted.values()), recipe.regenerate.count)
    for (family, levels), count in zip(wanted, counts, strict=True):
        if count:
            name = recombined(family, shares, names()) if _recombines(recipe) else family
            yield Make(families=(name,), count=count, levels=levels)


def _recombines(recipe: Recipe) -> bool:
    return recipe.regenerate.made == "recombined"


def _strengths(
    folder: Path, rows: Sequence[Row], recipe: Recipe
) -> tuple[dict[str, float], dict[str, float]]:
    """How much each family is to get beside the others, and how weak each skill is."""
    if recipe.regenerate.spread == "slope":
        shares = weak_skills(rows, training_accuracies(folder, recipe.parent), str(folder))
        return strengths(rows, shares), shares
    return _spread(rows, recipe), failures(rows, lambda row: 1 - float(row["mean"]))


def _spread(rows: Sequence[Row], recipe: Recipe) -> dict[str, float]:
    """How much each family is to get beside the others, by what its rows say."""
    groups = {family: list(group) for family, group in sorted(group_by(rows, "family").items())}
    match recipe.regenerate.spread:
        case "weakness":
            found = {family: _failing(group) for family, group in groups.items()}
        case "change":
            found = {family: _changing(group) for family, group in groups.items()}
        case "evenly" | "slope":
            return dict.fromkeys(groups, 1.0)
        case never:
            assert_never(never)
    most = max(found.values(), default=0.0) or 1.0
    return {family: max(value / most, ALWAYS) for family, value in found.items()}


def _failing(rows: Sequence[Row]) -> float:
    return 1 - fmean(row["mean"] for row in rows)


def _changing(rows: Sequence[Row]) -> float:
    """How far pass rates lie from what they were when they were last measured."""
    before = [
        (row["mean"], history_of(row["history"])[-1]["mean"]) for row in rows if row["history"]
    ]
    return fmean(abs(now - then) for now, then in before) if before else 0.0


def record_regeneration(folder: Path, again: Path) -> dict[str, Any]:
    """Write regeneration.json beside the first build: what aiming has done."""
    aimed = recipe_of(again)
    low, high = aimed.filters.band
    made = scored_rows(again)
    levels: dict[str, Counter[float]] = {}
    for row in made:
        levels.setdefault(row["family"], Counter())[row["level"]] += 1
    record = {
        "build": aimed.name,
        "low": low,
        "high": high,
        "levels": {family: sorted(counted) for family, counted in levels.items()},
        "share_before": share_in_band(scored_rows(folder), low, high),
        "share_after": share_in_band(made, low, high),
        "made": len(made),
    }
    write_json(folder / "regeneration.json", record)
    return record


def share_in_band(rows: Iterable[Row], low: float, high: float) -> float:
    """The share of scored rows whose mean pass rate lies in the band."""
    inside_it = [low <= row["mean"] <= high for row in rows]
    return round(sum(inside_it) / len(inside_it), 4) if inside_it else 0.0
