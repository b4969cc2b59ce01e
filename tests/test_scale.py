"""Scale: the same bytes in processes that are killed, in many files, and out of a store."""

import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.parquet import read_table
from puzzlemill.filters.duplicates import later_copies
from puzzlemill.outputs.finished_build import read_build
from puzzlemill.outputs.manifest import data_files, read_manifest
from puzzlemill.pipelines import arrangement, final_files
from puzzlemill.pipelines.download import fetch
from puzzlemill.pipelines.recipe import Recipe, recipe_from

FILE = 25  # rows


def recipe(**more: Any) -> Recipe:
    return recipe_from(
        {
            "name": "wide",
            "seed": 3,
            "shard": 20,
            "make": [
                {"families": ["gcd"], "count": 40, "levels": [0.0, 0.5]},
                {"families": ["sums"], "count": 30, "levels": [0.0], "split": "test"},
            ],
            "policy": {"kind": "none"},
            **more,
        }
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        patch.setattr(arrangement, "FILE_ROWS", FILE)
        return pipelines.build(recipe(), tmp_path_factory.mktemp("builds"))


def held(folder: Path) -> dict[str, bytes]:
    files = [folder / "manifest.json", *(folder / "dataset").rglob("*")]
    return {str(each.relative_to(folder)): each.read_bytes() for each in files if each.is_file()}


def paths(folder: Path) -> list[Path]:
    return [file.path for file in data_files(folder, read_manifest(folder))]


def test_files_follow_one_another_in_the_order_of_ranks_and_nothing_is_left_over(
    built: Path,
) -> None:
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for file in data_files(built, read_manifest(built)):
        here = read_table(file.path).to_pylist()
        assert 0 < len(here) <= FILE
        rows.setdefault((file.fate, file.split), []).extend(here)
    for (fate, _), here in rows.items():
        ranks = [row["rank"] for row in here]
        assert ranks == (list(range(len(here))) if fate == "kept" else [None] * len(here))
        levels = [row["level"] for row in here]
        assert fate != "kept" or levels == sorted(levels)
    assert sum(map(len, rows.values())) == 70
    assert {fate for fate, _ in rows} == {"kept", "rejected"}
    assert not list((built / "stages").rglob("*.arrow"))


def test_a_build_whose_verifiers_are_not_probed_says_so(tmp_path: Path) -> None:
    folder = pipelines.build(recipe(filters={"longest": 1}, verifier_probes=0), tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["counts"] == {"made": 70, "rejected": 70}
    assert manifest["truth"] == {}
    assert manifest["recipe"]["verifier_probes"] == 0
    assert final_files.UNPROBED in manifest["notes"]
    assert final_files.UNPROBED in (folder / "report.html").read_text()
    before = manifest["files"]
    pipelines.build(recipe(filters={"longest": 1}, verifier_probes=1), tmp_path)  # not refused
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["files"] == before
    assert final_files.UNPROBED not in manifest["notes"]
    assert manifest["truth"]


def test_the_first_of_equal_keys_stands_and_later_ones_name_it() -> None:
    source = Random(2)
    keys = [source.randrange(50) for _ in range(200)]
    copies, firsts = later_copies(np.array(keys, np.uint64))
    wanted = [(n, keys.index(key)) for n, key in enumerate(keys) if keys.index(key) < n]
    assert list(zip(copies.tolist(), firsts.tolist(), strict=True)) == wanted
    assert len(later_copies(np.array([], np.uint64))[0]) == 0


def test_rows_in_little_memory_are_the_rows_of_the_files(built: Path) -> None:
    rows = read_build(built).rows
    wanted = [row for path in paths(built) for row in read_table(path).to_pylist()]
    assert len(rows) == len(wanted) == len(list(rows))
    for row, was in zip(rows, wanted, strict=True):
        for name in set(row) & set(was):
            assert row[name] == was[name]
        file, place = row["at"]
        assert read_table(file.path, ["uid"])["uid"][place].as_py() == row["uid"]
    assert rows[-1]["uid"] == wanted[-1]["uid"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds processes as Linux shows them")
def test_in_processes_of_which_some_are_killed_the_bytes_are_the_same(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.01) and len(killed) < 2:
            made = len(list((tmp_path / "wide" / "stages").rglob("*.sha256")))
            if made > 3 * len(killed):
                killed.extend(_end_one(killed))

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        folder = pipelines.build(recipe(runner="processes", workers=2), tmp_path)
    finally:
        over.set()
        killer.join()
    assert len(killed) == 2
    wanted = [row for path in paths(built) for row in read_table(path).to_pylist()]
    found = [row for path in paths(folder) for row in read_table(path).to_pylist()]
    assert found == wanted
    known, other = (json.loads((each / "manifest.json").read_text()) for each in (built, folder))
    known.pop("files"), other.pop("files")  # the others are larger
    assert known == other
    deadline = time.monotonic() + 10
    while _workers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _workers()


def _workers() -> list[int]:
    """Our children that make shards."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                said = (entry / "cmdline").read_bytes()
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if b"pipelines.runners.processes import serve" in said and parent == os.getpid():
                found.append(int(entry.name))
    return found


def _end_one(but: list[int]) -> list[int]:
    for each in _workers():
        if each not in but:
            os.kill(each, signal.SIGKILL)
            return [each]
    return []


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="looks at processes as Linux shows them"
)
def test_what_is_finished_is_found_in_the_store_by_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    told: list[Any] = []
    wanted = recipe(store=f"file://{tmp_path}/store")
    first = pipelines.build(wanted, tmp_path / "one")
    kept = held(first)
    shards = sorted((tmp_path / "store" / "wide" / "stages" / "sieve").iterdir())
    shards[0].write_bytes(b"half of it")  # what is damaged there is made again, and mended there
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")  # when it was begun is found there too
    other = pipelines.build(wanted, tmp_path / "two", tell=lambda done, _: told.append(done))
    assert held(other) == kept
    assert [done.step for done in told if done.made] == ["sieve"]
    assert shards[0].read_bytes() != b"half of it"
    assert not list((tmp_path / "store").rglob("*.part"))
    (tmp_path / "store" / "wide" / "dataset" / "data" / "train-old.parquet").touch()
    brought = fetch(f"file://{tmp_path}/store/wide", tmp_path / "three")
    assert held(brought) == kept
    (brought / "dataset" / "README.md").unlink()
    broken = next((tmp_path / "store" / "wide" / "dataset" / "data").glob("*-of-*"))
    broken.write_bytes(b"")
    shutil.rmtree(brought / "dataset" / "data")
    with pytest.raises(UserError, match="not the bytes that the manifest names"):
        fetch(f"file://{tmp_path}/store/wide", tmp_path / "three")
    with pytest.raises(UserError, match="no finished build"):
        fetch(f"file://{tmp_path}/store/nothing", tmp_path / "three")
    with pytest.raises(UserError, match="unknown kind of store 'nowhere'; there are: "):
        pipelines.build(recipe(store="nowhere://x"), tmp_path / "four")
