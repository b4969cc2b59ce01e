"""Builds: killed and begun again they give the same bytes; nothing is lost or half-written."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyarrow.parquet import ParquetFile

from puzzlemill import pipelines
from puzzlemill.__main__ import main
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import SCHEMA
from puzzlemill.core.storage.files import alone_in
from puzzlemill.core.storage.parquet import read_table
from puzzlemill.difficulty.policies import checkpoint, tiny_policy
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.outputs.finished_build import scored_rows
from puzzlemill.outputs.reply_files import replies_to, reply_shards
from puzzlemill.pipelines.integrity import file_faults
from puzzlemill.pipelines.journal import totals_of

RECIPE = """name = "small"
seed = 5
shard = 30
[[make]]
families = ["sums", "sorting"]
count = 40
[[make]]
families = ["jigsaw_pair", "countdown"]
count = 5
levels = [0.0]
[policy]
max_tokens = 64
[score]
most = 8
rounds = 4
keep_replies = true
[regenerate]
count = 20
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    folder = tmp_path_factory.mktemp("builds")
    (folder / "small.toml").write_text(RECIPE)
    return pipelines.build(folder / "small.toml", folder)


def dataset(folder: Path) -> dict[str, bytes]:
    files = sorted((folder / "dataset").rglob("*"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files if file.is_file()}


def test_every_row_made_is_in_one_of_the_configs(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    rows = [
        row
        for file in (built / "dataset").rglob("*.parquet")
        for row in read_table(file).to_pylist()
    ]
    assert len(rows) == len({row["uid"] for row in rows}) == 90 == manifest["counts"]["made"]
    assert sum(count for name, count in manifest["counts"].items() if name != "made") == 90
    assert manifest["counts"]["unscored"] == 5
    assert all(row["dropped"] for row in rows if row["rank"] is None)  # each has its reason


def test_the_files_of_the_dataset_can_be_read_in_parts_from_far_away(built: Path) -> None:
    for path in (built / "dataset").rglob("*.parquet"):
        facts = ParquetFile(path).metadata
        assert facts.row_group(0).column(0).has_offset_index


def test_the_replies_that_are_kept_are_those_that_were_counted(built: Path) -> None:
    shards = reply_shards(built, json.loads((built / "manifest.json").read_text()))
    assert shards
    rows = [
        row
        for file in (built / "dataset").rglob("*.parquet")
        for row in read_table(file).to_pylist()
    ]
    for row in rows:
        replies = replies_to(shards, row["uid"])
        assert len(replies) == (row["trials"] or 0)
        assert sum(reply["status"] == "correct" for reply in replies) == (row["successes"] or 0)
    assert any(row["trials"] for row in rows)


def test_kept_rows_are_ranked_from_easy_to_hard_with_what_is_known_of_them(built: Path) -> None:
    table = read_table(built / "dataset" / "data" / "train-00000-of-00001.parquet")
    assert table.schema.names == SCHEMA.names
    assert table.schema.metadata == SCHEMA.metadata
    rows = table.to_pylist()
    assert [row["rank"] for row in rows] == list(range(len(rows)))
    means = [row["mean"] for row in rows]
    assert means == sorted(means, reverse=True)
    for row in rows:
        assert 0 <= row["successes"] <= row["trials"] <= 8
        assert row["low"] < row["mean"] < row["high"]
        assert row["within"] >= 0.5
        assert row["policy"].startswith("tiny-")
        assert row["scored_at"] == "2023-11-14T22:13:20Z"
        assert row["certificate"]


def test_the_dataset_loads_with_its_pictures_decoded(built: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    file = str(built / "dataset" / "unscored" / "train-00000-of-00001.parquet")
    loaded = datasets.load_dataset("parquet", data_files=file, cache_dir=str(tmp_path))["train"]
    assert loaded[0]["images"][0].size[0] > 50
    assert loaded[0]["prompt"][0]["role"] == "user"


def test_a_finished_step_is_not_run_again(built: Path) -> None:
    before = dataset(built)
    told = []
    load_policy.cache_clear()
    pipelines.build(built.parent / "small.toml", built.parent, tell=lambda d, n: told.append(d))
    assert told
    assert not any(done.made for done in told)
    assert dataset(built) == before
    assert not load_policy.cache_info().currsize  # a policy with nothing left to say stays unloaded


def test_a_policy_of_other_weights_is_asked_anew(tmp_path: Path) -> None:
    """By a process that has those of before loaded."""
    weights = tmp_path / "weights"
    shutil.copytree(Path(tiny_policy.__file__).parent / "tiny", weights)
    recipe = RECIPE.replace(
        "max_tokens = 64", f'kind = "native"\nmodel = "{weights}"\nmax_tokens = 64'
    )
    (tmp_path / "small.toml").write_text(recipe.replace("count = 40", "count = 2"))
    folder = pipelines.build(tmp_path / "small.toml", tmp_path)
    first = {row["policy"] for row in scored_rows(folder)}
    model, _ = checkpoint.load(weights)
    for weight in model.parameters():
        weight.data *= 1.5
    checkpoint.save(model, tmp_path / "other")
    shutil.copyfile(tmp_path / "other" / "model.safetensors", weights / "model.safetensors")
    pipelines.build(tmp_path / "small.toml", tmp_path)
    assert len(first) == 1
    assert not first & {row["policy"] for row in scored_rows(folder)}


def test_a_damaged_shard_is_made_again(built: Path) -> None:
    before = dataset(built)
    other, shard = sorted((built / "stages" / "certify").glob("*.parquet"))[:2]
    other.with_suffix(".sha256").write_bytes(b"\xce not even text")
    damaged = bytearray(shard.read_bytes())
    damaged[len(damaged) // 3] ^= 0xFF
    shard.write_bytes(bytes(damaged))
    (built / "stages" / "screen" / shard.name).unlink(missing_ok=True)
    told: list[Any] = []
    pipelines.build(built.parent / "small.toml", built.parent, tell=lambda d, n: told.append(d))
    assert [done.step for done in told if done.made] == ["certify", "certify"]
    assert dataset(built) == before


def test_a_second_build_of_the_same_folder_is_refused(built: Path) -> None:
    with alone_in(built, "a build"), pytest.raises(UserError, match="a build is at work here"):
        pipelines.build(built.parent / "small.toml", built.parent)


KILLED = """name = "killed"
seed = 5
shard = 4
[[make]]
families = ["sums", "sorting"]
count = 4
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def undisturbed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "killed.toml").write_text(KILLED)
    return pipelines.build(folder / "killed.toml", folder)


@contextmanager
def begun(place: Path, shards: int) -> Iterator[subprocess.Popen[str]]:
    """A build by the command line that has made so many shards."""
    (place / "killed.toml").write_text(KILLED)
    code = "import sys; from puzzlemill.__main__ import main; main()"
    command = [sys.executable, "-c", code, "build", "killed.toml", "--plain", "--builds", "."]
    with subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True) as process:
        stages = place / "killed" / "stages"
        deadline = time.monotonic() + 60
        while len(list(stages.rglob("*.parquet"))) < shards and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        yield process


def runs(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_build_that_is_killed_ends_with_the_same_bytes(undisturbed: Path, tmp_path: Path) -> None:
    # Fifty rounds of kills, with a policy, are `make chaos`.
    with begun(tmp_path, 3) as process:
        process.kill()
    folder = tmp_path / "killed"
    (folder / "stages" / "generate" / ".00000-x.parquet.4-4").write_bytes(b"PAR1")
    pipelines.build(tmp_path / "killed.toml", tmp_path)
    assert dataset(folder) == dataset(undisturbed)
    assert (folder / "manifest.json").read_bytes() == (undisturbed / "manifest.json").read_bytes()
    assert not list(folder.rglob(".*.parquet.*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_build_that_is_to_stop_says_how_to_go_on_and_leaves_no_process(
    number: int, tmp_path: Path
) -> None:
    with begun(tmp_path, 1) as process:
        threads = Path(f"/proc/{process.pid}/task").glob("*/children")
        listed = [child for each in threads for child in each.read_text().split()]
        process.send_signal(number)
        start = time.monotonic()
        _, said = process.communicate(timeout=30)
        assert time.monotonic() - start < 20
    assert process.returncode == 128 + number
    assert said.splitlines()[-1].endswith("stopped; run the same command again to go on")
    assert "Traceback" not in said
    assert listed
    assert not [child for child in listed if runs(child)]
    events = (tmp_path / "killed" / "log.jsonl").read_text().splitlines()
    assert json.loads(events[-1])["event"] == "failed"


def test_a_log_tells_every_shard_and_its_sums_survive_a_torn_line(
    undisturbed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(undisturbed, folder)
    with (folder / "log.jsonl").open("a") as file:
        file.write('{"event": "sha')
    shard = next((folder / "stages" / "certify").glob("*.parquet"))
    shard.write_bytes(shard.read_bytes()[:-9])
    (tmp_path / "killed.toml").write_text(KILLED)
    pipelines.build(tmp_path / "killed.toml", tmp_path)
    totals = totals_of(folder)
    assert (totals.made["generate"], totals.made["certify"]) == (8, 12)
    assert totals.counts["shards_mended"] == 1
    assert totals.kept == 8
    metrics = (folder / "metrics.prom").read_text()
    assert 'puzzlemill_rows_made_total{build="killed",stage="certify"} 12\n' in metrics
    assert 'puzzlemill_shards_mended_total{build="killed"} 1\n' in metrics
    assert 'puzzlemill_share_kept{build="killed"}' in metrics
    lines = [line for line in metrics.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z_]+\{[^{}]*\} [0-9.e+-]+", line) for line in lines)


def test_dates_and_a_clock_that_jumps_change_nothing(undisturbed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(undisturbed, folder)
    for place, path in enumerate(sorted(folder.rglob("*"))):
        os.utime(path, (place % 7 * 10**9, place % 5 * 10**9))  # from 1970 to 2160
    (tmp_path / "killed.toml").write_text(KILLED)
    told: list[Any] = []
    pipelines.build(tmp_path / "killed.toml", tmp_path, tell=lambda done, _: told.append(done))
    assert not any(done.made for done in told)
    assert dataset(folder) == dataset(undisturbed)


def test_rescoring_keeps_the_history_and_the_items(built: Path, tmp_path: Path) -> None:
    again = pipelines.rescore(built, builds=tmp_path)
    rows = [
        row
        for file in (again / "dataset").rglob("*.parquet")
        for row in read_table(file).to_pylist()
    ]
    assert len(rows) == 90
    scored = [row for row in rows if row["trials"]]
    assert scored
    for row in scored:
        (earlier,) = json.loads(row["history"])
        assert earlier["policy"] == row["policy"]
        assert abs(earlier["mean"] - row["mean"]) < 0.5
    assert {row["uid"] for row in rows} == {row["uid"] for row in uids(built)}
    assert file_faults(built) == file_faults(again) == []


def test_regeneration_aims_at_the_band(built: Path, tmp_path: Path) -> None:
    again = pipelines.regenerate(built, tmp_path)
    record = json.loads((built / "regeneration.json").read_text())
    assert record["made"] == len(scored_rows(again)) > 0
    assert record["share_after"] > record["share_before"]
    fresh = {row["uid"] for row in uids(again)}
    assert not fresh & {row["uid"] for row in uids(built)}
    assert file_faults(again) == []


def uids(folder: Path) -> list[dict[str, Any]]:
    files = (folder / "dataset").rglob("*.parquet")
    return [row for file in files for row in read_table(file, ["uid"]).to_pylist()]


def test_without_a_policy_all_that_is_certified_is_kept_by_level(tmp_path: Path) -> None:
    recipe = tmp_path / "plain.toml"
    recipe.write_text(
        'name = "plain"\n[[make]]\nfamilies = ["sorting"]\ncount = 20\n[policy]\nkind = "none"\n'
    )
    folder = pipelines.build(recipe, tmp_path)
    (file,) = (folder / "dataset" / "data").glob("*.parquet")
    rows = read_table(file).to_pylist()
    assert len(rows) == 20
    assert [row["rank"] for row in rows] == list(range(20))
    levels = [row["level"] for row in rows]
    assert levels == sorted(levels)
    assert {(row["policy"], row["trials"], row["mean"]) for row in rows} == {(None, 0, None)}
    with pytest.raises(UserError, match="asks no policy"):
        pipelines.rescore(folder, builds=tmp_path)


def test_a_knob_setting_with_few_puzzles_is_told_and_builds_in_part(tmp_path: Path) -> None:
    recipe = tmp_path / "few.toml"
    recipe.write_text(
        'name = "few"\n[[make]]\nfamilies = ["sums"]\ncount = 1000\nlevels = [0.0]\n'
        '[policy]\nkind = "none"\n'
    )
    folder = pipelines.build(recipe, tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["rejected"]["duplicate"] > 200
    assert "sums at level 0: asked for 1000 items, but only" in manifest["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["build", "nowhere.toml"], "nowhere.toml: no such recipe"),
        (["train", "nowhere"], "nowhere: not a build"),
        (["rescore", "nowhere"], "nowhere: not a build"),
        (["regenerate", "nowhere"], "nowhere: not a build"),
        (["preview", "sodoku"], "did you mean 'sudoku'?"),
        (["families", "gridz"], "did you mean 'grids'?"),
    ],
)
def test_a_mistake_is_one_line_and_a_failed_exit(
    arguments: list[str], told: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "puzzlemill", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert told in done.stderr


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(
    undisturbed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "killed.toml").write_text(KILLED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # the handlers are the test run's own
    monkeypatch.setattr(
        "sys.argv", ["puzzlemill", "build", "killed.toml", "--plain", "--builds", "."]
    )
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4000, before[1]))
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "File too large" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert not list((tmp_path / "killed").rglob("*.parquet*"))
    pipelines.build(tmp_path / "killed.toml", tmp_path)  # there is room again
    assert dataset(tmp_path / "killed") == dataset(undisturbed)


def test_a_damaged_dataset_is_named(built: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(built, copy)
    file = copy / "dataset" / "data" / "train-00000-of-00001.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(UserError, match=r"train-00000-of-00001\.parquet: not the bytes"):
        pipelines.regenerate(copy, tmp_path)
