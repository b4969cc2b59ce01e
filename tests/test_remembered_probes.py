"""What probing found is remembered between builds, and changes no byte of them."""

import json
from pathlib import Path
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill import pipelines
from puzzlemill.core.rows import row_of
from puzzlemill.pipelines import remembered_probes
from puzzlemill.pipelines.remembered_probes import CACHE, KEPT, remembered_truth

RECIPE = """name = "x"
[[make]]
families = ["sums"]
count = 3
[policy]
kind = "none"
"""
MARK = 987_654_321  # of figures that only the cache has


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that sums are remembered in."""
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "probes" / "sums.json"


@pytest.fixture(scope="module")
def rows() -> dict[str, list[dict[str, Any]]]:
    return {"sums": [row_of(item) for item in pm.generate("sums", level=0.2, n=1)]}


def marked(cache: Path) -> None:
    held = json.loads(cache.read_text())
    held[-1]["figures"]["right"]["tried"] = MARK
    cache.write_text(json.dumps(held))


def test_a_build_is_the_same_whether_its_probes_are_remembered_or_not(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "x.toml").write_text(RECIPE)
    manifests = []
    for name in ("probed", "remembered", "forgotten"):
        if name == "forgotten":
            monkeypatch.setenv(CACHE, "")
        folder = pipelines.build(tmp_path / "x.toml", tmp_path / name)
        manifests.append((folder / "manifest.json").read_bytes())
    assert manifests[0] == manifests[1] == manifests[2]
    assert len(json.loads(cache.read_text())) == 1
    marked(cache)
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    folder = pipelines.build(tmp_path / "x.toml", tmp_path / "again")
    truth = json.loads((folder / "manifest.json").read_text())["truth"]
    assert truth["sums"]["right"]["tried"] == MARK, "it was probed again"


def test_other_rows_other_code_and_other_libraries_are_probed_anew(
    cache: Path, rows: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    probed = remembered_truth(rows, {})
    marked(cache)
    assert remembered_truth(rows, {})["sums"]["right"]["tried"] == MARK
    assert remembered_truth(rows, {"sympy": "0"}) == probed
    other = {"sums": [{**rows["sums"][0], "uid": "other"}]}
    assert remembered_truth(other, {})["sums"]["right"]["tried"] != MARK
    (tmp_path / "sums.py").write_text("")
    monkeypatch.setattr(remembered_probes.registry, "folder_of", lambda name: tmp_path)
    assert remembered_truth(rows, {}) == probed


@pytest.mark.parametrize("text", ["[", "{}", '[{"key": 1}]', '[{"key": "x", "figures": {}}]'])
def test_a_damaged_file_is_forgotten(cache: Path, rows: dict[str, Any], text: str) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text(text)
    probed = remembered_truth(rows, {})
    assert probed["sums"]["right"]["tried"] > 0
    assert [each["figures"] for each in json.loads(cache.read_text())] == [probed["sums"]]


def test_a_folder_that_cannot_be_written_fails_nothing(
    rows: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE, str(tmp_path / "file"))
    assert remembered_truth(rows, {})["sums"]["right"]["tried"] > 0


def test_only_the_last_figures_of_a_family_are_kept(cache: Path, rows: dict[str, Any]) -> None:
    remembered_truth(rows, {})
    (first,) = json.loads(cache.read_text())
    cache.write_text(json.dumps([{**first, "key": str(number)} for number in range(KEPT)]))
    remembered_truth(rows, {})
    keys = [each["key"] for each in json.loads(cache.read_text())]
    assert keys == [*map(str, range(1, KEPT)), first["key"]]


def test_the_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(CACHE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert remembered_probes.cache_folder() == tmp_path / ".cache" / "puzzlemill"
    monkeypatch.setenv("XDG_CACHE_HOME", "/there")
    assert remembered_probes.cache_folder() == Path("/there/puzzlemill")
