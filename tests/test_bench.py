"""Puzzlemill Bench: its recipe, its choice of families and its baselines belong together."""

import re
from pathlib import Path

from puzzlemill.core import registry
from puzzlemill.core.storage.files import read_json
from puzzlemill.pipelines.recipe import read_recipe

ROOT = Path(__file__).parents[1]
EVALUATION = ROOT / "benchmarks" / "evaluation"
FAMILIES = read_recipe(ROOT / "recipes" / "benchmark.toml").make[0].families


def test_the_families_of_the_bench_are_those_that_were_chosen() -> None:
    choice = read_json(EVALUATION / "bench.json")
    assert sorted(FAMILIES) == sorted(choice["families"])
    categories = [registry.family(name).category for name in FAMILIES]
    assert {name: categories.count(name) for name in categories} == choice["by_category"]
    assert set(categories) == set(registry.categories())
    themes = [registry.family(name).theme for name in FAMILIES]
    assert len(set(themes)) == len(themes)


def test_baselines_are_asked_the_bench_and_told_in_its_page() -> None:
    page = (ROOT / "docs" / "benchmark.md").read_text()
    told = dict(re.findall(r"^\| `([\w.-]+)` \| ([01]\.\d\d) ", page, re.MULTILINE))
    baselines = {path.stem: read_json(path) for path in (EVALUATION / "bench").glob("*.json")}
    assert len({each["items"] for each in baselines.values()}) == 1
    assert {name: f"{each['level']['mean']:.2f}" for name, each in baselines.items()} == told
    for each in baselines.values():
        assert {*each["families"], *each["not_taken"]} == set(FAMILIES)
