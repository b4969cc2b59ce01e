"""Making new items where the policy is neither perfect nor lost: knobs fitted to the pass rate."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.files import write_json
from puzzlemill.core.parquet import read_table
from puzzlemill.core.recipe import Make, Recipe, recipe_of
from puzzlemill.difficulty.knob_model import KnobModel, fit, settings
from puzzlemill.difficulty.posterior import inside
from puzzlemill.outputs.report import write_report
from puzzlemill.pipelines.build import BUILDS, Each, Tell, build, in_turn, quietly
from puzzlemill.pipelines.plan import shares

LEVELS = 4  # of each family, at most
LEAST = 0.35  # a chance of landing in the band for which a family is worth asking
GOOD = 0.97  # of the best level's chance, that makes a level as good


def regenerate(
    folder: Path,
    builds: str | Path = BUILDS,
    each: Each = in_turn,
    tell: Tell = quietly,
) -> Path:
    """Build new items in the band of pass rates, and put on record how many landed in it."""
    again = build(regenerating(folder), builds, each, tell)
    record_regeneration(folder, again)
    write_report(folder)
    return again


def regenerating(folder: Path) -> Recipe:
    """The recipe of new items, at levels where the build's scores promise the band."""
    recipe = recipe_of(folder)
    low, high = recipe.regenerate.low, recipe.regenerate.high
    if low >= high:
        raise UserError(f"{folder}: the band from {low} to {high} is empty; set low below high")
    rows = scored_rows(folder)
    families = sorted({row["family"] for row in rows})
    scores = [(row["family"], row["level"], row["trials"], row["successes"]) for row in rows]
    model = fit(scores, [(family, level) for family in families for level in settings(family)])
    aims = {family: levels_in_band(model, family, low, high) for family in families}
    aims = {family: levels for family, levels in aims.items() if levels}
    if not aims:
        raise UserError(
            f"{folder}: no family has a level at which this policy solves {low:.0%} to {high:.0%};"
            " widen the band in [regenerate]"
        )
    counts = shares(recipe.regenerate.count, len(aims))
    return replace(
        recipe,
        name=f"{recipe.name}-again",
        parent="",
        filters=replace(recipe.filters, low=low, high=high),
        seed=recipe.seed + 1,  # addresses are hashed: nothing is shared with the seed before
        make=tuple(
            Make(families=(family,), count=count, levels=levels)
            for (family, levels), count in zip(aims.items(), counts, strict=True)
            if count
        ),
    )


def levels_in_band(model: KnobModel, family: str, low: float, high: float) -> tuple[float, ...]:
    """Levels at which an item is likeliest to land in the band; none where it hardly ever would."""
    teaches = inside((low, high))
    chances = {level: model.expected(family, level)[teaches].sum() for level in settings(family)}
    best = max(chances.values())
    good = [level for level, chance in chances.items() if chance >= GOOD * best]
    if best < LEAST:
        return ()
    spread = [good[round(step * (len(good) - 1) / (LEVELS - 1))] for step in range(LEVELS)]
    return tuple(dict.fromkeys(spread))


def record_regeneration(folder: Path, again: Path) -> dict[str, Any]:
    """Write regeneration.json beside the first build: what aiming has done."""
    recipe, aimed = recipe_of(folder), recipe_of(again)
    low, high = recipe.regenerate.low, recipe.regenerate.high
    made = scored_rows(again)
    record = {
        "build": aimed.name,
        "low": low,
        "high": high,
        "levels": {make.families[0]: list(make.levels) for make in aimed.make},
        "share_before": share_in_band(scored_rows(folder), low, high),
        "share_after": share_in_band(made, low, high),
        "made": len(made),
    }
    write_json(folder / "regeneration.json", record)
    return record


def share_in_band(rows: Iterable[Mapping[str, Any]], low: float, high: float) -> float:
    """The share of scored rows whose mean pass rate lies in the band."""
    inside = [low <= row["mean"] <= high for row in rows]
    return round(sum(inside) / len(inside), 4) if inside else 0.0


def scored_rows(folder: Path) -> list[dict[str, Any]]:
    """Every row of a build that a policy was asked, whatever became of it."""
    columns = ["family", "level", "trials", "successes", "mean"]
    files = sorted((folder / "dataset").rglob("*.parquet"))
    if not files:
        raise UserError(f"{folder}: no finished build (no dataset/*.parquet); build it first")
    rows = (row for file in files for row in read_table(file, columns).to_pylist())
    return [row for row in rows if row["trials"]]
