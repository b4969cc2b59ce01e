"""Builds that would surprise: nothing kept, a name that is taken, a folder in which others are at
work, items that were not asked."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from test_outputs import loaded, scored, seen, write_build
from typer.testing import CliRunner

import puzzlemill as pm
from puzzlemill import pipelines
from puzzlemill.__main__ import app
from puzzlemill.core.errors import NothingKept, UserError
from puzzlemill.core.rows import fate, row_of, table_of
from puzzlemill.core.storage.files import alone_in, write_json
from puzzlemill.core.storage.parquet import read_table
from puzzlemill.difficulty.policies.policy import Question, Sampling, refusal
from puzzlemill.difficulty.settings import Order, PolicySettings, Score
from puzzlemill.filters.settings import Filters
from puzzlemill.outputs.advice import advice, expect_kept
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.trainer_files.writer import export
from puzzlemill.pipelines.name_conflict import differences, paths_replaced
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.series import refresh
from puzzlemill.pipelines.settings import ALL, Make
from puzzlemill.pipelines.steps.adopt import adopted
from puzzlemill.trainer.settings import Train

EMPTY = """name = "empty"
[[make]]
families = ["linear_equation"]
count = 4
levels = [0.5, 1.0]
[[make]]
families = ["zebra", "odd_one_out"]
count = 2
levels = [1.0]
[policy]
max_tokens = 32
[score]
first = 2
most = 2
rounds = 1
signal = "none"
"""
PLAIN = Recipe(
    "plain",
    make=(Make(("sorting",), count=4),),
    policy=PolicySettings(kind="none"),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of which the policy solves nothing, and does not take half."""
    folder = tmp_path_factory.mktemp("builds")
    (folder / "empty.toml").write_text(EMPTY)
    return pipelines.build(folder / "empty.toml", folder)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A build that asked no policy, with what was made from it."""
    folder = pipelines.build(PLAIN, tmp_path)
    for name in ("exports/trl/train.parquet", "training/metrics.jsonl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    record = {"cells": [], "steps": 1, "seconds": 1.0, "replies": 8, "policy_after": "x"}
    write_json(folder / "training.json", record)
    (folder / "notes.txt").write_text("mine")
    return folder


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(each) for each in arguments])
    return done.exit_code, f"{done.output} {done.exception or ''}"


def rows_of(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "dataset").rglob("*.parquet"))
    return [row for file in files for row in read_table(file).to_pylist()]


def test_a_build_that_keeps_nothing_fails_and_says_why_and_what_to_do(empty: Path) -> None:
    again = "build", empty.parent / "empty.toml", "--plain", "--builds", empty.parent
    code, said = run(*again)
    assert code == 1
    assert "of 8 items made, 4 on the frontier, 2 not scored (too long for the" in said
    assert "the policy solved none of 4 scored items (8 replies): lower `levels` (from 0.5)" in said
    assert "--allow-empty" in said
    code, said = run(*again, "--allow-empty")
    assert code == 0
    assert "note: " in said
    assert "nothing was kept" in said
    with pytest.warns(UserWarning, match="nothing was kept: of 8 items made"):
        assert pm.build(empty.parent / "empty.toml", empty.parent) == empty


def test_the_report_of_a_build_that_kept_nothing_says_so_first(empty: Path) -> None:
    words = " ".join(seen(empty).words.split())
    assert "Nothing was kept Of 8 items made, 4 on the frontier" in words
    assert "just hard enough" not in words
    assert "The policy solved none of 4 scored items (8 replies): lower levels (from 0.5)" in words


def test_where_nothing_was_kept_no_config_is_handed_out_unasked(
    empty: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="Config name is missing"):
        loaded(empty, None, tmp_path)
    assert loaded(empty, "frontier", tmp_path)["train"].num_rows == 4
    card = (empty / "dataset" / "README.md").read_text()
    assert "default: true" not in card
    assert "**Nothing was kept**" in card


def not_asked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"dropped": "contaminated: a: b", "trials": None} for row in rows]


@pytest.mark.parametrize(
    ("rows", "recipe", "remedy"),
    [
        (scored("sums", "train", [0, 0]), {}, "none of 2 scored items (16 replies): lower"),
        (scored("sums", "train", [8, 8]), {}, "16 of 16 replies to 2 scored items were right: rai"),
        (scored("sums", "train", [8, 0]), {}, "1 too hard and 1 too easy: ask at `levels` between"),
        (scored("sums", "train", [0, 0]), {"parent": "x"}, "make easier items (`puzzlemill regen"),
        (
            not_asked(scored("sums", "train", [8])),
            {},
            "1 item (contaminated): choose other families",
        ),
    ],
)
def test_what_to_do_follows_from_what_was_seen(
    rows: list[dict[str, Any]], recipe: dict[str, Any], remedy: str, tmp_path: Path
) -> None:
    build = read_build(write_build(tmp_path / "b", [dict(row) for row in rows]))
    build.manifest["recipe"] |= recipe
    found = advice(build)
    assert found
    assert remedy in found.remedies[0]


def test_seldom_right_replies_are_told_with_the_band_and_the_number_of_replies(
    tmp_path: Path,
) -> None:
    rows = scored("sums", "train", [1, 0])
    rows[0]["dropped"] = "frontier"
    found = advice(read_build(write_build(tmp_path / "b", rows)))
    assert found
    assert "1 of 16 replies" in str(found)
    assert "widen the band 0.05 to 0.95 (the highest pass rate is 0.17)" in str(found)
    assert "raise `[score] most`" in str(found)


def test_what_follows_on_a_build_that_kept_nothing_names_the_way_out(
    empty: Path, tmp_path: Path
) -> None:
    from puzzlemill.trainer.build_items import training_rows

    with pytest.raises(NothingKept, match="lower `levels`"):
        training_rows(empty)
    with pytest.raises(UserError, match=r"4 frontier \(--curriculum frontier or hints\), 4 unsco"):
        export(empty, "trl", tmp_path / "trl")
    with pytest.raises(UserError, match="solved 0 of 8 replies to 4 items; widen the band"):
        pipelines.regenerate(empty, tmp_path)
    code, said = run("rescore", empty, "--plain", "--builds", tmp_path)
    assert code == 1
    assert "make easier items (`puzzlemill regenerate`)" in said
    assert run("rescore", empty, "--plain", "--builds", tmp_path, "--allow-empty")[0] == 0


def test_what_follows_on_a_build_that_asked_no_policy_says_how_to_score_it(plain: Path) -> None:
    for command in ("rescore", "regenerate"):
        code, said = run(command, plain, "--plain", "--builds", plain.parent)
        assert code == 1
        assert "asks no policy" in said
        assert "--checkpoint" in said


def test_a_build_that_kept_something_is_expected(plain: Path) -> None:
    expect_kept(plain)


FULL = Recipe(
    "full",
    make=(Make(("sums",), count=4), Make(("gcd",))),
    policy=PolicySettings(kind="endpoint", model="m", url="http://one/v1"),
)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(FULL, seed=9), ["seed = 9, there 0"]),
        (
            replace(FULL, make=(FULL.make[0], Make(("lcm",)))),
            ['make[2].families = ["lcm"], there ["gcd"]'],
        ),
        (replace(FULL, make=FULL.make[:1]), ["make = 1 tables, there 2 tables"]),
        (replace(FULL, policy=replace(FULL.policy, model="n")), ['policy.model = "n", there "m"']),
        (replace(FULL, order=Order(stages=2)), ["order.stages = 2, there 4"]),
        (replace(FULL, train=Train(group=4)), ["train.group = 4, there 8"]),
        (replace(FULL, score=Score(most=4)), ["score.most = 4, there 16"]),
        (replace(FULL, workers=3, runner="processes", replicas=2), []),
        (replace(FULL, train=Train(steps=9)), []),
        (replace(FULL, policy=replace(FULL.policy, url="http://two/v1", concurrency=2)), []),
    ],
)
def test_another_recipe_is_one_that_means_another_dataset(
    other: Recipe, told: list[str], tmp_path: Path
) -> None:
    assert differences(tmp_path, other) == []
    write_json(tmp_path / "recipe.json", asdict(FULL))
    assert differences(tmp_path, FULL) == []
    assert differences(tmp_path, other) == told


def test_paths_written_in_another_way_are_the_same_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "parent").mkdir()
    monkeypatch.chdir(tmp_path)
    whole = replace(FULL, make=(), parent=str(tmp_path / "parent"))
    write_json(tmp_path / "recipe.json", asdict(whole))
    assert differences(tmp_path, replace(whole, parent="parent")) == []


def test_a_recipe_under_a_name_that_is_taken_is_refused(plain: Path, tmp_path: Path) -> None:
    before = (plain / "manifest.json").read_bytes()
    other = replace(PLAIN, make=(Make(("sorting",), count=6),))
    with pytest.raises(UserError) as refused:
        pipelines.build(other, tmp_path)
    said = str(refused.value)
    assert "make.count = 6, there 4" in said
    assert (
        "another name, or build it with --replace, which removes the dataset and exports trl"
        in said
    )
    assert "a training run" in said
    assert (plain / "manifest.json").read_bytes() == before


def test_a_build_of_another_recipe_is_replaced_with_all_that_was_made_from_it(
    plain: Path, tmp_path: Path
) -> None:
    (tmp_path / "plain.toml").write_text(
        '# the same name\nname = "plain"\n[[make]]\nfamilies = ["sorting"]\ncount = 6\n'
        '[policy]\nkind = "none"\n'
    )
    command = "build", tmp_path / "plain.toml", "--plain", "--builds", tmp_path
    assert run(*command)[0] == 1
    code, said = run(*command, "--replace")
    assert code == 0, said
    assert "replacing a build of another recipe: manifest.json, report.html" in said
    assert len(rows_of(plain)) == 6
    assert not (plain / "exports").exists()
    assert not (plain / "training").exists()
    assert not (plain / "training.json").exists()
    assert (plain / "notes.txt").read_text() == "mine"
    events = [json.loads(line)["event"] for line in (plain / "log.jsonl").read_text().splitlines()]
    assert events.count("begun") == 1
    code, said = run(*command, "--replace")  # the same recipe: gone on with, nothing to replace
    assert code == 0
    assert "replacing" not in said


def test_the_same_recipe_leaves_its_training_and_its_exports_alone(plain: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (plain / "training").rglob("*")}
    pipelines.build(replace(PLAIN, train=Train(steps=7)), plain.parent, replace=True)
    assert {path: path.stat().st_mtime_ns for path in (plain / "training").rglob("*")} == before
    assert (plain / "exports" / "trl" / "train.parquet").exists()


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (lambda folder: replace(PLAIN, seed=1), "holds a file `keep`"),
        (
            lambda folder: replace(
                PLAIN, policy=PolicySettings(kind="native", model=str(folder / "training"))
            ),
            "policy.model lies in it",
        ),
    ],
)
def test_what_is_to_stay_or_is_needed_is_not_replaced(
    other: Callable[[Path], Recipe], told: str, plain: Path
) -> None:
    if "keep" in told:
        (plain / "keep").touch()
    with pytest.raises(UserError, match=told):
        pipelines.build(other(plain), plain.parent, replace=True)
    assert (plain / "manifest.json").is_file()


def test_an_unfinished_or_damaged_build_of_another_recipe_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "recipe.json").write_text('{"name": "plain", "colour": 3}')
    with pytest.raises(UserError, match=r"another recipe \(.*unknown key"):
        pipelines.build(PLAIN, tmp_path)
    assert [path.name for path in paths_replaced(tmp_path / "plain", PLAIN)] == ["recipe.json"]


def test_a_build_where_training_is_at_work_is_refused_and_the_other_way_round(
    plain: Path,
) -> None:
    from puzzlemill.trainer.run import train

    with alone_in(plain, "training"), pytest.raises(UserError, match="training is at work here"):
        pipelines.build(PLAIN, plain.parent)
    write_json(plain / "recipe.json", asdict(replace(PLAIN, policy=PolicySettings())))  # trainable
    with alone_in(plain, "a build"), pytest.raises(UserError, match="a build is at work here"):
        train(plain)
    with alone_in(plain, "training"), pytest.raises(UserError, match="training is at work here"):
        train(plain)


def test_an_item_that_was_not_asked_says_why(empty: Path) -> None:
    found = {row["family"]: row for row in rows_of(empty) if fate(row) == "unscored"}
    assert found["odd_one_out"]["dropped"] == "the policy takes no pictures"
    said = found["zebra"]["dropped"]
    assert said.startswith("too long for the policy: ")
    assert said.endswith("of which 992 leave room for a reply")
    assert found["zebra"]["rank"] is None
    manifest = json.loads((empty / "manifest.json").read_text())
    assert manifest["unscored"] == {"too long for the policy": 2, "the policy takes no pictures": 2}
    assert manifest["counts"] == {"made": 8, "frontier": 4, "unscored": 4}
    words = " ".join(seen(empty).words.split())
    assert "or a family is missing: the policy takes no pictures (2), too long for the" in words


def test_a_blank_cell_of_the_heat_map_says_why(tmp_path: Path) -> None:
    rows = scored("sums", "train", [4, 3, None])
    rows[2] |= {"level": 0.75, "dropped": "too long for the policy: 9 tokens"}
    rows += scored("sorting", "train", [4])
    rows[3] |= {"level": 0.75}
    words = seen(write_build(tmp_path / "b", rows)).words
    assert "sums at level 0.75 (too long for the policy): not scored" in words
    assert "sorting at level 0.25: not scored" in words


def test_an_item_that_was_not_asked_is_asked_again_by_another_policy() -> None:
    reasons = ("too long for the policy: 9 tokens", "too long: over 4 characters")
    items = pm.generate("sums", n=2)
    rows = [row_of(item) | {"dropped": why} for item, why in zip(items, reasons, strict=True)]
    found = adopted(ALL, "another", table_of(rows)).to_pylist()
    assert [each["dropped"] for each in found] == [None, "too long: over 4 characters"]


def test_a_long_prompt_is_told_by_its_reason_alone() -> None:
    from puzzlemill.difficulty.policies.tiny_policy import tiny

    policy = tiny(Sampling(max_tokens=32))
    long = Question(({"role": "user", "content": "word " * 2000},), 0)
    assert str(refusal(policy, long)).startswith("too long for the policy: ")
    assert refusal(policy, Question(({"role": "user", "content": "1 + 1"},), 0)) is None
    warned = policy.tokens.tokenizer.deprecation_warnings
    assert "sequence-length-is-longer-than-the-specified-maximum" not in warned


def test_a_series_scores_again_under_another_checkpoint_unless_something_was_made_from_it(
    tmp_path: Path,
) -> None:
    checkpoint = Path(pm.__file__).parent / "difficulty" / "policies" / "tiny"
    recipe = Recipe(
        "mine-0001",
        make=(Make(("sums",), count=4, levels=(0.0,)),),
        policy=PolicySettings(max_tokens=32),
        score=Score(first=1, most=1, rounds=1, signal="none"),
        filters=Filters(band=(0.0, 1.0)),
    )
    pipelines.build(recipe, tmp_path)
    refresh("mine", 0.0, builds=tmp_path)
    again = refresh("mine", 0.0, checkpoint, builds=tmp_path).rescored
    assert json.loads((again / "recipe.json").read_text())["policy"]["kind"] == "native"
    (again / "exports" / "trl").mkdir(parents=True)
    with pytest.raises(UserError, match="removes the dataset and exports trl"):
        refresh("mine", 0.0, builds=tmp_path)


def test_a_name_that_a_run_of_games_has_is_refused_to_a_build(tmp_path: Path) -> None:
    games = {"name": "plain", "train": {"play": {"games": ["nim"]}}}
    write_json(tmp_path / "plain" / "recipe.json", games)
    with pytest.raises(UserError, match="holds a build of another recipe"):
        pipelines.build(PLAIN, tmp_path)
