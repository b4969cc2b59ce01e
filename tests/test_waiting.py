"""What a person sees who waits: plans, samples, progress, JSON, nothing where that is wanted."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from puzzlemill.__main__ import app
from puzzlemill.core.quiet import QUIET
from puzzlemill.core.storage import pool
from puzzlemill.pipelines.estimate import estimate
from puzzlemill.pipelines.plan import item_count
from puzzlemill.pipelines.progress import progress
from puzzlemill.pipelines.progress_rows import Row
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.pipelines.sample import sample
from puzzlemill.pipelines.shards import Done, Part

RECIPE = """name = "x"
[[make]]
families = ["sums", "sorting"]
count = 5
seed = 3
[policy]
kind = "none"
"""


def run(*command: Any, code: int = 0) -> Any:
    said = CliRunner().invoke(app, [*map(str, command)], catch_exceptions=False)
    assert said.exit_code == code, said.output
    return said


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(QUIET, "")  # and what a command sets is undone
    (tmp_path / "x.toml").write_text(RECIPE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "x.toml"


def test_a_sample_shows_items_of_the_build_and_builds_nothing(recipe: Path) -> None:
    assert "── sums at level" in run("build", recipe, "--sample", 2).stdout
    shown = json.loads(run("build", recipe, "--sample", 4, "--json").stdout)
    assert not Path("builds").exists()
    assert json.loads(run("build", recipe, "--json").stdout)["counts"]["made"] == 10
    import pyarrow.dataset as ds

    rows = ds.dataset("builds/x/dataset/data", format="parquet").to_table().to_pylist()
    built = {row["uid"]: row["answer"] for row in rows}
    assert [each["family"] for each in shown] == ["sums", "sums", "sorting", "sorting"]
    assert all(built[each["uid"]] == each["answer"] for each in shown)


def test_a_dry_run_says_what_a_build_takes(recipe: Path) -> None:
    said = run("build", recipe, "--dry-run").stdout
    assert "x: 10 items in 1 shards" in said
    assert "estimated from 10 items:" in said
    assert "of dataset" in said
    guess = json.loads(run("build", recipe, "--dry-run", "--json").stdout)
    assert guess["items"] == 10
    assert guess["replies_most"] == guess["tokens_most"] == 0
    assert not Path("builds").exists()


def test_replies_and_tokens_grow_with_what_scoring_may_spend() -> None:
    table = {
        "name": "x",
        "make": [{"families": ["sums"], "count": 1000}],
        "policy": {"kind": "tiny", "max_tokens": 50},
        "score": {"most": 4, "probe": 2},
    }
    guess = estimate(recipe_from(table))
    assert guess is not None
    assert guess.replies_most == 6000
    assert guess.tokens_most == 300_000
    assert guess.cpu_seconds > 0
    assert guess.dataset_bytes > 100_000


def test_a_sample_is_spread_over_families_and_levels() -> None:
    recipe = recipe_from({"name": "x", "make": [{"families": ["sums", "sorting"], "count": 5}]})
    items = sample(recipe, 100)
    assert len({item.uid for item in items}) == len(items) == item_count(recipe)
    (middle,) = sample(recipe, 1)
    assert middle.family == "sorting"


def test_quiet_and_json_print_nothing_else(recipe: Path) -> None:
    quiet = run("build", recipe, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    told = run("build", recipe, "--json")
    assert told.stderr == ""
    summary = json.loads(told.stdout)
    assert summary["counts"] == {"made": 10, "kept": 10}
    assert Path(summary["report"]).is_file()


def done(step: str, shard: int, **named: Any) -> Done:
    return Done(step, shard, 10, dropped=0, made=True, seconds=1.0, path="", **named)


def test_a_shard_at_work_counts_by_its_items() -> None:
    row = Row("generate", 0)
    row.begin("generate", 4)
    row.part(Part("generate", 0, 4, done=5, of=10))
    assert (row.items, row.of) == (5, 40)
    assert "5 of 40 items" in row.line
    assert row.line.endswith(" left")
    row.add(done("generate", 0))
    row.part(Part("generate", 1, 4, done=1, of=10))
    assert (row.items, row.of) == (11, 40)
    for shard in (1, 2, 3):
        row.add(done("generate", shard))
    assert "40 items" in row.line
    assert "left" not in row.line


def test_all_rounds_of_asking_are_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(60.0) as tell:
        tell(done("generate", 0), 1)
        for number in (1, 2, 3):
            tell(done(f"ask-{number}", 0, counts={"replies": 7}), 1)
        tell(done("score", 0), 1)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines] == ["generate", "ask", "score"]
    assert "round 3, 21 replies: 10 items" in lines[1]


def test_a_log_gets_a_line_while_a_shard_is_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    from puzzlemill.pipelines.shards import _watch

    with progress(0.0) as tell:
        watch = _watch.get()
        assert watch is not None
        watch(Part("generate", 0, 2, done=3, of=10))
        tell(done("generate", 0), 2)
    said = capsys.readouterr().err
    assert "0 of 2 shards  3 of 20 items" in said


def test_runs_of_the_pool_say_how_far_they_are() -> None:
    heard = []
    with pool.heard_by(lambda done, of: heard.append((done, of))):
        pool.run("operator:neg", [(number,) for number in range(20)], workers=1)
    assert heard[-1] == (20, 20)
    pool.run("operator:neg", [(1,)])
    assert heard[-1] == (20, 20)
