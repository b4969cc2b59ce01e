"""Recipes are read strictly, and what is wrong is told with its place and the remedy."""

from pathlib import Path

import pytest

from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import Recipe, read_recipe
from puzzlemill.core.registry import names
from puzzlemill.pipelines.plan import asked, plan

GOOD = """name = "small"
seed = 3
shard = 7
[[make]]
families = ["sorting", "graphs"]
count = 10
levels = [0.0, 0.5, 1.0]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def test_a_recipe_is_planned_into_shards_that_hold_every_item_once(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, GOOD))
    shards = plan(recipe)
    total = 10 * (1 + len(names("graphs")))
    assert asked(recipe) == total
    sizes = [sum(run.count for run in shard) for shard in shards]
    assert sizes == [7] * (total // 7) + [total % 7] * (total % 7 > 0)
    places = [
        (run.family, run.level, index)
        for shard in shards
        for run in shard
        for index in range(run.start, run.start + run.count)
    ]
    assert len(set(places)) == total


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("count = 10", "cuont = 10", "recipe.toml:6: unknown key in [make] 'cuont'; did you mean"),
        ('"sorting"', '"sortin"', "recipe.toml:5: unknown family or category 'sortin'; did you"),
        ("count = 10", 'count = "10"', "recipe.toml:6: make.count is int, not '10'"),
        ("count = 10", "phrasings = [60]", "recipe.toml:6: phrasings are numbers from 0 to 59"),
        ("count = 10", 'phrasings = [0]\nvariants = ["*"]', "variants choose their own wording"),
        ("shard = 7", "[decontaminate]\nshare = 2", "recipe.toml:4: share = 2.0 is outside 0..1"),
        ("count = 10", "count = 0", "recipe.toml:6: count = 0 is outside 1.."),
        ("levels = [0.0, 0.5, 1.0]", "levels = [2.0]", "recipe.toml:7: level 2.0 is outside 0..1"),
        ('name = "small"', 'name = "../x"', "recipe.toml:1: name '../x' becomes a folder"),
        ('name = "small"', "", "name is missing"),
        ("seed = 3", "seed = ", "not TOML"),
        ("shard = 7", "shard = 0", "recipe.toml:3: shard = 0 is outside"),
        ("shard = 7", '[policy]\nkind = "tinny"', "policy.kind: unknown value 'tinny'; did you"),
        ("shard = 7", '[policy]\nkind = "native"', "needs `model`"),
        ("shard = 7", "[policy]\ntemperature = -1", "temperature = -1.0 is outside 0..10"),
        ("shard = 7", "[score]\nfirst = 9\nmost = 4", "first = 9 is more than most = 4"),
        ("shard = 7", "[filters]\nband = [0.9, 0.2]", "band 0.9..0.2 of filters is no part of"),
        ("shard = 7", "[filters]\nband = [0.9]", "recipe.toml:4: filters.band is a list of 2"),
        ("shard = 7", '[filters]\nband = "pass2"', "unknown band 'pass2'; did you mean 'pass"),
        ("shard = 7", "[score]\nhints = [1.0]", "each hint is a share of the solution"),
        ("shard = 7", "policy = 3", "policy is a table of keys"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_remedy(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UserError) as error:
        read_recipe(path)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("knobs", "told"),
    [
        ("{ lenght = 3 }", "recipe.toml:8: unknown knob 'lenght'; did you mean 'length'?"),
        ("{ length = 999 }", "recipe.toml:8: knob 'length' = 999 is outside"),
        ("{ length = true }", "is a number of type int, not True"),
    ],
)
def test_a_wrong_knob_is_told_with_its_line(tmp_path: Path, knobs: str, told: str) -> None:
    text = GOOD.replace(', "graphs"', "") + f"knobs = {knobs}\n"
    with pytest.raises(UserError) as error:
        read_recipe(written(tmp_path, text))
    assert told in str(error.value)


def test_nothing_to_make_and_no_parent_is_refused() -> None:
    from puzzlemill.core.recipe import recipe_from

    with pytest.raises(UserError, match="say what to make"):
        recipe_from({"name": "empty"})
    assert recipe_from({"name": "again", "parent": "builds/x"}) == Recipe(
        "again", parent="builds/x"
    )
