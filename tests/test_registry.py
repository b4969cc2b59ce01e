"""Families are found by where they lie, in this package and in others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError

ROOT = Path(__file__).parent.parent


def run(code: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, paths), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )


def package(folder: Path, family: str) -> Path:
    """Another distribution, with one family behind the entry point."""
    families = folder / "guests" / "families"
    families.mkdir(parents=True)
    (folder / "guests" / "__init__.py").write_text("")
    (families / "__init__.py").write_text("")
    sorting = (ROOT / "generators" / "basics" / "sorting.py").read_text()
    (families / f"{family}.py").write_text(sorting)
    metadata = folder / "guests-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guests\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[puzzlemill.families]\nvisitors = guests.families\n"
    )
    return folder


def test_a_family_of_another_package_is_found_and_held_to_the_contract(
    tmp_path: Path,
) -> None:
    package(tmp_path, "guest_sorting")
    told = run(
        "import puzzlemill as pm; from puzzlemill.core.audit import audit;"
        "print(pm.family('guest_sorting').category, pm.generate('guest_sorting')[0].answer != '',"
        "audit(pm.family('guest_sorting')).faults)",
        tmp_path,
    )
    assert told.stdout == "visitors True ()\n", told.stderr


def test_two_families_of_one_name_are_refused_by_name(tmp_path: Path) -> None:
    package(tmp_path, "sorting")
    told = run("import puzzlemill as pm; pm.families()", tmp_path)
    assert "two families are named 'sorting'" in told.stderr


def test_listing_names_imports_no_family() -> None:
    code = (
        "import sys, puzzlemill as pm; pm.families();"
        "print([name for name in sys.modules if name.startswith('puzzlemill.generators.')"
        " and name.count('.') > 2])"
    )
    assert run(code).stdout == "[]\n"


def test_every_category_has_families() -> None:
    assert {"basics", "grids", "logic", "graphs", "arithmetic", "algebra", "visual"} <= set(
        registry.categories()
    )
    for category in registry.categories():
        assert registry.names(category)


def test_a_suite_stands_for_all_that_is_like_its_tasks() -> None:
    found = registry.matching("like:G1")
    assert "shortest_path" in found
    assert "sudoku" not in found
    with pytest.raises(UserError, match="unknown suite 'Enigmatta'; did you mean 'Enigmata'"):
        registry.matching("like:Enigmatta")
